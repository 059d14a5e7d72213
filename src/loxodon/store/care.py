"""Looking after a store: what is wrong with it, and how to feed its indexes anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from loxodon.errors import StoreError
from loxodon.messages import t
from loxodon.store import Index, Progress
from loxodon.store.database import Database, Row
from loxodon.store.rows import MEMORY, labels_of
from loxodon.store.search import TABLES
from loxodon.store.sqlite_vectors import check_vectors
from loxodon.text.words import fold, index_words
from loxodon.types import Problem, Record

BATCH = 2_000

_INDEXES = tuple(table.name for table in TABLES.values())
_REBUILD = "loxodon rebuild-index"

# Each finds rows that break a promise: (what is promised of, query for the ids that break it).
BROKEN = (
    ("a turn without a session",
     "SELECT 't_' || seq FROM turns WHERE session NOT IN (SELECT no FROM sessions)"),
    ("a memory with a kind, state or number that cannot be",
     "SELECT id FROM memories WHERE kind NOT IN ('fact', 'belief', 'summary') "
     "OR state NOT IN ('active', 'archived') OR NOT importance BETWEEN 0 AND 1 "
     "OR NOT confidence BETWEEN 0 AND 1 OR strength < 0"),
    ("a memory whose lists are not JSON",
     "SELECT id FROM memories WHERE NOT (json_valid(tags) AND json_valid(entities) "
     "AND json_valid(derived_from))"),
    ("a memory in the place of one that is not there",
     "SELECT id FROM memories m WHERE replaces <> '' "
     "AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.id = m.replaces)"),
    ("an entity, segment or note whose lists are not JSON",
     "SELECT 'e_' || no FROM entities WHERE NOT json_valid(aliases) "
     "UNION ALL SELECT topic FROM segments WHERE NOT json_valid(tags) "
     "UNION ALL SELECT 'n_' || chunk FROM chunk_places WHERE NOT json_valid(triggers)"),
    ("a review of what is no belief, or with an answer that cannot be",
     "SELECT m.id FROM reviews r JOIN memories m ON m.row = r.belief "
     "WHERE m.kind <> 'belief' OR r.answer NOT IN ('', 'confirmed', 'rejected')"),
    ("work in hand that cannot be read",
     "SELECT 't_' || turn FROM fragments WHERE stage NOT IN ('cut', 'judged', 'waiting', 'failed') "
     "UNION ALL SELECT 't_' || turn FROM candidates WHERE NOT json_valid(body) "
     "UNION ALL SELECT name FROM pages WHERE NOT json_valid(basis)"),
    ("a document that is not JSON",
     "SELECT namespace || key FROM documents WHERE NOT json_valid(value)"),
    ("a memory whose history does not lead to it",
     "SELECT id FROM memories m WHERE version <> "
     "(SELECT coalesce(max(version), 0) FROM memory_changes c WHERE c.memory = m.row)"),
)  # fmt: skip

RecordOf = Callable[[Row], Record]
EndOf = Callable[[Row], int]
"""The moment at which the memory of a row ends by itself."""


def check(
    db: Database, record_of: RecordOf, end_of: EndOf | None, progress: Progress
) -> list[Problem]:
    """Every problem of the file, its records and its indexes. Call within one view of the data.

    Without `end_of` the ends of memories are left alone: they were reckoned by other rates.
    """
    if broken := _broken_indexes(db):
        return broken
    problems = [
        Problem(db.path, str(message), t("restore the file from a backup"))
        for (message,) in db.all("PRAGMA integrity_check(20)")
        if message != "ok"
    ]
    for table, rowid, parent, _ in db.all("PRAGMA foreign_key_check"):
        what = t("row {row} points at a row of {parent} that is gone", row=rowid, parent=parent)
        problems.append(Problem(table, what, t("restore the file from a backup")))
    for what, query in BROKEN:
        for (id,) in db.all(f"{query} LIMIT 20"):
            problems.append(Problem(str(id), t(what), t("restore the file from a backup")))
    if problems:  # rows that cannot be read cannot be compared with their index
        return problems
    for index, table in TABLES.items():
        # An index has the rows of its truth, no more and no fewer.
        truth = f"SELECT {table.key} FROM {table.truth} WHERE {table.which}"
        held = f"SELECT id FROM {table.name}_docsize"
        missing = len(db.all(f"{truth} EXCEPT {held}"))
        stale = len(db.all(f"{held} EXCEPT {truth}"))
        problems += _derived(table.name, missing, stale)
        ((counted, rows),) = db.all(
            "SELECT (SELECT coalesce(max(last), 0) FROM counters WHERE name = ?), "
            f"(SELECT count(*) FROM ({truth}))",
            (f"rows_{index}",),
        )
        problems += _derived(f"rows_{index}", 0, abs(counted - rows))
    problems += _entity_names(db) + _derived("vectors", *check_vectors(db))
    return problems + _stale(db, record_of, end_of, progress) + _put_aside(db)


def _entity_names(db: Database) -> list[Problem]:
    """Names that should lead to an entity, or to another one, and how many entities there are."""
    entities = {
        no: {fold(one) for one in (name, *json.loads(aliases))}
        for no, name, aliases in db.all("SELECT no, name, aliases FROM entities")
    }
    names: dict[str, int] = dict(db.all("SELECT name, entity FROM entity_names"))
    missing = len(set().union(*entities.values()) - names.keys())
    stale = sum(name not in entities.get(no, ()) for name, no in names.items())
    counted = db.one(db.sql["counter"], ("rows_entities",)) or (0,)
    return _derived("entity_names", missing, stale) + _derived(
        "rows_entities", 0, abs(counted[0] - len(entities))
    )


def _put_aside(db: Database) -> list[Problem]:
    """Messages that the rules stumbled over."""
    hint = t("it stays in the journal; report it, so that it can be read one day")
    return [
        Problem(f"t_{turn}", t("this message could not be read: {reason}", reason=reason), hint)
        for turn, reason in db.all(
            "SELECT turn, reason FROM fragments WHERE stage = 'failed' ORDER BY turn LIMIT 20"
        )
    ]


def _broken_indexes(db: Database) -> list[Problem]:
    """Indexes that cannot be asked at all.

    Asking also matters for the others: until then a connection may hold an old idea of an index
    that someone else has changed, and take it for damage.
    """
    found = []
    for name in _INDEXES:
        try:
            db.run(f"SELECT 1 FROM {name} WHERE {name} MATCH 'a' LIMIT 1")
        except StoreError as error:
            hint = t("run `{command}`", command=_REBUILD)
            found.append(Problem(name, error.localized()[0], hint))
    return found


def _derived(name: str, missing: int, stale: int) -> list[Problem]:
    hint = t("run `{command}`", command=_REBUILD)
    found = [Problem(name, t("{n} rows are missing", n=missing), hint)] if missing else []
    return found + ([Problem(name, t("{n} rows are stale", n=stale), hint)] if stale else [])


def _stale(
    db: Database, record_of: RecordOf, end_of: EndOf | None, progress: Progress
) -> list[Problem]:
    """Rows with other labels or another end than they should have, or other words by their number.

    The index keeps how many words a row had, not which: a change of one word for another, made
    behind Loxodon's back, is not seen.
    """
    stale = dict.fromkeys((*_INDEXES, "memory_labels", "ends_at"), 0)
    done = 0
    for index, rows, total in batches(db):
        name, between = TABLES[index].name, (rows[0][0], rows[-1][0])
        query = f"SELECT id, sz FROM {name}_docsize WHERE id BETWEEN ? AND ?"
        sizes: dict[int, bytes] = dict(db.all(query, between))
        labels: dict[int, set[tuple[str, str]]] = {}
        ends: dict[int, int] = {}
        of_memories = TABLES[index].truth == "memories"
        if of_memories:
            query = (
                "SELECT memory, label, name FROM memory_labels "
                "WHERE memory BETWEEN ? AND ? AND label <> 'keyword'"
            )
            for memory, label, named in db.all(query, between):
                labels.setdefault(memory, set()).add((label, named))
            query = "SELECT row, ends_at FROM memories WHERE row BETWEEN ? AND ?"
            ends = dict(db.all(query, between))
        for row, *rest in rows:
            text = rest[0]
            if of_memories:
                record = record_of(tuple(rest))
                text = record.searchable
                stale["memory_labels"] += labels.get(row, set()) != labels_of(record)
                if index == "memories" and end_of:
                    stale["ends_at"] += ends[row] != end_of(tuple(rest))
            if row in sizes and _number(sizes[row]) != len(index_words(text)):
                stale[name] += 1
        done += len(rows)
        progress(done, total)
    return [problem for name, n in stale.items() for problem in _derived(name, 0, n)]


def _number(blob: bytes) -> int:
    """The first of SQLite's variable-length integers in `blob`."""
    value = 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def clear_indexes(db: Database) -> None:
    """Make everything that is derived anew, and empty; call within a transaction.

    A damaged index can be neither emptied nor dropped, so each is taken apart: its tables first,
    then its entry in the schema, then it is made again as it was defined.
    """
    for name in _INDEXES:
        ((definition,),) = db.all("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
        for part in ("data", "idx", "docsize", "config"):
            db.run(f"DROP TABLE IF EXISTS {name}_{part}")
        db.run("PRAGMA writable_schema=ON")
        db.run("DELETE FROM sqlite_schema WHERE name = ?", (name,))
        db.run("PRAGMA writable_schema=RESET")
        db.run(definition)
        db.run(f"INSERT INTO {name} ({name}, rank) VALUES ('automerge', 16), ('secure-delete', 1)")
    db.run("DELETE FROM common_words")
    db.run("DELETE FROM memory_labels")
    db.run("INSERT OR IGNORE INTO unindexed SELECT row FROM memories")
    db.run("DELETE FROM meta WHERE name LIKE 'sampled\\_%' ESCAPE '\\'")
    db.run("DELETE FROM counters WHERE name LIKE 'rows\\_%' ESCAPE '\\'")


def batches(db: Database) -> Iterator[tuple[Index, list[Row], int]]:
    """All that is indexed: (index, rows, how many there are in all).

    A row of the memories is (row, *MEMORY), any other (row, text).
    """
    tables = {table.truth for table in TABLES.values()}
    total = sum(db.all(f"SELECT count(*) FROM {name}")[0][0] for name in tables)
    for index, table in TABLES.items():
        last = 0
        while table.truth != "memories" and (
            rows := db.all(
                f"SELECT {table.key}, {table.text} FROM {table.truth} WHERE {table.key} > ? "
                f"ORDER BY {table.key} LIMIT ?",
                (last, BATCH),
            )
        ):
            last = rows[-1][0]
            yield index, rows, total
    states: tuple[tuple[Index, str], ...] = (("memories", "active"), ("archive", "archived"))
    for index, state in states:
        for rows in memories(db, state):
            yield index, rows, total


def memories(db: Database, state: str) -> Iterator[list[Row]]:
    """All memories of a state, a batch at a time, as (row, *MEMORY)."""
    last = 0
    while rows := db.all(
        f"SELECT t.row, {MEMORY} FROM memories t WHERE t.row > ? AND +t.state = ? "
        "ORDER BY t.row LIMIT ?",
        (last, state, BATCH),
    ):
        last = rows[-1][0]
        yield rows


def name_entities(db: Database) -> None:
    """Let every name lead to its entity anew, and count them; call within a transaction.

    A name that two have leads to the one that is called so, else to the one known longer.
    """
    entities = db.all("SELECT no, name, aliases FROM entities ORDER BY no")
    names = [(fold(name), no) for no, name, _ in entities]
    names += [(fold(alias), no) for no, _, aliases in entities for alias in json.loads(aliases)]
    db.run("DELETE FROM entity_names")
    db.many(db.sql["put_entity_name"], names)
    db.run(db.sql["take_numbers"], ("rows_entities", len(entities)))
