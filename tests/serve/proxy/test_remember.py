from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Event

import pytest

from loxodon import Memory
from loxodon.serve.host import Host
from loxodon.serve.proxy.app import Manners
from loxodon.serve.proxy.gather import Reply
from loxodon.serve.proxy.keeping import Exchange, is_filled, turns_heard, turns_replied
from loxodon.serve.proxy.remember import Patience, Remembering, snapshot_of
from loxodon.serve.proxy.requests import Asked, Kind, read
from loxodon.serve.proxy.speaking import Who


def said(*texts: str) -> Asked:
    messages = [
        {"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(texts)
    ]
    found = read("chat", json.dumps({"messages": messages}).encode())
    assert found is not None
    return found


async def prepared(remembering: Remembering, asked: Asked, space: str = "main") -> Exchange:
    found = await remembering.prepared(asked, Who(space))
    assert found is not None
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "home") as memory:
        memory.capture("The user's dog is called Biscuit")
    return tmp_path / "home"


def test_a_recall_is_made_once_for_a_message(home: Path) -> None:
    async def run() -> None:
        with Host(home) as host:
            remembering = Remembering(host, host, 60)
            first = await prepared(remembering, said("What is my dog called?"))
            again = await prepared(remembering, said("What is my dog called?"))
            assert "recall_ms" in first.about
            assert "recall_ms" not in again.about
            assert again.additions == first.additions
            assert first.used
            assert not again.used

    asyncio.run(run())


def test_a_memory_that_hangs_is_waited_for_three_times(home: Path) -> None:
    async def run() -> None:
        with Host(home, threads=1) as host:
            began, release = Event(), Event()

            def hang(memory: Memory) -> None:
                began.set()
                release.wait(60)

            stuck = asyncio.create_task(host.call("main", hang))
            await asyncio.to_thread(began.wait, 60)
            remembering = Remembering(host, host, limit=0.02)
            errors = []
            for n in range(5):
                exchange = await prepared(remembering, said(f"What is dog {n} called?"))
                assert exchange.additions.blocks == []
                errors.append(exchange.about["recall_error"])
            release.set()
            await stuck
            assert errors == ["late", "late", "late", "resting", "resting"]

    asyncio.run(run())


def test_what_fails_once_may_fail_again_at_once() -> None:
    patience = Patience(failures=2, seconds=1_000)
    patience.noted(good=False)
    patience.noted(good=True)
    patience.noted(good=False)
    assert patience
    patience.noted(good=False)
    assert not patience


def test_what_matters_is_saved_once_each_time_a_context_fills() -> None:
    full, saved = False, []
    for tokens in (10, 99, 100, 120, 90, 130, 40, 101):
        filled, full = is_filled(tokens, 100, full)
        saved.append(filled)
    assert saved == [False, False, True, False, False, False, False, True]


def test_of_a_conversation_not_known_the_exchange_before_is_journalled_too(home: Path) -> None:
    async def run() -> None:
        with Host(home) as host:
            remembering = Remembering(host, host, 60)
            asked = said("one", "uno", "two", "dos", "three")
            turns = turns_heard(await prepared(remembering, asked))
            assert [turn["content"] for turn in turns] == ["two", "dos", "three"]
            turns = turns_heard(await prepared(remembering, asked))
            assert [turn["content"] for turn in turns] == ["three"]
            earlier = await prepared(remembering, said("one", "uno", "two"))
            healed = turns_heard(await prepared(Remembering(host, host, 60), asked))
            for text in ("dos", "dos  "):  # the same reply, as it came and as it comes back
                assert turns_replied(earlier, Reply(text))[0]["id"] == healed[1]["id"]

    asyncio.run(run())


def test_what_is_said_while_tools_are_called_is_no_reply(home: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    use = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    looked: dict[Kind, list[dict[str, object]]] = {
        "chat": [
            {"role": "assistant", "content": "I look", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "5"},
        ],
        "messages": [
            {"role": "assistant", "content": [{"type": "text", "text": "I look"}, use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        ],
    }

    async def run(kind: Kind, looked: list[dict[str, object]]) -> None:
        one = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "uno"}]
        two, three = ({"role": "user", "content": text} for text in ("two", "three"))
        with Host(home) as host:
            remembering = Remembering(host, host, 60)
            asked = read(kind, json.dumps({"messages": [*one, two, *looked]}).encode())
            assert asked is not None
            exchange = await prepared(remembering, asked)
            assert [turn["content"] for turn in turns_heard(exchange)] == []
            assert turns_replied(exchange, Reply("I look", ("look",), final=False)) == []
            replied = turns_replied(exchange, Reply("dos"))
            assert replied[0]["id"].startswith(exchange.names[2][:8])
            broken = read(kind, json.dumps({"messages": [*one, two, *looked, three]}).encode())
            assert broken is not None
            turns = turns_heard(await prepared(Remembering(host, host, 60), broken))
            assert [turn["content"] for turn in turns] == ["one", "uno", "three"]

    for kind, messages in looked.items():
        asyncio.run(run(kind, messages))


def test_where_nothing_is_known_there_is_no_snapshot(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        assert snapshot_of(memory, "en") == ""
        memory.capture("用户住在成都")
        assert snapshot_of(memory, "zh").startswith("[记忆]")
        assert "用户住在成都" in snapshot_of(memory, "zh")


def test_a_space_that_is_not_there_is_not_made_by_asking(home: Path) -> None:
    async def run() -> None:
        with Host(home) as host:
            exchange = await prepared(Remembering(host, host, 60), said("Who am I?"), "nobody")
            assert "recall_error" not in exchange.about
            assert host.spaces() == ["main"]

    asyncio.run(run())


def test_how_a_model_takes_memories_is_kept_for_a_few_models() -> None:
    manners = Manners()
    assert manners.of("m") == "turn"
    manners.learn("m", "system")
    manners.learn("n", "none")
    assert (manners.of("m"), manners.of("n"), manners.of("o")) == ("system", "none", "turn")
    for n in range(1_000):
        manners.learn(f"m{n}", "system")
    assert manners.of("m") == "turn"


def test_what_was_forgotten_elsewhere_is_not_told_again(home: Path) -> None:
    async def run() -> None:
        with Host(home) as host:
            remembering = Remembering(host, host, 60)
            asked = said("What is my dog called?")
            first = await prepared(remembering, asked)
            assert "Biscuit" in str(first.additions)
            with Memory.open(home) as other:
                other.forget(entity="Biscuit")
            again = await prepared(remembering, asked)
            assert "Biscuit" not in str(again.additions)
            anew = await prepared(remembering, said("Hello there, who am I?"))
            assert "Biscuit" not in str(anew.additions)

    asyncio.run(run())
