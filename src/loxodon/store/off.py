"""The store while the engine is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from loxodon.errors import ConfigError
from loxodon.store.walls import Wall

if TYPE_CHECKING:
    from loxodon.security.audit import Audit


class Off:
    """Stands where the store would: whatever is asked of it, the engine is off."""

    def __init__(self, space: str, wall: Wall) -> None:
        self.space = space
        self.wall = wall
        self.audit: Audit | None = None

    def behind(self, wall: Wall) -> Off:
        return Off(self.space, wall)

    def __getattr__(self, name: str) -> NoReturn:
        raise ConfigError(
            "the memory engine is turned off",
            hint="turn it on with `loxodon config enabled true`, and check LOXODON_ENABLED",
        )

    def close(self) -> None:
        """Nothing is open."""
