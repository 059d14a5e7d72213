"""The SQLite database of a four-tier memory: what is known, its log of events, its buffer.

It is read as `store/sqlite/foreign_files.py` does. Any of its tables, and any of their columns, may
be missing. Its times are in UTC, which is what SQLite's `datetime('now')` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC
from typing import Any

import apsw

from loxodon.errors import InputError
from loxodon.imports.document import instant_in, share_in, text_in
from loxodon.imports.found import Around, Found, NewMemory, Skipped, Talk, problem
from loxodon.imports.package import Package
from loxodon.journal.jsonl import role_named
from loxodon.journal.lines import MAX_LINE, check_name, check_text
from loxodon.store.sqlite import foreign_files
from loxodon.store.sqlite.database import APPLICATION_ID
from loxodon.types import CATEGORIES, Draft, Role, Source

_LONGEST = 4 * MAX_LINE  # bytes of a value


def read(package: Package, around: Around) -> Iterator[Found]:
    try:
        connection = foreign_files.connect(package.path, "mode=ro", _LONGEST)
        try:
            yield from _tables(connection, package.name)
        finally:
            connection.close()
    except apsw.Error as error:
        raise InputError(
            "cannot read {file} as an SQLite database: {reason}",
            hint="close the program that uses it, or use a copy; nothing was imported",
            file=package.name,
            reason=error,
        ) from None


def _tables(connection: apsw.Connection, file: str) -> Iterator[Found]:
    if connection.pragma("application_id") == APPLICATION_ID:
        raise InputError(
            "{file} is a Loxodon memory, not one of another program",
            hint="open it with `loxodon --home DIR`",
            file=file,
        )
    readers: dict[str, Callable[[dict[str, Any], str, int, str], Found]] = {
        "memories": _memory,
        "daily_events": _event,
        "extraction_buffer": _message,
    }
    columns = {table: foreign_files.columns(connection, table) for table in readers}
    if not any(columns.values()):
        raise InputError(
            "{file} is not a four-tier memory",
            hint="it must have the table memories, daily_events or extraction_buffer; "
            "nothing was imported",
            file=file,
        )
    for table, names in columns.items():
        listed = ", ".join('"' + name.replace('"', '""') + '"' for name in ("rowid", *names))
        query = f"SELECT {listed} FROM {table} ORDER BY rowid"  # noqa: S608
        for number, *values in connection.execute(query) if names else ():
            row = dict(zip(names, values, strict=True))
            text = text_in(row, "summary" if table == "daily_events" else "content")
            try:
                yield readers[table](row, text, number, file) if text else Skipped("empty")
            except InputError as error:
                yield problem(file, number, error)


def _memory(row: dict[str, Any], text: str, number: int, file: str) -> NewMemory:
    category = text_in(row, "category").lower()
    core = row.get("tier") == 1
    # `_profile` and the like are its own marks, not names.
    project, topic = (
        "" if name.startswith("_") else name
        for name in (text_in(row, "project"), text_in(row, "topic"))
    )
    return NewMemory(
        text,
        ("tiered", str(number), text_in(row, "created_at")),
        Source(file=file, line=number),
        category=category if category in CATEGORIES else "identity" if core else "",
        importance=share_in(row.get("importance", 1.0 if core else None)),
        project=project,
        topic=topic,
        since=instant_in(row, UTC, "created_at"),
        confirmed_at=instant_in(row, UTC, "updated_at"),
        archived=bool(row.get("is_archived")),
    )


def _event(row: dict[str, Any], text: str, number: int, file: str) -> Talk:
    """One of the log; what was made knowledge there already is not learned from again."""
    day = instant_in(row, UTC, "event_date", "created_at")
    written = instant_in(row, UTC, "created_at")
    at = written if written and day and written.date() == day.date() else day
    role: Role = "tool" if row.get("is_compressed") else "user"
    session = f"{day:%Y-%m-%d}" if day else "events"
    return _turn(row, Draft(number, role, text, session, at=at, origin="import"))


def _message(row: dict[str, Any], text: str, number: int, file: str) -> Talk:
    """One that waits there to be read."""
    at = instant_in(row, UTC, "created_at")
    day = f"-{at:%Y-%m-%d}" if at else ""
    session = f"{text_in(row, 'channel') or 'buffer'}{day}"
    return _turn(row, Draft(number, role_named(row.get("role")), text, session, at=at))


def _turn(row: dict[str, Any], draft: Draft) -> Talk:
    channel = text_in(row, "channel")
    check_name(channel, "channel")
    check_text(draft.content)
    return Talk((draft._replace(session=f"tiered-{draft.session}", channel=channel),))
