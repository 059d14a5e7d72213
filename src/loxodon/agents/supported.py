"""The agents that Loxodon can be connected to: which of their files are changed, and how.

An agent with hooks is given memories before each prompt, and what is said is journalled after each
turn. One that takes MCP servers gets the tools. What each file looks like is in its own docs; where
those allow comments, they are kept.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple

from loxodon.journal.transcripts import AGENTS as FOLLOWED

NAME = "loxodon"
Action = Literal["start", "prompt", "turn", "end"]


class Hook(NamedTuple):
    event: str
    # `start`: give the snapshot. `prompt`: give memories. `turn`: journal. `end`: the same, and
    # consolidate if that is due.
    action: Action
    seconds: int = 0  # How long the agent waits, where it allows less than we ask for


class AgentFile(NamedTuple):
    names: tuple[str, ...]  # What it may be called: the first that is there, else the last
    servers: tuple[str, ...] = ()  # Where MCP servers are in it; empty where none is put there
    hooks: bool = False


class ConnectedAgent(NamedTuple):
    title: str
    files: tuple[AgentFile, ...]
    hooks: tuple[Hook, ...] = ()
    timeout: int = 1  # How many of its units a second of a hook's time is
    usual: str = ""  # Its folder, where it is the same everywhere
    app: str = ""  # Its folder among those of applications, else
    after: str = ""  # What is left for the person to do, as a key of `AFTER`

    @property
    def serves(self) -> bool:
        return any(file.servers for file in self.files)


def _hooks(start: str, prompt: str, end: str, *turns: str) -> tuple[Hook, ...]:
    said = (Hook(one, "turn") for one in turns)
    return (Hook(start, "start"), Hook(prompt, "prompt"), *said, Hook(end, "end"))


_SERVERS = ("mcpServers",)
_CLAUDE = _hooks("SessionStart", "UserPromptSubmit", "SessionEnd", "Stop", "PreCompact")
_CODEX = (*_CLAUDE[:-1], Hook("SessionEnd", "end", 3))
# Not PreCompress, which it tells of before every prompt, whether it compresses or not
_GEMINI = _hooks("SessionStart", "BeforeAgent", "SessionEnd", "AfterAgent")
_DESKTOP = AgentFile(("claude_desktop_config.json",), _SERVERS)
_OPENCODE = AgentFile(("opencode.jsonc", "config.json", "opencode.json"), ("mcp",))
_HOOKS_AND_SERVERS = AgentFile(("settings.json",), _SERVERS, hooks=True)
_OF_CODEX = (AgentFile(("hooks.json",), hooks=True), AgentFile(("config.toml",), ("mcp_servers",)))
# By name. OpenClaw, which has an installer of its own, is not among them.
AGENTS: dict[str, ConnectedAgent] = {
    "claude-code": ConnectedAgent(
        "Claude Code", (AgentFile(("settings.json",), hooks=True),), _CLAUDE, after="new"
    ),
    "codex": ConnectedAgent("Codex", _OF_CODEX, _CODEX, after="trust"),
    "cursor": ConnectedAgent(
        "Cursor", (AgentFile(("mcp.json",), _SERVERS),), usual="~/.cursor", after="restart"
    ),
    "gemini-cli": ConnectedAgent(
        "Gemini CLI", (_HOOKS_AND_SERVERS,), _GEMINI, timeout=1_000, after="new"
    ),
    "opencode": ConnectedAgent(
        "OpenCode", (_OPENCODE,), usual="~/.config/opencode", after="restart"
    ),
    "vscode": ConnectedAgent(
        "VS Code", (AgentFile(("mcp.json",), ("servers",)),), app="Code/User", after="restart"
    ),
    "claude-desktop": ConnectedAgent("Claude Desktop", (_DESKTOP,), app="Claude", after="restart"),
}


# How an agent reads a prompt on standard input and prints the answer, without it being journalled
READERS = {"claude-code": "claude -p", "codex": "codex exec --skip-git-repo-check -"}


def folder_of(name: str, environment: Mapping[str, str], platform: str = sys.platform) -> str:
    if name in FOLLOWED:
        return FOLLOWED[name].folder(environment)
    agent = AGENTS[name]
    own = environment.get("XDG_CONFIG_HOME", "").strip() if platform != "darwin" else ""
    if agent.usual:
        usual = agent.usual.replace("~/.config", own) if own else agent.usual
        return os.path.abspath(os.path.expanduser(usual))
    base = own or "~/.config"
    if platform == "darwin":
        base = "~/Library/Application Support"
    elif platform == "win32":
        base = environment.get("APPDATA", "") or "~/AppData/Roaming"
    return os.path.abspath(os.path.join(os.path.expanduser(base), *agent.app.split("/")))


def path_of(folder: str, file: AgentFile) -> str:
    paths = [os.path.join(folder, name) for name in file.names]
    return next((path for path in paths if os.path.exists(path)), paths[-1])


def server_of(name: str, command: list[str]) -> dict[str, object]:
    """How an agent is told of the MCP server; where hooks journal, it does not."""
    words = [*command, "mcp", *(["--no-journal"] if AGENTS[name].hooks else [])]
    if name == "opencode":
        return {"type": "local", "command": words, "enabled": True}
    typed = {"type": "stdio"} if name == "vscode" else {}
    return {**typed, "command": words[0], "args": words[1:]}


def command_of(home: str, space: str) -> list[str]:
    """What runs a memory's program, from anywhere; `-P` keeps files of that folder out."""
    named = [] if space == "main" else ["--space", space]
    return [sys.executable, "-P", "-m", "loxodon", "--home", home, *named]


def in_a_cache() -> bool:
    """Whether this runs where `uvx` or `pipx run` put it, which they may clear."""
    return not {".cache", "archive-v0"}.isdisjoint(sys.prefix.split(os.sep))


# How long an agent waits; people wait before a prompt
_SECONDS: dict[Action, int] = {"start": 10, "prompt": 10, "turn": 60, "end": 60}


def hook_of(name: str, hook: Hook, command: list[str]) -> dict[str, object]:
    run = shlex.join([*command, "hook", name, hook.event])
    timeout = (hook.seconds or _SECONDS[hook.action]) * AGENTS[name].timeout
    return {"hooks": [{"type": "command", "command": run, "timeout": timeout}]}
