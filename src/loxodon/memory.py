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
from typing import Literal, NamedTuple, TypedDict, Unpack

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import InputError, NotFoundError, no_memory, stale_edit
from loxodon.fields import EDITABLE, checked, filter_of, number
from loxodon.recall.recall import recall
from loxodon.spaces import space_folder
from loxodon.store import Filter, Known, Progress, Store
from loxodon.store.sqlite import SqliteStore
from loxodon.text.check import checked_text
from loxodon.text.words import query_words
from loxodon.tokens import counter
from loxodon.types import (
    CAPTURED,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    Added,
    Audience,
    Draft,
    Kind,
    Origin,
    Problem,
    Recall,
    Record,
    Source,
    State,
    Turn,
    Version,
)
from loxodon.write.decay import initial_strength, strength_now
from loxodon.write.journal import SAMPLE, session_for, with_keys

Records = list[Record]  # within the class, `list` is a method
Versions = list[Version]
Problems = list[Problem]

DATABASE = "loxodon.db"
BATCH = 2_000
"""Turns written in one transaction: others who write wait no longer than this takes."""
UNARCHIVED_STRENGTH = 0.3
BELIEF_CONFIDENCE = 0.6
_MAX_SESSION = 512
_ALL = 1 << 40
_SNAPSHOT_CANDIDATES = 500


