"""Commands about learning and forgetting: consolidation, what needs an answer, background jobs."""

from __future__ import annotations

import re
from typing import Any

from loxodon.cli import view
from loxodon.cli.call import Call, Result, span
from loxodon.cli.parser import YES, arg, command, whole
from loxodon.cli.view import paint
from loxodon.errors import UsageError
from loxodon.forget.receipts import Receipt, counted
from loxodon.forget.select import Selection
from loxodon.guard.provenance import is_own, origin_label
from loxodon.guard.quarantine import FORGET, Held, is_forget_request
from loxodon.memory import Memory
from loxodon.messages import current, t, tn
from loxodon.types import Review

NOT_RUN = {
    "not due": "not due yet; to run it now, omit --if-due",
    "nothing is pending": "no new messages; to run it anyway, add --force",
    "another run did it": "another run has just done it",
    "switched off": "the memory engine is turned off",
}
LEFT = {
    "": "still in your own files, which Loxodon never changes:",
    "changed": "still in text views that you edited:",
    "copy": "still in copies that you made:",
    "backup": "not deleted: backups that contain it:",
    "away": "text views were written to these folders, which cannot be found now:",
}
"""What is said of files that still have what was forgotten, by what they are."""
_NO_MODEL = 8  # the exit code where a model or an embedder is of no use


@command(
    arg("--model-report", "also show the questions to the model and what they changed"),
    verb="consolidate",
)
def consolidate(call: Call) -> Result:
    """Turn new messages into facts, beliefs and summaries."""
    found = call.do()
    if not found.ran:
        return Result(found, t(NOT_RUN[found.reason]))
    done = tn(
        "{n} turn consolidated in {seconds} s",
        "{n} turns consolidated in {seconds} s",
        found.turns,
        seconds=f"{sum(found.seconds.values()):.2f}",
    )
    counts = {"learned": found.counts.get("added", 0), **found.counts, "tokens": found.tokens}
    unread = [] if call.config.model.name else ["waiting"]  # nobody would read it
    shown: list[object] = [done, *view.record(counts, "added", "indexed", "snapshots", *unread)]
    if call.model_report:
        shown += view.record(found.model) if found.model else [t("no model is configured")]
    if found.held:
        shown.append(view.doubted(found.held))
    return Result(found, [*shown, *view.record({"problem": found.problem, "views": found.views})])


@command(arg("ACTION", "test the model with ten sentences in each language", choices=("check",)))
def model(call: Call) -> Result:
    """Test the configured model: what works, how fast, how well it reads."""
    with call.opened() as memory:
        found = memory.check_model()
    bad = t("failed: the rules alone decide")
    verdict = t("passed: the model will be used") if found.good else bad
    shown = [*view.record(found, "good"), verdict]
    return Result(found, shown, code=0 if found.good else _NO_MODEL)


@command(verb="embed")
def embed(call: Call) -> Result:
    """Compute missing vectors, for search by meaning; `status` shows how many there are."""
    found = call.do()
    none = t("no embedder is configured; to set one, run `loxodon config embedder.kind auto`")
    code = _NO_MODEL if any(one.error for one in found.models) else 0
    return Result(found, None if found.models else none, code=code)


@command(arg("--right", "confirm that the clock is right"), verb="timekeeping")
def clock(call: Call) -> Result:
    """Show whether the system clock is trusted; confirm that it is right."""
    with call.opened() as memory:
        found = memory.trust_clock() if call.right else memory.timekeeping()
    trusted = view.doubted(found.doubted) if found.doubted else t("the clock is trusted")
    return Result(found, [*view.record(found, "doubted"), trusted])


@command(
    arg("--run JOB", "run this job now: flush, daily, weekly, profile or heartbeat"),
    verb="due_reminders",
    without="limit",
)
def schedule(call: Call) -> Result:
    """Show background jobs: what is next and what failed."""
    with call.opened() as memory:
        if call.run is not None:
            return Result(memory.schedule.run(call.run))
        jobs, reminders = memory.schedule.jobs(), memory.due_reminders()
    shown: list[object] = view.listing(jobs)
    if reminders:
        shown += [t("overdue:"), *view.listing(reminders)]
        shown.append(t("mark it as done with `loxodon edit ID --done yes`"))
    return Result({"jobs": jobs, "reminders": reminders}, shown)


# What needs an answer


