"""What the user asks to have forgotten in a conversation: put away at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked. Here it is found: memories that say it, and the sentences
in which it was said. Where that is plain (one subject, or a few that have all the words), the
memories are archived and the sentences held back, so that nothing recalls or reads them any more;
`loxodon review` offers to erase them for good, or to bring them back. Where it is not, `review`
asks, and nothing else is done. What is erased for good is a person's decision, never a sentence's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from loxodon.language.forget import Request, may_ask, requests
from loxodon.language.statements import USER
from loxodon.recall.sought import matching
from loxodon.recall.understand import Question, understand
from loxodon.store import Filter, KnownTurn, QuarantinedText
from loxodon.store.store import Store
from loxodon.text.patterns import lazy
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers, gist
from loxodon.text.words import fold, query_words
from loxodon.tokens import estimate
from loxodon.trust.forget.naming import is_proper
from loxodon.trust.forget.tombstones import has_name, plain, thing_of, things
from loxodon.trust.origin.own import others
from loxodon.trust.origin.provenance import rank, speaks_for_user, told_as
from loxodon.trust.origin.quarantine import FORGET, HELD, RELEASED, UNCLEAR, read
from loxodon.types import CAPTURED, Record, Turn
from loxodon.write import themes
from loxodon.write.events import events_of
from loxodon.write.meaning import meaning_of
from loxodon.write.segment import segments

FEW = 6
"""Memories that have all the words of a request and are plainly meant."""
SUBJECT = 20
"""The same where one person or thing is named, and nothing else."""
_SHOWN = 10
"""Memories that are asked about where it is not plain which are meant."""
_MEMORIES = 60
_TURNS = 200
_SPOKEN = 30
"""Messages in which something may be said that is plainly meant, where no memory has it."""
_LEAST = 0.2
"""How much of a memory the sentence has at the least that it was drawn from."""
_OWN = lazy(r"(?i)^\W*(?:my|our|i|we)\b|^\W*[我咱]")
_CLAUSE = lazy(r"(?i)^\W*(?:i|we)\b|^\W*[我咱](?!的|家|妈|爸|哥|姐|弟|妹|们)")
_OF_USER = lazy(r"(?i)\b(?:i|i'm|my|me|we|our|you|your)\b|[我咱你您]")
_BY_USER = lazy(r"(?i)\b(?:i|i'm|i've|you|you're)\b|[我你您](?!的|家|妈|爸|哥|姐|弟|妹)")
_POSSESSIVE = lazy(r"(?i)^(?:my|our|the|about)\s+|^我的?(?!.*我)")
_QUOTED = lazy(r"“.*", re.S)
_HAN = lazy(r"[\u4e00-\u9fff]+")
_JOINTS = lazy(r"[的了在是我你他她它们有和跟与就都也很还把被给对从到这那个些之其]+")


class Place(NamedTuple):
    """A stretch of a turn."""

    row: int
    start: int
    end: int


class Meant(NamedTuple):
    """What a request is about."""

    records: tuple[Record, ...] = ()
    places: tuple[Place, ...] = ()
    plain: bool = False


class Obeyed(NamedTuple):
    """What became of requests."""

    taken: int = 0
    """How many were followed, or led to a question."""
    unfound: tuple[str, ...] = ()
    """What the others name: nothing of it was ever said."""


def obey(store: Store, said: Iterable[Turn | KnownTurn], now: datetime) -> Obeyed:
    """Do what turns ask to have forgotten, as far as it was said before them and not done yet.

    It is called for what was just journalled, and again when that has become memories: by then it
    may be known who `my sister` is. Call inside `writing`.
    """
    taken, unfound = 0, list[str]()
    for turn in said:
        if not isinstance(turn, Turn) or not may_ask(turn.content) or not speaks_for_user(turn):
            continue
        # What the user says to one agent is about what that one knows.
        with nullcontext() if store.wall.stands else store.writing_as(turn.agent):
            done = _done(store, _row(turn))
            for request in requests(_own_words(turn)):
                if request.start in done:
                    continue
                if _take(store, turn, request, now):
                    taken += 1
                else:
                    unfound.append(request.what)
    return Obeyed(taken, tuple(unfound))


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of; nothing where a
    message in these words was obeyed."""
    if not may_ask(text) or any(
        turn.content == text for turn in store.turns(_obeyed(store)).values()
    ):
        return []
    turn = Turn("", "", "user", text, now)
    asked = [(one.what, _Search(store, turn, one.what).meant()) for one in requests(text)]
    return [what for what, meant in asked if not meant.records and not meant.places]


def _obeyed(store: Store) -> list[int]:
    """The turns whose requests were taken up."""
    heads = (one for one in store.quarantine.find(None) if one.reason == FORGET)
    return [one.turn for one in heads if one.turn is not None]


def _done(store: Store, row: int) -> set[int]:
    """Where the requests of a turn begin that were taken up."""
    return {
        one.start for one in store.quarantine.find(None) if (one.turn, one.reason) == (row, FORGET)
    }


