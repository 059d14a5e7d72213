"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked. Messages and memories that the words find are held back,
so that nothing recalls, reads or shows them any more, and so is the request; `loxodon review`
offers to erase them for good or to bring them back. Nothing is erased because a sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from loxodon.consolidate import themes
from loxodon.consolidate.entities import another
from loxodon.forget.erase import rebuild, row_of
from loxodon.forget.names import is_address, roles_in
from loxodon.guard.own_words import others
from loxodon.guard.provenance import rank, shown_origin, speaks_for_user
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED, UNCLEAR
from loxodon.language.forget import Request, may_ask, requests
from loxodon.language.leaning import leans
from loxodon.language.statements import USER
from loxodon.recall.understand import understand
from loxodon.store import Filter, KnownTurn, MemoryRow, QuarantinedText
from loxodon.store.store import Store
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, query_words, stem_of
from loxodon.types import Entity, Record, Turn

_MOST = 20  # memories that a request plainly means; of more it is asked
_SHOWN = 10  # memories that are asked about then
_TURNS = 400  # looked at, those with the most of the words first
_SHORT = 300  # characters of a message that is about one thing; of a longer one, of a sentence
_NEARLY = 0.75  # how much of what the best has others must have to be meant as well
_TOPIC = 0.45  # what it counts that a text has a word in which such things are told
_CHAIN, _SAME_TALK = 6, timedelta(days=2)  # messages that may lean on one
_OTHERS = 0.7  # what is left where the user means something of their own, and the text does not
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|me|mine|we|we're|our|us|you|your)\b|[\u4e00-\u9fff]"
)
_OWN = re.compile(r"^\W*(?:my|our|i|i'm|i've|we)\b|^\W*[我咱]")
_POINTING = re.compile(r"(?i)\b(?:that|this|it)\b|[这那]话")
_PERSON = re.compile(r"(?i)\W*(?:and |but |so )?(?:he|she|his|her|they)\b|[他她]")
_LATIN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_JOINTS = re.compile(
    r"[的了在是我你您他她它们有和跟与就都也很还把被给对从到这那个些之其说过想要去]+"
)
_NAME = re.compile(r"(?<=\w )[A-Z][\w-]+|\b[A-Z][\w-]+(?='s\b)|[老小阿][\u4e00-\u9fff]")


class Place(NamedTuple):
    """A stretch of a turn."""

    row: int
    start: int
    end: int

    @classmethod
    def whole(cls, turn: Turn) -> Place:
        return cls(row_of(turn), 0, len(turn.content))

    def of(self, turn: Turn) -> str:
        return turn.content[self.start : self.end]


# What is done about a request


def obey(
    store: Store, said: Iterable[Turn | KnownTurn], now: datetime
) -> tuple[int, tuple[str, ...]]:
    """Follow the requests in turns just journalled; how many, and what the others name."""
    taken, unfound = 0, list[str]()
    for turn in said:
        if not isinstance(turn, Turn):
            continue
        # What the user says to one agent is about what that one knows.
        with nullcontext() if store.wall.stands else store.writing_as(turn.agent):
            if turn.role == "assistant":
                _hold_reply(store, turn, now)
            for request in _requests(store, turn):
                if _hold(store, turn, request, now):
                    taken += 1
                elif request.what:
                    unfound.append(request.what)
    return taken, tuple(unfound)


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of."""
    if not may_ask(text):
        return []
    held = store.query_as(QuarantinedText, "quarantined_by_state", "")
    heads = [one for one in held if one.reason == FORGET]
    obeyed = [one.turn for one in heads if one.turn and (one.state != DROPPED or one.decided_at)]
    if any(turn.content == text for turn in store.turns(obeyed).values()):
        return []
    turn = Turn("", "", "user", text, now)
    return [one.what for one in requests(text) if one.what and not any(meant(store, turn, one))]


def bring_back(store: Store, id: str) -> None:
    """Read and show what a request had held back, which was released."""
    released = store.query_as(QuarantinedText, "quarantined_by_state", RELEASED)
    parts = [one for one in released if one.reason == f"{FORGET} {id}"]
    rows = {one.turn for one in parts if one.turn is not None}
    _tell_anew(store, rows)
    store.worklog.read_again(rows)


def _requests(store: Store, turn: Turn) -> list[Request]:
    """The requests in what of a turn is the user's own."""
    if not may_ask(turn.content) or not speaks_for_user(turn) or another(store, turn):
        return []
    if rank(shown_origin(turn)) < rank("user"):
        return []
    text = turn.content
    for start, end in others(text):
        text = text[:start] + "\ufffc" * (end - start) + text[end:]
    return requests(text)


