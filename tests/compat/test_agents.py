"""The session of the OpenAI Agents SDK: a contract for the SDK's own and ours, and a real run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from loxodon import Memory
from loxodon.compat.agents import LoxodonSession
from loxodon.errors import InputError

T = TypeVar("T")

REAL = find_spec("agents") is not None
needs_agents = pytest.mark.skipif(not REAL, reason="needs the Agents SDK: make test-compat")

ITEMS: list[Any] = [
    {"role": "user", "content": "I am allergic to peanuts 😀"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"q": "杭州"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "A city of eleven million."},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Noted.", "annotations": [], "logprobs": []}],
    },
]


def do(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


@pytest.fixture(params=[pytest.param("sdk", marks=needs_agents), "loxodon"])
def session(request: pytest.FixtureRequest, memory: Memory, tmp_path: Path) -> Iterator[Any]:
    if request.param == "loxodon":
        yield LoxodonSession("monday", memory)
        return
    from agents import SQLiteSession  # type: ignore[import-not-found, unused-ignore]

    made = SQLiteSession("monday", tmp_path / "sdk.db")
    yield made
    made.close()


@pytest.fixture
def ours(memory: Memory) -> LoxodonSession:
    return LoxodonSession("monday", memory)


# What both promise


def test_items_come_back_exactly_and_in_order(session: Any) -> None:
    do(session.add_items([]))
    assert do(session.get_items()) == []
    do(session.add_items(ITEMS[:2]))
    do(session.add_items(ITEMS[2:]))
    assert do(session.get_items()) == ITEMS
    for limit, kept in ((0, []), (1, ITEMS[-1:]), (3, ITEMS[-3:]), (99, ITEMS), (-1, ITEMS)):
        assert do(session.get_items(limit)) == kept


def test_items_are_taken_from_the_end(session: Any) -> None:
    assert do(session.pop_item()) is None
    do(session.add_items(ITEMS[:2]))
    assert do(session.pop_item()) == ITEMS[1]
    do(session.add_items(ITEMS[2:3]))
    assert do(session.get_items()) == [ITEMS[0], ITEMS[2]]
    do(session.clear_session())
    assert do(session.get_items()) == []
    do(session.add_items(ITEMS[:1]))
    assert do(session.get_items()) == ITEMS[:1]


def test_many_add_at_once_and_nothing_is_lost(session: Any) -> None:
    async def add() -> None:
        pairs = [[{"role": "user", "content": f"{n}{side}"} for side in "ab"] for n in range(20)]
        await asyncio.gather(*(session.add_items(pair) for pair in pairs))

    do(add())
    said = [one["content"] for one in do(session.get_items())]
    assert len(said) == 40
    assert all(said[at][:-1] == said[at + 1][:-1] for at in range(0, 40, 2))  # pairs stay together


# What ours promises beyond that


def test_messages_are_journalled_and_remembered(ours: LoxodonSession, memory: Memory) -> None:
    do(ours.add_items(ITEMS))
    said = [(turn.role, turn.content) for turn in memory.journal(session="monday")]
    assert said == [
        ("user", ITEMS[0]["content"]),
        ("tool", "A city of eleven million."),
        ("assistant", "Noted."),
    ]
    memory.flush()
    assert "peanuts" in memory.recall("allergic", kind="fact").context


def test_journal_keeps_what_a_session_lets_go(ours: LoxodonSession, memory: Memory) -> None:
    do(ours.add_items(ITEMS[:1]))
    do(ours.clear_session())
    do(ours.add_items(ITEMS[:1]))  # said again is said twice
    assert len(memory.journal(session="monday")) == 2


def test_settings_limit_what_the_agent_gets(memory: Memory) -> None:
    session = LoxodonSession("s", memory, session_settings={"limit": 2})
    do(session.add_items(ITEMS))
    assert do(session.get_items()) == ITEMS[-2:]
    assert do(session.get_items(1)) == ITEMS[-1:]


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": "half \ud83d and \0 nothing"},
        {"role": "user", "content": "   "},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]},
        {"type": "function_call_output", "call_id": "c", "output": "x" * 5_000_000},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text"}]},
        {"role": "system", "content": "be kind"},
    ],
    ids=["half", "blank", "image", "long", "parts", "system"],
)
def test_any_item_is_kept(ours: LoxodonSession, item: Any) -> None:
    do(ours.add_items([item]))
    assert do(ours.get_items()) == [item]


def test_item_that_is_no_json_is_refused_with_all_beside_it(
    ours: LoxodonSession, memory: Memory
) -> None:
    with pytest.raises(InputError):
        do(ours.add_items([ITEMS[0], {"role": "user", "content": object()}]))
    assert do(ours.get_items()) == []
    assert memory.journal() == []


@pytest.mark.parametrize("name", ["", "  ", "x" * 600, "\ud800"])
def test_invalid_name_is_refused(memory: Memory, name: str) -> None:
    with pytest.raises(InputError):
        LoxodonSession(name, memory)


def asks(*items: Any, instructions: str | None = "Be kind.") -> Any:
    return SimpleNamespace(model_data=ModelInput(list(items), instructions))


@dataclass
class ModelInput:
    """What the SDK hands to a filter, and takes back."""

    input: list[Any]
    instructions: str | None


def test_earlier_sessions_are_recalled(ours: LoxodonSession, memory: Memory) -> None:
    do(ours.add_items(ITEMS))
    later = LoxodonSession("tuesday", memory)
    question = {"role": "user", "content": [{"type": "input_text", "text": "Can I eat peanuts?"}]}
    call = {"type": "function_call_output", "call_id": "c", "output": "peanuts are nuts"}
    told = do(later.recall(asks(question, call)))
    assert told.input == [question, call]  # as it was: nothing of it is kept in the session
    assert told.instructions.startswith("Be kind.\n\n[Related memories]")
    assert "I am allergic to peanuts" in told.instructions
    assert do(later.recall(asks(question, instructions=None))).instructions.startswith("[Related")
    # What stands in the conversation already, and what nobody asks for, is not told.
    for items in ([*ITEMS, question], [{"role": "user", "content": "ok"}], [call], []):
        assert do(later.recall(asks(*items))).instructions == "Be kind."


# In the real SDK


@needs_agents
def test_agent_goes_on_where_it_was(memory: Memory) -> None:
    from agents import Agent, Runner, set_tracing_disabled

    set_tracing_disabled(True)
    model = _parrot()
    agent = Agent(name="parrot", model=model)

    async def talk(words: str) -> str:
        run = await Runner.run(agent, words, session=LoxodonSession("monday", memory))
        return str(run.final_output)

    assert do(talk("I am allergic to peanuts")) == "heard 1: I am allergic to peanuts"
    assert do(talk("What did I say?")) == "heard 3: What did I say?"
    assert [turn.content for turn in memory.journal(session="monday")] == [
        "I am allergic to peanuts",
        "heard 1: I am allergic to peanuts",
        "What did I say?",
        "heard 3: What did I say?",
    ]
    memory.flush()
    assert [record.content for record in memory.list()] == ["The user is allergic to peanuts"]


def _parrot() -> Any:
    """A model that says how many items it was given, the last of them, and its instructions."""
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    from agents import Model, ModelResponse, Usage

    def reply(instructions: str | None, input: Any) -> ResponseOutputMessage:
        items = [{"content": input}] if isinstance(input, str) else input
        text = f"heard {len(items)}: {items[-1]['content']}{instructions or ''}"
        part = ResponseOutputText(text=text, type="output_text", annotations=[])
        return ResponseOutputMessage(
            id="m", content=[part], role="assistant", status="completed", type="message"
        )

    class Parrot(Model):  # type: ignore[misc, unused-ignore]
        async def get_response(
            self, system_instructions: Any, input: Any, *rest: Any, **more: Any
        ) -> ModelResponse:
            return ModelResponse(
                output=[reply(system_instructions, input)], usage=Usage(), response_id=None
            )

        def stream_response(self, *given: Any, **more: Any) -> AsyncIterator[Any]:
            raise NotImplementedError

    return Parrot()
