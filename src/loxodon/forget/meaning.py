"""What somebody means by the words of a request to forget: messages, and memories.

Whatever the words find: messages that have them, or related ones, those with the most first; and
the talk around these that cannot stand without them (the answer to them, a next message that leans
on them). Somebody's name alone does not tell what of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from loxodon.forget.naming import roles_in
from loxodon.forget.tombstones import thing_of, things
from loxodon.language.forget import Request
from loxodon.language.leaning import leans
from loxodon.language.statements import USER
from loxodon.recall.understand import understand
from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.related import KIND, expand
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, query_words, stem_of
from loxodon.types import CAPTURED, Record, Turn

_TURNS = 400
_MEMORIES = 60
_SHORT = 300
"""Characters of a message that is about one thing; of a longer one it is its sentences."""
_NEARLY = 0.75
"""How much of what the best has others must have to be meant as well."""
_EXACT, _APART, _RELATED, _TOPIC, _CHARACTER = 1.0, 0.8, 0.7, 0.45, 0.3
"""What it counts that a text has a word; 吵…架 for 吵架; a related word; one in which such things
are told; a character of it."""
_GENERIC_WEIGHT = 0.5
_LEAST = 0.1
_OTHERS = 0.7
"""What is left of that where the user means something of their own, and the text is not of them."""
_CHAIN = 6
"""Messages that may lean on one."""
_SAME_TALK = timedelta(days=2)
_ONE_TALK = timedelta(days=14)
_GENERIC = re.compile(
    r"(?i)\b(?:things?|stuff|news|figures?|numbers?|details?|info|information|story|situation|whole"
    r"|problem|issue|business|matter|parts?|bits?|facts?|time|day|talk|conversation|incident)\b"
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|me|mine|we|we're|our|us|you|your)\b|[\u4e00-\u9fff]"
)
_OWN = re.compile(r"^\W*(?:my|our|i|i'm|i've|we)\b|^\W*[我咱]")
_LATIN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_POINTING = re.compile(r"(?i)\b(?:that|this|it)\b|[这那]话")
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


class Meant(NamedTuple):
    """What a request is about."""

    records: tuple[Record, ...] = ()
    places: tuple[Place, ...] = ()
    is_sure: bool = True
    """Whether it has the words themselves, or is told in one talk: otherwise it is asked about."""


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
    return Meant(tuple(records.values()), tuple(places), search.is_sure)


# What was said last


def _last(store: Store, turn: Turn, request: Request) -> Iterator[Place]:
    """What was said before a request in its message; where that is nothing, the message before it
    and the answer to that."""
    if not turn.ref:
        return
    row, own = row_of(turn), turn.content[: request.start]
    if len(query_words(own)) > 3 and not _POINTING.search(own):
        yield Place(row, 0, request.start)
        return
    for one in reversed(store.query_turns("turns_before", turn.session, row, 8)):
        yield Place(row_of(one), 0, len(one.content))
        if one.role == "user":
            return


# What words mean


class _Term(NamedTuple):
    """A word or topic to look for."""

    said: str
    """As it was asked for, folded."""
    weight: float
    told: tuple[tuple[str, float], ...] = ()
    """In which other words it may have been told, and how much these count."""

    def score(self, text: _Text) -> float:
        if text.has(self.said):
            return self.weight
        told = (weight for word, weight in self.told if text.has(word))
        return max(0.0 if self.said.isascii() else _han_score(text.folded, self.said), *told, 0.0)


class _Text:
    """A text to look at."""

    def __init__(self, text: str) -> None:
        self.folded = fold(text)
        self._stems = f" {' '.join(_stems(self.folded))} "

    def has(self, word: str) -> bool:
        if not word.isascii():
            return word in self.folded
        return f" {' '.join(_stems(word))} " in self._stems


@cache
def _stems(folded: str) -> tuple[str, ...]:
    return tuple(stem_of(one) or one for one in _LATIN.findall(folded))


class _Terms(NamedTuple):
    """What to look for."""

    names: tuple[tuple[str, ...], ...]
    """For each person or thing that is named, all names of it, folded."""
    terms: tuple[_Term, ...]
    thing: str
    own: bool
    """Whether it is the user's: `my salary` is not the average one."""

    def score(self, text: str) -> float:
        """How much of what is looked for a text has; 0 where it does not name whom it must, or has
        nothing but a character here and there."""
        looked = _Text(text)
        if self.thing:
            return _EXACT if self.thing in things(looked.folded) else 0.0
        if not all(any(map(looked.has, names)) for names in self.names):
            return 0.0
        if not any(one.weight == _EXACT for one in self.terms):
            return _EXACT if self.names else 0.0
        scores = [one.score(looked) for one in self.terms]
        if max(scores) <= _CHARACTER:
            return 0.0
        is_of_others = self.own and not _FIRST_PERSON.search(looked.folded)
        return sum(scores) * (_OTHERS if is_of_others else 1.0)

    def has(self, text: str) -> bool:
        """Whether a text has the words themselves, or others for the same."""
        looked = _Text(text)
        return bool(self.thing or self.names) or any(
            one.score(looked) >= _RELATED for one in self.terms
        )

    def is_told(self, text: str) -> bool:
        """Whether a text has a word in which such things are told."""
        looked = _Text(text)
        told = (word for one in self.terms for word, weight in one.told if weight == _TOPIC)
        return any(map(looked.has, told))

    def words(self) -> str:
        """All that a text may have of it."""
        terms = (word for one in self.terms for word in (one.said, *dict(one.told)))
        return " ".join((*terms, *(name for names in self.names for name in names)))


