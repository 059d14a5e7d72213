"""What each command does. A command returns its data and how a person sees it; `run` prints one."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon import messages
from loxodon.clock import fixed_clock, parse_instant, system_clock, zone_named
from loxodon.errors import InputError, UsageError
from loxodon.memory import Memory, Stats, Status
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.parser import COMMANDS
from loxodon.spaces import space_folder, space_path
from loxodon.tokens import counter
from loxodon.types import Draft, Record

_LISTED = 50
"""Memories or turns that a person is shown unless they ask for more."""


class Outcome(NamedTuple):
    """What a command found."""

    data: object
    show: Callable[[], None]
    code: int = 0


def run(args: Namespace) -> int:
    """Run the command of `args` and print its outcome; the exit code."""
    outcome = _RUN[args.command](args)
    if args.json:
        view.print_json(outcome.data)
    else:
        outcome.show()
    return outcome.code


def _home(args: Namespace) -> str:
    home: str = args.home
    return os.path.abspath(os.path.expanduser(home))


def _open(args: Namespace, *, make: bool = False) -> Memory:
    """The memory that the global options name; one that is not there is made only if asked for."""
    home = _home(args)
    config = settings.load(home)
    if config.language != "auto":
        messages.use(config.language)
    if not make:
        space_folder(home, args.space, make=False)
    zone = zone_named(config.timezone)
    clock = system_clock(zone)
    if args.now:
        clock = fixed_clock(parse_instant(args.now, zone).astimezone(zone))
    return Memory.open(home, args.space, config, clock)


def _init(args: Namespace) -> Outcome:
    existed = os.path.exists(space_path(_home(args), args.space))
    with _open(args, make=True) as memory:
        data = {"home": memory.home, "space": memory.space, "created": not existed}
    said = t("the memory at {home} (space {space}) is ready", **data) if existed else t(
        "made a memory at {home} (space {space})", **data
    )  # fmt: skip
    return Outcome(data, lambda: print(said))


def _add(args: Namespace) -> Outcome:
    from loxodon.workspace.readers import read

    read_all: list[tuple[str, list[Draft]]] = []
    skipped: list[dict[str, object]] = []
    zone = zone_named(settings.load(_home(args)).timezone)
    for name in args.file:
        reading = read(_bytes_of(name), name, args.format, zone)
        if reading.problems and not args.skip_bad:
            raise InputError(
                "{file}: {n} lines cannot be taken, so none was",
                hint="correct them, or take the good ones with --skip-bad",
                problems=reading.problems, file=name, n=len(reading.problems),
            )  # fmt: skip
        if not reading.drafts and not reading.problems:
            raise InputError(
                "{file} has no turns in it",
                hint="a line is {example}; or name the format with --format",
                file=name, example='{"role": "user", "content": "…"}',
            )  # fmt: skip
        read_all.append((name, reading.drafts))
        skipped += [
            {"file": name, "line": line, "message": error.localized()[0]}
            for line, error in reading.problems
        ]
    return _journalled(args, read_all, skipped)


def _journalled(
    args: Namespace, read_all: list[tuple[str, list[Draft]]], skipped: list[dict[str, object]]
) -> Outcome:
    added = known = 0
    sessions: dict[str, None] = {}
    with _open(args, make=True) as memory, view.Bar(t("journalling")) as bar:
        for name, drafts in read_all:
            stem = os.path.splitext(os.path.basename(name))[0]
            session = args.session or ("stdin" if name == "-" else stem)
            result = memory.add(drafts, session, bar)
            added += result.added
            known += result.known
            sessions |= dict.fromkeys(result.sessions)

    def show() -> None:
        print(t("{added} turns added, {known} already known", added=added, known=known))
        for bad in skipped:
            print(t("skipped {file} line {line}: {message}", **bad), file=sys.stderr)

    data = {"added": added, "known": known, "sessions": list(sessions), "skipped": skipped}
    return Outcome(data, show)


def _bytes_of(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}", hint="check the name and its permissions",
            file=name, reason=error.strerror or str(error),
        ) from None  # fmt: skip


def _given_text(text: str) -> str:
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "standard input is not UTF-8", hint="convert it with iconv, or set the locale to UTF-8"
        ) from None


def _given_fields(args: Namespace, now: datetime) -> dict[str, Any]:
    """The fields of a memory that were typed."""
    names = ("importance", "confidence", "entities", "tags", "project", "topic", "category")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if args.expires is not None:
        given["expires_at"] = _moments(args.expires, now)[1] if args.expires else None
    return given


def _capture(args: Namespace) -> Outcome:
    with _open(args, make=True) as memory:
        fields = _given_fields(args, memory.now())
        record = memory.capture(_given_text(args.text), args.type, **fields)
    return _one(record, t("remembered as {id}", id=record.id))


def _one(record: Record, said: str) -> Outcome:
    return Outcome(record, lambda: print(said))


def _moments(text: str, now: datetime) -> tuple[datetime, datetime]:
    """When something typed begins and ends."""
    from loxodon.text.dates import parse_moment

    moment = parse_moment(text, now)
    if moment is None:
        raise InputError(
            "{text} is not a date that can be understood",
            hint="write 2026-02-04, yesterday, last week, 三天前 or 上个月",
            text=repr(text),
        )
    return moment.since, moment.until


def _between(args: Namespace, now: datetime) -> dict[str, datetime | None]:
    since = _moments(args.since, now)[0] if args.since else None
    until = _moments(args.until, now)[1] if args.until else None
    return {"since": since, "until": until}


def _recall(args: Namespace) -> Outcome:
    with _open(args) as memory:
        answer = memory.recall(
            " ".join(args.query), args.top, args.budget, kind=args.kind, project=args.project,
            topic=args.topic, tag=args.tag, entity=args.entity, **_between(args, memory.now()),
        )  # fmt: skip
        budget = memory.config.recall.budget if args.budget is None else args.budget
    return Outcome(answer, lambda: view.recall(answer, budget, args.explain))


def _journal(args: Namespace) -> Outcome:
    with _open(args) as memory:
        times = _between(args, memory.now())
        if args.on:
            since, until = _moments(args.on, memory.now())
            times = {"since": since, "until": until}
        limit = args.limit if args.limit is not None else (0 if args.json else _LISTED)
        found = memory.journal(" ".join(args.query), session=args.session, limit=limit, **times)
    return Outcome(found, lambda: view.turns(found) if found else print(t("no turns")))


def _list(args: Namespace) -> Outcome:
    if args.kind == "turn":
        raise UsageError("turns are not memories", hint="`loxodon journal` shows them")
    with _open(args) as memory:
        found = memory.list(
            kind=args.kind, state=args.state, project=args.project, topic=args.topic,
            tag=args.tag, entity=args.entity, limit=args.limit or 0,
        )  # fmt: skip
    shown = found if args.limit is not None else found[:_LISTED]
    return Outcome(found, lambda: view.records(shown, len(found)))


def _get(args: Namespace) -> Outcome:
    with _open(args) as memory:
        if args.id.startswith("t_"):
            turn = memory.turn(args.id)
            return Outcome(turn, lambda: view.turn(turn))
        record = memory.get(args.id)
    return Outcome(record, lambda: view.record(record))


def _edit(args: Namespace) -> Outcome:
    with _open(args) as memory:
        changes = _given_fields(args, memory.now())
        version = args.version
        if args.content is not None:
            changes["content"] = _given_text(args.content)
        if not changes:
            record = memory.get(args.id)
            changes["content"] = _from_editor(record.content)
            version = record.version if version is None else version
        record = memory.edit(args.id, version=version, **changes)
    return _one(record, t("{id} is now at version {version}", id=record.id, version=record.version))


def _from_editor(text: str) -> str:
    """The text as the user's editor leaves it."""
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "nothing to change was given",
            hint="give --content or another field, or set EDITOR to edit the words in it",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        try:
            subprocess.run([*shlex.split(editor), path], check=True)  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            raise UsageError(
                "the editor {editor} failed: {reason}", hint="the memory was not changed",
                editor=editor, reason=error,
            ) from None  # fmt: skip
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()


