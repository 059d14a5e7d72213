"""What programs keep beside the memories."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.documents import MAX_DEPTH, MAX_VALUE, as_json
from loxodon.errors import ConfigError, InputError
from loxodon.workspace.views.restore import restore
from tests.clock import Clock

ANY_TEXT = st.text(st.characters(codec=None), max_size=20)  # half characters too
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_gives_the_same_value_back(value: Any) -> None:
    text = as_json(value)
    text.encode("utf-8")
    assert json.dumps(json.loads(text)) == json.dumps(value)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=30,
)
@given(JSON)
def test_a_value_comes_back_exactly(memory: Memory, value: Any) -> None:
    memory.documents.put(("a",), "k", value)
    found = memory.documents.get(("a",), "k")
    assert found is not None
    assert json.dumps(found.value) == json.dumps(value)


def test_what_is_not_there_is_none(memory: Memory) -> None:
    assert memory.documents.get(("a",), "k") is None
    assert memory.documents.pop(("a",)) is None
    assert not memory.documents.delete(("a",), "k")


def test_a_list_grows_at_its_end_and_is_taken_from_there(memory: Memory) -> None:
    documents = memory.documents
    documents.append(("s",), [1, 2])
    documents.append(("s",), [3])
    assert [one.value for one in documents.newest(("s",))] == [3, 2, 1]
    assert [one.value for one in documents.newest(("s",), 2)] == [3, 2]
    gone = documents.pop(("s",))
    assert gone is not None
    assert gone.value == 3
    assert documents.clear(("s",)) == 2
    assert documents.newest(("s",)) == []


def test_several_changes_are_all_kept_or_none(memory: Memory) -> None:
    documents = memory.documents
    with pytest.raises(InputError):
        documents.append(("a",), [1, object()])
    assert documents.newest(("a",)) == []


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("hiking", "en"),
        ("hike", "en"),
        ("爬山", "zh"),
        ("周末爬山吗", "zh"),
        ("theme", "names"),
        ("42", "names"),
        ("dog", "related"),
    ],
)
def test_a_document_is_found_by_its_words(memory: Memory, query: str, key: str) -> None:
    documents = memory.documents
    documents.put(("n",), "en", {"text": "Ann likes hiking in the Alps"})
    documents.put(("n",), "zh", {"text": "她周末喜欢爬山"})
    documents.put(("n",), "names", {"theme": ["dark", 42]})
    documents.put(("n",), "related", {"text": "她养了一只小狗"})
    best, *others = documents.search(("n",), query)
    assert best.key == key
    assert best.score is not None
    assert 0 < best.score <= 1
    assert len(others) == 3
    assert all(one.score is None or one.score <= best.score for one in others)


def test_what_has_more_of_the_query_comes_first(memory: Memory) -> None:
    documents = memory.documents
    for n in range(30):
        documents.put(("n",), str(n), f"the red house {n}")
    documents.put(("n",), "best", "the red garden house")
    found = documents.search(("n",), "red garden house", limit=3)
    assert found[0].key == "best"
    assert found[0].score == pytest.approx(1.0)


def test_conditions_look_as_far_as_they_must(memory: Memory) -> None:
    documents = memory.documents
    with documents.together():
        for n in range(1_300):
            documents.put(("n",), str(n), {"n": n, "text": "tea"})
    wanted = documents.search(("n",), "tea", wanted=lambda value: value["n"] < 3, limit=2, offset=1)
    assert {one.value["n"] for one in wanted} < {0, 1, 2}
    assert len(wanted) == 2
    plain = documents.search(("n",), wanted=lambda value: value["n"] < 3, limit=5)
    assert [one.value["n"] for one in plain] == [2, 1, 0]


def test_an_order_by_scores_of_the_caller(memory: Memory) -> None:
    documents = memory.documents
    for n in range(60):
        documents.put(("n", str(n % 2)), str(n), n)
    scores = {(("n", "0"), "4"): -0.5, (("n", "1"), "7"): 0.9, (("n", "0"), "8"): 0.0}

    def found(**more: Any) -> list[tuple[int, float | None]]:
        told = documents.search(("n",), scored=lambda *one: scores.get(one), limit=4, **more)
        return [(one.value, one.score) for one in told]

    assert found() == [(7, 0.9), (8, 0.0), (4, -0.5), (59, None)]
    assert found(offset=2) == [(4, -0.5), (59, None), (58, None), (57, None)]
    assert found(wanted=lambda value: value < 8) == [(7, 0.9), (4, -0.5), (6, None), (5, None)]


def test_what_has_expired_is_gone(memory: Memory, clock: Clock) -> None:
    documents = memory.documents
    documents.put(("a",), "short", "tea", minutes=10)
    documents.put(("a",), "wanted", "tea", minutes=10)
    documents.put(("a",), "long", "tea")
    clock.now += timedelta(minutes=9)
    assert documents.get(("a",), "wanted", refresh=True) is not None
    clock.now += timedelta(minutes=9)
    assert documents.get(("a",), "short") is None
    assert {one.key for one in documents.search(("a",), "tea")} == {"wanted", "long"}
    assert [one.key for one in documents.newest(("a",))] == ["long", "wanted"]
    assert documents.sweep() == 1
    assert documents.sweep() == 0


def test_documents_are_no_memories(memory: Memory) -> None:
    memory.documents.put(("a",), "k", {"text": "The user is allergic to peanuts"})
    assert memory.recall("peanuts").items == ()
    assert memory.consolidate(force=True).counts.get("added", 0) == 0
    assert memory.list() == []


def test_documents_survive_export_and_restore(memory: Memory, tmp_path: Path) -> None:
    memory.documents.put(("用户", "a/b"), "k", {"half": "\ud800", "n": 1.5, "list": [None, True]})
    memory.documents.put(("short",), "k", "tea", minutes=10)
    folder = memory.workspace.export().folder
    restore(folder, str(tmp_path / "new"), config=memory.config)
    with Memory.open(tmp_path / "new", config=memory.config, clock=memory.now) as other:
        for namespace in (("用户", "a/b"), ("short",)):
            assert other.documents.get(namespace, "k") == memory.documents.get(namespace, "k")
        assert other.documents.search((), "tea")[0].namespace == ("short",)
        assert other.validate() == []
        last = other.documents.append(("short",), [1])[0]
        assert int(last.key) > 2


def test_rebuilding_the_index_finds_them_again(memory: Memory) -> None:
    memory.documents.put(("a",), "k", "tea")
    memory.rebuild_index()
    assert memory.documents.search(("a",), "tea")[0].score == 1.0
    assert memory.validate() == []


def test_with_the_engine_off_they_say_so(tmp_path: Path) -> None:
    with (
        Memory.open(tmp_path, config={"enabled": False}) as memory,
        pytest.raises(ConfigError, match="turned off"),
    ):
        memory.documents.get(("a",), "k")


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1: 2},
        {"a": {3}},
        b"x",
        float("nan"),
        [float("inf")],
        _nested(MAX_DEPTH + 1),
        "x" * MAX_VALUE,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_is_refused(memory: Memory, value: Any) -> None:
    with pytest.raises(InputError):
        memory.documents.put(("a",), "k", value)
    assert memory.documents.namespaces() == []


@pytest.mark.parametrize(
    ("namespace", "key"),
    [
        (("",), "k"),
        (("a",), ""),
        (("a", 1), "k"),
        (("a",) * 40, "k"),
        (("a",), "k" * 3_000),
        (("\ud800",), "k"),
    ],
)
def test_names_that_cannot_be_kept_are_refused(memory: Memory, namespace: Any, key: str) -> None:
    with pytest.raises(InputError):
        memory.documents.put(namespace, key, 1)
