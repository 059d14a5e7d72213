"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

    Please forget what I told you about the divorce.

`language/forget.py` reads what is asked. Messages and memories that the words find are held back,
so that nothing recalls, reads or shows them any more, and so is the request; `loxodon review`
offers to erase them for good or to bring them back. Nothing is erased because a sentence says so.

What is meant is found (`asked_in`) before the transaction that journals a request and holds all of
that back (`obey`): the encoder takes a while, and nobody else could write meanwhile.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from math import log
from typing import NamedTuple

from loxodon.consolidate import themes
from loxodon.consolidate.entities import another
from loxodon.forget.erase import judge_ahead, rebuild, row_of
from loxodon.forget.names import has_name, is_address, is_role
from loxodon.guard.own_words import masked, others
from loxodon.guard.provenance import shown_origin, speaks_for_user
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED, UNCLEAR
from loxodon.journal.identity import Keyed
from loxodon.language.forget import PERHAPS, Request, may_ask, requests
from loxodon.language.leaning import leans, refers
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.recall.understand import understand
from loxodon.store import Filter, KnownTurn, QuarantinedText, QuestionVector
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.text.names import parts_of
from loxodon.text.related import expand
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import Entity, Record, Turn

_COMING = 1 << 60  # from here on count the turns that are not in the journal yet
_MOST = 20  # memories that a request plainly means; of more it is asked
_TURNS, _NEAR = 100, 20  # messages looked at: with the words, the newest; and by meaning
_SHORT = 300  # characters of a message that is about one thing; of a longer one, of a sentence
# How much speaks for a message: the words that it shares with what is meant, by their rarity, or
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

    row: int
    start: int
    end: int
    text: str

    @classmethod
    def of(cls, turn: Turn, start: int = 0, end: int | None = None) -> Place:
        end = len(turn.content) if end is None else end
        return cls(row_of(turn), start, end, turn.content[start:end])


class Asked(NamedTuple):
    """The requests in a batch of turns, by the place of the turn, each with what it is about."""

    batch: Sequence[Keyed]
    requests: dict[int, list[tuple[Request, Sequence[Place]]]]


# What is done about a request


def asked_in(store: Store, batch: Sequence[Keyed]) -> Asked:
    """The requests in turns that are about to be journalled. The encoder judges what they mean:
    call this before the transaction."""
    known = store.known(batch)
    turns = [turn._replace(ref=f"t_{_COMING + n}") for n, (turn, _) in enumerate(batch)]
    coming = [turn for turn, old in zip(turns, known, strict=True) if old is None]
    found, taken = Asked(batch, {}), set[int]()  # the rows that are held from then on
    for turn in coming:
        is_users = speaks_for_user(turn) and shown_origin(turn) == "user"
        if not may_ask(turn.content) or not is_users or another(store, turn):
            continue
        own = masked(turn.content, others(turn.content))
        for request in requests(own) or [one for one in requests(own, PERHAPS) if one.what]:
            places = _meant(_Talk(store, coming, taken), turn, request)
            if not (places or request.is_sure):
                continue
            judge_ahead(store, {one.row for one in places})
            found.requests.setdefault(row_of(turn) - _COMING, []).append((request, places))
            taken |= {row_of(turn), *(one.row for one in places)}
    return found


def obey(
    store: Store, asked: Asked, kept: Sequence[Turn | KnownTurn], now: datetime
) -> tuple[int, tuple[str, ...]]:
    """Follow the requests in a batch just journalled; how many, and what the others name."""
    by_key = {key: row for row, key in store.query("turns_by_key", [key for _, key in asked.batch])}
    rows = {_COMING + n: by_key.get(key, 0) for n, (_, key) in enumerate(asked.batch)}
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
            for request, meant in asked.requests.get(n, ()):
                places = [one._replace(row=rows.get(one.row, one.row)) for one in meant]
                if _hold(store, turn, request, places, now):
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
    turn, talk = Turn("", "", "user", text, now, ref=f"t_{_COMING}"), _Talk(store)
    return [one.what for one in requests(text) if one.what and not _meant(talk, turn, one)]


def bring_back(store: Store, id: str) -> None:
    """Read and show what a request had held back, which was released."""
    released = store.query_as(QuarantinedText, "quarantined_by_state", RELEASED)
    rows = {one.turn for one in released if one.turn and one.reason == f"{FORGET} {id}"}
    _tell_anew(store, rows)
    store.worklog.read_again(rows)


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
    records = [one for one in _drawn_from(store, turns, places) if store.wall.owns(one)]
    own = Place.of(turn, request.start, request.end)
    is_plain = len(records) <= _MOST and len(places) <= 2 * _MOST
    state = DROPPED if not places else HELD if is_plain else UNCLEAR
    (head,) = _put(store, [own], FORGET, now, state)
    reason, rows = f"{FORGET} q_{head.no}", {own.row}
    if state == UNCLEAR:
        _put(store, records[:_MOST], reason, now, UNCLEAR)
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


def _drawn_from(store: Store, turns: Mapping[int, Turn], places: Iterable[Place]) -> list[Record]:
    """The memories that were drawn from nothing but these stretches."""
    inside, rest = dict.fromkeys(turns, ""), {row: one.content for row, one in turns.items()}
    for one in places:
        inside[one.row] += f"{one.text} "
        rest[one.row] = rest[one.row].replace(one.text, " ", 1)

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


