"""A real OpenClaw with a home of its own, and a model that says what it is told to.

`make test-openclaw` installs it and sets LOXODON_OPENCLAW to where it is; without that there is
nothing to test here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.openclaw.model import Model, running

PACKAGES = Path(os.environ.get("LOXODON_OPENCLAW", ""), "node_modules")
VERSIONS = ("openclaw", "openclaw-before")
"""The present generation, and the one before it."""


class OpenClaw:
    """One OpenClaw and the Loxodon beside it, each with a folder of its own."""

    def __init__(self, package: str, folder: Path, model: Model) -> None:
        self.package = PACKAGES / package
        self.older = package == "openclaw-before"
        self.home = folder / "user"
        self.state = self.home / ".openclaw"
        self.workspace = self.state / "workspace"
        self.config = self.state / "openclaw.json"
        self.memory = folder / "loxodon"
        self.model = model
        self.state.mkdir(parents=True)
        self.config.write_text(_config(model.port, self.older), "utf-8")
        self.config.chmod(0o600)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        path = os.pathsep.join([str(_node().parent), os.environ["PATH"]])
        return kept | {"HOME": str(self.home), "PATH": path, "LOXODON_HOME": str(self.memory)}

    def command(self, *words: str) -> list[str]:
        return [str(_node()), str(self.package / "openclaw.mjs"), *words]

    def run(self, *words: str) -> str:
        done = subprocess.run(
            self.command(*words),
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def asked(self, *words: str) -> Any:
        """What a command prints as JSON."""
        out = self.run(*words, "--json")
        return json.loads(out[out.index("{") :])

    def says(self, text: str, session: str = "agent:main:main") -> str:
        """Say something to the agent; all that its model was given for the last answer."""
        self.run("agent", "--local", "--agent", "main", "--session-key", session, "-m", text)
        return self.model.seen()

    def meets_its_owner(self) -> None:
        """What is left of a workspace once the first conversation is over."""
        with (self.workspace / "USER.md").open("a", encoding="utf-8") as file:
            file.write("\n- **Name:** Ming\n")
        (self.workspace / "BOOTSTRAP.md").unlink()

    def loxodon(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "loxodon", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _node() -> Path:
    found = [path for path in PACKAGES.glob("node-*/bin/node") if os.access(path, os.X_OK)]
    return found[0] if found else Path(shutil.which("node") or "node")


def _config(port: int, older: bool) -> str:
    search = "memorySearch: { enabled: false }," if older else ""
    memory = "" if older else 'memory: { search: { provider: "none" } },  // nothing to download'
    return f"""// my own settings
{{
  agents: {{ defaults: {{ model: {{ primary: 'local/tiny' }}, {search} }} }},
  {memory}
  gateway: {{ mode: "local", bind: "loopback", auth: {{ mode: "token", token: "secret" }} }},
  models: {{
    providers: {{
      local: {{
        baseUrl: "http://127.0.0.1:{port}/v1", apiKey: "x", api: "openai-completions",
        models: [{{ id: "tiny", name: "tiny", contextWindow: 32000, maxTokens: 1000 }}],
      }},
    }},
  }},
}}
"""


@pytest.fixture(scope="module", params=VERSIONS)
def openclaw(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenClaw]:
    """An OpenClaw that has been used before Loxodon comes to it."""
    if not os.environ.get("LOXODON_OPENCLAW"):
        pytest.skip("there is no OpenClaw here; `make test-openclaw` brings one")
    if not (PACKAGES / request.param).is_dir():
        pytest.skip(f"{request.param} is not installed")
    with running() as model:
        one = OpenClaw(request.param, tmp_path_factory.mktemp(request.param), model)
        one.says("Hello.")
        one.meets_its_owner()
        yield one
