"""A way to a server that can be stalled or cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Passes on what comes to its port, until it is told otherwise."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut_before = b""  # A request that is lost, once, and the connection with it
        self.cut_after = b""  # A request whose answer is lost, once
        self._flowing = threading.Event()
        self._flowing.set()
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._flowing.wait()
                try:
                    far = socket.create_connection(("127.0.0.1", self._server))
                except OSError:
                    near.close()
                    continue
                self._ends += [near, far]
                for ends in ((near, far, True), (far, near, False)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                if asks and self.cut_before and self.cut_before in data:
                    self.cut_before = b""
                    break
                if asks and self.cut_after and self.cut_after in data:
                    self.cut_after = b""
                    source.shutdown(socket.SHUT_RDWR)
                target.sendall(data)
        _shut(source, target)

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Nothing goes through meanwhile, and nobody is told."""
        self._flowing.clear()
        try:
            yield
        finally:
            self._flowing.set()

    def cut(self) -> None:
        """Cut every connection there is."""
        ends, self._ends = self._ends, []
        _shut(*ends)
        for one in ends:
            one.close()

    def block(self) -> None:
        """Let nobody through any more who is not already."""
        _shut(self._listener)
        self._listener.close()

    def close(self) -> None:
        self.block()
        self._flowing.set()
        self.cut()


def _shut(*ends: socket.socket) -> None:
    for one in ends:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
