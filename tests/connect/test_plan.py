"""Connecting changes an agent's files as little as can be; disconnecting gives back every byte."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from loxodon.connect.agents import AGENTS, folder_of, path_of
from loxodon.connect.plan import RECORD, plan_connect, plan_remove, recorded, state_of
from loxodon.errors import InputError, NotFoundError
from loxodon.workspace.openclaw import json5
from loxodon.workspace.openclaw.changes import apply

COMMAND = ["/opt/py thon/bin/python", "-P", "-m", "loxodon", "--home", '/home/me/"my" 记忆']
CLAUDE = """{
  // what I allow
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "Stop": [
      {
        "hooks": [{"type": "command", "command": "say done"}] // loud
      }
    ],
    "PreToolUse": []
  },
  "env": {"TOKEN": "s3cret"}
}
"""
CODEX = """# mine
model = "gpt-5"  # the good one

[mcp_servers.docs]
command = "docs"

[projects."/home/me/app"]
trust_level = "trusted"
"""
JSON_FILES = [
    CLAUDE,
    CLAUDE.replace("\n", "\r\n"),
    "{}",
    "{\n}\n",
    '{"hooks":{"Stop":[]}}',
    '{"hooks":{"Stop":[{"hooks":[]}],}}',
    '{\n\t"mcpServers": {\n\t\t"a": {"command": "a"},\n\t},\n}\n',
    '{"mcp": {"a": {"type": "local"}}, "servers": {}}',
    "\ufeff{\n}\n",
    "",
    " \n",
]
TOML_FILES = [CODEX, CODEX.replace("\n", "\r\n"), "", "\n", "a = 1", "[mcp_servers]\n", "# only\n"]
NAMES = list(AGENTS)


class Place:
    """A user's folders, with every agent in them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.home.mkdir()

    def folder(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        return folder

    def path(self, name: str, n: int = 0) -> Path:
        return Path(path_of(str(self.folder(name)), AGENTS[name].files[n]))

    def connect(self, name: str, command: list[str] = COMMAND) -> int:
        """Connect an agent; how many files were changed."""
        plan = plan_connect(str(self.home), name, str(self.folder(name)), command)
        plan.carry_out()
        return len(plan.changes)

    def remove(self, name: str) -> int:
        plan = plan_remove(str(self.home), name)
        plan.carry_out()
        return len(plan.changes)

    def state(self, name: str) -> str:
        return state_of(name, recorded(str(self.home)).get(name, {}), str(self.folder(name)))

    def all(self) -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in self.root.rglob("*") if one.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def document(path: Path) -> Any:
    return json5.parse(path.read_text("utf-8")).value


@pytest.mark.parametrize("name", NAMES)
def test_what_was_there_stays_and_comes_back(place: Place, name: str) -> None:
    for n, file in enumerate(AGENTS[name].files):
        path = place.path(name, n)
        for text in TOML_FILES if path.suffix == ".toml" else JSON_FILES:
            path.write_bytes(text.encode())
            path.chmod(0o640)
            before = place.all()
            assert place.connect(name) > 1
            assert place.state(name) == ("waiting" if name == "codex" else "connected")
            changed = path.read_text("utf-8")
            if path.suffix == ".toml":
                assert tomllib.loads(changed)["mcp_servers"]["loxodon"]["command"] == COMMAND[0]
                assert changed.startswith(text.replace("\r\n", "\n"))
            elif text.strip() and file.hooks:
                old = json5.parse(text).value
                assert isinstance(old, dict)
                assert document(path).keys() >= old.keys()
            assert stat.S_IMODE(path.stat().st_mode) == 0o640
            assert place.connect(name) == 0
            assert place.remove(name) > 1
            assert place.all() == before, text
            assert place.remove(name) == 0
        path.unlink()


@pytest.mark.parametrize("name", NAMES)
def test_files_that_were_not_there_go_again(place: Place, name: str) -> None:
    place.folder(name)
    place.connect(name)
    assert all(place.path(name, n).exists() for n in range(len(AGENTS[name].files)))
    place.remove(name)
    assert place.all() == {}
    assert place.state(name) == "not connected"


def test_what_each_agent_is_told(place: Place) -> None:
    for name in NAMES:
        place.connect(name)
    stop = document(place.path("claude-code"))["hooks"]["Stop"][0]["hooks"][0]
    assert stop["command"].endswith("'/home/me/\"my\" 记忆' hook claude-code Stop")
    assert stop["command"].startswith("'/opt/py thon/bin/python' -P -m loxodon --home ")
    assert (stop["type"], stop["timeout"]) == ("command", 60)
    args = [*COMMAND[1:], "mcp"]
    assert document(place.path("cursor")) == {
        "mcpServers": {"loxodon": {"command": COMMAND[0], "args": args}}
    }
    assert document(place.path("opencode"))["mcp"]["loxodon"] == {
        "type": "local",
        "command": [COMMAND[0], *args],
        "enabled": True,
    }
    assert document(place.path("vscode"))["servers"]["loxodon"]["type"] == "stdio"
    gemini = document(place.path("gemini-cli"))
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 10_000
    hooked = [*args, "--no-journal"]  # what is said is journalled by hooks, and so only once
    assert gemini["mcpServers"]["loxodon"]["args"] == hooked
    codex = tomllib.loads(place.path("codex", 1).read_text("utf-8"))
    assert codex["mcp_servers"]["loxodon"] == {"command": COMMAND[0], "args": hooked}
    assert json.loads(place.path("claude-desktop").read_text("utf-8"))  # plain JSON stays that


def test_removing_keeps_what_was_changed_since(place: Place) -> None:
    path = place.path("claude-code")
    path.write_text(CLAUDE)
    place.connect("claude-code")
    text = path.read_text("utf-8").replace('"say done"', '"say well done"')
    # Claude Code writes the file anew, in its own form and without comments.
    value = json5.parse(text).value
    assert isinstance(value, dict)
    value["model"] = "opus"
    path.write_text(json.dumps(value, indent=4))
    assert place.state("claude-code") == "connected"
    place.remove("claude-code")
    assert document(path) == {
        "permissions": {"allow": ["Bash(ls:*)"]},
        "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "say well done"}]}],
            "PreToolUse": [],
        },
        "env": {"TOKEN": "s3cret"},
        "model": "opus",
    }


