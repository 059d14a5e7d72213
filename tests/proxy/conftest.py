"""A proxy that runs as a program of its own, the upstream behind it, and clients before it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from loxodon import Memory
from loxodon.types import Turn
from tests.http.server import unscheduled
from tests.proxy.upstream import Stage, stage
from tests.waiting import until

_NUMBERS = count(1)


class Proxy:
    """A proxy that runs, and the memory behind it."""

    def __init__(self, process: subprocess.Popen[str], home: Path, log: Path) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, log.read_text("utf-8")
        self.url: str = json.loads(line)["url"]
        self.process = process
        self.home = home
        self._log = log

    @property
    def log(self) -> list[dict[str, Any]]:
        whole, _, _ = self._log.read_text("utf-8").rpartition("\n")  # the last may be half written
        return [json.loads(line) for line in whole.splitlines()]

    def journal(self, space: str, turns: int) -> list[Turn]:
        """What was said in a space through the proxy, once it is that many turns."""

        def enough() -> list[Turn] | None:
            if not (self.home / "spaces" / space / "loxodon.db").exists():
                return None
            with Memory.open(self.home, space) as memory:
                found = [turn for turn in memory.journal() if turn.channel == "proxy"]
            return found if len(found) >= turns else None

        found: list[Turn] = until(enough)
        assert len(found) == turns, [(turn.session, turn.content) for turn in found]
        return found


@contextmanager
def started(
    home: Path, upstream: str, *options: str, scheduled: bool = False, **environ: str
) -> Iterator[Proxy]:
    """A proxy on a home; it sees to the schedule only where it is to be `scheduled`."""
    home.mkdir(parents=True, exist_ok=True)
    with (
        nullcontext() if scheduled else unscheduled(home),
        _running(home, upstream, *options, **environ) as proxy,
    ):
        yield proxy


@contextmanager
def _running(home: Path, upstream: str, *options: str, **environ: str) -> Iterator[Proxy]:
    log = home.parent / f"{home.name}.log"
    with open(log, "w") as stderr:
        start = [sys.executable, "-m", "loxodon", "proxy", "--home", str(home), "--json"]
        process = subprocess.Popen(
            [*start, "--port", "0", "--upstream", upstream, "--limit", "60", *options],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, **environ},
            cwd=home.parent,
        )
    try:
        with process:
            try:
                yield Proxy(process, home, log)
            finally:
                process.terminate()
    finally:
        assert "Traceback" not in log.read_text("utf-8"), log.read_text("utf-8")


@pytest.fixture(scope="module")
def _stage() -> Iterator[Stage]:
    with stage() as server:
        yield server


@pytest.fixture
def upstream(_stage: Stage) -> Stage:
    _stage.play("ok")
    return _stage


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, _stage: Stage) -> Iterator[Proxy]:
    with started(tmp_path_factory.mktemp("proxy") / "home", _stage.url, "--explain") as running:
        yield running


@pytest.fixture
def space() -> str:
    """A space that no other test uses."""
    return f"person{next(_NUMBERS)}"


@pytest.fixture
def client(proxy: Proxy, space: str) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=proxy.url,
        headers={"x-loxodon-space": space, "authorization": "Bearer sk-theirs"},
        timeout=300,
        verify=False,
    ) as found:
        yield found


@pytest.fixture
def dog(proxy: Proxy, space: str) -> str:
    """A space that has something to recall."""
    with Memory.open(proxy.home, space) as memory:
        memory.capture("The user's dog is called Biscuit")
    return space