def _put(
    store: Store, what: Sequence[Place | Record], reason: str, now: datetime, state: str
) -> Sequence[QuarantinedText]:
    """Put stretches of turns and memories into quarantine."""
    blank = QuarantinedText(0, None, "", 0, 0, "", reason, "user", now, state, None)
    return store.quarantine.put(
        [
            blank._replace(turn=one.row, start=one.start, stop=one.end)
            if isinstance(one, Place)
            else blank._replace(memory=one.id)
            for one in what
        ]
    )


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

    def around(self, turn: Turn, most: int) -> tuple[list[Turn], list[Turn]]:
        """The last turns before one in its session, and the first behind it."""
        place = turn.session, row_of(turn), most
        told = self.store.query_turns("turns_before", *place)
        told += self.store.query_turns("turns_behind", *place)
        told += [one for one in self.coming if one.session == turn.session]
        before = [one for one in told if row_of(one) < row_of(turn)]
        return before[-most:], [one for one in told if row_of(one) > row_of(turn)][:most]


def _meant(talk: _Talk, turn: Turn, request: Request) -> list[Place]:
    """The stretches of messages that a request in a turn is about."""
    if request.what:
        return _found(talk, turn, request)
    own = turn.content[: request.start]
    if len(query_words(own)) > 1 and not _POINTING.search(own):
        return [Place.of(turn, 0, request.start)]
    before, _ = talk.around(turn, _CHAIN)
    asked = max((n for n, one in enumerate(before) if one.role == "user"), default=0)
    return [Place.of(one) for one in before[asked:]]


def _found(talk: _Talk, turn: Turn, request: Request) -> list[Place]:
    """The passages that stand out as what is meant, and the talk that goes on with them."""
    what, asked = request.what, turn.content[request.start : request.end]
    said = [one for one in _said(talk, turn, what) if asked not in one[0].text]
    people = _people(talk, turn, what, [place.text for place, _ in said])
    for names in people:
        said = [one for one in said if any(has_name(one[0].text, name) for name in names)]
        like = rf"(?:my |我的?)?(?:{'|'.join(map(re.escape, names))})"
        if query_words(rest := re.sub(like, " ", fold(what))):  # all of them are about this one
            what, asked = rest, re.sub(like, " ", fold(asked))
    scores = _scores(what, asked, [place.text for place, _ in said])
    least = log(len(said) or 1) + (0 if request.is_sure else _DOUBT)
    least = max([least, *(_NEARLY * score for score in scores)])
    found: dict[Place, None] = {}
    for score, (place, one) in zip(scores, said, strict=True):
        if score >= least:
            found[place] = None
            if place == Place.of(one):
                found |= dict.fromkeys(map(Place.of, _going_on(talk, one, not people)))
    return [*found]


def _said(talk: _Talk, turn: Turn, what: str) -> list[tuple[Place, Turn]]:
    """What the user said that may be meant: by its words, its meaning, or without a vector yet."""
    store, until = talk.store, Filter(until=turn.at + timedelta(milliseconds=1))
    rows = [hit.row for hit in store.search("turns", query_words(what), until, _TURNS)]
    view = QuestionVector(encoder().name, encoder().embed([what])[0])
    rows += [one.row for one in store.vectors.similar("turns", view, _NEAR, until)]
    rows += store.column("next_turns", encoder().name, _TURNS)
    coming = [one for one in talk.coming if row_of(one) < row_of(turn)]
    last = (*talk.around(turn, _TURNS)[0], *coming[-_TURNS:])
    turns = store.turns(rows) | {row_of(one): one for one in last}
    held = {*store.quarantine.in_turns(turns), *talk.held}
    return [
        (Place.of(one, *part), one)
        for row, one in turns.items()
        if one.role == "user" and one.at <= turn.at and row not in held
        for part in (spans(one.content) if len(one.content) > _SHORT else [(0, len(one.content))])
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
    for n, (text, each) in enumerate(zip(texts, had, strict=True)):
        share = sum(rarity[word] for word in each & words) / (sum(rarity.values()) or 1.0)
        share = max([share, *(weight for those, weight in related if those <= each)])
        is_of_others = _OWN.match(what) and not _FIRST_PERSON.search(text)
        scores[n] += _WORDS * share + (_OTHERS if is_of_others else 0)
    return scores


def _going_on(talk: _Talk, turn: Turn, by_name: bool) -> list[Turn]:
    """The messages behind one that go on with it; an answer does if what it answers is near."""
    found, last = list[Turn](), turn
    for one in talk.around(turn, _CHAIN)[1]:
        if one.role == "user":
            link = found[-1] if found and found[-1].role != "user" else one
            near, other = encoder().embed([last.content, link.content])
            is_near = near @ other >= _FAR[language_of(one.content)] + _GOES_ON
            does_lean = leans(one.content, last.content if by_name else "")
            if not (does_lean and (is_near or refers(one.content))):
                break
            last = one
        found.append(one)
    return found


def _people(talk: _Talk, turn: Turn, what: str, texts: Iterable[str]) -> list[list[str]]:
    """For each whom some words name, all the names they go by; an address is one."""
    if is_address(what):
        return [[what]]
    named = [one.entity for one in understand(what, turn.at, talk.store.named).entities]
    found = [[fold(it.name), *map(fold, it.aliases)] for it in named if it.name != USER]
    for role in (part.name for part in parts_of(fold(what)) if is_role(part.name)):
        told = "\n".join(text for text in texts if has_name(text, role))
        if told and not any(role in names for names in found):
            # `my sister Mei` goes by that name, too.
            like = rf"(?i:\b{re.escape(role)}),? (?:is )?(?:called |named )?([A-Z]\w+)"
            found.append([role, *map(fold, re.findall(like, told))])
    return found
