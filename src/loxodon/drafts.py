"""Drafts: folders for what is being made and is not in its place yet."""

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
    """A folder for what is not in its place yet, locked while it is in use."""
    sweep_drafts(folder, prefix)
    draft, lock = _begun(folder, prefix)
    try:
        yield draft
    finally:
        lock.close()
        shutil.rmtree(draft, ignore_errors=True)


def _begun(folder: str, prefix: str) -> tuple[str, FileLock]:
    """A new draft, and its lock; another where somebody swept it away before it was locked."""
    while True:
        draft = tempfile.mkdtemp(prefix=prefix, dir=folder)
        with suppress(FileNotFoundError):
            lock = FileLock(os.path.join(draft, _LOCK))
            if lock.acquire(0) and os.path.exists(os.path.join(draft, _LOCK)):
                return draft, lock
            lock.close()


def sweep_drafts(folder: str, prefix: str = _DRAFT) -> None:
    """Take away the drafts of runs that were killed."""
    for name in os.listdir(folder):
        if name.startswith(prefix):
            _sweep(os.path.join(folder, name))


def _sweep(draft: str) -> None:
    """Take away the draft of a run that was killed: one whose lock nobody holds."""
    try:
        lock = FileLock(os.path.join(draft, _LOCK))
    except OSError:
        return  # another has just done it
    try:
        if lock.acquire(0):
            shutil.rmtree(draft, ignore_errors=True)
    finally:
        lock.close()
