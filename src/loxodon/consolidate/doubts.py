"""What was said lately may mean that something known holds no more: then `review` asks.

The rules end a memory only by a plain statement about it (`reconcile.py`). What is told in passing,
or shares no word with what it changes, is judged by our encoder, which reads both together. It is
right in about nine of ten: enough to ask, and to put the later one first, not to end anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from loxodon.consolidate.reconcile import KnowledgeView, said_at
from loxodon.guard.provenance import is_own
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.store import QuestionVector
from loxodon.store.store import Store
from loxodon.text.things import own_words
from loxodon.text.words import fold
from loxodon.types import Record

_LIKELY = 0.85  # from which on it is asked
_NEAR = 6  # memories looked at, by meaning and by words
_MOST = 200  # new memories of one run that are looked at
_LONGEST = 300  # characters; what is longer tells several things


def ask(store: Store, ids: Iterable[str], now: datetime) -> int:
    """Ask whether what these new memories seem to replace still holds; how many are asked about."""
    waiting = {one.belief.id for one in store.page("reviews", 0)[0]}  # which are asked already
    known = [one for id in ids if id not in waiting and (one := store.get(id))]
    new = [one for one in known if _may_change(one)][:_MOST]
    pairs = [(old, one) for one in new for old in _earlier(store, one) if old.id not in waiting]
    texts = [(own_words(old.content), own_words(one.content)) for old, one in pairs]
    asked: dict[str, tuple[float, str]] = {}
    for (old, one), change in zip(pairs, encoder().changes(texts), strict=True):
        if change.replaces >= _LIKELY:
            asked[old.id] = max(asked.get(old.id, (0.0, "")), (change.replaces, one.id))
    with store.writing():
        for old_id, (_, new_id) in asked.items():
            store.execute("put_review", old_id, new_id, now)
    return len(asked)


def _may_change(one: Record) -> bool:
    return (
        one.kind == "fact"
        and one.state == "active"
        and is_own(one.trust)
        and not one.replaces
        and len(one.content) <= _LONGEST
    )


def _earlier(store: Store, new: Record) -> list[Record]:
    """What was known before on the same subject, and is near in meaning or words."""
    view = QuestionVector(encoder().name, encoder().embed([own_words(new.content)])[0])
    rows = [one.row for one in store.vectors.similar("memories", [view], 2 * _NEAR)]
    found = [*store.records(rows).values(), *KnowledgeView(store).like(new.content, _NEAR)]
    each = {one.id: one for one in found if one.id != new.id}
    return [
        one
        for one in each.values()
        if one.kind == "fact"
        and one.state == "active"
        and len(one.content) <= _LONGEST
        and fold(one.subject or USER) == fold(new.subject or USER)
        and said_at(one) < said_at(new)
    ][:_NEAR]
