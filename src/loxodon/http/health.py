"""Whether all is well: what makes the health red, and why.

A look at the spaces costs a few reads each, so one is good for a while; what it means is decided by
a pure function.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import NamedTuple

from loxodon.errors import LoxodonError
from loxodon.http.host import Host
from loxodon.http.metrics import Gauge
from loxodon.http.operations import Reason
from loxodon.messages import t, tn
from loxodon.status import Status

KEPT_SECONDS = 5.0  # how long a look is good for
WAIT_SECONDS = 2.0  # how long whoever asks waits for a new one
LEAST_FREE = 32 << 20  # bytes below which a disk is as good as full


class Look(NamedTuple):
    """How a server stands at one moment."""

    spaces: Mapping[str, Status] = {}
    broken: Mapping[str, str] = {}
    """Spaces that cannot be opened, and the code of the error."""
    refused: Mapping[str, str] = {}
    """Spaces whose last write failed, and the code of the error."""
    writable: bool = True
    free: int = LEAST_FREE
    settings: str = ""
    """The code of the error in config.toml, where it has one."""
    runner: str = ""
    """Why nothing runs in the background; empty where something does."""
    silent: bool = False
    """Whether the store has not answered in time."""


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
            self._looking = await _within(WAIT_SECONDS, self._looking, self._renew)
        looking = self._looking
        silent = looking is not None and (not looking.done() or looking.exception() is not None)
        return self._last._replace(
            refused=dict(self._refused), runner=self._runner(), silent=silent
        )

    async def ready(self) -> bool:
        """Whether the store answers in time; one that hangs is asked by one call at most."""
        self._asking = await _within(
            WAIT_SECONDS, self._asking, lambda: self._host.run(self._host.reach)
        )
        return self._asking.done() and self._asking.exception() is None

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
        home, trouble = self._host.home, self._host.trouble
        return Look(
            spaces,
            broken,
            writable=os.access(home, os.W_OK),
            free=free_bytes(home),
            settings=trouble.code if trouble else "",
        )


async def _within(
    seconds: float, running: asyncio.Future[None] | None, start: Callable[[], Awaitable[None]]
) -> asyncio.Future[None]:
    """Wait for what is running, or is started, for so long at most."""
    work = running if running and not running.done() else asyncio.ensure_future(start())
    await asyncio.wait([work], timeout=seconds)
    return work


def free_bytes(path: str) -> int:
    """What a disk has room for; where nobody can say, enough."""
    try:
        found = os.statvfs(path)
    except (AttributeError, OSError):  # Windows has no such call
        return LEAST_FREE
    return found.f_bavail * found.f_frsize


def gauges(look: Look, waiting: int) -> list[Gauge]:
    """The look as numbers."""

    alone: dict[str, tuple[str, float]] = {
        "up": ("Whether all is well.", 0 if reasons(look) else 1),
        "runner_up": ("Whether something runs behind it.", 0 if look.runner else 1),
        "calls_waiting": ("Calls that have not returned.", waiting),
        "disk_free_bytes": ("Room on the disk of the home.", look.free),
    }
    of_spaces = {
        "turns": ("Turns in the journal.", "turns"),
        "paused": ("Whether it is paused.", "paused"),
        "pending_turns": ("Turns to be consolidated.", "pending"),
        "waiting_fragments": ("What waits for a model.", "waiting"),
        "reviews": ("Beliefs that wait for an answer.", "reviews"),
        "store_bytes": ("Bytes on disk.", "bytes"),
        "failed_consolidations": ("Failed consolidations since the last that did not.", "attempts"),
    }
    found = [Gauge(name, about, (), [((), value)]) for name, (about, value) in alone.items()]
    for name, (about, field) in of_spaces.items():
        values = {space: getattr(status, field) for space, status in look.spaces.items()}
        samples = [((s,), float(v if isinstance(v, int) else bool(v))) for s, v in values.items()]
        found.append(Gauge(name, about, ("space",), samples))
    memories = [
        ((space, state), float(getattr(status, state)))
        for space, status in look.spaces.items()
        for state in ("active", "archived")
    ]
    return [*found, Gauge("memories", "Memories.", ("space", "state"), memories)]
