"""Start here: a `Memory` is one open space, with everything you can do with it.

    with Memory.open("~/.loxodon") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏"}], session="monday")
        print(memory.recall("花生").context)

A home is a folder. Each space in it (a person or a project) has its own database and is isolated
from the others. Messages go to the journal, and consolidation turns them into memories. `recall`
searches both.

This class declares the operations and documents what they guarantee. The work is done in
`services/`: `journalling` (turns), `knowledge` (memories), `recalling` (text for prompts),
`learning` (consolidation, the model) and `embedders`, all on an open `space` (see `opening`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Self

from loxodon import files
from loxodon.clock import Clock
from loxodon.config import Config
from loxodon.errors import InputError, LoxodonError, refused
from loxodon.fields import choice, filter_of, is_text, moment, number
from loxodon.filelock import at_fork
from loxodon.layout import OFF_MARKER, OLD_STATE
from loxodon.services.embedders import Embedders
from loxodon.services.opening import open_space
from loxodon.services.space import OpenSpace
from loxodon.store import Progress
from loxodon.store.driver import LOCK_SECONDS
from loxodon.store.walls import Wall
from loxodon.trust.audit.witness import MEMORY, audited, put_on_record
from loxodon.trust.guard.guard import Guard
from loxodon.types import (
    CHATS,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    KINDS,
    Added,
    Audience,
    Backup,
    Backups,
    Belief,
    Card,
    Changed,
    Chat,
    Consolidated,
    Draft,
    Embedded,
    Frame,
    Gate,
    HandedOut,
    Held,
    Kind,
    Origin,
    Pause,
    Problems,
    Recall,
    Receipt,
    Record,
    Records,
    Source,
    State,
    Timekeeping,
    Turn,
)

if TYPE_CHECKING:
    from typing import Unpack

    from loxodon.compat.documents import Documents
    from loxodon.fields import Changes
    from loxodon.live.pending import PendingEntry
    from loxodon.live.schedule import Schedule
    from loxodon.models.chat import ChatModel
    from loxodon.models.embedders import Embedder
    from loxodon.recall.gate import State as Conversation
    from loxodon.services.journalling import Journal
    from loxodon.services.knowledge import Knowledge
    from loxodon.services.overviews.curve import Strength
    from loxodon.services.overviews.graph import Graph
    from loxodon.services.overviews.labels import Labels
    from loxodon.services.overviews.related import Related
    from loxodon.services.overviews.settings import Settings
    from loxodon.services.overviews.timeline import Moment
    from loxodon.services.overviews.today import Today
    from loxodon.services.recalling import Recalling
    from loxodon.status import Stats, Status
    from loxodon.store import Note
    from loxodon.store.store import Store
    from loxodon.store.working_sessions import WorkingSessions
    from loxodon.trust.audit.auditing import AuditLog
    from loxodon.trust.audit.inspection import Inspected, Subject
    from loxodon.trust.forget.scanning import Scanned
    from loxodon.trust.forget.tombstones import Marks
    from loxodon.trust.rest.sealing import Seal
    from loxodon.types import Entity, Event, ModelChecked, Review, Segment, Session, Version
    from loxodon.verbs.paging import Item, Key, Page, Slice
    from loxodon.workspace.workspace import Workspace
    from loxodon.write.consolidation import Consolidation
    from loxodon.write.phases import OnPhase


_OPEN = Wall()
_COUNT_SECONDS = 1.0
"""How long the end of a recall waits for other writers, to count what it gave."""


@audited(MEMORY)
class Memory:
    """One space of a home. A context manager, safe to use from several threads and processes."""

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        space: str = "main",
        config: Config | Mapping[str, object] | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        key: bytes | None = None,
        *,
        agent: str = "",
        chat: Chat = "direct",
        relays: bool = False,
    ) -> Memory:
        """Open the space `space` of the home at `path`, creating what does not exist.

        With the setting `store.url`, the space is in a PostgreSQL database, and only the settings
        are in the home.

        `config` replaces the home's config.toml and the model settings from the environment; a
        mapping may set single keys (`{"recall.top": 5}`), and finds the data where config.toml says
        that it is, unless it sets `store.url`. `clock` returns the current time as an
        aware datetime. `embedder` replaces the one set in `config`: any object with a `name` and a
        method `embed(texts)` that returns one vector per text. `key`, 32 bytes, opens an encrypted
        database or encrypts a new one; without it, the settings `encryption.*` say where the key
        is.

        If the setting `enabled` is off, plain files are used instead (`live/plain.py`). They are
        imported when the space is next opened with the engine on.

        `agent`, `chat` and `relays` limit what can be seen and changed; see `within`.
        """
        wall = _OPEN
        if agent or chat != "direct":
            from loxodon.trust.access.within import wall_of

            choice("chat", chat, CHATS)
            wall = wall_of(agent, chat, relays)
        opened = open_space(os.fspath(path), space, config, clock, key, wall)
        if not opened.config.enabled:
            from loxodon.live.plain import PlainMemory

            return PlainMemory(opened)
        memory = cls(opened)
        if embedder is not None:
            from loxodon.models.embedders import ChosenEmbedder

            memory._embedders.use((ChosenEmbedder(embedder),))
        with suppress(LoxodonError):  # a recall need not wait for it; consolidation says why
            memory._catch_up()
        if opened.has_forgotten:
            memory._finish_forgetting()
        return memory

    def __init__(self, space: OpenSpace, embedders: Embedders | None = None) -> None:
        self._space = space
        self._store = space.store
        self._embedders = embedders or Embedders(space.config.embedder)
        self._used: set[str] = set()
        """Memories recalled since the last write. A recall itself never waits for a writer."""
        self._narrower: dict[Wall, Self] = {}
        self._narrowing = Lock()
        put_on_record(space.store, space.root, space.folder, space.config, self.now)
        if space.config.enabled and not OLD_STATE.isdisjoint(files.names(space.folder)):
            from loxodon.services import old_files

            old_files.take_over(space)
        at_fork(self)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def after_fork(self) -> None:
        """The parent counts what was recalled before. Models have threads and sockets."""
        self._used = set()
        self._narrowing = Lock()
        self._embedders.after_fork()

    def close(self) -> None:
        """Close the database. Closing twice is fine."""
        for one in self._narrower.values():
            one.close()
        if self._used:
            self._note_used(_COUNT_SECONDS)
        if self._store.audit is not None:
            self._store.audit.flush()
        self._store.close()

    # Home, space and access

    @property
    def home(self) -> str:
        """The folder of the home."""
        return self._space.home

    @property
    def root(self) -> str:
        """Where its state is: the home, or the address of the database (without a password)."""
        return self._space.root

    @property
    def config(self) -> Config:
        """The settings it was opened with."""
        return self._space.config

    @property
    def guard(self) -> Guard:
        """The rules on what may be stored and how it may be shown."""
        return self._space.guard

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._space.name

    @property
    def agent(self) -> str:
        """The agent this memory is limited to; empty for the owner."""
        return self._space.wall.agent

    @property
    def chat(self) -> Chat:
        """`group` if nothing private can be seen through this memory."""
        return self._space.chat

    def within(self, agent: str = "", chat: Chat = "direct", relays: bool | None = None) -> Self:
        """Return this memory limited to what an agent or a group chat may see and change.

        An agent sees its own memories, memories that belong to no agent, and memories whose
        audience is `all`. What it journals and captures is its own and counts as its own words,
        unless it `relays` the user's. It can change only its own. A group sees nothing private.
        Hidden items behave as if they did not exist. Operations on the whole space are reserved
        for the owner (ForbiddenError). The returned memory is closed with this one.
        """
        from loxodon.trust.access.within import narrower

        choice("chat", chat, CHATS)
        wall = narrower(self._space.wall, agent, chat, relays)
        if wall == self._space.wall:
            return self
        with self._narrowing:
            if wall not in self._narrower:
                self._narrower[wall] = type(self)(self._space.behind(wall), self._embedders)
            return self._narrower[wall]

    def as_agent(self, name: str) -> Self:
        """Return this memory limited to the agent `name`; see `within`."""
        return self.within(name)

    def for_owner(self) -> None:
        """Raise ForbiddenError unless this is the owner's view of the space."""
        self._space.for_owner()

    @property
    def encrypted(self) -> bool:
        """Whether it is encrypted on disk. Then there are no text views."""
        return bool(self._space.keys)

    @property
    def has_views(self) -> bool:
        """Whether it may be on disk as text: not if it is encrypted, nor in a database server."""
        return not self.encrypted and not self.config.store.url

    @property
    def working_sessions(self) -> WorkingSessions | None:
        """The rows of working sessions (`loxodon.working`); None while the engine is off."""
        return self._store.working_sessions if self.config.enabled else None

    @property
    def seal(self) -> Seal | None:
        """Encrypts the files beside an encrypted database; None if it is not encrypted."""
        if not self._space.keys:
            return None
        from loxodon.trust.rest.sealing import Seal

        return Seal(self._space.keys)

    def now(self) -> datetime:
        """The current time by this memory's clock, to the millisecond, as it is stored."""
        return self._space.now()

    # Journal

    def add(
        self,
        turns: Iterable[Mapping[str, object]],
        session: str = "",
        progress: Progress | None = None,
        *,
        me: Collection[str] = (),
    ) -> Added:
        """Add turns to the journal, in order. On return they are on disk and can be recalled.

        A turn is a mapping with `role` and `content`, and optionally `at`, `speaker`, `id`,
        `session`, `channel`, `chat` and `origin`. If any turn is invalid, none is added, and an
        InputError lists the invalid ones.

        A turn that the journal already has is not added again. It is identified by its session
        and `id`; without an id, by its `at`, its text and its position in this call. A turn with
        neither is new each time, unless this call repeats its session from the first turn: then
        only what came since is added. Give an `id` to what may be sent twice.

        `me` lists the speaker names of the user. Turns of these speakers, and turns without one,
        are the user's own words; what another speaker says is about them, by name. This also
        applies to turns added before.
        """
        from loxodon.workspace.readers.jsonl import drafts_of

        drafts = drafts_of(turns, self._space.zone)
        return self.add_drafts(drafts, [session or "default"], progress, live=True, me=me)

    def add_drafts(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Progress | None = None,
        *,
        live: bool = False,
        me: Collection[str] = (),
    ) -> Added:
        """Like `add`, for turns that a reader has already checked (`workspace.readers.read`).

        Turns without a session get the first of `names` that is unused or begins with the same
        turns. What was said during a pause, and what was forgotten, is not added. The time of a
        turn without `at` is unknown, unless it is `live`.
        """
        self._note_used()
        return self._journal.add(drafts, names, progress, live, me)

    def journal(
        self,
        query: str = "",
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
    ) -> Page[Turn]:
        """Return turns as they were said, oldest first; with a query, matching ones, best first.

        `until` is exclusive. `limit` keeps the latest or the best; 0 means all. The next page
        (`Page.next`) has the turns before these; what matches a query has no further page.
        """
        from loxodon.verbs.paging import Page, paged

        journal = self._journal
        session = journal.own_session(session)
        where = filter_of(self._space.zone, session=session, since=since, until=until)
        number("limit", limit)
        if not query:
            return paged("journal", cursor, lambda after: journal.latest(where, limit, after))
        if cursor:
            raise InputError(
                "a query and a cursor cannot be combined",
                hint="what matches a query comes as one page; set the limit instead",
            )
        return Page(journal.find(query, where, limit))

    def sessions(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
    ) -> Page[Session]:
        """The conversations in the journal, the one that began last first."""
        where = filter_of(self._space.zone, since=since, until=until)
        return self._paged(
            "sessions", limit, cursor, lambda n, after: self._store.pages.sessions(where, n, after)
        )

    def turn(self, ref: str) -> Turn:
        """The turn with this `ref` (`t_512`, or `monday:m3` as in a source), or NotFoundError."""
        return self._journal.turn(ref)

    def segments(
        self, since: datetime | None = None, *, limit: int = 0, cursor: str = ""
    ) -> Page[Segment]:
        """The parts of conversations by topic, in order of time."""
        where = filter_of(self._space.zone, since=since)
        return self._paged(
            "segments", limit, cursor, lambda n, after: self._store.pages.segments(where, n, after)
        )

    def events(
        self, since: datetime | None = None, *, limit: int = 0, cursor: str = ""
    ) -> Page[Event]:
        """One line per session and day on what it was about, in order of time."""
        day = f"{since:%Y-%m-%d}" if since else ""
        return self._paged(
            "events", limit, cursor, lambda n, after: self._store.pages.events(day, n, after)
        )

    # Memories

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
        audience: Audience = "private",
        origin: Origin | None = None,
        source: Source | None = None,
        token: str = "",
    ) -> Record:
        """Store a memory as given. It is on disk when this returns.

        `origin` says where the words came from; the default is the user. What an agent captures is
        its own note, as with `remember`; it cannot claim the user's origin (ForbiddenError).

        The text is also journalled (session `capture`), so the memory has a source like any other.
        The owner can name another `source`, such as the line of a file. A fact is certain; a belief
        has a confidence below 1 (default 0.6). A repeated call with the same `token` stores nothing
        and returns the result of the first.
        """
        return self._knowledge.capture(
            content,
            kind,
            confidence=confidence,
            origin=origin,
            source=source,
            token=token,
            noted=self._space.wall.speaks,
            importance=importance,
            entities=entities,
            tags=tags,
            project=project,
            topic=topic,
            category=category,
            expires_at=expires_at,
            audience=audience,
        )

    def remember(
        self, content: str, kind: Kind = "fact", *, quote: str = "", **more: Any
    ) -> Record:
        """Store an agent's note, as the assistant's words (see `capture` for the fields).

        It is a fact if something the user said in the last few days supports it. Otherwise it is a
        belief that waits for the user (`reviews`). It appears in no snapshot or profile before the
        user says or confirms it.

        With a `quote`, words of a journalled message of the user, it is the user's own word: the
        sentence must be a plain one in the first person, and say what is remembered. The same
        note twice is one memory.
        """
        return self._knowledge.remember(content, kind, quote, more)

    def take_entries(self, entries: Sequence[PendingEntry]) -> int:
        """Import what was said and captured while the engine was off; return how many were new.

        All or none are imported. Known entries are skipped.
        """
        return self._knowledge.take_entries(entries)

    def get(self, id: str) -> Record:
        """The memory with this `id`, or NotFoundError."""
        return self._knowledge.get(id)

    def note(self, id: str) -> Note:
        """The note with this `id` (`n_12`), or NotFoundError if it no longer exists."""
        return self._knowledge.note(id)

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
        cursor: str = "",
        audience: Audience | None = None,
    ) -> Page[Record]:
        """Memories, newest first. `state` None or `all` includes archived ones.

        `limit` 0 returns all. What `list` and every other verb that lists return has a `next`: hand
        it in as `cursor`, with the same filters, for the next page.
        """
        where = filter_of(
            self._space.zone,
            kind=kind,
            state=None if state == "all" else state,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            told=audience,
        )
        return self._paged(
            "list", limit, cursor, lambda n, after: self._store.pages.memories(where, n, after)
        )

    def edit(
        self, id: str, *, version: int | None = None, token: str = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change fields of a memory (see `Changes`). The previous version stays in its history.

        An agent can change its own memories, and the wording of the owner's as `revise` allows.
        With `version`, raises StaleEditError if the memory has changed since. An edit that changes
        nothing makes no new version. A repeated call with the same `token` changes nothing and
        returns the result of the first.
        """
        return self._knowledge.edit(id, version, token, changes)

    def revise(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """Like `edit`, for an agent: it may change the user's own words only to something the user
        said in the last few days. Otherwise raises InputError."""
        return self._knowledge.revise(id, version, changes)

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Remove a memory from normal recall. It is kept and can be brought back."""
        return self._knowledge.archive(id, version)

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring back an archived memory, strong enough not to fade again at once."""
        return self._knowledge.unarchive(id, version)

    def unarchive_run(self, at: datetime) -> Records:
        """Bring back what the run at that time archived because of its age (see `timekeeping`).

        Each memory gets the strength it would have without that run. Memories changed since stay
        as they are. Raises NotFoundError if no run archived anything at that time.
        """
        return self._knowledge.unarchive_run(moment("at", at, self._space.zone) or at)

    def history(self, id: str, *, limit: int = 0, cursor: str = "") -> Page[Version]:
        """Every version of a memory, oldest first; the last is the current one."""
        from loxodon.verbs.paging import cut

        with self._store.reading():
            self.get(id)
            found = self._store.history(id)
        # Versions are only ever added, at the end: the number of one is its key.
        numbered = [((n,), version) for n, version in enumerate(found)]
        return self._paged("history", limit, cursor, lambda n, after: cut(numbered, n, after))

    def drawn_from(self, turn: Turn) -> Records:
        """The memories that have this turn as a source."""
        row = int(turn.ref.removeprefix("t_") or 0)
        with self._store.reading():
            rows = self._store.drawn_from([row]).get(row, [])
            return [*self._store.records(rows).values()]

    def changes_since(self, at: datetime) -> Changed:
        """(memory, change, time) of the last changes since `at`, in order."""
        return self._store.worklog.changes_since(at)

    def quarantine(
        self, state: str | None = "held", limit: int = 50, cursor: str = ""
    ) -> Page[Held]:
        """Instructions found in other people's text and held back, newest first, and what the user
        asked to have forgotten (`reason` is `forget`; `forget q_12` deletes it).

        Agents and groups see that something is held back, but not its text. `state` is `held`,
        `released`, `dropped`, `unclear` (a request to forget that needs an answer) or `all`;
        `limit` 0 returns all.
        """
        from loxodon.trust.origin import quarantine

        choice("state", state or "all", (*quarantine.STATES, "all"))
        which = None if state in (None, "all") else state
        found = self._paged(
            "quarantine",
            limit,
            cursor,
            lambda n, after: quarantine.listed(self._store, which, n, after),
        )
        if self._store.wall.stands:
            found[:] = [one._replace(text="") for one in found]
        return found

    def release(self, id: str) -> Held:
        """Release held text `id` (`q_12`): it may be shown, as data with its origin.

        What the user asked to have forgotten comes back whole, with its memories.
        """
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            held = quarantine.release(self._store, id, self.now())
            if held.reason == quarantine.FORGET:
                from loxodon.trust.forget.asked import tell_again

                tell_again(self._store, held.id)
            return held

    def drop(self, id: str) -> Held:
        """Never show held text `id`. The message stays in the journal as it was."""
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            return quarantine.drop(self._store, id, self.now())

    def reviews(self, *, limit: int = 0, cursor: str = "") -> Page[Review]:
        """Beliefs that contradict a fact and wait for a decision, oldest first."""
        return self._paged("reviews", limit, cursor, self._store.pages.reviews)

    def confirm(self, id: str, *, version: int | None = None) -> Record:
        """Confirm the belief `id`: it becomes a fact, and what it contradicts ends.

        With `version` (the one that was shown), raises StaleEditError if it has changed since. An
        agent cannot confirm for the user (ForbiddenError).
        """
        from loxodon.write.keep import confirm

        with self._store.writing():
            self._knowledge.at_version(id, version)
            return confirm(self._store, id, self.now())

    def reject(self, id: str, *, version: int | None = None) -> Record:
        """Reject the belief `id`: it is archived. `version` is as in `confirm`."""
        from loxodon.write.keep import reject

        with self._store.writing():
            self._knowledge.at_version(id, version)
            return reject(self._store, id, self.now())

    def entities(self, *, limit: int = 0, cursor: str = "") -> Page[Entity]:
        """The people and things that memories are about, in the order they were first named."""
        return self._paged("entities", limit, cursor, self._store.pages.entities)

    def entity(self, name: str) -> Card:
        """Everything known about an entity, by any of its names, or NotFoundError."""
        from loxodon.write.entities import card

        with self._store.reading():
            return card(self._store, self._knowledge.entity(name))

    def touch(self, ids: Iterable[str]) -> int:
        """Count memories as used; return how many of them exist.

        The next consolidation strengthens them and brings back those that had faded.
        """
        now = self.now()
        with self._store.writing():
            return self._store.worklog.use(ids, f"{now:%Y-%m-%d}", now)

    def _note_used(self, seconds: float = LOCK_SECONDS) -> None:
        """Count what was recalled since the last write."""
        used, self._used = self._used, set()
        if used:
            now, audit = self.now(), self._store.audit
            writing = audit.writing if audit else self._store.writing
            with suppress(LoxodonError), writing(seconds):  # a count is not worth failing for
                self._store.worklog.use(sorted(used), f"{now:%Y-%m-%d}", now)

    def inspect(self, name: str) -> Inspected:
        """Everything about a memory, turn, note or entity, by its id or name."""
        from loxodon.trust.audit.inspection import inspect

        if self._store.audit is not None:
            self._store.audit.flush()
        return inspect(self, self._store, name)

    def subject(self, name: str) -> Subject:
        """Everything known about a person or thing, or NotFoundError."""
        from loxodon.trust.audit.inspection import subject

        return subject(self, self._store, name)

    # Overviews, for people

    def today(self, since: datetime | None = None, *, limit: int = 50) -> Today:
        """What was learned, changed and ended since a time (default: the last week), and what
        waits: beliefs to review, doubtful facts, plans that are due, and jobs.

        At most `limit` of each, newest first.
        """
        from loxodon.services.overviews.today import today

        at = moment("since", since, self._space.zone)
        return today(self, self._store, at, number("limit", limit))

    def timeline(
        self,
        *,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 0,
        cursor: str = "",
    ) -> Page[Moment]:
        """Turns, newest first, each with the memories drawn from it."""
        from loxodon.services.overviews.timeline import moments

        journal = self._journal
        where = filter_of(
            self._space.zone, session=journal.own_session(session), since=since, until=until
        )

        def read(limit: int, after: Key | None) -> Slice[Moment]:
            with self._store.reading():
                turns, last = journal.latest(where, limit, after)
                return moments(self._store, turns), last

        return self._paged("timeline", limit, cursor, read)

    def graph(self, *, limit: int = 150, until: datetime | None = None, around: str = "") -> Graph:
        """The people and things that memories are about, and what ties them.

        It has the `limit` strongest (0 for all), as of `until` if given. With `around`, the name
        or id of one, it has only that one and its neighbours; NotFoundError if there is none.
        """
        from loxodon.services.overviews.graph import graph

        at = moment("until", until, self._space.zone)
        return graph(self._space, number("limit", limit), at, around)

    def related(self, id: str) -> Related:
        """Where a memory was said, with the turns around it, and what it replaced, was made of and
        was drawn from it."""
        from loxodon.services.overviews.related import related

        with self._store.reading():
            return related(self._store, self.get(id), self._journal.heard)

    def strength(self, id: str, *, days: int = 180) -> Strength:
        """The strength of a memory since it was made, and for the next `days` if nobody uses it."""
        from loxodon.services.overviews.curve import strength

        rates = self.config.decay
        return strength(self._store, id, self.now(), number("days", days), rates)

    def labels(self, *, limit: int = 100) -> Labels:
        """The projects, topics, tags and entities of active memories, the most used first."""
        from loxodon.services.overviews.labels import labels

        return labels(self._store, number("limit", limit))

    def settings(self) -> Settings:
        """Every setting, with where it comes from; secrets are masked."""
        from loxodon.services.overviews.settings import listed

        self.for_owner()
        return listed(self.config, self.home, os.environ)

    # Recall

    def recall(
        self,
        query: str,
        top: int | None = None,
        budget: int | None = None,
        *,
        kind: Kind | Literal["turn", "note"] | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: str | None = None,
        entity: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
        profile: str | None = None,
        chat: Chat = "direct",
        in_view: Iterable[str] = (),
        reveal: bool = False,
    ) -> Recall:
        """Search the memory for `query`: the best items first, each with a reason.

        Returns at most `top` items (default 10) and a block of at most `budget` tokens (default
        1,000) for an agent. Items are memories, turns and notes from files. A turn is not shown
        together with the memory drawn from it, nor if that memory was archived. `kind` may also be
        `turn` or `note`. A query is plain text without syntax. `profile` selects another ranking:
        `default`, `phase1`, `openclaw` or `tiered`.

        In a group `chat`, nothing private is returned or counted: no private memory, no turn of a
        direct chat, no note. `in_view` lists turns that the agent already sees, by text or ref.
        They are not returned, and neither are memories drawn from them alone.

        Identity and card numbers are masked, unless the owner sets `reveal`. In a group chat,
        phone numbers, email addresses and postal addresses are masked too.
        """
        is_text("query", query)
        heard = self.within(chat=chat)._recalling
        where = filter_of(
            self._space.zone,
            kind=kind,
            project=project,
            topic=topic,
            tag=tag,
            entity=entity,
            since=since,
            until=until,
            audience=heard.audience,
        )
        found = heard.recall(
            query,
            where,
            self.config.recall.top if top is None else number("top", top),
            self.config.recall.budget if budget is None else number("budget", budget),
            as_of=moment("as_of", as_of, self._space.zone),
            profile=profile,
            in_view=in_view,
            reveal=reveal,
        )
        if as_of is None and not found.unsure:
            self._used.update(item.id for item in found.items if item.kind in KINDS)
        return found

    def assemble(
        self,
        message: str,
        *,
        soul: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        history: Iterable[str | Mapping[str, object]] = (),
        chat: Chat = "direct",
        state: Conversation | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> Frame:
        """Build everything an agent should see before it replies to `message`, as one text.

        It contains the soul (given, or SOUL.md in `workspace` or the home), the user's profile,
        related memories if the gate decides to recall, what was said today and yesterday, and the
        message. It has at most `budget` tokens (default 4,000), or is the message alone if that
        has more.

        `history` is what the agent already has of this conversation, as texts or `{"role",
        "content"}`; it is not repeated. With the `state` of the previous frame, memories come once
        per topic; without it, with every message that asks for them. In a group `chat`, nothing
        private is included.
        """
        is_text("message", message)
        heard = self.within(chat=chat)._recalling
        budget = self.config.recall.frame if budget is None else number("budget", budget)

        def ask(budget: int, in_view: frozenset[str]) -> Recall:
            return self.recall(message, top, budget, chat=chat, in_view=in_view)

        return heard.assemble(message, soul, workspace, history, state, budget, ask)

    def gate(
        self, message: str, *, chat: Chat = "direct", state: Conversation | None = None
    ) -> Gate:
        """Decide whether `message` is worth a recall in this conversation, and why."""
        is_text("message", message)
        return self.within(chat=chat)._recalling.gate(message, state)

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        return self._recalling.snapshot(language)

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known about the user, and last week's changes, as Markdown.

        Consolidation rebuilds it once a week; `refresh` rebuilds it now.
        """
        from loxodon.services.learning import residue

        return self._recalling.profile(language, residue(self._space), refresh)

    def due_reminders(self, limit: int = 20, cursor: str = "") -> Page[Record]:
        """Plans that are due and not done, earliest first."""
        return self.schedule.reminders(number("limit", limit), cursor)

    # Consolidation, model, vectors

    def consolidate(
        self,
        *,
        force: bool = False,
        if_due: bool = False,
        phase: int | None = None,
        progress: OnPhase | None = None,
    ) -> Consolidated:
        """Turn what was said since the last run into memories, in seven phases.

        Runs if turns are pending or a run is due. `force` runs anyway, also after three failures;
        `if_due` runs only if due. `phase` runs a single phase. An interrupted run resumes where it
        stopped, and only one runs at a time.

        Afterwards, changed notes are read, edits in the text views are imported and the views
        rewritten (setting `workspace.views`). If that fails, nothing is undone, and
        `Consolidated.views` says why.
        """
        if self.paused:
            return Consolidated(False, "paused")
        self._note_used()
        self._catch_up()
        done = self._consolidation().run(
            self.now(), force=force, if_due=if_due, phase=phase, on_phase=progress
        )
        if done.ran and phase is None:
            with suppress(LoxodonError):  # what cannot be read now is read the next time
                self.workspace.index()
            if self.workspace.has_views:
                return done._replace(views=self.workspace.renew())
        return done

    def flush(self) -> Consolidated:
        """Turn the latest messages into memories, without the nightly work: phases 1 to 4 and 6."""
        if self.paused:
            return Consolidated(False, "paused")
        self._note_used()
        self._catch_up()
        return self._consolidation().flush(self.now())

    def flush_due(self, began: datetime | None = None) -> str:
        """Why a flush is due: `tokens` or `quiet` (settings `buffer.*`), or `over` if something was
        said before the program that asks `began`; empty if it is not."""
        if self.paused:
            return ""
        from loxodon.services.learning import flush_due

        return flush_due(self._space, began)

    def consolidation_due(self) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty if it is not."""
        if self.paused:
            return ""
        return self._consolidation().due(self.now())

    def next_consolidation(self) -> datetime | None:
        """When the next nightly run is due; None if none is scheduled."""
        from loxodon.write.schedule import next_time

        return next_time(self.config.schedule.daily, self.now(), self._space.zone)

    def hand_out(self) -> HandedOut:
        """What waits for a model, as a question that an agent can answer instead."""
        from loxodon.services.learning import handed_out

        self.for_owner()
        return handed_out(self._space, self._consolidation().hand_out(self.now()))

    def take_answer(self, ticket: str, answer: str) -> Consolidated:
        """Learn from an agent's answer to `hand_out`, with the same checks as for a model's answer.
        Raises InputError with the reason if nothing in it passes."""
        self.for_owner()
        return self._consolidation().take_answer(self.now(), ticket, answer)

    def check_model(self) -> ModelChecked:
        """Test the configured model on the test sentences now; ConfigError if none is set.

        The result decides whether the model is asked about anything (setting `model.check`).
        """
        from loxodon.write.model_reading import check

        self.for_owner()
        return check(self.chat_model(), self._store, self.config.model, self.now())

    def chat_model(self) -> ChatModel:
        """The configured model, within its daily token limit; ConfigError if none is set."""
        from loxodon.services.learning import chat_model

        return chat_model(self._space)

    def embed(self, progress: Progress | None = None) -> Embedded:
        """Embed every turn and memory that has no vector of the configured embedder yet.

        Consolidation does the same at its end. The next run continues an interrupted one and
        retries failures. Raises ConfigError if the embedder cannot be created.
        """
        return self._embedders.embedding(self._space).run(progress)

    # Forgetting, pausing, the clock

    def forget(
        self,
        *ids: str,
        entity: str = "",
        topic: str = "",
        session: str = "",
        since: datetime | None = None,
        all: bool = False,
        also: Sequence[str] = (),
        only: bool = False,
        doubtful: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Erase permanently from every file Loxodon writes, and keep it from coming back.

        Select by `ids` of memories, turns (`t_12`) or entities (`e_003`), or by one of the other
        arguments. This also erases:

        - with a memory: memories that say the same, and the clauses in the journal that say it;
        - with an `entity`, by any of its names and those in `also`: every sentence that has one of
          them as whole words, and sentences its memories were drawn from that have a pronoun for
          it. `Receipt.doubtful` lists sentences that may be about it (`my friend`, a name without
          its capital); with `doubtful` they are erased too;
        - with a turn, a session or everything `since` a time: what is known only from these.

        With `only` it erases nothing else: just the memories and turns with these ids, and in the
        turns that a memory was drawn from the sentences that say it.

        What was derived from it is rebuilt without it. `Receipt.files` lists the user's files that
        still contain it, `Receipt.near` names that stay and may be short forms. With `dry_run`, it
        is only counted.
        """
        from loxodon.trust.forget.forgetting import forget
        from loxodon.trust.forget.selecting import Selection

        at = moment("since", since, self._space.zone)
        chosen = Selection(
            tuple(dict.fromkeys(ids)),
            entity,
            topic,
            session,
            at,
            all,
            tuple(dict.fromkeys(also)),
            only,
            doubtful,
        )
        self._catch_up()  # what waits in plain files is forgotten with the rest
        return forget(self, self._store, chosen, dry_run=dry_run, progress=progress or _quiet)

    def receipts(self, *, limit: int = 0, cursor: str = "") -> Page[Receipt]:
        """What was forgotten, when and by whom, without the words; newest first."""
        from loxodon.trust.forget.forgetting import receipts

        return self._paged(
            "receipts", limit, cursor, lambda n, after: receipts(self, self._store, n, after)
        )

    def forgotten(self) -> Marks | None:
        """Marks of what must not come back, for importers; None if nothing was forgotten."""
        return self._space.forgotten()

    def pause(self, until: datetime | None = None) -> Pause:
        """Stop journalling and learning, until `until` or `resume`. Recall still works."""
        return self._space.pauses.begin(self.now(), moment("until", until, self._space.zone))

    def resume(self) -> bool:
        """End a pause; return whether there was one. What was said in it is not added later."""
        return self._space.pauses.end(self.now())

    @property
    def paused(self) -> Pause | None:
        """The current pause, or None."""
        return self._space.paused

    def refuse_if_paused(self) -> None:
        """Raise PausedError during a pause."""
        self._space.refuse_if_paused()

    def timekeeping(self) -> Timekeeping:
        """The clock's time, whether it is trusted, and what was archived because of its age."""
        self.for_owner()
        from loxodon import status

        with self._store.reading():
            return status.timekeeping(self, self._store)

    def trust_clock(self) -> Timekeeping:
        """Confirm that the clock is right, so that work which depends on age uses it.

        After a jump, such work waits until the clock has run on for a while
        (`store/clock_check.py`).
        """
        self.for_owner()
        with self._store.writing():
            worklog = self._store.worklog
            worklog.set_belief(Belief(self.now(), turn=worklog.last_turn()))
        return self.timekeeping()

    def scan(self, *, mend: bool = False) -> Scanned:
        """Search for text that was stored before a rule against it existed.

        `mend` removes it from the journal, memories, history, documents and transcripts.
        """
        from loxodon.trust.forget.scanning import scan

        return scan(self, self._store, mend=mend)

    # Workspace, audit log, documents, schedule

    @property
    def workspace(self) -> Workspace:
        """The memory as text, and the files beside it."""
        from loxodon.workspace.workspace import Workspace

        return Workspace(self, self._store, self._space.folder, self._space.zone)

    @property
    def audit(self) -> AuditLog:
        """Who read and wrote what, and whether the log was tampered with."""
        from loxodon.trust.audit.auditing import AuditLog

        self.for_owner()
        return AuditLog(self._store, self._space.zone)

    @property
    def documents(self) -> Documents:
        """JSON values that programs store beside the memories, by namespace and key."""
        from loxodon.compat.documents import Documents
        from loxodon.store.walls import documents_of

        return Documents(self._store, self.now, documents_of(self.agent), self.guard)

    @property
    def schedule(self) -> Schedule:
        """Background jobs: what is due, how the last runs went, and running them now."""
        from loxodon.live.schedule import Schedule

        return Schedule(self, self._store, self._space.zone, self._consolidation)

    # Maintenance

    def status(self) -> Status:
        """The state of this memory."""
        from loxodon import status

        with self._store.reading():
            return status.status(self, self._store, self._embedders.coverage(self._space))

    def stats(self) -> Stats:
        """Counts of what this memory contains."""
        from loxodon import status

        with self._store.reading():
            return status.stats(self, self._store, self._embedders.coverage(self._space))

    def validate(self, progress: Progress | None = None) -> Problems:
        """Every problem with the data, its history, indexes or views; empty if there is none."""
        from loxodon.workspace.views.checking import damaged_views

        views = damaged_views(self.workspace.path) if self.has_views else ()
        return [*self._store.check(progress or _quiet), *views]

    def backup(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        keep: int | None = None,
        progress: Progress | None = None,
    ) -> Backup:
        """Write this space, as it is now, to one file. Others can go on working meanwhile.

        Without `path`, the file is named by the time and put into the folder `backup.folder`, which
        keeps the latest `keep` files (setting `backup.keep`). An encrypted memory stays encrypted.
        """
        from loxodon.backup.create import backup

        if self.config.store.url:
            raise refused("backup")
        self._store.counts()  # says why where there is nothing to read
        return backup(
            self.home,
            [self.space],
            None if path is None else os.fspath(path),
            config=self.config,
            keys=self._space.keys,
            now=self.now(),
            keep=keep,
            overwrite=overwrite,
            progress=progress or _quiet,
        )

    def backups(self) -> Backups:
        """The backups of this space, or of the whole home, in the folder `backup.folder`; newest
        first."""
        from loxodon.backup.create import found

        self.for_owner()
        return found(self.home, self.space, self.config, self._space.zone)

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Rebuild every index from the data; return how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)

    def beside(self, path: str) -> Store:
        """Open the store in another, set-aside file of this space. The caller closes it."""
        from loxodon.services.opening import store_beside

        self.for_owner()
        return store_beside(self._space, path)

    # Services

    def _paged(
        self, verb: str, limit: int, cursor: str, read: Callable[[int, Key | None], Slice[Item]]
    ) -> Page[Item]:
        """A page of what `read` gives for a limit and a key."""
        from loxodon.verbs.paging import paged

        number("limit", limit)
        return paged(verb, cursor, lambda after: read(limit, after))

    @property
    def _journal(self) -> Journal:
        from loxodon.services.journalling import Journal

        return Journal(self._space)

    @property
    def _knowledge(self) -> Knowledge:
        from loxodon.services.knowledge import Knowledge

        return Knowledge(self._space, self._journal)

    @property
    def _recalling(self) -> Recalling:
        from loxodon.services.recalling import Recalling

        return Recalling(self._space, self._embedders)

    def _consolidation(self) -> Consolidation:
        from loxodon.services.learning import consolidation

        return consolidation(self._space, lambda: self._embedders.embed_quietly(self._space))

    def _catch_up(self) -> None:
        """Import what was written while the engine was off, if anything was."""
        if not os.path.exists(os.path.join(self._space.folder, OFF_MARKER)):
            return
        if self._store.wall.stands:  # it is of everybody, and so for the owner to take in
            key = self._space.keys[0] if self._space.keys else None
            Memory.open(self.home, self.space, self.config, self._space.clock, key=key).close()
            return
        from loxodon.live.pending import Pending

        Pending(self._space.folder, self.workspace.path, self.space, self.seal).take_in(self)
        self.workspace.index()

    def _finish_forgetting(self) -> None:
        """Finish a forget that was killed, or that a restored backup still needs."""
        if self._store.wall.stands:
            return
        from loxodon.trust.forget.forgetting import finish

        finish(self, self._store)


def _quiet(done: int, total: int) -> None:
    """Ignore progress."""
