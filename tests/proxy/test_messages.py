"""Anthropic's API through the proxy, with its own client: what is recalled, put in and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from loxodon import Memory
from tests.proxy.conftest import Proxy, started
from tests.proxy.upstream import (
    Request,
    Stage,
    document,
    message_event,
    message_events,
    replies,
    streams,
)

if TYPE_CHECKING:  # its client takes longer to import than the tests to collect
    import anthropic

MARK = {"type": "ephemeral"}
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
LOOK = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"where": "vet"}}
FOUND = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "9:00"}
THOUGHT = {"type": "thinking", "thinking": "They have a dog.", "signature": "s"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def client_of(proxy: Proxy, **headers: str) -> anthropic.Anthropic:
    import anthropic

    return anthropic.Anthropic(
        base_url=proxy.url.removesuffix("/v1"),
        api_key="sk-ant-theirs",
        max_retries=0,
        default_headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


@pytest.fixture
def ai(proxy: Proxy, space: str) -> Iterator[anthropic.Anthropic]:
    with client_of(proxy, x_loxodon_space=space) as found:
        yield found


def ask(ai: anthropic.Anthropic, *said: Any, **more: Any) -> anthropic.types.Message:
    """Have a conversation go on: the user and the model speak in turn."""
    messages: Any = [
        {"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(said)
    ]
    reply: anthropic.types.Message = ai.messages.create(
        model="test", max_tokens=99, messages=messages, **more
    )
    return reply


def contents(request: Request) -> list[Any]:
    return [one["content"] for one in request.json["messages"]]


def journalled(proxy: Proxy, space: str, turns: int) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in proxy.journal(space, turns)]


def test_told_in_one_conversation_is_known_in_the_next(
    ai: anthropic.Anthropic, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("Noted that.")
    said: Any = [{"role": "user", "content": "我对花生过敏，以后推荐菜要记得"}]
    with ai.messages.stream(model="test", max_tokens=99, messages=said) as stream:
        assert "".join(stream.text_stream) == "Noted that."
    assert journalled(proxy, space, 2) == [
        ("user", "我对花生过敏，以后推荐菜要记得"),
        ("assistant", "Noted that."),
    ]
    upstream.play("不能吃花生")
    said = [{"role": "user", "content": "我对什么食物过敏？"}]
    raw = ai.messages.with_raw_response.create(
        model="test", max_tokens=99, system="简短回答", messages=said
    )
    assert raw.headers["x-loxodon-memory"].startswith("used; items=")
    (request,) = upstream.requests
    ((recalled, own),) = contents(request)
    assert own == text("我对什么食物过敏？")
    assert "我对花生过敏" in recalled["text"]
    assert request.json["system"].startswith("简短回答")
    assert request.headers["authorization"] == "Bearer sk-ant-theirs"
    assert request.headers["anthropic-version"]
    assert not [name for name in request.headers if name.startswith("x-loxodon")]
    assert len({turn.session for turn in proxy.journal(space, 4)}) == 2


def test_cache_marks_stay_before_what_is_added(
    ai: anthropic.Anthropic, upstream: Stage, dog: str
) -> None:
    system = [text("Be kind."), text("Be brief.", cache_control=MARK)]
    first = [text("What is my dog called?", cache_control=MARK)]
    ask(ai, first, system=system)
    again = [text("What is my dog called?")]  # the mark moves on with the conversation
    then = [text("How old may my dog Biscuit be?", cache_control=MARK)]
    ask(ai, again, "ok", then, system=system)
    one, two = upstream.requests
    *kept, snapshot = one.json["system"]
    assert kept == system
    assert "Biscuit" in snapshot["text"]
    assert snapshot.keys() == {"type", "text"}
    assert two.json["system"] == one.json["system"]
    recalled, own = contents(one)[0]
    assert "Biscuit" in recalled["text"]
    assert recalled.keys() == {"type", "text"}
    assert own == first[0]
    assert contents(two)[0] == [recalled, *again]
    assert contents(two)[2][-1] == then[0]


def test_tool_calls_are_one_exchange(
    ai: anthropic.Anthropic, upstream: Stage, proxy: Proxy, dog: str
) -> None:
    called = [THOUGHT, text("Let me look."), LOOK]
    upstream.play(replies(called, stream=True), replies([THOUGHT, text("At nine.")], stream=True))
    tools: Any = [{"name": "look", "input_schema": {"type": "object"}}]
    said: list[Any] = [{"role": "user", "content": "When is my dog at the vet?"}]
    for result in (FOUND, None):
        with ai.messages.stream(model="test", max_tokens=99, messages=said, tools=tools) as stream:
            found = stream.get_final_message()
        if result:
            assert [one.type for one in found.content] == ["thinking", "text", "tool_use"]
            reminder = text("<system-reminder>\nBe careful.\n</system-reminder>")
            said += [
                {"role": "assistant", "content": called},
                {"role": "user", "content": [result, reminder]},
            ]
    one, two = (request.json for request in upstream.requests)
    assert two["messages"] == [*one["messages"], *said[1:]]
    assert two["tools"] == tools
    assert "Biscuit" in one["messages"][0]["content"][0]["text"]
    asked = ("user", "When is my dog at the vet?")
    assert journalled(proxy, dog, 2) == [asked, ("assistant", "At nine.")]

    upstream.play("Fine.")
    with Memory.open(proxy.home, dog) as memory:
        memory.capture("The user's dog Biscuit limps")
    also = "And is my dog Biscuit well?"
    said[-1] = {"role": "user", "content": [FOUND, text(also)]}
    ai.messages.create(model="test", max_tokens=99, messages=said, tools=tools)
    result, recalled, own = contents(upstream.requests[0])[-1]
    assert (result, own) == (FOUND, text(also))  # results have to stand first
    assert "limps" in recalled["text"]
    assert "is called Biscuit" not in recalled["text"]  # it stands above, before the question
    assert journalled(proxy, dog, 4)[2:] == [("user", also), ("assistant", "Fine.")]


def test_images_and_documents_pass_and_leave_a_mark(
    ai: anthropic.Anthropic, upstream: Stage, proxy: Proxy, space: str
) -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
    parts = [
        {"type": "image", "source": PNG},
        {"type": "document", "source": pdf, "title": "Plants", "citations": {"enabled": True}},
        text("What plant is this?"),
    ]
    cited = [text("It is "), text("a fern", citations=[]), text(".")]
    upstream.play(replies(cited))
    ask(ai, parts)
    assert contents(upstream.requests[0])[0] == parts
    assert journalled(proxy, space, 2) == [
        ("user", "[image]\n[file]\nWhat plant is this?"),
        ("assistant", "It is a fern."),
    ]


def test_stream_passes_byte_for_byte_and_is_kept_as_far_as_it_came(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    events = message_events([text("half of it")])[:-3]
    error = {"type": "overloaded_error", "message": "Overloaded"}
    events += [message_event("ping"), b": odd\r\n\r\n", message_event("error", error=error)]
    upstream.play(streams(events))
    body = {"stream": True, "messages": [{"role": "user", "content": "Tell me all of it"}]}
    assert client.post("/messages", json=body).content == b"".join(events)
    told = [("user", "Tell me all of it"), ("assistant", "half of it")]
    assert journalled(proxy, space, 2) == told


def test_everything_else_passes_untouched(
    ai: anthropic.Anthropic, client: httpx.Client, upstream: Stage, dog: str
) -> None:
    given = {"x-api-key": "sk-ant-older", "anthropic-version": "2023-06-01", "anthropic-beta": "b"}
    client.post("/messages?beta=true", json={"messages": []}, headers=given)
    assert upstream.requests[0].path == "/v1/messages?beta=true"
    assert upstream.requests[0].headers.items() >= given.items()
    upstream.play(document({"input_tokens": 7}))
    said: Any = [{"role": "user", "content": "What is my dog called?"}]
    counted = ai.messages.count_tokens(model="test", messages=said)
    assert counted.input_tokens == 7
    assert upstream.requests[0].path == "/v1/messages/count_tokens"
    assert upstream.requests[0].json == {"model": "test", "messages": said}


def test_upstream_key_can_be_the_proxys_own(tmp_path: Path, upstream: Stage) -> None:
    import anthropic

    options = ("--key-env", "MODEL_KEY", "--token", "t0")
    with started(tmp_path / "home", upstream.url, *options, MODEL_KEY="sk-ours") as proxy:
        with client_of(proxy) as ai, pytest.raises(anthropic.AuthenticationError):
            ask(ai, "With a key for nothing here")
        tokens = [{"authorization": "Bearer t0"}, {"x-api-key": "t0"}]
        body = {"messages": [{"role": "user", "content": "With the token"}]}
        for token in tokens:
            headers = {**token, "anthropic-version": "2023-06-01"}
            answer = httpx.post(f"{proxy.url}/messages", json=body, headers=headers, timeout=300)
            assert answer.status_code == 200
            sent = upstream.requests[-1].headers
            assert sent["x-api-key"] == "sk-ours"
            assert "authorization" not in sent


def test_requests_of_subagents_are_not_remembered(
    ai: anthropic.Anthropic, upstream: Stage, proxy: Proxy, dog: str
) -> None:
    title = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    own: list[dict[str, Any]] = [
        {"extra_headers": {"x-claude-code-agent-id": "a1"}},
        {"output_config": {"format": {"type": "json_schema", "schema": title}}},
    ]
    for more in own:
        ask(ai, "Find out what my dog is called", **more)
        assert contents(upstream.requests[-1]) == ["Find out what my dog is called"]
    ask(ai, "What is my dog called?")
    assert journalled(proxy, dog, 2) == [("user", "What is my dog called?"), ("assistant", "ok")]
