"""When consolidation runs, that it runs once, and what a caller is told; `pipeline.py` has what a
run does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate import passages
from loxodon.consolidate.buffer import flush_due
from loxodon.consolidate.passages import Stack
from loxodon.consolidate.pipeline import PHASES, Consolidated, OnPhase, Run, TakenOverError
from loxodon.consolidate.residue import Asking, Residue
from loxodon.consolidate.schedule import MOST_ATTEMPTS, due
from loxodon.errors import BusyStoreError, ConsolidationError, InputError, UsageError
from loxodon.filelock import lock_at
from loxodon.guard import quarantine
from loxodon.layout import CONSOLIDATION_LOCK
from loxodon.models.chat import ModelQuestion
from loxodon.models.reading import believed, question
from loxodon.models.replies import UnfitError, record, value_of
from loxodon.types import Turn

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace

MOST_TOKENS = 4_000  # Of a question for an agent, which has other work in its window
_WAIT_SECONDS = 900.0  # How long a second run waits for the first before it gives up


class HandedOut(NamedTuple):
    """What waits, as a question for an agent that reads it in a model's place."""

    ticket: str  # names this question; it goes with the answer. Empty where nothing waits
    instructions: str = ""
    data: str = ""  # the messages, what is known, and what the rules read
    left: int = 0  # messages that wait beside these


def residue(space: OpenSpace) -> Residue:
    """What decides the cases that the rules could not: a model, if one is set."""
    model = space.config.model
    if model.mode == "rules":
        return Residue(thorough=model.thorough)
    from loxodon.consolidate.model_reading import ModelResidue

    return ModelResidue(space)


