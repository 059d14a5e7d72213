"""The files of an import: a folder, an archive, or one file; read in pieces and within limits.

Nothing of an archive is ever written to disk, so that no name in it can lead anywhere. An archive
that unpacks to absurdly more than it is, and a link that leaves its folder, are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, TYPE_CHECKING, BinaryIO

from loxodon.errors import InputError
from loxodon.trust.places import is_closed, opened

if TYPE_CHECKING:
    from zipfile import ZipFile

MOST_BYTES = 4 << 30
"""Of one file, unpacked."""
MOST_WHOLE = 256 << 20
"""Of a file that has to be read at once."""
MOST_FILES = 100_000
_INNOCENT = 64 << 20
_MOST_RATIO = 200
"""Text packs ten to one, rarely fifty to one; what packs better than this, and is not small, was
made to fill a disk."""
_DEPTH = 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_IGNORED = ("__MACOSX", "node_modules", "__pycache__")


class Package:
    """What is imported, by the names of its files; use it as a context manager."""

    def __init__(self, path: str, home: str = "") -> None:
        """`home` is the memory's own, of which nothing is read."""
        self.path = os.path.abspath(path)
        self._home = home
        self.name = _shown(os.path.basename(self.path))
        self.is_folder = os.path.isdir(self.path)
        self._archive: ZipFile | None = None
        self.outside: list[str] = []
        """What is not read: a link that leaves the folder, a name that is no text."""
        try:
            self.names = self._folder_names() if self.is_folder else self._file_names()
        except OSError as error:
            raise _unreadable(self.path, error) from None

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._archive is not None:
            self._archive.close()
            self._packed.close()

    @property
    def is_archive(self) -> bool:
        return self._archive is not None

    def _file_names(self) -> list[str]:
        with self._file(self.name) as file:
            head = file.read(4)
        if head not in (b"PK\x03\x04", b"PK\x05\x06"):
            return [self.name]
        from zipfile import BadZipFile, ZipFile

        try:
            self._packed = self._file(self.name)
            self._archive = ZipFile(self._packed)
        except (BadZipFile, EOFError, ValueError, NotImplementedError) as error:
            self._packed.close()
            raise _broken(self.name, error) from None
        names = []
        for one in self._archive.infolist():
            if one.is_dir() or _ignored(one.filename):
                continue
            if one.filename.startswith(("/", "\\")) or ".." in one.filename.split("/"):
                self.outside.append(one.filename)
            else:
                names.append(one.filename)
        return _few(sorted(names), self.name)

    def _folder_names(self) -> list[str]:
        """The files of the folder; links are followed only where they stay inside it."""
        names: list[str] = []
        for folder, folders, files in os.walk(self.path):
            within = os.path.relpath(folder, self.path).replace(os.sep, "/")
            within = "" if within == "." else within + "/"
            deep = within.count("/") >= _DEPTH
            folders[:] = [] if deep else sorted(one for one in folders if not _ignored(one))
            for one in files:
                if _ignored(one):
                    continue
                inside = not is_closed(self._home, self.path, os.path.join(folder, one))
                readable = inside and _shown(within + one) == within + one
                (names if readable else self.outside).append(_shown(within + one))
            _few(names, self.name)
        return sorted(names)

    def modified(self, name: str) -> datetime:
        """When a file was last written."""
        if self._archive is not None:
            try:
                return datetime(*self._archive.getinfo(name).date_time, tzinfo=UTC)
            except ValueError:  # archives may say anything
                return _EPOCH
        try:
            return datetime.fromtimestamp(os.path.getmtime(self._place(name)), UTC)
        except (OSError, OverflowError, ValueError):
            return _EPOCH

    def _place(self, name: str) -> str:
        return os.path.join(self.path, *name.split("/")) if self.is_folder else self.path

    def _file(self, name: str) -> BinaryIO:
        """A file of the folder, or the one that this is; an OSError for what leads elsewhere."""
        return os.fdopen(opened(self._place(name), self.path, self._home), "rb")

    @contextmanager
    def open(self, name: str) -> Iterator[Limited]:
        """A file to be read in pieces."""
        try:
            if self._archive is None:
                with self._file(name) as file:
                    yield Limited(file, name, 0)
                return
            info = self._archive.getinfo(name)
            with self._archive.open(info) as packed:
                yield Limited(packed, name, info.compress_size)
        except OSError as error:
            raise _unreadable(name, error) from None
        except (RuntimeError, NotImplementedError) as error:  # a password, or a method unknown here
            raise _broken(name, error) from None

    def read(self, name: str, most: int = MOST_WHOLE) -> bytes:
        """All of a file that has at most `most` bytes."""
        with self.open(name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise _too_big(name, most)
        return data

    def head(self, name: str, size: int = 1 << 16) -> bytes:
        """How a file begins."""
        with self.open(name) as file:
            return file.read(size)


class Limited:
    """A file that stops being read where it turns out to be a trap."""

    def __init__(self, file: IO[bytes], name: str, packed: int) -> None:
        self._file = file
        self._name = name
        self._most = MOST_BYTES
        self._packed = packed
        if packed:
            self._most = min(self._most, max(_INNOCENT, packed * _MOST_RATIO))
        self._read = 0

    def read(self, size: int) -> bytes:
        from zipfile import BadZipFile
        from zlib import error as zlib_error

        parts: list[bytes] = []
        while size > 0:
            try:
                part = self._file.read(min(size, 1 << 20))
            except (BadZipFile, zlib_error, EOFError) as error:
                raise _broken(self._name, error) from None
            if not part:
                break
            self._read += len(part)
            if self._read > self._most:
                raise (_trap if self._packed else _too_big)(self._name, self._most)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _shown(name: str) -> str:
    """The name of a file as text: file systems allow any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def _ignored(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return parts[-1].startswith(".") or any(part in _IGNORED for part in parts) or (
        any(part.startswith(".") and part != ".." for part in parts[:-1])
    )  # fmt: skip


def _few(names: list[str], where: str) -> list[str]:
    if len(names) <= MOST_FILES:
        return names
    raise InputError(
        "{file} has more than {most} files", hint="name the folder or file that has the memory",
        file=where, most=MOST_FILES,
    )  # fmt: skip


def _too_big(name: str, most: int) -> InputError:
    return InputError(
        "{file} has more than {most} MiB", hint="split it", file=name, most=most >> 20
    )


def _trap(name: str, most: int) -> InputError:
    return InputError(
        "{file} unpacks to more than {most} MiB, which no export does",
        hint="unpack it yourself and look at it; nothing was taken",
        file=name, most=most >> 20,
    )  # fmt: skip


def _broken(name: str, error: Exception) -> InputError:
    return InputError(
        "{file} cannot be unpacked: {reason}",
        hint="download it again, or unpack it yourself and import the folder",
        file=name, reason=str(error) or type(error).__name__,
    )  # fmt: skip


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(
        "cannot read {file}: {reason}", hint="check the name and its permissions",
        file=name, reason=error.strerror or str(error),
    )  # fmt: skip
