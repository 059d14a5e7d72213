"""The schedule of a home: what is due in any of its spaces is done by itself.

    runner = Runner(home)
    runner.start()
    ...
    runner.stop()

Every server starts a `Runner`. The first to get the lock of the home starts a worker, a process of
its own, so that no request waits for what a worker computes; the others stand by, and one of them
takes over when the first is gone. A worker ends with whoever started it, at once: what it was at
goes on where it stopped. Where the spaces are in a database, every machine has a worker, and the
first to get the lock of a space does what is due there.

A worker goes round the spaces (`Rounds`): it looks at those that were written to and those whose
time has come, and does what `jobs/schedule.py` says is due.
"""

from __future__ import annotations

import os
import signal
import subprocess  # our own program, by its full path
import sys
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event, Thread, main_thread
from time import monotonic
from typing import NamedTuple

from loxodon import files
from loxodon.errors import LoxodonError, UnreachableStoreError
from loxodon.filelock import FileLock, at_fork, lock_at
from loxodon.http.host import Host
from loxodon.http.logs import log
from loxodon.jobs.schedule import Ran
from loxodon.layout import CONFIG, DATABASE, SCHEDULE_LOCK
from loxodon.memory import Memory
from loxodon.spaces import space_path

# Seconds between two rounds; of a space that nobody wrote to, a round looks at two dates
TICK = 1.0
_STAND_BY = 1.0
_GRACE = 2.0  # seconds that a worker has to end
_RETRY = 60.0
_AWAY = 1.0  # seconds until a database that could not be reached is tried again
# Seconds until it is looked whether whoever is at the jobs of a space has died over them
_TAKEN = 5.0


