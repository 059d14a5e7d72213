"""Changes to files, thought through before any is made, so that they can be shown first."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from loxodon import files
from loxodon.errors import InputError
from loxodon.journal.lines import unreadable

_PLAIN = 0o644
# What may have secrets in it
_SETTINGS = (".toml", "openclaw.json", "openclaw-install.json", "connections.json")


class InstallChange(NamedTuple):
    path: str
    before: bytes | None  # None where there is no such file
    after: bytes | None


class InstallPlan(NamedTuple):
    changes: list[InstallChange]
    left: Sequence[tuple[str, str]] = ()  # files that are left as they are, and why
    folders: Sequence[str] = ()  # folders that go where they are empty
    views: Sequence[str] = ()  # text views that go: they are written elsewhere then

    def carry_out(self) -> None:
        """Make the changes; each file is replaced as a whole, in the mode it had."""
        for change in self.changes:
            path = os.path.realpath(change.path)
            try:
                if change.after is None:
                    os.unlink(change.path)
                    continue
                os.makedirs(os.path.dirname(path), exist_ok=True)
                mode = files.PRIVATE if path.endswith(_SETTINGS) else _PLAIN
                with suppress(FileNotFoundError):
                    mode = stat.S_IMODE(os.stat(path).st_mode)
                files.replace(path, change.after, mode)
            except OSError as error:
                raise InputError(
                    "cannot write {path}: {reason}",
                    hint="check the folder's permissions, then try again",
                    path=change.path,
                    reason=error.strerror or error,
                ) from None
        for path in self.views:
            with suppress(FileNotFoundError):
                os.unlink(path)
        for folder in sorted(self.folders, key=len, reverse=True):  # inner ones first
            with suppress(OSError):  # something else is in it, or it is gone
                os.rmdir(folder)


class Files:
    """The files on disk with changes laid over them; `InstallPlan` makes them real."""

    def __init__(self) -> None:
        self._found: dict[str, bytes | None] = {}
        self._now: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """What the file has, or would have; None where there is none."""
        if path in self._now:
            return self._now[path]
        data = None
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise unreadable(path, error.strerror or str(error)) from None
        self._found[path] = self._now[path] = data
        return data

    def text(self, path: str) -> str | None:
        data = self.read(path)
        try:
            return None if data is None else data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(
                "{path} is not UTF-8", hint="convert it to UTF-8, then try again", path=path
            ) from None

    def put(self, path: str, content: str | None) -> None:
        """Lay a file out anew; without content it goes."""
        self.read(path)
        self._now[path] = None if content is None else content.encode()

    def changes(self) -> list[InstallChange]:
        return [
            InstallChange(path, self._found[path], after)
            for path, after in self._now.items()
            if self._found[path] != after
        ]


def line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def behind(text: str, lines: Sequence[str]) -> str:
    """Lines as one piece that stands apart at the end of a text."""
    end = line_end(text)
    lead = "" if not text else end if text.endswith("\n") else end + end
    return lead + end.join([*lines, ""])


def read_record(path: str) -> dict[str, Any]:
    """What was installed, as it was put down; empty where nothing was."""
    text = Files().text(path)
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        found = None
    if not isinstance(found, dict) or (found and found.get("version") != 1):
        raise InputError(
            "cannot read {path}",
            path=path,
            hint="it records what was installed; restore it from a backup",
        )
    return found


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
