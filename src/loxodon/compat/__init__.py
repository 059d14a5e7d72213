"""Loxodon in the place of other memories: what programs written for them call, as they call it.

loxodon.compat.mem0       `Memory` and `AsyncMemory` of mem0
loxodon.compat.langgraph  a `BaseStore` for LangGraph
loxodon.compat.agents     a `Session` for the OpenAI Agents SDK
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result]) -> Result:
    """What `work` returns, while the event loop goes on. Who is cancelled meanwhile hears of it
    once the work is done, so that nothing is written behind their back."""
    import asyncio

    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
