"""What a person means by "forget this": from what is named to the tombstones that stand for it.

A memory is not only its own row. Its words stand in the turns that it was drawn from, in what was
answered there, and perhaps in other memories that say the same. Here all of that is found, and
becomes tombstones (`tombstones.py`); `erasing.py` then takes out whatever meets one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import chain, takewhile
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.errors import InputError, NotFoundError, no_memory
from loxodon.forget.naming import dictionary_words, is_role, is_word, longer, near, speaks_of
from loxodon.forget.told import Told, Wording, own_parts, proper, wording
from loxodon.forget.tombstones import (
    FOREVER,
    LEAST_WORDS,
    Marker,
    Marks,
    Sieve,
    Tombstone,
    has_name,
    marked,
    plain,
    span,
    thing_of,
    tokens_of,
)
from loxodon.guard.quarantine import FORGET, UNCLEAR, asked_with
from loxodon.language.leaning import refers
from loxodon.language.statements import USER
from loxodon.store import Filter, Index, MemoryRow, TurnRow
from loxodon.store.store import Store
from loxodon.text.sentences import spans, split
from loxodon.text.words import fold, index_words, query_words
from loxodon.types import CAPTURED, Record, Turn

_REPLIES = 3
"""Turns behind a source that may answer it."""
_MOST_ALIKE = 300
"""Memories that are looked at, those with the most of the words first."""
_MEMORY_INDEXES: tuple[Index, ...] = ("memories", "archive")


class Selection(NamedTuple):
    """What is to be forgotten; one of these."""

    ids: tuple[str, ...] = ()
    entity: str = ""
    topic: str = ""
    session: str = ""
    since: datetime | None = None
    all: bool = False
    also: tuple[str, ...] = ()
    """With an entity, other names that are to be forgotten with it."""
    only: bool = False
    """With ids, just these: nothing else that says the same."""
    doubtful: bool = False
    """With an entity, also the sentences that only may be about it."""

    @property
    def what(self) -> str:
        """Which of them is named; InputError where it is none, or more than one."""
        named = [
            name
            for name, given in (
                ("ids", self.ids),
                ("entity", self.entity),
                ("topic", self.topic),
                ("session", self.session),
                ("since", self.since),
                ("all", self.all),
            )
            if given
        ]
        if not named:
            raise InputError(
                "say what to forget",
                hint="use ids, or one of: an entity, a topic, a session, a start time, all; "
                "see `loxodon forget --help`",
            )
        if len(named) > 1:
            raise InputError(
                "give exactly one way to select what to forget",
                hint="leave out all but one of them",
            )
        if self.also and named != ["entity"]:
            raise InputError(
                "other names can only be given with an entity",
                hint="write `loxodon forget --entity NAME --also OTHER`",
            )
        if self.doubtful and named != ["entity"]:
            raise InputError("`doubtful` needs an entity", hint="give the name of an entity")
        if self.only and named != ["ids"]:
            raise InputError("`only` needs ids", hint="give the ids of memories or messages")
        return named[0]


class SelectedTombstones(NamedTuple):
    """The tombstones of a selection, made from a store as it is."""

    tombstones: list[Tombstone]
    sieve: Sieve
    names: tuple[str, ...] = ()
    """For an entity, what it is called."""
    near: tuple[str, ...] = ()
    """Names that may be of the same, and stay."""
    doubtful: tuple[str, ...] = ()
    """Sentences that may be about it, and stay."""


def chosen(store: Store, marker: Marker, selection: Selection, now: datetime) -> SelectedTombstones:
    """The tombstones of what is named; NotFoundError where there is no such thing."""
    until = to_stored(now)[0]
    what = selection.what
    maker = _Maker(store, marker, until)
    if selection.only:
        tombstones = list(maker.only(selection.ids))
    elif what == "ids":
        tombstones = [tombstone for id in selection.ids for tombstone in maker.of_id(id)]
    elif what == "entity":
        called = maker.names_of(selection.entity, selection.also)
        tombstones = list(maker.of_names(called, doubtful=selection.doubtful))
    elif what == "topic":
        tombstones = list(maker.of_topic(selection.topic))
    elif what == "session":
        tombstones = list(maker.of_session(selection.session))
    else:
        since = -FOREVER if selection.since is None else to_stored(selection.since)[0]
        tombstones = [span(since, until)]
    names = tuple(dict.fromkeys(maker.names))
    return SelectedTombstones(
        tombstones, maker.sieve, names, tuple(maker.near(names)), tuple(maker.doubtful)
    )


class _Maker:
    def __init__(self, store: Store, marker: Marker, until: int) -> None:
        self._store = store
        self._erasure = store.erasure
        self._marker = marker
        self._until = until
        self.sieve = Sieve()
        self.names: list[str] = []
        """Under which someone or something goes."""
        self._apart: list[str] = []
        self._roles: list[str] = []
        """What they are to the user, and nobody else is: `sister`, 同事."""
        self.doubtful: list[str] = []

    def _tombstone(self, kind: str, *parts: bytes | str) -> Tombstone:
        self.sieve.add(kind, parts)
        return self._marker.tombstone(kind, self._until, *parts)

    # Turns

    def of_id(self, id: str) -> Iterator[Tombstone]:
        """The tombstones of a memory, a turn or an entity, by what it is called."""
        if id.startswith("n_"):
            raise InputError(
                "{id} is a note in one of your own files, which Loxodon never changes",
                hint="delete it in the file; `loxodon get {id}` shows where it is",
                id=id,
            )
        if id.startswith("e_"):
            found = [one for one in self._store.worklog.entities() if one.id == id]
            if not found:
                raise NotFoundError(
                    "no entity with the id {id}",
                    hint="list the entities with `loxodon entities`",
                    id=repr(id),
                )
            yield from self.of_names(self.names_of(found[0].name))
        elif _is_turn(id):
            yield from self.of_turns([self._turn(id)])
        elif id.startswith("q_"):
            yield from self._of_request(id)
        else:
            record = self._store.get(id)
            if record is None:
                raise no_memory(id)
            yield from self.of_memories([record])

    def only(self, ids: Sequence[str]) -> Iterator[Tombstone]:
        """Just these memories and turns; of a turn that a memory was drawn from, what says it."""
        memories = [id for id in ids if not _is_turn(id)]
        named = {self._turn(id) for id in ids if _is_turn(id)}
        for id in memories:
            if self._store.get(id) is None:
                raise no_memory(id)
            yield self._tombstone("memory", id)
        sources = {
            turn
            for one in self._erasure.memories(self._erasure.rows_of(memories))
            for turn in one.turns
        }
        for turn in self._erasure.turns(named | sources):
            if turn.seq in named:
                yield self._tombstone("part", turn.key)
            else:
                yield from self._parts_that_say(turn, set(memories))

    def _parts_that_say(self, turn: TurnRow, ids: set[str]) -> Iterator[Tombstone]:
        own, others = list[str](), list[str]()
        for one in self._erasure.memories(self._erasure.drawn_from([turn.seq])):
            if one.record.id in ids:
                versions = self._store.history(one.record.id)
                own += [it.record.content for it in versions if it.record.id == one.record.id]
            elif one.record.kind != "summary":
                others.append(one.record.content)
        for part in own_parts(turn.content, own, others):
            yield self._tombstone("part", turn.key, plain(part))

    def _of_request(self, id: str) -> Iterator[Tombstone]:
        """All that was put away because the user asked to have it forgotten."""
        number = id.removeprefix("q_")
        is_number = number.isascii() and number.isdecimal() and len(number) < 18
        head = self._store.quarantine.get(int(number)) if is_number else None
        if head is None or head.reason != FORGET:
            raise NotFoundError(
                "{id} is not a request to forget",
                hint="list the requests with `loxodon review`",
                id=repr(id),
            )
        if head.state == UNCLEAR:
            raise InputError(
                "it is not clear what {id} is about",
                hint="name the memories or messages that are meant; `loxodon review` lists some",
                id=id,
            )
        parts = (head, *asked_with(self._store, head))
        records = (self._store.get(one.memory) for one in parts if one.memory)
        yield from self.of_memories([one for one in records if one is not None])
        turns = self._store.turns([one.turn for one in parts if one.turn is not None])
        for one in parts:
            if one.turn in turns:
                yield from self._said(turns[one.turn].content[one.start : one.stop])

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
                "no turn with the id {ref}",
                hint="list the messages with `loxodon journal`",
                ref=repr(ref),
            )
        return row

    def of_turns(self, rows: Iterable[int]) -> Iterator[Tombstone]:
        """Turns as a whole, by their keys and by what was said when."""
        for turn in self._erasure.turns(rows):
            yield from self._of_turn(turn)

    def _of_turn(self, turn: TurnRow) -> Iterator[Tombstone]:
        words = plain(turn.content)
        yield self._tombstone("turn", turn.key)
        yield self._tombstone("spoken", words, str(turn.at))
        if len(index_words(turn.content)) >= LEAST_WORDS:
            yield self._tombstone("words", words)

    def of_session(self, name: str) -> Iterator[Tombstone]:
        if not self._store.session_size(name):
            raise NotFoundError(
                "no session named {session}",
                hint="list the messages and their sessions with `loxodon journal`",
                session=repr(name),
            )
        yield self._tombstone("session", name)
        for turn in self._erasure.turns():
            if turn.session == name:
                yield from self._of_turn(turn)

    # Someone or something

    def names_of(self, name: str, also: Iterable[str] = ()) -> tuple[str, ...]:
        """The names of an entity: those that it is known by, and those that are given. What is no
        entity goes by the name that is given. `my sister` is no name of anybody."""
        found = self._store.entities_named([name, *also])
        names = [
            other
            for one in (name, *also)
            for other in ((found[one].name, *found[one].aliases) if one in found else (one,))
        ]
        if fold(USER) in map(fold, names):
            raise InputError(
                "everything is about the user",
                hint="to delete everything, use `loxodon forget --all`",
            )
        if not all(map(plain, (name, *also))):
            raise InputError("{name} is not a name", hint="use a word", name=repr(name))
        own = [one for one in names if one in (name, *also) or not is_role(one)]
        taken = [
            role
            for one in self._store.worklog.entities()
            for role in one.aliases
            if fold(one.name) not in map(fold, own)
        ]
        self._roles = [one for one in names if one not in own and one not in taken]
        return tuple(dict.fromkeys(own))

    @cached_property
    def _known_names(self) -> list[str]:
        """What anybody is called but the user."""
        return [
            name
            for one in self._store.worklog.entities()
            for name in (one.name, *one.aliases)
            if one.name != USER and name != USER
        ]

    @cached_property
    def _folded_names(self) -> list[tuple[str, str]]:
        return [(fold(name), plain(name)) for name in self._known_names]

    def _texts_with(self, names: Iterable[str]) -> list[str]:
        """What was said, and what is known, with any of these names in it."""
        sieve = Sieve()
        if not any(map(plain, names)):
            return []
        for name in filter(plain, names):
            sieve.add("name", (plain(name),))
        texts = chain(
            (turn.content for turn in self._erasure.turns()),
            (text for _, text in self._erasure.memory_texts()),
        )
        return list(filter(sieve.may_have, texts))

    def near(self, names: Sequence[str]) -> list[str]:
        """Names that may be theirs too, or somebody else's."""
        if not names:
            return []
        texts = (turn.content for turn in self._erasure.turns())
        return near(names, [*self._known_names, *self._apart], texts)

    def of_names(self, names: Sequence[str], *, doubtful: bool = False) -> Iterator[Tombstone]:
        """Every sentence that names someone, and those that tell what is known of them; of those
        that only may, all or none."""
        self.names += names
        tombstones = [
            one for name in names for one in self._of_name(name, is_word=self._is_word(name))
        ]
        self._apart += self._longer(names)
        tombstones += [one for other in self._apart for one in self._of_name(other, apart=True)]
        yield from tombstones
        marks = Marks(self._marker, tombstones, present=True, sieve=self.sieve)
        rows = [row for row, text in self._erasure.memory_texts() if self.sieve.may_have(text)]
        about = [one for one in self._erasure.memories(rows) if _is_about(one.record, marks)]
        self.doubtful += self._doubtful(names, marks)
        # Kept apart from the marks, which look through the same sieve.
        yield from [
            tombstone
            for one in about
            if one.record.kind != "summary"  # which was made of what others were drawn from
            for tombstone in (
                self._tombstone("memory", one.record.id),
                *self._sources_of(one, marks),
            )
        ]
        if doubtful:
            yield from [self._tombstone("said", plain(one)) for one in self.doubtful]
            self.doubtful.clear()

    def _is_word(self, name: str) -> bool:
        """Whether a name with capitals is a word of somebody's too: Frank and frank."""
        if name == name.lower() or len(tokens_of(name)) > 1:
            return False
        lower = name.lower()
        return is_word(name) or any(
            lower in tokens_of(text) for text in self._texts_with([name]) if lower in text
        )

    def _doubtful(self, names: Sequence[str], marks: Marks) -> list[str]:
        """Sentences that may speak of someone, by a role that nobody else has or by a name that
        is spelled otherwise or a part of a word; not those that name somebody else."""
        others = [plain(one) for one in self._known_names if not is_role(one) and one not in names]
        own = [plain(name) for name in names if not thing_of(name)]
        found: dict[str, None] = {}
        for text in self._texts_with([*names, *self._roles]):
            for sentence in split(text):
                words = plain(sentence)
                if marks.named(sentence, self._until) or any(has_name(words, o) for o in others):
                    continue
                tokens = f" {fold(' '.join(tokens_of(sentence)))} "
                spelled = any(
                    f" {name} " in tokens if name.isascii() else name in words for name in own
                )
                if spelled or any(speaks_of(role, sentence) for role in self._roles):
                    found[sentence.strip()] = None
        return list(found)

    def _of_name(
        self, name: str, *, apart: bool = False, is_word: bool = False
    ) -> Iterator[Tombstone]:
        if tombstone := self._marker.name(name, self._until, apart=apart, is_word=is_word):
            self.sieve.add(tombstone.kind, (thing_of(name) or plain(name),))
            yield tombstone

    def _longer(self, names: Sequence[str]) -> Iterator[str]:
        """Names of others that have one of these in them, and so do not name it."""
        own = set(map(fold, names))
        others = [name for name in self._known_names if fold(name) not in own]
        for name in names:
            found = longer(name, others)
            if not name.isascii():
                found += [
                    word
                    for text in self._texts_with([name])
                    for word in dictionary_words(text, name)
                ]
            yield from (one for one in dict.fromkeys(found) if fold(one) not in own)

    def _sources_of(self, one: MemoryRow, marks: Marks) -> Iterator[Tombstone]:
        """The sentences that a memory was drawn from, where they have a pronoun for a name."""
        told = Told({one.record.content: wording(one.record)}, (), self._others([one.record]))
        for turn in self._erasure.turns(one.turns):
            if turn.channel == CAPTURED:
                yield from self._of_turn(turn)
                continue
            rest = marks.cut(turn.content, turn.at)
            for part in told.in_turn(rest, True) if rest != turn.content else ():
                if plain(part) and refers(part) and not told.names_another(part):
                    yield self._tombstone("said", plain(part))

    def of_topic(self, topic: str) -> Iterator[Tombstone]:
        wanted = fold(topic)
        records = [
            known.record
            for known in self._erasure.memories()
            if wanted in map(fold, (known.record.topic, *known.record.tags))
        ]
        rows = [
            row
            for one in self._store.worklog.segments()
            if wanted in map(fold, (one.topic, *one.tags))
            for row in _numbers(self._store, one.session, one.first_turn, one.last_turn)
        ]
        if not records and not rows:
            raise NotFoundError(
                "nothing found under the topic {topic}",
                hint="see the topics with `loxodon list --json`",
                topic=repr(topic),
            )
        yield from self.of_memories(records)
        yield from self.of_turns(rows)

    # Memories

    def of_memories(self, records: Sequence[Record]) -> Iterator[Tombstone]:
        """Memories, those that say the same, and the words that they were drawn from."""
        if not records:
            return
        family, sources, names = self._family(records)
        contents: dict[str, Wording] = {}
        for one in family:
            yield self._tombstone("memory", one.id)
            if one.value and one.attribute:
                yield self._tombstone("stated", *map(plain, statement_of(one)))
            for version in self._store.history(one.id):
                if version.record.id == one.id:
                    contents.setdefault(version.record.content, wording(version.record))
        for content in contents:
            yield from self._said(content)
        told = Told(contents, tuple(map(marked, names)), self._others(family))
        yield from self._spoken_of(told, sources)

    def _said(self, text: str) -> Iterator[Tombstone]:
        """A text as a whole, and each of its sentences."""
        parts = dict.fromkeys(plain(text[start:end]) for start, end in spans(text))
        yield from (self._tombstone("said", part) for part in (plain(text), *parts) if part)

    def _family(self, records: Sequence[Record]) -> tuple[list[Record], set[int], list[str]]:
        """These memories with those that say the same, the turns they were drawn from, and the
        names that no other memory has."""
        ids = {one.id for one in records}
        family: list[Record] = []
        rows, sources = set[int](), set[int]()
        for known in self._erasure.memories(self._alike(records) | self._erasure.rows_of(ids)):
            record = known.record
            if record.id in ids or any(_same(record, one) for one in records):
                family.append(record)
                rows.add(known.row)
                sources.update(known.turns)
        names = dict.fromkeys(name for one in family for name in (*one.entities, *proper(one)))
        # `猫` and `my sister` are what many are called.
        common = {USER, *(alias for one in self._store.worklog.entities() for alias in one.aliases)}
        own = [n for n in names if n not in common and not self._erasure.is_told(n, rows)]
        return family, sources, own

    def _alike(self, records: Iterable[Record]) -> set[int]:
        """Memories that have words of these."""
        return {
            hit.row
            for one in records
            for text in dict.fromkeys((one.content, one.value))
            for index in _MEMORY_INDEXES
            for hit in self._store.search(index, query_words(text), Filter(), _MOST_ALIKE)
        }

    def _others(self, family: Iterable[Record]) -> tuple[str, ...]:
        """The names of all whom these memories do not name."""
        told = fold("\n".join(one.content for one in family))
        return tuple(name for folded, name in self._folded_names if folded not in told)

    def _spoken_of(self, told: Told, sources: set[int]) -> Iterator[Tombstone]:
        """The clauses that say what the memories say, in the turns they were drawn from and in the
        answers to these."""
        for turn in self._erasure.turns(sources | self._replies(sources)):
            if turn.seq in sources and turn.channel == CAPTURED:
                yield from self._of_turn(turn)
                continue
            hit = told.in_turn(turn.content, turn.seq in sources)
            yield from (self._tombstone("said", plain(part)) for part in hit if plain(part))
            if not hit and turn.seq in sources:
                yield from self._of_turn(turn)

    def _replies(self, sources: Iterable[int]) -> set[int]:
        """What the assistant said right after these turns."""
        found = set[int]()
        for row, turn in self._store.turns(list(sources)).items():
            behind = self._store.worklog.turns_behind(turn.session, row, _REPLIES)
            found.update(int(one.ref[2:]) for one in takewhile(_is_reply, behind))
        return found


