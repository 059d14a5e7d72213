"""Who and what is known by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any

from loxodon.store.relational.database import Database
from loxodon.store.rows import loaded, moment
from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Entity

ENTITY = "e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no"


# Stepping from one agent to the next: names are kept for each.
_NAMED = f"""
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.name, {ENTITY} FROM agents CROSS JOIN json_each(?) j ON true
CROSS JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
CROSS JOIN entities e ON e.no = n.entity ORDER BY n.agent DESC
"""


def entity_of(row: Sequence[Any], zone: tzinfo | None) -> Entity:
    """The entity of a row that has ENTITY in order."""
    name, type, aliases, created, updated, no = row
    return Entity(
        name, type, tuple(loaded(aliases)), moment(created, zone), moment(updated, zone), no
    )


def entities_named(db: Database, zone: tzinfo | None, names: Iterable[str]) -> dict[str, Entity]:
    """The entities that go by these names, whatever their case, by name.

    Where agents have their own under a name, it is the shared one, or of the first agent.
    """
    folded = {name: fold(name) for name in names}
    rows = db.all(_NAMED, (json.dumps(list(set(folded.values()))),))
    found = {name: entity_of(row, zone) for name, *row in rows}
    return {name: found[key] for name, key in folded.items() if key in found}


_ITS_NAME = {"project": GLOBAL_PROJECT, "topic": GENERAL_TOPIC}
"""The columns that have such a label as it is written, and what stands there for none."""


def labels_named(db: Database, label: str, names: Iterable[str]) -> dict[str, str]:
    """The labels that go by these folded names, each as the newest memory that has it writes it."""
    if label not in _ITS_NAME:
        raise ValueError(label)
    found = db.all(
        f"SELECT n.value, t.{label} FROM json_each(?) n CROSS JOIN memories t ON t.row = "
        "(SELECT max(l.memory) FROM memory_labels l WHERE l.label = ? AND l.name = n.value)",
        (json.dumps(list(names)), label),
    )
    return {name: written for name, written in found if written != _ITS_NAME[label]}


def labelled(db: Database, label: str, name: str, limit: int, state: str) -> list[int]:
    """The rows of the memories with a label that were kept last."""
    rows = db.all(
        "SELECT l.memory FROM memory_labels l CROSS JOIN memories t ON t.row = l.memory "
        "WHERE l.label = ? AND l.name = ? AND t.state = ? ORDER BY l.memory DESC LIMIT ?",
        (label, fold(name), state, limit),
    )
    return [row for (row,) in rows]
