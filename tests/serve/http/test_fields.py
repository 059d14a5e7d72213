from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.serve.http.fields import from_query, given
from loxodon.verbs.arguments import (
    CONVERSATION,
    FLAG,
    HISTORY,
    MOMENT,
    MOMENT_OR_NONE,
    NUMBER,
    TEXT,
    TEXTS,
    TURNS,
    WHOLE,
    Argument,
    Kind,
)
from tests.each import each

FIELDS = (
    Argument("query", TEXT, "", required=True),
    Argument("top", WHOLE, ""),
    Argument("tags", TEXTS, ""),
    Argument("done", FLAG, ""),
    Argument("ends", MOMENT_OR_NONE, ""),
)


def test_what_is_given_is_taken_and_null_is_as_good_as_nothing() -> None:
    assert given(FIELDS, {"query": "x", "top": None}) == {"query": "x"}
    assert given(FIELDS, {"query": "x", "ends": None}) == {"query": "x", "ends": None}


@each(
    ("data", "said"),
    [
        ([], "must be a JSON object"),
        ("text", "must be a JSON object"),
        ({}, "the field query is missing"),
        ({"query": None}, "the field query is missing"),
        ({"query": "x", "Top": 3}, "unknown field 'Top'"),
        ({"query": 3}, "query must be text"),
    ],
)
def test_what_cannot_be_taken_is_named(data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        given(FIELDS, data)


@each(
    ("kind", "bad"),
    [
        (WHOLE, -1),
        (WHOLE, True),
        (WHOLE, 1.5),
        (WHOLE, "3"),
        (WHOLE, 10**30),
        (NUMBER, "1"),
        (NUMBER, False),
        (FLAG, 1),
        (FLAG, "yes"),
        (TEXTS, "a,b"),
        (TEXTS, [1]),
        (MOMENT, 5),
        (MOMENT, "yesterday-ish"),
        (("a", "b"), "c"),
        (("a", "b"), ["a"]),
        (TURNS, {"role": "user"}),
        (HISTORY, [{"role": "user"}]),
        (HISTORY, [7]),
        (CONVERSATION, {"recalled": 3}),
        (CONVERSATION, {}),
        (CONVERSATION, {"recalled": ["x"]}),
    ],
)
def test_a_wrong_type_names_the_field(kind: Kind, bad: Any) -> None:
    with pytest.raises(InputError, match="it"):
        given((Argument("it", kind, ""),), {"it": bad})


def test_a_field_of_a_turn_that_nobody_knows_is_named() -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "timestmp": 1}]
    with pytest.raises(InputError, match="turn 2 is invalid: unknown field 'timestmp'"):
        given((Argument("turns", TURNS, ""),), {"turns": turns})


def test_a_time_without_an_offset_is_left_to_the_memory() -> None:
    field = (Argument("at", MOMENT, ""),)
    assert given(field, {"at": "2026-02-04"}) == {"at": datetime(2026, 2, 4)}
    aware = datetime(2026, 2, 4, 9, 30, tzinfo=timezone(timedelta(hours=8)))
    assert given(field, {"at": "2026-02-04T09:30:00+08:00"}) == {"at": aware}


def test_a_query_says_the_same_as_a_body() -> None:
    items = [("query", "花生"), ("top", "3"), ("tags", "a"), ("tags", "b"), ("done", "true")]
    found = given(FIELDS, from_query(FIELDS, items))
    assert found == {"query": "花生", "top": 3, "tags": ["a", "b"], "done": True}
    with pytest.raises(InputError, match="top must be a whole number"):
        given(FIELDS, from_query(FIELDS, [("query", "x"), ("top", "many")]))
    with pytest.raises(InputError, match="twice"):
        from_query(FIELDS, [("top", "1"), ("top", "2")])
    with pytest.raises(InputError, match="unknown field 'nope'"):
        given(FIELDS, from_query(FIELDS, [("query", "x"), ("nope", "1")]))
