"""`loxodon follow`: what was said to any agent, in the journal."""

from __future__ import annotations

import os
from argparse import Namespace

from loxodon.agents.openclaw.follow import agents_at, state_folder
from loxodon.cli import view
from loxodon.cli.connecting import check_agent
from loxodon.cli.openclaw import show_followed
from loxodon.cli.opening import Outcome, opened
from loxodon.errors import NotFoundError
from loxodon.journal.follow import check_found, found_agents
from loxodon.journal.transcripts import AGENTS
from loxodon.messages import t
from loxodon.types import Followed

_OPENCLAW = "openclaw"


def run(args: Namespace) -> Outcome:
    for name in args.agents:
        check_agent(name, [*AGENTS, _OPENCLAW])
    names = args.agents or followed_agents()
    if not names:
        raise NotFoundError(
            "no agent was found whose conversations can be followed",
            hint="known names: {names}",
            names=", ".join((*AGENTS, _OPENCLAW)),
        )
    for name in names:  # before a memory is made for nothing
        if name == _OPENCLAW:
            agents_at(state_folder(None, os.environ), ())
        else:
            check_found(name, AGENTS[name].folder(os.environ))
    found: dict[str, Followed] = {}
    with opened(args, make=True) as memory:
        for name in dict.fromkeys(names):
            with view.Bar(name) as bar:
                found[name] = (
                    memory.workspace.follow()
                    if name == _OPENCLAW
                    else memory.workspace.follow_agent(name, progress=bar)
                )
    return Outcome(found, lambda: _show(found))


def followed_agents() -> list[str]:
    """The agents on this machine whose conversations can be followed."""
    claw = os.path.isdir(os.path.join(state_folder(None, os.environ), "agents"))
    return [*found_agents(os.environ), *([_OPENCLAW] if claw else [])]


def _show(found: dict[str, Followed]) -> None:
    for name, one in found.items():
        print(t("{name}:", name=name))
        show_followed(one)
