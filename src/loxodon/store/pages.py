"""`Pages` in SQL: each list in the order of an index, from a key on, so that a page costs the
same wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from loxodon.clock import to_stored
from loxodon.paging import Key, Slice
from loxodon.store import Filter, QuarantinedText, StoredReceipt, name_lookup
from loxodon.store.database import Database, Row
from loxodon.store.quarantine import QUARANTINED, quarantined_of
from loxodon.store.rows import MEMORY, TURN, moment, turn_of
from loxodon.store.search import TABLES, conditions_of
from loxodon.store.worklog import EVENT, SEGMENT, event_of, segment_of
from loxodon.text.words import fold
from loxodon.types import Entity, Event, Record, Review, Segment, Session, Source, Turn

_FEW = 1_000
"""Memories with a label up to which it is quicker to sort these than to look through the list."""


class Listing(NamedTuple):
    """A list as SQL: what it is read from, and its order."""

    columns: str
    """With the tables that they are of."""
    order: tuple[str, ...]
    down: bool = False
    """Whether the highest come first."""
    where: str = "true"
    """What is in the list at all."""


LISTINGS: Mapping[str, Listing] = {
    "memories": Listing(f"t.row, {MEMORY} FROM memories t", ("t.created_at", "t.row"), down=True),
    "turns": Listing(TURN, ("t.at", "t.seq"), down=True),
    "sessions": Listing(
        "s.id, (SELECT count(*) FROM turns u WHERE u.session = s.no), s.first_at, s.last_at "
        "FROM sessions s",
        ("s.no",),
        down=True,
        where="EXISTS (SELECT 1 FROM turns u WHERE u.session = s.no)",
    ),
    "entities": Listing(f"{name_lookup.ENTITY} FROM entities e", ("e.no",)),
    "segments": Listing(SEGMENT, ("g.started_at", "g.no")),
    "events": Listing(f"{EVENT} FROM events", ("date", "at", "no")),
    "reviews": Listing(
        "r.belief, r.against, r.asked_at FROM reviews r CROSS JOIN memories b ON b.row = r.belief "
        "CROSS JOIN memories a ON a.row = r.against",
        ("r.asked_at", "r.belief"),
        where="r.answer = '' AND b.state = 'active' AND a.state = 'active'",
    ),
    "quarantine": Listing(f"{QUARANTINED} FROM quarantine", ("no",), down=True),
    "due": Listing(
        f"t.row, {MEMORY} FROM memories t INDEXED BY memories_by_due",
        ("t.due_at", "t.row"),
        where="t.due_at IS NOT NULL AND t.done = 0 AND t.state = 'active'",
    ),
    "receipts": Listing(
        "id, at, actor, what, erased, files FROM receipts", ("at", "id"), down=True
    ),
}


class Pages:
    """Every list, a page at a time.

    A method returns the first `limit` items (0: all) of its list that come after the key `after`
    (None: from the beginning), and the key of the last of them, or None if no more follow. A key
    is the place of an item in the order; the item need not be there any more. Keys are unique and
    do not depend on other items. So whatever is written between two pages, an item that stays is
    returned once. The cost is that of the page, however long the list is and wherever the page.
    """

    def __init__(
        self,
        db: Database,
        zone: tzinfo | None,
        record: Callable[[Row, tuple[Source, ...]], Record],
        records: Callable[[Iterable[int]], Mapping[int, Record]],
        sources: Callable[[Iterable[int]], Mapping[int, tuple[Source, ...]]],
    ) -> None:
        self._db = db
        self._zone = zone
        self._record = record
        self._records = records
        self._sources = sources

    def memories(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Record]:
        """Newest first. Key: the time of creation in milliseconds, the number."""
        listing, (conditions, values) = LISTINGS["memories"], self._rarest_first(where)
        if conditions.startswith(_LED):
            # Few have the label: the plus keeps SQLite from looking through the list for them.
            listing = listing._replace(order=("+t.created_at", "t.row"))
        return self._memories(listing, conditions, values, limit, after)

    def _rarest_first(self, where: Filter) -> tuple[str, list[Any]]:
        """A filter as SQL, led by a label that few memories have, if there is one."""
        conditions, values = conditions_of(where, TABLES["memories"])
        for label in ("entity", "tag", "topic", "project"):
            name = getattr(where, label)
            if name is not None and self._is_rare(label, fold(name)):
                rest = conditions.replace("t.state = ?", "+t.state = ?")
                return f"{_LED} AND {rest}", [label, fold(name), *values]
        return conditions, values

    def _is_rare(self, label: str, name: str) -> bool:
        ((count,),) = self._db.all(
            "SELECT count(*) FROM (SELECT 1 FROM memory_labels WHERE label = ? AND name = ? "
            "LIMIT ?)",
            (label, name, _FEW),
        )
        return bool(count < _FEW)

    def due(self, now: datetime, limit: int, after: Key | None = None) -> Slice[Record]:
        """Active memories that are due by `now` and not done, earliest first. Key: when it is due,
        the number."""
        values = [to_stored(now)[0]]
        return self._memories(LISTINGS["due"], "t.due_at <= ?", values, limit, after)

    def turns(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Turn]:
        """Newest first. Key: the time, the number."""
        conditions, values = conditions_of(where, TABLES["turns"])
        rows, last = self._read(LISTINGS["turns"], conditions, values, limit, after)
        return [turn_of(row) for row in rows], last

    def sessions(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Session]:
        """Sessions with turns within a time, the one that was begun last first. Key: the number."""
        conditions, values = _within(where, "s.last_at", "s.first_at")
        rows, last = self._read(LISTINGS["sessions"], conditions, values, limit, after)
        return [
            Session(id, turns, moment(first, self._zone), moment(until, self._zone))
            for id, turns, first, until in rows
        ], last

    def entities(self, limit: int, after: Key | None = None) -> Slice[Entity]:
        """In the order they were first named. Key: the number."""
        rows, last = self._read(LISTINGS["entities"], "", [], limit, after)
        return [name_lookup.entity_of(row, self._zone) for row in rows], last

    def segments(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Segment]:
        """Segments within a time, in order. Key: the beginning, the number."""
        conditions, values = _within(where, "g.ended_at", "g.started_at")
        rows, last = self._read(LISTINGS["segments"], conditions, values, limit, after)
        return [segment_of(row) for row in rows], last

    def events(self, since: str, limit: int, after: Key | None = None) -> Slice[Event]:
        """Events of the days from `since` on, in order. Key: the day, the time, the number."""
        rows, last = self._read(LISTINGS["events"], "date >= ?", [since], limit, after)
        return [event_of(row, self._zone) for row in rows], last

    def reviews(self, limit: int, after: Key | None = None) -> Slice[Review]:
        """Open reviews, oldest first. Key: when it was asked, the number of the belief."""
        with self._db.reading():
            rows, last = self._read(LISTINGS["reviews"], "", [], limit, after)
            numbers = {row for belief, against, _ in rows for row in (belief, against)}
            sources = self._sources(numbers)
            known = {
                row: record._replace(sources=sources.get(row, ()))
                for row, record in self._records(numbers).items()
            }
        return [
            Review(known[belief], known[against], moment(at, self._zone))
            for belief, against, at in rows
        ], last

    def quarantined(
        self, state: str | None, limit: int, after: Key | None = None
    ) -> Slice[QuarantinedText]:
        """Passages in a state, or all; newest first. Key: the number."""
        conditions, values = ("state = ?", [state]) if state else ("", [])
        rows, last = self._read(LISTINGS["quarantine"], conditions, values, limit, after)
        return [quarantined_of(row, self._zone) for row in rows], last

    def receipts(self, limit: int, after: Key | None = None) -> Slice[StoredReceipt]:
        """Newest first. Key: the time, the id."""
        rows, last = self._read(LISTINGS["receipts"], "", [], limit, after)
        return [StoredReceipt(*row) for row in rows], last

    def _memories(
        self, listing: Listing, conditions: str, values: list[Any], limit: int, after: Key | None
    ) -> Slice[Record]:
        with self._db.reading():
            rows, last = self._read(listing, conditions, values, limit, after)
            sources = self._sources([row[0] for row in rows])
        return [self._record(row[1:], sources.get(row[0], ())) for row in rows], last

    def _read(
        self, listing: Listing, conditions: str, values: list[Any], limit: int, after: Key | None
    ) -> Slice[Row]:
        """The rows after a key, without the columns of the order, and the key of the last."""
        sql, more = query(listing, conditions, after)
        rows = self._db.all(sql, [*values, *more, limit + 1 if limit else -1])
        width = len(listing.order)
        full = bool(limit) and len(rows) > limit
        some = rows[:limit] if full else rows
        return [row[width:] for row in some], tuple(some[-1][:width]) if full else None


_LED = "t.row IN (SELECT memory FROM memory_labels WHERE label = ? AND name = ?)"


def query(listing: Listing, conditions: str, after: Key | None) -> tuple[str, Sequence[Any]]:
    """The statement for a page, and its values but for those of the conditions and the limit."""
    keys = ", ".join(listing.order)
    way, beyond = (" DESC", "<") if listing.down else ("", ">")
    found = [listing.where, *([conditions] if conditions else [])]
    if after is not None:
        found.append(f"({keys}) {beyond} ({', '.join('?' * len(after))})")
    ordered = ", ".join(f"{key}{way}" for key in listing.order)
    sql = f"SELECT {keys}, {listing.columns} WHERE {' AND '.join(found)} ORDER BY {ordered} LIMIT ?"
    return sql, after or ()


def _within(where: Filter, last: str, first: str) -> tuple[str, list[Any]]:
    """A time as a condition on what has a beginning and an end."""
    found: list[str] = []
    values: list[Any] = []
    if where.since is not None:
        found.append(f"{last} >= ?")
        values.append(to_stored(where.since)[0])
    if where.until is not None:
        found.append(f"{first} < ?")
        values.append(to_stored(where.until)[0])
    return " AND ".join(found), values
