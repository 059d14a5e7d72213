"""Who and what is known by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any

from loxodon.store import KnownNames
from loxodon.store.database import Database
from loxodon.store.rows import loaded, moment
from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT, Entity

ENTITY = "e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no"


# Stepping from one agent to the next: names are kept for each.
_ENTITIES = f"""
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.agent, n.name, {ENTITY} FROM agents CROSS JOIN json_each(?1) j ON true
CROSS JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
CROSS JOIN entities e ON e.no = n.entity
"""
# As the newest memory with such a label writes it. One statement, because a server may be far away.
_LABEL = """
SELECT '{label}', j.value, (SELECT t.{label} FROM memories t WHERE t.row =
  (SELECT max(l.memory) FROM memory_labels l WHERE l.label = '{label}' AND l.name = j.value)),
  '', '', 0, 0, 0 FROM json_each(?1) j
"""
_LABELS = {"project": GLOBAL_PROJECT, "topic": GENERAL_TOPIC}
"""The labels that have a name of their own, and what stands there for none."""
_SHARED_LAST = "ORDER BY 1 DESC"
_ALL = " UNION ALL ".join([_ENTITIES, *(_LABEL.format(label=one) for one in _LABELS)])


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
    rows = db.all(f"{_ENTITIES} {_SHARED_LAST}", (json.dumps(list(set(folded.values()))),))
    found = {name: entity_of(row, zone) for _, name, *row in rows}
    return {name: found[key] for name, key in folded.items() if key in found}


def named(db: Database, zone: tzinfo | None, names: Iterable[str]) -> KnownNames:
    """The entities, projects and topics that go by these folded names."""
    entities: dict[str, Entity] = {}
    labels: dict[str, dict[str, str]] = {label: {} for label in _LABELS}
    for of, name, *row in db.all(f"{_ALL} {_SHARED_LAST}", (json.dumps(list(names)),)):
        if not row[-1]:  # an entity has a number
            if row[0] not in (None, _LABELS[of]):
                labels[of][name] = row[0]
        else:
            entities[name] = entity_of(row, zone)
    return KnownNames(entities, labels["project"], labels["topic"])


def labelled(db: Database, label: str, name: str, limit: int, state: str) -> list[int]:
    """The rows of the memories with a label that were kept last."""
    rows = db.all(
        "SELECT l.memory FROM memory_labels l CROSS JOIN memories t ON t.row = l.memory "
        "WHERE l.label = ? AND l.name = ? AND t.state = ? ORDER BY l.memory DESC LIMIT ?",
        (label, fold(name), state, limit),
    )
    return [row for (row,) in rows]
