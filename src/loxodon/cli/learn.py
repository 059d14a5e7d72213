"""Commands about learning and forgetting: consolidation, what needs an answer, background jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from loxodon.cli import view
from loxodon.cli.commands import DRY_RUN, TABLE, YES, Call, Result, arg, command, derived
from loxodon.errors import ModelError, NotFoundError, UsageError
from loxodon.forget.receipts import Receipt, counted
from loxodon.guard.provenance import is_own, origin_label
from loxodon.guard.quarantine import FORGET, Held
from loxodon.http.host import Host
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.security.inspection import about_person
from loxodon.types import Record, Review

derived("resume", about="End a pause.")
derived("embed")
derived("schedule", verb="schedule.jobs")
derived("run-job", arg("JOB", "one that `schedule` lists", dest="name"), verb="schedule.run")
derived("reminders", verb="due_reminders", note="`loxodon edit ID --done yes` marks one as done")
derived("quarantine", note="`loxodon quarantine release ID` or `loxodon quarantine drop ID`")
derived("release", arg("ID", "id of the entry, such as q_12"))
derived("drop", arg("ID", "id of the entry, such as q_12"))
derived("receipts")
derived(
    "pause",
    arg("--for TIME", "for this long: 12h, 7d or 2w (default: until resumed)", dest="until"),
    makes=True,
    note="`loxodon resume` ends the pause",
)
derived(
    "model",
    about="Test the configured model: what works, how fast, how well it reads.",
    verb="check_model",
    exit_code=lambda found: 0 if found.good else ModelError.exit_code,
)


@command(verb="consolidate")
def consolidate(call: Call) -> Result:
    """Turn new messages into facts, beliefs and summaries."""
    found = call.do()
    if not found.ran:
        return Result(found, t(TABLE["said"]["consolidate"][found.reason]))
    told = {"turns": found.turns, "learned": found.counts.get("added", 0), **found.counts}
    told |= {**found._asdict(), "seconds": sum(found.seconds.values())}
    waiting = () if found.model else ("waiting",)  # nobody would read it
    hidden = ("ran", "reason", "counts", "added", "indexed", "snapshots", *waiting)
    return Result(found, view.record(told, *hidden))


# What needs an answer


@command(
    arg("--confirm ID", "this belief is true: make it a fact"),
    arg("--reject ID", "this belief is wrong: drop it; or undo a request to forget (q_…)"),
    arg("--confirm-all relayed|import|assistant|group|tool|web", "all from there is true"),
    arg("--version N", "fail if the memory is no longer at this version"),
    YES,
    verb="reviews",
    without="limit",
    one_of="--confirm --reject --confirm-all",
)
def review(call: Call) -> Result:
    """Show beliefs and requests to forget that need your answer."""
    with call.opened() as memory:
        if call.confirm is not None:
            return Result(_confirmed(memory, call))
        if call.confirm_all is not None:
            return _confirmed_all(memory, call)
        if call.reject is not None:
            if call.reject.startswith("q_"):
                return Result(memory.release(call.reject))
            return Result(memory.reject(call.reject, version=call.version))
        held = reversed(memory.quarantine(limit=0))
        found = [one for one in held if one.reason == FORGET] + [*memory.reviews()]
    how = t("answer with `loxodon review --confirm ID` or `--reject ID`") if found else ""
    return Result(found, [*map(_question, found)] or t("nothing to review"), note=how)


def _question(one: Held | Review) -> str:
    """What needs an answer, and why."""
    if isinstance(one, Held):  # what was asked to be forgotten, what was done, and what can be
        done = t("archived, and no longer recalled")
        how = t("delete it with `forget {id}`, or undo it with `review --reject {id}`", id=one.id)
        asked = t("you asked on {day}: {text}", day=f"{one.at:%F}", text=one.text)
        return f"{one.id}  {asked}\n  {done}; {how}"
    belief, against = one.belief, one.against
    version = f" v{belief.version}" if belief.version > 1 else ""
    if against.id != belief.id:
        day = f"{against.valid_from or against.created_at:%F}"
        why = t("still so? {id} of {day}: {text}", id=against.id, day=day, text=against.content)
    elif belief.kind == "belief":
        origin = origin_label(belief.trust, current())
        why = t("you have not confirmed this yet ({whence}): is it true?", whence=origin)
    else:
        day = f"{belief.confirmed_at or belief.created_at:%F}"
        why = t("is that still true? it was last mentioned on {day}", day=day)
    return f"{belief.id}{version}  {belief.content}\n  {why}"


def _confirmed(memory: Memory, call: Call) -> Record:
    """Confirm a belief; one that others have edited only at the version that the person names."""
    record = memory.get(call.confirm)
    edited = record.version > 1 and not is_own(record.trust) and not call.as_agent
    if edited and call.version is None:
        message = "{id} was edited after it was saved; it now says: {content}"
        hint = "if that is true, run `loxodon review --confirm {id} --version {version}`"
        raise UsageError(message, hint=hint, **record._asdict())
    return memory.confirm(record.id, version=call.version or record.version)


def _confirmed_all(memory: Memory, call: Call) -> Result:
    """Make the user's own word of all that came from somewhere; what is held back stays so."""
    held = {one.memory for one in memory.quarantine("held", 0)}
    found = [
        one
        for one in reversed(memory.list())
        if one.trust == call.confirm_all and one.kind != "summary" and one.id not in held
    ]
    if not found:
        return Result([])

    def confirmed(dry: bool) -> Result:
        if dry:
            return Result([], view.listing(found))
        return Result([memory.confirm(one.id, version=one.version) for one in found])

    return call.carried_out(confirmed)


