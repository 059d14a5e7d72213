"""`loxodon hook`: what an agent's hooks run. It never fails: an agent would take that for an answer
to the person's prompt, and stop."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from datetime import UTC, datetime

from loxodon.cli.opening import Outcome, opened
from loxodon.errors import LoxodonError
from loxodon.spaces import home_at


def run(args: Namespace) -> Outcome:
    found: dict[str, object] = {}
    try:
        found = _answered(args)
    except Exception as error:
        said = error.localized()[0] if isinstance(error, LoxodonError) else repr(error)
        _note(args, said)
    args.json = False  # an agent reads one form only
    return Outcome(found, lambda: print(json.dumps(found)) if found else None)


def _answered(args: Namespace) -> dict[str, object]:
    from loxodon.agents.hooks import action_of, answer
    from loxodon.cli.adding import bytes_of

    action = action_of(args.on, args.event)
    request = json.loads(bytes_of("-"))
    with opened(args, make=True) as memory:
        request = request if isinstance(request, dict) else {}
        found, problems = answer(memory, args.on, args.event, request)
        home, space = memory.home, memory.space
    for problem in problems:
        _note(args, problem)
    if action == "end":
        _consolidate(home, space)
    return found


def _consolidate(home: str, space: str) -> None:
    """Consolidate where it is due, on its own: the agent does not wait for it, and may be gone."""
    import subprocess

    from loxodon.agents.supported import command_of

    subprocess.Popen(  # noqa: S603 our own program
        [*command_of(home, space), "consolidate", "--if-due"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home,
        start_new_session=True,
    )


def _note(args: Namespace, said: str) -> None:
    from loxodon.agents.hooks import note

    at = datetime.now(UTC).isoformat(timespec="seconds")
    note(os.path.abspath(home_at(args.home)), f"{at} {args.on} {args.event}: {said}")
