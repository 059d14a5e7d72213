"""The routes: each searches in its own way, and all add to one pool.

    words       full text over turns and memories, with the neighbours of a turn (turns.py)
    related     other words for the same (text/related.py)
    alike       turns similar to the best hits, if the journal is a collection of notes
    meaning     vectors, if an embedder is set
    attribute   memories of exactly the attribute asked for: `home`, for "where do I live"
    since       later turns that say that what the best hits tell is over (recency.py)
    time        what was said in the time the question names
    last        the last session and the last three days, for "what did we talk about last time?"
    label       the project, topic or tag the question names
    note        full text over files, and the triggers they name
    archive     archived memories, if too few active ones match

If a route fails, the others still count, and the trace notes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice

from loxodon.guard.provenance import waits
from loxodon.recall.asked_attributes import asked_attributes
from loxodon.recall.fuse import fuse, is_light, saturated, terms_of, worth_of
from loxodon.recall.look import Found, Key, Look, Shares, Terms
from loxodon.recall.recency import ended_since
from loxodon.recall.turns import LEADING, LEAST_COHESION, alike, matching_turns
from loxodon.recall.understand import Question, When, last_talk, without_asking
from loxodon.store import Filter, Having, Index, Standing
from loxodon.store.rows import about_label
from loxodon.text.language import language_of
from loxodon.text.related import expand
from loxodon.text.words import among, fold, query_words

_PARTLY = 0.25  # what a route counts that answers by itself, where the words lead somewhere too
_TELLS_OF = 0.5  # factor for a memory that only tells of what is asked for
_BARE = {"zh": 5, "en": 2}  # words up to which a question says no more than what it is after
_SOUGHT = 8  # attributes that are looked up
_FILED = 3  # memories under each
_BARE_LABEL = 6.0  # how much more a project counts, where the question says no more than its name
_SHORT = timedelta(days=62)  # a time so short is searched whatever was said in it
_ABOUT = 12  # memories with a label
_IN_TIME = 30
_FEW = 3  # memories that match; with fewer the archive is asked
_ALIAS = 0.5
_CANDIDATES: Mapping[Index, int] = {"memories": 16, "archive": 16, "chunks": 24}
_SUMMARY = 0.3  # a summary has a little of everything; what it was made of says it better
_NOTE_WORDS = 80.0  # of a note that is neither long nor short: a piece of a file has more
_CLOSE: Mapping[Index, int] = {"turns": 60, "memories": 20, "chunks": 20}
_USUAL = 1.0  # spreads by which texts are closer than usual without answering a question
_CLOSER = 1.5  # spreads by which a text must be closer to count
_MOST_CLOSE = 7.0
_BESIDE = (0.7, 0.3)  # what the meaning of a neighbour counts, by its distance
_LAST_DAYS = timedelta(days=3)
_SAYS = 3  # words from which on a turn says something


def search(look: Look) -> None:
    """Go along every route, then take out what the filter does not admit."""
    routes: dict[str, Callable[[Look], None]] = {"last": _last}
    if not is_bare_last(look.question):  # whose words lead nowhere else
        _by_words(look)
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
    pool, where = look.pool, look.where
    lacking = [key.row for key, found in pool.items() if key.is_turn and found.place is None]
    for row, place in look.store.places(lacking).items() if lacking else ():
        pool[Key("turns", row)].place = place
    # The wall, whatever route something came by. What waits for the owner's word stays out too:
    # the turn that it was read from is found all the same.
    for key in [key for key, one in pool.items() if one.record and waits(one.record)]:
        del pool[key]
    if where._replace(kind=None) != Filter():
        for index in {key.table for key in pool}:
            rows = [key.row for key in pool if key.table == index]
            for row in set(rows) - set(look.store.admitted(index, rows, where)):
                del pool[Key(index, row)]


# --- Words ----------------------------------------------------------------------------------------


def _by_words(look: Look) -> None:
    """Turns, memories and notes with the words of each thing that is asked."""
    question = look.question
    each: list[tuple[Shares, float]] = []
    for words, related in _asked(question):
        terms = terms_of(words, related, question.focus if question.tells else "")
        if look.views:  # vectors have what a message is about, and better
            terms = terms._replace(often={})
        terms, having, shares = matching_turns(look, terms)
        if look.has_memories:
            shares |= _memories(look, terms, having)
        if look.has_notes:
            shares |= _matching(look, "chunks", terms, having)
        look.each.append((terms, having))
        beside_meaning = bool(look.views) and not question.tells
        each.append((shares, sum(worth_of(terms, having).values()) if beside_meaning else 0.0))
    fuse(look.pool, each, look.weights)


def _asked(question: Question) -> list[tuple[list[str], list[tuple[str, float]]]]:
    """For each thing that is asked its words, and the words for the same."""
    asks = question.asks if len(question.asks) > 1 and not question.tells else ()
    found = [(query_words(without_asking(ask.text, question.language)), ask.text) for ask in asks]
    found = [one for one in found if one[0]] or [(list(question.words), question.focus)]
    # The words of the other names of those whom the question names
    names = [name for one in question.entities for name in (one.entity.name, *one.entity.aliases)]
    others = dict.fromkeys(word for name in names[:12] for word in query_words(name))
    aliases = [(word, _ALIAS) for word in others if word not in question.words]
    # The words that only name a time: what is asked for was not said in them
    times = [time.text for time in question.times if not time.recurring]
    dates = {word for text in times for word in query_words(text)}
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
    rows = {hit.row for hit in store.search(index, terms.words[:LEADING], where, most)}
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
    known = [one for one in ((journal, here) if is_notes else (journal,)) if one.rows]
    total = max([1, *(one.rows for one in known)])
    counts = {
        word: total * max((one.counts.get(word, 0.0) / one.rows for one in known), default=0.0)
        for word in terms.all
    }
    worth = worth_of(terms._replace(often={}), Having(total, counts, {}))
    unlisted = [word for word in worth if word not in here.lists]
    mean = max(look.nature.words, _NOTE_WORDS) if is_notes else look.nature.words
    shares: Shares = {}
    for found in _fetched(look, index, {*rows, *others}):
        row = found.key.row
        own = {word for word in worth if row in here.lists.get(word, ())}
        own.update(among(unlisted, found.said) if unlisted else ())
        text = found.record.content if found.record else found.note.chunk.text if found.note else ""
        length = len(text) / 6 if text.isascii() else float(len(text))  # about, in words
        factor = _SUMMARY if found.kind == "summary" else 1.0
        part = factor * saturated(1.0, length, mean)
        shares[found.key] = {"words": part * sum(worth[word] for word in sorted(own))}
        if row in others:
            shares[found.key]["related"] = factor * others[row]
    return shares


def _fetched(look: Look, index: Index, rows: Iterable[int]) -> list[Found]:
    """The memories (of the kind wanted, not expired) or notes of these rows, in the pool."""
    found: list[Found] = []
    if index == "chunks":
        for row, note in look.store.workspace_data.notes(rows).items():
            found.append(look.found(Key("chunks", row)))
            found[-1].note = note
        return found
    for row, record in look.store.records(rows).items():
        lasts = record.expires_at is None or record.expires_at > look.now
        if lasts and look.where.kind in (None, record.kind):
            found.append(look.found(Key("memories", row)))
            found[-1].record = record
    return found


def _memories(look: Look, terms: Terms, having: Having) -> Shares:
    """Memories that match; of the archive too, where few do or the past is asked for."""
    store, as_of = look.store, look.as_of
    shares = _matching(look, "memories", terms, having)
    if not look.asks_past and len(shares) >= _FEW:
        return shares
    archived = _matching(look, "archive", terms, having)
    standing: dict[int, Standing] = dict(store.query("standing", [key.row for key in archived]))
    # What someone put away by hand does not come back by itself, nor a guess that is settled.
    settled = ("put away", "rejected") if as_of is None else ("put away",)
    gone = {key for key in archived if standing.get(key.row) in settled}
    if as_of is not None:
        gone |= _unknown_at(look, as_of, (archived | shares).keys() - gone)
    for key in gone:
        look.pool.pop(key, None)
    return {key: parts for key, parts in (shares | archived).items() if key not in gone}


def _unknown_at(look: Look, as_of: datetime, keys: Iterable[Key]) -> set[Key]:
    """Memories that were not known at a moment, or held no more; others get the words of then."""
    told = look.store.query("told_at", [key.row for key in keys])
    since = {row: look.store.moment(at) for row, at in told}
    gone: set[Key] = set()
    for key in keys:
        if (record := look.pool[key].record) is None:
            continue
        ended = record.valid_until is not None and record.valid_until <= as_of
        if ended or since.get(key.row, record.created_at) > as_of:
            gone.add(key)
        elif record.version > 1:
            versions = [one.record for one in look.store.history(record.id) if one.at <= as_of]
            if own := [one for one in versions if one.id == record.id]:
                look.pool[key].record = record._replace(content=own[-1].content)
    return gone


# --- Other ways -----------------------------------------------------------------------------------


def _alike(look: Look) -> None:
    plain = look.where == Filter(kind=look.where.kind)
    if plain and look.question.kind != "none" and look.weights["alike"]:
        for row, share in alike(look).items():
            look.add(Key("turns", row), "alike", share)


def _by_meaning(look: Look) -> None:
    """What an embedder finds close to the question.

    For a question, a text counts by how much closer it is than usual. A message is about equally
    close to everything, because it says many things; there, it counts relative to the closest one.
    """
    if not look.views:
        return
    vectors = look.store.vectors

    def part(score: float, best: float) -> float:
        if look.question.tells:
            return max(0.0, score) / max(best, _USUAL)
        return min(_MOST_CLOSE, score - _USUAL) if score >= _CLOSER else 0.0

    searched: dict[Index, bool] = {
        "turns": look.has_turns,
        "memories": look.has_memories,
        "chunks": look.has_notes,
    }
    for index in [index for index, has in searched.items() if has]:
        hits = vectors.similar(index, look.views, _CLOSE[index], look.where)
        near = {hit.row: hit.score for hit in hits}
        best = max(near.values(), default=0.0)
        if index == "turns":
            for row, (own, among_neighbours) in _meant_turns(look, near).items():
                if part(own, best) or part(among_neighbours, best):
                    found = look.add(Key("turns", row), "meaning", part(own, best))
                    found.add("setting", part(among_neighbours, best), look.weights)
            continue
        for found in _fetched(look, index, [row for row in near if part(near[row], best)]):
            found.add("meaning", part(near[found.key.row], best), look.weights)
            found.add("setting", part(near[found.key.row], best), look.weights)


def _meant_turns(look: Look, near: Mapping[int, float]) -> dict[int, tuple[float, float]]:
    """How close turns are by themselves, and with their neighbours as far as these matter here."""
    rows = {key.row for key in look.pool if key.is_turn} | near.keys()
    beside = {
        row: [*zip(before, _BESIDE, strict=False), *zip(after, _BESIDE, strict=False)]
        for row, (before, after) in (
            look.store.beside(rows).items() if look.weights["setting"] else ()
        )
    }
    wanted = rows | {other for others in beside.values() for other, _ in others}
    score = {**near, **look.store.vectors.similarities("turns", look.views, wanted - near.keys())}
    cohesion = look.nature.cohesion if look.nature.cohesion > LEAST_COHESION else 0.0
    found = {}
    for row in rows & score.keys():
        others = beside.get(row, [])
        around = cohesion * sum(each * score.get(other, 0.0) for other, each in others)
        whole = 1 + 0.45 * cohesion * sum(each for _, each in others)
        found[row] = score[row], (score[row] + around) / whole if look.weights["setting"] else 0.0
    return found


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
    for found in _fetched(look, "memories", filed):
        found.add("attribute", filed[found.key.row], look.weights)


def _since(look: Look) -> None:
    for row, score in ended_since(look).items() if look.has_turns else ():
        look.add(Key("turns", row), "since", score)


def _labels(look: Look) -> None:
    """What has the project or topic that the question names; a little more for that, or a tag."""
    question, store = look.question, look.store
    for label, name in (("project", question.project), ("topic", question.topic)):
        if not name or not look.has_memories or look.as_of is not None:
            continue
        rows = store.labelled(label, name, _ABOUT)
        if label == "topic" and len(rows) == _ABOUT:
            continue  # so much has it that it tells nothing
        for found in _fetched(look, "memories", rows):
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
            look.add(Key("turns", hit.row), "time", hit.score / best)
        if _is_short(time):
            share = 1.0 if is_light(look.undated) else 0.5
            for turn in look.store.journal(where, _IN_TIME):
                if turn.origin != "assistant":
                    look.add(Key("turns", int(turn.ref[2:])), "then", share)


def _notes(look: Look) -> None:
    """More for notes that are meant for such a question, and those of the day it names."""
    asked = frozenset(look.question.words)
    for found in look.pool.values():
        triggers = map(query_words, found.note.chunk.triggers) if found.note else ()
        if any(trigger and asked.issuperset(trigger) for trigger in triggers):
            found.add("trigger", 1.0, look.weights)
    share = 1.0 if is_light(look.undated) else 0.5
    for time in look.times if look.has_notes else ():
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
        look.add(Key("turns", row), "last", whole * (1 - 0.5 * rank / len(rows)))


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
