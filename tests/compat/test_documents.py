"""What programs keep beside the memories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.compat.documents import MAX_DEPTH, MAX_VALUE
from loxodon.errors import ConfigError, InputError
from tests.cli.shell import Shell
from tests.each import each
from tests.long import count

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


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=count(10, 30),
)
@given(JSON)
def test_value_comes_back_exactly(memory: Memory, value: Any) -> None:
    memory.documents.put(("a",), "k", value)
    found = memory.documents.get(("a",), "k")
    assert found is not None
    assert json.dumps(found.value) == json.dumps(value)


def test_list_grows_at_its_end(memory: Memory) -> None:
    documents = memory.documents
    assert documents.get(("s",), "k") is None
    assert not documents.delete(("s",), "k")
    with pytest.raises(InputError):  # all are kept, or none
        documents.append(("s",), [1, object()])
    documents.append(("s",), [1, 2])
    documents.append(("s",), [3])
    assert [one.value for one in documents.newest(("s",))] == [3, 2, 1]
    assert [one.value for one in documents.newest(("s",), 2)] == [3, 2]
    (last,) = documents.newest(("s",), 1)
    assert documents.delete(("s",), last.key)
    assert [one.value for one in documents.newest(("s",))] == [2, 1]


def test_document_is_found_by_its_words(memory: Memory) -> None:
    documents = memory.documents
    documents.put(("n",), "en", {"text": "Ann likes hiking in the Alps"})
    documents.put(("n",), "zh", {"text": "她周末喜欢爬山"})
    documents.put(("n",), "names", {"theme": ["dark", 42]})
    documents.put(("n",), "related", {"text": "她养了一只小狗"})
    for queries, key in (
        (("hiking", "hike"), "en"),
        (("爬山", "周末爬山吗"), "zh"),
        (("theme", "42"), "names"),
        (("dog",), "related"),
    ):
        for query in queries:
            best, *others = documents.search(("n",), query)
            assert best.key == key
            assert best.score is not None
            assert 0 < best.score <= 1
            assert len(others) == 3
            assert all(one.score is None or one.score <= best.score for one in others)


def test_better_match_comes_first(memory: Memory) -> None:
    documents = memory.documents
    for n in range(30):
        documents.put(("n",), str(n), f"the red house {n}")
    documents.put(("n",), "best", "the red garden house")
    found = documents.search(("n",), "red garden house", limit=3)
    assert found[0].key == "best"
    assert found[0].score == pytest.approx(1.0)


def test_search_with_a_condition_looks_as_far_as_it_must(memory: Memory) -> None:
    documents = memory.documents
    with documents.together():
        for n in range(700):
            documents.put(("n",), str(n), {"n": n, "text": "tea"})
    wanted = documents.search(("n",), "tea", wanted=lambda value: value["n"] < 3, limit=2, offset=1)
    assert {one.value["n"] for one in wanted} < {0, 1, 2}
    assert len(wanted) == 2
    plain = documents.search(("n",), wanted=lambda value: value["n"] < 3, limit=5)
    assert [one.value["n"] for one in plain] == [2, 1, 0]


def test_documents_are_not_memories(memory: Memory) -> None:
    memory.documents.put(("a",), "k", {"text": "The user is allergic to peanuts"})
    assert memory.recall("peanuts").items == ()
    assert memory.consolidate(force=True).counts.get("added", 0) == 0
    assert memory.list() == []


def test_documents_survive_export_and_restore(memory: Memory, tmp_path: Path) -> None:
    memory.documents.put(("用户", "a/b"), "k", {"half": "\ud800", "n": 1.5, "list": [None, True]})
    memory.documents.put(("short",), "k", "tea")
    folder = memory.workspace.export().folder
    Shell(tmp_path / "new")("restore", folder)
    with Memory.open(tmp_path / "new", config=memory.config, clock=memory.now) as other:
        for namespace in (("用户", "a/b"), ("short",)):
            assert other.documents.get(namespace, "k") == memory.documents.get(namespace, "k")
        other.rebuild_index()
        assert other.documents.search((), "tea")[0].namespace == ("short",)
        assert other.validate() == []
        last = other.documents.append(("short",), [1])[0]
        assert int(last.key) > 2


def test_documents_need_the_engine(tmp_path: Path) -> None:
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


@each(
    ("namespace", "key", "value"),
    [
        *(
            (("a",), "k", value)
            for value in (object(), {1: 2}, {"a": {3}}, b"x", float("nan"), [float("inf")])
        ),
        (("a",), "k", _nested(MAX_DEPTH + 1)),
        (("a",), "k", "x" * MAX_VALUE),
        (("",), "k", 1),
        (("a",), "", 1),
        (("a", 1), "k", 1),
        (("a",) * 40, "k", 1),
        (("a",), "k" * 3_000, 1),
        (("\ud800",), "k", 1),
    ],
)
def test_values_and_names_that_cannot_be_kept_are_refused(
    memory: Memory, namespace: Any, key: str, value: Any
) -> None:
    with pytest.raises(InputError):
        memory.documents.put(namespace, key, value)
    assert memory.documents.namespaces() == []
