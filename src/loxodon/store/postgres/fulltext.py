"""The full-text indexes in PostgreSQL: the list of each word, in blocks.

A block is what a word has of some hundred rows that follow each other, so that a list of thousands
is a few rows of the table, and what is added together is written together. Ranking is ours
(`search.best`), from the same numbers as on SQLite, so both give the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from struct import Struct

from loxodon.store import Hit, Index
from loxodon.store.driver import Driver, these
from loxodon.store.search import TABLES, Narrowed, Postings, best

# The numbers of the indexes; the tables depend on them
_POOLS: Mapping[Index, int] = {
    "turns": 1,
    "memories": 2,
    "archive": 3,
    "segments": 4,
    "chunks": 5,
    "documents": 6,
}
_ROWS = 512  # of a block; the tables depend on it
_POSTING = Struct(">HII")  # the row of the block, how often it has the word, how many words
_LAST = (_ROWS << 31) - 1  # the last row that there can be


class PostgresFullText:
    """Two tables: `words`, and `indexed` with what each row was found by."""

    def __init__(self, db: Driver) -> None:
        self._db = db

    def merge(self) -> None:
        """Lists have no parts to bring together, and nothing is left of what was taken out."""

    scrub = merge

    def lists(self, index: Index, words: Sequence[str]) -> list[Postings]:
        known, lengths = self._db.memo, self._lengths(index)
        missing = [word for word in words if (index, word) not in known]
        found: dict[str, dict[int, int]] = {word: {} for word in missing}
        for word, block, postings in self._blocks(index, missing, (0, _LAST)):
            for row, times, length in _unpacked(block, postings):
                rows = found[word]
                rows[row] = rows.get(row, 0) + times
                lengths[row] = length
        known.update(((index, word), rows) for word, rows in found.items())
        return [found[word] if word in found else known[index, word] for word in words]

    def _blocks(
        self, index: Index, words: Sequence[str], rows: tuple[int, int]
    ) -> Iterator[tuple[str, int, bytes]]:
        """The blocks of words in which rows between two are, each with the word that it is for."""
        pool, between = _POOLS[index], [row // _ROWS for row in rows]
        if plain := [word for word in words if word[-1] != "*"]:
            yield from self._db.all("word_lists", (pool, plain, *between))
        for word in words:
            if word[-1] == "*":
                ends = word[:-1], word[:-1] + "\U0010ffff"
                found = self._db.all("word_begins", (pool, *ends, *between))
                yield from ((word, block, postings) for block, postings in found)

    def _lengths(self, index: Index) -> dict[int, int]:
        found: dict[int, int] = self._db.memo.setdefault(("lengths", index), {})
        return found

    def lengths(self, index: Index, rows: Iterable[int]) -> Mapping[int, int]:
        known = self._lengths(index)
        missing = [row for row in rows if row not in known]
        if missing:
            known.update(self._db.all("row_lengths", (_POOLS[index], missing)))
        return known

    def size(self, index: Index) -> tuple[int, int]:
        counters = self._db.counters
        return counters.get(f"rows_{index}", 0), counters.get(f"rows_{index}_words", 0)

    def seen(self, index: Index, words: Sequence[str]) -> list[Postings]:
        lists = self.lists(index, words)
        if not self._db.wall.stands:
            return lists
        return [dict.fromkeys(self._admitted(index, rows, Narrowed()), 1) for rows in lists]

    def _admitted(self, index: Index, rows: Iterable[int], near: Narrowed) -> list[int]:
        """Those of some rows that can be seen and fit, in order."""
        table = TABLES[index]
        first, last = near.between or (0, _LAST)
        wanted = these(row for row in rows if first <= row <= last)
        names, values = near.where
        parts = {"table": table.truth, "key": table.key}
        return sorted(self._db.column("matching_of", [wanted, *values], where=names, **parts))

    def few(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        wanted = list(dict.fromkeys(words))
        if self._db.wall.stands or any(word[-1] == "*" for word in wanted):
            return {word: sorted(self.seen(index, [word])[0])[:most] for word in wanted}
        found: dict[str, list[int]] = {word: [] for word in wanted}
        values = (_POOLS[index], wanted, most)
        for word, block, postings in self._db.all("word_lists_begun", values):
            found[word] += (row for row, _, _ in _unpacked(block, postings))
        return {word: sorted(rows)[:most] for word, rows in found.items()}

    def ranked(self, index: Index, words: Sequence[str], near: Narrowed, limit: int) -> list[Hit]:
        lists = self.lists(index, words)
        among: set[int] | None = None
        if near.looked_up or near.between:
            among = set(self._admitted(index, set().union(*lists), near))
        return best(self, index, lists, limit, among)

    def newest(
        self, index: Index, words: Sequence[str], every: bool, near: Narrowed, limit: int
    ) -> list[int]:
        """The lists are read from their ends, at first a little of each, then ever more."""
        first, last = near.between or (0, _LAST)
        newest = self._db.value("last_indexed", (_POOLS[index],))
        last = min(last, -1 if newest is None else newest)
        found: list[int] = []
        size = 2 * _ROWS
        while last >= first and len(found) < limit:
            start = max(first, (last + 1 - size) // _ROWS * _ROWS)
            having: dict[str, set[int]] = {word: set() for word in words}
            for word, block, postings in self._blocks(index, words, (start, last)):
                having[word].update(row for row, _, _ in _unpacked(block, postings))
            rows = set.intersection(*having.values()) if every else set().union(*having.values())
            rows = {row for row in rows if start <= row <= last}
            if near.looked_up and rows:
                rows = set(self._admitted(index, rows, near))
            found += sorted(rows, reverse=True)
            last, size = start - 1, 2 * size
        return found[:limit]

    # Writes

    def put(self, index: Index, rows: Iterable[tuple[int, list[str]]]) -> None:
        total = 0
        for block, some in groupby(rows, lambda one: one[0] // _ROWS):
            postings: dict[str, bytearray] = {}
            told: list[tuple[int, int, str]] = []
            for row, words in some:
                length, place = len(words), row % _ROWS
                total += length
                counts = Counter(words)
                for word, times in counts.items():
                    postings.setdefault(word, bytearray()).extend(
                        _POSTING.pack(place, times, length)
                    )
                told.append((row, length, " ".join(counts)))
            numbers, lengths, found = zip(*told, strict=True)
            self._db.run("put_indexed", (_POOLS[index], [*numbers], [*lengths], [*found]))
            if listed := sorted(postings):  # as the index is
                packed = [bytes(postings[word]) for word in listed]
                self._db.run("put_words", (_POOLS[index], listed, block, packed))
        if total:
            self._db.take(f"rows_{index}_words", total)

    def drop(self, index: Index, rows: Iterable[int]) -> int:
        pool, wanted = _POOLS[index], sorted(set(rows))
        if not wanted:
            return 0
        gone = self._db.all("drop_indexed", (pool, wanted))
        for block, some in groupby(sorted(gone), lambda one: one[0] // _ROWS):
            places: dict[str, set[int]] = {}
            for row, _, words in some:
                for word in words.split():
                    places.setdefault(word, set()).add(row % _ROWS)
            self._strip(pool, block, places)
        if words := sum(length for _, length, _ in gone):
            self._db.take(f"rows_{index}_words", -words)
        return len(gone)

    def _strip(self, pool: int, block: int, places: Mapping[str, set[int]]) -> None:
        left: dict[str, bytes] = {}
        for word, _, postings in self._db.all("word_lists", (pool, [*places], block, block)):
            kept = (one for one in _POSTING.iter_unpack(postings) if one[0] not in places[word])
            left[word] = b"".join(_POSTING.pack(*one) for one in kept)
        empty = sorted(word for word, postings in left.items() if not postings)
        self._db.run("drop_words", (pool, empty, block))
        if fewer := sorted(left.keys() - set(empty)):
            self._db.run("set_words", (pool, fewer, block, [left[word] for word in fewer]))

    def clear(self) -> None:
        self._db.run("clear_words")
        self._db.run("clear_indexed")

    # Checks

    def held(self, index: Index) -> str:
        return f"SELECT row FROM indexed WHERE pool = {_POOLS[index]}"


def _unpacked(block: int, postings: bytes) -> Iterator[tuple[int, int, int]]:
    """(row, how often it has the word, how many words it has) of a block."""
    start = block * _ROWS
    return ((start + n, times, length) for n, times, length in _POSTING.iter_unpack(postings))
