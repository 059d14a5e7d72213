"""Commands about learning: consolidation, what needs an answer, background jobs, the model."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from loxodon.cli import view
from loxodon.cli.call import Call, Result
from loxodon.cli.parser import YES, arg, command, whole
from loxodon.cli.view import paint
from loxodon.consolidate.embedding import Embedded
from loxodon.errors import UsageError
from loxodon.guard.quarantine import Held
from loxodon.memory import Memory
from loxodon.messages import current, t, tn
from loxodon.types import Record, Review

NOT_RUN = {
    "not due": "not due yet; to run it now, omit --if-due",
    "nothing is pending": "no new messages; to run it anyway, add --force",
    "another run did it": "another run has just done it",
    "switched off": "the memory engine is turned off",
}


@command(
    arg("--model-report", "also show the questions to the model and what they changed"),
    verb="consolidate",
)
def consolidate(call: Call) -> Result:
    """Turn new messages into facts, beliefs and summaries."""
    found = call.do()
    if not found.ran:
        return Result(found, t(NOT_RUN[found.reason]))
    counts = {"learned": found.counts.get("added", 0), **found.counts, "added": 0}
    if not call.config.model.name:
        counts.pop("waiting", None)  # nobody would read it
    seconds = f"{sum(found.seconds.values()):.2f}"
    done = tn(
        "{n} turn consolidated in {seconds} s",
        "{n} turns consolidated in {seconds} s",
        found.turns,
        seconds=seconds,
    )
    told = {**counts, "tokens": found.tokens}
    shown: list[object] = [done, *view.record(told, "indexed", "snapshots")]
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
    return Result(found, [*view.record(found, "good"), verdict], code=0 if found.good else 8)


@command(arg("--status", "only show the progress"), verb="embed")
def embed(call: Call) -> Result:
    """Compute missing vectors, for search by meaning."""
    if call.status:
        with call.opened() as memory:
            found = Embedded(0, memory.status().embedding)
    else:
        found = call.do()
    none = t("no embedder is configured; to set one, run `loxodon config embedder.kind use`")
    code = 8 if any(one.error for one in found.models) else 0
    return Result(found, None if found.models else none, code=code)


@command(arg("--right", "confirm that the clock is right"), verb="timekeeping")
def clock(call: Call) -> Result:
    """Show whether the system clock is trusted; confirm that it is right."""
    with call.opened() as memory:
        found = memory.trust_clock() if call.right else memory.timekeeping()
    trusted = view.doubted(found.doubted) if found.doubted else t("the clock is trusted")
    undo = t("`loxodon unarchive --run WHEN` brings back what a run archived")
    shown = [*view.record(found, "doubted"), trusted]
    return Result(found, [*shown, undo] if found.runs else shown)


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
    names = ("name", "when", "last_at", "next_at", "counts", "failures", "error")
    rows = [[getattr(job, name) for name in names] for job in jobs]
    shown: list[object] = [view.Table(names, rows)]
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
        found, asked = memory.reviews(), _asked_in(memory)
    shown = [line for one in asked for line in _request(one)]
    shown += [line for one in found for line in _question(one)]
    if found:
        shown.append(t("answer with `loxodon review --confirm ID` or `--reject ID`"))
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


def _asked_in(memory: Memory) -> list[Asked]:
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
    about = [f"{record.id}  {record.content}" for record in one.memories]
    how = t(
        "it is not clear what you mean, so nothing was done; delete what you mean with `loxodon "
        "forget ID`, or close this with `loxodon review --reject {id}`",
        id=one.id,
    )
    if one.state != "unclear":
        how = t(
            "archived, and no longer recalled; delete it permanently with `loxodon forget {id}`, "
            "or bring it back with `loxodon review --reject {id}`",
            id=one.id,
        )
    return [f"{paint(one.id, 'bold')}  {asked}", *(f"    {line}" for line in about), f"  {how}"]


def _question(one: Review) -> list[str]:
    """What is asked of a belief, and why."""
    from loxodon.guard.provenance import origin_label

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
    from loxodon.guard.quarantine import is_forget_request

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
