"""The rows of an index that have a word, and how often: the input of ranking by words.

The list of a word is read once for everything that a recall does with it: bm25, neighbours, word
rarity. The ranking is the same for every backend.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from loxodon.errors import DamagedStoreError
from loxodon.store import Hit, Index
from loxodon.store.driver import Driver

if TYPE_CHECKING:
    from loxodon.store.search import Narrowed

Postings = Mapping[int, int]  # how often each row has a word
_K1, _B = 1.2, 0.75  # as SQLite's bm25 has them
_LEAST = 1e-6  # what a word tells at the least, there


class FullText:
    """The full-text indexes of a store. Writes are called inside `Store.writing`."""

    def __init__(self, db: Driver) -> None:
        self._db = db

    # What a backend does in its own way

    def lists(self, index: Index, words: Sequence[str]) -> list[Postings]:
        """The rows that have each of `words`; one that ends in `*` stands for all it begins."""
        raise NotImplementedError

    def seen(self, index: Index, word: str) -> Postings:
        """The rows that have a word, once each, without those that cannot be seen."""
        raise NotImplementedError

    def few(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        """Up to `most` of the rows that have each of `words`, of those that can be seen."""
        raise NotImplementedError

    def lengths(self, index: Index, rows: Iterable[int]) -> Mapping[int, int]:
        """How many words rows have, those of `rows` among them."""
        raise NotImplementedError

    def size(self, index: Index) -> tuple[int, int]:
        """How many rows an index has, and how many words."""
        raise NotImplementedError

    def ranked(self, index: Index, words: Sequence[str], near: Narrowed, limit: int) -> list[Hit]:
        """The rows with any of `words` that match best; of equals the newer."""
        raise NotImplementedError

    def newest(
        self, index: Index, words: Sequence[str], every: bool, near: Narrowed, limit: int
    ) -> list[int]:
        """The newest rows with any of `words`, or with every one of them."""
        raise NotImplementedError

    def put(self, index: Index, rows: Iterable[tuple[int, list[str]]]) -> None:
        """Put rows with their words into an index."""
        raise NotImplementedError

    def drop(self, index: Index, rows: Iterable[int]) -> int:
        """Take rows out of an index; how many of them it had."""
        raise NotImplementedError

    def merge(self) -> None:
        """Bring together the parts that small writes leave, a little at a time."""

    def clear(self) -> None:
        """Make every index anew, with nothing in it; one may be damaged."""
        raise NotImplementedError

    def scrub(self) -> None:
        """Make sure that no index has anything left of what was taken out."""

    def astray(self, index: Index, truth: str) -> tuple[int, int]:
        """How many rows of `truth` (a SELECT of row numbers) are missing, and how many are more."""
        raise NotImplementedError

    # The ranking

    def best(
        self, index: Index, lists: Sequence[Postings], limit: int, among: set[int] | None = None
    ) -> list[Hit]:
        """The rows (of `among`) that match these lists best, as SQLite's `bm25` scores them; of
        equals the newer."""
        rows, words = self.size(index)
        found = set(chain.from_iterable(lists))
        if among is not None:
            found &= among
        lengths = self.lengths(index, found)
        usual, each = _K1 * (1 - _B), _K1 * _B * rows / (words or 1)
        try:
            longer = {row: usual + each * lengths[row] for row in found}
        except KeyError:
            raise DamagedStoreError(
                "the full-text index of {index} is damaged",
                hint="rebuild it with `loxodon rebuild-index`",
                index=index,
            ) from None
        scores = dict.fromkeys(longer, 0.0)
        for one in lists:
            weight = _weight(len(one), rows) * (1 + _K1)
            for row, times in one.items():
                if among is None or row in among:
                    scores[row] += weight * times / (times + longer[row])
        best = [(score, row) for row, score in scores.items()]
        if len(best) > limit:  # numbers are sorted faster than pairs
            least = sorted(scores.values())[-limit]
            best = [one for one in best if one[0] >= least]
        return [Hit(row, score) for score, row in sorted(best, reverse=True)[:limit]]


def _weight(having: int, rows: int) -> float:
    return math.log(max(1 + _LEAST, (rows - having + 0.5) / (having + 0.5)))
