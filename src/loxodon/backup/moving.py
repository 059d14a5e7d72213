"""Moves the spaces of a home into a PostgreSQL database, or back into files: `loxodon move`.

The primary data of a space is moved in one transaction, then the audit log and what lies beside
the database; what is derived is made anew. Only when all spaces are there, equal, and none has
changed meanwhile do the settings name the new place. Nothing is taken from the old one. A move that
was cut short goes on: a space that is there and equal stays, any other is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

from loxodon import config as settings
from loxodon import files
from loxodon.clock import Clock
from loxodon.config import Config, StoreConfig
from loxodon.errors import BusyStoreError, InputError, StoreError, UsageError
from loxodon.filelock import FileLock
from loxodon.guard import policy
from loxodon.layout import CONFIG, COPIES, FORGOTTEN_TO, KEY_MARK, SCHEDULE_LOCK
from loxodon.memory import Memory
from loxodon.opening import OpenSpace, open_space, root_of
from loxodon.security import keys, tokens
from loxodon.security.audit import END, HEAD, entries_of
from loxodon.spaces import home_at
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.walls import Wall

_BATCH = 2_000


class Moved(NamedTuple):
    to: str  # where the spaces are now: a home, or an address without a password
    spaces: tuple[str, ...]
    known: tuple[str, ...]  # those of them that an earlier move had brought there
    turns: int
    memories: int


def move(
    home: str, config: Config, to: str, spaces: Sequence[str], clock: Clock, progress: Progress
) -> Moved:
    """Move `spaces`, which are all of a home, to a database (an address) or a home (a path)."""
    if "://" in to:
        settings.checked("store.url", to)
        target, target_config = home, config._replace(store=StoreConfig(to))
    else:
        target, target_config = home_at(to), config._replace(store=StoreConfig())
    here, there = root_of(home, config), root_of(target, target_config)
    if here == there:
        raise UsageError("the memory is already there", hint="name another place with --to")
    known, bases = [], {}
    turns = memories = 0
    with ExitStack() as held:
        for root, folder in ((here, home), (there, target)):
            if not files.shared(root):  # of which no machine knows who is at it
                held.enter_context(_no_server(folder))
        if master := keys.Keys(here, config.keys.source).master():
            keys.Keys(there, config.keys.source).adopt(master)
        for name in (tokens.FILE, policy.FILE):
            _bring(os.path.join(here, name), os.path.join(there, name))
        for space in spaces:
            Memory.open(home, space, config, clock).close()  # which brings it up to date
            old = open_space(home, space, config, clock, None, Wall())
            new = open_space(target, space, target_config, clock, None, Wall())
            with closing(old.store), closing(new.store), old.store.reading():
                bases[space] = old.store.primary.bases()
                if _move_space(space, old, new, there, progress):
                    known.append(space)
                counts = old.store.counts()
            turns, memories = turns + counts.turns, memories + counts.active + counts.archived
        for space in spaces:
            old = open_space(home, space, config, clock, None, Wall())
            with closing(old.store) as store, store.reading():
                if store.primary.bases() != bases[space]:
                    raise BusyStoreError(
                        "the space {space} was written to while it was being moved",
                        hint="stop whatever uses this memory, then run the command again",
                        space=repr(space),
                    )
        if target != home and not files.exists(os.path.join(target, CONFIG)):
            _bring(os.path.join(home, CONFIG), os.path.join(target, CONFIG))
        settings.write(target, "store.url", target_config.store.url or None)
    return Moved(there, tuple(spaces), tuple(known), turns, memories)


@contextmanager
def _no_server(home: str) -> Iterator[None]:
    """Refuse a home that a server works on, and keep one from beginning to."""
    files.make_folder(home)
    with closing(FileLock(os.path.join(home, SCHEDULE_LOCK))) as lock:
        if not lock.acquire(0):
            raise BusyStoreError(
                "a server is using the memory at {home}", hint="stop it first", home=home
            )
        yield


def _bring(old: str, new: str) -> None:
    """Bring a file, which must not be in the place of another."""
    if not files.exists(old):
        return
    data = files.read(old)
    if not files.exists(new):
        files.make_folder(os.path.dirname(new))
        files.replace(new, data)
    elif files.read(new) != data:
        raise InputError(
            "{path} already exists, with other content",
            hint="move into an empty database or folder",
            path=new,
        )


def _move_space(name: str, old: OpenSpace, new: OpenSpace, place: str, progress: Progress) -> bool:
    """Bring a space; whether its primary data was there already."""
    is_known = not new.store.primary.is_empty()
    if not is_known:
        new.store.primary.load(_rows(old, progress), lambda done, total: None)
    if _digest(new) != _digest(old):
        if is_known:
            raise InputError(
                "the space {space} at {place} has other data",
                hint="move into an empty database or folder",
                space=repr(name),
                place=place,
            )
        raise StoreError(
            "the space {space} is not the same after it was moved",
            hint="run the command again; the memory where it was is unchanged",
            space=repr(name),
        )
    for file in (COPIES, KEY_MARK):
        if files.exists(path := os.path.join(old.folder, file)):
            files.replace(os.path.join(new.folder, file), files.read(path))
    with new.store.writing():
        new.store.set_value(FORGOTTEN_TO, new.store.scalar("marks_version"))
        new.store.execute("prune_audit", END)
        new.store.execute_many("put_audit", entries_of(old.store))
        new.store.set_value(HEAD, old.store.value(HEAD))
    return is_known


def _rows(old: OpenSpace, progress: Progress) -> Iterator[tuple[str, list[Row]]]:
    for number, table in enumerate(PRIMARY_TABLES, 1):
        rows = old.store.primary.dump(table)
        while batch := list(islice(rows, _BATCH)):
            yield table, batch
        progress(number, len(PRIMARY_TABLES))


def _digest(space: OpenSpace) -> str:
    """What is the same for two stores with the same primary data."""
    found = sha256()
    with space.store.reading():
        for table in PRIMARY_TABLES:
            for row in space.store.primary.dump(table):
                found.update(repr((table, *row)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()
