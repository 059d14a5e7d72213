"""The rows of an index that have a word, and how often: the input of ranking by words.

The list of a word is read once for everything that a recall does with it: bm25, neighbours, word
rarity. SQLite's own bm25 would read each list twice more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from loxodon.store import Hit
from loxodon.store.sqlite.database import Database

Postings = Mapping[int, int]
"""How often each row has a word."""
_K1, _B = 1.2, 0.75
"""As SQLite's bm25 has them."""
_LEAST = 1e-6
"""What a word tells at the least, there."""
_KEPT = 100_000
"""Rows whose length is remembered."""
_THESE = "(SELECT value FROM json_each(?))"


def postings(db: Database, index: str, word: str) -> Postings:
    """The rows of an index that have `word`; one that ends in `*` stands for all it begins."""
    memo = db.memo
    found: Postings | None = memo.get((index, word))
    if found is None:
        if word[-1] == "*":
            ends = word[:-1], word[:-1] + "\U0010ffff"
            rows = db.all(f"SELECT doc FROM {index}_words WHERE term >= ? AND term < ?", ends)
        else:
            rows = db.all(f"SELECT doc FROM {index}_words WHERE term = ?", (word,))
        found = memo[index, word] = Counter(chain.from_iterable(rows))
    return found


def best(db: Database, index: str, lists: Sequence[Postings], limit: int) -> list[Hit]:
    """The rows that match these lists best, as SQLite's `bm25` scores them; of equals the newer."""
    rows, words = _size(db, index)
    weighed = [(one, _weight(len(one), rows)) for one in lists]
    found = set(chain.from_iterable(lists))
    lengths = _lengths(db, index, found)
    usual, each = _K1 * (1 - _B), _K1 * _B * rows / (words or 1)
    longer = {row: usual + each * lengths[row] for row in found}
    scores = dict.fromkeys(longer, 0.0)
    for one, weight in weighed:
        weight *= 1 + _K1
        for row, times in one.items():
            scores[row] += weight * times / (times + longer[row])
    return [Hit(row, score) for score, row in _first(scores, limit)]


def _first(scores: Mapping[int, float], limit: int) -> list[tuple[float, int]]:
    """The highest scores with their rows, best first; of equals the newer."""
    found = [(score, row) for row, score in scores.items()]
    if len(found) > limit:
        least = sorted(scores.values())[-limit]
        found = [one for one in found if one[0] >= least]
    return sorted(found, reverse=True)[:limit]


def _lengths(db: Database, index: str, rows: Collection[int]) -> Mapping[int, int]:
    """How many words rows have, known from before where they have not changed."""
    known = db.lasting(f"lengths of {index}", f"changed_{index}", _KEPT)
    missing = [row for row in rows if row not in known]
    if missing:
        found = db.all(f"SELECT id, sz FROM {index}_docsize WHERE id IN {_THESE}", (str(missing),))
        known.update((row, size[0] if len(size) == 1 else numbers(size)[0]) for row, size in found)
    return known


def _weight(having: int, rows: int) -> float:
    return math.log(max(1 + _LEAST, (rows - having + 0.5) / (having + 0.5)))


def _size(db: Database, index: str) -> tuple[int, int]:
    """How many rows an index has, and how many words."""
    memo, name = db.memo, (index, "")
    if name not in memo:
        found = db.one(f"SELECT block FROM {index}_data WHERE id = 1")
        rows, words, *_ = (*numbers(found[0] if found else b""), 0, 0)
        memo[name] = rows, words
    size: tuple[int, int] = memo[name]
    return size


def numbers(packed: bytes) -> list[int]:
    """Numbers as SQLite packs them: seven bits in each byte, all but the last with the eighth."""
    found, number = [], 0
    for byte in packed:
        number = number << 7 | byte & 127
        if byte < 128:
            found.append(number)
            number = 0
    return found
