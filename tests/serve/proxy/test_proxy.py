"""The proxy between a real client and a server: what is recalled, injected and journalled."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from loxodon import Memory
from tests.serve.proxy.conftest import Proxy, started
from tests.serve.proxy.upstream import Stage, completion, document, says, stage, streams, waits
from tests.serve.proxy.upstream import delta as part
from tests.waiting import until

if TYPE_CHECKING:  # its client takes longer to import than the tests to collect
    import openai

PNG = "data:image/png;base64,iVBORw0KGgo="


def client_of(proxy: Proxy, headers: dict[str, str] | None = None) -> openai.OpenAI:
    import openai

    return openai.OpenAI(
        base_url=proxy.url, api_key="sk-theirs", max_retries=0, default_headers=headers
    )


@pytest.fixture
def ai(proxy: Proxy, space: str) -> Iterator[openai.OpenAI]:
    with client_of(proxy, {"x-loxodon-space": space}) as found:
        yield found


def ask(ai: openai.OpenAI, *texts: str, **more: Any) -> str:
    """Have a conversation go on: the user and the model speak in turn."""
    messages: Any = [
        {"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(texts)
    ]
    reply = ai.chat.completions.create(model="test", messages=messages, **more)
    return reply.choices[0].message.content or ""


def test_what_was_told_in_one_conversation_is_known_in_the_next(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("Noted |that.")
    stream = ai.chat.completions.create(
        model="test",
        stream=True,
        messages=[{"role": "user", "content": "我对花生过敏，以后推荐菜要记得"}],
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Noted that."
    told, replied = proxy.journal(space, 2)
    assert (told.role, told.content) == ("user", "我对花生过敏，以后推荐菜要记得")
    assert (replied.role, replied.content) == ("assistant", "Noted that.")
    assert told.session == replied.session
    assert told.channel == "proxy"

    upstream.play("不能吃花生")
    raw = ai.chat.completions.with_raw_response.create(
        model="test",
        messages=[
            {"role": "system", "content": "简短回答"},
            {"role": "user", "content": "我对什么食物过敏？"},
        ],
    )
    assert int(raw.headers["x-loxodon-recalled"]) >= 1
    (request,) = upstream.requests
    texts = request.texts
    assert texts[0] == ("system", "简短回答")
    assert texts[-1] == ("user", "我对什么食物过敏？")
    assert "我对花生过敏" in texts[-2][1]
    assert texts[-2][0] == "system"
    assert request.headers["authorization"] == "Bearer sk-theirs"
    assert not [name for name in request.headers if name.startswith("x-loxodon")]
    assert len({turn.session for turn in proxy.journal(space, 4)}) == 2


def test_a_conversation_begins_with_the_snapshot_and_keeps_it(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user is called Ines and lives in Porto", importance=0.9)
    upstream.play("one", "two")
    ask(ai, "Good morning, let us plan a bit")
    ask(ai, "Good morning, let us plan a bit", "one", "Where do I live?")
    first, second = upstream.requests
    assert first.texts[0][0] == "system"
    assert "Ines" in first.texts[0][1]
    assert second.texts[: len(first.texts)] == first.texts


def test_what_is_sent_again_is_not_journalled_again(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("sure", "sure", "fine", "well")
    ask(ai, "Let us talk about tea")
    ask(ai, "Let us talk about tea")  # a retry
    ask(ai, "Let us talk about tea", "sure", "Green tea then")
    ask(ai, "Let us talk about tea", "sure", "Black tea then")  # an edit
    assert [turn.content for turn in proxy.journal(space, 6)] == [
        "Let us talk about tea",
        "sure",
        "Green tea then",
        "fine",
        "Black tea then",
        "well",
    ]
    assert len({turn.session for turn in proxy.journal(space, 6)}) == 1


def test_a_named_session_is_the_session(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    body = {"messages": [{"role": "user", "content": "hello in a named place"}]}
    client.post("/chat/completions", json=body, headers={"x-loxodon-session": "monday"})
    client.post("/chat/completions", json={**body, "metadata": {"session_id": "tuesday"}})
    assert sorted(turn.session for turn in proxy.journal(space, 4)) == [
        "monday",
        "monday",
        "tuesday",
        "tuesday",
    ]


def test_tools_pass_and_get_the_same_memories_again(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user's dog is called Biscuit")
    call = {"id": "call_1", "type": "function", "function": {"name": "vet", "arguments": "{}"}}
    upstream.play(document(completion({"content": None, "tool_calls": [call]})), "At nine.")
    tools: Any = [{"type": "function", "function": {"name": "vet", "parameters": {}}}]
    said: list[Any] = [{"role": "user", "content": "When is my dog Biscuit at the vet?"}]
    first = ai.chat.completions.create(model="test", messages=said, tools=tools)
    assert first.choices[0].message.tool_calls
    said += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "9:00"},
    ]
    ai.chat.completions.create(model="test", messages=said, tools=tools)
    one, two = (request.json for request in upstream.requests)
    assert two["messages"][: len(one["messages"])] == one["messages"]
    assert two["messages"][-2:] == said[-2:]
    assert one["tools"] == tools
    assert [turn.content for turn in proxy.journal(space, 2)] == [
        "When is my dog Biscuit at the vet?",
        "At nine.",
    ]


def test_images_pass_and_leave_a_mark(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    parts: Any = [
        {"type": "text", "text": "What plant is this?"},
        {"type": "image_url", "image_url": {"url": PNG}},
        {"type": "input_audio", "input_audio": {"data": "", "format": "x"}},
    ]
    upstream.play("A fern.")
    ai.chat.completions.create(model="test", messages=[{"role": "user", "content": parts}], n=2)
    assert upstream.requests[0].json["messages"][-1]["content"] == parts
    assert upstream.requests[0].json["n"] == 2
    assert proxy.journal(space, 2)[0].content == "What plant is this?\n[image]\n[audio]"


def test_responses_of_text_and_of_a_chain(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user plays the oboe")
    upstream.play("The oboe.", "Since school.")
    first = ai.responses.create(model="test", input="Which instrument do I play?")
    assert first.output_text == "The oboe."
    items = upstream.requests[0].json["input"]
    assert items[-1] == {"role": "user", "content": "Which instrument do I play?"}
    assert "oboe" in items[0]["content"]
    events = list(
        ai.responses.create(
            model="test",
            input=[{"role": "user", "content": "Since when, then?"}],
            stream=True,
            previous_response_id=first.id,
        )
    )
    assert events[-1].type == "response.completed"
    second = upstream.requests[1].json
    assert second["previous_response_id"] == first.id
    assert not [item for item in second["input"] if "[Memory]" in item["content"]]
    turns = proxy.journal(space, 4)
    assert turns[-1].content == "Since school."
    assert len({turn.session for turn in turns}) == 1


def test_the_user_field_tells_people_apart(proxy: Proxy, upstream: Stage, space: str) -> None:
    with client_of(proxy) as ai:
        ask(ai, "My bicycle is red", user=f"{space}-ann")
        proxy.journal(f"{space}-ann", 2)
        upstream.play("ok")
        ask(ai, "What colour is my bicycle?", user=f"{space}-bob")
        assert "red" not in upstream.requests[0].body.decode()
        ask(ai, "What colour is my bicycle?", user=f"{space}-ann")
        assert "My bicycle is red" in upstream.requests[1].body.decode()


def test_a_group_is_told_nothing_private(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user's salary is 4200", importance=0.9)
    body = {"messages": [{"role": "user", "content": "What is my salary?", "name": "ann"}]}
    for session in ({}, {"x-loxodon-session": "s"}):
        upstream.play("ok")
        client.post("/chat/completions", json=body, headers=session)
        client.post("/chat/completions", json=body, headers={"x-loxodon-chat": "group", **session})
        private, shared = upstream.requests
        assert "4200" in private.body.decode()
        assert "4200" not in shared.body.decode()
    turns = [turn for turn in proxy.journal(space, 6) if turn.chat == "group"]
    assert [(turn.speaker, turn.origin) for turn in turns] == [("ann", "group"), ("", "assistant")]


def test_memory_can_be_left_out(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user has a boat")
    errand = "### Task:\nSuggest a title.\n### Output:\nJSON\n<chat_history>boat</chat_history>"
    for text, headers in (("Do I have a boat?", {"x-loxodon-memory": "off"}), (errand, {})):
        body = {"messages": [{"role": "user", "content": text}]}
        answer = client.post("/chat/completions", json=body, headers=headers)
        assert "x-loxodon-recalled" not in answer.headers
        assert answer.headers["x-loxodon-memory"] == "off"
        assert upstream.requests[-1].json == body
    client.post("/chat/completions", json={"messages": [{"role": "user", "content": "Any boat?"}]})
    assert [turn.content for turn in proxy.journal(space, 2)] == ["Any boat?", "ok"]


def test_what_came_of_asking_the_memory_is_told_and_counted(tmp_path: Path) -> None:
    def told(text: str) -> str:
        body = {"messages": [{"role": "user", "content": text}]}
        answer = httpx.post(f"{proxy.url}/chat/completions", json=body, timeout=60)
        return str(answer.headers["x-loxodon-memory"])

    def counted() -> dict[str, int]:
        text = httpx.get(proxy.url.replace("/v1", "/metrics"), timeout=60).text
        found = re.findall(r'loxodon_proxy_memory_total{outcome="(.+)"} (\d+)', text)
        return {name: int(number) for name, number in found}

    with Memory.open(tmp_path / "home") as memory:
        memory.capture("The user has a boat")
    with stage() as upstream, started(tmp_path / "home", upstream.url) as proxy:
        assert told("Do I have a boat?") == "used; items=1"
        assert told("Who was my zookeeper?") == "nothing-found"
        assert told("thanks, ok") == "not-needed"
        with Memory.open(tmp_path / "home") as memory:
            memory.pause()
        assert re.fullmatch(r"used; items=\d; paused", told("Which boat do I have?"))
        assert upstream.requests[-1].method == "POST"  # what is ours to answer went no further
        assert until(lambda: sum(counted().values()) == 4)
        assert {name: number for name, number in counted().items() if number} == {
            "used": 2,
            "nothing-found": 1,
            "not-needed": 1,
        }


def test_a_memory_that_took_too_long_is_told_apart(tmp_path: Path, upstream: Stage) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.capture("The user has a boat")
    with started(tmp_path / "home", upstream.url, "--limit", "0.000001") as proxy:
        for n, expected in enumerate(["timed-out"] * 3 + ["skipped"]):
            body = {"messages": [{"role": "user", "content": f"Do I have {n} boats?"}]}
            answer = httpx.post(f"{proxy.url}/chat/completions", json=body, timeout=60)
            assert answer.headers["x-loxodon-memory"] == expected


def test_the_bytes_that_a_client_sends_and_gets_are_the_same(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    odd = '{ "messages" : [ {"role":"user","content":"\\u00e9 \\ud800 ok?","x":1.50e0} ], "q":NaN }'
    events = [
        b": ping\r\n\r\n",
        b"event: odd\ndata: {\n\n",
        part({"content": "caf\u00e9"}),
        b"data",
    ]
    upstream.play(streams(events))
    answer = client.post("/chat/completions", content=odd.encode())
    assert answer.content == b"".join(events)
    assert upstream.requests[0].body == odd.encode()
    assert [turn.content for turn in proxy.journal(space, 2)] == ["é ? ok?", "café"]


def test_a_stream_is_handed_on_as_it_comes(client: httpx.Client, upstream: Stage) -> None:
    upstream.play(streams([part({"content": "first"}), waits, part({"content": "second"})]))
    body = {"stream": True, "messages": [{"role": "user", "content": "Tell me two things"}]}
    with client.stream("POST", "/chat/completions", json=body) as answer:
        chunks = answer.iter_raw()
        assert b"first" in next(chunks)  # while the upstream waits
        upstream.go.set()
        assert b"second" in b"".join(chunks)


def test_what_was_recalled_is_logged_by_its_id(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with Memory.open(proxy.home, space) as memory:
        record = memory.capture("The user's cat is called Zephyrine")
    body = {"messages": [{"role": "user", "content": "What is my cat called?"}]}
    client.post("/chat/completions", json=body)

    def line() -> Any:
        return [one for one in proxy.log if one.get("space") == space and one["event"] == "proxy"]

    (found,) = until(line)
    assert record.id in found["ids"]
    assert found["added"] == 2
    assert "Zephyrine" not in json.dumps(proxy.log)


def test_nothing_is_journalled_twice_after_a_restart(tmp_path: Path, upstream: Stage) -> None:
    upstream.play("sure", "fine", "well")
    for texts in (
        ("Plan a trip",),
        ("Plan a trip", "sure", "By train"),
        ("Plan a trip", "sure", "By train", "fine", "To Ulm"),
    ):
        with started(tmp_path / "home", upstream.url) as proxy:
            with client_of(proxy) as ai:
                ask(ai, *texts)
            turns = proxy.journal("main", len(texts) + 1)
    assert [turn.content for turn in turns] == [
        "Plan a trip",
        "sure",
        "By train",
        "fine",
        "To Ulm",
        "well",
    ]
    assert len({turn.session for turn in turns}) == 1


def test_a_reply_that_a_kill_took_is_journalled_with_the_next_request(
    tmp_path: Path, upstream: Stage
) -> None:
    upstream.play(streams([part({"content": "half a reply"}), waits]))
    body = {"stream": True, "messages": [{"role": "user", "content": "Tell me of Ulm"}]}
    with (
        started(tmp_path / "home", upstream.url) as proxy,
        httpx.stream("POST", f"{proxy.url}/chat/completions", json=body, timeout=60) as answer,
    ):
        chunks = answer.iter_raw()
        assert b"half a reply" in next(chunks)
        proxy.journal("main", 1)
        proxy.process.kill()
        with pytest.raises(httpx.HTTPError):
            next(chunks)
    upstream.play(says("Yes."))
    with started(tmp_path / "home", upstream.url) as proxy:
        with client_of(proxy) as ai:
            ask(ai, "Tell me of Ulm", "half a reply", "Is that all?")
        assert [turn.content for turn in proxy.journal("main", 4)] == [
            "Tell me of Ulm",
            "half a reply",
            "Is that all?",
            "Yes.",
        ]


def test_switched_off_plain_files_stand_in(tmp_path: Path, upstream: Stage) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        notes = Path(memory.workspace.path)
    notes.mkdir(parents=True, exist_ok=True)
    (notes / "MEMORY.md").write_text("# Memory\n\n- The user keeps bees\n", "utf-8")
    with started(home, upstream.url, LOXODON_ENABLED="false") as proxy, client_of(proxy) as ai:
        assert ask(ai, "Which animals do I keep?") == "ok"
        assert "The user keeps bees" in upstream.requests[0].texts[0][1]
        ask(ai, "Which animals do I keep?", "ok", "And how many of them?")
        assert upstream.requests[1].texts[:2] == upstream.requests[0].texts
        until(lambda: sum(one.get("added", 0) for one in proxy.log) == 4)
    with started(home, upstream.url) as proxy:  # on again
        assert len(proxy.journal("main", 4)) == 4


def test_what_matters_is_known_before_a_full_context_is_cut(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    usage = {"prompt_tokens": 120_000, "completion_tokens": 5, "total_tokens": 120_005}
    upstream.play(document(completion({"content": "ok"}, usage=usage)))
    client.post("/chat/completions", json={"messages": [{"role": "user", "content": "我住在成都"}]})
    proxy.journal(space, 2)

    def known() -> list[str]:
        with Memory.open(proxy.home, space) as memory:
            return [one.content for one in memory.list()]

    assert "成都" in until(known)[0]
