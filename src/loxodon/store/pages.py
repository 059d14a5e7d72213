"""Every list, a page at a time: each in the order of an index, from a key on, so that a page costs
the same wherever it is."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.clock import to_stored
from loxodon.paging import Key, Slice
from loxodon.store import Filter, QuarantinedText, StoredReceipt
from loxodon.store.driver import Row
from loxodon.store.rows import entity_of, event_of, moment, quarantined_of, segment_of, turn_of
from loxodon.store.search import Conditions, conditions_of
from loxodon.text.words import fold
from loxodon.types import Entity, Event, Record, Review, Segment, Session, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store

_FEW = 1_000  # memories with a label up to which it is quicker to sort these than to read the list


class Pages:
    """Every list, a page at a time.

    A method returns the first `limit` items (0: all) of its list that come after the key `after`
    (None: from the beginning), and the key of the last of them, or None if no more follow. A key
    is the place of an item in the order; the item need not be there any more. Keys are unique and
    do not depend on other items. So whatever is written between two pages, an item that stays is
    returned once. The cost is that of the page, however long the list is and wherever the page.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._db = store._db
        self._zone = store._zone

    def memories(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Record]:
        """Newest first. Key: the time of creation in milliseconds, the number."""
        found = conditions_of(where, "memories")
        for label in ("entity", "tag", "topic", "project"):
            name = getattr(where, label)
            if name is None:
                continue
            few = (label, fold(name))
            if self._db.value("count_labelled", (*few, _FEW)) < _FEW:
                rest = tuple(
                    f"{one}_of_few" if one == "memory_state" else one for one in found.names
                )
                found = Conditions(("memory_of_few", *rest), (*few, *found.values))
                return self._memories("few_memories", found, limit, after)
        return self._memories("memories", found, limit, after)

    def due(self, now: datetime, limit: int, after: Key | None = None) -> Slice[Record]:
        """Active memories that are due by `now` and not done, earliest first. Key: when it is due,
        the number."""
        by = Conditions(("due_by",), (to_stored(now)[0],))
        return self._memories("due", by, limit, after)

    def turns(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Turn]:
        """Newest first. Key: the time, the number."""
        rows, last = self._read("turns", conditions_of(where, "turns"), 2, limit, after)
        return [turn_of(row) for row in rows], last

    def sessions(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Session]:
        """Sessions with turns within a time, the one that was begun last first. Key: the number."""
        rows, last = self._read("sessions", _within(where, "session"), 1, limit, after)
        return [
            Session(id, turns, moment(first, self._zone), moment(until, self._zone))
            for id, turns, first, until in rows
        ], last

    def entities(self, limit: int, after: Key | None = None) -> Slice[Entity]:
        """In the order they were first named. Key: the number."""
        rows, last = self._read("entities", Conditions(), 1, limit, after)
        return [entity_of(row, self._zone) for row in rows], last

    def segments(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Segment]:
        """Segments within a time, in order. Key: the beginning, the number."""
        rows, last = self._read("segments", _within(where, "segments"), 2, limit, after)
        return [segment_of(row) for row in rows], last

    def events(self, since: str, limit: int, after: Key | None = None) -> Slice[Event]:
        """Events of the days from `since` on, in order. Key: the day, the time, the number."""
        where = Conditions(("events_since",), (since,))
        rows, last = self._read("events", where, 3, limit, after)
        return [event_of(row, self._zone) for row in rows], last

    def reviews(self, limit: int, after: Key | None = None) -> Slice[Review]:
        """Open reviews, oldest first. Key: when it was asked, the number of the belief."""
        with self._db.reading():
            rows, last = self._read("reviews", Conditions(), 2, limit, after)
            numbers = {row for belief, against, _ in rows for row in (belief, against)}
            sources = self._store.sources(numbers)
            known = {
                row: record._replace(sources=sources.get(row, ()))
                for row, record in self._store.records(numbers).items()
            }
        return [
            Review(known[belief], known[against], moment(at, self._zone))
            for belief, against, at in rows
        ], last

    def quarantined(
        self, state: str | None, limit: int, after: Key | None = None
    ) -> Slice[QuarantinedText]:
        """Passages in a state, or all; newest first. Key: the number."""
        where = Conditions(("quarantine_state",), (state,)) if state else Conditions()
        rows, last = self._read("quarantine", where, 1, limit, after)
        return [quarantined_of(row, self._zone) for row in rows], last

    def receipts(self, limit: int, after: Key | None = None) -> Slice[StoredReceipt]:
        """Newest first. Key: the time, the id."""
        rows, last = self._read("receipts", Conditions(), 2, limit, after)
        return [StoredReceipt(*row) for row in rows], last

    def _memories(
        self, page: str, where: Conditions, limit: int, after: Key | None
    ) -> Slice[Record]:
        with self._db.reading():
            rows, last = self._read(page, where, 2, limit, after)
            return self._store._with_sources(rows), last

    def _read(
        self, page: str, where: Conditions, width: int, limit: int, after: Key | None
    ) -> Slice[Row]:
        """The rows after a key, without its `width` columns, and the key of the last."""
        if after is not None:
            where &= Conditions((f"after_{page}",), tuple(after))
        values = [*where.values, limit + 1 if limit else -1]
        rows = self._db.all(f"page_{page}", values, where=where.names)
        full = bool(limit) and len(rows) > limit
        some = rows[:limit] if full else rows
        return [row[width:] for row in some], tuple(some[-1][:width]) if full else None


def _within(where: Filter, of: str) -> Conditions:
    """A time as a condition on what has a beginning and an end."""
    found = Conditions()
    for name, at in (("since", where.since), ("until", where.until)):
        if at is not None:
            found &= Conditions((f"{of}_{name}",), (to_stored(at)[0],))
    return found
