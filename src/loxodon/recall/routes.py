"""The routes: each searches in its own way, and all add to one pool.

    words       full text over turns, memories and notes, with the neighbours of a turn (words.py)
    alike       turns similar to the best hits, if the journal is a collection of notes
    meaning     vectors, if an embedder is set
    attribute   memories of exactly the attribute asked for: `home`, for "where do I live"
    since       later turns that say that what the best hits tell is over (recency.py)
    label       the project or topic the question names
    time        what was said or noted in the time the question names
    last        the last session and the last three days, for "what did we talk about last time?"
    note        notes that name the question as their trigger

If a route fails, the others still count, and the trace notes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import islice

from loxodon.guard.provenance import waits
from loxodon.recall.look import Key, Look
from loxodon.recall.recency import ended_since
from loxodon.recall.understand import Question, asked_attributes, last_talk
from loxodon.recall.words import LEAST_COHESION, alike, by_words, is_light
from loxodon.store import Filter, Index, QuestionVector
from loxodon.store.rows import about_label
from loxodon.text.language import language_of
from loxodon.text.words import fold, query_words

_PARTLY = 0.25  # what a route counts that answers by itself, where the words lead somewhere too
_TELLS_OF = 0.5  # factor for a memory that only tells of what is asked for
_BARE = {"zh": 5, "en": 2}  # words up to which a question says no more than what it is after
_SOUGHT = 8  # attributes that are looked up
_FILED = 3  # memories under each
_BARE_LABEL = 6.0  # how much more a project counts, where the question says no more than its name
_SHORT = timedelta(days=62)  # a time so short is searched whatever was said in it
_ABOUT = 12  # memories with a label
_IN_TIME = 30
_CLOSE: Mapping[Index, int] = {"turns": 60, "memories": 20, "chunks": 20}
_USUAL = 1.0  # spreads by which texts are closer than usual without answering a question
_CLOSER = 1.5  # spreads by which a text must be closer to count
_MOST_CLOSE = 7.0
_BESIDE = (0.7, 0.3)  # what the meaning of a neighbour counts, by its distance
_LAST_DAYS = timedelta(days=3)
_SAYS = 3  # words from which on a turn says something


def search(look: Look) -> None:
    """Go along every route, then take out what the filter does not admit."""
    routes: dict[str, Callable[[Look], Mapping[int, float] | None]] = {"last": _last}
    if not is_bare_last(look.question):  # whose words lead nowhere else
        by_words(look)
        routes = {
            "alike": alike,
            "meaning": _by_meaning,
            "attribute": _attributes,
            "since": ended_since,
            "label": _labels,
            "time": _in_time,
            "last": _last,
            "note": _notes,
        }
    for name, route in routes.items():
        try:
            turns = route(look)
        except Exception as error:  # a route that fails must not cost the agent the others
            look.problems.append(f"{name}: {error}"[:200])
            continue
        for row, share in turns.items() if turns and look.has_turns else ():
            look.found(Key("turns", row)).add(name, share)
    if look.profile != "default":
        from loxodon.recall.profiles import widen  # most recalls have none

        widen(look)
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


def _by_meaning(look: Look) -> None:
    """What an embedder finds close to the question.

    For a question, a text counts by how much closer it is than usual. A message is about equally
    close to everything, because it says many things; there, it counts relative to the closest one.
    """

    def part(score: float, best: float) -> float:
        if look.question.tells:
            return max(0.0, score) / max(best, _USUAL)
        return min(_MOST_CLOSE, score - _USUAL) if score >= _CLOSER else 0.0

    searched = {"turns": look.has_turns, "memories": look.has_memories, "chunks": look.has_notes}
    for index, most in _CLOSE.items():
        if look.view is None or not searched[index]:
            continue
        hits = look.store.vectors.similar(index, look.view, most, look.where)
        near = {hit.row: hit.score for hit in hits}
        best = max(near.values(), default=0.0)
        meant = {row: (score, score) for row, score in near.items()}
        meant = _meant_turns(look, look.view, near) if index == "turns" else meant
        rows = [row for row, (own, set_in) in meant.items() if part(max(own, set_in), best)]
        turns = [look.found(Key("turns", row)) for row in rows if index == "turns"]
        for found in turns if index == "turns" else look.fetch(index, rows):
            for name, score in zip(("meaning", "setting"), meant[found.key.row], strict=True):
                found.add(name, part(score, best))


def _meant_turns(
    look: Look, view: QuestionVector, near: Mapping[int, float]
) -> dict[int, tuple[float, float]]:
    """How close turns are by themselves, and with their neighbours as far as these matter here."""
    store, weighs = look.store, look.weights["setting"]
    rows = {key.row for key in look.pool if key.is_turn} | near.keys()
    beside = {
        row: [*zip(before, _BESIDE, strict=False), *zip(after, _BESIDE, strict=False)]
        for row, (before, after) in (store.beside(rows).items() if weighs else ())
    }
    wanted = rows | {other for others in beside.values() for other, _ in others}
    score = {**near, **store.vectors.similarities("turns", view, wanted - near.keys())}
    cohesion = look.nature.cohesion if look.nature.cohesion > LEAST_COHESION else 0.0
    found = {}
    for row in rows & score.keys():
        others = beside.get(row, [])
        around = cohesion * sum([each * score.get(other, 0.0) for other, each in others])
        whole = 1 + 0.45 * cohesion * sum([each for _, each in others])
        found[row] = score[row], (score[row] + around) / whole if weighs else 0.0
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
    for found in look.fetch("memories", filed):
        found.add("attribute", filed[found.key.row])


def _labels(look: Look) -> None:
    """What has the project or topic that the question names; a little more for that."""
    question = look.question
    named = {"project": question.project, "topic": question.topic}
    for label, name in named.items() if look.has_memories and look.as_of is None else ():
        rows = look.store.labelled(label, name, _ABOUT) if name else []
        if label == "project" or len(rows) < _ABOUT:  # a topic that so much has tells nothing
            for found in look.fetch("memories", rows):
                found.words |= frozenset(query_words(name))  # its label says them
    # The share of what a question is about that the name of the project makes up
    asked = {word for key in question.keywords for word in query_words(key)}
    share = len(asked.intersection(query_words(question.project))) / (len(asked) or 1)
    project, topic = fold(question.project), fold(question.topic)
    for found in look.pool.values():
        memory, note = found.record, found.note
        of_project = memory.project if memory else note.chunk.project if note else ""
        if project and fold(of_project) == project:
            found.add("label", max(1.0, _BARE_LABEL * share**2))
        elif topic and memory and fold(memory.topic) == topic:
            found.add("label", 1.0)


def _in_time(look: Look) -> None:
    """What was said or noted in the time that the question names."""
    store, share = look.store, 1.0 if is_light(look.undated) else 0.5
    for time in look.times:
        is_short = time.since and time.until and time.until - time.since <= _SHORT
        where = look.where._replace(since=time.since, until=time.until)
        hits = store.search("turns", look.undated, where, _IN_TIME) if look.has_turns else []
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            look.found(Key("turns", hit.row)).add("time", hit.score / best)
        for turn in store.journal(where, _IN_TIME) if is_short and look.has_turns else ():
            if turn.origin != "assistant":
                look.found(Key("turns", int(turn.ref[2:]))).add("then", share)
        if is_short and look.has_notes:
            rows = store.column("dated_chunks", time.since, time.until, _IN_TIME)
            for found in look.fetch("chunks", rows):
                found.add("then", share)


def _notes(look: Look) -> None:
    """More for notes that are meant for such a question."""
    asked = frozenset(look.question.words)
    for found in look.pool.values():
        triggers = map(query_words, found.note.chunk.triggers) if found.note else ()
        if any(trigger and asked.issuperset(trigger) for trigger in triggers):
            found.add("trigger", 1.0)


def is_bare_last(question: Question) -> bool:
    """Whether a question asks for the last talk and for nothing in particular."""
    rest = query_words(question.text.replace(question.last, " ", 1)) if question.last else ()
    return bool(question.last) and is_light(rest)


def _last(look: Look) -> dict[int, float]:
    if not look.question.last or not look.has_turns:
        return {}
    whole = 1.0 if is_bare_last(look.question) else _PARTLY
    rows = last_turns(look, _IN_TIME)
    return {row: whole * (1 - 0.5 * rank / len(rows)) for rank, row in enumerate(rows)}


def last_turns(look: Look, most: int) -> list[int]:
    """The turns of the last session, then those of the last three days, the newest first; but
    those that say nothing, or only ask for the last talk."""
    store, where = look.store, look.where
    newest = store.journal(where, 1)
    if not newest:
        return []
    session = store.journal(where._replace(session=newest[0].session), most // 2)
    since = max(filter(None, (where.since, (look.as_of or look.now) - _LAST_DAYS)))
    recent = store.journal(where._replace(since=since), most)
    told = [
        int(turn.ref[2:])
        for turn in (*reversed(session), *reversed(recent))
        if len(query_words(turn.content)) >= _SAYS
        and not last_talk(turn.content[:120], language_of(turn.content))
    ]
    return list(dict.fromkeys(told))[:most]
