"""A note as the memory has it once its file was indexed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loxodon import Memory
from loxodon.errors import NotFoundError

NAMES = {"memory": "MEMORY.md", "user": "USER.md", "note": "memory/a.md"}


def open_with(home: Path, workspace: Path, folders: Sequence[Path] = ()) -> Memory:
    config = {
        "timezone": "UTC",
        "workspace.views": "off",
        "workspace.path": str(workspace),
        "workspace.folders": "\n".join(map(str, folders)),
    }
    return Memory.open(home, config=config)


def chunks(memory: Memory) -> list[Any]:
    """Every chunk of the notes that were indexed, in the order of the ids."""
    found: list[Any] = []
    for number in range(1, 1 + sum(one.chunks for one in memory.workspace.sources())):
        try:
            found.append(memory.note(f"n_{number}").chunk)
        except NotFoundError:
            continue
    return found


def cut(text: str | bytes, role: str = "note", path: str = "") -> list[Any]:
    """The chunks of one file."""
    with TemporaryDirectory() as top:
        file = Path(top, "workspace", path or NAMES[role])
        file.parent.mkdir(parents=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
        with open_with(Path(top, "home"), Path(top, "workspace")) as memory:
            memory.workspace.index()
            return chunks(memory)
