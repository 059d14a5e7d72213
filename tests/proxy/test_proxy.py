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
from tests.proxy.conftest import Proxy, started
from tests.proxy.upstream import Stage, completion, document, says, streams, waits
from tests.proxy.upstream import delta as part
from tests.waiting import until

if TYPE_CHECKING:  # its client takes longer to import than the tests to collect
    import openai


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


def capture(proxy: Proxy, space: str, *texts: str) -> list[str]:
    with Memory.open(proxy.home, space) as memory:
        return [memory.capture(text, importance=0.9).id for text in texts]


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], **more}


def contents(proxy: Proxy, space: str, turns: int) -> list[str]:
    return [turn.content for turn in proxy.journal(space, turns)]


def test_told_in_one_conversation_is_known_in_the_next(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("Noted |that.")
    said: Any = [{"role": "user", "content": "我对花生过敏，以后推荐菜要记得"}]
    stream = ai.chat.completions.create(model="test", stream=True, messages=said)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Noted that."
    told, replied = proxy.journal(space, 2)
    assert (told.role, told.content) == ("user", "我对花生过敏，以后推荐菜要记得")
    assert (replied.role, replied.content) == ("assistant", "Noted that.")
    assert (told.session, told.channel) == (replied.session, "proxy")

    upstream.play("不能吃花生")
    said = [{"role": "system", "content": "简短回答"}, *user("我对什么食物过敏？")["messages"]]
    raw = ai.chat.completions.with_raw_response.create(model="test", messages=said)
    assert raw.headers["x-loxodon-memory"].startswith("used; items=")
    (request,) = upstream.requests
    texts = request.texts
    assert (texts[0], texts[-1]) == (("system", "简短回答"), ("user", "我对什么食物过敏？"))
    assert texts[-2][0] == "system"
    assert "我对花生过敏" in texts[-2][1]
    assert request.headers["authorization"] == "Bearer sk-theirs"
    assert not [name for name in request.headers if name.startswith("x-loxodon")]
    assert len({turn.session for turn in proxy.journal(space, 4)}) == 2


def test_conversation_begins_with_the_snapshot_and_keeps_it(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    capture(proxy, space, "The user is called Ines and lives in Porto")
    upstream.play("one", "two")
    ask(ai, "Good morning, let us plan a bit")
    ask(ai, "Good morning, let us plan a bit", "one", "Where do I live?")
    first, second = upstream.requests
    assert first.texts[0][0] == "system"
    assert "Ines" in first.texts[0][1]
    assert second.texts[: len(first.texts)] == first.texts


def test_repeated_messages_are_journalled_once(
    ai: openai.OpenAI, client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("sure", "sure", "fine", "well", "ok")
    ask(ai, "Let us talk about tea")
    ask(ai, "Let us talk about tea")  # a retry
    ask(ai, "Let us talk about tea", "sure", "Green tea then")
    ask(ai, "Let us talk about tea", "sure", "Black tea then")  # an edit
    told = ["Let us talk about tea", "sure", "Green tea then", "fine", "Black tea then", "well"]
    turns = proxy.journal(space, 6)
    assert [turn.content for turn in turns] == told
    assert len({turn.session for turn in turns}) == 1
    body = user("hello in a named place")
    client.post("/chat/completions", json=body, headers={"x-loxodon-session": "monday"})
    client.post("/chat/completions", json={**body, "metadata": {"session_id": "tuesday"}})
    named = sorted(turn.session for turn in proxy.journal(space, 10)[6:])
    assert named == ["monday", "monday", "tuesday", "tuesday"]


def test_tools_pass_and_get_the_same_memories_again(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    capture(proxy, space, "The user's dog is called Biscuit")
    call = {"id": "call_1", "type": "function", "function": {"name": "vet", "arguments": "{}"}}
    upstream.play(document(completion({"content": None, "tool_calls": [call]})), "At nine.")
    tools: Any = [{"type": "function", "function": {"name": "vet", "parameters": {}}}]
    question = "When is my dog Biscuit at the vet?"
    said: list[Any] = [{"role": "user", "content": question}]
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
    assert contents(proxy, space, 2) == [question, "At nine."]


def test_responses_of_text_and_of_a_chain(
    ai: openai.OpenAI, upstream: Stage, proxy: Proxy, space: str
) -> None:
    capture(proxy, space, "The user plays the oboe")
    upstream.play("The oboe.", "Since school.")
    first = ai.responses.create(model="test", input="Which instrument do I play?")
    assert first.output_text == "The oboe."
    items = upstream.requests[0].json["input"]
    assert items[-1] == {"role": "user", "content": "Which instrument do I play?"}
    assert "oboe" in items[0]["content"]
    then: Any = [{"role": "user", "content": "Since when, then?"}]
    events = list(
        ai.responses.create(model="test", input=then, stream=True, previous_response_id=first.id)
    )
    assert events[-1].type == "response.completed"
    second = upstream.requests[1].json
    assert second["previous_response_id"] == first.id
    assert not [item for item in second["input"] if "[Memory]" in item["content"]]
    turns = proxy.journal(space, 4)
    assert turns[-1].content == "Since school."
    assert len({turn.session for turn in turns}) == 1


def test_people_and_groups_are_told_apart(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    with client_of(proxy) as ai:
        ask(ai, "My bicycle is red", user=f"{space}-ann")
        proxy.journal(f"{space}-ann", 2)
        for name in ("bob", "ann"):
            upstream.play("ok")
            ask(ai, "What colour is my bicycle?", user=f"{space}-{name}")
            assert ("is red" in upstream.requests[0].body.decode()) == (name == "ann")
    capture(proxy, space, "The user's salary is 4200")
    body = {"messages": [{"role": "user", "content": "What is my salary?", "name": "ann"}]}
    for session in ({}, {"x-loxodon-session": "s"}):
        upstream.play("ok")
        for chat in ("direct", "Group", "party", ""):  # what is not understood is a group
            headers = {"x-loxodon-chat": chat, **session}
            client.post("/chat/completions", json=body, headers=headers)
        told = ["4200" in request.body.decode() for request in upstream.requests]
        assert told == [True, False, False, False]
    turns = [turn for turn in proxy.journal(space, 6) if turn.chat == "group"]
    assert [(turn.speaker, turn.origin) for turn in turns] == [("ann", "group"), ("", "assistant")]


def test_outcome_of_asking_the_memory_is_told_and_counted(tmp_path: Path, upstream: Stage) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.capture("The user has a boat")
    with started(home, upstream.url) as proxy:

        def told(text: str, **headers: str) -> str:
            url = f"{proxy.url}/chat/completions"
            answer = httpx.post(url, json=user(text), headers=headers, timeout=300)
            return str(answer.headers["x-loxodon-memory"])

        def counted() -> dict[str, int]:
            text = httpx.get(proxy.url.replace("/v1", "/metrics"), timeout=300).text
            found = re.findall(r'loxodon_proxy_memory_total{outcome="(.+)"} (\d+)', text)
            return {name: int(number) for name, number in found if number != "0"}

        assert told("Do I have a boat?") == "used; items=1"
        assert told("Who was my zookeeper?") == "nothing-found"
        assert told("thanks, ok") == "not-needed"
        assert told("Any boat?", **{"x-loxodon-memory": "off"}) == "off"
        assert upstream.requests[-1].json == user("Any boat?")
        with Memory.open(home) as memory:
            memory.pause()
        assert re.fullmatch(r"used; items=\d; paused", told("Which boat do I have?"))
        assert upstream.requests[-1].method == "POST"  # what is ours to answer went no further
        assert until(lambda: sum(counted().values()) >= 5)
        assert counted() == {"used": 2, "nothing-found": 1, "not-needed": 1, "off": 1}
        with Memory.open(home) as memory:
            memory.resume()
    with started(home, upstream.url, "--limit", "0.000001") as proxy:
        assert told("Do I have two boats?") == "timed-out"
    with Memory.open(home) as memory:
        assert "Any boat?" not in [turn.content for turn in memory.journal()]


def test_bytes_that_a_client_sends_and_gets_are_the_same(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    odd = '{ "messages" : [ {"role":"user","content":"\\u00e9 \\ud800 ok?","x":1.50e0} ], "q":NaN }'
    odd_events = [b": ping\r\n\r\n", b"event: odd\ndata: {\n\n"]
    events = [*odd_events, part({"content": "caf\u00e9"}), b"data"]
    upstream.play(streams(events))
    answer = client.post("/chat/completions", content=odd.encode())
    assert answer.content == b"".join(events)
    assert upstream.requests[0].body == odd.encode()
    assert contents(proxy, space, 2) == ["é ? ok?", "café"]


def test_stream_is_handed_on_as_it_comes(client: httpx.Client, upstream: Stage) -> None:
    upstream.play(streams([part({"content": "first"}), waits, part({"content": "second"})]))
    body = user("Tell me two things", stream=True)
    with client.stream("POST", "/chat/completions", json=body) as answer:
        chunks = answer.iter_raw()
        assert b"first" in next(chunks)  # while the upstream waits
        upstream.go.set()
        assert b"second" in b"".join(chunks)


def test_recalled_memory_is_logged_by_its_id(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    (id,) = capture(proxy, space, "The user's cat is called Zephyrine")
    client.post("/chat/completions", json=user("What is my cat called?"))

    def line() -> Any:
        return [one for one in proxy.log if one.get("space") == space and one["event"] == "proxy"]

    (found,) = until(line)
    assert id in found["ids"]
    assert found["added"] == 2
    assert "Zephyrine" not in json.dumps(proxy.log)


def test_nothing_is_journalled_twice_after_a_restart(tmp_path: Path, upstream: Stage) -> None:
    upstream.play("sure", "fine", streams([part({"content": "half a reply"}), waits]))
    talk = ["Plan a trip", "sure", "By train", "fine", "To Ulm"]
    for count in (1, 3):
        with started(tmp_path / "home", upstream.url) as proxy:
            with client_of(proxy) as ai:
                ask(ai, *talk[:count])
            proxy.journal("main", count + 1)
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": one} for n, one in enumerate(talk)]
    with started(tmp_path / "home", upstream.url) as proxy:
        url, body = f"{proxy.url}/chat/completions", {"stream": True, "messages": said}
        with httpx.stream("POST", url, json=body, timeout=300) as answer:
            chunks = answer.iter_raw()
            assert b"half a reply" in next(chunks)
            proxy.journal("main", 5)
            proxy.process.kill()  # which takes the reply with it
            with pytest.raises(httpx.HTTPError):
                next(chunks)
    upstream.play(says("Yes."))
    talk += ["half a reply", "Is that all?"]
    with started(tmp_path / "home", upstream.url) as proxy:
        with client_of(proxy) as ai:
            ask(ai, *talk)
        turns = proxy.journal("main", 7)
    assert [turn.content for turn in turns] == [*talk[:5], "Is that all?", "Yes."]
    assert len({turn.session for turn in turns}) == 1


def test_with_the_engine_off_plain_files_stand_in(tmp_path: Path, upstream: Stage) -> None:
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
