"""How a server is: what was asked and how long it took, and whether all is well, and if not, why.

A look at the spaces costs a few reads each, so one is good for a while.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic, perf_counter
from typing import NamedTuple

import prometheus_client as prometheus
from prometheus_client import Gauge
from starlette.types import Message, Send

from loxodon.errors import LoxodonError
from loxodon.http.host import Host
from loxodon.messages import t, tn
from loxodon.status import Status

prometheus.disable_created_metrics()  # type: ignore[no-untyped-call]
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
# What is told of each space: its description, and the field of its status
_OF_SPACES = {
    "turns": ("Turns in the journal.", "turns"),
    "paused": ("Whether it is paused.", "paused"),
    "pending_turns": ("Turns to be consolidated.", "pending"),
    "waiting_fragments": ("What waits for a model.", "waiting"),
    "reviews": ("Beliefs that wait for an answer.", "reviews"),
    "store_bytes": ("Bytes on disk.", "bytes"),
    "failed_consolidations": ("Failed consolidations since the last that did not.", "attempts"),
}
GONE = 499  # the status that is counted where nobody is there to get one
KEPT_SECONDS = 5.0  # how long a look is good for
WAIT_SECONDS = 2.0  # how long whoever asks waits for a new one
LEAST_FREE = 32 << 20  # bytes below which a disk is as good as full


class Reason(NamedTuple):
    """Why the health is red."""

    code: str
    space: str
    message: str


class Look(NamedTuple):
    """How a server stands at one moment."""

    spaces: Mapping[str, Status] = {}
    broken: Mapping[str, str] = {}  # spaces that cannot be opened, and the code of the error
    writable: bool = True
    free: int = LEAST_FREE
    settings: bool = True  # whether config.toml can be read
    runner: str = ""  # why nothing runs in the background; empty where something does
    silent: bool = False  # whether the store has not answered in time


class Sending:
    """Hands an answer on to the client, and knows how it went."""

    def __init__(self, send: Send) -> None:
        self._send, self._started = send, perf_counter()
        self.status = GONE  # until the answer begins

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        await self._send(message)

    @property
    def ms(self) -> float:
        return round(1e3 * (perf_counter() - self._started), 2)


class Metrics:
    """What a server counts, for Prometheus. Any thread may count."""

    def __init__(self) -> None:
        self.registry = every = prometheus.CollectorRegistry()
        by = ["operation", "status"]
        self._requests = prometheus.Counter(
            "loxodon_requests", "Requests answered.", by, registry=every
        )
        self._seconds = prometheus.Histogram(
            "loxodon_request_seconds", "What requests took.", by[:1], buckets=BOUNDS, registry=every
        )
        self.running = Gauge("loxodon_requests_running", "Being answered.", registry=every)

    def request(self, operation: str, answer: Sending) -> None:
        """One request that was answered."""
        self._requests.labels(operation, answer.status).inc()
        self._seconds.labels(operation).observe(answer.ms / 1e3)

    def text(self, look: Look | None = None, waiting: int = 0) -> str:
        """All of it in Prometheus' text format, with how the server stands now."""
        now = prometheus.CollectorRegistry()

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"loxodon_{name}", about, labels, registry=now)

        gauge("calls_waiting", "Calls that have not returned.").set(waiting)
        if look is not None:
            gauge("up", "Whether all is well.").set(not reasons(look))
            gauge("runner_up", "Whether something runs behind it.").set(not look.runner)
            gauge("disk_free_bytes", "Room on the disk of the home.").set(look.free)
            for name, (about, field) in _OF_SPACES.items():
                one = gauge(name, about, "space")
                for space, status in look.spaces.items():
                    value = getattr(status, field)
                    one.labels(space).set(value if isinstance(value, int) else bool(value))
            memories = gauge("memories", "Memories.", "space", "state")
            for space, status in look.spaces.items():
                memories.labels(space, "active").set(status.active)
                memories.labels(space, "archived").set(status.archived)
        return b"".join(map(prometheus.generate_latest, (self.registry, now))).decode()


def reasons(look: Look, language: str | None = None) -> list[Reason]:
    """Everything that somebody should see to; none where all is well."""
    full = not look.writable or look.free < LEAST_FREE
    spoilt = t("cannot read config.toml; using the previous settings", language)
    of_server = (
        (look.silent, "store", t("the store does not answer", language)),
        (full, "disk", t("the disk is full, or the home is not writable", language)),
        (not look.settings, "settings", spoilt),
        (look.runner, "runner", t("background jobs are not running", language)),
    )
    found = [Reason(code, "", said) for applies, code, said in of_server if applies]
    for space, code in look.broken.items():
        said = t("cannot open the space ({code})", language, code=code)
        found.append(Reason("store", space, said))
    for space, status in look.spaces.items():
        if status.stopped or (status.attempts and status.error):
            said = tn(
                "the last consolidation failed ({n} attempt)",
                "the last consolidation failed ({n} attempts)",
                status.attempts,
                language,
            )
            found.append(Reason("consolidation", space, said))
        elif status.failing:
            said = t("the last run of {jobs} failed", language, jobs=", ".join(status.failing))
            found.append(Reason("schedule", space, said))
    return found


class Watch:
    """Looks at a host now and then; whoever asks is told of the last look."""

    def __init__(self, host: Host, runner: Callable[[], str]) -> None:
        self._host, self._runner = host, runner
        self._last = Look()
        self._fresh_until = 0.0
        self._looking: asyncio.Future[None] | None = None
        self._asking: asyncio.Future[None] | None = None

    async def look(self) -> Look:
        """How the server stands. A store that does not answer keeps nobody waiting for long."""
        if monotonic() >= self._fresh_until:
            self._looking = await _within(self._looking, self._renew)
        silent = self._looking is not None and not _went_well(self._looking)
        return self._last._replace(runner=self._runner(), silent=silent)

    async def ready(self) -> bool:
        """Whether the store answers in time; one that hangs is asked by one call at most."""
        self._asking = await _within(self._asking, lambda: self._host.run(self._host.reach))
        return _went_well(self._asking)

    async def _renew(self) -> None:
        started = monotonic()
        try:
            self._last = await self._host.run(self._look)
        finally:
            now = monotonic()
            # Many spaces take long to look at: not more than a tenth of the time goes into it.
            self._fresh_until = now + max(KEPT_SECONDS, 10 * (now - started))

    def _look(self) -> Look:
        spaces: dict[str, Status] = {}
        broken: dict[str, str] = {}
        for space in self._host.spaces():
            try:
                with self._host.using(space, make=False) as memory:
                    spaces[space] = memory.status()
            except LoxodonError as error:
                broken[space] = error.code
        home = self._host.home
        free, writable = shutil.disk_usage(home).free, os.access(home, os.W_OK)
        return Look(spaces, broken, writable, free, self._host.trouble is None)


async def _within(
    running: asyncio.Future[None] | None, start: Callable[[], Awaitable[None]]
) -> asyncio.Future[None]:
    """Wait for what is running, or is started, but not for long."""
    work = running if running and not running.done() else asyncio.ensure_future(start())
    await asyncio.wait([work], timeout=WAIT_SECONDS)
    return work


def _went_well(work: asyncio.Future[None]) -> bool:
    return work.done() and work.exception() is None
