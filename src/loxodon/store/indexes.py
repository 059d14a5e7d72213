"""The full-text indexes of a file: their rows, how many they have, and their common words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loxodon.store import Index
from loxodon.store.database import Database
from loxodon.store.fulltext import FullText
from loxodon.store.search import SAMPLE_FROM, SAMPLE_SIZE, TABLES, common_in, listed, sample_due
from loxodon.text.words import index_words

_BATCH = 500


class Indexes:
    """Every index of one store; writes are called inside `Store.writing`."""

    def __init__(self, db: Database, text: FullText) -> None:
        self._db = db
        self.text = text
        self._common: tuple[str, dict[str, dict[str, float]]] = ("", {})
        self._enough: dict[Index, int] = {}
        """Up to how many rows an index has no need of another sample."""

    def rows(self, index: Index) -> int:
        """About how many rows an index has; counting them would take longer than most searches."""
        return self._db.counters.get(f"rows_{index}", 0)

    def common(self, index: Index) -> Mapping[str, float]:
        """The common words of an index by share, read anew when any process has sampled again."""
        if self.rows(index) < SAMPLE_FROM:
            return {}
        sampled = f"{self._db.generation}/{self.meta('sampled')}"
        if sampled != self._common[0]:
            found: dict[str, dict[str, float]] = {}
            for name, word, share in self._db.all(self._db.sql["common_words"]):
                found.setdefault(name, {})[word] = share
            self._common = (sampled, found)
        return self._common[1].get(index, {})

    def put(self, index: Index, texts: Sequence[tuple[int, str]]) -> int:
        """Put rows into an index, and sample it when it has doubled; how many it has now."""
        rows = self._count(index, len(texts))
        self.text.put(index, ((row, index_words(text)) for row, text in texts))
        if rows >= SAMPLE_FROM and rows > self._enough.get(index, 0):
            sampled = int(self.meta(f"sampled_{index}") or 0)
            if sample_due(rows, sampled):
                self._sample(index)
            else:
                self._enough[index] = 2 * sampled - 1
        return rows

    def put_rows(self, index: Index, rows: Iterable[int]) -> None:
        """The same for rows whose text is read from their table."""
        table, wanted = TABLES[index], sorted(rows)
        for start in range(0, len(wanted), _BATCH):
            some = listed(wanted[start : start + _BATCH])
            texts = self._db.all(
                f"SELECT {table.key}, {table.text} FROM {table.truth} WHERE {table.key} IN {some}"
            )
            self.put(index, [(row, text) for row, text in texts])

    def drop(self, index: Index, rows: Iterable[int]) -> None:
        """Take those of these rows that it has out of an index."""
        gone = self.text.drop(index, rows)
        if gone:
            self._count(index, -gone)
            self._db.take(f"changed_{TABLES[index].name}", 1)

    def drop_unused(self, index: Index) -> None:
        """Let go of those of its common words that no row has any more."""
        words = [w for at, w, _ in self._db.all(self._db.sql["common_words"]) if at == index]
        found = self.text.few(index, words, 1)
        self._db.many(
            "DELETE FROM common_words WHERE name = ? AND word = ?",
            [(index, word) for word in words if not found.get(word)],
        )

    def _sample(self, index: Index) -> None:
        """Find the common words of an index from rows picked all over it."""
        from random import Random

        db = self._db
        rows, table = self.rows(index), TABLES[index]
        ((last,),) = db.all(f"SELECT max({table.key}) FROM main.{table.truth}")
        # Picked by chance (the same each time): every n-th turn would hear one side of the talk.
        picked = Random(rows).sample(  # noqa: S311
            range(1, last + 1), min(last, SAMPLE_SIZE)
        )
        texts = db.all(
            f"SELECT {table.text} FROM main.{table.truth} AS {table.truth} "
            f"WHERE {table.key} IN {listed(picked)} AND {table.which}"
        )
        db.run(db.sql["drop_common_words"], (index,))
        common = common_in([text for (text,) in texts], rows)
        db.many(db.sql["put_common_word"], [(index, *item) for item in sorted(common.items())])
        db.run(db.sql["set_meta"], (f"sampled_{index}", str(rows)))
        db.run(db.sql["set_meta"], ("sampled", str(int(self.meta("sampled") or 0) + 1)))

    def _count(self, index: Index, more: int) -> int:
        if not more:
            return self.rows(index)
        return self._db.take(f"rows_{index}", more)

    def meta(self, name: str) -> str:
        """A value that is kept by its name; empty for none."""
        memo = self._db.unchanging
        if name not in memo:  # read once for all that reads the same moment
            row = self._db.one(self._db.sql["get_meta"], (name,))
            memo[name] = row[0] if row else None
        return str(memo[name] or "")
