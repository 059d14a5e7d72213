"""A real server in a process of its own, on a port of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from loxodon.filelock import FileLock
from loxodon.layout import SCHEDULE_LOCK
from tests import on_postgres
from tests.cli.shell import INHERITED as INHERITED
from tests.cli.shell import LOXODON as LOXODON


def said(content: str, id: str | None = None, role: str = "user", **more: Any) -> dict[str, Any]:
    """A message, as it is added to a journal."""
    return {"role": role, "content": content, **({"id": id} if id else {}), **more}


def raw(server: Server, request: bytes, least: int = 0) -> bytes:
    """What a server answers to bytes that no client library would send: all until it hangs up, or
    `least` bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=300) as wire:
        wire.sendall(request)
        found = b""
        while chunk := wire.recv(65_536):
            found += chunk
            if least and len(found) >= least:
                break
    return found


@contextmanager
def unscheduled(home: Path) -> Iterator[None]:
    """As if another server saw to the schedule: only what a test asks for is done.

    And no server starts a worker, which takes as much of the processor as the server itself.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(str(home / SCHEDULE_LOCK))
    lock.acquire(0)  # unless the test holds it already, for another server on the same home
    try:
        yield
    finally:
        lock.close()


class Server:
    """`loxodon serve` on a home. `lines` has what it logged, once it has ended.

    It sees to the schedule only where it is to be `scheduled`. `given` is done first in its
    process: a test gives constants of ours that are waited for other values.
    """

    def __init__(
        self, home: Path, *words: str, scheduled: bool = False, given: str = "", **environment: str
    ) -> None:
        self.home = home
        self._held = ExitStack()
        if not scheduled:
            self._held.enter_context(unscheduled(home))
        self._errors = open(home.parent / f"{home.name}.log", "w+b")  # noqa: SIM115
        code = f"{given}\nfrom loxodon.cli import main; raise SystemExit(main())"
        start = [sys.executable, "-c", code] if given else [LOXODON]
        self.process = subprocess.Popen(
            [*start, "serve", "--json", "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=home.parent,
            env={
                **INHERITED,
                "HOME": str(home.parent),
                "LANG": "C.UTF-8",
                "LOXODON_HOME": str(home),
                "TZ": "Asia/Shanghai",
                **on_postgres.environment(),
                **environment,
            },
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        self.url = json.loads(line)["url"] if line else ""

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def client(self, **more: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=300, trust_env=False, verify=False, **more)

    def stop(self) -> int:
        """End it as a service manager does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(300)
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(300)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it logged so far."""
        self._errors.seek(0)
        return [json.loads(line) for line in self._errors.read().splitlines()]

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._held:
            self.stop()
            self._errors.close()
