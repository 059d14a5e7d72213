"""`loxodon openclaw`: what has to do with an OpenClaw beside this memory."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import NamedTuple

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.errors import InputError, UsageError
from loxodon.messages import t
from loxodon.types import Followed


class _Action(NamedTuple):
    run: Callable[[Namespace], Outcome]
    takes: tuple[str, ...]
    """The options that mean something to it, as `args` calls them."""


def run(args: Namespace) -> Outcome:
    action = ACTIONS[args.action]
    known = {name for one in ACTIONS.values() for name in one.takes}
    for name in sorted(known - set(action.takes)):
        if getattr(args, name):
            raise UsageError(
                "`loxodon openclaw {action}` does not accept --{option}",
                hint="see `loxodon openclaw --help`",
                action=args.action,
                option=name.replace("_", "-"),
            )
    return action.run(args)


def _follow(args: Namespace) -> Outcome:
    from loxodon.agents.openclaw.follow import agents_at, state_folder

    agents = tuple(args.agent or ())
    agents_at(state_folder(args.state, os.environ), agents)  # before a memory is made for nothing
    with opened(args, make=True) as memory:
        found = memory.workspace.follow(args.state, agents)
    return Outcome(found, lambda: show_followed(found))


def show_followed(found: Followed) -> None:
    print(t("turns added: {added}, already known: {known}", added=found.added, known=found.known))
    print(
        t(
            "transcripts read: {read}, unchanged: {unchanged}, without a person: {skipped}",
            read=found.read,
            unchanged=found.unchanged,
            skipped=found.skipped,
        )
    )
    if found.changed:
        print(
            t(
                "{changed} of those have the same id but a different text; the journal keeps the "
                "first text",
                changed=found.changed,
            )
        )
    for one in found.problems:
        said = t("{file} line {line}: {what}", file=one.file, line=one.line, what=one.what)
        print(view.safe(said if one.line else f"{one.file}: {one.what}"), file=sys.stderr)


def _answer(args: Namespace) -> Outcome:
    """What the plugin asks on standard input; always answered as JSON."""
    import json

    from loxodon.agents.openclaw.answer import answer
    from loxodon.cli.adding import bytes_of

    try:
        request = json.loads(bytes_of("-"))
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise InputError(
            "standard input is not a JSON object",
            hint="this command is for OpenClaw's plugin, not for direct use",
        )
    with opened(args, make=True) as memory:
        found = answer(memory.workspace, request)
    return Outcome(found, lambda: view.print_json(found))


def _setup(name: str) -> Callable[[Namespace], Outcome]:
    """A command of `openclaw_setup.py`, which is imported when one of them is asked for."""

    def run(args: Namespace) -> Outcome:
        from loxodon.cli import openclaw_setup

        found: Outcome = getattr(openclaw_setup, name)(args)
        return found

    return run


ACTIONS: dict[str, _Action] = {
    "follow": _Action(_follow, ("state", "agent")),
    "install": _Action(_setup("install"), ("state", "workspace", "dry_run", "yes")),
    "uninstall": _Action(_setup("uninstall"), ("dry_run", "yes")),
    "status": _Action(_setup("status"), ()),
    "answer": _Action(_answer, ()),
}
