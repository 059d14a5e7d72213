"""Endings: what was said later of what was found, and says that it is over.

"I quit the library, I start as a gardener on Monday" has no word of "where do I work?", and so no
other route finds it. But it names what the old answer names: the library. So the rare words of the
best findings are looked up, and a later turn is brought that says of one of these that it is over.
`recency` then puts it before what it ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from loxodon.recall.fuse import Found, Pool
from loxodon.recall.link import order
from loxodon.recall.questions import compiled
from loxodon.recall.understand import Question
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.similarity import gist
from loxodon.text.words import index_words
from loxodon.types import Turn

FEW = 3  # So many turns are hardly any; and so many of the best findings are followed
_WORDS = 24
_READ = 600
# Characters of a text that may be followed: what a longer one names is mostly beside the point
_SHORT = 300
_EVENT = re.compile(r"(?i)\b(?:did|was|were)\b|了[?？]?$")
# What asks how far two events lie apart
_SPAN = re.compile(
    r"(?i)\bhow (?:long|many (?:minutes|hours|days|weeks|months|years))\b.*"
    r"\b(?:did|passed|between|before|after|ago)\b|(?:多久|多长时间|几天|多少天|几个月|几年).*(?:之?[前后]|过了|隔|之间)"
    r"|(?:之间|隔了|过了).*(?:多久|多长时间|几天|多少天|几个月|几年)"
)
_CLAUSE = re.compile(r"[,.;:!?，。；：！？\n]+")


def asks_for_state(question: Question) -> bool:
    """Whether a question asks for something that can change, not for what happened once."""
    if question.tells or question.kind == "none" or (question.tense == "past" and question.times):
        return False
    if question.kind == "how_many" and _SPAN.search(question.text):
        return False
    if question.kind == "how_many" or question.tense == "past":
        return True
    return not _EVENT.search(question.text.strip())


def ended_since(store: Store, pool: Pool, question: Question) -> dict[int, float]:
    """Later turns that say that what the best findings tell is over, by row: the score of that."""
    if not asks_for_state(question):
        return {}
    best = sorted((one for one in pool.values() if one.note is None), key=order)[:FEW]
    turns = store.turns([one.key.row for one in best if one.key.is_turn])
    told = [_finding(one, turns) for one in best]
    words = dict.fromkeys(word for one in told for word in one.words if word not in question.words)
    rare = store.rare("turns", list(words)[:_WORDS], FEW)
    later = store.turns({row for rows in rare.values() for row in rows})
    brought: dict[int, float] = {}
    for one in told:
        for row in {row for word in one.words & rare.keys() for row in rare[word]}:
            if row in later and _ends(later[row], one, rare.keys()):
                brought[row] = max(brought.get(row, 0.0), one.score)
    return brought


class _Finding(NamedTuple):
    score: float
    at: datetime
    speaker: str | None  # None for a memory
    words: frozenset[str]


def _finding(found: Found, turns: Mapping[int, Turn]) -> _Finding:
    turn, record = turns.get(found.key.row) if found.key.is_turn else None, found.record
    if turn is not None:
        return _Finding(found.score, turn.at, turn.speaker, _naming(turn.content))
    if record is not None:
        at = record.valid_from or record.created_at
        return _Finding(found.score, at, None, _naming(record.content))
    return _Finding(0.0, datetime.max.replace(tzinfo=UTC), None, frozenset())


def _naming(text: str) -> frozenset[str]:
    # A pair of characters with one that only holds the sentence together is no word.
    words = index_words(text) if len(text) <= _SHORT else ()
    return frozenset(word for word in words if word.isascii() or len(gist(word).words) > 1)


def _ends(turn: Turn, told: _Finding, rare: Collection[str]) -> bool:
    """Whether a later turn of the same speaker says of what was told that it is over."""
    if turn.at <= told.at or turn.role == "assistant":
        return False
    if told.speaker is not None and turn.speaker != told.speaker:
        return False
    language = language_of(turn.content)
    wanted = told.words.intersection(rare)
    return any(
        not wanted.isdisjoint(index_words(_over(clause, language)))
        for clause in _CLAUSE.split(turn.content[:_READ])
    )


def _over(clause: str, language: str) -> str:
    """What a clause says is over: in English what stands right behind the words for that, or what
    they end with ("Oskar moved out"); a Chinese clause is short enough to be of one thing."""
    found = compiled(language, "ENDS").search(clause)
    if found is None:
        return ""
    if language == "zh":
        return clause
    behind = clause[found.end() :].strip()
    thing = compiled("en", "ENDED").match(behind)
    return thing["thing"] if thing else clause[: found.start()]
