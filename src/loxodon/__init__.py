"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it. The values it takes and returns are in `loxodon.types`, its errors in
`loxodon.errors`.
"""

from loxodon.memory import Memory as Memory

__version__ = "0.2.0"
__all__ = ["Memory"]