@command(
    arg("--confirm ID", "this belief is true: make it a fact"),
    arg("--reject ID", "this belief is wrong: drop it; or undo a request to forget (q_…)"),
    arg("--confirm-all relayed|import|assistant|group|tool|web", "all from there is true"),
    arg("--version N", "fail if the memory is no longer at this version", type=whole),
    YES,
    verb="reviews",
    without="limit",
    one_of="--confirm --reject --confirm-all",
)
def review(call: Call) -> Result:
    """Show beliefs and requests to forget that need your answer."""
    with call.opened() as memory:
        if call.confirm is not None:
            return Result(memory.confirm(call.confirm, version=_seen_version(memory, call)))
        if call.reject is not None and call.reject.startswith("q_"):
            return Result(memory.release(call.reject))
        if call.reject is not None:
            return Result(memory.reject(call.reject, version=call.version))
        if call.confirm_all is not None:
            return _confirm_all(memory, call)
        held = [one for state in ("held", "unclear") for one in memory.quarantine(state, 0)]
        asked = [one for one in held if one.reason == FORGET]
        found = memory.reviews()
    shown = [line for one in reversed(asked) for line in _request(one)]
    shown += [line for one in found for line in _question(one)]
    if found:
        shown.append(t("answer with `loxodon review --confirm ID` or `--reject ID`"))
    return Result([*reversed(asked), *found], shown or t("nothing to review"))


def _request(one: Held) -> list[str]:
    """A request to forget, what was done, and the commands that end it."""
    asked = t("you asked on {day}: {text}", day=view.day(one.at), text=one.text)
    done = t("archived, and no longer recalled")
    if one.state == "unclear":
        done = t("it is not clear what you mean, so nothing was done")
    how = t(
        "delete it with `loxodon forget {id}`, or undo it with `review --reject {id}`", id=one.id
    )
    return [f"{paint(one.id, 'bold')}  {asked}", f"  {done}; {how}"]


def _question(one: Review) -> list[str]:
    """What is asked of a belief, and why."""
    belief, against = one.belief, one.against
    version = f" v{belief.version}" if belief.version > 1 else ""
    if against.id != belief.id:
        why = t("contradicts {id}: {content}", id=against.id, content=against.content)
    elif belief.kind == "belief":
        origin = origin_label(belief.trust, current())
        why = t("you have not confirmed this yet ({whence}): is it true?", whence=origin)
    else:
        day = view.day(belief.confirmed_at or belief.created_at)
        why = t("is that still true? it was last mentioned on {day}", day=day)
    return [f"{paint(belief.id, 'bold')}{version}  {belief.content}", f"  {why}"]


def _seen_version(memory: Memory, call: Call) -> int | None:
    """The version of a belief that is confirmed; of one that was changed by others it is told."""
    if call.confirm.startswith("q_"):
        raise UsageError(
            "{id} is a request to forget",
            hint="delete it permanently with `loxodon forget {id}`",
            id=call.confirm,
        )
    if call.version is not None:
        return int(call.version)
    record = memory.get(call.confirm)
    if record.version > 1 and not is_own(record.trust) and not call.as_agent:
        raise UsageError(
            "{id} was edited after it was saved; it now says: {content}",
            hint="if that is true, run `loxodon review --confirm {id} --version {version}`",
            id=record.id,
            content=view.safe(record.content),
            version=record.version,
        )
    return record.version


def _confirm_all(memory: Memory, call: Call) -> Result:
    """Make the user's own word of all that came from somewhere; what is held back stays so."""
    held = {one.memory for one in memory.quarantine("held", 0)}
    found = [
        one
        for one in memory.list()
        if one.trust == call.confirm_all and one.kind != "summary" and one.id not in held
    ]
    call.see_a_terminal()
    if found and not call.yes:
        view.show(*view.listing(found))
    if found and not call.agrees(t("Are all of these true? [y/N] ")):
        return Result([], t("nothing was confirmed"))
    return Result([memory.confirm(one.id, version=one.version) for one in reversed(found)])


