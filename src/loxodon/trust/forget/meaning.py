"""What somebody means by the words of a request to forget: messages, and memories.

Whatever the words find: messages that have them, or related ones, those with the most first; and
the talk around these that cannot stand without them (the answer to them, a next message that leans
on them). Somebody's name alone does not tell what of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.language.forget import Request
from loxodon.language.leaning import leans
from loxodon.language.statements import USER
from loxodon.recall.understand import understand
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.patterns import lazy
from loxodon.text.related import KIND, expand
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, index_words, query_words, stem_of
from loxodon.trust.forget.naming import roles_in
from loxodon.trust.forget.tombstones import thing_of, things
from loxodon.types import CAPTURED, Record, Turn

_TURNS = 400
_MEMORIES = 60
_SHORT = 300
"""Characters of a message that is about one thing; of a longer one it is its sentences."""
_NEARLY = 0.75
"""How much of what the best has others must have to be meant as well."""
_EXACT, _APART, _RELATED, _CHARACTER = 1.0, 0.8, 0.7, 0.3
"""What it counts that a text has a word; 吵…架 for 吵架; a related word; a character of it."""
_OTHERS = 0.7
"""What is left of that where the user means something of their own, and the text is not of them."""
_CHAIN = 6
"""Messages that may lean on one."""
_SAME_TALK = timedelta(days=2)
_GENERIC = lazy(
    r"(?i)\b(?:things?|stuff|news|figures?|numbers?|details?|info|information|story|situation|whole"
    r"|problem|issue|business|matter|parts?|bits?|facts?|time|day|talk|conversation|incident)\b"
)
_FIRST_PERSON = lazy(r"\b(?:i|i'm|i've|i'd|my|me|mine|we|we're|our|us|you|your)\b|[我咱你您]")
_OWN = lazy(r"^\W*(?:my|our|i|i'm|i've|we)\b|^\W*[我咱]")
_HAN = lazy(r"[\u4e00-\u9fff]+")
_JOINTS = lazy(r"[的了在是我你您他她它们有和跟与就都也很还把被给对从到这那个些之其说过想要去]+")
_NAME = lazy(r"(?<=\w )[A-Z][\w-]+|\b[A-Z][\w-]+(?='s\b)|[老小阿][\u4e00-\u9fff]")


class Place(NamedTuple):
    """A stretch of a turn."""

    row: int
    start: int
    end: int


class Meant(NamedTuple):
    """What a request is about."""

    records: tuple[Record, ...] = ()
    places: tuple[Place, ...] = ()


def row_of(turn: Turn) -> int:
    return int(turn.ref[2:])


def meant(store: Store, turn: Turn, request: Request) -> Meant:
    """What a request in a turn is about."""
    if not request.what:
        last = tuple(_last(store, turn, request))
        return Meant(tuple(_drawn(store, last).values()), last)
    search = _Search(store, turn, request.what)
    places = dict.fromkeys(search.places())
    records = _drawn(store, list(places)) | {one.id: one for one in search.records()}
    places |= dict.fromkeys(_sources(store, records.values()))
    return Meant(tuple(records.values()), tuple(places))


# What was said last


def _last(store: Store, turn: Turn, request: Request) -> Iterator[Place]:
    """What was said before a request in its message; where that is nothing, the message before it
    and the answer to that."""
    if not turn.ref:
        return
    row, own = row_of(turn), turn.content[: request.start]
    if len(query_words(own)) > 3:
        yield Place(row, 0, request.start)
        return
    for one in reversed(store.worklog.turns_before(turn.session, row, 8)):
        yield Place(row_of(one), 0, len(one.content))
        if one.role == "user":
            return


# What words mean


class _Terms(NamedTuple):
    """What to look for."""

    names: tuple[tuple[str, ...], ...]
    """For each person or thing that is named, all names of it, folded."""
    latin: tuple[str, ...]
    han: tuple[str, ...]
    """Pairs of characters, or single ones."""
    related: tuple[tuple[str, str, float], ...]
    """(the word asked for, a related one, how much that counts)"""
    thing: str
    own: bool
    """Whether it is the user's: `my salary` is not the average one."""

    def score(self, text: str) -> float:
        """How much of what is looked for a text has; 0 where it does not name whom it must."""
        folded = fold(text)
        if self.thing:
            return _EXACT if self.thing in things(folded) else 0.0
        words = index_words(text)
        if not all(any(_has(folded, words, one) for one in names) for names in self.names):
            return 0.0
        if not (self.latin or self.han):
            return _EXACT if self.names else 0.0
        latin = sum(_EXACT for one in self.latin if one in words)
        han = sum(_han_score(folded, one) for one in self.han)
        other: dict[str, float] = {}
        for because, word, weight in self.related:
            if because not in folded and _has(folded, words, word):
                other[because] = max(other.get(because, 0.0), weight)
        found = latin + han + sum(other.values())
        return found if not self.own or _FIRST_PERSON.search(folded) else found * _OTHERS

    def is_related(self, text: str) -> bool:
        """Whether a text has a word that is related to one that is looked for."""
        folded, words = fold(text), index_words(text)
        return any(_has(folded, words, word) for _, word, _ in self.related)


