"""Quarantine: instructions in words that nobody vouches for are held back until the owner decides.

A turn stays in the journal as it was said; whatever is made of it (what a recall shows, segments,
events, vectors, what a model is asked) has a short note in the place of what is held. A memory that
is made of such words directly has the note in its content, and gets the words back when they are
released. To release is to let the words be seen, fenced and with their origin, not to believe them.

What the user asked to have forgotten in a conversation is held in the same way, without a note
(`forget/requests.py`).

How wide the net is follows from the origin: `user` and `file` are the owner's, and nothing of
theirs is held; what the assistant said or an import brings is held for what no person says to
another; tool output, web pages and group members for anything that reads like an order or a claim
on the user's behalf, because to hold costs little: it can be read and released. The words are in
`instructions.toml`. This is a second line: what is not held is fenced, and believed by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.messages import t
from loxodon.paging import Key, Slice
from loxodon.store import KnownTurn, QuarantinedText
from loxodon.store.store import Store
from loxodon.text.bounds import tame
from loxodon.text.language import language_of
from loxodon.text.sentences import spans
from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Origin, Record, Turn

STATES = HELD, RELEASED, DROPPED = "held", "released", "dropped"
HIDDEN = (HELD, DROPPED)  # the states in which something is not told
# Why a request to forget is held; what it is about has its id behind that: `forget q_12`
FORGET = "forget"
UNARCHIVED_STRENGTH = 0.3  # at the least of what comes back, that it does not fade at once
_TELLING = 8  # characters of a line that are enough to know it by


# --- Instructions ---------------------------------------------------------------------------------
#
# A text is looked at as a person would read it: folded, without invisible characters, look-alike
# letters as what they look like, letters that are set apart together. What is found is the
# sentence, or the paragraph where only that reads like an instruction; where words address a
# model, also the rest of the paragraph.

_WIDE: tuple[Origin, ...] = ("tool", "web", "group")
_NARROW: tuple[Origin, ...] = ("assistant", "import", "relayed")
# Kinds after which the rest of the paragraph belongs to it, up to so many characters
_CARRIES_ON = frozenset({"override", "persona", "addressed", "marker", "hidden"})
_CARRIED = 600
_READ = 200_000  # characters that are looked at; what is beyond is held, since nobody has looked
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|$))+")
# Cyrillic and Greek letters that look like Latin ones
_ALIKE = str.maketrans("аеорсухіѕјкмтвнԁɡαεορτυνικзг", "aeopcyxisjkmtbhdgaeoptuvik3r")
_GAP = re.compile(r"(?<!\S)(\S) (?=\S(?!\S))")  # only sets letters apart: `i g n o r e`, `忽 略`
# Tags, selectors, and marks of direction turned round; not a flag, which is made of a few
_UNSEEN = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e\U000e0100-\U000e01ef]{4,}|\u202e")


class Instruction(NamedTuple):
    """A stretch of a text that is an instruction, and of what kind."""

    start: int
    end: int
    reason: str


def screens(origin: str) -> bool:
    """Whether words of this origin are looked through at all."""
    return origin in _WIDE or origin in _NARROW


def found_in(text: str, origin: Origin) -> list[Instruction]:
    """The instructions in a text of this origin, in order, none within another."""
    if not text or not screens(origin):
        return []
    found: list[Instruction] = []
    for one in _places(text[:_READ], origin in _WIDE):
        if found and one.start <= found[-1].end + 1:
            found[-1] = found[-1]._replace(end=max(found[-1].end, one.end))
        else:
            found.append(one)
    if len(text) > _READ:
        found.append(Instruction(_READ, len(text), "unread"))
    return found


def _places(text: str, wide: bool) -> Iterator[Instruction]:
    from loxodon.guard.policy import table  # a recall has no use for it

    words = table("instructions")
    kinds = (*words["strong"], *(words["wide"] if wide else ()), "marker")
    for paragraph in _PARAGRAPH.finditer(text):
        first, last = paragraph.start(), paragraph.start() + len(paragraph[0].rstrip())
        if not (reason := _reason(text[first:last], kinds)):
            continue
        sentences = [(first + a, first + b) for a, b in spans(text[first:last])]
        said = [(a, b, kind) for a, b in sentences if (kind := _reason(text[a:b], kinds))]
        for start, end, kind in said or [(first, last, reason)]:
            if kind in _CARRIES_ON:
                end = min(last, end + _CARRIED)
            yield Instruction(start, end, kind)


def _reason(text: str, kinds: tuple[str, ...]) -> str:
    """The kind of instruction that a text is; empty for none."""
    if _UNSEEN.search(text):
        return "hidden"
    plain = fold(_GAP.sub(r"\1", _pattern("no_room").sub("", text))).replace("。", ".")
    plain = re.sub(r"[^\S\n]+", " ", re.sub(r"\s*\n\s*", "\n", plain))
    for one in dict.fromkeys((plain, plain.translate(_ALIKE))):
        if _pattern(*kinds).search(one):  # one look for what is nearly always so
            return next((kind for kind in kinds if _pattern(kind).search(one)), kinds[0])
    return ""


@cache
def _pattern(*kinds: str) -> Any:
    """What matches where any of some kinds does; a blank in it is any white space."""
    from loxodon.guard.policy import compiled, table

    words = table("instructions")
    known = words["strong"] | words["wide"] | words
    pattern = "|".join(one for kind in kinds for one in known[kind])
    for name, fragment in words["fragments"].items():
        pattern = pattern.replace(f"<{name}>", fragment)
    return compiled(pattern.replace(" ", r"\s"), dot_nl=True)


# --- What comes in ------------------------------------------------------------------------------


class Held(NamedTuple):
    """Words in quarantine: an instruction found where nobody vouches for what is said."""

    id: str
    text: str  # the words; empty where they were dropped and no turn has them
    reason: str  # `override`, `memory`, `claim`, `hidden`, …, `forget` or `forget q_12`
    origin: str
    at: datetime
    state: str  # `held`, `released`, `dropped`
    turn: str = ""  # the turn that has them (`t_512`)
    memory: str = ""  # the memory that has a note in their place


def screen(
    store: Store, said: Iterable[Turn | KnownTurn], now: datetime
) -> dict[str, list[QuarantinedText]]:
    """Hold what is to be held of turns that were just journalled, by ref."""
    from loxodon.guard.own_words import others  # a recall has no use for it

    new = list[QuarantinedText]()
    for turn in said:
        if not isinstance(turn, Turn) or not screens(turn.origin):
            continue
        text, origin, relayed = turn.content, turn.origin, turn.origin == "relayed"
        for start, end in others(text) if relayed else [(0, len(text))]:
            for one in found_in(text[start:end], "web" if relayed else origin):
                place = Instruction(start + one.start, start + one.end, one.reason)
                new.append(_kept(place, now, origin, turn=int(turn.ref[2:])))
    held: dict[str, list[QuarantinedText]] = {}
    for kept in store.quarantine.put(new) if new else ():
        held.setdefault(f"t_{kept.turn}", []).append(kept)
    return held


def _kept(
    place: Instruction, now: datetime, origin: str, turn: int | None = None, text: str = ""
) -> QuarantinedText:
    start, end, reason = place
    return QuarantinedText(0, turn, "", start, end, text, reason, origin, now, HELD, None)


def insert(
    store: Store, record: Record, change: str, held: Sequence[QuarantinedText] | None = None
) -> Record:
    """Keep a memory made of words that nobody vouches for, without what is held of them."""
    if not screens(record.trust):
        return store.insert(record, change)
    if held is None:  # no turn has these words
        held = _hold(store, record.content, record.trust, record.created_at)
    if held:
        record = record._replace(content=with_notes(record.content, held), value="")
    labels = _labels({name: getattr(record, name) for name in _LABELS}, record.trust)
    kept = store.insert(record._replace(**labels), change)
    for one in held:
        store.execute("quarantine_of_memory", kept.id, one.no)
    return kept


def update(store: Store, record: Record, fields: Mapping[str, Any], now: datetime) -> Record:
    """Change a memory in such words. Call inside `writing`."""
    content, fields = fields.get("content", ""), _labels(fields, record.trust)
    if content and (held := _hold(store, content, record.trust, now)):
        fields = {**fields, "content": with_notes(content, held), "value": ""}
        for one in held:
            store.execute("quarantine_of_memory", record.id, one.no)
    return store.update(record.id, None, "edited", now, fields)


# What a memory is filed under, and what stands there where nothing does
_LABELS: Mapping[str, Any] = {
    **dict.fromkeys(("tags", "entities"), ()),
    **dict.fromkeys(("basis", "subject", "attribute", "value"), ""),
    "project": GLOBAL_PROJECT,
    "topic": GENERAL_TOPIC,
}


def _labels(fields: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    """Fields without labels that read like an instruction: nobody is called so."""
    found = dict(fields)
    for name in _LABELS.keys() & found.keys():
        if isinstance(found[name], tuple):
            found[name] = tuple(one for one in found[name] if not found_in(one, origin))
        elif found_in(found[name], origin):
            found[name] = _LABELS[name]
    return found


def _hold(store: Store, content: str, origin: Origin, now: datetime) -> Sequence[QuarantinedText]:
    places = found_in(content, origin)
    kept = [_kept(one, now, origin, text=content[one.start : one.end]) for one in places]
    return store.quarantine.put(kept) if kept else ()


# --- What is told -------------------------------------------------------------------------------


def heard(store: Store, turns: Iterable[Turn], *, read: bool = False) -> list[Turn]:
    """Turns as they may be told: with a note in the place of what is held."""
    turns = list(turns)
    held = store.quarantine.in_turns(int(one.ref[2:]) for one in turns if one.ref)
    for n, turn in enumerate(turns) if held else ():
        some = held.get(int(turn.ref[2:]), []) if turn.ref else []
        if read and turn.origin == "relayed":
            some = [one for one in some if is_forget_request(one.reason)]
        turns[n] = turn._replace(content=with_notes(turn.content, some)) if some else turn
    return turns


def read(store: Store, turns: Iterable[Turn]) -> list[Turn]:
    """Turns as memories are made of them."""
    from loxodon.guard.own_words import own_turns
    from loxodon.language.forget import without_requests  # a recall has no use for it

    turns = list(turns)
    told = [one._replace(content=tame(one.content)) for one in heard(store, turns, read=True)]
    firsts = {turn.session: int(turn.ref[2:]) for turn in reversed(told) if turn.ref}
    before = list[Turn]()
    for session, first in firsts.items():
        before += store.query_turns("turns_before", session, first, 2)
    return [
        turn._replace(content=without_requests(turn.content)) if turn.role == "user" else turn
        for turn in [*own_turns([*before, *told], [*before, *turns])][len(before) :]
    ]


def is_forget_request(reason: str) -> bool:
    """Whether something is held because the user asked to have it forgotten."""
    return reason.split(" ", 1)[0] == FORGET


def without_held(store: Store, lines: Sequence[str]) -> list[str]:
    """Lines of a file that may be a view of the journal, without what is held of it."""
    found = list(lines)
    for one in (held for held in listed(store, None, 0, None)[0] if held.state in HIDDEN):
        for part in one.text.splitlines():
            if len(part.strip()) >= _TELLING:
                mark = note(int(one.id[2:]), language_of(part))
                found = [line.replace(part.strip(), mark) for line in found]
    return found


def with_notes(text: str, held: Sequence[QuarantinedText]) -> str:
    """`text` with a note in the place of each stretch that is held."""
    language, parts, at = language_of(text) if held else "", list[str](), 0
    for one in held:
        start = max(at, one.start)
        parts += [text[at:start], "" if is_forget_request(one.reason) else note(one.no, language)]
        at = max(at, one.stop)
    return "".join([*parts, text[at:]])


def note(no: int, language: str) -> str:
    """What stands in the place of what is held."""
    return t("[held back: {id}]", language, id=f"q_{no}")


# --- What the owner decides ---------------------------------------------------------------------


def listed(store: Store, state: str | None, limit: int, after: Key | None) -> Slice[Held]:
    """What is held, or was; newest first."""
    with store.reading():
        found, last = store.page("quarantine", limit, after, value=state)
        return [held for one in found if (held := _held(store, one)) is not None], last


def release(store: Store, id: str, now: datetime) -> Held:
    """Let what is held be told: as what it is, and from where. Call inside `writing`."""
    one, held = _waiting(store, id)
    for part in (one, *request_parts(store, one)):
        store.execute("decide_quarantine", RELEASED, now, part.text, part.no)
        if part.turn is not None:
            store.vectors.retold([part.turn])
        if is_forget_request(part.reason) and part.memory:
            record = store.get(part.memory)
            if record is not None and record.state == "archived":
                values = {"state": "active", "strength": max(record.strength, UNARCHIVED_STRENGTH)}
                store.update(record.id, None, "unarchived", now, values)
    memory = store.get(one.memory) if one.memory and not is_forget_request(one.reason) else None
    if memory is not None:
        content = memory.content
        for language in ("en", "zh"):
            content = content.replace(note(one.no, language), held.text)
        if content != memory.content:
            store.update(memory.id, None, "edited", now, {"content": content})
    return held._replace(state=RELEASED)


def drop(store: Store, id: str, now: datetime) -> Held:
    """Never tell what is held; the turn stays as it was said. Call inside `writing`."""
    one, held = _waiting(store, id)
    for part in (one, *request_parts(store, one)):
        store.execute("decide_quarantine", DROPPED, now, "", part.no)
    return held._replace(state=DROPPED)


def requests(store: Store) -> int:
    """How many requests to forget wait for an answer."""
    return len(_undecided(store, FORGET))


def request_parts(store: Store, head: QuarantinedText) -> list[QuarantinedText]:
    """What a request to forget is about, as far as nothing was decided on it; oldest first."""
    return sorted(_undecided(store, f"{FORGET} q_{head.no}")) if head.reason == FORGET else []


def _undecided(store: Store, reason: str) -> list[QuarantinedText]:
    held = store.query_as(QuarantinedText, "quarantined_by_state", HELD)
    return [one for one in held if one.reason == reason]


def _waiting(store: Store, id: str) -> tuple[QuarantinedText, Held]:
    number = id.removeprefix("q_")
    known = int(number) if number.isdecimal() and len(number) < 18 else 0
    one = next(iter(store.query_as(QuarantinedText, "quarantined_one", known)), None)
    held = _held(store, one) if one else None
    if one is None or held is None:
        raise NotFoundError(
            "{id} is not in quarantine",
            hint="list the quarantine with `loxodon quarantine`",
            id=repr(id),
        )
    if one.state != HELD:
        raise InputError(
            "{id} was already decided: it is {state}",
            hint="see past decisions with `loxodon quarantine --state all`",
            id=f"q_{one.no}",
            state=one.state,
        )
    return one, held


def _held(store: Store, one: QuarantinedText) -> Held | None:
    """What is held; None where what it is of is beyond the walls of whoever asks."""
    id, text, ref = f"q_{one.no}", one.text, ""
    if one.turn is not None:
        turn = store.turns([one.turn]).get(one.turn)
        if turn is None:
            return None
        text, ref = turn.content[one.start : one.stop], turn.ref
    elif store.get(one.memory) is None:
        return None
    return Held(id, text, one.reason, one.origin, one.at, one.state, ref, one.memory)
