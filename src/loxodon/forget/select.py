"""What somebody means by "forget this": from what is named to the marks of it.

A memory is more than its row: its words stand in the turns that it was drawn from, in what was
answered there, and in memories that say the same. All of that is found here and becomes marks
(`marks.py`); `erase.py` takes out whatever meets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loxodon.clock import to_stored
from loxodon.errors import InputError, NotFoundError, no_memory
from loxodon.forget.marks import LONG_AGO, Marks, clauses_of, plain
from loxodon.forget.names import has_name, is_address, is_role, near, speaks_of, tokens
from loxodon.guard.quarantine import FORGET, HIDDEN, listed
from loxodon.language.leaning import refers
from loxodon.language.statements import USER
from loxodon.store.store import Store
from loxodon.text.sentences import split
from loxodon.text.similarity import covers, gist
from loxodon.text.words import fold
from loxodon.types import CAPTURED, Entity, Record

_SAME = 0.75  # how much of a memory a text has that says it
_LEAST = 0.2  # and the best clause of those that it was drawn from
# `Heron` within a sentence, `B-12`
_PROPER = re.compile(r"(?<=[^.!?] )[A-Z][\w-]+|\b(?=[A-Za-z-]*\d)[A-Za-z0-9][\w-]+", re.ASCII)


# What is shown of an entity: its names; names that may be its own, and sentences that may be about
# it, which stay
Shown = tuple[Sequence[str], Sequence[str], Sequence[str]]


def select(store: Store, marks: Marks, asked: Mapping[str, Any]) -> tuple[str, Shown]:
    """Put down the marks of what is asked for (by the arguments of `Memory.forget`): in which way
    it is named, and what to show. NotFoundError where there is no such thing."""
    named = [what for what in ("ids", "entity", "session", "since", "all") if asked[what]]
    is_more = (asked["doubtful"] and named != ["entity"]) or (asked["only"] and named != ["ids"])
    if len(named) != 1 or is_more:
        raise InputError(
            "say what to forget, in exactly one way",
            hint="use ids, or one of: an entity, a session, a start time, all; "
            "see `loxodon forget --help`",
        )
    what, given = named[0], asked[named[0]]
    match what:
        case "ids":
            for id in dict.fromkeys(given):
                _select_id(store, marks, id, asked["only"])
        case "entity":
            return what, _select_entity(store, marks, given, asked["doubtful"])
        case "session":
            marks.put("session", given)
            turns = [it for it in store.erasure.turns() if it.session == given]
            for turn in turns:
                marks.put_turn(turn)
            if not turns:
                raise _nothing_called(given)
        case _:
            marks.put_period(LONG_AGO if what == "all" else to_stored(given)[0])
    return what, ((), (), ())


def _select_id(store: Store, marks: Marks, id: str, only: bool) -> None:
    kind, _, number = id.partition("_")
    no = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
    if ":" in id:
        kind, no = "t", store.scalar("turn_row", *id.rpartition(":")[::2])
    if kind == "n":
        raise InputError(
            "{id} is a note in one of your own files, which Loxodon never changes",
            hint="delete it in the file; `loxodon get {id}` shows where it is",
            id=id,
        )
    if kind == "t":
        if not (turns := [*store.erasure.turns([no])]):
            raise _nothing_called(id)
        marks.put_turn(turns[0], only=only)
    elif kind == "q":
        _select_request(store, marks, id)
    elif not store.get(id):
        raise no_memory(id)
    else:
        _select_memories(store, marks, [id], only=only)


def _select_request(store: Store, marks: Marks, id: str) -> None:
    """All that was held back because the user asked to have it forgotten."""
    held = [one for one in listed(store, None, 0, None)[0] if one.state in HIDDEN]
    found = [one for one in held if one.reason == (FORGET if one.id == id else f"{FORGET} {id}")]
    if id not in [one.id for one in found]:
        raise _nothing_called(id)
    _select_memories(store, marks, [one.memory for one in found if one.memory])
    for one in found:
        marks.put_text(one.text)


def _nothing_called(name: str) -> NotFoundError:
    return NotFoundError(
        "nothing to forget is called {name}",
        hint="`loxodon journal` lists messages and sessions, `loxodon entities` entities, "
        "`loxodon review` requests to forget",
        name=repr(name),
    )


# Memories


def _select_memories(store: Store, marks: Marks, ids: Sequence[str], *, only: bool = False) -> None:
    """Memories, and what says them in the turns they were drawn from; unless `only` there, also in
    the answers and everywhere else."""
    known = list(store.erasure.memories(store.column("memory_rows_by_id", ids)))
    wordings = [it.record for id in ids for it in store.history(id) if it.record.id == id]
    rows, sources = {one.row for one in known}, {turn for one in known for turn in one.turns}
    for id in ids:
        marks.put("memory", id)
    for one in () if only else wordings:
        marks.put_text(one.content)
    # What only they name gives them away; 猫 and `my sister` are what many are called.
    aliases = {alias for one in store.query_as(Entity, "entities") for alias in one.aliases}
    names = {name for it in wordings for name in _names_in(it)} - aliases - {USER}
    telling = [it for it in names if rows.issuperset(store.column("memories_telling", it))]

    def is_said(part: str) -> bool:
        return any(covers(part, one) >= _SAME or has_name(part, one) for one in telling) or any(
            says(part, it) and len(gist(it.content).words) > 1 for it in wordings
        )

    replies = () if only else store.column("replies_to", [*sources])
    for turn in store.erasure.turns({*sources, *replies}):
        parts = [part for part in clauses_of(turn.content) if plain(part)]
        found = [] if only else [*filter(is_said, parts)]
        if turn.seq in sources:
            drawn = store.erasure.memories(store.column("memories_of_turns", [turn.seq]))
            others = [it.record for it in drawn if it.record.id not in ids]
            found = found or _most_like(parts, wordings, others)
            if turn.channel == CAPTURED or not found:
                if not only:
                    marks.put_turn(turn)
                    continue
                found = parts  # all its words, and nothing else that is known from it
        for part in found:
            marks.put_text(part, key=turn.key if only else b"")


def says(text: str, record: Record) -> bool:
    """Whether a text says most of what a memory says, and names whatever that names."""
    names = [name for name in _names_in(record) if name in record.content]
    return covers(text, record.content) >= _SAME and all(
        fold(name) in fold(text) or covers(text, name) == 1 for name in names
    )


def _names_in(record: Record) -> list[str]:
    """What a memory names: its value, its entities, words that look like names or numbers."""
    return [*filter(None, (record.value, *record.entities, *_PROPER.findall(record.content)))]


def _most_like(
    parts: Sequence[str], wordings: Iterable[Record], others: Sequence[Record] = ()
) -> list[str]:
    """The clauses that have the most of a wording and the least of others."""
    found: dict[str, None] = {}
    theirs = {part: max([0.0, *(covers(part, it.content) for it in others)]) for part in parts}
    for wording in wordings:
        like = {part: (covers(part, wording.content), -theirs[part]) for part in parts}
        best = max([(_LEAST, -1.0), *like.values()])
        found |= dict.fromkeys(part for part in parts if like[part] == best)
    return list(found)


# Names


def _select_entity(store: Store, marks: Marks, given: str, doubtful: bool) -> Shown:
    """Every sentence that names someone, and those that tell what is known of them."""
    if not tokens(given):
        raise InputError("{name} is not a name", hint="use a word", name=repr(given))
    known = store.entities_named([given]).get(given)
    names = [known.name, *known.aliases] if known else [given]
    if fold(USER) in map(fold, names):
        raise InputError(
            "everything is about the user", hint="to delete everything, use `loxodon forget --all`"
        )
    own = [one for one in dict.fromkeys(names) if one == given or not is_role(one)]
    for name in own:
        marks.put_name(name)
    others = [one for one in marks.known_names if not is_role(one) and one not in own]

    def names_another(text: str) -> bool:
        return any(has_name(text, one) for one in others)

    said = [turn.content for turn in store.erasure.turns()]
    short_forms = near(own, marks.known_names, said)
    for one in list(store.erasure.memories()):
        said.append(one.record.content)
        if one.record.kind == "summary" or not is_about(one.record, marks):
            continue
        for turn in store.erasure.turns(one.turns):
            rest = marks.cut(turn.content, turn.at)
            if turn.channel == CAPTURED:
                marks.put_turn(turn)
            elif rest != turn.content:
                # What tells of them with a pronoun
                for part in _most_like(clauses_of(rest), [one.record]):
                    if refers(part) and not names_another(part):
                        marks.put_text(part)
    roles = [one for one in names if one not in own and marks.known_names.count(one) == 1]
    words = [one for one in own if not is_address(one)]

    def may_mean(text: str) -> bool:
        """Whether a text has their name in another case, or a role that they alone have."""
        by_name = any(has_name(text, one) for one in words)
        return by_name or any(speaks_of(role, text) for role in roles)

    found = dict.fromkeys(it.strip() for text in filter(may_mean, said) for it in split(text))
    unsure = [it for it in found if may_mean(it) and not marks.has_name(it, 0)]
    unsure = [it for it in unsure if not names_another(it)]
    while doubtful and unsure:
        marks.put_text(unsure.pop())
    return own, short_forms, unsure


def is_about(record: Record, marks: Marks) -> bool:
    """Whether a memory has a name that was forgotten, or is filed under one."""
    at = to_stored(record.created_at)[0]
    labels = (record.subject, record.value, record.topic, record.project)
    texts = (record.content, *labels, *record.tags, *record.entities)
    return any(marks.has_name(text, at) for text in texts)
