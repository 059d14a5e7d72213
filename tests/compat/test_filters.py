"""The conditions of other programs."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon.compat.filters import langgraph_admits, mem0_admits
from loxodon.errors import CallError
from tests.each import each

VALUE = {"n": 3, "text": "Green tea", "tags": ["a", "b"], "deep": {"x": 1, "y": None}, "no": None}


@each(
    ("conditions", "holds"),
    [
        ({}, True),
        ({"n": 3}, True),
        ({"n": 4}, False),
        ({"n": 3, "text": "other"}, False),
        ({"missing": None}, True),
        ({"n": {"$eq": 3}}, True),
        ({"n": {"$ne": 3}}, False),
        ({"missing": {"$ne": 3}}, True),
        ({"n": {"$gt": 2, "$lt": 4}}, True),
        ({"n": {"$gte": 4}}, False),
        ({"n": {"$lte": 3}}, True),
        ({"n": {"$gt": "2"}}, True),
        ({"text": {"$gt": 2}}, False),
        ({"missing": {"$lt": 2}}, False),
        ({"deep": {"x": 1}}, True),
        ({"deep": {"x": {"$gt": 1}}}, False),
        ({"n": {"x": 1}}, False),
        ({"tags": ["a", "b"]}, True),
        ({"tags": ["a"]}, False),
        ({"tags": [{"$ne": "z"}, "b"]}, True),
        ({"deep.x": 1}, True),
        ({"deep.x": {"$gt": 1}}, False),
        ({"deep.x.z": 1}, False),
        ({"deep": {"x.y": None}}, True),
        ({"名字-1 of it": None}, True),
    ],
)
def test_conditions_of_langgraph(conditions: dict[str, Any], holds: bool) -> None:
    assert langgraph_admits(conditions, VALUE) is holds


@each(
    ("conditions", "holds"),
    [
        ({}, True),
        ({"n": 3}, True),
        ({"n": "3"}, False),
        ({"n": [1, 3]}, True),
        ({"n": {"eq": 3, "lt": 4}}, True),
        ({"n": {"ne": 3}}, False),
        ({"n": {"gt": 3}}, False),
        ({"n": {"gte": 3}}, True),
        ({"n": {"lte": 2}}, False),
        ({"text": {"lt": 2}}, False),
        ({"n": {"in": [3, 4]}}, True),
        ({"n": {"nin": [3, 4]}}, False),
        ({"missing": {"nin": [3]}}, True),
        ({"missing": {"in": [None]}}, False),
        ({"no": {"eq": None}}, True),
        ({"text": {"contains": "tea"}}, True),
        ({"text": {"contains": "green"}}, False),
        ({"text": {"icontains": "green"}}, True),
        ({"tags": {"contains": "b"}}, True),
        ({"n": {"contains": "3"}}, False),
        ({"n": "*"}, True),
        ({"missing": "*"}, False),
        ({"AND": [{"n": 3}, {"text": {"contains": "tea"}}]}, True),
        ({"OR": [{"n": 4}, {"tags": {"contains": "a"}}]}, True),
        ({"NOT": [{"n": 4}]}, True),
        ({"NOT": [{"n": 3}]}, False),
        ({"OR": [{"AND": [{"n": 3}, {"n": 4}]}]}, False),
    ],
)
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
def test_a_condition_that_makes_no_sense_is_refused(admits: Any, conditions: Any) -> None:
    with pytest.raises(CallError):
        admits(conditions, VALUE)
    with pytest.raises(ValueError, match="condition"):
        admits(conditions, VALUE)


def test_a_name_with_dots_is_looked_for_as_such_first() -> None:
    assert langgraph_admits({"a.b": 1}, {"a.b": 1, "a": {"b": 2}})


@each("name", ["", "a'b", 'a"b', "x') OR ('1'='1", "a\nb", "a\\b"])
def test_a_condition_on_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(CallError, match="Invalid filter key"):
        langgraph_admits({name: 1}, VALUE)
