"""How many writes a file has seen, kept beside it: acknowledged writes that are gone show.

The log of a database (`-wal`) has checksums of its own, and SQLite reads it up to the first that is
wrong, as after a power cut. So a damaged, cut or lost log looks like an older file with nothing
wrong in it, and so does an old copy in the place of the file. Here every write adds one to a number
in the database, and after it has been acknowledged that number is put into the file `loxodon.mark`:
a database that is behind its mark has lost writes. The mark itself is not waited for, so it may be
behind, and never is ahead.
"""

from __future__ import annotations

import os
from contextlib import suppress

from loxodon.files import private
from loxodon.store.sqlite.seals import digest

WRITES = "writes"
"""The counter of writes."""
LOST = "writes_lost"
"""The counter of those that were found to be gone; `repair` sets it back."""


def path_of(database: str) -> str:
    return database.removesuffix(".db") + ".mark"


def put(database: str, writes: int) -> None:
    """Put the mark. That it cannot be put is no reason to fail: it only shows less."""
    with suppress(OSError):
        handle = private(path_of(database), os.O_WRONLY | os.O_CREAT)
        try:
            os.write(handle, b"%016x %s\n" % (writes, _check(writes)))
        finally:
            os.close(handle)


def of(database: str) -> int:
    """The mark of a database; 0 where there is none that can be read."""
    try:
        with open(path_of(database), "rb") as file:
            number, _, check = file.read(64).strip().partition(b" ")
        writes = int(number, 16)
    except (OSError, ValueError):
        return 0
    return writes if check == _check(writes) else 0


def clear(database: str) -> None:
    """Another file is in its place now, and may be older."""
    with suppress(FileNotFoundError):
        os.unlink(path_of(database))


def _check(writes: int) -> bytes:
    return digest((writes,)).hex().encode()
