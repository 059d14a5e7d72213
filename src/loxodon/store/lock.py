"""A lock between processes, taken before a write transaction begins.

SQLite lets writers wait by sleeping and trying again, which starves some of them for seconds. The
operating system wakes those who wait for a file lock in the order they came.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _acquire(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                return
            except OSError:  # Windows gives up after ten tries, a second apart
                continue

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class FileLock:
    """Held by one process at a time, and let go by the system if that process dies."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self) -> None:
        """Wait until nobody else holds it."""
        _acquire(self._descriptor)

    def release(self) -> None:
        _release(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)
