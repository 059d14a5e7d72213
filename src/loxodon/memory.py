"""Start here: a `Memory` is one space of a home, and everything one can do with it.

    with Memory.open("~/.loxodon") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏"}], session="monday")
        print(memory.recall("花生").context)

A home is a folder. Each space in it, a person or a project that must not see another, has a
database of its own. What is said goes to the journal, what is known to the memories; both are
searched by `recall`.

The verbs stand by what they are about in `verbs/`: turns (`said`), memories (`known`), what an
agent is told (`told`). Here is how a memory is opened, how it learns, what its owner controls, and
its care.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, cast

from loxodon import config as settings
from loxodon import standing
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import ConfigError, InputError, LoxodonError
from loxodon.fields import choice, moment, number
from loxodon.layout import DATABASE, FORGOTTEN, KEYS, OFF_MARKER, RECODING
from loxodon.spaces import home_at, space_folder
from loxodon.standing import Stats, Status
from loxodon.store import Progress
from loxodon.store.sqlite.store import SqliteStore
from loxodon.store.walls import Wall
from loxodon.trust.audit.witness import MEMORY, audited
from loxodon.trust.guard.guard import Guard
from loxodon.types import (
    CHATS,
    Backup,
    Belief,
    Chat,
    Consolidated,
    Coverage,
    Embedded,
    HandedOut,
    Pause,
    Problems,
    Receipt,
    Receipts,
    Record,
    Records,
    Timekeeping,
)
from loxodon.verbs.told import Telling
from loxodon.write.decay import Decay

if TYPE_CHECKING:
    from loxodon.documents import Documents
    from loxodon.live.schedule import Schedule
    from loxodon.models.embedders import Embedder
    from loxodon.store.protocol import Store
    from loxodon.store.sqlite.cipher import Keys
    from loxodon.trust.audit.auditing import AuditLog
    from loxodon.trust.audit.inspection import Inspected, Subject
    from loxodon.trust.forget.scanning import Scanned
    from loxodon.workspace.workspace import Workspace
    from loxodon.write.consolidation import Consolidation
    from loxodon.write.phases import OnPhase


_KEY_BYTES = 32
_OPEN = Wall()


@audited(MEMORY)
class Memory(Telling):
    """One space of a home. Use it as a context manager, from any thread, beside other processes."""

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
        """Open the space `space` of the home at `path`; what does not exist is made.

        `config` replaces the home's config.toml and what the environment says of a model; a
        mapping may name single keys (`{"recall.top": 5}`). `clock` returns the present as an aware
        datetime. `embedder` takes the place of the one that `config` names: any object with a
        `name` and `embed(texts)`, one vector a text. `key`, 32 bytes, opens an encrypted database
        and encrypts a new one; without it the key is where the settings `encryption.*` say.

        With the setting `enabled` off, plain files stand in (`live/plain.py`); what was said
        meanwhile is taken in when it is opened with the engine on again.

        With an `agent`, or in a `chat` that is not direct, it is as `within` gives it, and
        `relays` says that what it hands on as the user's words is what the user said.
        """
        wall = _OPEN
        if agent or chat != "direct":
            from loxodon.trust.access.within import wall_of

            choice("chat", chat, CHATS)
            wall = wall_of(agent, chat, relays)
        home = home_at(os.fspath(path))
        if config is None:
            config = settings.with_environment(settings.load(home), os.environ)
        elif not isinstance(config, Config):
            config = settings.from_mapping(config)
        if finish_recoding(home):
            config = config._replace(encryption=settings.load(home).encryption)
        zone = zone_named(config.timezone)
        clock = clock or system_clock(zone)
        folder = space_folder(home, space, make=True)
        keys = keys_for(home, config, key)
        if not config.enabled:
            from loxodon.live.plain import PlainMemory
            from loxodon.store.off import Off

            off = cast("Store", Off(space, wall))
            return PlainMemory(home, folder, off, config, clock, zone, keys)
        decay = Decay(config.decay, clock, config.summary.facts)
        store = SqliteStore(
            os.path.join(folder, DATABASE), space, zone, decay, keys, wall, Guard.of(home)
        )
        memory = cls(home, folder, store, config, clock, zone, keys)
        if embedder is not None:
            from loxodon.models.embedders import Chosen

            memory._embedders, memory._given = (Chosen(embedder),), True
        with suppress(LoxodonError):  # a recall need not wait for it; consolidation says why
            memory._catch_up()
        if os.path.exists(os.path.join(folder, FORGOTTEN)):
            memory._finish_forgetting()
        return memory

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def workspace(self) -> Workspace:
        """The same memory as text, and the files beside it."""
        from loxodon.workspace.workspace import Workspace

        return Workspace(self, self._store, self._folder, self._zone)

    @property
    def audit(self) -> AuditLog:
        """Who read and wrote what, and whether that record was tampered with."""
        from loxodon.trust.audit.auditing import AuditLog

        self.for_owner()
        return AuditLog(self._store, self._zone)

    @property
    def documents(self) -> Documents:
        """What programs keep beside the memories: JSON values, by namespace and key."""
        from loxodon.documents import Documents
        from loxodon.store.walls import documents_of

        return Documents(self._store, self.now, documents_of(self.agent), self.guard)

    @property
    def schedule(self) -> Schedule:
        """What runs by itself: what is due, how it went, and doing it now."""
        from loxodon.live.schedule import Schedule

        return Schedule(self, self._store, self._zone, self._consolidation)

    def due_reminders(self, limit: int = 20) -> Records:
        """Plans whose time has come and that are not done, the first due first."""
        return self.schedule.reminders(number("limit", limit))

    def _catch_up(self) -> None:
        """Take in what was written while the engine was off, where anything was."""
        if not os.path.exists(os.path.join(self._folder, OFF_MARKER)):
            return
        if self._store.wall.stands:  # it is of everybody, and so for the owner to take in
            key = self._keys[0] if self._keys else None
            Memory.open(self.home, self.space, self.config, self._clock, key=key).close()
            return
        from loxodon.live.pending import Pending

        Pending(self._folder, self.workspace.path, self.space, self.seal).take_in(self)
        self.workspace.index()

    def consolidate(
        self,
        *,
        force: bool = False,
        if_due: bool = False,
        phase: int | None = None,
        progress: OnPhase | None = None,
    ) -> Consolidated:
        """Make knowledge of what was said since the last time, in seven phases.

        Runs where turns are pending or a run is due; `force` runs anyway, and again after three
        failures; `if_due` leaves what is not due. `phase` runs one phase by itself. A run that was
        cut short goes on where it was; two at once are one run.

        Then what was edited in the text views is taken in and they are written anew (setting
        `workspace.views`). That this fails undoes nothing: `Consolidated.views` says why.
        """
        if self.paused:
            return Consolidated(False, "paused")
        self._note_used()
        self._catch_up()
        done = self._consolidation().run(
            self.now(), force=force, if_due=if_due, phase=phase, on_phase=progress
        )
        if done.ran and phase is None and self.workspace.has_views:
            return done._replace(views=self.workspace.renew())
        return done

    def flush(self) -> Consolidated:
        """Make what was just said known, without the nightly work: phases 1 to 4 and 6."""
        if self.paused:
            return Consolidated(False, "paused")
        self._note_used()
        self._catch_up()
        return self._consolidation().flush(self.now())

    def hand_out(self) -> HandedOut:
        """What waits for a model, as a question that an agent can answer in its place."""
        self.for_owner()
        from loxodon.models.prompts import cleaned

        found = self._consolidation().hand_out(self.now())
        return found._replace(data=cleaned(found.data, self.guard.sent)) if found.ticket else found

    def take_answer(self, ticket: str, answer: str) -> Consolidated:
        """Learn what an agent read of what was handed out to it, with the checks that a model's
        answer has; InputError with the reason where nothing of it can be believed."""
        self.for_owner()
        return self._consolidation().take_answer(self.now(), ticket, answer)

    def flush_due(self) -> str:
        """Why a flush is due: `tokens` or `quiet` (settings `buffer.*`); empty for not."""
        if self.paused:
            return ""
        from loxodon.write.buffer import buffered, flush_due

        limits = self.config.buffer
        with self._store.reading():
            waiting = buffered(self._store.worklog, self._count, limits.tokens)
        return flush_due(waiting, self.now(), limits.quiet, limits.tokens)

    def consolidation_due(self) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty for not."""
        if self.paused:
            return ""
        return self._consolidation().due(self.now())

    def _consolidation(self) -> Consolidation:
        from loxodon.write.consolidation import Consolidation

        return Consolidation(
            self._store,
            self._folder,
            self.config,
            self._zone,
            self._count,
            self._residue,
            self._embed_quietly,
            self._was_forgotten if os.path.exists(os.path.join(self._folder, FORGOTTEN)) else None,
            self._obey,
        )

    def _was_forgotten(self, record: Record, at: datetime) -> bool:
        """Whether a memory says what was forgotten after it was said: in other words, perhaps, in
        a transcript that nobody had read then."""
        marks = self.forgotten() if record.value else None
        if marks is None:
            return False
        from loxodon.clock import to_stored
        from loxodon.trust.forget.selecting import statement_of

        return marks.stated(to_stored(at)[0], *statement_of(record))

    def embed(self, progress: Progress | None = None) -> Embedded:
        """Give every turn and memory that has none a vector of the embedder that is set.

        Consolidation does the same at its end. A run that is cut short is continued by the next;
        what fails is tried again. Raises ConfigError where the embedder cannot be made.
        """
        return self._embedding().run(progress)

    def _embed_quietly(self) -> int:
        """What a consolidation has embedded; what goes wrong is told by `status`."""
        if not self._has_embedder:
            return 0
        try:
            return self._embedding().run(again=False).embedded
        except ConfigError:
            return 0

    def forget(
        self,
        *ids: str,
        entity: str = "",
        topic: str = "",
        session: str = "",
        since: datetime | None = None,
        all: bool = False,
        also: Sequence[str] = (),
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Erase for good, everywhere that is ours, and keep it from coming back.

        By `ids` of memories, turns (`t_12`) or entities (`e_003`), or by one of the others. With a
        memory go those that say the same, and the clauses of what was said that tell it; with an
        `entity`, by any of its names and those that are given in `also`, every sentence that names
        it, and those that its memories were drawn from; with a turn, a session or all `since` a
        moment what is known from these alone. What was made of it is made anew without it.
        `Receipt.files` names the files in which it still stands. With `dry_run` it is only counted,
        and the receipt names what an entity is called, and names that look like these and would
        stay.
        """
        from loxodon.trust.forget.forgetting import forget
        from loxodon.trust.forget.selecting import Selection

        at = moment("since", since, self._zone)
        chosen = Selection(
            tuple(dict.fromkeys(ids)), entity, topic, session, at, all, tuple(dict.fromkeys(also))
        )
        self._catch_up()  # what waits in plain files is forgotten with the rest
        return forget(self, self._store, chosen, dry_run=dry_run, progress=progress or _quiet)

    def receipts(self) -> Receipts:
        """What was forgotten when and by whom, without the words; the newest first."""
        from loxodon.trust.forget.forgetting import receipts

        return receipts(self, self._store)

    def _finish_forgetting(self) -> None:
        """Do what a forgetting that was killed, or a backup that was put here, has left to do."""
        if self._store.wall.stands:
            return
        from loxodon.trust.forget.forgetting import finish

        finish(self, self._store)

    def beside(self, path: str) -> Store:
        """The store in another file of this space, one that was set aside; the caller closes it."""
        self.for_owner()
        decay = Decay(self.config.decay, self._clock, self.config.summary.facts)
        return SqliteStore(path, self.space, self._zone, decay, self._keys)

    def inspect(self, name: str) -> Inspected:
        """Everything there is on a memory, a turn, a note or an entity, by its id or its name."""
        from loxodon.trust.audit.inspection import inspect

        return inspect(self, self._store, name)

    def subject(self, name: str) -> Subject:
        """All that is known about someone or something; NotFoundError where nothing is."""
        from loxodon.trust.audit.inspection import subject

        return subject(self, self._store, name)

    def pause(self, until: datetime | None = None) -> Pause:
        """Journal and learn nothing from now on, until then or until `resume`; recall goes on."""
        return self._pauses.begin(self.now(), moment("until", until, self._zone))

    def resume(self) -> bool:
        """End a pause; whether there was one. What was said in it is not taken up."""
        return self._pauses.end(self.now())

    def timekeeping(self) -> Timekeeping:
        """What the clock says, whether it is believed, and what was archived for its age."""
        self.for_owner()
        with self._store.reading():
            return standing.timekeeping(self, self._store)

    def trust_clock(self) -> Timekeeping:
        """The clock is right, however it came to be so: what goes by age goes by it from now on.

        Where it had jumped, nothing does until it has gone on for a while (`store/clock_check.py`).
        """
        self.for_owner()
        with self._store.writing():
            worklog = self._store.worklog
            worklog.set_belief(Belief(self.now(), turn=worklog.last_turn()))
        return self.timekeeping()

    def status(self) -> Status:
        """Where this memory stands."""
        with self._store.reading():
            return standing.status(self, self._store, self._coverage())

    def stats(self) -> Stats:
        """What this memory holds, counted."""
        with self._store.reading():
            return standing.stats(self, self._store, self._coverage())

    def _coverage(self) -> tuple[Coverage, ...]:
        return self._embedding().coverage() if self._has_embedder else ()

    def next_consolidation(self) -> datetime | None:
        """When the next nightly one is due; None where none is."""
        from loxodon.write.schedule import next_time

        return next_time(self.config.schedule.daily, self.now(), self._zone)

    def validate(self, progress: Progress | None = None) -> Problems:
        """Everything wrong with the data, its history, indexes or views; empty for nothing."""
        from loxodon.workspace.views.checking import damaged_views

        views = () if self.encrypted else damaged_views(self.workspace.path)
        return [*self._store.check(progress or _quiet), *views]

    def backup(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        keep: int | None = None,
        progress: Progress | None = None,
    ) -> Backup:
        """Write this space, as it is in this moment, to one file; others go on meanwhile.

        Without `path` it is named by the time, in the folder of the setting `backup.folder`, which
        keeps the latest `keep` (setting `backup.keep`). An encrypted memory stays encrypted.
        """
        from loxodon.trust.damage.backup import backup

        self._store.counts()  # says why where there is nothing to read
        return backup(
            self.home,
            [self.space],
            None if path is None else os.fspath(path),
            config=self.config,
            keys=self._keys,
            now=self.now(),
            keep=keep,
            overwrite=overwrite,
            progress=progress or _quiet,
        )

    def scan(self, *, mend: bool = False) -> Scanned:
        """Look for what must never be kept and was, before there was a rule for it.

        With `mend` it is taken out: of the journal, memories, history, documents and transcripts.
        """
        from loxodon.trust.forget.scanning import scan

        return scan(self, self._store, self._folder, mend=mend)

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)


def finish_recoding(home: str) -> bool:
    """End an encrypting, decrypting or re-keying of a home that was cut short; whether one was."""
    if not os.path.exists(os.path.join(home, KEYS, RECODING)):
        return False
    from loxodon.trust.rest.recoding import finish

    return finish(home, os.environ)


def keys_for(home: str, config: Config, key: bytes | None = None) -> Keys:
    """What opens the databases of a home; nothing where they are not encrypted."""
    if key is not None:
        if len(key) != _KEY_BYTES:
            raise InputError(
                "a key must have {n} bytes", hint="see `secrets.token_bytes`", n=_KEY_BYTES
            )
        return (key,)
    if config.encryption.key == "none":
        return ()
    from loxodon.trust.rest.encryption import keys_of

    return keys_of(home, config.encryption, os.environ)


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""
