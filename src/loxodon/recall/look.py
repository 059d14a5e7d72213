"""What a recall is after and what it has found so far: one `Look`, handed from stage to stage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.recall.understand import Question
from loxodon.store import Filter, Having, Index, Note, Place, QuestionVector
from loxodon.store.store import Store
from loxodon.text.words import index_words, query_words
from loxodon.types import Record

Weights = Mapping[str, float]  # what a route or a factor counts, by its name

_HAND = {"attribute": 1.2, "since": 0.5, "label": 0.1, "trigger": 0.3, "last": 1.2}
# For a question. Fitted by `tools/fit_ranking.py`, but for the routes to memories and notes, on
# which the labelled sets say nothing.
ASKED: Weights = _HAND | {
    "words": 1.0,
    "related": 0.35,
    "around": 1.0,
    "alike": 1.12,
    "meaning": 0.3,
    "setting": 0.12,
    "time": 0.3,
    "then": 0.4,
    "all questions": 1.0,
}
# For a message or a piece of dialogue, in which what is told is looked for too
_NOT_TOLD = dict.fromkeys(("around", "alike", "setting", "time", "then"), 0.0)
TOLD: Weights = {**ASKED, **_NOT_TOLD, "related": 0.175, "meaning": 0.85}
BY_ASSISTANT = 0.35  # factor for what an assistant said, unless the question is about that
NAMED = 1.92  # factor for what someone said whom the question names
IN_TIME = 1.4  # factor for what lies in the time that the question names
FLOOR = 0.2  # how good, beside the best, a finding must be to answer a question
_EVER = 1 << 60


class Key(NamedTuple):
    table: Index
    row: int

    @property
    def is_turn(self) -> bool:
        return self.table == "turns"


class Found:
    """Something found: what each route gave, and what came of it."""

    place: Place | None = None  # of a turn
    record: Record | None = None  # of a memory
    note: Note | None = None
    words: frozenset[str] = frozenset()  # of the question, that a label of it says
    until: datetime | None = None  # of a turn: until when what it says of the question held
    drawn: Sequence[Found] = ()  # of a turn: the memories that it is shown for
    again = 0  # when a later one spoke of the same thing, as `Place.at`
    score = 0.0

    def __init__(self, key: Key, weights: Weights) -> None:
        self.key, self.weights = key, weights
        self.parts: dict[str, float] = {}  # what each route found, unweighted
        self.routes: dict[str, float] = {}  # what that counts
        self.factors: dict[str, float] = {}

    @cached_property
    def said(self) -> frozenset[str]:
        """The words of a memory or a note, as an index has them."""
        what = self.record or self.note
        return frozenset(index_words(what.searchable)) if what else frozenset()

    @property
    def kind(self) -> str:
        if self.record is not None:
            return self.record.kind
        return "turn" if self.key.is_turn else "note"

    @property
    def id(self) -> str:
        return self.record.id if self.record else f"{self.kind[0]}_{self.key.row}"

    def add(self, route: str, part: float) -> None:
        """Count what a route found."""
        share = part * self.weights[route]
        self.parts[route] = self.parts.get(route, 0.0) + part
        self.routes[route] = self.routes.get(route, 0.0) + share
        self.score += share

    def weigh(self, factor: str, by: float) -> None:
        self.factors[factor] = self.factors.get(factor, 1.0) * by
        self.score *= by


class Terms(NamedTuple):
    """What is looked for, word by word."""

    words: tuple[str, ...]  # what the question is about; what it asks with if there is nothing else
    light: tuple[str, ...] = ()
    related: tuple[tuple[str, float], ...] = ()  # other words for the same, and how much the same
    often: Mapping[str, int] = {}  # how often a message has what it repeats

    @property
    def all(self) -> tuple[str, ...]:
        return self.words + self.light


Shares = dict[Key, dict[str, float]]  # what each way of finding something gave, unweighted


class Look:
    def __init__(
        self,
        store: Store,
        question: Question,
        where: Filter,
        now: datetime,
        as_of: datetime | None = None,
        top: int = 10,
        profile: str = "default",
    ) -> None:
        self.store, self.question, self.where = store, question, where
        self.now, self.as_of, self.top, self.profile = now, as_of, top, profile
        self.weights = TOLD if question.tells else ASKED
        self.asks_past = question.tense == "past" or as_of is not None
        self.nature = store.nature()
        self.pool: dict[Key, Found] = {}
        self.view: QuestionVector | None = None  # the question as the embedder sees it
        # For each thing asked: its words, and which turns have them
        self.each: list[tuple[Terms, Having]] = []
        self.problems: list[str] = []
        # Turns have no labels; notes are private, and have no label but a project.
        labelled = any((where.topic, where.tag, where.entity))
        self.has_turns = where.kind in (None, "turn") and not labelled and not where.project
        self.has_memories = where.kind not in ("turn", "note")
        self.has_notes = where.kind in (None, "note") and where.audience is None
        self.has_notes &= not (labelled or where.about or where.session)
        named = [one for one in question.times if not one.recurring]
        self.spans = [
            (
                to_stored(one.since)[0] if one.since else -_EVER,
                to_stored(one.until)[0] if one.until else _EVER,
            )
            for one in named
        ]
        # The times to search in, where the filter does not say what time counts
        free = not where.since and not where.until
        self.times = [one for one in named if one.grain != "recent"][:2] if free else []
        text = question.focus
        for one in named:
            text = text.replace(one.text, " ")
        self.undated = query_words(text)
        you = re.search(r"\b(?:you|your)\b|[你您]", question.text, re.I)
        self._to_assistant = bool(question.last) or you is not None
        self._voices: dict[tuple[str, str], dict[str, float]] = {}

    def voice(self, place: Place) -> dict[str, float]:
        """What a turn counts by who said it."""
        key = place.role, place.speaker
        if key not in self._voices:
            found = self._voices[key] = {}
            if place.role == "assistant" and not self._to_assistant:
                found["assistant"] = BY_ASSISTANT
            name = query_words(place.speaker) if place.speaker not in ("user", "assistant") else ()
            if name and set(name).issubset(self.question.words):
                found["speaker"] = NAMED
        return self._voices[key]

    def found(self, key: Key) -> Found:
        return self.pool.get(key) or self.pool.setdefault(key, Found(key, self.weights))

    def fetch(self, index: Index, rows: Iterable[int]) -> list[Found]:
        """The memories (of the kind wanted, not expired) or notes of these rows, in the pool."""
        fetched: list[Found] = []
        if index == "chunks":
            for row, note in self.store.workspace_data.notes(rows).items():
                fetched.append(self.found(Key("chunks", row)))
                fetched[-1].note = note
            return fetched
        for row, record in self.store.records(rows).items():
            lasts = record.expires_at is None or record.expires_at > self.now
            if lasts and self.where.kind in (None, record.kind):
                fetched.append(self.found(Key("memories", row)))
                fetched[-1].record = record
        return fetched


def order(found: Found) -> tuple[float, bool, int]:
    """The best first; of equals a memory, then the newer."""
    return (-found.score, found.record is None, -found.key.row)
