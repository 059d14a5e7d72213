"""Long work over HTTP, told as it comes along.

With `Accept: application/x-ndjson` the answer is a line of JSON for each step, with
`Accept: text/event-stream` an event; the last one has the result, or the error.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Any

from loxodon.errors import LoxodonError

LINES = "application/x-ndjson"
EVENTS = "text/event-stream"
_EVERY = 0.1  # seconds between two steps that are told


def written(form: str, event: str, text: str) -> bytes:
    """One step, of which `text` is the JSON, as it goes over the wire."""
    line = f"event: {event}\ndata: {text}\n\n" if form == EVENTS else f'{{"{event}":{text}}}\n'
    return line.encode("utf-8", "replace")


def cancelled() -> LoxodonError:
    """The error of work that was not brought to its end."""
    return LoxodonError("the operation was cancelled", hint="try again; nothing was lost")


class Steps:
    """The steps of one piece of work, from its thread to the event loop.

    `progress` is called by the work. Once `cut` is set it ends the work with an error.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        self._last = 0.0
        self.cut = Event()

    def progress(self, *numbers: int) -> None:
        """What is done of how much, of which phase where there are phases."""
        if self.cut.is_set():
            raise cancelled()
        now = monotonic()
        *phase, done, total = numbers
        if now - self._last >= _EVERY or done >= total:
            self._last = now
            step = {"phase": phase[0]} if phase else {}
            self._put({**step, "done": done, "total": total})

    def end(self) -> None:
        """No step comes after those that were told."""
        self._put(None)

    def _put(self, step: Mapping[str, Any] | None) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody is there to be told
            self._loop.call_soon_threadsafe(self._queue.put_nowait, step)

    async def __aiter__(self) -> AsyncIterator[Mapping[str, Any]]:
        while (step := await self._queue.get()) is not None:
            yield step
