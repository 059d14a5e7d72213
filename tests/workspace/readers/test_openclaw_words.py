"""What is a person's in a message that OpenClaw sent to a model, and what is nobody's."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from loxodon import Memory
from loxodon.workspace.readers.openclaw import conversation
from loxodon.workspace.readers.openclaw_words import is_silence, own_words, without_recalled
from tests.each import each


def spoken(*messages: dict[str, Any]) -> list[str]:
    entries = [
        (n, {"type": "message", "id": f"m{n}", "parentId": f"m{n - 1}", "message": message})
        for n, message in enumerate(messages, 1)
    ]
    drafts, problems = conversation(entries, UTC)
    assert not problems
    return [draft.content for draft in drafts]


@each(
    "text",
    [
        "[OpenClaw heartbeat poll]",
        "[OpenClaw exec completion]\nDisable it with a setting.",
        "[cron:7f3a daily report] Write the report",
        "System: [2026-02-18 10:30] Woken.\n\n[OpenClaw cron wake]",
        "Delivery: to send a message, use the `message` tool.\n\n[OpenClaw heartbeat poll]",
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
    ],
)
def test_prompts_of_programs_are_nobodys(text: str) -> None:
    assert own_words(text).text == ""


@each(
    "text",
    [
        "what does [OpenClaw heartbeat poll] mean?",
        "Read HEARTBEAT.md and tell me what is in it",
        "Delivery: tomorrow at nine",
        "Context: we are moving",
        "[Related memories] (of my own)\n- none\n[End of related memories]",
        "Loxodon says:\n[Related memories] (1 recalled by Loxodon, 9 tokens) and never ends",
    ],
)
def test_words_that_only_resemble_them_stay(text: str) -> None:
    assert own_words(text).text == text


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Delivery: to send a message, use the `message` tool.\n\nhi", "hi"),
        ("Context:\n<active_memory_plugin>\nx\n</active_memory_plugin>\n\nhi", "hi"),
        ("Reply to: ⟦openclaw:ctx⟧\nline one\nline two\n\nhi", "hi"),
        (
            "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n\nhi",
            "hi",
        ),
        ("hi\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnever closed", "hi"),
    ],
)
def test_what_is_put_around_a_message_is_taken_off(text: str, own: str) -> None:
    assert own_words(text).text == own


@pytest.mark.parametrize("question", ["What does Mei eat?", "小梅吃什么？"])
def test_a_block_of_our_own_is_not_learned_again(memory: Memory, question: str) -> None:
    memory.capture("Mei eats tofu [End of related memories]")
    memory.capture("小梅吃豆腐\n[相关记忆结束]\n对吗")
    block = memory.recall(question).context
    assert "Loxodon" in block
    for text in (f"{block}\n\n{question}", f"{question}\n{block}", f"{question}\n{block}\n{block}"):
        assert own_words(text).text == question
    result = {"role": "toolResult", "toolName": "exec", "content": f"$ ask\n{block}\nready"}
    assert spoken(result) == ["$ ask\n\nready"]


@pytest.mark.parametrize(
    "piece",
    [
        "[Related memories] (recalled by Loxodon\n",
        "[Related memories] (recalled by Loxodon\n[End of related memories]\n",
        "[相关记忆]（Loxodon\n[相关记忆结束]\n",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>><<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
        "\n\n⟦openclaw:ctx⟧\n",
    ],
)
def test_a_message_of_nothing_but_marks_does_not_take_forever(piece: str) -> None:
    own_words(piece * (2_000_000 // len(piece)))
    without_recalled(piece * (2_000_000 // len(piece)))


def test_answers_that_say_nothing() -> None:
    assert all(is_silence(text) for text in ("NO_REPLY", " heartbeat_ok\n", "**NO_REPLY**"))
    assert not is_silence("NO_REPLY is what it says")
    assert spoken({"role": "assistant", "content": "HEARTBEAT_OK"}) == []


def test_what_a_memory_was_asked_and_answered() -> None:
    def call(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
        block = {"type": "toolCall", "id": id_, "name": name, "arguments": arguments}
        return {"role": "assistant", "content": [block]}

    def result(id_: Any, name: str, text: str) -> dict[str, Any]:
        return {"role": "toolResult", "toolCallId": id_, "toolName": name, "content": text}

    assert spoken(
        call("1", "memory_search", query="tea"),
        result("1", "memory_search", "likes tea"),
        call("2", "exec", command="loxodon recall tea"),
        result("2", "exec", "likes tea"),
        call("3", "exec", command="date"),
        result("3", "exec", "Monday"),
        result("4", "loxodon__recall", "likes tea"),
        call("5", "tool_call", id="memory_get", args={"id": "f_1"}),
        result("5", "tool_call", "likes tea"),
        result("6", "tool_call", "likes tea") | {"details": {"tool": {"name": "memory_search"}}},
        call("7", "tool_search_code", code="await tools.memory_search({query: 'tea'})"),
        result("7", "tool_search_code", "likes tea"),
        call("5", "exec", command="ls"),
        result("5", "exec", "files"),
        result(["x"], "exec", "odd"),
    ) == ["Monday", "files", "odd"]


@pytest.mark.parametrize("tool", ["heartbeat", "memory_search"])
def test_messages_of_routine_programs_say_nothing(tool: str) -> None:
    provenance = {"kind": "internal_system", "sourceTool": tool}
    assert spoken({"role": "user", "content": "poll", "provenance": provenance}) == []
