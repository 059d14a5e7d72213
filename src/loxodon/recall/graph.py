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
_VALUE_TYPES = {
    **dict.fromkeys(("home", "hometown", "visited"), "place"),
    **dict.fromkeys(("employer", "membership"), "organisation"),
    **dict.fromkeys(("workplace", "school"), "other"),
    "project": "project",
}


class Node(NamedTuple):
    id: str  # `e_003` of a known entity, else `name:` and its name
    name: str
    type: str
    aliases: tuple[str, ...]
    strength: float  # the sum of the strengths of its memories
    memories: int
    first_at: datetime
    last_at: datetime
    ended_at: datetime | None  # since when it is no longer anybody's: a pet that died


class Edge(NamedTuple):
    source: str
    target: str
    weight: float  # the sum of the strengths of these memories
    labels: tuple[str, ...]  # what the target is for the source: `sibling`, `home`
    size: int  # how many memories say it
    memories: tuple[str, ...]  # the ids of the strongest
    first_at: datetime


class Graph(NamedTuple):
    nodes: tuple[Node, ...]  # strongest first
    edges: tuple[Edge, ...]  # heaviest first, at most four for each node
    total: int  # how many nodes there are in all
    first_at: datetime | None
    last_at: datetime | None


class _Spot:
    def __init__(self, id: str, name: str, type: str, aliases: tuple[str, ...] = ()) -> None:
        self.id, self.name, self.type, self.aliases = id, name, type, aliases
        self.ties: list[Tie] = []


def graph(space: OpenSpace, limit: int) -> Graph:
    """The `limit` strongest nodes (0: all) and their edges."""
    with space.store.reading():
        entities, ties = space.store.query_as(Entity, "entities"), space.store.overview.ties()
    tied = _tied(entities, ties)
    held = {value for tie, _, value in tied if not tie.ended_at}
    over = {
        value: moment(tie.ended_at, space.zone)
        for tie, _, value in tied
        if value and value not in held and value.type != "place"
    }
    tied = [one for one in tied if not one[0].ended_at or one[2] in over]
    nodes: dict[_Spot, Node] = {}
    for spot in {spot: None for _, spots, _ in tied for spot in spots if spot.ties}:
        strength = round(sum(tie.strength for tie in spot.ties), 4)
        first = moment(min(tie.said_at for tie in spot.ties), space.zone)
        last = moment(max(tie.changed_at for tie in spot.ties), space.zone)
        known = (spot.id, spot.name, spot.type, spot.aliases, strength, len(spot.ties))
        nodes[spot] = Node(*known, first, last, over.get(spot))
    shown = sorted(nodes, key=lambda spot: -nodes[spot].strength)[: limit or None]
    return Graph(
        tuple(nodes[spot] for spot in shown),
        tuple(_edges(tied, set(shown), space.zone)),
        len(nodes),
        min((one.first_at for one in nodes.values()), default=None),
        max((one.last_at for one in nodes.values()), default=None),
    )


_Tied = list[tuple["Tie", list[_Spot], _Spot | None]]


def _tied(entities: Iterable[Entity], ties: Iterable[Tie]) -> _Tied:
    """Each memory, whom and what it names, and which of these is its value."""
    named: dict[str, _Spot] = {}
    for one in entities:
        spot = _Spot(one.id, one.name, one.type, one.aliases)
        named |= dict.fromkeys(map(fold, (*one.aliases, one.name)), spot)
    known = dict(named)

    def spot_of(name: str, type: str = "other") -> _Spot:
        spot = named.setdefault(fold(name), _Spot(f"name:{name}", name, type))
        spot.type = type if spot.type == "other" else spot.type
        return spot

    found: _Tied = []
    for tie in ties:
        value = known.get(fold(tie.value)) if tie.value else None
        if tie.value and tie.attribute in _VALUE_TYPES:
            value = spot_of(tie.value, _VALUE_TYPES[tie.attribute])
        spots = [spot_of(tie.subject)] if tie.subject else []
        spots += [value] if value else []
        spots += [spot_of(name) for name in tie.entities]
        spots += [spot_of(tie.project, "project")] if tie.project != GLOBAL_PROJECT else []
        spots = list(dict.fromkeys(spots))[:_NAMED]
        for spot in spots:
            spot.ties += [] if tie.ended_at else [tie]
        found.append((tie, spots, value if tie.subject else None))
    return found


def _edges(tied: _Tied, shown: set[_Spot], zone: tzinfo | None) -> Iterator[Edge]:
    pairs: dict[tuple[str, str], list[tuple[Tie, str]]] = {}
    for tie, spots, value in tied:
        for one, other in combinations([spot for spot in spots if spot in shown], 2):
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
