"""Profiles: rankings other than the default, by name.

    phase1      0.4 tags + 0.3 time + 0.3 file
    openclaw    hybrid search: 0.7 vector + 0.3 text, decayed by age, then diversified (MMR)
    tiered      partition first, full text to fill up, then relevance

A profile orders what the routes found, and adds candidates of its own (`widen`). Whatever the
formula, what no longer holds comes last, and `tiered` ignores the archive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from loxodon.recall.look import Found, Key, Look
from loxodon.recall.order import halved
from loxodon.recall.routes import last_turns
from loxodon.store import Note
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Record, Turn

# `phase1`'s `insights > segments > daily`. It gives the order; the numbers are ours.
_PRIORITY = {"fact": 1.0, "summary": 0.6, "turn": 0.3}
_TAGS, _TIME, _FILE = 0.4, 0.3, 0.3  # weights of `phase1`
_VECTOR, _TEXT = 0.7, 0.3  # weights of `openclaw`
_MMR = 0.7  # of `openclaw`: relevance against variety; 1 for relevance only
# Of `tiered`, how a category fades: the rate a day, and the share that is kept for ever
_FADING = {
    **dict.fromkeys(("decision", "solution"), (0.004, 0.3)),
    **dict.fromkeys(("event", "conversation"), (0.023, 0.1)),
    **dict.fromkeys(("temp", "debug"), (0.099, 0.0)),
}
_READ = 600  # characters of a text whose words are compared
_WAYS = {"words", "meaning", "recent", "last", "then"}  # by which a turn comes for its own sake


class _Candidate:
    """What the formulas look at, of one thing that was found, and what they make of it."""

    def __init__(
        self,
        found: Found,
        what: Turn | Record | Note,
        best: Mapping[str, float],
        asked: Sequence[Sequence[str]],
        now: datetime,
    ) -> None:
        self.found = found
        self.terms: dict[str, float] = {}  # of the score, as a formula has them
        self.factors: dict[str, float] = {}  # what their sum is times
        self.validity = found.factors.get("validity", 1.0)
        self.holds = self.validity >= 1 and "asks" not in found.factors
        # How well its words and its meaning match: 1 for the best that was found
        self.text, self.meaning = (found.routes.get(route, 0.0) / best[route] for route in best)
        self.layer, self.category, self.importance = "turn", "conversation", 0.5
        self.project, self.topic = GLOBAL_PROJECT, GENERAL_TOPIC
        labels: Sequence[str] = ()
        if isinstance(what, Turn):
            at = used = what.at
        elif isinstance(what, Note):
            file, chunk = what
            at = used = chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC)
            # A day's notes are `phase1`'s daily files; the others, like MEMORY.md, hold what lasts
            self.layer = "turn" if file.role == "daily" else "fact"
            self.project = chunk.project or GLOBAL_PROJECT
            self.importance = 0.5 if chunk.importance is None else chunk.importance
            labels = chunk.triggers
        else:
            at = what.confirmed_at or what.valid_from or what.created_at
            used = what.accessed_at or at
            self.layer = "summary" if what.kind == "summary" else "fact"
            self.category, self.importance = what.category, what.importance
            self.project, self.topic = what.project, what.topic
            labels = (*what.tags, *what.entities)
        self.words = frozenset(index_words(what.searchable[:_READ]))
        # The share of the keywords that it is tagged with; without tags and names, by its words
        has = frozenset(index_words("\n".join(labels))) if labels else self.words
        self.tags = sum(len(among(some, has)) / len(some) for some in asked) / len(asked)
        # Days since it was said, or last said again, and since it was last used
        self.days, idle = (max(0.0, (now - then).total_seconds() / 86_400) for then in (at, used))
        self.idle = min(self.days, idle)

    @property
    def score(self) -> float:
        return sum(self.terms.values()) * math.prod(self.factors.values())


def _phase1(found: Sequence[_Candidate]) -> list[_Candidate]:
    """tags × 0.4 + time × 0.3, half-life of 7 days, + file × 0.3."""
    for one in found:
        one.terms = {"tags": _TAGS * one.tags, "time": _TIME * halved(one.days, 7.0)}
        one.terms["file"] = _FILE * _PRIORITY[one.layer]
    return sorted(found, key=lambda one: -one.score)


def _openclaw(found: Sequence[_Candidate], top: int) -> list[_Candidate]:
    """0.7 vector + 0.3 text (1 / (1 + rank)), × e^(−age × ln 2 / 30 days), then MMR, λ = 0.7."""
    matching = sorted((one for one in found if one.text > 0), key=lambda one: -one.text)
    text = {one: 1 / (1 + rank) for rank, one in enumerate(matching)}
    vector = _VECTOR if any(one.meaning > 0 for one in found) else 0.0
    for one in found:
        terms = {"text": _TEXT * text.get(one, 0.0), "vector": vector * one.meaning}
        one.terms = {name: value / (_TEXT + vector) for name, value in terms.items()}
        one.factors = {"decay": halved(one.days, 30.0)}
    rest = [one for one in found if one.text > 0 or one.meaning > 0]
    rest.sort(key=lambda one: -one.score)
    best = (rest[0].score if rest else 1.0) or 1.0
    taken: list[_Candidate] = []

    def gain(one: _Candidate) -> float:
        """λ × relevance − (1 − λ) × similarity to what was taken."""
        near = [len(one.words & b.words) / (len(one.words | b.words) or 1) for b in taken]
        return _MMR * one.score / best - (1 - _MMR) * max(near, default=0.0)

    while rest and len(taken) < top:
        pick = max(rest, key=gain)
        rest.remove(pick)
        taken.append(pick)
    return taken + rest


def _tiered(found: Sequence[_Candidate], project: str, topic: str) -> list[_Candidate]:
    """The partition's 20 most important, 10 by full text if they are fewer than 5; each by its
    importance times what its category keeps. Other memories follow, then the turns.

    The partition is what has the project (and topic) that the question names, or none.
    """
    memories = [one for one in found if one.layer != "turn" and one.holds]
    inside = [
        one
        for one in memories
        if (not project or fold(one.project) in (fold(project), GLOBAL_PROJECT))
        and (not topic or fold(one.topic) in (fold(topic), GENERAL_TOPIC))
    ]
    chosen = sorted(inside, key=lambda one: (-one.importance, -one.text))[:20]
    if len(chosen) < 5:
        others = [one for one in memories if one.text > 0 and one not in inside]
        chosen += sorted(others, key=lambda one: -one.text)[:10]
    log = [one for one in found if one.layer == "turn" and one.text > 0]
    placed: list[_Candidate] = []
    for some in (chosen, [one for one in memories if one not in chosen], log):
        for one in some:
            one.terms = {"importance": one.importance}
            rate, floor = _FADING.get(one.category, (0.0, 1.0))
            one.factors = {"category": floor + (1 - floor) * math.exp(-rate * one.idle)}
            one.factors |= {"words": one.text} if one.layer == "turn" else {}
        placed += sorted(some, key=lambda one: (-one.score, -one.text))
    return placed


def widen(look: Look) -> None:
    """Add what the routes of a profile's document lead to, and the default's do not.

    `phase1`: the last three days, and what is tagged with a keyword.
    `tiered`: the most important memories of the partition and of the global one.
    """
    store, question = look.store, look.question
    rows: list[int] = []
    if look.profile == "phase1":
        for row in last_turns(look, 10) if look.has_turns else ():
            look.found(Key("turns", row)).parts["recent"] = 1.0
        for word in question.keywords[:5]:
            rows += store.labelled("tag", word, 5)
    elif look.profile == "tiered":
        projects = (question.project, GLOBAL_PROJECT) if question.project else ()
        rows += store.foremost(look.where._replace(state="active"), projects, 20)
    look.fetch("memories", rows if look.has_memories else ())


def arranged(look: Look, ranked: Sequence[Found]) -> list[Found]:
    """What was found, as the profile orders it; memories stand for the turn they are drawn from."""
    each: dict[Key, Found] = {}
    for found in ranked:
        if found.drawn or not found.key.is_turn or _WAYS & found.parts.keys():
            each |= {one.key: one for one in found.drawn or [found]}
    turns = look.store.turns([key.row for key in each if key.is_turn])
    keywords = [words for words in map(query_words, look.question.keywords) if words]
    best = {
        route: max((one.routes.get(route, 0.0) for one in each.values()), default=0.0) or 1.0
        for route in ("words", "meaning")
    }
    asked, now = keywords or [list(look.question.words)], look.as_of or look.now
    candidates = [
        _Candidate(one, what, best, asked, now)
        for key, one in each.items()
        if (what := one.record or one.note or turns.get(key.row))
    ]
    if look.profile == "phase1":
        placed = _phase1(candidates)
    elif look.profile == "openclaw":
        placed = _openclaw(candidates, look.top)
    else:
        placed = _tiered(candidates, look.question.project, look.question.topic)
    placed.sort(key=lambda one: not one.holds)
    for one in placed:
        found, validity = one.found, one.validity
        found.score, found.routes = one.score * validity, one.terms
        found.factors = one.factors | ({"validity": validity} if validity != 1 else {})
    return [one.found for one in placed]