def test_what_is_written_beside_ours_stays_to_the_letter(place: Place) -> None:
    path = place.path("gemini-cli")
    path.write_text('{\n  "theme": "x" // dark\n}\n')
    place.connect("gemini-cli")
    text = path.read_text("utf-8")
    assert '"theme": "x" // dark\n' in text  # a remark stays where it was made
    path.write_text(text.replace('"x" // dark', '"y", // light\n  "a": 1'))
    assert place.connect("gemini-cli") == 0
    place.remove("gemini-cli")
    assert path.read_text("utf-8") == '{\n  "theme": "y", // light\n  "a": 1\n}\n'


def test_toml_that_was_changed_since(place: Place) -> None:
    path = place.path("codex", 1)
    path.write_text(CODEX)
    place.connect("codex")
    ours = path.read_text("utf-8")[len(CODEX) :]
    path.write_text(CODEX + ours + '\n[projects."/b"]\ntrust_level = "trusted"\n')
    place.remove("codex")
    assert path.read_text("utf-8") == CODEX + '\n[projects."/b"]\ntrust_level = "trusted"\n'
    place.connect("codex")
    text = path.read_text("utf-8").replace("args = [", "startup_timeout_sec = 9\nargs = [")
    path.write_text(text)
    place.remove("codex")
    found = tomllib.loads(path.read_text("utf-8"))
    assert found["mcp_servers"] == {"docs": {"command": "docs"}}
    assert found["projects"].keys() == {"/home/me/app", "/b"}
    assert "# the good one" in path.read_text("utf-8")


def test_another_command_takes_the_place_of_the_one_before(place: Place) -> None:
    path = place.path("claude-code")
    path.write_text(CLAUDE)
    place.connect("claude-code", ["old"])
    assert place.connect("claude-code") == 2
    assert '"old hook' not in path.read_text("utf-8")
    assert len(document(path)["hooks"]["Stop"]) == 2
    place.remove("claude-code")
    assert path.read_text("utf-8") == CLAUDE


def test_what_somebody_took_out_is_put_back(place: Place) -> None:
    path = place.path("cursor")
    place.connect("cursor")
    path.write_text('{"mcpServers": {"other": {}}}')
    assert place.state("cursor") == "changed"
    assert place.connect("cursor") > 0
    assert document(path)["mcpServers"].keys() == {"other", "loxodon"}
    place.remove("cursor")
    assert document(path) == {"mcpServers": {"other": {}}}
    place.connect("cursor")
    path.unlink()
    assert place.state("cursor") == "changed"
    place.remove("cursor")
    assert place.all().keys() <= {str(path)}


ALLOWED = {
    "session_start": "f52cb41d3e324f297d84e65ffd5ee42e1feba4549e629cebc15a2fabefb6c660",
    "user_prompt_submit": "4be1d580c7291e12a2d39d2a897f862fb0214b2bcfd41e91f3e12a37514b0ac6",
    "stop": "b77e505d8304bec7a4750187e21e8490b0fa8a977e6807afdbeade570eb0607b",
    "pre_compact": "688f03bc6e29b29a1be55c84b614c1848b600100baf1d2122082b2b74dbdf57c",
    "session_end": "f0ed1bac5f936d0707615bbebfc00461fe1d9aff41a6b829e8e553f548fe38f6",
}
"""What Codex 0.166 puts down when the hooks for COMMAND are allowed."""


