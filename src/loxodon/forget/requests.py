"""What the user asks to have forgotten in a conversation: held back at once, and asked about.

`language/forget.py` reads what is asked. Messages and memories that the words find are held back,
so that nothing recalls, reads or shows them any more, and so is the request; `loxodon review`
offers to erase them for good or to bring them back. Nothing is erased because a sentence says so.

A request is followed once it is in the journal. What is meant is found before the transaction that
holds it back: the encoder takes a while, and nobody else could write meanwhile. Killed in between,
it is followed when the message is added again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from importlib.resources import files
from math import log
from operator import mul
from statistics import median
from typing import NamedTuple

from loxodon.consolidate import themes
from loxodon.consolidate.entities import another
from loxodon.consolidate.segment import number
from loxodon.forget.erase import rebuild
from loxodon.forget.marks import plain
from loxodon.forget.names import has_name, is_role, like
from loxodon.guard.own_words import masked, others
from loxodon.guard.provenance import shown_origin, speaks_for_user
from loxodon.guard.quarantine import DROPPED, FORGET, HELD, RELEASED
from loxodon.language.forget import PERHAPS, Request, may_ask, requests
from loxodon.language.statements import USER
from loxodon.language.worth import encoder
from loxodon.recall.understand import understand
from loxodon.store import Filter, QuarantinedText, QuestionVector
from loxodon.store.store import Store
from loxodon.text.names import parts_of
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers
from loxodon.text.words import fold, query_words
from loxodon.types import Entity, Record, Turn

_COMING = 1 << 60  # the row of a turn that is not in the journal yet
_TURNS, _NEAR = 100, 20  # messages looked at: with the words, the newest; and by meaning
_BY = tomllib.loads((files("loxodon.forget") / "decision.toml").read_text("utf-8"))
_SUREST = 1e-4  # no text is surer to the encoder than that
_READ, _SHORT, _CHAIN = 40, 160, 6  # texts read; characters of one read whole; messages before


class Place(NamedTuple):
    turn: Turn
    start: int
    end: int

    @property
    def row(self) -> int:
        return number(self.turn)

    @property
    def text(self) -> str:
        return self.turn.content[self.start : self.end]


def _whole(turn: Turn) -> Place:
    return Place(turn, 0, len(turn.content))


def obey(store: Store, keys: Sequence[bytes], now: datetime) -> tuple[int, tuple[str, ...]]:
    """Follow the requests in the turns with these keys; how many, and what the others name."""
    rows = sorted(row for row, _ in store.query("turns_by_key", keys))
    turns, followed, unfound = store.turns(rows), 0, list[str]()
    for row, turn in ((row, turns[row]) for row in rows):
        # What the user says to one agent is about what that one knows.
        own = store.writing if store.wall.stands else partial(store.writing_as, turn.agent)
        if turn.role == "assistant":  # the answer to a request says again what that was about
            asked = store.quarantine.in_turns([row - 1]).get(row - 1, ())
            for no in [one.no for one in asked if (one.reason, one.state) == (FORGET, HELD)]:
                with own():
                    _put(store, f"{FORGET} q_{no}", now, HELD, [_whole(turn)])
        for request in _requests(store, turn):
            places = [] if (row, request.start) in _heads(store) else _meant(store, turn, request)
            with own():
                if (row, request.start) in _heads(store) or not (places or request.is_sure):
                    continue
                if _hold(store, turn, request, places, now):
                    followed += 1
                elif request.what:
                    unfound.append(request.what)
    return followed, tuple(unfound)


def unfound(store: Store, text: str, now: datetime) -> list[str]:
    """What a message of the user asks to have forgotten, and nobody ever spoke of."""
    rows = [row for (row, _), it in _heads(store).items() if it.state != DROPPED or it.decided_at]
    if not may_ask(text) or any(it.content == text for it in store.turns(rows).values()):
        return []
    turn = Turn("", "", "user", text, now, ref=f"t_{_COMING}")
    return [one.what for one in requests(text) if one.what and not _meant(store, turn, one)]


def bring_back(store: Store, id: str) -> None:
    """Read and show what a request had held back, which was released."""
    released = store.query_as(QuarantinedText, "quarantined_by_state", RELEASED)
    _tell_anew(store, {it.turn for it in released if it.turn and it.reason == f"{FORGET} {id}"})


def _requests(store: Store, turn: Turn) -> list[Request]:
    """The requests of the user in a turn; those that may be ones only where there are no others."""
    is_users = speaks_for_user(turn) and shown_origin(turn) == "user"
    if not may_ask(turn.content) or not is_users or another(store, turn):
        return []
    own = masked(turn.content, others(turn.content))
    return requests(own) or [one for one in requests(own, PERHAPS) if one.what]


def _heads(store: Store) -> dict[tuple[int, int], QuarantinedText]:
    """The requests that were ever followed, by turn and place."""
    found = store.query_as(QuarantinedText, "quarantined_by_state", "")
    return {(one.turn, one.start): one for one in found if one.reason == FORGET and one.turn}


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


def _meant(store: Store, turn: Turn, request: Request) -> list[Place]:
    """The stretches of messages that a request in a turn is about."""
    if request.what:
        return _found(store, turn, request)
    own = turn.content[: request.start]
    if len(query_words(own)) > 1 and not like["pointing"].search(own):
        return [Place(turn, 0, request.start)]
    before = store.query_turns("turns_before", turn.session, number(turn), _CHAIN)
    asked = max((n for n, one in enumerate(before) if one.role == "user"), default=0)
    return [_whole(one) for one in before[asked:]]


def _found(store: Store, turn: Turn, request: Request) -> list[Place]:
    """What a request is about: what speaks most for being meant, and what goes with that."""
    what, asked = request.what, turn.content[request.start : request.end]
    said = [one for one in _said(store, turn, what) if asked not in one.text]
    names = _named(store, turn, what, "\n".join(one.text for one in said))
    named = [one for one in said if has_name(one.text, *names)]
    naming = rf"(?:my |我的?)?(?:{'|'.join(map(re.escape, names))})(?:'s\b|的)?"
    if len(named) > 1 and query_words(re.sub(naming, " ", fold(what))):  # all about that one
        asked = re.sub(naming, " ", fold(asked))
    if named:  # what does not name whom it is about must speak of somebody
        said = [*named, *(x for x in said if x not in named and like["pronoun"].search(x.text))]
    elif like["mine"].match(what):  # the same thing may be somebody else's
        said = [x for x in said if not (like["other"].match(x.text) and covers(x.text, what) > 0.5)]
    vectors = encoder().embed([asked, *(one.text for one in said)])
    likely = [said[n] for n in (vectors[1:] @ -vectors[0]).argsort()[:_READ]]
    evidence = _evidence(store, asked, likely)
    names_it = {one: covers(one.text, what) for one in likely}

    def speaks(way: str, one: Place) -> float:
        return float(sum(map(mul, _BY[way], evidence[one])))

    odds = {x: speaks("first", x) + _BY["named"] * names_it[x] for x in named or likely}
    first = max(odds, key=lambda one: odds[one], default=None)
    if not first or odds[first] < _BY["least" if request.is_sure else "least_unsure"]:
        return []
    others = sorted({*likely} - {first}, key=lambda one: (one.row, one.start))
    beside = _odds(asked, others, first.text)
    near = encoder().embed([x.text for x in others]) @ encoder().embed([first.text])[0]
    usual = min(float(near.mean()), _BY["alike"]) if others else 0.0
    for one, nearness in zip(others, near, strict=True):
        evidence[one] += (beside[one], float(nearness) - usual)
    least = _BY["least_with"] + _BY["alone"] * names_it[first]
    meant = [x for x in others if speaks("with", x) + _BY["named"] * int(names_it[x]) >= least]
    parts = [part for one in (first, *meant) for part in _parts(asked, one)]
    return [*parts, *dict.fromkeys(reply for one in parts for reply in _replies(store, one))]


def _evidence(store: Store, asked: str, places: Sequence[Place]) -> dict[Place, tuple[float, ...]]:
    """What speaks for each place as what a request means: that by which `first` is chosen."""
    replies = {one: _replies(store, one)[:1] for one in places}
    odds = _odds(asked, [*places, *(one for some in replies.values() for one in some)])
    told = {one: sum(odds[reply] - _BY["untold"] for reply in replies[one]) for one in places}
    few = _BY["few"] / max(_BY["few"], len(places))
    usual = few * median([odds[x] for x in places] + [_BY["usual"]] * (_BY["few"] - len(places)))
    return {one: (odds[one], usual, told[one], few, 1.0) for one in places}


def _replies(store: Store, place: Place) -> list[Place]:
    """What was answered, which says again what that was about."""
    return [*map(_whole, store.turns(store.column("replies_to", [place.row])).values())]


def _named(store: Store, turn: Turn, what: str, told: str) -> list[str]:
    """All the names of those whom some words name; an address is one."""
    known = [one.entity for one in understand(what, turn.at, store.named).entities]
    found = [fold(name) for it in known if it.name != USER for name in (it.name, *it.aliases)]
    roles = [one.name for one in parts_of(fold(what)) if is_role(one.name)]
    for role in roles:  # `my sister Mei` goes by that name, too
        named = rf"(?i:\b{re.escape(role)}),? (?:is )?(?:called |named )?([A-Z]\w+)"
        found += [*map(fold, re.findall(named, told))]
    return found or roles


def _said(store: Store, turn: Turn, what: str) -> list[Place]:
    """What the user said that may be meant: by its words, its meaning, or without a vector yet."""
    rows = [hit.row for hit in store.search("turns", query_words(what), Filter(), _TURNS)]
    view = QuestionVector(encoder().name, encoder().embed([what])[0])
    rows += [one.row for one in store.vectors.similar("turns", view, _NEAR, Filter())]
    rows += store.column("next_turns", encoder().name, _TURNS)
    last = store.query_turns("turns_before", turn.session, number(turn), _TURNS)
    turns = store.turns(rows) | {number(one): one for one in last}
    held = store.quarantine.in_turns(turns)
    return [
        one
        for row, said in turns.items()
        if said.role == "user" and said.at <= turn.at and row < number(turn)
        for one in ([_whole(said)] if len(said.content) <= _SHORT else _sentences(_whole(said)))
        if not any(it.start < one.end and one.start < it.stop for it in held.get(row, ()))
    ]


def _sentences(place: Place) -> list[Place]:
    return [Place(place.turn, place.start + a, place.start + b) for a, b in spans(place.text)]


def _odds(asked: str, places: Sequence[Place], known: str = "") -> dict[Place, float]:
    """How much speaks for each place as what a request means; `known` is one that it does."""
    likely = encoder().meant(asked, [one.text for one in places], known)
    return {x: log((p + _SUREST) / (1 - p + _SUREST)) for x, p in zip(places, likely, strict=True)}


def _parts(asked: str, place: Place) -> list[Place]:
    """A place without those of its sentences that are about something else."""
    sentences = _sentences(place)
    rests = {one: " ".join(it.text for it in sentences if it != one) for one in sentences}
    likely = {one: encoder().meant(asked, [one.text], rest)[0] for one, rest in rests.items()}
    kept = [one for one in sentences if len(sentences) == 1 or likely[one] >= _BY["aside"]]
    return kept if 0 < len(kept) < len(sentences) else [place]
