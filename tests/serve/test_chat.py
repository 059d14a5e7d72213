"""`loxodon chat`, as a script has it (lines in, replies or events out) and in a terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from loxodon import Memory
from tests.models.server import KEY, Stage, answers, events, piece, says, stage, streams
from tests.serve import shell
from tests.serve.http.server import unscheduled
from tests.waiting import PATIENCE, until

FOX = "the quick brown fox jumps over the lazy dog. " * 12


class Chat:
    """A chat on a home of its own, with the model of a test."""

    def __init__(self, home: Path, model: Stage) -> None:
        self.home, self.model = home, model
        self.environment = {
            **shell.INHERITED,
            "HOME": str(home.parent),
            "LOXODON_HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "LOXODON_CHAT_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
            "LOXODON_CHAT_MODEL": "test",
            "LOXODON_CHAT_API_KEY": KEY,
        }

    def __call__(
        self, *lines: str, options: tuple[str, ...] = (), code: int = 0, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """What is printed for these lines, without the background."""
        given = "\n".join(lines).encode("utf-8", "surrogateescape")
        with unscheduled(self.home):
            done = shell.typed("chat", *options, env=self.environment | more, given=given)
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == code, (out, err)
        return subprocess.CompletedProcess(done.args, code, out, err)

    def journal(self) -> list[tuple[str, str]]:
        with Memory.open(self.home) as memory:
            return [(turn.role, turn.content) for turn in memory.journal()]

    def asked(self, n: int = -1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.model.requests[n].body["messages"]
        return found


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    with stage() as model:
        yield Chat(tmp_path / "home", model)


def test_replies_are_printed_and_both_sides_journalled(chat: Chat) -> None:
    with Memory.open(chat.home) as memory:
        memory.capture("User's cat is called Snowy", importance=0.9)
    (chat.home / "SOUL.md").write_text("You are Bruno, a sailor.", "utf-8")
    chat.model.play(streams("Sno", "wy."), says("Two.\n"))  # in pieces, and all at once
    assert chat("What is my cat called?", "", "ok, thanks").stdout == "Snowy.\nTwo.\n"
    assert chat.journal()[1:] == [
        ("user", "What is my cat called?"),
        ("assistant", "Snowy."),
        ("user", "ok, thanks"),
        ("assistant", "Two.\n"),
    ]
    system, asked = chat.asked(0)
    assert system["content"].startswith("You are Bruno")
    assert "[Related memories]" in asked["content"]
    assert asked["content"].endswith("[User message]\n\nWhat is my cat called?")
    assert "Snowy" in chat.asked()[-1]["content"].partition("[User message]")[0]  # a topic lasts


def test_events_for_a_script(chat: Chat) -> None:
    used = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    thought = piece(reasoning_content="hm")
    chat.model.play(
        events(thought, piece("Snow"), piece("y.", ended="stop"), used), answers(429, b"slow down")
    )
    lines = ["/remember My cat is called Snowy", json.dumps({"message": "What is\nmy cat called?"})]
    done = chat(*lines, '{"no": "message"}', "/why", "/nope", options=("--json",), code=2)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    wanted = "start result recall thought delta delta reply recall error result error"
    assert [one["event"] for one in found] == wanted.split()
    _, kept, recall, *_ = found
    assert recall["ids"] == [kept["data"]["id"]]
    reply = found[6]
    assert (reply["text"], reply["complete"], reply["stopped"]) == ("Snowy.", True, False)
    assert [found[n]["code"] for n in (8, 10)] == ["busy_model", "usage"]


COMMANDS = """
/help
/review
/review confirm 1
/review
/review confirm 7
/remember 我的猫叫豆包
/tag f_20260204_001 +宠物 -x
/tag nonsense +a
/why
我的猫叫什么？
/why
/回忆 猫
/refresh
/snapshot
/new
/retry
/forget f_1
/forget f_20260204_001
/forget f_20260204_001 yes
//help is no command
/quit
never said
"""
SAID = """
/recall QUESTION|1. b_|is a fact now|nothing to review|remembered as f_|now has the tags|宠物
知道了。|gate|weighed by|# Profile|# Memory snapshot|a new conversation|would delete:
yes` to delete it permanently|deleted: |receipt r_
"""
REFUSED = """
no item 7|no memory with the id 'nonsense'|nothing has been recalled yet|nothing to retry
no memory with the id 'f_1'
"""


def test_commands(chat: Chat) -> None:
    chat.model.play(streams("知道了。"))
    with Memory.open(chat.home) as memory:
        for text in ("我住在北京。", "我可能住在上海吧"):
            memory.add([{"role": "user", "content": text}], "monday")
        memory.consolidate()
    now = "2026-02-04T18:00:00+08:00"
    done = chat(*COMMANDS.strip().splitlines(), LOXODON_NOW=now, code=3)
    for wanted, told in ((SAID, done.stdout), (REFUSED, done.stderr)):
        texts = [one for line in wanted.strip("\n").splitlines() for one in line.split("|")]
        assert [one for one in texts if one not in told] == []
    assert ("user", "/help is no command") in chat.journal()
    assert ("user", "never said") not in chat.journal()


def test_model_of_the_settings_or_the_command_line(chat: Chat) -> None:
    chat.model.play(streams("Hi."))
    at = chat.environment.pop("LOXODON_CHAT_BASE_URL")
    done = chat("/remember I live in Leeds", "/recall Leeds", "hello", code=6)
    assert "I live in Leeds" in done.stdout  # commands need no model
    assert "error: no chat model is configured" in done.stderr
    assert chat.journal() == [("user", "I live in Leeds")]
    options = ("--base-url", at, "--model", "mine", "--session", "work", "--window", "8000")
    assert chat("hello", options=options).stdout == "Hi.\n"
    assert chat.model.requests[0].body["model"] == "mine"
    for wrong in (("--base-url", "nowhere"), ("--window", "5")):
        chat("hello", options=wrong, code=6)
    off = chat("What is new?", LOXODON_CHAT_BASE_URL=at, LOXODON_ENABLED="false")
    assert off.stdout == "Hi.\n"


def test_whatever_goes_wrong_the_conversation_goes_on(chat: Chat) -> None:
    chat.model.play(
        answers(401, f'{{"error": "no {KEY}"}}'.encode()),
        answers(429, b"", Retry_After="7"),
        answers(500),
        events(piece("half")),
        events("data: {nonsense\n\n"),
        streams("<think>hm</think>", " "),
        lambda handler: handler.connection.close(),
        streams("At last."),
    )
    lines = [f"message {n}" for n in range(8)]
    done = chat(*lines, code=8)
    assert done.stdout == "half\nAt last.\n"
    told = "HTTP 401|LOXODON_CHAT_API_KEY|HTTP 429|7 s|HTTP 500|cut off|empty reply|cannot reach"
    assert [one for one in told.split("|") if one not in done.stderr] == []
    assert KEY not in done.stdout + done.stderr
    assert [text for role, text in chat.journal() if role == "user"] == lines
    chat.model.play(answers(503), streams("Here."))
    assert chat("Are you there?", "/retry", code=8).stdout == "Here.\n"
    assert len(chat.asked()) == len(chat.asked(-2))  # it is asked anew, not to go on


def test_long_conversation_is_summed_up_and_sent_shorter(chat: Chat) -> None:
    def noted(handler: BaseHTTPRequestHandler) -> None:
        streams("Number ", "noted.")(handler)

    chat.model.play(noted)
    chat(*(f"Number {n}: {FOX}" for n in range(14)), options=("--window", "2000"))
    assert len([text for _, text in chat.journal() if FOX.strip() in text]) == 14
    assert sum(len(one["content"]) for one in chat.asked()) < 2_000 * 5
    refused = answers(400, b'{"error": {"message": "maximum context length is 1000 tokens"}}')
    chat.model.play(*[noted] * 6, refused, refused, streams("Now it fits."))
    options = ("--session", "other")
    assert "Now it fits." in chat(*(f"Number {n}: {FOX}" for n in range(7)), options=options).stdout


class Terminal:
    """What a person sees and types."""

    def __init__(self, process: subprocess.Popen[bytes], line: int) -> None:
        self.process, self._line, self._seen = process, line, b""

    def type(self, keys: str) -> None:
        os.write(self._line, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C, once the chat waits for something: between two instructions of Python's own
        wait for a key, a signal is not noticed before the next key."""
        asleep = 0
        while asleep < 3:
            state = Path(f"/proc/{self.process.pid}/stat").read_bytes().rpartition(b") ")[2]
            asleep = asleep + 1 if state[:1] == b"S" else 0
            Event().wait(0.01)
        self.type("\x03")

    def expect(self, text: str) -> str:
        """Wait until `text` is on the screen; what came before it. Each is seen once."""
        while text.encode() not in self._seen:
            assert select.select([self._line], [], [], PATIENCE)[0], (text, self._seen)
            self._seen += os.read(self._line, 65_536)
        before, _, self._seen = self._seen.partition(text.encode())
        return before.decode("utf-8", "replace")


@contextmanager
def terminal(chat: Chat, **more: str) -> Iterator[Terminal]:
    line, inner = os.openpty()
    code = (  # a terminal sends Ctrl-C to the session that it controls
        "import fcntl, runpy, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "sys.argv[1:] = ['chat']; runpy.run_module('loxodon', run_name='__main__')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=chat.environment | more,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    try:
        yield Terminal(process, line)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(line)


def test_conversation_in_a_terminal(chat: Chat) -> None:
    chat.model.play(streams("Hello ", "Ann.\x1b[2J"))
    with terminal(chat) as seen:  # with the background, which keeps quiet
        seen.expect("chatting with test")
        seen.expect("> ")
        seen.type("I am Ann\n")
        assert "\x1b[2J" not in seen.expect("Hello Ann.\\x1b[2J")
        seen.expect("> ")
        with Memory.open(chat.home) as memory:
            until(lambda: any(job.runs for job in memory.schedule.jobs()))
        seen.type("\x1b[200~one\ntwo\x1b[201~\n")  # pasted
        assert "schedule." not in seen.expect("Hello Ann.")
        seen.expect("> ")
        seen.type("/quit\n")
    assert [text for role, text in chat.journal() if role == "user"] == ["I am Ann", "one\ntwo"]
    with unscheduled(chat.home), terminal(chat, LANG="zh_CN.UTF-8", PYTHONUTF8="1") as seen:
        seen.expect("正在与 test 对话")
        seen.expect("> ")
        seen.type("\x1b[A")  # what was typed before
        seen.expect("I am Ann")
        seen.type("\n")
        seen.expect("Hello Ann.")
        seen.expect("> ")
        seen.type("\x04")


def test_ctrl_c_stops_a_reply_and_twice_ends(chat: Chat) -> None:
    told = [piece("Once upon"), piece(" a time")]
    chat.model.play(events(*told, then=lambda: chat.model.over.wait(60)))
    with unscheduled(chat.home), terminal(chat) as seen:
        seen.expect("> ")
        seen.type("Tell me a story\n")
        seen.expect("Once upon a time")
        seen.interrupt()
        seen.expect("the reply so far is saved")
        seen.expect("> ")
        seen.interrupt()
    assert chat.journal() == [("user", "Tell me a story"), ("assistant", "Once upon a time")]
