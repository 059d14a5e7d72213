"""What no view has: what the user asked to have forgotten, as long as nobody decided otherwise.

It is in the database only, so that a `no` in `review` brings it back. A turn keeps its place in the
day, without the words; so a restore from text does not have them, and takes no message twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from loxodon.guard.quarantine import HIDDEN, RELEASED, is_asked, with_notes
from loxodon.store import QuarantinedText
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.store import Store

_CONTENT = PRIMARY_TABLES["turns"].columns.index("content")


class HeldBack(NamedTuple):
    turns: Mapping[int, Sequence[QuarantinedText]]
    memories: frozenset[str]

    def shown(self, turn: Row) -> Row:
        """The row of a turn, without what is held of it."""
        number, content = turn[0], turn[_CONTENT]
        if number not in self.turns:
            return turn
        return (*turn[:_CONTENT], with_notes(content, self.turns[number]), *turn[_CONTENT + 1 :])

    def rows(self, table: str, rows: Iterable[Row]) -> list[Row]:
        """Rows of a table, without those of what is held."""
        columns = PRIMARY_TABLES[table].columns
        named = [n for n, one in enumerate(columns) if one in PRIMARY_TABLES[table].memories]
        if table == "quarantine":
            reason, state = columns.index("reason"), columns.index("state")
            return [row for row in rows if row[state] == RELEASED or not is_asked(row[reason])]
        return [row for row in rows if not any(row[n] in self.memories for n in named)]


def held_back(store: Store) -> HeldBack:
    found = [one for state in HIDDEN for one in store.quarantine.find(state)]
    asked = sorted((one for one in found if is_asked(one.reason)), key=lambda one: one.start)
    turns: dict[int, list[QuarantinedText]] = {}
    for one in asked:
        if one.turn is not None:
            turns.setdefault(one.turn, []).append(one)
    return HeldBack(turns, frozenset(one.memory for one in asked if one.memory))
