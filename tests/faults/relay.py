"""A way to a database server that can be blocked and cut: a network that fails."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread


class Relay:
    """Hands on what comes in at `port` to another port, both ways."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._flowing = Event()
        self._flowing.set()
        self._lock = Lock()
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                near, _ = self._listening.accept()
                self._flowing.wait()  # whoever connects now waits as well
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                with self._lock:
                    self._ends += [near, far]
                for ends in ((near, far), (far, near)):
                    Thread(target=self._hand_on, args=ends, daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Hand on nothing meanwhile; what came is handed on at the end, where it still can be."""
        self._flowing.clear()
        try:
            yield
        finally:
            self._flowing.set()

    def cut(self) -> None:
        """Hang up on both sides of every connection."""
        with self._lock:
            ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # which wakes who listens
        self._listening.close()
        self._flowing.set()
        self.cut()
