"""What a store is made of again, out of what was salvaged and the copies there are. Pure.

For a row that is damaged or gone, a copy counts as exact where the seal of the row, which lies
elsewhere in the file, fits it. Without one an older copy is taken, of a memory also the version
before in its own history; and where there is nothing, it is lost, and so is what hangs on it alone.
Every such step is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite.salvage import Key, Salvaged

Fate = Literal["exact", "older", "lost"]
Rows = dict[str, dict[Key, Row]]
"""The rows of each table by their keys, as a file keeps them."""


class Mended(NamedTuple):
    """What became of a row that was damaged."""

    table: str
    key: Key
    fate: Fate
    source: str
    """Where the copy came from; empty for a row that is lost."""


class IntactCopy(NamedTuple):
    """The rows of an intact copy."""

    name: str
    rows: Rows


class Reference(NamedTuple):
    """A column that names a row of another table."""

    table: str
    column: str
    parent: str
    needed: bool
    """Whether the row cannot be without it."""


class Result(NamedTuple):
    rows: Rows
    mended: list[Mended]


def mend(
    salvaged: Mapping[str, Salvaged], copies: Sequence[IntactCopy], references: Iterable[Reference]
) -> Result:
    """All rows of a sound store, and what became of those that were damaged."""
    rows: Rows = {name: dict(one.rows) for name, one in salvaged.items()}
    told: list[Mended] = []
    for name, one in salvaged.items():
        told += [
            _from_copies(one, key, copies, rows[name]) for key in sorted(one.damaged, key=repr)
        ]
        if not one.whole:
            told += _unknown(one, copies, rows[name])
    told = _memories_of_before(rows, told)
    _name_sessions(rows)
    told += _let_go(rows, references)
    told += _fill_histories(rows)
    return Result(rows, told)


def _from_copies(
    one: Salvaged, key: Key, copies: Sequence[IntactCopy], rows: dict[Key, Row]
) -> Mended:
    table = one.sealed.table
    candidates = [
        (copy.name, copy.rows[table][key]) for copy in copies if key in copy.rows.get(table, ())
    ]
    for name, row in candidates:
        if one.fits(key, row):
            rows[key] = row
            return Mended(table, key, "exact", name)
    if not candidates:
        return Mended(table, key, "lost", "")
    name, rows[key] = candidates[0]
    return Mended(table, key, "older", name)


def _unknown(one: Salvaged, copies: Sequence[IntactCopy], rows: dict[Key, Row]) -> list[Mended]:
    """Rows that only the copies know, of a table that could not be read whole."""
    found = []
    for copy in copies:
        for key, row in copy.rows.get(one.sealed.table, {}).items():
            if key not in rows and key not in one.damaged:
                rows[key] = row
                found.append(Mended(one.sealed.table, key, "older", copy.name))
    return found


# Memories

_CHANGE = {name: n for n, name in enumerate(PRIMARY_TABLES["memory_changes"].columns)}
_MEMORY = {name: n for n, name in enumerate(PRIMARY_TABLES["memories"].columns)}
_HISTORY = "history"


def _memories_of_before(rows: Rows, told: list[Mended]) -> list[Mended]:
    """A memory without an exact copy becomes the newest that its history or a copy has."""
    found = []
    for one in told:
        if one.table == "memories" and one.fate != "exact":
            one = _newest_known(rows, one)
        found.append(one)
    for key, memory in rows["memories"].items():  # what came after is over with it
        version = memory[_MEMORY["version"]]
        for change in [c for c in rows["memory_changes"] if c[0] == key[0] and c[1] > version]:
            del rows["memory_changes"][change]
    return found


def _newest_known(rows: Rows, one: Mended) -> Mended:
    number = one.key[0]
    changes = {key[1]: row for key, row in rows["memory_changes"].items() if key[0] == number}
    last = max((n for n, row in changes.items() if row[_CHANGE["before"]]), default=0)
    held = rows["memories"].get(one.key)
    if last < 2 or (held is not None and held[_MEMORY["version"]] >= last - 1):
        return one
    try:
        before = json.loads(changes[last][_CHANGE["before"]])
        values = tuple(number if name == "row" else before[name] for name in _MEMORY)
        sources = [
            (number, n, session, turn, None, file, line)
            for n, (session, turn, file, line) in enumerate(before["sources"])
        ]
    except (ValueError, KeyError, TypeError):
        return one
    rows["memories"][one.key] = values
    for key in [key for key in rows["memory_sources"] if key[0] == number]:
        del rows["memory_sources"][key]
    rows["memory_sources"].update({source[:2]: source for source in sources})
    return one._replace(fate="older", source=_HISTORY)


def _fill_histories(rows: Rows) -> list[Mended]:
    """A version that is gone keeps its place in the history, as what stood there afterwards."""
    found = []
    for (number,), memory in rows["memories"].items():
        version, later = memory[_MEMORY["version"]], dict(zip(_MEMORY, memory, strict=True))
        del later["row"]
        later["sources"] = []
        for n in range(version, 0, -1):
            change = rows["memory_changes"].get((number, n))
            if change is None:
                found.append(Mended("memory_changes", (number, n), "lost", ""))
                before = json.dumps({**later, "version": n - 1}, ensure_ascii=False)
                at = later["updated_at"] if n > 1 else later["created_at"]
                change = (number, n, at, "lost", before if n > 1 else None)
                rows["memory_changes"][number, n] = change
            elif n > 1:
                later = json.loads(change[_CHANGE["before"]])
    return found


# What hangs together


def _name_sessions(rows: Rows) -> None:
    """Turns whose session is gone get it back under a name that says so."""
    columns = {name: n for n, name in enumerate(PRIMARY_TABLES["turns"].columns)}
    known = {key[0] for key in rows["sessions"]}
    orphans: dict[int, list[int]] = {}
    for turn in rows["turns"].values():
        if turn[columns["session"]] not in known:
            orphans.setdefault(turn[columns["session"]], []).append(turn[columns["at"]])
    for no, times in orphans.items():
        rows["sessions"][no,] = (no, f"lost-{no}", len(times), min(times), max(times))


def _let_go(rows: Rows, references: Iterable[Reference]) -> list[Mended]:
    """Take out what belongs to a row that is gone, until all fits together."""
    wanted = list(references)
    found: list[Mended] = []
    while True:
        before = len(found)
        for one in wanted:
            there = {key[0] for key in rows[one.parent]}
            place = PRIMARY_TABLES[one.table].columns.index(one.column)
            for key, row in list(rows[one.table].items()):
                if row[place] is None or row[place] in there:
                    continue
                if one.needed:
                    del rows[one.table][key]
                    found.append(Mended(one.table, key, "lost", ""))
                else:
                    rows[one.table][key] = (*row[:place], None, *row[place + 1 :])
        if len(found) == before:
            break
    ids = {memory[_MEMORY["id"]] for memory in rows["memories"].values()}
    place = _MEMORY["replaces"]
    for key, memory in rows["memories"].items():
        if memory[place] and memory[place] not in ids:
            rows["memories"][key] = (*memory[:place], "", *memory[place + 1 :])
    return found


# Between what a file keeps and what a dump gives


class Names:
    """The numbers of sessions and memories, and their ids."""

    def __init__(self, *found: Rows) -> None:
        sessions = [row for rows in found for row in rows.get("sessions", {}).values()]
        memories = [row for rows in found for row in rows.get("memories", {}).values()]
        self._session_ids: dict[Any, Any] = {row[0]: row[1] for row in sessions}
        self._memory_ids: dict[Any, Any] = {row[0]: row[1] for row in memories}
        self._sessions = {id: no for no, id in self._session_ids.items()}
        self._memories = {id: row for row, id in self._memory_ids.items()}

    def dumped(self, table: str, row: Row) -> Row:
        """A row as `PrimaryData.dump` gives it."""
        return self._changed(table, row, self._session_ids, self._memory_ids)

    def kept(self, table: str, row: Row) -> Row:
        """A row that was dumped, as a file keeps it."""
        return self._changed(table, row, self._sessions, self._memories)

    @staticmethod
    def _changed(
        table: str, row: Row, sessions: Mapping[Any, Any], memories: Mapping[Any, Any]
    ) -> Row:
        spec = PRIMARY_TABLES[table]
        return tuple(
            sessions.get(value)
            if name in spec.sessions
            else memories.get(value)
            if name in spec.memories
            else value
            for name, value in zip(spec.columns, row, strict=True)
        )


def keyed(table: str, rows: Iterable[Row], key: Sequence[str]) -> dict[Key, Row]:
    """Rows by their keys."""
    places = [PRIMARY_TABLES[table].columns.index(name) for name in key]
    return {tuple(row[place] for place in places): row for row in rows}
