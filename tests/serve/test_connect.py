"""`loxodon connect`, `follow` and `hook`, as they are typed and as an agent runs them."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from loxodon.connect.agents import AGENTS
from loxodon.connect.hook import LOG
from tests.serve.shell import Shell
from tests.waiting import until
from tests.workspace.agent_files import ClaudeCode, Codex
from tests.workspace.openclaw.made import OpenClaw, talk


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    folder = tmp_path / ".claude"
    folder.mkdir()
    return folder / "settings.json"


def test_connecting_is_shown_first_and_asked_about(shell: Shell, settings: Path) -> None:
    settings.write_text('{"env": {"TOKEN": "s3cret"}}')
    done = shell("connect", "claude-code", code=2)
    assert b"--yes" in done.stderr
    assert b"+ hooks.Stop[0].hooks[0].command: " in done.stdout
    assert b"s3cret" not in done.stdout
    assert "nothing was changed" in shell.text("connect", "claude-code", "--dry-run")
    assert settings.read_text() == '{"env": {"TOKEN": "s3cret"}}'
    assert not shell.home.exists()
    assert "Claude Code is connected" in shell.text("connect", "claude-code", "--yes")
    assert shell.text("connect", "claude-code") == "Claude Code is already connected\n"
    assert "已经连接" in shell.text("connect", "claude-code", LANG="zh_CN.UTF-8")


def test_disconnecting(shell: Shell, settings: Path) -> None:
    settings.write_text("{ }")
    assert shell.text("connect", "claude-code", "--remove") == "Claude Code is not connected\n"
    shell("connect", "claude-code", "--yes")
    assert "would" not in shell.text("connect", "claude-code", "--remove", "--dry-run")
    assert settings.read_text() != "{ }"
    found = shell.json("connect", "claude-code", "--remove", "--yes")
    assert found["done"]
    assert found["changes"][0]["path"] == str(settings)
    assert settings.read_text() == "{ }"


def test_status(shell: Shell, settings: Path) -> None:
    shell("connect", "claude-code", "--yes")
    found = shell.json("connect", "status")
    assert found["agents"].keys() == {*AGENTS, "openclaw"}
    assert found["agents"]["claude-code"] == {"state": "connected", "files": [str(settings)]}
    assert found["agents"]["cursor"] == {"state": "not found", "files": []}
    assert found["problem"] == ""
    settings.write_text("{}")
    assert "connect it again" in shell.text("connect")
    assert b"does not accept --remove" in shell("connect", "--remove", code=2).stderr


def test_agents_that_there_are_not(shell: Shell) -> None:
    assert b"did you mean claude-code?" in shell("connect", "claude", code=2).stderr
    assert b"did you mean gemini-cli?" in shell("connect", "Gemini", code=2).stderr
    assert b"known names: claude-code" in shell("connect", "zzz", code=2).stderr
    assert b"Cursor was not found" in shell("connect", "cursor", code=3).stderr
    assert b"did you mean codex?" in shell("follow", "codx", code=2).stderr
    assert b"known names" in shell("follow", code=3).stderr
    assert b"CODEX_HOME" in shell("follow", "codex", code=3).stderr
    assert b"--state" in shell("follow", "openclaw", code=3).stderr
    assert not shell.home.exists()


def test_a_broken_file_is_refused_with_its_line(shell: Shell, settings: Path) -> None:
    settings.write_text('{\n  "a" 1\n}')
    done = shell("connect", "claude-code", "--yes", code=4)
    assert f"{settings}: this is not JSON5: line 2".encode() in done.stderr
    assert b"fix that line" in done.stderr


def test_openclaw_has_its_own_installer(shell: Shell, tmp_path: Path) -> None:
    state = tmp_path / ".openclaw"
    (state / "workspace").mkdir(parents=True)
    config = state / "openclaw.json"
    config.write_text("{}")
    shell("connect", "openclaw", "--yes")
    assert shell.json("connect")["agents"]["openclaw"]["state"] == "connected"
    assert shell.json("openclaw", "status")["installed"]
    shell("connect", "openclaw", "--remove", "--yes")
    assert config.read_text() == "{}"
    assert shell.json("connect")["agents"]["openclaw"]["state"] == "not connected"


def test_following_all_agents(shell: Shell, tmp_path: Path) -> None:
    ClaudeCode(tmp_path / ".claude").user("My sister Mei lives in Osaka")
    Codex(tmp_path / ".codex").user("I moved to York")
    OpenClaw(tmp_path / ".openclaw").file("old", talk("hello"))
    found = shell.json("follow")
    assert {name: one["added"] for name, one in found.items()} == {
        "claude-code": 1,
        "codex": 1,
        "openclaw": 1,
    }
    said = shell.text("follow", "codex")
    assert said.startswith("codex:\nturns added: 0, already known: 0\n")
    assert "unchanged: 1" in said
    assert "Osaka" in shell.text("recall", "Mei")


def hooks(settings: Path) -> dict[str, str]:
    """The commands that Claude Code would run, by event."""
    found = json.loads(settings.read_text())["hooks"]
    return {event: groups[0]["hooks"][0]["command"] for event, groups in found.items()}


def test_what_claude_code_runs(shell: Shell, settings: Path) -> None:
    """The commands as they stand in its settings, through a shell, as it does."""
    shell("connect", "claude-code", "--yes")
    commands = hooks(settings)
    session = ClaudeCode(settings.parent)
    request = {"session_id": session.session, "transcript_path": str(session.path)}

    def run(event: str, given: str) -> str:
        done = subprocess.run(
            commands[event],
            shell=True,
            input=given,
            capture_output=True,
            text=True,
            env=shell.environment,
            cwd=settings.parent,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def asked(event: str, **more: str) -> str:
        return run(event, json.dumps(request | {"hook_event_name": event} | more))

    session.user("My sister Mei lives in Osaka")
    session.agent("Noted.")
    assert asked("Stop") == ""
    other = {"transcript_path": str(ClaudeCode(settings.parent, "other").path)}
    answer = json.loads(asked("UserPromptSubmit", prompt="Where does Mei live?", **other))
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "Osaka" in answer["hookSpecificOutput"]["additionalContext"]
    assert asked("SessionEnd", reason="exit") == ""
    until(lambda: shell.json("status")["last_consolidation"] is not None)
    assert run("Stop", "not JSON") == ""
    assert "claude-code Stop: " in (shell.home / LOG).read_text()


def test_a_hook_never_fails_the_turn(shell: Shell, settings: Path) -> None:
    shell("connect", "claude-code", "--yes")
    for words, given in (
        (("claude-code", "Stop"), b""),
        (("claude-code", "Nonsense"), b"{}"),
        (("nobody", "Stop"), b"{}"),
        (("claude-code", "UserPromptSubmit"), b"[]"),
    ):
        done = shell("hook", *words, given=given)
        assert (done.stdout, done.stderr) == (b"", b"")
    (shell.home / "config.toml").write_text("recall = broken")
    assert shell("hook", "claude-code", "UserPromptSubmit", given=b'{"prompt": "x"}').stdout == b""
    assert len((shell.home / LOG).read_text().splitlines()) == 4
    (shell.home / "config.toml").unlink()
    assert b"the last problem of a hook" in shell("connect").stderr


def test_a_home_with_odd_characters(tmp_path: Path, settings: Path) -> None:
    shell = Shell(tmp_path / "it's 记忆 $HOME")
    shell("connect", "claude-code", "--yes")
    words = shlex.split(hooks(settings)["Stop"])
    assert words[words.index("--home") + 1] == str(shell.home)
