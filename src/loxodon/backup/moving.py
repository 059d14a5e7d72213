"""Moves the spaces of a home into a PostgreSQL database, or back into files: `loxodon move`.

A space is moved as a whole: its primary data in one transaction, then its state (pauses,
tombstones, the audit log). What is derived is made anew. Then the primary data of both
is compared, and only when all spaces are there and none has changed meanwhile do the settings name
the new place. Nothing is taken from the old one. A move that was cut short goes on: what is there
and equal stays, what a move left there and is not equal is done again, and anything else is
refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
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
from loxodon.layout import CONFIG, COPIES, DATABASE, SCHEDULE_LOCK
from loxodon.memory import Memory
from loxodon.opening import OpenSpace, open_space, root_of
from loxodon.security import keys, tokens
from loxodon.spaces import home_at, space_path
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.walls import Wall

_BATCH = 2_000
_MARK = "moving"
"""A file of a space that a move brings: that it may be done again, and whether it is done."""
_DONE = b"done"
_OF_SPACE = (COPIES, keys.MARK)
_OF_HOME = (tokens.FILE, policy.FILE)


class Moved(NamedTuple):
    """What a move did."""

    to: str
    """Where the spaces are now: a home, or the address of a database without a password."""
    spaces: tuple[str, ...]
    known: tuple[str, ...]
    """Those of them that an earlier move had brought there."""
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
    there = _there(here, to)
    if there.root == here.root:
        raise UsageError("the memory is already there", hint="name another place with --to")
    with ExitStack() as held:
        for one in (here, there):
            _keep_servers_out(one, held)
        _bring_home(here, there)
        done = _Steps(here, there, progress)
        for space in spaces:
            done.space(space)
        done.check(spaces)
        _switch(here, there)
    known, (turns, memories) = tuple(done.known), done.counts
    return Moved(there.root, tuple(spaces), known, turns, memories)


def _there(here: _Side, to: str) -> _Side:
    """The place that is named."""
    if "://" in to:
        settings.checked("store.url", to)
        return here._replace(config=here.config.replace(store=StoreConfig(to)))
    return _Side(home_at(to), here.config.replace(store=StoreConfig()), here.clock)


def _keep_servers_out(side: _Side, held: ExitStack) -> None:
    """Refuse a home that a server works on, and keep one from beginning to."""
    if files.shared(side.root):  # of which no machine knows who is at it: see `_Steps.check`
        return
    files.make_folder(side.home)
    lock = FileLock(os.path.join(side.home, SCHEDULE_LOCK))
    held.callback(lock.close)
    if not lock.acquire(0):
        raise BusyStoreError(
            "a server is using the memory at {home}", hint="stop it first", home=side.home
        )


def _bring_home(here: _Side, there: _Side) -> None:
    """Bring what all spaces share: the master key, tokens and rules."""
    source = here.config.keys.source
    master = keys.Keys(here.root, source).master()
    if master is not None:
        keys.Keys(there.root, source).adopt(master)
    for name in _OF_HOME:
        _bring(os.path.join(here.root, name), os.path.join(there.root, name), strict=True)


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


class _Steps:
    """A move while it goes on."""

    def __init__(self, here: _Side, there: _Side, progress: Progress) -> None:
        self._here = here
        self._there = there
        self._progress = progress
        self._bases: dict[str, dict[str, str]] = {}
        self.known: list[str] = []
        self.counts = (0, 0)

    def space(self, name: str) -> None:
        """Bring a space, unless it is there and equal."""
        Memory.open(self._here.home, name, self._here.config, self._here.clock).close()
        old = self._here.opened(name)
        try:
            with old.store.reading():
                self._bases[name] = old.store.primary.bases()
                digest = digest_of(old)
                if self._is_there(name, digest):
                    self.known.append(name)
                else:
                    self._fill(name, old, digest)
                counts = old.store.counts()
        finally:
            old.store.close()
        turns, memories = self.counts
        self.counts = (turns + counts.turns, memories + counts.active + counts.archived)

    def _is_there(self, name: str, digest: str) -> bool:
        """Whether an earlier move brought a space; one that it left in pieces goes."""
        new = self._there.opened(name)
        mark = os.path.join(new.folder, _MARK)
        try:
            begun = files.read(mark) if files.exists(mark) else None
            if begun is None and new.store.primary.is_empty():
                return False
            if begun in (None, _DONE) and digest_of(new) == digest:
                return True
            if begun is None:
                raise InputError(
                    "the space {space} at {place} has other data",
                    hint="move into an empty database or folder",
                    space=repr(name),
                    place=self._there.root,
                )
        finally:
            new.store.close()
        _drop(self._there, name)
        return False

    def _fill(self, name: str, old: OpenSpace, digest: str) -> None:
        new = self._there.opened(name)
        mark = os.path.join(new.folder, _MARK)
        try:
            files.replace(mark, b"")
            new.store.primary.load(self._rows(old), _quiet)
            self._bring_state(old, new)
            if digest_of(new) != digest:
                raise StoreError(
                    "the space {space} is not the same after it was moved",
                    hint="run the command again; the memory where it was is unchanged",
                    space=repr(name),
                )
            files.replace(mark, _DONE)
        finally:
            new.store.close()

    def _rows(self, old: OpenSpace) -> Iterator[tuple[str, list[Row]]]:
        counts, done = old.store.counts(), 0
        total = counts.turns + counts.active + counts.archived
        for table in PRIMARY_TABLES:
            batch: list[Row] = []
            for row in old.store.primary.dump(table):
                batch.append(row)
                if len(batch) == _BATCH:
                    yield table, batch
                    done += _BATCH if table in ("turns", "memories") else 0
                    self._progress(min(done, total), total)
                    batch = []
            if batch:
                yield table, batch
        self._progress(total, total)

    def _bring_state(self, old: OpenSpace, new: OpenSpace) -> None:
        """Bring what is beside the database of a space."""
        for name in _OF_SPACE:
            _bring(os.path.join(old.folder, name), os.path.join(new.folder, name))
        with new.store.writing():
            new.store.set_value(APPLIED, new.store.tombstones_version)
            new.store.audit_rows.append(old.store.audit_rows.each())
            new.store.audit_rows.head = old.store.audit_rows.head

    def check(self, spaces: Sequence[str]) -> None:
        """Refuse to end where a space has changed since it was moved; else it is nobody's to do
        again."""
        for name in spaces:
            old = self._here.opened(name)
            try:
                with old.store.reading():
                    same = old.store.primary.bases() == self._bases[name]
            finally:
                old.store.close()
            if not same:
                raise BusyStoreError(
                    "the space {space} was written to while it was being moved",
                    hint="stop whatever uses this memory, then run the command again",
                    space=repr(name),
                )
        for name in spaces:
            with suppress(FileNotFoundError):
                files.remove(os.path.join(space_path(self._there.root, name), _MARK))


def digest_of(space: OpenSpace) -> str:
    """What is the same for two stores with the same primary data."""
    found = sha256()
    with space.store.reading():
        for table in PRIMARY_TABLES:
            for row in space.store.primary.dump(table):
                found.update(repr((table, *row)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


def _drop(side: _Side, space: str) -> None:
    """Remove a space that a move has begun to fill."""
    if there := files.shared(side.root):
        there[0].drop_space(space, {}, {})
        return
    from shutil import rmtree

    folder = space_path(side.home, space)
    for end in ("", "-wal", "-shm"):  # first: without a mark, a database would be somebody's
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(folder, f"{DATABASE}{end}"))
    rmtree(folder)


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


def _quiet(done: int, total: int) -> None:
    """Progress is told of what is read."""
