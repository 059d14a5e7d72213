"""A lock between processes, taken before a write transaction begins.

SQLite lets writers wait by sleeping and trying again, which starves some of them for seconds. Where
there is flock, the system wakes those who wait for it about in the order they came; what that makes
of sixteen writers is in docs/benchmarks.md. On Windows waiting is trying again once a second.
"""

from __future__ import annotations

import io
import os
import sys
from threading import Event, Lock, Thread

from loxodon import forks
from loxodon.files import private

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


class FileLock:
    """Held by one process at a time, and let go by the system if that process dies.

    A process that is forked from the one that holds it does not, and cannot let go of it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: io.FileIO | None = self._opened()
        forks.tell(self)

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
    """A wait for the lock that can be given up, which the system's own cannot.

    A thread waits in line; if it gets the lock after we gave up, it lets go of it at once. It has a
    descriptor of its own for the same open file: ours may be closed, and its number used again.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._mind = Lock()
        self._given_up = False
        self._held = Event()
        forks.tell(self)

    def after_fork(self) -> None:
        self._close()  # the thread that waits is the parent's

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def up_to(self, seconds: float) -> bool:
        Thread(target=self._stand_in_line, daemon=True).start()
        if self._held.wait(seconds):
            return True
        with self._mind:
            self._given_up = not self._held.is_set()
        return not self._given_up

    def _stand_in_line(self) -> None:
        _acquire(self._descriptor, wait=True)
        with self._mind:
            if self._given_up:
                _release(self._descriptor)
            else:
                self._held.set()
        self._close()
