"""A disk that fails on command: every file a process touches below a folder goes through it.

SQLite's files come by a VFS that is made the default, so that the code under test opens its
databases as it always does; all others by `open` and the functions of `os`. Each step that a disk
could fail at is a point, counted from 1. One run without a fault tells which points there are; then
a fault is put at one of them. What happens can also be recorded, from which `power.py` makes disks
as a power cut would leave them. Nothing is really synced: that would only make a test slow.
"""

# ruff: noqa: N802 (the names of SQLite's methods)

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import apsw

KILLED = 77  # what a process exits with that was ended at a point

WRITING = ("write", "truncate", "sync", "create", "rename", "mkdir")
ANY = (*WRITING, "open", "read", "delete", "lock", "syncdir")
# The kinds of fault, and the steps each can happen at. An `error` happens once; of a disk that is
# `full` or `gone` every later step fails as well. A torn write leaves some of its first bytes; then
# the process is dead, or is told of an error.
KINDS = {
    "kill": ANY,
    "error": ANY,
    "gone": ANY,
    "full": ("write", "create", "mkdir", "rename", "sync"),
    "torn": ("write",),
    "torn error": ("write",),
    "short read": ("read",),
}


class Fault(NamedTuple):
    kind: str
    at: int
    part: float = 0.5  # how much of a torn write is written


class Step(NamedTuple):
    """Something that was done to the disk, for those who want to know what a power cut leaves."""

    what: str
    path: str
    offset: int = 0
    data: bytes = b""
    to: str = ""


class Disk:
    """Counts the points below `root`, puts the fault at its point, and records where asked to."""

    def __init__(self, root: str, fault: Fault | None = None, recording: bool = False) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.fault = fault
        self.points: list[str] = []
        self.recorded: list[Step] | None = [] if recording else None
        self.hit = ""
        self.paths: dict[int, str] = {}  # the files that are open, by their descriptors

    def holds(self, path: object) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return (os.path.abspath(os.fsdecode(os.fspath(path))) + os.sep).startswith(self.root)

    def reach(self, what: str, path: str, data: bytes = b"") -> tuple[str, bytes]:
        """Come to a point: how it fails ("" for not at all), what of `data` is written."""
        self.points.append(what)
        fault = self.fault
        if fault is None or len(self.points) < fault.at or what not in KINDS[fault.kind]:
            return "", data
        if len(self.points) > fault.at and (fault.kind not in ("full", "gone") or not self.hit):
            return "", data
        self.hit = self.hit or f"{what} of {os.path.basename(path)}"
        if fault.kind == "kill":
            os._exit(KILLED)
        return fault.kind, data[: int(len(data) * fault.part)]

    def write(
        self,
        path: str,
        offset: int,
        data: bytes,
        write: Callable[[bytes], Any],
        error: Callable[[str, str, str], Exception],
    ) -> Any:
        """Write, or a part of it, or nothing, as the fault says."""
        how, part = self.reach("write", path, data)
        if how.startswith("torn") and part:
            write(part)
        if how == "torn":
            os._exit(KILLED)
        if how:
            raise error("write", how, path)
        written = write(data)
        self.note(Step("write", path, offset, data))
        return written

    def note(self, step: Step) -> None:
        if self.recorded is not None:
            self.recorded.append(step)


def sqlite_error(what: str, how: str, path: str = "") -> apsw.Error:
    if how == "full":
        return apsw.FullError("injected: the disk is full")
    if what in ("open", "create"):
        return apsw.CantOpenError("injected")
    error = apsw.IOError("injected")
    name = f"SQLITE_IOERR_{ {'sync': 'FSYNC'}.get(what, what.upper()) }"
    error.extendedresult = getattr(apsw, name)  # type: ignore[attr-defined]
    return error


def system_error(what: str, how: str, path: str) -> OSError:
    number = errno.ENOSPC if how == "full" else errno.EIO
    return OSError(number, os.strerror(number), path)


