"""Profiles: rankings other than the default, by name.

    phase1      0.4 tags + 0.3 time + 0.3 file
    openclaw    hybrid search: 0.7 vector + 0.3 text, decayed by age, then diversified (MMR)
    tiered      partition first, full text to fill up, then relevance

The default ranking is in `rank.py`. A profile orders what the routes found and what was linked,
and adds candidates of its own routes (`widened`). Neighbours of a hit, and turns similar to one,
are left to the default.

Each formula is a pure function of `Features`; `arranged` computes these and applies the order.
Whatever the formula, what no longer holds comes last, and `tiered` ignores the archive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal, NamedTuple

from loxodon.guard.provenance import waits
from loxodon.recall.fuse import Found, Key, Pool
from loxodon.recall.link import Linked
from loxodon.recall.rank import HALF_LIVES, halved, kept
from loxodon.recall.routes import has_memories, has_turns, last_turns
from loxodon.recall.understand import Question
from loxodon.store import Filter, Note, Place
from loxodon.store.store import Store
from loxodon.text.words import among, fold, index_words, query_words
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Record, Turn

Layer = Literal["fact", "summary", "turn"]

# `phase1`'s `insights > segments > daily`. It gives the order; the numbers are ours.
PRIORITY: Mapping[Layer, float] = {"fact": 1.0, "summary": 0.6, "turn": 0.3}
TAGS, TIME, FILE = 0.4, 0.3, 0.3  # weights of `phase1`
VECTOR, TEXT = 0.7, 0.3  # weights of `openclaw`
MMR = 0.7  # of `openclaw`: relevance against variety; 1 for relevance only
RECENT_DAYS = 3  # What the time route of `phase1` looks at
_READ = 600  # Characters of a text whose words are compared
_SEGMENTS = 6
_WELL = 0.8  # How good, beside the best, a segment must be
_TURNS = 12  # Turns of one segment that it brings


class Features(NamedTuple):
    """What the formulas look at, of one thing that was found."""

    layer: Layer
    text: float = 0.0  # How well its words match: 1 for the best that was found
    meaning: float = 0.0  # The same for its meaning; 0 for all where no embedder is set
    tags: float = 0.0  # The share of the question's keywords that it is tagged with
    days: float = 0.0  # Since it was said, or last said again
    idle: float = 0.0  # Days since it was last used, or said
    category: str = "conversation"
    importance: float = 0.5
    project: str = GLOBAL_PROJECT
    topic: str = GENERAL_TOPIC
    words: frozenset[str] = frozenset()
    holds: bool = True  # False for what no longer holds, unless the question asks for the past


class Placed(NamedTuple):
    """One of the features that were handed in, where the formula puts it."""

    at: int  # Its place among those handed in
    terms: Mapping[str, float]  # What is added to make its score
    factors: Mapping[str, float] = MappingProxyType({})  # What the sum is multiplied by

    @property
    def score(self) -> float:
        return sum(self.terms.values()) * math.prod(self.factors.values())


# --- phase1 ---------------------------------------------------------------------------------------


def phase1(found: Sequence[Features]) -> list[Placed]:
    """`phase1`: tags × 0.4 + time × 0.3, half-life of 7 days, + file × 0.3; best first.

    First come those to which its four routes lead, about 23, then the others. What was found by
    text alone scores by its time and file: how much the text itself should count is a question
    that the document leaves open.
    """
    # 10 by time, 5 by tags, 3 by file and 5 by text, as the table of `phase1` has it
    each = list(enumerate(found))
    recent = [at for at, one in each if one.layer != "fact" and one.days <= RECENT_DAYS]
    tagged = [at for at, one in each if one.tags > 0]
    matching = [at for at, one in each if one.text > 0]
    facts = [at for at, one in each if one.layer == "fact" and one.tags + one.text > 0]
    led_to = {
        *sorted(recent, key=lambda at: found[at].days)[:10],
        *sorted(tagged, key=lambda at: -found[at].tags)[:5],
        *sorted(facts, key=lambda at: -found[at].importance)[:3],
        *sorted(matching, key=lambda at: -found[at].text)[:5],
    }
    placed = [
        Placed(
            at,
            {
                "tags": TAGS * one.tags,
                "time": TIME * halved(one.days, HALF_LIVES[0]),
                "file": FILE * PRIORITY[one.layer],
            },
        )
        for at, one in enumerate(found)
    ]
    return sorted(placed, key=lambda one: (one.at not in led_to, -one.score))


# --- openclaw -------------------------------------------------------------------------------------


def openclaw(found: Sequence[Features], top: int) -> list[Placed]:
    """`openclaw`: 0.7 vector + 0.3 text, × e^(−age × ln 2 / 30 days), then MMR with λ = 0.7.

    Candidates are the four times `top` best by meaning and as many by words. Text counts
    1 / (1 + rank), the best having rank 0. Without an embedder, of which the document does not
    speak, text alone counts: the shares are of what there is.
    """
    matching = _best((one.text for one in found), 4 * top)
    meant = _best((one.meaning for one in found), 4 * top)
    text = {at: 1 / (1 + rank) for rank, at in enumerate(matching)}
    by_meaning = VECTOR if meant else 0.0
    whole = by_meaning + TEXT
    placed: list[Placed] = []
    for at in sorted({*matching, *meant}):
        terms = {
            "text": TEXT * text.get(at, 0.0) / whole,
            "vector": by_meaning * (found[at].meaning if at in meant else 0.0) / whole,
        }
        placed.append(Placed(at, terms, {"decay": halved(found[at].days, HALF_LIVES[1])}))
    placed.sort(key=lambda one: -one.score)
    words = [found[one.at].words for one in placed]
    return [placed[i] for i in varied([one.score for one in placed], words, top, MMR)]


def _best(values: Iterable[float], most: int) -> list[int]:
    """The places of the highest values above 0, highest first."""
    having = [(value, at) for at, value in enumerate(values) if value > 0]
    return [at for _, at in sorted(having, key=lambda one: -one[0])[:most]]


def varied(
    scores: Sequence[float], words: Sequence[frozenset[str]], top: int, relevance: float
) -> list[int]:
    """MMR: the first `top` by λ × relevance − (1 − λ) × similarity to what was taken; then others.

    Similarity is the share of words in common. Relevance is the score beside the best one, so that
    the two stay comparable where all that was found is old.
    """
    best = max(scores, default=0.0) or 1.0
    left = sorted(range(len(scores)), key=lambda i: -scores[i])
    nearest = [0.0] * len(scores)
    taken: list[int] = []
    while left and len(taken) < top:
        pick = max(left, key=lambda i: relevance * scores[i] / best - (1 - relevance) * nearest[i])
        left.remove(pick)
        taken.append(pick)
        for i in left:
            nearest[i] = max(nearest[i], in_common(words[pick], words[i]))
    return taken + left


def in_common(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of either that both have."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


# --- tiered ---------------------------------------------------------------------------------------


def tiered(found: Sequence[Features], project: str, topic: str) -> list[Placed]:
    """The partition's most important, full text where they are too few, then by relevance.

    The partition is what has the project (and topic) that the question names, or none; where it
    names none it is everything. Up to 20 are taken from it, and if they are fewer than 5, 10 by
    full text. Relevance is the importance times what its category keeps. Archived memories are not
    looked at. The other memories follow, then the turns, by match and age: they are the event log,
    which `tiered` searches on demand.
    """
    memories = [at for at, one in enumerate(found) if one.layer != "turn" and one.holds]
    inside = [at for at in memories if _in_partition(found[at], project, topic)]
    chosen = sorted(inside, key=lambda at: (-found[at].importance, -found[at].text))[:20]
    if len(chosen) < 5:
        matching = [at for at in memories if found[at].text > 0 and at not in inside]
        chosen += sorted(matching, key=lambda at: -found[at].text)[:10]
    log = [at for at, one in enumerate(found) if one.layer == "turn" and one.text > 0]
    placed: list[Placed] = []
    for some in (chosen, [at for at in memories if at not in chosen], log):
        scored = [_relevance(at, found[at]) for at in some]
        placed += sorted(scored, key=lambda one: (-one.score, -found[one.at].text))
    return placed


def _in_partition(one: Features, project: str, topic: str) -> bool:
    return (not project or fold(one.project) in (fold(project), GLOBAL_PROJECT)) and (
        not topic or fold(one.topic) in (fold(topic), GENERAL_TOPIC)
    )


def _relevance(at: int, one: Features) -> Placed:
    factors = {"category": kept(one.category, one.idle)}
    if one.layer == "turn":
        factors["words"] = one.text
    return Placed(at, {"importance": one.importance}, factors)


# --- From what was found to the features, and back ------------------------------------------------


def widened(
    store: Store, pool: Pool, question: Question, where: Filter, profile: str, now: datetime
) -> None:
    """Add what the routes of a profile's document lead to, and the default's do not.

    `phase1`: the last three days, what is tagged with a keyword, and the turns of segments.
    `tiered`: the most important memories of the partition and of the global one, whatever their
    words. `openclaw` searches by words and vectors, as the default does.
    """
    rows: list[int] = []
    if profile == "phase1":
        if has_turns(where):
            recent = last_turns(store, where, now, 10)
            _bring(pool, store.places([r for r in recent if Key(True, r) not in pool]), "recent")
            if where.audience is None and question.words:
                inside = _of_segments(store, question.words, where)
                kept = store.admitted("turns", list(inside), where)
                _bring(pool, {row: inside[row] for row in kept}, "segment")
        for word in question.keywords[:5]:
            rows += store.labelled("tag", word, 5)
    elif profile == "tiered":
        projects = (question.project, GLOBAL_PROJECT) if question.project else ()
        rows += store.foremost(where._replace(state="active"), projects, 20)
    fresh = [row for row in dict.fromkeys(rows) if Key(False, row) not in pool]
    if not fresh or not has_memories(where):
        return
    admitted = store.admitted("memories", fresh, where)
    for row, record in store.records(admitted).items():
        if not waits(record) and (record.expires_at is None or record.expires_at > now):
            pool[Key(False, row)] = found = Found(Key(False, row))
            found.record = record
            found.parts["partition"] = 1.0


def _bring(pool: Pool, places: Mapping[int, Place], way: str) -> None:
    for row, place in places.items():
        found = pool.setdefault(Key(True, row), Found(Key(True, row)))
        found.place = place
        found.parts[way] = 1.0


def arranged(
    store: Store,
    ranked: Sequence[Linked],
    pool: Pool,
    question: Question,
    profile: str,
    top: int,
    now: datetime,
) -> list[Linked]:
    """What was found and linked, as the profile orders it.

    Of a turn and the memories drawn from it the one is shown that the profile puts first.
    """
    groups = [[one.found, *_others(one, pool)] for one in ranked]
    each = {one.key: one for group in groups for one in group if _is_looked_at(one)}
    turns = store.turns([key.row for key in each if key.is_turn])
    found = [one for one in each.values() if not one.key.is_turn or one.key.row in turns]
    asked = [words for words in map(query_words, question.keywords) if words]
    text = max((one.routes.get("words", 0.0) for one in found), default=0.0) or 1.0
    meaning = max((one.routes.get("meaning", 0.0) for one in found), default=0.0) or 1.0
    features = [
        _of(one.record or one.note or turns[one.key.row], asked or [question.words], now)._replace(
            text=one.routes.get("words", 0.0) / text,
            meaning=one.routes.get("meaning", 0.0) / meaning,
            holds=one.factors.get("validity", 1.0) >= 1 and "asks" not in one.factors,
        )
        for one in found
    ]
    placed = _placed(features, found, question, profile, top)
    placed.sort(key=lambda one: not features[one.at].holds)
    return _each_once([_scored(found[one.at], one) for one in placed], groups)


def _placed(
    features: Sequence[Features], found: Sequence[Found], question: Question, profile: str, top: int
) -> list[Placed]:
    if profile == "phase1":
        return phase1(features)
    if profile == "openclaw":
        return openclaw(features, top)
    records = [one.record for one in found if one.record is not None]
    asked = frozenset(question.words)
    project = question.project or named((one.project for one in records), asked)
    topic = question.topic or named((one.topic for one in records), asked)
    return tiered(features, project, topic)


def named(labels: Iterable[str], asked: frozenset[str]) -> str:
    """The first of these projects or topics all of whose words are asked for; else empty."""
    for label in dict.fromkeys(labels):
        words = query_words(label) if label not in (GLOBAL_PROJECT, GENERAL_TOPIC) else ()
        if words and asked.issuperset(words):
            return label
    return ""


def _others(linked: Linked, pool: Pool) -> list[Found]:
    keys = (Key(not linked.found.key.is_turn, row) for row in linked.others)
    return [pool[key] for key in keys if key in pool]


def _is_looked_at(found: Found) -> bool:
    ways = ("words", "meaning", "recent", "last", "then", "segment")
    return not found.key.is_turn or any(way in found.parts for way in ways)


def _of(what: Turn | Record | Note, asked: Sequence[Sequence[str]], now: datetime) -> Features:
    words = frozenset(index_words(what.searchable[:_READ]))
    if isinstance(what, Note):
        # A day's notes are `phase1`'s daily files; the others, like MEMORY.md, hold what lasts
        file, chunk = what
        days = _days(now, chunk.at or datetime.fromtimestamp(file.mtime / 1_000_000_000, UTC))
        return Features(
            "turn" if file.role == "daily" else "fact",
            tags=_tagged(chunk.triggers, words, asked),
            days=days,
            idle=days,
            importance=0.5 if chunk.importance is None else chunk.importance,
            project=chunk.project or GLOBAL_PROJECT,
            words=words,
        )
    if isinstance(what, Turn):
        days = _days(now, what.at)
        return Features("turn", tags=_tagged((), words, asked), days=days, idle=days, words=words)
    days = _days(now, what.confirmed_at or what.valid_from or what.created_at)
    return Features(
        "summary" if what.kind == "summary" else "fact",
        tags=_tagged((*what.tags, *what.entities), words, asked),
        days=days,
        idle=min(days, _days(now, what.accessed_at)) if what.accessed_at else days,
        category=what.category,
        importance=what.importance,
        project=what.project,
        topic=what.topic,
        words=words,
    )


def _days(now: datetime, then: datetime) -> float:
    return max(0.0, (now - then).total_seconds() / 86_400)


def _tagged(
    labels: Sequence[str], words: frozenset[str], keywords: Sequence[Sequence[str]]
) -> float:
    """The share of the keywords, each given by its words, that are among its tags and names.

    A keyword of which only a part is there counts in part. In `phase1` everything has tags, made of
    its own keywords; what has none here has its words.
    """
    has = frozenset(index_words("\n".join(labels))) if labels else words
    return sum(len(among(of_one, has)) / len(of_one) for of_one in keywords) / len(keywords)


def _scored(found: Found, placed: Placed) -> Found:
    """The same with the score of the profile and what it is made of, for who asks why."""
    validity = found.factors.get("validity", 1.0)
    found.routes = dict(placed.terms)
    found.factors = {**placed.factors, **({"validity": validity} if validity != 1 else {})}
    found.score = placed.score * validity
    return found


def _each_once(ordered: Sequence[Found], groups: Sequence[Sequence[Found]]) -> list[Linked]:
    """What comes first of a turn and the memories drawn from it, with those it is shown for."""
    partners: dict[Key, dict[Key, None]] = {}
    for group in groups:
        for one in group:
            others = (other.key for other in group if other.key.is_turn != one.key.is_turn)
            partners.setdefault(one.key, {}).update(dict.fromkeys(others))
    shown: list[Linked] = []
    hidden: set[Key] = set()
    for found in ordered:
        if found.key not in hidden:
            hidden.update(partners[found.key])
            shown.append(Linked(found, tuple(key.row for key in partners[found.key])))
    return shown


def _of_segments(store: Store, words: Sequence[str], where: Filter) -> dict[int, Place]:
    """The turns of the segments that match, where they stand."""
    hits = store.search("segments", words, where, _SEGMENTS)
    well = [hit.row for hit in hits if hit.score > 0 and hit.score >= _WELL * hits[0].score]
    found: dict[int, Place] = {}
    for _, session, first, last in store.query("stretches", list(well)) if well else ():
        places = store.places(range(first, min(last, first + _TURNS) + 1))
        found |= {row: place for row, place in places.items() if place.session == session}
    return found
