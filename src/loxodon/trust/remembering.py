"""What an agent remembers or changes in the user's name, and how far that is believed.

An agent that was tricked by a page asks to remember what the page says. So its words are the
assistant's, whatever they claim: a fact where the user's own words of the last days bear them out,
else a belief that waits for the user (`loxodon review`). Neither is told by the snapshot or the
profile, which know the user's own words and what the user confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from heapq import nlargest

from loxodon.store import Filter, Store
from loxodon.text.language import language_of
from loxodon.text.words import index_words
from loxodon.trust.pasting import own_turn
from loxodon.trust.provenance import UNCONFIRMED, is_own, speaks_for_user
from loxodon.types import Kind, Record

RECENT = timedelta(days=7)
_READ = 400
"""Turns of the journal, the latest, in which the user's words are looked for."""
_NEAREST = 5


def said_lately(store: Store, now: datetime) -> list[str]:
    """What the user said in the last days, the latest first."""
    where = Filter(since=now - RECENT, until=now + timedelta(milliseconds=1))
    turns = map(own_turn, reversed(store.journal(where, _READ)))
    return [turn.content for turn in turns if speaks_for_user(turn) and turn.origin != "import"]


def is_borne_out(content: str, said: Iterable[str]) -> bool:
    """Whether something that was said says this: its words, names, numbers and sign."""
    from loxodon.models.grounding import Source, objection  # not needed on a recall's way

    words = frozenset(index_words(content))
    near: Sequence[str] = nlargest(
        _NEAREST, said, key=lambda text: len(words.intersection(index_words(text)))
    )
    language = language_of(content)
    return any(not objection(content, Source(text), language) for text in near)


def believed(kind: Kind, confidence: float | None, borne_out: bool) -> tuple[Kind, float | None]:
    """The kind and confidence of what an agent remembers."""
    if borne_out or (kind == "belief" and confidence is not None and confidence >= 1):
        return kind, confidence  # a certain belief is refused, like anybody's
    return "belief", min(UNCONFIRMED, UNCONFIRMED if confidence is None else confidence)


def wait_for_owner(store: Store, record: Record, now: datetime) -> None:
    """Ask the owner about a belief that nothing bears out. Call inside `writing`."""
    if record.kind == "belief" and not is_own(record.trust):
        store.desk.put_review(record.id, record.id, now)