def _tag(args: Namespace) -> Outcome:
    for change in args.changes:
        if change[0] not in "+-" or not change[1:].strip():
            raise UsageError(
                "{change} is not a change of tags", hint="write +name or -name", change=repr(change)
            )
    with _open(args) as memory:
        record = memory.get(args.id)
        tags = dict.fromkeys(record.tags)
        for change in args.changes:
            name = change[1:].strip()
            if change[0] == "+":
                tags[name] = None
            else:
                tags.pop(name, None)
        if tuple(tags) != record.tags:
            record = memory.edit(args.id, version=record.version, tags=tuple(tags))
    said = t("{id} has the tags {tags}", id=record.id, tags=", ".join(record.tags) or "—")
    return _one(record, said)


def _archive(args: Namespace) -> Outcome:
    with _open(args) as memory:
        record = memory.archive(args.id, version=args.version)
    return _one(
        record, t("{id} is archived; `loxodon unarchive {id}` brings it back", id=record.id)
    )


def _unarchive(args: Namespace) -> Outcome:
    with _open(args) as memory:
        record = memory.unarchive(args.id, version=args.version)
    return _one(record, t("{id} is active again", id=record.id))


def _history(args: Namespace) -> Outcome:
    with _open(args) as memory:
        found = memory.history(args.id)
    return Outcome(found, lambda: view.versions(found))


