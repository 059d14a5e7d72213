"""A message comes back from a transcript as it was said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.errors import InputError
from loxodon.working.shapes import checked, images_in, text_of, to_kept, to_sent
from tests.clock import NOW
from tests.each import each
from tests.working.talk import assistant, calls, result, user

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}
MESSAGES: list[dict[str, Any]] = [
    user("我对花生过敏"),
    user(""),
    {"role": "user", "content": [{"type": "text", "text": "look"}, IMAGE], "name": "alice"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AA"}}]},
    assistant("好的"),
    calls("a", "b", text="let me look"),
    calls("a"),
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{not json"}}
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "d", "type": "custom", "custom": {"name": "shell", "input": "ls"}}],
    },
    result("a", "42"),
    {"role": "tool", "tool_call_id": "a", "content": "x", "name": "search"},
    {"role": "assistant", "content": "hm", "reasoning_content": "thinking"},
    {"role": "system", "content": "be kind"},
]


@each("message", MESSAGES)
def test_it_comes_back_as_it_was(message: dict[str, Any]) -> None:
    kept = json.loads(json.dumps(to_kept(message, NOW)))
    assert to_sent(kept) == message


@given(st.text(), st.sampled_from(["user", "assistant"]))
def test_any_words_come_back(text: str, role: str) -> None:
    assert to_sent(to_kept({"role": role, "content": text}, NOW)) == {"role": role, "content": text}


def test_it_is_kept_as_openclaw_writes_it() -> None:
    kept = to_kept(calls("a", text="hm"), NOW)
    assert [block["type"] for block in kept["content"]] == ["text", "toolCall"]
    assert kept["content"][1] == {
        "type": "toolCall",
        "id": "a",
        "name": "search",
        "arguments": {"q": "x"},
        "partialArgs": '{"q": "x"}',
    }
    assert to_kept(result("a", "42"), NOW)["role"] == "toolResult"
    image = to_kept(MESSAGES[2], NOW)["content"][1]
    assert (image["type"], image["data"], image["mimeType"]) == ("image", "AAAA", "image/png")


def test_what_openclaw_wrote_can_be_sent() -> None:
    said = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "…"},
            {"type": "text", "text": "hm"},
            {"type": "toolCall", "id": "1", "name": "f", "arguments": {"a": "中"}},
        ],
    }
    assert to_sent(said) == {
        "role": "assistant",
        "content": "hm",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "中"}'}}
        ],
    }
    assert to_sent({"role": "bashExecution", "content": "ls"}) is None
    assert to_sent({"role": "user", "content": None}) == {"role": "user", "content": ""}


def test_words_and_images_of_a_message() -> None:
    assert text_of(MESSAGES[2]) == "look"
    assert images_in(MESSAGES[2]) == 1
    assert text_of({"role": "assistant", "content": None}) == ""


@each(
    "bad",
    [
        {},
        {"role": "alien", "content": "x"},
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "user", "content": 3},
        {"role": "user", "content": ["x"]},
        {"role": "user", "content": b"x"},
        7,
    ],
)
def test_what_is_no_message_is_refused(bad: Any) -> None:
    with pytest.raises(InputError):
        checked(bad)
