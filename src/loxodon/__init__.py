"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it; the other names are the values it takes and returns, and its errors.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loxodon.config import Config
    from loxodon.consolidate.embedding import Embedded
    from loxodon.consolidate.entities import Card
    from loxodon.consolidate.pipeline import Consolidated
    from loxodon.errors import (
        ConfigError,
        ConsolidationError,
        InputError,
        LoxodonError,
        ModelError,
        NotFoundError,
        StaleEditError,
        StoreError,
    )
    from loxodon.memory import Memory
    from loxodon.status import Stats, Status
    from loxodon.store.vectors import Coverage
    from loxodon.types import (
        Added,
        Entity,
        Event,
        Frame,
        Gate,
        Item,
        LeftOut,
        Problem,
        Recall,
        Record,
        Review,
        Segment,
        Source,
        Trace,
        Turn,
        Version,
    )

__version__ = "0.1.0"

__all__ = [
    "Added",
    "Card",
    "Config",
    "ConfigError",
    "Consolidated",
    "ConsolidationError",
    "Coverage",
    "Embedded",
    "Entity",
    "Event",
    "Frame",
    "Gate",
    "InputError",
    "Item",
    "LeftOut",
    "LoxodonError",
    "Memory",
    "ModelError",
    "NotFoundError",
    "Problem",
    "Recall",
    "Record",
    "Review",
    "Segment",
    "Source",
    "StaleEditError",
    "Stats",
    "Status",
    "StoreError",
    "Trace",
    "Turn",
    "Version",
]
# Modules of the names that are neither in `types` nor in `errors`.
_MODULES = {
    "Card": "consolidate.entities",
    "Config": "config",
    "Consolidated": "consolidate.pipeline",
    "Coverage": "store.vectors",
    "Embedded": "consolidate.embedding",
    "Memory": "memory",
    "Stats": "status",
    "Status": "status",
}


def __getattr__(name: str) -> Any:
    """A name of the package, loaded when it is first asked for: a command needs few of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = _MODULES.get(name) or ("errors" if name.endswith("Error") else "types")
    found = globals()[name] = getattr(import_module(f"loxodon.{module}"), name)
    return found
