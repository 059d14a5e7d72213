"""Which calls were done already, by the token that came with them (`trust/access/once.py`)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol


class CompletedCall(NamedTuple):
    """A call that was done."""

    request: bytes
    """The digest of what was asked."""
    memory: str
    version: int
    """What it led to."""


class Tokens(Protocol):
    """The tokens of one store; a token is of the space that it was used in."""

    def used(self, token: str, since: datetime) -> CompletedCall | None:
        """What was done under a token since a moment; None where nothing was."""
        ...

    def put(self, token: str, used: CompletedCall, at: datetime, since: datetime) -> None:
        """Note what was done under a token, and drop the tokens from before `since`.

        Call inside `Store.writing`.
        """
        ...
