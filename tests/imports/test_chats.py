"""Exports of ChatGPT and Claude."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loxodon import Memory
from tests.imports.conftest import Take
from tests.imports.exports import (
    EXAMPLES,
    chat,
    conversation,
    message,
    put_json,
    put_zip,
    said,
    trip,
)

# ChatGPT


def test_only_what_was_on_the_screen_is_taken(memory: Memory, take: Take, tmp_path: Path) -> None:
    found = take(put_json(tmp_path / "conversations.json", [trip()]))
    assert (found.format, found.turns, found.memories) == ("chatgpt", 3, 1)
    turns = memory.journal()
    assert [turn.content for turn in turns] == [
        "I am vegetarian and I live in Lisbon.",
        "[image]\nIs this a good place?",
        "It is.",
    ]
    assert {turn.session for turn in turns} == {"chatgpt-c-trip"}
    assert turns[0].at.timestamp() == 1_700_000_001.5
    assert [turn.origin for turn in turns if turn.role == "user"] == ["import", "import"]
    assert [one.content for one in memory.list()] == ["User is vegetarian"]


def test_sharded_nested_and_old_archives(memory: Memory, take: Take, tmp_path: Path) -> None:
    one = conversation("c1", "u", message("u", "root", "user", "我喜欢喝茶"))
    two = conversation("c2", "u", message("u", "root", "user", "I play the cello"))
    path = put_zip(
        tmp_path / "export.zip",
        {
            "export/conversations-000.json": [one],
            "export/conversations-001.json": [two],
            "export/user.json": {},
            "export/chat.html": "<html>",
            "__MACOSX/._conversations.json": "x",
            "export/shared_conversations.json": [],
        },
    )
    assert take(path).turns == 2
    old = put_zip(tmp_path / "old.zip", {"conversations.json": {"conversations": [one, two]}})
    assert take(old).known == 2


def test_a_conversation_that_went_on_adds_what_is_new(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    first = message("u", "root", "user", "hello there")
    take(put_json(tmp_path / "a.json", [conversation("c", "u", first)]))
    more = message("v", "u", "user", "are you still there?")
    found = take(put_json(tmp_path / "b.json", [conversation("c", "v", first, more)]))
    assert (found.turns, found.known) == (1, 1)


def test_what_is_not_to_be_remembered_is_left(memory: Memory, take: Take, tmp_path: Path) -> None:
    talk = conversation("c", "u", message("u", "root", "user", "hush"), is_do_not_remember=True)
    good = conversation("d", "v", message("v", "root", "user", "hello"))
    assert take(put_json(tmp_path / "c.json", [talk, good])).turns == 1


ODD: list[Any] = [
    conversation("ring", "a", message("a", "b", "user", "x"), message("b", "a", "user", "y")),
    {"conversation_id": "c", "mapping": {"a": 5, "b": {"message": 7}}, "current_node": "a"},
    {"conversation_id": "c", "mapping": {"a": {"message": {"content": {"parts": [None, 3]}}}}},
    conversation("t", "u", message("u", "root", "user", "x", at=float("nan"))),
    conversation("t", "u", message("u", "root", "user", "x\0y")),
    conversation("t", "u", message("u", "root", "user", "x", author=None)),
    conversation("t", "u", message("u", "root", "user", "x", content=None)),
    conversation("x" * 600, "u", message("u", "root", "user", "x")),
    conversation("", "u", message("u", "root", "user", "x")),
    {"mapping": []},
    "text",
    None,
]


def test_odd_conversations_do_not_stop_the_good_one(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    good = conversation("good", "u", message("u", "root", "user", "I like tea"))
    for value in ODD:
        found = take(put_json(tmp_path / "c.json", [good, value]), "chatgpt")
        assert found.turns + found.known >= 1
    assert "I like tea" in [turn.content for turn in memory.journal()]


# Claude


def test_conversations_attachments_memories_and_projects(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    files = json.loads((EXAMPLES / "claude.json").read_text("utf-8"))
    found = take(put_zip(tmp_path / "claude.zip", files))
    assert (found.format, found.turns, found.memories, found.problems) == ("claude", 2, 2, ())
    turns = {turn.id: turn for turn in memory.journal()}
    assert turns["a"].content == "你好，李雷"
    projects = {one.content: one.project for one in memory.list()}
    assert projects["Uses hexagonal architecture."] == "Shop"
    assert projects["Li Lei is an engineer at Acme."] == "_global"
    memory.consolidate()
    # What stands in an attached file was not said by the user.
    assert not any("Rome" in one.content for one in memory.list(state="all"))
    assert any("李雷" in one.content for one in memory.list() if one.kind == "fact")


def test_a_file_out_of_the_archive(take: Take, tmp_path: Path) -> None:
    one = put_json(tmp_path / "memories.json", {"conversations_memory": "Likes tea."})
    assert take(one).memories == 1
    folder = tmp_path / "data-2026"
    (folder / "projects").mkdir(parents=True)
    put_json(folder / "conversations.json", [chat("k", said("h", "human", "hello there"))])
    project = {"uuid": "p", "name": "Shop", "docs": [], "prompt_template": "Be brief"}
    put_json(folder / "projects" / "p.json", project)
    found = take(folder)
    assert (found.turns, found.memories) == (1, 0)


def test_a_branch_that_was_given_up_is_left(memory: Memory, take: Take, tmp_path: Path) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    talk = chat(
        "k",
        said("1", "human", "first try", parent_message_uuid=root),
        said("2", "assistant", "an answer", parent_message_uuid="1"),
        said("3", "human", "second try", parent_message_uuid=root),
        said("4", "assistant", "a better answer", parent_message_uuid="3"),
    )
    found = take(put_json(tmp_path / "c.json", [talk]))
    assert (found.turns, found.memories) == (2, 0)
    assert [turn.id for turn in memory.journal()] == ["3", "4"]
    shown = {**talk, "uuid": "k2", "current_leaf_message_uuid": "2"}
    take(put_json(tmp_path / "d.json", [shown]))
    assert [turn.id for turn in memory.journal(session="claude-k2")] == ["1", "2"]


def test_odd_chats_do_not_stop_the_good_one(memory: Memory, take: Take, tmp_path: Path) -> None:
    good = chat("good", said("g", "human", "I like tea"))
    for value in (
        chat("", said("h", "human", "x")),
        chat("k2", said("h", "martian", "x")),
        chat("k3", said("h", "human", "x", created_at="yesterday-ish")),
        chat("k4", said("h", "human", "")),
        {"chat_messages": [None, 5], "uuid": "k5"},
        {"x": 1},
        7,
        {"uuid": "p", "name": "n", "docs": [{"content": "a\0b"}, 5], "created_at": "never"},
    ):
        found = take(put_json(tmp_path / "c.json", [good, value]), "claude")
        assert found.turns + found.known == 1
