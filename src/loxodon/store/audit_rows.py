"""The rows of the audit log; what they mean is in `security/audit.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple

from loxodon.store.driver import Driver

_HEAD = "audit"
_BATCH = 1_000


class AuditRow(NamedTuple):
    n: int
    entry: str  # JSON
    mac: bytes


class AuditRows:
    def __init__(self, db: Driver) -> None:
        self._db = db

    @property
    def changed(self) -> list[str]:
        """Ids of what the current transaction has changed."""
        return self._db.changed

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def writing(self, seconds: float) -> AbstractContextManager[None]:
        """A transaction; BusyStoreError if others write for longer than `seconds`."""
        return self._db.writing(seconds)

    def append(self, rows: Iterable[AuditRow]) -> None:
        self._db.many("put_audit", rows)

    def last(self) -> AuditRow | None:
        row = self._db.one("last_audit")
        return AuditRow(*row) if row else None

    def each(self) -> Iterator[AuditRow]:
        """Every row, oldest first."""
        after = 0
        while rows := self._db.all("audit_after", (after, _BATCH)):
            yield from (AuditRow(*row) for row in rows)
            after = rows[-1][0]

    def backwards(self, before: int) -> Iterator[AuditRow]:
        """The rows before one, newest first."""
        while rows := self._db.all("audit_before", (before, _BATCH)):
            yield from (AuditRow(*row) for row in rows)
            before = rows[-1][0]

    def prune(self, upto: int) -> None:
        """Drop the rows up to a number, but the last of them, from which the rest is verified."""
        self._db.run("prune_audit", (upto,))

    def clear(self) -> None:
        self._db.run("prune_audit", (1 << 62,))

    @property
    def head(self) -> str:
        """How far the log goes, as it was last written."""
        return self._db.meta(_HEAD)

    @head.setter
    def head(self, value: str) -> None:
        self._db.set_meta(_HEAD, value)
