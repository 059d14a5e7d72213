"""A real OpenClaw with a home of its own, a model that says what it is told to, and a Telegram.

`make test-openclaw` installs it and sets LOXODON_OPENCLAW to where it is; without that there is
nothing to test here. One gateway runs for all the tests of a version, and the two versions in two
processes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import pytest

from loxodon import Memory
from tests.openclaw import model as models
from tests.openclaw import telegram as telegrams
from tests.openclaw.model import Model
from tests.openclaw.telegram import Telegram
from tests.waiting import until

PACKAGES = Path(os.environ.get("LOXODON_OPENCLAW", ""), "node_modules")
VERSIONS = ("openclaw", "openclaw-before")  # the present generation, and the one before it
OWNER, OWNER_TOO, STRANGER = 42, 43, 666  # people on Telegram: the owner has two accounts
GROUP = -100
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_READY = "[gateway] ready"
_RELOADED = "config hot reload applied"


class OpenClaw:
    """One OpenClaw and the Loxodon beside it, each with a folder of its own."""

    def __init__(self, package: str, folder: Path, model: Model, telegram: Telegram) -> None:
        self.package = PACKAGES / package
        self.older = package == "openclaw-before"
        self.home = folder / "user"
        self.state = self.home / ".openclaw"
        self.workspace = self.state / "workspace"
        self.config = self.state / "openclaw.json"
        self.memory = folder / "loxodon"
        self.model, self.telegram = model, telegram
        self._log, self._tmp = folder / "gateway.log", folder / "tmp"
        self._tmp.mkdir()
        self.state.mkdir(parents=True)
        self.state.chmod(0o700)
        self.config.write_text(_config(self, _free_port()), "utf-8")
        self.config.chmod(0o600)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
        path = os.pathsep.join([str(_node().parent), os.environ["PATH"]])
        own = {"HOME": str(self.home), "PATH": path, "LOXODON_HOME": str(self.memory)}
        compiled = {"NODE_COMPILE_CACHE": str(PACKAGES.parent / "compiled")}
        return kept | own | compiled | {"TMPDIR": str(self._tmp)}

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

    def jobs(self) -> list[dict[str, Any]]:
        """OpenClaw's automations."""
        out = self.run("cron", "list", "--all", "--json")
        found: list[dict[str, Any]] = json.loads(out[out.index("{") :])["jobs"]
        return found

    # The gateway

    @contextmanager
    def running(self) -> Iterator[None]:
        with self._log.open("w", encoding="utf-8") as log:
            gateway = subprocess.Popen(
                self.command("gateway", "run"),
                env=self.environment,
                cwd=self.home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            until(lambda: _READY in self.log() or gateway.poll() is not None)
            assert gateway.poll() is None, self.log()
            yield
        finally:
            gateway.terminate()
            gateway.wait()

    def log(self) -> str:
        return _COLOURS.sub("", self._log.read_text("utf-8", "replace"))

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """Change something that the gateway takes up by itself, and wait until it has."""
        before = len(self.log())
        yield

        def is_up() -> bool:
            said = self.log()[before:]
            return _READY in said or (_RELOADED in said and "requires gateway restart" not in said)

        until(is_up)

    # People

    def says(self, text: str, sender: int = OWNER, group: int = 0) -> str:
        """Let somebody say something; all that the model was given for the answer."""
        known = len(self.model.answered)
        self.telegram.write(text, sender, group)

        def answered() -> str:
            heard = " ".join(self.telegram.texts(group or sender))
            new = self.model.answered[known:]
            found = [told for told, said in new if text in told and said and said in heard]
            return found[-1] if found else ""

        return str(until(answered))

    def types(self, command: str, sender: int = OWNER, group: int = 0) -> str:
        """Let somebody type a command; what they are sent, which is no reply of the model."""
        known = len(self.telegram.texts(group or sender))
        self.telegram.write(command, sender, group)

        def sent() -> list[str]:
            new = self.telegram.texts(group or sender)[known:]
            return [text for text in new if not text.startswith("Reply ")]

        return str(until(sent)[-1])

    def calls(self, tool: str, **given: object) -> None:
        """Let the model call a tool; the newer OpenClaw keeps most of them behind `tool_call`."""
        if self.older:
            self.model.calls(tool, **given)
        else:
            self.model.calls("tool_call", id=tool, args=given)

    def meets_its_owner(self) -> None:
        """What is left of a workspace once the first conversation is over."""
        with (self.workspace / "USER.md").open("a", encoding="utf-8") as file:
            file.write("\n- **Name:** Ming\n")
        (self.workspace / "BOOTSTRAP.md").unlink()

    # Loxodon

    def loxodon(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "loxodon", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def journal(self) -> list[str]:
        with Memory.open(self.memory) as memory:
            return [turn.content for turn in memory.journal()]

    def journalled(self, text: str) -> None:
        """Wait until something is in the journal: it is taken there after the reply."""
        until(lambda: any(text in one for one in self.journal()))


def _node() -> Path:
    found = [path for path in PACKAGES.glob("node-*/bin/node") if os.access(path, os.X_OK)]
    return found[0] if found else Path(shutil.which("node") or "node")


def _free_port() -> int:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _config(one: OpenClaw, port: int) -> str:
    search = "memorySearch: { enabled: false }," if one.older else ""
    memory = (
        "" if one.older else 'memory: { search: { provider: "none" } },  // nothing to download'
    )
    return f"""// my own settings
{{
  agents: {{
    defaults: {{ model: {{ primary: 'local/tiny' }}, {search} }},
  }},
  {memory}
  commands: {{ ownerAllowFrom: ["telegram:{OWNER}", "telegram:{OWNER_TOO}"] }},
  session: {{ dmScope: "per-channel-peer" }}, // everybody has a chat of their own
  channels: {{
    telegram: {{
      enabled: true, botToken: "1:x", apiRoot: "http://127.0.0.1:{one.telegram.port}",
      dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open",
      groups: {{ "*": {{ requireMention: false }} }},
    }},
  }},
  gateway: {{
    mode: "local", bind: "loopback", port: {port}, auth: {{ mode: "token", token: "secret" }},
  }},
  plugins: {{ entries: {{ telegram: {{ enabled: true }} }} }},
  logging: {{ file: "{one.home / "openclaw.log"}" }},
  models: {{
    providers: {{
      local: {{
        baseUrl: "http://127.0.0.1:{one.model.port}/v1", apiKey: "x", api: "openai-completions",
        models: [{{ id: "tiny", name: "tiny", contextWindow: 200000, maxTokens: 1000 }}],
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
    with models.running() as model, telegrams.running() as telegram:
        one = OpenClaw(request.param, tmp_path_factory.mktemp(request.param), model, telegram)
        with one.running():
            one.says("Hello.")
            one.meets_its_owner()
            yield one
