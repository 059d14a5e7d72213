from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.serve.proxy.places import Insertion, items_of, object_of, spliced
from tests.each import each

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5), st.sampled_from([None, 1, 3]))
def test_every_value_stands_where_it_is_said_to(data: dict[str, object], indent: int) -> None:
    text = json.dumps(data, indent=indent)
    found = object_of(text)
    assert {key: one.value for key, one in found.items()} == data
    for one in found.values():
        assert json.loads(text[one.start : one.end]) == one.value
        if isinstance(one.value, list):
            items = items_of(text, one.start)
            assert [item.value for item in items] == one.value
            assert all(json.loads(text[i.start : i.end]) == i.value for i in items)


@each(
    "text",
    [
        "",
        "[]",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,}',
        '{"a":1} x',
        "{1:2}",
        "null",
        "\ufeff{}",
        '{"a":' + "[" * 100_000,
        '{"a":' + "9" * 5_000 + "}",
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        object_of(text)


def test_of_a_key_given_twice_the_last_counts() -> None:
    assert object_of('{"a": 1, "a": 2}')["a"].value == 2


def test_what_is_put_in_leaves_the_rest_alone() -> None:
    assert spliced("abc", [Insertion(3, "!"), Insertion(1, "1"), Insertion(1, "2")]) == "a12bc!"
