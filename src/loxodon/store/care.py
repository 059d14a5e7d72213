"""Looking after a store: what is wrong with it, and how to feed its indexes anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loxodon.messages import t
from loxodon.store import Progress
from loxodon.store.database import Database, Row
from loxodon.store.search import TURN_TEXT
from loxodon.text.words import index_words
from loxodon.types import Problem

BATCH = 2_000

_INDEXES = ("turn_index", "memory_index", "archive_index")
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
    ("a memory whose history does not lead to it",
     "SELECT id FROM memories m WHERE version <> "
     "(SELECT coalesce(max(version), 0) FROM memory_changes c WHERE c.memory = m.row)"),
)  # fmt: skip

# Each pair must name the same rows: (index, rows of the truth, rows that the index has).
_PAIRED = (
    ("turn_index", "SELECT seq FROM turns"),
    ("memory_index", "SELECT row FROM memories WHERE state = 'active'"),
    ("archive_index", "SELECT row FROM memories WHERE state = 'archived'"),
)


def check(
    db: Database, found_by: Callable[[Row], str], columns: str, progress: Progress
) -> list[Problem]:
    """Every problem of the file, its records and its indexes."""
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
    for index, truth in _PAIRED:
        held = f"SELECT id FROM {index}_docsize"
        for sign, query in ((-1, f"{truth} EXCEPT {held}"), (1, f"{held} EXCEPT {truth}")):
            n = len(db.all(query))
            if n:
                what = t("{n} rows are missing", n=n) if sign < 0 else t("{n} rows are stale", n=n)
                problems.append(Problem(index, what, t("run `{command}`", command=_REBUILD)))
    return problems + _stale_words(db, found_by, columns, progress)


def _stale_words(
    db: Database, found_by: Callable[[Row], str], columns: str, progress: Progress
) -> list[Problem]:
    """Rows whose index was made of other words than they have now."""
    stale = dict.fromkeys(_INDEXES, 0)
    done = 0
    for index, texts, total in batches(db, found_by, columns):
        sizes: dict[int, bytes] = dict(
            db.all(
                f"SELECT id, sz FROM {index}_docsize WHERE id BETWEEN ? AND ?",
                (texts[0][0], texts[-1][0]),
            )
        )
        for row, text in texts:
            if row in sizes and _number(sizes[row]) != len(index_words(text)):
                stale[index] += 1
        done += len(texts)
        progress(done, total)
    return [
        Problem(index, t("{n} rows are stale", n=n), t("run `{command}`", command=_REBUILD))
        for index, n in stale.items()
        if n
    ]


def _number(blob: bytes) -> int:
    """The first of SQLite's variable-length integers in `blob`."""
    value = 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


def clear_indexes(db: Database) -> None:
    """Empty everything that is derived."""
    for name in _INDEXES:
        db.run(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")
    db.run("DELETE FROM common_words")
    db.run("DELETE FROM meta WHERE name IN ('sampled_turns', 'sampled_memories')")


def batches(
    db: Database, found_by: Callable[[Row], str], columns: str
) -> Iterator[tuple[str, list[tuple[int, str]], int]]:
    """All that is indexed: (index, [(row, text), …], how many rows there are in all)."""
    ((total,),) = db.all("SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM memories)")
    last = 0
    while rows := db.all(
        f"SELECT seq, {TURN_TEXT} FROM turns WHERE seq > ? ORDER BY seq LIMIT ?", (last, BATCH)
    ):
        last = rows[-1][0]
        yield "turn_index", [(seq, text) for seq, text in rows], total
    for index, state in (("memory_index", "active"), ("archive_index", "archived")):
        last = 0
        while rows := db.all(
            f"SELECT t.row, {columns} FROM memories t WHERE t.row > ? AND t.state = ? "
            "ORDER BY t.row LIMIT ?",
            (last, state, BATCH),
        ):
            last = rows[-1][0]
            yield index, [(row[0], found_by(row[1:])) for row in rows], total
