"""A way to a server that can be cut, or stand still."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread


class Relay:
    """Hands bytes on between clients and the server at a port.

    It is cut once, when a message of a client comes by that has `cut_before` (which is lost), or
    `cut_after` in it (whose answer is lost).
    """

    def __init__(self, port: int) -> None:
        self.cut_before = self.cut_after = b""
        self._to = port
        self._moves = Event()
        self._moves.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._ends: list[socket.socket] = []
        self._threads = [Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                for end in (client, server):  # else each small message waits for the last one's ACK
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._ends += (client, server)
                for one, other, asks in ((client, server, True), (server, client, False)):
                    self._threads.append(
                        Thread(target=self._hand_on, args=(one, other, asks), daemon=True)
                    )
                    self._threads[-1].start()

    def _hand_on(self, one: socket.socket, other: socket.socket, asks: bool) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                self._moves.wait()
                if asks and self.cut_before and self.cut_before in data:
                    self.cut_before = b""
                    break
                if asks and self.cut_after and self.cut_after in data:
                    self.cut_after = b""
                    one.shutdown(socket.SHUT_RDWR)
                other.sendall(data)
        for end in (one, other):
            _shut(end)

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Meanwhile nothing comes through."""
        self._moves.clear()
        try:
            yield
        finally:
            self._moves.set()

    def block(self) -> None:
        """Let nobody in any more."""
        _shut(self._listening)
        self._listening.close()

    def close(self) -> None:
        self._moves.set()
        self.block()
        for end in self._ends:
            _shut(end)
        for thread in self._threads:
            thread.join(60)
        for end in self._ends:
            end.close()


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
