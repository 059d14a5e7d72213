"""How a server is: what was asked and how long it took, and whether all is well, and if not, why.

A look at the spaces costs a few reads each, so one is good for a while.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter as Counted
from collections.abc import Awaitable, Callable, Iterable, Mapping
from time import monotonic
from typing import NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from loxodon.errors import LoxodonError
from loxodon.http.host import Host
from loxodon.http.operations import Figures, Reason
from loxodon.messages import t, tn
from loxodon.status import Status

disable_created_metrics()  # type: ignore[no-untyped-call]
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
COUNTED = {
    "turns_added": "Turns that the journal did not have.",
    "memories_captured": "Memories that were captured.",
}
_OF_SPACES = {
    "turns": ("Turns in the journal.", "turns"),
    "paused": ("Whether it is paused.", "paused"),
    "pending_turns": ("Turns to be consolidated.", "pending"),
    "waiting_fragments": ("What waits for a model.", "waiting"),
    "reviews": ("Beliefs that wait for an answer.", "reviews"),
    "store_bytes": ("Bytes on disk.", "bytes"),
    "failed_consolidations": ("Failed consolidations since the last that did not.", "attempts"),
}
"""What is told of each space: its description, and the field of its status."""
KEPT_SECONDS = 5.0  # how long a look is good for
WAIT_SECONDS = 2.0  # how long whoever asks waits for a new one
LEAST_FREE = 32 << 20  # bytes below which a disk is as good as full


class Metrics:
    """What a server counts, for Prometheus. Any thread may count."""

    def __init__(
        self, counted: Mapping[str, str] = COUNTED, label: str = "", values: Iterable[str] = ()
    ) -> None:
        """`counted` is what is counted besides requests, by the `values` of a `label` if given."""
        self._registry = every = CollectorRegistry()
        self._requests = Counter(
            "loxodon_requests", "Requests answered.", ["operation", "status"], registry=every
        )
        self._seconds = Histogram(
            "loxodon_request_seconds",
            "What requests took.",
            ["operation"],
            buckets=BOUNDS,
            registry=every,
        )
        self.running = Gauge("loxodon_requests_running", "Being answered.", registry=every)
        names = [label] if label else []
        self._counted = {
            name: Counter(f"loxodon_{name}", about, names, registry=every)
            for name, about in counted.items()
        }
        for value in values:
            for counter in self._counted.values():
                counter.labels(value)  # so that it is there with 0

    def request(self, operation: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        self._requests.labels(operation, status).inc()
        self._seconds.labels(operation).observe(seconds)

    def count(self, what: str, number: int = 1, value: str = "") -> None:
        """So many more of `what`, under that value of its label."""
        counter = self._counted[what]
        (counter.labels(value) if value else counter).inc(number)

    def figures(self) -> dict[str, Figures]:
        """What requests took since the server started, by operation."""
        failed: Counted[str] = Counted()
        buckets: dict[str, list[tuple[float, float]]] = {}
        seconds: dict[str, float] = {}
        for sample in (one for metric in self._registry.collect() for one in metric.samples):
            name = sample.labels.get("operation", "")
            if sample.name == "loxodon_requests_total" and sample.labels["status"] >= "400":
                failed[name] += int(sample.value)
            elif sample.name == "loxodon_request_seconds_bucket":
                bound = min(float(sample.labels["le"]), BOUNDS[-1])
                buckets.setdefault(name, []).append((bound, sample.value))
            elif sample.name == "loxodon_request_seconds_sum":
                seconds[name] = sample.value
        found = {}
        for name, counts in sorted(buckets.items()):
            n = counts[-1][1]
            middle, most = (next(b for b, seen in counts if seen >= x * n) for x in (0.5, 0.95))
            times = (round(1e3 * one, 2) for one in (seconds[name] / n, middle, most))
            found[name] = Figures(int(n), failed[name], *times)
        return found

    def text(self, look: Look | None = None, waiting: int = 0) -> bytes:
        """All of it in Prometheus' text format, with how the server stands now."""
        now = CollectorRegistry()

        def gauge(name: str, about: str, value: float) -> None:
            Gauge(f"loxodon_{name}", about, registry=now).set(value)

        gauge("calls_waiting", "Calls that have not returned.", waiting)
        if look is not None:
            gauge("up", "Whether all is well.", not reasons(look))
            gauge("runner_up", "Whether something runs behind it.", not look.runner)
            gauge("disk_free_bytes", "Room on the disk of the home.", look.free)
            for name, (about, field) in _OF_SPACES.items():
                one = Gauge(f"loxodon_{name}", about, ["space"], registry=now)
                for space, status in look.spaces.items():
                    value = getattr(status, field)
                    one.labels(space).set(value if isinstance(value, int) else bool(value))
            one = Gauge("loxodon_memories", "Memories.", ["space", "state"], registry=now)
            for space, status in look.spaces.items():
                one.labels(space, "active").set(status.active)
                one.labels(space, "archived").set(status.archived)
        return generate_latest(self._registry) + generate_latest(now)


