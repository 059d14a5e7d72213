"""Ranking by words, from the lists of rows that have each; the same for every backend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from loxodon.errors import DamagedStoreError
from loxodon.store import Hit, Index

if TYPE_CHECKING:
    from loxodon.store.postgres.fulltext import PostgresFullText
    from loxodon.store.sqlite.fulltext import SqliteFullText

    FullText: TypeAlias = "SqliteFullText | PostgresFullText"  # the indexes of a store

Postings = Mapping[int, int]  # how often each row has a word
_K1, _B = 1.2, 0.75  # as SQLite's bm25 has them
_LEAST = 1e-6  # what a word tells at the least, there


def best(
    text: FullText,
    index: Index,
    lists: Sequence[Postings],
    limit: int,
    among: set[int] | None = None,
) -> list[Hit]:
    """The rows (of `among`) that match best, by the bm25 of SQLite; of equals the newer."""
    rows, words = text.size(index)
    found = set(chain.from_iterable(lists))
    if among is not None:
        found &= among
    lengths = text.lengths(index, found)
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
