"""Everything there is on one memory, turn or entity, and all that is known about a subject.

`inspect` answers "what do you have here, why, and who has seen it?"; `subject` gathers what a
person is owed who asks what is known about them, as one value that can be written to a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate.entities import Card
from loxodon.errors import NotFoundError
from loxodon.forget.names import has_name
from loxodon.language.statements import USER
from loxodon.security.audit_log import AuditEntry
from loxodon.store import Filter, Note
from loxodon.store.store import Store
from loxodon.text.keywords import quick
from loxodon.text.words import fold, query_words
from loxodon.types import Entity, Event, Record, Source, Turn, Version

if TYPE_CHECKING:
    from loxodon.memory import Memory

_SEEN = 50  # the latest entries of the audit log that are shown
_KEYWORDS = 8


class Inspected(NamedTuple):
    """All that there is on one thing."""

    what: str  # `memory`, `turn`, `note` or `entity`
    id: str
    record: Record | None = None
    turn: Turn | None = None
    note: Note | None = None
    card: Card | None = None
    sources: tuple[Turn, ...] = ()  # the words that it is known from
    history: tuple[Version, ...] = ()
    made: tuple[Record, ...] = ()  # memories that were made of it; of an entity, those about it
    found_by: tuple[str, ...] = ()  # the words and names that a recall would find it by
    seen: tuple[AuditEntry, ...] = ()  # who read or changed it, oldest first


class SubjectMemory(NamedTuple):
    """A memory about a subject, with its history and the words it is known from."""

    record: Record
    history: tuple[Version, ...]
    sources: tuple[Turn, ...]


class NoteAt(NamedTuple):
    """A piece of a file of the user's."""

    file: str
    line: int
    text: str


class Subject(NamedTuple):
    """All that is known about someone or something."""

    name: str
    names: tuple[str, ...]
    memories: tuple[SubjectMemory, ...]
    turns: tuple[Turn, ...]
    events: tuple[Event, ...]
    notes: tuple[NoteAt, ...]


def inspect(memory: Memory, store: Store, name: str) -> Inspected:
    """What there is under an id (a memory, a turn, a note, an entity) or a name."""

    def seen(id: str) -> tuple[AuditEntry, ...]:
        return tuple(memory.audit.entries(id=id, limit=_SEEN)) if memory.audit.enabled else ()

    with store.reading():
        if name.startswith("n_"):
            return Inspected("note", name, note=memory.note(name), seen=seen(name))
        if name.startswith("t_") or (":" in name and not store.entities_named([fold(name)])):
            turn = memory.turn(name)
            row = int(turn.ref.removeprefix("t_"))
            made = store.records(store.drawn_from([row]).get(row, []))
            return Inspected(
                "turn",
                turn.ref,
                turn=turn,
                made=tuple(made.values()),
                found_by=tuple(quick(turn.content, _KEYWORDS)),
                seen=seen(turn.ref),
            )
        record = store.get(name)
        if record is not None:
            labels = (*record.entities, *record.tags, record.topic, record.project)
            words = dict.fromkeys((*quick(record.searchable, _KEYWORDS), *labels))
            return Inspected(
                "memory",
                record.id,
                record,
                sources=_said(store, record.sources),
                history=tuple(store.history(record.id)),
                made=tuple(store.records(store.column("made_from", record.id)).values()),
                found_by=tuple(word for word in words if word and not word.startswith("_")),
                seen=seen(record.id),
            )
        numbered = [one.name for one in store.query_as(Entity, "entities") if one.id == name]
        card = memory.entity(numbered[0] if numbered else name)
        ids = (*card.facts, *card.beliefs, *card.summaries)
        return Inspected(
            "entity",
            card.entity.id,
            card=card,
            made=tuple(known for id in ids if (known := store.get(id)) is not None),
            found_by=(card.entity.name, *card.entity.aliases),
            seen=seen(card.entity.id),
        )


def _said(store: Store, sources: Iterable[Source]) -> tuple[Turn, ...]:
    rows = (store.scalar("turn_row", one.session, one.turn) for one in sources if one.turn)
    return tuple(store.turns([row for row in rows if row is not None]).values())


def subject(memory: Memory, store: Store, name: str) -> Subject:
    """All that is known about someone or something, by any of its names; else NotFoundError."""
    with store.reading():
        found = store.entities_named([fold(name)]).get(fold(name))
        names = (found.name, *found.aliases) if found else (name,)
        of_user = USER in names

        def is_in(*texts: str) -> bool:
            return any(has_name(text, one) for text in texts for one in names if one != USER)

        memories = tuple(
            SubjectMemory(record, tuple(store.history(record.id)), _said(store, record.sources))
            for record in store.find(Filter())
            if {record.subject, record.project, *record.entities} & {*names}
            or is_in(record.content)
        )
        turns = tuple(
            turn
            for turn in store.journal(Filter(), 0)
            if (of_user and turn.role == "user") or is_in(turn.speaker, turn.content)
        )
        events = tuple(
            one
            for one in store.query_as(Event, "events", "")
            if of_user or is_in(one.sender, one.summary)
        )
        hits = (store.search("chunks", query_words(one), Filter(), 1_000) for one in names)
        pieces = store.workspace_data.notes(sorted({hit.row for some in hits for hit in some}))
        notes = tuple(
            NoteAt(
                os.path.join(note.file.root, *note.file.path.split("/")),
                note.chunk.first_line,
                note.chunk.text,
            )
            for note in pieces.values()
            if is_in(note.chunk.text, note.chunk.heading)
        )
    if not (found or memories or turns or events or notes):
        raise NotFoundError(
            "nothing is known about {name}",
            hint="list the known entities with `loxodon entities`",
            name=repr(name),
        )
    return Subject(names[0], names, memories, turns, events, notes)