def _terms(store: Store, what: str, now: datetime) -> _Terms:
    rest, names = what, dict[str, tuple[str, ...]]()
    for one in understand(what, now, store.named).entities:
        if one.entity.name != USER:
            called = (one.entity.name, *one.entity.aliases)
            names[fold(one.text)] = tuple(map(fold, called))
    for name in (*_NAME.findall(what), *roles_in(what)):
        if not any(fold(name) in one for one in names):
            names[fold(name)] = (fold(name), *_called(store, name))
    for name in sorted(names, key=len, reverse=True):
        rest = _without(rest, name)
    latin = tuple(word for word in query_words(_GENERIC.sub(" ", rest)) if word.isascii())
    runs = [part for run in _HAN.findall(fold(rest)) for part in _JOINTS.split(run) if part]
    pairs = [run[n : n + 2] for run in runs for n in range(max(1, len(run) - 1))]
    related = tuple(
        (one.because, _joined(one.word), _RELATED * one.weight)
        for one in expand(query_words(rest), rest)
        if one.weight >= KIND * KIND
    )
    own = _OWN.search(fold(what)) is not None
    han = tuple(dict.fromkeys(pairs))
    return _Terms(tuple(names.values()), latin, han, related, thing_of(what), own)


def _called(store: Store, role: str) -> list[str]:
    """The names of whom the journal calls `my sister Mei`."""
    hits = store.search("turns", query_words(role), Filter(), _TURNS // 10)
    said = store.turns([hit.row for hit in hits]).values()
    like = re.compile(rf"(?i:\b{re.escape(role)}),? (?:is )?(?:called |named )?([A-Z]\w+)")
    return [fold(name) for one in said for name in like.findall(one.content)]


def _without(text: str, name: str) -> str:
    at = fold(text).find(name)
    if at < 0 or len(fold(text)) != len(text):
        return text
    return text[:at] + " " + text[at + len(name) :].removeprefix("'s").removeprefix("’s")


def _joined(word: str) -> str:
    """A related word as it is written: the pairs of a Chinese one overlap."""
    first, *more = word.rstrip("*").split()
    if first.isascii():
        return " ".join((first, *more))
    return first + "".join(one[-1] for one in more)


def _has(folded: str, words: Sequence[str], wanted: str) -> bool:
    if not wanted.isascii():
        return wanted in folded
    stems = [stem_of(one) or one for one in wanted.split()]
    return any(list(words[n : n + len(stems)]) == stems for n in range(len(words)))


def _han_score(folded: str, pair: str) -> float:
    if pair in folded:
        return _EXACT if len(pair) > 1 else _CHARACTER
    if len(pair) < 2:
        return 0.0
    first, second = pair[0], pair[1]
    at = folded.find(first)
    while at >= 0:  # the parts of a verb stand apart: 吵了一架
        if second in folded[at + 1 : at + 5]:
            return _APART
        at = folded.find(first, at + 1)
    return _CHARACTER if first in folded or second in folded else 0.0


class _Search:
    """Looks for what somebody means by some words."""

    def __init__(self, store: Store, turn: Turn, what: str) -> None:
        self._store = store
        self._turn = turn
        self._terms = _terms(store, what, turn.at)
        names = [name for names in self._terms.names for name in names]
        others = [word for _, word, _ in self._terms.related]
        singles = [one for pair in self._terms.han for one in pair]
        self._words = query_words(" ".join((what, *names, *others, *singles)))
        self._best = 0.0

    def places(self) -> list[Place]:
        until = self._turn.at + timedelta(milliseconds=1)
        hits = self._store.search("turns", self._words, Filter(until=until), _TURNS)
        turns = self._store.turns([hit.row for hit in hits])
        own = row_of(self._turn) if self._turn.ref else 0
        held = self._store.quarantine.in_turns(turns)
        scored: list[tuple[float, Place, Turn]] = []
        for row, turn in turns.items():
            if row == own or turn.role not in ("user", "assistant") or row in held:
                continue
            if turn.content == self._turn.content:
                continue
            for place in _passages(turn):
                score = self._terms.score(turn.content[place.start : place.end])
                if score:
                    scored.append((score, place, turn))
        said = [one for one in scored if one[2].role == "user"] or scored
        self._best = best = max((score for score, _, _ in said), default=0.0)
        meant = [one for one in said if one[0] >= _NEARLY * best]
        rows = sorted(place.row for _, place, _ in meant)
        if best < 2 * _CHARACTER and rows and rows[-1] - rows[0] > _CHAIN // 2:
            self._best = 0.0
            return []  # a character here and there is no sign
        return [place for _, one, turn in meant for place in self._talk(turn, one)]

    def _talk(self, turn: Turn, place: Place) -> Iterator[Place]:
        """A passage, and the talk around it that is about the same."""
        yield place
        worklog, row = self._store.worklog, row_of(turn)
        if place.end - place.start < len(turn.content):
            return
        if turn.role == "assistant" or leans(turn.content):
            for one in reversed(worklog.turns_before(turn.session, row, 2)):
                yield whole(one)
                if one.role == "user":
                    break
        said = turn
        for one in worklog.turns_behind(turn.session, row, _CHAIN):
            if one.role == "user":
                if one.at - said.at > _SAME_TALK or not self._goes_on(one.content, said.content):
                    return
                said = one
            yield whole(one)

    def _goes_on(self, text: str, after: str) -> bool:
        return leans(text, after) or self._terms.is_related(text)

    def records(self) -> list[Record]:
        """Memories with as much of the words as the best message."""
        hits = self._store.search("memories", self._words, Filter(), _MEMORIES)
        known = self._store.records([hit.row for hit in hits]).values()
        scores = {one.id: self._terms.score(one.searchable) for one in known}
        best = max((self._best, *scores.values()), default=0.0)
        if best < 2 * _CHARACTER:
            return []
        return [
            one
            for one in known
            if scores[one.id] >= _NEARLY * best
            and one.state == "active"
            and one.kind != "summary"
            and _said_at(self._store, one) <= self._turn.at
        ]


def _passages(turn: Turn) -> list[Place]:
    """The parts of a message that are about one thing each."""
    row, text = row_of(turn), turn.content
    if len(text) <= _SHORT:
        return [Place(row, 0, len(text))]
    return [Place(row, start, end) for start, end in spans(text)]


def whole(turn: Turn) -> Place:
    return Place(row_of(turn), 0, len(turn.content))


# Memories


def _drawn(store: Store, places: Sequence[Place]) -> dict[str, Record]:
    """The memories that were drawn from nothing but these stretches."""
    stretches: dict[int, list[Place]] = {}
    for one in places:
        stretches.setdefault(one.row, []).append(one)
    turns = store.turns(stretches)
    found: dict[str, Record] = {}
    for known in store.erasure.memories(store.erasure.drawn_from(stretches)):
        record = known.record
        if record.kind != "summary" and all(
            row in turns and _tells(turns[row].content, stretches[row], record.content)
            for row in known.turns
        ):
            found[record.id] = record
    return found


def _tells(text: str, places: Iterable[Place], content: str) -> bool:
    """Whether it is these stretches of a text, and not the rest of it, that say something."""
    rest = text
    for one in sorted(places, reverse=True):
        rest = rest[: one.start] + rest[one.end :]
    inside = " ".join(text[one.start : one.end] for one in places)
    return not rest.strip() or covers(inside, content) > covers(rest, content)


def _sources(store: Store, records: Iterable[Record]) -> Iterator[Place]:
    """The sentences that memories were drawn from."""
    for record in records:
        for turn in _turns_of(store, record):
            passages = [whole(turn)] if turn.channel == CAPTURED else _passages(turn)
            shares = [(covers(turn.content[p.start : p.end], record.content), p) for p in passages]
            best = max((share for share, _ in shares), default=0.0)
            yield from (place for share, place in shares if best and share == best)


def _turns_of(store: Store, record: Record) -> Iterator[Turn]:
    kept = store.get(record.id)
    for source in kept.sources if kept else ():
        row = store.turn_row(source.session, source.turn) if source.turn else None
        if row is not None:
            yield from store.turns([row]).values()


def _said_at(store: Store, record: Record) -> datetime:
    """When a memory was said last."""
    turns = [turn for turn in _turns_of(store, record) if turn.channel != CAPTURED]
    return max((turn.at for turn in turns), default=record.created_at)
