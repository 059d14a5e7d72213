"""`loxodon schedule`: what runs by itself, what is next, what failed; or one of it now."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.messages import t, tn
from loxodon.types import Job, Ran, Record


def schedule(args: Namespace) -> Outcome:
    with opened(args) as memory:
        if args.run is not None:
            ran = memory.schedule.run(args.run)
            return Outcome(ran, lambda: _show_ran(ran))
        jobs, reminders = memory.schedule.jobs(), memory.due_reminders()
    data = {"jobs": jobs, "reminders": reminders}
    return Outcome(data, lambda: _show(jobs, reminders))


def _show_ran(ran: Ran) -> None:
    did = _did(ran.counts) or t("nothing to do")
    print(t("{job} ran in {seconds} s: {did}", job=ran.job, seconds=f"{ran.seconds:.2f}", did=did))


def _show(jobs: list[Job], reminders: list[Record]) -> None:
    headings = (
        (t("job"), False),
        (t("when"), False),
        (t("last"), False),
        (t("next"), False),
        (t("what it did"), True),
    )
    view.table(headings, [_row(job) for job in jobs])
    for job in jobs:
        if job.failures:
            print(view.paint(view.safe(_failure(job)), "red"))
    if reminders:
        print(t("overdue:"))
    for one in reminders:
        due = view.minute(one.due_at) if one.due_at else ""
        print(view.safe(f"  {one.id}  {due}  {one.content}"))
    if reminders:
        print(t("mark it as done with `loxodon edit ID --done yes`"))


def _row(job: Job) -> tuple[str, ...]:
    when = job.when or (t("when idle") if job.name == "flush" else t("off"))
    return (job.name, when, _last(job), _next(job), _did(job.counts))


def _last(job: Job) -> str:
    if job.last_at is None:
        return t("never")
    return f"{view.minute(job.last_at)} ({job.seconds:.1f} s)"


def _next(job: Job) -> str:
    if job.due:
        return t("now")
    return _time(job.next_at)


def _time(at: datetime | None) -> str:
    return view.minute(at) if at else "–"


def _failure(job: Job) -> str:
    return tn(
        "{job} failed {n} time, last on {at}: {reason}",
        "{job} failed {n} times, last on {at}: {reason}",
        job.failures,
        job=job.name,
        at=view.minute(job.failed_at),
        reason=job.error,
    )


def _did(counts: Mapping[str, int]) -> str:
    from loxodon.cli.knowledge import counted

    names = {
        **counted(),
        "turns": t("turns"),
        "profiles": t("profiles updated"),
        "reminders": t("past due"),
        "asked": t("asked about"),
        "decided": t("decided by the model"),
        "snapshots": t("snapshots"),
        "indexed": t("indexed"),
        "backups": t("backups"),
    }
    return ", ".join(f"{names.get(name, name)} {n}" for name, n in counts.items() if n)