class Changes(TypedDict, total=False):
    """What `edit` can change."""

    content: str
    importance: float
    confidence: float
    entities: Sequence[str]
    tags: Sequence[str]
    project: str
    topic: str
    category: str
    subject: str
    attribute: str
    value: str
    audience: Audience
    sensitivity: str
    expires_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    done: bool


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

    def __init__(
        self, home: str, store: Store, config: Config, clock: Clock, zone: tzinfo | None
    ) -> None:
        self.home = home
        self.config = config
        self._store = store
        self._clock = clock
        self._zone = zone
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
        home = home_at(os.fspath(path))
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
        return cls(home, store, config, clock, zone)

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
        """The name of the space."""
        return self._store.space

    def now(self) -> datetime:
        """The present as this memory's clock has it, to the millisecond, which is what is kept."""
        now = self._clock()
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        return now if self._zone is None else now.astimezone(self._zone)

    # What is said

    def add(
        self,
        turns: Iterable[Mapping[str, object]],
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
        return self.add_drafts(_drafts(turns, self._zone), [session or "default"], progress)

    def add_drafts(
        self, drafts: Sequence[Draft], names: Sequence[str], progress: Progress | None = None
    ) -> Added:
        """What `add` does, for turns that a reader has checked (`workspace.readers.read`).

        Those that name no session get the first of `names` that is free or begins like them.
        """
        names = [checked_text(name, "session", _MAX_SESSION) for name in names]
        now = self.now()
        unnamed = [draft for draft in drafts if not draft.session]
        session = names[0]
        if len(names) > 1:
            sample = unnamed[:SAMPLE]
            session = session_for(names, sample, lambda name: self._has(name, sample, now))
        keyed = with_keys(drafts, session, now)
        added = changed = 0
        for start in range(0, len(keyed), BATCH):
            batch = keyed[start : start + BATCH]
            with self._store.writing():
                kept = self._store.append(batch)
            added += sum(isinstance(one, Turn) for one in kept)
            changed += sum(isinstance(one, Known) and one.changed for one in kept)
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in keyed))
        return Added(added, len(keyed) - added, changed, sessions)

    def _has(self, session: str, drafts: Sequence[Draft], now: datetime) -> tuple[int, int]:
        """How many of these drafts a session has, and how many turns it has in all."""
        known = self._store.known(with_keys(drafts, session, now))
        return len(known) - known.count(None), self._store.session_size(session)

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

        `until` is exclusive. `limit` keeps the latest, or the best; 0 keeps all.
        """
        where = filter_of(self._zone, session=session, since=since, until=until)
        limit = number("limit", limit)
        if not query:
            return self._store.journal(where, limit)
        with self._store.reading():
            hits = self._store.search("turns", query_words(query), where, limit or _ALL)
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
        now = self.now()
        if confidence is None:
            confidence = BELIEF_CONFIDENCE if kind == "belief" else 1.0
        fields = checked(
            {
                "content": content, "kind": kind, "importance": importance,
                "confidence": confidence, "entities": entities, "tags": tags, "project": project,
                "topic": topic, "category": category, "expires_at": expires_at, "origin": origin,
            }, kind, self._zone,
        )  # fmt: skip
        fields["trust"] = fields.pop("origin")
        strength = initial_strength(kind, fields["importance"], fields["confidence"])
        said = Turn(CAPTURED, "", "user", fields["content"], now, channel=CAPTURED, origin=origin)
        with self._store.writing():
            (kept,) = self._store.append([(said, os.urandom(16))])  # said again is said twice
            sources = (Source(session=CAPTURED, turn=kept.id),) if isinstance(kept, Turn) else ()
            record = Record(
                id="", space=self.space, created_at=now, updated_at=now, strength=strength,
                sources=sources, **fields,
            )  # fmt: skip
            return self._store.insert(record, "captured")

    def get(self, id: str) -> Record:
        """The memory called `id`; NotFoundError if there is none."""
        record = self._store.get(id)
        if record is not None:
            return record
        if id.startswith("t_"):
            raise NotFoundError(
                "{id} names a turn, not a memory",
                hint="turns stay as they were said; `loxodon get {id}` shows it",
                id=id,
            )
        raise no_memory(id)

    def turn(self, ref: str) -> Turn:
        """The turn called `ref` (`t_512`, or `monday:m3` as in a source); else NotFoundError."""
        number = ref.removeprefix("t_")
        row: int | None = 0
        if number.isascii() and number.isdecimal() and len(number) < 18:
            row = int(number)
        elif ":" in ref:
            session, _, id = ref.rpartition(":")
            row = self._store.turn_row(session, id)
        turn = self._store.turns([row]).get(row) if row else None
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
        kind: Kind | None = None,
        state: State | Literal["all"] | None = "active",
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
    ) -> Records:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
        where = filter_of(
            self._zone, kind=kind, state=None if state == "all" else state, project=project,
            topic=topic, tag=tag, entity=entity, since=since, until=until,
        )  # fmt: skip
        return self._store.find(where, number("limit", limit))

    def edit(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """Change fields of a memory (see `Changes`); what it was stays in its history.

        With `version` the edit is refused with a StaleEditError unless the memory is still at that
        version. An edit that changes nothing makes no new version.
        """
        unknown = sorted(changes.keys() - EDITABLE)
        if unknown:
            raise InputError(
                "{field} cannot be edited",
                hint="these can: {fields}",
                field=unknown[0],
                fields=", ".join(sorted(EDITABLE)),
            )
        with self._store.writing():
            record = self._at_version(id, version)
            given = checked(changes, record.kind, self._zone)
            fields = {name: v for name, v in given.items() if v != getattr(record, name)}
            if not fields:
                return record
            if "importance" in fields:  # the rate of decay changes: count on from what is left
                fields["strength"] = record.strength
            return self._store.update(id, version, "edited", self.now(), fields)

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Take a memory out of ordinary recall; it is kept and can come back."""
        with self._store.writing():
            record = self._at_version(id, version)
            if record.state == "archived":
                return record
            return self._store.update(id, version, "archived", self.now(), {"state": "archived"})

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring an archived memory back, strong enough not to fade again at once."""
        with self._store.writing():
            record = self._at_version(id, version)
            if record.state == "active":
                return record
            strength = max(record.strength, UNARCHIVED_STRENGTH)
            values = {"state": "active", "strength": strength}
            return self._store.update(id, version, "unarchived", self.now(), values)

    def _at_version(self, id: str, version: int | None) -> Record:
        record = self.get(id)
        if version is not None and version != record.version:
            raise stale_edit(id, record.version, version)
        return record

    def history(self, id: str) -> Versions:
        """Every version of a memory, oldest first, the present one last."""
        with self._store.reading():
            self.get(id)
            return self._store.history(id)

    # What is remembered

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        kind: Kind | Literal["turn"] | None = None,
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
        was drawn from it, nor where that memory is archived. `kind` may be `turn`. Any text is a
        query; none is syntax.
        """
        where = filter_of(
            self._zone, kind=kind, project=project, topic=topic, tag=tag, entity=entity,
            since=since, until=until,
        )  # fmt: skip
        top = self.config.recall.top if top is None else number("top", top)
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        now = self.now()
        with self._store.reading():
            return recall(
                self._store, query, where, top=top, budget=budget, now=now, count=self._count
            )

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        from loxodon.write.snapshot import snapshot

        active = Filter(state="active")
        with self._store.reading():
            counts = self._store.counts()
            records = self._store.find(active, _SNAPSHOT_CANDIDATES, strongest=True)
            records += self._store.find(active, _SNAPSHOT_CANDIDATES)
        unique = list({record.id: record for record in records}.values())
        budget = self.config.snapshot.budget
        return snapshot(unique, counts, self.now(), budget, self._count, language)

    # Care

    def status(self) -> Status:
        """Where this memory stands."""
        with self._store.reading():
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

        return next_daily(self.now(), self.config.consolidation.daily_at, self._zone)

    def validate(self, progress: Progress | None = None) -> Problems:
        """Everything wrong with the data, its history or its indexes; empty when all is well."""
        return self._store.check(progress or _quiet)

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)


def home_at(path: str) -> str:
    """The full path of a home; an InputError for a path that no folder can have."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        path = ""
    if not path or "\0" in path:
        raise InputError("that path cannot be a home", hint="name a folder, in UTF-8")
    return os.path.abspath(os.path.expanduser(path))


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""


def _drafts(turns: Iterable[Mapping[str, object]], zone: tzinfo | None) -> list[Draft]:
    """Turns as drafts; one InputError for all that cannot be taken."""
    from loxodon.workspace.readers import draft_from_mapping

    drafts: list[Draft] = []
    problems: list[tuple[int, InputError]] = []
    for place, turn in enumerate(turns, 1):
        try:
            drafts.append(draft_from_mapping(turn, place, zone))
        except InputError as error:
            problems.append((place, error))
    if problems:
        place, first = problems[0]
        raise InputError(
            "turn {place} cannot be taken: {error}",
            hint="{error_hint}",
            problems=problems,
            place=place,
            error=first,
        )
    return drafts
