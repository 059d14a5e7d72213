"""Locks between processes, and what a forked process must not inherit.

SQLite lets writers wait by sleeping and trying again, which starves some of them for seconds. flock
wakes those who wait about in the order they came (figures in docs/benchmarks.md). On Windows
waiting is trying again once a second.

A forked process has copies of its parent's locks and connections but none of its threads: a lock
that another thread held stays held, releasing a file lock releases the parent's, and SQLite takes
the parent's locks for its own. So whoever holds such a thing registers it (`at_fork`), and its
`after_fork` drops it in every child before anything else runs. What must not be in use during a
fork is waited for (`quiet_at_fork`).
"""

from __future__ import annotations

import io
import os
import sys
import threading
from typing import Protocol
from weakref import WeakSet

from loxodon.errors import unwritable
from loxodon.files import private, shared

if sys.platform == "win32":  # pragma: no cover
    import errno
    import msvcrt

    def _acquire(descriptor: int, wait: bool) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            except OSError as error:
                if not wait:
                    return False
                if error.errno != errno.EDEADLK:  # that one only says: ten tries, a second apart
                    raise

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


class Lock(Protocol):
    """Held by one process at a time, and let go when that process dies."""

    def acquire(self, seconds: float) -> bool:
        """Wait until nobody else holds it, at most `seconds`; whether it is held now."""
        ...

    def release(self) -> None: ...

    def close(self) -> None:
        """Let go of it, if it is held."""
        ...


def lock_on(path: str) -> Lock:
    """The lock at a path, on disk or in the database of a home."""
    if there := shared(path):
        return there[0].lock(there[1])
    return FileLock(path)


def lock_at(path: str) -> Lock:
    """`lock_on`; an UnwritableStoreError where it cannot be made."""
    try:
        return lock_on(path)
    except OSError as error:
        raise unwritable(path, error) from None


class FileLock:
    """Held by one process, and released by the system if that dies; a forked child has no part."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: io.FileIO | None = self._opened()
        at_fork(self)

    def _opened(self) -> io.FileIO:
        return open(self._path, "a+b", buffering=0, opener=private)

    def after_fork(self) -> None:
        # Closing it, unlike letting go of it, leaves the lock to those who have the file open too.
        self.close()

    def acquire(self, seconds: float) -> bool:
        """Wait until nobody else holds it, at most `seconds`; whether it is held now."""
        if self._file is None:
            self._file = self._opened()
        if _acquire(self._file.fileno(), wait=False):
            return True
        return seconds > 0 and _Wait(self._file.fileno()).up_to(seconds)

    def release(self) -> None:
        if self._file is not None:
            _release(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _Wait:
    """A wait for the lock that can be given up, which flock's own cannot.

    A thread waits; if it gets the lock after we gave up, it releases it at once. It has a
    descriptor of its own for the same open file: ours may be closed, and its number used again.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._deciding = threading.Lock()
        self._given_up = False
        self._held = threading.Event()
        at_fork(self)

    def after_fork(self) -> None:
        self._close()  # the thread that waits is the parent's

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def up_to(self, seconds: float) -> bool:
        threading.Thread(target=self._wait, daemon=True).start()
        if self._held.wait(seconds):
            return True
        with self._deciding:
            self._given_up = not self._held.is_set()
        return not self._given_up

    def _wait(self) -> None:
        _acquire(self._descriptor, wait=True)
        with self._deciding:
            if self._given_up:
                _release(self._descriptor)
            else:
                self._held.set()
        self._close()


# Forks


class Holder(Protocol):
    def after_fork(self) -> None:
        """In a child: drop what is the parent's, without waiting."""
        ...


class Busy(Holder, Protocol):
    def before_fork(self) -> bool:
        """Wait until no other thread uses it, and keep others from it; whether that is so."""
        ...

    def go_on(self) -> None:
        """In the parent, after the fork: let others use it again."""
        ...


_holders: WeakSet[Holder] = WeakSet()
_busy: WeakSet[Busy] = WeakSet()
_quiet: dict[int, list[Busy]] = {}  # what a thread that is about to fork has waited for


def at_fork(holder: Holder) -> None:
    """Call its `after_fork` in every child that is forked while it lives."""
    _holders.add(holder)


def quiet_at_fork(holder: Busy) -> None:
    """The same, and wait for it before a fork."""
    _busy.add(holder)
    _holders.add(holder)


def leave_behind(it: object) -> None:
    """Never destroy this object: its destructor would act on what is the parent's."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(it))


def _before() -> None:
    _quiet[threading.get_ident()] = [holder for holder in list(_busy) if holder.before_fork()]


def _in_parent() -> None:
    for holder in _quiet.pop(threading.get_ident()):
        holder.go_on()


def _in_child() -> None:
    for holder in list(_holders):
        holder.after_fork()
    _quiet.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
