"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked. Messages and memories that the words find are held back,
so that nothing recalls, reads or shows them any more, and so is the request; `loxodon review`
offers to erase them for good or to bring them back. Nothing is erased because a sentence says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.consolidate import themes
from loxodon.consolidate.entities import another
from loxodon.forget.erase import judge_ahead, rebuild, row_of
from loxodon.forget.names import is_address, roles_in
from loxodon.guard.own_words import others
from loxodon.guard.provenance import rank, shown_origin, speaks_for_user
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED, UNCLEAR
from loxodon.journal.identity import Keyed
from loxodon.language.forget import Request, may_ask, requests
from loxodon.language.leaning import leans
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.recall.understand import understand
from loxodon.store import Filter, KnownTurn, QuarantinedText, QuestionVector
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.text.language import language_of
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import Entity, Record, Turn

_COMING = 1 << 60  # from here on count the turns that are not in the journal yet
_MOST = 20  # memories that a request plainly means; of more it is asked
_SHOWN = 10  # memories that are asked about then
_TURNS, _NEAR = 100, 20  # messages looked at: with the words, the newest; and by meaning
_SHORT = 300  # characters of a message that is about one thing; of a longer one, of a sentence
_BY_WORDS = 0.5  # weight of the share of the words beside the cosine
_LEAST = {"en": 0.25, "zh": 0.38}  # score from which on something may be meant
_NEARLY = 0.7  # how much of the best score others must have to be meant as well
_OTHERS = 0.6  # what is left where the user means something of their own, and the text does not
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|my|me|mine|we|our|us|you|your)\b|[\u4e00-\u9fff]")
_OWN = re.compile(r"(?i)^\W*(?:my|our|i|we)\b|^\W*[我咱]")
_CHAIN, _SAME_TALK = 6, timedelta(days=2)  # messages that may lean on one
_POINTING = re.compile(r"(?i)\b(?:that|this|it)\b|[这那]话")
_NAME = re.compile(r"(?<=\w )[A-Z][\w-]+|\b[A-Z][\w-]+(?='s\b)|[老小阿][\u4e00-\u9fff]")


class Place(NamedTuple):
    """A stretch of a turn."""

    row: int
    start: int
    end: int
    text: str

    @classmethod
    def of(cls, turn: Turn, start: int = 0, end: int | None = None) -> Place:
        end = len(turn.content) if end is None else end
        return cls(row_of(turn), start, end, turn.content[start:end])


class Asked(NamedTuple):
    """A request, and the stretches of messages that it is about."""

    request: Request
    places: Sequence[Place]


# What is done about a request


def asked_in(store: Store, batch: Sequence[Keyed]) -> dict[int, list[Asked]]:
    """The requests in turns that are about to be journalled, by the place of the turn in `batch`.
    The encoder judges what they mean: call this before the transaction that journals them."""
    known = store.known(batch)
    coming = [
        turn._replace(ref=f"t_{_COMING + n}")
        for n, (turn, _) in enumerate(batch)
        if known[n] is None
    ]
    found: dict[int, list[Asked]] = {}
    taken = set[int]()  # rows that are held from then on
    for turn in coming:
        for request in _requests(store, turn):
            with _as_told_to(store, turn.agent) as seen:
                places = _meant(_Talk(seen, coming, taken), turn, request)
                judge_ahead(seen, {one.row for one in places})
            found.setdefault(row_of(turn) - _COMING, []).append(Asked(request, places))
            taken |= {row_of(turn), *(one.row for one in places)}
    return found


def obey(
    store: Store,
    asked: Mapping[int, Sequence[Asked]],
    batch: Sequence[Keyed],
    kept: Sequence[Turn | KnownTurn],
    now: datetime,
) -> tuple[int, tuple[str, ...]]:
    """Follow the requests in a batch just journalled; how many, and what the others name."""
    by_key = {key: row for row, key in store.query("turns_by_key", [key for _, key in batch])}
    taken, unfound = 0, list[str]()
    for n, turn in enumerate(kept):
        if not isinstance(turn, Turn):  # another process was faster, and has followed it
            continue
        # What the user says to one agent is about what that one knows.
        with nullcontext() if store.wall.stands else store.writing_as(turn.agent):
            if turn.role == "assistant":  # the answer to a request says again what that was about
                before = row_of(turn) - 1
                for one in store.quarantine.in_turns([before]).get(before, ()):
                    if (one.reason, one.state) == (FORGET, HELD):
                        _put(store, [Place.of(turn)], f"{FORGET} q_{one.no}", now, HELD)
            for request, meant in asked.get(n, ()):
                places = [
                    one._replace(row=by_key.get(batch[one.row - _COMING][1], 0))
                    if one.row >= _COMING
                    else one
                    for one in meant
                ]
                if _hold(store, turn, request, places, now):
                    taken += 1
                elif request.what:
                    unfound.append(request.what)
    return taken, tuple(unfound)


