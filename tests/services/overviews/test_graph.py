"""People and things, and what ties them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import NotFoundError
from loxodon.services.overviews.graph import Graph
from tests.clock import Clock
from tests.growth import linear


def ties(graph: Graph) -> set[tuple[Any, ...]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[one.source], names[one.target], *one.labels) for one in graph.edges}


def test_what_is_said_ties_people_places_and_projects(memory: Memory, clock: Clock) -> None:
    turns = ["My sister Mei moved to Osaka", "My manager Priya lives in Berlin", "I live in Leeds"]
    memory.add([{"role": "user", "content": text} for text in turns], session="talk")
    memory.consolidate()
    memory.capture("Mei and Priya met", entities=["Mei", "Priya"], project="Acme")
    graph = memory.graph()
    types = {node.name: node.type for node in graph.nodes}
    assert types["Mei"] == "person"
    assert (types["Osaka"], types["Leeds"], types["Acme"]) == ("place", "place", "project")
    assert {
        ("user", "Mei", "sibling"),
        ("user", "Priya", "manager"),
        ("Mei", "Osaka", "home"),
        ("Priya", "Berlin", "home"),
        ("user", "Leeds", "home"),
        ("Mei", "Priya"),
    } <= ties(graph)
    assert graph.nodes[0].name == "user"
    (mei,) = [node for node in graph.nodes if node.name == "Mei"]
    assert mei.memories == len(memory.list(entity="Mei"))
    assert mei.id.startswith("e_")
    assert graph.total == len(graph.nodes)
    for edge in graph.edges:
        assert all(memory.get(id) for id in edge.memories)


def test_the_graph_grows_with_time_and_is_walked_from_one_to_the_next(
    memory: Memory, clock: Clock
) -> None:
    memory.capture("Ann knows Bo", entities=["Ann", "Bo"])
    clock.pass_days(10)
    memory.capture("Bo knows Cy", entities=["Bo", "Cy"])
    then = memory.graph(until=clock.now - timedelta(days=1))
    assert {node.name for node in then.nodes} == {"Ann", "Bo"}
    assert ties(memory.graph(around="ann")) == {("Ann", "Bo")}
    around = memory.graph(around="Bo", limit=2)
    assert around.nodes[0].name == "Bo"
    assert (len(around.nodes), around.total) == (2, 3)
    assert memory.graph(around=around.nodes[0].id).nodes[0].name == "Bo"
    assert len(memory.graph(limit=1).nodes) == 1
    memory.edit(memory.list()[0].id, entities=["Bo", "Di"])
    assert {node.name for node in memory.graph().nodes} == {"Ann", "Bo", "Di"}
    clock.pass_days(100)
    assert memory.graph().nodes[0].strength < around.nodes[0].strength
    with pytest.raises(NotFoundError, match="nothing is known about"):
        memory.graph(around="Zed")


def test_a_group_sees_nothing_of_what_is_private(memory: Memory) -> None:
    memory.capture("Ann knows Bo", entities=["Ann", "Bo"])
    memory.capture("Bo plays go", entities=["Bo"], audience="group")
    graph = memory.within(chat="group").graph()
    assert [(node.name, node.memories) for node in graph.nodes] == [("Bo", 1)]
    assert graph.edges == ()


def test_a_graph_grows_with_its_memories(memory: Memory) -> None:
    def made(count: int) -> Memory:
        have = memory.stats().total
        with memory._store.writing():
            for n in range(have, count):
                memory.capture(f"{n}", entities=[f"P{n % 97}", f"Q{n % 31}"])
        return memory

    linear(lambda one: one.graph(limit=0), made, 800)
