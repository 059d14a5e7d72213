"""Writing a backup: `loxodon backup`, while others read and write.

The file is written under another name, read back and held against its hash, and only then gets
its own: a run that is cut short leaves none that looks whole.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from loxodon import config as settings
from loxodon.backup import archive
from loxodon.config import Config
from loxodon.errors import InputError, disk_errors
from loxodon.filelock import draft_in
from loxodon.files import private, sync_folder
from loxodon.layout import CONFIG, DATABASE, SPACES
from loxodon.security.paths import allowed_path
from loxodon.spaces import folder_name, space_path
from loxodon.store import Progress
from loxodon.store.sqlite import copying
from loxodon.store.sqlite.cipher import Keys

SUFFIX = ".loxodon"
FOLDER = "backups"
ALL = "all"
POLICY = "policy.toml"
_DRAFT = ".backup-"
_STAMP = "%Y%m%dT%H%M%SZ"


class Backup(NamedTuple):
    path: str
    spaces: tuple[str, ...]
    turns: int
    memories: int
    size: int  # bytes
    encrypted: bool
    removed: tuple[str, ...] = ()  # older backups that were removed for it


class BackupFile(NamedTuple):
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
    """Write spaces of a home to `target`, or to a file named by the time in the folder that is set,
    which keeps the latest `keep`. With `whole`, the spaces are all of the home."""
    kind = ALL if whole else folder_name(spaces[0])[:24]
    if target is None:
        path = _next_path(folder_of(home, config), kind, now)
    else:
        path = allowed_path(home, target, but=[folder_of(home, config)])
    if os.path.isdir(path) or (os.path.exists(path) and not overwrite):
        raise InputError(
            "{path} already exists", hint="to overwrite it, add --overwrite", path=path
        )
    folder, name = os.path.split(path)
    with disk_errors(path):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with copying.telling(path), draft_in(folder, _DRAFT) as draft:
            part = os.path.join(draft, name)
            counts = _write(part, home, spaces, keys, now)
            with archive.opened(part, progress) as reader:
                reader.check_seal(keys)
            os.replace(part, path)
            sync_folder(folder)
        keep = keep or config.backup.keep
        removed = _pruned(folder, kind, name, keep) if target is None else []
        size = os.path.getsize(path)
    return Backup(path, tuple(spaces), *counts, size, bool(keys), tuple(removed))


def folder_of(home: str, config: Config) -> str:
    """Where backups go that no file is named for."""
    return os.path.abspath(os.path.expanduser(config.backup.folder or os.path.join(home, FOLDER)))


def _next_path(folder: str, kind: str, now: datetime) -> str:
    stamp = f"{now.astimezone(UTC):{_STAMP}}"
    taken = [number for at, number, _ in _kept(folder, kind) if at == stamp]
    number = max(taken, default=0) + 1  # for two within a second
    end = f"-{number}{SUFFIX}" if number > 1 else SUFFIX
    return os.path.join(folder, f"{kind}-{stamp}{end}")


def _kept(folder: str, kind: str) -> list[tuple[str, int, str]]:
    """The backups of a kind in a folder, the oldest first: stamp, number, name."""
    form = re.compile(rf"{re.escape(kind)}-(\d{{8}}T\d{{6}}Z)(?:-(\d+))?{re.escape(SUFFIX)}")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = [match for name in names if (match := form.fullmatch(name))]
    return sorted((match[1], int(match[2] or 1), match[0]) for match in found)


def found(home: str, space: str, config: Config, zone: tzinfo | None) -> list[BackupFile]:
    """The backups that have a space, in the folder that is set; newest first."""
    folder, listed = folder_of(home, config), []
    for kind in (folder_name(space)[:24], ALL):
        for stamp, _, name in _kept(folder, kind):
            made = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC).astimezone(zone)
            path = os.path.join(folder, name)
            with suppress(OSError):  # it was just removed
                listed.append(BackupFile(path, made, os.path.getsize(path), kind == ALL))
    return sorted(listed, key=lambda one: one.at, reverse=True)


def _write(
    part: str, home: str, spaces: Sequence[str], keys: Keys, now: datetime
) -> tuple[int, int]:
    """The file under its first name; how many turns and memories are in it."""
    turns = memories = schema = 0
    held = []
    with open(part, "x+b", opener=private) as file, archive.Writer(file) as writer:
        for space in spaces:
            folder = space_path(home, space)
            name, path = os.path.basename(folder), os.path.join(folder, DATABASE)
            with draft_in(folder) as draft:
                copy = os.path.join(draft, DATABASE)
                copying.snapshot(path, keys, copy)
                said, known, _, schema = copying.counts_and_schema(copy, keys)
                _put_file(writer, f"{SPACES}/{name}/{DATABASE}", copy, stored=bool(keys))
            _put_file(writer, f"{SPACES}/{name}/{DATABASE}.check", f"{path}.check")
            turns, memories = turns + said, memories + known
            held.append(archive.BackedUpSpace(name, "" if keys else space, bool(keys)))
        _put_file(writer, POLICY, os.path.join(home, POLICY))
        writer.put(CONFIG, io.BytesIO(settings.without_secrets(home).encode()))
        writer.finish(now.isoformat(timespec="seconds"), schema, tuple(held), keys)
        file.flush()
        os.fsync(file.fileno())
    return turns, memories


def _put_file(writer: archive.Writer, name: str, path: str, *, stored: bool = False) -> None:
    with suppress(FileNotFoundError), open(path, "rb") as file:
        writer.put(name, file, stored=stored)


def _pruned(folder: str, kind: str, latest: str, keep: int) -> list[str]:
    """Remove the oldest backups of a kind, never the latest; their paths."""
    others = [name for _, _, name in _kept(folder, kind) if name != latest]
    gone = [os.path.join(folder, name) for name in others[: max(0, len(others) - keep + 1)]]
    for path in gone:
        with suppress(FileNotFoundError):  # another run did it
            os.unlink(path)
    return gone
