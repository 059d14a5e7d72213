"""The commands that make knowledge of what was said, and show it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from loxodon import messages
from loxodon.cli import view
from loxodon.cli.control import AGREED
from loxodon.cli.opening import Outcome, opened
from loxodon.clock import parse_instant
from loxodon.errors import UsageError
from loxodon.guard.provenance import is_own, whence
from loxodon.guard.quarantine import FORGET
from loxodon.memory import Memory
from loxodon.messages import t, tn
from loxodon.types import Asking, Consolidated, Embedded, Held, ModelChecked, Record, Review


def consolidate(args: Namespace) -> Outcome:
    with opened(args) as memory, view.Bar(t("consolidating")) as bar:
        found = memory.consolidate(
            force=args.force,
            if_due=args.if_due,
            phase=args.phase,
            progress=lambda phase, done, total: bar(done, total),
        )
        has_model = bool(memory.config.model.name)
    return Outcome(found, lambda: _show(found, has_model, report=args.model_report))


def model(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.check_model()
    return Outcome(found, lambda: _show_checked(found), 0 if found.good else 8)


def _show_checked(found: ModelChecked) -> None:
    schemas = t("yes") if found.keeps_to_schemas else t("no, the prompt asks for JSON")
    rows = [(t("model"), found.name), (t("address"), found.base_url), (t("JSON schemas"), schemas)]
    for one in found.tried:
        if one.problem:
            rows.append((one.language, one.problem))
            continue
        speed = one.tokens_out / max(one.seconds, 0.001)
        rows.append(
            (
                one.language,
                t(
                    "{n} of {of} sentences read correctly, {seconds} s, {speed} tokens per second",
                    n=one.passed,
                    of=one.of,
                    seconds=f"{one.seconds:.1f}",
                    speed=f"{speed:.0f}",
                ),
            )
        )
    view.pairs([(name, view.safe(value)) for name, value in rows])
    for one in found.tried:
        for sentence in one.failed if not one.problem else ():
            print(view.safe(t("  read incorrectly: {sentence}", sentence=sentence)))
    print(
        t("passed: the model will be used") if found.good else t("failed: the rules alone decide")
    )


def _show_asked(found: Asking | None) -> None:
    if found is None:
        print(t("no model is configured"))
        return
    rows = [
        (t("questions"), str(found.questions)),
        (
            t("passages asked about"),
            t("{n}, {decided} decided", n=found.asked, decided=found.decided),
        ),
    ]
    rows += [(f"  {name}", str(n)) for name, n in found.did.items()]
    rows += [(t("  refused"), f"{n} × {reason}") for reason, n in found.refused.items()]
    rows += [(t("tokens for {task}", task=task), str(n)) for task, n in found.tokens.items()]
    view.pairs([(name, view.safe(value)) for name, value in rows])


def _show(found: Consolidated, has_model: bool, *, report: bool = False) -> None:
    if not found.ran:
        print(_why_not(found.reason))
        return
    print(
        tn(
            "{n} turn consolidated in {seconds} s",
            "{n} turns consolidated in {seconds} s",
            found.turns,
            seconds=f"{sum(found.seconds.values()):.2f}",
        )
    )
    rows = [
        (what, str(found.counts[name]))
        for name, what in counted().items()
        if found.counts.get(name) and (has_model or name != "waiting")
    ]
    if found.tokens:
        rows.append((t("model tokens"), str(found.tokens)))
    if rows:
        view.pairs(rows)
    if report:
        _show_asked(found.model)
    if found.held:
        print(view.doubted(found.held))
    if found.problem:
        print(
            t("cannot use the model: {problem}; its decisions are postponed", problem=found.problem)
        )
    if found.views:
        print(t("the text views could not be written: {reason}", reason=found.views))


def clock(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.trust_clock() if args.right else memory.timekeeping()
    rows = [
        (t("the clock says"), view.minute(found.now)),
        (t("last trusted"), view.minute(found.believed)),
        (t("clock"), view.doubted(found.doubted) if found.doubted else t("trusted")),
    ]
    if found.turns_ahead:
        rows.append((t("dated ahead"), view.ahead(found.turns_ahead)))
    for run in found.runs:
        said = t(
            "{faded} faded, {expired} expired; `loxodon unarchive --run {at}` undoes it",
            faded=run.faded,
            expired=run.expired,
            at=run.at.isoformat(),
        )
        rows.append((view.minute(run.at), said))
    return Outcome(found, lambda: view.pairs(rows))


def unarchive_run(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.unarchive_run(parse_instant(args.run, memory.now().tzinfo))
    return Outcome(
        found,
        lambda: print(tn("active again: {n} memory", "active again: {n} memories", len(found))),
    )


def _why_not(reason: str) -> str:
    return {
        "not due": t("not due yet; to run it now, omit --if-due"),
        "nothing is pending": t("no new messages; to run it anyway, add --force"),
        "another run did it": t("another run has just done it"),
        "switched off": t("the memory engine is turned off"),
    }[reason]


def counted() -> dict[str, str]:
    """What a run counts, as a person reads it."""
    return {
        "added": t("learned"),
        "updated": t("extended"),
        "repeated": t("repeated"),
        "superseded": t("superseded"),
        "corrected": t("corrected"),
        "retracted": t("no longer so"),
        "confirmed": t("beliefs confirmed"),
        "doubted": t("beliefs doubted"),
        "denied": t("beliefs dropped"),
        "unsettled": t("not settled"),
        "held": t("to review"),
        "put away": t("put away, as you asked"),
        "late": t("old news, stored as past"),
        "summaries": t("summaries renewed"),
        "days": t("days summarised"),
        "merged": t("duplicates merged"),
        "lifted": t("strengthened by use"),
        "returned": t("restored from the archive"),
        "faded": t("faded"),
        "expired": t("expired"),
        "cleared": t("cleaned up"),
        "redated": t("wrong dates corrected"),
        "embedded": t("embedded"),
        "waiting": t("left for a model or your agent"),
        "failed": t("put aside"),
    }


def embed(args: Namespace) -> Outcome:
    with opened(args) as memory, view.Bar(t("embedding")) as bar:
        found = Embedded(0, memory.status().embedding) if args.status else memory.embed(bar)

    def show() -> None:
        if not found.models:
            print(
                t("no embedder is configured; to set one, run `loxodon config embedder.kind use`")
            )
            return
        if not args.status:
            print(tn("{n} text embedded", "{n} texts embedded", found.embedded))
        view.pairs(view.coverage(found.models))

    return Outcome(found, show, 8 if any(one.error for one in found.models) else 0)


def review(args: Namespace) -> Outcome:
    with opened(args) as memory:
        if args.confirm is not None:
            return confirmed(memory, args.confirm, _shown_version(memory, args))
        if args.reject is not None:
            return rejected(memory, args.reject, args.version)
        if args.confirm_all is not None:
            return _confirm_all(memory, args)
        found, asked = memory.reviews(), asked_in(memory)

    def show() -> None:
        if not found and not asked:
            print(t("nothing to review"))
        for request in asked:
            _show_request(request)
        for one in found:
            _show_review(one)
        if found:
            print(
                t(
                    "answer with `loxodon review --confirm ID` or `--reject ID`, or just say it "
                    "in a conversation"
                )
            )

    return Outcome([*asked, *found], show)


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


def _show_request(one: Asked) -> None:
    """A request to forget, what was done, and the commands that end it."""
    asked = t("you asked on {day}: {text}", day=view.day(one.asked_at), text=one.request)
    print(f"{view.paint(one.id, 'bold')}  {view.safe(asked)}")
    for record in one.memories:
        print(f"    {record.id}  {view.safe(record.content)}")
    keep = f"loxodon review --reject {one.id}"
    if one.state == "unclear":
        told = t(
            "it is not clear what you mean, so nothing was done; delete what you mean with "
            "`{erase}`, or close this with `{keep}`",
            erase="loxodon forget ID",
            keep=keep,
        )
    else:
        if one.turns:
            print("    " + t("messages: {turns}", turns=", ".join(one.turns)))
        told = t(
            "archived, and no longer recalled; delete it permanently with `{erase}`, or bring it "
            "back with `{keep}`",
            erase=f"loxodon forget {one.id}",
            keep=keep,
        )
    print("  " + told)


def rejected(memory: Memory, id: str, version: int | None) -> Outcome:
    """Drop a belief; or undo a request to forget, and bring back what it put away."""
    if id.startswith("q_"):
        held = memory.release(id)
        return Outcome(held, lambda: print(t("kept, and recalled as before: {id}", id=held.id)))
    belief = memory.reject(id, version=version)
    return Outcome(belief, lambda: print(t("rejected {id}", id=belief.id)))


def confirmed(memory: Memory, id: str, version: int | None) -> Outcome:
    """Make a fact of a belief."""
    if id.startswith("q_"):
        raise UsageError(
            "{id} is a request to forget",
            hint="delete it permanently with `loxodon forget {id}`",
            id=id,
        )
    fact = memory.confirm(id, version=version)
    said = t("{id} is a fact now: {content}", id=fact.id, content=fact.content)
    return Outcome(fact, lambda: print(view.safe(said)))


def _shown_version(memory: Memory, args: Namespace) -> int | None:
    """The version of a belief that is confirmed; of one that was changed by others it is told."""
    if args.version is not None:
        return int(args.version)
    if args.confirm.startswith("q_"):
        return None
    record = memory.get(args.confirm)
    if record.version > 1 and not is_own(record.trust) and not args.as_agent:
        raise UsageError(
            "{id} was edited after it was saved; it now says: {content}",
            hint="if that is true, run `loxodon review --confirm {id} --version {version}`",
            id=record.id,
            content=view.safe(record.content),
            version=record.version,
        )
    return record.version


def _confirm_all(memory: Memory, args: Namespace) -> Outcome:
    """Make the user's own word of all that came from somewhere; what is held back stays so."""
    held = {one.memory for one in memory.quarantine("held", 0)}
    found = [
        one
        for one in memory.list()
        if one.trust == args.confirm_all and one.kind != "summary" and one.id not in held
    ]
    if found and not _agreed(args, found):
        return Outcome([], lambda: print(t("nothing was confirmed")))
    done = [memory.confirm(one.id, version=one.version) for one in reversed(found)]
    return Outcome(done, lambda: print(t("confirmed: {n}", n=len(done))))


