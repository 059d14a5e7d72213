"""`loxodon` as it is typed: in this process, which is fast, or in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from loxodon import messages
from loxodon.cli import main

LOXODON = os.path.join(os.path.dirname(sys.executable), "loxodon")
# What a program needs of the environment of the tests, to be the one that they are of
INHERITED = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
NOW = "2026-02-04T18:00:00+08:00"


def typed(
    *words: str, env: Mapping[str, str], given: bytes = b"", cwd: Path | None = None
) -> CompletedProcess[bytes]:
    """What a command says and its exit code, with no other environment than `env`."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = {"stdin": io.BytesIO(given), "stdout": out, "stderr": err}
    language = messages.current()
    with pytest.MonkeyPatch.context() as patch, _environment(env):
        for name, stream in streams.items():
            patch.setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8"))
        if cwd:
            patch.chdir(cwd)
        code = main(list(words))
        for wrapper in (sys.stdout, sys.stderr):
            wrapper.flush()
        found = CompletedProcess(words, code, out.getvalue(), err.getvalue())
    messages.use(language)
    return found


@contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    try:
        os.environ.clear()
        os.environ.update(env)
        time.tzset()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


class Shell:
    """Types `loxodon` on a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {
            **INHERITED,
            "HOME": str(home.parent),
            "LOXODON_HOME": str(home),
            "LOXODON_NOW": NOW,
            "LANG": "C.UTF-8",
            "TZ": "Asia/Shanghai",
        }

    def __call__(
        self, *words: str, given: bytes = b"", code: int = 0, **environment: str
    ) -> CompletedProcess[bytes]:
        done = typed(*words, env=self.environment | environment, given=given)
        assert done.returncode == code, (done.stdout.decode(), done.stderr.decode())
        return done

    def process(self, *words: str, given: bytes = b"", code: int = 0) -> CompletedProcess[bytes]:
        """The same as a real process."""
        done = subprocess.run(
            [LOXODON, *words], input=given, capture_output=True, timeout=300, env=self.environment
        )
        assert done.returncode == code, (done.stdout.decode(), done.stderr.decode())
        return done

    def text(self, *words: str, **more: Any) -> str:
        return self(*words, **more).stdout.decode()

    def json(self, *words: str, **more: Any) -> Any:
        done = self(*words, "--json", **more)
        return json.loads(done.stdout)
