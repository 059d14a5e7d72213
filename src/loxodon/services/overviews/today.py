"""Today: what was learned, changed and ended since a time, and what waits for the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from loxodon.store import Filter
from loxodon.trust.origin.quarantine import FORGET
from loxodon.types import Job, Record, Review

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.store import Altered
    from loxodon.store.store import Store

DEFAULT = timedelta(days=7)
_MOST = 500
"""Memories that are looked at, the last changed."""
_UNSEEN = ("used", "repeated", "renamed", "redated")
"""Changes that tell a person nothing new."""
_TOLD = ("content", "kind", "value", "valid_until", "expires_at", "due_at", "done")
"""Fields whose change is worth telling."""


class Change(NamedTuple):
    """A memory that says something else than before, or that took the place of another."""

    at: datetime
    change: str
    """What was done, one of `CHANGES`."""
    before: Record
    after: Record


class Ended(NamedTuple):
    """A memory that was archived."""

    at: datetime
    change: str
    """Why: `faded`, `expired`, `retracted`, `archived`, `rejected`, …"""
    record: Record


class Today(NamedTuple):
    """What happened since a time, newest first, and what waits."""

    now: datetime
    since: datetime
    learned: tuple[Record, ...]
    changed: tuple[Change, ...]
    ended: tuple[Ended, ...]
    counts: Mapping[str, int]
    """How many there are of each, also beyond what is listed, among the last 500."""
    more: bool
    """Whether more than these changed."""
    reviews: tuple[Review, ...]
    """Beliefs that contradict a fact."""
    doubtful: tuple[Record, ...]
    """Facts that may no longer hold, then other beliefs, strongest first."""
    reminders: tuple[Record, ...]
    """Plans that are due."""
    held: int
    """Texts in quarantine that wait; `quarantine` lists them."""
    pending: int
    """Messages that nothing was learned from yet."""
    jobs: tuple[Job, ...]


def today(memory: Memory, store: Store, since: datetime | None, limit: int) -> Today:
    """What happened since a time, at most `limit` of each."""
    now = memory.now()
    since = since or now - DEFAULT
    with store.reading():
        altered = store.overview.altered(since, _UNSEEN, _MOST + 1)
        news = _News(store, altered[:_MOST])
        reviews = store.worklog.reviews()
        asked = [one.belief.id for one in reviews if one.belief.id == one.against.id]
        against = [one for one in reviews if one.belief.id != one.against.id]
        beliefs = store.find(Filter(kind="belief", state="active"), limit + len(against), True)
        waiting = {one.belief.id for one in against}
        doubtful = [
            *(record for id in asked if (record := store.get(id)) is not None),
            *(one for one in beliefs if one.id not in waiting),
        ]
        return Today(
            now,
            since,
            tuple(news.learned[:limit]),
            tuple(news.changed[:limit]),
            tuple(news.ended[:limit]),
            {"learned": len(news.learned), "changed": len(news.changed), "ended": len(news.ended)},
            len(altered) > _MOST,
            tuple(against[:limit]),
            tuple(doubtful[:limit]),
            tuple(store.worklog.past_due(now, limit)),
            _held(store),
            memory.schedule.waiting(),
            tuple(memory.schedule.jobs()),
        )


def _held(store: Store) -> int:
    """What waits in quarantine; what a request to forget is about waits with the request."""
    waiting = [*store.quarantine.find("held"), *store.quarantine.find("unclear")]
    return sum(not one.reason.startswith(f"{FORGET} ") for one in waiting)


class _News:
    """What became of memories: each is told once, under what it is now."""

    def __init__(self, store: Store, altered: Sequence[Altered]) -> None:
        self.learned: list[Record] = []
        self.changed: list[Change] = []
        self.ended: list[Ended] = []
        rows = [one.row for one in altered]
        records, sources = store.records(rows), store.sources(rows)
        past = [row for row, record in records.items() if record.state != "active"]
        replaced = store.successors(past).keys()
        ways = {records[one.row].id: one.change for one in altered if one.row in records}
        for one in altered:
            if one.row not in records:
                continue
            record = records[one.row]._replace(sources=sources.get(one.row, ()))
            if record.state == "active":
                self._tell(store, one, record, ways)
            elif one.before and one.before.state == "active" and one.row not in replaced:
                self.ended.append(Ended(one.at, one.change, record))

    def _tell(self, store: Store, one: Altered, record: Record, ways: Mapping[str, str]) -> None:
        """What is known now: new, in the place of another, or with other words than before."""
        before, change = one.before, one.change
        if before is None and record.replaces:
            before, change = store.get(record.replaces), ways.get(record.replaces, change)
        if before is None or (before.state != "active" and not record.replaces):
            self.learned.append(record)
        elif any(getattr(before, name) != getattr(record, name) for name in _TOLD):
            self.changed.append(Change(one.at, change, before, record))
