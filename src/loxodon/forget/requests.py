"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked. Messages and memories that the words find are held back,
so that nothing recalls, reads or shows them any more, and so is the request; `loxodon review`
offers to erase them for good or to bring them back. Nothing is erased because a sentence says so.

A request is followed once it is in the journal. What is meant is found before the transaction that
holds it back: the encoder takes a while, and nobody else could write meanwhile. Killed in between,
it is followed when the message is added again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from math import log
from typing import NamedTuple

from loxodon.consolidate import themes
from loxodon.consolidate.entities import another
from loxodon.consolidate.segment import number
from loxodon.forget.erase import rebuild
from loxodon.forget.marks import plain
from loxodon.forget.names import has_name, is_address, is_role
from loxodon.guard.own_words import masked, others
from loxodon.guard.provenance import shown_origin, speaks_for_user
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED
from loxodon.language.forget import PERHAPS, Request, may_ask, requests
from loxodon.language.leaning import leans, refers
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.recall.understand import understand
from loxodon.store import Filter, QuarantinedText, QuestionVector
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.names import parts_of
from loxodon.text.related import expand
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import Entity, Record, Turn

_COMING = 1 << 60  # the row of a turn that is not in the journal yet
_TURNS, _NEAR = 100, 20  # messages looked at: with the words, the newest; and by meaning
# How much speaks for a sentence: the words that it shares with what is meant, by their rarity, or
# a related one, and how much nearer than the others it is to what is meant and to the request; in
# logits, fitted to requests in stores of 2 to 85 messages, in half of which nothing is meant
_WORDS, _WHAT, _REQUEST = 3.7, 7.5, 10.1
_OTHERS = -3.0  # the same where what is meant is the user's own, and a text speaks of nobody's
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|my|me|mine|we|our|us|you|your)\b|[\u4e00-\u9fff]")
_OWN = re.compile(r"(?i)(?:my|our|i|we)\b")
_FAR, _USUAL = {"en": 0.1, "zh": 0.3}, 5  # how near any two texts are, counted as so many others
# The logarithm of how many there are must speak for the best one; and more where it is not sure
# that something is to be forgotten. Others that are meant as well have this share of the best.
_DOUBT, _NEARLY = 1.5, 0.65
_CHAIN, _GOES_ON = 6, 0.1  # messages that go on with one; how much nearer than any two texts
_POINTING = re.compile(r"(?i)\b(?:that|this|it)\b|[这那]话")


class Place(NamedTuple):
    """A stretch of a turn."""

    turn: Turn
    start: int
    end: int

    @property
    def row(self) -> int:
        return number(self.turn)

    @property
    def text(self) -> str:
        return self.turn.content[self.start : self.end]


# What is done about a request


