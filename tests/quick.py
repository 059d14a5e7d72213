"""A disk that nobody waits for, a new store that is a copy of an empty one, and an encoder that
reads a text once.

Most tests are about none of these. Those that are, and every program that a test starts, have the
real thing: migrations, and writes that wait for the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any

import apsw
import numpy as np
import pytest

from loxodon.store.sqlite import database
from loxodon.store.sqlite.database import Database

MEANING = "tests.models.test_encoder"
"""The module whose tests are about the encoder."""
REAL = ("tests.faults.", "tests.store.", "tests.backup.")
"""The modules whose tests are about the disk, by how their names begin."""


_read: dict[str, Any] = {}


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


@contextmanager
def reading_once() -> Iterator[None]:
    """Until the end, the encoder remembers what it made of a text: the same few sentences are said
    in hundreds of tests."""
    from loxodon.models.encoder import Encoder, Floats

    embed: Any = Encoder.embed

    def remembered(self: Encoder, texts: Sequence[str]) -> Floats:
        if new := [text for text in dict.fromkeys(texts) if text not in _read]:
            _read.update(zip(new, embed(self, new), strict=True))
        return np.array([_read[text] for text in texts], np.float32).reshape(-1, 384)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Encoder, "embed", remembered)
        yield


def _copy(empty: Path, path: str) -> None:
    """In one step: another process may make the same store at this moment."""
    draft = f"{path}.{os.getpid()}.{get_ident()}"
    shutil.copyfile(empty, draft)
    os.chmod(draft, 0o600)
    with suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)
