"""What each command does. A command returns its data and how a person sees it; `run` prints one."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from loxodon import config as settings
from loxodon import messages
from loxodon.cli import view
from loxodon.cli.opening import Outcome, home_of, opened, root_of
from loxodon.cli.table import COMMANDS
from loxodon.clock import zone_named
from loxodon.errors import DamagedStoreError, InputError, LoxodonError, UsageError
from loxodon.guard.guard import Guard
from loxodon.messages import t, tn
from loxodon.security.actor import Actor, acting
from loxodon.spaces import has_space
from loxodon.tokens import counter
from loxodon.types import Problem, Record

if TYPE_CHECKING:
    from loxodon.status import Stats, Status

_FILTERS = ("project", "topic", "tag", "entity")
_LABELS = ("importance", "confidence", "entities", "tags", "project", "topic", "category")
_LISTED = 50
"""Memories or turns that a person is shown unless they ask for more."""


def run(args: Namespace) -> int:
    """Run the command of `args` and print its outcome; the exit code."""
    _speak(args)
    with acting(Actor("cli")):
        return _run(args)


def _run(args: Namespace) -> int:
    command = COMMANDS.get(args.command)  # else what is shown of Loxodon itself, to anybody
    if args.as_agent and command and not command.agents:
        from loxodon.store.walls import owners_only

        raise owners_only()
    view.mask_with(_mask(args) if command and command.masked else None)
    run = _in(*command.run.split(".")) if command and command.run else _RUN[args.command]
    outcome = run(args)
    if args.json:
        view.print_json(outcome.data)
    else:
        outcome.show()
    if waiting := getattr(args, "waiting", 0):
        hint = t("messages not learned from yet: {n}; run `loxodon consolidate`", n=waiting)
        print(t("hint: {hint}", hint=hint), file=sys.stderr)
    return outcome.code


def _mask(args: Namespace) -> Callable[[str], str]:
    guard = Guard.of(root_of(args))
    return lambda text: guard.shown(text, private=True, reveal=args.reveal)


def _speak(args: Namespace) -> None:
    """In the language that the home asks for; a broken config.toml is reported by who needs it."""
    try:
        language = settings.load(home_of(args)).language
    except LoxodonError:
        return
    if language != "auto":
        messages.use(language)


def _init(args: Namespace) -> Outcome:
    existed = has_space(root_of(args), args.space)
    if args.store and settings.load(home_of(args)).store.url != args.store:
        settings.write(home_of(args), "store.url", args.store)  # so that the next command has it
    with opened(args, make=True) as memory:
        data = {"home": memory.root, "space": memory.space, "created": not existed}
    said = (
        t("the memory at {home} (space {space}) is ready", **data)
        if existed
        else t("created a memory at {home} (space {space})", **data)
    )
    return Outcome(data, lambda: print(said))


def _add(args: Namespace) -> Outcome:
    from loxodon.cli.adding import check_names, how_to_say, read_files, session_names
    from loxodon.security.paths import named

    config = settings.load(home_of(args))
    for name in args.file:
        if name != "-":
            named(home_of(args), name)
    files, skipped = read_files(args.file, args.format, args.skip_bad, zone_named(config.timezone))
    check_names(args.me, files)
    results = []
    with opened(args, make=True) as memory, view.Bar(t("journalling")) as bar:
        for name, drafts in files:
            names = [args.session] if args.session else session_names(name, memory.now())
            results.append(memory.add_drafts(drafts, names, bar, me=args.me))
        is_new = memory.config.enabled and memory.status().last_consolidation is None
    strangers = {name: result.people for (name, _), result in zip(files, results, strict=True)}
    unfound = list(dict.fromkeys(one for result in results for one in result.unfound))
    data = {
        "added": sum(result.added for result in results),
        "known": sum(result.known for result in results),
        "changed": sum(result.changed for result in results),
        "paused": sum(result.paused for result in results),
        "forgotten": sum(result.forgotten for result in results),
        "sessions": list(dict.fromkeys(s for result in results for s in result.sessions)),
        "people": list(dict.fromkeys(one for result in results for one in result.people)),
        "claimed": (claimed := sum(result.claimed for result in results)),
        "asked": sum(result.asked for result in results),
        "unfound": unfound,
        "skipped": skipped,
    }

    def show() -> None:
        print(t("turns added: {added}, already known: {known}", **data))
        if data["changed"]:
            print(
                t(
                    "{changed} of those have the same id but a different text; the journal keeps "
                    "the first text",
                    **data,
                )
            )
        if data["paused"]:
            print(t("skipped {paused}: recording is paused, or was paused at their time", **data))
        if data["forgotten"]:
            print(t("skipped {forgotten}: they were forgotten before", **data))
        if claimed:
            print(
                tn(
                    "updated the author of {n} turn added before",
                    "updated the author of {n} turns added before",
                    claimed,
                )
            )
        if data["asked"]:
            print(t("requests to forget something: {asked}; see `loxodon review`", **data))
        for what in unfound:
            print(view.safe(t("nothing was found to forget about: {what}", what=what)))
        for name, people in strangers.items():
            for line in how_to_say(name, people):
                print(view.safe(line))
        if is_new and data["added"]:
            print(
                t(
                    "next: `loxodon consolidate` turns this into memories; "
                    "`loxodon recall` finds the messages already"
                )
            )
        for bad in skipped:
            print(t("skipped {file} line {line}: {message}", **bad), file=sys.stderr)

    return Outcome(data, show)


def _given_text(text: str) -> str:
    from loxodon.cli.adding import bytes_of

    if text != "-":
        return text
    try:
        return bytes_of("-").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "standard input is not UTF-8", hint="convert it with iconv, or set the locale to UTF-8"
        ) from None


def _named(args: Namespace, *names: str) -> dict[str, Any]:
    """Arguments that a verb takes as they were typed."""
    return {name: getattr(args, name) for name in names}


def _given_fields(args: Namespace, now: datetime) -> dict[str, Any]:
    """The fields of a memory that were typed."""
    fields = _named(args, *_LABELS, "audience")
    given = {name: value for name, value in fields.items() if value is not None}
    if args.expires is not None:
        never = args.expires.strip().lower() in ("never", "永不")
        given["expires_at"] = None if never else _deadline(args.expires, now)
    return given


def _deadline(text: str, now: datetime) -> datetime:
    """When something typed is over; `in two weeks` is the same weekday, not the end of a week."""
    from loxodon.text.dates import until

    moment = until(text, now)
    if moment is None:
        raise _no_date(text)
    if moment <= now:
        raise InputError("{text} is in the past", hint="give a time in the future", text=repr(text))
    return moment


def _capture(args: Namespace) -> Outcome:
    with opened(args, make=True) as memory:
        fields = _given_fields(args, memory.now())
        record = memory.capture(_given_text(" ".join(args.text)), args.type, **fields)
    return _one(record, t("remembered as {id}", id=record.id))


def _one(record: Record, said: str) -> Outcome:
    return Outcome(record, lambda: print(said))


def _moments(text: str, now: datetime) -> tuple[datetime, datetime]:
    """When something typed that lies in the past begins and ends."""
    from loxodon.text.dates import parse_past

    moment = parse_past(text, now)
    if moment is None:
        raise _no_date(text)
    return moment.since, moment.until


def _no_date(text: str) -> InputError:
    return InputError(
        "{text} is not a recognised date",
        hint="write 2026-02-04, yesterday, last week, 三天前 or 上个月",
        text=repr(text),
    )


def _between(args: Namespace, now: datetime) -> dict[str, Any]:
    since = _moments(args.since, now)[0] if args.since is not None else None
    until = _moments(args.until, now)[1] if args.until is not None else None
    return {"since": since, "until": until}


def _recall(args: Namespace) -> Outcome:
    with opened(args) as memory:
        now = memory.now()
        answer = memory.recall(
            " ".join(args.query),
            **_named(args, "top", "budget", "kind", "profile", "chat", "reveal", *_FILTERS),
            **_between(args, now),
            as_of=_moments(args.as_of, now)[1] if args.as_of is not None else None,
        )
        budget = memory.config.recall.budget if args.budget is None else args.budget
    data = answer if args.explain else answer._replace(trace=None)
    return Outcome(data, lambda: view.recall(answer, budget, args.explain))


def _context(args: Namespace) -> Outcome:
    soul = _soul(args) if args.soul is not None else None
    with opened(args) as memory:
        message = _given_text(" ".join(args.message))
        given = _named(args, "workspace", "chat", "top", "budget")
        frame = memory.assemble(message, soul=soul, **given)

    def show() -> None:
        from loxodon.cli import explaining

        if args.explain:
            explaining.frame(frame)
        else:
            print(view.safe(frame.text))

    recall = frame.recall and frame.recall._replace(trace=None)
    return Outcome(frame if args.explain else frame._replace(recall=recall), show)


def _soul(args: Namespace) -> str:
    from loxodon.cli.adding import bytes_of
    from loxodon.recall.assemble import SOUL_FILE
    from loxodon.security import paths

    home, path = home_of(args), args.soul
    if path != "-":
        path = paths.named(home, path, [os.path.join(home, SOUL_FILE)])
    return bytes_of(path).decode("utf-8-sig", "replace")


def _journal(args: Namespace) -> Outcome:
    if args.on is not None and (args.since is not None or args.until is not None):
        raise UsageError(
            "--on cannot be combined with --since or --until",
            hint="use either --on, or --since and --until",
        )
    with opened(args) as memory:
        now = memory.now()
        times = _between(args, now)
        if args.on is not None:
            since, until = _moments(args.on, now)
            times = {"since": since, "until": until}
        limit = args.limit if args.limit is not None else (0 if args.json else _LISTED + 1)
        found = memory.journal(" ".join(args.query), session=args.session, limit=limit, **times)
        held: dict[str, list[str]] = {}
        for one in [] if args.json else memory.quarantine("held", 0):
            held.setdefault(one.turn, []).append(one.id)
    more = args.limit is None and not args.json and len(found) > _LISTED
    shown = found[:_LISTED] if args.query else found[-_LISTED:]
    return Outcome(found, lambda: view.turns(shown if more else found, now.tzinfo, more, held))


def _list(args: Namespace) -> Outcome:
    if args.kind == "turn":
        raise UsageError("turns are not memories", hint="list turns with `loxodon journal`")
    if args.kind == "note":
        raise UsageError(
            "notes are not memories", hint="search notes with `loxodon recall --kind note`"
        )
    limit = args.limit if args.limit is not None else (0 if args.json else _LISTED + 1)
    with opened(args) as memory:
        given = _named(args, "kind", "state", "audience", *_FILTERS)
        found = memory.list(limit=limit, **given)
    more = args.limit is None and not args.json and len(found) > _LISTED
    return Outcome(found, lambda: view.records(found[:_LISTED] if more else found, more))


def _get(args: Namespace) -> Outcome:
    with opened(args) as memory:
        if args.id.startswith("t_") or ":" in args.id:
            turn = memory.turn(args.id)
            held = [one.id for one in memory.quarantine(limit=0) if one.turn == turn.ref]
            return Outcome(turn, lambda: view.turn(turn, held))
        if args.id.startswith("n_"):
            note = memory.note(args.id)
            return Outcome(note, lambda: view.note(note))
        record = memory.get(args.id)
    return Outcome(record, lambda: view.record(record))


def _edit(args: Namespace) -> Outcome:
    with opened(args) as memory:
        changes = _given_fields(args, memory.now())
        version = args.version
        if args.content is not None:
            changes["content"] = _given_text(args.content)
        if args.done is not None:
            changes["done"] = args.done == "yes"
        record = memory.get(args.id)
        if not changes:
            changes["content"] = _from_editor(record.content)
            version = record.version if version is None else version
        edited = memory.edit(args.id, version=version, **changes)
    if edited.version == record.version:
        return _one(edited, t("{id} is unchanged", id=edited.id))
    return _one(edited, t("{id} is now at version {version}", id=edited.id, version=edited.version))


def _from_editor(text: str) -> str:
    """The text as the user's editor leaves it."""
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "no change given",
            hint="give --content or another option, or set EDITOR to edit the text in your editor",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        try:
            code = subprocess.run([*shlex.split(editor), path]).returncode  # noqa: S603
            if code:
                raise OSError(0, t("exit code {code}", code=code))
            with open(path, encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError) as error:  # ValueError: a quote is open, or it is not UTF-8
            raise InputError(
                "the editor {editor} failed: {reason}",
                hint="the memory was not changed",
                editor=editor,
                reason=getattr(error, "strerror", None) or error,
            ) from None


