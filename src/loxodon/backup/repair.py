"""A sound database out of a damaged one: `loxodon repair`.

Where only derived data is wrong, it is made anew in its place, in one transaction. Otherwise a new
database is made beside the old one: every row that can still be read, and for what cannot, copies
from the text views, a backup or a file that is named. It is checked, then moved into place; the
damaged file is kept. Whatever fails or is killed before that has changed nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import NamedTuple
from zipfile import is_zipfile

from loxodon.backup import archive
from loxodon.backup.create import found as backups_found
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    InputError,
    LockedStoreError,
    LoxodonError,
    NotFoundError,
    StoreError,
)
from loxodon.filelock import FileLock, draft_in
from loxodon.layout import DATABASE, WORKSPACE
from loxodon.memory import Memory
from loxodon.opening import keys_for
from loxodon.spaces import folder_name, home_at, no_space, space_folder
from loxodon.store import Progress
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import carry_log
from loxodon.store.sqlite.database import move_in
from loxodon.store.sqlite.owner import space_of
from loxodon.store.sqlite.salvage import Mended, merge
from loxodon.store.sqlite.schema import check_schema
from loxodon.store.sqlite.store import SqliteStore
from loxodon.types import Problem
from loxodon.views.restore import free, rows_in
from loxodon.write.decay import Decay

_DRAFT = "repairing-"
_LOCK_SECONDS = 30.0


class Repaired(NamedTuple):
    """What a repair did."""

    problems: tuple[Problem, ...]  # what was wrong before; nothing is now
    rebuilt: bool = False  # whether making anew what is derived was enough
    turns: int = 0
    memories: int = 0  # how many there are now, where the file was made anew
    mended: tuple[Mended, ...] = ()
    before: str = ""  # where the damaged file is now; empty where it was mended in its place


@dataclass(frozen=True)
class _Place:
    """Where a space is, and how its file is opened."""

    home: str
    space: str
    folder: str
    config: Config
    clock: Clock
    keys: Keys

    @property
    def path(self) -> str:
        return os.path.join(self.folder, DATABASE)

    def opened(self, path: str) -> SqliteStore:
        zone = zone_named(self.config.timezone)
        return SqliteStore(path, self.space, zone, Decay(self.config.decay, self.clock), self.keys)


def repair(
    home: str,
    space: str = "main",
    *,
    config: Config,
    clock: Clock | None = None,
    key: bytes | None = None,
    source: str = "",
    progress: Progress,
) -> Repaired:
    """Make the store of a space sound again, and say what was damaged, replaced and lost.

    `source` is a backup, a database or a folder of views to copy missing rows from. Without it the
    text views of the space and its newest backup are used.
    """
    home = home_at(home)
    folder = space_folder(home, space, make=False)
    clock = clock or system_clock(zone_named(config.timezone))
    place = _Place(home, space, folder, config, clock, keys_for(home, config, key))
    if not os.path.exists(place.path):
        raise no_space(space)
    with draft_in(folder, _DRAFT) as draft:  # which removes what a killed repair left
        problems, sound = _rebuild_derived(place, progress)
        if sound:
            return Repaired(tuple(problems), rebuilt=bool(problems))
        return _rebuild_all(place, draft, problems, source, progress)


class _StillDamagedError(Exception):
    """Making anew what is derived was not enough: it is undone."""


def _rebuild_derived(place: _Place, progress: Progress) -> tuple[list[Problem], bool]:
    """What was wrong, and whether nothing is any more."""
    try:
        store = place.opened(place.path)
    except (DamagedStoreError, ForeignStoreError) as error:
        return [Problem(place.path, *error.localized())], False
    except LockedStoreError as error:
        if place.keys or cipher.checks(place.path):  # it is encrypted
            raise
        return [Problem(place.path, *error.localized())], False
    problems: list[Problem] = []
    try:
        problems = store.check(progress)
        if any(not one.derived for one in problems):
            return problems, False
        if problems:
            with store.writing():
                store.remake(progress)
                if store.check(progress):
                    raise _StillDamagedError
        return problems, True
    except (_StillDamagedError, DamagedStoreError):
        return problems, False
    finally:
        store.close()


def _rebuild_all(
    place: _Place, draft: str, problems: Sequence[Problem], source: str, progress: Progress
) -> Repaired:
    damaged = _copied(place, draft)
    owner = space_of(damaged, place.keys)
    if owner not in ("", place.space):
        raise DamagedStoreError(
            "{path} contains the space {owner}, not {space}",
            hint="the file was moved or copied here; move it back",
            path=place.path,
            owner=repr(owner),
            space=repr(place.space),
        )
    new = os.path.join(draft, DATABASE)
    place.opened(new).close()  # with all tables
    with closing(cipher.connect(new, place.keys)) as connection, connection:
        mended = merge(connection, damaged, place.keys, _copies(place, draft, source))
    with closing(place.opened(new)) as store:
        if store.primary.is_empty():
            raise StoreError(
                "nothing in {path} can be read",
                hint="nothing was changed; restore a backup with `loxodon restore`",
                path=place.path,
            )
        store.primary.keep_numbers()
        store.rebuild(progress)
        if wrong := store.check(progress):
            raise StoreError(
                "the recovered data is inconsistent: {where}: {what}",
                hint="nothing was changed; restore a backup with `loxodon restore`",
                where=wrong[0].where,
                what=wrong[0].what,
            )
        counts = store.counts()
    aside = free(f"{place.path}.before-repair")
    carry_log(place.path, new, place.keys)
    move_in(new, place.path, aside, place.keys)
    with (
        suppress(LoxodonError),  # notes are where they were, and are read the next time
        Memory.open(place.home, place.space, place.config, place.clock) as memory,
    ):
        memory.workspace.index()
    memories = counts.active + counts.archived
    return Repaired(tuple(problems), False, counts.turns, memories, tuple(mended), aside)


def _copied(place: _Place, draft: str) -> str:
    """The damaged file, copied while nobody writes to it."""
    target = os.path.join(draft, "damaged.db")
    lock = FileLock(os.path.splitext(place.path)[0] + ".lock")
    try:
        if not lock.acquire(_LOCK_SECONDS):
            raise BusyStoreError(
                "{path} is locked by another program",
                hint="close that program, or try again later",
                path=place.path,
            )
        _copy_files(place.path, target)
    finally:
        lock.close()
    if not place.keys and cipher.begins_like_ours(target):
        with open(target, "r+b") as file:  # what every file begins with is known
            file.write(cipher.BEGINNING)
    return target


def _copy_files(path: str, target: str) -> None:
    for end in ("", "-wal", ".check"):
        if os.path.exists(path + end):
            shutil.copyfile(path + end, target + end)
            os.chmod(target + end, 0o600)


# Copies


def _copies(place: _Place, draft: str, source: str) -> Iterator[tuple[str, str]]:
    """(name, database) of the intact copies there are, the best first."""
    target = os.path.join(draft, "copy-{}.db")
    if source:
        path = os.path.abspath(os.path.expanduser(source))
        yield path, _copy_of(place, path, target.format("named"))
    named = place.config.workspace.path if place.space == "main" else ""
    views = os.path.abspath(os.path.expanduser(named or os.path.join(place.folder, WORKSPACE)))
    if not place.keys and os.path.isdir(views):
        with suppress(LoxodonError):  # damaged too, or another space's
            yield "views", _copy_of(place, views, target.format("views"))
    newest = backups_found(place.home, place.space, place.config, None)
    if newest and not source:
        with suppress(LoxodonError):
            yield newest[0].path, _copy_of(place, newest[0].path, target.format("backup"))


def _copy_of(place: _Place, source: str, target: str) -> str:
    """A database, backup or folder of views as a database of this version."""
    if os.path.isdir(source):
        with closing(place.opened(target)) as store:
            store.primary.load(rows_in(source, place.space), lambda done, total: None)
        return target
    if not os.path.exists(source):
        raise NotFoundError("file not found: {path}", path=source)
    if is_zipfile(source):
        with archive.opened(source) as reader:
            reader.check_seal(place.keys)
            folder = folder_name(place.space)
            if folder not in {held.folder for held in reader.manifest.spaces}:
                raise InputError(
                    "{path} does not contain the space {space}",
                    path=source,
                    space=repr(place.space),
                )
            for end in ("", ".check"):
                part = f"spaces/{folder}/{DATABASE}{end}"
                if part in reader.manifest.parts:
                    reader.extract(part, target + end)
    else:
        _copy_files(source, target)
    check_schema(target, place.keys)
    place.opened(target).close()  # which brings it up to date
    return target
