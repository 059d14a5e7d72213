"""`loxodon connect`, `follow` and `hook`, as they are typed and as an agent runs them.

Connecting changes an agent's files as little as can be; disconnecting gives back every byte.
"""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
import tomllib
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from loxodon import Memory
from loxodon.filelock import FileLock
from tests.agents.agent_files import SESSION, ClaudeCode, Codex, Gemini
from tests.agents.openclaw.made import OpenClaw, talk
from tests.cases import cases
from tests.cli.shell import Shell
from tests.each import each
from tests.waiting import until

FOLDERS = {
    "claude-code": ".claude",
    "codex": ".codex",
    "cursor": ".cursor",
    "gemini-cli": ".gemini",
    "opencode": ".config/opencode",
    "vscode": ".config/Code/User",
    "claude-desktop": ".config/Claude",
}
HOOKED = {
    "claude-code": ("UserPromptSubmit", "Stop", ClaudeCode),
    "codex": ("UserPromptSubmit", "Stop", Codex),
    "gemini-cli": ("BeforeAgent", "AfterAgent", Gemini),
}


class User:
    """Somebody's folders, with agents in them, and their shell."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.shell = Shell(root / "it's 记忆 $HOME")

    def has(self, agent: str) -> Path:
        folder = self.root / FOLDERS[agent]
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def connect(self, agent: str, *words: str) -> Any:
        self.has(agent)
        return self.shell.json("connect", agent, "--yes", *words)

    def standing(self, agent: str) -> Any:
        return self.shell.json("connect", "status")["agents"][agent]

    def files(self) -> dict[str, bytes]:
        """Of the agents."""
        found = [one for one in self.root.rglob("*") if one.is_file()]
        return {str(one): one.read_bytes() for one in found if self.shell.home not in one.parents}


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.mark.parametrize("agent", FOLDERS)
def test_files_stay_and_come_back(user: User, agent: str) -> None:
    user.connect(agent)
    paths = [Path(one) for one in user.standing(agent)["files"]]
    assert paths
    user.connect(agent, "--remove")
    assert user.files() == {}  # those that were not there are gone again
    assert user.standing(agent)["state"] == "not connected"
    for path in paths:
        for text in (case["text"] for case in cases(__file__, path.suffix[:5])):
            path.write_bytes(text.encode())
            path.chmod(0o640)
            before = user.files()
            assert user.connect(agent)["done"]
            state = user.standing(agent)["state"]
            assert state == "connected"
            changed = path.read_text("utf-8")
            assert "loxodon" in changed
            if path.suffix == ".toml":
                assert "loxodon" in tomllib.loads(changed)["mcp_servers"]
                assert changed.startswith(text.replace("\r\n", "\n"))
            assert stat.S_IMODE(path.stat().st_mode) == 0o640
            assert not user.connect(agent)["done"]
            assert user.connect(agent, "--remove")["done"]
            assert user.files() == before, text
        path.unlink()


def test_what_each_agent_is_told(user: User) -> None:
    for agent in FOLDERS:
        user.connect(agent)

    def told(agent: str, name: str) -> Any:
        text = (user.has(agent) / name).read_text("utf-8")
        return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)

    stop = told("claude-code", "settings.json")["hooks"]["Stop"][0]["hooks"][0]
    words = shlex.split(stop["command"])
    assert words[words.index("--home") + 1] == str(user.shell.home)
    assert words[-3:] == ["hook", "claude-code", "Stop"]
    assert (stop["type"], stop["timeout"]) == ("command", 60)
    (server,) = told("cursor", "mcp.json")["mcpServers"].values()
    args = server["args"]
    assert args[-1] == "mcp"
    assert told("opencode", "opencode.json")["mcp"]["loxodon"] == {
        "type": "local",
        "command": [server["command"], *args],
        "enabled": True,
    }
    assert told("vscode", "mcp.json")["servers"]["loxodon"]["type"] == "stdio"
    gemini = told("gemini-cli", "settings.json")
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 10_000
    hooked = [*args, "--no-journal"]  # what is said is journalled by hooks, and so only once
    assert gemini["mcpServers"]["loxodon"]["args"] == hooked
    codex = told("codex", "config.toml")["mcp_servers"]["loxodon"]
    assert codex == {"command": server["command"], "args": hooked}
    newer = user.has("opencode") / "opencode.jsonc"
    user.connect("opencode", "--remove")
    newer.write_text('{"mcp": {"servers": {"a": {"type": "local"}}}}')
    user.connect("opencode")
    assert json.loads(newer.read_text())["mcp"]["servers"].keys() == {"a", "loxodon"}


def test_removing_keeps_what_was_changed_since(user: User) -> None:
    path = user.has("gemini-cli") / "settings.json"
    path.write_text('{\n  "theme": "x" // dark\n}\n')
    user.connect("gemini-cli")
    text = path.read_text("utf-8")
    assert '"theme": "x" // dark\n' in text  # a remark stays where it was made
    path.write_text(text.replace('"x" // dark', '"y", // light\n  "a": 1'))
    assert not user.connect("gemini-cli")["done"]
    user.connect("gemini-cli", "--remove")
    assert path.read_text("utf-8") == '{\n  "theme": "y", // light\n  "a": 1\n}\n'

    path = user.has("claude-code") / "settings.json"
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}}')
    user.connect("claude-code")
    value = json.loads(path.read_text("utf-8"))  # the agent writes it anew, in its own form
    path.write_text(json.dumps({**value, "model": "opus"}, indent=4))
    assert user.standing("claude-code")["state"] == "connected"
    user.connect("claude-code", "--space", "work")  # another command takes the place of ours
    assert len(json.loads(path.read_text("utf-8"))["hooks"]["Stop"]) == 2
    user.connect("claude-code", "--remove")
    beep = {"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}, "model": "opus"}
    assert json.loads(path.read_text("utf-8")) == beep

    path = user.has("codex") / "config.toml"
    path.write_text('# mine\nmodel = "x"  # good\n[mcp_servers.docs]\ncommand = "docs"\n')
    mine = path.read_text()
    user.connect("codex")
    more = '\n[projects."/b"]\ntrust_level = "trusted"\n'
    path.write_text(path.read_text("utf-8") + more)
    user.connect("codex", "--remove")
    assert path.read_text("utf-8") == mine + more
    user.connect("codex")
    path.write_text(path.read_text("utf-8").replace("args = [", "timeout = 9\nargs = ["))
    user.connect("codex", "--remove")
    found = tomllib.loads(path.read_text("utf-8"))
    assert found["mcp_servers"] == {"docs": {"command": "docs"}}
    assert "# good" in path.read_text("utf-8")


def test_files_changed_broken_or_linked_since(user: User) -> None:
    path = user.has("cursor") / "mcp.json"
    user.connect("cursor")
    path.write_text('{"mcpServers": {"other": {}}}')
    assert user.standing("cursor")["state"] == "changed"
    assert "connect it again" in user.shell.text("connect")
    user.connect("cursor")  # what somebody took out is put back
    assert json.loads(path.read_text())["mcpServers"].keys() == {"other", "loxodon"}
    path.write_text("{")
    assert b"line 1" in user.shell("connect", "cursor", "--remove", "--yes", code=4).stderr
    path.unlink()
    assert user.standing("cursor")["state"] == "changed"
    user.connect("cursor", "--remove")
    real = user.root / "dotfiles.json"
    real.write_text("{}")
    path.unlink(missing_ok=True)
    path.symlink_to(real)
    user.connect("cursor")
    assert path.is_symlink()
    assert "loxodon" in real.read_text()
    user.connect("cursor", "--remove")
    assert real.read_text() == "{}"
    path.unlink()
    path.write_bytes(b'{"a": "\xff"}')
    assert b"UTF-8" in user.shell("connect", "cursor", "--yes", code=4).stderr
    path.unlink()
    (user.shell.home / "connections.json").write_text("{")
    assert b"connections.json" in user.shell("connect", "cursor", "--yes", code=4).stderr


@each(("agent", "file", "text", "why"), cases(__file__, "broken"))
def test_file_that_cannot_be_changed_is_refused(
    user: User, agent: str, file: str, text: str, why: str
) -> None:
    user.has(agent)
    path = user.root / file
    path.write_text(text)
    before = user.files()
    told = user.shell("connect", agent, "--yes", code=4).stderr.decode()
    assert str(path) in told
    assert why in told
    assert user.files() == before
    path.unlink()


def test_connecting_is_shown_first_and_asked_about(user: User) -> None:
    shell, settings = user.shell, user.has("claude-code") / "settings.json"
    settings.write_text('{"env": {"TOKEN": "s3cret"}}')
    assert shell.text("connect", "claude-code", "--remove") == "nothing was changed\n"
    done = shell("connect", "claude-code", code=2)
    assert b"--yes" in done.stderr
    assert b"settings.json" in done.stdout
    assert b"s3cret" not in done.stdout
    assert "nothing was changed" in shell.text("connect", "claude-code", "--dry-run")
    assert settings.read_text() == '{"env": {"TOKEN": "s3cret"}}'
    assert not shell.home.exists()
    assert "Claude Code is connected" in shell.text("connect", "claude-code", "--yes")
    assert "没有" in shell.text("connect", "claude-code", LANG="zh_CN.UTF-8")
    found = shell.json("connect", "status")
    assert found["agents"].keys() == {*FOLDERS, "openclaw"}
    assert found["agents"]["claude-code"] == {"state": "connected", "files": [str(settings)]}
    assert found["agents"]["cursor"] == {"state": "not found", "files": []}
    assert found["problem"] == ""
    for words, code, why in (
        ("connect --remove", 2, "name the agent"),
        ("connect claude", 2, "claude-code"),
        ("connect Gemini", 2, "gemini-cli"),
        ("connect zzz", 2, "claude-code"),
        ("connect cursor", 3, "Cursor was not found"),
        ("follow codx", 3, "known names"),
        ("follow codex", 3, "CODEX_HOME"),
        ("follow openclaw", 3, "OPENCLAW_STATE_DIR"),
    ):
        assert why in shell(*words.split(), code=code).stderr.decode()


def test_environment_that_may_be_cleared_is_told(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.has("claude-code")
    monkeypatch.setattr("sys.prefix", "/home/me/.cache/uv/archive-v0/u0Drt")
    told = user.shell("connect", "claude-code", "--yes").stdout.decode()
    assert "`uv tool install loxodon`, then `loxodon connect claude-code`" in told


def test_openclaw_has_its_own_installer(user: User) -> None:
    state = user.root / ".openclaw"
    (state / "workspace").mkdir(parents=True)
    config = state / "openclaw.json"
    config.write_text("{}")
    user.shell("connect", "openclaw", "--yes")
    assert user.standing("openclaw")["state"] == "connected"
    user.shell("connect", "openclaw", "--remove", "--yes")
    assert config.read_text() == "{}"
    assert user.standing("openclaw")["state"] == "not connected"


def test_following_all_agents(user: User) -> None:
    ClaudeCode(user.root / ".claude").user("My sister Mei lives in Osaka")
    Codex(user.root / ".codex").user("I moved to York")
    OpenClaw(user.root / ".openclaw").file("old", talk("hello"))
    found = user.shell.json("follow")
    added = {name: one["added"] for name, one in found.items()}
    assert added == {"claude-code": 1, "codex": 1, "openclaw": 1}
    said = user.shell.text("follow", "codex")
    assert said.split() == ["codex:", "unchanged", "1"]
    assert "Osaka" in user.shell.text("recall", "Mei")


# --- Hooks ----------------------------------------------------------------------------------------


def told(user: User, agent: str, event: str, **request: object) -> str:
    """What a hook puts before the agent."""
    given = json.dumps({"session_id": SESSION, **request}).encode()
    done = user.shell("hook", agent, event, given=given)
    assert done.stderr == b""
    output = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
    assert output.get("hookEventName", event) == event
    return str(output.get("additionalContext", ""))


@pytest.fixture
def known(user: User) -> User:
    user.shell("capture", "The user's sister Mei lives in Osaka", "--entities", "Mei")
    return user


@pytest.mark.parametrize("agent", HOOKED)
def test_from_prompt_to_journal(known: User, agent: str) -> None:
    prompt, turn, kind = HOOKED[agent]
    session: Any = kind(known.has(agent))
    path = str(session.path)
    asked = "Where does my sister Mei live?"
    assert "Osaka" in told(known, agent, prompt, prompt=asked, transcript_path=path)
    assert told(known, agent, prompt, prompt="ok", transcript_path=path) == ""
    session.user("My dentist is called Dr Adeyemi")
    session.agent("Noted.")
    assert told(known, agent, turn, transcript_path=path) == ""
    journal = known.shell.json("journal", "--session", SESSION)
    assert [one["content"] for one in journal][-1] == "Noted."
    assert known.shell.json("follow", agent)[agent]["added"] == 0  # adds nothing twice
    dentist = {"prompt": "What is my dentist called?", "transcript_path": path}
    assert "Adeyemi" not in told(known, agent, prompt, **dentist)  # which the agent has before it
    assert "Adeyemi" in told(known, agent, prompt, **{**dentist, "transcript_path": "/none"})


def test_session_starts_with_the_snapshot(known: User) -> None:
    assert "Mei" in told(known, "claude-code", "SessionStart", source="startup")
    assert told(known, "claude-code", "SessionStart", source="resume") == ""
    hook = "<hook_context># Memory snapshot\n- The user's sister Mei</hook_context>"
    path = str(Gemini(known.has("gemini-cli")).path)
    asked = {"transcript_path": path, "prompt": f"{hook}\n\n小美住在哪里？Mei住在哪里？"}
    assert told(known, "gemini-cli", "BeforeAgent", **asked) == ""  # the snapshot told it
    asked["session_id"] = "another"
    assert told(known, "gemini-cli", "BeforeAgent", **asked).startswith("[相关记忆]")
    assert told(known, "gemini-cli", "BeforeAgent", transcript_path=path, prompt=hook) == ""
    talk = ClaudeCode(known.root / "elsewhere")  # only the agent's own transcripts are read
    talk.user("I live in Rome")
    for place in (str(talk.path), "", None, 7):
        told(known, "claude-code", "Stop", transcript_path=place)
        told(known, "claude-code", "UserPromptSubmit", transcript_path=place, prompt=7)
    assert {one["session"] for one in known.shell.json("journal")} == {"capture"}


def repository(root: Path, name: str) -> str:
    (root / name / ".git").mkdir(parents=True)
    (root / name / "src").mkdir()
    return str(root / name / "src")


def test_what_is_said_today_is_known_in_the_next_session(known: User) -> None:
    here = repository(known.root, "acme")
    talk = ClaudeCode(known.has("claude-code"))
    talk.user("I am allergic to peanuts. My sister Mei is a nurse.", cwd=here)
    talk.user("We decided to use PostgreSQL for the backend of the shop.", cwd=here)
    where = {"transcript_path": str(talk.path), "cwd": here}
    told(known, "claude-code", "SessionEnd", **where)
    following = {**where, "session_id": "next", "source": "startup"}
    said = ("peanuts", "PostgreSQL", "nurse")
    # The next waits for that for three seconds; a busy machine takes longer.
    until(lambda: all(map(str(known.shell.json("list")).__contains__, said)))
    assert all(map(told(known, "claude-code", "SessionStart", **following).__contains__, said))
    ask = partial(told, known, "claude-code", "UserPromptSubmit")
    assert ask(session_id="next", prompt="What am I allergic to?") == ""  # the snapshot told it
    found = {one["content"]: one["project"] for one in known.shell.json("list")}
    assert [project for text, project in found.items() if "PostgreSQL" in text] == ["acme"]
    other = {**following, "cwd": repository(known.root, "other"), "session_id": "third"}
    page = told(known, "claude-code", "SessionStart", **other)
    assert "peanuts" in page
    assert "PostgreSQL" not in page
    other |= {"transcript_path": "", "prompt": "Which backend did we decide to use?"}
    assert "(of the project acme" in next(x for x in ask(**other).splitlines() if "Postgre" in x)


def test_the_person_sees_that_something_was_recalled(known: User) -> None:
    given = json.dumps({"session_id": "s", "prompt": "Where does my sister Mei live?"}).encode()
    done = known.shell("hook", "claude-code", "UserPromptSubmit", given=given)
    assert json.loads(done.stdout)["systemMessage"] == "Loxodon: 1 memory recalled"


def test_a_write_lock_held_elsewhere_loses_nothing(known: User) -> None:
    talk = ClaudeCode(known.has("claude-code"))
    talk.user("I live in Rome")
    where = {"transcript_path": str(talk.path), "prompt": "Where does my sister Mei live?"}
    lock = FileLock(str(known.shell.home / "spaces" / "main" / "loxodon.lock"))
    assert lock.acquire(5)
    began = monotonic()
    assert "Osaka" in told(known, "claude-code", "UserPromptSubmit", **where)
    told(known, "claude-code", "Stop", **where)
    assert monotonic() - began < 115  # and not two minutes
    lock.release()
    lock.close()
    assert "locked" in known.shell.json("connect", "status")["problem"]
    told(known, "claude-code", "Stop", **where)
    assert "I live in Rome" in [one["content"] for one in known.shell.json("journal")]
    assert known.shell.json("connect", "status")["problem"] == ""


def test_an_agent_that_reads(known: User) -> None:
    known.connect("claude-code", "--reader")
    assert known.shell.json("config", "model.command") == {"model.command": "claude -p"}
    given = b'{"source": "startup"}'
    done = known.shell("hook", "claude-code", "SessionStart", given=given, LOXODON_READING="1")
    assert done.stdout == b""  # the hooks of the agent that reads do nothing
    known.connect("claude-code", "--remove")
    assert known.shell.json("config", "model.command") == {"model.command": ""}
    known.has("cursor")
    assert b"--reader is for" in known.shell("connect", "cursor", "--reader", code=2).stderr


def test_hook_never_fails_the_turn(user: User) -> None:
    user.connect("claude-code")
    log = user.shell.home / "hooks.log"
    for words, given in (
        (("claude-code", "Stop"), b""),
        (("claude-code", "Nonsense"), b"{}"),
        (("nobody", "Stop"), b"{}"),
        (("claude-code", "UserPromptSubmit"), b"[]"),
    ):
        done = user.shell("hook", *words, given=given)
        assert (done.stdout, done.stderr) == (b"", b"")
    broken = ClaudeCode(user.has("claude-code"))
    broken.path.write_text(broken.path.read_text() + "broken\n")
    told(user, "claude-code", "Stop", transcript_path=str(broken.path))
    assert f"{broken.path}:2: " in log.read_text()
    (user.shell.home / "config.toml").write_text("recall = broken")
    asked = b'{"prompt": "x"}'
    for _ in range(3):
        assert user.shell("hook", "claude-code", "UserPromptSubmit", given=asked).stdout == b""
    (user.shell.home / "config.toml").unlink()
    assert b"the last problem of a hook" in user.shell("connect").stderr
    log.write_text("x" * 100 + "\n" + log.read_text() * 1_000)
    user.shell("hook", "nobody", "Stop", given=b"{}")
    assert log.stat().st_size < 80_000


def test_commands_run_as_claude_code_runs_them(user: User) -> None:
    """As they stand in its settings, through a shell."""
    user.connect("claude-code")
    settings = user.has("claude-code") / "settings.json"
    killed, mine, earlier = (ClaudeCode(settings.parent, name) for name in ("k", "m", "e"))

    def run(event: str, path: object, **request: str) -> str:
        command = json.loads(settings.read_text())["hooks"][event][0]["hooks"][0]["command"]
        given = json.dumps({"session_id": "m", "transcript_path": str(path), **request})
        done = subprocess.run(
            ["sh", "-c", command],
            input=given,
            capture_output=True,
            text=True,
            env=user.shell.environment,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    for one in (killed, mine, earlier):
        one.user("My sister Mei lives in Osaka")
    for one in (killed, mine):
        assert run("Stop", one.path) == ""
    assert "Osaka" in run("UserPromptSubmit", "/none", prompt="Where does Mei live?")
    killed.user("She likes tea")  # what it said last is read when another session ends
    assert run("SessionEnd", mine.path, reason="exit") == ""
    until(lambda: user.shell.json("status")["last_consolidation"] is not None)
    with Memory.open(user.shell.home) as memory:
        assert [one.content for one in memory.journal(session="k")][-1] == "She likes tea"
        assert memory.journal(session="e") == []  # `loxodon follow` reads those, when asked to