def obey(store: Store, keys: Sequence[bytes], now: datetime) -> tuple[int, tuple[str, ...]]:
    """Follow the requests in the turns with these keys; how many, and what the others name."""
    rows = sorted(row for row, _ in store.query("turns_by_key", keys))
    turns, followed, unfound = store.turns(rows), 0, list[str]()
    for row, turn in ((row, turns[row]) for row in rows):
        if turn.role == "assistant":  # the answer to a request says again what that was about
            asked = store.quarantine.in_turns([row - 1]).get(row - 1, ())
            for no in [one.no for one in asked if (one.reason, one.state) == (FORGET, HELD)]:
                with _own(store, turn):
                    _put(store, f"{FORGET} q_{no}", now, HELD, [Place(turn, 0, len(turn.content))])
        for request in _requests(store, turn):
            places = [] if _is_followed(store, turn, request) else _meant(store, turn, request)
            with _own(store, turn):
                if _is_followed(store, turn, request) or not (places or request.is_sure):
                    continue
                if _hold(store, turn, request, places, now):
                    followed += 1
                elif request.what:
                    unfound.append(request.what)
    return followed, tuple(unfound)


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of."""
    heads = [it.turn for it in _heads(store) if it.turn and (it.state != DROPPED or it.decided_at)]
    if not may_ask(text) or any(it.content == text for it in store.turns(heads).values()):
        return []
    turn = Turn("", "", "user", text, now, ref=f"t_{_COMING}")
    return [one.what for one in requests(text) if one.what and not _meant(store, turn, one)]


def bring_back(store: Store, id: str) -> None:
    """Read and show what a request had held back, which was released."""
    released = store.query_as(QuarantinedText, "quarantined_by_state", RELEASED)
    rows = {one.turn for one in released if one.turn and one.reason == f"{FORGET} {id}"}
    _tell_anew(store, rows)


def _requests(store: Store, turn: Turn) -> list[Request]:
    """The requests of the user in a turn; those that may be ones only where there are no others."""
    is_users = speaks_for_user(turn) and shown_origin(turn) == "user"
    if not may_ask(turn.content) or not is_users or another(store, turn):
        return []
    own = masked(turn.content, others(turn.content))
    return requests(own) or [one for one in requests(own, PERHAPS) if one.what]


def _own(store: Store, turn: Turn) -> AbstractContextManager[None]:
    """A transaction: what the user says to one agent is about what that one knows."""
    return store.writing() if store.wall.stands else store.writing_as(turn.agent)


def _heads(store: Store) -> list[QuarantinedText]:
    """The requests that were ever followed."""
    found = store.query_as(QuarantinedText, "quarantined_by_state", "")
    return [one for one in found if one.reason == FORGET and one.turn]


def _is_followed(store: Store, turn: Turn, request: Request) -> bool:
    return (number(turn), request.start) in [(one.turn, one.start) for one in _heads(store)]


def _hold(
    store: Store, turn: Turn, request: Request, places: Sequence[Place], now: datetime
) -> bool:
    """Hold a request back, and what it is about; whether that was found."""
    turns = store.turns({one.row for one in places})
    # Others may have erased or changed a message since it was looked at.
    places = [one for one in places if turns.get(one.row) == one.turn]
    own = Place(turn, request.start, request.end)
    (head,) = _put(store, FORGET, now, HELD if places else DROPPED, [own])
    records = [one for one in _drawn_from(store, places) if store.wall.owns(one)]
    active = [one for one in records if one.state == "active"]
    for one in active:
        store.update(one.id, None, "archived", now, {"state": "archived"})
    _put(store, f"{FORGET} q_{head.no}", now, HELD, places, *records)
    # Summaries say it too, and are written anew.
    store.erasure.drop_memories(store.column("summaries_of", [one.id for one in active]))
    themes.renew(store, active, now)
    len(store.query("drop_pages"))
    _drop_names(store, records)
    _tell_anew(store, {own.row, *(one.row for one in places)})
    return bool(places)


def _drawn_from(store: Store, places: Sequence[Place]) -> list[Record]:
    """The memories that have these words, or whose turns say it there rather than elsewhere."""
    meant, found = " ".join(one.text for one in places), list[Record]()
    words = [*filter(None, (plain(one.text) for one in places))]
    drawn = store.column("memories_of_turns", [one.row for one in places])
    for _, record, turns in store.erasure.memories(drawn):
        rest = "\n".join(one.content for one in store.turns(turns).values())
        for one in places:
            rest = rest.replace(one.text, " ", 1)
        has_words = any(one in plain(record.content) for one in words)
        is_told = not rest.strip() or covers(meant, record.content) > covers(rest, record.content)
        if record.kind != "summary" and (has_words or is_told):
            found.append(record)
    return found


def _put(
    store: Store, reason: str, now: datetime, state: str, places: Sequence[Place], *of: Record
) -> list[QuarantinedText]:
    """Put stretches of turns, and memories, into quarantine."""
    about = reason, "user", now, state, None
    held = [QuarantinedText(0, one.row, "", one.start, one.end, "", *about) for one in places]
    held += [QuarantinedText(0, None, one.id, 0, 0, "", *about) for one in of]
    return store.quarantine.put(held)


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
    store.vectors.retold(rows)
    store.worklog.let_go(rows)
    store.worklog.read_again(rows)
    rebuild(store, {row for row in rows if row <= store.worklog.work().done_to})


# What the words mean


def _meant(store: Store, turn: Turn, request: Request) -> list[Place]:
    """The stretches of messages that a request in a turn is about."""
    if request.what:
        return _found(store, turn, request)
    own = turn.content[: request.start]
    if len(query_words(own)) > 1 and not _POINTING.search(own):
        return [Place(turn, 0, request.start)]
    before = store.query_turns("turns_before", turn.session, number(turn), _CHAIN)
    asked = max((n for n, one in enumerate(before) if one.role == "user"), default=0)
    return [Place(one, 0, len(one.content)) for one in before[asked:]]


def _found(store: Store, turn: Turn, request: Request) -> list[Place]:
    """The sentences that stand out as what is meant, and the talk that goes on with them."""
    what, asked = request.what, turn.content[request.start : request.end]
    said = [one for one in _said(store, turn, what) if asked not in one.text]
    for names in _named(store, turn, what, "\n".join(one.text for one in said)):
        said = [one for one in said if has_name(one.text, *names)]
        like = rf"(?:my |我的?)?(?:{'|'.join(map(re.escape, names))})"
        if query_words(rest := re.sub(like, " ", fold(what))):  # all of them are about this one
            what, asked = rest, re.sub(like, " ", fold(asked))
    scores = _scores(what, asked, [one.text for one in said])
    least = log(len(said) or 1) + (0 if request.is_sure else _DOUBT)
    least = max([least, *(_NEARLY * score for score in scores)])
    meant = [one for score, one in zip(scores, said, strict=True) if score >= least]
    return [*dict.fromkeys(part for one in meant for part in (one, *_going_on(store, one)))]


def _named(store: Store, turn: Turn, what: str, told: str) -> list[list[str]]:
    """For each whom some words name, all the names they go by; an address is one."""
    if is_address(what):
        return [[what]]
    named = [one.entity for one in understand(what, turn.at, store.named).entities]
    found = [[fold(it.name), *map(fold, it.aliases)] for it in named if it.name != USER]
    for role in (part.name for part in parts_of(fold(what)) if is_role(part.name)):
        if has_name(told, role) and not any(role in names for names in found):
            # `my sister Mei` goes by that name, too.
            like = rf"(?i:\b{re.escape(role)}),? (?:is )?(?:called |named )?([A-Z]\w+)"
            found.append([role, *map(fold, re.findall(like, told))])
    return found


def _said(store: Store, turn: Turn, what: str) -> list[Place]:
    """What the user said that may be meant: by its words, its meaning, or without a vector yet."""
    until = Filter(until=turn.at + timedelta(milliseconds=1))
    rows = [hit.row for hit in store.search("turns", query_words(what), until, _TURNS)]
    view = QuestionVector(encoder().name, encoder().embed([what])[0])
    rows += [one.row for one in store.vectors.similar("turns", view, _NEAR, until)]
    rows += store.column("next_turns", encoder().name, _TURNS)
    last = store.query_turns("turns_before", turn.session, number(turn), _TURNS)
    turns = store.turns(rows) | {number(one): one for one in last}
    held = store.quarantine.in_turns(turns)
    return [
        Place(one, start, end)
        for row, one in turns.items()
        if one.role == "user" and one.at <= turn.at and row < number(turn)
        for start, end in spans(one.content)
        if not any(it.start < end and start < it.stop for it in held.get(row, ()))
    ]


def _scores(what: str, asked: str, texts: Sequence[str]) -> list[float]:
    """How much speaks for each text as what is meant."""
    words, had = {*query_words(what)}, [{*index_words(text)} for text in texts]
    related = [({*one.word.split()}, one.weight) for one in expand(words, what)]
    spread = Counter(word for each in had for word in each)
    rarity = {word: log((len(texts) + 1) / (spread[word] + 0.5)) for word in words}
    near = encoder().embed(texts) @ encoder().embed([what, asked]).T
    others = (_USUAL * _FAR[language_of(asked)] + near.sum(0) - near) / (_USUAL + len(texts) - 1)
    scores = list[float]((near - others) @ (_WHAT, _REQUEST))
    for n, each in enumerate(had):
        share = sum(rarity[word] for word in each & words) / (sum(rarity.values()) or 1.0)
        scores[n] += _WORDS * max([share, *(weight for those, weight in related if those <= each)])
        if _OWN.match(what) and not _FIRST_PERSON.search(texts[n]):
            scores[n] += _OTHERS
    return scores


def _going_on(store: Store, place: Place) -> list[Place]:
    """The sentences and messages behind a place that go on with it."""
    turn, found = place.turn, list[Place]()
    for start, end in spans(turn.content):
        if start >= place.end:
            text = turn.content[start:end]
            if not (leans(text) or _is_near(place.text, text)):
                return found
            found.append(Place(turn, start, end))
    last, behind = turn, list[Turn]()
    for one in store.query_turns("turns_behind", turn.session, number(turn), _CHAIN):
        if one.role == "user":  # an answer goes on with it if what it answers is near
            link = behind[-1] if behind and behind[-1].role != "user" else one
            is_near = _is_near(last.content, link.content) or refers(one.content)
            if not (is_near and leans(one.content, last.content)):
                break
            last = one
        behind.append(one)
    return [*found, *(Place(one, 0, len(one.content)) for one in behind)]


def _is_near(one: str, other: str) -> bool:
    """Whether two texts are nearer than any two."""
    near, far = encoder().embed([one, other]), _FAR[language_of(other)]
    return bool(near[0] @ near[1] >= far + _GOES_ON)
