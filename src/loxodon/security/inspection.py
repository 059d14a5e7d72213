"""Everything there is on one memory, turn, note or entity: what, why, and who has seen it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate.entities import Card
from loxodon.forget.names import has_name
from loxodon.security.audit_log import AuditEntry
from loxodon.store import Note
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.types import Entity, Record, Turn, Version

if TYPE_CHECKING:
    from loxodon.memory import Memory

_SEEN = 50  # the latest entries of the audit log that are shown


class Inspected(NamedTuple):
    what: str  # `memory`, `turn`, `note` or `entity`
    id: str
    record: Record | None = None
    turn: Turn | None = None
    note: Note | None = None
    card: Card | None = None
    sources: tuple[Turn, ...] = ()  # the words that it is known from
    history: tuple[Version, ...] = ()
    made: tuple[Record, ...] = ()  # memories that were made of it; of an entity, those about it
    seen: tuple[AuditEntry, ...] = ()  # who read or changed it, oldest first


def inspect(memory: Memory, store: Store, name: str) -> Inspected:
    """What there is under an id (a memory, a turn, a note, an entity) or a name."""
    with store.reading():
        found, log = _found(memory, store, name), memory.audit
        seen = log.entries(id=found.id, limit=_SEEN) if log.enabled else ()
        return found._replace(seen=tuple(seen))


def _found(memory: Memory, store: Store, name: str) -> Inspected:
    if name.startswith("n_"):
        return Inspected("note", name, note=memory.note(name))
    if name.startswith("t_") or (":" in name and not store.entities_named([fold(name)])):
        turn = memory.turn(name)
        row = int(turn.ref.removeprefix("t_"))
        made = tuple(store.records(store.drawn_from([row]).get(row, [])).values())
        return Inspected("turn", turn.ref, turn=turn, made=made)
    if record := store.get(name):
        rows = [store.scalar("turn_row", it.session, it.turn) for it in record.sources if it.turn]
        return Inspected(
            "memory",
            record.id,
            record,
            sources=tuple(store.turns([row for row in rows if row is not None]).values()),
            history=tuple(store.history(record.id)),
            made=tuple(store.records(store.column("made_from", record.id)).values()),
        )
    numbered = [one.name for one in store.query_as(Entity, "entities") if one.id == name]
    card = memory.entity(numbered[0] if numbered else name)
    made = tuple(filter(None, map(store.get, (*card.facts, *card.beliefs, *card.summaries))))
    return Inspected("entity", card.entity.id, card=card, made=made)


def about_person(memory: Memory, name: str) -> Iterator[dict[str, Entity | Record | Turn]]:
    """What a space has about somebody: what forgetting that name would go through."""
    names = memory.forget(entity=name, dry_run=True).names
    known, said = memory.list(state="all", limit=0), memory.journal(limit=0)
    rows: list[tuple[str, Entity | Record | Turn, Sequence[str]]] = [
        *(("entity", one, (one.name, *one.aliases)) for one in memory.entities()),
        *(
            ("memory", it, (it.content, it.subject, it.value, *it.entities, *it.tags))
            for it in known
        ),
        *(("turn", one, (one.content, one.speaker)) for one in said),
    ]
    for kind, one, texts in rows:
        if any(has_name(text, own) for text in texts for own in names):
            yield {kind: one}