class Consolidation:
    """Consolidation of one space; `embed` is called at the end of a run."""

    def __init__(self, space: OpenSpace, embed: Callable[[], int]) -> None:
        self._space = space
        self._store = space.store
        self._embed = embed

    def due(self, now: datetime) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty where none is."""
        work = self._store.worklog.work()
        if work.phase or work.attempts:  # one was begun, and did not succeed
            return "interrupted"
        pending = self._store.scalar("count_pending", work.done_to)
        cron = self._space.config.schedule.daily
        return due(work.last_success, pending, now, cron, self._space.zone)

    def flush_due(self, began: datetime | None) -> str:
        """Why a flush is due; empty if it is not. See `buffer.flush_due`."""
        space, quiet = self._space, self._space.config.buffer.quiet
        with self._store.reading():
            return flush_due(self._store, space.count, space.now(), quiet, began)

    def run(
        self,
        now: datetime,
        *,
        force: bool,
        if_due: bool,
        phase: int | None,
        on_phase: OnPhase | None,
    ) -> Consolidated:
        """Consolidate what is pending. Two at once are one run: the second waits for the first."""
        if phase is not None and not 1 <= phase <= PHASES:
            raise UsageError(
                "unknown phase {phase}", hint="the phases are 1 to {last}", phase=phase, last=PHASES
            )

        def work() -> Consolidated:
            run = self._begin(now, force, on_phase)
            at = self._store.worklog.work()
            if phase is not None:
                if phase <= 4 and phase != at.phase and (phase > 1 or 1 < at.phase <= 4):
                    raise UsageError(
                        "cannot run phase {phase}: phase {at} is next",
                        hint="run phases 1 to 4 in order, or all phases without --phase",
                        phase=phase,
                        at=at.phase or 1,
                    )
                return run.only(phase)
            reason = self.due(now)
            pending = self._store.scalar("count_pending", at.done_to)
            if not force and not reason and (if_due or not pending):
                return Consolidated(False, "not due" if pending else "nothing is pending")
            return run.all(reason or ("forced" if force else "asked for"))

        return self._alone(work, shared=phase is None)

    def flush(self, now: datetime) -> Consolidated:
        """Make what was just said known; see `Run.flush`. Nothing pending is no run."""

        def work() -> Consolidated:
            at = self._store.worklog.work()
            if not at.phase and not self._store.scalar("count_pending", at.done_to):
                return Consolidated(False, "nothing is pending")
            return self._begin(now).flush()

        return self._alone(work, shared=True)

    def week(self, now: datetime) -> Consolidated:
        """The weekly work; a run that was cut short is brought to its end instead."""

        def work() -> Consolidated:
            run = self._begin(now)
            return run.all("interrupted") if self._store.worklog.work().phase else run.week()

        return self._alone(work)

    def undecided(self, now: datetime) -> Consolidated:
        """Ask the model once more about what waits for it, where nothing else is in hand."""

        def work() -> Consolidated:
            in_hand = self._store.worklog.work().phase
            return Consolidated(False, "not due") if in_hand else self._begin(now).decide()

        return self._alone(work)

    # An agent in a model's place

    def hand_out(self) -> HandedOut:
        """What waits, for an agent to read, without text that must not leave the memory."""
        from loxodon.models.prompts import cleaned

        found = self._question()
        if found is None:
            return HandedOut("")
        _, asked, left = found
        data = cleaned(asked.user, self._space.guard.clean)
        return HandedOut(_ticket(asked), asked.system, data, left)

    def take_answer(self, now: datetime, ticket: str, answer: str) -> Consolidated:
        """What an agent has read of what was handed out to it becomes known."""

        def work() -> Consolidated:
            run = self._begin(now)
            if self._store.worklog.work().phase:
                return run.all("interrupted")  # it may have changed what waits
            found = self._question()
            if found is None or _ticket(found[1]) != ticket:
                raise InputError(
                    "this ticket is not valid, or its content has changed since",
                    hint="call again without a ticket",
                )
            stack = found[0]
            try:
                reading = believed(value_of(answer, record({})), stack.batch)
            except UnfitError as error:
                raise InputError(
                    "the answer cannot be used: {reason}",
                    hint="fix it and call again with the same ticket",
                    reason=str(error),
                ) from None
            asked = passages.answered(self._store, stack, reading)
            did = passages.counted(asked, reading)
            # By the number of the message, so that the agent sees what to mend.
            refused = Counter(f"{number}: {reason}" for number, reason in reading.refused)
            report = Asking(1, len(stack.passages), len(reading.decided), did, dict(refused))
            return run.decide(asked)._replace(model=report)

        return self._alone(work)

    def _question(self) -> tuple[Stack, ModelQuestion, int] | None:
        """A question about the most promising of what waits, and how many messages are left."""

        def hear(turns: Sequence[Turn]) -> list[Turn]:
            return quarantine.read(self._store, turns)

        waiting = passages.waiting(self._store, (), thorough=self._space.config.model.thorough)
        groups = passages.by(lambda one: (one.turn.agent, one.language), waiting)
        if not groups:
            return None
        best = max(groups, key=lambda group: max(one.worth for one in group))
        chosen = sorted(best, key=lambda one: (-one.worth, one.no))
        _, fits = passages.that_fit(self._store, chosen, hear, MOST_TOKENS)
        some = sorted(chosen[: max(fits, 1)], key=lambda one: one.no)
        stack = passages.stack_of(self._store, some, hear)
        return stack, question(stack.batch), len(waiting) - len(some)

    # One at a time

    def _alone(self, work: Callable[[], Consolidated], shared: bool = False) -> Consolidated:
        """Do `work` while nobody else consolidates this space. Where `shared`, what another did
        meanwhile is not done again."""
        wanted = self._store.scalar("last_turn")
        waited = False
        while True:
            lock = lock_at(os.path.join(self._space.folder, CONSOLIDATION_LOCK))
            try:
                if not lock.acquire(0):
                    waited = True
                    if not lock.acquire(_WAIT_SECONDS):
                        raise BusyStoreError(
                            "timed out waiting for another consolidation of this space",
                            hint="see `loxodon status`; if that process hangs, it can be stopped "
                            "safely",
                        )
                done = self._store.worklog.work()
                succeeded = not done.phase and not done.attempts and done.done_to >= wanted
                if shared and waited and succeeded:
                    return Consolidated(False, "another run did it")
                return work()
            except TakenOverError:
                waited = True
            finally:
                lock.release()
                lock.close()

    def _begin(self, now: datetime, force: bool = False, on_phase: OnPhase | None = None) -> Run:
        work = self._store.worklog.work()
        if work.attempts >= MOST_ATTEMPTS and not force:
            raise ConsolidationError(
                "consolidation failed {n} times: {reason}",
                hint="retry with `loxodon consolidate --force`; no messages are lost",
                n=work.attempts,
                reason=work.error or "it was interrupted",
            )
        return Run(self._space, now, residue(self._space), self._embed, on_phase)


def _ticket(asked: ModelQuestion) -> str:
    """Names a question by its words: an answer is to what is asked now, or comes too late."""
    return sha256(f"{asked.system}\n{asked.user}".encode()).hexdigest()[:32]
