"""The routes: each searches in its own way, and all add to one pool.

    words       full text over turns and memories, with the neighbours of a turn (turns.py)
    related     other words for the same (text/related.py)
    alike       turns similar to the best hits, if the journal is a collection of notes
    meaning     vectors, if an embedder is set
    attribute   memories of exactly the attribute asked for: `home`, for "where do I live"
    since       later turns that say that what the best hits tell is over
    time        what was said in the time the question names
    last        the last session and the last three days, for "what did we talk about last time?"
    label       the project, topic or tag the question names
    note        full text over files, and the triggers they name
    archive     archived memories, if too few active ones match

If a route fails, the others still count, and the trace notes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from math import prod

from loxodon.clock import to_stored
from loxodon.guard.provenance import waits
from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.endings import ended_since
from loxodon.recall.fuse import (
    ASKED,
    BY_ASSISTANT,
    NAMED,
    TOLD,
    Found,
    Key,
    Pool,
    Shares,
    Terms,
    fuse,
    is_light,
    note_key,
    saturated,
    terms_of,
    worth_of,
)
from loxodon.recall.turns import LEAST_COHESION, hops, matching_turns
from loxodon.recall.understand import Question, When, last_talk, without_asking
from loxodon.store import Filter, Having, Index, Place, QuestionVector
from loxodon.store.rows import about_label
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.related import expand
from loxodon.text.words import among, fold, query_words
from loxodon.types import Record

_PARTLY = 0.25  # what a route counts that answers by itself, where the words lead somewhere too
_TELLS_OF = 0.5  # factor for a memory that only tells of what is asked for
_BARE = {"zh": 5, "en": 2}  # words up to which a question says no more than what it is after
_SOUGHT = 8
_FILED = 3
_BARE_LABEL = 6.0  # how much more a project counts, where the question says no more than its name
_SHORT = timedelta(days=62)
_ABOUT = 12
_IN_TIME = 30
_FEW = 3  # memories that match; with fewer the archive is asked
_ALIAS = 0.5
_CANDIDATES: Mapping[Index, int] = {"memories": 16, "archive": 16, "chunks": 24}
_SUMMARY = 0.3  # a summary has a little of everything; what it was made of says it better
_NOTE_WORDS = 80.0  # of a note that is neither long nor short: a piece of a file has more
_CLOSE: Mapping[Index, int] = {"turns": 60, "memories": 20, "chunks": 20}
_USUAL = 1.0  # spreads by which a text must be closer than usual to count for a question
_MOST_CLOSE = 7.0
_BESIDE = (0.7, 0.3)  # what the meaning of a neighbour counts, by its distance
_LAST_DAYS = timedelta(days=3)
_SAYS = 3  # words from which on a turn says something

Span = tuple[int, int]
_FAR = 1 << 60


class Look:
    """What is looked for, where, and what was found."""

    def __init__(
        self,
        store: Store,
        question: Question,
        where: Filter,
        now: datetime,
        views: Sequence[QuestionVector] = (),
        as_of: datetime | None = None,
        top: int = 10,
    ) -> None:
        self.store, self.question, self.where = store, question, where
        self.now, self.views, self.as_of, self.top = now, views, as_of, top
        self.weights = TOLD if question.tells else ASKED
        self.asks_past = question.tense == "past" or as_of is not None
        self.nature = store.nature()
        self.pool: Pool = {}
        # For each thing asked: its words, and which turns have them
        self.each: list[tuple[Terms, Having]] = []
        self.problems: list[str] = []
        # Turns have no labels; notes are private, and have no label but a project
        labelled = any((where.topic, where.tag, where.entity))
        self.has_turns = where.kind in (None, "turn") and not labelled and not where.project
        self.has_memories = where.kind not in ("turn", "note")
        self.has_notes = (
            where.kind in (None, "note")
            and not (labelled or where.about or where.session)
            and where.audience is None
        )
        # The times that a question names, where the filter does not say what time counts
        named = [one for one in question.times if not one.recurring]
        self.spans = [
            (
                to_stored(one.since)[0] if one.since else -_FAR,
                to_stored(one.until)[0] if one.until else _FAR,
            )
            for one in named
        ]
        free = not where.since and not where.until
        self.times = [one for one in named if one.grain != "recent"][:2] if free else []
        text = question.focus
        for one in named:
            text = text.replace(one.text, " ")
        self.undated = query_words(text)
        self._words = frozenset(question.words)
        you = re.search(r"\b(?:you|your)\b|[你您]", question.text, re.I)
        self._to_assistant = bool(question.last) or you is not None
        self._voices: dict[tuple[str, str], dict[str, float]] = {}

    def voice(self, place: Place) -> dict[str, float]:
        """What a turn counts by who said it."""
        key = place.role, place.speaker
        if key not in self._voices:
            found = self._voices[key] = {}
            if place.role == "assistant" and not self._to_assistant:
                found["assistant"] = BY_ASSISTANT
            name = query_words(place.speaker) if place.speaker not in ("user", "assistant") else ()
            if name and self._words.issuperset(name):
                found["speaker"] = NAMED
        return self._voices[key]

    def found(self, key: Key) -> Found:
        found = self.pool.get(key)
        if found is None:
            found = self.pool[key] = Found(key)
        return found

    def add(self, key: Key, route: str, part: float) -> Found:
        found = self.found(key)
        found.add(route, part, self.weights)
        return found

    def counts(self) -> dict[str, int]:
        """How many each route found."""
        counts: dict[str, int] = {}
        for found in self.pool.values():
            for name in found.routes:
                counts[name] = counts.get(name, 0) + 1
        return counts


def search(look: Look, lap: Callable[[str], None]) -> None:
    """Go along every route; `lap` is told the name of each that is done."""
    routes: dict[str, Callable[[Look], None]] = {"last": _last}
    if not is_bare_last(look.question):  # whose words lead nowhere else
        _by_words(look, lap)
        routes = {
            "alike": _alike,
            "meaning": _by_meaning,
            "attribute": _attributes,
            "since": _since,
            "label": _labels,
            "time": _in_time,
            "last": _last,
            "note": _notes,
        }
    for name, route in routes.items():
        try:
            route(look)
        except Exception as error:  # a route that fails must not cost the agent the others
            look.problems.append(f"{name}: {error}"[:200])
        lap(name)
    pool, where = look.pool, look.where
    lacking = [key.row for key, found in pool.items() if key.is_turn and found.place is None]
    for row, place in look.store.places(lacking).items() if lacking else ():
        pool[Key(True, row)].place = place
    # Take out what the filter does not admit, whatever route it came by: here is the wall. So is
    # what waits for the owner's word: the turn that it was read from is found all the same.
    for key in [key for key, one in pool.items() if one.record and waits(one.record)]:
        del pool[key]
    if where._replace(kind=None) != Filter():
        rows: dict[Index, list[Key]] = {"turns": [], "memories": [], "chunks": []}
        for key in pool:
            rows["turns" if key.is_turn else "chunks" if key.is_note else "memories"].append(key)
        for index, keys in rows.items():
            kept = look.store.admitted(index, [key.row for key in keys], where) if keys else ()
            for key in keys:
                if key.row not in kept:
                    del pool[key]
    lap("places")


# --- Words ----------------------------------------------------------------------------------------


def _by_words(look: Look, lap: Callable[[str], None]) -> None:
    """Turns, memories and notes with the words of each thing that is asked."""
    question, store = look.question, look.store
    asks = question.kind != "none" and not question.tells
    each: list[tuple[Shares, float]] = []
    for words, related in _asked(question):
        terms = terms_of(words, related, question.focus if question.tells else "")
        if look.views:  # vectors have what a message is about, and better
            terms = terms._replace(often={})
        said = matching_turns(
            store,
            terms,
            look.where,
            look.nature,
            look.top,
            asks,
            look.weights,
            lambda place: prod(look.voice(place).values()),
        )
        terms, having = said.terms, said.having
        shares: Shares = {}
        for row, parts in said.scores.items() if look.has_turns else ():
            look.found(Key(True, row)).place = said.places.get(row)
            shares[Key(True, row)] = parts
        lap("turns")
        if look.has_memories:
            shares |= _memories(look, terms, having)
        lap("memories")
        if look.has_notes:
            shares |= _matching(look, "chunks", terms, having)
        lap("notes")
        look.each.append((terms, having))
        beside_meaning = bool(look.views) and not question.tells
        each.append((shares, sum(worth_of(terms, having).values()) if beside_meaning else 0.0))
    fuse(look.pool, each, look.weights)
    lap("fuse")


def _asked(question: Question) -> list[tuple[list[str], list[tuple[str, float]]]]:
    """For each thing that is asked its words, and the words for the same."""
    asks = question.asks if len(question.asks) > 1 and not question.tells else ()
    found = [(query_words(without_asking(ask.text, question.language)), ask.text) for ask in asks]
    found = [(words, text) for words, text in found if words]
    if not found:
        found = [(list(question.words), question.focus)]
    # The words of the other names of those whom the question names
    asked = set(question.words)
    names = [name for one in question.entities for name in (one.entity.name, *one.entity.aliases)]
    others = dict.fromkeys(word for name in names[:12] for word in query_words(name))
    aliases = [(word, _ALIAS) for word in others if word not in asked]
    # The words that only name a time: what is asked for was not said in them
    dates = {
        word for time in question.times if not time.recurring for word in query_words(time.text)
    }
    return [
        (
            [word for word in words if word not in dates],
            [(one.word, one.weight) for one in expand(words, text)] + aliases,
        )
        for words, text in found
    ]


def _matching(look: Look, index: Index, terms: Terms, journal: Having) -> Shares:
    """Memories or notes of an index that match and have not expired, unweighed.

    They and turns are scored alike, with the word rarity of the journal, so that their scores can
    be compared. The bm25 scores of two indexes cannot.
    """
    store, where, is_notes = look.store, look.where, index == "chunks"
    most = max(_CANDIDATES[index], look.top + look.top // 2)
    rows = {hit.row for hit in store.search(index, terms.leading, where, most)}
    others: dict[int, float] = {}
    if terms.related:
        words = [word for word, _ in terms.related]
        part = sum(weight for _, weight in terms.related) / len(words)
        hits = store.search(index, words, where, most // 2)
        others = {hit.row: part * hit.score for hit in hits}
    if not rows and not others:
        return {}
    here = store.having(index, terms.all)
    # How rare words are in the journal; in notes too, which may have more words than was said
    rows_in_all = max(journal.rows, here.rows if is_notes else 1, 1)
    counts = {
        word: rows_in_all
        * max(
            having.counts.get(word, 0.0) / having.rows if having.rows else 0.0
            for having in ((journal, here) if is_notes else (journal,))
        )
        for word in terms.all
    }
    worth = worth_of(terms._replace(often={}), Having(rows_in_all, counts, {}))
    unlisted = [word for word in worth if word not in here.lists]
    mean = max(look.nature.words, _NOTE_WORDS) if is_notes else look.nature.words
    shares: Shares = {}
    for found in _fetched(look, index, {*rows, *others}):
        row = found.key.row
        own = {word for word in worth if row in here.lists.get(word, ())}
        own.update(among(unlisted, found.said) if unlisted else ())
        text = found.record.content if found.record else found.note.chunk.text if found.note else ""
        length = len(text) / 6 if text.isascii() else float(len(text))  # about, in words
        part = saturated(1.0, length, mean)
        part *= _SUMMARY if found.kind == "summary" else 1.0
        shares[found.key] = {"words": part * sum(worth[word] for word in sorted(own))}
        if row in others:
            shares[found.key]["related"] = others[row] * (
                _SUMMARY if found.kind == "summary" else 1
            )
    return shares


def _fetched(look: Look, index: Index, rows: Iterable[int]) -> list[Found]:
    """The memories (which have not expired) or notes of these rows, in the pool."""
    found: list[Found] = []
    if index == "chunks":
        for row, note in look.store.workspace_data.notes(rows).items():
            found.append(look.found(note_key(row)))
            found[-1].note = note
        return found
    for row, record in look.store.records(rows).items():
        if record.expires_at is None or record.expires_at > look.now:
            found.append(look.found(Key(False, row)))
            found[-1].record = record
    return found


def _memories(look: Look, terms: Terms, having: Having) -> Shares:
    """Memories that match; of the archive too, where few do or the past is asked for."""
    store, as_of = look.store, look.as_of
    shares = _matching(look, "memories", terms, having)
    if not look.asks_past and len(shares) >= _FEW:
        return shares
    archived = _matching(look, "archive", terms, having)
    standing = store.standing([key.row for key in archived])
    # What someone put away by hand does not come back by itself, nor a guess that is settled.
    settled = ("put away", "rejected") if as_of is None else ("put away",)
    gone = {key for key in archived if standing.get(key.row) in settled}
    if as_of is not None:  # as they were known at a moment; not what was not known, or did not hold
        archived |= shares
        told = store.query("told_at", [key.row for key in archived])
        since = {row: store.moment(at) for row, at in told}
        for key in archived.keys() - gone:
            record = look.pool[key].record
            if record is None:
                continue
            ended = record.valid_until is not None and record.valid_until <= as_of
            if ended or since.get(key.row, record.created_at) > as_of:
                gone.add(key)
            elif record.version > 1:
                versions = [one.record for one in store.history(record.id) if one.at <= as_of]
                own = [one for one in versions if one.id == record.id]
                record = record._replace(content=own[-1].content) if own else record
                look.pool[key].record = record
    for key in gone:
        look.pool.pop(key, None)
        shares.pop(key, None)
    return shares | {key: parts for key, parts in archived.items() if key not in gone}


# --- Other ways -----------------------------------------------------------------------------------


def _alike(look: Look) -> None:
    plain = look.where == Filter(kind=look.where.kind)
    if plain and look.question.kind != "none" and look.weights["alike"]:
        turns = {key.row: found.score for key, found in look.pool.items() if key.is_turn}
        for row, share in hops(look.store, turns, look.question.words, look.nature).items():
            look.add(Key(True, row), "alike", share)


def _by_meaning(look: Look) -> None:
    """What an embedder finds close to the question.

    For a question, a text counts by how much closer it is than usual. A message is about equally
    close to everything, because it says many things; there, it counts relative to the closest one.
    """
    if not look.views:
        return
    vectors = look.store.vectors

    def close(index: Index) -> dict[int, float]:
        found = vectors.similar(index, look.views, _CLOSE[index], look.where)
        return {one.row: one.score for one in found}

    def part(score: float, best: float) -> float:
        if look.question.tells:
            return max(0.0, score) / max(best, _USUAL)
        return min(_MOST_CLOSE, max(0.0, score - _USUAL))

    def add(key: Key, own: float, setting: float) -> None:
        if own or setting:
            look.add(key, "meaning", own).add("setting", setting, look.weights)

    if look.has_turns:
        near = close("turns")
        rows = {key.row for key in look.pool if key.is_turn} | near.keys()
        alone = not look.weights["setting"]
        beside = {
            row: [*zip(before, _BESIDE, strict=False), *zip(after, _BESIDE, strict=False)]
            for row, (before, after) in ({} if alone else look.store.beside(rows)).items()
        }
        wanted = rows | {other for others in beside.values() for other, _ in others}
        score = near | vectors.similarities("turns", look.views, wanted - near.keys())
        best = max(near.values(), default=0.0)
        cohesion = look.nature.cohesion if look.nature.cohesion > LEAST_COHESION else 0.0
        for row in rows & score.keys():
            setting = 0.0
            if not alone:  # how close a turn is with its neighbours, as far as these matter here
                others = beside.get(row, [])
                around = cohesion * sum(each * score.get(other, 0.0) for other, each in others)
                whole = 1 + 0.45 * cohesion * sum(each for _, each in others)
                setting = part((score[row] + around) / whole, best)
            add(Key(True, row), part(score[row], best), setting)
    indexes: dict[Index, bool] = {"memories": look.has_memories, "chunks": look.has_notes}
    for index in [index for index, has in indexes.items() if has]:
        near = close(index)
        best = max(near.values(), default=0.0)
        parts = {row: part(value, best) for row, value in near.items()}
        for found in _fetched(look, index, [row for row in parts if parts[row]]):
            add(found.key, parts[found.key.row], parts[found.key.row])


def _admits(where: Filter, record: Record, now: datetime) -> bool:
    """Whether a filter admits a memory that was found by a label rather than by a search."""
    at = record.valid_from or record.created_at
    return (
        where.kind in (None, record.kind)
        and where.project in (None, record.project)
        and where.topic in (None, record.topic)
        and (where.tag is None or where.tag in record.tags)
        and (where.since is None or at >= where.since)
        and (where.until is None or at < where.until)
        and (record.expires_at is None or record.expires_at > now)
    )


def _attributes(look: Look) -> None:
    """What is filed under the very thing that the question is after."""
    question, store = look.question, look.store
    if not look.has_memories or look.as_of or question.kind == "none" or question.tells:
        return
    filed: dict[int, float] = {}
    over: dict[int, float] = {}
    # Where a question says little more than what it is after, its own words lead nowhere
    telling = [word for word in question.words if not is_light([word])]
    whole = 1.0 if len(telling) <= _BARE.get(question.language, 2) else _PARTLY
    for (subject, attribute), first in islice(asked_attributes(question).items(), _SOUGHT):
        label, share = about_label(subject, attribute), whole * (1.0 if first else _TELLS_OF)
        filed = dict.fromkeys(store.labelled("about", label, _FILED), share) | filed
        over = dict.fromkeys(store.labelled("about", label, _FILED, "archived"), share) | over
    if question.tense == "past":
        filed |= over
    elif over:  # what took the place of what was filed there may be filed elsewhere
        filed |= {row: over[old] for old, row in store.query("successors", list(over))}
    for row, record in store.records(filed).items():
        if _admits(look.where, record, look.now):
            look.add(Key(False, row), "attribute", filed[row]).record = record


def _since(look: Look) -> None:
    """What says later that the best of what was found is over."""
    if look.has_turns:
        for row, score in ended_since(look.store, look.pool, look.question).items():
            look.add(Key(True, row), "since", score)


def _labels(look: Look) -> None:
    """What has the project or topic that the question names; a little more for that, or a tag."""
    question, store = look.question, look.store
    for label, name in (("project", question.project), ("topic", question.topic)):
        if not name or not look.has_memories or look.as_of is not None:
            continue
        rows = store.labelled(label, name, _ABOUT)
        if label == "topic" and len(rows) == _ABOUT:
            continue  # so much has it that it tells nothing
        fresh = store.records(row for row in rows if Key(False, row) not in look.pool)
        for row, record in fresh.items():
            if _admits(look.where, record, look.now):
                look.add(Key(False, row), "label", 0.0).record = record
        for row in rows:
            if found := look.pool.get(Key(False, row)):
                found.words |= frozenset(query_words(name))  # its label says them
    # The share of what a question is about that the name of the project makes up
    asked = {word for key in question.keywords for word in query_words(key)}
    named = len(asked.intersection(query_words(question.project))) / len(asked) if asked else 0.0
    project, topic = fold(question.project), fold(question.topic)
    keywords = {fold(word) for word in question.keywords}
    for found in look.pool.values():
        memory, note = found.record, found.note
        of_project = memory.project if memory else note.chunk.project if note else ""
        if project and fold(of_project) == project:
            found.add("label", max(1.0, _BARE_LABEL * named**2), look.weights)
        elif memory and (
            (topic and fold(memory.topic) == topic)
            or any(fold(tag) in keywords for tag in memory.tags)
        ):
            found.add("label", 1.0, look.weights)


def _is_short(time: When) -> bool:
    return bool(time.since and time.until and time.until - time.since <= _SHORT)


def _in_time(look: Look) -> None:
    """What was said in the time that the question names, where its words lead nowhere else."""
    for time in look.times if look.has_turns else ():
        where = look.where._replace(since=time.since, until=time.until)
        hits = look.store.search("turns", look.undated, where, _IN_TIME)
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            look.add(Key(True, hit.row), "time", hit.score / best)
        if _is_short(time):
            share = 1.0 if is_light(look.undated) else 0.5
            for turn in look.store.journal(where, _IN_TIME):
                if turn.origin != "assistant":
                    look.add(Key(True, int(turn.ref[2:])), "then", share)


def _notes(look: Look) -> None:
    """More for notes that are meant for such a question, and those of the day it names."""
    if not look.has_notes:
        return
    asked = frozenset(look.question.words)
    for found in look.pool.values():
        triggers = map(query_words, found.note.chunk.triggers) if found.note else ()
        if any(trigger and asked.issuperset(trigger) for trigger in triggers):
            found.add("trigger", 1.0, look.weights)
    share = 1.0 if is_light(look.undated) else 0.5
    for time in look.times:
        if _is_short(time):
            rows = look.store.column("dated_chunks", time.since, time.until, _IN_TIME)
            for found in _fetched(look, "chunks", rows):
                found.add("then", share, look.weights)


# --- The last talk --------------------------------------------------------------------------------


def is_bare_last(question: Question) -> bool:
    """Whether a question asks for the last talk and for nothing in particular."""
    rest = query_words(question.text.replace(question.last, " ", 1)) if question.last else ()
    return bool(question.last) and is_light(rest)


def _last(look: Look) -> None:
    """Turns of the last session and of the last three days, the newest first."""
    if not look.question.last or not look.has_turns:
        return
    whole = 1.0 if is_bare_last(look.question) else _PARTLY
    rows = last_turns(look, _IN_TIME)
    for rank, row in enumerate(rows):
        look.add(Key(True, row), "last", whole * (1 - 0.5 * rank / len(rows)))


def last_turns(look: Look, most: int) -> list[int]:
    """The turns of the last session, then those of the last three days, the newest first."""
    store, where = look.store, look.where
    newest = store.journal(where, 1)
    if not newest:
        return []
    session = store.journal(where._replace(session=newest[0].session), most // 2)
    since = max(filter(None, (where.since, (look.as_of or look.now) - _LAST_DAYS)))
    recent = store.journal(where._replace(since=since), most)
    told = [turn for turn in (*reversed(session), *reversed(recent)) if _says(turn.content)]
    return list(dict.fromkeys(int(turn.ref[2:]) for turn in told))[:most]


def _says(content: str) -> bool:
    """Whether a turn says something: not `ok`, nor the asking for the last talk itself."""
    asks = last_talk(content[:120], language_of(content))
    return len(query_words(content)) >= _SAYS and not asks
