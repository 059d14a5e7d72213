"""Start here: a `Memory` is one space of a home, and everything one can do with it.

    with Memory.open("~/.loxodon") as memory:
        memory.add([{"role": "user", "content": "我对花生过敏"}], session="monday")
        print(memory.recall("花生").context)

A home is a folder. Each space in it, a person or a project that must not see another, has a
database of its own. What is said goes to the journal, what is known to the memories; both are
searched by `recall`.

Here is all that a memory can do. How it does it is in `services/`: `journalling` (turns),
`knowledge` (memories), `recalling` (what an agent is told), `learning` (consolidation, the model)
and `embedders`, all of them on an open `space` (`opening`).
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from loxodon.clock import Clock
from loxodon.config import Config
from loxodon.errors import LoxodonError
from loxodon.fields import choice, filter_of, is_text, moment, number
from loxodon.filelock import at_fork
from loxodon.layout import OFF_MARKER
from loxodon.services import uses
from loxodon.services.embedders import Embedders
from loxodon.services.opening import open_space
from loxodon.services.space import OpenSpace
from loxodon.store import Progress
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
    Belief,
    Card,
    Changed,
    Chat,
    Consolidated,
    Draft,
    Embedded,
    Entities,
    Events,
    Frame,
    Gate,
    HandedOut,
    Held,
    HeldBack,
    Kind,
    Origin,
    Pause,
    Problems,
    Recall,
    Receipt,
    Receipts,
    Record,
    Records,
    Reviews,
    Segments,
    Source,
    State,
    Timekeeping,
    Turn,
    Versions,
)

if TYPE_CHECKING:
    from typing import Unpack

    from loxodon.documents import Documents
    from loxodon.fields import Changes
    from loxodon.live.pending import PendingEntry
    from loxodon.live.schedule import Schedule
    from loxodon.models.chat import ChatModel
    from loxodon.models.embedders import Embedder
    from loxodon.recall.gate import State as Conversation
    from loxodon.services.journalling import Journal
    from loxodon.services.knowledge import Knowledge
    from loxodon.services.recalling import Recalling
    from loxodon.standing import Stats, Status
    from loxodon.store import Note
    from loxodon.store.protocol import Store
    from loxodon.trust.audit.auditing import AuditLog
    from loxodon.trust.audit.inspection import Inspected, Subject
    from loxodon.trust.forget.scanning import Scanned
    from loxodon.trust.forget.tombstones import Marks
    from loxodon.trust.rest.sealing import Seal
    from loxodon.types import ModelChecked
    from loxodon.workspace.workspace import Workspace
    from loxodon.write.consolidation import Consolidation
    from loxodon.write.phases import OnPhase


_OPEN = Wall()


@audited(MEMORY)
class Memory:
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
        """What was recalled since the last write: a recall itself never waits for one."""
        self._narrower: dict[Wall, Self] = {}
        self._narrowing = allocate_lock()
        put_on_record(space.store, space.home, space.folder, space.config, self.now)
        at_fork(self)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def after_fork(self) -> None:
        """What was recalled before is for the parent to note; models have threads and sockets."""
        self._used = set()
        self._narrowing = allocate_lock()
        self._embedders.after_fork()

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""
        for one in self._narrower.values():
            one.close()
        if self._used and not self._leaves_used():
            self._note_used()
        self._store.close()
        if self._store.audit is not None:
            self._store.audit.close()

    # Whose it is, and who looks

    @property
    def home(self) -> str:
        """The folder of the home."""
        return self._space.home

    @property
    def config(self) -> Config:
        """The settings that it was opened with."""
        return self._space.config

    @property
    def guard(self) -> Guard:
        """What may be kept, and how it may be shown."""
        return self._space.guard

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._space.name

    @property
    def agent(self) -> str:
        """The agent that this memory is bound to; empty for the owner."""
        return self._space.wall.agent

    @property
    def chat(self) -> Chat:
        """`group` where nothing private can be seen through this memory."""
        return self._space.chat

    def within(self, agent: str = "", chat: Chat = "direct", relays: bool | None = None) -> Self:
        """This memory as an agent, or a chat that others hear, may see and change it.

        An agent sees what is its own, what is nobody's, and memories whose audience is `all`; what
        it journals and captures is its own, in its own words, unless the owner says that it
        `relays` the user's. It changes what is its own. A group sees nothing private. What cannot
        be seen is as if it were not there, whatever is asked; what is done to the space as a whole
        is for the owner (ForbiddenError). The memory that comes back is closed with this one.
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
        """This memory as the agent `name`; see `within`."""
        return self.within(name)

    def for_owner(self) -> None:
        """Refuse what is about the whole space, from behind a wall."""
        self._space.for_owner()

    @property
    def encrypted(self) -> bool:
        """Whether it is encrypted on disk: then there are no text views of it."""
        return bool(self._space.keys)

    @property
    def seal(self) -> Seal | None:
        """What seals the files beside an encrypted database; None where it is not."""
        if not self._space.keys:
            return None
        from loxodon.trust.rest.sealing import Seal

        return Seal(self._space.keys)

    def now(self) -> datetime:
        """The present as this memory's clock has it, to the millisecond, which is what is kept."""
        return self._space.now()

    # What was said

    def add(
        self,
        turns: Iterable[Mapping[str, object]],
        session: str = "",
        progress: Progress | None = None,
        *,
        me: Collection[str] = (),
    ) -> Added:
        """Journal turns, in order. When this returns they are on disk and can be recalled.

        A turn is a mapping with `role` and `content`, and where known `at`, `speaker`, `id`,
        `session`, `channel`, `chat`, `origin`. One that cannot be taken refuses them all, with an
        InputError that names each. A turn the journal already has is not added again: the same by
        its `id` in its session; without an id, by its session, its place among the turns of this
        call, and its words (and `at`, where given). Give live messages an `id` or an `at`, so that
        a message said twice is two.

        `me` are the names (`speaker`) by which the user speaks in these turns: theirs are the
        user's own, and those of others who are named are not. It counts for turns that were added
        before as well.
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
        """What `add` does, for turns that a reader has checked (`workspace.readers.read`).

        Those that name no session get the first of `names` that is free or begins like them. What
        was said in a pause, and what was forgotten, is not taken; of a turn without a time nobody
        knows when it was said, unless it is `live`.
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
    ) -> list[Turn]:
        """Turns as they were said, oldest first; with a query those that match it, best first.

        `until` is exclusive. `limit` keeps the latest, or the best; 0 keeps all.
        """
        session = self._journal.own_session(session)
        where = filter_of(self._space.zone, session=session, since=since, until=until)
        return self._journal.find(query, where, number("limit", limit))

    def turn(self, ref: str) -> Turn:
        """The turn called `ref` (`t_512`, or `monday:m3` as in a source); else NotFoundError."""
        return self._journal.turn(ref)

    def segments(self, since: datetime | None = None) -> Segments:
        """What was said, cut into stretches of one topic, in order of time."""
        return self._store.worklog.segments(since)

    def events(self, since: datetime | None = None) -> Events:
        """What was talked about, a line for each session and day, in order of time."""
        return self._store.worklog.events(f"{since:%Y-%m-%d}" if since else "")

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
        origin: Origin | None = None,
        source: Source | None = None,
        token: str = "",
    ) -> Record:
        """Keep a memory as it is given, on disk when this returns.

        `origin` is where the words came from, the user where it is not given. What an agent keeps
        is its own note, as by `remember`; it cannot call it the user's (ForbiddenError).

        The words also go to the journal (session `capture`), so that the memory has a source like
        any other; `source` is one more, such as the line of a file where it stands, and the
        owner's to say. A fact is certain; a belief has a confidence below 1 (0.6 where none is
        given). The same again with the same `token` keeps nothing more, and gives what the first
        call gave.
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

    def remember(self, content: str, kind: Kind = "fact", **more: Any) -> Record:
        """Keep what an agent noted, as the assistant's words (`capture` has the fields).

        It is a fact where what the user said in the last days bears it out, else a belief that
        waits for the user (`reviews`). No page tells it before the user says or confirms it.
        """
        return self._knowledge.remember(content, kind, more)

    def take_entries(self, entries: Sequence[PendingEntry]) -> int:
        """Take in what was said and captured while the engine was off; how many were new.

        All of them or none; what is here already is passed over.
        """
        return self._knowledge.take_entries(entries)

    def get(self, id: str) -> Record:
        """The memory called `id`; NotFoundError if there is none."""
        return self._knowledge.get(id)

    def note(self, id: str) -> Note:
        """The note of a file that a recall calls `id` (`n_12`); NotFoundError if it is gone."""
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
        audience: Audience | None = None,
    ) -> Records:
        """Memories, newest first; `state` None or `all` has the archived ones too."""
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
        return self._store.find(where, number("limit", limit))

    def edit(
        self, id: str, *, version: int | None = None, token: str = "", **changes: Unpack[Changes]
    ) -> Record:
        """Change fields of a memory (see `Changes`); what it was stays in its history.

        Behind a wall one changes one's own; of what is the owner's the words, as `revise` does.
        With `version` the edit is refused with a StaleEditError unless the memory is still at that
        version. An edit that changes nothing makes no new version. The same again with the same
        `token` changes nothing more, and gives what the first call gave.
        """
        return self._knowledge.edit(id, version, token, changes)

    def revise(self, id: str, *, version: int | None = None, **changes: Unpack[Changes]) -> Record:
        """What `edit` does, for an agent: the user's own words it may change only to what the user
        said in the last days; else an InputError says so."""
        return self._knowledge.revise(id, version, changes)

    def archive(self, id: str, *, version: int | None = None) -> Record:
        """Take a memory out of ordinary recall; it is kept and can come back."""
        return self._knowledge.archive(id, version)

    def unarchive(self, id: str, *, version: int | None = None) -> Record:
        """Bring an archived memory back, strong enough not to fade again at once."""
        return self._knowledge.unarchive(id, version)

    def unarchive_run(self, at: datetime) -> Records:
        """Bring back what the run at that moment archived for its age (`timekeeping` has them).

        Each has the strength again that it would have without that run. What was changed since
        stays as it is. NotFoundError where no run archived anything then.
        """
        return self._knowledge.unarchive_run(moment("at", at, self._space.zone) or at)

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
        return self._store.worklog.changes_since(at)

    def quarantine(self, state: str | None = "held", limit: int = 50) -> HeldBack:
        """Instructions that were found in others' words and are held back, newest first.

        Behind a wall one is told that something is held, without its words. `state` is `held`,
        `released`, `dropped` or `all`; `limit` 0 gives all.
        """
        from loxodon.trust.origin import quarantine

        choice("state", state or "all", (*quarantine.STATES, "all"))
        which = None if state in (None, "all") else state
        found = quarantine.listed(self._store, which, number("limit", limit))
        return [one._replace(text="") for one in found] if self._store.wall.stands else found

    def release(self, id: str) -> Held:
        """Let what is held as `id` (`q_12`) be told: fenced, with its origin, not believed."""
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            return quarantine.release(self._store, id, self.now())

    def drop(self, id: str) -> Held:
        """Never tell what is held as `id`; the message stays in the journal as it was said."""
        from loxodon.trust.origin import quarantine

        with self._store.writing():
            return quarantine.drop(self._store, id, self.now())

    def reviews(self) -> Reviews:
        """Beliefs that contradict something firm, waiting for an answer; oldest first."""
        with self._store.reading():
            return [
                one._replace(belief=self.get(one.belief.id), against=self.get(one.against.id))
                for one in self._store.worklog.reviews()
            ]

    def confirm(self, id: str, *, version: int | None = None) -> Record:
        """The belief called `id` is so: it becomes a fact, and what it contradicts is over.

        With `version`, the one that was shown: a StaleEditError where it has changed since. An
        agent cannot confirm in the user's place (ForbiddenError).
        """
        from loxodon.write.keep import confirm

        with self._store.writing():
            self._knowledge.at_version(id, version)
            return confirm(self._store, id, self.now())

    def reject(self, id: str, *, version: int | None = None) -> Record:
        """The belief called `id` is not so: it is archived. `version` is as for `confirm`."""
        from loxodon.write.keep import reject

        with self._store.writing():
            self._knowledge.at_version(id, version)
            return reject(self._store, id, self.now())

    def entities(self) -> Entities:
        """Whom and what the memories are about, in the order they were first named."""
        return self._store.worklog.entities()

    def entity(self, name: str) -> Card:
        """All that is known of someone or something, by any of its names; else NotFoundError."""
        from loxodon.write.entities import card

        with self._store.reading():
            return card(self._store, self._knowledge.entity(name))

    def touch(self, ids: Iterable[str]) -> int:
        """Note that memories were used; how many of them there are.

        The next consolidation lifts them, and brings back those that had faded.
        """
        now = self.now()
        with self._store.writing():
            for at, earlier in () if self._store.wall.stands else uses.take(self._space.folder):
                self._store.worklog.use(earlier, f"{at:%Y-%m-%d}", at)
            return self._store.worklog.use(ids, f"{now:%Y-%m-%d}", now)

    def _note_used(self) -> None:
        """Put down what was recalled since the last write."""
        used, self._used = self._used, set()
        if used or (not self._store.wall.stands and uses.are_left(self._space.folder)):
            with suppress(LoxodonError):  # to count uses is not worth failing for
                self.touch(sorted(used))

    def _leaves_used(self) -> bool:
        """Leave what was recalled for the next who writes; whether that could be done.

        Not from behind a wall, where a use counts less; nor beside an encrypted database.
        """
        if self._store.wall.stands or self.encrypted:
            return False
        if not uses.leave(self._space.folder, sorted(self._used), self.now()):
            return False
        self._used = set()
        return True

    def inspect(self, name: str) -> Inspected:
        """Everything there is on a memory, a turn, a note or an entity, by its id or its name."""
        from loxodon.trust.audit.inspection import inspect

        return inspect(self, self._store, name)

    def subject(self, name: str) -> Subject:
        """All that is known about someone or something; NotFoundError where nothing is."""
        from loxodon.trust.audit.inspection import subject

        return subject(self, self._store, name)

    # What an agent is told

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
        """All that an agent should have before it when it replies to `message`, as one text.

        The soul (given, or SOUL.md in `workspace`, else in the home), the user's profile, related
        memories where the gate sees a reason, what was said today and yesterday, and the message:
        at most `budget` tokens (4,000) in all, or the message alone where it has more.

        `history` is what the agent has of this conversation already, as texts or `{"role",
        "content"}`; it is not told again. With the `state` of the frame before, memories come once
        for each topic; without it they come with every message that asks for them. In a `chat` that
        is not direct nothing private is in any part.
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
        """Whether `message` is worth a recall in this conversation, and why."""
        is_text("message", message)
        return self.within(chat=chat)._recalling.gate(message, state)

    def snapshot(self, language: str = "en") -> str:
        """What a conversation should start with, as Markdown within the configured budget."""
        return self._recalling.snapshot(language)

    def profile(self, language: str = "en", *, refresh: bool = False) -> str:
        """The core of what is known of the user, and what changed in the last week, as Markdown.

        Renewed once a week by consolidation, and with `refresh` now.
        """
        from loxodon.services.learning import residue

        return self._recalling.profile(language, residue(self._space), refresh)

    def due_reminders(self, limit: int = 20) -> Records:
        """Plans whose time has come and that are not done, the first due first."""
        return self.schedule.reminders(number("limit", limit))

    # Learning

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

    def flush_due(self) -> str:
        """Why a flush is due: `tokens` or `quiet` (settings `buffer.*`); empty for not."""
        if self.paused:
            return ""
        from loxodon.services.learning import flush_due

        return flush_due(self._space)

    def consolidation_due(self) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty for not."""
        if self.paused:
            return ""
        return self._consolidation().due(self.now())

    def next_consolidation(self) -> datetime | None:
        """When the next nightly one is due; None where none is."""
        from loxodon.write.schedule import next_time

        return next_time(self.config.schedule.daily, self.now(), self._space.zone)

    def hand_out(self) -> HandedOut:
        """What waits for a model, as a question that an agent can answer in its place."""
        from loxodon.services.learning import handed_out

        self.for_owner()
        return handed_out(self._space, self._consolidation().hand_out(self.now()))

    def take_answer(self, ticket: str, answer: str) -> Consolidated:
        """Learn what an agent read of what was handed out to it, with the checks that a model's
        answer has; InputError with the reason where nothing of it can be believed."""
        self.for_owner()
        return self._consolidation().take_answer(self.now(), ticket, answer)

    def check_model(self) -> ModelChecked:
        """Have the model that is set read the test sentences now; ConfigError where none is.

        What comes of it decides whether it is asked about anything (setting `model.check`).
        """
        from loxodon.write.checking import check

        self.for_owner()
        return check(self.chat_model(), self._store, self.config.model, self.now())

    def chat_model(self) -> ChatModel:
        """The model that is set, within its tokens of today; ConfigError where none is."""
        from loxodon.services.learning import chat_model

        return chat_model(self._space)

    def embed(self, progress: Progress | None = None) -> Embedded:
        """Give every turn and memory that has none a vector of the embedder that is set.

        Consolidation does the same at its end. A run that is cut short is continued by the next;
        what fails is tried again. Raises ConfigError where the embedder cannot be made.
        """
        return self._embedders.embedding(self._space).run(progress)

    # Its owner's control

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

        at = moment("since", since, self._space.zone)
        chosen = Selection(
            tuple(dict.fromkeys(ids)), entity, topic, session, at, all, tuple(dict.fromkeys(also))
        )
        self._catch_up()  # what waits in plain files is forgotten with the rest
        return forget(self, self._store, chosen, dry_run=dry_run, progress=progress or _quiet)

    def receipts(self) -> Receipts:
        """What was forgotten when and by whom, without the words; the newest first."""
        from loxodon.trust.forget.forgetting import receipts

        return receipts(self, self._store)

    def forgotten(self) -> Marks | None:
        """What must not come back, for who takes something in; None where there is nothing."""
        return self._space.forgotten()

    def pause(self, until: datetime | None = None) -> Pause:
        """Journal and learn nothing from now on, until then or until `resume`; recall goes on."""
        return self._space.pauses.begin(self.now(), moment("until", until, self._space.zone))

    def resume(self) -> bool:
        """End a pause; whether there was one. What was said in it is not taken up."""
        return self._space.pauses.end(self.now())

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self._space.paused

    def refuse_if_paused(self) -> None:
        """Raise a PausedError where nothing is to be kept now."""
        self._space.refuse_if_paused()

    def timekeeping(self) -> Timekeeping:
        """What the clock says, whether it is believed, and what was archived for its age."""
        self.for_owner()
        from loxodon import standing

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

    def scan(self, *, mend: bool = False) -> Scanned:
        """Look for what must never be kept and was, before there was a rule for it.

        With `mend` it is taken out: of the journal, memories, history, documents and transcripts.
        """
        from loxodon.trust.forget.scanning import scan

        return scan(self, self._store, self._space.folder, mend=mend)

    # What else it holds

    @property
    def workspace(self) -> Workspace:
        """The same memory as text, and the files beside it."""
        from loxodon.workspace.workspace import Workspace

        return Workspace(self, self._store, self._space.folder, self._space.zone)

    @property
    def audit(self) -> AuditLog:
        """Who read and wrote what, and whether that record was tampered with."""
        from loxodon.trust.audit.auditing import AuditLog

        self.for_owner()
        return AuditLog(self._store, self._space.zone)

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

        return Schedule(self, self._store, self._space.zone, self._consolidation)

    # Its care

    def status(self) -> Status:
        """Where this memory stands."""
        from loxodon import standing

        with self._store.reading():
            return standing.status(self, self._store, self._embedders.coverage(self._space))

    def stats(self) -> Stats:
        """What this memory holds, counted."""
        from loxodon import standing

        with self._store.reading():
            return standing.stats(self, self._store, self._embedders.coverage(self._space))

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
            keys=self._space.keys,
            now=self.now(),
            keep=keep,
            overwrite=overwrite,
            progress=progress or _quiet,
        )

    def rebuild_index(self, progress: Progress | None = None) -> int:
        """Make every index anew from the data; how many rows were indexed."""
        return self._store.rebuild(progress or _quiet)

    def beside(self, path: str) -> Store:
        """The store in another file of this space, one that was set aside; the caller closes it."""
        from loxodon.services.opening import store_beside

        self.for_owner()
        return store_beside(self._space, path)

    # Who does the work

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
        """Take in what was written while the engine was off, where anything was."""
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
        """Do what a forgetting that was killed, or a backup that was put here, has left to do."""
        if self._store.wall.stands:
            return
        from loxodon.trust.forget.forgetting import finish

        finish(self, self._store)


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""