def _terms(store: Store, what: str, now: datetime) -> _Terms:
    topics = dict(_topics_in(what))
    rest, names = what, dict[str, tuple[str, ...]]()
    for one in understand(what, now, store.named).entities:
        if one.entity.name != USER:
            called = (one.entity.name, *one.entity.aliases)
            names[fold(one.text)] = tuple(map(fold, called))
    said = [*_NAME.findall(what), *(one for one in roles_in(what) if _is_said(store, one, now))]
    for name in said:
        if not any(fold(name) in one for one in (*names, *topics)):
            names[fold(name)] = (fold(name), *_called(store, name))
    for name in sorted(names, key=len, reverse=True):
        rest = _without(rest, name)
    also: dict[str, list[tuple[str, float]]] = {}
    for more in expand(query_words(rest), rest):
        if more.weight >= KIND * KIND and len(_joined(more.word)) > 1:
            also.setdefault(more.because, []).append((_joined(more.word), _RELATED * more.weight))
    for name in topics:
        rest = _without(rest, name)
    within = {stem for name in topics for stem in _stems(name)}
    latin = [w for w in _LATIN.findall(fold(rest)) if query_words(w) and not within & {*_stems(w)}]
    runs = [part for run in _HAN.findall(fold(rest)) for part in _JOINTS.split(run) if part]
    pairs = [run[n : n + 2] for run in runs for n in range(max(1, len(run) - 1))]
    terms = list[_Term]()
    words = dict.fromkeys((*topics, *latin, *pairs))
    for word in [one for one in words if len(one) > 1] or words:
        weight = _GENERIC_WEIGHT if _GENERIC.fullmatch(word) else _EXACT
        told = [
            one
            for because, ones in also.items()
            if word in because
            or because in word
            or (_stems(word) and _stems(word) == _stems(because))
            for one in ones
            if word not in topics or one[1] == _RELATED
        ]
        terms.append(_Term(word, weight, (*topics.get(word, ()), *told)))
    own = _OWN.search(fold(what)) is not None
    return _Terms(tuple(names.values()), tuple(terms), thing_of(what), own)


def _topics_in(what: str) -> Iterator[tuple[str, tuple[tuple[str, float], ...]]]:
    """The topics that words name, and in which words people tell of them."""
    folded = fold(what)
    stems = set(_stems(folded))
    found: dict[str, list[str]] = {}
    for names, told in _topics():
        if name := next((one for one in names if _is_named(one, folded, stems)), ""):
            found.setdefault(name, []).extend(told)
    for name, told in found.items():
        yield (
            name,
            tuple(
                (one, _TOPIC) for one in told if _stems(one) != _stems(name) or not one.isascii()
            ),
        )


