"""Commands about learning: consolidation, what needs an answer, background jobs, the model."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from loxodon.cli import view
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import arg, command, whole
from loxodon.cli.view import paint
from loxodon.errors import UsageError
from loxodon.guard.quarantine import Held
from loxodon.memory import Memory
from loxodon.messages import current, t, tn
from loxodon.types import Record, Review
from loxodon.write.embedding import Embedded


@command(
    arg("--model-report", "also show the questions to the model and what they changed"),
    verb="consolidate",
)
def consolidate(call: Call) -> Result:
    """Turn new messages into facts, beliefs and summaries."""
    with call.opened() as memory, view.Bar(t("consolidating")) as bar:
        found = memory.consolidate(
            **call.given(), progress=lambda phase, done, total: bar(done, total)
        )
        counts = {"learned": found.counts.get("added", 0), **found.counts, "added": 0}
        if not memory.config.model.name:
            counts.pop("waiting", None)  # nobody would read it
    if not found.ran:
        reasons = {
            "not due": t("not due yet; to run it now, omit --if-due"),
            "nothing is pending": t("no new messages; to run it anyway, add --force"),
            "another run did it": t("another run has just done it"),
            "switched off": t("the memory engine is turned off"),
        }
        return Result(found, reasons[found.reason])
    shown: list[object] = [
        tn(
            "{n} turn consolidated in {seconds} s",
            "{n} turns consolidated in {seconds} s",
            found.turns,
            seconds=f"{sum(found.seconds.values()):.2f}",
        ),
        *view.record({**counts, "tokens": found.tokens}, "indexed", "snapshots"),
    ]
    if call.model_report:
        shown += view.record(found.model) if found.model else [t("no model is configured")]
    if found.held:
        shown.append(view.doubted(found.held))
    if problem := found.problem:
        shown.append(
            t("cannot use the model: {problem}; its decisions are postponed", problem=problem)
        )
    if found.views:
        shown.append(t("the text views could not be written: {reason}", reason=found.views))
    return Result(found, shown)


@command(arg("ACTION", "test the model with ten sentences in each language", choices=("check",)))
def model(call: Call) -> Result:
    """Test the configured model: what works, how fast, how well it reads."""
    with call.opened() as memory:
        found = memory.check_model()
    good = t("passed: the model will be used")
    bad = t("failed: the rules alone decide")
    shown = [*view.record(found._replace(good=False)), good if found.good else bad]
    return Result(found, shown, code=0 if found.good else 8)


@command(arg("--status", "only show the progress"), verb="embed")
def embed(call: Call) -> Result:
    """Compute missing vectors, for search by meaning."""
    with call.opened() as memory, view.Bar(t("embedding")) as bar:
        found = Embedded(0, memory.status().embedding) if call.status else memory.embed(bar)
    none = t("no embedder is configured; to set one, run `loxodon config embedder.kind use`")
    code = 8 if any(one.error for one in found.models) else 0
    return Result(found, view.record(found) if found.models else none, code=code)


@command(arg("--right", "confirm that the clock is right"), verb="timekeeping")
def clock(call: Call) -> Result:
    """Show whether the system clock is trusted; confirm that it is right."""
    with call.opened() as memory:
        found = memory.trust_clock() if call.right else memory.timekeeping()
    shown = view.record(found, "doubted", "runs")
    shown.append(view.doubted(found.doubted) if found.doubted else t("the clock is trusted"))
    for run in found.runs:
        undo = f"loxodon unarchive --run {run.at.isoformat()}"
        shown.append(
            t(
                "{at}: {faded} faded, {expired} expired; `{undo}` undoes it",
                at=view.minute(run.at),
                faded=run.faded,
                expired=run.expired,
                undo=undo,
            )
        )
    return Result(found, shown)


@command(
    arg("--run JOB", "run this job now: flush, daily, weekly, profile or heartbeat"),
    verb="due_reminders",
    without="limit",
)
def schedule(call: Call) -> Result:
    """Show background jobs: what is next and what failed."""
    with call.opened() as memory:
        if call.run is not None:
            ran = memory.schedule.run(call.run)
            did = view.in_words(ran.counts) or t("nothing to do")
            seconds = f"{ran.seconds:.2f}"
            said = t("{job} ran in {seconds} s: {did}", job=ran.job, seconds=seconds, did=did)
            return Result(ran, said)
        jobs, reminders = memory.schedule.jobs(), memory.due_reminders()
    rows = [
        (
            job.name,
            job.when or (t("when idle") if job.name == "flush" else t("off")),
            view.minute(job.last_at),
            t("now") if job.due else view.in_words(job.next_at),
            view.in_words(job.counts),
        )
        for job in jobs
    ]
    shown: list[object] = [view.Table(("job", "when", "last", "next", "what it did"), rows)]
    for job in jobs:
        if job.failures:
            said = tn(
                "{job} failed {n} time, last on {at}: {reason}",
                "{job} failed {n} times, last on {at}: {reason}",
                job.failures,
                job=job.name,
                at=view.minute(job.failed_at),
                reason=job.error,
            )
            shown.append(paint(said, "red"))
    if reminders:
        shown.append(t("overdue:"))
        shown += [f"  {one.id}  {view.in_words(one.due_at)}  {one.content}" for one in reminders]
        shown.append(t("mark it as done with `loxodon edit ID --done yes`"))
    return Result({"jobs": jobs, "reminders": reminders}, shown)


# What needs an answer


@command(
    arg("--confirm ID", "this belief is true: make it a fact"),
    arg("--reject ID", "this belief is wrong: drop it; or undo a request to forget (q_…)"),
    arg(
        "--confirm-all",
        "everything from this origin is true",
        choices=("relayed", "import", "assistant", "group", "tool", "web"),
    ),
    arg("--version N", "fail if the memory is no longer at this version", type=whole),
    arg("--yes", "do not ask for confirmation"),
    verb="reviews",
    without="limit",
    one_of="--confirm --reject --confirm-all",
)
def review(call: Call) -> Result:
    """Show beliefs and requests to forget that need your answer."""
    with call.opened() as memory:
        if call.confirm is not None:
            fact = memory.confirm(call.confirm, version=_seen_version(memory, call))
            return Result(
                fact, t("{id} is a fact now: {content}", id=fact.id, content=fact.content)
            )
        if call.reject is not None and call.reject.startswith("q_"):
            held = memory.release(call.reject)
            return Result(held, t("kept, and recalled as before: {id}", id=held.id))
        if call.reject is not None:
            belief = memory.reject(call.reject, version=call.version)
            return Result(belief, t("rejected {id}", id=belief.id))
        if call.confirm_all is not None:
            return _confirm_all(memory, call)
        found, asked = memory.reviews(), asked_in(memory)
    shown = [line for one in asked for line in _request(one)]
    shown += [line for one in found for line in _question(one)]
    if found:
        shown.append(
            t(
                "answer with `loxodon review --confirm ID` or `--reject ID`, or just say it in a "
                "conversation"
            )
        )
    return Result([*asked, *found], shown or t("nothing to review"))


class Asked(NamedTuple):
    """What the user asked to have forgotten in a conversation."""

    id: str
    request: str
    """The sentence that asks."""
    asked_at: datetime
    state: str
    """`held`: it was put away; `unclear`: nothing was done."""
    memories: tuple[Record, ...]
    turns: tuple[str, ...]
    """The messages in which it was said."""


def asked_in(memory: Memory) -> list[Asked]:
    """The requests to forget that nobody has answered, oldest first."""
    from loxodon.guard.quarantine import FORGET

    held = [one for state in ("held", "unclear") for one in memory.quarantine(state, 0)]
    parts: dict[str, list[Held]] = {}
    for one in sorted(held, key=lambda one: int(one.id[2:])):
        parts.setdefault(one.reason.partition(" ")[2], []).append(one)
    return [
        Asked(
            one.id,
            one.text,
            one.at,
            one.state,
            tuple(memory.get(part.memory) for part in parts.get(one.id, ()) if part.memory),
            tuple(dict.fromkeys(part.turn for part in parts.get(one.id, ()) if part.turn)),
        )
        for one in parts.get("", ())
        if one.reason == FORGET
    ]


def _request(one: Asked) -> list[str]:
    """A request to forget, what was done, and the commands that end it."""
    asked = t("you asked on {day}: {text}", day=view.day(one.asked_at), text=one.request)
    lines = [f"{paint(one.id, 'bold')}  {asked}"]
    lines += [f"    {record.id}  {record.content}" for record in one.memories]
    keep = f"loxodon review --reject {one.id}"
    if one.state == "unclear":
        told = t(
            "it is not clear what you mean, so nothing was done; delete what you mean with "
            "`{erase}`, or close this with `{keep}`",
            erase="loxodon forget ID",
            keep=keep,
        )
        return [*lines, f"  {told}"]
    if one.turns:
        lines.append("    " + t("messages: {turns}", turns=", ".join(one.turns)))
    told = t(
        "archived, and no longer recalled; delete it permanently with `{erase}`, or bring it "
        "back with `{keep}`",
        erase=f"loxodon forget {one.id}",
        keep=keep,
    )
    return [*lines, f"  {told}"]


def _question(one: Review) -> list[str]:
    """What is asked of a belief, and why."""
    from loxodon.guard.provenance import origin_label

    belief, against = one.belief, one.against
    version = f" v{belief.version}" if belief.version > 1 else ""
    lines = [f"{paint(belief.id, 'bold')}{version}  {belief.content}"]
    if against.id != belief.id:
        lines.append(
            "  " + t("contradicts {id}: {content}", id=against.id, content=against.content)
        )
        if belief.basis:
            lines.append("  " + t("because: {basis}", basis=belief.basis))
    elif belief.kind == "belief":
        origin = origin_label(belief.trust, current())
        lines.append(
            "  " + t("you have not confirmed this yet ({whence}): is it true?", whence=origin)
        )
    else:
        day = view.day(belief.confirmed_at or belief.created_at)
        lines.append("  " + t("is that still true? it was last mentioned on {day}", day=day))
    return lines


def _seen_version(memory: Memory, call: Call) -> int | None:
    """The version of a belief that is confirmed; of one that was changed by others it is told."""
    from loxodon.guard.provenance import is_own

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
    if found and not call.yes:
        refusal = UsageError(
            "this confirms {n} memory as your own words, and there is no terminal to ask for "
            "confirmation",
            plural="this confirms {n} memories as your own words, and there is no terminal to ask "
            "for confirmation",
            hint="check them with `loxodon list`, then add --yes",
            n=len(found),
        )
        call.see_a_terminal(refusal)
        view.show(*(f"{paint(one.id, 'bold')}  {one.content}" for one in found))
        if not call.agreed(t("Are all of these true? [y/N] ")):
            return Result([], t("nothing was confirmed"))
    done = [memory.confirm(one.id, version=one.version) for one in reversed(found)]
    return Result(done, t("confirmed: {n}", n=len(done)))


@command(
    arg(
        "DECISION",
        "release shows it again, with its origin; drop hides it forever; without either, list",
        choices=("release", "drop"),
        nargs="?",
    ),
    arg("ID", "id of the entry, such as q_12", nargs="?"),
    arg("--all", "also show released and dropped entries"),
    verb="quarantine",
    without="state",
)
def quarantine(call: Call) -> Result:
    """List instructions found in other people's text and held back; release or drop one."""
    from loxodon.guard.provenance import origin_label
    from loxodon.guard.quarantine import is_forget_request

    with call.opened() as memory:
        if call.decision and call.id is None:
            raise UsageError(
                "no id given", hint="give an id such as q_12; `loxodon quarantine` lists them"
            )
        if call.decision == "release":
            held = memory.release(call.id)
            return Result(held, t("released {id}: {text}", id=held.id, text=held.text))
        if call.decision:
            held = memory.drop(call.id)
            return Result(held, t("dropped {id}", id=held.id))
        every = memory.quarantine("all" if call.all else "held", 0)
    # What the user asked to have forgotten is told by `review`, and was no other's word.
    found = [one for one in every if not is_forget_request(one.reason)][: call.limit or None]
    lines: list[object] = []
    for one in found:
        about = [
            one.reason,
            origin_label(one.origin, current()),
            view.day(one.at),
            one.turn or one.memory,
        ]
        about += [one.state] if one.state != "held" else []
        lines.append(f"{paint(one.id, 'bold')}  {', '.join(about)}\n  {' '.join(one.text.split())}")
    lines.append(t("`loxodon quarantine release ID` or `loxodon quarantine drop ID`"))
    return Result(found, lines if found else t("nothing is in quarantine"))
