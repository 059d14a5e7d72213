"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked, `meaning.py` finds the messages and memories that are
meant. They are held back, so that nothing recalls, reads or shows them any more; `loxodon review`
offers to erase them for good, or to bring them back. What is erased for good is a person's
decision, never a sentence's. The request itself is held back too.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from datetime import datetime
from typing import NamedTuple

from loxodon.forget.meaning import Meant, Place, meant, row_of, whole
from loxodon.guard.own_words import others
from loxodon.guard.provenance import rank, speaks_for_user, told_as
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED, UNCLEAR, read
from loxodon.language.forget import Request, may_ask, requests
from loxodon.language.statements import USER
from loxodon.store import Filter, KnownTurn, QuarantinedText
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.tokens import estimate
from loxodon.types import Record, Turn
from loxodon.write import themes
from loxodon.write.events import events_of
from loxodon.write.segment import segments
from loxodon.write.speakers import another

_MOST = 20
"""Memories and messages that a request plainly means; of more it is asked."""
_SHOWN = 10
"""Memories that are asked about then."""


class Obeyed(NamedTuple):
    """What became of requests."""

    taken: int = 0
    """How many were followed, or led to a question."""
    unfound: tuple[str, ...] = ()
    """What the others name: nothing of it was ever said."""


def obey(store: Store, said: Iterable[Turn | KnownTurn], now: datetime) -> Obeyed:
    """Do what turns that were just journalled ask to have forgotten. Call inside `writing`."""
    taken, unfound = 0, list[str]()
    for turn in said:
        if not isinstance(turn, Turn):
            continue
        # What the user says to one agent is about what that one knows.
        with nullcontext() if store.wall.stands else store.writing_as(turn.agent):
            if turn.role == "assistant":
                _hold_reply(store, turn, now)
            for request in _requests(store, turn):
                if _take(store, turn, request, now):
                    taken += 1
                else:
                    unfound.append(request.what)
    return Obeyed(taken, tuple(filter(None, unfound)))


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of; nothing where a
    message in these words was obeyed."""
    if not may_ask(text):
        return []
    heads = [one for one in store.quarantine.find(None) if one.reason == FORGET]
    obeyed = [one.turn for one in heads if one.turn is not None and not _is_unfound(one)]
    if any(turn.content == text for turn in store.turns(obeyed).values()):
        return []
    turn = Turn("", "", "user", text, now)
    return [one.what for one in requests(text) if one.what and not any(meant(store, turn, one)[:2])]


def _is_unfound(head: QuarantinedText) -> bool:
    """Whether a request was about nothing: nobody had to decide on it."""
    return head.state == DROPPED and head.decided_at is None


def _requests(store: Store, turn: Turn) -> list[Request]:
    if not may_ask(turn.content) or not speaks_for_user(turn) or rank(told_as(turn)) < _OWN:
        return []
    if another(store, turn):
        return []
    return requests(_own_words(turn))


_OWN = rank("user")


def _own_words(turn: Turn) -> str:
    """What of a turn is the user's own, where it stands."""
    text = turn.content
    for start, end in others(text):
        text = text[:start] + "\ufffc" * (end - start) + text[end:]
    return text


def _take(store: Store, turn: Turn, request: Request, now: datetime) -> bool:
    found = meant(store, turn, request)
    records = [one for one in found.records if store.wall.owns(one)]
    own = Place(row_of(turn), request.start, request.end)
    many = len(records) > _MOST or len(found.places) > 2 * _MOST
    is_plain = found.is_sure and not many
    state = DROPPED if not any(found[:2]) else HELD if is_plain else UNCLEAR
    (head,) = store.quarantine.put([_kept(own, "", FORGET, now, state)])
    reason = f"{FORGET} q_{head.no}"
    if state == UNCLEAR:
        store.quarantine.put([_kept(None, r.id, reason, now, UNCLEAR) for r in records[:_SHOWN]])
    elif state == HELD:
        _put_away(store, found._replace(records=tuple(records)), reason, now)
    tell_anew(store, {own.row, *(one.row for one in found.places if state == HELD)})
    return state != DROPPED


