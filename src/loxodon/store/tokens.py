"""`CallTokens` over a `Database`."""

from __future__ import annotations

from datetime import datetime

from loxodon.clock import to_stored
from loxodon.store import CompletedCall
from loxodon.store.database import Database


class CallTokens:
    """Idempotency tokens; a token is valid in the space where it was used."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def used(self, token: str, since: datetime) -> CompletedCall | None:
        """The call that was done with a token since a time, or None."""
        row = self._db.one(
            "SELECT t.request, m.id, t.version FROM tokens t JOIN memories m ON m.row = t.memory "
            "WHERE t.token = ? AND t.at >= ?",
            (token, to_stored(since)[0]),
        )
        return CompletedCall(*row) if row else None

    def put(self, token: str, used: CompletedCall, at: datetime, since: datetime) -> None:
        """Record the call done with a token, and delete tokens from before `since`.

        Call inside `Store.writing`.
        """
        self._db.run("DELETE FROM main.tokens WHERE at < ?", (to_stored(since)[0],))
        # One that is there, and of a memory that cannot be seen any more, is given away.
        self._db.run(
            "INSERT INTO main.tokens (token, request, memory, version, at) SELECT ?1, ?2, row, ?3, "
            "?4 FROM main.memories WHERE id = ?5 ON CONFLICT (token) DO UPDATE "
            "SET request = excluded.request, memory = excluded.memory, "
            "version = excluded.version, at = excluded.at",
            (token, used.request, used.version, to_stored(at)[0], used.memory),
        )
