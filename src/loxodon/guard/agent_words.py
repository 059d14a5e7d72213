"""What an agent remembers or changes in the user's name, and how far that is believed.

An agent that was tricked by a page asks to remember what the page says. So its words are the
assistant's, whatever they claim: a fact where the user's own words of the last days bear them out,
else a belief that waits for the user (`loxodon review`). Neither is told by the snapshot or the
profile, which know the user's own words and what the user confirmed. What rests on a sentence of
the user that the agent quotes (`quoted`) is the user's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import islice
from typing import Any

from loxodon.consolidate.keep import wait_for_owner
from loxodon.guard import quarantine
from loxodon.guard.own_words import own_turns, words
from loxodon.guard.provenance import (
    UNCONFIRMED,
    USER,
    is_first_person,
    is_wish,
    kind_for,
    speaks_for_user,
)
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.words import fold, index_words
from loxodon.types import Kind, Record, Turn

RECENT = timedelta(days=7)
_READ = 400  # turns of the journal, the latest, in which the user's words are looked for
_NEAREST = 5
_CLOSELY = 60  # of these turns, the latest that are read for what they state


def recent_user_turns(store: Store, now: datetime) -> list[Turn]:
    """What the user said in the last days, the latest first."""
    where = Filter(since=now - RECENT, until=now + timedelta(milliseconds=1))
    turns = [*own_turns(store.journal(where, _READ))]
    return [turn for turn in reversed(turns) if speaks_for_user(turn) and turn.origin != "import"]


def is_supported(content: str, said: Iterable[str]) -> bool:
    """Whether something that was said says this, as more than a supposition."""
    from loxodon.models.grounding import closest, objection  # not for a recall

    wanted = frozenset(index_words(content))
    language = language_of(content)

    def shared(text: str) -> int:
        return len(wanted.intersection(index_words(text)))

    return any(
        not objection(content, text, language)
        and not words("supposes").search(closest(content, text))
        for text in nlargest(_NEAREST, said, key=shared)
    )


def quoted(content: str, quote: str, said: Iterable[Turn]) -> Turn | None:
    """The message in which the user says `content`, in a sentence that has the words `quote`."""
    from loxodon.models.grounding import stands
    from loxodon.text import sentences

    for turn in said:
        for one in sentences.split(turn.content):
            plain = is_first_person(one) and not words("reports").search(one)
            if plain and stands(one, quote) and is_supported(content, [one]):
                return turn
    return None


def is_correction(record: Record, content: str, said: Iterable[Turn], now: datetime) -> bool:
    """Whether the user said plainly what a memory of the user should say instead."""
    from loxodon.consolidate.read import meaning_of, statements_in

    old = meaning_of(record.content, record.created_at).statement
    new = meaning_of(content, now).statement
    known = record if record.attribute else old
    about = known.subject, known.attribute
    if (new.subject, new.attribute) != about or new.subject != USER or new.confidence < 1:
        return False
    plain = (
        one
        for one in said
        if not (words("reports").search(one.content) or ":" in fold(one.content))
    )
    for turn in islice(plain, _CLOSELY):
        for candidate, sentences in reversed(statements_in(turn.content, turn.at)):
            one = candidate.statement
            if (one.subject, one.attribute) == about:
                outright = one.confidence == 1 and all(map(is_first_person, sentences))
                same = (fold(one.value), one.positive) == (fold(new.value), new.positive)
                heard = record.audience == "private" or turn.chat != "direct"
                return outright and same and heard and is_supported(content, [turn.content])
    return False


def believed(kind: Kind, confidence: float | None, borne_out: bool) -> tuple[Kind, float | None]:
    """The kind and confidence of what an agent remembers."""
    if borne_out or (kind == "belief" and confidence is not None and confidence >= 1):
        return kind, confidence  # a certain belief is refused, like anybody's
    return "belief", min(UNCONFIRMED, UNCONFIRMED if confidence is None else confidence)


def edit(
    store: Store, record: Record, fields: Mapping[str, Any], borne_out: bool, now: datetime
) -> Record:
    """Change what an agent keeps, as far as that would be believed if it were remembered now."""
    new = record._replace(**fields)
    kind, confidence = new.kind, new.confidence
    if kind != "summary" and fields.keys() & {"content", "confidence"}:
        sure, known = believed(kind, confidence, borne_out)
        kind, confidence = sure, confidence if known is None else known
    kind, confidence = kind_for(new.trust, kind, confidence, is_wish(new.category, new.attribute))
    fields = {**fields, "kind": kind, "confidence": confidence}
    if kind != record.kind:
        fields["strength"] = record.strength  # it fades at another rate from here on
    fields = {name: value for name, value in fields.items() if value != getattr(record, name)}
    kept = quarantine.update(store, record, fields, now)
    if fields.keys() & {"content", "kind"}:
        wait_for_owner(store, kept, now)
    return kept
