"""What a reader of another program's memory is given, and what it finds.

A reader is a generator of turns and memories. All that it finds is read before anything is taken,
so that nothing is half taken.

It is given a `Package`: a folder, an archive or one file, read within limits. Nothing of an archive
is written to disk, so that no name in it can lead anywhere. One that says that it unpacks to
absurdly more than it is (`check_unpacked`) is refused, and `zipfile` gives no more of a part than
the archive says. Links that leave the folder, and what is no regular file, are not read.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, tzinfo
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from loxodon.errors import InputError, LoxodonError
from loxodon.journal.lines import check_unpacked, unreadable
from loxodon.journal.moments import read_instant
from loxodon.security.paths import is_closed, opened
from loxodon.types import Draft, FileProblem, Kind, Origin, Source

MOST_WHOLE = 1 << 30  # bytes of a file
_DEPTH = 4  # folders below the one that is imported
_IGNORED = ("__MACOSX", "node_modules", "__pycache__")
_BOUNDED = (0, 8)  # stored, deflated: of other methods a piece may unpack to any size at once


class Package:
    """What is imported, by the names of its files, which are open until it is closed."""

    def __init__(self, path: str, home: str = "") -> None:
        """`home` is the memory's own, of which nothing is read."""
        self.path = os.path.abspath(path)
        self.name = os.fsencode(os.path.basename(self.path)).decode("utf-8", "replace")
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
        self.names.sort()
        self.alone = not (self._is_folder or self._archive)  # one file

    def close(self) -> None:
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
        check_unpacked(self.name, os.path.getsize(self.path), sum(one.file_size for one in parts))
        for one in parts:
            name = one.filename.replace("\\", "/")
            if not one.is_dir() and not any(map(_ignored, name.split("/"))):
                out = name.startswith("/") or ":" in name[:2] or ".." in name.split("/")
                out = out or stat.S_ISLNK(one.external_attr >> 16)
                (self.outside if out else self.names).append(one.filename)

    def _list_folder(self) -> None:
        for folder, folders, files in os.walk(self.path):
            within = os.path.relpath(folder, self.path).replace(os.sep, "/")
            within = "" if within == "." else within + "/"
            deep = within.count("/") >= _DEPTH
            folders[:] = [] if deep else sorted(one for one in folders if not _ignored(one))
            for one in files:
                if not _ignored(one):
                    name = os.fsencode(within + one).decode("utf-8", "replace")
                    place = os.path.join(folder, one)
                    inside = not is_closed(self._home, self.path, place) and os.path.isfile(place)
                    readable = inside and name == within + one
                    (self.names if readable else self.outside).append(name)

    def modified(self, name: str) -> datetime | None:
        if self._archive is not None:
            return None
        return datetime.fromtimestamp(os.path.getmtime(self._place(name)), UTC)

    def _place(self, name: str) -> str:
        return os.path.join(self.path, *name.split("/")) if self._is_folder else self.path

    def _file(self, name: str) -> IO[bytes]:
        """A file of the folder, or the one that this is; an OSError for what leads elsewhere."""
        return os.fdopen(opened(self._place(name), self.path, self._home), "rb")

    def head(self, name: str, size: int = 1 << 16) -> bytes:
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
        """The elements of a file of JSON, each with its path (`[3]`)."""
        try:
            value = json.loads(self.read(name).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, too deep
            raise InputError(
                "{file} is not valid JSON: {reason} on line {line}",
                hint="the download may be incomplete: export it again; nothing was imported",
                file=name,
                reason=getattr(error, "msg", str(error)).removesuffix(" starting at"),
                line=getattr(error, "lineno", 1),
            ) from None
        fields = value if isinstance(value, Mapping) else {}
        key = next((key for key in inside if isinstance(fields.get(key), list)), "")
        if not key and not isinstance(value, list):
            yield ".", value
            return
        for number, one in enumerate(value[key] if key else value):
            yield f".{key}[{number}]" if key else f"[{number}]", one


def _ignored(part: str) -> bool:
    return part in _IGNORED or (part.startswith(".") and part != "..")


def _broken(name: str, error: Exception) -> InputError:
    return InputError(
        "cannot unpack {file}: {reason}",
        hint="download it again, or unpack it yourself and import the folder",
        file=name,
        reason=str(error) or type(error).__name__,
    )


class NewMemory(NamedTuple):
    content: str
    key: tuple[str, ...]  # what it is known by there, so that it is taken once
    source: Source
    kind: Kind = "fact"
    category: str = ""  # empty where only its words can tell
    importance: float | None = None
    confidence: float = 1.0
    project: str = ""
    topic: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    agent: str = ""
    since: datetime | None = None  # when it was first known, or since when it holds
    confirmed_at: datetime | None = None
    expires_at: datetime | None = None
    archived: bool = False
    done: bool = False
    basis: str = ""  # what a belief was drawn from
    id: str = ""  # what it is called there; kept where it is free here
    strength: float | None = None
    drawn_from: tuple[Source, ...] = ()  # where it says that it comes from
    derived_from: tuple[str, ...] = ()  # the memories that a summary stands for
    own: bool = False  # from a memory like ours: it matters as much as it says
    trust: Origin = "import"  # `file` for what the owner wrote down
    used: int = 0  # how often it was recalled there


Found = Draft | NewMemory | FileProblem


class Around(NamedTuple):
    now: datetime
    zone: tzinfo | None
    user: str = ""  # whose memories are wanted, where a file has those of several people


Reader = Callable[[Package, Around], Iterator[Found]]


def each_in(
    package: Package, name: str, lists: tuple[str, ...], read: Callable[[Any, str], Iterator[Found]]
) -> Iterator[Found]:
    """What is found in each element of a file; one that `read` refuses is reported."""
    for place, value in package.elements(name, lists):
        try:
            yield from read(value, place)
        except InputError as error:
            yield problem(name, place, error)


def problem(file: str, place: int | str, error: LoxodonError) -> FileProblem:
    """An error about a line of a file, or about a part of a JSON document named by its path."""
    what, hint = error.localized()
    if isinstance(place, int):
        return FileProblem(file, place, what, hint)
    return FileProblem(file, 0, f"{place}: {what}", hint)


# What stands in a document, whatever was put there


def text_in(value: object, *names: str) -> str:
    """The text under the first of these names that has one; empty for none."""
    texts = (value.get(name) for name in names) if isinstance(value, Mapping) else ()
    return next((one.strip() for one in texts if isinstance(one, str) and one.strip()), "")


def list_in(value: object, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []


def names_in(value: object) -> tuple[str, ...]:
    """Names: of a list, or separated by commas; anything else is none."""
    if isinstance(value, str):
        value = value.replace("，", ",").split(",")
    given = value if isinstance(value, list) else []
    names = (one.strip() for one in given if isinstance(one, str))
    return tuple(dict.fromkeys(name for name in names if name))


def share_in(value: object) -> float | None:
    """How much something matters, from 0 to 1; what is counted up to 10 or 100 is brought there."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return float(value) if value <= 1 else value / (10 if value <= 10 else 100)


def instant_in(value: Mapping[str, Any], zone: tzinfo | None, *names: str) -> datetime | None:
    """The moment under the first of these names that has one. Raises InputError for nonsense."""
    found = (value.get(name) for name in names)
    return next((read_instant(one, zone) for one in found if one is not None and one != ""), None)