_BASE = "multipleciphers-unix"
_JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class _DatabaseFile(apsw.VFSFile):
    """A file of SQLite's on the disk."""

    def __init__(self, disk: Disk, name: Any, path: str, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        # SQLite syncs the folder of a log it has made when it first syncs the log.
        self._unlisted = bool(flags[0] & _JOURNALS) and not os.path.exists(path)
        self._is_read = bool(flags[0] & apsw.SQLITE_OPEN_READONLY)
        super().__init__(_BASE, name, flags)

    def _reach(self, what: str) -> None:
        if self._path and (how := self._disk.reach(what, self._path)[0]):
            raise sqlite_error(what, how)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._reach("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        def write(some: bytes) -> None:
            super(_DatabaseFile, self).xWrite(some, offset)

        if self._path:
            self._disk.write(self._path, offset, bytes(data), write, sqlite_error)
        else:
            write(data)

    def xTruncate(self, size: int) -> None:
        self._reach("truncate")
        super().xTruncate(size)
        self._disk.note(Step("truncate", self._path, size))

    def xSync(self, flags: int) -> None:
        self._reach("sync")
        self._disk.note(Step("sync", self._path))
        if self._unlisted:
            self._unlisted = False
            self._disk.note(Step("syncdir", os.path.dirname(self._path)))

    def xLock(self, level: int) -> None:
        self._reach("lock")
        if self._is_read and level > apsw.SQLITE_LOCK_SHARED:
            raise apsw.BusyError  # as it closes: SQLite goes on without, an error would come out
        super().xLock(level)


class DatabaseFiles(apsw.VFS):
    """SQLite's way to the disk that is set; without one it is the usual way, but without syncs."""

    def __init__(self) -> None:
        self.disk: Disk | None = None
        super().__init__("faulty", _BASE, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = (name.filename() if isinstance(name, apsw.URIFilename) else name) or ""
        disk = self.disk
        if disk is None or not path or not disk.holds(path):
            return _DatabaseFile(Disk("/nowhere"), name, "", flags)
        new = not os.path.exists(path)
        what = "create" if new and flags[0] & apsw.SQLITE_OPEN_CREATE else "open"
        if how := disk.reach(what, path)[0]:
            raise sqlite_error(what, how)
        file = _DatabaseFile(disk, name, path, flags)
        if new and os.path.exists(path):
            disk.note(Step("create", path))
        return file

    def xDelete(self, path: str, sync: bool) -> None:
        disk = self.disk
        held = disk is not None and disk.holds(path)
        if disk and held and (how := disk.reach("delete", path)[0]):
            raise sqlite_error("delete", how)
        super().xDelete(path, False)
        if disk and held:
            disk.note(Step("delete", path))
            if sync:
                disk.note(Step("syncdir", os.path.dirname(path)))


class _File(io.FileIO):
    """Any other file on the disk."""

    def __init__(self, disk: Disk, path: str, mode: str, file: Any, opener: Any) -> None:
        self._disk = disk
        self._path = path
        self._appending = "a" in mode
        if isinstance(file, int):
            super().__init__(file, mode)
        else:
            super().__init__(file, mode, opener=opener or os.open)

    def _reach(self, what: str) -> None:
        if how := self._disk.reach(what, self._path)[0]:
            raise system_error(what, how, self._path)

    def readinto(self, buffer: Any) -> int | None:
        self._reach("read")
        return super().readinto(buffer)

    def readall(self) -> bytes:
        self._reach("read")
        return super().readall()

    def write(self, data: Any) -> int:
        offset = os.fstat(self.fileno()).st_size if self._appending else self.tell()
        written = self._disk.write(self._path, offset, bytes(data), super().write, system_error)
        return written or 0

    def truncate(self, size: int | None = None) -> int:
        self._reach("truncate")
        size = super().truncate(size)
        self._disk.note(Step("truncate", self._path, size))
        return size


_NAMES = "open close write fsync fdatasync replace rename unlink remove mkdir rmdir ftruncate"
_REAL = {name: getattr(os, name) for name in _NAMES.split() if hasattr(os, name)}
_REAL_OPEN = builtins.open
# The functions of `os` that take a path and change a name, and the step that it is
_PATHS = {
    "replace": "rename",
    "rename": "rename",
    "unlink": "delete",
    "remove": "delete",
    "rmdir": "delete",
    "mkdir": "mkdir",
}


class _System:
    """The functions of `os` and `open`, by way of a disk."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        for name, what in _PATHS.items():
            setattr(self, name, self._renaming(_REAL[name], what))

    def _reach(self, what: str, path: str) -> None:
        if how := self._disk.reach(what, path)[0]:
            raise system_error(what, how, path)

    def _renaming(self, real: Callable[..., Any], what: str) -> Callable[..., Any]:
        def renamed(*given: Any, **more: Any) -> Any:
            paths = [os.fspath(one) for one in given if not isinstance(one, int)]
            if more or not self._disk.holds(paths[-1]):
                return real(*given, **more)
            first, last = (os.path.abspath(os.fsdecode(one)) for one in (paths[0], paths[-1]))
            if what != "mkdir" or not os.path.exists(last):
                self._reach(what, last)
            found = real(*given)
            self._disk.note(Step(what, first, to=last if what == "rename" else ""))
            return found

        return renamed

    def open(self, path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        if more or not self._disk.holds(path):
            return int(_REAL["open"](path, flags, mode, **more))
        path = os.path.abspath(os.fsdecode(os.fspath(path)))
        new = bool(flags & os.O_CREAT) and not os.path.exists(path)
        self._reach("create" if new else "open", path)
        descriptor = int(_REAL["open"](path, flags, mode))
        self._disk.paths[descriptor] = path
        if new:
            self._disk.note(Step("create", path))
        elif flags & os.O_TRUNC:
            self._disk.note(Step("truncate", path, 0))
        return descriptor

    def open_file(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        path = self._disk.paths.get(file, "") if isinstance(file, int) else ""
        if not path and not self._disk.holds(file):
            return _REAL_OPEN(file, mode, buffering, encoding, errors, newline, closefd, opener)
        bare = mode.replace("b", "").replace("t", "")
        raw = _File(self._disk, path or os.path.abspath(os.fsdecode(file)), bare, file, opener)
        if buffering == 0:
            return raw
        buffered: Any
        if "+" in mode:
            buffered = io.BufferedRandom(raw)
        else:
            buffered = io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline, buffering == 1)

    def write(self, descriptor: int, data: Any) -> int:
        path = self._disk.paths.get(descriptor, "")
        if not path:
            return int(_REAL["write"](descriptor, data))
        appending = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
        offset = os.lseek(descriptor, 0, os.SEEK_END if appending else os.SEEK_CUR)

        def write(some: bytes) -> int:
            return int(_REAL["write"](descriptor, some))

        return int(self._disk.write(path, offset, bytes(data), write, system_error))

    def fsync(self, descriptor: int) -> None:
        if path := self._disk.paths.get(descriptor, ""):
            what = "syncdir" if os.path.isdir(path) else "sync"
            self._reach(what, path)
            self._disk.note(Step(what, path))

    fdatasync = fsync

    def close(self, descriptor: int) -> None:
        self._disk.paths.pop(descriptor, None)
        _REAL["close"](descriptor)

    def ftruncate(self, descriptor: int, size: int) -> None:
        path = self._disk.paths.get(descriptor, "")
        if path:
            self._reach("truncate", path)
        _REAL["ftruncate"](descriptor, size)
        if path:
            self._disk.note(Step("truncate", path, size))


_DATABASES: list[DatabaseFiles] = []


def plain() -> DatabaseFiles:
    """SQLite's way to any disk, made once a process; from then on nothing is really synced."""
    if not _DATABASES:
        _DATABASES.append(DatabaseFiles())
    return _DATABASES[0]


@contextmanager
def mounted(disk: Disk) -> Iterator[Disk]:
    """All that this process does below the root of `disk` goes through it meanwhile."""
    system = _System(disk)
    databases = plain()
    databases.disk = disk
    for name in _REAL:
        setattr(os, name, getattr(system, name))
    builtins.open = io.open = system.open_file
    try:
        yield disk
    finally:
        for name, function in _REAL.items():
            setattr(os, name, function)
        builtins.open = io.open = _REAL_OPEN
        databases.disk = None
