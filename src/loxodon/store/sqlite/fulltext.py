"""The full-text indexes in SQLite: FTS5 over our own words, contentless.

SQLite's own bm25 reads each list twice more than ranking from the lists (`FullText.best`), so it is
asked only where the lists are long or a filter stands before them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from loxodon.errors import StoreError
from loxodon.store import Hit, Index
from loxodon.store.fulltext import FullText, Narrowed, Postings
from loxodon.store.search import TABLES, THESE, IndexedTable, listed, these

_KEPT = 100_000
"""Rows whose length is remembered."""
_RANKED = 2_000
"""List entries up to which it takes longer to have SQLite read them once more than to rank here."""
_MERGED = 250
"""Pages of an index that are merged at a time: some ten milliseconds of the disk's time."""


class SqliteFullText(FullText):
    """A `FullText` of FTS5 tables. Beside each stands `…_words`: its words with their rows."""

    places = True

    def lists(self, index: Index, words: Sequence[str]) -> list[Postings]:
        return [self._postings(TABLES[index].name, word) for word in words]

    def _postings(self, name: str, word: str) -> Postings:
        memo = self._db.memo
        found: Postings | None = memo.get((name, word))
        if found is None:
            if word[-1] == "*":
                ends = word[:-1], word[:-1] + "\U0010ffff"
                sql = f"SELECT doc FROM {name}_words WHERE term >= ? AND term < ?"
                rows = self._db.all(sql, ends)
            else:
                rows = self._db.all(f"SELECT doc FROM {name}_words WHERE term = ?", (word,))
            found = memo[name, word] = Counter(chain.from_iterable(rows))
        return found

    def seen(self, index: Index, word: str) -> Postings:
        memo, table = self._db.memo, TABLES[index]
        if (table.name, word) not in memo:
            found = self._db.all(
                f"SELECT {table.name}.rowid FROM {_joined(table)} WHERE {table.name} MATCH ?",
                (any_of([word]),),
            )
            memo[table.name, word] = {row: 1 for (row,) in found}
        rows: Postings = memo[table.name, word]
        return rows

    def few(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        table = TABLES[index]
        name, tables = table.name, _joined(table) if self._db.walled else table.name
        sql = f"SELECT {name}.rowid FROM {tables} WHERE {name} MATCH ? LIMIT ?"
        return {
            word: [row for (row,) in self._db.all(sql, (any_of([word]), most))] for word in words
        }

    def lengths(self, index: Index, rows: Collection[int]) -> Mapping[int, int]:  # type: ignore[override]
        """As known from before where they have not changed."""
        name = TABLES[index].name
        known = self._db.lasting(f"lengths of {name}", f"changed_{name}", _KEPT)
        missing = [row for row in rows if row not in known]
        if missing:
            sql = f"SELECT id, sz FROM {name}_docsize WHERE id IN {THESE}"
            known.update(
                (row, size[0] if len(size) == 1 else numbers(size)[0])
                for row, size in self._db.all(sql, (these(missing),))
            )
        return known

    def size(self, index: Index) -> tuple[int, int]:
        memo, name = self._db.memo, TABLES[index].name
        if (name, "") not in memo:
            found = self._db.one(f"SELECT block FROM {name}_data WHERE id = 1")
            rows, words, *_ = (*numbers(found[0] if found else b""), 0, 0)
            memo[name, ""] = rows, words
        size: tuple[int, int] = memo[name, ""]
        return size

    def ranked(self, index: Index, words: Sequence[str], near: Narrowed, limit: int) -> list[Hit]:
        if not near.looked_up and not near.between:
            lists = self.lists(index, words)
            if sum(map(len, lists)) <= _RANKED:
                return self.best(index, lists, limit)
        name = TABLES[index].name
        tables, conditions, values = _narrowing(TABLES[index], near)
        rows = self._db.all(
            f"SELECT {name}.rowid, bm25({name}) AS s FROM {tables} "
            f"WHERE {name} MATCH ? {conditions} ORDER BY s, {name}.rowid DESC LIMIT ?",
            [any_of(words), *values, limit],
        )
        return [Hit(row, -score) for row, score in rows]

    def newest(
        self, index: Index, words: Sequence[str], every: bool, near: Narrowed, limit: int
    ) -> list[int]:
        name = TABLES[index].name
        tables, conditions, values = _narrowing(TABLES[index], near)
        rows = self._db.all(
            f"SELECT {name}.rowid FROM {tables} "
            f"WHERE {name} MATCH ? {conditions} ORDER BY {name}.rowid DESC LIMIT ?",
            [all_of(words) if every else any_of(words), *values, limit],
        )
        return [row for (row,) in rows]

    def put(self, index: Index, rows: Iterable[tuple[int, list[str]]]) -> None:
        self._db.many(
            f"INSERT INTO {TABLES[index].name} (rowid, words) VALUES (?, ?)",
            ((row, " ".join(words)) for row, words in rows),
        )

    def drop(self, index: Index, rows: Iterable[int]) -> int:
        name = TABLES[index].name
        there = self._db.all(f"SELECT id FROM {name}_docsize WHERE id IN {listed(rows)}")
        self._db.many(f"DELETE FROM {name} WHERE rowid = ?", there)
        return len(there)

    def merge(self) -> None:
        """Every word of a query is looked up in each part."""
        for table in TABLES.values():
            name = table.name
            self._db.run(f"INSERT INTO {name} ({name}, rank) VALUES ('merge', ?)", (_MERGED,))

    def empty(self) -> None:
        for table in TABLES.values():
            self._db.run(f"INSERT INTO {table.name} ({table.name}) VALUES ('delete-all')")

    def make_anew(self) -> None:
        """A damaged index can be neither emptied nor dropped, so each is taken apart: its tables
        first, then its entry in the schema, then it is made again as it was defined."""
        db = self._db
        for name in (table.name for table in TABLES.values()):
            ((definition,),) = db.all("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
            for part in ("data", "idx", "docsize", "config"):
                db.run(f"DROP TABLE IF EXISTS {name}_{part}")
            db.run("PRAGMA writable_schema=ON")
            db.run("DELETE FROM sqlite_schema WHERE name = ?", (name,))
            db.run("PRAGMA writable_schema=RESET")
            db.run(definition)
            options = "VALUES ('automerge', 16), ('secure-delete', 1)"
            db.run(f"INSERT INTO {name} ({name}, rank) {options}")

    def scrub(self) -> None:
        for table in TABLES.values():
            self._db.run(f"INSERT INTO {table.name} ({table.name}) VALUES ('optimize')")

    def astray(self, index: Index, truth: str) -> tuple[int, int]:
        held = f"SELECT id FROM {TABLES[index].name}_docsize"
        missing = len(self._db.all(f"{truth} EXCEPT {held}"))
        return missing, len(self._db.all(f"{held} EXCEPT {truth}"))

    def sizes(self, index: Index, between: tuple[int, int]) -> dict[int, int]:
        sql = f"SELECT id, sz FROM {TABLES[index].name}_docsize WHERE id BETWEEN ? AND ?"
        try:
            kept = self._db.all(sql, between)
        except StoreError:  # told of already
            return {}
        return {row: sum(numbers(sizes)) for row, sizes in kept}

    def sums(self, index: Index, row: int, place: int, mask: int) -> Iterator[tuple[str, int, int]]:
        yield from (
            (word, count, total)
            for word, count, total in self._db.all(
                f"SELECT term, count(*), sum((doc * {row} + offset * {place}) & {mask}) "
                f"FROM {TABLES[index].name}_words GROUP BY term"
            )
        )


def _joined(table: IndexedTable) -> str:
    """The index leads and the table is looked up for each match: led by the table, SQLite would
    run the full-text query once for every row of it."""
    return f"{table.name} CROSS JOIN {table.truth} t ON t.{table.key} = {table.name}.rowid"


def _narrowing(table: IndexedTable, near: Narrowed) -> tuple[str, str, list[Any]]:
    """The FROM, the extra conditions and their values."""
    tables = _joined(table) if near.looked_up else table.name
    conditions = f"AND {near.conditions or 'true'}" if near.looked_up else ""
    if near.between is None:
        return tables, conditions, list(near.values)
    between = f"{conditions} AND {table.name}.rowid BETWEEN ? AND ?"
    return tables, between, [*near.values, *near.between]


def any_of(words: Sequence[str]) -> str:
    """An FTS5 expression for rows with any of `words`; each is quoted, so that none is syntax."""
    return " OR ".join(_quoted(word) for word in words)


def all_of(words: Sequence[str]) -> str:
    return " AND ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    bare = word.rstrip("*").replace('"', '""')
    return f'"{bare}"*' if word.endswith("*") else f'"{bare}"'


def numbers(packed: bytes) -> list[int]:
    """Numbers as SQLite packs them: seven bits in each byte, all but the last with the eighth."""
    found, number = [], 0
    for byte in packed:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found
