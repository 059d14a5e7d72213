"""Codex runs the hooks that the user has allowed, which it notes with a digest of each."""

from __future__ import annotations

import json
from pathlib import Path

from loxodon.connect.plan import plan_connect, recorded, state_of

COMMAND = ["/opt/py thon/bin/python", "-P", "-m", "loxodon", "--home", '/home/me/"my" 记忆']
ALLOWED = {
    "session_start": "f52cb41d3e324f297d84e65ffd5ee42e1feba4549e629cebc15a2fabefb6c660",
    "user_prompt_submit": "4be1d580c7291e12a2d39d2a897f862fb0214b2bcfd41e91f3e12a37514b0ac6",
    "stop": "b77e505d8304bec7a4750187e21e8490b0fa8a977e6807afdbeade570eb0607b",
    "pre_compact": "688f03bc6e29b29a1be55c84b614c1848b600100baf1d2122082b2b74dbdf57c",
    "session_end": "f0ed1bac5f936d0707615bbebfc00461fe1d9aff41a6b829e8e553f548fe38f6",
}
"""What Codex 0.166 puts down when the hooks for COMMAND are allowed."""


def test_codex_is_connected_when_its_hooks_are_allowed(tmp_path: Path) -> None:
    folder, home = tmp_path / ".codex", str(tmp_path / "home")
    for path in (folder, Path(home)):
        path.mkdir()
    hooks, config = folder / "hooks.json", folder / "config.toml"
    hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}')

    def connect(*more: str) -> str:
        plan_connect(home, "codex", str(folder), [*COMMAND, *more]).carry_out()
        return config.read_text("utf-8")

    def state() -> str:
        return state_of("codex", recorded(home)["codex"], str(folder))

    allowed = connected = connect()
    for event, digest in ALLOWED.items():
        assert state() == "waiting"
        key = json.dumps(f"{hooks}:{event}:{1 if event == 'stop' else 0}:0")
        allowed += f'\n[hooks.state.{key}]\ntrusted_hash = "sha256:{digest}"\n'
        config.write_text(allowed, "utf-8")
    assert state() == "connected"
    for text in ("[features]\nhooks = false\n" + allowed, connected):
        config.write_text(text, "utf-8")
        assert state() == "waiting"
    config.write_text(allowed, "utf-8")
    connect("--space", "work")
    assert state() == "waiting"  # what was allowed is another command
