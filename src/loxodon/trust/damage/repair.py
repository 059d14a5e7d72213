"""A sound store out of a damaged one: `loxodon repair`.

Where only something derived is wrong, it is made anew where it stands, in one transaction.
Otherwise a new file is made beside the old one, of all rows that are sound and of intact copies of
those that are not: from the text views, and from a backup that is named. It is checked, and only
then moved into place. The damaged file is kept. Whatever goes wrong before that, or is killed,
nothing was touched.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import NamedTuple

import apsw

from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.drafts import draft_in
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    InputError,
    LoxodonError,
    NotFoundError,
    StoreError,
)
from loxodon.filelock import FileLock
from loxodon.files import replace
from loxodon.layout import DATABASE, WORKSPACE
from loxodon.memory import Memory
from loxodon.services.opening import keys_for
from loxodon.spaces import folder_name, home_at, no_space, space_folder
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite import cipher, seals
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import carry_log
from loxodon.store.sqlite.database import move_in
from loxodon.store.sqlite.salvage import UNREADABLE, Salvaged, of_truth, salvage
from loxodon.store.sqlite.schema import blueprint, check_schema
from loxodon.store.sqlite.store import SqliteStore
from loxodon.trust.damage.mending import IntactCopy, Names, Reference, Result, Rows, keyed, mend
from loxodon.types import Lost, Problem, Repaired
from loxodon.workspace.views.restore import Batch, free, rows_in
from loxodon.write.decay import Decay

_DRAFT = "repairing-"
_SECONDS = 30.0
_VIEWS = "views"
_BEGINNING = b"SQLite format 3\0\x10\0\x02\x02\0\x40\x20\x20"
"""Of every file that we write: its kind, the size of a page, how it is written."""


class _Place(NamedTuple):
    """Where a space is, and how its file is opened."""

    home: str
    space: str
    folder: str
    path: str
    config: Config
    clock: Clock
    keys: Keys

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
    """Make the store of a space sound again, and say what was damaged, mended and lost.

    `source` is a backup, a database or a folder of views to take intact copies from; the space's
    own views are looked at anyway. What no copy has is put into the file `Repaired.damaged`.
    """
    home = home_at(home)
    folder = space_folder(home, space, make=False)
    clock = clock or system_clock(zone_named(config.timezone))
    place = _Place(
        home,
        space,
        folder,
        os.path.join(folder, DATABASE),
        config,
        clock,
        keys_for(home, config, key),
    )
    if not os.path.exists(place.path):
        raise no_space(space)
    with draft_in(folder, _DRAFT) as draft:  # which removes what a killed repair left
        problems, done = _in_place(place, progress)
        if done:
            return Repaired(tuple(problems), rebuilt=bool(problems))
        return _anew(place, draft, problems, source, progress)


# What is derived, where it stands


class _UnmendedError(Exception):
    """Making anew what is derived was not enough: it is undone."""


def _in_place(place: _Place, progress: Progress) -> tuple[list[Problem], bool]:
    """What is wrong, and whether nothing (more) is."""
    try:
        store = place.opened(place.path)
    except (DamagedStoreError, ForeignStoreError) as error:
        return [Problem(place.path, *error.localized())], False
    try:
        problems = store.check(progress)
        if not problems or any(not one.derived for one in problems):
            return problems, not problems
        with store.writing():
            store.remake(progress)
            if store.check(progress):
                raise _UnmendedError
        return problems, True
    except (_UnmendedError, DamagedStoreError):
        return problems, False
    finally:
        store.close()


# A new file


def _anew(
    place: _Place, draft: str, problems: Sequence[Problem], source: str, progress: Progress
) -> Repaired:
    hurt = _copied(place, draft)
    found, references = _salvaged(hurt, place)
    copies = [*_copies(place, draft, source)]
    names = Names(*({n: one.rows for n, one in found.items()}, *(copy.rows for copy in copies)))
    copies = [
        IntactCopy(
            one.name,
            {
                table: keyed(
                    table,
                    (names.kept(table, row) for row in rows.values()),
                    found[table].sealed.key,
                )
                for table, rows in one.rows.items()
            },
        )
        for one in copies
    ]
    result = mend(found, copies, references)
    if not any(result.rows.values()):
        raise StoreError(
            "nothing in {path} can be read",
            hint="nothing was changed; restore a backup with `loxodon restore`",
            path=place.path,
        )
    new = os.path.join(draft, DATABASE)
    store = place.opened(new)
    try:
        store.primary.load(_batches(result.rows), progress)
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
    lost = _put_aside(place, found, result)
    carry_log(place.path, new, place.keys)
    move_in(new, place.path, aside, place.keys)
    _read_notes(place)
    return Repaired(
        tuple(problems),
        False,
        counts.turns,
        counts.active + counts.archived,
        tuple(Lost(one.table, _named(one.key), one.fate, one.source) for one in result.mended),
        aside,
        lost,
    )


def _copied(place: _Place, draft: str) -> str:
    """The damaged file, copied while nobody writes to it."""
    target = os.path.join(draft, "damaged.db")
    lock = FileLock(os.path.splitext(place.path)[0] + ".lock")
    try:
        if not lock.acquire(_SECONDS):
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
    if not place.keys:
        _mend_beginning(target)
    return target


def _mend_beginning(path: str) -> None:
    """What every file begins with is known, whatever has become of it."""
    with open(path, "r+b") as file:
        head = file.read(len(_BEGINNING))
        if sum(map(eq, head, _BEGINNING)) >= len(_BEGINNING) // 2:
            file.seek(0)
            file.write(_BEGINNING)


def _salvaged(path: str, place: _Place) -> tuple[dict[str, Salvaged], list[Reference]]:
    with blueprint() as model:
        references = [*_references(model)]
        nothing = {
            one.table: Salvaged(one, {}, {}, {}, False)
            for one in seals.tables(seals.asking(model))
            if one.table in PRIMARY_TABLES
        }
    connection = None
    try:
        connection = cipher.connect(path, place.keys, apsw.SQLITE_OPEN_READWRITE)
        seals.register(connection)
        found = {**nothing, **salvage(connection)}
    except UNREADABLE:
        found = nothing
    finally:
        if connection is not None:
            connection.close()
    owner = found["meta"].rows.get(("space",), ("space", place.space))[1]
    if owner != place.space:
        raise DamagedStoreError(
            "{path} contains the space {owner}, not {space}",
            hint="the file was moved or copied here; move it back",
            path=place.path,
            owner=repr(owner),
            space=repr(place.space),
        )
    return found, references


def _references(connection: apsw.Connection) -> Iterator[Reference]:
    """Which columns of the truth name a row of it."""
    for table in PRIMARY_TABLES:
        needed = dict(
            connection.execute('SELECT name, "notnull" OR pk FROM pragma_table_info(?)', (table,))
        )
        for parent, column in connection.execute(
            'SELECT "table", "from" FROM pragma_foreign_key_list(?)', (table,)
        ):
            if parent in PRIMARY_TABLES and column in PRIMARY_TABLES[table].columns:
                yield Reference(table, column, parent, bool(needed[column]))


# Copies


def _copies(place: _Place, draft: str, source: str) -> Iterator[IntactCopy]:
    """The intact copies there are, the best first."""
    if source:
        yield _copy_at(place, draft, source)
    named = place.config.workspace.path if place.space == "main" else ""
    views = os.path.abspath(os.path.expanduser(named or os.path.join(place.folder, WORKSPACE)))
    if place.keys or not os.path.isdir(views):
        return
    try:
        yield IntactCopy(_VIEWS, _by_table(rows_in(views, place.space)))
    except LoxodonError:  # they are damaged too, or somebody else's: there are no views then
        return


def _copy_at(place: _Place, draft: str, source: str) -> IntactCopy:
    from zipfile import is_zipfile

    from loxodon.trust.damage import backup_file

    source = os.path.abspath(os.path.expanduser(source))
    if os.path.isdir(source):
        return IntactCopy(source, _by_table(rows_in(source, place.space)))
    if not os.path.exists(source):
        raise NotFoundError("file not found: {path}", path=source)
    target = os.path.join(draft, "copy.db")
    if is_zipfile(source):
        with backup_file.opened(source) as reader:
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
            return IntactCopy(
                source, _by_table((table, [*store.primary.dump(table)]) for table in PRIMARY_TABLES)
            )
    finally:
        store.close()


def _by_table(batches: Iterable[Batch]) -> Rows:
    """Rows under numbers, until it is known what their keys are in the file."""
    found: dict[str, list[Row]] = {table: [] for table in PRIMARY_TABLES}
    for table, rows in batches:
        found[table] += rows
    return {table: {(n,): row for n, row in enumerate(rows)} for table, rows in found.items()}


# Putting it together


def _batches(rows: Rows) -> Iterator[Batch]:
    """All rows as an empty store takes them."""
    names = Names(rows)
    for table, spec in PRIMARY_TABLES.items():
        kept = sorted(rows[table].items(), key=lambda one: repr(one[0]))
        wanted = of_truth(table, [row[0] for _, row in kept]) if spec.which != "1" else None
        yield (
            table,
            [names.dumped(table, row) for _, row in kept if wanted is None or row[0] in wanted],
        )


def _put_aside(place: _Place, found: dict[str, Salvaged], result: Result) -> str:
    """What could be read of the rows that no exact copy replaces, in a file for a person to see.

    An encrypted store has none: the damaged file, which is kept, has it as well.
    """
    lines = []
    for one in result.mended:
        read = found[one.table].damaged.get(one.key) or found[one.table].rows.get(one.key) or ()
        if one.fate != "exact":
            lines.append(
                json.dumps(
                    {
                        "table": one.table,
                        "key": _named(one.key),
                        "fate": one.fate,
                        "read": [_shown(value) for value in read],
                    },
                    ensure_ascii=False,
                )
            )
    if not lines or place.keys:
        return ""
    path = free(os.path.join(place.folder, "damaged")) + ".jsonl"
    replace(path, ("\n".join(lines) + "\n").encode())
    return path


def _shown(value: object) -> object:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _named(key: tuple[object, ...]) -> str:
    return ".".join(str(_shown(part)) for part in key)


def _read_notes(place: _Place) -> None:
    """Read the notes again, which were not copied; the next `sync` does it as well."""
    try:
        with Memory.open(place.home, place.space, place.config, place.clock) as memory:
            memory.workspace.index()
    except LoxodonError:  # they are where they were, and are read the next time
        return
