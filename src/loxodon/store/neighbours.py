"""The neighbours of a turn, which turns have a word, and whether neighbours matter.

In a conversation, an answer often shares no word with the question but is next to a turn that
does. In a collection of notes, neighbours say nothing about each other, even if all of it was
added as one session. `cohesion` measures which it is: how much more similar two consecutive turns
are than two random ones from other sessions or far apart.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from loxodon.store import Beside, Having, Index, Nature, Place, Stretch
from loxodon.store.database import Database
from loxodon.store.fulltext import FullText
from loxodon.store.rows import loaded
from loxodon.store.search import THESE, divided, listed, these
from loxodon.text.similarity import cosine, unit
from loxodon.text.words import index_words

REACH = 2
"""How many turns to each side are neighbours."""
_MEASURED = 400
"""Turns that a measurement looks at, each with the one behind it."""
_COMPARED = 1_000
"""Characters of a turn that are compared."""
_FAR = 12
"""Turns between two of one session that are as good as picked at random."""
_DEFAULT = Nature(0.7, 24.0)
"""Of a journal too short to tell: most are conversations."""

_NEIGHBOUR = (
    "(SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq {sign} t.seq "
    "ORDER BY n.seq {order} LIMIT 1 OFFSET {skipped})"
)
_BESIDE = (
    "SELECT t.seq, "
    + ", ".join(
        _NEIGHBOUR.format(sign=sign, order=order, skipped=n)
        for sign, order in (("<", "DESC"), (">", "ASC"))
        for n in range(REACH)
    )
    + f" FROM turns t WHERE t.seq IN {THESE}"
)


def places(db: Database, rows: Iterable[int]) -> dict[int, Place]:
    """Where turns stand, and what can be known of them without reading them."""
    found = db.all(
        "SELECT t.seq, t.session, t.role, t.speaker, t.channel, t.at FROM turns t "
        f"WHERE t.seq IN {THESE}",
        (these(rows),),
    )
    return {row[0]: Place(*row) for row in found}


def beside(db: Database, rows: Iterable[int]) -> dict[int, Beside]:
    """The neighbours of turns, as far as there are any."""
    return {
        row: Beside(tuple(filter(None, others[:REACH])), tuple(filter(None, others[REACH:])))
        for row, *others in db.all(_BESIDE, (these(rows),))
    }


def stretches(db: Database, segments: Iterable[int]) -> dict[int, Stretch]:
    """Which turns segments hold."""
    found = db.all(
        f"SELECT no, session, first_turn, last_turn FROM segments WHERE no IN {THESE}",
        (these(segments),),
    )
    return {no: Stretch(session, first, last) for no, session, first, last in found}


def having(
    text: FullText,
    index: Index,
    words: Sequence[str],
    common: Mapping[str, float],
    rows: int,
    walled: bool,
) -> Having:
    """Which rows of an index have each of `words`; not for those whose lists are too long."""
    listable, _ = divided(words, common, rows)
    if walled:
        lists = {word: text.seen(index, word) for word in listable}
    else:
        lists = dict(zip(listable, text.lists(index, listable), strict=True))
    counts = {word: common.get(word, 0.0) * rows for word in words}
    counts |= {word: float(len(rows_with)) for word, rows_with in lists.items()}
    return Having(rows, counts, lists)


def rare(
    text: FullText, index: Index, words: Iterable[str], common: Mapping[str, float], most: int
) -> dict[str, list[int]]:
    """The rows that have each of `words`, of those that at most `most` have; no list is read
    further than that."""
    found = text.few(index, [word for word in words if word not in common], most + 1)
    return {word: rows for word, rows in found.items() if 0 < len(rows) <= most}


def nature(stored: str) -> Nature:
    """What was measured, as `measured` wrote it down."""
    return Nature(*loaded(stored)) if stored else _DEFAULT


def measured(db: Database, last: int) -> str:
    """How cohesive a journal of `last` turns is and how long its turns are, to be kept as text."""
    from random import Random  # a recall has no use for it

    picked = Random(last).sample(range(1, last + 1), min(last, _MEASURED))  # noqa: S311
    read = f"SELECT seq, session, substr(content, 1, {_COMPARED}) FROM main.turns WHERE seq IN "
    rows = db.all(read + listed({*picked, *(seq + 1 for seq in picked)}))
    texts = {seq: (session, index_words(text)) for seq, session, text in rows}
    if not texts:
        return ""
    spread = Counter(word for _, words in texts.values() for word in set(words))
    weights = {word: math.log(1 + len(texts) / n) for word, n in spread.items()}
    vectors = {
        seq: (session, unit({word: weights[word] for word in set(words)}))
        for seq, (session, words) in texts.items()
    }
    lengths = [len(words) for _, words in texts.values()]
    beside: list[float] = []
    apart: list[float] = []
    for seq, other in pairwise(picked):
        if seq in vectors:
            _compare(vectors, seq, seq + 1, True, beside)
            _compare(vectors, seq, other, False, apart)
    if not apart:  # one short session: nothing to compare with
        return json.dumps([_DEFAULT.cohesion, round(_mean(lengths), 1)])
    lift = 1 - _mean(apart) / _mean(beside) if _mean(beside) > 0 else 0.0
    return json.dumps([round(max(0.0, lift), 3), round(_mean(lengths), 1)])


_Vector = Mapping[str, float]


def _compare(
    vectors: Mapping[int, tuple[int, _Vector]], one: int, other: int, same: bool, into: list[float]
) -> None:
    """Add how alike two turns are, if they are (`same`) or are not of one stretch of talk."""
    if other not in vectors or other == one:
        return
    together = vectors[one][0] == vectors[other][0] and abs(one - other) < _FAR
    if together == same:
        into.append(cosine(vectors[one][1], vectors[other][1]))


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
