"""The conditions of other programs."""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import Any

import pytest

from loxodon.compat import vectors
from loxodon.compat.filters import langgraph_admits, mem0_admits
from loxodon.errors import CallError, ConfigError
from tests.cases import cases
from tests.each import each

VALUE = {"n": 3, "text": "Green tea", "tags": ["a", "b"], "deep": {"x": 1, "y": None}, "no": None}


@each(("conditions", "holds"), cases(__file__, "langgraph"))
def test_conditions_of_langgraph(conditions: dict[str, Any], holds: bool) -> None:
    assert langgraph_admits(conditions, VALUE) is holds


@each(("conditions", "holds"), cases(__file__, "mem0"))
def test_conditions_of_mem0(conditions: dict[str, Any], holds: bool) -> None:
    assert mem0_admits(conditions, VALUE) is holds


@pytest.mark.parametrize(
    ("admits", "conditions"),
    [
        (langgraph_admits, {"n": {"$regex": "x"}}),
        (mem0_admits, {"n": {"like": "x"}}),
        (mem0_admits, {"OR": {"n": 3}}),
        (mem0_admits, {"AND": ["n"]}),
    ],
)
def test_invalid_condition_is_refused(admits: Any, conditions: Any) -> None:
    with pytest.raises(CallError):
        admits(conditions, VALUE)
    with pytest.raises(ValueError, match="condition"):
        admits(conditions, VALUE)


@each("name", ["", "a'b", 'a"b', "x') OR ('1'='1", "a\nb", "a\\b"])
def test_condition_on_an_invalid_name_is_refused(name: str) -> None:
    assert langgraph_admits({"a.b": 1}, {"a.b": 1, "a": {"b": 2}})
    with pytest.raises(CallError, match="Invalid filter key"):
        langgraph_admits({name: 1}, VALUE)


@pytest.mark.parametrize("numpy", [True, False])
def test_the_nearest_of_several_texts_counts(monkeypatch: pytest.MonkeyPatch, numpy: bool) -> None:
    if not numpy:
        monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    made = {"x": [2, 0, 0], "y": [0, 5, 0], "xy": [1, 1, 0], "o": [0, 0, 0]}
    kept: dict[str, Any] = {name: vectors.kept(one, 3) for name, one in made.items()}
    other = vectors.kept([1] * 9, 0)
    documents = [kept, {"y": kept["y"]}, {"xy": kept["xy"], "y": kept["y"]}, {}]
    documents += [{"o": kept["o"]}, {"of another size": other}, {"no vector": "7"}]
    assert vectors.nearness([3, 0, 0], documents) == pytest.approx(
        [1.0, 0.0, 0.5**0.5, None, 0.0, None, None], abs=1e-6
    )
    assert vectors.nearness([1, 0, 0], []) == []


def test_both_ways_to_compare_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    made = [[rng.gauss() for _ in range(40)] for _ in range(30)]
    documents = [{"": vectors.kept(one, 40)} for one in made[1:]]
    fast = vectors.nearness(made[0], documents)
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    assert vectors.nearness(made[0], documents) == pytest.approx(fast, abs=1e-6)


def test_a_vector_of_another_size_is_refused() -> None:
    with pytest.raises(CallError, match="`dims` is 3"):
        vectors.kept([1.0, 2.0], 3)


@pytest.mark.skipif(find_spec("langgraph") is not None, reason="LangGraph is installed")
def test_without_langgraph_it_says_what_to_install() -> None:
    with pytest.raises(ConfigError, match="langgraph") as caught:
        import loxodon.compat.langgraph  # noqa: F401
    assert "pip install langgraph" in caught.value.hint
