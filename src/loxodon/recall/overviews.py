"""What pages for people show: what happened, where it was said, how strong it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, NamedTuple, cast

from loxodon import config as settings
from loxodon.config import DEFAULTS
from loxodon.consolidate.decay import Decay
from loxodon.fields import filter_of, moment, number
from loxodon.opening import OpenSpace
from loxodon.paging import Key, Page, Slice, paged
from loxodon.store import Filter, MemoryUse, QuarantinedText
from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Record, Review, Turn
from loxodon.verbs import Arg, Cursor, InSession, Limit, Since, Until, verb

if TYPE_CHECKING:
    from loxodon.jobs.schedule import Job
    from loxodon.memory import Memory
    from loxodon.recall.graph import Graph
    from loxodon.store import Altered, Step
    from loxodon.store.store import Store

_MOST = 500  # memories that are looked at, the last changed
_UNSEEN = ("used", "repeated", "renamed", "redated")  # changes that tell a person nothing new
# Fields whose change is worth telling
_TOLD = ("content", "kind", "value", "valid_until", "expires_at", "due_at", "done")
_POINTS = 24  # points between two marks: the curve is smooth
_MARKS = 200  # the last versions that are drawn
_AROUND, _SAID, _BESIDE = 3, 10, 20  # turns around one, turns of a memory, memories beside it


class Change(NamedTuple):
    """A memory that says something else than before, or that took the place of another."""

    at: datetime
    change: str  # what was done: `edited`, `superseded`, …
    before: Record
    after: Record


class Ended(NamedTuple):
    at: datetime
    change: str  # why: `faded`, `expired`, `retracted`, `archived`, `rejected`, …
    record: Record


class Today(NamedTuple):
    """What happened since a time, newest first, and what waits."""

    now: datetime
    since: datetime
    learned: tuple[Record, ...]
    changed: tuple[Change, ...]
    ended: tuple[Ended, ...]
    # How many there are of each, also beyond what is listed, among the last 500
    counts: Mapping[str, int]
    reviews: tuple[Review, ...]  # beliefs that contradict a fact
    # Facts that may no longer hold, then other beliefs, strongest first
    doubtful: tuple[Record, ...]
    reminders: tuple[Record, ...]  # plans that are due
    held: int  # texts in quarantine that wait; `quarantine` lists them
    pending: int  # messages that nothing was learned from yet
    jobs: tuple[Job, ...]


class Moment(NamedTuple):
    turn: Turn
    memories: tuple[Record, ...]


class Said(NamedTuple):
    turn: Turn
    before: tuple[Turn, ...]
    after: tuple[Turn, ...]


class Related(NamedTuple):
    record: Record
    said: tuple[Said, ...]  # the last turns that it was drawn from, in order
    replaced: Record | None  # what it took the place of
    replaced_by: Record | None
    made_of: tuple[Record, ...]  # what it was derived from
    made: tuple[Record, ...]  # what was derived from it
    beside: tuple[Record, ...]  # other memories drawn from the same turns


class Point(NamedTuple):
    at: datetime
    strength: float


class Mark(NamedTuple):
    at: datetime
    change: str  # as in the history; `recalled` for a use that the next consolidation counts
    version: int  # the version that it made; 0 for a use
    strength: float  # after it


class Strength(NamedTuple):
    id: str
    now: datetime
    strength: float
    limit: float  # below this it is archived
    rate: float  # the share that a day takes
    # When it falls below that if nobody uses it; None for never, or if it is archived
    fades_at: datetime | None
    # In order of time; two at one moment where it was lifted. After `now`, if nobody uses it
    points: tuple[Point, ...]
    marks: tuple[Mark, ...]


class Label(NamedTuple):
    name: str
    memories: int  # active memories that have it


class Labels(NamedTuple):
    projects: tuple[Label, ...]
    topics: tuple[Label, ...]
    tags: tuple[Label, ...]
    entities: tuple[Label, ...]


class Setting(NamedTuple):
    name: str
    value: str | int | float | bool  # a secret is masked
    default: str | int | float | bool
    # `default`, `file` (config.toml), `environment`, or `program` that opened the memory
    source: str
    variable: str  # the variable of the environment that can set it; empty if there is none
    about: str


class Overviews(OpenSpace):
    @verb("GET /today", audit="reads", masked="unless revealed")
    def today(
        self,
        since: Annotated[datetime | None, Arg("from this time on (default: the last week)")] = None,
        *,
        limit: Annotated[int, Arg("maximum number of each (50)")] = 50,
    ) -> Today:
        """Return what was learned, changed and ended since a time, and what waits for an answer.

        That is beliefs to review, doubtful facts, plans that are due, and jobs; at most `limit` of
        each, newest first.
        """
        number("limit", limit)
        store, now = self._store, self.now()
        since = moment("since", since, self.zone) or now - timedelta(days=7)
        schedule = cast("Memory", self).schedule
        with store.reading():
            learned, changed, ended = _news(store, store.overview.altered(since, _UNSEEN, _MOST))
            reviews = store.page("reviews", 0)[0]
            against = [one for one in reviews if one.belief.id != one.against.id]
            waiting = {one.belief.id for one in against}
            doubtful = [store.get(one.belief.id) for one in reviews if one not in against]
            beliefs = Filter(kind="belief", state="active")
            doubtful += store.find(beliefs, limit + len(against), True)
            texts = store.query_as(QuarantinedText, "quarantined_by_state", "held")
            return Today(
                now,
                since,
                tuple(learned[:limit]),
                tuple(changed[:limit]),
                tuple(ended[:limit]),
                {"learned": len(learned), "changed": len(changed), "ended": len(ended)},
                tuple(against[:limit]),
                tuple([one for one in doubtful if one and one.id not in waiting][:limit]),
                tuple(store.query_records("past_due", now, limit)),
                # What a request to forget is about waits with the request.
                sum(not one.reason.startswith("forget ") for one in texts),
                schedule.waiting(),
                tuple(schedule.jobs()),
            )

    @verb("GET /timeline", audit="reads", masked="unless revealed")
    def timeline(
        self,
        *,
        session: InSession = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 0,
        cursor: Cursor = "",
    ) -> Page[Moment]:
        """List turns, newest first, each with the memories drawn from it."""
        journal, zone = cast("Memory", self)._journal, self.zone
        where = filter_of(zone, session=journal.own_session(session), since=since, until=until)
        number("limit", limit)

        def read(after: Key | None) -> Slice[Moment]:
            with self._store.reading():
                turns, last = journal.latest(where, limit, after)
                rows = [int(turn.ref.removeprefix("t_")) for turn in turns]
                drawn = self._store.drawn_from(rows)
                records = _with_sources(self._store, {one for of in drawn.values() for one in of})
            own = ([records[one] for one in drawn.get(row, ()) if one in records] for row in rows)
            return [Moment(turn, tuple(some)) for turn, some in zip(turns, own, strict=True)], last

        return paged("timeline", cursor, read)

    @verb("GET /graph", audit="reads", masked="always")
    def graph(
        self, *, limit: Annotated[int, Arg("maximum number of nodes (150; 0 for all)")] = 150
    ) -> Graph:
        """Return the people and things that memories are about, strongest first, and their ties."""
        from loxodon.recall.graph import graph  # long, and only a page for people needs it

        return graph(self, number("limit", limit))

    @verb("GET /memories/{id}/related", audit="reads", masked="unless revealed")
    def related(self, id: str) -> Related:
        """Return where a memory was said, what it replaced, and what was drawn from it."""
        store, heard = self._store, cast("Memory", self)._journal.heard

        def said(row: int, turn: Turn) -> Said:
            before = store.query_turns("turns_before", turn.session, row, _AROUND)
            after = store.query_turns("turns_behind", turn.session, row, _AROUND)
            return Said(heard([turn])[0], tuple(heard(before)), tuple(heard(after)))

        with store.reading():
            record = cast("Memory", self).get(id)
            rows = [
                row
                for one in record.sources
                if one.turn and (row := store.scalar("turn_row", one.session, one.turn)) is not None
            ][-_SAID:]
            turns = store.turns(rows)
            drawn = store.drawn_from(rows)
            beside = store.records({one for some in drawn.values() for one in some}).values()
            made = store.records(store.column("made_from", record.id)).values()
            return Related(
                record,
                tuple(said(row, turns[row]) for row in rows if row in turns),
                store.get(record.replaces) if record.replaces else None,
                next((one for one in made if one.replaces == record.id), None),
                tuple(filter(None, map(store.get, record.derived_from))),
                tuple(one for one in made if one.replaces != record.id),
                tuple(one for one in beside if one.id != record.id)[:_BESIDE],
            )

    @verb("GET /memories/{id}/strength", audit="reads")
    def strength(
        self, id: str, *, days: Annotated[int, Arg("how many days to look ahead (180)")] = 180
    ) -> Strength:
        """Return the strength of a memory over time, and how it will fade."""
        days = min(number("days", days), 36_500)
        store, now, decay = self._store, self.now(), Decay(self.config, self.now)
        with store.reading():
            steps = store.overview.steps(id)[-_MARKS:]
            uses = [one for one in store.query_as(MemoryUse, "used") if one.id == id]
        last, active = steps[-1], steps[-1].state == "active"
        marks = [Mark(one.at, one.change, one.version, _at(one, one.at, decay)) for one in steps]
        marks += [Mark(one.last_at, "recalled", 0, _at(last, one.last_at, decay)) for one in uses]
        return Strength(
            id,
            now,
            _at(last, now, decay),
            self.config.decay.archive,
            decay.rate(last.kind, last.importance),
            decay.end(last.base, last.since, last.kind, last.importance) if active else None,
            tuple(_points(steps, now, now + timedelta(days=days), decay)),
            tuple(sorted(marks)),
        )

    @verb("GET /labels", audit="reads", masked="always")
    def labels(self, *, limit: Annotated[int, Arg("maximum number of each (100)")] = 100) -> Labels:
        """List the projects, topics, tags and entities of active memories, the most used first."""
        number("limit", limit)
        store, found = self._store, list[tuple[Label, ...]]()
        with store.reading():
            for kind in ("project", "topic", "tag", "entity"):
                uses = store.query("label_uses", kind, limit + 1)
                records, labels = store.records(row for _, _, row in uses), []
                for folded, memories, row in uses:  # as a memory that has it writes it
                    one = records[row]
                    names = (one.project, one.topic, *one.tags, *one.entities)
                    name = next((name for name in names if fold(name) == folded), folded)
                    if name not in (GLOBAL_PROJECT, GENERAL_TOPIC):
                        labels.append(Label(name, memories))
                found.append(tuple(labels[:limit]))
        return Labels(*found)

    @verb("GET /settings", access="owner")
    def settings(self) -> list[Setting]:
        """List every setting, with where it comes from. Secrets are masked."""
        config = self.config
        shown, real = settings.shown(config), settings.flat(config)
        in_file = settings.flat(settings.load(self.home))
        found = []
        for name, key in settings.described().items():
            value, variable = real[name], key.variable
            said = os.environ.get(variable) if variable else None
            if said and settings.checked(name, said) == value:
                source = "environment"
            elif value == DEFAULTS[name]:
                source = "default"
            else:
                source = "file" if in_file[name] == value else "program"
            found.append(Setting(name, shown[name], DEFAULTS[name], source, variable, key.about))
        return found


def _with_sources(store: Store, rows: Iterable[int]) -> dict[int, Record]:
    records, sources = store.records(rows), store.sources(rows)
    return {row: one._replace(sources=sources.get(row, ())) for row, one in records.items()}


def _news(
    store: Store, altered: Sequence[Altered]
) -> tuple[list[Record], list[Change], list[Ended]]:
    """What became of memories: each is told once, under what it is now."""
    learned, changed, ended = list[Record](), list[Change](), list[Ended]()
    records = _with_sources(store, [one.row for one in altered])
    altered = [one for one in altered if one.row in records]
    past = [row for row, record in records.items() if record.state != "active"]
    replaced = {old for old, _ in store.query("successors", past)}
    ways = {records[one.row].id: one.change for one in altered}
    for row, change, at, before in altered:
        record = records[row]
        if record.state != "active":
            if before and before.state == "active" and row not in replaced:
                ended.append(Ended(at, change, record))
            continue
        if before is None and record.replaces:
            before, change = store.get(record.replaces), ways.get(record.replaces, change)
        if before is None or (before.state != "active" and not record.replaces):
            learned.append(record)
        elif any(getattr(before, name) != getattr(record, name) for name in _TOLD):
            changed.append(Change(at, change, before, record))
    return learned, changed, ended


def _points(steps: Sequence[Step], now: datetime, end: datetime, decay: Decay) -> Iterator[Point]:
    """The curve from each step to the next, both ends included."""
    ends = [*(step.at for step in steps[1:]), max(now, steps[-1].at)]
    parts = [(step, step.at, until) for step, until in zip(steps, ends, strict=True)]
    if steps[-1].state == "active":
        parts.append((steps[-1], ends[-1], end))
    for step, since, until in parts:
        count = max(1, min(_POINTS, round((until - since) / timedelta(days=1))))
        for n in range(count + 1):
            at = since + (until - since) * n / count
            yield Point(at, _at(step, at, decay))


def _at(step: Step, at: datetime, decay: Decay) -> float:
    return round(decay.strength(step.base, step.since, step.kind, step.importance, at), 4)
