"""What holds now: the newest that speaks of a thing comes first, what only asks comes after.

Memories know what replaced them. Turns do not: "I have tried three" and, a month later, "I have
tried four" are two sentences. Where one sentence of each has most of what is asked for, and the two
have much in common, the later turn is put before the earlier one, which says when the thing was
spoken of again. Questions about the past, and for the day of an event, leave the order as it is.

A turn that only asks tells nothing. Earlier askings of a question match it best of all, and would
stand before the answer. Other questions keep their place: what was asked once may be what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from loxodon.recall.asking import kind_of
from loxodon.recall.fuse import Found
from loxodon.recall.link import Linked, order
from loxodon.recall.routes import Seen
from loxodon.recall.terms import rarity
from loxodon.recall.understand import Question
from loxodon.store import Store
from loxodon.text.language import language_of
from loxodon.text.patterns import lazy
from loxodon.text.words import index_words, query_words
from loxodon.types import Turn

ONLY_ASKS = 0.5
_AGAIN = 0.6
"""The share of the words of a turn that are the question's, where it asks the same."""
LOOKED_AT = 20
"""How many of the best are looked at."""
_ORDERED = 10
"""How many of these are put in order of time."""
_SAME = 0.6
"""The share of the question, by what its words tell, that one sentence of each must have…"""
_ALIKE = 0.4
"""…and the share of the shorter sentence's words that both have."""
_READ = 2_000
_ABOUT_ASKING = frozenset(("ask", "question", "问过", "问了", "问题", "问的", "提问"))
_EVENT = lazy(r"(?i)\b(?:did|was|were)\b|了[?？]?$")


def settled(
    store: Store, ranked: list[Linked], question: Question, seen: Seen, asks_past: bool
) -> list[Linked]:
    """The same, with what holds now before what held, and what tells before what asks."""
    best = [one.found for one in ranked[:LOOKED_AT] if one.found.place is not None]
    if not best:
        return ranked
    turns = store.turns([found.key.row for found in best])
    if not _ABOUT_ASKING.intersection(question.words):
        for found in best:
            turn = turns.get(found.key.row)
            if turn is not None and _asked_before(turn.content, question):
                found.factors["asks"] = ONLY_ASKS
                found.score *= ONLY_ASKS
    if seen.each and _asks_for_now(question, asks_past):
        best.sort(key=order)
        _newest_first(best[:_ORDERED], turns, seen)
    return sorted(ranked, key=lambda one: order(one.found))


def _asked_before(text: str, question: Question) -> bool:
    """Whether a turn asks what is asked now, and tells nothing."""
    if not only_asks(text):
        return False
    words = query_words(text)
    return len(set(words).intersection(question.words)) >= _AGAIN * len(words)


def only_asks(text: str) -> bool:
    """Whether a message asks and tells nothing."""
    bare = text.strip()
    if len(bare) > 300 or bare[-1:] not in "?？":
        return False
    sentences = [one for one in re.split(r"(?<=[.?!。？！])\s*", bare) if one]
    language = language_of(bare)
    return all(
        one[-1] in "?？" and kind_of(one, language) not in ("none", "yes_no") for one in sentences
    )


def _asks_for_now(question: Question, asks_past: bool) -> bool:
    if asks_past or question.tells or question.kind == "none":
        return False
    return not (question.kind == "when" and _EVENT.search(question.text.strip()))


def _newest_first(best: Sequence[Found], turns: Mapping[int, Turn], seen: Seen) -> None:
    """Put the later of two turns that plainly speak of the same thing before the earlier one."""
    terms, having = seen.each[0]
    worth = {word: rarity(having, word) for word in terms.words if word in having.lists}
    least = _SAME * sum(rarity(having, word) for word in terms.words)
    has: dict[int, frozenset[str]] = {}
    for found in best:
        row = found.key.row
        words = frozenset(word for word in worth if row in having.lists[word])
        mine = found.place is not None and found.place.role != "assistant"
        mine = mine and "asks" not in found.factors
        if mine and row in turns and sum(worth[word] for word in words) >= least:
            has[row] = words
    said: dict[int, frozenset[str]] = {}
    by_time = sorted((found for found in best if found.key.row in has), key=_at)
    for early, late in combinations(by_time, 2):
        one, other = early.key.row, late.key.row
        if _at(early) == _at(late) or _session(early) == _session(late):
            continue
        if sum(worth[word] for word in has[one] & has[other]) < least:
            continue
        for row in (one, other):
            if row not in said:
                said[row] = _telling(turns[row].content, worth)
        if _same(said[one], said[other], worth, least):
            early.again = max(early.again, _at(late))
            if late.score <= early.score:
                late.factors["newer"] = 1.001 * early.score / (late.score or 1.0)
                late.score = 1.001 * early.score


def _same(
    one: frozenset[str], other: frozenset[str], worth: Mapping[str, float], least: float
) -> bool:
    both = one & other
    alike = len(both) >= _ALIKE * min(len(one), len(other))
    return alike and sum(worth.get(word, 0.0) for word in both) >= least


def _telling(text: str, worth: Mapping[str, float]) -> frozenset[str]:
    """The words of the sentence that has most of the question; one that asks counts half."""
    from loxodon.text.sentences import spans  # most recalls have no such pair

    text = text[:_READ]
    best: tuple[float, frozenset[str]] = (0.0, frozenset())
    for start, end in spans(text):
        words = frozenset(index_words(text[start:end]))
        part = sum(value for word, value in worth.items() if word in words)
        part *= 0.5 if text[start:end].rstrip()[-1:] in "?？" else 1.0
        if part > best[0]:
            best = part, words
    return best[1]


def _at(found: Found) -> int:
    return found.place.at if found.place is not None else 0


def _session(found: Found) -> int:
    return found.place.session if found.place is not None else 0