def _own_words(turn: Turn) -> str:
    """What of a turn is the user's own, where it stands; nothing of one in which another's words
    may pass for the user's."""
    if told_as(turn) == "relayed":
        return ""
    text = turn.content
    for start, end in others(text):
        text = text[:start] + "\ufffc" * (end - start) + text[end:]
    return text


def _take(store: Store, turn: Turn, request: Request, now: datetime) -> bool:
    meant = _Search(store, turn, request.what).meant()
    may = tuple(one for one in meant.records if _may_change(store, turn, one))
    if not meant.records and not meant.places:
        return False
    own = Place(_row(turn), request.start, request.end)
    plain = meant.plain and request.sure and len(may) == len(meant.records)
    head = _kept(own, "", FORGET, now, HELD if plain else UNCLEAR)
    (head,) = store.quarantine.put([head])
    reason = f"{FORGET} q_{head.no}"
    if not plain:
        asked = [_kept(None, one.id, reason, now, UNCLEAR) for one in meant.records[:_SHOWN]]
        store.quarantine.put(asked)
        return True
    _put_away(store, meant, reason, now)
    tell_anew(store, {own.row, *(one.row for one in meant.places)})
    return True


def _put_away(store: Store, meant: Meant, reason: str, now: datetime) -> None:
    archived = [
        store.update(one.id, None, "archived", now, {"state": "archived"}) for one in meant.records
    ]
    store.quarantine.put([_kept(None, one.id, reason, now, HELD) for one in archived])
    store.quarantine.put([_kept(one, "", reason, now, HELD) for one in meant.places])
    themes.renew(store, archived, now)


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
        turns = [one for one in said if f"{one.at:%Y-%m-%d}" == date and _row(one) <= done_to]
        for event in (*events_of(segments(turns), estimate), *kept):
            if event.date == date:
                store.worklog.put_event(event._replace(compressed=bool(compressed)))


def _may_change(store: Store, turn: Turn, record: Record) -> bool:
    """Whether the words of a turn reach a memory: no import puts away what the user said."""
    return rank(record.trust) <= rank(told_as(turn)) and store.wall.owns(record)


def _kept(
    place: Place | None, memory: str, reason: str, now: datetime, state: str
) -> QuarantinedText:
    row, start, end = place or (None, 0, 0)
    return QuarantinedText(0, row, memory, start, end, "", reason, "user", now, state, None)


def _row(turn: Turn) -> int:
    return int(turn.ref[2:])


# --- What is meant --------------------------------------------------------------------------------