def _put_away(store: Store, found: Meant, reason: str, now: datetime) -> None:
    archived = [
        store.update(one.id, None, "archived", now, {"state": "archived"})
        for one in found.records
        if one.state == "active"
    ]
    store.quarantine.put([_kept(None, one.id, reason, now, HELD) for one in found.records])
    store.quarantine.put([_kept(one, "", reason, now, HELD) for one in found.places])
    summaries = store.erasure.made_of([one.id for one in archived])
    store.erasure.drop_memories(summaries)  # they say it too, and are written anew
    themes.renew(store, archived, now)
    store.erasure.drop_pages()
    _drop_names(store, found.records)


def _drop_names(store: Store, records: Iterable[Record]) -> None:
    """Entities that only these memories name: who comes back is learned again."""
    names = {fold(name) for one in records for name in (one.subject, *one.entities)} - {fold(USER)}
    for entity in store.worklog.entities():
        if names & {fold(one) for one in (entity.name, *entity.aliases)} and not any(
            one.state == "active"
            for one in (
                *store.latest("entity", entity.name, 1),
                *store.latest_about((entity.name,), 1),
            )
        ):
            store.worklog.drop_entity(entity.no)


def _hold_reply(store: Store, turn: Turn, now: datetime) -> None:
    """The answer to a request says again what that was about."""
    place = whole(turn)
    for one in store.quarantine.in_turns([place.row - 1]).get(place.row - 1, ()):
        if (one.reason, one.state) == (FORGET, HELD):
            store.quarantine.put([_kept(place, "", f"{FORGET} q_{one.no}", now, HELD)])


def _kept(
    place: Place | None, memory: str, reason: str, now: datetime, state: str
) -> QuarantinedText:
    row, start, end = place or (None, 0, 0)
    return QuarantinedText(0, row, memory, start, end, "", reason, "user", now, state, None)


def tell_anew(store: Store, rows: set[int]) -> None:
    """What was made of turns, or is in hand, is made anew of what is told of them now."""
    store.vectors.retold(rows)
    work = store.worklog.work()
    store.worklog.let_go(rows)
    store.worklog.read_again(row for row in rows if work.done_to < row <= work.upto)
    done = [turn for row, turn in store.turns(rows).items() if row <= work.done_to]
    days: dict[str, set[str]] = {}
    for turn in done:
        days.setdefault(turn.session, set()).add(f"{turn.at:%Y-%m-%d}")
    for session, dates in days.items():
        _cut_anew(store, session, rows)
        _note_anew(store, session, dates, {turn.at for turn in done}, work.done_to)


def tell_again(store: Store, id: str) -> None:
    """What a request had put away was released: it is made of, and read, as any other.

    Call inside `writing`.
    """
    parts = store.quarantine.find(RELEASED)
    rows = {one.turn for one in parts if one.reason == f"{FORGET} {id}" and one.turn is not None}
    tell_anew(store, rows)
    store.worklog.read_again(rows)


def _cut_anew(store: Store, session: str, rows: set[int]) -> None:
    """The segments of a session that have one of these turns."""
    from loxodon.write.phases import kept_segment

    worklog = store.worklog
    for one in worklog.segments():
        if one.session == session and any(one.first_turn <= row <= one.last_turn for row in rows):
            turns = read(store, worklog.turns_from(session, one.first_turn, one.last_turn))
            worklog.put_segments(map(kept_segment, segments(turns)), [one.no])


def _note_anew(
    store: Store, session: str, dates: set[str], touched: set[datetime], done_to: int
) -> None:
    """The lines on what a session was about on some days; not what the assistant did in a turn of
    which a part is not told any more."""
    kept = [
        one
        for one in store.worklog.events(min(dates))
        if one.session == session and one.sender == "assistant" and one.at not in touched
    ]
    was = dict(store.erasure.drop_events(session, dates))
    said = read(store, store.journal(Filter(session=session), 0))
    for date, compressed in was.items():
        turns = [one for one in said if f"{one.at:%Y-%m-%d}" == date and row_of(one) <= done_to]
        for event in (*events_of(segments(turns), estimate), *kept):
            if event.date == date:
                store.worklog.put_event(event._replace(compressed=bool(compressed)))
