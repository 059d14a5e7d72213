"""The route over memories: facts, beliefs and summaries with the words of the question.

Memories and turns are scored alike, with the word rarity of the journal, so that their scores can
be compared. The bm25 scores of two indexes cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon.recall.terms import LIGHT, Terms, rarity, saturated
from loxodon.store import Filter, Having, Index, Nature, Note
from loxodon.store.store import Store
from loxodon.text.words import among, index_words, query_words
from loxodon.types import Record

CANDIDATES = 16
SUMMARY = 0.3  # A summary has a little of everything; what it was made of says it better


class Match(NamedTuple):
    """A memory that matches, and what each way of finding it gave."""

    record: Record
    found: dict[str, float]
    words: frozenset[str]  # Those of the question that it has


def matching_memories(
    store: Store,
    index: Index,
    terms: Terms,
    where: Filter,
    having: Having,
    nature: Nature,
    now: datetime,
    top: int,
) -> dict[int, Match]:
    """Memories of an index that match and have not expired, by row, unweighed."""
    most = max(CANDIDATES, top + top // 2)
    rows = [hit.row for hit in store.search(index, terms.leading, where, most)]
    others: dict[int, float] = {}
    if terms.related:
        words = [word for word, _ in terms.related]
        part = sum(weight for _, weight in terms.related) / len(words)
        found = store.search(index, words, where, most // 2)
        others = {hit.row: part * hit.score for hit in found}
    if not rows and not others:
        return {}
    return matches(store, {*rows, *others}, terms, having, nature, now, others, index)


_NONE: Mapping[int, float] = {}


def matches(
    store: Store,
    rows: Iterable[int],
    terms: Terms,
    having: Having,
    nature: Nature,
    now: datetime,
    others: Mapping[int, float] = _NONE,
    index: Index = "memories",
) -> dict[int, Match]:
    """How well these memories of an index match: `having` tells how rare words are in the journal,
    `others` what words for the same give."""
    having = having if having.rows else Having(1, {}, {})  # nothing was said: all tell the same
    worth = {word: rarity(having, word) for word in terms.words}
    worth |= {word: LIGHT * rarity(having, word) for word in terms.light}
    # These lists were read to find them; for other words it costs less to read the few found.
    lists = store.having(index, terms.leading).lists
    unlisted = [word for word in worth if word not in lists]
    found: dict[int, Match] = {}
    for row, record in store.records(rows).items():
        if record.expires_at is None or record.expires_at > now:
            own = [word for word, has in lists.items() if row in has]
            if unlisted:
                own += among(unlisted, set(index_words(record.searchable)))
            each = saturated(1.0, length_of(record.content), nature.words)
            part = SUMMARY if record.kind == "summary" else 1.0
            gave = {"words": part * each * sum([worth[word] for word in own])}
            if row in others:
                gave["related"] = part * others[row]
            found[row] = Match(record, gave, frozenset(own))
    return found


def length_of(text: str) -> float:
    """About how many words a text has, without cutting it up."""
    return len(text) / 6 if text.isascii() else float(len(text))


# --- notes --------------------------------------------------------------------------------------

_NOTE_CANDIDATES = 24
# Words of a note that is neither long nor short: a piece of a file has more than a turn
_USUAL = 80.0


class NoteMatch(NamedTuple):
    """A note that matches, and what each way of finding it gave."""

    note: Note
    found: dict[str, float]
    words: frozenset[str]  # Those of the question that it has


def has_notes(where: Filter) -> bool:
    """Whether notes can be what `where` admits: they are private, and have no label but a project.

    Who owns the files is the only one who is told of them.
    """
    labelled = any((where.topic, where.tag, where.entity, where.about, where.session))
    return where.kind in (None, "note") and not labelled and where.audience is None


def matching_notes(
    store: Store, terms: Terms, where: Filter, having: Having, nature: Nature, top: int
) -> dict[int, NoteMatch]:
    """Notes that match, by row, unweighed; `having` tells how rare the words are in the journal."""
    if not has_notes(where):
        return {}
    most = max(_NOTE_CANDIDATES, 2 * top)
    rows = [hit.row for hit in store.search("chunks", terms.leading, where, most)]
    others: dict[int, float] = {}
    if terms.related:
        words = [word for word, _ in terms.related]
        part = sum(weight for _, weight in terms.related) / len(words)
        found = store.search("chunks", words, where, most // 2)
        others = {hit.row: part * hit.score for hit in found}
    if not rows and not others:
        return {}
    here = store.having("chunks", terms.all)
    worth = _worth(terms, having, here)
    mean = max(nature.words, _USUAL)
    matches: dict[int, NoteMatch] = {}
    for row, note in store.workspace_data.notes({*rows, *others}).items():
        own = _has_words(row, note, list(worth), here)
        each = saturated(1.0, length_of(note.chunk.text), mean)
        gave = {"words": each * sum(worth[word] for word in sorted(own))}
        if row in others:
            gave["related"] = others[row]
        matches[row] = NoteMatch(note, gave, frozenset(own))
    return matches


def _worth(terms: Terms, journal: Having, here: Having) -> dict[str, float]:
    """What each word tells, on the journal's scale."""
    rows = max(journal.rows, here.rows, 1)
    counts = {word: rows * max(_share(journal, word), _share(here, word)) for word in terms.all}
    both = Having(rows, counts, {})
    scale = _most(max(journal.rows, 1)) / _most(rows)
    found = {word: scale * rarity(both, word) for word in terms.words}
    return found | {word: LIGHT * scale * rarity(both, word) for word in terms.light}


def _share(having: Having, word: str) -> float:
    return having.counts.get(word, 0.0) / having.rows if having.rows else 0.0


def _most(rows: int) -> float:
    """What a word tells that none of so many rows has."""
    return rarity(Having(rows, {}, {}), "")


def _has_words(row: int, note: Note, words: Sequence[str], here: Having) -> set[str]:
    """Those of `words` that a note has; its text is read only for the very common ones."""
    has = {word for word in words if row in here.lists.get(word, ())}
    unlisted = [word for word in words if word not in here.lists]
    if unlisted:
        has.update(among(unlisted, set(index_words(note.searchable))))
    return has


def is_triggered(note: Note, words: Iterable[str]) -> bool:
    """Whether the words of a question have all of one of the triggers of a note."""
    asked = frozenset(words)
    triggers = (query_words(trigger) for trigger in note.chunk.triggers)
    return any(trigger and asked.issuperset(trigger) for trigger in triggers)
