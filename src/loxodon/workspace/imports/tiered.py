"""The SQLite database of a four-tier memory: what is known, its log of events, its buffer.

It is read as `store/sqlite/foreign_files.py` does. Any of its tables, and any of their columns, may
be missing. Its times are in UTC, which is what SQLite's `datetime('now')` gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import TYPE_CHECKING, Any

from loxodon.errors import InputError
from loxodon.journal.jsonl import role_named
from loxodon.journal.lines import MAX_LINE, check_name, check_text
from loxodon.store.sqlite import foreign_files
from loxodon.store.sqlite.database import APPLICATION_ID
from loxodon.types import CATEGORIES, Draft, Source
from loxodon.workspace.imports.claims import TRUST
from loxodon.workspace.imports.document import instant_in, share_in, text_in
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.workspace.imports.package import Package

if TYPE_CHECKING:
    import apsw

FORMAT = "tiered"
MAGIC = b"SQLite format 3\0"
_TABLES = ("memories", "daily_events", "extraction_buffer")
_BATCH = 500
_LONGEST = 4 * MAX_LINE


def read(package: Package, around: Around) -> Iterator[Found]:
    import apsw

    if package.is_folder or package.is_archive:
        raise InputError(
            "{file} is not a database", hint="give the file memory.db itself", file=package.name
        )
    try:
        connection = foreign_files.connect(package.path, "mode=ro", _LONGEST)
    except apsw.Error as error:
        raise _unusable(package.name, error) from None
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        if application == APPLICATION_ID:
            raise InputError(
                "{file} is a Loxodon memory, not one of another program",
                hint="open it with `loxodon --home DIR`",
                file=package.name,
            )
        tables = {name for name in _TABLES if foreign_files.columns(connection, name)}
        if not tables:
            raise InputError(
                "{file} is not a four-tier memory",
                hint="it must have the table memories, daily_events or extraction_buffer; "
                "nothing was imported",
                file=package.name,
            )
        if "memories" in tables:
            yield from _memories(connection, package.name, around)
        if "daily_events" in tables:
            yield from _events(connection, package.name)
        if "extraction_buffer" in tables:
            yield from _buffer(connection, package.name)
    except apsw.Error as error:
        raise _unusable(package.name, error) from None
    finally:
        connection.close()


def _unusable(name: str, error: Exception) -> InputError:
    return InputError(
        "cannot read {file} as an SQLite database: {reason}",
        hint="close the program that uses it, or use a copy; nothing was imported",
        file=name,
        reason=error,
    )


def _rows(connection: apsw.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in order, by the names of their columns; `no` is the row's number."""
    columns = foreign_files.columns(connection, table)
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    for row in connection.execute(f"SELECT rowid, {listed} FROM {table} ORDER BY rowid"):  # noqa: S608
        yield {"no": row[0], **dict(zip(columns, row[1:], strict=True))}


def _memories(connection: apsw.Connection, file: str, around: Around) -> Iterator[Found]:
    for row in _rows(connection, "memories"):
        text = text_in(row, "content").strip()
        if not text:
            yield Skipped("empty")
            continue
        category = text_in(row, "category").strip().lower()
        core = row.get("tier") == 1
        try:
            yield NewMemory(
                text,
                (FORMAT, str(row["no"]), text_in(row, "created_at")),
                Source(file=file, line=row["no"]),
                category=category if category in CATEGORIES else "identity" if core else "",
                importance=share_in(row.get("importance", 1.0 if core else None)),
                project=_label(row, "project"),
                topic=_label(row, "topic"),
                since=instant_in(row, UTC, "created_at"),
                confirmed_at=instant_in(row, UTC, "updated_at"),
                archived=bool(row.get("is_archived")),
            )
        except InputError as error:
            yield problem(file, row["no"], error)


def _label(row: dict[str, Any], name: str) -> str:
    """A project or topic; `_profile` and the like are its own marks, not names."""
    text = text_in(row, name).strip()
    return "" if text.startswith("_") else text


def _events(connection: apsw.Connection, file: str) -> Iterator[Found]:
    """The log: a turn for each event. What was made of it already is not learned from again."""
    turns: list[Draft] = []
    for row in _rows(connection, "daily_events"):
        text = text_in(row, "summary").strip()
        if not text:
            yield Skipped("empty")
            continue
        try:
            check_text(text)
            day = instant_in(row, UTC, "event_date", "created_at")
            written = instant_in(row, UTC, "created_at")
            same = written is not None and day is not None and written.date() == day.date()
            turns.append(
                Draft(
                    row["no"],
                    "tool" if row.get("is_compressed") else "user",
                    text,
                    f"{FORMAT}-{day:%Y-%m-%d}" if day else f"{FORMAT}-events",
                    at=written if same else day,
                    channel=_name(row, "channel"),
                    origin=TRUST,
                )
            )
        except InputError as error:
            yield problem(file, row["no"], error)
        if len(turns) >= _BATCH:
            yield Talk(tuple(turns))
            turns = []
    if turns:
        yield Talk(tuple(turns))


def _buffer(connection: apsw.Connection, file: str) -> Iterator[Found]:
    """Messages that wait there to be read: turns, by channel and day."""
    turns: list[Draft] = []
    for row in _rows(connection, "extraction_buffer"):
        text = text_in(row, "content").strip()
        if not text:
            yield Skipped("empty")
            continue
        try:
            check_text(text)
            role = role_named(row.get("role"))
            at = instant_in(row, UTC, "created_at")
            channel = _name(row, "channel")
            day = f"-{at:%Y-%m-%d}" if at else ""
            turns.append(
                Draft(
                    row["no"],
                    role,
                    text,
                    f"{FORMAT}-{channel or 'buffer'}{day}",
                    at=at,
                    channel=channel,
                )
            )
        except InputError as error:
            yield problem(file, row["no"], error)
        if len(turns) >= _BATCH:
            yield Talk(tuple(turns))
            turns = []
    if turns:
        yield Talk(tuple(turns))


def _name(row: dict[str, Any], field: str) -> str:
    name = text_in(row, field).strip()
    check_name(name, field)
    return name