class Look(NamedTuple):
    """How a server stands at one moment."""

    spaces: Mapping[str, Status] = {}
    broken: Mapping[str, str] = {}  # spaces that cannot be opened, and the code of the error
    refused: Mapping[str, str] = {}  # spaces whose last write failed, and the code of the error
    writable: bool = True
    free: int = LEAST_FREE
    settings: str = ""  # the code of the error in config.toml, where it has one
    runner: str = ""  # why nothing runs in the background; empty where something does
    silent: bool = False  # whether the store has not answered in time


def reasons(look: Look, language: str | None = None) -> list[Reason]:
    """Everything that somebody should see to; none where all is well."""
    found = []
    if look.silent:
        found.append(Reason("store", "", t("the store does not answer", language)))
    if not look.writable or look.free < LEAST_FREE:
        said = t("the disk is full, or the home is not writable", language)
        found.append(Reason("disk", "", said))
    if look.settings:
        said = t("cannot read config.toml; using the previous settings", language)
        found.append(Reason("settings", "", said))
    if look.runner:
        found.append(Reason("runner", "", t("background jobs are not running", language)))
    for space, code in look.broken.items():
        said = t("cannot open the space ({code})", language, code=code)
        found.append(Reason("store", space, said))
    for space, code in look.refused.items():
        said = t("the last write failed ({code})", language, code=code)
        found.append(Reason("ingestion", space, said))
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
        self._host = host
        self._runner = runner
        self._refused: dict[str, str] = {}
        self._last = Look()
        self._fresh_until = 0.0
        self._looking: asyncio.Future[None] | None = None
        self._asking: asyncio.Future[None] | None = None

    def wrote(self, space: str, error: LoxodonError | None) -> None:
        """A write to a space went well, or failed."""
        self._refused.pop(space, None)
        if error is not None:
            self._refused[space] = error.code

    async def look(self) -> Look:
        """How the server stands. A store that does not answer keeps nobody waiting for long."""
        if monotonic() >= self._fresh_until:
            self._looking = await _within(self._looking, self._renew)
        silent = self._looking is not None and not _went_well(self._looking)
        return self._last._replace(
            refused=dict(self._refused), runner=self._runner(), silent=silent
        )

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
        home, trouble, free = self._host.home, self._host.trouble, LEAST_FREE
        if hasattr(os, "statvfs"):  # which Windows has not
            disk = os.statvfs(home)
            free = disk.f_bavail * disk.f_frsize
        code = trouble.code if trouble else ""
        return Look(spaces, broken, {}, os.access(home, os.W_OK), free, code)


async def _within(
    running: asyncio.Future[None] | None, start: Callable[[], Awaitable[None]]
) -> asyncio.Future[None]:
    """Wait for what is running, or is started, but not for long."""
    work = running if running and not running.done() else asyncio.ensure_future(start())
    await asyncio.wait([work], timeout=WAIT_SECONDS)
    return work


def _went_well(work: asyncio.Future[None]) -> bool:
    return work.done() and work.exception() is None
