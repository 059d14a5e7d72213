from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from loxodon.serve.proxy.gather import MOST_BYTES, Gathering, Reply
from loxodon.serve.proxy.requests import Kind
from loxodon.working.accounting import Usage, usage_of
from tests.each import each
from tests.serve.proxy.upstream import (
    DONE,
    completion,
    delta,
    deltas,
    event,
    message,
    message_event,
    message_events,
    response,
    response_events,
)

EVENTS = {"content-type": "text/event-stream; charset=utf-8"}
EVENTS_GIVEN = {"content_type": "text/event-stream"}


def gathered(chunks: Iterable[bytes], kind: Kind = "chat", **headers: str) -> Reply:
    found = Gathering(kind)
    for chunk in chunks:
        found.take(chunk)
    return found.reply({name.replace("_", "-"): one for name, one in headers.items()})


def test_a_stream_wherever_it_is_cut() -> None:
    data = b"".join(deltas("我|对|花生|过敏"))
    for size in (1, 7, len(data)):
        chunks = (data[n : n + size] for n in range(0, len(data), size))
        assert gathered(chunks, content_type=EVENTS["content-type"]).text == "我对花生过敏"


def test_a_stream_that_breaks_off_has_what_was_said_so_far() -> None:
    data = b"".join(deltas("one |two |three"))
    found = gathered([data[: data.index(b"three") + 2]], content_type="text/event-stream")
    assert found == Reply("one two", (), "chatcmpl-1")


def test_nonsense_in_a_stream_is_passed_over() -> None:
    chunks = [
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
    assert gathered(chunks, content_type="text/event-stream").text == "good"


def test_of_several_replies_the_first_is_told() -> None:
    chunks = [delta({"content": "A"}), delta({"content": "B"}, 1), delta({"content": "a"})]
    assert gathered(chunks, content_type="text/event-stream").text == "Aa"


def test_tools_that_are_called_are_known() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": ""}}
    chunks = [delta({"tool_calls": [call]}), delta({"tool_calls": [{"index": 0}]})]
    assert gathered(chunks, content_type="text/event-stream").calls == ("look",)
    whole = completion({"content": None, "tool_calls": [call]})
    assert gathered([json.dumps(whole).encode()]) == Reply("", ("look",), "chatcmpl-1", final=False)


def test_what_a_model_thinks_is_not_said() -> None:
    for text, expected in (("<think>hm</think>\n\nYes.", "Yes."), ("<think>hm", "")):
        assert gathered([json.dumps(completion({"content": text})).encode()]).text == expected


@pytest.mark.parametrize("cut", [0, 2])
def test_a_response_is_gathered_whole_or_cut(cut: int) -> None:
    events = response_events("hello", "resp_9")
    found = gathered(events[: len(events) - cut], "responses", content_type="text/event-stream")
    assert (found.text, found.id) == ("hell" if cut else "hello", "resp_9")
    whole = json.dumps(response("hello", "resp_9")).encode()
    assert gathered([whole], "responses")[:3] == ("hello", (), "resp_9")


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
CALL = {"type": "tool_use", "id": "c1", "name": "look", "input": {"where": "Ulm"}}


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


@each(
    ("blocks", "expected"),
    [
        ([said("Yes, it is.")], Reply("Yes, it is.", (), "msg_1")),
        ([THOUGHT, said("Yes.")], Reply("Yes.", (), "msg_1")),
        ([said("It is "), said("green"), said(".")], Reply("It is green.", (), "msg_1")),
        ([said("I look."), SEARCH, said("It is.")], Reply("I look.\nIt is.", (), "msg_1")),
        ([said("I look."), CALL], Reply("I look.", ("look",), "msg_1", final=False)),
        ([], Reply("", (), "msg_1")),
    ],
)
def test_a_message_is_gathered_from_its_blocks(
    blocks: list[dict[str, Any]], expected: Reply
) -> None:
    data = b"".join(message_events(blocks))
    whole = json.dumps(message(blocks)).encode()
    pieces = [[data[n : n + size] for n in range(0, len(data), size)] for size in (1, 7, len(data))]
    for chunks, headers in [([whole], {}), *((one, EVENTS) for one in pieces)]:
        found = Gathering("messages")
        for chunk in chunks:
            found.take(chunk)
        reply = found.reply(headers)
        assert reply._replace(usage=None) == expected
        assert usage_of(reply.usage) == Usage(9, 3)


def test_a_message_that_breaks_off_has_what_was_said_so_far() -> None:
    data = b"".join(message_events([THOUGHT, said("one two three")]))
    found = gathered([data[: data.index(b"three") + 2]], "messages", **EVENTS_GIVEN)
    assert found.text == "one two"


def test_nonsense_in_a_message_is_passed_over() -> None:
    chunks = [
        message_event("message_start", message=5),
        message_event("message_start", message={"id": 7, "usage": []}),
        message_event("content_block_start", index=[], content_block=5),
        message_event("content_block_delta", index={}, delta=None),
        message_event("content_block_delta", index=0, delta={"type": "text_delta", "text": 5}),
        message_event("content_block_delta", index=0, delta={"type": "text_delta", "text": "ok"}),
        message_event("message_delta", usage={"output_tokens": None}),
    ]
    assert gathered(chunks, "messages", **EVENTS_GIVEN).text == "ok"
    odd: list[object] = [5, [], {"content": 5}, {"content": [5, {"type": "text"}]}]
    for whole in odd:
        assert gathered([json.dumps(whole).encode()], "messages").text == ""


@each(
    ("kind", "events"),
    [
        ("chat", deltas("[DONE] is |what I say")),
        ("responses", response_events('of "response.completed"', "r1")),
        ("messages", message_events([said('of "message_stop", event: message_stop')])),
    ],
)
def test_a_stream_is_complete_with_its_last_event_however_it_is_cut(
    kind: Kind, events: Sequence[bytes]
) -> None:
    data = b"".join(events)
    for size in (1, 5, 16):
        found = Gathering(kind)
        for n in range(0, len(data), size):
            assert not found.complete
            found.take(data[n : n + size])
        assert found.complete


def test_packed_replies_are_read() -> None:
    data = json.dumps(completion({"content": "packed"})).encode()
    bare = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(data),
        "deflate": zlib.compress(data),
        "identity": data,
        "deflate, gzip": gzip.compress(bare.compress(data) + bare.flush()),
    }
    for name, one in packed.items():
        assert gathered([one], content_encoding=name).text == "packed"
    assert gathered([data], content_encoding="br") == Reply()
    assert gathered([b"no gzip"], content_encoding="gzip") == Reply()


def test_a_stream_without_end_is_not_kept_whole() -> None:
    found = Gathering("chat")
    for _ in range(40):
        found.take(b"x" * 2**20)
    assert found.size <= MOST_BYTES + 2**20
    assert found.reply(EVENTS) == Reply()
