"""`Store`: everything Loxodon asks of a database.

A store is bound to one space when it is opened, and optionally to an agent and an audience
(`walls.py`). No call can leave these out or reach beyond them. Queries and schemas are in
`sql/`. What a backend has of its own is its `Driver`, in `sqlite/` and `postgres/`. Call methods
that write inside `Store.writing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from loxodon.clock import to_stored
from loxodon.errors import ConfigError, DamagedStoreError, no_memory, stale_edit
from loxodon.store import (
    Beside,
    Counts,
    Filter,
    Hit,
    Index,
    KnownNames,
    KnownTurn,
    Place,
    Progress,
    Standing,
    clock_check,
)
from loxodon.store.driver import BATCH, Driver, Row, plain, these
from loxodon.store.indexes import Indexes, clear_indexes, indexed_rows, name_entities
from loxodon.store.pages import Overview, page
from loxodon.store.parts import DocumentStore, Quarantine, WorkingSessions, WorkLog, WorkspaceData
from loxodon.store.rows import (
    about_label,
    damaged,
    from_json,
    grouped,
    index_of,
    labels_of,
    moment,
    read_as,
    record_of,
    row_of,
    to_json,
    turn_of,
)
from loxodon.store.search import TABLES, Conditions, conditions_of, search
from loxodon.store.walls import Wall, owners_only
from loxodon.text.words import VERSION, fold
from loxodon.types import (
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    KINDS,
    Entity,
    Problem,
    Record,
    Source,
    Turn,
    Version,
)

if TYPE_CHECKING:
    from loxodon.consolidate.decay import Decay
    from loxodon.guard.guard import Guard
    from loxodon.security.audit import Audit
    from loxodon.store.erasure import Erasure
    from loxodon.store.primary import PrimaryData
    from loxodon.store.vectors import Vectors

_Value = TypeVar("_Value")
_BANDS = ("critical", "high", "medium", "low")  # of importance
_OPEN = Wall()
_NEVER = 253_370_764_800_000  # the year 9999: what never fades is strongest
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ID = re.compile(r"(([fbs])_[0-9]{8})_([0-9]{3,9})")
_ID_LETTER = {"fact": "f", "belief": "b", "summary": "s"}
_NO_LABEL = {"project": GLOBAL_PROJECT, "topic": GENERAL_TOPIC}  # what stands there for none


class Store:
    """One space of one home. Safe to use from several threads and processes."""

    page = page

    def __init__(
        self,
        db: Driver,
        space: str,
        zone: tzinfo | None,
        decay: Decay,
        wall: Wall = _OPEN,
        guard: Guard | None = None,
    ) -> None:
        self.space = space
        self.audit: Audit | None = None
        self._guard = guard
        self._zone = zone
        self.decay = decay
        self._db = db
        self.indexes = indexes = Indexes(db)
        self.having, self.rare, self.nature = indexes.having, indexes.rare, indexes.nature
        self.reading, self.writing, self.close = db.reading, db.writing, db.close
        self.value, self.set_value = db.meta, db.set_meta
        self.changed = db.changed
        db.before_commit = self._before_commit
        self.worklog = WorkLog(self)
        self.workspace_data = WorkspaceData(self)
        self.documents = DocumentStore(self)
        self.working_sessions = WorkingSessions(self)
        self.overview = Overview(self)
        self.quarantine = Quarantine(self)
        try:
            self._claim()
            self._renew_words()
            db.wall = wall  # not before: what is derived is made anew for all
            if wall.stands:
                db.stand_behind(wall)
        except BaseException:
            db.close()
            raise

    def _before_commit(self) -> None:
        if self.audit is not None:
            self.audit.before_commit()

    @cached_property
    def vectors(self) -> Vectors:
        from loxodon.store.vectors import Vectors  # loads numpy

        return Vectors(self._db)

    @cached_property
    def erasure(self) -> Erasure:
        from loxodon.store.erasure import Erasure

        return Erasure(self)

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others who write; then a BusyStoreError."""
        self._db.patience = seconds

    @property
    def wall(self) -> Wall:
        return self._db.wall

    def behind(self, wall: Wall) -> Store:
        return Store(self._db.another(), self.space, self._zone, self.decay, wall, self._guard)

    def size(self) -> int:
        """Bytes on disk; behind a wall it would tell how much there is that cannot be seen."""
        return 0 if self.wall.stands else self._db.size()

    def _claim(self) -> None:
        """A file belongs to the space that made it, whatever folder it is found in."""
        db = self._db
        if not db.meta("space"):
            with self.writing():
                db.set_meta("space", db.meta("space") or self.space)
                clock_check.look(self, self.decay.now())
        if (owner := db.meta("space")) != self.space:
            raise DamagedStoreError(
                "{path} contains the space {owner}, not {space}",
                hint="the file was moved or copied here; move it back",
                path=db.path,
                owner=repr(owner),
                space=repr(self.space),
            )

    def _renew_words(self) -> None:
        """Make the indexes anew if their words are not those that queries use now."""
        db = self._db
        if db.meta("words") != VERSION:
            with self.writing():
                before = db.meta("words")
                if before and before != VERSION:  # else another process has just done it
                    self.rebuild(lambda done, total: None)
                elif not before:
                    db.set_meta("rates", self._rates())
                db.set_meta("words", VERSION)

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    @contextmanager
    def writing_as(self, agent: str) -> Iterator[None]:
        """A transaction that sees only the memories and entities of one agent (for "": of nobody),
        and creates its own, so that each agent's knowledge is reconciled separately."""
        with self._db.writing():
            wall, alone = self.wall, Wall(agent, alone=True)
            # Without agents there is nothing to keep apart, and no view to pay for.
            if wall == alone or (not agent and not wall.stands and not self._db.column("agents")):
                yield
                return
            self._db.stand_behind(alone)
            try:
                yield
            finally:  # while it can still be undone: the views would be as well
                self._db.stand_behind(wall)

    # Statements of `sql/queries.sql` by name; times and lists are given as they are

    def query(self, statement: str, *values: Any) -> list[Row]:
        return self._db.all(statement, plain(values))

    def column(self, statement: str, *values: Any) -> list[Any]:
        return self._db.column(statement, plain(values))

    def scalar(self, statement: str, *values: Any) -> Any:
        return self._db.value(statement, plain(values))

    def execute(self, statement: str, *values: Any) -> None:
        self._db.run(statement, plain(values))

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._db.many(statement, [plain(row) for row in rows])

    def query_as(self, made: Callable[..., _Value], statement: str, *values: Any) -> list[_Value]:
        """The rows of a statement as values of a type that has its columns (`rows.read_as`)."""
        return [read_as(made, row, self._zone) for row in self.query(statement, *values)]

    def stream(self, statement: str, key: int = 1) -> Iterator[Row]:
        """Every row of a large table (`Driver.stream`)."""
        for some in self._db.stream(statement, key=key):
            yield from some

    def query_turns(self, statement: str, *values: Any) -> list[Turn]:
        return [turn_of(row) for row in self.query(statement, *values)]

    def query_records(self, statement: str, *values: Any) -> list[Record]:
        rows = self.column(statement, *values)
        records = self.records(rows)
        return [records[row] for row in rows]

    def moment(self, milliseconds: int) -> datetime:
        return moment(milliseconds, self._zone)

    @property
    def primary(self) -> PrimaryData:
        """Export and import of all data that is not derived."""
        from loxodon.store.primary import PrimaryData

        self.for_owner()
        return PrimaryData(self)

    def for_owner(self) -> None:
        """Refuse what is about the whole of a space to whoever sees a part of it."""
        if self.wall.stands:
            raise owners_only()

    # The journal

    def append(self, turns: Sequence[tuple[Turn, bytes]]) -> list[Turn | KnownTurn]:
        """Append turns, each with its key, to the journal, in order and indexed; each as it is
        stored (with its id and ref), or a KnownTurn if the journal already has its key."""
        db = self._db
        if self._guard:
            turns = [(self._guard.turn(turn), key) for turn, key in turns]
        turns = [(self._bound(turn), key) for turn, key in turns]
        known = self.known(turns)
        fresh = known.count(None)
        seq = db.take("turn", fresh) - fresh
        sessions: dict[str, list[Any]] = {}
        rows: list[Sequence[Any]] = []
        kept: list[Turn | KnownTurn] = []
        for (turn, key), already in zip(turns, known, strict=True):
            if already:
                kept.append(already)
                continue
            seq += 1
            at, offset = to_stored(turn.at)
            if turn.session not in sessions:
                row = db.one("session", (turn.session,))
                sessions[turn.session] = list(row) if row else [db.take("session", 1), 0, at, at]
            session = sessions[turn.session]
            session[1] += 1
            session[2] = min(session[2], at)
            session[3] = max(session[3], at)
            id = turn.id or f"#{session[1]}"
            said = turn.role, turn.speaker, turn.channel, turn.chat, turn.origin
            rows.append((seq, session[0], id, key, *said, at, offset, turn.content, turn.agent))
            kept.append(turn._replace(id=id, ref=f"t_{seq}"))
        for name, (no, count, first, last) in sessions.items():
            db.run("put_session", (no, name, count, first, last))
        db.many("put_turn", rows)
        new = [one for one in kept if isinstance(one, Turn)]
        if new:
            texts = [(int(one.ref[2:]), one.searchable) for one in new]
            self.indexes.measure_nature(self.indexes.put("turns", texts))
            db.changed += [one.ref for one in new]
        return kept

    def _bound(self, turn: Turn) -> Turn:
        """A turn as whoever is behind the wall says it: theirs, and heard where they are."""
        turn = turn._replace(origin=self.wall.heard(turn.origin))
        if self.wall.agent:
            turn = turn._replace(agent=self.wall.agent)
        return turn._replace(chat="group") if self.wall.group and turn.chat == "direct" else turn

    def known(self, turns: Sequence[tuple[Turn, bytes]]) -> list[KnownTurn | None]:
        """What the journal, or an earlier one of `turns`, has under each key, or None."""
        rows = self._db.all("known_turns", (these(key for _, key in turns),))
        seen: dict[bytes, tuple[str, bool]] = {row[0]: (row[1], bool(row[2])) for row in rows}
        found: list[KnownTurn | None] = []
        for turn, key in turns:
            content, own = seen.get(key, ("", False))
            found.append(KnownTurn(content != turn.content, own) if key in seen else None)
            seen.setdefault(key, (turn.content, False))
        return found

    def attribute(self, turns: Sequence[tuple[Turn, bytes]]) -> list[tuple[Turn, Turn]]:
        """Give journalled turns, found by their keys, the speaker and origin they have here;
        (before, after) of those that changed."""
        wanted = {key: turn for turn, key in turns}
        rows: dict[int, bytes] = dict(self._db.all("turns_by_key", (these(wanted),)))
        changed = []
        for row, old in self.turns(list(rows)).items():
            new = wanted[rows[row]]
            if (old.speaker, old.origin) != (new.speaker, new.origin):
                changed.append((old, old._replace(speaker=new.speaker, origin=new.origin)))
        said = [(new.speaker, new.origin, int(new.ref[2:])) for _, new in changed]
        self._db.many("set_speaker", said)
        self.indexes.drop("turns", [row for _, _, row in said])
        self.indexes.put("turns", [(int(new.ref[2:]), new.searchable) for _, new in changed])
        self._db.changed += [new.ref for _, new in changed]
        return changed

    def turns(self, rows: Iterable[int]) -> dict[int, Turn]:
        """Turns by row; missing ones are left out."""
        return self._by_row("turns", rows, turn_of)

    def _by_row(
        self, statement: str, rows: Iterable[int], make: Callable[[Row], _Value]
    ) -> dict[int, _Value]:
        """What a statement gives for each of some rows, by row; not asked twice."""
        return self._db.each(
            statement,
            rows,
            lambda some: {row[0]: make(row) for row in self._db.all(statement, (these(some),))},
        )

    def journal(self, where: Filter, limit: int) -> list[Turn]:
        """The latest `limit` turns (0: all) that match `where`, in order of time."""
        return self.page("turns", limit, where=where)[0][::-1]

    # Memories

    def insert(self, record: Record, change: str) -> Record:
        """Store and index a new memory. It gets its id here, unless it has one of our form that is
        free; `change` starts its history."""
        if self._guard:
            record = self._guard.record(record)
        record = record._replace(id=self._id_for(record), space=self.space)
        if self.wall.agent or self.wall.alone:
            record = record._replace(agent=self.wall.agent)
        record = record._replace(trust=self.wall.heard(record.trust))
        db, row = self._db, self._db.take("memory", 1)
        db.run("put_memory", [row, self._end(record, record.created_at), *row_of(record)])
        db.many("put_label", [(*label, row) for label in labels_of(record)])
        db.many("put_source", [(row, n, *source) for n, source in enumerate(record.sources)])
        db.run("put_change", (row, record.version, to_stored(record.created_at)[0], change, None))
        self.indexes.put(index_of(record), [(row, record.searchable)])
        db.run("put_unindexed", (row,))
        db.changed.append(record.id)
        return record

    def _id_for(self, record: Record) -> str:
        """The id that it brings, if of our form and free; else the next of its day."""
        letter, day = _ID_LETTER[record.kind], record.created_at
        brought = _ID.fullmatch(record.id)
        if not brought or brought[2] != letter or self._db.one("has_memory", (record.id,)):
            prefix = f"{letter}_{day.year:04d}{day.month:02d}{day.day:02d}"
            return f"{prefix}_{self._db.take(prefix, 1):03d}"
        # Nobody is given it again.
        self._db.take(brought[1], max(0, int(brought[3]) - self._db.take(brought[1], 0)))
        return record.id

    def _end(self, record: Record, since: datetime) -> int:
        """When a memory that has its strength since `since` leaves by itself."""
        since = moment(to_stored(since)[0], UTC)  # as it is kept, so that it can be made anew
        end = self.decay.end(record.strength, since, record.kind, record.importance)
        times = [to_stored(at)[0] for at in (end, record.expires_at) if at is not None]
        return min(times, default=_NEVER)

    def update(
        self,
        id: str,
        version: int | None,
        change: str,
        at: datetime,
        values: Mapping[str, Any],
        *,
        vouched: bool = False,
    ) -> Record:
        """Change fields of a memory: version + 1; the previous record goes to its history. Raises
        StaleEditError if it is no longer at `version`; for `vouched` see `Wall.check_change`."""
        db = self._db
        row = self._row(id)
        # From here on of the table itself: after the change, it may be out of sight.
        before = db.all("memory_itself", (row,))[0]
        sources = self.sources([row]).get(row, ())
        old = record_of(before, self.space, self._zone, None, sources)
        if version is not None and version != old.version:
            raise stale_edit(id, old.version, version)
        self.wall.check_change(old, vouched=vouched)
        db.take("changed_memories", 1)
        if self._guard:
            values = self._guard.fields(values, old)
        # A long run goes by the time that it began.
        at = max(at, values.get("created_at", old.created_at))
        changed = {**values, "updated_at": at, "version": old.version + 1}
        new_sources = changed.pop("sources", sources)
        columns = dict(zip(changed, plain(changed.values()), strict=True))
        if "strength" in columns:
            columns["strength_at"] = to_stored(at)[0]
        new, since = old._replace(**changed), moment(before[-1], self._zone)
        columns["ends_at"] = self._end(new, at if "strength" in columns else since)
        if new_sources != sources:
            db.run("drop_sources", (row,))
            db.many("put_source", [(row, n, *source) for n, source in enumerate(new_sources)])
        earlier = to_json(before, sources)
        admitted = self.wall.admits(new.agent, new.audience)
        # A group may make private what it sees.
        with nullcontext() if admitted else db.past_wall():
            db.run("set_memory", [*columns.values(), row], set=tuple(columns))
            db.run("put_change", (row, new.version, to_stored(at)[0], change, earlier))
            record = self._record(db.all("memory_itself", (row,))[0], new_sources)
            self._reindex(row, old, record)
        db.changed.append(id)
        return record

    def _reindex(self, row: int, old: Record, new: Record) -> None:
        if (old.state, old.searchable) != (new.state, new.searchable):
            self.indexes.drop(index_of(old), [row])
            self.indexes.put(index_of(new), [(row, new.searchable)])
            self._db.run("put_unindexed", (row,))
        if old.content != new.content:
            self.vectors.retold([row], "memories")
        elif old.state != new.state:
            self.vectors._moved(row, index_of(new))
        if (labels := labels_of(new)) != labels_of(old):
            self._db.run("drop_labels", (row,))  # all but its keywords
            self._db.many("put_label", [(*label, row) for label in labels])

    def get(self, id: str) -> Record | None:
        with self.reading():
            found = self._whole(self._db.column("memory_row", (id,)))
        return found[0] if found else None

    def _whole(self, rows: Iterable[int]) -> list[Record]:
        """Memories with their sources, in the order of `rows`."""
        wanted = list(rows)
        records, sources = self.records(wanted), self.sources(wanted)
        return [records[row]._replace(sources=sources.get(row, ())) for row in wanted]

    def find(self, where: Filter, limit: int = 0, strongest: bool = False) -> list[Record]:
        """The newest or strongest `limit` memories (0: all) that match `where`, in order."""
        if not strongest:
            return self.page("memories", limit, where=where)[0]
        names, values = conditions_of(where, "memories")
        with self.reading():
            found = self._db.all("find_strongest", [*values, limit or -1], where=names)
            return self._with_sources(found)

    def _with_sources(self, rows: Sequence[Row]) -> list[Record]:
        sources = self.sources(row[0] for row in rows)
        return [self._record(row[1:], sources.get(row[0], ())) for row in rows]

    def latest(self, label: str, name: str | tuple[str, ...], limit: int) -> list[Record]:
        """The last `limit` active memories with a label (`project`, `topic`, `tag`, `entity`, or
        `about` with a name as in `Filter.about`), newest first; no more rows are read."""
        return self._whole(self.labelled(label, name, limit))

    def labelled(
        self, label: str, name: str | tuple[str, ...], limit: int, state: str = "active"
    ) -> list[int]:
        """The rows of the last `limit` memories with a label; see `latest`."""
        if isinstance(name, tuple):
            name = about_label(*name)
        folded = name if label == "about" else fold(name)  # which `about_label` has done
        return self._db.column("labelled", (label, folded, state, limit))

    def foremost(self, where: Filter, projects: Sequence[str], limit: int) -> list[int]:
        """The rows of the most important memories (of some projects); ties go to the newer."""
        found = conditions_of(where, "memories")
        if projects:
            found &= Conditions(("memory_projects",), (these(projects),))
        return self._db.column("foremost", [*found.values, limit], where=found.names)

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """The entities with these names, by name as given; the shared one before an agent's."""
        folded = {name: fold(name) for name in names}
        rows = self._db.all("entities_named", (these(set(folded.values())),))
        found = {name: read_as(Entity, row, self._zone) for _, name, *row in rows}
        return {name: found[key] for name, key in folded.items() if key in found}

    def named(self, names: Iterable[str]) -> KnownNames:
        """The entities, projects and topics that go by these folded names."""
        entities: dict[str, Entity] = {}
        labels: dict[str, dict[str, str]] = {label: {} for label in _NO_LABEL}
        for of, name, *row in self._db.all("named", (these(names),)):
            if row[-1]:  # an entity has a number
                entities[name] = read_as(Entity, row, self._zone)
            elif row[0] not in (None, _NO_LABEL[of]):
                labels[of][name] = row[0]
        return KnownNames(entities, labels["project"], labels["topic"])

    def records(self, rows: Iterable[int]) -> dict[int, Record]:
        """Memories by row; missing ones are left out."""
        return self._by_row("memories", rows, lambda row: self._record(row[1:]))

    def sources(self, rows: Iterable[int]) -> dict[int, tuple[Source, ...]]:
        """The sources of memories, by row; `records` leaves them out."""

        def read(some: list[int]) -> dict[int, tuple[Source, ...]]:
            found: dict[int, tuple[Source, ...]] = {}
            for memory, *source in self._db.all("sources", (these(some),)):
                found[memory] = (*found.get(memory, ()), Source(*source))
            return found

        return self._db.each("sources", rows, read)

    def drawn_from(self, turns: Iterable[int]) -> dict[int, list[int]]:
        """By turn, the rows of the memories drawn from it."""
        return grouped(self._db.all("drawn_from", (these(turns),)))

    def outcomes(self, turns: Iterable[int]) -> dict[int, dict[int, Standing | None]]:
        """As `drawn_from`, with the standing of each memory; None where it cannot be seen."""
        found: dict[int, dict[int, Standing | None]] = {}
        for seq, memory, change, standing in self._db.all("outcomes", (these(turns),)):
            found.setdefault(seq, {})[memory] = standing if change else None
        return found

    def history(self, id: str) -> list[Version]:
        """Every version of a memory and of those that it replaced, oldest first."""
        with self.reading():
            oldest = versions = self._versions(self._row(id))
            seen = {id}
            while (before := oldest[-1].record.replaces) and before not in seen:
                seen.add(before)
                for row in self._db.column("memory_row", (before,)):
                    oldest = self._versions(row)
                    versions = [*oldest, *versions]
        admits = self.wall.admits  # what it was while it was private, or another's, stays so
        return [one for one in versions if admits(one.record.agent, one.record.audience)]

    def _versions(self, row: int) -> list[Version]:
        changes = self._db.all("changes", (row,))
        records = [from_json(before, self.space, self._zone) for *_, before in changes[1:]]
        records += self._whole([row])  # as it is now
        return [
            Version(version, moment(at, self._zone), change, record)
            for (version, at, change, _), record in zip(changes, records, strict=True)
        ]

    def _row(self, id: str) -> int:
        row = self._db.one("memory_row", (id,))
        if row is None:
            raise no_memory(id)
        return int(row[0])

    def _record(self, row: Row, sources: tuple[Source, ...] = ()) -> Record:
        return record_of(row, self.space, self._zone, self.decay, sources)

    # Search

    def search(self, index: Index, words: Sequence[str], where: Filter, limit: int) -> list[Hit]:
        """The rows of an index that best match any of `words`, best first; ties go to the newer."""
        rows = self.indexes.rows(index) if words and limit > 0 else 0
        if not rows:
            return []
        return search(self._db, index, words, where, limit, self.indexes.common(index), rows)

    def admitted(self, index: Index, rows: Iterable[int], where: Filter) -> set[int]:
        """The rows among these that match `where`, for rows found without it."""
        table, (names, values) = TABLES[index], conditions_of(where, index)
        found = self._db.column(
            "matching_of", [these(rows), *values], table=table.truth, key=table.key, where=names
        )
        return set(found)

    def places(self, rows: Iterable[int]) -> dict[int, Place]:
        return self._by_row("places", rows, lambda row: Place(*row))

    def beside(self, rows: Iterable[int]) -> dict[int, Beside]:
        """The two turns before and the two after, as far as there are any, by row."""
        return self._by_row(
            "beside",
            rows,
            lambda row: Beside(tuple(filter(None, row[1:3])), tuple(filter(None, row[3:]))),
        )

    # Care

    def counts(self) -> Counts:
        with self.reading():
            turns, sessions = self._db.all("count_journal")[0]
            memories = self._db.all("count_memories")
        kinds, bands = (dict.fromkeys(names, 0) for names in (KINDS, _BANDS))
        states = {"active": 0, "archived": 0}
        try:
            for kind, state, band, n in memories:
                kinds[kind] += n
                states[state] += n
                bands[band] += n
        except KeyError:  # one that nobody wrote
            raise damaged() from None
        return Counts(turns, sessions, kinds, states["active"], states["archived"], bands)

    def check(self, progress: Progress) -> list[Problem]:
        """Every problem with the data or its indexes; empty if there is none."""
        from loxodon.store.primary import check

        self.for_owner()
        with self.reading():
            return check(self, progress)

    def rebuild(self, progress: Progress) -> int:
        """Rebuild all derived data from the primary data; return how many rows were indexed."""
        self.for_owner()
        done = 0
        with self.writing():
            clear_indexes(self._db)
            for index, rows, total in indexed_rows(self._db):
                if TABLES[index].truth != "memories":
                    texts = [(row, text) for row, text in rows]
                else:
                    records = [(row[0], self._record(row[1:])) for row in rows]
                    labels = [(*one, row) for row, record in records for one in labels_of(record)]
                    self._db.many("put_label", labels)
                    self._set_ends(rows)
                    texts = [(row, record.searchable) for row, record in records]
                self.indexes.put(index, texts)
                done += len(texts)
                progress(done, total)
            while self.worklog.index(BATCH):
                pass
            name_entities(self._db)
            self.vectors._rebuild()
            self._db.set_meta("rates", self._rates())
        return done

    # When memories end

    def reckon_ends(self) -> None:
        """Find anew when memories end, if what they fade by has changed."""
        if self._db.meta("rates") != self._rates():
            for rows in self._db.stream("memories_after", ("active",)):
                self._set_ends(rows)
            self._db.set_meta("rates", self._rates())

    def _rates(self) -> str:
        """How strength falls, as text: two that are the same make memories end alike."""
        ends = [self.decay.end(1.0, _EPOCH, kind, n) for kind in KINDS for n in (0.0, 1.0)]
        return ",".join(str(end and to_stored(end)[0]) for end in ends)

    def _set_ends(self, rows: Sequence[Row]) -> None:
        ends = []
        for row, *columns in rows:
            kept = record_of(columns, self.space, self._zone, None)
            ends.append((self._end(kept, moment(columns[-1], self._zone)), row))
        self._db.many("set_end", ends)


class Off:
    """Stands where the store would while the engine is switched off, whatever is asked of it."""

    def __init__(self, space: str, wall: Wall) -> None:
        self.space = space
        self.wall = wall
        self.audit: Audit | None = None

    def behind(self, wall: Wall) -> Off:
        return Off(self.space, wall)

    def __getattr__(self, name: str) -> NoReturn:
        raise ConfigError(
            "the memory engine is turned off",
            hint="turn it on with `loxodon config enabled true`, or check LOXODON_[MEMORY_]ENABLED",
        )

    def close(self) -> None:
        """Nothing is open."""