@command(
    arg("DECISION", "release shows it, drop hides it", choices=("release", "drop"), nargs="?"),
    arg("ID", "id of the entry, such as q_12", nargs="?"),
    arg("--all", "also show released and dropped entries"),
    verb="quarantine",
    without="state",
)
def quarantine(call: Call) -> Result:
    """List instructions found in other people's text and held back; release or drop one."""
    if call.decision and call.id is None:
        raise UsageError("no id given")
    with call.opened() as memory:
        if call.decision:
            return Result(getattr(memory, call.decision)(call.id))
        every = memory.quarantine("all" if call.all else "held", 0)
    # What the user asked to have forgotten is told by `review`, and was no other's word.
    found = [one for one in every if not is_forget_request(one.reason)][: call.limit or None]
    how = t("`loxodon quarantine release ID` or `loxodon quarantine drop ID`")
    return Result(found, [*view.listing(found), how] if found else t("nothing is in quarantine"))


# Forgetting


@command(
    arg("ID", "memories (f_…), turns (t_…) or entities (e_…)", nargs="*", dest="ids"),
    arg("--also NAME", "with --entity: also delete this name; can be repeated", action="append"),
    arg("--last TIME", "everything said in the last 90m, 12h, 7d or 2w"),
    YES,
    arg("--receipts", "list what was forgotten, without its content"),
    verb="forget",
    without="since only",
)
def forget(call: Call) -> Result:
    """Delete something permanently, everywhere."""
    with call.opened() as memory:
        if call.receipts:
            return Result(memory.receipts())
        chosen: dict[str, Any] = call.given()
        ids, dry_run = chosen.pop("ids"), chosen.pop("dry_run", False)
        if call.last:
            chosen["since"] = memory.now() - span(call.last)
        _ = Selection(tuple(ids), **chosen).what  # complains before anybody is asked to confirm it
        if not dry_run:
            call.see_a_terminal()
        with view.Bar(call.command) as bar:
            if dry_run or not call.yes:
                planned = memory.forget(*ids, **chosen, dry_run=True, progress=bar)
                if dry_run:
                    return Result({"done": False, "receipt": planned}, receipt(planned, gone=False))
                view.show(*receipt(planned, gone=False))
                if planned.near:
                    also = t("Forget any of these names too? Separate them by commas: ")
                    names = filter(None, re.split("[,，、 ]+", call.answer(also)))
                    chosen["also"] = [*chosen["also"], *names]
                if planned.doubtful:
                    question = t("Delete the sentences that may be about it too? [y/N] ")
                    chosen["doubtful"] = call.agrees(question)
                if not call.agrees(t("Delete it permanently? [y/N] ")):
                    return Result({"done": False, "receipt": planned}, t("nothing was changed"))
            done = memory.forget(*ids, **chosen, progress=bar)
    return Result({"done": True, "receipt": done}, receipt(done, gone=True))


def receipt(one: Receipt, *, gone: bool) -> list[str]:
    """What was deleted, or would be, and where it still stands."""
    counts = counted(one.erased)
    lines = [t("would delete: {counts}", counts=counts)]
    if gone:
        lines = [t("deleted: {counts}", counts=counts), t("receipt {id}", id=one.id)]
    if len(one.names) > 1:
        lines.append(t("under the names: {names}", names=", ".join(one.names)))
    if one.doubtful:
        lines += [t("may be about it, kept (add --doubtful to delete):"), *one.doubtful]
    if one.near:
        near = ", ".join(f"{name.name} ({name.turns})" for name in one.near)
        lines.append(t("may be its own names, kept (add --also NAME): {names}", names=near))
    for what, title in LEFT.items():
        places = [f"{f.file}:{f.line}" if f.line else f.file for f in one.files if f.what == what]
        lines += [t(title), *(f"  {place}" for place in places)] if places else []
    if gone:
        lines.append(t("backups stored elsewhere still contain it, until they are restored here"))
    return lines


@command(
    arg("--for TIME", "for this long: 90m, 12h, 7d or 2w (default: until `loxodon resume`)"),
    verb="pause",
    without="until",
)
def pause(call: Call) -> Result:
    """Stop recording and learning for a while; recall still works."""
    length = getattr(call, "for")
    found = call.do(call.clock() + span(length) if length else None, make=True)
    return Result({"paused": found}, paused(found.until))


def paused(until: object) -> str:
    if until is None:
        return t("paused: nothing is recorded or learned until `loxodon resume`")
    return t("paused until {until}: nothing is recorded or learned", until=view.in_words(until))


@command(verb="resume")
def resume(call: Call) -> Result:
    """End a pause."""
    was = call.do()
    said = t("recording resumed") if was else t("recording was not paused")
    return Result({"resumed": was}, said)
