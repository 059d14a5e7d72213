"""Moves the spaces of a home into a PostgreSQL database, or back into files: `loxodon move`.

The primary data of a space is moved in one transaction, then the audit log and what lies beside
the database; what is derived is made anew. Only when all spaces are there, equal, and none has
changed meanwhile do the settings name the new place. Nothing is taken from the old one. A move that
was cut short goes on: a space that is there and equal stays, any other is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from hashlib import sha256
from typing import NamedTuple

from loxodon import config as settings
from loxodon import files
from loxodon.clock import Clock
from loxodon.config import Config, StoreConfig
from loxodon.errors import BusyStoreError, InputError, StoreError, UsageError
from loxodon.filelock import FileLock
from loxodon.forget.forgetting import APPLIED
from loxodon.guard import policy
from loxodon.layout import CONFIG, COPIES, SCHEDULE_LOCK
from loxodon.memory import Memory
from loxodon.opening import OpenSpace, open_space, root_of
from loxodon.security import keys, tokens
from loxodon.spaces import home_at
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.walls import Wall

_BATCH = 2_000
_OF_SPACE = (COPIES, keys.MARK)
_OF_HOME = (tokens.FILE, policy.FILE)


class Moved(NamedTuple):
    """What a move did."""

    to: str  # where the spaces are now: a home, or an address without a password
    spaces: tuple[str, ...]
    known: tuple[str, ...]  # those of them that an earlier move had brought there
    turns: int
    memories: int


class _Side(NamedTuple):
    """One of both ends."""

    home: str
    config: Config
    clock: Clock

    @property
    def root(self) -> str:
        return root_of(self.home, self.config)

    def opened(self, space: str) -> OpenSpace:
        return open_space(self.home, space, self.config, self.clock, None, Wall())


def move(
    home: str, config: Config, to: str, spaces: Sequence[str], clock: Clock, progress: Progress
) -> Moved:
    """Move `spaces`, which are all of a home, to a database (an address) or a home (a path)."""
    here = _Side(home, config, clock)
    if "://" in to:
        settings.checked("store.url", to)
        there = here._replace(config=config._replace(store=StoreConfig(to)))
    else:
        there = _Side(home_at(to), config._replace(store=StoreConfig()), clock)
    if there.root == here.root:
        raise UsageError("the memory is already there", hint="name another place with --to")
    with ExitStack() as held:
        for side in (here, there):
            if not files.shared(side.root):  # of which no machine knows who is at it
                _keep_servers_out(side.home, held)
        master = keys.Keys(here.root, config.keys.source).master()
        if master is not None:
            keys.Keys(there.root, config.keys.source).adopt(master)
        for name in _OF_HOME:
            _bring(os.path.join(here.root, name), os.path.join(there.root, name), strict=True)
        known, bases = [], {}
        turns = memories = 0
        for space in spaces:
            Memory.open(home, space, config, clock).close()  # which brings it up to date
            old = here.opened(space)
            with closing(old.store), old.store.reading():
                bases[space] = old.store.primary.bases()
                if _move_space(space, old, there, progress):
                    known.append(space)
                counts = old.store.counts()
            turns, memories = turns + counts.turns, memories + counts.active + counts.archived
        for space in spaces:
            with closing(here.opened(space).store) as store, store.reading():
                if store.primary.bases() != bases[space]:
                    raise BusyStoreError(
                        "the space {space} was written to while it was being moved",
                        hint="stop whatever uses this memory, then run the command again",
                        space=repr(space),
                    )
        _switch(here, there)
    return Moved(there.root, tuple(spaces), tuple(known), turns, memories)


def _keep_servers_out(home: str, held: ExitStack) -> None:
    """Refuse a home that a server works on, and keep one from beginning to."""
    files.make_folder(home)
    lock = FileLock(os.path.join(home, SCHEDULE_LOCK))
    held.callback(lock.close)
    if not lock.acquire(0):
        raise BusyStoreError(
            "a server is using the memory at {home}", hint="stop it first", home=home
        )


def _bring(old: str, new: str, *, strict: bool = False) -> None:
    """Bring a file, or its absence. A `strict` one must not be in the place of another."""
    data = files.read(old) if files.exists(old) else None
    known = files.read(new) if files.exists(new) else None
    if data == known or (strict and data is None):
        return
    if strict and known is not None:
        raise InputError(
            "{path} already exists, with other content",
            hint="move into an empty database or folder",
            path=new,
        )
    if data is None:
        files.remove(new)
    else:
        files.make_folder(os.path.dirname(new))
        files.replace(new, data)


def _move_space(name: str, old: OpenSpace, there: _Side, progress: Progress) -> bool:
    """Bring a space; whether its primary data was there already."""
    new = there.opened(name)
    with closing(new.store):
        is_known = not new.store.primary.is_empty()
        if not is_known:
            new.store.primary.load(_rows(old, progress), lambda done, total: None)
        if digest_of(new) != digest_of(old):
            if is_known:
                raise InputError(
                    "the space {space} at {place} has other data",
                    hint="move into an empty database or folder",
                    space=repr(name),
                    place=there.root,
                )
            raise StoreError(
                "the space {space} is not the same after it was moved",
                hint="run the command again; the memory where it was is unchanged",
                space=repr(name),
            )
        for file in _OF_SPACE:
            _bring(os.path.join(old.folder, file), os.path.join(new.folder, file))
        with new.store.writing():
            new.store.set_value(APPLIED, new.store.tombstones_version)
            new.store.audit_rows.clear()
            new.store.audit_rows.append(old.store.audit_rows.each())
            new.store.audit_rows.head = old.store.audit_rows.head
    return is_known


def _rows(old: OpenSpace, progress: Progress) -> Iterator[tuple[str, list[Row]]]:
    counts, done = old.store.counts(), 0
    total = counts.turns + counts.active + counts.archived
    for table in PRIMARY_TABLES:
        batch: list[Row] = []
        for row in old.store.primary.dump(table):
            batch.append(row)
            if len(batch) == _BATCH:
                yield table, batch
                done += _BATCH if table in ("turns", "memories") else 0
                progress(min(done, total), total)
                batch = []
        yield table, batch
    progress(total, total)


def digest_of(space: OpenSpace) -> str:
    """What is the same for two stores with the same primary data."""
    found = sha256()
    with space.store.reading():
        for table in PRIMARY_TABLES:
            for row in space.store.primary.dump(table):
                found.update(repr((table, *row)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _switch(here: _Side, there: _Side) -> None:
    """Have the settings name the new place."""
    if there.config.store.url:
        settings.write(there.home, "store.url", there.config.store.url)
        return
    if there.home != here.home:
        path = os.path.join(there.home, CONFIG)
        if not files.exists(path):
            _bring(os.path.join(here.home, CONFIG), path)
    for name in settings.ADDRESSES:
        settings.write(there.home, name, None)
