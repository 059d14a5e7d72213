"""What becomes of a request on its way to the upstream, and what is journalled of it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from loxodon import Memory
from tests.cases import cases
from tests.each import each
from tests.proxy.conftest import Proxy, started
from tests.proxy.upstream import (
    DONE,
    Handler,
    Scene,
    Stage,
    answers,
    completion,
    delta,
    deltas,
    document,
    event,
    failure,
    message_event,
    message_events,
    replies,
    response,
    response_events,
    says,
    streams,
)

QUESTION = "What is my dog called?"
PATHS = {"chat": "/chat/completions", "responses": "/responses", "messages": "/messages"}


def user(text: object = QUESTION) -> dict[str, Any]:
    return {"role": "user", "content": text}


# --- The bytes of the client ----------------------------------------------------------------------


@each(("kind", "field", "body"), cases(__file__, "odd"))
def test_bytes_of_the_client_stay_as_they_are(
    client: httpx.Client, upstream: Stage, dog: str, kind: str, field: str, body: str
) -> None:
    """Odd numbers, blanks, escapes, doubled keys and what nobody knows: memories go in between."""
    upstream.play("ok")
    client.post(PATHS[kind], content=body.encode(), headers={"x-loxodon-session": kind})
    sent = upstream.requests[-1].body.decode()
    at = iter(sent)
    assert all(character in at for character in body)
    assert "Biscuit" in sent
    own, told = json.loads(body), json.loads(sent)
    added = [one for one in told.pop(field) if one not in own[field]]
    assert {name: one for name, one in told.items() if name != "system"} == {
        name: one for name, one in own.items() if name not in (field, "system")
    }
    assert added or kind == "messages"
    if kind == "chat":
        assert {one["role"] for one in added} == {"system"}


def test_next_request_begins_with_the_bytes_of_the_one_before(
    client: httpx.Client, upstream: Stage, dog: str
) -> None:
    upstream.play("yes")
    said = [{"role": "developer", "content": "S"}, user()]
    client.post("/chat/completions", json={"messages": said})
    said += [{"role": "assistant", "content": "yes"}, user("How old is my dog?")]
    client.post("/chat/completions", json={"messages": said})
    first, second = upstream.requests
    assert second.body.startswith(first.body.removesuffix(b"]}"))
    roles = {one["role"] for one in second.json["messages"] if "Biscuit" in one["content"]}
    assert roles == {"developer"}  # the client's word for instructions


def test_response_to_one_text_becomes_a_list_around_it(
    client: httpx.Client, upstream: Stage, dog: str
) -> None:
    body = '{"model":"m","input" : "caf\\u00e9 of my dog Biscuit?","x":1}'
    client.post("/responses", content=body.encode())
    sent = upstream.requests[-1]
    assert b'{"role":"user","content":"caf\\u00e9 of my dog Biscuit?"}' in sent.body
    assert {one["role"] for one in sent.json["input"][:-1]} == {"developer"}


def _in_one_place(handler: Handler) -> None:
    """As some templates are: instructions stand at the beginning, and nothing in between."""
    sent = handler.server.requests[-1].json
    said = sent.get("messages", sent.get("input"))
    between = said if isinstance(said, list) else []
    told = any("Biscuit" in str(one) for one in between)
    apart = "system" in sent or "instructions" in sent or "/messages" in handler.path
    inserted = any(one["role"] in ("system", "developer") for one in between[1:])
    if inserted or (apart and told):
        failure(400, "System message must be at the beginning.")(handler)
    else:
        says("ok")(handler)


@each(("kind", "body", "told"), cases(__file__, "manners"))
def test_model_with_one_place_for_instructions_gets_memories_there(
    client: httpx.Client, upstream: Stage, dog: str, kind: str, body: dict[str, Any], told: Any
) -> None:
    upstream.play(_in_one_place)
    sent = {"model": json.dumps(body), **body}
    headers = {"x-loxodon-session": json.dumps(body)[:99].strip()}
    assert client.post(PATHS[kind], json=sent, headers=headers).status_code == 200
    got = upstream.requests[-1].json
    if kind == "chat":
        assert [one["role"] for one in got["messages"]] == ["system", "user"]
        place = got["messages"][0]["content"]
    else:
        place = got["system" if kind == "messages" else "instructions"]
    if isinstance(told, list):
        *kept, last = place
        assert kept == told
        assert "Biscuit" in last["text"]
    else:
        assert place.startswith(told)
        assert "Biscuit" in place.removeprefix(told)


def test_headers_and_paths_go_on_but_for_those_of_the_connection(
    client: httpx.Client, upstream: Stage, proxy: Proxy
) -> None:
    given = [("connection", "close, x-odd"), ("x-odd", "1"), ("x-a", "1"), ("x-a", "2")]
    given += [("accept-encoding", "br, gzip;q=0.5"), ("x-loxodon-space", "a")]
    upstream.play(document({"data": []}, Retry_After="7", Connection="x-gone", X_Gone="1"))
    answer = client.get("/models?limit=2&b=%20", headers=given)
    assert answer.headers["retry-after"] == "7"
    client.post("/chat/completions", json={"messages": [user()]}, headers=given)
    passed, read = upstream.requests
    assert passed.path == "/v1/models?limit=2&b=%20"
    for one in (passed, read):
        assert one.headers["authorization"] == "Bearer sk-theirs"
        assert not {"x-odd", "x-loxodon-space"} & one.headers.keys()
    assert passed.headers["accept-encoding"] == "br, gzip;q=0.5"
    assert read.headers["accept-encoding"] == "gzip;q=0.5"  # what can be read
    client.post("/embeddings", json={"input": "x"})
    client.request("DELETE", "/files/a%2Fb")
    client.post("/chat/completions", content=b"\x1f\x8b", headers={"content-encoding": "gzip"})
    assert [(one.method, one.path, one.body) for one in upstream.requests[2:]] == [
        ("POST", "/v1/embeddings", b'{"input":"x"}'),
        ("DELETE", "/v1/files/a%2Fb", b""),
        ("POST", "/v1/chat/completions", b"\x1f\x8b"),
    ]


# --- Whose words they are -------------------------------------------------------------------------


def test_reminders_tools_and_errands_are_nobodys_words(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    wanted = []
    for n, case in enumerate(cases(__file__, "words")):
        headers = {"x-loxodon-session": f"{n}"}
        answer = client.post(PATHS[case["kind"]], json=case["body"], headers=headers)
        assert answer.status_code == 200
        if case["said"]:
            wanted.append((f"{n}", case["said"]))
        if case.get("errand"):
            assert answer.headers["x-loxodon-memory"] == "off"
            assert upstream.requests[-1].json == case["body"]
    turns = proxy.journal(space, 2 * len(wanted) + 2)  # two replies to messages without words
    assert [(turn.session, turn.content) for turn in turns if turn.role == "user"] == wanted


@each(("kind", "body", "person", "session"), cases(__file__, "sessions"))
def test_person_and_session_are_named_in_many_ways(
    proxy: Proxy, upstream: Stage, kind: str, body: Any, person: str, session: str
) -> None:
    upstream.play("ok")
    text = f"What is my dog called? {body}"
    said = {"input": text} if kind == "responses" else {"messages": [user(text)]}
    httpx.post(f"{proxy.url}{PATHS[kind]}", json={**said, **body}, timeout=300)
    with Memory.open(proxy.home, person or "main") as memory:
        found = memory.journal(limit=1)[0].session
    assert found == session if session else found.startswith("chat-")


@pytest.mark.parametrize("by", ["user", "key", "fixed"])
def test_people_are_told_apart_by_header_field_or_key(
    tmp_path: Path, upstream: Stage, by: str
) -> None:
    home = tmp_path / "home"
    with started(home, upstream.url, "--space-by", by) as proxy, httpx.Client(timeout=300) as http:

        def space(person: Any = None, **headers: str) -> str:
            """Where it is journalled."""
            text = f"number {len(upstream.requests)}"
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            body = {"messages": [user(text)], "user": person}
            answer = http.post(f"{proxy.url}/chat/completions", json=body, headers=given)
            assert answer.status_code == 200
            for name in (path.name for path in (home / "spaces").iterdir()):
                named = "张三" if name.startswith("~") and person is None else name
                if not name.startswith("~") or person is None:
                    with Memory.open(home, named) as memory:
                        if text in [turn.content for turn in memory.journal()]:
                            return named
            raise AssertionError(text)

        key = {"authorization": "Bearer sk-secret"}
        assert space("ann", x_loxodon_space="bob", **key) == "bob"
        assert space("ann", x_loxodon_user="cem", **key) == "cem"
        assert space("ann", **key) == ("main" if by == "fixed" else "ann")
        for nobody in (5, "", "  ", {"a": 1}):
            assert space(nobody) == "main"
        if by == "key":
            one = space(**key)
            assert one.startswith("key-")
            assert "secret" not in one
            assert space(**key) == one
            assert space(authorization="Bearer sk-other") not in (one, "main")
            assert space("x" * 500).startswith("user-")
            assert space("a\nb").startswith("user-")
        else:
            assert space(**key) == "main"
    assert not list((home / "spaces").glob("*secret*"))


# --- What the model said --------------------------------------------------------------------------

CALL = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": ""}}
USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {"where": "Ulm"}}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
NONSENSE = [
    b": hello\n\n",
    b"data: {oops\n\n",
    b"data: [1]\n\n",
    b"\xff\xfe\n",
    event({"x": 1}),
    event({"choices": [{"delta": None}, 5]}),
    delta({"content": 7}),
    delta({"content": "good"}),
    b"data:\n\n",
    DONE,
]
MESSAGE_NONSENSE = [
    message_event("message_start", message=5),
    message_event("message_start", message={"id": 7, "usage": []}),
    message_event("content_block_start", index=[], content_block=5),
    message_event("content_block_delta", index={}, delta=None),
    message_event("content_block_delta", index=0, delta={"type": "text_delta", "text": 5}),
    message_event("content_block_delta", index=0, delta={"type": "text_delta", "text": "ok"}),
    message_event("message_delta", usage={"output_tokens": None}),
]


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def pieces(data: bytes, size: int) -> Scene:
    return streams([data[n : n + size] for n in range(0, len(data), size)])


def packed(name: str, data: bytes) -> Scene:
    return answers(200, data, Content_Type="application/json", Content_Encoding=name)


ODD: list[Any] = [5, [], {"content": 5}, {"content": [5]}]
BLOCKS: list[tuple[list[dict[str, Any]], str]] = [
    ([THOUGHT, text("Yes.")], "Yes."),
    ([text("It is "), text("green"), text(".")], "It is green."),
    ([text("I look."), SEARCH, text("It is.")], "I look.\nIt is."),
    ([text("I look."), USE], ""),
    ([], ""),
]
WHOLE = json.dumps(completion({"content": "packed"})).encode()
BARE = zlib.compressobj(wbits=-15)
REPLIES: list[tuple[str, Scene, str]] = [
    *(("chat", pieces(b"".join(deltas("我|对|花生|过敏")), n), "我对花生过敏") for n in (1, 7)),
    ("chat", streams(NONSENSE), "good"),
    ("chat", streams([delta({"content": "A"}), delta({"content": "B"}, 1), DONE]), "A"),
    ("chat", streams([delta({"tool_calls": [CALL]}), delta({"tool_calls": [{"index": 0}]})]), ""),
    ("chat", document(completion({"content": None, "tool_calls": [CALL]})), ""),
    ("chat", document(completion({"content": "<think>hm</think>\n\nYes."})), "Yes."),
    ("chat", document(completion({"content": "<think>hm"})), ""),
    ("chat", document({"choices": 5}), ""),
    ("chat", packed("deflate", zlib.compress(WHOLE)), "packed"),
    ("chat", packed("identity", WHOLE), "packed"),
    ("chat", packed("deflate", BARE.compress(WHOLE) + BARE.flush()), "packed"),
    ("chat", packed("gzip", b"no gzip"), ""),
    ("responses", streams(response_events("hello", "resp_9")), "hello"),
    ("responses", streams(response_events("hello", "resp_9")[:-2]), "hell"),
    ("responses", document(response("hello", "resp_9")), "hello"),
    ("messages", streams(MESSAGE_NONSENSE), "ok"),
    *(("messages", document(odd), "") for odd in ODD),
    *(
        ("messages", replies(blocks, stream=stream), told)
        for stream in (True, False)
        for blocks, told in BLOCKS
    ),
    ("messages", pieces(b"".join(message_events([THOUGHT, text("one two")])), 5), "one two"),
]


def test_reply_is_journalled_as_it_was_said(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    """Whole or in pieces, packed, with thoughts, tools and nonsense in it."""
    wanted = []
    for n, (kind, scene, told) in enumerate(REPLIES):
        upstream.play(scene)
        asked = f"Question number {n}"
        said = {"input": asked} if kind == "responses" else {"messages": [user(asked)]}
        headers = {"x-loxodon-session": f"{n}", "accept-encoding": "gzip, deflate, br"}
        with client.stream("POST", PATHS[kind], json=said, headers=headers) as answer:
            assert b"".join(answer.iter_raw())
        wanted += [asked, told] if told else [asked]
    assert [turn.content for turn in proxy.journal(space, len(wanted))] == wanted


def test_conversation_is_recognised_by_what_was_said(
    client: httpx.Client, upstream: Stage, proxy: Proxy, space: str
) -> None:
    upstream.play("1", "2", "3", "4", "5", "6")

    def say(*texts: str, **more: Any) -> None:
        roles = ("user", "assistant")
        said = [{"role": roles[n % 2], "content": one} for n, one in enumerate(texts)]
        client.post("/chat/completions", json={"messages": said, **more})

    say("a")
    say("a", "1", "b")
    say("a", "edited", "b", "2", "c")
    say("b", "2", "c", "3", "d")  # a client that sends only the latest
    say("other")
    say("x", "y", "z", "w", "v")  # unknown
    turns = proxy.journal(space, 12)
    by_session: dict[str, list[str]] = {}
    for turn in turns:
        by_session.setdefault(turn.session, []).append(turn.content)
    assert sorted(by_session.values()) == [
        ["a", "1", "b", "2", "c", "3", "d", "4"],
        ["other", "5"],
        ["v", "6"],
    ]


def test_forgotten_memory_is_not_told_again(
    client: httpx.Client, upstream: Stage, proxy: Proxy, dog: str
) -> None:
    def told(text: str) -> bool:
        upstream.play("ok")
        client.post("/chat/completions", json={"messages": [user(text)]})
        return "Biscuit" in upstream.requests[0].body.decode()

    assert told(QUESTION)
    with Memory.open(proxy.home, dog) as memory:
        memory.forget(entity="Biscuit")
    assert not told(QUESTION)
    assert not told("Hello there, who am I?")
