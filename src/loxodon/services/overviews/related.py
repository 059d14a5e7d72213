"""Where a memory was said, with the turns around it, and what it has to do with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.types import Record, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store

Heard = Callable[[Sequence[Turn]], list[Turn]]
"""Makes turns what the caller may see of them."""
_AROUND = 3
"""Turns that are shown before and after."""
_SAID = 10
_BESIDE = 20


class Said(NamedTuple):
    """A turn that a memory was drawn from, and the turns around it."""

    turn: Turn
    before: tuple[Turn, ...]
    after: tuple[Turn, ...]


class Related(NamedTuple):
    """A memory, where it was said, and what it has to do with others."""

    record: Record
    said: tuple[Said, ...]
    """The last turns that it was drawn from, in order."""
    replaced: Record | None
    """What it took the place of."""
    replaced_by: Record | None
    made_of: tuple[Record, ...]
    """What it was derived from."""
    made: tuple[Record, ...]
    """What was derived from it."""
    beside: tuple[Record, ...]
    """Other memories drawn from the same turns."""


def related(store: Store, record: Record, heard: Heard) -> Related:
    """What a memory has to do with turns and other memories. Call within one view of the store."""
    rows = [
        row
        for one in record.sources
        if one.turn and (row := store.turn_row(one.session, one.turn)) is not None
    ][-_SAID:]
    turns = store.turns(rows)
    drawn = store.drawn_from(rows)
    beside = store.records({one for some in drawn.values() for one in some}).values()
    made = store.records(store.overview.made_from(record.id)).values()
    return Related(
        record,
        tuple(_said(store, row, turns[row], heard) for row in rows if row in turns),
        store.get(record.replaces) if record.replaces else None,
        next((one for one in made if one.replaces == record.id), None),
        _found(store, record.derived_from),
        tuple(one for one in made if one.replaces != record.id),
        tuple(one for one in beside if one.id != record.id)[:_BESIDE],
    )


def _said(store: Store, row: int, turn: Turn, heard: Heard) -> Said:
    before = store.worklog.turns_before(turn.session, row, _AROUND)
    after = store.worklog.turns_behind(turn.session, row, _AROUND)
    return Said(heard([turn])[0], tuple(heard(before)), tuple(heard(after)))


def _found(store: Store, ids: Iterable[str]) -> tuple[Record, ...]:
    return tuple(record for id in ids if (record := store.get(id)) is not None)
