"""The conditions of other programs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

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


@each(("of_mem0", "conditions"), cases(__file__, "invalid"))
def test_invalid_condition_is_refused(of_mem0: bool, conditions: Any) -> None:
    with pytest.raises(ValueError, match="condition") as caught:
        (mem0_admits if of_mem0 else langgraph_admits)(conditions, VALUE)
    assert isinstance(caught.value, CallError)


@each("name", ["", "a'b", 'a"b', "x') OR ('1'='1", "a\nb", "a\\b"])
def test_condition_on_an_invalid_name_is_refused(name: str) -> None:
    assert langgraph_admits({"a.b": 1}, {"a.b": 1, "a": {"b": 2}})
    with pytest.raises(CallError, match="Invalid filter key"):
        langgraph_admits({name: 1}, VALUE)


@pytest.mark.skipif(find_spec("langgraph") is not None, reason="LangGraph is installed")
def test_without_langgraph_it_says_what_to_install() -> None:
    with pytest.raises(ConfigError, match="langgraph") as caught:
        import loxodon.compat.langgraph  # noqa: F401
    assert "pip install langgraph" in caught.value.hint
