"""An open space of a home, which all services work on."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from loxodon.clock import Clock
from loxodon.config import Config
from loxodon.layout import DATABASE
from loxodon.store.off import Off
from loxodon.tokens import counter
from loxodon.trust.access import pausing
from loxodon.trust.access.pausing import Pauses
from loxodon.trust.guard.guard import Guard
from loxodon.types import Chat, Pause

if TYPE_CHECKING:
    from loxodon.store.sqlite.cipher import Keys
    from loxodon.store.store import Store
    from loxodon.store.walls import Wall
    from loxodon.trust.forget.gatekeeper import Gatekeeper
    from loxodon.trust.forget.tombstones import Marks


class OpenSpace:
    """One space, opened as its owner or behind a wall. Whoever opened it closes it."""

    def __init__(
        self,
        home: str,
        folder: str,
        store: Store,
        config: Config,
        clock: Clock,
        zone: tzinfo | None,
        keys: Keys = (),
        root: str = "",
    ) -> None:
        self.home = home
        self.folder = folder
        self.root = root or home
        """Where the state of the home is: the home itself, or the address of its database."""
        self.store = store
        self.config = config
        self.clock = clock
        self.zone = zone
        self.keys = keys
        self.guard = Guard.of(self.root)
        """The rules on what may be stored and how it may be shown."""
        self.count = counter(config.tokenizer)
        self.pauses = Pauses(self._read_pauses, self._write_pauses)
        self._gatekeeper: Gatekeeper | None = None
        self.drawing: tuple[object, Any] = (None, None)
        """The last graph that was drawn, and of what; see `overviews/graph.py`."""

    def behind(self, wall: Wall) -> OpenSpace:
        """The same space behind a wall, with its own store."""
        store = self.store.behind(wall)
        return OpenSpace(
            self.home, self.folder, store, self.config, self.clock, self.zone, self.keys, self.root
        )

    @property
    def name(self) -> str:
        return self.store.space

    @property
    def wall(self) -> Wall:
        return self.store.wall

    @property
    def chat(self) -> Chat:
        """`group` if nothing private can be seen."""
        return "group" if self.wall.group else "direct"

    def now(self) -> datetime:
        """The current time by the clock, to the millisecond, as it is stored."""
        now = self.clock()
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        return now if self.zone is None else now.astimezone(self.zone)

    def _read_pauses(self) -> str:
        if isinstance(self.store, Off):  # a pause holds with the engine off as well
            from loxodon.store.sqlite.owner import value_of

            return value_of(os.path.join(self.folder, DATABASE), pausing.VALUE, self.keys)
        return self.store.value(pausing.VALUE)

    def _write_pauses(self, text: str) -> None:
        store = self.store
        if isinstance(store, Off):
            from loxodon.services.opening import store_beside

            store = store_beside(self, os.path.join(self.folder, DATABASE))
        try:
            with store.writing():
                store.set_value(pausing.VALUE, text)
        finally:
            if store is not self.store:
                store.close()

    @property
    def paused(self) -> Pause | None:
        """The current pause, or None."""
        return self.pauses.now(self.now())

    def refuse_if_paused(self) -> None:
        """Raise PausedError during a pause."""
        if pause := self.paused:
            from loxodon.trust.access.pausing import paused_error

            raise paused_error(pause)

    def for_owner(self) -> None:
        """Raise ForbiddenError unless this is the owner's view of the space."""
        if self.wall.stands:
            from loxodon.store.walls import owners_only

            raise owners_only()

    @property
    def has_forgotten(self) -> bool:
        """Whether anything was ever forgotten here."""
        return not isinstance(self.store, Off) and self.store.has_tombstones()

    def gatekeeper(self) -> Gatekeeper:
        """Checks incoming text against what was forgotten."""
        if self._gatekeeper is None:
            from loxodon.trust.forget.gatekeeper import Gatekeeper

            self._gatekeeper = Gatekeeper(self.root, self.config, self.store)
        return self._gatekeeper

    def forgotten(self) -> Marks | None:
        """Marks of what must not come back; None if nothing was forgotten."""
        return self.gatekeeper().marks() if self.has_forgotten else None

    def shown(self, text: str) -> str:
        """A text as the viewer of this space may see it."""
        return self.guard.shown(text, private=self.chat == "direct")
