"""The embedded store: one SQLite file for each space, so that a wall between people is a file.

Apart from the walls this gives each space its own statistics for ranking, its own writers, and a
backup or an erasure that is complete by construction.
"""

from __future__ import annotations

import os
from datetime import tzinfo
from typing import TYPE_CHECKING

from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import WRITES, Database
from loxodon.store.sqlite.fulltext import SqliteFullText
from loxodon.store.store import Store
from loxodon.store.walls import Wall

if TYPE_CHECKING:
    from loxodon.guard.guard import Guard
    from loxodon.store.rows import DecayModel

_OPEN = Wall()


class SqliteStore(Store):
    """A `Store` in a file."""

    _db: Database

    def __init__(
        self,
        path: str,
        space: str,
        zone: tzinfo | None,
        decay: DecayModel,
        keys: Keys = (),
        wall: Wall = _OPEN,
        guard: Guard | None = None,
    ) -> None:
        self._path, self._keys = path, keys
        db = Database(path, keys)
        super().__init__(db, SqliteFullText(db), space, zone, decay, wall, guard)

    def behind(self, wall: Wall) -> SqliteStore:
        return SqliteStore(
            self._path, self.space, self._zone, self._decay, self._keys, wall, self._guard
        )

    @property
    def writes(self) -> int:
        return self._db.value("counter", (WRITES,)) or 0

    def size(self) -> int:
        if self.wall.stands:  # it would tell how much there is that cannot be seen
            return 0
        return sum(
            os.path.getsize(path)
            for path in (self._db.path, self._db.path + "-wal")
            if os.path.exists(path)
        )
