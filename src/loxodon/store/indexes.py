"""The full-text indexes of a store: their rows, how many they have, and what is measured of them.

In a conversation, an answer often shares no word with the question but is next to a turn that
does. In a collection of notes, neighbours say nothing about each other, even if all of it was added
as one session. `cohesion` measures which it is: how much more similar two consecutive turns are
than two random ones from other sessions or far apart.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from loxodon.store import Having, Index, Nature
from loxodon.store.driver import Driver, Row, these
from loxodon.store.rows import loaded
from loxodon.store.search import TABLES, divided
from loxodon.text.words import fold, index_words

if TYPE_CHECKING:
    from loxodon.store.store import Store

SAMPLE_FROM = 2_000  # rows from which on an index is sampled: below, reading every list is cheap
SAMPLE_SIZE = 4_000
SAMPLE_CHARACTERS = 400_000
COMMON = 1_000  # rows that have a word, by the sample, from which on its list is long
_SEEN = 5  # how often the sample must have a word: a small one has words by chance
_MEASURED = 400  # turns that a measurement looks at, each with the one behind it
_FAR = 12  # turns between two of one session that are as good as picked at random
_DEFAULT = Nature(0.7, 24.0)  # of a journal too short to tell: most are conversations


class Indexes:
    """Every index of one store; writes are called inside `Store.writing`."""

    def __init__(self, db: Driver) -> None:
        self._db = db
        self._common: tuple[str, dict[str, dict[str, float]]] = ("", {})

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
            for name, word, share in self._db.all("common_words"):
                found.setdefault(name, {})[word] = share
            self._common = (sampled, found)
        return self._common[1].get(index, {})

    def having(self, index: Index, words: Sequence[str], *, ranks: bool = True) -> Having:
        """Which rows of an index have each of `words`; not for those whose lists are too long."""
        rows, common = self.rows(index), self.common(index)
        listable, _ = divided(words, common, rows)
        read = self._db.text.lists if ranks and not self._db.wall.stands else self._db.text.seen
        lists = dict(zip(listable, read(index, listable), strict=True))
        counts = {word: common.get(word, 0.0) * rows for word in words}
        counts |= {word: float(len(rows_with)) for word, rows_with in lists.items()}
        return Having(rows, counts, lists)

    def rare(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        """The rows that have each of `words`, of those words that at most `most` rows have."""
        common = self.common(index)
        found = self._db.text.few(index, [word for word in words if word not in common], most + 1)
        return {word: rows for word, rows in found.items() if 0 < len(rows) <= most}

    def put(self, index: Index, texts: Sequence[tuple[int, str]]) -> int:
        """Put rows into an index, and sample it when it has doubled; how many it has now."""
        rows = self._db.take(f"rows_{index}", len(texts)) if texts else self.rows(index)
        self._db.text.put(index, ((row, index_words(text)) for row, text in texts))
        if rows >= SAMPLE_FROM and rows >= 2 * int(self.meta(f"sampled_{index}") or 0):
            self._sample(index)
        return rows

    def put_rows(self, index: Index, rows: Iterable[int]) -> None:
        """The same for rows whose text is read from their table."""
        texts = self._db.all("texts", (these(rows),), rows=f"rows_of_{index}")
        self.put(index, [(row, text) for row, text in texts])

    def drop(self, index: Index, rows: Iterable[int]) -> None:
        if gone := self._db.text.drop(index, rows):
            self._db.take(f"rows_{index}", -gone)
            self._db.take(f"changed_{TABLES[index].name}", 1)

    def _sample(self, index: Index) -> None:
        """Find the common words of an index from rows picked all over it."""
        db, rows, table = self._db, self.rows(index), TABLES[index]
        last = db.value("last_row", table=table.truth, key=table.key)
        # Picked by chance (the same each time): every n-th turn would hear one side of the talk.
        from random import Random

        picked = Random(rows).sample(range(1, last + 1), min(last, SAMPLE_SIZE))  # noqa: S311
        texts = db.column("sampled_texts", (these(picked),), rows=f"all_of_{index}")
        common = common_in(texts, rows)
        db.run("drop_common_words", (index,))
        db.many("put_common_word", [(index, *item) for item in sorted(common.items())])
        db.set_meta(f"sampled_{index}", str(rows))
        db.set_meta("sampled", str(int(self.meta("sampled") or 0) + 1))

    def meta(self, name: str) -> str:
        """A value that is kept by its name, read once for all that reads the same moment."""
        return self._db.once(name, lambda: self._db.meta(name))

    # The nature of the journal

    def nature(self) -> Nature:
        stored = self.meta("nature")
        return Nature(*loaded(stored)) if stored else _DEFAULT

    def measure_nature(self, turns: int) -> None:
        """Find out what kind of talk a journal holds, each time it has doubled."""
        if turns < 2 * int(self._db.meta("nature_at") or 4):
            return
        from random import Random

        from loxodon.text.similarity import cosine, unit

        picked = Random(turns).sample(range(1, turns + 1), min(turns, _MEASURED))  # noqa: S311
        rows = self._db.all("sampled_turns", (these({*picked, *(seq + 1 for seq in picked)}),))
        texts = {seq: (session, index_words(text)) for seq, session, text in rows}
        spread = Counter(word for _, words in texts.values() for word in set(words))
        weights = {word: math.log(1 + len(texts) / n) for word, n in spread.items()}
        vectors = {
            seq: unit({word: weights[word] for word in dict.fromkeys(words)})
            for seq, (_, words) in texts.items()
        }
        beside: list[float] = []
        apart: list[float] = []
        for seq, other in pairwise(picked):
            for one, together, into in ((seq + 1, True, beside), (other, False, apart)):
                if seq in texts and one in texts and one != seq:
                    same = texts[seq][0] == texts[one][0] and abs(seq - one) < _FAR
                    if same == together:
                        into.append(cosine(vectors[seq], vectors[one]))
        cohesion = _DEFAULT.cohesion  # one short session: nothing to compare with
        if apart:
            near, far = (sum(some) / max(1, len(some)) for some in (beside, apart))
            cohesion = round(max(0.0, 1 - far / near), 3) if near > 0 else 0.0
        if texts:
            usual = sum(len(words) for _, words in texts.values()) / len(texts)
            self._db.set_meta("nature", json.dumps([cohesion, round(usual, 1)]))
        self._db.set_meta("nature_at", str(turns))


class Part:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._db = store._db
        self._zone = store._zone
        self._indexes = store.indexes


def common_in(texts: Sequence[str], rows: int) -> dict[str, float]:
    """The words that are common in an index of `rows`, of which `texts` are a sample, by share."""
    texts = texts[:: 1 + sum(map(len, texts)) // SAMPLE_CHARACTERS]  # of long ones fewer will do
    counts: Counter[str] = Counter()
    for text in texts:
        words = set(index_words(text))
        # A character is looked for as a beginning (`猫*`), and has the rows of all its pairs.
        counts.update(words | {word[0] + "*" for word in words if not word[0].isascii()})
    least = max(_SEEN, COMMON / rows * len(texts))
    return {word: n / len(texts) for word, n in counts.items() if n >= least}


# What is derived, made anew from what is not


def clear_indexes(db: Driver) -> None:
    """Make everything that is derived anew, and empty; call within a transaction."""
    db.text.clear()
    derived = ("clear_common_words", "clear_labels", "unindex_all", "clear_samples")
    for statement in (*derived, "clear_row_counts"):
        db.run(statement)


def indexed_rows(db: Driver) -> Iterator[tuple[Index, list[Row], int]]:
    """(index, rows, how many in all) of all that is indexed: (row, *COLUMNS) or (row, text)."""
    tables = {table.truth for table in TABLES.values()}
    total = sum(db.value("count_rows", table=name) for name in tables)
    for index, table in TABLES.items():
        if table.truth != "memories":
            for rows in db.stream("texts_after", rows=f"rows_of_{index}"):
                yield index, rows, total
    states: tuple[tuple[Index, str], ...] = (("memories", "active"), ("archive", "archived"))
    for index, state in states:
        for rows in db.stream("memories_after", (state,)):
            yield index, rows, total


def name_entities(db: Driver) -> None:
    """Let every name lead to its entity anew; one of two to that called so, else the older."""
    entities = db.all("entity_aliases")
    names = [(agent, fold(name), no) for no, name, _, agent in entities]
    names += [
        (agent, fold(alias), no) for no, _, aliases, agent in entities for alias in loaded(aliases)
    ]
    db.run("clear_entity_names")
    db.many("put_entity_name", names)
