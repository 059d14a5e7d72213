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

_EDGES = 4
"""Edges that are told for each node, the heaviest first."""
_NAMED = 8
"""Names of one memory that are tied to each other; a list of fifty ties nothing."""
_IDS = 3
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
"""Attributes whose value is somebody or something by itself. Others are told of whom they are."""


class Node(NamedTuple):
    """Someone or something that memories are about."""

    id: str
    """`e_003` of a known entity, else `name:` and its name."""
    name: str
    type: str
    aliases: tuple[str, ...]
    strength: float
    """The sum of the strengths of its memories."""
    memories: int
    first_at: datetime
    last_at: datetime


class Edge(NamedTuple):
    """What memories say of two nodes."""

    source: str
    target: str
    weight: float
    """The sum of the strengths of these memories."""
    labels: tuple[str, ...]
    """What the target is for the source (`sibling`, `home`); none where both are only named."""
    size: int
    """How many memories say it."""
    memories: tuple[str, ...]
    """The ids of the strongest."""
    first_at: datetime


class Graph(NamedTuple):
    """People and things, and what ties them."""

    nodes: tuple[Node, ...]
    """Strongest first."""
    edges: tuple[Edge, ...]
    """Heaviest first, at most four for each node."""
    total: int
    """How many nodes there are in all."""
    first_at: datetime | None
    last_at: datetime | None
    """When the first and the last of what they are made of was said."""


def graph(space: OpenSpace, limit: int, until: datetime | None, around: str) -> Graph:
    """The `limit` strongest nodes (0: all) and their edges; of `around` and its neighbours only,
    if that is named."""
    drawing, zone = _drawing(space, until), space.zone
    drawn = drawing.drawn()
    shown = (drawing.beside(around) if around else drawn)[: limit or None]
    edges = _edges(drawing.pairs(shown), _EDGES * len(shown), zone)
    return Graph(
        tuple(_node(spot, zone) for spot in shown),
        tuple(edges),
        len(drawn),
        moment(min(spot.first for spot in drawn), zone) if drawn else None,
        moment(max(spot.last for spot in drawn), zone) if drawn else None,
    )


def _drawing(space: OpenSpace, until: datetime | None) -> _Drawing:
    """All nodes. Kept until something is written, or for an hour: who walks a graph asks often, and
    strength falls slowly."""
    store = space.store
    with store.reading():
        of = (store.writes, until, f"{space.now():%Y-%m-%d %H}")
        known, drawing = space.drawing
        if known != of:
            drawing = _Drawing(store.worklog.entities())
            for tie in store.overview.ties(until):
                drawing.add(tie)
            space.drawing = of, drawing
    found: _Drawing = drawing
    return found


class _Spot:
    """A node while it is drawn."""

    __slots__ = ("aliases", "first", "id", "last", "memories", "name", "strength", "type")

    def __init__(self, id: str, name: str, type: str, aliases: tuple[str, ...] = ()) -> None:
        self.id = id
        self.name = name
        self.type = type
        self.aliases = aliases
        self.strength = 0.0
        self.memories = 0
        self.first = self.last = 0


_Pairs = dict[tuple[str, str], list[tuple["Tie", str]]]
"""The memories that tie two nodes, each with what the second is for the first."""


