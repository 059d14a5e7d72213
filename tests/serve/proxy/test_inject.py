from __future__ import annotations

import json
from typing import Any

import pytest

from loxodon.serve.proxy.inject import Additions, Manner, injected
from loxodon.serve.proxy.requests import Asked, Kind, fresh, read
from tests.each import each

ODD = (
    '{ "model":"m", "temperature":1.0e0,\n "messages" : [ {"role":"system","content":"S\\u00e9"} ,'
    '\t{"role":"user","content":"a\\/b \\ud83d\\ude00", "x_unknown": {"z":[1.50]}},'
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":'
    '{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"5"},'
    '{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":'
    '{"url":"data:image/png;base64,AA=="}}]} ] , "n": 2, "logprobs":true}'
)
REMINDER = {"type": "text", "text": "<system-reminder>\nuse make\n</system-reminder>\n"}
BROKEN_OUT = "<system-x>a</system-x> I like Latin <system-x>b</system-x>"
ADDED = Additions("SNAP", [(1, "FIRST"), (4, "SECOND")])


def asked(body: str | dict[str, Any], kind: Kind = "chat") -> Asked:
    found = read(kind, (body if isinstance(body, str) else json.dumps(body)).encode())
    assert found is not None
    return found


def test_what_is_added_stands_beside_the_messages_it_is_for() -> None:
    body = json.loads(injected(asked(ODD), ADDED, "turn"))
    told = [(one["role"], one["content"]) for one in body["messages"]]
    assert [told[1], told[2], told[6]] == [
        ("system", "SNAP"),
        ("system", "FIRST"),
        ("system", "SECOND"),
    ]
    del body["messages"][6], body["messages"][1:3]
    assert body == json.loads(ODD)


def test_the_clients_own_bytes_stay_as_they_are() -> None:
    body = injected(asked(ODD), ADDED, "turn")
    for text in ("SNAP", "FIRST", "SECOND"):
        added = json.dumps({"role": "system", "content": text}) + ","
        assert body.count(added) == 1
        body = body.replace(added, "")
    assert body == ODD


def test_the_next_request_begins_with_the_bytes_of_the_one_before() -> None:
    said = [{"role": "system", "content": "S"}, {"role": "user", "content": "one"}]
    first = injected(asked({"messages": said}), Additions("SNAP", [(1, "FIRST")]), "turn")
    said += [{"role": "assistant", "content": "yes"}, {"role": "user", "content": "two"}]
    added = Additions("SNAP", [(1, "FIRST"), (3, "SECOND")])
    second = injected(asked({"messages": said}), added, "turn")
    assert second.startswith(first.removesuffix("]}"))


@pytest.mark.parametrize(
    ("system", "expected"),
    [('be \\"kind\\"', 'be "kind"\n\nSNAP\n\nSECOND'), ("", "SNAP\n\nSECOND")],
)
def test_all_of_it_can_go_into_the_clients_system_message(system: str, expected: str) -> None:
    body = (
        f'{{"messages":[{{"role":"system","content":"{system}"}},{{"role":"user","content":"a"}},'
        '{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}'
    )
    added = Additions("SNAP", [(1, "FIRST"), (3, "SECOND")])
    told = json.loads(injected(asked(body), added, "system"))["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant", "user"]
    assert told[0]["content"] == expected


def test_a_system_message_of_parts_gets_one_more() -> None:
    for parts in ([], [{"type": "text", "text": "S"}]):
        said = [{"role": "system", "content": parts}, {"role": "user", "content": "a"}]
        body = injected(asked({"messages": said}), Additions("SNAP", []), "system")
        assert json.loads(body)["messages"][0]["content"] == [
            *parts,
            {"type": "text", "text": "SNAP"},
        ]


def test_without_a_system_message_there_is_one_at_the_beginning() -> None:
    body = injected(
        asked({"messages": [{"role": "user", "content": "a"}]}), Additions("", [(0, "B")]), "system"
    )
    assert json.loads(body)["messages"][0] == {"role": "system", "content": "B"}


