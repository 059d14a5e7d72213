"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it. The values it takes and returns are in `loxodon.types`, its errors in
`loxodon.errors`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loxodon.memory import Memory as Memory

__version__ = "0.2.0"
__all__ = ["Memory"]


def __getattr__(name: str) -> Any:
    """`Memory`, loaded when it is first asked for: not every command needs it."""
    if name != "Memory":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from loxodon.memory import Memory

    return Memory
