"""Opens a space: its settings, keys, folder and store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, nullcontext
from datetime import datetime, tzinfo
from importlib import import_module
from typing import TYPE_CHECKING, cast

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.consolidate.decay import Decay
from loxodon.errors import DamagedStoreError, InputError, PausedError, refused
from loxodon.guard.guard import Guard
from loxodon.layout import DATABASE, DELETING, FORGOTTEN_TO, KEYS, RECODING
from loxodon.messages import t
from loxodon.security import pauses
from loxodon.security.keys import database_keys
from loxodon.spaces import home_at, space_folder
from loxodon.store.driver import Driver
from loxodon.store.sqlite.database import Database
from loxodon.store.store import Off, Store
from loxodon.store.walls import Wall
from loxodon.tokens import estimate
from loxodon.types import Chat, Pause

if TYPE_CHECKING:
    from loxodon.forget.marks import Marks
    from loxodon.store.sqlite.cipher import Keys

_NONE = "0:0"  # the version of the marks where nothing was forgotten


def open_space(
    path: str,
    space: str,
    config: settings.Config | Mapping[str, object] | None,
    clock: Clock | None,
    key: bytes | None,
    wall: Wall,
) -> OpenSpace:
    """Open a space of the home at `path`, creating it if needed; see `Memory.open`."""
    home = home_at(path)
    if config is None:
        config = settings.load(home, os.environ)
    elif not isinstance(config, settings.Config):
        given = settings.flattened(config)
        if "store.url" not in given:  # where the data is does not depend on who opens it
            own = settings.flat(settings.load(home))
            given = {n: value for n, value in own.items() if n.startswith("store.")} | given
        config = settings.from_mapping(given)
    if finish_recoding(home):
        config = config._replace(encryption=settings.load(home).encryption)
    if os.path.exists(gone := os.path.join(home, DELETING)):  # spaces, by one who was killed
        import_module("shutil").rmtree(gone, ignore_errors=True)  # which takes a while to load
    zone = zone_named(config.timezone)
    clock = clock or system_clock(zone)
    root = root_of(home, config, key)
    folder = space_folder(root, space, make=True)
    keys = keys_for(home, config, key)
    if not config.enabled:
        store = cast("Store", Off(space, wall))
    else:
        if config.store.url:
            from loxodon.store.postgres.database import PostgresDatabase

            database: Driver = PostgresDatabase(config.store.url, space)
        else:
            database = Database(os.path.join(folder, DATABASE), keys)
        store = Store(database, space, zone, Decay(config, clock), wall, Guard.of(root))
    return OpenSpace(home, root, folder, store, config, clock, zone, keys)


def root_of(home: str, config: settings.Config, key: bytes | None = None) -> str:
    """Where the spaces and the state of a home are: the home itself, or the address of its database
    (without a password), which is made ready for use."""
    if not config.store.url:
        return home
    if config.encryption.key != "none" or key is not None:
        raise refused("encryption")
    if not config.enabled:
        raise refused("enabled = false")
    from loxodon.store.postgres import pool  # it says what to install
    from loxodon.store.postgres.home_state import share

    pool.configure(config.store)
    return share(config.store.url)


def finish_recoding(home: str) -> bool:
    """Finish an interrupted encrypt, decrypt or rekey of a home; whether there was one."""
    if not os.path.exists(os.path.join(home, KEYS, RECODING)):
        return False
    from loxodon.security.encryption import finish

    return finish(home)


def keys_for(home: str, config: settings.Config, key: bytes | None = None) -> Keys:
    """The keys of the databases of a home; empty if they are not encrypted."""
    if key is None:
        return database_keys(home, config.encryption) if config.encryption.key != "none" else ()
    if len(key) != 32:
        raise InputError("a key must have {n} bytes", n=32)
    return (key,)


class OpenSpace:
    """One space, opened as its owner or behind a wall. Whoever opened it closes its store."""

    def __init__(
        self,
        home: str,
        root: str,  # where its state is: the home, or the address of its database
        folder: str,
        store: Store,
        config: settings.Config,
        clock: Clock,
        zone: tzinfo | None,
        keys: Keys,
    ) -> None:
        self.home, self.root, self.folder = home, root, folder
        self.config, self.clock, self.zone, self.keys = config, clock, zone, keys
        self.store = self._store = store
        self.space, self.wall, self.agent = store.space, store.wall, store.wall.agent
        self.guard, self.count = Guard.of(root), estimate
        self._forgotten: tuple[str, Marks | None] = (_NONE, None)
        self.chat: Chat = "group" if self.wall.group else "direct"
        self.pauses = pauses.Pauses(self._read_pauses, self._write_pauses)

    def behind(self, wall: Wall) -> OpenSpace:
        """The same space behind a wall, with its own store."""
        at, store = (self.home, self.root, self.folder), self.store.behind(wall)
        return OpenSpace(*at, store, self.config, self.clock, self.zone, self.keys)

    def now(self) -> datetime:
        """The current time by this memory's clock, to the millisecond, as it is stored."""
        now = self.clock()
        now = now.replace(microsecond=now.microsecond // 1_000 * 1_000)
        return now if self.zone is None else now.astimezone(self.zone)

    def _read_pauses(self) -> str:
        if isinstance(self.store, Off):  # a pause holds with the engine off as well
            from loxodon.store.sqlite.copying import value_of

            return value_of(os.path.join(self.folder, DATABASE), pauses.VALUE, self.keys)
        return self.store.value(pauses.VALUE)

    def _write_pauses(self, text: str) -> None:
        store = self.store
        if isinstance(store, Off):
            database = Database(os.path.join(self.folder, DATABASE), self.keys)
            store = Store(database, self.space, self.zone, Decay(self.config, self.clock))
        with nullcontext() if store is self.store else closing(store), store.writing():
            store.set_value(pauses.VALUE, text)

    @property
    def paused(self) -> Pause | None:
        """The current pause, or None."""
        return self.pauses.now(self.now())

    def refuse_if_paused(self) -> None:
        """Raise PausedError during a pause."""
        if pause := self.paused:
            raise PausedError(
                "recording is paused until {until}: nothing is stored",
                hint="end the pause with `loxodon resume`",
                until=f"{pause.until:%Y-%m-%d %H:%M}" if pause.until else t("it is resumed"),
            )

    @property
    def has_to_forget(self) -> bool:
        """Whether the database was not yet held against the marks of what was forgotten."""
        return bool(self.store.scalar("marks_version") != (self.store.value(FORGOTTEN_TO) or _NONE))

    def forgotten(self) -> Marks | None:
        """Marks of what must not come back; None if nothing was forgotten."""
        version = _NONE if isinstance(self.store, Off) else self.store.scalar("marks_version")
        if version != self._forgotten[0]:
            from loxodon.forget.marks import Marks

            self._forgotten = version, Marks(self.store, self.root, self.config)
        return self._forgotten[1]

    def shown(self, text: str) -> str:
        """A text as the viewer of this space may see it."""
        return self.guard.shown(text, private=self.chat == "direct")


def check_database(path: str) -> None:
    """A space without its database was one with it: making a new one would hide the loss."""
    if not os.path.exists(path) or not os.path.getsize(path):
        hint = "rebuild it from text with `loxodon restore`, or make an empty one: `loxodon init`"
        raise DamagedStoreError("{path} is missing or empty", hint=hint, path=path)
