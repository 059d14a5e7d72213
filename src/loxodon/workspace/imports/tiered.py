"""The SQLite database of a four-tier memory: what is known, its log of events, its buffer.

It is opened for reading only. Any of its tables, and any of their columns, may be missing. Its
times are in UTC, which is what SQLite's `datetime('now')` gives.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from loxodon.errors import InputError
from loxodon.store.database import APPLICATION_ID
from loxodon.types import CATEGORIES, Draft, Source
from loxodon.workspace.imports.document import instant_in, share_in, text_in
from loxodon.workspace.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.workspace.imports.package import Package
from loxodon.workspace.readers.jsonl import role_named
from loxodon.workspace.readers.lines import check_name, check_text

if TYPE_CHECKING:
    import apsw

FORMAT = "tiered"
MAGIC = b"SQLite format 3\0"
_BATCH = 500


def read(package: Package, around: Around) -> Iterator[Found]:
    import apsw

    if package.is_folder or package.is_archive:
        raise InputError(
            "{file} is not a database", hint="name the memory.db itself", file=package.name
        )
    try:
        connection = _opened(package.path)
    except apsw.Error as error:
        raise _unusable(package.name, error) from None
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        if application == APPLICATION_ID:
            raise InputError(
                "{file} is a memory of Loxodon, not one of another program",
                hint="`loxodon --home DIR` opens it where it is", file=package.name,
            )  # fmt: skip
        tables = {name for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'")}  # fmt: skip
        if not tables & {"memories", "daily_events", "extraction_buffer"}:
            raise InputError(
                "{file} has none of the tables of a four-tier memory",
                hint="it has memories, daily_events or extraction_buffer; nothing was taken",
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


def _opened(path: str) -> apsw.Connection:
    """The database, for reading; a copy on a read-only disk too, which has no room for a lock."""
    from urllib.parse import quote

    import apsw

    uri = f"file:{quote(os.path.abspath(path))}"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(f"{uri}?mode=ro", flags=flags)
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection = apsw.Connection(f"{uri}?immutable=1", flags=flags)
    connection.set_busy_timeout(5_000)
    connection.execute("PRAGMA trusted_schema = OFF").fetchall()
    return connection


def _unusable(name: str, error: Exception) -> InputError:
    return InputError(
        "{file} cannot be read as an SQLite database: {reason}",
        hint="close the program that uses it, or give a copy; nothing was taken",
        file=name, reason=error,
    )  # fmt: skip


def _rows(connection: apsw.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in order, by the names of their columns; `no` is the row's number."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    for row in connection.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid"):  # noqa: S608
        yield {"no": row[0], **dict(zip(columns, row[1:], strict=True))}


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0


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
                text, (FORMAT, str(row["no"]), text_in(row, "created_at")),
                Source(file=file, line=row["no"]),
                category=category if category in CATEGORIES else "identity" if core else "",
                importance=share_in(row.get("importance", 1.0 if core else None)),
                project=_label(row, "project"), topic=_label(row, "topic"),
                since=instant_in(row, UTC, "created_at"),
                confirmed_at=instant_in(row, UTC, "updated_at"),
                accessed_at=_used_at(row), access_count=_count(row.get("access_count")),
                archived=bool(row.get("is_archived")),
            )  # fmt: skip
        except InputError as error:
            yield problem(file, row["no"], error)


def _label(row: dict[str, Any], name: str) -> str:
    """A project or topic; `_profile` and the like are its own marks, not names."""
    text = text_in(row, name).strip()
    return "" if text.startswith("_") else text


def _used_at(row: dict[str, Any]) -> datetime | None:
    """When a memory was used last; one that never was has only the time it was made there."""
    return instant_in(row, UTC, "last_accessed") if _count(row.get("access_count")) else None


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
            turns.append(Draft(
                row["no"], "user", text, f"{FORMAT}-{day:%Y-%m-%d}" if day else f"{FORMAT}-events",
                at=written if same else day, channel=_name(row, "channel"),
                origin="file" if row.get("is_compressed") else "import",
            ))  # fmt: skip
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
            turns.append(Draft(
                row["no"], role, text, f"{FORMAT}-{channel or 'buffer'}{day}", at=at,
                speaker=_name(row, "sender_id"), channel=channel,
                origin="import" if role == "user" else None,
            ))  # fmt: skip
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
