"""Writing files that only their owner may read, and that a kill or a power cut leaves whole."""

from __future__ import annotations

import os
from _thread import get_ident  # `threading` itself is for those who start threads

PRIVATE = 0o600


def private(path: str, flags: int) -> int:
    """An opener: what is made is its owner's alone."""
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), PRIVATE)


def replace(path: str, data: bytes, mode: int = PRIVATE) -> None:
    """Put `data` in the place of a file in one step, on disk; an error leaves what was there."""
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


def sync_folder(folder: str) -> None:
    """See to it that a power cut cannot take back what was made or renamed in a folder."""
    if os.name == "posix":  # elsewhere a folder cannot be opened, and need not be
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