def _hold(store: Store, turn: Turn, request: Request, now: datetime) -> bool:
    known, places = meant(store, turn, request)
    records = [one for one in known.values() if store.wall.owns(one)]
    own = Place(row_of(turn), request.start, request.end)
    is_plain = len(records) <= _MOST and len(places) <= 2 * _MOST
    state = DROPPED if not (known or places) else HELD if is_plain else UNCLEAR
    (head,) = _put(store, [own], FORGET, now, state)
    reason = f"{FORGET} q_{head.no}"
    if state == UNCLEAR:
        _put(store, records[:_SHOWN], reason, now, UNCLEAR)
    if state == HELD:
        active = [one for one in records if one.state == "active"]
        for one in active:
            store.update(one.id, None, "archived", now, {"state": "archived"})
        _put(store, [*records, *places], reason, now, HELD)
        # Summaries say it too, and are written anew.
        store.erasure.drop_memories(store.column("summaries_of", [one.id for one in active]))
        themes.renew(store, active, now)
        len(store.query("drop_pages"))
        _drop_names(store, records)
    _tell_anew(store, {own.row, *(one.row for one in places if state == HELD)})
    return state != DROPPED


def _put(
    store: Store, what: Sequence[Place | Record], reason: str, now: datetime, state: str
) -> Sequence[QuarantinedText]:
    """Put stretches of turns and memories into quarantine."""
    memories = [(None, it.id, 0, 0) for it in what if isinstance(it, Record)]
    places = [(it.row, "", it.start, it.end) for it in what if isinstance(it, Place)]
    return store.quarantine.put(
        [
            QuarantinedText(0, row, id, start, end, "", reason, "user", now, state, None)
            for row, id, start, end in (*memories, *places)
        ]
    )


def _hold_reply(store: Store, turn: Turn, now: datetime) -> None:
    """The answer to a request says again what that was about."""
    place = Place.whole(turn)
    for one in store.quarantine.in_turns([place.row - 1]).get(place.row - 1, ()):
        if (one.reason, one.state) == (FORGET, HELD):
            _put(store, [place], f"{FORGET} q_{one.no}", now, HELD)


def _drop_names(store: Store, records: Iterable[Record]) -> None:
    """Entities that only these memories name: who comes back is learned again."""
    names = {fold(name) for one in records for name in (one.subject, *one.entities)} - {fold(USER)}
    for one in store.query_as(Entity, "entities"):
        if names & set(map(fold, (one.name, *one.aliases))):
            known = (*store.latest("entity", one.name, 1), *store.latest("about", (one.name,), 1))
            if not any(record.state == "active" for record in known):
                store.worklog.drop_entity(one.no)


def _tell_anew(store: Store, rows: set[int]) -> None:
    """What was made of turns, or is in hand, is made anew of what may be told of them now."""
    work = store.worklog.work()
    store.vectors.retold(rows)
    store.worklog.let_go(rows)
    store.worklog.read_again(row for row in rows if work.done_to < row <= work.upto)
    rebuild(store, {row for row in rows if row <= work.done_to})


# What the words mean