def _is_reply(turn: Turn) -> bool:
    return turn.role != "user"


def _is_turn(id: str) -> bool:
    return id.startswith("t_") or ":" in id


def is_named(record: Record, marks: Marks, at: int) -> bool:
    """Whether a memory is filed under a name that was forgotten."""
    names = (
        record.subject,
        record.value,
        record.topic,
        record.project,
        *record.tags,
        *record.entities,
    )
    return any(marks.named(name, at) for name in names)


def _is_about(record: Record, marks: Marks) -> bool:
    at = to_stored(record.created_at)[0]
    return marks.named(record.content, at) or is_named(record, marks, at)


def _numbers(store: Store, session: str, first: int, last: int) -> list[int]:
    return [int(one.ref[2:]) for one in store.worklog.turns_from(session, first, last)]


def _same(one: Record, other: Record) -> bool:
    """Whether two memories say the same."""
    if one.kind == "summary" or other.kind == "summary":
        return False
    if plain(one.content) == plain(other.content):
        return True
    return bool(one.attribute and one.value) and statement_of(one) == statement_of(other)


def statement_of(record: Record) -> tuple[str, ...]:
    """What a memory says, whatever its wording: and which of two cats it is."""
    about = (record.subject, record.attribute, record.value)
    return (*map(fold, about), *sorted(wording(record).needed))
