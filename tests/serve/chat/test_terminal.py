"""A chat as a person has it: a real process in a real pseudo-terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from loxodon import Memory
from tests.models.server import Stage, events, piece, streams
from tests.serve.chat.terminal import CTRL_D, UP, environment, typed
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


def said(home: Path) -> list[tuple[str, str]]:
    with Memory.open(home) as memory:
        return [(turn.role, turn.content) for turn in memory.journal()]


def test_a_conversation_is_typed_and_its_history_is_there(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Hello ", "Ann.", usage={"prompt_tokens": 40, "completion_tokens": 3}))
    env = environment(tmp_path, server)
    with typed(env) as terminal:
        terminal.expect("chatting with test")
        terminal.expect("> ")
        terminal.type("I am Ann\n")
        terminal.expect("Hello Ann.")
        terminal.expect("> ")
        terminal.type("/quit\n")
        assert terminal.ended() == 0
    with typed(env) as terminal:
        terminal.expect("chat (2 messages)")
        terminal.expect("> ")
        terminal.type(UP)
        terminal.expect("I am Ann")
        terminal.type("\n")
        terminal.expect("Hello Ann.")
        terminal.expect("> ")
        terminal.type(CTRL_D)
        assert terminal.ended() == 0
    assert said(tmp_path) == [("user", "I am Ann"), ("assistant", "Hello Ann.")] * 2


def test_ctrl_c_stops_a_reply_and_again_ends(server: Stage, tmp_path: Path) -> None:
    server.play(events(piece("Once upon"), piece(" a time"), then=lambda: server.over.wait(60)))
    with typed(environment(tmp_path, server)) as terminal:
        terminal.expect("> ")
        terminal.type("Tell me a story\n")
        terminal.expect("Once upon a time")
        terminal.interrupt()
        terminal.expect("the reply so far is saved")
        terminal.expect("> ")
        terminal.interrupt()
        assert terminal.ended() == 0
    assert said(tmp_path) == [("user", "Tell me a story"), ("assistant", "Once upon a time")]


def test_ctrl_c_at_the_prompt_asks_to_be_sure(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Yes."))
    with typed(environment(tmp_path, server)) as terminal:
        terminal.expect("> ")
        terminal.type("half a sente")
        terminal.expect("half a sente")
        terminal.interrupt()
        terminal.expect("press Ctrl-C again to quit")
        terminal.expect("> ")
        terminal.type("Still there?\n")
        terminal.expect("Yes.")
        terminal.expect("> ")
        terminal.interrupt()
        terminal.expect("press Ctrl-C again to quit")
        terminal.interrupt()
        assert terminal.ended() == 0
    assert said(tmp_path)[0] == ("user", "Still there?")


@pytest.mark.parametrize(
    "keys",
    ["\x1b[200~one\ntwo\x1b[201~\n", "one\ntwo\n", "one\\\ntwo\n"],
    ids=["bracketed", "all at once", "backslash"],
)
def test_pasted_lines_are_one_message(server: Stage, tmp_path: Path, keys: str) -> None:
    server.play(streams("Two lines."))
    with typed(environment(tmp_path, server)) as terminal:
        terminal.expect("> ")
        terminal.type(keys)
        terminal.expect("Two lines.")
        terminal.expect("> ")
        terminal.type("/quit\n")
        assert terminal.ended() == 0
    assert said(tmp_path) == [("user", "one\ntwo"), ("assistant", "Two lines.")]


def test_the_terminal_is_spoken_to_in_chinese(server: Stage, tmp_path: Path) -> None:
    server.play(streams("你好，", "小雪。"))
    env = environment(tmp_path, server, LANG="zh_CN.UTF-8", PYTHONUTF8="1")
    with typed(env) as terminal:
        terminal.expect("正在与 test 对话")
        terminal.expect("> ")
        terminal.type("你好，我是小雪\n")
        terminal.expect("你好，小雪。")
        terminal.expect("> ")
        terminal.type("/记住 我的猫叫豆包\n")
        terminal.expect("已记住")
        terminal.type("/退出\n")
        assert terminal.ended() == 0
    assert ("user", "我的猫叫豆包") in said(tmp_path)


def test_what_a_model_says_does_not_drive_the_terminal(server: Stage, tmp_path: Path) -> None:
    server.play(streams("\x1b]0;owned\x07", "\x1b[2J", "done"))
    with typed(environment(tmp_path, server, NO_COLOR="1")) as terminal:
        terminal.expect("> ")
        terminal.type("go\n")
        assert "\\x1b]0;owned\\x07\\x1b[2J" in terminal.expect("done")
        terminal.expect("> ")
        terminal.type(CTRL_D)
        assert terminal.ended() == 0
    assert b"\x1b[2m" not in terminal.everything  # nothing is dimmed, as asked for


def test_the_background_keeps_quiet(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Noted."))
    with typed(environment(tmp_path, server), scheduled=True) as terminal:
        terminal.expect("> ")
        terminal.type("I live in Leeds\n")
        terminal.expect("Noted.")
        terminal.expect("> ")
        wait_for_the_heartbeat(tmp_path)
        terminal.type("/quit\n")
        assert terminal.ended() == 0
    assert b"schedule." not in terminal.everything


def wait_for_the_heartbeat(home: Path) -> None:
    """Until the background has done something, which it would write of."""
    with Memory.open(home) as memory:
        until(lambda: any(job.runs for job in memory.schedule.jobs()))
