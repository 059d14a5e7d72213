"""Writing a backup: `loxodon backup`, while others read and write.

Each space is copied as it is in one moment, checked, and put into one file (`archive.py`) with
what lies beside it. The file is written under another name, read back and held against its hashes,
and only then gets its own: a run that is cut short leaves none that looks whole.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from loxodon import config as settings
from loxodon.backup import archive
from loxodon.backup.archive import BackedUpSpace, Writer
from loxodon.errors import InputError, unwritable
from loxodon.filelock import draft_in
from loxodon.files import sync_folder
from loxodon.layout import CONFIG, DATABASE, KEYS, SPACES, STRETCH
from loxodon.security.paths import allowed_path
from loxodon.spaces import folder_name, space_path
from loxodon.store import Progress
from loxodon.store.sqlite import copying
from loxodon.store.sqlite.cipher import Keys

if TYPE_CHECKING:
    from loxodon.config import Config

SUFFIX = ".loxodon"
FOLDER = "backups"
ALL = "all"
_DRAFT = ".backup-"
_BESIDE = (f"{DATABASE}.check",)
_POLICY = "policy.toml"


class Backup(NamedTuple):
    """A backup that was written."""

    path: str
    spaces: tuple[str, ...]
    turns: int
    memories: int
    size: int  # bytes
    encrypted: bool
    removed: tuple[str, ...] = ()  # older backups that were removed for it


class BackupFile(NamedTuple):
    """A backup in the folder for them."""

    path: str
    at: datetime
    size: int  # bytes
    whole: bool  # whether it has all spaces of the home


Backups = list[BackupFile]


def backup(
    home: str,
    spaces: Sequence[str],
    target: str | None,
    *,
    config: Config,
    keys: Keys,
    now: datetime,
    keep: int | None = None,
    overwrite: bool = False,
    whole: bool = False,
    progress: Progress,
) -> Backup:
    """Write spaces of a home to `target`, or to a file named by the time in the folder that is set.

    That folder keeps the latest `keep` of its kind. With `whole`, the spaces are all of the home.
    """
    folder, name = _place(home, config, target, spaces, now, whole)
    path = os.path.join(folder, name)
    if os.path.exists(path) and not overwrite:
        raise _is_there(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with copying.telling(path), draft_in(folder, _DRAFT) as draft:
            part = os.path.join(draft, name)
            counts = _write(part, home, spaces, config, keys, now, progress)
            _verify(part, keys, progress)
            _put(part, path, overwrite)
        removed = _pruned(folder, name, keep or config.backup.keep) if target is None else ()
        size = os.path.getsize(path)
    except OSError as error:
        raise unwritable(path, error) from None
    return Backup(path, tuple(spaces), *counts, size, bool(keys), tuple(removed))


def _place(
    home: str, config: Config, target: str | None, spaces: Sequence[str], now: datetime, whole: bool
) -> tuple[str, str]:
    if target is not None:
        path = allowed_path(home, target, but=[folder_of(home, config)])
        if os.path.isdir(path):
            raise InputError(
                "{path} is a folder",
                hint="give a file name; the setting backup.folder sets the default folder",
                path=path,
            )
        return os.path.split(path)
    folder = folder_of(home, config)
    of = ALL if whole else folder_name(spaces[0])[:24]
    start = f"{of}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    taken = [number for stamp, number, _ in _kept(folder, of) if stamp == start]
    number = max(taken, default=0) + 1  # for two within a second
    return folder, f"{start}-{number}{SUFFIX}" if number > 1 else f"{start}{SUFFIX}"


def _kept(folder: str, of: str) -> list[tuple[str, int, str]]:
    """The backups of a kind in a folder, the oldest first: stamp, number, name."""
    kind = re.compile(rf"({re.escape(of)}-\d{{8}}T\d{{6}}Z)(?:-(\d+))?{re.escape(SUFFIX)}")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = [match for name in names if (match := kind.fullmatch(name))]
    return sorted((match[1], int(match[2] or 1), match[0]) for match in found)


def found(home: str, space: str, config: Config, zone: tzinfo | None) -> list[BackupFile]:
    """The backups that have a space, in the folder that is set; newest first."""
    folder, listed = folder_of(home, config), []
    for of, whole in ((folder_name(space)[:24], False), (ALL, True)):
        for stamp, _, name in _kept(folder, of):
            path = os.path.join(folder, name)
            made = datetime.strptime(stamp[-16:], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            with suppress(OSError):  # it was just removed
                size = os.path.getsize(path)
                listed.append(BackupFile(path, made.astimezone(zone), size, whole))
    return sorted(listed, key=lambda one: one.at, reverse=True)


def folder_of(home: str, config: Config) -> str:
    """Where backups go that no file is named for."""
    folder = config.backup.folder or os.path.join(home, FOLDER)
    return os.path.abspath(os.path.expanduser(folder))


def _write(
    part: str,
    home: str,
    spaces: Sequence[str],
    config: Config,
    keys: Keys,
    now: datetime,
    progress: Progress,
) -> tuple[int, int]:
    """The file under its first name; how many turns and memories are in it."""
    turns = memories = schema = 0
    held = []
    made = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with open(made, "wb") as file, Writer(file) as writer:
        for space in spaces:
            folder = space_path(home, space)
            about = _put_space(writer, folder, keys, progress)
            turns, memories, schema = turns + about[0], memories + about[1], about[2]
            held.append(BackedUpSpace(os.path.basename(folder), "" if keys else space, bool(keys)))
        for name in (os.path.join(KEYS, STRETCH), _POLICY):
            _put_file(writer, name.replace(os.sep, "/"), os.path.join(home, name))
        writer.put(CONFIG, io.BytesIO(settings.without_secrets(home).encode()))
        writer.finish(now.isoformat(timespec="seconds"), schema, tuple(held), keys)
        file.flush()
        os.fsync(file.fileno())
    return turns, memories


def _put_space(writer: Writer, folder: str, keys: Keys, progress: Progress) -> tuple[int, int, int]:
    """A space and what lies beside it; its turns, its memories and its schema."""
    start = f"{SPACES}/{os.path.basename(folder)}"
    path = os.path.join(folder, DATABASE)
    with draft_in(folder) as draft:
        copy = os.path.join(draft, DATABASE)
        copying.snapshot(path, keys, copy, progress)
        connection = copying.checked(copy, keys)
        try:
            rows = dict(copying.shape(connection))
            schema = int(str(connection.pragma("user_version")))
        finally:
            connection.close()
        _put_file(writer, f"{start}/{DATABASE}", copy, stored=bool(keys))
    for name in _BESIDE:
        _put_file(writer, f"{start}/{name}", os.path.join(folder, name))
    return rows["turns"], rows["memories"], schema


def _put_file(writer: Writer, name: str, path: str, *, stored: bool = False) -> None:
    with suppress(FileNotFoundError), open(path, "rb") as file:
        writer.put(name, file, stored=stored)


def _verify(part: str, keys: Keys, progress: Progress) -> None:
    with archive.opened(part) as reader:
        reader.check_seal(keys)
        reader.verify(progress)


def _put(part: str, path: str, overwrite: bool) -> None:
    """Give the file its name, in one step; without `overwrite` only where nobody has it."""
    if overwrite:
        os.replace(part, path)
    else:
        try:
            os.link(part, path)
        except FileExistsError:
            raise _is_there(path) from None
        except OSError:  # a file system without links
            if os.path.exists(path):
                raise _is_there(path) from None
            os.rename(part, path)
    sync_folder(os.path.dirname(path))


def _pruned(folder: str, latest: str, keep: int) -> list[str]:
    """Remove the oldest backups of the kind of the latest; their paths.

    Those that a wrong clock named after the latest go first: else each new one would.
    """
    found = _kept(folder, latest.rpartition("Z")[0].rpartition("-")[0])
    names = [name for _, _, name in found]
    now = names.index(latest) + 1
    gone = [os.path.join(folder, name) for name in [*names[now:], *names[:now]][:-keep]]
    for path in gone:
        with suppress(FileNotFoundError):  # another run did it
            os.unlink(path)
    return gone


def _is_there(path: str) -> InputError:
    return InputError("{path} already exists", hint="to overwrite it, add --overwrite", path=path)
