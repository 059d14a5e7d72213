"""An opened memory: what all of its verbs stand on."""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Self

from loxodon.clock import Clock
from loxodon.config import Config
from loxodon.errors import LoxodonError
from loxodon.fields import choice
from loxodon.filelock import at_fork
from loxodon.layout import EMBEDDING_LOCK, FORGOTTEN
from loxodon.store.walls import Wall
from loxodon.tokens import counter
from loxodon.trust.access.pausing import Pauses
from loxodon.trust.audit.witness import MEMORY, audited, put_on_record
from loxodon.trust.guard.guard import Guard
from loxodon.types import CHATS, Chat, Pause
from loxodon.verbs import uses

if TYPE_CHECKING:
    from loxodon.models.embedders import Chosen
    from loxodon.models.embedders.questions import Questioner
    from loxodon.store.protocol import Store
    from loxodon.store.sqlite.cipher import Keys
    from loxodon.trust.forget.gatekeeper import Gatekeeper
    from loxodon.trust.forget.tombstones import Marks
    from loxodon.trust.rest.sealing import Seal
    from loxodon.write.embedding import Embedding


@audited(MEMORY)
class Opened:
    """One space of a home, opened, as its owner or behind a wall."""

    def __init__(
        self,
        home: str,
        folder: str,
        store: Store,
        config: Config,
        clock: Clock,
        zone: tzinfo | None,
        keys: Keys = (),
    ) -> None:
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
        self._given = False
        """Whether the embedder was handed in, and so is not ours to make."""
        self._questions: Questioner | None = None
        self._pauses = Pauses(folder)
        self._gatekeeper: Gatekeeper | None = None
        self._narrower: dict[Wall, Self] = {}
        self._narrowing = allocate_lock()
        put_on_record(store, home, folder, config, self.now)
        at_fork(self)

    def after_fork(self) -> None:
        """What was recalled before is for the parent to note; models have threads and sockets."""
        self._used = set()
        self._narrowing = allocate_lock()
        self._questions = None
        if not self._given:
            self._embedders = None

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""
        for one in self._narrower.values():
            one.close()
        if self._used and not self._leaves_used():
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
        wall = narrower(self._store.wall, agent, chat, relays)
        if wall == self._store.wall:
            return self
        with self._narrowing:
            if wall not in self._narrower:
                self._narrower[wall] = self._behind(wall)
            return self._narrower[wall]

    def as_agent(self, name: str) -> Self:
        """This memory as the agent `name`; see `within`."""
        return self.within(name)

    def _behind(self, wall: Wall) -> Self:
        store = self._store.behind(wall)
        found = type(self)(
            self.home, self._folder, store, self.config, self._clock, self._zone, self._keys
        )
        found._embedders, found._questions = self._embedders, self._questioner()
        found._given = self._given
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
        from loxodon.trust.rest.sealing import Seal

        return Seal(self._keys)

    def now(self) -> datetime:
        """The present as this memory's clock has it, to the millisecond, which is what is kept."""
        now = self._clock()
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        return now if self._zone is None else now.astimezone(self._zone)

    def _gate(self) -> Gatekeeper:
        if self._gatekeeper is None:
            from loxodon.trust.forget.gatekeeper import Gatekeeper

            self._gatekeeper = Gatekeeper(self, self._folder)
        return self._gatekeeper

    def forgotten(self) -> Marks | None:
        """What must not come back, for who takes something in; None where there is nothing."""
        if not os.path.exists(os.path.join(self._folder, FORGOTTEN)):
            return None
        return self._gate().marks()

    @property
    def paused(self) -> Pause | None:
        """The pause that is on; None where what is said is kept."""
        return self._pauses.now(self.now())

    def refuse_if_paused(self) -> None:
        """Raise a PausedError where nothing is to be kept now."""
        if pause := self.paused:
            from loxodon.trust.access.pausing import paused_error

            raise paused_error(pause)

    def touch(self, ids: Iterable[str]) -> int:
        """Note that memories were used; how many of them there are.

        The next consolidation lifts them, and brings back those that had faded.
        """
        now = self.now()
        with self._store.writing():
            for at, earlier in () if self._store.wall.stands else uses.take(self._folder):
                self._store.worklog.use(earlier, f"{at:%Y-%m-%d}", at)
            return self._store.worklog.use(ids, f"{now:%Y-%m-%d}", now)

    def _note_used(self) -> None:
        """Put down what was recalled since the last write: a recall itself never waits for one."""
        used, self._used = self._used, set()
        if used or (not self._store.wall.stands and uses.are_left(self._folder)):
            with suppress(LoxodonError):  # to count uses is not worth failing for
                self.touch(sorted(used))

    def _leaves_used(self) -> bool:
        """Leave what was recalled for the next who writes; whether that could be done.

        Not from behind a wall, where a use counts less; nor beside an encrypted database.
        """
        if self._store.wall.stands or self.encrypted:
            return False
        if not uses.leave(self._folder, sorted(self._used), self.now()):
            return False
        self._used = set()
        return True

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

    def _embedding(self) -> Embedding:
        from loxodon.write.embedding import Embedding

        return Embedding(
            self._store, self._chosen, os.path.join(self._folder, EMBEDDING_LOCK), self.guard.sent
        )
