"""A sound database out of a damaged one: `loxodon repair`.

Where only derived data is wrong, it is made anew in its place, in one transaction. Otherwise a new
database is made beside the old one: every row that can still be read, and for what cannot, copies
from the text views, a backup or a file that is named. It is checked, then moved into place; the
damaged file is kept. Whatever fails or is killed before that has changed nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from zipfile import is_zipfile

import apsw

from loxodon.backup import archive
from loxodon.backup.create import found as backups_found
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.drafts import draft_in
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    InputError,
    LockedStoreError,
    LoxodonError,
    NotFoundError,
    StoreError,
)
from loxodon.filelock import FileLock
from loxodon.layout import DATABASE, WORKSPACE
from loxodon.memory import Memory
from loxodon.opening import keys_for
from loxodon.spaces import folder_name, home_at, no_space, space_folder
from loxodon.store import Progress
from loxodon.store.checks import PROMISES
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import carry_log
from loxodon.store.sqlite.database import move_in
from loxodon.store.sqlite.schema import blueprint, check_schema
from loxodon.store.sqlite.store import SqliteStore
from loxodon.types import Mended, Problem, Repaired
from loxodon.workspace.views.restore import Batch, free, rows_in
from loxodon.write.decay import Decay

_DRAFT = "repairing-"
_LOCK_SECONDS = 30.0
_UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError)

Key = tuple[Any, ...]
Rows = dict[str, dict[Key, Row]]
"""The rows of each table by their keys, with the numbers of sessions and memories."""


@dataclass(frozen=True)
class _Place:
    """Where a space is, and how its file is opened."""

    home: str
    space: str
    folder: str
    config: Config
    clock: Clock
    keys: Keys

    @property
    def path(self) -> str:
        return os.path.join(self.folder, DATABASE)

    def opened(self, path: str) -> SqliteStore:
        zone = zone_named(self.config.timezone)
        return SqliteStore(path, self.space, zone, Decay(self.config.decay, self.clock), self.keys)


def repair(
    home: str,
    space: str = "main",
    *,
    config: Config,
    clock: Clock | None = None,
    key: bytes | None = None,
    source: str = "",
    progress: Progress,
) -> Repaired:
    """Make the store of a space sound again, and say what was damaged, replaced and lost.

    `source` is a backup, a database or a folder of views to copy missing rows from. Without it the
    text views of the space and its newest backup are used.
    """
    home = home_at(home)
    folder = space_folder(home, space, make=False)
    clock = clock or system_clock(zone_named(config.timezone))
    place = _Place(home, space, folder, config, clock, keys_for(home, config, key))
    if not os.path.exists(place.path):
        raise no_space(space)
    with draft_in(folder, _DRAFT) as draft:  # which removes what a killed repair left
        problems, sound = _rebuild_derived(place, progress)
        if sound:
            return Repaired(tuple(problems), rebuilt=bool(problems))
        return _rebuild_all(place, draft, problems, source, progress)


class _StillDamagedError(Exception):
    """Making anew what is derived was not enough: it is undone."""


def _rebuild_derived(place: _Place, progress: Progress) -> tuple[list[Problem], bool]:
    """What was wrong, and whether nothing is any more."""
    try:
        store = place.opened(place.path)
    except (DamagedStoreError, ForeignStoreError) as error:
        return [Problem(place.path, *error.localized())], False
    except LockedStoreError as error:
        if place.keys or cipher.checks(place.path):  # it is encrypted
            raise
        return [Problem(place.path, *error.localized())], False
    problems: list[Problem] = []
    try:
        problems = store.check(progress)
        if any(not one.derived for one in problems):
            return problems, False
        if problems:
            with store.writing():
                store.remake(progress)
                if store.check(progress):
                    raise _StillDamagedError
        return problems, True
    except (_StillDamagedError, DamagedStoreError):
        return problems, False
    finally:
        store.close()


def _rebuild_all(
    place: _Place, draft: str, problems: Sequence[Problem], source: str, progress: Progress
) -> Repaired:
    salvaged = _Salvage(_copied(place, draft), place)
    copies = [*_copies(place, draft, source)]
    names = _Names(salvaged.rows, *(rows for _, rows in copies))
    mended = salvaged.filled([(name, names.kept(rows, salvaged.keys)) for name, rows in copies])
    mended += _made_consistent(salvaged.rows, salvaged.references)
    if not any(salvaged.rows.values()):
        raise StoreError(
            "nothing in {path} can be read",
            hint="nothing was changed; restore a backup with `loxodon restore`",
            path=place.path,
        )
    new = os.path.join(draft, DATABASE)
    store = place.opened(new)
    try:
        store.primary.load(_Names(salvaged.rows).dumped(salvaged.rows), progress)
        if wrong := store.check(progress):
            raise StoreError(
                "the recovered data is inconsistent: {where}: {what}",
                hint="nothing was changed; restore a backup with `loxodon restore`",
                where=wrong[0].where,
                what=wrong[0].what,
            )
        counts = store.counts()
    finally:
        store.close()
    aside = free(f"{place.path}.before-repair")
    carry_log(place.path, new, place.keys)
    move_in(new, place.path, aside, place.keys)
    with (
        suppress(LoxodonError),  # notes are where they were, and are read the next time
        Memory.open(place.home, place.space, place.config, place.clock) as memory,
    ):
        memory.workspace.index()
    memories = counts.active + counts.archived
    return Repaired(tuple(problems), False, counts.turns, memories, tuple(mended), aside)


# What can still be read


def _copied(place: _Place, draft: str) -> str:
    """The damaged file, copied while nobody writes to it."""
    target = os.path.join(draft, "damaged.db")
    lock = FileLock(os.path.splitext(place.path)[0] + ".lock")
    try:
        if not lock.acquire(_LOCK_SECONDS):
            raise BusyStoreError(
                "{path} is locked by another program",
                hint="close that program, or try again later",
                path=place.path,
            )
        for end in ("", "-wal", ".check"):
            if os.path.exists(place.path + end):
                shutil.copyfile(place.path + end, target + end)
                os.chmod(target + end, 0o600)
    finally:
        lock.close()
    if not place.keys and cipher.begins_like_ours(target):
        with open(target, "r+b") as file:  # what every file begins with is known
            file.write(cipher.BEGINNING)
    return target


@dataclass(frozen=True)
class _Reference:
    """A column that names a row of another table."""

    table: str
    column: str
    parent: str
    needed: bool


class _Salvage:
    """The rows of a damaged file that can be read."""

    def __init__(self, path: str, place: _Place) -> None:
        self.rows: Rows = {table: {} for table in PRIMARY_TABLES}
        self._unreadable: dict[str, set[Key]] = {table: set() for table in PRIMARY_TABLES}
        self._whole: set[str] = set()
        """Tables that were read to their end: what is not in them was not there."""
        self._columns: dict[str, dict[str, tuple[str, bool]]] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.references: list[_Reference] = []
        with blueprint() as model:
            self._describe(model)
        connection = None
        try:
            connection = cipher.connect(path, place.keys, apsw.SQLITE_OPEN_READWRITE)
            for table in PRIMARY_TABLES:
                self._read(connection, table)
        except _UNREADABLE:
            self._whole.clear()
        finally:
            if connection is not None:
                connection.close()
        owner = self.rows["meta"].get(("space",), ("space", place.space))[1]
        if owner != place.space:
            raise DamagedStoreError(
                "{path} contains the space {owner}, not {space}",
                hint="the file was moved or copied here; move it back",
                path=place.path,
                owner=repr(owner),
                space=repr(place.space),
            )

    def _describe(self, model: apsw.Connection) -> None:
        for table in PRIMARY_TABLES:
            about: list[Any] = model.execute(
                'SELECT name, type, "notnull" OR pk, pk FROM pragma_table_info(?)', (table,)
            ).fetchall()
            self._columns[table] = {name: (type, bool(need)) for name, type, need, _ in about}
            key = sorted((pk, name) for name, _, _, pk in about if pk)
            self.keys[table] = tuple(name for _, name in key)
            for parent, column in model.execute(
                'SELECT "table", "from" FROM pragma_foreign_key_list(?)', (table,)
            ):
                if parent in PRIMARY_TABLES and column in PRIMARY_TABLES[table].columns:
                    needed = self._columns[table][column][1]
                    self.references.append(_Reference(table, column, parent, needed))

    def _read(self, connection: apsw.Connection, table: str) -> None:
        columns, key = PRIMARY_TABLES[table].columns, self.keys[table]
        places = [columns.index(name) for name in key]
        # As bytes everything can be read, whatever has become of it. A REAL would lose digits.
        given = ", ".join(
            name if self._columns[table][name][0] == "REAL" else f"CAST({name} AS BLOB)"
            for name in columns
        )
        ends = []
        for order in ("ASC", "DESC"):  # from its end back to where it broke off
            ordered = ", ".join(f"{name} {order}" for name in key)
            query = f"SELECT {given} FROM {table} NOT INDEXED ORDER BY {ordered}"  # noqa: S608
            try:
                for row in connection.execute(query):
                    self._sort(table, row, places)
                ends.append(order)
                break
            except _UNREADABLE:
                continue
        for promise in PROMISES:
            if promise.table == table and promise.of_row:
                ask = f"SELECT {', '.join(key)} FROM {table} t WHERE {promise.broken}"  # noqa: S608
                with suppress(*_UNREADABLE, UnicodeDecodeError):
                    for broken in connection.execute(ask).fetchall():
                        self._unreadable[table].add(broken)
                        self.rows[table].pop(broken, None)
        if ends:
            self._whole.add(table)

    def _sort(self, table: str, read: Row, places: Sequence[int]) -> None:
        columns, values = self._columns[table], []
        unreadable = False
        for name, value in zip(PRIMARY_TABLES[table].columns, read, strict=True):
            try:
                values.append(_value(*columns[name], value))
            except ValueError:
                values.append(value)
                unreadable = True
        key = tuple(values[place] for place in places)
        if unreadable:
            self._unreadable[table].add(key)
        else:
            self.rows[table][key] = tuple(values)

    def filled(self, copies: Sequence[tuple[str, Rows]]) -> list[Mended]:
        """Put copies in the place of rows that cannot be read; what became of these."""
        found: list[Mended] = []
        for table, rows in self.rows.items():
            for name, copy in copies:
                for key, row in copy.get(table, {}).items():
                    if key in rows or (table in self._whole and key not in self._unreadable[table]):
                        continue
                    rows[key] = row
                    found.append(_mended(table, key, name))
            gone = sorted(self._unreadable[table] - rows.keys(), key=repr)
            found += [_mended(table, key) for key in gone]
        return [self._from_history(one) for one in found]

    def _from_history(self, one: Mended) -> Mended:
        """A memory that nobody has a copy of becomes what its history says it was before."""
        if one.table != "memories" or one.fate != "lost":
            return one
        number = int(one.key) if one.key.isdecimal() else 0
        changes = {
            key[1]: row for key, row in self.rows["memory_changes"].items() if key[0] == number
        }
        last = max((n for n, row in changes.items() if row[_BEFORE]), default=0)
        try:
            before = json.loads(changes[last][_BEFORE])
            memory = tuple(number if name == "row" else before[name] for name in _MEMORY)
            sources = [
                (number, n, session, turn, None, file, line)
                for n, (session, turn, file, line) in enumerate(before["sources"])
            ]
        except (ValueError, KeyError, TypeError):
            return one
        self.rows["memories"][number,] = memory
        for kept in [key for key in self.rows["memory_sources"] if key[0] == number]:
            del self.rows["memory_sources"][kept]
        self.rows["memory_sources"].update({source[:2]: source for source in sources})
        return one._replace(fate="copied", source="history")


_MEMORY = {name: n for n, name in enumerate(PRIMARY_TABLES["memories"].columns)}
_BEFORE = PRIMARY_TABLES["memory_changes"].columns.index("before")


def _value(type: str, needed: bool, value: Any) -> Any:
    """A value as its column keeps it; ValueError where it is none."""
    if value is None:
        if needed:
            raise ValueError
        return None
    if not isinstance(value, bytes):
        return value
    if type == "INTEGER":
        return int(value)
    return value.decode() if type == "TEXT" else value


def _mended(table: str, key: Key, source: str = "") -> Mended:
    shown = ".".join(
        part.decode("utf-8", "backslashreplace") if isinstance(part, bytes) else str(part)
        for part in key
    )
    return Mended(table, shown, "copied" if source else "lost", source)


# Copies


def _copies(place: _Place, draft: str, source: str) -> Iterator[tuple[str, Rows]]:
    """The intact copies there are, each with a name, the best first. Rows are as dumped."""
    if source:
        yield source, _copy_at(place, draft, os.path.abspath(os.path.expanduser(source)))
    named = place.config.workspace.path if place.space == "main" else ""
    views = os.path.abspath(os.path.expanduser(named or os.path.join(place.folder, WORKSPACE)))
    if not place.keys and os.path.isdir(views):
        with suppress(LoxodonError):  # damaged too, or another space's
            yield "views", _by_number(rows_in(views, place.space))
    newest = backups_found(place.home, place.space, place.config, None)
    if newest and not source:
        with suppress(LoxodonError):
            yield newest[0].path, _copy_at(place, draft, newest[0].path)


def _copy_at(place: _Place, draft: str, source: str) -> Rows:
    if os.path.isdir(source):
        return _by_number(rows_in(source, place.space))
    if not os.path.exists(source):
        raise NotFoundError("file not found: {path}", path=source)
    target = os.path.join(draft, "copy.db")
    if is_zipfile(source):
        with archive.opened(source) as reader:
            reader.check_seal(place.keys)
            folder = folder_name(place.space)
            if folder not in {held.folder for held in reader.manifest.spaces}:
                raise InputError(
                    "{path} does not contain the space {space}",
                    path=source,
                    space=repr(place.space),
                )
            for end in ("", ".check"):
                part = f"spaces/{folder}/{DATABASE}{end}"
                if part in reader.manifest.parts:
                    reader.extract(part, target + end)
    else:
        for end in ("", "-wal", ".check"):
            if os.path.exists(source + end):
                shutil.copyfile(source + end, target + end)
    check_schema(target, place.keys)
    store = place.opened(target)
    try:
        with store.reading():
            return _by_number((table, [*store.primary.dump(table)]) for table in PRIMARY_TABLES)
    finally:
        store.close()


def _by_number(batches: Iterable[Batch]) -> Rows:
    """Rows under numbers: what their keys are in the damaged file is found out later."""
    found: dict[str, list[Row]] = {table: [] for table in PRIMARY_TABLES}
    for table, rows in batches:
        found[table] += rows
    return {table: {(n,): row for n, row in enumerate(rows)} for table, rows in found.items()}


class _Names:
    """Translates between the numbers of sessions and memories and their ids."""

    def __init__(self, *found: Rows) -> None:
        self._ids: dict[str, dict[Any, Any]] = {
            table: {row[0]: row[1] for rows in found for row in rows.get(table, {}).values()}
            for table in ("sessions", "memories")
        }
        self._numbers = {
            table: {id: number for number, id in ids.items()} for table, ids in self._ids.items()
        }

    def kept(self, rows: Rows, keys: Mapping[str, Sequence[str]]) -> Rows:
        """Dumped rows as a file keeps them, by their keys."""
        found: Rows = {}
        for table, dumped in rows.items():
            places = [PRIMARY_TABLES[table].columns.index(name) for name in keys[table]]
            kept = (_translated(table, row, self._numbers) for row in dumped.values())
            found[table] = {tuple(row[place] for place in places): row for row in kept}
        return found

    def dumped(self, rows: Rows) -> Iterator[Batch]:
        """Rows that a file keeps as `PrimaryData.load` takes them."""
        for table, spec in PRIMARY_TABLES.items():
            kept = [row for _, row in sorted(rows[table].items(), key=lambda one: repr(one[0]))]
            if spec.which != "true":
                wanted = _primary_names(spec.which, [row[0] for row in kept])
                kept = [row for row in kept if row[0] in wanted]
            yield table, [_translated(table, row, self._ids) for row in kept]


def _translated(table: str, row: Row, names: Mapping[str, Mapping[Any, Any]]) -> Row:
    spec = PRIMARY_TABLES[table]
    return tuple(
        names["sessions"].get(value)
        if name in spec.sessions
        else names["memories"].get(value)
        if name in spec.memories
        else value
        for name, value in zip(spec.columns, row, strict=True)
    )


def _primary_names(which: str, names: Sequence[str]) -> set[str]:
    """Those of the names in `counters` or `meta` that are not derived."""
    connection = apsw.Connection(":memory:")
    query = f"SELECT name FROM (SELECT value AS name FROM json_each(?)) WHERE {which}"  # noqa: S608
    try:
        return {str(name) for (name,) in connection.execute(query, (json.dumps(names),))}
    finally:
        connection.close()


# What hangs together


def _made_consistent(rows: Rows, references: Sequence[_Reference]) -> list[Mended]:
    """Take out what refers to rows that are gone; what was lost with that."""
    turns = {name: n for n, name in enumerate(PRIMARY_TABLES["turns"].columns)}
    orphans: dict[int, list[int]] = {}
    for turn in rows["turns"].values():
        if (turn[turns["session"]],) not in rows["sessions"]:
            orphans.setdefault(turn[turns["session"]], []).append(turn[turns["at"]])
    for no, times in orphans.items():
        rows["sessions"][no,] = (no, f"lost-{no}", len(times), min(times), max(times))
    lost: list[Mended] = []
    again = True
    while again:
        again = False
        for one in references:
            there = {key[0] for key in rows[one.parent]}
            place = PRIMARY_TABLES[one.table].columns.index(one.column)
            for key, row in list(rows[one.table].items()):
                if row[place] is None or row[place] in there:
                    continue
                if one.needed:
                    del rows[one.table][key]
                    lost.append(_mended(one.table, key))
                    again = True
                else:
                    rows[one.table][key] = (*row[:place], None, *row[place + 1 :])
    ids = {memory[_MEMORY["id"]] for memory in rows["memories"].values()}
    place = _MEMORY["replaces"]
    for key, memory in rows["memories"].items():
        if memory[place] and memory[place] not in ids:
            rows["memories"][key] = (*memory[:place], "", *memory[place + 1 :])
    return lost + _complete_histories(rows)


def _complete_histories(rows: Rows) -> list[Mended]:
    """Each memory has one change for each version: later ones go, and a missing one keeps its place
    in the history, as what stood there afterwards."""
    lost = []
    changes = rows["memory_changes"]
    versions = {key[0]: row[_MEMORY["version"]] for key, row in rows["memories"].items()}
    for key in [key for key in changes if key[1] > versions.get(key[0], 0)]:
        del changes[key]
    for (number,), memory in rows["memories"].items():
        later = dict(zip(_MEMORY, memory, strict=True))
        del later["row"]
        later["sources"] = []
        for n in range(versions[number], 0, -1):
            change = changes.get((number, n))
            if change is None or (n > 1 and not change[_BEFORE]):
                lost.append(_mended("memory_changes", (number, n)))
                before = json.dumps({**later, "version": n - 1}, ensure_ascii=False)
                at = later["updated_at"] if n > 1 else later["created_at"]
                changes[number, n] = (number, n, at, "lost", before if n > 1 else None)
            elif n > 1:
                later = json.loads(change[_BEFORE])
    return lost
