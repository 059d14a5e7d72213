"""The full-text indexes in SQLite: FTS5 over our own words, contentless.

SQLite's own bm25 reads each list twice more than ranking from the lists (`search.best`), so it is
asked only where the lists are long or a filter stands before them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from loxodon.store import Hit, Index
from loxodon.store.driver import Driver, Row, these
from loxodon.store.search import TABLES, Narrowed, Postings, best

_KEPT = 100_000  # rows whose length is remembered
_RANKED = 2_000  # list entries up to which SQLite takes longer than ranking here
_MERGED = 250  # pages of an index that are merged at a time: some ten milliseconds of the disk
_NAMES = tuple(table.name for table in TABLES.values())


class SqliteFullText:
    """FTS5 tables. Beside each stands `…_words`: its words with their rows."""

    def __init__(self, db: Driver) -> None:
        self._db = db
        self._lengths: dict[str, tuple[object, dict[int, int]]] = {}

    def lists(self, index: Index, words: Sequence[str]) -> list[Postings]:
        """The rows that have each of `words`; one that ends in `*` stands for all it begins."""
        name, memo = TABLES[index].name, self._db.memo
        missing = [word for word in words if not isinstance(memo.get((name, word)), Counter)]
        plain = [word for word in missing if word[-1] != "*"]
        read = self._db.all("word_rows", (these(plain),), index=name) if plain else []
        for word in set(missing).difference(plain):
            ends = word[:-1], word[:-1] + "\U0010ffff"
            read.append((word, self._db.value("word_rows_begun", ends, index=name)))
        memo.update(((name, word), Counter(json.loads(rows))) for word, rows in read)
        return [memo[name, word] for word in words]

    def seen(self, index: Index, words: Sequence[str]) -> list[Postings]:
        """The rows that have each of `words`, once each, without those that cannot be seen."""
        name, memo = TABLES[index].name, self._db.memo
        read = self.few(index, [word for word in words if (name, word) not in memo], 1 << 60)
        memo.update(((name, word), dict.fromkeys(rows, 1)) for word, rows in read.items())
        return [memo[name, word] for word in words]

    def few(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        """Up to `most` of the rows that have each of `words`, of those that can be seen."""
        name, memo = TABLES[index].name, self._db.memo
        found = {word: list(memo.get((name, word), ()))[:most] for word in words}
        if missing := [word for word in found if (name, word) not in memo]:
            matches = "matches_seen" if self._db.wall.stands else "matches"
            asked = these(any_of([word]) for word in missing), most
            read = self._db.column(matches, asked, **TABLES[index].parts)
            found |= zip(missing, map(json.loads, read), strict=True)
        return found

    def lengths(self, index: Index, rows: Collection[int]) -> Mapping[int, int]:
        """How many words rows have, those of `rows` among them."""
        db, name = self._db, TABLES[index].name
        version = db.generation, db.counters.get(f"changed_{name}", 0)
        before, known = self._lengths.get(name, (None, {}))
        if before != version or len(known) > _KEPT:
            known = {}
            if not db.is_writing:  # which may be undone, and the counter with it
                self._lengths[name] = version, known
        if missing := [row for row in rows if row not in known]:
            known.update(
                (row, size[0] if len(size) == 1 else numbers(size)[0])
                for row, size in self._db.all("index_lengths", (these(missing),), index=name)
            )
        return known

    def size(self, index: Index) -> tuple[int, int]:
        name = TABLES[index].name
        packed = self._db.once((name, ""), lambda: self._db.value("index_size", index=name))
        rows, words, *_ = (*numbers(packed or b""), 0, 0)
        return rows, words

    def ranked(self, index: Index, words: Sequence[str], near: Narrowed, limit: int) -> list[Hit]:
        if not near.looked_up and not near.between:
            lists = self.lists(index, words)
            if sum(map(len, lists)) <= _RANKED:
                return best(self, index, lists, limit)
        rows = self._narrowed("ranked", index, any_of(words), near, limit)
        return [Hit(row, -score) for row, score in rows]

    def newest(
        self, index: Index, words: Sequence[str], every: bool, near: Narrowed, limit: int
    ) -> list[int]:
        query = " AND ".join(map(_quoted, words)) if every else any_of(words)
        return [row for (row,) in self._narrowed("newest", index, query, near, limit)]

    def _narrowed(
        self, name: str, index: Index, query: str, near: Narrowed, limit: int
    ) -> list[Row]:
        where, values = near.where
        if near.between is not None:
            where, values = (*where, "indexed_between"), (*values, *near.between)
        parts: dict[str, Any] = {"where": where, **TABLES[index].parts}
        if near.looked_up:
            name += "_seen"
        return self._db.all(name, [query, *values, limit], **parts)

    def put(self, index: Index, rows: Iterable[tuple[int, list[str]]]) -> None:
        texts = ((row, " ".join(words)) for row, words in rows)
        self._db.many("put_indexed", texts, index=TABLES[index].name)

    def drop(self, index: Index, rows: Iterable[int]) -> int:
        """Take rows out of an index; how many of them it had."""
        name = TABLES[index].name
        there = self._db.all("indexed_of", (these(rows),), index=name)
        self._db.many("drop_indexed", there, index=name)
        return len(there)

    def merge(self) -> None:
        """Every word of a query is looked up in each part."""
        for name in _NAMES:
            self._db.run("merge_index", (_MERGED,), index=name)

    def clear(self) -> None:
        """Take each index apart and make it again: a damaged one can be neither emptied nor
        dropped."""
        db = self._db
        for name in _NAMES:
            definition = db.value("definition", (name,))
            for part in ("data", "idx", "docsize", "config"):
                db.run(f"DROP TABLE IF EXISTS {name}_{part}")
            db.run("PRAGMA writable_schema=ON")
            db.run("drop_definition", (name,))
            db.run("PRAGMA writable_schema=RESET")
            db.run(definition)
            db.run("set_up_index", index=name)

    def scrub(self) -> None:
        for name in _NAMES:
            self._db.run("optimize_index", index=name)

    def held(self, index: Index) -> str:
        """A SELECT of the rows that an index has."""
        return f"SELECT id FROM {TABLES[index].name}_docsize"


def any_of(words: Sequence[str]) -> str:
    """An FTS5 expression for rows with any of `words`; each is quoted, so that none is syntax."""
    return " OR ".join(map(_quoted, words))


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
