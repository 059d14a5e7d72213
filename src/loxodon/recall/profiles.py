"""Profiles: rankings other than the default, by name.

    phase1      0.4 tags + 0.3 time + 0.3 file
    openclaw    hybrid search: 0.7 vector + 0.3 text, decayed by age, then diversified (MMR)
    tiered      partition first, full text to fill up, then relevance

A profile orders what the routes found, and adds candidates of its own (`widen`). Whatever the
formula, what no longer holds comes last, and `tiered` ignores the archive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from loxodon.guard.provenance import waits
from loxodon.recall.look import Found, Key, Look
from loxodon.recall.order import HALF_LIVES, Linked, halved, kept
from loxodon.recall.routes import last_turns
from loxodon.store import Note
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Record, Turn

# `phase1`'s `insights > segments > daily`. It gives the order; the numbers are ours.
_PRIORITY = {"fact": 1.0, "summary": 0.6, "turn": 0.3}
_TAGS, _TIME, _FILE = 0.4, 0.3, 0.3  # weights of `phase1`
_VECTOR, _TEXT = 0.7, 0.3  # weights of `openclaw`
_MMR = 0.7  # of `openclaw`: relevance against variety; 1 for relevance only
_READ = 600  # characters of a text whose words are compared


class _Candidate(NamedTuple):
    """What the formulas look at, of one thing that was found."""

    found: Found
    text: float  # how well its words match: 1 for the best that was found
    meaning: float  # the same for its meaning; 0 for all where no embedder is set
    tags: float  # the share of the question's keywords that it is tagged with
    days: float  # since it was said, or last said again
    idle: float  # days since it was last used, or said
    words: frozenset[str]
    layer: str  # fact, summary or turn
    category: str
    importance: float
    project: str
    topic: str

    @property
    def holds(self) -> bool:
        factors = self.found.factors
        return factors.get("validity", 1.0) >= 1 and "asks" not in factors


class _Placed(NamedTuple):
    """Where a formula puts a candidate: the terms of its score, and what their sum is times."""

    one: _Candidate
    terms: dict[str, float]
    factors: dict[str, float]

    @property
    def score(self) -> float:
        return sum(self.terms.values()) * math.prod(self.factors.values())


def _phase1(found: Sequence[_Candidate]) -> list[_Placed]:
    """tags × 0.4 + time × 0.3, half-life of 7 days, + file × 0.3."""
    placed = []
    for one in found:
        terms = {"tags": _TAGS * one.tags, "time": _TIME * halved(one.days, HALF_LIVES[0])}
        placed.append(_Placed(one, terms | {"file": _FILE * _PRIORITY[one.layer]}, {}))
    return sorted(placed, key=lambda one: -one.score)


def _openclaw(found: Sequence[_Candidate], top: int) -> list[_Placed]:
    """0.7 vector + 0.3 text, × e^(−age × ln 2 / 30 days), then MMR with λ = 0.7.

    Text counts 1 / (1 + rank), the best having rank 0. Without an embedder text alone counts.
    """
    matching = sorted((one for one in found if one.text > 0), key=lambda one: -one.text)
    text = {one.found.key: 1 / (1 + rank) for rank, one in enumerate(matching)}
    vector = _VECTOR if any(one.meaning > 0 for one in found) else 0.0
    rest = []
    for one in found:
        if one.text > 0 or one.meaning > 0:
            terms = {"text": _TEXT * text.get(one.found.key, 0.0), "vector": vector * one.meaning}
            terms = {name: value / (_TEXT + vector) for name, value in terms.items()}
            rest.append(_Placed(one, terms, {"decay": halved(one.days, HALF_LIVES[1])}))
    rest.sort(key=lambda one: -one.score)
    best = (rest[0].score if rest else 1.0) or 1.0
    taken: list[_Placed] = []

    def gain(placed: _Placed) -> float:
        """λ × relevance − (1 − λ) × similarity to what was taken."""
        a = placed.one.words
        near = [len(a & b.one.words) / (len(a | b.one.words) or 1) for b in taken]
        return _MMR * placed.score / best - (1 - _MMR) * max(near, default=0.0)

    while rest and len(taken) < top:
        pick = max(rest, key=gain)
        rest.remove(pick)
        taken.append(pick)
    return taken + rest


def _tiered(found: Sequence[_Candidate], project: str, topic: str) -> list[_Placed]:
    """The partition's most important, full text where they are too few, then by relevance.

    The partition is what has the project (and topic) that the question names, or none; where it
    names none it is everything. Up to 20 are taken from it, and if they are fewer than 5, 10 by
    full text. Relevance is the importance times what its category keeps. Archived memories are not
    looked at. The other memories follow, then the turns, by match and age.
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
    placed: list[_Placed] = []
    for some in (chosen, [one for one in memories if one not in chosen], log):
        scored = []
        for one in some:
            factors = {"category": kept(one.category, one.idle)}
            factors |= {"words": one.text} if one.layer == "turn" else {}
            scored.append(_Placed(one, {"importance": one.importance}, factors))
        placed += sorted(scored, key=lambda one: (-one.score, -one.one.text))
    return placed


# --- From what was found to the formulas, and back ------------------------------------------------


