"""Passages of text that are stored but never shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loxodon.clock import to_stored
from loxodon.store import QuarantinedText
from loxodon.store.driver import these
from loxodon.store.indexes import Part
from loxodon.store.rows import quarantined_of


class Quarantine(Part):
    """`guard/quarantine.py` decides what is held, released and dropped."""

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Store passages; each gets a number that is never reused."""
        if not kept:
            return []
        last = self._db.take("quarantine", len(kept))
        numbered = [one._replace(no=no) for no, one in enumerate(kept, last - len(kept) + 1)]
        rows = []
        for one in numbered:
            decided = to_stored(one.decided_at)[0] if one.decided_at else None
            rows.append((*one[:8], to_stored(one.at)[0], one.state, decided))
        self._db.many("put_quarantine", rows)
        return numbered

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """The unreleased passages of these turns, by turn, in text order."""
        found: dict[int, list[QuarantinedText]] = {}
        # Of most people nothing was ever held back.
        if self._db.once("quarantine", lambda: self._db.one("has_quarantine")) is not None:
            for row in self._db.all("quarantined_in", (these(turns),)):
                found.setdefault(row[1], []).append(quarantined_of(row, self._zone))
        return found

    def get(self, no: int) -> QuarantinedText | None:
        row = self._db.one("quarantined_one", (no,))
        return quarantined_of(row, self._zone) if row else None

    def find(self, state: str | None) -> list[QuarantinedText]:
        """All passages in a state, or at all; newest first."""
        where = ("quarantine_state",) if state else ()
        rows = self._db.all("quarantined_by_state", (state,) if state else (), where=where)
        return [quarantined_of(row, self._zone) for row in rows]
