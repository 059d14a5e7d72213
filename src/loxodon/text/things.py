"""Whether two plain sentences tell two values of one thing: `my gym is PureGym` and `I switched,
my gym is JD now`.

They do where all their words agree but those of one slot, and what fills it is of one kind. What
may have several values, as cats and appointments, must be said to have changed; a measure has one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from loxodon.text.patterns import Patterns
from loxodon.text.similarity import sense

Words = tuple[str, ...]
_NO = frozenset(["not", "no", *"不没"])
_WHEN = ("to", "on", "at", "for", "until", "till")
_HAN_NUMBERS = frozenset("零一二两三四五六七八九十百千万半")
_PRONOUNS = frozenset(["he", "she", "it", "they", "that", *"他她它"])
_LONGEST = 8  # Words of a value, or characters
_table = tomllib.loads((files("loxodon.text") / "things.toml").read_text("utf-8"))
_MEASURES = frozenset(_table["measures"])
_SET_BY, _LINKS = (
    frozenset(sense(words)) | frozenset(characters)
    for words, characters in (_table["set_by"], _table["links"])
)
_like = Patterns(_table["patterns"])
_spaced = re.compile(r"(?<=[!-~])\|(?=[!-~])")


def own_words(content: str) -> str:
    """What stands in the quotation marks of a memory, or all of it where there are none."""
    found = _like["quoted"].search(content)
    return found[1] if found else content


def in_first_person(content: str) -> str:
    """A memory as the user would say it, which is how they ask for it."""
    if (said := own_words(content)) != content:
        return said
    first: dict[str, str] = _table["first_person"]
    return _like["third_person"].sub(lambda user: first[user[0].lower()], content)


def clauses_in(content: str) -> list[str]:
    """The clauses of a sentence, as far as punctuation and conjunctions tell them."""
    return [one.strip() for one in _like["between"].split(own_words(content)) if one.strip()]


def only_adds(clause: str) -> bool:
    """Whether a clause tells nothing by itself, but how much, how often or since when something is
    so: `50 mg a day`, 一年2980块."""
    return _like["adds"].match(clause) is not None and _like["somebody"].search(clause) is None


def valued_anew(new: str, old: str, about: str, announced: bool) -> bool:
    """Whether `new` gives another value to what `old` tells of whom both are `about`."""
    words, told = own_words(new), own_words(old)
    moved = _like["moved"].search(words) is not None
    announced = announced or moved or _like["now"].search(words) is not None
    if _like["one_more"].search(words) or not all(map(only_adds, clauses_in(old)[1:])):
        return False
    if not announced and _like["done"].search(told):
        return False
    known = [token for clause in _said(told, about) for token in clause]
    said = _said(words, about)
    # `my rent went up, it's 950 now` tells the thing in one clause and its value in the next
    ways = [*said, *([*one, *other] for one, other in pairwise(said))]
    return any(_one_slot(one, known, announced, moved) for one in ways)


def apart(one: Words, other: Words) -> tuple[Words, Words, Words, Words]:
    """What two begin with alike, what each then has of its own, and what they end with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    start = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    ends = enumerate(zip(one[start:][::-1], other[start:][::-1], strict=False))
    end = next((n for n, (a, b) in ends if a != b), min(len(one), len(other)) - start)
    return (
        one[:start],
        one[start : len(one) - end],
        other[start : len(other) - end],
        one[len(one) - end :],
    )


class _Token(NamedTuple):
    raw: str
    base: str
    linked: str  # What it follows that only links a thing and its value: `is`, `moved to`, 改到


def _one_slot(new: Sequence[_Token], old: Sequence[_Token], announced: bool, moved: bool) -> bool:
    alike, own, _, after = apart(*(tuple(one.base for one in some) for some in (new, old)))
    start, end = len(alike), len(after)
    head, tail = new[:start], new[len(new) - end :]
    value, before = new[start : len(new) - end], old[start : len(old) - end]
    shared = [*head, *tail]
    if not (value and before and shared) or max(len(value), len(before)) > _LONGEST:
        return False
    kind = _kind(head, value, tail)
    several = all(any(one.linked for one in some[1:]) for some in (value, before))
    if kind != _kind(head, before, tail) or (several and kind != "date") or not _NO.isdisjoint(own):
        return False
    if kind == "word":  # whom a sentence is about is no value of it
        set_to = announced and all(some[0].linked in _SET_BY for some in (value, before))
        return set_to and len(shared) > 1 and len(shared) >= len(value)
    if not announced:
        measured = not tail[0].linked if tail else value[0].linked not in ("", *_WHEN)
        return kind == "number" and measured and not any(one.base[-1] == "<" for one in shared)
    return moved or len(shared) > 1 or kind == "number" or value[0].linked == "be"


def _kind(head: Sequence[_Token], value: Sequence[_Token], tail: Sequence[_Token]) -> str:
    before, after = head[-1].raw if head else "", tail[0].raw if tail else ""
    text, around = (
        _spaced.sub(" ", "|".join(some)).replace("|", "")
        for some in ([one.raw for one in value], [before, *(one.raw for one in value), after])
    )
    numbers = [one for one in value if _like["number"].fullmatch(one.raw)]
    near = around if numbers else text
    if value[0].linked in _WHEN and _like["clock"].search(text):
        return "date"
    if _like["date"].search(near) and all(map(_like["of_time"].match, text.split())):
        return "date"
    if len(numbers) == len(value):
        part = before == "第" or (before[:1].isupper() and not value[0].linked)
        if value[-1].raw in _HAN_NUMBERS and after not in _MEASURES:  # 二叔
            return "word"
        return "name" if part else "number"
    named = [one for one in value if one.raw.lower() not in ("a", "an", "the", "of", "and", "in")]
    if all(one.raw[0].isdigit() or _like["named"].match(one.raw) for one in named):
        return "name"
    return "word"


@lru_cache(maxsize=4_096)
def _said(words: str, about: str) -> list[list[_Token]]:
    """The clauses of a sentence without who it is about, and without what only links or announces
    a value."""
    found = []
    for clause in clauses_in(in_first_person(words)):
        text = _like["announcing"].sub(" ", clause)
        text = text.partition(about)[2] if about and about in text else text
        tokens: list[_Token] = []
        linked = ""
        for raw in _like["token"].findall(text):
            base = " ".join(sense(raw))
            if base in _LINKS or not base:
                linked = base or linked
                continue
            if tokens or base not in _PRONOUNS:
                tokens.append(_Token(raw, base, linked))
            linked = ""
        if tokens:
            found.append(tokens)
    return found
