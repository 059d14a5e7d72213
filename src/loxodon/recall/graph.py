"""The graph: people and things as nodes, and what memories say of two of them as edges.

A node is a known entity, a project, or the value of an attribute that names a place or the like. A
memory ties its subject to its value, under the attribute, and all that it names to each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from heapq import nlargest
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import NotFoundError
from loxodon.store.rows import moment
from loxodon.text.words import fold
from loxodon.types import GLOBAL_PROJECT, Entity

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace
    from loxodon.store import Tie

_EDGES = 4  # edges for each node, the heaviest first
_NAMED = 8  # names of one memory that are tied to each other; a list of fifty ties nothing
_IDS = 3
# Attributes whose value is somebody or something by itself; others are told of whom they are
VALUE_TYPES = {
    "home": "place",
    "hometown": "place",
    "visited": "place",
    "employer": "organisation",
    "workplace": "other",
    "school": "other",
    "membership": "organisation",
    "project": "project",
}


class Node(NamedTuple):
    """Someone or something that memories are about."""

    id: str  # `e_003` of a known entity, else `name:` and its name
    name: str
    type: str
    aliases: tuple[str, ...]
    strength: float  # the sum of the strengths of its memories
    memories: int
    first_at: datetime
    last_at: datetime


class Edge(NamedTuple):
    """What memories say of two nodes."""

    source: str
    target: str
    weight: float  # the sum of the strengths of these memories
    labels: tuple[str, ...]  # what the target is for the source: `sibling`, `home`
    size: int  # how many memories say it
    memories: tuple[str, ...]  # the ids of the strongest
    first_at: datetime


class Graph(NamedTuple):
    """People and things, and what ties them."""

    nodes: tuple[Node, ...]  # strongest first
    edges: tuple[Edge, ...]  # heaviest first, at most four for each node
    total: int  # how many nodes there are in all
    first_at: datetime | None
    last_at: datetime | None


def graph(space: OpenSpace, limit: int, until: datetime | None, around: str) -> Graph:
    """The `limit` strongest nodes (0: all) and their edges; with `around`, its neighbours only."""
    store, zone = space.store, space.zone
    with store.reading():
        drawing = _Drawing(store.worklog.entities())
        for tie in store.overview.ties(until):
            drawing.add(tie)
    named = [spot for spot in drawing.spots.values() if spot.memories]
    named.sort(key=lambda spot: -spot.strength)
    shown = (drawing.beside(around) if around else named)[: limit or None]
    return Graph(
        tuple(
            Node(
                spot.id,
                spot.name,
                spot.type,
                spot.aliases,
                round(spot.strength, 4),
                spot.memories,
                moment(spot.first, zone),
                moment(spot.last, zone),
            )
            for spot in shown
        ),
        tuple(drawing.edges(shown, zone)),
        len(named),
        moment(min(spot.first for spot in named), zone) if named else None,
        moment(max(spot.last for spot in named), zone) if named else None,
    )


class _Spot:
    """A node while it is drawn."""

    def __init__(self, id: str, name: str, type: str, aliases: tuple[str, ...] = ()) -> None:
        self.id, self.name, self.type, self.aliases = id, name, type, aliases
        self.strength = 0.0
        self.memories = self.first = self.last = 0


class _Drawing:
    """The nodes while memories are added to them; edges are only drawn between those shown."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.spots: dict[str, _Spot] = {}
        self._by_name: dict[str, _Spot] = {}
        # Each memory, the nodes that it names and, of these, that of its value
        self._ties: list[tuple[Tie, list[_Spot], _Spot | None]] = []
        for one in entities:
            spot = self.spots[one.id] = _Spot(one.id, one.name, one.type, one.aliases)
            for name in (*one.aliases, one.name):
                self._by_name[fold(name)] = spot
        self._entities = dict(self._by_name)

    def add(self, tie: Tie) -> None:
        value = None
        if type := VALUE_TYPES.get(tie.attribute) if tie.value else None:
            value = self._spot(tie.value, type)
        elif tie.value:
            value = self._entities.get(fold(tie.value))
        named = [self._spot(tie.subject)] if tie.subject else []
        named += [value] if value else []
        named += [self._spot(name) for name in tie.entities]
        named += [self._spot(tie.project, "project")] if tie.project != GLOBAL_PROJECT else []
        found = list(dict.fromkeys(named))[:_NAMED]
        for spot in found:
            spot.strength += tie.strength
            spot.memories += 1
            spot.first = min(spot.first or tie.said_at, tie.said_at)
            spot.last = max(spot.last, tie.changed_at)
        if len(found) > 1:
            self._ties.append((tie, found, value if tie.subject else None))

    def _spot(self, name: str, type: str = "other") -> _Spot:
        """The node of a name, of a type unless more is known of it."""
        spot = self._by_name.get(fold(name))
        if spot is None:
            spot = self._by_name[fold(name)] = _Spot(f"name:{name}", name, type)
            self.spots[spot.id] = spot
        if spot.type == "other":
            spot.type = type
        return spot

    def beside(self, name: str) -> list[_Spot]:
        """A node, by its id or any of its names, and what it is tied to, the most first."""
        center = self.spots.get(name) or self._by_name.get(fold(name))
        if center is None or not center.memories:
            raise NotFoundError(
                "nothing is known about {name}",
                hint="list the known entities with `loxodon entities`",
                name=repr(name),
            )
        near: dict[_Spot, float] = {}
        for tie, spots, _ in self._ties:
            for spot in spots if center in spots else ():
                near[spot] = near.get(spot, 0.0) + tie.strength
        near.pop(center, None)
        return [center, *sorted(near, key=lambda spot: -near[spot])]

    def edges(self, shown: list[_Spot], zone: tzinfo | None) -> Iterator[Edge]:
        """The heaviest edges between nodes, in order."""
        pairs: dict[tuple[str, str], list[tuple[Tie, str]]] = {}
        wanted = set(shown)
        for tie, spots, value in self._ties:
            for one, other in combinations([spot for spot in spots if spot in wanted], 2):
                pair, label = (one.id, other.id), ""
                if other is value and one is spots[0]:
                    label = tie.attribute
                elif pair not in pairs and (other.id, one.id) in pairs:
                    pair = (other.id, one.id)
                pairs.setdefault(pair, []).append((tie, label))
        weights = {pair: sum(tie.strength for tie, _ in ties) for pair, ties in pairs.items()}
        for pair in nlargest(_EDGES * len(shown), weights, key=weights.__getitem__):
            ties = sorted(pairs[pair], key=lambda one: -one[0].strength)
            yield Edge(
                *pair,
                round(weights[pair], 4),
                tuple(dict.fromkeys(label for _, label in ties if label)),
                len(ties),
                tuple(tie.id for tie, _ in ties[:_IDS]),
                moment(min(tie.said_at for tie, _ in ties), zone),
            )
