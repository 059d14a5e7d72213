"""When consolidation runs, that it runs once, and what a caller is told.

`phases.py` has what a run does.
"""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter as Tally
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from loxodon.config import Config
from loxodon.consolidate import passages
from loxodon.consolidate.attempt import Attempt
from loxodon.consolidate.keep import IsForgotten
from loxodon.consolidate.passages import Passage, Stack
from loxodon.consolidate.phases import PHASES, Consolidated, OnPhase, Run, TakenOverError
from loxodon.consolidate.reconcile import said_at
from loxodon.consolidate.residue import Asking, Hear, ModelAnswer, Residue
from loxodon.consolidate.schedule import MOST_ATTEMPTS, due
from loxodon.errors import BusyStoreError, ConsolidationError, InputError, UsageError
from loxodon.filelock import lock_at
from loxodon.layout import CONSOLIDATION_LOCK
from loxodon.models.reading import KnownMemory, believed, question
from loxodon.models.replies import UnfitError, record, value_of
from loxodon.store.store import Store
from loxodon.tokens import Counter
from loxodon.types import Record

_WAIT_SECONDS = 900.0  # How long a second run waits for the first before it gives up


class HandedOut(NamedTuple):
    """What waits, as a question for an agent that reads it in a model's place."""

    ticket: str  # names this question; it goes with the answer. Empty where nothing waits
    instructions: str = ""
    data: str = ""  # the messages, what is known, and what the rules read
    left: int = 0  # messages that wait beside these


class Consolidation:
    """Consolidation of one space."""

    def __init__(
        self,
        store: Store,
        folder: str,
        config: Config,
        zone: tzinfo | None,
        count: Counter,
        residue: Callable[[], Residue],
        embed: Callable[[], int],
        is_forgotten: IsForgotten | None = None,
    ) -> None:
        self._store = store
        self._folder = folder
        self._lock_path = os.path.join(folder, CONSOLIDATION_LOCK)
        self._config = config
        self._zone = zone
        self._count = count
        self._residue = residue
        self._embed = embed
        self._is_forgotten = is_forgotten

    def due(self, now: datetime) -> str:
        """Why a run is due: `daily`, `overdue`, `backlog` or `interrupted`; empty where none is."""
        work = self._store.worklog.work()
        if work.phase or work.attempts:  # one was begun, and did not succeed
            return "interrupted"
        pending = self._store.scalar("count_pending", work.done_to)
        return due(work.last_success, pending, now, self._config.schedule.daily, self._zone)

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
        return self._alone(phase is None, lambda: self._run(now, force, if_due, phase, on_phase))

    def flush(self, now: datetime, on_phase: OnPhase | None = None) -> Consolidated:
        """Make what was just said known; see `Run.flush`. Nothing pending is no run."""

        def work() -> Consolidated:
            at = self._store.worklog.work()
            if not at.phase and not self._store.scalar("count_pending", at.done_to):
                return Consolidated(False, "nothing is pending")
            return self._begin(now, on_phase, force=False).flush("flush")

        return self._alone(True, work)

    def week(self, now: datetime) -> Consolidated:
        """The weekly work; a run that was cut short is brought to its end instead."""

        def work() -> Consolidated:
            run = self._begin(now, None, force=False)
            return run.all("interrupted") if self._store.worklog.work().phase else run.week()

        return self._alone(False, work)

    def undecided(self, now: datetime) -> Consolidated:
        """Ask the model once more about what waits for it, where nothing else is in hand."""

        def work() -> Consolidated:
            if self._store.worklog.work().phase:
                return Consolidated(False, "not due")
            return self._begin(now, None, force=False).undecided()

        return self._alone(False, work)

    def hand_out(self, now: datetime) -> HandedOut:
        """What waits, for an agent to read."""
        run = self._begin(now, None, force=False)
        return hand_out(self._store, run.hear, thorough=self._thorough)

    def take_answer(self, now: datetime, ticket: str, answer: str) -> Consolidated:
        """What an agent has read of what was handed out to it becomes known."""

        def work() -> Consolidated:
            run = self._begin(now, None, force=False)
            if self._store.worklog.work().phase:
                return run.all("interrupted")  # it may have changed what waits
            asked, report = answered(self._store, run.hear, ticket, answer, thorough=self._thorough)
            return run.take_answer(asked)._replace(model=report)

        return self._alone(False, work)

    @property
    def _thorough(self) -> bool:
        return self._config.model.thorough

    def _alone(self, shared: bool, work: Callable[[], Consolidated]) -> Consolidated:
        """Do `work` while nobody else consolidates this space.

        Where `shared`, what another did meanwhile is not done again.
        """
        wanted = self._store.scalar("last_turn")
        is_mine = True
        while True:
            try:
                return self._locked(work, wanted if shared else None, is_mine)
            except TakenOverError:
                is_mine = False

    def _locked(
        self, work: Callable[[], Consolidated], wanted: int | None, is_mine: bool
    ) -> Consolidated:
        """Do `work` behind the lock; not where another run has done all up to the turn `wanted`."""
        lock = lock_at(self._lock_path)
        try:
            if not lock.acquire(0):
                is_mine = False
                if not lock.acquire(_WAIT_SECONDS):
                    raise BusyStoreError(
                        "timed out waiting for another consolidation of this space",
                        hint="see `loxodon status`; if that process hangs, it can be stopped "
                        "safely",
                    )
            try:
                done = self._store.worklog.work()
                succeeded = not done.phase and not done.attempts
                if not is_mine and wanted is not None and done.done_to >= wanted and succeeded:
                    return Consolidated(False, "another run did it")
                return work()
            finally:
                lock.release()
        finally:
            lock.close()

    def _begin(self, now: datetime, on_phase: OnPhase | None, force: bool) -> Run:
        work = self._store.worklog.work()
        if work.attempts >= MOST_ATTEMPTS and not force:
            raise ConsolidationError(
                "consolidation failed {n} times: {reason}",
                hint="retry with `loxodon consolidate --force`; no messages are lost",
                n=work.attempts,
                reason=work.error or "it was interrupted",
            )
        return Run(
            self._store,
            self._config,
            now,
            self._count,
            self._residue(),
            Attempt(self._folder),
            on_phase,
            self._embed,
            self._zone,
            self._is_forgotten,
        )

    def _run(
        self, now: datetime, force: bool, if_due: bool, phase: int | None, on_phase: OnPhase | None
    ) -> Consolidated:
        run = self._begin(now, on_phase, force)
        work = self._store.worklog.work()
        if phase is not None:
            self._check_phase(phase)
            return run.only(phase)
        reason = self.due(now)
        pending = self._store.scalar("count_pending", work.done_to)
        if not force and not reason and (if_due or not pending):
            return Consolidated(False, "not due" if pending else "nothing is pending")
        return run.all(reason or ("forced" if force else "asked for"))

    def _check_phase(self, phase: int) -> None:
        at = self._store.worklog.work().phase
        if phase > 4 or phase == at or (phase == 1 and not 1 < at <= 4):
            return
        raise UsageError(
            "cannot run phase {phase}: phase {at} is next",
            hint="run phases 1 to 4 in order, or all phases without --phase",
            phase=phase,
            at=at or 1,
        )


