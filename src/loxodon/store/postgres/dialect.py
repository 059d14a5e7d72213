"""SQLite's SQL as PostgreSQL's: the few things that a portable text cannot have in common.

Functions that PostgreSQL lacks are in its schema (`sql/postgres/migrations`), so that what is left
are placeholders, names of tables, and some clauses.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PAST = re.compile(r"\bmain\.")
_CHANGES = (
    (re.compile(r"^\s*--.*\n?", re.M), ""),
    # What is written goes to the table, whatever view stands before it.
    (
        re.compile(r"^(\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+)(?=\w+\b(?!\.))", re.M),
        r"\1loxodon.",
    ),
    (_PAST, "loxodon."),
    # The order of tables is the planner's to find, and so is the index.
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r"\bINDEXED BY \w+"), ""),
    (re.compile(r"(?<=[\s(])\+(?=[a-z])"), ""),
    # The space leads every key.
    (re.compile(r"\bON CONFLICT \("), "ON CONFLICT (space_id, "),
    # Row numbers as a value, and none of them.
    (
        re.compile(r"\bIN \(SELECT value FROM json_each\((\?\d*)\)\)"),
        r"= ANY(translate(\1, '[]', '{}')::bigint[])",
    ),
    (re.compile(r"\bIN \(\)"), "IN (NULL)"),
    (re.compile(r"\bLIMIT (\?\d*)"), r"LIMIT nullif(\1, -1)"),
)
_VALUES = re.compile(
    r"(\s*INSERT INTO .*?\bVALUES )(\((?:(?!\bON CONFLICT\b).)*\))"
    r"((?:\s+ON CONFLICT DO NOTHING)?\s*)",
    re.S,
)
_NUMBER = re.compile(r"\$(\d+)")
_WRITES = re.compile(r"^\s*(?:INSERT|UPDATE|DELETE|SET|DO)\b", re.M)
_MARK = re.compile(r"'(?:[^']|'')*'|\?(\d*)")


def is_write(sql: str) -> bool:
    """Whether a statement, or a part of it, writes."""
    return _WRITES.search(sql) is not None


def goes_past(sql: str) -> bool:
    """Whether a statement is about tables themselves, past the wall that may stand before them."""
    return _PAST.search(sql) is not None


@lru_cache(maxsize=2_048)
def translated(sql: str) -> str:
    """A statement as PostgreSQL takes it."""
    for pattern, new in _CHANGES:
        sql = pattern.sub(new, sql)
    last = 0

    def numbered(found: re.Match[str]) -> str:
        nonlocal last
        if found[1] is None:  # a text
            return found[0]
        number = int(found[1]) if found[1] else last + 1
        last = max(last, number)
        return f"${number}"

    return _MARK.sub(numbered, sql)


@lru_cache(maxsize=256)
def repeated(sql: str, rows: int, columns: int) -> str:
    """A translated INSERT of one row as one of several; empty where it cannot be one statement."""
    found = _VALUES.fullmatch(sql)
    if found is None:
        return ""
    each = [
        _NUMBER.sub(lambda one, more=n * columns: f"${int(one[1]) + more}", found[2])
        for n in range(rows)
    ]
    return f"{found[1]}{', '.join(each)}{found[3]}"