def _agreed(args: Namespace, found: Sequence[Record]) -> bool:
    if args.yes:
        return True
    if args.json or not (sys.stdin and sys.stdin.isatty()):
        raise UsageError(
            "this confirms {n} memory as your own words, and there is no terminal to ask for "
            "confirmation",
            plural="this confirms {n} memories as your own words, and there is no terminal to ask "
            "for confirmation",
            hint="check them with `loxodon list`, then add --yes",
            n=len(found),
        )
    for one in found:
        print(f"{view.paint(one.id, 'bold')}  {view.safe(one.content)}")
    return input(t("Are all of these true? [y/N] ")).strip().lower() in AGREED


def _show_review(one: Review) -> None:
    """What is asked, and why."""
    version = f" v{one.belief.version}" if one.belief.version > 1 else ""
    name = view.paint(one.belief.id, "bold") + version
    print(f"{name}  {view.safe(one.belief.content)}")
    if one.against.id == one.belief.id and one.belief.kind == "belief":
        origin = whence(one.belief.trust, messages.current())
        print("  " + t("you have not confirmed this yet ({whence}): is it true?", whence=origin))
        return
    if one.against.id == one.belief.id:
        told = one.belief.confirmed_at or one.belief.created_at
        print("  " + t("is that still true? it was last mentioned on {day}", day=view.day(told)))
        return
    against = t("contradicts {id}: {content}", id=one.against.id, content=one.against.content)
    print("  " + view.safe(against))
    if one.belief.basis:
        print("  " + view.safe(t("because: {basis}", basis=one.belief.basis)))


def entities(args: Namespace) -> Outcome:
    with opened(args) as memory:
        if args.name is None:
            found = memory.entities()
            headings = ((t("name"), False), (t("type"), False), (t("also called"), True))
            rows = [(one.name, t(one.type), ", ".join(one.aliases)) for one in found]
            if not found:
                return Outcome(found, lambda: print(t("no entities yet")))
            return Outcome(found, lambda: view.table(headings, rows))
        card = memory.entity(args.name)
        records = [memory.get(id) for id in (*card.facts, *card.beliefs, *card.summaries)]

    def show() -> None:
        one = card.entity
        print(view.paint(view.safe(one.name), "bold"), f"({t(one.type)})")
        if one.aliases:
            print(view.safe(t("also called: {names}", names=", ".join(one.aliases))))
        for name, attribute in card.attributes.items():
            print(view.safe(f"  {name}: {attribute.value} ({view.day(attribute.updated_at)})"))
        view.records(records, more=False)

    return Outcome(card, show)


def profile(args: Namespace) -> Outcome:
    with opened(args) as memory:
        text = memory.profile(messages.current(), refresh=args.refresh)
    return Outcome({"profile": text}, lambda: print(view.safe(text)))