MOST_TOKENS = 4_000  # Of one question: an agent has other work in its window


def hand_out(store: Store, hear: Hear, *, thorough: bool) -> HandedOut:
    """A question about the most promising of what waits."""
    waiting = passages.waiting(store, (), thorough=thorough)
    groups = passages.by(lambda one: (one.turn.agent, one.language), waiting)
    if not groups:
        return HandedOut("")
    best = max(groups, key=lambda group: max(one.worth for one in group))
    chosen = sorted(best, key=lambda one: (-one.worth, one.no))
    _, fits = passages.that_fit(store, chosen, hear, MOST_TOKENS)
    some = sorted(chosen[: max(fits, 1)], key=lambda one: one.no)
    stack = passages.stack_of(store, some, hear)
    asked = question(stack.batch)
    pieces = [[one.no, *one.numbers] for one in stack.passages.values()]
    known = [one.id for one in stack.batch.known]
    told = json.dumps([pieces, known, _meant(stack)], separators=(",", ":"))
    ticket = urlsafe_b64encode(told.encode()).decode()
    return HandedOut(ticket, asked.system, asked.user, len(waiting) - len(some))


def answered(
    store: Store, hear: Hear, ticket: str, answer: str, *, thorough: bool
) -> tuple[ModelAnswer, Asking]:
    """What an answer changes, and a report; InputError where it cannot be used."""
    stack = _stack(store, hear, ticket, thorough)
    try:
        reading = believed(value_of(answer, record({})), stack.batch)
    except UnfitError as error:
        raise InputError(
            "the answer cannot be used: {reason}",
            hint="fix it and call again with the same ticket",
            reason=str(error),
        ) from None
    asked = passages.answered(store, stack, reading)
    did = passages.counted(asked, reading)
    # By the number of the message, so that the agent sees what to mend.
    refused = Tally(f"{number}: {reason}" for number, reason in reading.refused)
    return asked, Asking(1, len(stack.passages), len(reading.decided), did, dict(refused))


def _meant(stack: Stack) -> list[int | str]:
    return [one.id if isinstance(one, Record) else one for one in stack.hints]


def _stack(store: Store, hear: Hear, ticket: str, thorough: bool) -> Stack:
    """The question that a ticket names, as it was handed out."""
    pieces, ids, meant = _told(ticket)
    waiting = {one.no: one for one in passages.waiting(store, (), thorough=thorough)}
    some: list[Passage] = []
    for no, *numbers in pieces:
        one = waiting.get(no)
        if one is None or list(one.numbers) != numbers:
            raise _late()
        some.append(one)
    stack = passages.stack_of(store, some, hear)
    records = [store.get(id) for id in ids]
    known = [
        KnownMemory(one.id, one.content, one.valid_from or said_at(one))
        for one in records
        if one is not None
    ]
    if len(known) != len(ids) or _meant(stack) != meant:
        raise _late()
    return stack._replace(batch=stack.batch._replace(known=known))


def _told(ticket: str) -> tuple[list[list[int]], list[str], list[Any]]:
    try:
        pieces, ids, meant = json.loads(urlsafe_b64decode(ticket.encode()))
        good = all(isinstance(n, int) for one in pieces for n in one) and pieces
        good = good and all(isinstance(id, str) for id in ids) and isinstance(meant, list)
    except (ValueError, TypeError):
        good = False
    if not good:
        raise InputError(
            "this is not a valid ticket", hint="use the ticket that came with the question"
        )
    return pieces, ids, meant


def _late() -> InputError:
    return InputError(
        "the content of this ticket has changed since", hint="call again without a ticket"
    )