@contextmanager
def _as_told_to(store: Store, agent: str) -> Iterator[Store]:
    """A store that sees what one agent knows (`Store.writing_as`), without a transaction."""
    if store.wall.stands or not (agent or store.column("agents")):
        yield store
    else:
        with closing(store.behind(Wall(agent, alone=True))) as seen:
            yield seen


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of."""
    if not may_ask(text):
        return []
    held = store.query_as(QuarantinedText, "quarantined_by_state", "")
    heads = [one for one in held if one.reason == FORGET]
    obeyed = [one.turn for one in heads if one.turn and (one.state != DROPPED or one.decided_at)]
    if any(turn.content == text for turn in store.turns(obeyed).values()):
        return []
    turn, talk = Turn("", "", "user", text, now, ref=f"t_{_COMING}"), _Talk(store)
    return [one.what for one in requests(text) if one.what and not _meant(talk, turn, one)]


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


def _hold(
    store: Store, turn: Turn, request: Request, places: Sequence[Place], now: datetime
) -> bool:
    turns = store.turns({one.row for one in places})
    # Others may have erased or changed a message since it was looked at.
    places = [
        one
        for one in places
        if one.row in turns and turns[one.row].content[one.start : one.end] == one.text
    ]
    known = _drawn_from(store, turns, places)
    records = [one for one in known if store.wall.owns(one)]
    own = Place.of(turn, request.start, request.end)
    is_plain = len(records) <= _MOST and len(places) <= 2 * _MOST
    state = DROPPED if not (known or places) else HELD if is_plain else UNCLEAR
    (head,) = _put(store, [own], FORGET, now, state)
    reason, rows = f"{FORGET} q_{head.no}", {own.row}
    if state == UNCLEAR:
        _put(store, records[:_SHOWN], reason, now, UNCLEAR)
    if state == HELD:
        rows |= {one.row for one in places}
        active = [one for one in records if one.state == "active"]
        for one in active:
            store.update(one.id, None, "archived", now, {"state": "archived"})
        _put(store, [*records, *places], reason, now, HELD)
        # Summaries say it too, and are written anew.
        store.erasure.drop_memories(store.column("summaries_of", [one.id for one in active]))
        themes.renew(store, active, now)
        len(store.query("drop_pages"))
        _drop_names(store, records)
    _tell_anew(store, rows)
    return state != DROPPED


def _put(
    store: Store, what: Sequence[Place | Record], reason: str, now: datetime, state: str
) -> Sequence[QuarantinedText]:
    """Put stretches of turns and memories into quarantine."""
    kept = []
    for one in what:
        row, start, end = one[:3] if isinstance(one, Place) else (None, 0, 0)
        id, more = one.id if isinstance(one, Record) else "", (reason, "user", now, state, None)
        kept.append(QuarantinedText(0, row, id, start, end, "", *more))
    return store.quarantine.put(kept)


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


class _Talk(NamedTuple):
    """The journal as it will be with the turns that are coming, which have numbers beyond it."""

    store: Store
    coming: Sequence[Turn] = ()
    held: Collection[int] = ()  # rows that nobody will see any more

    def before(self, turn: Turn, most: int) -> list[Turn]:
        """The last turns before one in its session."""
        told = self.store.query_turns("turns_before", turn.session, row_of(turn), most)
        return [*told, *(one for one in self._with(turn) if row_of(one) < row_of(turn))][-most:]

    def behind(self, turn: Turn, most: int) -> list[Turn]:
        """The first turns behind one in its session."""
        told = self.store.query_turns("turns_behind", turn.session, row_of(turn), most)
        return [*told, *(one for one in self._with(turn) if row_of(one) > row_of(turn))][:most]

    def _with(self, turn: Turn) -> list[Turn]:
        return [one for one in self.coming if one.session == turn.session]


def _meant(talk: _Talk, turn: Turn, request: Request) -> list[Place]:
    """The stretches of messages that a request in a turn is about."""
    if request.what:
        return list(dict.fromkeys(_Search(talk, turn, request.what).places()))
    own = turn.content[: request.start]
    if len(query_words(own)) > 1 and not _POINTING.search(own):
        return [Place.of(turn, 0, request.start)]
    before = talk.before(turn, 8)
    asked = max((n for n, one in enumerate(before) if one.role == "user"), default=0)
    return [Place.of(one) for one in before[asked:]]


class _Search:
    """Looks for what somebody means by some words: by the words, and by their meaning."""

    def __init__(self, talk: _Talk, turn: Turn, what: str) -> None:
        self._talk, self._store, self._turn, self._what = talk, talk.store, turn, what
        self._names = self._people()  # for each who is named, all their names, folded
        names = [name for each in self._names for name in each]
        words = {*query_words(what)}
        self._words = words.difference(*map(query_words, names)) or words
        self._is_own = _OWN.search(what) is not None  # `my salary` is not the average one
        self._vector = encoder().embed([what])[0]
        self._least = _LEAST[language_of(what)]

    def _people(self) -> list[list[str]]:
        known = understand(self._what, self._turn.at, self._store.named).entities
        found = {
            fold(one.text): [*map(fold, (one.entity.name, *one.entity.aliases))]
            for one in known
            if one.entity.name != USER
        }
        until, names = Filter(until=self._turn.at), _NAME.findall(self._what)
        for name in (*names, *roles_in(self._what)):
            hits = self._store.search("turns", query_words(name), until, _NEAR)
            said = [it.content for it in self._store.turns([h.row for h in hits]).values()]
            said += [it.content for it in self._coming if _has(fold(it.content), fold(name))]
            if (said or name in names) and not any(fold(name) in one for one in found):
                # `my sister Mei` goes by that name, too.
                like = rf"(?i:\b{re.escape(name)}),? (?:is )?(?:called |named )?([A-Z]\w+)"
                found[fold(name)] = [fold(name), *map(fold, re.findall(like, "\n".join(said)))]
        return [*found.values()]

    def _scores(self, texts: Sequence[str]) -> list[float]:
        """How near each text is to what is meant; 0 where it does not name whom it must."""
        near = (encoder().embed(texts) @ self._vector).tolist()
        scores = []
        for text, close in zip(texts, near, strict=True):
            folded = fold(text)
            named = all(any(_has(folded, name) for name in names) for names in self._names)
            if is_address(self._what):
                named = fold(self._what) in folded
            share = len(self._words.intersection(index_words(text))) / (len(self._words) or 1)
            score = _BY_WORDS * share + close if named else 0.0
            is_of_others = self._is_own and not _FIRST_PERSON.search(text)
            scores.append(score * (_OTHERS if is_of_others else 1.0))
        return scores

    def places(self) -> list[Place]:
        """The nearest passages, and the talk that goes on with them."""
        turns = self._turns()
        held = {*self._store.quarantine.in_turns(turns), *self._talk.held}
        said = [
            (place, turn)
            for row, turn in turns.items()
            if turn.content != self._turn.content and row not in held
            for place in _passages(turn)
        ]
        scores = self._scores([place.text for place, _ in said])
        self._least = max(self._least, _NEARLY * max(scores, default=0.0))
        return [
            one
            for score, (place, turn) in zip(scores, said, strict=True)
            if score >= self._least
            for one in self._going_on(turn, place)
        ]

    def _turns(self) -> dict[int, Turn]:
        """What the user said that may be meant: by its words, by its meaning, and what has no
        vector yet."""
        store, until = self._store, Filter(until=self._turn.at + timedelta(milliseconds=1))
        rows = [hit.row for hit in store.search("turns", [*self._words], until, _TURNS)]
        view = QuestionVector(encoder().name, self._vector)
        rows += [one.row for one in store.vectors.similar("turns", [view], _NEAR, until)]
        rows += store.column("next_turns", encoder().name, _TURNS)
        rows += [row_of(one) for one in self._talk.before(self._turn, _TURNS)]
        turns = store.turns(rows) | {row_of(one): one for one in self._coming[-_TURNS:]}
        return {
            row: one for row, one in turns.items() if one.role == "user" and one.at <= self._turn.at
        }

    @property
    def _coming(self) -> list[Turn]:
        return [one for one in self._talk.coming if row_of(one) < row_of(self._turn)]

    def _going_on(self, turn: Turn, place: Place) -> Iterator[Place]:
        """A passage, and the talk behind it that leans on it."""
        yield place
        if place != Place.of(turn):
            return
        said = turn
        for one in self._talk.behind(turn, _CHAIN):
            if one.role == "user":
                if one.at - said.at > _SAME_TALK or not self._goes_on(one.content, said.content):
                    return
                said = one
            yield Place.of(one)

    def _goes_on(self, text: str, after: str) -> bool:
        return leans(text, "" if self._names else after) or self._scores([text])[0] >= self._least


def _has(folded: str, name: str) -> bool:
    if not name.isascii():
        return name in folded
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded) is not None


# Passages, and memories of them


def _passages(turn: Turn) -> list[Place]:
    """The parts of a message that are about one thing each."""
    if len(turn.content) <= _SHORT:
        return [Place.of(turn)]
    return [Place.of(turn, *span) for span in spans(turn.content)]


def _drawn_from(store: Store, turns: Mapping[int, Turn], places: Iterable[Place]) -> list[Record]:
    """The memories that were drawn from nothing but these stretches."""
    inside, rest = dict[int, str](), dict[int, str]()
    for one in sorted(places, reverse=True):
        left = rest.get(one.row, turns[one.row].content)
        rest[one.row] = left[: one.start] + left[one.end :]
        inside[one.row] = f"{one.text} {inside.get(one.row, '')}"

    def is_told(row: int, content: str) -> bool:
        """Whether these stretches of a turn, and not the rest of it, say something."""
        if row not in rest:
            return False
        return not rest[row].strip() or covers(inside[row], content) > covers(rest[row], content)

    drawn = store.erasure.memories(store.column("memories_of_turns", [*rest]))
    return [
        one.record
        for one in drawn
        if one.record.kind != "summary"
        and all(is_told(row, one.record.content) for row in one.turns)
    ]
