"""What somebody means by "forget this": from what is named to the marks of it.

A memory is more than its row: its words stand in the turns that it was drawn from, in what was
answered there, and in memories that say the same. All of that is found here and becomes marks
(`marks.py`); `erase.py` takes out whatever meets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.errors import InputError, NotFoundError, no_memory
from loxodon.forget.marks import (
    LONG_AGO,
    Mark,
    Marker,
    Marks,
    clauses_of,
    known_names,
    period,
    plain,
)
from loxodon.forget.names import has_name, is_address, is_role, near, speaks_of, tokens
from loxodon.guard.quarantine import FORGET, UNCLEAR, request_parts
from loxodon.language.leaning import refers
from loxodon.language.statements import USER
from loxodon.store import Index, MemoryRow, QuarantinedText, TurnRow
from loxodon.store.store import Store
from loxodon.text.sentences import spans, split
from loxodon.text.similarity import covers, gist
from loxodon.text.words import fold
from loxodon.types import CAPTURED, Entity, Record

_REPLIES = 3  # turns behind a source that may answer it
_SAME = 0.75  # how much of a memory a clause has that says it
_LEAST = 0.2  # and the best clause of those that it was drawn from
_INDEXES: tuple[Index, ...] = ("memories", "archive")


class Selection(NamedTuple):
    """What is to be forgotten; one of the first five."""

    ids: tuple[str, ...] = ()
    entity: str = ""
    session: str = ""
    since: datetime | None = None
    all: bool = False
    also: tuple[str, ...] = ()  # with an entity, other names to be forgotten with it
    only: bool = False  # with ids, nothing else that says the same
    doubtful: bool = False  # with an entity, also sentences that only may be about it

    @property
    def what(self) -> str:
        """Which of them is given; InputError where it is none, or more than one."""
        named = [name for name in self._fields[:5] if getattr(self, name)]
        if len(named) != 1:
            raise InputError(
                "say what to forget, in exactly one way",
                hint="use ids, or one of: an entity, a session, a start time, all; "
                "see `loxodon forget --help`",
            )
        for option, what in (("also", "entity"), ("doubtful", "entity"), ("only", "ids")):
            if getattr(self, option) and named != [what]:
                raise InputError(
                    "`{option}` can only be used with {what}",
                    hint="see `loxodon forget --help`",
                    option=option,
                    what=what,
                )
        return named[0]


class Selected:
    """The marks of a selection, made from a store; NotFoundError where there is no such thing."""

    def __init__(self, store: Store, marker: Marker, selection: Selection, now: datetime) -> None:
        self.marks: list[Mark] = []
        self.words: set[str] = set()  # one of each text and name that is marked
        self.names: list[str] = []  # what an entity is called
        self.near: list[str] = []  # names that may be of the same, and stay
        self.doubtful: list[str] = []  # sentences that may be about it, and stay
        self._store = store
        self._erasure = store.erasure
        self._marker = marker
        self._until = to_stored(now)[0]
        self._known = known_names(store)
        match selection.what:
            case "ids" if selection.only:
                self._only(selection.ids)
            case "ids":
                for id in selection.ids:
                    self._id(id)
            case "entity":
                self._entity(selection.entity, selection.also, doubtful=selection.doubtful)
            case "session":
                self._session(selection.session)
            case _:
                since = LONG_AGO if selection.since is None else to_stored(selection.since)[0]
                self.marks.append(period(since, self._until))

    def _mark(self, of: str, *parts: bytes | str) -> None:
        self.marks.append(self._marker.mark(of, self._until, *parts))

    def _text(self, text: str, *, whole: bool = False) -> None:
        """A sentence or clause; of a `whole` text also each sentence."""
        for part in dict.fromkeys((text, *(split(text) if whole else ()))):
            if words := plain(part):
                self._mark("said", words)
                self.words.add(max(words.split(), key=len))

    # By what it is called

    def _id(self, id: str) -> None:
        if id.startswith("n_"):
            raise InputError(
                "{id} is a note in one of your own files, which Loxodon never changes",
                hint="delete it in the file; `loxodon get {id}` shows where it is",
                id=id,
            )
        if id.startswith("e_"):
            found = [one for one in self._store.query_as(Entity, "entities") if one.id == id]
            if not found:
                raise _nothing_called(id)
            self._entity(found[0].name)
        elif _is_turn(id):
            self._turns(self._erasure.turns([self._turn_row(id)]))
        elif id.startswith("q_"):
            self._request(id)
        else:
            self._memories([self._record(id)])

    def _record(self, id: str) -> Record:
        record = self._store.get(id)
        if record is None:
            raise no_memory(id)
        return record

    def _turn_row(self, ref: str) -> int:
        row = _number(ref, "t_")
        if row is None and ":" in ref:
            row = self._store.scalar("turn_row", *ref.rpartition(":")[::2])
        if row is None or not self._store.turns([row]):
            raise _nothing_called(ref)
        return row

    def _turns(self, turns: Iterable[TurnRow]) -> None:
        """Turns as a whole, by their keys and by what was said when."""
        for turn in turns:
            words = plain(turn.content)
            self._mark("turn", turn.key)
            self._mark("spoken", words, str(turn.at))
            self._mark("words", words)

    def _session(self, name: str) -> None:
        if not self._store.scalar("session_size", name):
            raise _nothing_called(name)
        self._mark("session", name)
        self._turns(turn for turn in self._erasure.turns() if turn.session == name)

    def _request(self, id: str) -> None:
        """All that was held back because the user asked to have it forgotten."""
        number = _number(id, "q_")
        found = self._store.query_as(QuarantinedText, "quarantined_one", number)
        head = found[0] if found else None
        if head is None or head.reason != FORGET:
            raise _nothing_called(id)
        if head.state == UNCLEAR:
            raise InputError(
                "it is not clear what {id} is about",
                hint="name the memories or messages that are meant; `loxodon review` lists some",
                id=id,
            )
        parts = (head, *request_parts(self._store, head))
        records = (self._store.get(one.memory) for one in parts if one.memory)
        self._memories([one for one in records if one is not None])
        turns = self._store.turns([one.turn for one in parts if one.turn is not None])
        for one in parts:
            if one.turn in turns:
                self._text(turns[one.turn].content[one.start : one.stop], whole=True)

    # Memories, and the words that they were drawn from

    def _memories(self, records: Sequence[Record]) -> None:
        """Memories, and what says them in the turns they were drawn from and in the answers."""
        ids = {one.id for one in records}
        known = list(self._erasure.memories(self._store.column("memory_rows_by_id", [*ids])))
        wordings = [it for one in known for it in self._versions(one)]
        for id in ids:
            self._mark("memory", id)
        for content in {it.content for it in wordings}:
            self._text(content, whole=True)
        # What only they name gives them away; `猫` and `my sister` are what many are called.
        aliases = {
            alias for one in self._store.query_as(Entity, "entities") for alias in one.aliases
        }
        rows = {one.row for one in known}
        telling = {
            name
            for it in wordings
            for name in (it.value, *it.entities, *_proper(it.content))
            if name
            and name not in aliases | {USER}
            and set(self._store.column("memories_telling", name)) <= set(rows)
        }
        sources = {turn for one in known for turn in one.turns}
        for turn in self._erasure.turns(sources | self._replies(sources)):
            parts = [part for part in clauses_of(turn.content) if plain(part)]
            found = [part for part in parts if _is_said(part, wordings, telling)]
            if turn.seq in sources:
                found = found or _most_like(parts, [it.content for it in wordings])
                if turn.channel == CAPTURED or not found:
                    self._turns([turn])
                    continue
            for part in found:
                self._text(part)

    def _only(self, ids: Sequence[str]) -> None:
        """Just these memories and turns; of a turn that a memory was drawn from, what says it."""
        own = {id: self._record(id) for id in ids if not _is_turn(id)}
        known = list(self._erasure.memories(self._store.column("memory_rows_by_id", [*own])))
        sources = {turn for one in known for turn in one.turns}
        for id in own:
            self._mark("memory", id)
        for turn in self._erasure.turns({self._turn_row(id) for id in ids if _is_turn(id)}):
            self._mark("part", turn.key)
            sources.discard(turn.seq)
        for turn in self._erasure.turns(sources):
            drawn = list(
                self._erasure.memories(self._store.column("memories_of_turns", [turn.seq]))
            )
            mine = [
                it.content for one in drawn if one.record.id in own for it in self._versions(one)
            ]
            others = [it.record.content for it in drawn if it.record.id not in own]
            parts = clauses_of(turn.content)
            for part in _most_like(parts, mine, others) if len(parts) > 1 else parts:
                self._mark("part", turn.key, plain(part))
                self.words.add(max(plain(part).split(), key=len, default=""))

    def _versions(self, one: MemoryRow) -> list[Record]:
        """A memory in all wordings that it had."""
        versions = (it.record for it in self._store.history(one.record.id))
        return [it for it in versions if it.id == one.record.id]

    def _replies(self, sources: Iterable[int]) -> set[int]:
        """What the assistant said right after these turns."""
        found = set[int]()
        for row, turn in self._store.turns(list(sources)).items():
            behind = self._store.query_turns("turns_behind", turn.session, row, _REPLIES)
            found |= {int(it.ref[2:]) for it in takewhile(lambda it: it.role != "user", behind)}
        return found

    # Someone or something

    def _entity(self, name: str, also: Iterable[str] = (), *, doubtful: bool = False) -> None:
        """Every sentence that names someone, and those that tell what is known of them; of those
        that only may, all or none. `my sister` is no name of anybody."""
        given = (name, *also)
        found = self._store.entities_named(given)
        names = [
            other
            for one in given
            for other in ((found[one].name, *found[one].aliases) if one in found else (one,))
        ]
        if fold(USER) in map(fold, names):
            raise InputError(
                "everything is about the user",
                hint="to delete everything, use `loxodon forget --all`",
            )
        if not all(map(tokens, given)):
            raise InputError("{name} is not a name", hint="use a word", name=repr(name))
        own = list(dict.fromkeys(one for one in names if one in given or not is_role(one)))
        self.names += own
        named = [self._marker.name(one, self._until) for one in own]
        self.marks += named
        self.words.update(max((fold(t.written) for t in tokens(one)), key=len) for one in own)
        if any(map(is_address, own)):
            self.words.update(one[-1] for one in map(fold, own))  # however it is spelled
        marks = Marks(
            self._marker, named, known_names=lambda: self._known, present=True, words={*self.words}
        )
        others = [one for one in self._known if not is_role(one) and one not in own]
        said = [turn.content for turn in self._erasure.turns()]
        for known in list(self._erasure.memories()):
            if known.record.kind != "summary" and is_about(known.record, marks):
                self._mark("memory", known.record.id)
                for turn in self._erasure.turns(known.turns):
                    rest = marks.cut(turn.content, turn.at)
                    if turn.channel == CAPTURED:
                        self._turns([turn])
                    elif rest != turn.content:
                        # What tells of them with a pronoun
                        for part in _most_like(clauses_of(rest), [known.record.content]):
                            if refers(part) and not any(has_name(part, other) for other in others):
                                self._text(part)
        taken = {
            role
            for one in self._store.query_as(Entity, "entities")
            if fold(one.name) not in map(fold, own)
            for role in one.aliases
        }
        roles = [one for one in names if one not in own and one not in taken]
        hints = [*self.words, *map(fold, roles)]
        self.doubtful += dict.fromkeys(
            sentence.strip()
            for text in (*said, *(text for _, text in self._store.stream("memory_texts")))
            if any(hint in fold(text) for hint in hints)
            for sentence in split(text)
            if not marks.has_name(sentence, self._until)
            and (
                any(has_name(sentence, one) for one in own if not is_address(one))
                or any(speaks_of(role, sentence) for role in roles)
            )
            and not any(has_name(sentence, other) for other in others)
        )
        if doubtful:
            for sentence in self.doubtful:
                self._text(sentence)
            self.doubtful.clear()
        self.near = near(own, self._known, said)


def _nothing_called(name: str) -> NotFoundError:
    return NotFoundError(
        "nothing to forget is called {name}",
        hint="`loxodon journal` lists messages and sessions, `loxodon entities` entities, "
        "`loxodon review` requests to forget",
        name=repr(name),
    )


def _is_said(part: str, wordings: Iterable[Record], telling: Iterable[str]) -> bool:
    """Whether a clause says one of these, or has something that only they tell."""
    words = plain(part)
    for one in telling:
        if has_name(part, one) or (one.isascii() and covers(part, one) >= _SAME):
            return True
        # Most of it in one piece: 乌龙茶 of 喝乌龙茶. In another order it is another word.
        size = max(2, -(-len(one) * 7 // 10))
        pieces = (plain(one)[n : n + size] for n in range(len(one) - size + 1))
        if not one.isascii() and any(len(it) == size and it in words for it in pieces):
            return True
    return any(
        covers(part, it.content) >= _SAME
        and len(gist(it.content).words) > 1
        and all(
            has_name(part, name)
            for name in (it.value, *it.entities, *_proper(it.content))
            if name in it.content
        )
        for it in wordings
    )


def _most_like(
    parts: Sequence[str], wordings: Iterable[str], others: Sequence[str] = ()
) -> list[str]:
    """The clauses that have the most of a wording; of these, those with the least of others."""
    found: dict[str, None] = {}
    for wording in wordings:
        shares = {part: covers(part, wording) for part in parts}
        most = max(shares.values(), default=0.0)
        best = [part for part in parts if shares[part] == most >= _LEAST]
        theirs = {part: max((covers(part, one) for one in others), default=0.0) for part in best}
        found |= dict.fromkeys(p for p in best if theirs[p] == min(theirs.values()))
        found |= dict.fromkeys(p for p in parts if plain(p) and has_name(wording, plain(p)))
    return list(found)


def _proper(content: str) -> list[str]:
    """The words of a memory that look like names or numbers of something: `Heron`, `B-12`."""
    return [
        word
        for start, end in spans(content)
        for n, word in enumerate(re.findall(r"[A-Za-z0-9][A-Za-z0-9_-]+", content[start:end]))
        if (n and word[0].isupper()) or any(map(str.isdigit, word))
    ]


def is_about(record: Record, marks: Marks) -> bool:
    """Whether a memory has a name that was forgotten, or is filed under one."""
    labels = (record.subject, record.value, record.topic, record.project)
    at = to_stored(record.created_at)[0]
    texts = (record.content, *labels, *record.tags, *record.entities)
    return any(marks.has_name(text, at) for text in texts)


def _is_turn(id: str) -> bool:
    return id.startswith("t_") or ":" in id


def _number(id: str, prefix: str) -> int | None:
    number = id.removeprefix(prefix)
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else None
