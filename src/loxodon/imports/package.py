"""The files of an import: a folder, an archive or one file, read within limits.

Nothing of an archive is written to disk, so that no name in it can lead anywhere. One that says
that it unpacks to absurdly more than it is (`workspace/readers/unpacking.py`) is refused, and
`zipfile` gives no more of a part than the archive says. Links that leave the folder, and what is
no regular file, are not read.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from loxodon.errors import InputError
from loxodon.journal.unpacking import MOST_PARTS, Allowance
from loxodon.security.paths import is_closed, opened

MOST_WHOLE = 256 << 20  # bytes of a file that has to be read at once
_DEPTH = 4  # folders below the one that is imported
_IGNORED = ("__MACOSX", "node_modules", "__pycache__")
_BOUNDED = (0, 8)  # stored, deflated: of other methods a piece may unpack to any size at once


class Package:
    """What is imported, by the names of its files; use it as a context manager."""

    def __init__(self, path: str, home: str = "") -> None:
        """`home` is the memory's own, of which nothing is read."""
        self.path = os.path.abspath(path)
        self.name = _shown(os.path.basename(self.path))
        self._home = home
        self._is_folder = os.path.isdir(self.path)
        self._archive: ZipFile | None = None
        self.outside: list[
            str
        ] = []  # what is not read: links that lead out, names that are no text
        try:
            with ExitStack() as files:
                self.names = self._folder_names() if self._is_folder else self._file_names(files)
                self._files = files.pop_all()
        except OSError as error:
            raise _unreadable(self.path, error) from None
        self.alone = not (self._is_folder or self._archive)  # one file

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()

    def _file_names(self, files: ExitStack) -> list[str]:
        packed = files.enter_context(self._file(self.name))
        if packed.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
            return [self.name]
        try:
            self._archive = files.enter_context(ZipFile(packed))
        except (BadZipFile, EOFError, ValueError, NotImplementedError) as error:
            raise _broken(self.name, error) from None
        parts = self._archive.infolist()
        self._check_number(len(parts))
        Allowance(self.name, os.path.getsize(self.path)).check(sum(one.file_size for one in parts))
        names: list[str] = []
        for one in parts:
            if not (one.is_dir() or _ignored(one.filename)):
                (self.outside if _leads_out(one) else names).append(one.filename)
        return sorted(names)

    def _folder_names(self) -> list[str]:
        names: list[str] = []
        for folder, folders, files in os.walk(self.path):
            within = os.path.relpath(folder, self.path).replace(os.sep, "/")
            within = "" if within == "." else within + "/"
            deep = within.count("/") >= _DEPTH
            folders[:] = [] if deep else sorted(one for one in folders if not _ignored(one))
            for one in files:
                if not _ignored(one):
                    place, shown = os.path.join(folder, one), _shown(within + one)
                    inside = not is_closed(self._home, self.path, place) and os.path.isfile(place)
                    (names if inside and shown == within + one else self.outside).append(shown)
            self._check_number(len(names))
        return sorted(names)

    def _check_number(self, parts: int) -> None:
        if parts > MOST_PARTS:
            raise InputError(
                "{file} contains more than {most} files",
                hint="give the folder or file with the memory",
                file=self.name,
                most=MOST_PARTS,
            )

    def modified(self, name: str) -> datetime | None:
        """When a file was last written, where that is known."""
        try:
            if self._archive is not None:
                return datetime(*self._archive.getinfo(name).date_time, tzinfo=UTC)
            return datetime.fromtimestamp(os.path.getmtime(self._place(name)), UTC)
        except (OSError, OverflowError, ValueError):  # archives may say anything
            return None

    def _place(self, name: str) -> str:
        return os.path.join(self.path, *name.split("/")) if self._is_folder else self.path

    def _file(self, name: str) -> BinaryIO:
        """A file of the folder, or the one that this is; an OSError for what leads elsewhere."""
        return os.fdopen(opened(self._place(name), self.path, self._home), "rb")

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """A file to be read in pieces. Raises InputError, also while it is read."""
        try:
            if self._archive is None:
                with self._file(name) as file:
                    yield file
                return
            if self._archive.getinfo(name).compress_type not in _BOUNDED:
                raise _broken(name, InputError("its compression method is not supported"))
            with self._archive.open(name) as part:
                yield part
        except OSError as error:
            raise _unreadable(name, error) from None
        except (BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # or it has a password
            raise _broken(name, error) from None

    def read(self, name: str, most: int = MOST_WHOLE) -> bytes:
        """All of a file that has at most `most` bytes."""
        data = self.head(name, most + 1)
        if len(data) > most:
            raise too_big(name, most)
        return data

    def head(self, name: str, size: int = 1 << 16) -> bytes:
        """How a file begins."""
        with self.open(name) as file:
            return file.read(size)


def _shown(name: str) -> str:
    """The name of a file as text: file systems allow any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def _ignored(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return any(one in _IGNORED or (one.startswith(".") and one != "..") for one in parts)


def _leads_out(part: ZipInfo) -> bool:
    """Whether a part of an archive is named for another place, or is a link."""
    name = part.filename.replace("\\", "/")
    is_link = stat.S_ISLNK(part.external_attr >> 16)
    return is_link or name.startswith("/") or ":" in name[:2] or ".." in name.split("/")


def too_big(name: str, most: int = MOST_WHOLE) -> InputError:
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
