"""How long, and for how many, a server has patience before a request is there at all.

A client that opens connections and sends nothing, or a header a minute, would keep them from others
for good: uvicorn waits. Here such a one is hung up on, and so is the connection too many.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 20.0
"""How long a client may take to send the head of a request, once it is connected or has begun."""


def protocol(most: int, seconds: float = HEADER_SECONDS) -> type[H11Protocol]:
    """The protocol of a server with at most so many connections."""

    class Protocol(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
                return
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE:
                self._wait()  # a head has begun, and is not whole
            else:
                self._done()

        def connection_lost(self, exc: Exception | None) -> None:
            self._done()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._waiting is None:
                self._waiting = self.loop.call_later(seconds, self._hang_up)

        def _done(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _hang_up(self) -> None:
            self._waiting = None
            transport: Any = self.transport
            transport.abort()

    return Protocol
