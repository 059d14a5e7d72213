"""The full-text indexes in PostgreSQL: a b-tree of postings (`sql/postgres/migrations`).

Ranking is ours (`FullText.best`), from the same numbers as on SQLite, so both give the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from loxodon.store import Hit, Index
from loxodon.store.relational.fulltext import FullText, Narrowed, Postings
from loxodon.store.relational.search import TABLES, THESE, these

_POOLS: Mapping[Index, int] = {
    "turns": 1,
    "memories": 2,
    "archive": 3,
    "segments": 4,
    "chunks": 5,
    "documents": 6,
}
"""The numbers of the indexes; the tables depend on them."""
_BATCH = 500


def _words_counter(index: Index) -> str:
    """The counter of the words of an index; like that of its rows, it is derived."""
    return f"rows_{index}_words"


class PostgresFullText(FullText):
    """A `FullText` of two tables: `words`, and `indexed` with what each row was found by."""

    def lists(self, index: Index, words: Sequence[str]) -> list[Postings]:
        known, lengths = self._db.unchanging, self._lengths(index)
        kept: dict[str, Postings] = {
            word: known[index, word] for word in words if (index, word) in known
        }
        missing = [word for word in words if word not in kept and word[-1] != "*"]
        if missing:
            found: dict[str, dict[int, int]] = {word: {} for word in missing}
            for word, row, times, length in self._db.all(
                self._db.sql["word_lists"], (_POOLS[index], missing)
            ):
                found[word][row] = times
                lengths[row] = length
            kept |= found
        for word in words:
            if word not in kept:
                kept[word] = self._beginning(index, word[:-1], lengths)
            known[index, word] = kept[word]
        return [kept[word] for word in words]

    def _beginning(self, index: Index, begin: str, lengths: dict[int, int]) -> Postings:
        found: Counter[int] = Counter()
        ends = (_POOLS[index], begin, begin + "\U0010ffff")
        for row, times, length in self._db.all(self._db.sql["word_begins"], ends):
            found[row] += times
            lengths[row] = length
        return found

    def _lengths(self, index: Index) -> dict[int, int]:
        found: dict[int, int] = self._db.unchanging.setdefault(("lengths", index), {})
        return found

    def lengths(self, index: Index, rows: Iterable[int]) -> Mapping[int, int]:
        known = self._lengths(index)
        missing = [row for row in rows if row not in known]
        if missing:
            sql = self._db.sql["row_lengths"]
            known.update(self._db.all(sql, (_POOLS[index], missing)))
        return known

    def size(self, index: Index) -> tuple[int, int]:
        counters = self._db.counters
        return counters.get(f"rows_{index}", 0), counters.get(_words_counter(index), 0)

    def seen(self, index: Index, word: str) -> Postings:
        (found,) = self.lists(index, [word])
        return dict.fromkeys(self._admitted(index, found, Narrowed()), 1)

    def _admitted(self, index: Index, rows: Iterable[int], near: Narrowed) -> list[int]:
        """Those of some rows that can be seen and fit, in order."""
        table = TABLES[index]
        first, last = near.between or (0, (1 << 63) - 1)
        wanted = [row for row in rows if first <= row <= last]
        found = self._db.all(
            f"SELECT t.{table.key} FROM {table.truth} t "
            f"WHERE t.{table.key} IN {THESE} AND {near.conditions or 'true'}",
            [these(wanted), *near.values],
        )
        return sorted(row for (row,) in found)

    def few(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        wanted = list(dict.fromkeys(words))
        plain = [word for word in wanted if word[-1] != "*"]
        found: dict[str, list[int]] = {word: [] for word in wanted}
        for word, row in self._db.all(
            "SELECT x.word, w.row FROM unnest(?1::text[]) AS x (word) CROSS JOIN LATERAL "
            f"({self._newest(index, 'w.word = x.word', Narrowed(self._db.walled))} LIMIT ?2) w "
            "ON true",
            (plain, most),
        ):
            found[word].append(row)
        for word in wanted:
            if word[-1] == "*":
                found[word] = self.newest(index, [word], False, Narrowed(self._db.walled), most)
        return {word: sorted(rows) for word, rows in found.items()}

    def ranked(self, index: Index, words: Sequence[str], near: Narrowed, limit: int) -> list[Hit]:
        lists = self.lists(index, words)
        among: set[int] | None = None
        if near.looked_up or near.between:
            among = set(self._admitted(index, set().union(*lists), near))
        return self.best(index, lists, limit, among)

    def newest(
        self, index: Index, words: Sequence[str], every: bool, near: Narrowed, limit: int
    ) -> list[int]:
        """One list leads from its end, and the others are looked up, or each of them does."""
        if every:
            first, *others = words
            conditions = [self._has(first, "w"), *(self._also(index, word) for word in others)]
            parts = [self._newest(index, " AND ".join(conditions), near)]
        else:
            parts = [self._newest(index, self._has(word, "w"), near) for word in words]
        found: set[int] = set()
        for part in parts:
            rows = self._db.all(f"{part} LIMIT ?", [*near.values, *(near.between or ()), limit])
            found |= {row for (row,) in rows}
        return sorted(found, reverse=True)[:limit]

    def _newest(self, index: Index, having: str, near: Narrowed) -> str:
        table = TABLES[index]
        joined = f"JOIN {table.truth} t ON t.{table.key} = w.row" if near.looked_up else ""
        conditions = f"AND {near.conditions}" if near.conditions else ""
        between = "AND w.row BETWEEN ? AND ?" if near.between else ""
        return (
            f"SELECT DISTINCT w.row FROM words w {joined} "
            f"WHERE w.pool = {_POOLS[index]} AND {having} {conditions} {between} "
            "ORDER BY w.row DESC"
        )

    def _also(self, index: Index, word: str) -> str:
        return (
            f"EXISTS (SELECT 1 FROM words o WHERE o.pool = {_POOLS[index]} AND o.row = w.row "
            f"AND {self._has(word, 'o')})"
        )

    @staticmethod
    def _has(word: str, table: str) -> str:
        """A condition on a table of words; a word is letters, and quoted as any text."""
        if word[-1] != "*":
            return f"{table}.word = {_quoted(word)}"
        begin, end = _quoted(word[:-1]), _quoted(word[:-1] + "\U0010ffff")
        return f"{table}.word >= {begin} AND {table}.word < {end}"

    # Writes

    def put(self, index: Index, rows: Iterable[tuple[int, list[str]]]) -> None:
        pool, total, some = _POOLS[index], 0, list(rows)
        for start in range(0, len(some), _BATCH):
            postings: list[tuple[str, int, int, int]] = []
            batch = some[start : start + _BATCH]
            for row, words in batch:
                length = len(words)
                total += length
                postings += [(word, row, n, length) for word, n in Counter(words).items()]
            postings.sort()  # as the index is
            if postings:
                columns = (_array(column) for column in zip(*postings, strict=True))
                self._db.run(self._db.sql["put_words"], (pool, *columns))
            wordless = [(pool, row) for row, words in batch if not words]
            self._db.many(self._db.sql["put_wordless"], wordless)
        self._count(index, total)

    def drop(self, index: Index, rows: Iterable[int]) -> int:
        pool, wanted = _POOLS[index], sorted(set(rows))
        if not wanted:
            return 0
        gone = self._db.all(self._db.sql["drop_indexed"], (pool, wanted))
        pairs = [(word, row) for row, _, words in gone for word in words]
        if pairs:
            columns = (_array(column) for column in zip(*pairs, strict=True))
            self._db.run(self._db.sql["drop_words"], (pool, *columns))
        self._count(index, -sum(length for _, length, _ in gone))
        return len(gone)

    def _count(self, index: Index, words: int) -> None:
        if words:
            self._db.take(_words_counter(index), words)

    def empty(self) -> None:
        self._db.run("DELETE FROM words")
        self._db.run("DELETE FROM indexed")

    # Checks

    def astray(self, index: Index, truth: str) -> tuple[int, int]:
        held = f"SELECT row FROM indexed WHERE pool = {_POOLS[index]}"
        missing = len(self._db.all(f"{truth} EXCEPT {held}"))
        return missing, len(self._db.all(f"{held} EXCEPT {truth}"))

    def sizes(self, index: Index, between: tuple[int, int]) -> dict[int, int]:
        return dict(self._db.all(self._db.sql["indexed_sizes"], (_POOLS[index], *between)))

    def sums(self, index: Index, row: int, place: int, mask: int) -> Iterator[tuple[str, int, int]]:
        values = (_POOLS[index], row, mask)
        yield from (
            (w, n, total) for w, n, total in self._db.all(self._db.sql["word_sums"], values)
        )


def _array(values: Sequence[str | int]) -> str:
    """Many values as PostgreSQL reads an array; adapting them one by one would take longer than to
    store them. A word has no character that would have to be escaped."""
    if isinstance(values[0], int):
        return "{" + ",".join(map(str, values)) + "}"
    return '{"' + '","'.join(map(str, values)) + '"}'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
