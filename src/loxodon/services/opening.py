"""Opens a space: its settings, keys, folder and store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, cast

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import InputError, refused
from loxodon.layout import DATABASE, DELETING, KEYS, RECODING
from loxodon.services.space import OpenSpace
from loxodon.spaces import home_at, space_folder
from loxodon.store.sqlite.store import SqliteStore
from loxodon.store.walls import Wall
from loxodon.trust.guard.guard import Guard
from loxodon.write.decay import Decay

if TYPE_CHECKING:
    from loxodon.store.sqlite.cipher import Keys
    from loxodon.store.store import Store

_KEY_BYTES = 32


def open_space(
    path: str,
    space: str,
    config: Config | Mapping[str, object] | None,
    clock: Clock | None,
    key: bytes | None,
    wall: Wall,
) -> OpenSpace:
    """Open a space of the home at `path`, creating it if needed; see `Memory.open`."""
    home = home_at(path)
    if config is None:
        config = settings.with_environment(settings.load(home), os.environ)
    elif not isinstance(config, Config):
        given, config = settings.flattened(config), settings.from_mapping(config)
        if "store.url" not in given:  # where the data is does not depend on who opens it
            own = {
                name.removeprefix("store."): attrgetter(name)(config)
                for name in given
                if name.startswith("store.")
            }
            config = replace(config, store=replace(settings.load(home).store, **own))
    if finish_recoding(home):
        config = replace(config, encryption=settings.load(home).encryption)
    if os.path.exists(os.path.join(home, DELETING)):
        from loxodon.trust.forget.spaces import finish

        finish(home)
    zone = zone_named(config.timezone)
    clock = clock or system_clock(zone)
    root = root_of(home, config, key)
    folder = space_folder(root, space, make=True)
    keys = keys_for(home, config, key)
    store: Store
    if config.enabled:
        decay, guard = Decay(config.decay, clock), Guard.of(root)
        if config.store.url:
            from loxodon.store.postgres.store import PostgresStore

            where = config.store
            store = PostgresStore(where.url, space, zone, decay, wall, guard, where.replica)
        else:
            file = os.path.join(folder, DATABASE)
            store = SqliteStore(file, space, zone, decay, keys, wall, guard)
    else:
        from loxodon.store.off import Off

        store = cast("Store", Off(space, wall))
    return OpenSpace(home, folder, store, config, clock, zone, keys, root)


def root_of(home: str, config: Config, key: bytes | None = None) -> str:
    """Where the spaces of a home and its state are: the home itself, or the address of its database
    (without a password), which is made ready for use."""
    if not config.store.url:
        return home
    for what, is_set in (
        ("encryption", config.encryption.key != "none" or key is not None),
        ("enabled", not config.enabled),
    ):
        if is_set:
            raise refused(what)
    from loxodon.store.postgres import pool  # it says what to install
    from loxodon.store.postgres.home_state import share

    pool.configure(config.store)
    return share(config.store.url)


def store_beside(space: OpenSpace, path: str) -> Store:
    """Open the store in another file of a space. The caller closes it."""
    decay = Decay(space.config.decay, space.clock)
    return SqliteStore(path, space.name, space.zone, decay, space.keys)


def finish_recoding(home: str) -> bool:
    """Finish an interrupted encrypt, decrypt or rekey of a home; return whether there was one."""
    if not os.path.exists(os.path.join(home, KEYS, RECODING)):
        return False
    from loxodon.trust.rest.recoding import finish

    return finish(home, os.environ)


def keys_for(home: str, config: Config, key: bytes | None = None) -> Keys:
    """The keys of the databases of a home; empty if they are not encrypted."""
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
