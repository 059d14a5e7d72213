"""What was said lately may mean that something known holds no more: then `review` asks.

The rules end a memory only by a plain statement about it (`reconcile.py`). What is told in passing,
or shares no word with what it changes, is judged by our encoder, which reads both together: well
enough to ask, and to put the later one first, not to end anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
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

_LIKELY = 0.95  # from which on it is asked
_ALIKE = {"en": 0.3, "zh": 0.45}  # cosine from which on two may be about the same thing
_NEAR, _LATEST = 3, 40  # memories looked at: the nearest of those by meaning and the newest
_FACTS = Filter(kind="fact", state="active")
_MOST = 200  # new memories of one run that are looked at
_LONGEST = 300  # characters; what is longer tells several things


def ask(store: Store, ids: Iterable[str], now: datetime) -> int:
    """Ask whether what these new memories seem to replace still holds; how many are asked about."""
    waiting = {one.belief.id for one in store.page("reviews", 0)[0]}  # which are asked already
    known = [one for id in ids if id not in waiting and (one := store.get(id))]
    asked: dict[str, tuple[float, str]] = {}
    for one in [new for new in known if _may_change(new)][:_MOST]:
        for old, likely in _replaced(store, one):
            if old.id not in waiting:
                asked[old.id] = max(asked.get(old.id, (0.0, "")), (likely, one.id))
    with store.writing():
        for old_id, (_, new_id) in asked.items():
            store.execute("put_review", old_id, new_id, now)
    return len(asked)


def may_replace(store: Store, new: Record) -> bool:
    """Whether what somebody said seems to replace something known."""
    return _may_change(new) and bool(_replaced(store, new))


def _replaced(store: Store, new: Record) -> list[tuple[Record, float]]:
    """What a new memory seems to replace, and how likely."""
    earlier = _earlier(store, new)
    pairs = [(own_words(one.content), own_words(new.content)) for one in earlier]
    judged = zip(earlier, encoder().changes(pairs), strict=True)
    return [(one, change.replaces) for one, change in judged if change.replaces >= _LIKELY]


def _may_change(one: Record) -> bool:
    is_fact = one.kind == "fact" and one.state == "active" and is_own(one.trust)
    # What a frame has read, the rules have compared
    return is_fact and not one.replaces and not one.attribute and len(one.content) <= _LONGEST


def _earlier(store: Store, new: Record) -> list[Record]:
    """What was known before on the same subject, and is near in meaning."""
    vector = _vector(own_words(new.content))
    near = store.vectors.similar("memories", [QuestionVector(encoder().name, vector)], 2 * _NEAR)
    found = store.records([one.row for one in near]).values()
    latest = store.find(_FACTS, _LATEST)  # of which some have no vector yet
    each = {one.id: one for one in (*found, *latest)}
    earlier = [
        one
        for one in each.values()
        if one.kind == "fact"
        and one.state == "active"
        and len(one.content) <= _LONGEST
        and fold(one.subject or USER) == fold(new.subject or USER)
        and said_at(one) < said_at(new)
    ]
    cosines = {one.id: float(_vector(own_words(one.content)) @ vector) for one in earlier}
    earlier.sort(key=lambda one: -cosines[one.id])
    least = _ALIKE[language_of(new.content)]
    return [one for one in earlier[:_NEAR] if cosines[one.id] >= least]


@lru_cache(maxsize=1_000)
def _vector(text: str) -> Any:
    return encoder().embed([text])[0]
