"""The table of verbs says what there is: methods of a memory, kinds, types, and one path each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, get_args

import pytest

from loxodon import Memory
from loxodon.serve.http.fields import kind_of
from loxodon.serve.http.operations import OPERATIONS, names_in
from loxodon.verbs.arguments import joined, shared
from loxodon.verbs.table import BY_NAME, VERBS, OnRecord, Right, Rule, Verb

ROUTED = [one for one in VERBS if one.routes]
SURFACE_ONLY = {"reveal", "explain"}
"""What a surface does with what a verb gives; `recall` reveals by itself."""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("verbs") / "home") as opened:
        yield opened


def method(memory: Memory, verb: Verb) -> Callable[..., Any]:
    found: Callable[..., Any] = attrgetter(verb.name)(memory)
    return found


def test_a_verb_has_one_row_and_known_rules() -> None:
    assert len(BY_NAME) == len(VERBS)
    for one in VERBS:
        assert one.record in get_args(OnRecord), one.name
        assert one.wall in get_args(Rule), one.name
        for route in one.routes:
            assert route.method in ("GET", "POST", "PATCH", "DELETE"), one.name
            assert (route.right or one.right) in get_args(Right), one.name


@pytest.mark.parametrize("verb", ROUTED, ids=lambda verb: verb.name)
def test_a_verb_takes_what_its_method_takes(memory: Memory, verb: Verb) -> None:
    parameters = inspect.signature(method(memory, verb)).parameters
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
        assert verb.name == "edit"
        return
    named = names_in(verb.routes[0].path)
    assert len(named) <= len(parameters)
    taken = {one.name for one in verb.takes} | {name for r in verb.routes for name in r.given}
    assert taken - SURFACE_ONLY <= set(list(parameters)[len(named) :])
    for one in verb.takes:
        kind_of(one)
        parameter = parameters.get(one.name)
        if one.required and parameter:
            assert parameter.default is inspect.Parameter.empty, one.name


def test_long_work_that_tells_how_it_comes_along_takes_progress(memory: Memory) -> None:
    for verb in ROUTED:
        if verb.routes[0].long and not verb.routes[0].silent:
            assert "progress" in inspect.signature(method(memory, verb)).parameters, verb.name


def test_a_path_and_a_name_mean_one_operation() -> None:
    assert len({(one.method, one.path) for one in OPERATIONS}) == len(OPERATIONS)
    assert len({one.name for one in OPERATIONS}) == len(OPERATIONS)


def test_shared_arguments_are_named_reworded_and_needed() -> None:
    names = ["top", "project", "topic", "tag", "entity"]
    assert [one.name for one in shared("@TOP @FILTERS", "")] == names
    (query,) = shared("@QUERY!", "what to look for")
    assert (query.required, query.about) == (True, "what to look for")
    (content,) = shared("@CONTENT?", "")
    assert (content.required, content.about) == (False, "what to remember")
    with pytest.raises(KeyError):
        list(shared("@NOTHING", ""))


def test_a_line_that_is_indented_further_goes_on() -> None:
    assert joined("head | x\n    about\n        this\n    @TOP") == [
        "head | x",
        "about this",
        "@TOP",
    ]
