"""Real agents, each with a home of its own, and a model that says what it is told to.

`make test-agents` installs them and sets LOXODON_AGENTS to where they are; without that there is
nothing to test here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from loxodon.journal.follow import transcripts
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from tests.real_agents.model import Model, running

PROGRAMS = Path(os.environ.get("LOXODON_AGENTS", ""), "node_modules", ".bin")


class Settings(NamedTuple):
    """How an agent is set up and asked."""

    file: str  # its settings, in the home
    text: str  # what stands in them before Loxodon comes; PORT is the model's
    command: tuple[str, ...]  # what asks it one thing
    # What tells in its transcript that a program asked, and what stands there for a person
    person: tuple[tuple[str, str], ...] = ()


AGENTS = {
    "claude-code": Settings(
        ".claude/settings.json",
        '{\n  "includeCoAuthoredBy": false\n}\n',
        ("claude", "--allowedTools", "mcp__loxodon", "-p"),
        (('"entrypoint":"sdk-cli"', '"entrypoint":"cli"'),),
    ),
    "codex": Settings(
        ".codex/config.toml",
        '# mine\nmodel = "tiny"\nmodel_provider = "local"\n\n[model_providers.local]\n'
        'name = "Local"\nbase_url = "http://127.0.0.1:PORT/v1"\nenv_key = "OPENAI_API_KEY"\n',
        # A person allows hooks and tools by hand; and this one is gone before it has the tools.
        (
            *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
            *("-c", "mcp_servers.loxodon.required=true"),
            *("-c", "mcp_servers.loxodon.default_tools_approval_mode=approve"),
        ),
        (('"source":"exec"', '"source":"cli"'), ('"turn_trigger":"exec"', '"turn_trigger":"user"')),
    ),
    "gemini-cli": Settings(
        ".gemini/settings.json",
        '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}},\n'
        '  "model": {"name": "gemini-2.5-pro"}\n}\n',
        ("gemini", "--approval-mode", "yolo", "-p"),
    ),
    "opencode": Settings(
        ".config/opencode/opencode.json",
        '{\n  "$schema": "https://opencode.ai/config.json",\n  "model": "local/tiny",\n'
        '  "provider": {"local": {\n'
        '    "npm": "@ai-sdk/openai-compatible", "models": {"tiny": {"name": "tiny"}},\n'
        '    "options": {"baseURL": "http://127.0.0.1:PORT/v1", "apiKey": "x"}\n  }}\n}\n',
        ("opencode", "run"),
    ),
}


class Agent:
    """One agent and the Loxodon beside it."""

    def __init__(self, name: str, home: Path, model: Model) -> None:
        self.name, self.home, self.model = name, home, model
        self.how = AGENTS[name]
        self.work = home / "work"
        self.work.mkdir(parents=True)
        self.settings = home / self.how.file
        self.settings.parent.mkdir(parents=True)
        self.settings.write_text(self.how.text.replace("PORT", str(model.port)), "utf-8")

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(PROGRAMS), str(Path(sys.executable).parent)])
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([path, os.environ["PATH"]]),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "x",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "MCP_CONNECTION_NONBLOCKING": "0",  # the first prompt has the tools
            "MCP_CONNECT_TIMEOUT_MS": "60000",
            "OPENAI_API_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": self.model.url,
            "GEMINI_API_KEY": "x",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def run(self, *words: str) -> str:
        done = subprocess.run(
            words,
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def says(self, text: str) -> str:
        """Say something to the agent; all that its model was given for the last answer."""
        self.run(*self.how.command, text)
        return self.model.seen()

    def was_asked_by_a_person(self) -> None:
        """Let its transcripts say so, and journal them: what programs ask is left out."""
        folder = str(self.home / Path(FOLLOWED[self.name].usual).name)
        for path in map(Path, transcripts(self.name, folder)):
            text = path.read_text("utf-8")
            for by_program, by_person in self.how.person:
                text = text.replace(by_program, by_person)
            path.write_text(text, "utf-8")
        self.loxodon("follow", self.name)

    def loxodon(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "loxodon", *words)

    def journalled(self) -> list[tuple[str, str]]:
        turns = json.loads(self.loxodon("--json", "journal"))
        return [(one["role"], one["content"]) for one in turns]


@pytest.fixture(scope="module", params=AGENTS)
def agent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    if not os.environ.get("LOXODON_AGENTS"):
        pytest.skip("there are no agents here; `make test-agents` brings them")
    with running() as model:
        yield Agent(request.param, tmp_path_factory.mktemp(request.param), model)
