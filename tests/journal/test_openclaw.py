"""Session transcripts in the shape that OpenClaw writes them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.types import Turn
from tests.agents.openclaw.made import OpenClaw, talk
from tests.cases import cases
from tests.each import each
from tests.journal.added import Added, add

SHANGHAI = timezone(timedelta(hours=8))
SESSION = "0b6c1d2e-52c8-442d-99d8-cd9d248b71dd"
HEADER = {
    "type": "session",
    "version": 3,
    "id": SESSION,
    "timestamp": "2026-03-01T01:14:26.330Z",
    "cwd": "/home/mei/.openclaw/workspace",
}
Entry = dict[str, Any]


def entry(id_: str, parent: str | None, type_: str = "message", **fields: Any) -> Entry:
    stamp = "2026-03-01T01:14:27.090Z"
    return {"type": type_, "id": id_, "parentId": parent, "timestamp": stamp, **fields}


def said(id_: str, parent: str | None, content: Any, role: str = "user", **more: Any) -> Entry:
    message = {"role": role, "content": content, "timestamp": 1772327660656, **more}
    return entry(id_, parent, message=message)


def transcript(*entries: Entry | str, header: Entry | None = HEADER) -> Added:
    rows = [header, *entries] if header else list(entries)
    data = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    return add(data, name="s.jsonl")


def spoken(*messages: Entry) -> list[str]:
    """What is kept of messages in a row."""
    found = transcript(*(said(f"m{n}", f"m{n - 1}", **one) for n, one in enumerate(messages)))
    assert not found.problems
    return found.texts


def words(content: Any, **more: Any) -> Turn:
    (turn,) = transcript(said("1", None, content, **more)).turns
    return turn


# -- a whole transcript --------------------------------------------------------------------------


def test_session_with_a_tool() -> None:
    used = [{"type": "toolCall", "id": "call_1", "name": "weather", "arguments": {"query": "x"}}]
    thought = [{"type": "thinking", "thinking": "never kept"}, {"type": "text", "text": "记住了。"}]
    about = {"toolCallId": "call_1", "toolName": "weather", "isError": False}
    found = transcript(
        entry("84c71a4a", None, "model_change", provider="mock", modelId="mock-1"),
        entry("dec9de74", "84c71a4a", "thinking_level_change", thinkingLevel="off"),
        entry("bd0df037", "dec9de74", "custom", customType="model-snapshot", data={}),
        said("8151d500", "bd0df037", "我姐姐住在大阪，帮我记一下"),
        said("67f56af6", "8151d500", used, "assistant", stopReason="toolUse"),
        said("ddc054b8", "67f56af6", [{"type": "text", "text": "sunny"}], "toolResult", **about),
        said("5bf20799", "ddc054b8", thought, "assistant"),
    )
    assert not found.problems
    assert [(one.id, one.role, one.origin, one.speaker, one.content) for one in found.turns] == [
        ("8151d500", "user", "user", "", "我姐姐住在大阪，帮我记一下"),
        ("5bf20799", "assistant", "assistant", "", "记住了。"),
    ]
    at = datetime(2026, 3, 1, 9, 14, 27, 90000, tzinfo=SHANGHAI)
    assert {(one.session, one.chat, one.at) for one in found.turns} == {(SESSION, "direct", at)}


def test_what_is_not_a_turn_is_passed_over() -> None:
    found = transcript(
        said("1", None, "one"),
        entry("2", "1", "compaction", summary="a summary", firstKeptEntryId="1", tokensBefore=9),
        entry("3", "2", "custom_message", customType="memory", content="injected", display=False),
        entry("4", "3", "branch_summary", summary="an abandoned branch"),
        entry("5", "4", "label", targetId="1", label="x"),
        entry("6", "5", "session_info", name="x"),
        entry("7", "6", "something_new", content="?"),
        said("8", "7", "ls", "bashExecution", command="ls"),
        said("9", "8", [{"type": "image", "data": "…"}, {"type": "text", "text": "two"}]),
        said("10", "9", []),
        said("11", "10", "  "),
        said("12", "11", None),
        said("13", "12", "HEARTBEAT_OK", "assistant"),
        said("14", "13", "**NO_REPLY**", "assistant"),
        said("15", "14", "NO_REPLY is what it says", "assistant"),
    )
    assert found.texts == ["one", "[image]\ntwo", "NO_REPLY is what it says"]
    assert not found.problems


# -- the tree ------------------------------------------------------------------------------------

ONE, TWO = said("1", None, "one"), said("2", "1", "two")


@each(("entries", "texts"), cases(__file__, "only_the_live_branch_is_added"))
def test_only_the_live_branch_is_added(entries: list[Entry], texts: list[str]) -> None:
    assert transcript(*entries).texts == texts


def test_damage_does_not_cut_off_what_came_before() -> None:
    found = transcript(ONE, "{broken", said("3", "2", "three"), said("4", "3", "four"))
    assert (found.texts, found.lines) == (["one", "three", "four"], [3])
    late = transcript(said("7", "6", "late"), said("8", "7", "later"), header=None)
    assert late.texts == ["late", "later"]
    assert {one.session for one in late.turns} == {"s"}  # the name of the file


def test_transcript_that_has_grown_adds_what_is_new() -> None:
    lines = [json.dumps(one) + "\n" for one in (HEADER, ONE, TWO, said("3", "2", "three"))]
    found = add("".join(lines[:3]), "".join(lines), name="s.jsonl")
    assert found.texts == ["one", "two", "three"]


# -- whose words ---------------------------------------------------------------------------------


def test_another_person_or_a_program_is_not_the_user() -> None:
    assert words("hi", __openclaw={"senderIsOwner": True}).origin == "user"
    other = words("hi", __openclaw={"senderIsOwner": False, "senderName": "李雷"})
    assert (other.role, other.origin, other.speaker) == ("user", "group", "李雷")
    nameless = words("hi", __openclaw={"senderId": "42"})
    assert (nameless.origin, nameless.speaker) == ("user", "")
    for kind in ("inter_session", "internal_system"):
        provenance = {"kind": kind, "sourceTool": "announce"}
        assert spoken({"content": "the subagent is done", "provenance": provenance}) == []
    assert words("hi", provenance={"kind": "external_user"}).role == "user"
    for tool in ("heartbeat", "memory_search"):
        provenance = {"kind": "internal_system", "sourceTool": tool}
        assert spoken({"content": "poll", "provenance": provenance}) == []


def test_context_around_the_users_words_is_taken_off() -> None:
    turn = words(cases(__file__, "context")[0]["text"])
    assert turn.content == "我下周去大阪"
    assert (turn.speaker, turn.chat, turn.origin) == ("小梅", "group", "group")
    text = "<relevant-memories>x</relevant-memories> is how it looks"
    assert words(text, role="assistant").content == text  # looked for in the user's words only


@each(("text", "own"), cases(__file__, "words_taken_off"))
def test_what_is_put_around_a_message_is_taken_off(text: str, own: str) -> None:
    assert words(text).content == own


@each("text", cases(__file__, "words_that_stay"))
def test_words_that_only_resemble_context_stay(text: str) -> None:
    assert words(text).content == text


@each("text", cases(__file__, "words_of_programs"))
def test_prompts_of_programs_are_nobodys(text: str) -> None:
    assert spoken({"content": text}) == []


@pytest.mark.parametrize("question", ["What does Mei eat?", "小梅吃什么？"])
def test_recalled_block_is_not_learned_again(memory: Memory, question: str) -> None:
    memory.capture("Mei eats tofu [End of related memories]")
    memory.capture("小梅吃豆腐\n[相关记忆结束]\n对吗")
    block = memory.recall(question).context
    assert "Loxodon" in block
    for text in (f"{block}\n\n{question}", f"{question}\n{block}", f"{question}\n{block}\n{block}"):
        assert words(text).content == question


# -- bad entries ---------------------------------------------------------------------------------


def test_bad_entries_are_problems() -> None:
    found = transcript(
        ONE,
        said("2", "1", "x", "oracle"),
        said("3", "2", 5),
        said("4", "3", "a\0b"),
        {**said("5", "4", "x"), "timestamp": "2026-02-30T00:00:00Z"},
        "[]",
        said("6", "5", "two"),
        '{"type":"message","id":"7","parentId":"6","mess',
    )
    assert found.texts == ["one", "two"]
    assert found.problems[:5] == [
        (3, "unknown role 'oracle'"),
        (4, "the content must be text, not int"),
        (5, "the text contains a NUL character"),
        (6, "'2026-02-30T00:00:00Z' is not a date and time"),
        (7, "the line is not a JSON object"),
    ]
    assert found.lines[-1] == 9


def test_database_of_sessions_is_added_whole(tmp_path: Path) -> None:
    database = OpenClaw(tmp_path / "100%?mode=rwc#a b 文").database()
    database.session("one", talk("a", "b" * 5000))
    database.session("two", talk("c"), "agent:main:whatsapp:group:7", chat_type="group")
    database.session("job", talk("not this"), "agent:main:cron:job:run:1")
    database.append("one", "no json")
    database.close()
    found = add(database.file.read_bytes(), name="openclaw-agent.sqlite")
    assert [(one.session, one.id, one.chat, one.channel) for one in found.turns] == [
        ("one", "m1", "direct", ""),
        ("one", "m2", "direct", ""),
        ("two", "m1", "group", "whatsapp"),
    ]
    assert found.lines == [4]
