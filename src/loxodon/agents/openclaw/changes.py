"""Changes to files, thought through before any is made, so that they can be shown first."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from loxodon import files
from loxodon.errors import InputError

_PLAIN = 0o644
_SETTINGS = (".toml", "openclaw.json", "openclaw-install.json", "connections.json")
"""What may have secrets in it."""
MOST_BYTES = 16 << 20


class InstallChange(NamedTuple):
    path: str
    before: bytes | None
    """None where there is no such file."""
    after: bytes | None


class Files:
    """The files on disk with changes laid over them; `apply` makes the changes real."""

    def __init__(self) -> None:
        self._found: dict[str, bytes | None] = {}
        self._now: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """What the file has, or would have; None where there is none."""
        if path not in self._now:
            self._found[path] = self._now[path] = _bytes_of(path)
        return self._now[path]

    def text(self, path: str) -> str | None:
        data = self.read(path)
        try:
            return None if data is None else data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(
                "{path} is not UTF-8", hint="convert it to UTF-8, then try again", path=path
            ) from None

    def put(self, path: str, content: str | bytes) -> None:
        self.read(path)
        self._now[path] = content.encode() if isinstance(content, str) else content

    def remove(self, path: str) -> None:
        self.read(path)
        self._now[path] = None

    def changes(self) -> list[InstallChange]:
        return [
            InstallChange(path, self._found[path], after)
            for path, after in self._now.items()
            if self._found[path] != after
        ]


def new_folders(changes: Iterable[InstallChange]) -> list[str]:
    """Folders that the changes make, outer ones first."""
    found: dict[str, None] = {}
    for change in changes:
        folder, above = os.path.dirname(change.path), []
        while change.after is not None and folder and not os.path.isdir(folder):
            above.append(folder)
            folder = os.path.dirname(folder)
        found |= dict.fromkeys(reversed(above))
    return list(found)


def apply(changes: Iterable[InstallChange]) -> None:
    """Make the changes; each file is replaced as a whole, in the mode it had."""
    for change in changes:
        try:
            if change.after is None:
                os.unlink(change.path)
            else:
                _replace(os.path.realpath(change.path), change.after)
        except OSError as error:
            raise InputError(
                "cannot write {path}: {reason}",
                hint="check the folder's permissions, then try again",
                path=change.path,
                reason=error.strerror or error,
            ) from None


def remove_folders(folders: Iterable[str]) -> None:
    """Remove those that are empty, inner ones first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:  # something else is in it, or it is gone
            continue


def _replace(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mode = files.PRIVATE if path.endswith(_SETTINGS) else _PLAIN
    files.replace(path, data, mode)


def _bytes_of(path: str) -> bytes | None:
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(0, "it is no file")
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=path,
            reason=error.strerror or error,
        ) from None
    if len(data) > MOST_BYTES:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=path,
            most=MOST_BYTES >> 20,
        )
    return data
