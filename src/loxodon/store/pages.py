"""What is shown to people: overviews, and every list, a page at a time.

Each list is in the order of an index, from a key on, so that a page costs the same wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.errors import no_memory
from loxodon.paging import Key, Slice
from loxodon.store import Altered, Filter, LabelUse, QuarantinedText, Step, StoredReceipt, Tie
from loxodon.store.driver import Row, these
from loxodon.store.rows import (
    entity_of,
    event_of,
    from_json,
    loaded,
    moment,
    quarantined_of,
    segment_of,
    turn_of,
)
from loxodon.store.search import Conditions, conditions_of
from loxodon.text.words import fold
from loxodon.types import Entity, Event, Record, Review, Segment, Session, Turn

if TYPE_CHECKING:
    from loxodon.store.rows import DecayModel
    from loxodon.store.store import Store

_DAY = 86_400_000
_KEPT = ("strength", "strength_at", "kind", "importance", "state", "agent", "audience")
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


class Overview:
    """What pages for people are made of: a statement or two for each, over many memories."""

    def __init__(self, store: Store, decay: DecayModel) -> None:
        self._store = store
        self._db = store._db
        self._zone = store._zone
        self._decay = decay

    def altered(self, since: datetime, but: Sequence[str], limit: int) -> list[Altered]:
        """The last `limit` memories that changed since a time, the last first; not summaries, and
        not by the changes in `but` alone."""
        rows = self._db.all("altered", (to_stored(since)[0], these(but), limit))
        return [
            Altered(row, change, moment(at, self._zone), self._before(before))
            for row, change, at, before in rows
        ]

    def _before(self, text: str | None) -> Record | None:
        """A record out of the history; one that was not to be seen from here is none."""
        if text is None:
            return None
        record = from_json(text, self._store.space, self._zone)
        return record if self._store.wall.admits(record.agent, record.audience) else None

    def ties(self, until: datetime | None = None) -> list[Tie]:
        """What every active memory says of whom; with `until`, every one that was known and held
        at that time. Not summaries."""
        if until is None:
            rows, at = self._db.all("ties"), to_stored(self._decay.now())[0]
        else:
            at = to_stored(until)[0]
            rows = self._db.all("ties_then", (at,))
        return list(self._ties(rows, at))

    def _ties(self, rows: Sequence[Row], now: int) -> Iterator[Tie]:
        # There are few rates, and the same people are named again and again.
        left: dict[tuple[str, float], float] = {}
        lists: dict[str, tuple[str, ...]] = {"[]": ()}
        for row in rows:
            id, subject, attribute, value, named, project = row[:6]
            base, since, kind, importance, said, changed = row[6:]
            share = left.get((kind, importance))
            if share is None:
                share = left[kind, importance] = 1 - self._decay.rate(kind, importance)
            names = lists.get(named)
            if names is None:
                names = lists[named] = tuple(loaded(named))
            strength = base * share ** ((now - since) / _DAY) if now > since else base
            yield Tie(id, subject, attribute, value, names, project, strength, said, changed)

    def label_uses(self, label: str, limit: int) -> list[LabelUse]:
        """The labels of active memories that most have. The label is `project`, `topic`, `tag` or
        `entity`."""
        return [LabelUse(*row) for row in self._db.all("label_uses", (label, limit))]

    def made_from(self, id: str) -> list[int]:
        """The rows of the memories that took the place of a memory, or were derived from it."""
        return self._db.column("made_from", (id, these([id])[1:-1]))

    def steps(self, id: str) -> list[Step]:
        """The strength of a memory with each of its versions, oldest first."""
        with self._db.reading():
            now = self._db.one("memory_strength", (id,))
            if now is None:
                raise no_memory(id)
            changes = self._db.all("changes", (now[0],))
        found: list[dict[str, Any]] = [loaded(before) for *_, before in changes[1:]]
        found.append(dict(zip(_KEPT, now[1:], strict=True)))
        return [
            Step(
                version,
                moment(at, self._zone),
                change,
                kept["strength"],
                moment(kept["strength_at"], self._zone),
                kept["kind"],
                kept["importance"],
                kept["state"],
            )
            for (version, at, change, _), kept in zip(changes, found, strict=True)
            if self._store.wall.admits(kept["agent"], kept["audience"])
        ]
