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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from loxodon import config as settings
from loxodon import standing
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import (
    ConfigError,
    InputError,
    LoxodonError,
    NotFoundError,
    no_memory,
    stale_edit,
)
from loxodon.fields import EDITABLE, Changes, checked, choice, filter_of, is_text, moment, number
from loxodon.recall.recall import recall
from loxodon.spaces import home_at, space_folder
from loxodon.standing import Stats, Status
from loxodon.store import Known, Progress, Store
from loxodon.store.sqlite import SqliteStore
from loxodon.store.walls import Wall
from loxodon.text.check import checked_text
from loxodon.text.words import fold, query_words
from loxodon.tokens import counter
from loxodon.trust.guard import Guard
from loxodon.trust.pausing import Pauses
from loxodon.trust.provenance import is_own, is_wish, kind_for
from loxodon.trust.within import placed
from loxodon.trust.witness import MEMORY, audited, put_on_record
from loxodon.types import (
    CAPTURED,
    CHATS,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    KINDS,
    Added,
    Audience,
    Backup,
    Card,
    Chat,
    Consolidated,
    Coverage,
    Draft,
    Embedded,
    Entity,
    Event,
    Frame,
    Gate,
    Held,
    Kind,
    Origin,
    Pause,
    Problem,
    Recall,
    Receipt,
    Record,
    Review,
    Segment,
    Source,
    State,
    Turn,
    Version,
)
from loxodon.write.decay import Decay, initial_strength
from loxodon.write.journal import SAMPLE, session_for, with_keys

if TYPE_CHECKING:
    from loxodon.documents import Documents
    from loxodon.live.pending import Entry
    from loxodon.live.schedule import Schedule
    from loxodon.models.chat import ChatModel
    from loxodon.models.embedders import Chosen, Embedder
    from loxodon.models.embedders.questions import Question as Meaning
    from loxodon.models.embedders.questions import Questioner
    from loxodon.recall.gate import State as Conversation
    from loxodon.store.cipher import Keys
    from loxodon.store.quarantine import Kept
    from loxodon.store.shelf import Note
    from loxodon.trust.auditing import AuditLog
    from loxodon.trust.forgetting import Gatekeeper
    from loxodon.trust.inspection import Inspected, Subject
    from loxodon.trust.scanning import Scanned
    from loxodon.trust.sealing import Seal
    from loxodon.trust.tombstones import Marks
    from loxodon.workspace.workspace import Workspace
    from loxodon.write.consolidation import Consolidation
    from loxodon.write.embedding import Embedding
    from loxodon.write.phases import OnPhase
    from loxodon.write.residue import Residue

Records = list[Record]  # within the class, `list` is a method
Versions = list[Version]
Problems = list[Problem]
Reviews = list[Review]
Entities = list[Entity]
Segments = list[Segment]
Events = list[Event]
HeldBack = list[Held]
Changed = list[tuple[str, str, datetime]]

Receipts = list[Receipt]

DATABASE = "loxodon.db"
FORGOTTEN = "forgotten"
"""A file beside the database, and there only where something was forgotten."""
MADE = "loxodon.lock"
"""A file beside the database, and there only where one was made."""
OFF_MARKER = "switched-off"
"""A file beside the database: something was said while the engine was off."""
BATCH = 2_000
"""Turns written in one transaction: others who write wait no longer than this takes."""
UNARCHIVED_STRENGTH = 0.3
BELIEF_CONFIDENCE = 0.6
MAX_SESSION = 512
_KEY_BYTES = 32
_OPEN = Wall()
_ALL = 1 << 40


