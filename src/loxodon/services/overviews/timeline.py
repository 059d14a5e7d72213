"""The timeline: the journal, newest first, with the memories drawn from each turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.types import Record, Turn

if TYPE_CHECKING:
    from loxodon.store.store import Store


class Moment(NamedTuple):
    """A turn, and the memories drawn from it."""

    turn: Turn
    memories: tuple[Record, ...]


def moments(store: Store, turns: Sequence[Turn]) -> list[Moment]:
    """Turns with what was drawn from each. Call within one view of the store."""
    rows = [int(turn.ref.removeprefix("t_")) for turn in turns]
    drawn = store.drawn_from(rows)
    every = {row for some in drawn.values() for row in some}
    records, sources = store.records(every), store.sources(every)
    return [
        Moment(
            turn,
            tuple(
                records[one]._replace(sources=sources.get(one, ()))
                for one in drawn.get(row, ())
                if one in records
            ),
        )
        for row, turn in zip(rows, turns, strict=True)
    ]
