"""What there is to filter by: projects, topics, tags, people and things, the most used first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from loxodon.text.words import fold
from loxodon.types import GENERAL_TOPIC, GLOBAL_PROJECT

if TYPE_CHECKING:
    from loxodon.store.store import Store
    from loxodon.types import Record


class Label(NamedTuple):
    """Something that memories can be filtered by."""

    name: str
    memories: int
    """Active memories that have it."""


class Labels(NamedTuple):
    """What there is to filter by, the most used first."""

    projects: tuple[Label, ...]
    topics: tuple[Label, ...]
    tags: tuple[Label, ...]
    entities: tuple[Label, ...]


def labels(store: Store, limit: int) -> Labels:
    """The labels of active memories, at most `limit` of each kind."""
    with store.reading():
        kinds = ("project", "topic", "tag", "entity")
        return Labels(*(tuple(_labels(store, kind, limit)) for kind in kinds))


def _labels(store: Store, kind: str, limit: int) -> Iterable[Label]:
    uses = store.overview.label_uses(kind, limit + 1)
    records = store.records(use.row for use in uses)
    named = (Label(_written(kind, records[one.row], one.name), one.memories) for one in uses)
    return [one for one in named if one.name not in (GLOBAL_PROJECT, GENERAL_TOPIC)][:limit]


def _written(kind: str, record: Record, name: str) -> str:
    """A label as a memory that has it writes it."""
    names = {
        "project": (record.project,),
        "topic": (record.topic,),
        "tag": record.tags,
        "entity": record.entities,
    }[kind]
    return next((one for one in names if fold(one) == name), name)
