"""What can be read of a damaged file, put together with intact copies of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from typing import Literal, NamedTuple

import apsw

from loxodon.store.checks import RULES
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys

_UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError)
_NAME_LOST_SESSIONS = """
INSERT INTO sessions (no, id, turns, first_at, last_at)
SELECT session, 'lost-' || session, count(*), min(at), max(at) FROM turns
WHERE session NOT IN (SELECT no FROM sessions) GROUP BY session
"""
_FORGET_REPLACED = """
UPDATE memories SET replaces = '' WHERE replaces <> '' AND replaces NOT IN (SELECT id FROM memories)
"""
_UNHISTORIC = """
SELECT row, created_at FROM memories WHERE (version, version) <> (
  SELECT coalesce(max(version), 0), count(*) FROM memory_changes WHERE memory = memories.row)
"""


class Mended(NamedTuple):
    """What became of a row that was damaged."""

    table: str
    key: str
    fate: Literal["copied", "lost"]  # replaced by a copy, which may be older; or there was none
    source: str  # of the copy: `views`, `history` or a file; empty where there was none


def merge(
    new: apsw.Connection, damaged: str, keys: Keys, copies: Iterable[tuple[str, str]]
) -> list[Mended]:
    """Fill an empty database with the rows of a damaged one that can be read, then with those that
    are missing from intact copies: (name, path). Returns what was missing."""
    missing: dict[str, set[Row] | None] = dict.fromkeys(PRIMARY_TABLES)
    for table in ("counters", "meta"):  # a new database has some of its own
        new.execute(f"DELETE FROM {table} WHERE {PRIMARY_TABLES[table].which}")
    with suppress(*_UNREADABLE), closing(cipher.connect(damaged, keys)) as connection:
        for table in PRIMARY_TABLES:
            missing[table] = _read(connection, new, table)
    mended = []
    for name, path in copies:
        with closing(cipher.connect(path, keys)) as connection:
            for table, wanted in missing.items():
                # Of a table that was read to its end, what is not in it was deleted.
                columns = PRIMARY_TABLES[table].columns
                select = (
                    f"SELECT {', '.join(columns)} FROM {table} WHERE {PRIMARY_TABLES[table].which}"
                )
                for row in connection.execute(select) if wanted != set() else ():
                    key = row[: PRIMARY_TABLES[table].key]
                    if (wanted is None or key in wanted) and _put(new, table, columns, row):
                        mended.append(Mended(table, _shown(key), "copied", name))
    mended += [
        Mended(table, _shown(key), "lost", "")
        for table, keys_lost in missing.items()
        for key in keys_lost or ()
        if not _has(new, table, key)
    ]
    return mended + _made_consistent(new)


def _read(damaged: apsw.Connection, new: apsw.Connection, table: str) -> set[Row] | None:
    """Copy the rows of a table, from its first on and, where a page is damaged, from its last back.
    The keys of those that cannot be read, or None where a page is damaged."""
    spec, broken = PRIMARY_TABLES[table], set[Row]()
    about = new.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
    texts = {name for name, type in about if type == "TEXT"}
    # As bytes a text can be read whatever has become of it.
    given = ", ".join(f"CAST({one} AS BLOB)" if one in texts else one for one in spec.columns)
    key = spec.columns[: spec.key]
    complete = False
    for order in ("ASC", "DESC"):
        ordered = ", ".join(f"{name} {order}" for name in key)
        try:
            select = f"SELECT {given} FROM {table} NOT INDEXED ORDER BY {ordered}"
            for row in damaged.execute(select):
                try:
                    values = tuple(
                        bytes(one).decode() if name in texts and one is not None else one
                        for name, one in zip(spec.columns, row, strict=True)
                    )
                except UnicodeDecodeError:
                    broken.add(row[: spec.key])
                    continue
                _put(new, table, spec.columns, values)
            complete = True
            break
        except _UNREADABLE:
            continue
    for rule in RULES:
        if rule.table == table and rule.of_row:
            cut = f"DELETE FROM {table} AS t WHERE {rule.broken} RETURNING {', '.join(key)}"
            broken |= set(new.execute(cut).fetchall())
    return broken if complete else None


def _made_consistent(new: apsw.Connection) -> list[Mended]:
    """Take out what refers to rows that are gone; a history that is damaged begins anew."""
    new.execute(_NAME_LOST_SESSIONS)
    mended = []
    while found := new.execute("PRAGMA foreign_key_check").fetchall():
        for table, row, _, number in found:
            for link in new.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,)):
                optional = 'SELECT 1 FROM pragma_table_info(?) WHERE name = ? AND NOT "notnull"'
                column = str(link[3])
                if link[0] != number:
                    continue
                if new.execute(optional, (table, column)).fetchall():
                    new.execute(f"UPDATE {table} SET {column} = NULL WHERE rowid = ?", (row,))
                else:
                    new.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
                    mended.append(Mended(str(table), str(row), "lost", ""))
    new.execute(_FORGET_REPLACED)
    for row, at in new.execute(_UNHISTORIC).fetchall():
        new.execute("DELETE FROM memory_changes WHERE memory = ?", (row,))
        new.execute("UPDATE memories SET version = 1 WHERE row = ?", (row,))
        new.execute("INSERT INTO memory_changes VALUES (?, 1, ?, 'lost', NULL)", (row, at))
        mended.append(Mended("memory_changes", str(row), "lost", ""))
    return mended


def _put(new: apsw.Connection, table: str, columns: Sequence[str], row: Row) -> bool:
    """Put a row where there is none with its key; whether it was."""
    marks = ", ".join("?" * len(columns))
    put = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks}) RETURNING 1"
    return bool(new.execute(put, row).fetchall())


def _has(new: apsw.Connection, table: str, key: Row) -> bool:
    spec = PRIMARY_TABLES[table]
    where = " AND ".join(f"{name} = ?" for name in spec.columns[: spec.key])
    return bool(new.execute(f"SELECT 1 FROM {table} WHERE {where}", key).fetchall())


def _shown(key: Row) -> str:
    return ".".join(
        part.decode("utf-8", "backslashreplace") if isinstance(part, bytes) else str(part)
        for part in key
    )
