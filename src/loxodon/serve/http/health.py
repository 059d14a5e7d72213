"""Whether all is well: what makes the health red, and why.

A look at the spaces costs a few reads each, so it is kept for some seconds; what it means is
decided by a pure function.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from time import monotonic
from typing import NamedTuple

from loxodon.errors import LoxodonError
from loxodon.messages import t
from loxodon.serve.host import MOST_OPEN, Host
from loxodon.serve.http.metrics import Gauge, Sample
from loxodon.status import Status

KEPT_SECONDS = 5.0
PATIENCE = 3_600.0
"""Seconds that something may be due before nobody seems to do it."""
LEAST_FREE = 32 << 20
"""Bytes below which a disk is as good as full."""


class Look(NamedTuple):
    """How a server stands at one moment."""

    spaces: Mapping[str, Status]
    broken: Mapping[str, str]
    """Spaces that cannot be opened, and the code of the error."""
    refused: Mapping[str, str]
    """Spaces whose last write failed, and the code of the error."""
    due_for: Mapping[str, float]
    """Seconds for which a consolidation has been due."""
    writable: bool = True
    free: int = LEAST_FREE
    settings: str = ""
    """The code of the error in config.toml, where it has one."""
    runner: str = ""
    """Why nothing runs in the background; empty where something does."""


class Reason(NamedTuple):
    """Why the health is red."""

    code: str
    space: str
    message: str


def reasons(look: Look, language: str | None = None) -> list[Reason]:
    """Everything that somebody should see to; none where all is well."""
    found = []
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
            said = t("the last consolidation failed ({n} attempts)", language, n=status.attempts)
            found.append(Reason("consolidation", space, said))
        elif status.failing:
            said = t("the last run of {jobs} failed", language, jobs=", ".join(status.failing))
            found.append(Reason("schedule", space, said))
        elif status.pending and not status.paused and look.due_for.get(space, 0.0) > PATIENCE:
            said = t(
                "{n} turns are waiting for consolidation, but no background job is running",
                language,
                n=status.pending,
            )
            found.append(Reason("backlog", space, said))
    return found


def paused(look: Look) -> list[str]:
    """The spaces in which nothing is kept now, because their owner wants it so: no fault."""
    return [space for space, status in look.spaces.items() if status.paused]


class Watch:
    """Looks at a host, at most every few seconds."""

    def __init__(self, host: Host, runner: Callable[[], str]) -> None:
        self._host = host
        self._runner = runner
        self._refused: dict[str, str] = {}
        self._due_since: dict[str, float] = {}
        self._kept: tuple[float, Look] | None = None

    def wrote(self, space: str, error: LoxodonError | None) -> None:
        """A write to a space went well, or failed."""
        if error is not None:
            self._refused[space] = error.code
        elif space in self._refused:
            del self._refused[space]

    async def look(self) -> Look:
        """How the server stands, as of a few seconds ago at most."""
        now = monotonic()
        if self._kept is None or now - self._kept[0] > KEPT_SECONDS:
            self._kept = (now, await self._host.run(self._look))
        return self._kept[1]._replace(refused=dict(self._refused), runner=self._runner())

    def _look(self) -> Look:
        home = self._host.home
        spaces: dict[str, Status] = {}
        broken: dict[str, str] = {}
        for space in self._host.spaces()[:MOST_OPEN]:
            try:
                with self._host.using(space, make=False) as memory:
                    spaces[space] = memory.status()
            except LoxodonError as error:
                broken[space] = error.code
        trouble = self._host.trouble
        return Look(
            spaces,
            broken,
            {},
            self._due_for(spaces),
            os.access(home, os.W_OK),
            free_bytes(home),
            trouble.code if trouble else "",
        )

    def _due_for(self, spaces: Mapping[str, Status]) -> dict[str, float]:
        now = monotonic()
        due = [space for space, status in spaces.items() if status.due]
        self._due_since = {space: self._due_since.get(space, now) for space in due}
        return {space: now - since for space, since in self._due_since.items()}


def free_bytes(path: str) -> int:
    """What a disk has room for; where nobody can say, enough."""
    if not hasattr(os, "statvfs"):
        return LEAST_FREE
    try:
        found = os.statvfs(path)
    except OSError:
        return LEAST_FREE
    return found.f_bavail * found.f_frsize


def gauges(look: Look, waiting: int) -> list[Gauge]:
    """The look as numbers."""

    def each(value: Callable[[Status], float]) -> list[Sample]:
        return [("", (("space", space),), value(one)) for space, one in look.spaces.items()]

    def one(value: float) -> list[Sample]:
        return [("", (), value)]

    memories: list[Sample] = [
        ("", (("space", space), ("state", state)), getattr(status, state))
        for space, status in look.spaces.items()
        for state in ("active", "archived")
    ]
    return [
        Gauge("up", "Whether all is well.", one(0 if reasons(look) else 1)),
        Gauge("runner_up", "Whether something runs behind it.", one(0 if look.runner else 1)),
        Gauge("calls_waiting", "Calls that have not returned.", one(waiting)),
        Gauge("disk_free_bytes", "Room on the disk of the home.", one(look.free)),
        Gauge("turns", "Turns in the journal.", each(lambda one: one.turns)),
        Gauge("memories", "Memories.", memories),
        Gauge("paused", "Whether it is paused.", each(lambda one: 1 if one.paused else 0)),
        Gauge("pending_turns", "Turns to be consolidated.", each(lambda one: one.pending)),
        Gauge("waiting_fragments", "What waits for a model.", each(lambda one: one.waiting)),
        Gauge("reviews", "Beliefs that wait for an answer.", each(lambda one: one.reviews)),
        Gauge("store_bytes", "Bytes on disk.", each(lambda one: one.bytes)),
        Gauge(
            "failed_consolidations",
            "Consolidations that did not finish since the last that did.",
            each(lambda one: one.attempts),
        ),
    ]
