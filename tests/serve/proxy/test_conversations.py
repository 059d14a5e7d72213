from __future__ import annotations

import json
from typing import Any

from loxodon import Memory
from loxodon.serve.proxy.conversations import (
    Block,
    Conversation,
    Conversations,
    names_of,
    session_of,
    short,
)
from loxodon.serve.proxy.requests import Asked, read
from tests.clock import Clock


def said(*texts: str, **more: Any) -> Asked:
    """A request in which the user and the model speak in turn."""
    messages = [
        {"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(texts)
    ]
    found = read("chat", json.dumps({"messages": messages, **more}).encode())
    assert found is not None
    return found


def of(known: Conversations, asked: Asked, session: str = "", now: float = 0.0) -> Conversation:
    return known.of("main", asked, names_of(asked), session, now)[0]


def test_a_message_is_called_the_same_whenever_it_is_sent_again() -> None:
    first = names_of(said("a", "b", "c"))
    later = names_of(said("a", "other words", "c", "d", "c"))
    assert later[2] == first[2]
    assert later[4] != first[2]  # said once more
    assert first[1] == ""
    assert names_of(said("x", "b", "c"))[2] != first[2]


def test_a_request_goes_on_with_the_conversation_it_begins_with() -> None:
    known = Conversations()
    first = of(known, said("a"))
    assert of(known, said("a", "b", "c")) is first
    assert of(known, said("a", "edited", "c", "d", "e")) is first
    assert of(known, said("other")) is not first


def test_the_same_beginning_later_is_another_conversation() -> None:
    known = Conversations()
    first = of(known, said("hi"))
    assert of(known, said("hi"), now=30) is first  # sent again
    second = of(known, said("hi"), now=7_200)
    assert second is not first
    assert of(known, said("hi", "hello", "and"), now=7_201) is second


def test_a_client_that_sends_only_the_latest_is_recognised() -> None:
    known = Conversations()
    first = of(known, said("a", "1", "b", "2", "c"))
    assert of(known, said("b", "2", "c", "3", "d")) is first


def test_a_name_or_a_response_leads_to_the_conversation() -> None:
    known = Conversations()
    first = of(known, said("a"), "mine")
    assert of(known, said("other"), "mine") is first
    assert of(known, said("a"), "yours") is not first
    known.replied("main", first, "resp_1")
    assert of(known, said("then", previous_response_id="resp_1")) is first
    assert known.of("else", said("a"), names_of(said("a")), "mine", 0.0)[1]


def test_only_the_latest_are_kept_in_mind() -> None:
    known = Conversations(most=3)
    for n in range(1_000):
        of(known, said(f"a{n}", "b", f"c{n}"))
    assert len(known) == 3
    assert len(known._known) <= 3 * 4


def test_what_was_recalled_stays_until_it_is_too_much() -> None:
    one = Conversation()
    for n in range(4):
        one.keep(f"m{n}", Block("x", 900), 1_000)
    assert len(one.blocks) == 4
    one.keep("m4", Block("x", 900), 1_000)
    assert list(one.blocks) == ["m4"]


def test_what_was_recalled_long_ago_is_recalled_anew() -> None:
    known = Conversations()
    first = of(known, said("a"))
    first.snapshot = "S"
    first.keep("m", Block("x", 9), 1_000)
    assert of(known, said("a", "b", "c"), now=3_000).blocks
    again = of(known, said("a", "b", "c"), now=9_000)
    assert again is first
    assert (again.snapshot, again.blocks) == (None, {})


def test_a_session_is_found_again_in_the_journal(memory: Memory, clock: Clock) -> None:
    asked = said("hello there")
    name = session_of(memory, asked, names_of(asked), [])
    assert name.startswith("chat-260204-")
    memory.add([{"role": "user", "content": "hello there", "id": short(names_of(asked)[0])}], name)
    clock.pass_days(3)
    later = said("hello there", "yes?", "as I said")
    assert session_of(memory, later, names_of(later), []) == name
    new = session_of(memory, asked, names_of(asked), [])
    assert new.startswith("chat-260207-")
    assert session_of(memory, asked, names_of(asked), [new]) == f"{new}-2"
