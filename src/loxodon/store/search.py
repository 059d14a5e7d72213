"""Full-text search that common words do not slow down.

bm25 reads the whole list of every word, and the list of a common word is long and tells little. A
sample, renewed each time an index has doubled, says how common words are. The rarest words of a
query lead the search, as many as fit a budget of list entries. The others add their weight to what
was found. If there is room left, the newest rows with the common words fill it, first those with
all of them, then those with any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from loxodon.clock import to_stored
from loxodon.errors import DamagedStoreError
from loxodon.store import Filter, Hit, Index
from loxodon.store.driver import Driver, these
from loxodon.store.rows import about_label
from loxodon.text.words import among, fold, index_words

if TYPE_CHECKING:
    from loxodon.store.postgres.fulltext import PostgresFullText
    from loxodon.store.sqlite.fulltext import SqliteFullText

    FullText: TypeAlias = "SqliteFullText | PostgresFullText"  # the indexes of a store

Postings = Mapping[int, int]  # how often each row has a word
_K1, _B = 1.2, 0.75  # as SQLite's bm25 has them
_LEAST = 1e-6  # what a word tells at the least, there
LEAST_BUDGET = 6_000  # list entries that a search may read however small the index is
_WITHIN = 20_000  # turns of a time from which on finding the first and last takes too long
_EARLIEST, _LATEST = -(1 << 62), 1 << 62


class IndexedTable(NamedTuple):
    """An index, and the table that it is over."""

    name: str
    truth: str
    key: str
    which: str = "true"  # which rows of the table it has, in SQL

    @property
    def parts(self) -> dict[str, str]:
        return {"index": self.name, "table": self.truth, "key": self.key}


TABLES: Mapping[Index, IndexedTable] = {
    "turns": IndexedTable("turn_index", "turns", "seq"),
    "segments": IndexedTable("segment_index", "segments", "no"),
    "chunks": IndexedTable("chunk_index", "chunks", "no"),
    "documents": IndexedTable("document_index", "documents", "no"),
    "memories": IndexedTable("memory_index", "memories", "row", "state = 'active'"),
    "archive": IndexedTable("archive_index", "memories", "row", "state = 'archived'"),
}


class Conditions(NamedTuple):
    """A filter on a table `t`: conditions of `sql/queries.sql` by name, and their values."""

    names: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()

    def __and__(self, other: Conditions) -> Conditions:
        return Conditions(self.names + other.names, self.values + other.values)


class Narrowed(NamedTuple):
    """Which rows of an index a search may find."""

    # Whether every row is looked up in its table: for conditions, or behind a wall
    looked_up: bool = False
    where: Conditions = Conditions()
    between: tuple[int, int] | None = None  # the first and the last row there can be


def search(
    db: Driver,
    index: Index,
    words: Sequence[str],
    where: Filter,
    limit: int,
    common: Mapping[str, float],
    rows: int,
) -> list[Hit]:
    """The rows of an index that match best; `common` has the share of each common word."""
    text, conditions = db.text, conditions_of(where, index)
    # Behind a wall every row is looked up, since an index has those of everybody.
    near = Narrowed(bool(conditions.names) or db.wall.stands, conditions)
    if index == "turns" and where.since and where.until:
        near = near._replace(between=_between(db, where.since, where.until))
    leading, plain = divided(words, common, rows)
    hits = text.ranked(index, leading, near, limit) if leading else []
    if not plain:
        return hits
    scores = {hit.row: hit.score for hit in hits}
    for every in (True, False):
        if len(scores) < limit:
            for row in text.newest(index, plain, every, near, limit):
                scores.setdefault(row, 0.0)
    # What common words add to a score, as bm25 weighs one mention.
    for row, begun in db.all("texts_begun", (these(scores),), rows=f"rows_of_{index}"):
        shares = [common[word] for word in among(plain, set(index_words(begun)))]
        scores[row] += sum(max(0.01, math.log(max(1 - one, 1e-9) / one)) for one in shares)
    best = sorted(scores.items(), key=lambda item: (-item[1], -item[0]))
    return [Hit(row, score) for row, score in best[:limit]]


def _between(db: Driver, since: datetime, until: datetime) -> tuple[int, int] | None:
    """The first and last turn of a time, where that is soon known, so that only that part of each
    list is read. The condition on the time stays: what was added later may be older."""
    times = to_stored(since)[0], to_stored(until)[0], _WITHIN
    ((count, first, last),) = db.all("turns_within", times)
    return (first or 0, last or 0) if count < _WITHIN else None


def divided(
    words: Sequence[str], common: Mapping[str, float], rows: int
) -> tuple[list[str], list[str]]:
    """(the words that lead the search, those too common to), by what reading their lists costs."""
    budget = LEAST_BUDGET + rows / 40
    leading: list[str] = []
    plain: list[str] = []
    for share, word in sorted((common.get(word, 0.0), word) for word in words):
        budget -= share * rows
        (leading if budget >= 0 else plain).append(word)
    return leading, plain


def conditions_of(where: Filter, index: Index) -> Conditions:
    table = TABLES[index].truth
    since, until = (None if at is None else to_stored(at)[0] for at in (where.since, where.until))
    if table == "documents":
        return under(where.namespace or "")
    if table == "chunks":
        # A group hears none, and of the labels they have only a project.
        labels = (where.topic, where.tag, where.entity, where.about, where.session)
        if any(labels) or where.audience is not None:
            return Conditions(("nothing",))
        if (since, until, where.project) == (None, None, None):
            return Conditions()
        times = _EARLIEST if since is None else since, _LATEST if until is None else until
        return Conditions(("chunk_place",), (*times, where.project, where.project))
    asked: list[tuple[str, Any]] = [("turn_session", where.session)]  # None for what is not
    shared = None if where.audience is None else ()
    if table == "turns":  # of segments it is asked of their turns
        asked.append(("turn_shared", shared))
    elif table == "memories":
        named = ((one, getattr(where, one)) for one in ("project", "topic", "tag", "entity"))
        asked = [
            ("memory_kind", where.kind),
            ("memory_state", where.state),
            *(("memory_label", (one, fold(name))) for one, name in named if name is not None),
            ("memory_about", about_label(*where.about) if where.about else None),
            ("memory_shared", shared),
            ("memory_audience", where.told),
            ("memory_trust", these(where.trust) if where.trust else None),
        ]
    asked += [(f"{_ONE[table]}_since", since), (f"{_ONE[table]}_until", until)]
    found = Conditions()
    for name, value in asked:
        if value is not None:
            found &= Conditions((name,), value if isinstance(value, tuple) else (value,))
    return found


_ONE = {"memories": "memory", "turns": "turn", "segments": "segment"}


def under(path: str) -> Conditions:
    # '0' comes right after the '/' at the end of the path.
    return Conditions(("document_under",), (path, f"{path[:-1]}0")) if path else Conditions()


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
        rarity = math.log(max(1 + _LEAST, (rows - len(one) + 0.5) / (len(one) + 0.5)))
        weight = rarity * (1 + _K1)
        for row, times in one.items():
            if among is None or row in among:
                scores[row] += weight * times / (times + longer[row])
    best = sorted(zip(scores.values(), scores, strict=True), reverse=True)
    return [Hit(row, score) for score, row in best[:limit]]
