"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it. The values it takes and returns are in `loxodon.types`, its errors in
`loxodon.errors`.
"""

import gc

_usual = gc.get_threshold()
gc.set_threshold(100_000)  # what is loaded stays: to look through it for garbage takes time
from loxodon.memory import Memory as Memory  # noqa: E402

gc.set_threshold(*_usual)
__version__ = "0.2.0"
__all__ = ["Memory"]
