"""Who and what is known by name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import tzinfo

from loxodon.store.database import Database, Row
from loxodon.store.rows import moment
from loxodon.text.words import fold
from loxodon.types import Entity

ENTITY = "e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no"


def entity_of(row: Row, zone: tzinfo | None) -> Entity:
    """The entity of a row that has ENTITY in order."""
    name, type, aliases, created, updated, no = row
    return Entity(
        name, type, tuple(json.loads(aliases)), moment(created, zone), moment(updated, zone), no
    )


def entities_named(db: Database, zone: tzinfo | None, names: Iterable[str]) -> dict[str, Entity]:
    """The entities that go by these names, whatever their case, by name."""
    folded = {name: fold(name) for name in names}
    wanted = sorted(set(folded.values()))
    found: dict[str, Entity] = {}
    for start in range(0, len(wanted), 400):
        some = wanted[start : start + 400]
        for name, *row in db.all(
            f"SELECT n.name, {ENTITY} FROM entity_names n JOIN entities e ON e.no = n.entity "
            f"WHERE n.name IN ({','.join('?' * len(some))})",
            some,
        ):
            found[name] = entity_of(tuple(row), zone)
    return {name: found[key] for name, key in folded.items() if key in found}


def labelled(db: Database, label: str, name: str, limit: int, state: str) -> list[int]:
    """The rows of the memories with a label that were kept last."""
    rows = db.all(
        "SELECT l.memory FROM memory_labels l CROSS JOIN memories t ON t.row = l.memory "
        "WHERE l.label = ? AND l.name = ? AND t.state = ? ORDER BY l.memory DESC LIMIT ?",
        (label, fold(name), state, limit),
    )
    return [row for (row,) in rows]
