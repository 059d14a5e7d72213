"""`loxodon hook`: what an agent's hooks run. It never fails: an agent would take that for an answer
to the person's prompt, and stop."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from datetime import UTC, datetime

from loxodon.cli.opening import Outcome, opened
from loxodon.errors import LoxodonError
from loxodon.models.command import READING
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
    from loxodon.agents.hooks import action_of, answer, succeeded
    from loxodon.cli.adding import bytes_of

    action_of(args.on, args.event)  # before a memory is made for nothing
    request = json.loads(bytes_of("-"))
    if os.environ.get(READING):  # an agent that reads for us is not the person's
        return {}
    with opened(args, make=True) as memory:
        request = request if isinstance(request, dict) else {}
        found, problems = answer(memory, args.on, args.event, request)
        home = memory.home
    for problem in problems:
        _note(args, problem)
    if not problems:
        succeeded(home, args.on, args.event)
    return found


def _note(args: Namespace, said: str) -> None:
    from loxodon.agents.hooks import note

    at = datetime.now(UTC).isoformat(timespec="seconds")
    note(os.path.abspath(home_at(args.home)), f"{at} {args.on} {args.event}: {said}")
