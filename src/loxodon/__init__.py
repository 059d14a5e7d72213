"""Loxodon: a long-term memory for AI agents that lives on its owner's machine.

`Memory` is the whole of it; the other names are the values it takes and returns, and its errors.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loxodon.config import Config as Config
    from loxodon.consolidate.embedding import Embedded as Embedded
    from loxodon.consolidate.entities import Card as Card
    from loxodon.consolidate.pipeline import Consolidated as Consolidated
    from loxodon.errors import ConfigError as ConfigError
    from loxodon.errors import ConsolidationError as ConsolidationError
    from loxodon.errors import InputError as InputError
    from loxodon.errors import LoxodonError as LoxodonError
    from loxodon.errors import ModelError as ModelError
    from loxodon.errors import NotFoundError as NotFoundError
    from loxodon.errors import StaleEditError as StaleEditError
    from loxodon.errors import StoreError as StoreError
    from loxodon.memory import Memory as Memory
    from loxodon.status import Stats as Stats
    from loxodon.status import Status as Status
    from loxodon.store import Coverage as Coverage
    from loxodon.types import Added as Added
    from loxodon.types import Entity as Entity
    from loxodon.types import Event as Event
    from loxodon.types import Frame as Frame
    from loxodon.types import Gate as Gate
    from loxodon.types import Item as Item
    from loxodon.types import LeftOut as LeftOut
    from loxodon.types import Problem as Problem
    from loxodon.types import Recall as Recall
    from loxodon.types import Record as Record
    from loxodon.types import Review as Review
    from loxodon.types import Segment as Segment
    from loxodon.types import Source as Source
    from loxodon.types import Trace as Trace
    from loxodon.types import Turn as Turn
    from loxodon.types import Version as Version

__version__ = "0.2.0"

# The modules of the names that the package has.
_NAMES = {
    "consolidate.embedding": "Embedded",
    "consolidate.entities": "Card",
    "consolidate.pipeline": "Consolidated",
    "config": "Config",
    "errors": "ConfigError ConsolidationError InputError LoxodonError ModelError NotFoundError "
    "StaleEditError StoreError",
    "memory": "Memory",
    "status": "Stats Status",
    "store": "Coverage",
    "types": "Added Entity Event Frame Gate Item LeftOut Problem Recall Record Review Segment "
    "Source Trace Turn Version",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = [*sorted(_MODULES)]


def __getattr__(name: str) -> Any:
    """A name of the package, loaded when it is first asked for: a command needs few of them."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"loxodon.{_MODULES[name]}")
    found = globals()[name] = getattr(module, name)
    return found
