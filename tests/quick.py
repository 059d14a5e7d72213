"""A disk that nobody waits for, and a new store that is a copy of an empty one.

Most tests are about neither. Those that are, and every program that a test starts, have the real
thing: migrations, and writes that wait for the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any

import apsw
import pytest

from loxodon.store.sqlite import database
from loxodon.store.sqlite.database import Database

REAL = ("tests.faults.", "tests.store.", "tests.backup.")
"""The modules whose tests are about the disk, by how their names begin."""


def make_empty(path: Path) -> Path:
    """A store as the migrations leave it."""
    Database(str(path)).close()
    return path


@contextmanager
def quick(empty: Path) -> Iterator[None]:
    """Until the end, nothing in this process waits for the disk, and a new store is `empty`'s."""
    connect: Any = Database._connect

    def copied(self: Database) -> apsw.Connection:
        if not self._keys and not os.path.exists(self.path):
            _copy(empty, self.path)
        found: apsw.Connection = connect(self)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_connect", copied)
        patch.setattr(database, "_PRAGMAS", (*database._PRAGMAS, "synchronous=OFF"))
        for name in {"fsync", "fdatasync"} & vars(os).keys():
            patch.setattr(os, name, lambda descriptor: None)
        yield


def _copy(empty: Path, path: str) -> None:
    """In one step: another process may make the same store at this moment."""
    draft = f"{path}.{os.getpid()}.{get_ident()}"
    shutil.copyfile(empty, draft)
    os.chmod(draft, 0o600)
    with suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)
