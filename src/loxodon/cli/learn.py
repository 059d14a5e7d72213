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
from loxodon.forget.spaces import receipts
from loxodon.guard.provenance import is_own, origin_label
from loxodon.guard.quarantine import FORGET, Held, is_forget_request
from loxodon.http.host import Host
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.security.inspection import about_person
from loxodon.types import Record, Review

derived("resume", about="End a pause.")
derived("embed")


@command(
    arg("--for TIME", "for this long: 12h, 7d or 2w (default: until resumed)", dest="until"),
    verb="pause",
    makes=True,
)
def pause(call: Call) -> Result:
    """Stop recording and learning for a while; recall still works."""
    return Result({"paused": call.do()})


@command(verb="consolidate")
def consolidate(call: Call) -> Result:
    """Turn new messages into facts, beliefs and summaries."""
    found = call.do()
    if not found.ran:
        return Result(found, t(TABLE["said"]["consolidate"][found.reason]))
    told = {"turns": found.turns, "learned": found.counts.get("added", 0), **found.counts}
    told |= {**found._asdict(), "seconds": sum(found.seconds.values())}
    hidden = ["ran", "reason", "counts", "added", "indexed", "snapshots"]
    if not call.config.model.name:  # nobody would read it
        hidden.append("waiting")
    return Result(found, view.record(told, *hidden))


@command(
    arg("ACTION check", "test the model with ten sentences in each language", choices=("check",))
)
def model(call: Call) -> Result:
    """Test the configured model: what works, how fast, how well it reads."""
    with call.opened() as memory:
        found = memory.check_model()
    if found.good:
        return Result(found, hide="good", note=t("passed: the model will be used"))
    return Result(found, note=t("failed: the rules alone decide"), code=ModelError.exit_code)


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
        found = {"jobs": memory.schedule.jobs(), "reminders": memory.due_reminders()}
    done = t("mark it as done with `loxodon edit ID --done yes`")
    return Result(found, note=done if found["reminders"] else "")


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
        held = [one for state in ("held", "unclear") for one in memory.quarantine(state, 0)]
        found = [one for one in reversed(held) if one.reason == FORGET] + [*memory.reviews()]
    how = t("answer with `loxodon review --confirm ID` or `--reject ID`") if found else ""
    return Result(found, [*map(_question, found)] or t("nothing to review"), note=how)


def _question(one: Held | Review) -> str:
    """What needs an answer, and why."""
    if isinstance(one, Held):  # what was asked to be forgotten, what was done, and what can be
        unclear = t("it is not clear what you mean, so nothing was done")
        done = unclear if one.state == "unclear" else t("archived, and no longer recalled")
        how = t("delete it with `forget {id}`, or undo it with `review --reject {id}`", id=one.id)
        asked = t("you asked on {day}: {text}", day=f"{one.at:%F}", text=one.text)
        return f"{one.id}  {asked}\n  {done}; {how}"
    belief, against = one.belief, one.against
    version = f" v{belief.version}" if belief.version > 1 else ""
    if belief.kind == "fact" and against.created_at > belief.created_at:
        day = f"{against.valid_from or against.created_at:%F}"
        why = t("is that still true? on {day} you said: {text}", day=day, text=against.content)
    elif against.id != belief.id:
        why = t("contradicts {id}: {content}", id=against.id, content=against.content)
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
        raise UsageError(
            "{id} was edited after it was saved; it now says: {content}",
            hint="if that is true, run `loxodon review --confirm {id} --version {version}`",
            id=record.id,
            content=view.safe(record.content),
            version=record.version,
        )
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

    return call.carried_out(confirmed, t("Are all of these true? [y/N] "))


@command(
    arg("DECISION release|drop", "release shows it, drop hides it", nargs="?"),
    arg("ID", "id of the entry, such as q_12", nargs="?", default=""),
    arg("--all", "also show released and dropped entries"),
    verb="quarantine",
    without="state",
)
def quarantine(call: Call) -> Result:
    """List instructions found in other people's text and held back; release or drop one."""
    with call.opened() as memory:
        if call.decision:
            return Result(getattr(memory, call.decision)(call.id))
        every = memory.quarantine("all" if call.all else "held", 0)
    # What the user asked to have forgotten is told by `review`, and was no other's word.
    found = [one for one in every if not is_forget_request(one.reason)][: call.limit or None]
    how = t("`loxodon quarantine release ID` or `loxodon quarantine drop ID`")
    return Result(found, note=how if found else "")


# Forgetting


@command(
    arg("ID", "memories (f_…) or turns (t_…)", nargs="*", dest="ids"),
    arg("--last TIME", "everything said in the last 90m, 12h, 7d or 2w", dest="since"),
    YES,
    arg("--receipts", "list what was forgotten, without its content"),
    verb="forget",
    without="only",
)
def forget(call: Call) -> Result:
    """Delete something permanently, everywhere."""
    with call.opened() as memory:
        if call.receipts:
            return Result(memory.receipts())
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
            raise NotFoundError("nothing is known about {name}", name=repr(call.name))
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
    arg("ACTION list|delete|deleted", "what to do"),
    arg("NAME", "the space to delete", nargs="?", default=""),
    DRY_RUN,
    YES,
)
def space(call: Call) -> Result:
    """List the spaces, delete one with everything in it, or list those that were deleted."""
    if call.action == "deleted":
        found = receipts(call.root)
        return Result(found, view.listing([one | {"files": ()} for one in found]))
    with Host(call.home_folder, call.clock) as host:
        if call.action == "list":
            return Result({"spaces": (names := host.spaces())}, names or t("no spaces yet"))
        question = t("This deletes the space with all its files. Type its name to confirm: ")
        return erased(call, lambda dry: host.delete(call.name, dry_run=dry), question, call.name)


def erased(call: Call, erase: Callable[[bool], Any], question: str = "", word: str = "") -> Result:
    """Delete something once that is confirmed. `erase` returns a receipt, or one for each space; it
    is told whether to delete nothing yet."""

    def done(dry: bool) -> Result:
        found: Receipt | dict[str, Receipt] = erase(dry)
        if isinstance(found, Receipt):
            return Result({"done": not dry, "receipt": found}, _receipt(found, gone=not dry))
        lines = [(f"{space}:", *_receipt(one, gone=not dry)) for space, one in found.items()]
        return Result({"done": not dry, "receipts": found}, [*chain(*lines)])

    return call.carried_out(done, question or t("Delete it permanently? [y/N] "), word)


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
