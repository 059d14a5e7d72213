"""The primary data of a store: its tables and columns.

`PRIMARY_TABLES` names them. Everything else is derived, or is in files (`WorkspaceData`). Rows are
plain values (text, numbers, bytes and None), so that a view can write them and another backend can
load them. Sessions and memories are referenced by their ids, except in the two tables that depend
on memories, which use their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from loxodon.store.rows import COLUMNS

Row = tuple[Any, ...]

COUNTED = ("turns", "memories", "documents")
"""The tables that say how much a space has, when it is deleted."""


class PrimaryTable(NamedTuple):
    """A table of the truth."""

    columns: tuple[str, ...]
    key: int
    """How many of the columns, from the first, it is ordered by and found again with."""
    sessions: frozenset[str] = frozenset()
    memories: frozenset[str] = frozenset()
    """Columns that are kept as the number of a session or memory, and given as its id."""
    which: str = "true"


def _table(
    columns: str, key: int = 1, *, session: str = "", memory: str = "", which: str = "true"
) -> PrimaryTable:
    names = tuple(columns.split())
    return PrimaryTable(names, key, frozenset(session.split()), frozenset(memory.split()), which)


PRIMARY_TABLES: Mapping[str, PrimaryTable] = {
    "sessions": _table("no id turns first_at last_at"),
    "turns": _table(
        "seq session id key role speaker channel chat origin at utc_offset content agent",
        session="session",
    ),
    "memories": _table(f"row {' '.join(COLUMNS)}"),
    "memory_sources": _table("memory n session turn seq file line", 2),
    "memory_changes": _table("memory version at change before", 2),
    "segments": _table(
        "no session first_turn last_turn started_at ended_at utc_offset topic tags text",
        session="session",
    ),
    "fragments": _table("turn n text type stage keep about bonus reason", 2),
    "candidates": _table("no turn body"),
    "events": _table("no date at session channel sender summary tokens trust compressed agent"),
    "entities": _table("no name type aliases created_at updated_at agent"),
    "reviews": _table("belief against asked_at answer answered_at", memory="belief against"),
    "memory_uses": _table("memory day times last_at", 2, memory="memory"),
    "unindexed": _table("memory", memory="memory"),
    "model_use": _table("day phase calls tokens_in tokens_out", 2),
    "pages": _table("name language made_at text basis", 2),
    "quarantine": _table("no turn memory start stop text reason origin at state decided_at"),
    "followed": _table("path session mark read_at", 2),
    "imports": _table("key memory at", memory="memory"),
    "jobs": _table("name last_at seconds counts succeeded_at failed_at error failures runs"),
    "documents": _table("no namespace key value text created_at updated_at minutes expires_at"),
    "tokens": _table("token request memory version at", memory="memory"),
    "signatures": _table("memory version mac", 2, memory="memory"),
    "tombstones": _table("kind mark size until", 2),
    "receipts": _table("id at actor what erased files"),
    # How many rows an index has is derived, and how many writes there were is of the file.
    "counters": _table(
        "name last", which=r"name NOT LIKE 'rows\_%' ESCAPE '\' AND name NOT LIKE 'writes%'"
    ),
    # So is what is known of the indexes; and whose file it is, only the file can say.
    "meta": _table(
        "name value",
        which=r"name NOT IN ('space', 'words', 'rates', 'sampled', 'audit', 'forgotten_to') "
        r"AND name NOT LIKE 'sampled\_%' ESCAPE '\'",
    ),
}
"""Every table, those that others refer to first."""


class JournalDay(NamedTuple):
    """The turns of one day where they were said, or a part of them where they are many."""

    date: str
    part: int
    """From 1, in the order of the journal."""
    turns: int
    first: int
    last: int
    """The numbers of its first and last turn."""
