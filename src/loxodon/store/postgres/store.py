"""The store of many people on many machines: one PostgreSQL database for all spaces.

A wall between people is row-level security: a transaction is bound to its space by a setting, and
sees nothing without it. So are the walls inside a space, by the agent and the chat. See
`docs/postgres.md` for what differs from a file.
"""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

from loxodon.store.postgres.database import PostgresDatabase
from loxodon.store.postgres.fulltext import PostgresFullText
from loxodon.store.store import Store
from loxodon.store.walls import Wall

if TYPE_CHECKING:
    from loxodon.guard.guard import Guard
    from loxodon.store.rows import DecayModel

_OPEN = Wall()


class PostgresStore(Store):
    """A `Store` in a PostgreSQL database."""

    _db: PostgresDatabase

    def __init__(
        self,
        url: str,
        space: str,
        zone: tzinfo | None,
        decay: DecayModel,
        wall: Wall = _OPEN,
        guard: Guard | None = None,
    ) -> None:
        db = PostgresDatabase(url, space)
        super().__init__(db, PostgresFullText(db), space, zone, decay, wall, guard)

    def behind(self, wall: Wall) -> PostgresStore:
        return PostgresStore(self._db.url, self.space, self._zone, self._decay, wall, self._guard)

    @property
    def writes(self) -> int:
        return int(self._db.value("space_version", (self._db.id,)))

    def size(self) -> int:
        """The bytes of its texts: what a space takes up of shared tables cannot be told apart."""
        # Behind a wall it would tell how much there is that cannot be seen.
        return 0 if self.wall.stands else int(self._db.value("space_size"))
