"""What is shown to people: overviews, and every list, a page at a time, from a key on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.errors import no_memory
from loxodon.paging import ORDERS, Key, Slice
from loxodon.store import Altered, Filter, QuarantinedText, Step, StoredReceipt, Tie
from loxodon.store.driver import plain, these
from loxodon.store.indexes import Part
from loxodon.store.rows import from_json, loaded, moment, read_as
from loxodon.store.search import Conditions, conditions_of
from loxodon.text.words import fold
from loxodon.types import Entity, Event, Review, Segment, Session, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store

ANY = Filter()
_DAY = 86_400_000
_KEPT = ("strength", "strength_at", "kind", "importance", "state", "agent", "audience")
_FEW = 1_000  # memories with a label up to which it is quicker to sort these than to read the list


def page(
    store: Store,
    name: str,
    limit: int,
    after: Key | None = None,
    where: Filter = ANY,
    value: Any = None,
) -> Slice[Any]:
    """The first `limit` items (0: all) of a list after a key (None: from the beginning), and the
    key of the last of them, or None if no more follow. A key is the place of an item in the order
    of an index: an item that stays is returned once, whatever is written between two pages."""
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
        found = Conditions((_BY[name],), tuple(plain([value])))
    if after is not None:
        found &= Conditions((f"after_{list_of}",), tuple(after))
    with db.reading():
        values = [*found.values, limit + 1 if limit else -1]
        rows = db.all(f"page_{list_of}", values, where=found.names)
        full = bool(limit) and len(rows) > limit
        some, width = rows[:limit] if full else rows, len(ORDERS[_VERBS.get(name, name)])
        items = [row[width:] for row in some]
        last = tuple(some[-1][:width]) if full else None
        if name in ("memories", "due"):
            return store._with_sources(items), last
        if name == "reviews":
            asked = [(store._whole(row[:2]), moment(row[2], zone)) for row in items]
            return [Review(a, b, at) for (a, b), at in asked], last
    return [read_as(_TYPES[name], row, zone) for row in items], last


_VERBS = {"memories": "list", "due": "due_reminders", "turns": "journal"}  # where not the same
_BY = {"due": "due_by", "events": "events_since", "quarantine": "quarantine_state"}
_TYPES: Mapping[str, Any] = {
    "turns": Turn,
    "sessions": Session,
    "entities": Entity,
    "segments": Segment,
    "events": Event,
    "quarantine": QuarantinedText,
    "receipts": StoredReceipt,
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
        found, since_then = [], to_stored(since)[0]
        for row, change, at, text in self._db.all("altered", (since_then, these(but), limit)):
            before = None if text is None else from_json(text, self._store.space, self._zone)
            if before and not self._store.wall.admits(before.agent, before.audience):
                before = None  # it was not to be seen from here
            found.append(Altered(row, change, moment(at, self._zone), before))
        return found

    def ties(self) -> list[Tie]:
        """What every memory but summaries says of whom, or said until it ended."""
        decay = self._store.decay
        now = to_stored(decay.now())[0]
        # There are few rates, and the same people are named again and again.
        rate, names = cache(decay.rate), cache(lambda text: tuple(loaded(text)))
        found = []
        for row in self._db.all("ties"):
            named, project, base, since, kind, importance, *times = row[4:]
            strength = base * (1 - rate(kind, importance)) ** (max(0, now - since) / _DAY)
            found.append(Tie._make([*row[:4], names(named), project, strength, *times]))
        return found

    def steps(self, id: str) -> list[Step]:
        """The strength of a memory with each of its versions, oldest first."""
        with self._db.reading():
            now = self._db.one("memory_strength", (id,))
            if now is None:
                raise no_memory(id)
            changes = self._db.all("changes", (now[0],))
        found: list[dict[str, Any]] = [loaded(before) for *_, before in changes[1:]]
        found.append(dict(zip(_KEPT, now[1:], strict=True)))
        rows = [
            (version, at, change, *(kept[name] for name in _KEPT[:5]))
            for (version, at, change, _), kept in zip(changes, found, strict=True)
            if self._store.wall.admits(kept["agent"], kept["audience"])
        ]
        return [read_as(Step, row, self._zone) for row in rows]
