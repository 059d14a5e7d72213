"""The edge between an event loop and the core, which is synchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result]) -> Result:
    """What `work` returns, while the event loop goes on.

    A thread cannot be stopped: who is cancelled meanwhile hears of it once the work is done, so
    that nothing is written behind their back.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue  # told twice; the first is passed on below
        if not task.cancelled():
            task.exception()  # seen: whoever was cancelled does not wait for an answer
        raise