class _Drawing:
    """The nodes while memories are added to them; edges are only drawn between those shown."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._spots: dict[str, _Spot] = {}
        self._known: dict[str, _Spot] = {}
        """By folded name."""
        self._named: dict[str, _Spot] = {}
        """By name as memories write it, so that each is folded once."""
        self._ties: list[tuple[Tie, list[_Spot], _Spot | None]] = []
        """What each memory names, and the node of its value."""
        for one in entities:
            spot = self._spots[one.id] = _Spot(one.id, one.name, one.type, one.aliases)
            for name in (*one.aliases, one.name):
                self._known[fold(name)] = spot
        self._entities = dict(self._known)

    def add(self, tie: Tie) -> None:
        named = self._named
        found = [named.get(tie.subject) or self._spot(tie.subject)] if tie.subject else []
        value = self._value(tie) if tie.value else None
        if value is not None and value not in found:
            found.append(value)
        for name in tie.entities:
            spot = named.get(name) or self._spot(name)
            if spot not in found:
                found.append(spot)
        if tie.project != GLOBAL_PROJECT:
            project = self._spot(tie.project, "project")
            found += [project] if project not in found else []
        for spot in found[:_NAMED]:
            spot.strength += tie.strength
            spot.memories += 1
            if tie.said_at < spot.first or not spot.first:
                spot.first = tie.said_at
            if tie.changed_at > spot.last:
                spot.last = tie.changed_at
        if len(found) > 1:
            self._ties.append((tie, found[:_NAMED], value if tie.subject else None))

    def _value(self, tie: Tie) -> _Spot | None:
        """The node of a value: of one that names something by itself, or a known entity."""
        type = VALUE_TYPES.get(tie.attribute)
        return self._spot(tie.value, type) if type else self._entities.get(fold(tie.value))

    def _spot(self, name: str, type: str = "other") -> _Spot:
        """The node of a name, of a type unless more is known of it."""
        spot = self._named.get(name)
        if spot is None:
            folded = fold(name)
            spot = self._known.get(folded)
            if spot is None:
                spot = self._known[folded] = _Spot(f"name:{name}", name, type)
                self._spots[spot.id] = spot
            self._named[name] = spot
        if spot.type == "other":
            spot.type = type
        return spot

    def drawn(self) -> list[_Spot]:
        """The nodes that memories name, strongest first."""
        found = [spot for spot in self._spots.values() if spot.memories]
        return sorted(found, key=lambda spot: -spot.strength)

    def beside(self, name: str) -> list[_Spot]:
        """A node, by its id or any of its names, and what it is tied to, the most first."""
        center = self._spots.get(name) or self._known.get(fold(name))
        if center is None or not center.memories:
            raise NotFoundError(
                "nothing is known about {name}",
                hint="list the known entities with `loxodon entities`",
                name=repr(name),
            )
        near: dict[_Spot, float] = {}
        for tie, spots, _ in self._ties:
            if center in spots:
                for spot in spots:
                    near[spot] = near.get(spot, 0.0) + tie.strength
        near.pop(center, None)
        return [center, *sorted(near, key=lambda spot: -near[spot])]

    def pairs(self, shown: Iterable[_Spot]) -> _Pairs:
        """What ties those that are shown to each other."""
        wanted, pairs = set(shown), _Pairs()
        for tie, spots, value in self._ties:
            for one, other in combinations([spot for spot in spots if spot in wanted], 2):
                pair, label = (one.id, other.id), ""
                if other is value and one is spots[0]:
                    label = tie.attribute
                elif pair not in pairs and (other.id, one.id) in pairs:
                    pair = (other.id, one.id)
                pairs.setdefault(pair, []).append((tie, label))
        return pairs


def _edges(pairs: _Pairs, most: int, zone: tzinfo | None) -> Iterator[Edge]:
    """The heaviest, in order."""
    weights = {pair: sum(tie.strength for tie, _ in ties) for pair, ties in pairs.items()}
    for pair in nlargest(most, weights, key=weights.__getitem__):
        ties = sorted(pairs[pair], key=lambda one: -one[0].strength)
        yield Edge(
            *pair,
            round(weights[pair], 4),
            tuple(dict.fromkeys(label for _, label in ties if label)),
            len(ties),
            tuple(tie.id for tie, _ in ties[:_IDS]),
            moment(min(tie.said_at for tie, _ in ties), zone),
        )


def _node(spot: _Spot, zone: tzinfo | None) -> Node:
    return Node(
        spot.id,
        spot.name,
        spot.type,
        spot.aliases,
        round(spot.strength, 4),
        spot.memories,
        moment(spot.first, zone),
        moment(spot.last, zone),
    )