def test_codex_is_connected_when_its_hooks_are_allowed(place: Place) -> None:
    hooks, config = place.path("codex"), place.path("codex", 1)
    mine = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}'
    hooks.write_text(mine, "utf-8")
    place.connect("codex")
    assert place.state("codex") == "waiting"
    connected = config.read_text("utf-8")
    allowed = connected
    for event, digest in ALLOWED.items():
        assert place.state("codex") == "waiting"
        key = json.dumps(f"{hooks}:{event}:{1 if event == 'stop' else 0}:0")
        allowed += f'\n[hooks.state.{key}]\ntrusted_hash = "sha256:{digest}"\n'
        config.write_text(allowed, "utf-8")
    assert place.state("codex") == "connected"
    for off in ("[features]\nhooks = false\n", ""):
        config.write_text(off + (allowed if off else connected), "utf-8")
        assert place.state("codex") == "waiting"
    config.write_text(allowed, "utf-8")
    place.connect("codex", [*COMMAND, "--space", "work"])
    assert place.state("codex") == "waiting"  # what was allowed is another command
    place.remove("codex")
    assert hooks.read_text("utf-8") == mine
    assert "hooks.state" in config.read_text("utf-8")  # the person's, and Codex's


BROKEN = [
    ("claude-code", 0, '{\n  "a": 1\n  "b": 2\n}', "line 3"),
    ("claude-code", 0, "[]", "not an object"),
    ("claude-code", 0, '{"hooks": {"Stop": {}}}', "not a list"),
    ("codex", 1, 'a = 1\nb = "x\n', "line 2"),
    ("codex", 1, "mcp_servers = {}\n", "mcp_servers"),
    ("codex", 1, "[mcp_servers.loxodon]\n", "already has mcp_servers.loxodon"),
    ("cursor", 0, '{"mcpServers": {"loxodon": {}}}', "already has mcpServers.loxodon"),
]


@pytest.mark.parametrize(("name", "n", "text", "why"), BROKEN)
def test_a_file_that_cannot_be_changed_is_refused(
    place: Place, name: str, n: int, text: str, why: str
) -> None:
    path = place.path(name, n)
    path.write_text(text)
    before = place.all()
    with pytest.raises(InputError, match=why) as caught:
        place.connect(name)
    assert str(path) in str(caught.value)
    assert place.all() == before


def test_a_file_that_was_broken_since_is_refused_too(place: Place) -> None:
    path = place.path("cursor")
    place.connect("cursor")
    path.write_text("{")
    assert place.state("cursor") == "changed"
    with pytest.raises(InputError, match="line 1"):
        place.remove("cursor")


def test_a_file_that_is_not_utf8(place: Place) -> None:
    place.path("cursor").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match="UTF-8"):
        place.connect("cursor")


def test_an_agent_that_is_not_there(place: Place) -> None:
    with pytest.raises(NotFoundError, match="Cursor was not found"):
        plan_connect(str(place.home), "cursor", str(place.root / "none"), COMMAND)


def test_what_is_half_done_can_be_undone(place: Place) -> None:
    """The record is there before anything else is changed, and goes after all else."""
    place.connect("vscode")
    home, before = str(place.home), place.all()
    plan = plan_connect(home, "codex", str(place.folder("codex")), COMMAND)
    apply(plan.changes[:2])  # killed then
    assert place.state("codex") == "changed"
    place.remove("codex")
    assert place.all() == before
    place.connect("codex")
    plan = plan_remove(home, "codex")
    apply(plan.changes[:1])
    assert place.state("codex") == "changed"
    place.remove("codex")
    assert place.all() == before


def test_a_record_that_cannot_be_read(place: Place) -> None:
    (place.home / RECORD).write_text("{")
    with pytest.raises(InputError, match=RECORD):
        place.connect("cursor")


def test_a_link_stays_one(place: Place) -> None:
    real = place.root / "dotfiles.json"
    real.write_text("{}")
    place.path("cursor").symlink_to(real)
    place.connect("cursor")
    assert place.path("cursor").is_symlink()
    assert "loxodon" in real.read_text()
    place.remove("cursor")
    assert real.read_text() == "{}"


def test_the_newer_form_of_opencode(place: Place) -> None:
    path = place.folder("opencode") / "opencode.jsonc"
    path.write_text('{"mcp": {"servers": {"a": {"type": "local"}}}}')
    place.connect("opencode")
    assert document(path)["mcp"]["servers"].keys() == {"a", "loxodon"}


def test_where_agents_keep_their_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/h")
    library = "/h/Library/Application Support"
    assert folder_of("claude-code", {}) == "/h/.claude"
    assert folder_of("claude-code", {"CLAUDE_CONFIG_DIR": "/c"}) == "/c"
    assert folder_of("codex", {"CODEX_HOME": "~/x"}) == "/h/x"
    assert folder_of("gemini-cli", {"GEMINI_CLI_HOME": "/g"}) == "/g/.gemini"
    assert folder_of("cursor", {"XDG_CONFIG_HOME": "/x"}, "linux") == "/h/.cursor"
    assert folder_of("opencode", {"XDG_CONFIG_HOME": "/x"}, "linux") == "/x/opencode"
    assert folder_of("vscode", {}, "linux") == "/h/.config/Code/User"
    assert folder_of("vscode", {}, "darwin") == f"{library}/Code/User"
    assert folder_of("claude-desktop", {}, "darwin") == f"{library}/Claude"
    assert folder_of("claude-desktop", {"APPDATA": "/a"}, "win32") == "/a/Claude"
