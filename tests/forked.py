"""Programs that a test starts, without the second that each takes to import what it needs.

`loxodon` and whatever else Python runs, as tests start it, is forked off a process that has
imported everything and has nothing open. It is a process like any other: a child of the tests, with
a number, environment, folder and pipes of its own, which can be killed. Where that cannot be, it is
started; tests of what is imported start it `COLD`.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import platform
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

COLD = (sys.executable, "-u")  # python as it is without anything imported
# The number of the system call that can make a child of one's parent
_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine()) if sys.platform == "linux" else None
_CLONE_PARENT = 0x8000
_MOST_FILES = 1024
_started = subprocess.Popen


@contextmanager
def forking() -> Iterator[None]:
    """Until the end, programs are forked."""
    if _CLONE is None:
        yield
        return
    subprocess.Popen = _Popen  # type: ignore[misc]
    try:
        yield
    finally:
        subprocess.Popen = _started  # type: ignore[misc]
        if _Popen.source:
            _Popen.source.close()
        _Popen.source = None


class _Source:
    """The process that programs are forked off."""

    def __init__(self) -> None:
        self._wire, theirs = socket.socketpair()
        with theirs:
            self._process = _started(
                [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd=Path(__file__).parent.parent,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # threads are not forked
            )

    def fork(self, files: list[int], **asked: Any) -> int:
        """The number of a process that is given the files as its standard ones."""
        said = json.dumps(asked).encode()
        socket.send_fds(self._wire, [len(said).to_bytes(4, "big")], files)
        self._wire.sendall(said)
        return int.from_bytes(self._wire.recv(4), "big")

    def close(self) -> None:
        self._wire.close()
        self._process.wait()


class _Popen(subprocess.Popen):  # type: ignore[type-arg]
    """A process that is forked where it is to be one of ours, and started where not."""

    source: _Source | None = None

    def _execute_child(self, args: Any, executable: Any, *rest: Any) -> None:
        before, _, fds, cwd, env, _, _, shell, *pipes = rest[:14]
        _, *who, alone, _ = rest[14:]  # the user, their groups and mask; whether it has a session
        environment = dict(os.environ if env is None else env)
        words = None if executable or before or fds or shell else _words(args)
        if words is None or any(one not in (None, -1) for one in who) or not _is_ours(environment):
            super()._execute_child(args, executable, *rest)  # type: ignore[misc]
            return
        if _Popen.source is None:
            _Popen.source = _Source()
        given = (pipes[0], pipes[3], pipes[5])
        self.pid = _Popen.source.fork(
            [own if file == -1 else file for own, file in enumerate(given)],
            words=words,
            folder=os.fspath(cwd or os.getcwd()),
            environment=environment,
            alone=bool(alone),
        )
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def _words(args: Any) -> list[str] | None:
    """What is typed after `python`, `-c`, `-m` or a script; None if it is another program."""
    if isinstance(args, str | bytes | os.PathLike):
        return None
    words = [os.fspath(one) for one in args]
    if words[0] == os.path.join(os.path.dirname(sys.executable), "loxodon"):
        return ["-m", "loxodon", *words[1:]]
    if words[1] == "-P":  # all of ours is imported by then: none of it is found in the folder
        del words[1]
    if words[0] != sys.executable or not words[1].endswith(("-c", "-m", ".py")):
        return None
    return words[1:] if words[1].startswith("-") else ["", *words[1:]]


def _is_ours(environment: Mapping[str, str]) -> bool:
    """Whether Python would start in it as it did in ours."""
    named = [name for name in environment if name.startswith("PYTHON")]
    return all(environment[name] == os.environ.get(name) for name in named)


def _serve(wire: socket.socket) -> None:
    """Fork whatever is asked for, until nobody asks."""
    _get_ready()
    while True:
        size, files, _, _ = socket.recv_fds(wire, 4, 3)
        if not size:
            return
        said = b""
        while len(said) < int.from_bytes(size, "big"):
            said += wire.recv(int.from_bytes(size, "big") - len(said))
        if pid := _fork():
            wire.sendall(pid.to_bytes(4, "big"))
            for file in files:
                os.close(file)
            continue
        code = _run(*_become(files, **json.loads(said)))
        # To take apart all that was imported, object by object, would be most of the work.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _get_ready() -> None:
    """Import everything, and read the tables and weights that are read when first needed."""
    import uvicorn

    import loxodon
    from loxodon import Memory

    for module in pkgutil.walk_packages(loxodon.__path__, "loxodon."):
        if not module.name.startswith(("loxodon.__main__", "loxodon.compat")):
            import_module(module.name)
    uvicorn.Config("loxodon.http.app:App").load()
    for needed in ("encodings.idna", "httpx", "httpcore"):
        import_module(needed)
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
        memory.add([{"role": "user", "content": one} for one in ("I live in Leeds", "我住在上海")])
        memory.consolidate()
        for message in ("Where did I live last week?", "我上周住在哪里？", "thank you", "谢谢"):
            memory.assemble(message)
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()


def _fork() -> int:
    """Fork, as a child of our parent: 0 in the new process."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid: int = ctypes.PyDLL(None).syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid:
        python.PyOS_AfterFork_Parent()
    else:
        python.PyOS_AfterFork_Child()
    return pid


def _run(how: str, what: str) -> int:
    """Its exit code."""
    from loxodon.cli import main

    if what == "loxodon":
        return main()
    try:
        if how == "-c":
            exec(what, {"__name__": "__main__"})
        elif not how:
            runpy.run_path(what, run_name="__main__")
        else:
            runpy.run_module(what, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _become(
    files: list[int], words: list[str], folder: str, environment: Mapping[str, str], alone: bool
) -> tuple[str, str]:
    """Be as a program that was started with these words; how it is run, and what."""
    if alone:
        os.setsid()
    for own, file in enumerate(files):
        os.dup2(file, own)
    os.closerange(3, _MOST_FILES)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    tempfile.tempdir = None
    sys.argv = [words[0] if words[0] == "-c" else words[1], *words[2:]]
    sys.path[0] = folder if words[0] else os.path.dirname(os.path.abspath(words[1]))
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    return words[0], words[1]


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
