"""From bytes to a value: what models wrap around JSON, and what they say instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.models.replies import Message, UnfitError, message_of, value_of
from tests.each import each

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
    "required": ["n", "kinds"],
}
GOOD = {"n": 1, "kinds": ["a"]}
TEXT = json.dumps(GOOD)


def body(message: object, ended: object = "stop", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": ended}], **more}).encode()


@each(
    "text",
    [
        TEXT,
        f"  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"Sure! Here is the JSON:\n\n{TEXT}\n\nI hope this helps.",
        f"<think>Well, {{maybe}} … {{}}</think>{TEXT}",
        f"好的，结果如下：{TEXT}。",
        f"The set {{x}} is not it, this is: {TEXT}",
        f"﻿{TEXT}",
        json.dumps(GOOD | {"more": None}),
    ],
)
def test_json_is_found(text: str) -> None:
    value = value_of(text, SCHEMA)
    assert {name: value[name] for name in GOOD} == GOOD


@each(
    ("text", "why"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("<think>hm</think>", "empty"),
        ("I cannot help with that.", "no whole JSON"),
        ("{", "no whole JSON"),
        (TEXT[:-2], "no whole JSON"),
        ('{"n": NaN, "kinds": []}', "no whole JSON"),
        ("[]", "must be of type object"),
        ("5", "must be of type object"),
        ('"{}"', "must be of type object"),
        ("{}", "lacks n"),
        ('{"n": "1", "kinds": []}', "n must be of type integer"),
        ('{"n": true, "kinds": []}', "n must be of type integer"),
        ('{"n": 1.5, "kinds": []}', "n must be of type integer"),
        ('{"n": 1, "kinds": {}}', "kinds must be of type array"),
        ('{"n": 1, "kinds": ["c"]}', r"kinds\[0\] must be one of a, b"),
        ('{"n": 1, "kinds": [null]}', r"kinds\[0\] must be of type string"),
        ('{"a":' * 100_000, "no whole JSON"),
        ("[" * 100_000 + "]" * 100_000, "no whole JSON"),
        ("{" * 1_000_000, "no whole JSON"),
        ("{}" * 500_000, "no whole JSON"),
        ("```\n" * 300_000, "no whole JSON"),
        ("<think>" * 150_000, "no whole JSON"),
        ("9" * 1_000_000, "no whole JSON"),
    ],
)
def test_what_does_not_fit(text: str, why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        value_of(text, SCHEMA)


@given(st.text())
def test_any_text_fits_or_is_refused(text: str) -> None:
    for said in (text, text + TEXT, TEXT + text):
        try:
            value_of(said, SCHEMA)
        except UnfitError:
            continue


def test_the_message_and_its_cost() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    assert message_of(body({"content": "hi"}, usage=usage), False) == Message("hi", 12, 3, False)
    assert message_of(body({"content": "hi"}, "length"), False) == Message("hi", None, None, True)
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}, 5]
    assert message_of(body({"content": parts}), False).text == "ab"
    assert message_of(b"\xef\xbb\xbf" + body({"content": None}), False).text == ""


@pytest.mark.parametrize("usage", [5, None, {"prompt_tokens": "x"}, {"completion_tokens": -1}, {}])
def test_a_cost_that_makes_no_sense(usage: Any) -> None:
    found = message_of(body({"content": "hi"}, usage=usage), False)
    assert (found.tokens_in, found.tokens_out) == (None, None)


@each(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"[1]", "no message"),
        (b"{}", "no message"),
        (b'{"choices": []}', "no message"),
        (b'{"choices": [null]}', "no message"),
        (b'{"choices": [{"text": "old"}]}', "no message"),
        (body("hi"), "no message"),
        (body({"content": "", "refusal": "I cannot"}), "refused"),
        (body({"content": "x"}, "content_filter"), "refused"),
        (b"data: {", "not JSON"),
        (b"data: {}\n\ndata: 5\n\n", ""),
    ],
)
def test_answers_without_a_message(data: bytes, why: str) -> None:
    if why:
        with pytest.raises(UnfitError, match=why):
            message_of(data, False)
    else:
        assert message_of(data, False).text == ""


def test_a_stream_that_nobody_asked_for() -> None:
    events = [
        {"choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": '{"n": 1, '}}]},
        {"choices": [{"delta": {"content": '"kinds": []}'}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 9}},
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    data = (": ping\n\n" + "".join(lines) + "data: [DONE]\n\n").encode()
    for streamed, sent in ((True, data), (False, data.removeprefix(b": ping\n\n"))):
        assert message_of(sent, streamed) == Message('{"n": 1, "kinds": []}', 4, 9, False)
    cut = {"choices": [{"delta": {"content": "{"}, "finish_reason": "length"}]}
    assert message_of(f"data: {json.dumps(cut)}\n".encode(), True).cut
