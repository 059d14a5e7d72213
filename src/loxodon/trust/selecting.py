"""What a person means by "forget this": from what is named to the stones that stand for it.

A memory is not only its own row. Its words stand in the turns that it was drawn from, in what was
answered there, and perhaps in other memories that say the same. Here all of that is found, and
becomes stones (`tombstones.py`); `erasing.py` then takes out whatever meets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.errors import InputError, NotFoundError, no_memory
from loxodon.language.statements import USER
from loxodon.store import Filter, Store
from loxodon.store.erasure import SaidRow
from loxodon.text.sentences import spans
from loxodon.text.similarity import covers, gist, likeness
from loxodon.text.words import fold, index_words, query_words
from loxodon.trust.tombstones import FOREVER, LEAST_WORDS, Marker, Stone, clauses, plain, span
from loxodon.types import CAPTURED, Record

NEAR = 8
"""Turns of a session on either side of a source in which what is forgotten is spoken of."""
_FAR = 500
"""How far on in the journal, where others speak in between, these may be."""
_MOST_FOUND = 2_000
"""Turns elsewhere that are looked at, those with the most of the words first."""
_OFTEN = 12
"""Turns that may have a clause word for word which is beside a source, and only has the value."""
_ALIKE = 0.8
_KIN = 0.5
"""How alike memories are that say the same; less will do for those made from each other."""
_SAME = 0.75
_LEAST = 0.2
"""How much of a memory a clause has that says it; and the best of those that it was drawn from."""


class Selection(NamedTuple):
    """What is to be forgotten; one of these."""

    ids: tuple[str, ...] = ()
    entity: str = ""
    topic: str = ""
    session: str = ""
    since: datetime | None = None
    all: bool = False

    @property
    def what(self) -> str:
        """Which of them is named; InputError where it is none, or more than one."""
        named = [
            name
            for name, given in (
                ("ids", self.ids), ("entity", self.entity), ("topic", self.topic),
                ("session", self.session), ("since", self.since), ("all", self.all),
            )
            if given
        ]  # fmt: skip
        if len(named) != 1:
            raise InputError(
                "say in one way what is to be forgotten",
                hint="by ids, or by one of: an entity, a topic, a session, since when, all",
            )
        return named[0]


class Chosen(NamedTuple):
    """The stones of a selection, made from a store as it is."""

    stones: list[Stone]
    names: tuple[str, ...] = ()
    """For an entity, what it is called."""


def chosen(store: Store, marker: Marker, selection: Selection, now: datetime) -> Chosen:
    """The stones of what is named; NotFoundError where there is no such thing."""
    until = to_stored(now)[0]
    what = selection.what
    maker = _Maker(store, marker, until)
    if what == "ids":
        return Chosen([stone for id in selection.ids for stone in maker.of_id(id)])
    if what == "entity":
        names = maker.names_of(selection.entity)
        return Chosen(list(maker.of_names(names)), names)
    if what == "topic":
        return Chosen(list(maker.of_topic(selection.topic)))
    if what == "session":
        return Chosen(list(maker.of_session(selection.session)))
    since = -FOREVER if selection.since is None else to_stored(selection.since)[0]
    return Chosen([span(since, until)])


class _Maker:
    def __init__(self, store: Store, marker: Marker, until: int) -> None:
        self._store = store
        self._erasure = store.erasure
        self._marker = marker
        self._until = until

    def _stone(self, kind: str, *parts: bytes | str) -> Stone:
        return self._marker.stone(kind, self._until, *parts)

    # Turns

    def of_id(self, id: str) -> Iterator[Stone]:
        """The stones of a memory, a turn or an entity, by what it is called."""
        if id.startswith("n_"):
            raise InputError(
                "{id} is a note of a file of yours, which Loxodon does not write to",
                hint="take it out of the file; `loxodon get {id}` shows where it stands",
                id=id,
            )
        if id.startswith("e_"):
            found = [one for one in self._store.desk.entities() if one.id == id]
            if not found:
                raise NotFoundError(
                    "there is no entity {id}", hint="`loxodon entities` lists them", id=repr(id)
                )
            yield from self.of_names(self.names_of(found[0].name))
        elif id.startswith("t_") or ":" in id:
            yield from self.of_turns([self._turn(id)])
        else:
            record = self._store.get(id)
            if record is None:
                raise no_memory(id)
            yield from self.of_memories([record])

    def _turn(self, ref: str) -> int:
        number = ref.removeprefix("t_")
        row: int | None = None
        if number.isascii() and number.isdecimal() and len(number) < 18:
            row = int(number)
        elif ":" in ref:
            session, _, id = ref.rpartition(":")
            row = self._store.turn_row(session, id)
        if row is None or not self._store.turns([row]):
            raise NotFoundError(
                "there is no turn {ref}",
                hint="`loxodon journal` shows what was said",
                ref=repr(ref),
            )
        return row

    def of_turns(self, rows: Iterable[int]) -> Iterator[Stone]:
        """Turns as a whole, by their keys and by what was said when."""
        wanted = set(rows)
        for turn in self._erasure.turns():
            if turn.seq in wanted:
                yield from self._of_turn(turn)

    def _of_turn(self, turn: SaidRow) -> Iterator[Stone]:
        words = plain(turn.content)
        yield self._stone("turn", turn.key)
        yield self._stone("spoken", words, str(turn.at))
        if len(index_words(turn.content)) >= LEAST_WORDS:
            yield self._stone("words", words)

    def of_session(self, name: str) -> Iterator[Stone]:
        if not self._store.session_size(name):
            raise NotFoundError(
                "there is no session {session}",
                hint="`loxodon journal` shows what was said, and where",
                session=repr(name),
            )
        yield self._stone("session", name)
        for turn in self._erasure.turns():
            if turn.session == name:
                yield from self._of_turn(turn)

    # Someone or something

    def names_of(self, name: str) -> tuple[str, ...]:
        """All names of an entity; what is no entity goes by the name that is given."""
        found = self._store.desk.entities_named([name])
        names = (found[name].name, *found[name].aliases) if name in found else (name,)
        if fold(USER) in map(fold, names):
            raise InputError(
                "everything is about the user",
                hint="`loxodon forget --all` forgets all that is known",
            )
        if not any(map(plain, names)):
            raise InputError("{name} is no name", hint="name it by a word", name=repr(name))
        return names

    def of_names(self, names: Iterable[str]) -> Iterator[Stone]:
        stones = (self._marker.name(name, self._until) for name in names)
        return (stone for stone in stones if stone is not None)

    def of_topic(self, topic: str) -> Iterator[Stone]:
        wanted = fold(topic)
        records = [
            known.record
            for known in self._erasure.memories()
            if wanted in map(fold, (known.record.topic, *known.record.tags))
        ]
        rows = [
            row
            for one in self._store.desk.segments()
            if wanted in map(fold, (one.topic, *one.tags))
            for row in _numbers(self._store, one.session, one.first_turn, one.last_turn)
        ]
        if not records and not rows:
            raise NotFoundError(
                "nothing is filed under the topic {topic}",
                hint="`loxodon list --json` shows the topics of memories",
                topic=repr(topic),
            )
        yield from self.of_memories(records)
        yield from self.of_turns(rows)

    # Memories

    def of_memories(self, records: Sequence[Record]) -> Iterator[Stone]:
        """Memories, those that say the same, and the words that they were drawn from."""
        if not records:
            return
        family, sources, names = self._family(records)
        contents: dict[str, _Wording] = {}
        for one in family:
            yield self._stone("memory", one.id)
            if one.value and one.attribute:
                yield self._stone("stated", *map(plain, statement_of(one)))
            for version in self._store.history(one.id):
                if version.record.id == one.id:
                    contents.setdefault(version.record.content, _wording(version.record))
        for content in contents:
            yield from self._said(content)
        told = _Told(contents, tuple(map(plain, names)), self._others(family))
        yield from self._spoken_of(told, sources)

    def _said(self, text: str) -> Iterator[Stone]:
        """A text as a whole, and each of its sentences."""
        parts = dict.fromkeys(plain(text[start:end]) for start, end in spans(text))
        yield from (self._stone("said", part) for part in (plain(text), *parts) if part)

    def _family(self, records: Sequence[Record]) -> tuple[list[Record], set[int], list[str]]:
        """These memories with those that say the same, the turns they were drawn from, and the
        names that no other memory has."""
        ids = {one.id for one in records}
        family, sources = [], set[int]()
        others: list[str] = []
        for known in self._erasure.memories():
            record = known.record
            if record.id in ids or any(_same(record, one) for one in records):
                family.append(record)
                sources.update(known.turns)
            elif record.kind != "summary":
                others += (record.content, record.subject, *record.entities)
        told = "\n".join(others)
        names = dict.fromkeys(name for one in family for name in (*one.entities, *_proper(one)))
        # `猫` and `my sister` are what many are called.
        common = {USER, *(alias for one in self._store.desk.entities() for alias in one.aliases)}
        return family, sources, [name for name in names if name not in told and name not in common]

    def _others(self, family: Iterable[Record]) -> tuple[str, ...]:
        """The names of all whom these memories do not name."""
        told = fold("\n".join(one.content for one in family))
        names = (n for one in self._store.desk.entities() for n in (one.name, *one.aliases))
        return tuple(plain(name) for name in names if fold(name) not in told and name != USER)

    def _spoken_of(self, told: _Told, sources: set[int]) -> Iterator[Stone]:
        """The clauses of turns that say what the memories say."""
        found = self._found(told.contents) - sources
        near = self._near(sources)
        wanted = sources | near | found
        for turn in self._erasure.turns() if wanted else ():
            if turn.seq not in wanted:
                continue
            if turn.seq in sources and turn.channel == CAPTURED:
                yield from self._of_turn(turn)
                continue
            hit = told.in_turn(turn.content, turn.seq in sources, turn.seq in near)
            if turn.seq not in sources:  # what is said again and again is not said of this
                hit = [part for part in hit if told.is_whole(part) or not self._is_common(part)]
            yield from (self._stone("said", plain(part)) for part in hit if plain(part))
            if not hit and turn.seq in sources:
                yield from self._of_turn(turn)

    def _is_common(self, part: str) -> bool:
        return self._erasure.is_common(part.strip().rstrip("，、；：。,;:.!?！？"), _OFTEN)

    def _near(self, sources: Iterable[int]) -> set[int]:
        """The turns beside these in their sessions, in which the same is spoken of."""
        desk, found = self._store.desk, set[int]()
        for row, turn in self._store.turns(list(sources)).items():
            after = desk.turns_from(turn.session, row, row + _FAR)[: NEAR + 1]
            beside = [*desk.turns_before(turn.session, row, NEAR), *after]
            found.update(int(one.ref[2:]) for one in beside)
        return found

    def _found(self, contents: Iterable[str]) -> set[int]:
        """Turns anywhere that have words of these."""
        return {
            hit.row
            for content in contents
            for hit in self._store.search("turns", query_words(content), Filter(), _MOST_FOUND)
        }


def _numbers(store: Store, session: str, first: int, last: int) -> list[int]:
    return [int(one.ref[2:]) for one in store.desk.turns_from(session, first, last)]


def _parts(text: str) -> list[str]:
    """The clauses of a text."""
    return [text[a:b] for start, end in spans(text) for a, b in clauses(text, start, end)]


def _same(one: Record, other: Record) -> bool:
    """Whether two memories say the same, or one was made of the other and says about the same."""
    if one.kind == "summary" or other.kind == "summary":
        return False
    if plain(one.content) == plain(other.content):
        return True
    if one.attribute and one.value and statement_of(one) == statement_of(other):
        return True
    if gist(one.content).numbers != gist(other.content).numbers:
        return False
    if set(_wording(one).needed) != set(_wording(other).needed):
        return False
    made = other.id in (one.replaces, *one.derived_from) or one.id in (
        other.replaces, *other.derived_from
    )  # fmt: skip
    return likeness(one.content, other.content) >= (_KIN if made else _ALIKE)


def _proper(record: Record) -> list[str]:
    """The words of a memory that look like names or numbers of something: `Heron`, `B-12`."""
    return [
        word
        for start, end in spans(record.content)
        for n, word in enumerate(_TOKEN.findall(record.content[start:end]))
        if (n and word[0].isupper()) or any(map(str.isdigit, word))
    ]


_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]+")


def statement_of(record: Record) -> tuple[str, ...]:
    """What a memory says, whatever its wording: and which of two cats it is."""
    about = (record.subject, record.attribute, record.value)
    return (*map(fold, about), *sorted(_wording(record).needed))


class _Wording(NamedTuple):
    """One wording of a memory."""

    value: str
    needed: tuple[str, ...]
    """The names and the value in it, plain: what says the rest of something else says another."""


def _wording(record: Record) -> _Wording:
    told = (record.value, *record.entities, *_proper(record))
    needed = dict.fromkeys(plain(one) for one in told if one and one in record.content)
    return _Wording(record.value, tuple(needed))


class _Told(NamedTuple):
    """What some memories say, to be found in what was said."""

    contents: Mapping[str, _Wording]
    names: tuple[str, ...]
    """Whom and what only they are about: there the name alone gives it away."""
    others: tuple[str, ...]
    """Whom they are not about: a clause that names one of those says something else."""

    def in_turn(self, text: str, source: bool, near: bool) -> list[str]:
        """The clauses of a turn that say it: one that it was drawn from, or near one, or any.

        Anywhere a clause must say most of it: who forgets where somebody lives does not mean every
        train that goes there. Where it was drawn from, or spoken of, the value gives it away.
        """
        parts = _parts(text)
        hit = [part for part in parts if self._is_said(part, source or near)]
        if hit or not source:
            return hit
        for content in self.contents:
            shares = [covers(part, content) for part in parts]
            best = max(shares, default=0.0)
            if best >= _LEAST:
                hit += [part for part, share in zip(parts, shares, strict=True) if share == best]
        return hit

    def is_whole(self, part: str) -> bool:
        """Whether a clause says most of it, wherever it stands."""
        return self._is_said(part, beside=False)

    def _is_said(self, part: str, beside: bool) -> bool:
        words = plain(part)
        if beside and any(_has_name(words, name) for name in self.names):
            return True
        for content, (value, needed) in self.contents.items():
            if (
                covers(part, content) >= _SAME
                and len(gist(content).words) > 1
                and all(_has_name(words, name) for name in needed)
            ):
                return True
            if beside and value and (
                covers(part, value) >= _SAME
                if value.isascii()
                else _has_most(words, plain(value))
            ) and not any(_has_name(words, name) for name in self.others):  # fmt: skip
                return True
        return False


def _has_name(words: str, name: str) -> bool:
    """Whether plain words have a name: as whole words, or anywhere where words have no spaces."""
    if name.isascii():
        return f" {name} " in f" {words} ".replace("'s ", " ")
    return bool(name) and name in words


def _has_most(words: str, value: str) -> bool:
    """Whether words have most of a value in one piece: `乌龙茶` of `喝乌龙茶`."""
    size = max(2, -(-len(value) * 7 // 10))
    return any(value[n : n + size] in words for n in range(len(value) - size + 1))