def _is_named(name: str, folded: str, stems: set[str]) -> bool:
    return stems.issuperset(_stems(name)) if name.isascii() else name in folded


@cache
def _topics() -> list[tuple[list[str], list[str]]]:
    text = (files("loxodon.forget") / "topics.txt").read_text("utf-8")
    lines = [line.split(": ") for line in text.splitlines() if not line.startswith("#")]
    return [(names.split(", "), told.split(", ")) for names, told in lines]


def _is_said(store: Store, role: str, before: datetime) -> bool:
    """Whether anybody was ever called so; `my son` may have been spoken of by his name only."""
    return bool(store.search("turns", query_words(role), Filter(until=before), 1))


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


_PERSON = re.compile(r"(?i)\W*(?:and |but |so )?(?:he|she|his|her|they)\b|[他她]")


class _Search:
    """Looks for what somebody means by some words."""

    def __init__(self, store: Store, turn: Turn, what: str) -> None:
        self._store = store
        self._turn = turn
        self._terms = _terms(store, what, turn.at)
        singles = (one for one in self._terms.words() if _HAN.match(one))
        self._words = query_words(" ".join((what, self._terms.words(), *singles)))
        self._best = 0.0
        self.is_sure = True

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
                score = self._terms.score(_words_of(place, turn))
                if score:
                    scored.append((score, place, turn))
        said = [one for one in scored if one[2].role == "user"] or scored
        self._best = best = max((score for score, _, _ in said), default=0.0)
        plain = [one for one in said if one[0] >= _NEARLY * best]
        meant = plain + [
            one
            for one in said
            if one not in plain
            and self._terms.is_told(_words_of(one[1], one[2]))
            and any(_is_one_talk(one[2], other) for _, _, other in plain)
        ]
        self.is_sure = any(
            self._terms.has(_words_of(place, turn)) for _, place, turn in plain
        ) or all(_is_one_talk(turn, plain[0][2]) for _, _, turn in plain)
        return [place for _, one, turn in meant for place in self._talk(turn, one)]

    def _talk(self, turn: Turn, place: Place) -> Iterator[Place]:
        """A passage, and the talk around it that is about the same."""
        yield place
        row = row_of(turn)
        if place.end - place.start < len(turn.content):
            return
        if turn.role == "assistant":
            for one in reversed(self._store.query_turns("turns_before", turn.session, row, 2)):
                yield whole(one)
                if one.role == "user":
                    break
        said = turn
        for one in self._store.query_turns("turns_behind", turn.session, row, _CHAIN):
            if one.role == "user":
                if one.at - said.at > _SAME_TALK or not self._goes_on(one.content, said.content):
                    return
                said = one
            yield whole(one)

    def _goes_on(self, text: str, after: str) -> bool:
        if not self._terms.names and _PERSON.match(text) and roles_in(after):
            return self._terms.is_told(text)  # he or she is whom the message before names
        return leans(text, "" if self._terms.names else after) or self._terms.is_told(text)

    def records(self) -> list[Record]:
        """Memories with as much of the words as the best message."""
        hits = self._store.search("memories", self._words, Filter(), _MEMORIES)
        known = self._store.records([hit.row for hit in hits]).values()
        scores = {one.id: self._terms.score(one.searchable) for one in known}
        best = max((self._best, *scores.values()), default=0.0)
        return [
            one
            for one in known
            if scores[one.id] >= max(_NEARLY * best, _LEAST)
            and one.state == "active"
            and one.kind != "summary"
            and _said_at(self._store, one) <= self._turn.at
        ]


def _words_of(place: Place, turn: Turn) -> str:
    return turn.content[place.start : place.end]


def _is_one_talk(one: Turn, other: Turn) -> bool:
    return one.session == other.session and abs(one.at - other.at) <= _ONE_TALK


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
