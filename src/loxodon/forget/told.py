"""What memories say, found in what was said: the clauses of a turn that say them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from loxodon.forget.tombstones import clauses, has_name, marked, plain, things
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers, gist
from loxodon.text.words import fold
from loxodon.types import Record

SAME = 0.75
LEAST = 0.2
"""How much of a memory a clause has that says it; and the best of those that it was drawn from."""


def parts_of(text: str) -> list[str]:
    """The clauses of a text."""
    return [text[a:b] for start, end in spans(text) for a, b in clauses(text, start, end)]


def own_parts(text: str, own: Iterable[str], others: Sequence[str]) -> list[str]:
    """The clauses of a turn that say memories: those that stand in a wording of one, and those that
    have the most of it. Among equals, those that have the least of other memories of the turn."""
    parts = parts_of(text)
    if len(parts) == 1:
        return parts
    others_have = {part: max((covers(part, one) for one in others), default=0.0) for part in parts}
    found: dict[str, None] = {}
    for wording in own:
        shares = {part: covers(part, wording) for part in parts}
        most = max(shares.values(), default=0.0)
        best = [part for part in parts if shares[part] == most >= LEAST]
        least = min((others_have[part] for part in best), default=0.0)
        found |= {part: None for part in best if others_have[part] == least}
        words = plain(wording)
        found |= {part: None for part in parts if has_name(words, plain(part))}
    return list(found)


def proper(record: Record) -> list[str]:
    """The words of a memory that look like names or numbers of something: `Heron`, `B-12`."""
    return [
        word
        for start, end in spans(record.content)
        for n, word in enumerate(_TOKEN.findall(record.content[start:end]))
        if (n and word[0].isupper()) or any(map(str.isdigit, word))
    ]


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]+")


class Wording(NamedTuple):
    """One wording of a memory."""

    value: str
    needed: tuple[str, ...]
    """The names and the value in it, plain: what says the rest of something else says another."""


def wording(record: Record) -> Wording:
    told = (record.value, *record.entities, *proper(record))
    needed = dict.fromkeys(marked(one) for one in told if one and one in record.content)
    needed |= dict.fromkeys(things(fold(record.content)))
    return Wording(record.value, tuple(needed))


class Told(NamedTuple):
    """What some memories say, to be found in what was said."""

    contents: Mapping[str, Wording]
    names: tuple[str, ...]
    """Whom and what only they are about: there the name alone gives it away."""
    others: tuple[str, ...]
    """Whom they are not about: a clause that names one of those says something else."""

    def in_turn(self, text: str, source: bool) -> list[str]:
        """The clauses of a turn that say it: of one that it was drawn from, or of the answer."""
        parts = parts_of(text)
        hit = [part for part in parts if self._is_said(part)]
        if hit or not source:
            return hit
        for content in self.contents:
            shares = [covers(part, content) for part in parts]
            best = max(shares, default=0.0)
            if best >= LEAST:
                hit += [part for part, share in zip(parts, shares, strict=True) if share == best]
        return hit

    def names_another(self, part: str) -> bool:
        """Whether a clause names somebody whom they are not about."""
        words = plain(part)
        return any(has_name(words, name) for name in self.others)

    def _is_said(self, part: str) -> bool:
        words = marked(part)
        if any(has_name(words, name) for name in self.names):
            return True
        for content, (value, needed) in self.contents.items():
            if (
                covers(part, content) >= SAME
                and len(gist(content).words) > 1
                and all(has_name(words, name) for name in needed)
            ):
                return True
            if (
                value
                and all(has_name(words, one) for one in things(fold(value)))
                and (
                    covers(part, value) >= SAME
                    if value.isascii()
                    else _has_most(words, marked(value))
                )
                and not self.names_another(part)
            ):
                return True
        return False


def _has_most(words: str, value: str) -> bool:
    """Whether words have most of a value in one piece: `乌龙茶` of `喝乌龙茶`."""
    size = max(2, -(-len(value) * 7 // 10))
    return any(value[n : n + size] in words for n in range(len(value) - size + 1))
