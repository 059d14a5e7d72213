"""What somebody means by "forget this": from what is named to the marks of it.

A memory is more than its row: its words stand in the turns that it was drawn from, in what was
answered there, and in memories that say the same. All of that is found here and becomes marks
(`marks.py`); `erase.py` takes out whatever meets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

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


class Selection(NamedTuple):
    """What is to be forgotten; one of the first five."""

    ids: tuple[str, ...] = ()
    entity: str = ""
    session: str = ""
    since: datetime | None = None
    all: bool = False
    only: bool = False  # with ids, nothing else that says the same
    doubtful: bool = False  # with an entity, also sentences that only may be about it

    @property
    def what(self) -> str:
        """Which of them is given; InputError where it is none, or more than one."""
        named = [name for name in self._fields[:5] if getattr(self, name)]
        is_more = (self.doubtful and not self.entity) or (self.only and not self.ids)
        if len(named) != 1 or is_more:
            raise InputError(
                "say what to forget, in exactly one way",
                hint="use ids, or one of: an entity, a session, a start time, all; "
                "see `loxodon forget --help`",
            )
        return named[0]


class Selected:
    """Puts down the marks of a selection; NotFoundError where there is no such thing."""

    def __init__(self, store: Store, marks: Marks, selection: Selection) -> None:
        self.names: list[str] = []  # what an entity is called
        self.near: list[str] = []  # names that may be of the same, and stay
        self.doubtful: list[str] = []  # sentences that may be about it, and stay
        self._store, self._erasure, self._marks = store, store.erasure, marks
        self._entities = store.query_as(Entity, "entities")
        self._only = selection.only
        match selection.what:
            case "ids":
                for id in dict.fromkeys(selection.ids):
                    self._id(id)
            case "entity":
                self._entity(selection.entity, doubtful=selection.doubtful)
            case "session":
                marks.put("session", selection.session)
                turns = [it for it in self._erasure.turns() if it.session == selection.session]
                for turn in turns:
                    marks.put_turn(turn)
                if not turns:
                    raise _nothing_called(selection.session)
            case _:
                marks.put_period(to_stored(selection.since)[0] if selection.since else LONG_AGO)

    def _id(self, id: str) -> None:
        kind, _, number = id.partition("_")
        no = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
        if ":" in id:
            kind, no = "t", self._store.scalar("turn_row", *id.rpartition(":")[::2])
        if kind == "n":
            raise InputError(
                "{id} is a note in one of your own files, which Loxodon never changes",
                hint="delete it in the file; `loxodon get {id}` shows where it is",
                id=id,
            )
        if kind == "e" and (named := [one.name for one in self._entities if one.id == id]):
            self._entity(named[0])
        elif kind == "q":
            self._request(id)
        elif kind == "t" and no and (turns := [*self._erasure.turns([no])]):
            self._marks.put_turn(turns[0], only=self._only)
        elif kind in ("e", "t"):
            raise _nothing_called(id)
        elif self._store.get(id):
            self._memories([id])
        else:
            raise no_memory(id)

    def _request(self, id: str) -> None:
        """All that was held back because the user asked to have it forgotten."""
        held = [one for one in listed(self._store, None, 0, None)[0] if one.state in HIDDEN]
        parts = [one for one in held if one.reason == f"{FORGET} {id}"]
        asked = [one for one in held if (one.id, one.reason) == (id, FORGET)]
        if not asked:
            raise _nothing_called(id)
        self._memories([one.memory for one in parts if one.memory])
        for one in (*asked, *parts):
            self._marks.put_text(one.text)

    def _memories(self, ids: Sequence[str]) -> None:
        """Memories, and what says them in the turns they were drawn from and in the answers."""
        store, marks = self._store, self._marks
        known = list(self._erasure.memories(store.column("memory_rows_by_id", ids)))
        wordings = [it.record for id in ids for it in store.history(id) if it.record.id == id]
        contents = list(dict.fromkeys(it.content for it in wordings))
        for id in ids:
            marks.put("memory", id)
        sources = {turn for one in known for turn in one.turns}
        if self._only:
            for turn in self._erasure.turns(sources):
                drawn = self._erasure.memories(store.column("memories_of_turns", [turn.seq]))
                others = [it.record.content for it in drawn if it.record.id not in ids]
                parts = clauses_of(turn.content)
                for part in _most_like(parts, contents, others) if len(parts) > 1 else parts:
                    marks.put_text(part, key=turn.key)
            return
        for content in contents:
            marks.put_text(content)
        # What only they name gives them away; 猫 and `my sister` are what many are called.
        aliases = {alias for one in self._entities for alias in one.aliases}
        names = {name for it in wordings for name in _names_in(it)} - aliases - {USER}
        rows = {one.row for one in known}
        telling = [it for it in names if rows.issuperset(store.column("memories_telling", it))]
        for turn in self._erasure.turns({*sources, *store.column("replies_to", [*sources])}):
            parts = [part for part in clauses_of(turn.content) if plain(part)]
            found = [part for part in parts if _is_said(part, wordings, telling)]
            if turn.seq in sources:
                found = found or _most_like(parts, contents)
                if turn.channel == CAPTURED or not found:
                    marks.put_turn(turn)
                    continue
            for part in found:
                marks.put_text(part)

    def _entity(self, given: str, *, doubtful: bool = False) -> None:
        """Every sentence that names someone, and those that tell what is known of them."""
        if not tokens(given):
            raise InputError("{name} is not a name", hint="use a word", name=repr(given))
        marks, known = self._marks, self._store.entities_named([given]).get(given)
        names = [known.name, *known.aliases] if known else [given]
        if fold(USER) in map(fold, names):
            raise InputError(
                "everything is about the user",
                hint="to delete everything, use `loxodon forget --all`",
            )
        own = [one for one in dict.fromkeys(names) if one == given or not is_role(one)]
        others = [one for one in marks.known_names if not is_role(one) and one not in own]
        self.names += own
        for name in own:
            marks.put_name(name)
        said = [turn.content for turn in self._erasure.turns()]
        self.near = near(own, marks.known_names, said)
        for one in list(self._erasure.memories()):
            said.append(one.record.content)
            if one.record.kind == "summary" or not is_about(one.record, marks):
                continue
            marks.put("memory", one.record.id)
            for turn in self._erasure.turns(one.turns):
                rest = marks.cut(turn.content, turn.at)
                if turn.channel == CAPTURED:
                    marks.put_turn(turn)
                elif rest != turn.content:
                    # What tells of them with a pronoun
                    for part in _most_like(clauses_of(rest), [one.record.content]):
                        if refers(part) and not any(has_name(part, it) for it in others):
                            marks.put_text(part)
        mine = [*map(fold, own)]
        theirs = {role for it in self._entities if fold(it.name) not in mine for role in it.aliases}
        roles = [one for one in names if one not in own and one not in theirs]
        words = [one for one in own if not is_address(one)]

        def may_mean(text: str) -> bool:
            """Whether a text has their name in another case, or a role that they alone have."""
            by_name = any(has_name(text, one) for one in words)
            return by_name or any(speaks_of(role, text) for role in roles)

        found = (part.strip() for text in filter(may_mean, said) for part in split(text))
        self.doubtful = [
            part
            for part in filter(may_mean, dict.fromkeys(found))
            if not marks.has_name(part, 0) and not any(has_name(part, it) for it in others)
        ]
        while doubtful and self.doubtful:
            marks.put_text(self.doubtful.pop())


def _nothing_called(name: str) -> NotFoundError:
    return NotFoundError(
        "nothing to forget is called {name}",
        hint="`loxodon journal` lists messages and sessions, `loxodon entities` entities, "
        "`loxodon review` requests to forget",
        name=repr(name),
    )


def says(text: str, record: Record) -> bool:
    """Whether a text says most of what a memory says, and names whatever that names."""
    return covers(text, record.content) >= _SAME and all(
        covers(text, name) == 1 if name.isascii() else fold(name) in fold(text)
        for name in _names_in(record)
        if name in record.content
    )


def _is_said(part: str, wordings: Iterable[Record], telling: Iterable[str]) -> bool:
    """Whether a clause says one of these, or has something that only they tell."""
    for one in telling:
        # Most of it: 乌龙茶 of 喝乌龙茶. In another order it is another word.
        size = max(2, -(-len(one) * 7 // 10))
        pieces = (one[n : n + size] for n in range(len(one) - size + 1))
        like = covers(part, one) >= _SAME if one.isascii() else any(it in part for it in pieces)
        if like or has_name(part, one):
            return True
    return any(says(part, it) and len(gist(it.content).words) > 1 for it in wordings)


def _names_in(record: Record) -> list[str]:
    """What a memory names: its value, its entities, words that look like names or numbers of
    something (`Heron`, `B-12`)."""
    proper = [
        word
        for sentence in split(record.content)
        for n, word in enumerate(re.findall(r"[A-Za-z0-9][\w-]+", sentence, re.A))
        if (n and word[0].isupper()) or any(map(str.isdigit, word))
    ]
    return [*filter(None, (record.value, *record.entities, *proper))]


def _most_like(
    parts: Sequence[str], wordings: Iterable[str], others: Sequence[str] = ()
) -> list[str]:
    """The clauses that have the most of a wording and the least of others, and those that are a
    name in it."""
    theirs = {part: max((covers(part, one) for one in others), default=0.0) for part in parts}
    found: dict[str, None] = {}
    for wording in wordings:
        like = {part: (covers(part, wording), -theirs[part]) for part in parts}
        best = max(like.values(), default=(0.0, 0.0))
        found |= dict.fromkeys(part for part in parts if like[part] == best and best[0] >= _LEAST)
        found |= dict.fromkeys(p for p in parts if plain(p) and has_name(wording, plain(p)))
    return list(found)


def is_about(record: Record, marks: Marks) -> bool:
    """Whether a memory has a name that was forgotten, or is filed under one."""
    at = to_stored(record.created_at)[0]
    labels = (record.subject, record.value, record.topic, record.project)
    texts = (record.content, *labels, *record.tags, *record.entities)
    return any(marks.has_name(text, at) for text in texts)
