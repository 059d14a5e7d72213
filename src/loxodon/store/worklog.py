"""What consolidation works on, and the data that it keeps besides memories."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from loxodon.clock import to_stored
from loxodon.language.statements import Fragment
from loxodon.store import JobRuns, MemoryUse, PoolSizes, Work
from loxodon.store.driver import these
from loxodon.store.indexes import Part
from loxodon.store.rows import entity_of, event_of, loaded, segment_of
from loxodon.store.walls import owners_only
from loxodon.text.keywords import quick
from loxodon.text.words import fold
from loxodon.types import Entity, Event, Segment

_KEYWORDS = 8  # of a memory, the most that it is found by
_TIMES = ("last_run", "last_success", "weekly_at")


class WorkLog(Part):
    """The work in progress of consolidation, and its data besides memories. Not for recall."""

    # Where the work stands

    def work(self) -> Work:
        kept = loaded(self._db.meta("consolidation") or "{}")
        return Work(**{**kept, **{name: self._moment(kept.get(name)) for name in _TIMES}})

    def set_work(self, work: Work) -> None:
        wall = self._store.wall
        if wall.stands and not wall.alone:  # a run is of the whole space
            raise owners_only()
        times = {name: _stored(getattr(work, name)) for name in _TIMES}
        self._db.set_meta("consolidation", json.dumps({**work._asdict(), **times}))

    def pool(self) -> PoolSizes:
        topics = self._db.value("count_topics")
        if self._db.wall.stands:  # the counters are of everything
            ((active, archived, entities, turns),) = self._db.all("count_seen")
        else:
            counts: dict[str, int] = dict(self._db.all("counters"))
            names = ("memories", "archive", "entities", "turns")
            active, archived, entities, turns = (counts.get(f"rows_{name}", 0) for name in names)
        return PoolSizes(active, archived, entities, topics, turns)

    # Segments

    def last_segment(self, session: str) -> Segment | None:
        row = self._db.one("last_segment", (session,))
        return segment_of(row) if row else None

    def put_segments(self, segments: Iterable[Segment], instead_of: Iterable[int] = ()) -> None:
        """Store segments, replacing those numbered in `instead_of`."""
        gone = list(instead_of)
        self._db.many("drop_segment", [(no,) for no in gone])
        self._indexes.drop("segments", gone)
        numbers = []
        for one in segments:
            started, offset = to_stored(one.started_at)
            numbers.append(self._db.take("segment", 1))
            turns = one.session, one.first_turn, one.last_turn
            times = started, to_stored(one.ended_at)[0], offset
            values = (numbers[-1], *turns, *times, one.topic, these(one.tags), one.text)
            self._db.run("put_segment", values)
        self._indexes.put_rows("segments", numbers)

    def segments(self) -> list[Segment]:
        return [segment_of(row) for row in self._db.all("segments")]

    # Work in hand

    def fail_turn(self, turn: int, text: str, reason: str) -> None:
        """Set a turn aside on which the rules failed; `status` reports it."""
        self._db.run("drop_fragments", (turn,))
        values = (turn, 0, text, "statement", "failed", None, "fact", 0.0, reason)
        self._db.run("put_fragment", values)

    def let_go(self, turns: Iterable[int]) -> None:
        """Drop the work in progress on turns, at any stage."""
        rows = [(turn,) for turn in turns]
        self._db.many("drop_fragments", rows)
        self._db.many("drop_candidates_of", rows)

    def read_again(self, turns: Iterable[int]) -> None:
        """Let the next run read turns again that a run has already processed."""
        work = self.work()
        passed = max(work.done_to, work.upto)
        values = ("", "statement", "again", None, "fact", 0.0, "")
        self._db.many("put_fragment", [(turn, 0, *values) for turn in turns if turn <= passed])

    def fragments(self, stage: str, limit: int = 0) -> list[Fragment]:
        return [Fragment(*row) for row in self._db.all("fragments", (stage, limit or -1))]

    # Events

    def put_event(self, event: Event) -> None:
        said = event.session, event.channel, event.sender, event.summary, event.tokens, event.trust
        values = (event.date, to_stored(event.at)[0], *said, int(event.compressed), event.agent)
        self._db.run("put_event", values)

    def events(self, since: str = "", until: str = "", pending: bool = False) -> list[Event]:
        """Events of the days from `since` on, before `until`, in order of time."""
        statement = "pending_events" if pending else "events"
        rows = self._db.all(statement, (since, until or "9999-99"))
        return [event_of(row, self._zone) for row in rows]

    # Entities

    def entities(self) -> list[Entity]:
        return [entity_of(row, self._zone) for row in self._db.all("entities")]

    def put_entity(self, entity: Entity) -> Entity:
        """Store a new entity (number 0) or update one; it can be found by its names."""
        if not entity.no:
            entity = entity._replace(no=self._db.take("entity", 1))
            self._db.take("rows_entities", 1)
        times = to_stored(entity.created_at)[0], to_stored(entity.updated_at)[0]
        aliases, agent = these(entity.aliases), self._store.wall.agent
        self._db.run("put_entity", (entity.no, entity.name, entity.type, aliases, *times, agent))
        self._db.run("drop_entity_names", (entity.no,))
        names = {fold(name) for name in (entity.name, *entity.aliases)}
        agent = self._db.value("entity_agent", (entity.no,))
        self._db.many("put_entity_name", [(agent, name, entity.no) for name in names])
        return entity

    def drop_entity(self, no: int) -> None:
        self._db.run("drop_entity_names", (no,))
        self._db.run("drop_entity", (no,))
        self._db.take("rows_entities", -1)

    def aliases(self, agent: str = "") -> dict[str, str]:
        """Every alias and the entity it stands for; empty for a name that two people have."""
        found: dict[str, str] = {}
        for name, aliases in self._db.all("aliases", (agent,)):
            found[name] = name
            for alias in loaded(aliases):  # a name of two people is nobody's
                found[alias] = name if found.get(alias, name) == name else ""
        return found

    # Strength

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Count memories as used; return how many of these ids exist."""
        wall, known = self._store.wall, 0
        for id in dict.fromkeys(ids):
            for row, record in self._store.records(self._db.column("memory_row", (id,))).items():
                known += 1
                # The use of somebody else's archived memory would bring it back.
                if record.state == "active" or wall.owns(record):
                    self._db.run("put_use", (row, day, to_stored(at)[0]))
        return known

    def used(self) -> list[MemoryUse]:
        rows = self._db.all("used")
        return [MemoryUse(id, n, times, self._store.moment(at)) for id, n, times, at in rows]

    # Indexes, pages and jobs

    def index(self, limit: int) -> int:
        """Update the keywords of changed memories, then merge the indexes; how many there were."""
        rows = self._db.column("unindexed", (limit,))
        labels = [
            ("keyword", fold(word), row)
            for row, record in self._store.records(rows).items()
            for word in quick(record.searchable, _KEYWORDS)
        ]
        self._db.many("drop_keywords", [(row,) for row in rows])
        self._db.many("put_label", labels)
        self._db.run("drop_unindexed", (these(rows),))
        if len(rows) < limit:
            self._db.text.merge()
        return len(rows)

    def changes_since(self, at: datetime, limit: int = 2_000) -> list[tuple[str, str, datetime]]:
        """(memory, change, time) of the last changes since `at`, in order."""
        rows = self._db.all("changes_since", (to_stored(at)[0], limit))
        return [(id, change, self._store.moment(when)) for id, change, when in reversed(rows)]

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, time of creation)."""
        row = self._db.one("page", (name, language))
        return (row[0], row[1], self._store.moment(row[2])) if row else None

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None:
        if not self._store.wall.stands:  # pages are the owner's: this one was made of less
            self._db.run("put_page", (name, language, to_stored(at)[0], text, basis))

    def jobs(self) -> dict[str, JobRuns]:
        found = {}
        for name, last, seconds, counts, succeeded, failed, *rest in self._db.all("jobs"):
            times = self._moment(succeeded), self._moment(failed)
            last_at = self._store.moment(last)
            found[name] = JobRuns(name, last_at, seconds, loaded(counts), *times, *rest)
        return found

    def put_job(self, runs: JobRuns) -> None:
        times = map(_stored, (runs.succeeded_at, runs.failed_at))
        counts = json.dumps(dict(runs.counts))
        values = (runs.name, _stored(runs.last_at), runs.seconds, counts, *times, *runs[6:])
        self._db.run("put_job", values)

    def _moment(self, at: int | None) -> datetime | None:
        return None if at is None else self._store.moment(at)


def _stored(at: datetime | None) -> int | None:
    return None if at is None else to_stored(at)[0]
