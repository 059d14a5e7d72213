"""Full-text search that common words do not slow down.

bm25 reads the whole list of every word, and the list of a common word is long and tells little. A
sample, renewed each time an index has doubled, says how common words are. The rarest words of a
query lead the search, as many as fit a budget of list entries. The others add their weight to what
was found. If there is room left, the newest rows with the common words fill it, first those with
all of them, then those with any.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from loxodon.clock import to_stored
from loxodon.store import Filter, Hit, Index
from loxodon.store.database import Database
from loxodon.store.fulltext import FullText, Narrowed
from loxodon.store.rows import about_label
from loxodon.text.words import among, fold, index_words

SAMPLE_FROM = 2_000
"""Rows from which on an index is sampled: below, reading every list is cheap."""
SAMPLE_SIZE = 4_000
SAMPLE_CHARACTERS = 400_000
COMMON = 1_000
"""Rows that have a word, by the sample, from which on its list is long enough to mind."""
_SEEN = 5
"""…and how often the sample must have seen it: a small one has words by chance."""
LEAST_BUDGET = 6_000
"""List entries that a search may read however small the index is."""
_LIFTED_CHARACTERS = 1_000
_WITHIN = 20_000
"""Turns of a time from which on it takes longer to find the first and the last than to go on."""


TURN_TEXT = "speaker || '\n' || content"
"""`Turn.searchable`, in SQL."""
_MEMORY_TEXT = "content || '\n' || tags || entities"
"""The words of `Record.searchable`, in SQL: the lists are JSON, whose marks are no words."""
_SEGMENT_TEXT = "topic || '\n' || tags || '\n' || text"
_PLACES = 20
"""Places of a chunk that it is found by: a line of a template may stand in thousands of files."""
# A name such as MEMORY.md tells nothing; a note's own does.
_FILE_NAME = (
    "CASE WHEN f.role IN ('daily', 'note') "
    "THEN replace(replace(f.path, rtrim(f.path, replace(f.path, '/', '')), ''), '.md', '') "
    "ELSE '' END"
)
_CHUNK_TEXT = (
    "text || coalesce((SELECT '\n' || string_agg("
    f"p.heading || '\n' || p.project || '\n' || {_FILE_NAME} || '\n' || "
    "(SELECT coalesce(string_agg(value, '\n'), '') FROM json_each(p.triggers)), '\n') "
    f"FROM (SELECT * FROM chunk_places WHERE chunk = chunks.no ORDER BY file, n LIMIT {_PLACES}) p "
    "JOIN source_files f ON f.no = p.file), '')"
)
"""A chunk's words, and the headings, project, file and triggers of the places where it stands."""


class IndexedTable(NamedTuple):
    """An index, and the table that it is over."""

    name: str
    truth: str
    key: str
    text: str
    """What its rows are found by, in SQL."""
    which: str = "true"
    """Which rows of the table it has, in SQL."""


TABLES: Mapping[Index, IndexedTable] = {
    "turns": IndexedTable("turn_index", "turns", "seq", TURN_TEXT),
    "segments": IndexedTable("segment_index", "segments", "no", _SEGMENT_TEXT),
    "chunks": IndexedTable("chunk_index", "chunks", "no", _CHUNK_TEXT),
    "documents": IndexedTable("document_index", "documents", "no", "text"),
    "memories": IndexedTable("memory_index", "memories", "row", _MEMORY_TEXT, "state = 'active'"),
    "archive": IndexedTable("archive_index", "memories", "row", _MEMORY_TEXT, "state = 'archived'"),
}


class Search:
    """One query on one index."""

    def __init__(
        self, db: Database, text: FullText, index: Index, where: Filter, limit: int
    ) -> None:
        self._db = db
        self._text = text
        self._index = index
        self._table = TABLES[index]
        self._limit = limit
        self._near = narrowed(where, self._table, db.walled)
        if index == "turns" and where.since and where.until:
            self._keep_within(where.since, where.until)

    def _keep_within(self, since: datetime, until: datetime) -> None:
        """Read of each list only the part that was said in a time, where that is soon known.

        The condition on the time stays: what was added later may be older.
        """
        times = to_stored(since)[0], to_stored(until)[0], _WITHIN
        ((count, first, last),) = self._db.all(
            "SELECT count(*), min(seq), max(seq) FROM "
            "(SELECT seq FROM turns WHERE at >= ? AND at < ? LIMIT ?)",
            times,
        )
        if count < _WITHIN:
            self._near = self._near._replace(between=(first or 0, last or 0))

    def best(self, words: Sequence[str], common: Mapping[str, float], rows: int) -> list[Hit]:
        """The rows that match best; `common` has the share of the `rows` of each common word."""
        leading, plain = divided(words, common, rows)
        text, index, near, limit = self._text, self._index, self._near, self._limit
        hits = text.ranked(index, leading, near, limit) if leading else []
        if not plain:
            return hits
        found = {hit.row: hit.score for hit in hits}
        for every in (True, False):
            if len(found) < limit:
                for row in text.newest(index, plain, every, near, limit):
                    found.setdefault(row, 0.0)
        return self._lifted(found, plain, common)[: self._limit]

    def _lifted(
        self, scores: dict[int, float], plain: Sequence[str], common: Mapping[str, float]
    ) -> list[Hit]:
        """Rows with what their common words add to their score, as bm25 weighs one mention."""
        found = self._db.all(
            f"SELECT {self._table.key}, substr({self._table.text}, 1, {_LIFTED_CHARACTERS}) "
            f"FROM {self._table.truth} WHERE {self._table.key} IN {THESE}",
            (these(scores),),
        )
        for row, text in found:
            has = among(plain, set(index_words(text)))
            scores[row] += sum(_weight(common[word]) for word in has)
        hits = [Hit(row, score) for row, score in scores.items()]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.row))


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


