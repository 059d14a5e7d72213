"""When consolidation runs, that it runs once, and what a caller is told; `pipeline.py` has what a
run does."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from loxodon.consolidate.pipeline import PHASES, Consolidated, OnPhase, Run, TakenOverError
from loxodon.consolidate.schedule import has_come
from loxodon.errors import BusyStoreError, UsageError
from loxodon.filelock import lock_at
from loxodon.layout import CONSOLIDATION_LOCK
from loxodon.types import CAPTURED

if TYPE_CHECKING:
    from loxodon.consolidate.model_reading import ModelReader
    from loxodon.opening import OpenSpace

_BACKLOG = 100  # Turns that nobody has looked at, above which a run does not wait for the night
_MOST = 500  # Turns that are counted; that many are worth a flush whatever they say
_WAIT_SECONDS = 900.0  # How long a second run waits for the first before it gives up


def model_reader(space: OpenSpace) -> ModelReader | None:
    """What decides the cases that the rules could not, if a model is set."""
    if space.config.model.mode == "rules":
        return None
    from loxodon.consolidate.model_reading import ModelReader

    return ModelReader(space)


class Consolidation:
    """Consolidation of one space; `embed` is called at the end of a run."""

    def __init__(self, space: OpenSpace, embed: Callable[[], int]) -> None:
        self._space, self._store, self._embed = space, space.store, embed

    def due(self, now: datetime) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty where none is."""
        work = self._store.worklog.work()
        if work.phase or work.attempts:  # one was begun, and did not succeed
            return "interrupted"
        when, pending, last = self._space.config.schedule, self._pending(), work.last_success
        if not when.daily:
            return ""
        if pending > _BACKLOG:
            return "backlog"
        now = now.astimezone(UTC)  # two times of one zone would be compared by the wall's clock
        if last is None or last > now:  # a clock that went back does not say how long ago it was
            return "daily" if pending else ""
        if now - last > timedelta(hours=when.overdue):
            return "overdue"
        return "daily" if has_come(when.daily, last, now, self._space.zone) else ""

    def flush_due(self, began: datetime | None) -> str:
        """Why what was said should be taken up now: `tokens`, `quiet` or `over`."""
        space, store, when = self._space, self._store, self._space.config.schedule
        with store.reading():
            done_to, last = store.worklog.work().done_to, store.scalar("last_turn")
            turns = store.query_turns("turns_after", done_to, last, _MOST)
        said = [one for one in turns if one.channel != CAPTURED]
        if not said:  # but some may have to be read again
            return "quiet" if self._pending() else ""
        if began is not None and said[0].at < began:
            return "over"
        if len(turns) == _MOST or sum(space.count(one.content) for one in turns) >= when.buffer:
            return "tokens"
        waited = abs((space.now() - turns[-1].at).total_seconds())
        return "quiet" if waited >= when.quiet else ""

    def run(
        self, now: datetime, *, force: bool, if_due: bool, phase: int | None, on_phase: OnPhase
    ) -> Consolidated:
        """Consolidate what is pending. Two at once are one run: the second waits for the first."""
        if phase is not None and not 1 <= phase <= PHASES:
            hint = "the phases are 1 to {last}"
            raise UsageError("unknown phase {phase}", hint=hint, phase=phase, last=PHASES)

        def work(run: Run) -> Consolidated:
            if phase is not None:
                return run.only(phase)
            reason, pending = self.due(now), self._pending()
            if not force and not reason and (if_due or not pending):
                return Consolidated(False, "not due" if pending else "nothing is pending")
            return run.all(reason or ("forced" if force else "asked for"))

        return self._alone(now, work, shared=phase is None, force=force, on_phase=on_phase)

    def flush(self, now: datetime) -> Consolidated:
        """Make what was just said known."""
        return self._alone(now, Run.flush, shared=True)

    def week(self, now: datetime) -> Consolidated:
        """What is pending, and the weekly work."""
        return self._alone(now, lambda run: run.all("weekly"))

    def undecided(self, now: datetime) -> Consolidated:
        """Ask the model once more about what waits for it."""
        return self._alone(now, Run.decide)

    def _pending(self) -> int:
        return int(self._store.scalar("count_pending", self._store.worklog.work().done_to))

    def _alone(
        self, now: datetime, work: Callable[[Run], Consolidated], shared: bool = False, **how: Any
    ) -> Consolidated:
        """Do `work` while nobody else consolidates this space."""
        wanted, waited = self._store.scalar("last_turn"), False
        while True:
            lock = lock_at(os.path.join(self._space.folder, CONSOLIDATION_LOCK))
            try:
                if not lock.acquire(0):
                    waited = True
                    if not lock.acquire(_WAIT_SECONDS):
                        message = "timed out waiting for another consolidation of this space"
                        hint = (
                            "see `loxodon status`; if that process hangs, it can be stopped safely"
                        )
                        raise BusyStoreError(message, hint=hint)
                done = self._store.worklog.work()
                succeeded = not done.phase and not done.attempts and done.done_to >= wanted
                if shared and waited and succeeded:
                    return Consolidated(False, "another run did it")
                return work(Run(self._space, now, model_reader(self._space), self._embed, **how))
            except TakenOverError:
                waited = True
            finally:
                lock.release()
                lock.close()
