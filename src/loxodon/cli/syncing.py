"""The commands that take in what changes in the workspace."""

from __future__ import annotations

import json
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterable
from threading import Event

from loxodon.agents.openclaw.follow import state_folder
from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.errors import InputError, LoxodonError, StaleEditError
from loxodon.journal.follow import found_agents
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.types import FileProblem, Synced
from loxodon.views.watch import Round, watch

_SHOWN = 80


def run_sync(args: Namespace) -> Outcome:
    with opened(args) as memory:
        found = memory.workspace.sync(deletions=args.deletions, dry_run=args.dry_run)
        lines = _lines(memory, found)
    code = StaleEditError.exit_code if found.conflicts else 0
    code = code or (InputError.exit_code if found.problems else 0)

    def show() -> None:
        print("\n".join(lines) or t("nothing was changed"))
        _complain(found)

    return Outcome(found, show, code)


def run_watch(args: Namespace) -> Outcome:
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with opened(args) as memory:
        tell = _Telling(memory, args.json)
        agents = found_agents(os.environ) if args.follow else []
        claw = state_folder(args.state, os.environ)
        # Where no agent is there, following OpenClaw says so.
        follows = args.state or (args.follow and (os.path.isdir(claw) or not agents))
        watch(memory.workspace, stop, tell, claw if follows else None, agents)
    args.json = False  # each round was printed when it came
    return Outcome({}, lambda: None)


class _Telling:
    """Prints the rounds of a watcher as they come; as JSON one document a line."""

    def __init__(self, memory: Memory, as_json: bool) -> None:
        self._memory = memory
        self._as_json = as_json
        self._begun = False

    def __call__(self, round: Round) -> None:
        if self._as_json:
            self._print(json.dumps(_document(round), ensure_ascii=False))
            return
        if not self._begun:
            self._begun = True
            path = self._memory.workspace.path
            self._print(t("watching {path}; press Ctrl-C to stop", path=path))
        lines = _lines(self._memory, round.synced)
        if round.followed and round.followed.added:
            lines.append(
                t(
                    "turns added: {added}, already known: {known}",
                    added=round.followed.added,
                    known=round.followed.known,
                )
            )
        for line in lines:
            self._print(line)
        _complain(round.synced, round.followed.problems if round.followed else ())
        if round.error:
            print(t("error: {message}", message=_told(round.error)), file=sys.stderr, flush=True)

    def _print(self, text: str) -> None:
        print(text, flush=True)


def _document(round: Round) -> dict[str, object]:
    found: dict[str, object] = view.plain(round._replace(error=None))
    if round.error:
        message, hint = round.error.localized()
        found["error"] = {"code": round.error.code, "message": message, "hint": hint}
    return found


def _lines(memory: Memory, found: Synced) -> list[str]:
    """What was done, a line for each memory."""
    done = [
        (t("added"), found.added),
        (t("edited"), found.edited),
        (t("archived"), found.archived),
        (t("unarchived"), found.unarchived),
    ]
    lines = [view.safe(f"{what} {id}{_content(memory, id)}") for what, ids in done for id in ids]
    if found.indexed.read or found.indexed.removed:
        lines.append(
            t(
                "notes read: {read}, removed: {removed}",
                read=found.indexed.read,
                removed=found.indexed.removed,
            )
        )
    return lines


def _content(memory: Memory, id: str) -> str:
    if ":" in id:  # a place in a file: of a dry run
        return ""
    first = memory.get(id).content.split("\n", 1)[0]
    return f": {first[:_SHOWN]}…" if len(first) > _SHOWN else f": {first}"


def _complain(found: Synced, more: Iterable[FileProblem] = ()) -> None:
    """What was not taken, to stderr."""
    _say(t("conflict"), found.conflicts)
    _say(t("problem"), (*found.problems, *found.indexed.problems, *more))
    _say(t("note"), found.notes)


def _say(what: str, problems: Iterable[FileProblem]) -> None:
    for one in problems:
        place = t("{file} line {line}", file=one.file, line=one.line) if one.line else one.file
        print(view.safe(f"{what}: {place}: {one.what}"), file=sys.stderr)
        if one.hint:
            print("  " + view.safe(t("hint: {hint}", hint=one.hint)), file=sys.stderr, flush=True)


def _told(error: LoxodonError) -> str:
    message, hint = error.localized()
    return f"{message} ({hint})" if hint else message