# Forgetting


@command(
    arg("ID", "memories (f_…) or turns (t_…)", nargs="*", dest="ids"),
    arg("--last TIME", "everything said in the last 90m, 12h, 7d or 2w", dest="since"),
    YES,
    verb="forget",
    without="only",
)
def forget(call: Call) -> Result:
    """Delete something permanently, everywhere."""
    with call.opened() as memory:
        chosen = call.given(memory.now()) | {"progress": view.progress}
        ids = chosen.pop("ids")
        return erased(call, lambda dry: memory.forget(*ids, **{**chosen, "dry_run": dry}))


@command(
    arg("ACTION export|erase", "print all of it, one JSON object a line; or delete it"),
    arg("NAME", "the person, by any of their names"),
    DRY_RUN,
    YES,
)
def person(call: Call) -> Result:
    """Export or erase one person's memories, messages and entities, in all spaces."""

    def each(do: Callable[[Memory], Any]) -> dict[str, Any]:
        found = {}
        for space in host.spaces():
            with suppress(NotFoundError), host.using(space, make=False) as memory:
                found[space] = do(memory)
        if not found:
            hint = "list the known entities with `loxodon entities`"
            raise NotFoundError("nothing is known about {name}", hint=hint, name=repr(call.name))
        return found

    with Host(call.home_folder, call.clock) as host:
        if call.action == "export":
            found = each(lambda memory: [*about_person(memory, call.name)])
            rows = [{"space": space, **row} for space, rows in found.items() for row in rows]
            return Result(rows, [view.json_text(row, None) for row in rows])
        return erased(
            call, lambda dry: each(lambda memory: memory.forget(entity=call.name, dry_run=dry))
        )


@command(
    arg("ACTION list|delete", "what to do"),
    arg("NAME", "the space to delete", nargs="?", default=""),
    DRY_RUN,
    YES,
)
def space(call: Call) -> Result:
    """List the spaces, or delete one with everything in it."""
    with Host(call.home_folder, call.clock) as host:
        if call.action == "list":
            return Result({"spaces": (names := host.spaces())}, names or t("no spaces yet"))
        return erased(call, lambda dry: host.delete(call.name, dry_run=dry))


def erased(call: Call, erase: Callable[[bool], Any]) -> Result:
    """Delete something once that is confirmed. `erase` returns a receipt, or one for each space; it
    is told whether to delete nothing yet."""

    def done(dry: bool) -> Result:
        found: Receipt | dict[str, Receipt] = erase(dry)
        if isinstance(found, Receipt):
            return Result({"done": not dry, "receipt": found}, _receipt(found, gone=not dry))
        lines = [(f"{space}:", *_receipt(one, gone=not dry)) for space, one in found.items()]
        return Result({"done": not dry, "receipts": found}, [*chain(*lines)])

    return call.carried_out(done)


def _receipt(one: Receipt, *, gone: bool) -> list[str]:
    """What was deleted, or would be, and where it still stands."""
    said = t("deleted: {counts}") if gone else t("would delete: {counts}")
    places = [(f"{f.file}:{f.line}" if f.line else f.file, view.label(f.what)) for f in one.files]
    lists: dict[str, Sequence[str]] = {
        t("under the names:"): one.names[1:] and one.names,
        t("may be about it, kept (add --doubtful to delete):"): one.doubtful,
        t("may be its own names, kept (forget them by name):"): one.near,
        t("still in these files, which Loxodon does not change:"): view.aligned(places),
    }
    lines = [line for heading, some in lists.items() if some for line in (heading, *some)]
    if gone:
        lines += [t("receipt {id}", id=one.id), t("backups stored elsewhere still contain it")]
    return [said.format(counts=counted(one.erased)), *lines]