class _Search:
    """Looks for what somebody means by some words."""

    def __init__(self, store: Store, turn: Turn, what: str) -> None:
        self._store = store
        self._turn = turn
        self._what = what
        self._thing = thing_of(what)
        self._wanted = _Wanted.of(what)

    def meant(self) -> Meant:
        named = self._subject()
        if named:
            records = self._about(named)
            places = [*self._sources(records), *self._spoken(lambda text: _names(text, named))]
            return self._decided(records, places, SUBJECT)
        if not self._wanted:
            return Meant()
        records = self._records()
        places = [*self._sources(records), *self._spoken(self._is_said)]
        return self._decided(records, places, FEW)

    def _decided(self, records: list[Record], places: list[Place], most: int) -> Meant:
        found = tuple(dict.fromkeys(places))
        spoken = len({one.row for one in found})
        plain = len(records) <= most if records else spoken <= _SPOKEN
        return Meant(tuple(records), found, plain)

    # Memories

    @cached_property
    def _question(self) -> Question:
        return understand(self._what, self._turn.at, self._store.named)

    def _subject(self) -> tuple[str, ...]:
        """All names of someone or something, where the request says no more than one of them."""
        bare = _POSSESSIVE.sub("", self._what).strip()
        found = self._store.entities_named([self._what, bare])
        one = found.get(self._what) or found.get(bare)
        return (one.name, *one.aliases) if one and one.name != USER else ()

    def _about(self, names: Sequence[str]) -> list[Record]:
        found = self._store.latest("entity", names[0], SUBJECT + 1)
        found += self._store.latest_about((names[0],), SUBJECT + 1)
        return self._active(found)

    def _records(self) -> list[Record]:
        hits = self._store.search("memories", query_words(self._what), Filter(), _MEMORIES)
        rows = [hit.row for hit in hits]
        records = self._store.records(rows)
        found = [records[row] for row in rows if row in records and self._is_told(records[row])]
        return self._active([*self._stated(), *self._filed(), *found])

    def _active(self, records: Iterable[Record]) -> list[Record]:
        """Those that can be put away, each once: not what was said again later, nor summaries,
        which follow from the others."""
        return [
            one
            for one in {record.id: record for record in records}.values()
            if one.state == "active"
            and one.kind != "summary"
            and self._said_at(one) <= self._turn.at
        ]

    def _said_at(self, record: Record) -> datetime:
        """When a memory was said last."""
        turns = [turn for turn in self._turns_of(record) if turn.channel != CAPTURED]
        return max((turn.at for turn in turns), default=record.created_at)

    def _turns_of(self, record: Record) -> Iterator[Turn]:
        """The turns that a memory was drawn from."""
        kept = self._store.get(record.id)
        for source in kept.sources if kept else ():
            row = self._store.turn_row(source.session, source.turn) if source.turn else None
            if row is not None:
                yield from self._store.turns([row]).values()

    def _is_told(self, record: Record) -> bool:
        """Whether a memory has all the words, and is about whom they are about."""
        if self._thing:
            return self._thing in things(fold(record.content))
        if _OWN.search(self._what) and not self._question.entities:
            own = _QUOTED.search(record.content)  # what is kept as it was said
            if record.subject not in ("", USER) or (own and not _OF_USER.search(own[0])):
                return False
        named = [one for one in self._question.entities if _is_filed(record, one.entity.name)]
        return self._wanted.without(one.text for one in named).is_in(record.searchable)

    def _stated(self) -> Iterator[Record]:
        """What the words say as a statement: `I live in Leeds`, in whatever words it is kept."""
        said = meaning_of(self._what, self._turn.at) if _CLAUSE.search(self._what) else None
        if said is None or not said.attribute:
            return
        for record in self._store.latest_about((said.subject, said.attribute), FEW):
            if (fold(record.value), record.positive) == (fold(said.value), said.positive):
                yield record

    def _filed(self) -> Iterator[Record]:
        """What is filed under what the words name: `my salary`, `小林的生日`."""
        named = self._question.entities
        if len(named) > 1 or not (named or _OWN.search(self._what) or _HAN.search(self._what)):
            return
        subject = named[0].entity.name if named else USER
        for attributes, word in matching(fold(self._what), "own"):
            rest = self._wanted.without((word, *(one.text for one in named)))
            for attribute in attributes:
                for record in self._store.latest_about((subject, attribute), FEW):
                    if rest.is_in(record.searchable):
                        yield record

    # What was said

    def _sources(self, records: Iterable[Record]) -> Iterator[Place]:
        """The sentences that memories were drawn from."""
        for record in records:
            for turn in self._turns_of(record):
                yield from _telling(turn, record.content)

    def _spoken(self, is_said: Callable[[str], bool]) -> Iterator[Place]:
        """The sentences anywhere before in which it is spoken of."""
        until = self._turn.at + timedelta(milliseconds=1)
        words = query_words(self._what)
        hits = self._store.search("turns", words, Filter(until=until), _TURNS)
        turns = self._store.turns([hit.row for hit in hits])
        held = self._store.quarantine.in_turns(turns)
        for row, turn in turns.items():
            if turn.content == self._turn.content or turn.role not in ("user", "assistant"):
                continue
            for start, end in spans(turn.content):
                told = any(one.start <= start and end <= one.stop for one in held.get(row, ()))
                if not told and is_said(turn.content[start:end]):
                    yield Place(row, start, end)

    def _is_said(self, sentence: str) -> bool:
        """Whether a sentence speaks of what is meant."""
        if self._thing:
            return self._thing in things(fold(sentence))
        of = _BY_USER if _CLAUSE.search(self._what) else _OF_USER
        if _OWN.search(self._what) and not of.search(sentence):
            return False
        return self._wanted.is_in(sentence)


class _Wanted(NamedTuple):
    """The words that must be there."""

    latin: frozenset[str]
    han: tuple[str, ...]
    """Stretches of Chinese, each in one piece."""

    @classmethod
    def of(cls, text: str) -> _Wanted:
        found = gist(text)
        latin = frozenset(word for word in found.words | found.numbers if word.isascii())
        parts = (part for run in _HAN.findall(fold(text)) for part in _JOINTS.split(run))
        return cls(latin, tuple(dict.fromkeys(filter(None, parts))))

    def __bool__(self) -> bool:
        return bool(self.latin or self.han)

    def without(self, words: Iterable[str]) -> _Wanted:
        latin, han = self.latin, self.han
        for word in map(fold, words):
            stems = gist(word).words
            latin -= stems | {one for one in latin if one.startswith(word)}
            han = tuple(part.replace(word, "") for part in han)
        return _Wanted(latin, tuple(filter(None, han)))

    def is_in(self, text: str) -> bool:
        found, folded = gist(text), fold(text)
        return self.latin <= found.words | found.numbers and all(one in folded for one in self.han)


def _is_filed(record: Record, name: str) -> bool:
    return fold(name) in map(fold, (record.subject, *record.entities))


def _names(text: str, names: Sequence[str]) -> bool:
    words = plain(text)
    return any(has_name(words, plain(name)) for name in names if is_proper(name))


def _telling(turn: Turn, content: str) -> Iterator[Place]:
    """The sentences of a turn that tell what a memory says; of what was captured all."""
    row = _row(turn)
    if turn.channel == CAPTURED:
        yield Place(row, 0, len(turn.content))
        return
    shares = [(covers(turn.content[a:b], content), a, b) for a, b in spans(turn.content)]
    best = max((share for share, _, _ in shares), default=0.0)
    for share, start, end in shares:
        if share >= max(_LEAST, best):
            yield Place(row, start, end)
