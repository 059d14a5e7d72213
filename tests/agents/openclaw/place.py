"""A user's folders with an OpenClaw in one of them, and `loxodon openclaw` typed beside it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from tests.cli.shell import typed

CONFIG = """// mine
{
  agents: { defaults: { workspace: "WORKSPACE" } }, // here
  gateway: { auth: { token: 's3cret' } },
}
"""
RULES = "# Rules\n\nBe kind.\n"


class Place:
    """The home of a memory, OpenClaw's state folder and its workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.state = root / "state"
        self.workspace = root / "ws 工作"
        self.config = self.state / "openclaw.json"
        self.rules = self.workspace / "AGENTS.md"
        self.plugin = self.state / "extensions" / "loxodon"
        self.record = self.home / "openclaw-install.json"
        for folder in (self.home, self.state, self.workspace):
            folder.mkdir(parents=True)
        # Where there is no setting, OpenClaw's workspace is a folder of this name.
        (self.state / "workspace").symlink_to(self.workspace)
        self.config.write_text(CONFIG.replace("WORKSPACE", str(self.workspace)), "utf-8")
        self.config.chmod(0o600)
        self.rules.write_text(RULES, "utf-8")

    def type(
        self, *words: str, code: int = 0, given: bytes = b"", **env: Any
    ) -> CompletedProcess[bytes]:
        about = {"PATH": os.environ["PATH"], "HOME": str(self.root), "LANG": "C.UTF-8"}
        about |= {"LOXODON_HOME": str(self.home)} | env
        done = typed("openclaw", *words, env=about, given=given)
        assert done.returncode == code, (done.stdout.decode(), done.stderr.decode())
        return done

    def install(self, *more: str, code: int = 0, **env: Any) -> Any:
        words = ("install", "--state", str(self.state), "--yes", "--json", *more)
        return json.loads(self.type(*words, code=code, **env).stdout)

    def uninstall(self) -> Any:
        return json.loads(self.type("uninstall", "--yes", "--json").stdout)

    def status(self) -> dict[str, list[str]]:
        """The state of every part that is installed, by its name."""
        found: dict[str, list[str]] = {}
        for one in json.loads(self.type("status", "--json").stdout)["parts"]:
            found.setdefault(one["name"], []).append(one["state"])
        return found

    def all(self) -> dict[str, tuple[int, bytes]]:
        """Every file and folder but the memory's own, with its mode."""
        ours = ("spaces", "audit", "keys")
        return {
            str(path): (
                stat.S_IMODE(path.stat().st_mode),
                path.read_bytes() if path.is_file() else b"",
            )
            for path in sorted(self.root.rglob("*"))
            if not any(path.is_relative_to(self.home / one) for one in ours)
        }
