"""Profiles: rankings other than the default, by name.

    phase1      0.4 tags + 0.3 time + 0.3 file
    openclaw    hybrid search: 0.7 vector + 0.3 text, decayed by age, then diversified (MMR)
    tiered      partition first, full text to fill up, then relevance

A profile orders what the routes found and what was linked, and adds candidates of its own
(`widen`). Neighbours of a hit, and turns similar to one, are left to the default. Whatever the
formula, what no longer holds comes last, and `tiered` ignores the archive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from loxodon.guard.provenance import waits
from loxodon.recall.fuse import Found, Key
from loxodon.recall.order import HALF_LIVES, Linked, halved, kept
from loxodon.recall.routes import Look, last_turns
from loxodon.store import Note
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Record, Turn

# `phase1`'s `insights > segments > daily`. It gives the order; the numbers are ours.
_PRIORITY = {"fact": 1.0, "summary": 0.6, "turn": 0.3}
_TAGS, _TIME, _FILE = 0.4, 0.3, 0.3  # weights of `phase1`
_VECTOR, _TEXT = 0.7, 0.3  # weights of `openclaw`
_MMR = 0.7  # of `openclaw`: relevance against variety; 1 for relevance only
_RECENT_DAYS = 3  # what the time route of `phase1` looks at
_READ = 600  # characters of a text whose words are compared


class Features(NamedTuple):
    """What the formulas look at, of one thing that was found."""

    layer: str  # fact, summary or turn
    text: float = 0.0  # how well its words match: 1 for the best that was found
    meaning: float = 0.0  # the same for its meaning; 0 for all where no embedder is set
    tags: float = 0.0  # the share of the question's keywords that it is tagged with
    days: float = 0.0  # since it was said, or last said again
    idle: float = 0.0  # days since it was last used, or said
    category: str = "conversation"
    importance: float = 0.5
    project: str = GLOBAL_PROJECT
    topic: str = GENERAL_TOPIC
    words: frozenset[str] = frozenset()
    holds: bool = True  # false for what no longer holds, unless the question asks for the past


class Placed(NamedTuple):
    """One of the features that were handed in, where the formula puts it."""

    at: int  # its place among those handed in
    terms: Mapping[str, float]  # what is added to make its score
    factors: Mapping[str, float] = MappingProxyType({})  # what the sum is multiplied by

    @property
    def score(self) -> float:
        return sum(self.terms.values()) * math.prod(self.factors.values())


def phase1(found: Sequence[Features]) -> list[Placed]:
    """`phase1`: tags × 0.4 + time × 0.3, half-life of 7 days, + file × 0.3; best first.

    First come those to which its four routes lead (10 by time, 5 by tags, 3 by file, 5 by text),
    then the others.
    """

    def foremost(is_led: Callable[[Features], bool], key: str, most: int) -> list[int]:
        led = [at for at, one in enumerate(found) if is_led(one)]
        return sorted(led, key=lambda at: -getattr(found[at], key))[:most]

    days = [(one.days, at) for at, one in enumerate(found) if one.layer != "fact"]
    led_to = {
        *(at for age, at in sorted(days)[:10] if age <= _RECENT_DAYS),
        *foremost(lambda one: one.tags > 0, "tags", 5),
        *foremost(lambda one: one.layer == "fact" and one.tags + one.text > 0, "importance", 3),
        *foremost(lambda one: one.text > 0, "text", 5),
    }
    placed = [
        Placed(
            at,
            {
                "tags": _TAGS * one.tags,
                "time": _TIME * halved(one.days, HALF_LIVES[0]),
                "file": _FILE * _PRIORITY[one.layer],
            },
        )
        for at, one in enumerate(found)
    ]
    return sorted(placed, key=lambda one: (one.at not in led_to, -one.score))


def openclaw(found: Sequence[Features], top: int) -> list[Placed]:
    """`openclaw`: 0.7 vector + 0.3 text, × e^(−age × ln 2 / 30 days), then MMR with λ = 0.7.

    Candidates are the four times `top` best by meaning and as many by words. Text counts
    1 / (1 + rank), the best having rank 0. Without an embedder text alone counts.
    """

    def best(values: Iterable[float]) -> list[int]:
        having = [(value, at) for at, value in enumerate(values) if value > 0]
        return [at for _, at in sorted(having, key=lambda one: -one[0])[: 4 * top]]

    matching, meant = best(one.text for one in found), best(one.meaning for one in found)
    text = {at: 1 / (1 + rank) for rank, at in enumerate(matching)}
    by_meaning = _VECTOR if meant else 0.0
    placed: list[Placed] = []
    for at in sorted({*matching, *meant}):
        terms = {
            "text": _TEXT * text.get(at, 0.0) / (by_meaning + _TEXT),
            "vector": by_meaning * (at in meant) * found[at].meaning / (by_meaning + _TEXT),
        }
        placed.append(Placed(at, terms, {"decay": halved(found[at].days, HALF_LIVES[1])}))
    placed.sort(key=lambda one: -one.score)
    # MMR: the first `top` by λ × relevance − (1 − λ) × similarity to what was taken; then others
    most = placed[0].score if placed else 1.0
    near = dict.fromkeys((one.at for one in placed), 0.0)
    taken: list[Placed] = []
    while placed and len(taken) < top:
        pick = max(
            placed, key=lambda one: _MMR * one.score / (most or 1.0) - (1 - _MMR) * near[one.at]
        )
        placed.remove(pick)
        taken.append(pick)
        for one in placed:
            a, b = found[pick.at].words, found[one.at].words
            near[one.at] = max(near[one.at], len(a & b) / (len(a | b) or 1))
    return taken + placed


def tiered(found: Sequence[Features], project: str, topic: str) -> list[Placed]:
    """The partition's most important, full text where they are too few, then by relevance.

    The partition is what has the project (and topic) that the question names, or none; where it
    names none it is everything. Up to 20 are taken from it, and if they are fewer than 5, 10 by
    full text. Relevance is the importance times what its category keeps. Archived memories are not
    looked at. The other memories follow, then the turns, by match and age.
    """

    def is_inside(one: Features) -> bool:
        return (not project or fold(one.project) in (fold(project), GLOBAL_PROJECT)) and (
            not topic or fold(one.topic) in (fold(topic), GENERAL_TOPIC)
        )

    memories = [at for at, one in enumerate(found) if one.layer != "turn" and one.holds]
    inside = [at for at in memories if is_inside(found[at])]
    chosen = sorted(inside, key=lambda at: (-found[at].importance, -found[at].text))[:20]
    if len(chosen) < 5:
        matching = [at for at in memories if found[at].text > 0 and at not in inside]
        chosen += sorted(matching, key=lambda at: -found[at].text)[:10]
    log = [at for at, one in enumerate(found) if one.layer == "turn" and one.text > 0]
    placed: list[Placed] = []
    for some in (chosen, [at for at in memories if at not in chosen], log):
        scored = []
        for at in some:
            factors = {"category": kept(found[at].category, found[at].idle)}
            factors |= {"words": found[at].text} if found[at].layer == "turn" else {}
            scored.append(Placed(at, {"importance": found[at].importance}, factors))
        placed += sorted(scored, key=lambda one: (-one.score, -found[one.at].text))
    return placed


# --- From what was found to the features, and back ------------------------------------------------


def widen(look: Look, profile: str) -> None:
    """Add what the routes of a profile's document lead to, and the default's do not.

    `phase1`: the last three days, and what is tagged with a keyword.
    `tiered`: the most important memories of the partition and of the global one.
    """
    store, question, where = look.store, look.question, look.where
    now = look.as_of or look.now
    rows: list[int] = []

    if profile == "phase1":
        if look.has_turns:
            recent = [row for row in last_turns(look, 10) if Key(True, row) not in look.pool]
            for row, place in store.places(recent).items():
                found = look.found(Key(True, row))
                found.place, found.parts = place, {"recent": 1.0}
        for word in question.keywords[:5]:
            rows += store.labelled("tag", word, 5)
    elif profile == "tiered":
        projects = (question.project, GLOBAL_PROJECT) if question.project else ()
        rows += store.foremost(where._replace(state="active"), projects, 20)
    fresh = [row for row in dict.fromkeys(rows) if Key(False, row) not in look.pool]
    if fresh and look.has_memories:
        for row, record in store.records(store.admitted("memories", fresh, where)).items():
            if not waits(record) and (record.expires_at is None or record.expires_at > now):
                found = look.found(Key(False, row))
                found.record = record
                found.parts["partition"] = 1.0


def arranged(look: Look, ranked: Sequence[Linked], profile: str) -> list[Linked]:
    """What was found and linked, as the profile orders it.

    Of a turn and the memories drawn from it the one is shown that the profile puts first.
    """
    partners: dict[Key, dict[Key, None]] = {}
    each: dict[Key, Found] = {}
    ways = {"words", "meaning", "recent", "last", "then"}
    for one, rows in ranked:
        others = [Key(not one.key.is_turn, row) for row in rows]
        partners.setdefault(one.key, {}).update(dict.fromkeys(others))
        for other in others:
            partners.setdefault(other, {})[one.key] = None
        for key in (one.key, *others):
            found = look.pool.get(key)
            if found is not None and (not key.is_turn or ways & found.parts.keys()):
                each[key] = found
    turns = look.store.turns([key.row for key in each if key.is_turn])
    found_all = [one for one in each.values() if not one.key.is_turn or one.key.row in turns]
    asked = [words for words in map(query_words, look.question.keywords) if words]
    text = max((one.routes.get("words", 0.0) for one in found_all), default=0.0) or 1.0
    meaning = max((one.routes.get("meaning", 0.0) for one in found_all), default=0.0) or 1.0
    features = [
        _features(
            one.record or one.note or turns[one.key.row],
            asked or [look.question.words],
            look.as_of or look.now,
        )._replace(
            text=one.routes.get("words", 0.0) / text,
            meaning=one.routes.get("meaning", 0.0) / meaning,
            holds=one.factors.get("validity", 1.0) >= 1 and "asks" not in one.factors,
        )
        for one in found_all
    ]
    if profile == "phase1":
        placed = phase1(features)
    elif profile == "openclaw":
        placed = openclaw(features, look.top)
    else:
        records = [one.record for one in found_all if one.record is not None]
        words = frozenset(look.question.words)
        project = look.question.project or _named((one.project for one in records), words)
        placed = tiered(
            features, project, look.question.topic or _named((one.topic for one in records), words)
        )
    placed.sort(key=lambda one: not features[one.at].holds)
    shown: list[Linked] = []
    hidden: set[Key] = set()
    for at, terms, factors in placed:
        found = found_all[at]
        if found.key in hidden:
            continue
        validity = found.factors.get("validity", 1.0)
        found.score = sum(terms.values()) * math.prod(factors.values()) * validity
        found.routes = dict(terms)
        found.factors = {**factors, **({"validity": validity} if validity != 1 else {})}
        hidden.update(partners[found.key])
        shown.append(Linked(found, tuple(key.row for key in partners[found.key])))
    return shown


def _named(labels: Iterable[str], asked: frozenset[str]) -> str:
    """The first of these projects or topics all of whose words are asked for; else empty."""
    for label in dict.fromkeys(labels):
        words = query_words(label) if label not in (GLOBAL_PROJECT, GENERAL_TOPIC) else ()
        if words and asked.issuperset(words):
            return label
    return ""


def _features(
    what: Turn | Record | Note, asked: Sequence[Sequence[str]], now: datetime
) -> Features:
    words = frozenset(index_words(what.searchable[:_READ]))

    def days(then: datetime) -> float:
        return max(0.0, (now - then).total_seconds() / 86_400)

    def tags(labels: Sequence[str]) -> float:
        """The share of the keywords, each given by its words, that are among its tags and names;
        what has none has its words."""
        has = frozenset(index_words("\n".join(labels))) if labels else words
        return sum(len(among(one, has)) / len(one) for one in asked) / len(asked)

    if isinstance(what, Turn):
        age = days(what.at)
        return Features("turn", tags=tags(()), days=age, idle=age, words=words)
    if isinstance(what, Note):
        # A day's notes are `phase1`'s daily files; the others, like MEMORY.md, hold what lasts
        file, chunk = what
        age = days(chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC))
        return Features(
            "turn" if file.role == "daily" else "fact",
            tags=tags(chunk.triggers),
            days=age,
            idle=age,
            importance=0.5 if chunk.importance is None else chunk.importance,
            project=chunk.project or GLOBAL_PROJECT,
            words=words,
        )
    age = days(what.confirmed_at or what.valid_from or what.created_at)
    return Features(
        "summary" if what.kind == "summary" else "fact",
        tags=tags((*what.tags, *what.entities)),
        days=age,
        idle=min(age, days(what.accessed_at)) if what.accessed_at else age,
        category=what.category,
        importance=what.importance,
        project=what.project,
        topic=what.topic,
        words=words,
    )
