"""Everything there is on one memory, turn, note or entity: what, why, and who has seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate.entities import Card
from loxodon.security.audit_log import AuditEntry
from loxodon.store import Note
from loxodon.store.store import Store
from loxodon.text.keywords import quick
from loxodon.text.words import fold
from loxodon.types import Entity, Record, Turn, Version

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


def inspect(memory: Memory, store: Store, name: str) -> Inspected:
    """What there is under an id (a memory, a turn, a note, an entity) or a name."""
    with store.reading():
        found = _found(memory, store, name)
        if not memory.audit.enabled:
            return found
        return found._replace(seen=tuple(memory.audit.entries(id=found.id, limit=_SEEN)))


def _found(memory: Memory, store: Store, name: str) -> Inspected:
    if name.startswith("n_"):
        return Inspected("note", name, note=memory.note(name))
    if name.startswith("t_") or (":" in name and not store.entities_named([fold(name)])):
        turn = memory.turn(name)
        row = int(turn.ref.removeprefix("t_"))
        made = tuple(store.records(store.drawn_from([row]).get(row, [])).values())
        words = tuple(quick(turn.content, _KEYWORDS))
        return Inspected("turn", turn.ref, turn=turn, made=made, found_by=words)
    record = store.get(name)
    if record is not None:
        sources = (
            store.scalar("turn_row", it.session, it.turn) for it in record.sources if it.turn
        )
        labels = (*record.entities, *record.tags, record.topic, record.project)
        words = tuple(dict.fromkeys((*quick(record.searchable, _KEYWORDS), *labels)))
        return Inspected(
            "memory",
            record.id,
            record,
            sources=tuple(store.turns([row for row in sources if row is not None]).values()),
            history=tuple(store.history(record.id)),
            made=tuple(store.records(store.column("made_from", record.id)).values()),
            found_by=tuple(word for word in words if word and not word.startswith("_")),
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
    )
