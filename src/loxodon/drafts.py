"""Temporary folders for what is being made and is not in its place yet."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from loxodon.filelock import FileLock

_DRAFT = "restoring-"
_LOCK = "restore.lock"


@contextmanager
def draft_in(folder: str, prefix: str = _DRAFT) -> Iterator[str]:
    """A temporary folder in `folder`, locked while it is in use."""
    sweep_drafts(folder, prefix)
    while True:
        draft = tempfile.mkdtemp(prefix=prefix, dir=folder)
        path = os.path.join(draft, _LOCK)
        with suppress(FileNotFoundError):  # another process swept it away before it was locked
            lock = FileLock(path)
            if lock.acquire(0) and os.path.exists(path):
                break
            lock.close()
    try:
        yield draft
    finally:
        lock.close()
        shutil.rmtree(draft, ignore_errors=True)


def sweep_drafts(folder: str, prefix: str = _DRAFT) -> None:
    """Remove the drafts of runs that were killed: those whose lock nobody holds."""
    for name in os.listdir(folder):
        draft = os.path.join(folder, name)
        if name.startswith(prefix):
            with suppress(OSError):  # another process has just done it
                lock = FileLock(os.path.join(draft, _LOCK))
                if lock.acquire(0):
                    shutil.rmtree(draft, ignore_errors=True)
                lock.close()
