"""Locks between processes, folders that are locked, and what a forked process must not inherit.

SQLite lets writers wait by sleeping and trying again, which starves some of them for seconds. flock
wakes those who wait about in the order they came (figures in docs/benchmarks.md).
"""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from loxodon.errors import busy, disk_errors
from loxodon.files import private, shared

if TYPE_CHECKING:
    from loxodon.store.postgres.home_state import AdvisoryLock

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _acquire(descriptor: int, wait: bool) -> bool:
        while True:
            os.lseek(descriptor, 0, os.SEEK_SET)
            with suppress(OSError):  # somebody has it; LK_LOCK has tried ten times, a second apart
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            if not wait:
                return False

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(descriptor: int, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_at(path: str) -> FileLock | AdvisoryLock:
    """The lock at a path, on disk or in the database of a home."""
    if there := shared(path):
        return there[0].lock(there[1])
    with disk_errors(path):
        return FileLock(path)


class FileLock:
    """Held by one process, and released by the system if that dies; a forked child has no part."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: io.FileIO | None = self._opened()
        at_fork(self)

    def _opened(self) -> io.FileIO:
        return open(self._path, "a+b", buffering=0, opener=private)

    def acquire(self, seconds: float) -> bool:
        """Wait until nobody else holds it, at most `seconds`; whether it is held now."""
        if self._file is None:
            self._file = self._opened()
        descriptor = self._file.fileno()
        return _acquire(descriptor, wait=False) or (seconds > 0 and _wait(descriptor, seconds))

    def release(self) -> None:
        if self._file is not None:
            _release(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    after_fork = close  # which, unlike letting go, leaves the lock to the parent


def _wait(descriptor: int, seconds: float) -> bool:
    """flock's own wait cannot be given up, so a thread waits, and lets go of what it gets too late.
    It has a descriptor of its own: ours may be closed, and its number used again."""
    from concurrent.futures import Future

    own, held = os.dup(descriptor), Future[bool]()

    def wait() -> None:
        _acquire(own, wait=True)
        if held.set_running_or_notify_cancel():
            held.set_result(True)
        else:
            _release(own)
        os.close(own)

    threading.Thread(target=wait, daemon=True).start()
    with suppress(TimeoutError):
        return held.result(seconds)
    return not held.cancel()


# Folders for what is being made and is not in its place yet.

_DRAFT = "restoring-"
_LOCK = "restore.lock"


@contextmanager
def alone(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock at a path; a BusyStoreError where others hold it for longer than that."""
    with closing(lock_at(path)) as lock:
        if not lock.acquire(seconds):
            raise busy(path)
        yield


@contextmanager
def draft_in(folder: str, prefix: str = _DRAFT) -> Iterator[str]:
    """A temporary folder in `folder`, locked while it is in use."""
    sweep_drafts(folder, prefix)
    from tempfile import TemporaryDirectory

    made = TemporaryDirectory(prefix=prefix, dir=folder, ignore_cleanup_errors=True)
    with made as draft, closing(FileLock(os.path.join(draft, _LOCK))) as lock:
        lock.acquire(0)
        yield draft


def sweep_drafts(folder: str, prefix: str = _DRAFT) -> None:
    """Remove the drafts of runs that were killed: those whose lock nobody holds."""
    for name in os.listdir(folder):
        draft = os.path.join(folder, name)
        if name.startswith(prefix):
            with suppress(OSError), closing(FileLock(os.path.join(draft, _LOCK))) as lock:
                if lock.acquire(0):
                    from shutil import rmtree

                    rmtree(draft, ignore_errors=True)


# A forked process has copies of its parent's locks and connections but none of its threads.

_holders: WeakSet[Any] = WeakSet()


def at_fork(holder: Any) -> None:
    """Have its `after_fork` drop what is the parent's in each child forked while it lives."""
    _holders.add(holder)


def _in_child() -> None:
    for holder in list(_holders):
        holder.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