class Runner:
    """Sees to the schedule of a home for as long as a server runs.

    Without `logs` nothing is written to stderr: a person may be looking at it.
    """

    def __init__(self, home: str, *, logs: bool = True) -> None:
        self.error = ""  # why it cannot do the work of the home; empty where it or another can
        self._home = home
        self._began = datetime.now(UTC)
        self._logs = logs
        self._stopping = Event()
        self._thread: Thread | None = None
        self._worker: subprocess.Popen[bytes] | None = None
        at_fork(self)

    def after_fork(self) -> None:
        """Thread, worker and lock are the parent's. The worker ends when nobody holds its input."""
        self._stopping = Event()
        self._thread, self.error = None, ""
        if self._worker is not None and self._worker.stdin is not None:
            self._worker.stdin.close()
        self._worker = None

    def start(self) -> None:
        """Begin, in the background. Starting twice is fine."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._stand_by, name="loxodon-schedule", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End, within a few seconds; what was being done is done later, by the next."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(2 * _GRACE)
            self._thread = None

    def _stand_by(self) -> None:
        while not self._stopping.is_set():
            try:
                lock = FileLock(os.path.join(self._home, SCHEDULE_LOCK))
            except OSError as error:  # there is no home yet, or it cannot be written
                self.error = error.strerror or str(error)
            else:
                try:
                    if lock.acquire(0):
                        self._keep_working()
                    self.error = ""
                finally:
                    lock.close()  # which lets go of it
            self._stopping.wait(_STAND_BY)

    def _keep_working(self) -> None:
        """Have a worker, and a new one where it dies, less and less often."""
        pause = _STAND_BY
        while not self._stopping.is_set():
            started = monotonic()
            try:
                worker = _worker(self._home, self._began, self._logs)
            except OSError as error:
                self.error = error.strerror or str(error)
            else:
                self.error = ""
                code = self._see_to(worker)
                if code is None:
                    return
                self.error = f"the worker ended with {code}"
                if self._logs:
                    log("schedule.worker", code=code)
            pause = _STAND_BY if monotonic() - started > _RETRY else min(2 * pause, _RETRY)
            self._stopping.wait(pause)

    def _see_to(self, worker: subprocess.Popen[bytes]) -> int | None:
        """Wait until a worker ends by itself, and how; None where it was to end."""
        self._worker = worker
        while worker.poll() is None:
            if self._stopping.wait(_STAND_BY):
                _end(worker)
                return None
        _end(worker)
        return worker.returncode


def _worker(home: str, began: datetime, logs: bool) -> subprocess.Popen[bytes]:
    """A worker: it lives as long as we hold the other end of its standard input."""
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-m", "loxodon.jobs.runner", home, began.isoformat()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=None if logs else subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C is for the server, which then ends us
    )


def _end(worker: subprocess.Popen[bytes]) -> None:
    if worker.stdin is not None:
        with suppress(OSError):
            worker.stdin.close()
    try:
        worker.wait(_GRACE)
    except subprocess.TimeoutExpired:  # in the middle of something long that cannot be broken off
        worker.kill()
        worker.wait()


# A worker


_Stamp = tuple[files.Stamp | int | None, ...]


class _Look(NamedTuple):
    stamp: _Stamp  # what changes when it is written to
    again: float  # when to look again in any case


class Rounds:
    """Goes round the spaces of a home and does what is due.

    What was said before it `began` is of conversations that are over, whoever held them: it is
    taken up on the first round.
    """

    def __init__(self, host: Host, began: datetime) -> None:
        self._host = host
        self._began = began
        self._looks: dict[str, _Look] = {}

    def once(self) -> list[tuple[str, Ran]]:
        """One round; what was run, with the space it was run for."""
        found = []
        for space, stamp in self._stamps():
            look = self._looks.get(space)
            if look is not None and look.stamp == stamp and monotonic() < look.again:
                continue
            wait = _RETRY
            try:
                with self._host.using(space, make=False) as memory:
                    if memory.config.enabled:
                        ran = self._run_alone(memory)
                        found += [(space, one) for one in ran or ()]
                        wait = memory.schedule.wait() if ran is not None else _TAKEN
            except LoxodonError as error:  # one space that is damaged does not stop the others
                log("schedule.trouble", space=space, error=error.code)
                wait = _AWAY if isinstance(error, UnreachableStoreError) else wait
            self._host.release(space)  # somebody may want to delete it
            self._looks[space] = _Look(stamp, monotonic() + wait)
        return found

    def _run_alone(self, memory: Memory) -> list[Ran] | None:
        """Do what is due, unless a worker elsewhere is at it: then None."""
        if memory.root == memory.home:  # whose lock this worker has
            return self._run(memory)
        if not memory.schedule.due(self._began):
            return []
        lock = lock_at(os.path.join(space_path(memory.root, memory.space), SCHEDULE_LOCK))
        try:
            return self._run(memory) if lock.acquire(0) else None
        finally:
            lock.close()

    def _run(self, memory: Memory) -> list[Ran]:
        found = memory.schedule.run_due(self._began)
        for ran in found:
            log(
                "schedule.ran",
                space=memory.space,
                job=ran.job,
                seconds=ran.seconds,
                failed=bool(ran.error),
                **ran.counts,
            )
        return found

    def _stamps(self) -> list[tuple[str, _Stamp]]:
        """The spaces, each with what changes when it is written to, or the settings are."""
        home = self._host.home
        config = files.stamp(os.path.join(home, CONFIG))
        if there := files.shared(self._host.root):
            return [(space, (config, version)) for space, version in there[0].spaces().items()]
        found: list[tuple[str, _Stamp]] = []
        for space in self._host.spaces():
            path = os.path.join(space_path(home, space), DATABASE)
            found.append((space, (config, files.stamp(path), files.stamp(f"{path}-wal"))))
        return found


def work(home: str, began: datetime, gone: Event) -> None:
    with Host(home, surface="worker") as host:
        rounds = Rounds(host, began)
        while not gone.is_set():
            try:
                rounds.once()
            except UnreachableStoreError as error:  # it comes back
                log("schedule.trouble", error=error.code)
            gone.wait(TICK)


def _watch(gone: Event) -> None:
    """Stop when whoever started us is gone, or wants us to."""
    while os.read(0, 64):
        pass
    gone.set()
    if hasattr(signal, "pthread_kill") and (main := main_thread().ident) is not None:
        signal.pthread_kill(main, signal.SIGINT)  # which also wakes it from waiting for a model
    else:
        import _thread

        _thread.interrupt_main()


def main() -> int:
    """A worker for the home that is named, since when it is served, until standard input ends."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    if hasattr(os, "nice"):
        os.nice(5)  # whoever answers somebody goes first
    gone = Event()
    try:
        Thread(target=_watch, args=(gone,), daemon=True).start()
        work(sys.argv[1], datetime.fromisoformat(sys.argv[2]), gone)
    except KeyboardInterrupt:
        return 0
    except LoxodonError as error:  # the settings are spoilt; whoever started us tries again
        log("schedule.trouble", error=error.code)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
