"""The files of an import: a folder, an archive or one file, read within limits.

Nothing of an archive is written to disk, so that no name in it can lead anywhere. One that says
that it unpacks to absurdly more than it is (`check_unpacked`) is refused, and `zipfile` gives
no more of a part than the archive says. Links that leave the folder, and what is no regular file,
are not read.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from loxodon.errors import InputError
from loxodon.journal.lines import check_unpacked, unreadable
from loxodon.security.paths import is_closed, opened

MOST_WHOLE = 1 << 30  # bytes of a file
MOST_PARTS = 100_000
_DEPTH = 4  # folders below the one that is imported
_IGNORED = ("__MACOSX", "node_modules", "__pycache__")
_BOUNDED = (0, 8)  # stored, deflated: of other methods a piece may unpack to any size at once
_NEXT = re.compile(r"\s*([\],]?)\s*")


class Package:
    """What is imported, by the names of its files; use it as a context manager."""

    def __init__(self, path: str, home: str = "") -> None:
        """`home` is the memory's own, of which nothing is read."""
        self.path = os.path.abspath(path)
        self.name = _shown(os.path.basename(self.path))
        self._home = home
        self._is_folder = os.path.isdir(self.path)
        self._archive: ZipFile | None = None
        self.outside: list[str] = []  # not read: links that lead out, names that are no text
        self.names: list[str] = []
        try:
            with ExitStack() as files:
                self._list_folder() if self._is_folder else self._list_file(files)
                self._files = files.pop_all()
        except OSError as error:
            raise unreadable(self.path, error.strerror or str(error)) from None
        if len(self.names) > MOST_PARTS:
            raise InputError(
                "{file} contains more than {most} files",
                hint="give the folder or file with the memory",
                file=self.name,
                most=MOST_PARTS,
            )
        self.names.sort()
        self.alone = not (self._is_folder or self._archive)  # one file

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()

    def _list_file(self, files: ExitStack) -> None:
        packed = files.enter_context(self._file(self.name))
        if packed.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
            self.names = [self.name]
            return
        try:
            self._archive = files.enter_context(ZipFile(packed))
        except (BadZipFile, EOFError, ValueError, NotImplementedError) as error:
            raise _broken(self.name, error) from None
        parts = self._archive.infolist()
        unpacked = sum(one.file_size for one in parts)
        check_unpacked(self.name, os.path.getsize(self.path), unpacked)
        for one in parts:
            if one.is_dir() or _ignored(one.filename):
                continue
            name = one.filename.replace("\\", "/")
            out = name.startswith("/") or ":" in name[:2] or ".." in name.split("/")
            out = out or stat.S_ISLNK(one.external_attr >> 16)
            (self.outside if out else self.names).append(one.filename)

    def _list_folder(self) -> None:
        for folder, folders, files in os.walk(self.path):
            within = os.path.relpath(folder, self.path).replace(os.sep, "/")
            within = "" if within == "." else within + "/"
            deep = within.count("/") >= _DEPTH or len(self.names) > MOST_PARTS
            folders[:] = [] if deep else sorted(one for one in folders if not _ignored(one))
            for one in files:
                if not _ignored(one):
                    place, shown = os.path.join(folder, one), _shown(within + one)
                    inside = not is_closed(self._home, self.path, place) and os.path.isfile(place)
                    readable = inside and shown == within + one
                    (self.names if readable else self.outside).append(shown)

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

    def _file(self, name: str) -> IO[bytes]:
        """A file of the folder, or the one that this is; an OSError for what leads elsewhere."""
        return os.fdopen(opened(self._place(name), self.path, self._home), "rb")

    def head(self, name: str, size: int = 1 << 16) -> bytes:
        """How a file begins. Raises InputError."""
        try:
            archive = self._archive
            if archive and archive.getinfo(name).compress_type not in _BOUNDED:
                raise BadZipFile("its compression method is not supported")
            with archive.open(name) if archive else self._file(name) as file:
                return file.read(size)
        except OSError as error:
            raise unreadable(name, error.strerror or str(error)) from None
        except (BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # or it has a password
            raise _broken(name, error) from None

    def read(self, name: str, most: int = MOST_WHOLE) -> bytes:
        """All of a file that has at most `most` bytes. Raises InputError."""
        data = self.head(name, most + 1)
        if len(data) > most:
            raise InputError(
                "{file} is larger than {most} MiB",
                hint="split it into smaller files",
                file=name,
                most=most >> 20,
            )
        return data

    def elements(self, name: str, inside: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
        """The elements of the list in a file of JSON, each with its path (`[3]`).

        The file is a list, or an object that has one under any of the names `inside`; anything else
        is its only element. An export may have a gigabyte of conversations in one list: they are
        parsed one by one, because objects take many times the memory of their text.
        """
        text, at = "", 0
        try:
            text = self.read(name).decode("utf-8-sig").strip()
            if not text.startswith("["):
                value = json.loads(text)
                holds = value if isinstance(value, Mapping) else {}
                key = next((key for key in inside if isinstance(holds.get(key), list)), "")
                many = value[key] if key else [value]
                yield from ((f".{key}[{n}]" if key else ".", one) for n, one in enumerate(many))
                return
            if not text.endswith("]"):
                raise ValueError("the list has no end")
            decode, at, number = json.JSONDecoder().raw_decode, _NEXT.match(text, 1).end(), 0  # type: ignore[union-attr]
            while at < len(text):
                value, at = decode(text, at)
                yield f"[{number}]", value
                number += 1
                found = _NEXT.match(text, at)
                if found is None or not found[1] or (found[1] == "]") != (found.end() == len(text)):
                    raise ValueError("expecting ',' or the end of the list")
                at = found.end()
        except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, too deep
            raise InputError(
                "{file} is not valid JSON: {reason} on line {line}",
                hint="the download may be incomplete: export it again; nothing was imported",
                file=name,
                reason=getattr(error, "msg", str(error)).removesuffix(" starting at"),
                line=text.count("\n", 0, getattr(error, "pos", at)) + 1,
            ) from None


def _shown(name: str) -> str:
    """The name of a file as text: file systems allow any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def _ignored(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return any(one in _IGNORED or (one.startswith(".") and one != "..") for one in parts)


def _broken(name: str, error: Exception) -> InputError:
    return InputError(
        "cannot unpack {file}: {reason}",
        hint="download it again, or unpack it yourself and import the folder",
        file=name,
        reason=str(error) or type(error).__name__,
    )
