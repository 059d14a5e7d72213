"""Waiting for what another thread or process does: for a condition, never for a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Any

# Seconds after which a test gives up on what never comes. On a busy machine all takes longer.
PATIENCE = 300.0


def until(look: Callable[[], Any]) -> Any:
    """What `look` finds, as soon as it finds something."""
    end, pause = monotonic() + PATIENCE, 0.01
    while not (found := look()):
        assert monotonic() < end, "it did not come to pass"
        Event().wait(pause)
        pause = min(1.3 * pause, 0.1)  # a look may take as much of the processor as what it is for
    return found
