"""A disk that nobody waits for, a new store that is a copy of an empty one, and an encoder that
reads a text once.

Most tests are about none of these. Those that are, and every program that a test starts, have the
real thing: migrations, and writes that wait for the disk.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from pickle import dumps, loads
from threading import Lock, get_ident
from typing import Any

import apsw
import numpy as np
import pytest

from loxodon.models import encoder
from loxodon.models.encoder import Encoder
from loxodon.store.sqlite import database
from loxodon.store.sqlite.database import Database

MEANING = "tests.models.test_encoder"  # the module whose tests are about the encoder
# The modules whose tests are about the disk, by how their names begin
REAL = ("tests.faults.", "tests.store.", "tests.backup.")


_READING = ("embed", "judge", "intents", "changes")
_read: dict[tuple[str, Any], Any] = {}


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


class Readings:
    """What the encoder made of texts: shared by those who run tests, and kept for the next run."""

    def __init__(self, folder: Path) -> None:
        found = hashlib.sha256()
        for path in sorted(Path(encoder.__file__).parent.glob("*.*")):
            found.update(path.read_bytes())
        self._file = apsw.Connection(str(folder / f"{found.hexdigest()[:16]}.db"))
        self._file.set_busy_timeout(60_000)
        self._file.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
        self._file.execute("CREATE TABLE IF NOT EXISTS read (what PRIMARY KEY, found)")
        self._own = os.getpid()
        self._turn = Lock()

    def get(self, reading: str, text: Any) -> Any:
        key = reading, text
        if key not in _read and os.getpid() == self._own:
            with self._turn:
                ask = self._file.execute("SELECT found FROM read WHERE what = ?", [repr(key)])
                if found := ask.get:
                    _read[key] = loads(found)
        return _read.get(key)

    def put(self, reading: str, found: Mapping[Any, Any]) -> None:
        _read.update({(reading, text): one for text, one in found.items()})
        rows = [(repr((reading, text)), dumps(one)) for text, one in found.items()]
        if os.getpid() == self._own:
            with self._turn, self._file:
                self._file.executemany("INSERT OR IGNORE INTO read VALUES (?, ?)", rows)


@contextmanager
def reading_once(readings: Readings) -> Iterator[None]:
    """Until the end, the encoder remembers what it made of a text: the same few sentences are said
    in hundreds of tests."""

    def remembering(reading: str) -> Callable[[Encoder, Sequence[Any]], Any]:
        read: Any = getattr(Encoder, reading)

        def remembered(self: Encoder, texts: Sequence[Any]) -> Any:
            if new := [one for one in dict.fromkeys(texts) if readings.get(reading, one) is None]:
                readings.put(reading, dict(zip(new, read(self, new), strict=True)))
            found = [_read[reading, one] for one in texts]
            return found if reading != "embed" else np.array(found, np.float32).reshape(-1, 384)

        return remembered

    with pytest.MonkeyPatch.context() as patch:
        for reading in _READING:
            patch.setattr(Encoder, reading, remembering(reading))
        yield


def _copy(empty: Path, path: str) -> None:
    """In one step: another process may make the same store at this moment."""
    draft = f"{path}.{os.getpid()}.{get_ident()}"
    shutil.copyfile(empty, draft)
    os.chmod(draft, 0o600)
    with suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)