def meant(
    store: Store, turn: Turn, request: Request
) -> tuple[dict[str, Record], dict[Place, None]]:
    """The memories and the stretches of messages that a request in a turn is about."""
    found = (
        _Search(store, turn, request.what).places() if request.what else _last(store, turn, request)
    )
    places = dict.fromkeys(found)
    return {one.record.id: one.record for one in _drawn_from(store, places)}, places


def _last(store: Store, turn: Turn, request: Request) -> list[Place]:
    """What was said before a request in its message, or in the one before it."""
    own = turn.content[: request.start]
    if not turn.ref or (len(query_words(own)) > 3 and not _POINTING.search(own)):
        return [Place(row_of(turn), 0, request.start)] if turn.ref else []
    before = store.query_turns("turns_before", turn.session, row_of(turn), 8)
    asked = max((n for n, one in enumerate(before) if one.role == "user"), default=0)
    return [Place.whole(one) for one in before[asked:]]


class _Search:
    """Looks for what somebody means by some words."""

    def __init__(self, store: Store, turn: Turn, what: str) -> None:
        self._store, self._turn = store, turn
        self._is_own = _OWN.search(fold(what)) is not None  # `my salary` is not the average one
        self._names = self._people(what)  # for each who is named, all their names, folded
        rest, topics = fold(what), _topics_in(fold(what))
        for name in sorted((*self._names, *topics), key=len, reverse=True):
            rest = rest.replace(name, " ")
        latin = [word for word in _LATIN.findall(rest) if query_words(word)]
        runs = [part for run in _HAN.findall(rest) for part in _JOINTS.split(run) if part]
        pairs = [run[n : n + 2] for run in runs for n in range(max(1, len(run) - 1))]
        words = dict.fromkeys((*topics, *([what] if is_address(what) else (*latin, *pairs))))
        # What each word is, and in which others such things are told
        self._terms = {
            one: topics.get(one, ()) for one in [word for word in words if len(word) > 1] or words
        }
        told = [word for one, others in self._terms.items() for word in (one, *others)]
        told += [name for names in self._names.values() for name in names]
        characters = [part for word in told for part in _HAN.findall(word)]
        self._words = query_words(" ".join((what, *told, *characters)))

    def _people(self, what: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in understand(what, self._turn.at, self._store.named).entities:
            if one.entity.name != USER:
                found[fold(one.text)] = [*map(fold, (one.entity.name, *one.entity.aliases))]
        until = Filter(until=self._turn.at)  # `my son` may have been spoken of by his name only
        roles = [r for r in roles_in(what) if self._store.search("turns", query_words(r), until, 1)]
        topics = _topics_in(fold(what))
        for name in (*_NAME.findall(what), *roles):
            if not any(fold(name) in one for one in (*found, *topics)):
                hits = self._store.search("turns", query_words(name), Filter(), _TURNS // 10)
                said = [it.content for it in self._store.turns([h.row for h in hits]).values()]
                # `my sister Mei` goes by that name, too.
                like = rf"(?i:\b{re.escape(name)}),? (?:is )?(?:called |named )?([A-Z]\w+)"
                found[fold(name)] = [fold(name), *map(fold, re.findall(like, "\n".join(said)))]
        return found

    def _score(self, text: str) -> float:
        """How much of what is looked for a text has; 0 where it does not name whom it must."""
        folded = fold(text)
        if not all(any(_has(folded, name) for name in names) for names in self._names.values()):
            return 0.0
        if not self._terms:
            return 1.0 if self._names else 0.0
        score = sum(
            1.0 if _has(folded, word) else _TOPIC * any(_has(folded, it) for it in others)
            for word, others in self._terms.items()
        )
        is_of_others = self._is_own and not _FIRST_PERSON.search(folded)
        return score * (_OTHERS if is_of_others else 1.0)

    def places(self) -> list[Place]:
        """The passages with the most of the words, and the talk that goes on with them."""
        until = self._turn.at + timedelta(milliseconds=1)
        hits = self._store.search("turns", self._words, Filter(until=until), _TURNS)
        turns = self._store.turns([hit.row for hit in hits])
        held = self._store.quarantine.in_turns(turns)
        scored = [
            (self._score(place.of(turn)), place, turn)
            for row, turn in turns.items()
            if turn.content != self._turn.content
            and row not in held
            and turn.role in ("user", "assistant")
            for place in _passages(turn)
        ]
        said = [one for one in scored if one[0] and one[2].role == "user"] or scored
        least = _NEARLY * max((score for score, *_ in said), default=0.0)
        same = {turn.session for score, _, turn in said if 0 < score >= least}
        return [
            place
            for score, one, turn in said
            # In one talk less is enough.
            if 0 < score >= least or (turn.session in same and self._is_told(one.of(turn)))
            for place in self._talk(turn, one)
        ]

    def _talk(self, turn: Turn, place: Place) -> Iterator[Place]:
        """A passage, and the talk behind it that leans on it."""
        yield place
        if place != Place.whole(turn):
            return
        said = turn
        for one in self._store.query_turns("turns_behind", turn.session, place.row, _CHAIN):
            if one.role == "user":
                if one.at - said.at > _SAME_TALK or not self._goes_on(one.content, said.content):
                    return
                said = one
            yield Place.whole(one)

    def _goes_on(self, text: str, after: str) -> bool:
        if not self._names and _PERSON.match(text) and roles_in(after):
            return self._is_told(text)  # he or she is whom the message before names
        return self._is_told(text) or leans(text, "" if self._names else after)

    def _is_told(self, text: str) -> bool:
        """Whether a text has a word in which such things are told."""
        return any(_has(fold(text), word) for others in self._terms.values() for word in others)


@cache
def _stems(folded: str) -> str:
    return f" {' '.join(stem_of(one) or one for one in _LATIN.findall(folded))} "


def _has(folded: str, word: str) -> bool:
    return _stems(word) in _stems(folded) if word.isascii() else word in folded


def _topics_in(folded: str) -> dict[str, Collection[str]]:
    """The topics that words name, and in which other words people tell of them."""
    found: dict[str, Collection[str]] = {}
    stems = set(_stems(folded).split())
    for names, told in _topics():
        for name in names:
            if set(_stems(name).split()) <= stems if name.isascii() else name in folded:
                found[name] = (*found.get(name, ()), *told)
                break
    return found


@cache
def _topics() -> list[tuple[list[str], list[str]]]:
    text = (files("loxodon.forget") / "topics.txt").read_text("utf-8")
    lines = [line.split(": ") for line in text.splitlines() if not line.startswith("#")]
    return [(names.split(", "), told.split(", ")) for names, told in lines]


# Passages, and memories of them


def _passages(turn: Turn) -> list[Place]:
    """The parts of a message that are about one thing each."""
    if len(turn.content) <= _SHORT:
        return [Place.whole(turn)]
    return [Place(row_of(turn), *span) for span in spans(turn.content)]


def _drawn_from(store: Store, places: Iterable[Place]) -> list[MemoryRow]:
    """The memories that were drawn from nothing but these stretches."""
    stretches: dict[int, list[Place]] = {}
    for one in places:
        stretches.setdefault(one.row, []).append(one)
    turns = store.turns(stretches)

    def is_told(row: int, content: str) -> bool:
        """Whether these stretches of a turn, and not the rest of it, say something."""
        if row not in turns:
            return False
        rest = turns[row].content
        for one in sorted(stretches[row], reverse=True):
            rest = rest[: one.start] + rest[one.end :]
        inside = " ".join(one.of(turns[row]) for one in stretches[row])
        return not rest.strip() or covers(inside, content) > covers(rest, content)

    return [
        one
        for one in store.erasure.memories(store.column("memories_of_turns", [*stretches]))
        if one.record.kind != "summary"
        and all(is_told(row, one.record.content) for row in one.turns)
    ]
