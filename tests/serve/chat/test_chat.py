"""A chat as a script has it: lines in, replies or events out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from loxodon import Memory
from tests.models.server import KEY, Stage, answers, events, piece, streams
from tests.serve.chat.terminal import environment, piped
from tests.waiting import until

DOUBTED = ["我住在北京。", "我可能住在上海吧"]


def said(home: Path) -> list[tuple[str, str]]:
    with Memory.open(home) as memory:
        return [(turn.role, turn.content) for turn in memory.journal()]


def told(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@contextmanager
def running(env: dict[str, str], *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A chat that is talked to while it runs; whatever happens, not for more than a minute."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "loxodon", "chat", *options],
        env=env,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    ) as process:
        watch = Timer(60, process.kill)
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            process.kill()


def test_replies_are_printed_and_nothing_else(server: Stage, tmp_path: Path) -> None:
    server.play(streams("One", "."), streams("Two.\n"))
    done = piped("first\n\nsecond", environment(tmp_path, server))
    assert done.stdout == "One.\nTwo.\n"
    assert done.returncode == 0
    assert said(tmp_path) == [
        ("user", "first"),
        ("assistant", "One."),
        ("user", "second"),
        ("assistant", "Two.\n"),
    ]


def test_events_for_a_script(server: Stage, tmp_path: Path) -> None:
    server.play(
        events(
            piece(reasoning_content="hm"),
            piece("Snow"),
            piece("y.", ended="stop"),
            {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}},
        ),
        answers(429, b"slow down"),
    )
    lines = [
        "/remember My cat is called Snowy",
        json.dumps({"message": "What is\nmy cat called?"}),
        '{"no": "message"}',
        "/why",
        "/nope",
    ]
    done = piped("\n".join(lines), environment(tmp_path, server), "--json")
    found = told(done.stdout)
    assert [one["event"] for one in found] == [
        "start",
        "result",
        "recall",
        "thought",
        "delta",
        "delta",
        "reply",
        "recall",
        "error",
        "result",
        "error",
    ]
    start, kept, recall, *_ = found
    assert (start["session"], start["model"], start["messages"]) == ("chat", "test", 0)
    assert kept["command"] == "remember"
    assert recall["ids"] == [kept["data"]["id"]]
    reply = found[6]
    assert (reply["text"], reply["complete"], reply["stopped"]) == ("Snowy.", True, False)
    assert reply["usage"]["prompt_tokens"] == 9
    assert (found[8]["code"], found[8]["said"]) == ("busy_model", "slow down")
    assert found[9]["data"]["frame"]["message"] == '{"no": "message"}'
    assert found[10]["code"] == "usage"
    assert done.returncode == 2
    assert server.requests[0].body["messages"][-1]["content"].endswith("What is\nmy cat called?")


def test_the_commands(server: Stage, tmp_path: Path) -> None:
    server.play(streams("知道了。"))
    with Memory.open(tmp_path) as memory:
        memory.add([{"role": "user", "content": text} for text in DOUBTED], "monday")
        memory.consolidate()
        assert len(memory.reviews()) == 1
    lines = [
        "/help",
        "/review",
        "/review confirm 1",
        "/review",
        "/review confirm 7",
        "/review what",
        "/remember 我的猫叫豆包",
        "/tag f_20260204_001 +宠物 -x",
        "/tag nonsense +a",
        "/tag f_1",
        "/why",
        "我的猫叫什么？",
        "/why",
        "/recall 猫",
        "/recall",
        "/refresh",
        "/snapshot",
        "/new",
        "/retry",
        "/forget f_1",
        "/forget f_20260204_001",
        "/forget f_20260204_001 yes",
        "/recall 猫",
        "/quit",
        "never said",
    ]
    env = environment(tmp_path, server, LOXODON_NOW="2026-02-04T18:00:00+08:00")
    done = piped("\n".join(lines), env)
    for text in (
        "/recall QUESTION",
        "1. b_",
        "is a fact now",
        "nothing to review",
        "remembered as f_",
        "now has the tags",
        "宠物",
        "知道了。",
        "gate",
        "weighed by",
        "猫",
        "# Profile",
        "# Memory snapshot",
        "a new conversation",
        "would delete: ",
        "yes` to delete it permanently",
        "deleted: ",
        "receipt r_",
    ):
        assert text in done.stdout, text
    for text in (
        "no item 7",
        "/review reject 1",
        "no memory with the id 'nonsense'",
        "/tag ID +a -b",
        "nothing has been recalled yet",
        "/recall QUESTION",
        "nothing to retry",
        "no memory with the id 'f_1'",
    ):
        assert text in done.stderr, text
    assert ("user", "never said") not in said(tmp_path)


def test_commands_work_without_a_model(tmp_path: Path) -> None:
    lines = ["/remember I live in Leeds", "/recall Leeds", "hello", "/snapshot"]
    done = piped("\n".join(lines), environment(tmp_path))
    assert done.stdout.count("I live in Leeds") >= 2
    assert "error: no chat model is configured" in done.stderr
    assert "loxodon config chat.base_url" in done.stderr
    assert done.returncode == 6
    assert said(tmp_path) == [("user", "I live in Leeds")]


def test_a_model_that_is_set_while_the_chat_runs(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Hello."))
    env = environment(tmp_path)
    with running(env, "--json") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["event"] == "start"
        assert json.loads(process.stdout.readline())["code"] == "config"
        (tmp_path / "config.toml").write_text(
            f'[chat]\nbase_url = "http://127.0.0.1:{server.port}"\nname = "test"\n', "utf-8"
        )
        process.stdin.write(b"hello\n")
        process.stdin.close()
        assert b'"Hello."' in process.stdout.read()
    assert server.requests[0].path == "/chat/completions"


@pytest.mark.parametrize("wrong", [["--base-url", "nowhere"], ["--window", "5"]])
def test_options_that_make_no_sense(tmp_path: Path, wrong: list[str]) -> None:
    assert piped("hello\n", environment(tmp_path), *wrong).returncode == 6


def test_the_model_of_the_command_line(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Hi."))
    options = (
        "--base-url",
        f"http://127.0.0.1:{server.port}/v1",
        "--model",
        "mine",
        "--session",
        "work",
        "--window",
        "8000",
    )
    assert piped("hello\n", environment(tmp_path), *options).stdout == "Hi.\n"
    assert server.requests[0].body["model"] == "mine"
    with Memory.open(tmp_path) as memory:
        assert memory.journal()[0].session.startswith("work/")


def test_whatever_goes_wrong_the_conversation_goes_on(server: Stage, tmp_path: Path) -> None:
    server.play(
        answers(401, f'{{"error": "no {KEY}"}}'.encode()),
        answers(429, b"", Retry_After="7"),
        answers(500),
        events(piece("half")),
        events("data: {nonsense\n\n"),
        streams(),
        lambda handler: handler.connection.close(),
        streams("At last."),
    )
    lines = [f"message {n}" for n in range(8)]
    done = piped("\n".join(lines), environment(tmp_path, server))
    assert done.stdout == "half\nAt last.\n"
    for text in (
        "HTTP 401",
        "LOXODON_CHAT_API_KEY",
        "HTTP 429",
        "7 s",
        "HTTP 500",
        "cut off",
        "valid reply",
        "empty reply",
        "cannot reach",
    ):
        assert text in done.stderr, text
    assert KEY not in done.stdout + done.stderr
    assert done.returncode == 8
    assert [text for role, text in said(tmp_path) if role == "user"] == lines


def test_any_bytes(server: Stage, tmp_path: Path) -> None:
    server.play(streams("ok"))
    given = b"caf\xe9 \x00\xff\n" + b"x" * 1_200_000 + b"\n\xe4\xbd\xa0\xe5\xa5\xbd\r\n"
    done = piped(given, environment(tmp_path, server))
    assert done.stdout == "ok\nok\n"
    assert "longer than 1000000 characters" in done.stderr
    assert [text for role, text in said(tmp_path) if role == "user"] == ["caf\ufffd \ufffd", "你好"]


def test_chinese_is_spoken_where_it_is_asked_for(server: Stage, tmp_path: Path) -> None:
    server.play(answers(401))
    env = environment(tmp_path, server, LANG="zh_CN.UTF-8")
    done = piped("你好啊\n/帮助\n", env)
    assert "模型不接受" in done.stderr
    assert "搜索记忆" in done.stdout
    system = server.requests[0].body["messages"][0]["content"]
    assert "你对这位用户有长期记忆" in system


def test_the_engine_is_switched_off(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Hello."))
    env = environment(tmp_path, server, LOXODON_ENABLED="false")
    notes = tmp_path / "spaces" / "main" / "workspace"
    notes.mkdir(parents=True)
    (notes / "MEMORY.md").write_text("- The boat is called Vega\n", "utf-8")
    done = piped("What is the boat called?\n/why\n/recall boat\n/remember x is y\n/review\n", env)
    assert done.stdout.startswith("Hello.\n")
    assert "Vega" in str(server.requests[0].body["messages"])
    assert "Vega" in done.stdout
    assert "turned off" in done.stderr
    assert "unexpected" not in done.stderr
    assert ("user", "What is the boat called?") in said(tmp_path)  # taken in when it is on again


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("number", "kept"), [(signal.SIGTERM, ["A story", "Once"]), (signal.SIGKILL, ["A story"])]
)
def test_an_end_in_the_middle_of_a_reply(
    server: Stage, tmp_path: Path, number: int, kept: list[str]
) -> None:
    server.play(events(piece("Once"), then=lambda: server.over.wait(60)))
    with running(environment(tmp_path, server)) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"A story\n")
        process.stdin.flush()
        assert process.stdout.read(4) == b"Once"
        os.kill(process.pid, number)
        process.wait(60)
    assert [text for _, text in said(tmp_path)] == kept


def test_it_goes_on_where_it_ended(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Noted."))
    env = environment(tmp_path, server)
    piped("The word is plum\n", env)
    piped("What was the word?\n", env)
    sent = server.requests[-1].body["messages"]
    assert [one["role"] for one in sent] == ["system", "user", "assistant", "user"]
    assert sent[1]["content"] == "The word is plum"


def test_what_was_said_becomes_known_in_the_background(server: Stage, tmp_path: Path) -> None:
    server.play(streams("Noted."))
    (tmp_path / "config.toml").write_text("[buffer]\nquiet = 0.1\n", "utf-8")
    with running(environment(tmp_path, server)) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write("我对花生过敏。\n".encode())
        process.stdin.flush()
        with Memory.open(tmp_path) as memory:
            until(lambda: memory.list() or process.poll() is not None)
            assert any("花生" in one.content for one in memory.list())
        process.stdin.close()
        assert process.stderr.read() == b""  # a person may be looking at it
        assert process.wait(60) == 0
