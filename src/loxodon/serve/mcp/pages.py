"""What can be read by an address: the snapshot, and a memory with its history."""

from __future__ import annotations

from loxodon.errors import NotFoundError
from loxodon.memory import Memory
from loxodon.messages import current
from loxodon.serve.mcp import shapes
from loxodon.serve.mcp.tools import history_of, seen, snapshot_page
from loxodon.types import Chat

SNAPSHOT = "loxodon://snapshot"
MEMORY = "loxodon://memory/{id}"
MARKDOWN = "text/markdown"

_BEFORE_ID = MEMORY.removesuffix("{id}")


def page(memory: Memory, chat: Chat, uri: str) -> str:
    """What stands at `uri`; NotFoundError where nothing does that `chat` may hear."""
    if uri == SNAPSHOT and chat == "direct":
        return snapshot_page(memory, current())
    if uri.startswith(_BEFORE_ID):
        record = seen(memory, chat, uri.removeprefix(_BEFORE_ID))
        steps = history_of(memory, chat, record.id)
        return f"{shapes.show_known(shapes.known(record))}\n\n{shapes.show_steps(steps)}"
    raise NotFoundError("{uri} not found", uri=repr(uri[:200]))
