"""Access tokens, made as their owner types it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.shell import Shell


def token(home: Path, name: str, *words: str) -> str:
    """A new token of a home, with these options of `loxodon token add`."""
    return str(Shell(home).json("token", "add", name, *words)["token"])