def _weight(share: float) -> float:
    return max(0.01, math.log((1 - share) / share)) if share < 1 else 0.01


def listed(rows: Iterable[int]) -> str:
    """Row numbers as an SQL list; they are our own integers, never text from outside."""
    return f"({','.join(map(str, sorted(rows)))})"


THESE = "(SELECT value FROM json_each(?))"
"""The same as a value (`these`), for what is asked often: SQLite keeps a statement that it has
prepared only if the next has the same text."""


def these(rows: Iterable[int]) -> str:
    """Row numbers as the value of `THESE`."""
    return str(list(rows))  # as JSON has it


def narrowed(where: Filter, table: IndexedTable, walled: bool) -> Narrowed:
    """What a filter makes of a search.

    Behind a wall every row is looked up, since an index has those of everybody.
    """
    conditions, values = conditions_of(where, table)
    return Narrowed(bool(conditions) or walled, conditions, values)


def conditions_of(where: Filter, table: IndexedTable) -> tuple[str, list[Any]]:
    """A filter as SQL conditions on the table `t`, with their values."""
    if table.truth != "memories":
        return _CONDITIONS[table.truth](where)
    found: list[str] = []
    values: list[Any] = []
    for name in ("kind", "state"):
        value = getattr(where, name)
        if value is not None:
            found.append(f"t.{name} = ?")
            values.append(value)
    for label in ("project", "topic", "tag", "entity"):
        wanted = getattr(where, label)
        if wanted is not None:
            found.append(
                "EXISTS (SELECT 1 FROM memory_labels l "
                "WHERE l.label = ? AND l.name = ? AND l.memory = t.row)"
            )
            values += [label, fold(wanted)]
    if where.about:
        # Few have it: the label leads.
        found.append(
            "t.row IN (SELECT memory FROM memory_labels WHERE label = 'about' AND name = ?)"
        )
        values.append(about_label(*where.about))
    if where.audience is not None:
        found.append("t.audience <> 'private'")
    if where.told is not None:
        found.append("t.audience = ?")
        values.append(where.told)
    if where.trust:
        found.append(f"t.trust IN ({','.join('?' * len(where.trust))})")
        values += where.trust
    _add_times(where, "coalesce(t.valid_from, t.created_at)", found, values)
    return " AND ".join(found), values


def _turn_conditions(where: Filter) -> tuple[str, list[Any]]:
    found: list[str] = []
    values: list[Any] = []
    if where.session is not None:
        found.append("t.session = (SELECT no FROM sessions WHERE id = ?)")
        values.append(where.session)
    if where.audience is not None:
        found.append(
            "t.chat <> 'direct' AND NOT EXISTS (SELECT 1 FROM memory_sources s JOIN memories m "
            "ON m.row = s.memory WHERE s.seq = t.seq AND m.audience = 'private')"
        )
    _add_times(where, "t.at", found, values)
    return " AND ".join(found), values


def _segment_conditions(where: Filter) -> tuple[str, list[Any]]:
    """What a filter says of segments; whether a group may hear its turns is asked of the turns."""
    found: list[str] = []
    values: list[Any] = []
    if where.session is not None:
        found.append("t.session = (SELECT no FROM sessions WHERE id = ?)")
        values.append(where.session)
    if where.since is not None:
        found.append("t.ended_at >= ?")
        values.append(to_stored(where.since)[0])
    if where.until is not None:
        found.append("t.started_at < ?")
        values.append(to_stored(where.until)[0])
    return " AND ".join(found), values


def _chunk_conditions(where: Filter) -> tuple[str, list[Any]]:
    """What a filter says of chunks: a group hears none, and of the labels they have only a project.

    What has no day is as old as its file may be: it was written at some time before that changed.
    """
    labelled = any((where.topic, where.tag, where.entity, where.about, where.session))
    if labelled or where.audience is not None:
        return "false", []
    found: list[str] = []
    values: list[Any] = []
    if where.since is not None:
        found.append("coalesce(p.at, f.mtime / 1000000) >= ?")
        values.append(to_stored(where.since)[0])
    if where.until is not None:
        found.append("(p.at IS NULL OR p.at < ?)")
        values.append(to_stored(where.until)[0])
    if where.project is not None:
        found.append("lower(p.project) = lower(?)")
        values.append(where.project)
    if not found:
        return "", []
    place = "chunk_places p JOIN source_files f ON f.no = p.file WHERE p.chunk = t.no"
    return f"EXISTS (SELECT 1 FROM {place} AND {' AND '.join(found)})", values


def _document_conditions(where: Filter) -> tuple[str, list[Any]]:
    return under(where.namespace or "")


def under(path: str) -> tuple[str, list[Any]]:
    """Documents `t` whose namespace begins with that of a path, as a condition and its values."""
    # '0' comes right after the '/' at the end of the path.
    return (
        ("t.namespace >= ? AND t.namespace < ?", [path, f"{path[:-1]}0"]) if path else ("true", [])
    )


_CONDITIONS = {
    "turns": _turn_conditions,
    "segments": _segment_conditions,
    "chunks": _chunk_conditions,
    "documents": _document_conditions,
}


def _add_times(where: Filter, column: str, found: list[str], values: list[Any]) -> None:
    if where.since is not None:
        found.append(f"{column} >= ?")
        values.append(to_stored(where.since)[0])
    if where.until is not None:
        found.append(f"{column} < ?")
        values.append(to_stored(where.until)[0])


def sample_due(rows: int, sampled_at: int) -> bool:
    """Whether an index of `rows` has grown enough since it was last sampled."""
    return rows >= max(SAMPLE_FROM, 2 * sampled_at)


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
