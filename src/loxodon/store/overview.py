"""What pages for people are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.errors import no_memory
from loxodon.store import Altered, LabelUse, Step, Tie
from loxodon.store.driver import Row, these
from loxodon.store.rows import from_json, loaded, moment

if TYPE_CHECKING:
    from loxodon.store.rows import DecayModel
    from loxodon.store.store import Store
    from loxodon.types import Record

_DAY = 86_400_000
_KEPT = ("strength", "strength_at", "kind", "importance", "state", "agent", "audience")


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
