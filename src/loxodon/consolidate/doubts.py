"""What was said lately may mean that something known holds no more: then `review` asks.

The rules end a memory only by a plain statement about it (`reconcile.py`). What is told in passing,
or shares no word with what it changes, is judged by our encoder, which reads both together: well
enough to ask, and to put the later one first, not to end anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import log
from typing import Any

from loxodon.consolidate.reconcile import said_at
from loxodon.guard.provenance import is_own
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.store import Filter, QuestionVector
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.things import own_words
from loxodon.text.words import fold
from loxodon.types import Record

# How likely a memory, or a part of it, must be over for the encoder, and what must speak for it:
# the log-odds of that, and how near the two are; fitted to talk over months
_LIKELY, _NEARNESS, _ENOUGH = 0.8, 15.6, {"en": 9.3, "zh": 13.7}
_NEAR, _LATEST = 3, 40  # memories looked at: the nearest of those by meaning and the newest
FACTS = Filter(kind="fact", state="active")
MOST = 200  # new memories of one run that are looked at
_LONGEST = 300  # characters; what is longer tells several things


def ask(store: Store, ids: Iterable[str], now: datetime) -> int:
    """Ask whether what these new memories seem to replace still holds; how many are asked about."""
    waiting = {one.belief.id for one in store.page("reviews", 0)[0]}  # which are asked already
    known = [one for id in ids if id not in waiting and (one := store.get(id))]
    new = sorted((one for one in known if _may_change(one)), key=said_at, reverse=True)[:MOST]
    asked: dict[str, tuple[float, str]] = {}
    for one, old, likely in _replaced(store, new):
        if old.id not in waiting:
            asked[old.id] = max(asked.get(old.id, (0.0, "")), (likely, one.id))
    with store.writing():
        for old_id, (_, new_id) in asked.items():
            store.execute("put_review", old_id, new_id, now)
    return len(asked)


def replacing(store: Store, new: Sequence[Record], beside: Sequence[Record]) -> set[str]:
    """Which of these, by their words, seem to replace something known, or said beside them."""
    new = [one for one in new if _may_change(one)]
    return {one.content for one, _, _ in _replaced(store, new, beside)}


def _replaced(
    store: Store, new: Sequence[Record], beside: Sequence[Record] = ()
) -> Iterator[tuple[Record, Record, float]]:
    """Each of these with what it seems to replace, and how likely."""
    if not new:
        return
    latest = store.find(FACTS, _LATEST)  # of which some have no vector yet
    vectors = _vectors((*new, *latest, *beside))
    pairs: list[tuple[Record, Record, float]] = []
    for one in new:
        vector, subject = vectors[one.content], fold(one.subject or USER)
        near = store.vectors.similar("memories", QuestionVector(encoder().name, vector), 2 * _NEAR)
        found = store.records([it.row for it in near]).values()
        each = {  # what was known before it, on the same subject or one that it names
            it.content: it
            for it in (*beside, *latest, *found)
            if (it.kind, it.state, it.agent) == ("fact", "active", one.agent)
            and len(it.content) <= _LONGEST
            and (
                fold(it.subject or USER) == subject
                or (it.subject or USER) in own_words(one.content)
            )
            and said_at(it) < said_at(one)
        }
        vectors |= _vectors([it for it in each.values() if it.content not in vectors])
        cosines = {content: float(vectors[content] @ vector) for content in each}
        nearest = sorted(cosines, key=lambda content: -cosines[content])[:_NEAR]
        pairs += [(one, each[content], cosines[content]) for content in nearest]
    changes = encoder().changes([(own_words(b.content), own_words(a.content)) for a, b, _ in pairs])
    for (one, old, cosine), change in zip(pairs, changes, strict=True):
        over = min(0.999, change.replaces + change.part)
        likely = log(over / (1 - over)) + _NEARNESS * cosine
        if over >= _LIKELY and likely >= _ENOUGH[language_of(one.content)]:
            yield one, old, likely


def _may_change(one: Record) -> bool:
    is_fact = one.kind == "fact" and one.state == "active" and is_own(one.trust)
    # One decision stands beside another; what a frame has read, the rules have compared
    is_new = one.version == 1 and not one.replaces and one.category != "decision"
    return is_fact and is_new and not one.attribute and len(one.content) <= _LONGEST


def _vectors(records: Iterable[Record]) -> dict[str, Any]:
    contents = list(dict.fromkeys(one.content for one in records))
    return dict(zip(contents, encoder().embed([*map(own_words, contents)]), strict=True))
