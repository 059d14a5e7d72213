"""Writing files that only their owner may read, and that a kill or a power cut leaves whole.

A home whose spaces are in PostgreSQL has its small state (tokens, policy, master key) in the table
`home_state` there. Then a path begins with the address of the database
(`postgresql://host/db/tokens.toml`), and the functions here ask the table registered for it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENOSPC
from threading import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loxodon.store.postgres.home_state import PostgresState

PRIVATE = 0o600
SCHEME = "postgresql://"  # what the path of a shared home begins with
Stamp = tuple[int, int, int]  # what changes when a file does; the second is its size
SHARED: dict[str, PostgresState] = {}  # by the address that a path begins with


def shared(path: str) -> tuple[PostgresState, str] | None:
    """The table with some state, and its name there; None for a file on disk."""
    if not path.startswith(SCHEME):
        return None
    for root, found in SHARED.items():
        if path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/"):
            return found, path[len(root) + 1 :]
    raise FileNotFoundError(2, "no such database is open", path)


def read(path: str) -> bytes:
    if there := shared(path):
        return there[0].read(there[1])
    with open(path, "rb") as file:
        return file.read()


def stamp(path: str) -> Stamp | None:
    if there := shared(path):
        return there[0].stamp(there[1])
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_ino, about.st_size, about.st_mtime_ns


def exists(path: str) -> bool:
    return stamp(path) is not None


def names(folder: str) -> list[str]:
    """The names of the files in a folder, in order; none where there is no folder."""
    if there := shared(folder):
        return there[0].names(there[1])
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def remove(path: str) -> None:
    if there := shared(path):
        there[0].remove(there[1])
    else:
        os.unlink(path)


def make_folder(path: str) -> None:
    if not path.startswith(SCHEME):
        os.makedirs(path, mode=0o700, exist_ok=True)


def private(path: str, flags: int) -> int:
    """An opener: what is made is its owner's alone."""
    return os.open(path, flags, PRIVATE)


def replace(path: str, data: bytes, mode: int = PRIVATE) -> None:
    """Put `data` in the place of a file in one step, on disk; an error leaves what was there."""
    if there := shared(path):
        there[0].replace(there[1], data)
        return
    draft = f"{path}.{os.getpid()}{get_ident()}.tmp"  # two threads may write the same file
    try:
        with open(draft, "wb", opener=private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode != PRIVATE:
            os.chmod(draft, mode)
        os.replace(draft, path)
    except OSError:
        if os.path.exists(draft):
            os.unlink(draft)
        raise


def append(path: str, data: bytes) -> None:
    """Put `data` at the end of a file, all of it or nothing, on disk."""
    if there := shared(path):
        there[0].append(there[1], data)
        return
    with open(path, "ab", buffering=0, opener=private) as file:
        before = file.tell()
        try:
            if file.write(data) != len(data):
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):  # half a line is passed over
                file.truncate(before)
            raise
    if not before:
        sync_folder(os.path.dirname(path))


def sync_folder(folder: str) -> None:
    """See to it that a power cut cannot take back what was made or renamed in a folder."""
    if os.name == "posix" and not folder.startswith(SCHEME):  # elsewhere it cannot be opened
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
