"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it; the other names are the values it takes and returns, and its errors.
"""

from loxodon.config import Config
from loxodon.errors import (
    ConfigError,
    InputError,
    LoxodonError,
    NotFoundError,
    StaleEditError,
    StoreError,
)
from loxodon.memory import Memory, Stats, Status
from loxodon.types import (
    Added,
    Gate,
    Item,
    LeftOut,
    Problem,
    Recall,
    Record,
    Source,
    Turn,
    Version,
)

__version__ = "0.1.0"

__all__ = [
    "Added",
    "Config",
    "ConfigError",
    "Gate",
    "InputError",
    "Item",
    "LeftOut",
    "LoxodonError",
    "Memory",
    "NotFoundError",
    "Problem",
    "Recall",
    "Record",
    "Source",
    "StaleEditError",
    "Stats",
    "Status",
    "StoreError",
    "Turn",
    "Version",
]
