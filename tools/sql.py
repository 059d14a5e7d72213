"""Write store/sql/postgres/queries.sql from store/sql/queries.sql, which is SQLite's.

    python tools/sql.py [--check]

The few things that the two do not have in common are changed word by word (`_CHANGES`). A keyword
or a function that is not known to mean the same in both is refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from loxodon.store.driver import HOLE, entries

SQL = Path(__file__).parent.parent / "src/loxodon/store/sql"
SOURCE, TARGET = SQL / "queries.sql", SQL / "postgres/queries.sql"
HEAD = "-- Written by tools/sql.py from ../queries.sql, which says what is what.\n"

_TOKEN = re.compile(
    r"(?P<text>'(?:[^']|'')*')|(?P<hole>\{\w+\})|(?P<mark>\?\d*)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<sign><>|<=|>=|\|\||[-+*/%=<>(),.])|(?P<space>\s+)"
)
_KEYWORDS = frozenset(
    [
        "ALL",
        "AND",
        "AS",
        "ASC",
        "BETWEEN",
        "BIGINT",
        "BY",
        "CASE",
        "CAST",
        "CONFLICT",
        "CROSS",
        "DELETE",
        "DESC",
        "DISTINCT",
        "DO",
        "ELSE",
        "END",
        "ESCAPE",
        "EXISTS",
        "FALSE",
        "FILTER",
        "FROM",
        "GROUP",
        "HAVING",
        "IN",
        "INDEXED",
        "INSERT",
        "INTEGER",
        "INTO",
        "IS",
        "JOIN",
        "LEFT",
        "LIKE",
        "LIMIT",
        "NOT",
        "NOTHING",
        "NULL",
        "OFFSET",
        "ON",
        "OR",
        "ORDER",
        "RECURSIVE",
        "RETURNING",
        "SELECT",
        "SET",
        "TEXT",
        "THEN",
        "TRUE",
        "UNION",
        "UPDATE",
        "VALUES",
        "WHEN",
        "WHERE",
        "WITH",
    ]
)
"""What means the same in both, or is changed."""
_FUNCTIONS = frozenset(
    [
        "coalesce",
        "concat_ws",
        "count",
        "instr",
        "json_each",
        "json_extract",
        "json_valid",
        "length",
        "lower",
        "max",
        "min",
        "octet_length",
        "replace",
        "rtrim",
        "string_agg",
        "substr",
        "sum",
    ]
)
_MARK = r"(\?\d*)"
_LIST = r"IN \(SELECT {} FROM json_each\((\?\d*)\)\)"
_CHANGES = (
    (re.compile(r"\bmain\."), "loxodon."),
    # The order of tables is the planner's to find, and so is the index.
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r"\s+INDEXED BY \w+"), ""),
    # The space leads every key.
    (re.compile(r"\bON CONFLICT \("), "ON CONFLICT (space_id, "),
    (re.compile(r"\bLIMIT " + _MARK), r"LIMIT nullif(\1, -1)"),
    # Lists are given as JSON: of numbers, of bytes in hexadecimal, of texts.
    (re.compile(_LIST.format("value")), r"= ANY(translate(\1, '[]', '{}')::bigint[])"),
    (
        re.compile(_LIST.format(r"unhex\(value\)")),
        r"= ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each(\1)))",
    ),
    (
        re.compile(_LIST.format(r"CAST\(value AS TEXT\)")),
        r"= ANY(ARRAY(SELECT value FROM json_each(\1)))",
    ),
)


class UnknownSqlError(Exception):
    """A construct that may mean something else in PostgreSQL."""


def translated(sql: str, name: str = "", *, number: bool = True) -> str:
    """A statement as PostgreSQL takes it; one with braces keeps its question marks."""
    writes = re.match(r"\s*(INSERT|UPDATE|DELETE)\b", sql) is not None
    parts, sql = [], _without_unary_plus(sql, name)
    for kind, text in _tokens(sql, name):  # texts are not to be changed
        if kind == "text":
            parts.append(text)
        elif kind == "word" and text.isupper() and text not in _KEYWORDS:
            raise UnknownSqlError(f"{name}: {text}")
        elif not writes and text in ("INSERT", "UPDATE", "DELETE"):
            raise UnknownSqlError(f"{name}: {text} within a read")
    sql = re.sub(r"'(?:[^']|'')*'", "'text'", sql)
    for pattern, new in _CHANGES:
        sql = pattern.sub(new, sql)
    kept = iter(parts)
    sql = re.sub(r"'text'", lambda _: next(kept), sql)
    _check_functions(sql, name)
    return _numbered(sql) if number and not HOLE.search(sql) else sql


def _tokens(sql: str, name: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(sql):
        found = _TOKEN.match(sql, place)
        if found is None or found.lastgroup is None:
            raise UnknownSqlError(f"{name}: {sql[place : place + 20]!r}")
        yield found.lastgroup, found[0]
        place = found.end()


def _without_unary_plus(sql: str, name: str) -> str:
    """A plus before a column keeps SQLite from using its index; PostgreSQL knows better."""
    found, before = [], "("
    for kind, text in _tokens(sql, name):
        if text == "+" and (before in ("(", ",") or before in _KEYWORDS):
            continue
        found.append(text)
        before = before if kind == "space" else text
    return "".join(found)


def _check_functions(sql: str, name: str) -> None:
    ours = {"translate", "nullif", "decode", "ANY", "ARRAY"}
    for word in re.findall(r"\b(\w+)\(", re.sub(r"'(?:[^']|'')*'", "", sql)):
        if word not in _FUNCTIONS | ours | {"CAST"}:
            raise UnknownSqlError(f"{name}: {word}()")


def _numbered(sql: str) -> str:
    last = 0

    def number(found: re.Match[str]) -> str:
        nonlocal last
        if found[1] is None:  # a text
            return found[0]
        at = int(found[1]) if found[1] else last + 1
        last = max(last, at)
        return f"${at}"

    return re.sub(r"'(?:[^']|'')*'|\?(\d*)", number, sql)


def generated() -> str:
    """What the file for PostgreSQL should have."""
    found = [HEAD]
    for one in entries([str(SOURCE)]):
        marks = " (past)" if one.past else ""
        # A part keeps its question marks, as what it is put into may have others before them.
        text = translated(one.text, one.name, number=one.kind == "name")
        found.append(f"-- {one.kind}: {one.name}{marks}\n{text}\n")
    return "\n".join(found)


def main() -> int:
    text = generated()
    if "--check" in sys.argv:
        return int(TARGET.read_text("utf-8") != text)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
