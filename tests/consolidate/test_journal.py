"""What makes two turns the same turn, for everyone who hands some in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.clock import Clock


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def reply(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def said(memory: Memory, session: str = "talk") -> list[str]:
    return [turn.content for turn in memory.journal(session=session)]


def test_who_says_yes_again_says_it_again(memory: Memory) -> None:
    for _ in range(3):
        assert memory.add([user("好的")], session="talk").added == 1
    assert said(memory) == ["好的", "好的", "好的"]
    assert [turn.id for turn in memory.journal(session="talk")] == ["#1", "#2", "#3"]


def test_an_exchange_at_a_time(memory: Memory) -> None:
    memory.add([user("hello"), reply("ok")], session="talk")
    memory.add([user("more"), reply("ok")], session="talk")
    memory.add([user("hello"), reply("hello again")], session="talk")
    memory.add([user("hello"), reply("ok")], session="other")
    assert said(memory) == ["hello", "ok", "more", "ok", "hello", "hello again"]
    assert said(memory, "other") == ["hello", "ok"]


def test_the_whole_conversation_each_time(memory: Memory) -> None:
    turns = [user("yes"), reply("ok"), user("yes"), reply("ok"), user("bye")]
    for n in (1, 2, 4, 3, 5, 5):
        memory.add(turns[:n], session="talk")
    assert said(memory) == ["yes", "ok", "yes", "ok", "bye"]


def test_replies_without_an_id_between_messages_that_have_one(memory: Memory) -> None:
    turns = [user("one", id="a"), reply("ok"), user("two", id="b"), reply("ok")]
    memory.add(turns[:2], session="talk")
    memory.add(turns, session="talk")
    assert said(memory) == ["one", "ok", "two", "ok"]
    memory.add([user("three", id="c"), reply("ok")], session="talk")
    assert said(memory)[-2:] == ["three", "ok"]


def test_what_has_an_id_or_a_time_is_known_by_it(memory: Memory, clock: Clock) -> None:
    at = clock.now.isoformat()
    for turn in (user("yes", id="m1"), user("yes", at=at)):
        assert memory.add([turn], session="talk").added == 1
        assert memory.add([turn], session="talk").known == 1
    memory.add([user("yes", id="m2")], session="talk")
    assert said(memory) == ["yes", "yes", "yes"]


@pytest.mark.parametrize("on_again", [False, True])
def test_the_same_with_the_engine_off(tmp_path: Path, clock: Clock, on_again: bool) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.add([user("yes")], session="talk")
    with Memory.open(tmp_path, config={"enabled": False}, clock=clock) as memory:
        for _ in range(2):
            assert memory.add([user("yes")], session="talk").added == 1
        for n in (2, 3, 3):
            memory.add([user("a"), reply("b"), user("c")][:n], session="list")
    with Memory.open(tmp_path, clock=clock) as memory:
        assert said(memory) == ["yes", "yes", "yes"]
        assert said(memory, "list") == ["a", "b", "c"]
        if on_again:
            memory.add([user("a"), reply("b"), user("c"), reply("d")], session="list")
            assert said(memory, "list") == ["a", "b", "c", "d"]


def test_a_turn_that_was_forgotten_does_not_come_back_with_its_list(memory: Memory) -> None:
    turns = [user("I like tea"), user("My safe word is zebra"), user("Bye")]
    memory.add(turns, session="talk")
    (secret,) = [one for one in memory.journal() if "zebra" in one.content]
    memory.forget(secret.ref)
    memory.add(turns, session="talk")
    assert said(memory) == ["I like tea", "Bye"]
    memory.add([*turns, user("Hello again")], session="talk")
    assert said(memory) == ["I like tea", "Bye", "Hello again"]
