"""The files of an import: a folder, an archive, or one file; read in pieces and within limits.

Nothing of an archive is ever written to disk, so that no name in it can lead anywhere. An archive
that unpacks to absurdly more than it is (`journal/unpacking.py`) is refused; a link that
leaves its folder, and what is no file, are not read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, TYPE_CHECKING, BinaryIO, TypeVar

from loxodon.errors import InputError
from loxodon.journal.unpacking import MOST_PARTS, Allowance
from loxodon.trust.access.places import is_closed, opened

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MOST_BYTES = 4 << 30
"""Of one file, unpacked."""
MOST_WHOLE = 256 << 20
"""Of a file that has to be read at once."""
_DEPTH = 4
_T = TypeVar("_T")
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
        self._allowance = Allowance(self.name, 0)
        self._out: dict[str, int] = {}
        """How far each part of the archive was unpacked: a second look counts nothing."""
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
        self._close()

    def _close(self) -> None:
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
        try:
            return self._part_names(self._archive.infolist())
        except InputError:
            self._close()
            raise

    def _part_names(self, found: list[ZipInfo]) -> list[str]:
        parts = _few(found, self.name)
        self._allowance = Allowance(self.name, os.path.getsize(self.path))
        self._allowance.check(sum(one.file_size for one in parts))
        names: list[str] = []
        for one in parts:
            if one.is_dir() or _ignored(one.filename):
                continue
            (self.outside if _leads_out(one) else names).append(one.filename)
        return sorted(names)

    def _count(self, name: str, upto: int) -> None:
        """Note that a part of the archive was unpacked so far."""
        more = upto - self._out.get(name, 0)
        if more > 0:
            self._out[name] = upto
            self._allowance.take(more)

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
                place = os.path.join(folder, one)
                inside = not is_closed(self._home, self.path, place) and os.path.isfile(place)
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
                    yield Limited(file, name)
                return
            info = self._archive.getinfo(name)
            if info.compress_type not in (0, 8):  # of others a piece may unpack to any size at once
                raise _broken(name, InputError("its compression method is not supported"))
            with self._archive.open(info) as packed:
                yield Limited(packed, name, self._count)
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

    def __init__(
        self, file: IO[bytes], name: str, count: Callable[[str, int], None] | None = None
    ) -> None:
        self._file = file
        self._name = name
        self._count = count
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
            if self._count:
                self._count(self._name, self._read)
            if self._read > MOST_BYTES:
                raise _too_big(self._name, MOST_BYTES)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _shown(name: str) -> str:
    """The name of a file as text: file systems allow any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def _ignored(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return (
        parts[-1].startswith(".")
        or any(part in _IGNORED for part in parts)
        or (any(part.startswith(".") and part != ".." for part in parts[:-1]))
    )


def _leads_out(part: ZipInfo) -> bool:
    """Whether a part of an archive is named for another place, or is a link."""
    name = part.filename.replace("\\", "/")
    is_link = stat.S_ISLNK(part.external_attr >> 16)
    return is_link or name.startswith("/") or ":" in name[:2] or ".." in name.split("/")


def _few(names: list[_T], where: str) -> list[_T]:
    if len(names) <= MOST_PARTS:
        return names
    raise InputError(
        "{file} contains more than {most} files",
        hint="give the folder or file with the memory",
        file=where,
        most=MOST_PARTS,
    )


def _too_big(name: str, most: int) -> InputError:
    return InputError(
        "{file} is larger than {most} MiB",
        hint="split it into smaller files",
        file=name,
        most=most >> 20,
    )


def _broken(name: str, error: Exception) -> InputError:
    return InputError(
        "cannot unpack {file}: {reason}",
        hint="download it again, or unpack it yourself and import the folder",
        file=name,
        reason=error if isinstance(error, InputError) else str(error) or type(error).__name__,
    )


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(
        "cannot read {file}: {reason}",
        hint="check the file name and its permissions",
        file=name,
        reason=error.strerror or str(error),
    )
