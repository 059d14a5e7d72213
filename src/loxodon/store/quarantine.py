"""`Quarantine` over a `Database`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from loxodon.clock import to_stored
from loxodon.store import QuarantinedText
from loxodon.store.database import Database, Row
from loxodon.store.rows import moment
from loxodon.store.search import THESE, these

QUARANTINED = "no, turn, memory, start, stop, text, reason, origin, at, state, decided_at"
_UNSCREENED = "unscreened"


class Quarantine:
    """Passages of text that are stored but never shown.

    `trust/origin/quarantine.py` decides what is held, released and dropped.
    """

    def __init__(self, db: Database, zone: tzinfo | None) -> None:
        self._db = db
        self._zone = zone

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Store passages; each gets a number that is never reused."""
        if not kept:
            return []
        last = self._db.take("quarantine", len(kept))
        numbered = [one._replace(no=no) for no, one in enumerate(kept, last - len(kept) + 1)]
        self._db.many(
            self._db.sql["put_quarantine"],
            [
                (
                    *one[:8],
                    to_stored(one.at)[0],
                    one.state,
                    to_stored(one.decided_at)[0] if one.decided_at else None,
                )
                for one in numbered
            ],
        )
        return numbered

    def of_memory(self, no: int, memory: str) -> None:
        """Record which memory lacks a passage."""
        self._db.run(self._db.sql["quarantine_of_memory"], (memory, no))

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """The unreleased passages of these turns, by turn, in text order."""
        found: dict[int, list[QuarantinedText]] = {}
        if not self._has_any():
            return found
        for row in self._db.all(
            f"SELECT {QUARANTINED} FROM quarantine WHERE turn IN {THESE} "
            "AND state IN ('held', 'dropped') ORDER BY turn, start",
            (these(turns),),
        ):
            found.setdefault(row[1], []).append(quarantined_of(row, self._zone))
        return found

    def _has_any(self) -> bool:
        """Whether anything was ever held back; of most people nothing was."""
        memo = self._db.unchanging
        if "quarantine" not in memo:
            memo["quarantine"] = self._db.one("SELECT 1 FROM quarantine LIMIT 1")
        return memo["quarantine"] is not None

    def get(self, no: int) -> QuarantinedText | None:
        row = self._db.one(f"SELECT {QUARANTINED} FROM quarantine WHERE no = ?", (no,))
        return quarantined_of(row, self._zone) if row else None

    def find(self, state: str | None) -> list[QuarantinedText]:
        """All passages in a state, or at all; newest first."""
        where, values = ("state = ?", [state]) if state else ("true", [])
        rows = self._db.all(
            f"SELECT {QUARANTINED} FROM quarantine WHERE {where} ORDER BY no DESC", values
        )
        return [quarantined_of(row, self._zone) for row in rows]

    def decide(self, no: int, state: str, at: datetime, text: str) -> None:
        """Release or drop a passage; `text` is what stays stored of its words."""
        self._db.run(self._db.sql["decide_quarantine"], (state, to_stored(at)[0], text, no))

    def unscreened(self, limit: int) -> list[int]:
        """The numbers of the next turns that were added before screening existed."""
        row = self._db.one(self._db.sql["get_meta"], (_UNSCREENED,))
        if row is None or not row[0]:
            return []
        rows = self._db.all(self._db.sql["unscreened"], (int(row[0]), limit))
        return [seq for (seq,) in rows]

    def screened(self, upto: int | None) -> None:
        """Record that turns were screened up to a number, from the last; None for all."""
        value = "" if upto is None else str(upto - 1)
        self._db.run(self._db.sql["set_meta"], (_UNSCREENED, value))


def quarantined_of(row: Row, zone: tzinfo | None) -> QuarantinedText:
    """The passage of a row that has QUARANTINED in order."""
    no, turn, memory, start, stop, text, reason, origin, at, state, decided = row
    when = moment(decided, zone) if decided is not None else None
    said = text, reason, origin, moment(at, zone), state, when
    return QuarantinedText(no, turn, memory, start, stop, *said)
