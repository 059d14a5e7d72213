"""Start here: a `Memory` is one space of a home, and everything one can do with it.

    with Memory.open("~/.loxodon") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏"}], session="monday")
        print(memory.recall("花生").context)

A home is a folder. Each space in it, a person or a project that must not see another, has a
database of its own. What is said goes to the journal, what is known to the memories; both are
searched by `recall`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from types import TracebackType
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import InputError, NotFoundError
from loxodon.recall.recall import recall
from loxodon.spaces import space_folder
from loxodon.store import Filter, Progress, Store
from loxodon.store.sqlite import SqliteStore
from loxodon.text.check import checked_text
from loxodon.text.words import query_words
from loxodon.tokens import counter
from loxodon.types import (
    AUDIENCES,
    CATEGORIES,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    KINDS,
    ORIGINS,
    Added,
    Draft,
    Kind,
    Origin,
    Problem,
    Recall,
    Record,
    Source,
    Turn,
    Version,
)
from loxodon.write.decay import initial_strength, strength_now
from loxodon.write.journal import with_keys

Versions = list[Version]  # within the class, `list` is a method
Problems = list[Problem]

DATABASE = "loxodon.db"
BATCH = 2_000
"""Turns written in one transaction: others who write wait no longer than this takes."""
MAX_CONTENT = 10_000
MAX_NAME = 200
UNARCHIVED_STRENGTH = 0.3
BELIEF_CONFIDENCE = 0.6


class Status(NamedTuple):
    """Where a memory stands."""

    home: str
    space: str
    turns: int
    sessions: int
    active: int
    archived: int
    bytes: int
    last_turn_at: datetime | None
    last_consolidation: datetime | None
    next_consolidation: datetime


class Stats(NamedTuple):
    """What a memory holds, counted."""

    total: int
    active: int
    archived: int
    kinds: Mapping[str, int]
    importance: Mapping[str, int]
    """critical (0.9 and up), high (0.7), medium (0.4), low."""
    turns: int
    sessions: int
    last_consolidation: datetime | None
    next_consolidation: datetime


class Memory:
    """One space of a home. Use it as a context manager, from any thread, beside other processes."""

    def __init__(self, home: str, store: Store, config: Config, clock: Clock) -> None:
        self.home = home
        self.config = config
        self._store = store
        self._clock = clock
        self._count = counter(config.tokenizer)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        space: str = "main",
        config: Config | Mapping[str, object] | None = None,
        clock: Clock | None = None,
    ) -> Memory:
        """Open the space `space` of the home at `path`; what does not exist is made.

        `config` replaces the home's config.toml; a mapping may name single keys
        (`{"recall.top": 5}`). `clock` returns the present as an aware datetime.
        """
        home = os.path.abspath(os.path.expanduser(path))
        if config is None:
            config = settings.load(home)
        elif not isinstance(config, Config):
            config = settings.from_mapping(config)
        zone = zone_named(config.timezone)
        clock = clock or system_clock(zone)
        rates = config.decay

        def strength(base: float, since: datetime, kind: Kind, importance: float) -> float:
            return strength_now(base, since, clock(), kind, importance, rates)

        folder = space_folder(home, space, make=True)
        store = SqliteStore(os.path.join(folder, DATABASE), space, zone, strength)
        return cls(home, store, config, clock)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""
        self._store.close()

    @property
    def space(self) -> str:
        return self._store.space

    def now(self) -> datetime:
        """The present, as this memory's clock has it."""
        return self._clock()

    # What is said

    def add(
        self,
        turns: Iterable[Mapping[str, object] | Draft],
        session: str = "",
        progress: Progress | None = None,
    ) -> Added:
        """Journal turns, in order. When this returns they are on disk and can be recalled.

        A turn is a mapping with `role` and `content`, and where known `at`, `speaker`, `id`,
        `session`, `channel`, `chat`, `origin`. One that cannot be taken refuses them all, with an
        InputError that names each. A turn the journal already has is not added again: the same by
        its `id` in its session; without an id, by its session, its place among the turns of this
        call, and its words (and `at`, where given). Give live messages an `id` or an `at`, so that
        a message said twice is two.
        """
        drafts = _drafts(turns, self._zone)
        keyed = list(with_keys(drafts, session or "default", self._clock()))
        added = 0
        for start in range(0, len(keyed), BATCH):
            with self._store.writing():
                kept = self._store.append(keyed[start : start + BATCH])
            added += sum(turn is not None for turn in kept)
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in keyed))
        return Added(added, len(keyed) - added, sessions)

    def journal(
        self,
        query: str = "",
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
    ) -> list[Turn]:
        """Turns as they were said, oldest first; with a query those that match it, best first.

        `until` is exclusive; `limit` keeps the latest, or the best.
        """
        where = Filter(session=session, since=since, until=until)
        if not query:
            return self._store.journal(where, limit)
        hits = self._store.search("turns", query_words(query), where, limit or 100)
        found = self._store.turns([hit.row for hit in hits])
        return [found[hit.row] for hit in hits if hit.row in found]

    # What is known

    def capture(
        self,
        content: str,
        kind: Kind = "fact",
        *,
        importance: float = 0.5,
        confidence: float | None = None,
        entities: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str = GLOBAL_PROJECT,
        topic: str = GENERAL_TOPIC,
        category: str = "fact",
        expires_at: datetime | None = None,
        origin: Origin = "user",
    ) -> Record:
        """Keep a memory as it is given, on disk when this returns.

        The words also go to the journal (session `capture`), so that the memory has a source like
        any other. A fact is certain; a belief has a confidence below 1 (0.6 where none is given).
        """
        now = self._clock()
        if kind == "belief" and confidence is None:
            confidence = BELIEF_CONFIDENCE
        fields = _checked(
            {
                "content": content, "kind": kind, "importance": importance,
                "confidence": 1.0 if confidence is None else confidence, "entities": entities,
                "tags": tags, "project": project, "topic": topic, "category": category,
                "expires_at": expires_at, "trust": origin,
            }
        )  # fmt: skip
        strength = initial_strength(kind, fields["importance"], fields["confidence"])
        said = Turn("capture", "", "user", fields["content"], now, channel="capture", origin=origin)
        with self._store.writing():
            (kept,) = self._store.append([(said, os.urandom(16))])  # said again is said twice
            sources = (Source(session="capture", turn=kept.id),) if kept else ()
            record = Record(
                id="", space=self.space, created_at=now, updated_at=now, strength=strength,
                sources=sources, **fields,
            )  # fmt: skip
            return self._store.insert(record, "captured")

    def get(self, id: str) -> Record:
        """The memory called `id`; NotFoundError if there is none."""
        record = self._store.get(id)
        if record is None:
            raise NotFoundError(
                "there is no memory {id}", hint="`loxodon list` shows what there is", id=repr(id)
            )
        return record

    def turn(self, ref: str) -> Turn:
        """The turn called `ref` (`t_512`); NotFoundError if there is none."""
        number = ref.removeprefix("t_")
        row = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
        turn = self._store.turns([row]).get(row)
        if turn is None:
            raise NotFoundError(
                "there is no turn {ref}",
                hint="`loxodon journal` shows what was said",
                ref=repr(ref),
            )
        return turn

    def list(
        self,
        *,
        kind: str | None = None,
        state: str | None = "active",
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
    ) -> list[Record]:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
        where = Filter(kind, None if state == "all" else state, project, topic, tag, entity,
                       None, since, until)  # fmt: skip
        return self._store.find(where, limit)

    def edit(self, id: str, *, version: int | None = None, **changes: Any) -> Record:
        """Change fields of a memory; what it was stays in its history.

        With `version` the edit is refused with a StaleEditError unless the memory is still at that
        version. Can be changed: content, importance, confidence, entities, tags, project, topic,
        category, expires_at, subject, attribute, value, audience, valid_from, valid_until, due_at,
        done, sensitivity.
        """
        unknown = sorted(changes.keys() - _EDITABLE)
        if unknown:
            raise InputError(
                "{field} cannot be edited", hint="these can: {fields}",
                field=unknown[0], fields=", ".join(sorted(_EDITABLE)),
            )  # fmt: skip
        fields = _checked(changes)
        now = self._clock()
        with self._store.writing():
            if "importance" in fields:  # the rate of decay changes: count on from what is left
                fields["strength"] = self.get(id).strength
            return self._store.update(id, version, "edited", now, fields)

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Take a memory out of ordinary recall; it is kept and can come back."""
        return self._set_state(id, version, "archived", "archived", {})

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring an archived memory back, strong enough not to fade again at once."""
        strength = max(self.get(id).strength, UNARCHIVED_STRENGTH)
        return self._set_state(id, version, "active", "unarchived", {"strength": strength})

    def _set_state(
        self, id: str, version: int | None, state: str, change: str, values: Mapping[str, Any]
    ) -> Record:
        with self._store.writing():
            record = self.get(id)
            if record.state == state:
                return record
            values = {**values, "state": state}
            return self._store.update(id, version, change, self._clock(), values)

    def history(self, id: str) -> Versions:
        """Every version of a memory, oldest first, the present one last."""
        return self._store.history(id)

    # What is remembered

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        kind: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Recall:
        """What the memory has on `query`, best first, with a reason for each item.

        At most `top` items (10), and a block of at most `budget` tokens (1,000) to hand to an
        agent. Memories and turns of the journal both come back; a turn not beside the memory that
        was drawn from it. `kind` may be `turn`. Any text is a query; none is syntax.
        """
        where = Filter(kind, "active", project, topic, tag, entity, None, since, until)
        return recall(
            self._store, query, where, now=self._clock(), count=self._count,
            top=self.config.recall.top if top is None else max(0, top),
            budget=self.config.recall.budget if budget is None else max(0, budget),
        )  # fmt: skip

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        from loxodon.write.snapshot import snapshot

        counts = self._store.counts()
        return snapshot(
            self.list(), counts.turns, counts.archived, self._clock(),
            self.config.snapshot.budget, self._count, language,
        )  # fmt: skip

    # Care

    def status(self) -> Status:
        """Where this memory stands."""
        counts = self._store.counts()
        last = self._store.journal(Filter(), 1)
        return Status(
            self.home, self.space, counts.turns, counts.sessions, counts.active, counts.archived,
            self._store.size(), last[-1].at if last else None, None, self._next_consolidation(),
        )  # fmt: skip

    def stats(self) -> Stats:
        """What this memory holds, counted."""
        counts = self._store.counts()
        return Stats(
            counts.active + counts.archived, counts.active, counts.archived, counts.kinds,
            counts.bands, counts.turns, counts.sessions, None, self._next_consolidation(),
        )  # fmt: skip

    def _next_consolidation(self) -> datetime:
        from loxodon.write.schedule import next_daily

        return next_daily(self._clock(), self.config.consolidation.daily_at)

    def validate(self, progress: Progress | None = None) -> Problems:
        """Everything wrong with the data, its history or its indexes; empty when all is well."""
        return self._store.check(progress or _quiet)

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)

    @property
    def _zone(self) -> tzinfo | None:
        return zone_named(self.config.timezone)


