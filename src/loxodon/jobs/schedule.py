"""The work of the background of one space: what is due, and doing it.

    flush       what was just said becomes known, after quiet or much talk
    daily       consolidation, all seven phases
    weekly      compression: what is said twice, what was only for the moment
    profile     a new profile
    heartbeat   see `heartbeat.py`
    backup      of the space, into the folder that is set

What was done before is read from what it left (when consolidation last succeeded, of when the
profile is), so that it does not matter who did it. How a run went is kept in the store.
`jobs/runner.py` calls this for every space of a home.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from loxodon.consolidate.schedule import CRON, MOST_ATTEMPTS, has_come, next_time, retry_at
from loxodon.errors import LoxodonError, StoreError, UnreachableStoreError, UsageError
from loxodon.messages import LANGUAGES
from loxodon.store import JobRuns, clock_check
from loxodon.store.store import Store
from loxodon.types import NOTHING
from loxodon.verbs import verb

if TYPE_CHECKING:
    from loxodon.consolidate.consolidation import Consolidation
    from loxodon.consolidate.pipeline import Consolidated
    from loxodon.memory import Memory

# In the order in which they are done
JOBS = ("flush", "daily", "weekly", "profile", "heartbeat", "backup")
_AFTER_KILLS = timedelta(hours=1)
_LONGEST = 1800.0
_SHORTEST = 1.0


class Job(NamedTuple):
    name: str  # `flush`, `daily`, `weekly`, `profile` or `heartbeat`
    when: str  # a cron expression; empty for never, and for a flush, which follows what is said
    due: bool
    next_at: datetime | None
    last_at: datetime | None = None
    seconds: float = 0.0  # what the last run took
    counts: Mapping[str, int] = NOTHING  # what the last that succeeded did
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""  # why it failed then, in English
    failures: int = 0  # runs that failed since the last that succeeded: more than none is trouble
    runs: int = 0


class Ran(NamedTuple):
    job: str
    at: datetime
    seconds: float
    counts: Mapping[str, int] = NOTHING
    error: str = ""


class Schedule:
    """See the module. Made by `Memory.schedule`."""

    def __init__(
        self,
        memory: Memory,
        store: Store,
        zone: tzinfo | None,
        consolidation: Callable[[], Consolidation],
    ) -> None:
        self._memory = memory
        self._store = store
        self._zone = zone
        self._consolidation = consolidation

    @verb("GET /schedule", name="schedule")
    def jobs(self) -> list[Job]:
        """List the background jobs: when they are due, and how they last went."""
        now = self._memory.now()
        with self._store.reading():
            runs = self._runs()
            ripe = self._ripe(now, runs)
            return [self._job(name, name in ripe, now, runs.get(name)) for name in JOBS]

    @verb()
    def due(self, began: datetime | None = None) -> list[str]:
        """The names of the jobs that should run now, in order.

        What was said before `began`, when whoever asks took over, does not wait for quiet.
        """
        with self._store.reading():
            now, runs = self._memory.now(), self._runs()
            ripe = self._ripe(now, runs, began)
            return [name for name in ripe if not again_at(runs.get(name), now)]

    @verb(access="owner", audit="works")
    def run_due(self, began: datetime | None = None) -> list[Ran]:
        """Run what is `due`. What fails is kept as such; the rest runs. A database that cannot be
        reached is an UnreachableStoreError.

        A job whose run found nothing to do is not among those returned.
        """
        found: list[Ran] = []
        for name in self.due(began):
            if found and name not in self.due(began):
                continue  # the nightly run has done what was due of the week
            ran = self._run(name, asked=False)
            found += [ran] if ran else []
        return found

    @verb("POST /schedule/{job}", access="owner", audit="works", name="run_job", long=True)
    def run(self, name: str) -> Ran:
        """Run a background job now."""
        if name not in JOBS:
            raise UsageError(
                "unknown job {name}",
                hint="the jobs are {names}",
                name=repr(name),
                names=", ".join(JOBS),
            )
        return self._run(name, asked=True) or Ran(name, self._memory.now(), 0.0)

    @verb()
    def failing(self) -> tuple[str, ...]:
        """The names of the jobs whose last run failed."""
        return tuple(name for name, runs in self._runs().items() if runs.failures)

    @verb()
    def waiting(self) -> int:
        """Messages that nothing was learned from yet."""
        with self._store.reading():
            return int(self._store.scalar("count_pending", self._store.worklog.work().done_to))

    @verb()
    def wait(self) -> float:
        """Seconds until something could be due, if nothing is said until then."""
        now = self._memory.now()
        waits = [(job.next_at - now).total_seconds() for job in self.jobs() if job.next_at]
        return min(_LONGEST, max(_SHORTEST, min(waits, default=_LONGEST)))

    # What is due

    def _runs(self) -> dict[str, JobRuns]:
        """How each job went; what somebody else has done since is no longer failing."""
        done = self._done()
        found = {
            one.name: _by_others(one, done.get(one.name))
            for one in self._store.query_as(JobRuns, "jobs")
        }
        flush, whole = found.get("flush"), done["daily"]
        if flush is not None and whole is not None and whole > flush.last_at:
            found["flush"] = flush._replace(failures=0)  # which took up what was said too
        return found

    def _ripe(
        self, now: datetime, runs: Mapping[str, JobRuns], began: datetime | None = None
    ) -> list[str]:
        """What should be done now, also where it has just failed."""
        found = []
        work = self._store.worklog.work()
        due, flush_due = self._consolidation().due(now), self._memory.flush_due(began)
        first = due == "daily" and work.last_success is None
        if due and (flush_due or not first):  # the very first also waits for quiet
            found.append("daily")  # which takes up what was just said too
        elif flush_due:
            found.append("flush")
        believed = clock_check.doubted_until(self._store, now) is None
        if work.last_success is not None and believed:  # there is something to work on
            done = self._done()
            found += [one for one in ("weekly", "profile") if self._has_come(one, done[one], now)]
        last = {name: one.succeeded_at for name, one in runs.items()}
        own = [one for one in ("heartbeat", "backup") if self._has_come(one, last.get(one), now)]
        return found + own

    def _has_come(self, name: str, last: datetime | None, now: datetime) -> bool:
        return has_come(self._cron(name), last, now, self._zone)

    def _cron(self, name: str) -> str:
        settings = self._memory.config.schedule
        return str(getattr(settings, name, settings.daily and CRON.get(name, "")))

    def _job(self, name: str, ripe: bool, now: datetime, runs: JobRuns | None) -> Job:
        cron = self._cron(name)
        at = self._flush_at(now) if name == "flush" else next_time(cron, now, self._zone)
        if ripe:
            at = again_at(runs, now) or now
        job = Job(name, cron, ripe and at == now, at)
        if runs is not None:
            return job._replace(**runs._asdict())
        done = self._done().get(name)  # it was only ever done by somebody else
        return job._replace(last_at=done, succeeded_at=done)

    def _done(self) -> dict[str, datetime | None]:
        """When work that leaves a date was last done, whoever did it."""
        from loxodon.consolidate.pages import PROFILE

        work, page = self._store.worklog.work(), self._store.worklog.page(PROFILE, LANGUAGES[0])
        return {
            "daily": work.last_success,
            "weekly": work.weekly_at,
            "profile": page[2] if page else None,
        }

    def _flush_at(self, now: datetime) -> datetime | None:
        """When what was just said will be made known, if nothing more is said."""
        if not self.waiting():
            return None
        last = self._store.scalar("last_turn")
        turns = self._store.query_turns("turns_after", last - 1, last, -1)
        quiet = timedelta(seconds=self._memory.config.schedule.quiet)
        at = turns[0].at + quiet if turns else now
        return min(max(at, now), now + quiet)

    # Doing it

    def _run(self, name: str, asked: bool) -> Ran | None:
        """One run, and how it went; None where there was nothing to do."""
        at, started = self._memory.now(), perf_counter()
        try:
            counts = self._do(name, asked)
        except UnreachableStoreError:  # the database is away: that is no failure of the job
            raise
        except Exception as error:  # whatever goes wrong here must not end what runs in its turn
            text = error.localized("en")[0] if isinstance(error, LoxodonError) else repr(error)
            failed = Ran(name, at, round(perf_counter() - started, 3), {}, text[:500])
            with suppress(StoreError):  # a full disk has no room for this either
                self._keep(failed)
            if asked:
                raise
            return failed
        if counts is None:
            return None
        ran = Ran(name, at, round(perf_counter() - started, 3), counts)
        self._keep(ran)
        return ran

    def _do(self, name: str, asked: bool) -> Mapping[str, int] | None:
        now = self._memory.now()
        if name == "flush":
            return _counts(self._memory.flush())
        if name == "daily":
            force = asked or self._only_cut_short(now)
            return _counts(self._memory.consolidate(force=force, if_due=not asked))
        if name == "weekly":
            done = self._consolidation().week(now)
            self._renew_views()
            return _counts(done)
        if name == "profile":
            self._memory.profile(refresh=True)
            self._renew_views()
            return {"profiles": len(LANGUAGES)}
        if name == "backup":
            self._memory.backup()
            return {"backups": 1}
        return self._beat(now)

    def _only_cut_short(self, now: datetime) -> bool:
        """Whether consolidation has stopped for kills alone, none of late.

        A run that fails waits for somebody to look. One that was killed says nothing against the
        next, unless it is what it does that kills: so an hour lies between.
        """
        work = self._store.worklog.work()
        if work.attempts < MOST_ATTEMPTS or work.error:
            return False
        return work.last_run is None or abs(now - work.last_run) >= _AFTER_KILLS

    def _renew_views(self) -> None:
        if self._memory.workspace.has_views:
            self._memory.workspace.renew()

    def _beat(self, now: datetime) -> Mapping[str, int]:
        from loxodon.jobs import heartbeat

        last = self._runs().get("heartbeat")
        counts = heartbeat.look(self._store, now, last.succeeded_at if last else None)
        if counts["waiting"] and self._memory.config.model.mode != "rules":
            done = self._consolidation().undecided(now)
            counts["waiting"] = self._store.scalar("count_fragments", "waiting")
            counts["decided"] += done.counts.get("added", 0)
        return {name: n for name, n in sorted(counts.items()) if n}

    def _keep(self, ran: Ran) -> None:
        with self._store.writing():
            known = {one.name: one for one in self._store.query_as(JobRuns, "jobs")}
            self._store.execute("put_job", *after(known.get(ran.job), ran))


def after(before: JobRuns | None, ran: Ran) -> JobRuns:
    """What is known of a job once it has run again."""
    last = before or JobRuns(ran.job, ran.at, 0.0, {}, runs=0)
    last = last._replace(last_at=ran.at, seconds=ran.seconds, runs=last.runs + 1)
    if ran.error:
        return last._replace(failed_at=ran.at, error=ran.error, failures=last.failures + 1)
    return last._replace(succeeded_at=ran.at, counts=ran.counts, failures=0)


def again_at(runs: JobRuns | None, now: datetime) -> datetime | None:
    """When a job that has just failed is tried again; None for now."""
    return retry_at(runs.failed_at, runs.failures, now) if runs is not None else None


def _by_others(runs: JobRuns, done: datetime | None) -> JobRuns:
    """A job that was done after we last ran it, by whoever it was."""
    if done is None or done <= runs.last_at + timedelta(seconds=runs.seconds):
        return runs
    return runs._replace(last_at=done, succeeded_at=done, seconds=0.0, counts={}, failures=0)


def _counts(done: Consolidated) -> Mapping[str, int] | None:
    return {"turns": done.turns, **done.counts} if done.ran else None