def test_the_word_for_instructions_is_the_clients() -> None:
    said = [{"role": "developer", "content": "D"}, {"role": "user", "content": "a"}]
    told = json.loads(injected(asked({"messages": said}), Additions("S", []), "turn"))["messages"]
    assert [one["role"] for one in told] == ["developer", "developer", "user"]


@pytest.mark.parametrize("manner", ["turn", "system", "none"])
def test_where_nothing_is_added_the_body_is_the_same(manner: Manner) -> None:
    one = asked(ODD)
    assert injected(one, Additions("", []), manner) is one.body


def test_a_response_to_one_text_becomes_a_list_around_it() -> None:
    body = '{"model":"m","input" : "caf\\u00e9","x":1}'
    found = injected(asked(body, "responses"), Additions("SNAP", [(0, "B")]), "turn")
    assert '{"role":"user","content":"caf\\u00e9"}' in found
    items = json.loads(found)["input"]
    assert [(one["role"], one["content"]) for one in items] == [
        ("developer", "SNAP"),
        ("developer", "B"),
        ("user", "café"),
    ]


def test_a_response_to_items_keeps_them() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "5"},
    ]
    one = asked({"input": items}, "responses")
    assert fresh(one.messages) == []
    found = json.loads(injected(one, Additions("", [(0, "B")]), "turn"))["input"]
    assert found[1:] == items
    assert found[0]["type"] == "message"


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [({}, "SNAP"), ({"instructions": "be"}, "be\n\nSNAP"), ({"instructions": None}, None)],
)
def test_instructions_can_take_it_all(instructions: dict[str, Any], expected: str | None) -> None:
    body = {**instructions, "input": "a"}
    found = json.loads(injected(asked(body, "responses"), Additions("SNAP", []), "system"))
    assert found["instructions"] == expected
    assert found["input"] == "a"


MESSAGES = (
    '{ "max_tokens":9, "system" : [ {"type":"text","text":"S\\u00e9","cache_control":'
    '{"type":"ephemeral"}} ],\n"messages" : [ {"role":"user","content":"a\\/b"} ,'
    '{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"c",'
    '"name":"f","input":{"x":1.50}}]},{"role":"user","content":[{"type":"tool_result",'
    '"tool_use_id":"c","content":"5"}]},{"role":"assistant","content":"five"},{"role":"user",'
    '"content":[ {"type":"image","source":{}},{"type":"text","text":"see" } ]} ],"stream":true}'
)


def test_in_a_message_what_is_added_stands_before_the_users_text() -> None:
    one = asked(MESSAGES, "messages")
    assert [said.role for said in one.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    body = injected(one, Additions("SNAP", [(0, "FIRST"), (4, "SECOND")]), "turn")
    told = json.loads(body)
    assert [part["text"] for part in told["system"]] == ["Sé", "SNAP"]
    assert [part["text"] for part in told["messages"][0]["content"]] == ["FIRST", "a/b"]
    assert [part.get("text") for part in told["messages"][4]["content"]] == [None, "SECOND", "see"]
    told["messages"][0]["content"] = "a/b"
    del told["system"][1], told["messages"][4]["content"][1]
    assert told == json.loads(MESSAGES)
    at = iter(body)
    assert all(character in at for character in MESSAGES)  # the client's own bytes, in their order


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ({}, "SNAP\n\nB"),
        ({"system": "be"}, "be\n\nSNAP\n\nB"),
        ({"system": []}, [{"type": "text", "text": "SNAP\n\nB"}]),
        ({"system": None}, None),
    ],
)
def test_the_system_field_can_take_it_all(system: dict[str, Any], expected: object) -> None:
    body = {**system, "messages": [{"role": "user", "content": "a"}]}
    one = asked(body, "messages")
    text = injected(one, Additions("SNAP", [(0, "B")]), "system")
    assert json.loads(text) == {**body, "system": expected}
    assert (text is one.body) == (expected is None)