def _snapshot(args: Namespace) -> Outcome:
    with _open(args) as memory:
        text = memory.snapshot(messages.current())
    return Outcome({"snapshot": text}, lambda: print(view.safe(text)))


def _status(args: Namespace) -> Outcome:
    with _open(args) as memory:
        found = memory.status()
    rows = [
        (t("home"), found.home),
        (t("space"), found.space),
        (t("journal"), _journal_size(found)),
        (t("memories"), t("{active} active, {archived} archived",
                          active=found.active, archived=found.archived)),
        (t("on disk"), f"{found.bytes / 1e6:.1f} MB"),
        (t("last turn"), view.minute(found.last_turn_at)),
        (t("last consolidation"), view.minute(found.last_consolidation)),
        (t("next consolidation"), view.minute(found.next_consolidation)),
    ]  # fmt: skip
    return Outcome(found, lambda: view.pairs(rows))


def _journal_size(found: Status | Stats) -> str:
    return t("{turns} turns in {sessions} sessions", turns=found.turns, sessions=found.sessions)


def _stats(args: Namespace) -> Outcome:
    with _open(args) as memory:
        found = memory.stats()

    def share(n: int) -> str:
        return f"{n} ({n / found.total:.0%})" if found.total else "0"

    bands = {
        "critical": t("critical (0.9–1.0)"), "high": t("high (0.7–0.9)"),
        "medium": t("medium (0.4–0.7)"), "low": t("low (0–0.4)"),
    }  # fmt: skip
    kinds = {"fact": t("facts"), "belief": t("beliefs"), "summary": t("summaries")}
    rows = [
        (t("memories"), t("{total}: {active} active, {archived} archived", total=found.total,
                          active=found.active, archived=found.archived)),
        *((f"  {label}", share(found.kinds.get(kind, 0))) for kind, label in kinds.items()),
        (t("importance"), ""),
        *((f"  {label}", share(found.importance[band])) for band, label in bands.items()),
        (t("journal"), _journal_size(found)),
        (t("last consolidation"), view.minute(found.last_consolidation)),
        (t("next consolidation"), view.minute(found.next_consolidation)),
    ]  # fmt: skip
    return Outcome(found, lambda: view.pairs(rows))


def _validate(args: Namespace) -> Outcome:
    with _open(args) as memory, view.Bar(t("checking")) as bar:
        found = memory.validate(bar)
    data = {"ok": not found, "problems": found}
    return Outcome(data, lambda: view.problems(found), 7 if found else 0)


def _rebuild_index(args: Namespace) -> Outcome:
    with _open(args) as memory, view.Bar(t("indexing")) as bar:
        rows = memory.rebuild_index(bar)
    return Outcome({"indexed": rows}, lambda: print(t("{n} rows indexed", n=rows)))


def _config(args: Namespace) -> Outcome:
    home = _home(args)
    if args.key and (args.value is not None or args.unset):
        if args.key == "tokenizer" and args.value:
            counter(args.value)  # says what to install, before every recall would
        os.makedirs(home, mode=0o700, exist_ok=True)
        settings.write(home, args.key, None if args.unset else args.value)
    values = settings.flat(settings.load(home))
    if args.key:
        settings.known(args.key)
        value = values[args.key]
        return Outcome({args.key: value}, lambda: print(value))
    rows = [(key, str(value), t(settings.KEYS[key].about)) for key, value in values.items()]
    headings = ((t("setting"), False), (t("value"), False), (t("what it does"), True))
    return Outcome(values, lambda: view.table(headings, rows))


def _help(args: Namespace) -> Outcome:
    commands = {name: t(about) for name, (about, _) in COMMANDS.items()}

    def show() -> None:
        print(t("Long-term memory for AI agents, on your own machine."))
        print()
        print("loxodon [--home DIR] [--space NAME] [--now ISO] [--json] COMMAND …")
        print()
        width = max(map(len, commands))
        for name, about in commands.items():
            print(f"  {name:{width}}  {about}")
        print()
        print(t("--home DIR    where the memory is (LOXODON_HOME, else ~/.loxodon)"))
        print(t("--space NAME  whose memory: spaces never see each other (main)"))
        print(t("--now ISO     pretend that it is this moment (LOXODON_NOW)"))
        print(t("--json        print one JSON document"))
        print()
        print(t("`loxodon COMMAND --help` says more about one."))

    return Outcome({"commands": commands}, show)


def _version(args: Namespace) -> Outcome:
    from loxodon import __version__

    return Outcome({"version": __version__}, lambda: print(f"loxodon {__version__}"))


_RUN: dict[str, Callable[[Namespace], Outcome]] = {
    "init": _init,
    "add": _add,
    "capture": _capture,
    "recall": _recall,
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
    "help": _help,
    "version": _version,
}
