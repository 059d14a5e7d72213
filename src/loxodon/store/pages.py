"""What is shown to people: overviews, and every list, a page at a time, from a key on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.errors import no_memory
from loxodon.paging import Key, Slice
from loxodon.store import Altered, Filter, Step, StoredReceipt, Tie
from loxodon.store.driver import Row, these
from loxodon.store.indexes import Part
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
from loxodon.types import Record, Review, Session

if TYPE_CHECKING:
    from loxodon.store.store import Store

_DAY = 86_400_000
_KEPT = ("strength", "strength_at", "kind", "importance", "state", "agent", "audience")
_FEW = 1_000  # memories with a label up to which it is quicker to sort these than to read the list


def page(
    store: Store, name: str, limit: int, after: Key | None, where: Filter, value: Any
) -> Slice[Any]:
    """The first `limit` items (0: all) of a list after a key (None: from the beginning), and the
    key of the last of them, or None if no more follow.

    A key is the place of an item in the order of an index. So whatever is written between two
    pages, an item that stays is returned once, and a page costs the same wherever it is."""
    db, zone, list_of = store._db, store._zone, name
    found = Conditions()
    if name == "memories":
        list_of, found = _labelled(store, conditions_of(where, "memories"), where)
    elif name == "turns":
        found = conditions_of(where, "turns")
    elif name in ("sessions", "segments"):
        of = "session" if name == "sessions" else name
        for bound, at in (("since", where.since), ("until", where.until)):
            if at is not None:
                found &= Conditions((f"{of}_{bound}",), (to_stored(at)[0],))
    elif value is not None:
        found = Conditions((_BY[name],), (value,))
    if after is not None:
        found &= Conditions((f"after_{list_of}",), tuple(after))
    with db.reading():
        values = [*found.values, limit + 1 if limit else -1]
        rows = db.all(f"page_{list_of}", values, where=found.names)
        full = bool(limit) and len(rows) > limit
        some, width = rows[:limit] if full else rows, KEYS[name]
        items = [row[width:] for row in some]
        last = tuple(some[-1][:width]) if full else None
        if name in ("memories", "due"):
            return store._with_sources(items), last
        if name == "reviews":
            numbers = {row for belief, against, _ in items for row in (belief, against)}
            sources = store.sources(numbers)
            known = {
                row: record._replace(sources=sources.get(row, ()))
                for row, record in store.records(numbers).items()
            }
            return [
                Review(known[one], known[two], moment(at, zone)) for one, two, at in items
            ], last
    return [_MADE[name](row, zone) for row in items], last


KEYS = {
    "memories": 2,  # the time of creation, the number; newest first
    "due": 2,  # when it is due, the number; active and not done by the time `value`
    "turns": 2,  # the time, the number; newest first
    "sessions": 1,  # the number; those with turns within a time, the one begun last first
    "entities": 1,  # the number
    "segments": 2,  # the beginning, the number; those within a time
    "events": 3,  # the day, the time, the number; of the days from `value` on
    "reviews": 2,  # when it was asked, the number of the belief; open ones
    "quarantine": 1,  # the number; in the state `value`, or all; newest first
    "receipts": 2,  # the time, the id; newest first
}
"""How many columns the key of each list has."""
_BY = {"due": "due_by", "events": "events_since", "quarantine": "quarantine_state"}
_MADE: Mapping[str, Callable[[Row, tzinfo | None], Any]] = {
    "turns": lambda row, zone: turn_of(row),
    "sessions": lambda row, zone: Session(
        row[0], row[1], moment(row[2], zone), moment(row[3], zone)
    ),
    "entities": entity_of,
    "segments": lambda row, zone: segment_of(row),
    "events": event_of,
    "quarantine": quarantined_of,
    "receipts": lambda row, zone: StoredReceipt(*row),
}


def _labelled(store: Store, found: Conditions, where: Filter) -> tuple[str, Conditions]:
    """The list to read memories from: where few have a label, it is quicker to sort these."""
    for label in ("entity", "tag", "topic", "project"):
        if (name := getattr(where, label)) is not None:
            few = (label, fold(name))
            if store._db.value("count_labelled", (*few, _FEW)) < _FEW:
                rest = (f"{one}_of_few" if one == "memory_state" else one for one in found.names)
                return "few_memories", Conditions(("memory_of_few", *rest), (*few, *found.values))
    return "memories", found


class Overview(Part):
    """What pages for people are made of: a statement or two for each, over many memories."""

    def altered(self, since: datetime, but: Sequence[str], limit: int) -> list[Altered]:
        """The memories that changed last since a time; not summaries, nor by changes in `but`."""
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
        """What every active memory but summaries says of whom, now or as known at `until`."""
        if until is None:
            rows, at = self._db.all("ties"), to_stored(self._store._decay.now())[0]
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
                share = left[kind, importance] = 1 - self._store._decay.rate(kind, importance)
            names = lists.get(named)
            if names is None:
                names = lists[named] = tuple(loaded(named))
            strength = base * share ** ((now - since) / _DAY) if now > since else base
            yield Tie(id, subject, attribute, value, names, project, strength, said, changed)

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