@audited(MEMORY)
class Memory:
    """One space of a home. Use it as a context manager, from any thread, beside other processes."""

    def __init__(
        self, home: str, folder: str, store: Store, config: Config, clock: Clock,
        zone: tzinfo | None, keys: Keys = (),
    ) -> None:  # fmt: skip
        self.home = home
        self._folder = folder
        self._keys = keys
        self.config = config
        self._store = store
        self._clock = clock
        self._zone = zone
        self.guard = Guard.of(home)
        """What may be kept, and how it may be shown."""
        self._count = counter(config.tokenizer)
        self._used: set[str] = set()
        self._embedders: Sequence[Chosen] | None = None
        self._questions: Questioner | None = None
        self._pauses = Pauses(folder)
        self._gatekeeper: Gatekeeper | None = None
        self._narrower: dict[Wall, Memory] = {}
        self._narrowing = Lock()
        put_on_record(store, home, folder, config, self.now)

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
    ) -> Memory:
        """Open the space `space` of the home at `path`; what does not exist is made.

        `config` replaces the home's config.toml and what the environment says of a model; a
        mapping may name single keys (`{"recall.top": 5}`). `clock` returns the present as an aware
        datetime. `embedder` takes the place of the one that `config` names: any object with a
        `name` and `embed(texts)`, one vector a text. `key`, 32 bytes, opens an encrypted database
        and encrypts a new one; without it the key is where the settings `encryption.*` say.

        With the setting `enabled` off, plain files stand in (`live/plain.py`); what was said
        meanwhile is taken in when it is opened with the engine on again.

        With an `agent`, or in a `chat` that is not direct, it is as `within` gives it.
        """
        wall = _OPEN
        if agent or chat != "direct":
            from loxodon.trust.within import wall_of

            choice("chat", chat, CHATS)
            wall = wall_of(agent, chat)
        home = home_at(os.fspath(path))
        if config is None:
            config = settings.with_environment(settings.load(home), os.environ)
        elif not isinstance(config, Config):
            config = settings.from_mapping(config)
        zone = zone_named(config.timezone)
        clock = clock or system_clock(zone)
        folder = space_folder(home, space, make=True)
        keys = keys_for(home, config, key)
        if not config.enabled:
            from loxodon.live.plain import Off, PlainMemory

            off = cast("Store", Off(space, wall))
            return PlainMemory(home, folder, off, config, clock, zone, keys)
        decay = Decay(config.decay, clock)
        store = SqliteStore(
            os.path.join(folder, DATABASE), space, zone, decay, keys, wall, Guard.of(home)
        )
        memory = cls(home, folder, store, config, clock, zone, keys)
        if embedder is not None:
            from loxodon.models.embedders import Chosen

            memory._embedders = (Chosen(embedder),)
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

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""
        for one in self._narrower.values():
            one.close()
        self._note_used()
        self._store.close()
        if self._store.audit is not None:
            self._store.audit.close()

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._store.space

    @property
    def agent(self) -> str:
        """The agent that this memory is bound to; empty for the owner."""
        return self._store.wall.agent

    @property
    def chat(self) -> Chat:
        """`group` where nothing private can be seen through this memory."""
        return "group" if self._store.wall.group else "direct"

    def within(self, agent: str = "", chat: Chat = "direct") -> Memory:
        """This memory as an agent, or a chat that others hear, may see and change it.

        An agent sees what is its own, what is nobody's, and memories whose audience is `all`; what
        it journals and captures is its own. A group sees nothing private. What cannot be seen is
        as if it were not there, whatever is asked; what is done to the space as a whole is for the
        owner (ForbiddenError). The memory that comes back is closed with this one.
        """
        from loxodon.trust.within import narrower

        choice("chat", chat, CHATS)
        wall = narrower(self._store.wall, agent, chat)
        if wall == self._store.wall:
            return self
        with self._narrowing:
            if wall not in self._narrower:
                self._narrower[wall] = self._behind(wall)
            return self._narrower[wall]

    def as_agent(self, name: str) -> Memory:
        """This memory as the agent `name`; see `within`."""
        return self.within(name)

    def _behind(self, wall: Wall) -> Memory:
        if not isinstance(self._store, SqliteStore):
            from loxodon.live.plain import Off

            store = cast("Store", Off(self.space, wall))
        else:
            store = self._store.behind(wall)
        found = type(self)(
            self.home, self._folder, store, self.config, self._clock, self._zone, self._keys
        )
        found._embedders, found._questions = self._embedders, self._questioner()
        return found

    def for_owner(self) -> None:
        """Refuse what is about the whole space, from behind a wall."""
        if self._store.wall.stands:
            from loxodon.store.walls import owners_only

            raise owners_only()

    @property
    def encrypted(self) -> bool:
        """Whether it is encrypted on disk: then there are no text views of it."""
        return bool(self._keys)

    @property
    def seal(self) -> Seal | None:
        """What seals the files beside an encrypted database; None where it is not."""
        if not self._keys:
            return None
        from loxodon.trust.sealing import Seal

        return Seal(self._keys)

    def now(self) -> datetime:
        """The present as this memory's clock has it, to the millisecond, which is what is kept."""
        now = self._clock()
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        return now if self._zone is None else now.astimezone(self._zone)

    @property
    def workspace(self) -> Workspace:
        """The same memory as text, and the files beside it."""
        from loxodon.workspace.workspace import Workspace

        return Workspace(self, self._store, self._folder, self._zone)

    @property
    def audit(self) -> AuditLog:
        """Who read and wrote what, and whether that record was tampered with."""
        from loxodon.trust.auditing import AuditLog

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
        from loxodon.workspace.readers.jsonl import drafts_of

        drafts = drafts_of(turns, self._zone)
        return self.add_drafts(drafts, [session or "default"], progress, live=True)

    def add_drafts(
        self, drafts: Sequence[Draft], names: Sequence[str], progress: Progress | None = None,
        *, live: bool = False,
    ) -> Added:  # fmt: skip
        """What `add` does, for turns that a reader has checked (`workspace.readers.read`).

        Those that name no session get the first of `names` that is free or begins like them. What
        was said in a pause, and what was forgotten, is not taken; of a turn without a time nobody
        knows when it was said, unless it is `live`.
        """
        if self.paused:
            return Added(0, 0, 0, (), paused=len(drafts))
        names = [self.guard.name(checked_text(name, "session", MAX_SESSION)) for name in names]
        drafts = [self.guard.draft(draft) for draft in drafts]
        drafts, names = placed(drafts, names, self._store.wall)
        self._note_used()
        now = self.now()
        unnamed = [draft for draft in drafts if not draft.session]
        session = names[0]
        if len(names) > 1:
            sample = unnamed[:SAMPLE]
            session = session_for(names, sample, lambda name: self._has(name, sample, now))
        given = with_keys(drafts, session, now)
        keyed, paused, forgotten = self._admitted(drafts, given, live)
        added = changed = 0
        for start in range(0, len(keyed), BATCH):
            batch = keyed[start : start + BATCH]
            with self._store.writing():
                kept = self._append(batch, now)[0]
            added += sum(isinstance(one, Turn) for one in kept)
            changed += sum(isinstance(one, Known) and one.changed for one in kept)
            if progress:
                progress(min(start + BATCH, len(keyed)), len(keyed))
        sessions = tuple(dict.fromkeys(turn.session for turn, _ in given))
        return Added(added, len(keyed) - added, changed, sessions, paused, forgotten)

    def _admitted(
        self, drafts: Sequence[Draft | None], keyed: list[tuple[Turn, bytes]], live: bool
    ) -> tuple[list[tuple[Turn, bytes]], int, int]:
        """What may be journalled, how many were said in a pause, and how many were forgotten."""
        pairs = list(zip(drafts, keyed, strict=True))
        open = [pair for pair in pairs if not self._pauses.covers(pair[1][0].at)]
        paused = len(pairs) - len(open)
        if not os.path.exists(os.path.join(self._folder, FORGOTTEN)):
            return [one for _, one in open], paused, 0
        found = self._gate().admitted([one for one, _ in open], [one for _, one in open], live)
        return found.keyed, paused, found.forgotten

    def _gate(self) -> Gatekeeper:
        if self._gatekeeper is None:
            from loxodon.trust.forgetting import Gatekeeper

            self._gatekeeper = Gatekeeper(self, self._folder)
        return self._gatekeeper

    def forgotten(self) -> Marks | None:
        """What must not come back, for who takes something in; None where there is nothing."""
        if not os.path.exists(os.path.join(self._folder, FORGOTTEN)):
            return None
        return self._gate().marks()

    def _append(
        self, batch: Sequence[tuple[Turn, bytes]], now: datetime
    ) -> tuple[Sequence[Turn | Known], Mapping[str, Sequence[Kept]]]:
        """Journal turns, and hold back what is an instruction in words that nobody vouches for."""
        kept = self._store.append(batch)
        if all(is_own(turn.origin) for turn, _ in batch):
            return kept, {}
        from loxodon.trust.quarantine import screen

        return kept, screen(self._store, kept, now)

    def _has(self, session: str, drafts: Sequence[Draft], now: datetime) -> tuple[int, int]:
        """How many of these drafts a session has, and how many turns it has in all."""
        keyed, _, forgotten = self._admitted(drafts, with_keys(drafts, session, now), False)
        known = self._store.known(keyed)
        return len(known) - known.count(None) + forgotten, self._store.session_size(session)

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
        if session and self._store.wall.stands:  # its own of that name; else the shared one
            own = self._store.wall.session(session)
            session = own if self._store.session_size(own) else session
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
        audience: Audience = "private",
        origin: Origin = "user",
        source: Source | None = None,
        token: str = "",
    ) -> Record:
        """Keep a memory as it is given, on disk when this returns.

        The words also go to the journal (session `capture`), so that the memory has a source like
        any other; `source` is one more, such as the line of a file where it stands. A fact is
        certain; a belief has a confidence below 1 (0.6 where none is given). The same again with
        the same `token` keeps nothing more, and gives what the first call gave.
        """
        self.refuse_if_paused()
        now = self.now()
        if confidence is None:
            confidence = BELIEF_CONFIDENCE if kind == "belief" else 1.0
        fields = checked(
            {
                "content": content, "kind": kind, "importance": importance,
                "confidence": confidence, "entities": entities, "tags": tags, "project": project,
                "topic": topic, "category": category, "expires_at": expires_at,
                "audience": audience, "origin": origin,
            }, kind, self._zone,
        )  # fmt: skip
        fields = self.guard.fields(fields)
        fields["trust"] = fields.pop("origin")
        session = self._store.wall.session(CAPTURED)
        said = Turn(
            session, "", "user", fields["content"], now, channel=CAPTURED, chat=self.chat,
            origin=origin, agent=self.agent,
        )  # fmt: skip
        request = self._request(token, "capture", {**fields, "source": source})
        key = request or os.urandom(16)  # said again is said twice
        return self._once(token, request, lambda: self._keep_captured(said, key, fields, source))

    def _request(self, token: str, verb: str, asked: Mapping[str, Any]) -> bytes:
        """What a call with a token asks for, as a digest; empty without one."""
        if not token:
            return b""
        from loxodon.trust.once import request_of

        return request_of(self._store.wall.session(token), verb, asked)

    def _once(self, token: str, request: bytes, do: Callable[[], Record]) -> Record:
        if not token:
            return do()
        from loxodon.trust.once import once

        token = self._store.wall.session(token)  # nobody learns from one what another did
        return once(self._store, token, request, self.now(), self.config.idempotency.days, do)

    def _keep_captured(
        self, said: Turn, key: bytes, fields: Mapping[str, Any], source: Source | None
    ) -> Record:
        kind, confidence = kind_for(
            fields["trust"], fields["kind"], fields["confidence"],
            is_wish(fields["category"], fields.get("attribute", "")),
        )  # fmt: skip
        fields = {**fields, "kind": kind, "confidence": confidence}
        strength = initial_strength(kind, fields["importance"], confidence)
        with self._store.writing():
            (kept,), held = self._append([(said, key)], said.at)
            turn = kept.id if isinstance(kept, Turn) else ""
            sources = (Source(session=said.session, turn=turn), *((source,) if source else ()))
            record = Record(
                id="", space=self.space, created_at=said.at, updated_at=said.at,
                strength=strength, sources=sources, agent=said.agent, **fields,
            )  # fmt: skip
            if is_own(record.trust):
                return self._store.insert(record, "captured")
            from loxodon.trust.quarantine import insert

            lacking = [one for some in held.values() for one in some]
            return insert(self._store, record, "captured", lacking)

    def remember(self, content: str, kind: Kind = "fact", **more: Any) -> Record:
        """Keep what an agent noted, as the assistant's words (`capture` has the fields).

        It is a fact where what the user said in the last days bears it out, else a belief that
        waits for the user (`reviews`). No page tells it before the user says or confirms it.
        """
        from loxodon.trust import remembering

        now = self.now()
        origin = more.pop("origin", "assistant")
        is_text("content", content)
        sure = origin == "assistant" and remembering.is_borne_out(
            content, remembering.said_lately(self._store, now)
        )
        kind, confidence = remembering.believed(kind, more.pop("confidence", None), sure)
        with self._store.writing():
            kept = self.capture(content, kind, confidence=confidence, origin=origin, **more)
            remembering.wait_for_owner(self._store, kept, now)
        return kept

    def revise(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """What `edit` does, for an agent: the user's own words it may change only to what the user
        said in the last days; else an InputError says so."""
        from loxodon.trust import remembering

        record = self.get(id)
        words = changes.get("content", record.content)
        is_text("content", words)
        if words != record.content and is_own(record.trust):
            said = remembering.said_lately(self._store, self.now())
            if not remembering.is_borne_out(words, said):
                raise InputError(
                    "{id} is the user's own word, and nothing the user said lately says this",
                    hint="remember the new state instead: the user is asked to confirm it",
                    id=id,
                )
        return self.edit(id, version=version, **changes)

    def quarantine(self, state: str | None = "held", limit: int = 50) -> HeldBack:
        """Instructions that were found in others' words and are held back, newest first.

        `state` is `held`, `released`, `dropped` or `all`; `limit` 0 gives all.
        """
        from loxodon.trust import quarantine

        choice("state", state or "all", (*quarantine.STATES, "all"))
        which = None if state in (None, "all") else state
        return quarantine.listed(self._store, which, number("limit", limit))

    def release(self, id: str) -> Held:
        """Let what is held as `id` (`q_12`) be told: fenced, with its origin, not believed."""
        from loxodon.trust import quarantine

        with self._store.writing():
            return quarantine.release(self._store, id, self.now())

    def drop(self, id: str) -> Held:
        """Never tell what is held as `id`; the message stays in the journal as it was said."""
        from loxodon.trust import quarantine

        with self._store.writing():
            return quarantine.drop(self._store, id, self.now())

    def take_entries(self, entries: Sequence[Entry]) -> int:
        """Take in what was said and captured while the engine was off; how many were new.

        All of them or none; what is here already is passed over.
        """
        taken = 0
        with self._store.writing():
            for one in (one._replace(turn=self.guard.turn(one.turn)) for one in entries):
                admitted, *_ = self._admitted([None], [(one.turn, one.key)], True)
                (known,) = self._store.known([(one.turn, one.key)])
                if known is not None or not admitted:
                    continue
                taken += 1
                if one.fields is None:
                    self._append([(one.turn, one.key)], one.turn.at)
                else:
                    self._keep_captured(one.turn, one.key, one.fields, one.source)
        return taken

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
        if id.startswith("n_"):
            raise NotFoundError(
                "{id} names a note of a file, not a memory",
                hint="edit the file; `loxodon get {id}` shows where it stands",
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
            own = self._store.wall.session(session)
            row = self._store.turn_row(own, id) or self._store.turn_row(session, id)
        turn = self._store.turns([row]).get(row) if row else None
        if turn is None:
            raise NotFoundError(
                "there is no turn {ref}",
                hint="`loxodon journal` shows what was said",
                ref=repr(ref),
            )
        return turn

    def note(self, id: str) -> Note:
        """The note of a file that a recall calls `id` (`n_12`); NotFoundError if it is gone."""
        number = id.removeprefix("n_")
        row = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
        note = self._store.shelf.notes([row]).get(row)
        if note is None:
            raise NotFoundError(
                "there is no note {id}",
                hint="the file was changed or is gone; recall again",
                id=repr(id),
            )
        return note

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
        audience: Audience | None = None,
    ) -> Records:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
        where = filter_of(
            self._zone, kind=kind, state=None if state == "all" else state, project=project,
            topic=topic, tag=tag, entity=entity, since=since, until=until, told=audience,
        )  # fmt: skip
        return self._store.find(where, number("limit", limit))

    def edit(
        self, id: str, *, version: int | None = None, token: str = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change fields of a memory (see `Changes`); what it was stays in its history.

        With `version` the edit is refused with a StaleEditError unless the memory is still at that
        version. An edit that changes nothing makes no new version. The same again with the same
        `token` changes nothing more, and gives what the first call gave.
        """
        request = self._request(token, "edit", {"id": id, "version": version, **changes})
        return self._once(token, request, lambda: self._edit(id, version, changes))

    def _edit(self, id: str, version: int | None, changes: Changes) -> Record:
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
            given = self.guard.fields(checked(changes, record.kind, self._zone), record)
            if given.get("content", record.content) != record.content and "value" not in given:
                from loxodon.write.meaning import revised

                given = {**revised(record, given["content"], self.now()), **given}
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

    def drawn_from(self, turn: Turn) -> Records:
        """The memories that a turn is a source of."""
        row = int(turn.ref.removeprefix("t_") or 0)
        with self._store.reading():
            rows = self._store.drawn_from([row]).get(row, [])
            return [*self._store.records(rows).values()]

    def changes_since(self, at: datetime) -> Changed:
        """(memory, what was done to it, when) of the last changes since `at`, in order."""
        return self._store.desk.changes_since(at)

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
        self.for_owner()
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
        self.for_owner()
        if self.paused:
            return Consolidated(False, "paused")
        self._note_used()
        self._catch_up()
        return self._consolidation().flush(self.now())

    def flush_due(self) -> str:
        """Why a flush is due: `tokens` or `quiet` (settings `buffer.*`); empty for not."""
        if self.paused:
            return ""
        from loxodon.write.buffer import buffered, flush_due

        limits = self.config.buffer
        with self._store.reading():
            waiting = buffered(self._store.desk, self._count, limits.tokens)
        return flush_due(waiting, self.now(), limits.quiet, limits.tokens)

    def consolidation_due(self) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty for not."""
        if self.paused:
            return ""
        return self._consolidation().due(self.now())

    def _consolidation(self) -> Consolidation:
        from loxodon.write.consolidation import Consolidation

        return Consolidation(
            self._store, self._folder, self.config, self._zone, self._count, self._residue,
            self._embed_quietly,
            self._was_forgotten if os.path.exists(os.path.join(self._folder, FORGOTTEN)) else None,
        )  # fmt: skip

    def _was_forgotten(self, record: Record, at: datetime) -> bool:
        """Whether a memory says what was forgotten after it was said: in other words, perhaps, in
        a transcript that nobody had read then."""
        marks = self.forgotten() if record.value else None
        if marks is None:
            return False
        from loxodon.clock import to_stored
        from loxodon.trust.selecting import statement_of

        return marks.stated(to_stored(at)[0], *statement_of(record))

    def embed(self, progress: Progress | None = None) -> Embedded:
        """Give every turn and memory that has none a vector of the embedder that is set.

        Consolidation does the same at its end. A run that is cut short is continued by the next;
        what fails is tried again. Raises ConfigError where the embedder cannot be made.
        """
        self.for_owner()
        return self._embedding().run(progress)

    def _embed_quietly(self) -> int:
        """What a consolidation has embedded; what goes wrong is told by `status`."""
        if not self._has_embedder:
            return 0
        try:
            return self._embedding().run(again=False).embedded
        except ConfigError:
            return 0

    def _embedding(self) -> Embedding:
        from loxodon.write.embedding import LOCK, Embedding

        return Embedding(self._store, self._chosen, os.path.join(self._folder, LOCK),
                         self.guard.clean)  # fmt: skip

    @property
    def _has_embedder(self) -> bool:
        return self._embedders is not None or self.config.embedder.kind != "none"

    def _chosen(self) -> Sequence[Chosen]:
        """The embedders that are set, made once."""
        if self._embedders is None:
            from loxodon.models.embedders import chosen

            self._embedders = chosen(self.config.embedder)
        return self._embedders

    def _questioner(self) -> Questioner | None:
        """What embeds questions; None where no embedder is set."""
        if self._questions is None and self._has_embedder:
            from loxodon.models.embedders.questions import Questioner

            self._questions = Questioner(self._chosen, self.config.embedder.query_timeout)
        return self._questions

    def _residue(self) -> Residue:
        """What decides where the rules could not: a model, if one is set."""
        if self.config.model.mode == "rules":
            from loxodon.write.residue import Residue

            return Residue()
        from loxodon.write.asking import Asking

        day = f"{self.now():%Y-%m-%d}"
        return Asking(self._store, self.config.model, day, self.guard.clean)

    def chat_model(self) -> ChatModel:
        """The model that is set, within its tokens of today; ConfigError where none is."""
        from loxodon.models.chat import ChatModel
        from loxodon.models.ledger import Ledger
        from loxodon.write.asking import StoreBook

        day = f"{self.now():%Y-%m-%d}"
        return ChatModel(
            self.config.model, Ledger(StoreBook(self._store), day, self.config.model.cap),
            clean=self.guard.clean,
        )  # fmt: skip

    def reviews(self) -> Reviews:
        """Beliefs that contradict something firm, waiting for an answer; oldest first."""
        with self._store.reading():
            return [
                one._replace(belief=self.get(one.belief.id), against=self.get(one.against.id))
                for one in self._store.desk.reviews()
            ]

    def confirm(self, id: str) -> Record:
        """The belief called `id` is so: it becomes a fact, and what it contradicts is over.

        What others said, an agent cannot confirm in the user's place (ForbiddenError).
        """
        from loxodon.write.keep import confirm

        if self._store.wall.stands and not is_own(self.get(id).trust):
            self.for_owner()
        with self._store.writing():
            return confirm(self._store, id, self.now())

    def reject(self, id: str) -> Record:
        """The belief called `id` is not so: it is archived."""
        from loxodon.write.keep import reject

        with self._store.writing():
            return reject(self._store, id, self.now())

    def touch(self, ids: Iterable[str]) -> int:
        """Note that memories were used; how many of them there are.

        The next consolidation lifts them, and brings back those that had faded.
        """
        now = self.now()
        with self._store.writing():
            return self._store.desk.use(ids, f"{now:%Y-%m-%d}", now)

    def entities(self) -> Entities:
        """Whom and what the memories are about, in the order they were first named."""
        return self._store.desk.entities()

    def entity(self, name: str) -> Card:
        """All that is known of someone or something, by any of its names; else NotFoundError."""
        from loxodon.write.entities import card

        with self._store.reading():
            found = self._store.desk.entities_named([name])
            if name not in found:
                raise NotFoundError(
                    "nothing is known of {name}",
                    hint="`loxodon entities` lists whom and what the memory knows",
                    name=repr(name),
                )
            return card(self._store, found[name])

    def segments(self, since: datetime | None = None) -> Segments:
        """What was said, cut into stretches of one topic, in order of time."""
        return self._store.desk.segments(since)

    def events(self, since: datetime | None = None) -> Events:
        """What was talked about, a line for each session and day, in order of time."""
        return self._store.desk.events(f"{since:%Y-%m-%d}" if since else "")

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known of the user, and what changed in the last week, as Markdown.

        Renewed once a week by consolidation, and with `refresh` now.
        """
        from loxodon.write import compress

        now, residue = self.now(), self._residue()
        if refresh:
            pages = compress.profiles(self._store, now, residue)
            with self._store.writing():
                compress.put_profiles(self._store, pages, now)
        page = compress.profile(self._store, now, language, residue)
        return self.guard.shown(page, private=self.chat == "direct")

    # What is remembered

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
        """What the memory has on `query`, best first, with a reason for each item.

        At most `top` items (10), and a block of at most `budget` tokens (1,000) to hand to an
        agent. Memories, turns of the journal and notes of files come back; a turn not beside the
        memory that was drawn from it, nor where that memory is archived. `kind` may be `turn` or
        `note`. Any text is a query; none is syntax. `profile` orders by another ranking than the
        configured one: `default`, `phase1`, `openclaw` or `tiered`.

        In a `chat` that is not direct nothing private comes back or is counted: no private memory,
        no turn of a direct chat, no note. Turns that are `in_view`, by their words or their refs,
        are before the agent already; they do not come, nor does what was drawn from them alone.

        Identity and card numbers come as masks, unless the owner asks to `reveal` them; in a chat
        that is not direct so do phones, mails and addresses.
        """
        is_text("query", query)
        heard = self.within(chat=chat)
        where = filter_of(
            self._zone, kind=kind, project=project, topic=topic, tag=tag, entity=entity,
            since=since, until=until, audience=_audience(heard.chat),
        )  # fmt: skip
        top = self.config.recall.top if top is None else number("top", top)
        budget = self.config.recall.budget if budget is None else number("budget", budget)
        profile = self.config.recall.profile if profile is None else profile
        choice("profile", profile, settings.PROFILES)
        now = self.now()
        questioner = self._questioner()
        with heard._store.reading():
            found = recall(
                heard._store, query, where, top=top, budget=budget, now=now, count=self._count,
                meaning=_cleaned(questioner.ask, self.guard) if questioner else None,
                as_of=moment("as_of", as_of, self._zone), profile=self.config.weights(profile),
                in_view=frozenset(map(fold, in_view)),
                shown=lambda text: self.guard.shown(text, heard.chat == "direct", reveal),
            )  # fmt: skip
        if as_of is None and not found.unsure:
            self._used.update(item.id for item in found.items if item.kind in KINDS)
        return found

    def _note_used(self) -> None:
        """Put down what was recalled since the last write: a recall itself never waits for one."""
        used, self._used = self._used, set()
        if used:
            with suppress(LoxodonError):  # to count uses is not worth failing for
                self.touch(sorted(used))

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
        """All that an agent should have before it when it replies to `message`, as one text.

        The soul (given, or SOUL.md in `workspace`, else in the home), the user's profile, related
        memories where the gate sees a reason, what was said today and yesterday, and the message:
        at most `budget` tokens (4,000) in all, or the message alone where it has more.

        `history` is what the agent has of this conversation already, as texts or `{"role",
        "content"}`; it is not told again. With the `state` of the frame before, memories come once
        for each topic; without it they come with every message that asks for them. In a `chat` that
        is not direct nothing private is in any part.
        """
        from loxodon.recall import assemble as frames
        from loxodon.recall.gate import State as Conversation
        from loxodon.text.language import language_of

        is_text("message", message)
        heard = self.within(chat=chat)
        audience = _audience(heard.chat)
        budget = self.config.recall.frame if budget is None else number("budget", budget)
        if soul is None:
            soul = frames.soul_in([*([os.fspath(workspace)] if workspace else []), self.home])
        state = state or Conversation()
        now = self.now()

        def ask(budget: int, in_view: frozenset[str]) -> Recall:
            return self.recall(message, top, budget, chat=chat, in_view=in_view)

        with heard._store.reading():
            material = frames.Material(
                message, soul,
                frames.profile_of(heard._store, now, language_of(message), audience),
                frames.recent_turns(heard._store, now, audience), frames.texts_of(history), now,
                lambda text: self.guard.shown(text, heard.chat == "direct"),
            )  # fmt: skip
            knowing = heard._knowing(state, audience)
            frame = frames.assemble(
                material, knowing, ask, budget, self.config.recall.budget, self._count
            )
        return frame._replace(state=frame.state._replace(names=state.names))

    def gate(
        self, message: str, *, chat: Chat = "direct", state: Conversation | None = None
    ) -> Gate:
        """Whether `message` is worth a recall in this conversation, and why."""
        from loxodon.recall.gate import State as Conversation
        from loxodon.recall.gate import should_recall

        is_text("message", message)
        heard = self.within(chat=chat)
        with heard._store.reading():
            knowing = heard._knowing(state or Conversation(), _audience(heard.chat))
            return should_recall(message, knowing)

    def _knowing(self, state: Conversation, audience: str | None) -> Conversation:
        """The state of a conversation with whom and what this memory knows."""
        if state.names or audience is not None:  # whom a group asks about is no secret to it,
            return state  # whom we know may be
        return state._replace(names=self._store.entities_named)

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        from loxodon.write.pages import gather

        with self._store.reading():
            found = gather.material(self._store, self.config, self.now())
            kept = gather.kept_snapshot(self._store, found, language)
            if kept is None:
                kept = gather.written(found, self.config, self._count, language).text
        return self.guard.shown(kept, private=self.chat == "direct")

    # Control

    def forget(
        self,
        *ids: str,
        entity: str = "",
        topic: str = "",
        session: str = "",
        since: datetime | None = None,
        all: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Erase for good, everywhere that is ours, and keep it from coming back.

        By `ids` of memories, turns (`t_12`) or entities (`e_003`), or by one of the others. With a
        memory go those that say the same, and the clauses of what was said that tell it; with an
        `entity` every sentence that names it; with a turn, a session or all `since` a moment what
        is known from these alone. What was made of it is made anew without it. `Receipt.files`
        names the user's own files in which it still stands. With `dry_run` it is only counted.
        """
        from loxodon.trust.forgetting import forget
        from loxodon.trust.selecting import Selection

        self.for_owner()
        at = moment("since", since, self._zone)
        chosen = Selection(tuple(dict.fromkeys(ids)), entity, topic, session, at, all)
        self._catch_up()  # what waits in plain files is forgotten with the rest
        return forget(self, self._store, chosen, dry_run=dry_run)

    def receipts(self) -> Receipts:
        """What was forgotten when and by whom, without the words; the newest first."""
        from loxodon.trust.forgetting import receipts

        self.for_owner()
        return receipts(self, self._store)

    def _finish_forgetting(self) -> None:
        """Do what a forgetting that was killed, or a backup that was put here, has left to do."""
        if self._store.wall.stands:
            return
        from loxodon.trust.forgetting import finish

        finish(self, self._store)

    def beside(self, path: str) -> Store:
        """The store in another file of this space, one that was set aside; the caller closes it."""
        decay = Decay(self.config.decay, self._clock)
        return SqliteStore(path, self.space, self._zone, decay, self._keys)

    def inspect(self, name: str) -> Inspected:
        """Everything there is on a memory, a turn, a note or an entity, by its id or its name."""
        from loxodon.trust.inspection import inspect

        return inspect(self, self._store, name)

    def subject(self, name: str) -> Subject:
        """All that is known about someone or something; NotFoundError where nothing is."""
        from loxodon.trust.inspection import subject

        return subject(self, self._store, name)

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self._pauses.now(self.now())

    def pause(self, until: datetime | None = None) -> Pause:
        """Journal and learn nothing from now on, until then or until `resume`; recall goes on."""
        self.for_owner()
        return self._pauses.begin(self.now(), moment("until", until, self._zone))

    def resume(self) -> bool:
        """End a pause; whether there was one. What was said in it is not taken up."""
        self.for_owner()
        return self._pauses.end(self.now())

    def refuse_if_paused(self) -> None:
        """Raise a PausedError where nothing is to be kept now."""
        if pause := self.paused:
            from loxodon.trust.pausing import paused_error

            raise paused_error(pause)

    # Care

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
        from loxodon.trust.backup import backup

        self.for_owner()
        self._store.counts()  # says why where there is nothing to read
        return backup(
            self.home, [self.space], None if path is None else os.fspath(path), config=self.config,
            keys=self._keys, now=self.now(), keep=keep, overwrite=overwrite,
            progress=progress or _quiet,
        )  # fmt: skip

    def scan(self, *, mend: bool = False) -> Scanned:
        """Look for what must never be kept and was, before there was a rule for it.

        With `mend` it is taken out: of the journal, memories, history, documents and transcripts.
        """
        from loxodon.trust.scanning import scan

        return scan(self, self._store, self._folder, mend=mend)

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)


def keys_for(home: str, config: Config, key: bytes | None = None) -> Keys:
    """What opens the databases of a home; nothing where they are not encrypted."""
    if key is not None:
        if len(key) != _KEY_BYTES:
            raise InputError("a key has {n} bytes", hint="see `secrets.token_bytes`", n=_KEY_BYTES)
        return (key,)
    if config.encryption.key == "none":
        return ()
    from loxodon.trust.encryption import keys_of

    return keys_of(home, config.encryption, os.environ)


def _audience(chat: Chat) -> str | None:
    """Who hears what is said in a chat, as a filter has it."""
    choice("chat", chat, CHATS)
    return None if chat == "direct" else "group"


def _cleaned(ask: Callable[[str], Meaning], guard: Guard) -> Callable[[str], Meaning]:
    """What embeds a question, without what must not leave the memory."""
    return lambda text: ask(guard.clean(text))


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""
