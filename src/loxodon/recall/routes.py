"""The routes: each searches in its own way, and all add to one pool.

    words       full text over turns and memories, with the neighbours of a turn
    related     other words for the same (text/related.py)
    alike       turns similar to the best hits, if the journal is a collection of notes
    meaning     vectors, if an embedder is set
    attribute   memories of exactly the attribute asked for: `home`, for "where do I live"
    since       later turns that say that what the best hits tell is over
    entity      memories about someone or something the question names, by any of its names
    beside      memories about those whom the best memories are about
    time        what was said in the time the question names
    last        the last session and the last three days, for "what did we talk about last time?"
    label       the project, topic or tag the question names
    note        full text over files, and the triggers they name
    archive     archived memories, if too few active ones match

If a route fails, the others still count, and the trace notes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from loxodon.guard.provenance import waits
from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.by_meaning import ByMeaning
from loxodon.recall.endings import ended_since
from loxodon.recall.fuse import Answers, Found, Key, Pool, fused, note_key
from loxodon.recall.memories import (
    Match,
    has_notes,
    is_triggered,
    matches,
    matching_memories,
    matching_notes,
)
from loxodon.recall.questions import last_talk, without_asking
from loxodon.recall.rank import Span, Voices, spans_of
from loxodon.recall.spelling import near_names
from loxodon.recall.terms import Terms, is_light, terms_of, worth_of
from loxodon.recall.turns import hops, matching_turns
from loxodon.recall.understand import Question, When
from loxodon.recall.weights import ASKED, TOLD, Parts
from loxodon.store import Filter, Having, Index, Nature, QuestionVector
from loxodon.store.rows import about_label
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.related import expand
from loxodon.text.words import fold, query_words
from loxodon.types import Record

# What is filed under what a question asks for counts so much, where its words lead somewhere
_PARTLY = 0.25
_TELLS_OF = 0.5  # Factor for a memory that only tells of what is asked for
_BARE_WORDS = 2
_BARE_PAIRS = 5
_SOUGHT = 8
_FILED = 3
_BARE_LABEL = 6.0  # How much more a project counts, where the question says no more than its name
_SHORT = timedelta(days=62)
_ABOUT = 12
_IN_TIME = 30
_FEW = 3  # Memories that match; with fewer the archive is asked
_WELL = 0.5


_ALIAS = 0.5


class Look(NamedTuple):
    """What is looked for, and where."""

    store: Store
    question: Question
    where: Filter
    now: datetime
    views: Sequence[QuestionVector] = ()
    as_of: datetime | None = None
    top: int = 10

    @property
    def weights(self) -> Parts:
        """What each part of a score counts for what is asked, or told."""
        return TOLD if self.question.tells else ASKED


class Seen(NamedTuple):
    """What all routes found."""

    pool: Pool
    # For each thing asked: its words, and which turns have them
    each: Sequence[tuple[Terms, Having]]
    spans: Sequence[Span]
    problems: tuple[str, ...]
    counts: dict[str, int]  # How many each route found


def look(asked: Look, lap: Callable[[str], None]) -> Seen:
    """Go along every route; `lap` is told the name of each that is done."""
    store, question = asked.store, asked.question
    nature = store.nature()
    if is_bare_last(question):
        return _last_alone(asked, lap)
    told = question.focus if question.tells else ""
    each = [terms_of(words, related, told=told) for words, related in _asked(question)]
    if asked.views:  # vectors have what a message is about, and better
        each = [one._replace(often={}) for one in each]
    asks = question.kind != "none" and not question.tells
    rest = asked.where, nature, asked.top, asks, asked.weights, Voices(question)
    answers, looked = [], []
    for wanted in each:
        said = matching_turns(store, wanted, *rest)
        if asks and asked.where.audience is None:
            near = near_names(store, question, said.having)
            if near:
                wanted = wanted._replace(related=(*wanted.related, *near))
                said = matching_turns(store, wanted, *rest)
        lap("turns")
        memories = _memories(asked, said.terms, said.having, nature)
        lap("memories")
        looked.append((said.terms, said.having))
        notes = matching_notes(store, said.terms, asked.where, said.having, nature, asked.top)
        lap("notes")
        turns = said.scores if has_turns(asked.where) else {}
        beside_meaning = bool(asked.views) and not question.tells
        whole = sum(worth_of(said.terms, said.having).values()) if beside_meaning else 0.0
        answers.append(Answers(turns, said.places, memories, notes, whole))
    pool = fused(answers, asked.weights)
    lap("fuse")
    spans = spans_of(question)
    problems: list[str] = []
    terms, of_turns = looked[0]
    routes: dict[str, Callable[[], None]] = {
        "alike": lambda: _alike(asked, pool, nature),
        "meaning": lambda: _meaning(asked, pool, nature),
        "attribute": lambda: _attributes(asked, pool),
        "since": lambda: _since(asked, pool),
        "entity": lambda: _entities(asked, pool, terms, of_turns, nature),
        "label": lambda: _labels(asked, pool),
        "time": lambda: _in_time(asked, pool),
        "last": lambda: _last(asked, pool),
        "note": lambda: _notes(asked, pool),
    }
    for name, route in routes.items():
        try:
            route()
        except Exception as error:  # a route that fails must not cost the agent the others
            problems.append(f"{name}: {error}"[:200])
        lap(name)
    _complete(asked, pool)
    _within(asked, pool)
    lap("places")
    counts: dict[str, int] = {}
    for found in pool.values():
        for name in found.routes:
            counts[name] = counts.get(name, 0) + 1
    return Seen(pool, looked, spans, tuple(problems), counts)


def _asked(question: Question) -> list[tuple[list[str], list[tuple[str, float]]]]:
    """For each thing that is asked its words, and the words for the same."""
    asks = question.asks if len(question.asks) > 1 and not question.tells else ()
    found = [(query_words(without_asking(ask.text, question.language)), ask.text) for ask in asks]
    found = [(words, text) for words, text in found if words]
    if not found:
        found = [(list(question.words), question.focus)]
    aliases = _aliases(question)
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


def _aliases(question: Question) -> list[tuple[str, float]]:
    """The words of the other names of those whom the question names."""
    asked = set(question.words)
    names = [name for one in question.entities for name in (one.entity.name, *one.entity.aliases)]
    words = dict.fromkeys(word for name in names[:12] for word in query_words(name))
    return [(word, _ALIAS) for word in words if word not in asked]


def has_turns(where: Filter) -> bool:
    """Whether turns can be what `where` admits; they have no labels."""
    labelled = any((where.project, where.topic, where.tag, where.entity))
    return where.kind in (None, "turn") and not labelled


def has_memories(where: Filter) -> bool:
    """Whether memories can be what `where` admits."""
    return where.kind not in ("turn", "note")


def _memories(asked: Look, terms: Terms, having: Having, nature: Nature) -> dict[int, Match]:
    if not has_memories(asked.where):
        return {}
    rest = terms, asked.where, having, nature, asked.now, asked.top
    found = matching_memories(asked.store, "memories", *rest)
    if asked.as_of is None and not (asked.question.tense == "past" or len(found) < _FEW):
        return found
    archived = matching_memories(asked.store, "archive", *rest)
    standing = asked.store.standing(archived)
    # What someone put away by hand does not come back by itself, nor a guess that is settled.
    settled = ("put away", "rejected") if asked.as_of is None else ("put away",)
    found |= {row: one for row, one in archived.items() if standing.get(row) not in settled}
    if asked.as_of is not None:
        # Memories as they were known at a moment; without those that were not, or did not hold
        told = {
            row: asked.store.moment(at) for row, at in asked.store.query("told_at", list(found))
        }
        then: dict[int, Match] = {}
        for row, match in found.items():
            record = match.record
            since = told.get(row, record.created_at)
            if since > asked.as_of or (
                record.valid_until is not None and record.valid_until <= asked.as_of
            ):
                continue
            if record.version > 1:
                versions = [
                    one.record for one in asked.store.history(record.id) if one.at <= asked.as_of
                ]
                own = [one for one in versions if one.id == record.id]
                record = record._replace(content=own[-1].content) if own else record
            then[row] = match._replace(record=record)
        return then
    return found


def _add(asked: Look, pool: Pool, key: Key, route: str, part: float) -> Found:
    found = pool.setdefault(key, Found(key))
    found.add(route, part, asked.weights)
    return found


def _alike(asked: Look, pool: Pool, nature: Nature) -> None:
    plain = asked.where == Filter(kind=asked.where.kind)
    if plain and asked.question.kind != "none" and asked.weights["alike"]:
        turns = {key.row: found.score for key, found in pool.items() if key.is_turn}
        for row, share in hops(asked.store, turns, asked.question.words, nature).items():
            _add(asked, pool, Key(True, row), "alike", share)


def _meaning(asked: Look, pool: Pool, nature: Nature) -> None:
    if not asked.views:
        return
    near = ByMeaning(asked.store, asked.views, asked.where, asked.question.tells)
    if has_turns(asked.where):
        near.turns(pool, nature, asked.weights)
    if has_memories(asked.where):
        near.memories(pool, asked.weights)
    if has_notes(asked.where):
        near.notes(pool, asked.weights)


def _entities(asked: Look, pool: Pool, terms: Terms, having: Having, nature: Nature) -> None:
    """Memories about those the question names, and about those the best memories are about."""
    if not has_memories(asked.where) or asked.as_of is not None:
        return
    named = {one.entity.name for one in asked.question.entities}
    for name in sorted(named):
        _about(asked, pool, name, 1.0, "entity", (terms, having, nature))
    memories = sorted(
        (found for key, found in pool.items() if key.is_memory), key=lambda one: -one.score
    )[:2]
    best = max((found.score for found in pool.values()), default=1.0) or 1.0
    for found in memories:
        if found.record is not None and found.score >= _WELL * best:
            for name in found.record.entities[:3]:
                if name not in named:
                    _about(asked, pool, name, found.score, "beside", (terms, having, nature))


def _about(
    asked: Look,
    pool: Pool,
    name: str,
    share: float,
    route: str,
    matching: tuple[Terms, Having, Nature],
) -> None:
    where = asked.where._replace(entity=asked.where.entity or name, state="active")
    rows = asked.store.labelled("entity", name, _ABOUT)
    if len(rows) == _ABOUT:
        return  # so much is about it that its name tells nothing
    fresh = [row for row in rows if Key(False, row) not in pool]
    terms, having, nature = matching
    found = matches(asked.store, fresh, terms, having, nature, asked.now)
    for row, match in found.items():
        if admits(where, match.record):
            _add(asked, pool, Key(False, row), route, 0.0).record = match.record
    for row in rows:
        if Key(False, row) in pool:
            _add(asked, pool, Key(False, row), route, share)


def admits(where: Filter, record: Record) -> bool:
    """Whether a filter admits a memory that was found by its name rather than by a search."""
    return (
        where.kind in (None, record.kind)
        and where.project in (None, record.project)
        and where.topic in (None, record.topic)
        and (where.tag is None or where.tag in record.tags)
        and (where.since is None or (record.valid_from or record.created_at) >= where.since)
        and (where.until is None or (record.valid_from or record.created_at) < where.until)
    )


def _attributes(asked: Look, pool: Pool) -> None:
    """What is filed under the very thing that the question is after."""
    if not has_memories(asked.where) or asked.as_of is not None:
        return
    if asked.question.kind == "none" or asked.question.tells:
        return
    filed: dict[int, float] = {}
    over: dict[int, float] = {}
    # Whether a question says little more than what it is after: its own words lead nowhere
    telling = [word for word in asked.question.words if not is_light([word])]
    is_bare = len(telling) <= (_BARE_PAIRS if asked.question.language == "zh" else _BARE_WORDS)
    whole = 1.0 if is_bare else _PARTLY
    for (subject, attribute), first in islice(asked_attributes(asked.question).items(), _SOUGHT):
        label, share = about_label(subject, attribute), whole * (1.0 if first else _TELLS_OF)
        filed = dict.fromkeys(asked.store.labelled("about", label, _FILED), share) | filed
        over = dict.fromkeys(asked.store.labelled("about", label, _FILED, "archived"), share) | over
    if asked.question.tense == "past":
        filed |= over
    elif over:  # what took the place of what was filed there may be filed elsewhere
        filed |= {row: over[old] for old, row in asked.store.query("successors", list(over))}
    records = asked.store.records(row for row in filed if pool.get(Key(False, row)) is None)
    for row, share in filed.items():
        known = pool.get(Key(False, row))
        record = known.record if known else records.get(row)
        if record is not None and admits(asked.where, record) and not _expired(record, asked.now):
            _add(asked, pool, Key(False, row), "attribute", share).record = record


def _since(asked: Look, pool: Pool) -> None:
    """What says later that the best of what was found is over."""
    if has_turns(asked.where):
        for row, score in ended_since(asked.store, pool, asked.question).items():
            _add(asked, pool, Key(True, row), "since", score)


def _expired(record: Record, now: datetime) -> bool:
    return record.expires_at is not None and record.expires_at <= now


def _labels(asked: Look, pool: Pool) -> None:
    """What has the project or topic that the question names; a little more for that, or a tag."""
    question = asked.question
    project, topic = fold(question.project), fold(question.topic)
    if project:
        _with_label(asked, pool, "project", question.project)
    if topic:
        _with_label(asked, pool, "topic", question.topic)
    keywords = {fold(word) for word in question.keywords}
    share = max(1.0, _BARE_LABEL * _named_by(question, question.project) ** 2)
    for found in pool.values():
        if found.record is None and found.note is None:
            continue
        of_project, of_topic, tags = _labels_of(found)
        if project and of_project == project:
            found.add("label", share, asked.weights)
        elif (topic and of_topic == topic) or any(tag in keywords for tag in tags):
            found.add("label", 1.0, asked.weights)


def _named_by(question: Question, name: str) -> float:
    """The share of what a question is about that a name makes up."""
    asked = {word for key in question.keywords for word in query_words(key)}
    return len(asked.intersection(query_words(name))) / len(asked) if asked and name else 0.0


def _with_label(asked: Look, pool: Pool, label: str, name: str) -> None:
    """The newest memories with a label; of a topic only where few have it, so that it tells."""
    if not has_memories(asked.where) or asked.as_of is not None:
        return
    rows = asked.store.labelled(label, name, _ABOUT)
    if label == "topic" and len(rows) == _ABOUT:
        return
    words = frozenset(query_words(name))
    fresh = asked.store.records(row for row in rows if Key(False, row) not in pool)
    for row, record in fresh.items():
        if admits(asked.where, record) and not _expired(record, asked.now):
            _add(asked, pool, Key(False, row), "label", 0.0).record = record
    for row in rows:
        if found := pool.get(Key(False, row)):
            found.words |= words  # its label says them


def _labels_of(found: Found) -> tuple[str, str, list[str]]:
    """The project, the topic and the tags of what was found, folded."""
    if found.record is not None:
        record = found.record
        return fold(record.project), fold(record.topic), [fold(tag) for tag in record.tags]
    return (fold(found.note.chunk.project) if found.note else "", "", [])


def _in_time(asked: Look, pool: Pool) -> None:
    """What was said in the time that the question names, where its words lead nowhere else."""
    times = _times(asked)
    if not times or not has_turns(asked.where):
        return
    words = _undated(asked.question)
    for time in times:
        where = asked.where._replace(since=time.since, until=time.until)
        hits = asked.store.search("turns", words, where, _IN_TIME)
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            _add(asked, pool, Key(True, hit.row), "time", hit.score / best)
        if _is_short(time):
            share = 1.0 if is_light(words) else 0.5
            for turn in asked.store.journal(where, _IN_TIME):
                if turn.origin != "assistant":
                    _add(asked, pool, Key(True, int(turn.ref[2:])), "then", share)


def _last_alone(asked: Look, lap: Callable[[str], None]) -> Seen:
    """What was said last: the words of such a question lead nowhere else."""
    pool: Pool = {}
    _last(asked, pool)
    _complete(asked, pool)
    _within(asked, pool)
    lap("last")
    return Seen(pool, [], [], (), {"last": len(pool)})


def _last(asked: Look, pool: Pool) -> None:
    """Turns of the last session and of the last three days, the newest first."""
    question = asked.question
    if not question.last or not has_turns(asked.where):
        return
    whole = 1.0 if is_bare_last(question) else _PARTLY
    rows = last_turns(asked.store, asked.where, asked.as_of or asked.now, _IN_TIME)
    for rank, row in enumerate(rows):
        _add(asked, pool, Key(True, row), "last", whole * (1 - 0.5 * rank / len(rows)))


def _times(asked: Look) -> list[When]:
    """The times that a question names, where the filter does not say what time counts."""
    if asked.where.since or asked.where.until:
        return []
    times = asked.question.times
    return [time for time in times if not time.recurring and time.grain != "recent"][:2]


def _undated(question: Question) -> list[str]:
    """The words of a question without those that name a time, nor what runs over from them."""
    text = question.focus
    for time in question.times:
        if not time.recurring:
            text = text.replace(time.text, " ")
    return query_words(text)


def _is_short(time: When) -> bool:
    return bool(time.since and time.until and time.until - time.since <= _SHORT)


def _notes(asked: Look, pool: Pool) -> None:
    """More for notes that are meant for such a question, and those of the day it names."""
    if not has_notes(asked.where):
        return
    for key, found in pool.items():
        if key.is_note and found.note and is_triggered(found.note, asked.question.words):
            found.add("trigger", 1.0, asked.weights)
    words = _undated(asked.question)
    share = 1.0 if is_light(words) else 0.5
    for time in _times(asked):
        if time.since and time.until and _is_short(time):
            rows = asked.store.column("dated_chunks", time.since, time.until, _IN_TIME)
            fresh = asked.store.workspace_data.notes(
                row for row in rows if note_key(row) not in pool
            )
            for row in rows:
                found = _add(asked, pool, note_key(row), "then", share)
                found.note = found.note or fresh.get(row)


def _within(asked: Look, pool: Pool) -> None:
    """Take out what the filter does not admit, whatever route it came by: here is the wall.

    So is what waits for the owner's word: the turn that it was read from is found all the same.
    """
    for key in [key for key, one in pool.items() if one.record and waits(one.record)]:
        del pool[key]
    if asked.where._replace(kind=None) == Filter():
        return
    for index, has_kind in _KINDS:
        keys = [key for key in pool if has_kind(key)]
        kept = asked.store.admitted(index, [key.row for key in keys], asked.where) if keys else ()
        for key in keys:
            if key.row not in kept:
                del pool[key]


_KINDS: tuple[tuple[Index, Callable[[Key], bool]], ...] = (
    ("turns", lambda key: key.is_turn),
    ("memories", lambda key: key.is_memory),
    ("chunks", lambda key: key.is_note),
)


def _complete(asked: Look, pool: Pool) -> None:
    """Find out where the turns stand that came by a route other than words."""
    lacking = [key.row for key, found in pool.items() if key.is_turn and found.place is None]
    for row, place in asked.store.places(lacking).items() if lacking else ():
        pool[Key(True, row)].place = place


# --- the last talk ------------------------------------------------------------------------------

DAYS = timedelta(days=3)
_WORDS = 3  # Words from which on a turn says something
_READ = 120


def is_bare_last(question: Question) -> bool:
    """Whether a question asks for the last talk and for nothing in particular."""
    rest = query_words(question.text.replace(question.last, " ", 1)) if question.last else ()
    return bool(question.last) and is_light(rest)


def last_turns(store: Store, where: Filter, now: datetime, most: int) -> list[int]:
    """The turns of the last session, then those of the last three days, the newest first."""
    newest = store.journal(where, 1)
    if not newest:
        return []
    session = store.journal(where._replace(session=newest[0].session), most // 2)
    since = max(filter(None, (where.since, now - DAYS)))
    recent = store.journal(where._replace(since=since), most)
    told = [turn for turn in (*reversed(session), *reversed(recent)) if _says(turn.content)]
    return list(dict.fromkeys(int(turn.ref[2:]) for turn in told))[:most]


def _says(content: str) -> bool:
    """Whether a turn says something: not `ok`, nor the asking for the last talk itself."""
    language = language_of(content)
    return len(query_words(content)) >= _WORDS and not last_talk(content[:_READ], language)
