"""What consolidation works on, and the data that it keeps besides memories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loxodon.clock import to_stored
from loxodon.language.statements import Fragment
from loxodon.store import JobRuns, MemoryUse, PoolSizes, Spent, Work
from loxodon.store.driver import these
from loxodon.store.rows import entity_of, event_of, loaded, moment, segment_of, turn_of
from loxodon.store.walls import owners_only
from loxodon.text.keywords import quick
from loxodon.text.words import fold
from loxodon.types import CAPTURED, Aged, Belief, Entity, Event, Record, Review, Segment, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store

_KEYWORDS = 8  # of a memory, the most that it is found by
_ASKED = 3  # times that a model is asked about a piece that it says nothing believable about
_TIMES = ("last_run", "last_success", "weekly_at")
CLOCK = "clock"  # the value of `meta` that says what is believed of the clock


class WorkLog:
    """The work in progress of consolidation, and its data besides memories. Not for recall."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._db = store._db
        self._zone = store._zone
        self._indexes = store._indexes

    # Where the work stands

    def work(self) -> Work:
        stored = self._db.meta("consolidation")
        kept = loaded(stored) if stored else {}
        for name in _TIMES:
            if kept.get(name) is not None:
                kept[name] = moment(kept[name], self._zone)
        return Work(**kept)

    def set_work(self, work: Work) -> None:
        wall = self._store.wall
        if wall.stands and not wall.alone:  # a run is of the whole space
            raise owners_only()
        kept = work._asdict()
        for name in _TIMES:
            if kept[name] is not None:
                kept[name] = to_stored(kept[name])[0]
        self._db.set_meta("consolidation", json.dumps(kept))

    def pool(self) -> PoolSizes:
        topics = self._db.value("count_topics")
        if self._db.walled:  # the counters are of everything
            ((active, archived, entities, turns),) = self._db.all("count_seen")
        else:
            counts: dict[str, int] = dict(self._db.all("counters"))
            names = ("memories", "archive", "entities", "turns")
            active, archived, entities, turns = (counts.get(f"rows_{name}", 0) for name in names)
        return PoolSizes(active, archived, entities, topics, turns)

    # The clock

    def belief(self) -> Belief:
        stored = self._db.meta(CLOCK)
        if not stored:  # of a version that kept none
            work = self.work()
            return Belief(work.last_success or work.last_run, turn=work.done_to)
        at, since, last, turn = loaded(stored)
        return Belief(self._moment(at), self._moment(since), self._moment(last), turn)

    def set_belief(self, belief: Belief) -> None:
        self._db.set_meta(CLOCK, belief_kept(belief))

    def said_at(self, after: int, since: datetime, until: datetime) -> list[datetime]:
        """The last time of each day in (since, until] at which a turn above number `after` was
        said, in order."""
        values = (after, to_stored(since)[0], to_stored(until)[0])
        return [moment(at, self._zone) for (at,) in self._db.all("said_at", values)]

    def turns_ahead(self, now: datetime) -> int:
        """How many turns are dated later than now."""
        return int(self._db.value("turns_ahead", (to_stored(now)[0],)))

    def misdated(self, before: datetime, after: datetime) -> list[tuple[str, float, datetime]]:
        """(id, base of its strength, time of that base) of memories changed by a clock that was
        before `before` or after `after`."""
        values = (to_stored(before)[0], to_stored(after)[0])
        rows = self._db.all("misdated", values)
        return [(id, base, moment(at, self._zone)) for id, base, at in rows]

    def aged_runs(self, limit: int) -> list[Aged]:
        """What was archived because of its age, by the time of the run, latest first."""
        rows = self._db.all("aged_runs", (limit,))
        return [Aged(moment(at, self._zone), faded, expired) for at, faded, expired in rows]

    def aged_in(self, at: datetime) -> list[str]:
        """What the run at that time archived because of its age, if unchanged since."""
        return self._db.column("aged_in", (to_stored(at)[0],))

    # Turns

    def last_turn(self) -> int:
        """The number of the newest turn; 0 if there is none."""
        return self._db.value("last_turn") or 0

    def pending(self, after: int) -> int:
        """How many turns have a number above `after` or must be read again, without captures."""
        return int(self._db.value("count_pending", (after, CAPTURED)))

    def turns_after(self, after: int, upto: int, limit: int = 0) -> list[Turn]:
        """Turns with numbers in (after, upto], in order."""
        return self._turns("turns_after", after, upto, limit or -1)

    def turns_before(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The last `limit` turns of a session before the one numbered `turn`, in order."""
        return self._turns("turns_before", session, turn, limit)[::-1]

    def turns_behind(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The first `limit` turns of a session after the one numbered `turn`, in order."""
        return self._turns("turns_behind", session, turn, limit)

    def turns_from(self, session: str, first: int, upto: int) -> list[Turn]:
        """The turns of a session with numbers in [first, upto], in order."""
        return self._turns("turns_from", session, first, upto)

    def _turns(self, statement: str, *values: Any) -> list[Turn]:
        return [turn_of(row) for row in self._db.all(statement, values)]

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
        """All of them, in order of time."""
        return [segment_of(row) for row in self._db.all("segments")]

    # Work in hand

    def put_fragments(self, fragments: Iterable[Fragment]) -> None:
        self._db.many(
            "put_fragment", ((*fragment, "cut", None, "fact", 0.0, "") for fragment in fragments)
        )

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

    def again(self, limit: int) -> list[Turn]:
        """The first of those turns."""
        return self._turns("turns_to_read_again", limit)

    def anew(self, upto: int) -> list[Turn]:
        """Turns up to a number that are being read again."""
        return self._turns("turns_being_read_again", upto)

    def fragments(self, stage: str, limit: int = 0) -> list[Fragment]:
        """Fragments at a stage, in the order of the journal."""
        rows = self._db.all("fragments", (stage, limit or -1))
        return [Fragment(*row) for row in rows]

    def settle(self, waiting: Iterable[tuple[int, int, float]]) -> None:
        """Drop what was read; the pieces (turn, n, worth) in `waiting` stay until a model
        decides."""
        self._db.many("wait", [(worth, turn, n) for turn, n, worth in waiting])
        self._db.run("drop_cut_fragments")

    def waiting(self) -> list[tuple[Fragment, float]]:
        """What waits for a model, in the order of the journal, each with its worth."""
        return [(Fragment(*row[:-1]), row[-1]) for row in self._db.all("waiting")]

    def put_off(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Count that a model was asked about these without a usable answer; drop those that were
        asked about three times."""
        self._db.many("put_off", list(pieces))
        self._db.run("drop_asked_fragments", (_ASKED,))

    def drop_waiting(self, pieces: Iterable[tuple[int, int]]) -> None:
        self._db.many("drop_waiting", list(pieces))

    def count_fragments(self, stage: str) -> int:
        return int(self._db.value("count_fragments", (stage,)))

    def put_candidates(self, candidates: Iterable[tuple[int, str]]) -> None:
        self._db.many("put_candidate", list(candidates))

    def candidates(self) -> list[tuple[int, int, str]]:
        """(number, turn, body) of statements that are not yet reconciled."""
        return [(no, turn, body) for no, turn, body in self._db.all("candidates")]

    def drop_candidates(self, numbers: Iterable[int] | None = None) -> None:
        """Drop some by their numbers, or all."""
        if numbers is None:
            self._db.run("drop_candidates")
        else:
            self._db.many("drop_candidate", [(no,) for no in numbers])

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

    def mark_compressed(self, date: str, agent: str = "") -> None:
        """Mark the events of an agent on a day as done."""
        self._db.run("mark_compressed", (date, agent))

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
        """Every alias and the entity it stands for, for an agent; empty for a name that two
        people have."""
        found: dict[str, str] = {}
        for name, aliases in self._db.all("aliases", (agent,)):
            found[name] = name
            for alias in loaded(aliases):  # a name of two people is nobody's
                found[alias] = name if found.get(alias, name) == name else ""
        return found

    # Reviews

    def put_review(self, belief: str, against: str, at: datetime) -> None:
        self._db.run("put_review", (belief, against, to_stored(at)[0]))

    def reviews(self) -> list[Review]:
        """Open reviews, oldest first."""
        rows = self._db.all("open_reviews")
        records = self._store.records(
            {row for belief, against, _ in rows for row in (belief, against)}
        )
        return [
            Review(records[belief], records[against], moment(at, self._zone))
            for belief, against, at in rows
        ]

    def answer_review(self, belief: str, answer: str, at: datetime) -> None:
        self._db.run("answer_review", (answer, to_stored(at)[0], belief))

    # Strength

    def ended(self, now: datetime, limit: int) -> list[str]:
        """Active memories that have faded or expired by `now`, the first to end first."""
        return self._db.column("ended", (to_stored(now)[0], limit))

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Count memories as used; return how many of these ids exist."""
        when, known = to_stored(at)[0], 0
        for id in dict.fromkeys(ids):
            row = self._db.one("memory_row", (id,))
            if row is not None:
                known += 1
                if not self._is_others(row[0]):
                    self._db.run("put_use", (row[0], day, when))
        return known

    def _is_others(self, row: int) -> bool:
        """Whether a memory is archived and somebody else's: its use would bring it back."""
        wall = self._store.wall
        if not wall.stands or wall.alone:
            return False
        record = self._store.records([row])[row]
        return record.state == "archived" and not wall.owns(record)

    def used(self) -> list[MemoryUse]:
        return [
            MemoryUse(id, days, times, moment(at, self._zone))
            for id, days, times, at in self._db.all("used")
        ]

    def clear_uses(self) -> None:
        self._db.run("clear_uses")

    # Indexes, pages and the ledger

    def changed(self, limit: int) -> list[Record]:
        """Memories that changed since they were last indexed, the latest `limit`."""
        rows = self._db.column("last_changed", (limit,))
        return list(self._store.records(rows).values())

    def index(self, limit: int) -> int:
        """Update the keywords of at most `limit` changed memories; return of how many.

        After the last one, the small parts of each index are merged.
        """
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
            self._indexes.text.merge()
        return len(rows)

    def changes_since(self, at: datetime, limit: int = 2_000) -> list[tuple[str, str, datetime]]:
        """(memory, change, time) of the last changes since `at`, in order."""
        rows = self._db.all("changes_since", (to_stored(at)[0], limit))
        return [(id, change, moment(when, self._zone)) for id, change, when in reversed(rows)]

    def partitions(self, least: int) -> list[tuple[str, str, int]]:
        """(project, topic, number of active facts) of those that have `least` or more."""
        rows = self._db.all("partitions", (least,))
        return [(project, topic, n) for project, topic, n in rows]

    def of_category(self, category: str) -> list[Record]:
        """The active memories of a category."""
        rows = self._db.column("of_category", (category,))
        return list(self._store.records(rows).values())

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, time of creation)."""
        rows = self._db.all("page", (name, language))
        if not rows:
            return None
        text, basis, at = rows[0]
        return text, basis, moment(at, self._zone)

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None:
        if self._store.wall.stands:  # pages are the owner's: this one was made of less
            return
        self._db.run("put_page", (name, language, to_stored(at)[0], text, basis))

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None:
        self._db.run("spend", (day, phase, tokens_in, tokens_out))

    def spent(self, day: str) -> int:
        """Tokens used on one day, in and out."""
        return int(self._db.value("spent", (day,)))

    def ledger(self, days: int = 30) -> list[Spent]:
        return [Spent(*row) for row in self._db.all("ledger", (days,))]

    # The background

    def jobs(self) -> dict[str, JobRuns]:
        """The runs of each job, by name."""
        found = {}
        for name, last, seconds, counts, succeeded, failed, *rest in self._db.all("jobs"):
            times = self._moment(succeeded), self._moment(failed)
            last_at = moment(last, self._zone)
            found[name] = JobRuns(name, last_at, seconds, loaded(counts), *times, *rest)
        return found

    def put_job(self, runs: JobRuns) -> None:
        last, *times = (
            None if at is None else to_stored(at)[0]
            for at in (runs.last_at, runs.succeeded_at, runs.failed_at)
        )
        counts = json.dumps(dict(runs.counts))
        self._db.run("put_job", (runs.name, last, runs.seconds, counts, *times, *runs[6:]))

    def past_due(self, now: datetime, limit: int) -> list[Record]:
        """Active memories that are due and not done, earliest first."""
        return self._found("past_due", (to_stored(now)[0], limit))

    def supposed(self, category: str, before: datetime, limit: int) -> list[Record]:
        """Active beliefs of a category, unchanged since `before`, oldest first."""
        return self._found("supposed", (category, to_stored(before)[0], limit))

    def mattering(self, categories: Sequence[str], before: datetime, limit: int) -> list[Record]:
        """Active facts with importance 0.7 or more that were neither confirmed nor asked about
        since `before`, most important first."""
        values = (these(categories), to_stored(before)[0], limit)
        return self._found("mattering", values)

    def _found(self, statement: str, values: Sequence[Any]) -> list[Record]:
        rows = self._db.column(statement, values)
        records = self._store.records(rows)
        return [records[row] for row in rows]

    def _moment(self, at: int | None) -> datetime | None:
        return None if at is None else moment(at, self._zone)

    def reckon_ends(self) -> int:
        """Find anew when memories end, if what they fade by has changed; of how many."""
        return self._store._reckon_ends()


def belief_kept(belief: Belief) -> str:
    """What is believed of the clock, as `meta` keeps it."""
    times = (None if at is None else to_stored(at)[0] for at in belief[:3])
    return json.dumps([*times, belief.turn])
