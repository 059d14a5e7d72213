"""How long, and for how many, a server has patience before a request is there as a whole.

A client that opens connections and sends nothing, or a byte a minute, would keep them from others
for good: uvicorn waits. Here such a one is hung up on, for its head as for its body, whatever
serves it, and on one whose head has no end; and where all connections are taken, the one that has
kept us waiting longest makes room.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 20.0
"""How long a client may take to send the head of a request, once it is connected or has begun."""
BODY_SECONDS = 20.0
LEAST_BYTES = 16_384
"""What must come of a body in that time, where it is not all of it."""
LARGEST_HEAD = 32_768
"""Bytes that the head of a request may have."""
Stage = Literal["head", "body", ""]
"""What a connection waits for from its client; nothing while a request is answered."""


def protocol(
    most: int, seconds: float = HEADER_SECONDS, body_seconds: float = BODY_SECONDS
) -> type[HttpToolsProtocol]:
    """The protocol of a server with at most so many connections."""

    class Protocol(HttpToolsProtocol):
        _timer: asyncio.TimerHandle | None = None
        _timed: Stage = ""
        _since = 0.0
        _came = 0
        """Bytes since the timer was set."""
        _in_head = False
        _head = 0
        """Bytes of a head that is not there as a whole."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._since = self.loop.time()
            if len(self.connections) > most and not self._make_room():
                transport.abort()
                return
            self._wait("head")

        def data_received(self, data: bytes) -> None:
            self._came += len(data)
            super().data_received(data)
            if self._in_head:
                self._head += len(data)
                if self._head > LARGEST_HEAD:
                    self._refuse()
            self._wait(self._stage())

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._in_head, self._head = True, 0

        def on_headers_complete(self) -> None:
            self._in_head = False
            super().on_headers_complete()

        def _refuse(self) -> None:
            """Refuse a head that has no end, even one behind a request that is being answered."""
            if self._stage() == "head":
                self.send_400_response("The head of the request is too large.")
            else:
                self._hang_up()

        def connection_lost(self, exc: Exception | None) -> None:
            self._wait("")
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._since = self.loop.time()
            if self._stage() == "body":  # of a request that came close behind
                self._wait("body")

        def _stage(self) -> Stage:
            if self.cycle is None or self.cycle.response_complete:
                return "head"
            return "body" if self.cycle.more_body else ""

        def _make_room(self) -> bool:
            """Hang up on who has kept us waiting longest, for a head rather than for a body."""
            others = [one for one in self.connections if one is not self]
            waiting = [one for one in others if isinstance(one, Protocol) and one._stage()]
            if waiting:
                min(waiting, key=lambda one: (one._stage() == "body", one._since))._hang_up()
            return bool(waiting)

        def _wait(self, stage: Stage) -> None:
            if stage == self._timed:
                return
            if self._timer is not None:
                self._timer.cancel()
            self._timed, self._timer, self._came = stage, None, 0
            if stage == "head":
                self._timer = self.loop.call_later(seconds, self._hang_up)
            elif stage == "body":
                self._timer = self.loop.call_later(body_seconds, self._look)

        def _look(self) -> None:
            """Go on waiting for a body that comes, or that nobody takes off our hands just now."""
            if self._stage() == "body" and self._came < LEAST_BYTES and not self.flow.read_paused:
                self._hang_up()
                return
            self._timed = ""
            self._wait(self._stage())

        def _hang_up(self) -> None:
            self._wait("")
            self.connections.discard(self)  # so that it counts no more
            transport: Any = self.transport
            transport.abort()

    return Protocol