_EDITABLE = frozenset({
    "content", "importance", "confidence", "entities", "tags", "project", "topic", "category",
    "expires_at", "subject", "attribute", "value", "audience", "valid_from", "valid_until",
    "due_at", "done", "sensitivity",
})  # fmt: skip


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""


def _drafts(turns: Iterable[Mapping[str, object] | Draft], zone: tzinfo | None) -> list[Draft]:
    """Turns as drafts; one InputError for all that cannot be taken."""
    from loxodon.workspace.readers import draft_from_mapping

    drafts: list[Draft] = []
    problems: list[tuple[int, InputError]] = []
    for place, turn in enumerate(turns, 1):
        if isinstance(turn, Draft):
            drafts.append(turn)
            continue
        try:
            drafts.append(draft_from_mapping(turn, place, zone))
        except InputError as error:
            problems.append((place, error))
    if problems:
        place, first = problems[0]
        raise InputError(
            "turn {place} cannot be taken: {reason}",
            hint=first.hint_template,
            problems=problems,
            place=place,
            reason=str(first),
            **{k: v for k, v in first.values.items() if k not in ("place", "reason")},
        )
    return drafts


def _checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a memory as they may be kept; an InputError for the first that may not."""
    checked = dict(fields)
    if "content" in checked:
        checked["content"] = checked_text(checked["content"], "content", MAX_CONTENT)
    for name in ("importance", "confidence"):
        if name in checked:
            checked[name] = _share(name, checked[name])
    for name in ("project", "topic", "subject", "attribute", "value"):
        if checked.get(name):
            checked[name] = checked_text(checked[name], name, MAX_NAME)
    for name in ("tags", "entities"):
        if name in checked:
            names = [checked_text(one, name, MAX_NAME) for one in checked[name]]
            checked[name] = tuple(dict.fromkeys(names))
    for name, choices in _CHOICES.items():
        if name in checked and checked[name] not in choices:
            raise InputError(
                "{field} cannot be {value}", hint="it is one of {choices}",
                field=name, value=repr(checked[name]), choices=", ".join(choices),
            )  # fmt: skip
    for name in ("expires_at", "due_at", "valid_from", "valid_until"):
        moment = checked.get(name)
        if moment is not None and (not isinstance(moment, datetime) or moment.tzinfo is None):
            raise InputError("{field} must be a date and time with a time zone", field=name)
    if checked.get("kind") == "belief" and checked.get("confidence") == 1.0:
        raise InputError(
            "a belief is never certain", hint="give it a confidence below 1, or make it a fact"
        )
    return checked


def _share(name: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError(
        "{field} cannot be {value}",
        hint="it is a number from 0 to 1",
        field=name,
        value=repr(value),
    )


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": KINDS,
    "category": CATEGORIES,
    "audience": AUDIENCES,
    "trust": ORIGINS,
}