@each(
    ("parts", "expected"),
    [
        ([{"type": "tool_result", "content": "5"}], ("tool", "", "")),
        ([{"type": "tool_result", "content": "5"}, REMINDER], ("tool", "", "")),
        ([REMINDER], ("tool", "", "")),
        ([{"type": "text", "text": BROKEN_OUT}], ("tool", "", "")),
        ([REMINDER, {"type": "text", "text": "hi"}], ("user", "hi", "hi")),
        ([{"type": "image"}, {"type": "text", "text": "hi"}], ("user", "[image]\nhi", "hi")),
        (
            [{"type": "text", "text": "<system>a</system> b"}],
            ("user", *["<system>a</system> b"] * 2),
        ),
        ([{"type": "text", "text": "<task>a</task>"}], ("user", *["<task>a</task>"] * 2)),
        ([5, {"type": "text", "text": "hi"}], ("user", "hi", "hi")),
    ],
)
def test_what_a_program_puts_beside_the_users_words_is_not_said(
    parts: list[object], expected: tuple[str, str, str]
) -> None:
    one = asked({"messages": [{"role": "user", "content": parts}]}, "messages")
    assert one.messages[0][:3] == expected
    injected(one, Additions("S", [(0, "B")]), "turn")


@each(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"messages": "hi"}',
        b'{"messages": 5}',
        b"{}",
        b'{"messages": [}',
        b'{"messages": [' + b"[" * 100_000,
    ],
)
def test_what_is_no_request_is_none(body: bytes) -> None:
    assert read("chat", body) is None


@each(
    "messages",
    [
        [],
        [1, None, "x"],
        [{}],
        [{"role": 5, "content": 7}],
        [{"role": "user"}],
        [{"role": "user", "content": [{"type": "text", "text": 5}, 3]}],
    ],
)
def test_odd_messages_have_no_words(messages: list[object]) -> None:
    assert asked({"messages": messages}).last == -1


def test_what_is_new_stands_behind_the_last_reply() -> None:
    def places(*roles: str) -> list[int]:
        said = [{"role": role, "content": "x"} for role in roles]
        return fresh(asked({"messages": said}).messages)

    assert places("system", "user") == [1]
    assert places("user", "assistant", "user", "user") == [2, 3]
    assert places("user", "assistant", "tool") == []
    assert places("user", "assistant", "user", "assistant") == [2]  # the reply is begun already


def test_an_errand_of_a_program_is_told_from_what_people_say() -> None:
    def chore(text: str, **more: Any) -> bool:
        return asked({"messages": [{"role": "user", "content": text}], **more}).is_chore

    assert chore("### Task:\nGenerate a title.\n### Output:\nJSON\n<chat_history>…")
    assert not chore("My task: generate a title for the chat history")
    assert chore("quota", max_tokens=1)
    assert not chore("quota", max_tokens=1_000)


def test_a_session_is_named_in_many_ways() -> None:
    said = [{"role": "user", "content": "x"}]
    assert asked({"messages": said, "metadata": {"thread_id": " t1 "}}).session == "t1"
    assert asked({"messages": said, "metadata": {"thread_id": 5}}).session == ""
    assert asked({"messages": said, "metadata": []}).session == ""
    assert asked({"input": "x", "conversation": {"id": "c1"}}, "responses").session == "c1"
    assert asked({"input": "x", "conversation": "c2"}, "responses").session == "c2"


SESSION = "57a121ec-f78c-48c3-a745-e3036a3ecc33"


@each(
    ("user", "expected"),
    [
        (f"user_{'a' * 64}_account__session_{SESSION}", ("", SESSION)),
        (f"user_{'a' * 64}_account_{SESSION}_session_{SESSION}", ("", SESSION)),
        (json.dumps({"device_id": "d", "account_uuid": "", "session_id": SESSION}), ("", SESSION)),
        ("ann", ("ann", "")),
        ("ann_session_5", ("ann_session_5", "")),
        (json.dumps({"session_id": "s", "email": "a"}), ('{"session_id": "s", "email": "a"}', "")),
        ("{oops", ("{oops", "")),
        ("{" * 50_000, ("{" * 50_000, "")),
        (5, ("", "")),
        (None, ("", "")),
    ],
)
def test_an_id_is_a_persons_unless_a_program_names_its_session(
    user: object, expected: tuple[str, str]
) -> None:
    said = [{"role": "user", "content": "x"}]
    one = asked({"messages": said, "metadata": {"user_id": user}}, "messages")
    assert (one.user, one.session) == expected
