"""A chat in a real pseudo-terminal, and one at the other end of pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event

from tests.models.server import KEY, Stage
from tests.serve import shell
from tests.serve.http.server import unscheduled
from tests.waiting import PATIENCE

CTRL_C, CTRL_D, UP = b"\x03", b"\x04", b"\x1b[A"
_SHIM = (  # a terminal sends Ctrl-C to the session that it controls
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from loxodon.serve.cli import main; sys.exit(main())"
)


def environment(home: Path, server: Stage | None = None, **more: str) -> dict[str, str]:
    """What a chat finds set: a home of its own, and the model of a test."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    found = {**kept, "LOXODON_HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm"}
    if server is not None:
        found |= {
            "LOXODON_CHAT_BASE_URL": f"http://127.0.0.1:{server.port}/v1",
            "LOXODON_CHAT_MODEL": "test",
            "LOXODON_CHAT_API_KEY": KEY,
        }
    return found | more


def piped(
    given: str | bytes, env: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    """A chat whose lines do not come from a terminal, in this process and without the background,
    and what it printed."""
    lines = given.encode() if isinstance(given, str) else given
    with unscheduled(Path(env["LOXODON_HOME"])):
        done = shell.typed("chat", *options, env=env, given=lines)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


class Terminal:
    """What a person sees and types."""

    def __init__(self, process: subprocess.Popen[bytes], line: int) -> None:
        self.process = process
        self._line = line
        self._seen = b""
        self.everything = b""

    def type(self, keys: str | bytes) -> None:
        os.write(self._line, keys.encode() if isinstance(keys, str) else keys)

    def interrupt(self) -> None:
        """Ctrl-C, once the chat waits for something.

        Between two instructions of Python's own wait for a key, a signal is not noticed before the
        next key; nobody types that fast.
        """
        state = f"/proc/{self.process.pid}/stat"
        asleep = 0
        while asleep < 3 and os.path.exists(state):
            with open(state, "rb") as file:
                asleep = asleep + 1 if file.read().rpartition(b") ")[2][:1] == b"S" else 0
            Event().wait(0.01)
        self.type(CTRL_C)

    def expect(self, text: str) -> str:
        """Wait until `text` is on the screen; what came before it. Each is seen once."""
        wanted = text.encode()
        until = time.monotonic() + PATIENCE
        while wanted not in self._seen:
            left = until - time.monotonic()
            if left <= 0 or not self._more(left):
                raise AssertionError(
                    f"{text!r} did not come: {self._seen.decode('utf-8', 'replace')!r}"
                )
        before, _, self._seen = self._seen.partition(wanted)
        return before.decode("utf-8", "replace")

    def _more(self, patience: float) -> bool:
        if not select.select([self._line], [], [], patience)[0]:
            return False
        try:
            data = os.read(self._line, 65_536)
        except OSError:  # the other side is gone
            return False
        self._seen += data
        self.everything += data
        return bool(data)

    def ended(self) -> int:
        """Wait until the chat has ended; its exit code."""
        while self._more(PATIENCE):
            pass
        return self.process.wait(PATIENCE)


@contextmanager
def typed(env: dict[str, str], *options: str, scheduled: bool = False) -> Iterator[Terminal]:
    """A chat in a terminal of its own; with the background only where it is `scheduled`."""
    with (
        nullcontext() if scheduled else unscheduled(Path(env["LOXODON_HOME"])),
        _at_terminal(env, *options) as terminal,
    ):
        yield terminal


@contextmanager
def _at_terminal(env: dict[str, str], *options: str) -> Iterator[Terminal]:
    line, inner = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _SHIM, "chat", *options],
        env=env,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    try:
        yield Terminal(process, line)
    finally:
        process.kill()
        process.wait()
        os.close(line)