def widen(look: Look, profile: str) -> None:
    """Add what the routes of a profile's document lead to, and the default's do not.

    `phase1`: the last three days, and what is tagged with a keyword.
    `tiered`: the most important memories of the partition and of the global one.
    """
    store, question, where = look.store, look.question, look.where
    rows: list[int] = []
    if profile == "phase1":
        recent = last_turns(look, 10) if look.has_turns else []
        fresh = [row for row in recent if Key("turns", row) not in look.pool]
        for row, place in store.places(fresh).items():
            found = look.found(Key("turns", row))
            found.place, found.parts = place, {"recent": 1.0}
        for word in question.keywords[:5]:
            rows += store.labelled("tag", word, 5)
    elif profile == "tiered":
        projects = (question.project, GLOBAL_PROJECT) if question.project else ()
        rows += store.foremost(where._replace(state="active"), projects, 20)
    fresh = [row for row in dict.fromkeys(rows) if Key("memories", row) not in look.pool]
    if not fresh or not look.has_memories:
        return
    now = look.as_of or look.now
    for row, record in store.records(store.admitted("memories", fresh, where)).items():
        if not waits(record) and (record.expires_at is None or record.expires_at > now):
            look.found(Key("memories", row)).record = record


def arranged(look: Look, ranked: Sequence[Linked], profile: str) -> list[Linked]:
    """What was found and linked, as the profile orders it.

    Of a turn and the memories drawn from it the one is shown that the profile puts first.
    """
    partners: dict[Key, dict[Key, None]] = {}
    each: dict[Key, Found] = {}
    ways = {"words", "meaning", "recent", "last", "then"}
    for one, rows in ranked:
        others = [Key("memories" if one.key.is_turn else "turns", row) for row in rows]
        partners.setdefault(one.key, {}).update(dict.fromkeys(others))
        for other in others:
            partners.setdefault(other, {})[one.key] = None
        for key in (one.key, *others):
            found = look.pool.get(key)
            if found is not None and (not key.is_turn or ways & found.parts.keys()):
                each[key] = found
    candidates = _candidates(look, list(each.values()))
    if profile == "phase1":
        placed = _phase1(candidates)
    elif profile == "openclaw":
        placed = _openclaw(candidates, look.top)
    else:
        placed = _tiered(candidates, look.question.project, look.question.topic)
    shown: list[Linked] = []
    hidden: set[Key] = set()
    for where in sorted(placed, key=lambda one: not one.one.holds):
        found = where.one.found
        if found.key in hidden:
            continue
        validity = found.factors.get("validity", 1.0)
        found.score, found.routes = where.score * validity, where.terms
        found.factors = where.factors | ({"validity": validity} if validity != 1 else {})
        hidden.update(partners[found.key])
        shown.append(Linked(found, tuple(key.row for key in partners[found.key])))
    return shown


def _candidates(look: Look, pool: Sequence[Found]) -> list[_Candidate]:
    turns = look.store.turns([one.key.row for one in pool if one.key.is_turn])
    keywords = [words for words in map(query_words, look.question.keywords) if words]
    asked = keywords or [list(look.question.words)]
    best_text, best_meaning = (
        max((one.routes.get(route, 0.0) for one in pool), default=0.0) or 1.0
        for route in ("words", "meaning")
    )
    found = []
    for one in pool:
        if what := one.record or one.note or turns.get(one.key.row):
            candidate = _candidate(one, what, asked, look.as_of or look.now)
            text, meaning = (one.routes.get(route, 0.0) for route in ("words", "meaning"))
            found.append(candidate._replace(text=text / best_text, meaning=meaning / best_meaning))
    return found


def _candidate(
    one: Found, what: Turn | Record | Note, asked: Sequence[Sequence[str]], now: datetime
) -> _Candidate:
    labels: Sequence[str] = ()
    layer, category, importance = "turn", "conversation", 0.5
    project, topic = GLOBAL_PROJECT, GENERAL_TOPIC
    if isinstance(what, Turn):
        at = used = what.at
    elif isinstance(what, Note):
        file, chunk = what
        at = used = chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC)
        # A day's notes are `phase1`'s daily files; the others, like MEMORY.md, hold what lasts
        layer = "turn" if file.role == "daily" else "fact"
        labels, project = chunk.triggers, chunk.project or GLOBAL_PROJECT
        importance = 0.5 if chunk.importance is None else chunk.importance
    else:
        at = what.confirmed_at or what.valid_from or what.created_at
        used = what.accessed_at or at
        layer = "summary" if what.kind == "summary" else "fact"
        labels, category, importance = (*what.tags, *what.entities), what.category, what.importance
        project, topic = what.project, what.topic
    words = frozenset(index_words(what.searchable[:_READ]))
    # What has neither tags nor names has its words.
    has = frozenset(index_words("\n".join(labels))) if labels else words
    tags = sum(len(among(some, has)) / len(some) for some in asked) / len(asked)
    days, idle = (max(0.0, (now - then).total_seconds() / 86_400) for then in (at, used))
    known = (layer, category, importance, project, topic)
    return _Candidate(one, 0.0, 0.0, tags, days, min(days, idle), words, *known)
