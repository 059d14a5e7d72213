"""Start here: a `Memory` is one open space of a home, with everything you can do with it.

    with Memory.open("~/.loxodon") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏"}], session="monday")
        print(memory.recall("花生").context)

Messages go to the journal, consolidation turns them into memories, `recall` searches both. Each
verb is a method with the decorator `verb`, from which all surfaces are derived. Those for single
memories are in `consolidate/knowledge.py`, those that give text for prompts in
`recall/recalling.py`, those for pages in `recall/overviews.py`, the others here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Unpack

from loxodon import files, verbs
from loxodon.clock import Clock
from loxodon.compat.documents import Documents
from loxodon.config import Config
from loxodon.consolidate.embedding import Embedded, Embedders
from loxodon.consolidate.knowledge import Knowledge
from loxodon.errors import InputError, LoxodonError, refused
from loxodon.fields import choice, filter_of, moment, number
from loxodon.filelock import at_fork
from loxodon.forget.receipts import Receipt, kept
from loxodon.jobs.schedule import Schedule
from loxodon.layout import OFF_MARKER, OLD_STATE
from loxodon.opening import OpenSpace, open_space
from loxodon.paging import Item, Key, Page, Slice, cut, paged
from loxodon.recall.overviews import Overviews
from loxodon.recall.recalling import Recalling
from loxodon.security.audit import put_on_record
from loxodon.security.audit_log import AuditLog
from loxodon.security.permissions import narrower, wall_of
from loxodon.store import Progress, quiet
from loxodon.store.driver import LOCK_SECONDS
from loxodon.store.walls import Wall, documents_of
from loxodon.types import CHATS, Added, Audience, Chat, Draft, Pause, Problems, Record, State, Turn
from loxodon.verbs import VERBS as VERBS
from loxodon.verbs import Arg, Cursor, Limit, Route, Since, Until, verb
from loxodon.views.workspace import Workspace

if TYPE_CHECKING:
    from loxodon.backup.create import Backup, Backups
    from loxodon.consolidate.consolidation import Consolidation
    from loxodon.consolidate.model_reading import ModelChecked
    from loxodon.consolidate.pipeline import Consolidated, OnPhase
    from loxodon.guard.quarantine import Held
    from loxodon.models.chat import ChatModel
    from loxodon.models.embedders import Embedder
    from loxodon.security.inspection import Inspected
    from loxodon.status import Stats, Status
    from loxodon.types import Entity, Event, Review, Segment, Session, Version

_HELD = ("held", "released", "dropped", "all")


class Memory(Knowledge, Recalling, Overviews, AbstractContextManager["Memory"]):
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

        `config` replaces config.toml and the environment; a mapping may set single keys
        (`{"recall.top": 5}`), and finds the data where config.toml says unless it sets `store.url`.
        `embedder` has a `name` and a method `embed(texts)` that returns one vector per text. `key`,
        32 bytes, is instead of the settings `encryption.*`. `agent`, `chat` and `relays`: `within`.
        """
        choice("chat", chat, CHATS)
        wall = wall_of(agent, chat, relays) if agent or chat != "direct" else Wall()
        opened = open_space(os.fspath(path), space, config, clock, key, wall)
        if not opened.config.enabled:
            from loxodon.views.plain import PlainMemory

            return PlainMemory(opened)
        try:
            memory = cls(opened)
            memory._embedders.use(embedder)
            with suppress(LoxodonError):  # a recall need not wait for it; consolidation says why
                memory._catch_up()
            if opened.has_to_forget and not wall.stands:
                from loxodon.forget.erase import finish

                finish(memory, memory._store)  # one that was killed, or a restored backup needs
        except BaseException:
            opened.store.close()
            raise
        return memory

    def __init__(self, space: OpenSpace, embedders: Embedders | None = None) -> None:
        at, how = (space.home, space.root, space.folder), (space.clock, space.zone, space.keys)
        super().__init__(*at, space.store, space.config, *how)
        self._embedders = embedders or Embedders(space.config.embedder)
        self._used: set[str] = set()  # memories recalled since the last write
        self._narrower: dict[Wall, Self] = {}
        self._narrowing = Lock()
        put_on_record(space.store, space.root, space.folder, space.config, self.now)
        is_whole = space.config.enabled and not space.wall.stands
        if is_whole and not OLD_STATE.isdisjoint(files.names(space.folder)):
            from loxodon import old_files

            old_files.take_over(space)
        at_fork(self)

    def __init_subclass__(cls) -> None:
        for method in [*vars(cls).values()]:
            if callable(method) and method.__name__ in VERBS:
                setattr(cls, method.__name__, verbs.wrapped(method, VERBS[method.__name__]))

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
            self._note_used(seconds=1.0)  # not longer: somebody waits for the end of a recall
        if self._store.audit is not None:
            self._store.audit.flush()
        self._store.close()

    # Home, space and access

    def within(self, agent: str = "", chat: Chat = "direct", relays: bool | None = None) -> Self:
        """Return this memory limited to what an agent or a group chat may see and change.

        An agent sees its own memories, those of no agent and those whose audience is `all`; it
        changes only its own. What it says counts as its own words, unless it `relays` the user's. A
        group sees nothing private.
        """
        choice("chat", chat, CHATS)
        wall = narrower(self.wall, agent, chat, relays)
        if wall == self.wall:
            return self
        with self._narrowing:
            if wall not in self._narrower:
                self._narrower[wall] = type(self)(self.behind(wall), self._embedders)
            return self._narrower[wall]

    @property
    def has_views(self) -> bool:
        """Whether it may be on disk as text: not if it is encrypted, nor in a database server."""
        return not self.keys and not self.config.store.url

    # Journal

    @verb("POST /turns", access="write", audit="writes", makes_space=True)
    def add(
        self,
        turns: Annotated[Iterable[Mapping[str, object]], Arg("turns, oldest first", verbs.TURNS)],
        session: Annotated[str, Arg("session for turns that name none")] = "",
        progress: Progress | None = None,
        *,
        me: Annotated[Collection[str], Arg("the user's names; other speakers are others")] = (),
    ) -> Added:
        """Add turns to the journal, in order. They are on disk when the answer comes. A turn that
        the journal already has, by its id or by its time and text, is not added again.

        A turn has `role` and `content`, and optionally `at`, `speaker`, `id`, `session`, `channel`,
        `chat` and `origin`. If any is invalid, none is added. Turns of a speaker in `me`, and those
        without one, are the user's own words.
        """
        from loxodon.journal.jsonl import drafts_of

        drafts = drafts_of(turns, self.zone)
        return self.add_drafts(drafts, [session or "default"], progress, live=True, me=me)

    @verb(access="write", audit="writes")
    def add_drafts(
        self,
        drafts: Sequence[Draft],
        names: Sequence[str],
        progress: Progress | None = None,
        *,
        live: bool = False,
        me: Collection[str] = (),
    ) -> Added:
        """Like `add`, for turns that a reader has checked. Those without a session get the first of
        `names` that is unused or begins with the same turns; those without `at` happen now if they
        are `live`."""
        self._note_used()
        return self._journal.add(drafts, names, progress, live, me)

    @verb("GET /turns", audit="reads", masked="unless revealed")
    def journal(
        self,
        query: verbs.Query = "",
        *,
        session: verbs.InSession = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 0,
        cursor: Cursor = "",
    ) -> Page[Turn]:
        """List turns: the latest, in order of time; the next page has those before. With a query:
        those that match, best first, on one page."""
        journal = self._journal
        session = journal.own_session(session)
        where = filter_of(self.zone, session=session, since=since, until=until)
        number("limit", limit)
        if not query:
            return paged("journal", cursor, lambda after: journal.latest(where, limit, after))
        if cursor:
            hint = "what matches a query comes as one page; set the limit instead"
            raise InputError("a query and a cursor cannot be combined", hint=hint)
        return Page(journal.find(query, where, limit))

    @verb("GET /sessions", audit="reads")
    def sessions(
        self, *, since: Since = None, until: Until = None, limit: Limit = 0, cursor: Cursor = ""
    ) -> Page[Session]:
        """List the conversations in the journal, the one that began last first."""
        return self._listed("sessions", limit, cursor, since=since, until=until)

    @verb("GET /turns/{ref}", audit="reads", masked="unless revealed")
    def turn(self, ref: str) -> Turn:
        """Return one turn, by its ref (t_512), or by session and id (`monday:m3`)."""
        return self._journal.turn(ref)

    @verb("GET /segments", audit="reads", masked="always")
    def segments(
        self, since: Since = None, *, limit: Limit = 0, cursor: Cursor = ""
    ) -> Page[Segment]:
        """List segments: parts of conversations about one topic, in order of time."""
        return self._listed("segments", limit, cursor, since=since)

    @verb("GET /events", audit="reads", masked="always")
    def events(self, since: Since = None, *, limit: Limit = 0, cursor: Cursor = "") -> Page[Event]:
        """List events: one line for each session and day, in order of time."""
        return self._listed("events", limit, cursor, f"{since:%Y-%m-%d}" if since else "")

    # Memories

    @verb("GET /memories", audit="reads", masked="unless revealed")
    def list(
        self,
        *,
        kind: verbs.OfKind = None,
        state: Annotated[State | Literal["all"] | None, Arg("which to list (active)")] = "active",
        limit: Limit = 0,
        cursor: Cursor = "",
        audience: Annotated[Audience | None, Arg("only what this audience may see")] = None,
        **where: Unpack[verbs.Where],
    ) -> Page[Record]:
        """List memories, newest first. `limit` 0 returns all."""
        more = {"kind": kind, "state": None if state == "all" else state, "told": audience}
        return self._listed("list", limit, cursor, **where, **more)

    @verb("GET /memories/{id}/history", audit="reads", masked="unless revealed")
    def history(self, id: str, *, limit: Limit = 0, cursor: Cursor = "") -> Page[Version]:
        """List every version of a memory, oldest first."""
        with self._store.reading():
            self.get(id)
            found = self._store.history(id)
        # Versions are only ever added, at the end: the number of one is its key.
        numbered = [((n,), version) for n, version in enumerate(found)]
        return self._paged("history", limit, cursor, lambda n, after: cut(numbered, n, after))

    @verb(Route("GET /quarantine", access="owner"), audit="reads", masked="always")
    def quarantine(
        self,
        state: Annotated[str | None, Arg("which entries (held)", _HELD)] = "held",
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Page[Held]:
        """List instructions found in other people's text and held back, and what the user asked to
        have forgotten (`reason` begins with `forget`), newest first."""
        from loxodon.guard import quarantine

        choice("state", state or "all", _HELD)
        read = partial(quarantine.listed, self._store, None if state == "all" else state)
        found = self._paged("quarantine", limit, cursor, read)
        if self._store.wall.stands:
            found[:] = [one._replace(text="") for one in found]
        return found

    @verb("POST /quarantine/{id}/release", access="owner", audit="writes", masked="always")
    def release(self, id: str) -> Held:
        """Release a held-back text: it is shown again, quoted and with its origin."""
        from loxodon.guard import quarantine

        with self._store.writing():
            held = quarantine.release(self._store, id, self.now())
            if held.reason == quarantine.FORGET:
                from loxodon.forget.requests import bring_back

                bring_back(self._store, held.id)
            return held

    @verb("POST /quarantine/{id}/drop", access="owner", audit="writes", masked="always")
    def drop(self, id: str) -> Held:
        """Hide a held-back text forever; the message stays in the journal."""
        from loxodon.guard import quarantine

        with self._store.writing():
            return quarantine.drop(self._store, id, self.now())

    @verb("GET /reviews", audit="reads", masked="always")
    def reviews(self, *, limit: Limit = 0, cursor: Cursor = "") -> Page[Review]:
        """List beliefs to review, oldest first."""
        return self._listed("reviews", limit, cursor)

    @verb("GET /entities", audit="reads", masked="always")
    def entities(self, *, limit: Limit = 0, cursor: Cursor = "") -> Page[Entity]:
        """List known people, places and things, in the order they were first named."""
        return self._listed("entities", limit, cursor)

    @verb(Route("POST /touch", access="write"), audit="works", field="touched")
    def touch(self, ids: Annotated[Iterable[str], Arg("the ids of the memories")]) -> int:
        """Record that memories were used. Returns how many of them exist."""
        now = self.now()
        with self._store.writing():
            return self._store.worklog.use(ids, f"{now:%Y-%m-%d}", now)

    def _note_used(self, seconds: float = LOCK_SECONDS) -> None:
        used, self._used = self._used, set()
        if used:
            now, audit = self.now(), self._store.audit
            writing = audit.writing if audit else self._store.writing
            with suppress(LoxodonError), writing(seconds):  # a count is not worth failing for
                self._store.worklog.use(sorted(used), f"{now:%Y-%m-%d}", now)

    @verb("GET /inspect/{name}", access="owner", audit="reads", masked="unless revealed")
    def inspect(self, name: str) -> Inspected:
        """Return everything about a memory, a message, a note or an entity."""
        from loxodon.security.inspection import inspect

        if self._store.audit is not None:
            self._store.audit.flush()
        return inspect(self, self._store, name)

    # Recall

    @verb("GET /reminders", audit="reads", masked="always", name="reminders")
    def due_reminders(self, limit: Limit = 20, cursor: Cursor = "") -> Page[Record]:
        """List plans that are due and not done, earliest first."""
        return self._listed("due_reminders", limit, cursor, self.now())

    # Consolidation, model, vectors

    @verb("POST /consolidate", access="owner", audit="works", long=True)
    def consolidate(
        self,
        *,
        force: Annotated[bool, Arg("run even if nothing is pending, or after failures")] = False,
        if_due: Annotated[bool, Arg("run only if it is due")] = False,
        phase: Annotated[int | None, Arg("run only this phase, 1 to 7")] = None,
        progress: OnPhase | None = None,
    ) -> Consolidated:
        """Turn new messages into facts, beliefs and summaries.

        An interrupted run resumes where it stopped, and only one runs at a time. Afterwards,
        changed notes are read, and edits in the text views are imported and the views rewritten.
        """
        how: dict[str, Any] = {"force": force, "if_due": if_due, "phase": phase}
        done = self._run(lambda it: it.run(self.now(), on_phase=progress, **how))
        if done.ran and phase is None:
            with suppress(LoxodonError):  # what cannot be read now is read the next time
                self.workspace.index()
            if self.workspace.has_views:
                return done._replace(views=self.workspace.renew())
        return done

    @verb("POST /flush", access="owner", audit="works", long=True)
    def flush(self) -> Consolidated:
        """Learn from the latest messages, without the nightly work."""
        return self._run(lambda it: it.flush(self.now()))

    @verb()
    def flush_due(self, began: datetime | None = None) -> str:
        """Why a flush is due: `tokens`, `quiet`, or `over` if something was said before the program
        that asks `began`; empty if it is not."""
        learns = self.config.enabled and not self.paused
        return self._consolidation().flush_due(began) if learns else ""

    @verb("GET /due", name="due")
    def consolidation_due(self) -> str:
        """Say why a consolidation or a flush is due; empty if it is not."""
        learns = self.config.enabled and not self.paused
        return self._consolidation().due(self.now()) if learns else ""

    @verb(access="owner", audit="works")
    def check_model(self) -> ModelChecked:
        """Test the configured model; the result decides whether it is asked about anything."""
        from loxodon.consolidate.model_reading import check

        return check(self)

    def chat_model(self) -> ChatModel:
        """The configured model, within its daily token limit; ConfigError if none is set."""
        from loxodon.consolidate.model_reading import chat_model

        return chat_model(self)

    @verb("POST /embed", access="owner", audit="works", long=True)
    def embed(self, progress: Progress | None = None) -> Embedded:
        """Compute missing vectors, for search by meaning; consolidation does it at its end."""
        return self._embedders.embed(self, progress)

    # Forgetting, pausing

    @verb("POST /forget", access="owner", audit="writes", long=True)
    def forget(
        self,
        *ids: Annotated[str, Arg("memories (f_…) or turns (t_…)", verbs.TEXTS)],
        entity: Annotated[str, Arg("every sentence that names it, by any of its names")] = "",
        session: Annotated[str, Arg("everything in this conversation")] = "",
        since: Annotated[datetime | None, Arg("everything said from this time on")] = None,
        all: Annotated[bool, Arg("everything")] = False,
        only: Annotated[bool, Arg("with ids: nothing else that says the same")] = False,
        doubtful: Annotated[bool, Arg("with an entity: also what may be about it")] = False,
        dry_run: Annotated[bool, Arg("only count what would be deleted")] = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Delete something permanently, everywhere, and keep it from coming back: by ids, or by
        one of the other fields. Returns a receipt without the deleted text.

        With a memory go the clauses in the journal that say it; with an entity every sentence about
        it; with a turn, a session or a time what is known only from these.
        """
        from loxodon.forget.erase import forget

        now, at = self.now().isoformat(), moment("since", since, self.zone)
        asked: dict[str, Any] = {"ids": ids, "entity": entity, "session": session, "all": all}
        asked |= {"now": now, "since": at and at.isoformat(), "only": only, "doubtful": doubtful}
        self._catch_up()  # what waits in plain files is forgotten with the rest
        return forget(self, self._store, asked, dry_run=dry_run, progress=progress or quiet)

    @verb("GET /receipts", access="owner", audit="reads")
    def receipts(self, *, limit: Limit = 0, cursor: Cursor = "") -> Page[Receipt]:
        """List what was forgotten, when and by whom, newest first."""
        return self._paged("receipts", limit, cursor, partial(kept, self._store))

    @verb("POST /pause", access="owner", audit="writes")
    def pause(
        self, until: Annotated[datetime | None, Arg("when it ends (default: when resumed)")] = None
    ) -> Pause:
        """Stop recording and learning; recall still works."""
        return self.pauses.begin(self.now(), moment("until", until, self.zone))

    @verb("POST /resume", access="owner", audit="writes", field="resumed")
    def resume(self) -> bool:
        """End a pause. Returns whether there was one."""
        return self.pauses.end(self.now())

    # Workspace, audit log, documents, schedule

    @property
    def workspace(self) -> Workspace:
        """The memory as text, and the files beside it."""
        return Workspace(self)

    @property
    def audit(self) -> AuditLog:
        """Who read and wrote what, and whether the log was tampered with."""
        self._store.for_owner()
        return AuditLog(self._store, self.zone)

    @property
    def documents(self) -> Documents:
        """JSON values that programs store beside the memories, by namespace and key."""
        return Documents(self._store, self.now, documents_of(self.agent), self.guard)

    @property
    def schedule(self) -> Schedule:
        """Background jobs: what is due, how the last runs went, and running them now."""
        return Schedule(self, self._store, self.zone, self._consolidation)

    # Maintenance

    @verb("GET /status")
    def status(self) -> Status:
        """Return the state of this memory."""
        from loxodon import status

        with self._store.reading():
            return status.status(self, self._store, self._embedders.coverage(self))

    @verb("GET /stats")
    def stats(self) -> Stats:
        """Count what this memory holds."""
        from loxodon import status

        with self._store.reading():
            return status.stats(self, self._store)

    @verb("POST /validate", access="owner", audit="works", long=True)
    def validate(self, progress: Progress | None = None) -> Problems:
        """Check the data and its indexes for damage."""
        return list(self._store.check(progress or quiet))

    @verb("POST /backup", access="owner", audit="reads", long=True)
    def backup(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        keep: int | None = None,
        progress: Progress | None = None,
    ) -> Backup:
        """Back up this space to one file, in the folder of the setting backup.folder, which keeps
        the latest `keep` files (setting `backup.keep`). An encrypted memory stays encrypted."""
        from loxodon.backup.create import backup

        if self.config.store.url:
            raise refused("backup")
        self._store.counts()  # says why where there is nothing to read
        named = None if path is None else os.fspath(path)
        how: dict[str, Any] = {"keep": keep, "overwrite": overwrite, "progress": progress or quiet}
        how |= {"config": self.config, "keys": self.keys, "now": self.now()}
        return backup(self.home, [self.space], named, **how)

    @verb("GET /backups", access="owner")
    def backups(self) -> Backups:
        """List the backups of this space in the folder backup.folder, newest first."""
        from loxodon.backup.create import found

        return found(self.home, self.space, self.config, self.zone)

    @verb("POST /rebuild-index", access="owner", audit="works", long=True, field="indexed")
    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Rebuild every index from the data. Returns how many rows were indexed."""
        return self._store.rebuild(progress or quiet)

    # What does the work

    def _paged(
        self, verb: str, limit: int, cursor: str, read: Callable[[int, Key | None], Slice[Item]]
    ) -> Page[Item]:
        number("limit", limit)
        return paged(verb, cursor, lambda after: read(limit, after))

    def _listed(
        self, verb: str, limit: int, cursor: str, value: object = None, **asked: Any
    ) -> Page[Any]:
        name = {"list": "memories", "due_reminders": "due"}.get(verb, verb)
        read = partial(self._store.page, name, where=filter_of(self.zone, **asked), value=value)
        return self._paged(verb, limit, cursor, read)

    def _run(self, run: Callable[[Consolidation], Consolidated]) -> Consolidated:
        """A run of the consolidation, unless the memory is paused or off."""
        if self.paused or not self.config.enabled:
            from loxodon.consolidate.pipeline import Consolidated

            return Consolidated(False, "paused" if self.paused else "switched off")
        self._note_used()
        self._catch_up()
        return run(self._consolidation())

    def _consolidation(self) -> Consolidation:
        from loxodon.consolidate.consolidation import Consolidation

        return Consolidation(self, lambda: self._embedders.embed_quietly(self))

    def _catch_up(self) -> None:
        """Import what was written while the engine was off, if anything was."""
        if not os.path.exists(os.path.join(self.folder, OFF_MARKER)):
            return
        if self._store.wall.stands:  # it is of everybody, and so for the owner to take in
            key = next(iter(self.keys), None)
            Memory.open(self.home, self.space, self.config, self.clock, key=key).close()
            return
        from loxodon.views.plain import Pending

        Pending(self.folder, self.workspace.path, self.space, self.keys).take_in(self)
        self.workspace.index()