def _tag(args: Namespace) -> Outcome:
    from loxodon.fields import retagged

    retagged((), args.changes)  # complains before anything is opened
    with opened(args) as memory:
        record = memory.get(args.id)
        tags = retagged(record.tags, args.changes)
        if tags != record.tags:
            record = memory.edit(args.id, version=record.version, tags=tags)
    said = t("{id} now has the tags {tags}", id=record.id, tags=", ".join(record.tags) or "—")
    return _one(record, said)


def _archive(args: Namespace) -> Outcome:
    with opened(args) as memory:
        record = memory.archive(args.id, version=args.version)
    return _one(record, t("archived {id}; `loxodon unarchive {id}` restores it", id=record.id))


def _unarchive(args: Namespace) -> Outcome:
    if bool(args.id) == bool(args.run):
        raise UsageError("give the id of a memory, or a run with --run")
    if args.run:
        return _in("knowledge", "unarchive_run")(args)
    with opened(args) as memory:
        record = memory.unarchive(args.id, version=args.version)
    return _one(record, t("{id} is active again", id=record.id))


def _history(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.history(args.id)
    return Outcome(found, lambda: view.versions(found))


def _snapshot(args: Namespace) -> Outcome:
    with opened(args) as memory:
        text = memory.snapshot(messages.current())
    return Outcome({"snapshot": text}, lambda: print(view.safe(text)))


def _status(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.status()
        has_model = bool(memory.config.model.name)
    if not found.enabled:
        return Outcome(found, lambda: view.pairs(_switched_off(found)))
    rows = [
        (t("home"), found.home),
        *([(t("database"), found.store)] if found.store else []),
        (t("space"), found.space),
        (t("journal"), _journal_size(found)),
        (
            t("memories"),
            t("{active} active, {archived} archived", active=found.active, archived=found.archived),
        ),
        (t("on disk"), f"{found.bytes / 1e6:.1f} MB"),
        (t("last turn"), view.minute(found.last_turn_at)),
        (t("last consolidation"), view.minute(found.last_consolidation)),
        (t("next consolidation"), view.minute(found.next_consolidation)),
        (t("to consolidate"), _to_do(found, has_model)),
        (t("on record"), found.audit_trouble or tn("{n} entry", "{n} entries", found.audited)),
        *view.coverage(found.embedding),
        *_troubles(found),
    ]
    return Outcome(found, lambda: view.pairs(rows))


def _switched_off(found: Status) -> list[tuple[str, str]]:
    waiting = tn(
        "{n} entry is kept in a file until it is turned on again",
        "{n} entries are kept in files until it is turned on again",
        found.pending,
    )
    return [
        (t("home"), found.home),
        (t("space"), found.space),
        (t("engine"), t("switched off")),
        (t("to take in"), waiting),
        *_troubles(found),
    ]


def _to_do(found: Status, has_model: bool) -> str:
    parts = [tn("{n} turn", "{n} turns", found.pending)]
    if found.waiting and has_model:
        parts.append(
            tn(
                "{n} fragment that a model or your agent can read",
                "{n} fragments that a model or your agent can read",
                found.waiting,
            )
        )
    if found.reviews:
        parts.append(
            tn(
                "{n} item to review (`loxodon review`)",
                "{n} items to review (`loxodon review`)",
                found.reviews,
            )
        )
    if found.reminders:
        parts.append(
            tn(
                "{n} plan past due (`loxodon schedule`)",
                "{n} plans past due (`loxodon schedule`)",
                found.reminders,
            )
        )
    return ", ".join(parts)


def _troubles(found: Status) -> list[tuple[str, str]]:
    """What somebody should look at."""
    rows = []
    if found.paused:
        from loxodon.cli.control import paused

        rows.append((t("paused"), paused(found.paused)))
    if found.clock:
        rows.append((t("clock"), view.doubted(found.clock)))
    if found.turns_ahead:
        rows.append((t("dated ahead"), view.ahead(found.turns_ahead)))
    if found.stopped:
        reason = found.error or t("it was interrupted")
        stopped = tn(
            "stopped after {n} attempt: {reason}; retry with `loxodon consolidate --force`",
            "stopped after {n} attempts: {reason}; retry with `loxodon consolidate --force`",
            found.attempts,
            reason=reason,
        )
        rows.append((t("consolidation"), stopped))
    elif found.phase:
        rows.append((t("consolidation"), t("at phase {phase}", phase=found.phase)))
    if found.views:
        rows.append((t("text views"), t("not written: {reason}", reason=found.views)))
    if found.failing:
        rows.append(
            (
                t("failing"),
                t(
                    "{names}; for the reason, see `loxodon schedule`",
                    names=", ".join(found.failing),
                ),
            )
        )
    if found.failed:
        names = ", ".join(found.aside) + (", …" if found.failed > len(found.aside) else "")
        aside = tn(
            "{n} message could not be processed: {names}; it stays in the journal",
            "{n} messages could not be processed: {names}; they stay in the journal",
            found.failed,
            names=names,
        )
        rows.append((t("put aside"), aside))
    return rows


def _journal_size(found: Status | Stats) -> str:
    sessions = tn("{n} session", "{n} sessions", found.sessions)
    return t("{turns} in {sessions}", turns=view.turn_count(found.turns), sessions=sessions)


def _stats(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.stats()

    def share(n: int) -> str:
        return f"{n} ({n / found.total:.0%})" if found.total else "0"

    bands = {
        "critical": t("critical (0.9–1.0)"),
        "high": t("high (0.7–0.9)"),
        "medium": t("medium (0.4–0.7)"),
        "low": t("low (0–0.4)"),
    }
    kinds = {"fact": t("facts"), "belief": t("beliefs"), "summary": t("summaries")}
    rows = [
        (
            t("memories"),
            t(
                "{total}: {active} active, {archived} archived",
                total=found.total,
                active=found.active,
                archived=found.archived,
            ),
        ),
        *((f"  {label}", share(found.kinds.get(kind, 0))) for kind, label in kinds.items()),
        (t("importance"), ""),
        *((f"  {label}", share(found.importance[band])) for band, label in bands.items()),
        (t("expected"), t("about {active} active, at most {total} in all", **found.expected)),
        (t("entities"), str(found.entities)),
        (t("journal"), _journal_size(found)),
        (t("events"), str(found.events)),
        (t("last consolidation"), view.minute(found.last_consolidation)),
        (t("next consolidation"), view.minute(found.next_consolidation)),
        *view.coverage(found.embedding),
        (t("model tokens"), "" if found.ledger else t("none")),
        *(
            (
                f"  {one.day} {one.phase}",
                tn(
                    "{tokens} in {n} call",
                    "{tokens} in {n} calls",
                    one.calls,
                    tokens=one.tokens_in + one.tokens_out,
                ),
            )
            for one in found.ledger[:_LISTED]
        ),
    ]
    return Outcome(found, lambda: view.pairs(rows))


def _validate(args: Namespace) -> Outcome:
    ahead = 0
    try:
        with opened(args) as memory, view.Bar(t("checking")) as bar:
            found = memory.validate(bar)
            ahead = 0 if found or not memory.config.enabled else memory.status().turns_ahead
    except DamagedStoreError as error:
        message, hint = error.localized()
        found = [Problem(home_of(args), message, hint)]
    data = {"ok": not found, "problems": found, "turns_ahead": ahead}

    def show() -> None:
        view.problems(found)
        if ahead:  # no damage: the words are as they were said
            print(view.ahead(ahead))

    return Outcome(data, show, 7 if found else 0)


def _rebuild_index(args: Namespace) -> Outcome:
    with opened(args) as memory, view.Bar(t("indexing")) as bar:
        rows = memory.rebuild_index(bar)
    return Outcome(
        {"indexed": rows}, lambda: print(tn("{n} row indexed", "{n} rows indexed", rows))
    )


def _config(args: Namespace) -> Outcome:
    home = home_of(args)
    if args.unset and not args.key:
        raise UsageError(
            "--unset needs the name of a setting",
            hint="list all settings with `loxodon config --all`",
        )
    if args.key and (args.value is not None or args.unset):
        if args.key == "tokenizer" and args.value:
            counter(args.value)  # says what to install, before every recall would
        settings.write(home, args.key, None if args.unset else args.value)
        if args.key not in settings.KEYS:  # something unknown was taken out
            return Outcome({}, lambda: None)
    config = settings.load(home)
    values = settings.shown(config)
    if args.key:
        settings.known(args.key)
        value = values[args.key]
        return Outcome({args.key: value}, lambda: print(settings.written(value)))
    main = () if args.all else (*settings.MAIN, *settings.changed(config))
    names = list(dict.fromkeys(main or values))
    rows = [(one, settings.written(values[one]), t(settings.KEYS[one].about)) for one in names]
    headings = ((t("setting"), False), (t("value"), False), (t("what it does"), True))

    def show() -> None:
        view.table(headings, rows)
        if left := len(values) - len(names):
            print(t("{n} more settings: `loxodon config --all`", n=left))

    return Outcome({name: values[name] for name in names}, show)


def _usage(args: Namespace) -> Outcome:
    return Outcome({"usage": args.text}, lambda: print(args.text, end=""))


def _version(args: Namespace) -> Outcome:
    from loxodon import __version__

    return Outcome({"version": __version__}, lambda: print(f"loxodon {__version__}"))


def _in(module: str, name: str) -> Callable[[Namespace], Outcome]:
    """A command of another module, which is imported when the command is asked for."""

    def run(args: Namespace) -> Outcome:
        from importlib import import_module

        found: Outcome = getattr(import_module(f"loxodon.cli.{module}"), name)(args)
        return found

    return run


def _export(args: Namespace) -> Outcome:
    return _in("control", "export_about")(args) if args.about else _in("exporting", "run")(args)


_RUN: dict[str, Callable[[Namespace], Outcome]] = {
    "init": _init,
    "add": _add,
    "capture": _capture,
    "recall": _recall,
    "context": _context,
    "journal": _journal,
    "list": _list,
    "get": _get,
    "edit": _edit,
    "tag": _tag,
    "archive": _archive,
    "unarchive": _unarchive,
    "history": _history,
    "snapshot": _snapshot,
    "status": _status,
    "stats": _stats,
    "validate": _validate,
    "rebuild-index": _rebuild_index,
    "config": _config,
    "export": _export,
    "help": _in("help", "overview"),
    "usage": _usage,
    "version": _version,
}
