"""The LangGraph store: one contract, for LangGraph's own store in memory and for ours."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypedDict

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from tests.cases import cases

if find_spec("langgraph") is None:
    pytest.skip("needs LangGraph: make test-compat", allow_module_level=True)

from langgraph.graph import START, StateGraph  # type: ignore[import-not-found, unused-ignore]
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp  # type: ignore[import-not-found, unused-ignore]
from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found, unused-ignore]

from loxodon.compat.langgraph import LoxodonStore


@pytest.fixture(params=["langgraph", "loxodon"])
def store(request: pytest.FixtureRequest, memory: Memory) -> Any:
    return InMemoryStore() if request.param == "langgraph" else LoxodonStore(memory)


@pytest.fixture
def ours(memory: Memory) -> Any:
    return LoxodonStore(memory)


def keys(found: list[Any]) -> list[str]:
    return sorted(item.key for item in found)


# What both promise


def test_values_are_put_replaced_and_deleted(store: Any) -> None:
    deep = {"text": "茶", "n": 1, "f": 0.1, "none": None, "yes": True, "deep": {"x": [1, [2, {}]]}}
    for value in ({}, deep):
        store.put(("users", "1"), "prefs", value)
        item = store.get(("users", "1"), "prefs")
        assert (item.namespace, item.key, item.value) == (("users", "1"), "prefs", value)
        assert item.created_at.tzinfo is not None
        assert item.created_at <= item.updated_at
        assert set(item.dict()) == {"namespace", "key", "value", "created_at", "updated_at"}
    assert store.get(("users",), "prefs") is store.get(("users", "1"), "other") is None
    assert len(store.search(("users",))) == 1
    store.delete(("users", "1"), "prefs")
    store.delete(("users", "1"), "never was")
    assert store.get(("users", "1"), "prefs") is None
    assert store.search(("users",)) == []


def test_search_has_all_namespaces_that_begin_so_in_pages(store: Any) -> None:
    for namespace in (("a",), ("a", "b"), ("ab",), ("b", "a")):
        store.put(namespace, "-".join(namespace), {})
    assert keys(store.search(("a",))) == ["a", "a-b"]
    assert keys(store.search(("a", "b"))) == ["a-b"]
    assert keys(store.search(("c",))) == []
    assert len(store.search(())) == 4
    for n in range(7):
        store.put(("p",), str(n), {})
    pages = [store.search(("p",), limit=3, offset=start) for start in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert keys([item for page in pages for item in page]) == list("0123456")


def test_filter_admits_what_has_all_of_it(store: Any) -> None:
    store.put(("n",), "a", {"kind": "note", "n": 1, "deep": {"x": 1, "y": 2}})
    store.put(("n",), "b", {"kind": "todo", "n": 2, "deep": {"x": 2}, "tags": ["t"]})
    store.put(("n",), "c", {"kind": "note", "n": 3, "deep": {"x": 0}, "tags": []})
    for case in cases(__file__, "filter"):
        found = store.search(("n",), filter=case["asked"])
        assert keys(found) == list(case["found"]), case
    assert keys(store.search(("n",), query="todo")) == ["a", "b", "c"]  # it leaves nothing out
    assert keys(store.search(("n",), query="todo", filter={"kind": "note"})) == ["a", "c"]
    with pytest.raises(ValueError, match="regex"):
        store.search(("n",), filter={"n": {"$regex": "1"}})


def test_namespaces_are_listed_in_order(store: Any) -> None:
    for namespace in (("b", "a"), ("a", "b", "d", "e"), ("a", "c", "f"), ("a", "b", "c")):
        store.put(namespace, "k", {})
    for case in cases(__file__, "namespaces"):
        asked = {name: tuple(v) if isinstance(v, list) else v for name, v in case["asked"].items()}
        assert store.list_namespaces(**asked) == [tuple(one) for one in case["found"]], case


def test_batch_reads_before_it_writes(store: Any) -> None:
    store.put(("a",), "k", {"n": 1})
    got, found, put, names, gone = store.batch(
        [
            GetOp(("a",), "k"),
            SearchOp(("a",)),
            PutOp(("a",), "k", {"n": 2}),
            ListNamespacesOp((MatchCondition("prefix", ("a",)),)),
            PutOp(("b",), "k", None),
        ]
    )
    assert (got.value, [one.value for one in found]) == ({"n": 1}, [{"n": 1}])
    assert (put, names, gone) == (None, [("a",)], None)
    assert store.get(("a",), "k").value == {"n": 2}
    store.batch([PutOp(("a",), "k", {"n": 3}), PutOp(("a",), "k", None)])
    assert store.get(("a",), "k") is None


def test_invalid_namespaces_and_operations_are_refused(store: Any) -> None:
    wrong: list[Any] = [(), ("a.b",), ("",), ("langgraph", "x"), ("a", 1)]
    for namespace in wrong:
        with pytest.raises(ValueError, match=r"[Nn]amespace"):
            store.put(namespace, "k", {})
    assert store.search(()) == []
    with pytest.raises(ValueError, match="Unknown operation"):
        store.batch(["get"])


def test_calls_from_an_event_loop(store: Any) -> None:
    async def play() -> None:
        await store.aput(("a",), "k", {"n": 1})
        await asyncio.gather(*(store.aput(("b", str(n)), "k", {"n": n}) for n in range(20)))
        assert (await store.aget(("a",), "k")).value == {"n": 1}
        assert len(await store.asearch(("b",), limit=50)) == 20
        assert keys(await store.asearch(("b",), filter={"n": {"$gt": 18}})) == ["k"]
        await store.adelete(("a",), "k")
        assert await store.aget(("a",), "k") is None
        assert await store.alist_namespaces(prefix=("b",), max_depth=1) == [("b",)]

    asyncio.run(play())


class State(TypedDict):
    said: str


def test_graph_keeps_and_finds_across_runs(store: Any) -> None:
    def remember(state: State, *, store: BaseStore) -> State:
        known = store.search(("ann",), query=state["said"])
        store.put(("ann",), state["said"], {"text": state["said"]})
        return {"said": ", ".join(sorted(one.value["text"] for one in known))}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    graph = builder.compile(store=store)
    assert graph.invoke({"said": "likes tea"}) == {"said": ""}
    assert graph.invoke({"said": "which tea?"}) == {"said": "likes tea"}
    told = asyncio.run(graph.ainvoke({"said": "tea"}))
    assert told == {"said": "likes tea, which tea?"}


# What ours promises beyond that


def test_search_ranks_by_words_in_both_languages(ours: Any) -> None:
    ours.put(("n",), "a", {"text": "Ann likes hiking"})
    ours.put(("n",), "b", {"text": "她周末喜欢喝茶"})
    best, other = ours.search(("n",), query="周末喝什么茶")
    assert (best.key, other.key, other.score) == ("b", "a", None)
    assert 0 < best.score <= 1
    assert ours.search(("n",), query="hike", limit=1)[0].key == "a"


def test_indexed_fields_can_be_named(memory: Memory) -> None:
    store = LoxodonStore(memory, index={"fields": ["title", "parts[*].text"]})
    value = {"title": "tea", "parts": [{"text": "green"}, {"text": "oolong"}], "secret": "coffee"}
    store.put(("n",), "default", value)
    store.put(("n",), "named", value, index=["secret"])
    store.put(("n",), "hidden", value, index=False)

    def found(query: str) -> list[str]:
        return keys([one for one in store.search(("n",), query=query) if one.score is not None])

    assert found("tea") == found("oolong") == ["default"]
    assert found("coffee") == ["named"]
    assert len(store.search(("n",), query="tea")) == 3


def test_values_survive_a_restart_within_their_space(memory: Memory, tmp_path: Path) -> None:
    LoxodonStore(memory).put(("a",), "k", {"n": 1})
    with Memory.open(tmp_path / "home", config=memory.config) as other:
        item = LoxodonStore(other).get(("a",), "k")
        assert item is not None
        assert item.value == {"n": 1}
        assert LoxodonStore(other).list_namespaces() == [("a",)]
    with Memory.open(tmp_path / "home", "other", config=memory.config) as other:
        assert LoxodonStore(other).search(()) == []


def test_no_time_to_live_is_promised(memory: Memory) -> None:
    with pytest.raises(NotImplementedError):
        LoxodonStore(memory).put(("a",), "k", {}, ttl=5)


def test_invalid_write_leaves_the_batch_undone(ours: Any) -> None:
    with pytest.raises(InputError):
        ours.batch([PutOp(("a",), "k", {"n": 1}), PutOp(("a",), "bad", {"x": object()})])
    assert ours.search(()) == []
