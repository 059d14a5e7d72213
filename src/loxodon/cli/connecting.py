"""`loxodon connect`: Loxodon in the agent that a person has."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable

from loxodon.agents.connect import plan_connect, plan_remove, recorded, state_of
from loxodon.agents.hooks import noted
from loxodon.agents.supported import AGENTS, command_of, folder_of
from loxodon.cli import view
from loxodon.cli.changing import agreed, outcome
from loxodon.cli.opening import Outcome, home_of, opened
from loxodon.errors import ConfigError, UsageError, install_hint
from loxodon.messages import t

_OPENCLAW = "openclaw"
_STATUS = "status"


def run(args: Namespace) -> Outcome:
    if args.agent == _STATUS:
        for option in ("remove", "dry_run", "yes"):
            if getattr(args, option):
                raise UsageError(
                    "`loxodon connect status` does not accept --{option}",
                    hint="name the agent: loxodon connect AGENT --{option}",
                    option=option.replace("_", "-"),
                )
        return _status(args)
    check_agent(args.agent, [*AGENTS, _OPENCLAW, _STATUS])
    if args.agent == _OPENCLAW:
        from loxodon.cli import openclaw_setup

        args.state = args.workspace = None
        return openclaw_setup.uninstall(args) if args.remove else openclaw_setup.install(args)
    return _remove(args) if args.remove else _connect(args)


def check_agent(name: str, known: Iterable[str]) -> None:
    """Refuse an agent that there is not, and name the one that was probably meant."""
    from difflib import get_close_matches

    names = list(known)
    if name in names:
        return
    if near := get_close_matches(name.lower(), names, n=1, cutoff=0.5):
        raise UsageError(
            "unknown agent {name}", hint="did you mean {near}?", name=repr(name), near=near[0]
        )
    raise UsageError(
        "unknown agent {name}", hint="known names: {names}", name=repr(name), names=", ".join(names)
    )


def _connect(args: Namespace) -> Outcome:
    agent, home = AGENTS[args.agent], home_of(args)
    if agent.serves:
        _check_sdk()
    command = command_of(home, args.space)
    plan = plan_connect(home, args.agent, folder_of(args.agent, os.environ), command)
    if not plan.changes:
        return outcome(plan, False, t("{agent} is already connected", agent=agent.title))
    if not agreed(args, plan):
        return outcome(plan, False, t("nothing was changed"))
    opened(args, make=True).close()
    plan.carry_out()
    lines = [t("{agent} is connected", agent=agent.title), _after(args.agent)]
    return outcome(plan, True, "\n".join(lines))


def _check_sdk() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise ConfigError(
            "this agent is connected over MCP, which needs a package that is not installed",
            hint=install_hint(),
            extra="mcp",
        )


def _after(name: str) -> str:
    """What is left for the person to do."""
    after = {
        "new": t("new sessions use it; `loxodon follow` journals the earlier ones"),
        "trust": t(
            "start Codex and allow the new hooks: it asks, or type /hooks; `loxodon follow` "
            "journals the earlier sessions"
        ),
        "restart": t("restart it to use the memory"),
    }
    return after[AGENTS[name].after]


def _remove(args: Namespace) -> Outcome:
    agent = AGENTS[args.agent]
    plan = plan_remove(home_of(args), args.agent)
    if not plan.changes:
        return outcome(plan, False, t("{agent} is not connected", agent=agent.title))
    if not agreed(args, plan):
        return outcome(plan, False, t("nothing was changed"))
    plan.carry_out()
    said = t("{agent} is disconnected; the memory itself is kept", agent=agent.title)
    return outcome(plan, True, said)


def _status(args: Namespace) -> Outcome:
    home = home_of(args)
    record = recorded(home)
    states = {
        name: state_of(name, record.get(name, {}), folder_of(name, os.environ)) for name in AGENTS
    } | {_OPENCLAW: _openclaw(home)}
    last = noted(home)[-1:]
    files = {name: list(one["files"]) for name, one in record.items()}
    data = {
        "agents": {
            name: {"state": one, "files": files.get(name, [])} for name, one in states.items()
        },
        "problem": last[0] if last else "",
    }

    def show() -> None:
        said = {
            "connected": t("connected"),
            "waiting": t("connected, but its hooks do not run before you allow them: /hooks"),
            "changed": t("connected, but its files were changed: connect it again"),
            "not connected": t("not connected"),
            "not found": t("not found"),
        }
        view.pairs(
            [(name, "  ".join([said[one], *files.get(name, [])])) for name, one in states.items()]
        )
        if last:
            told = t("the last problem of a hook: {line}", line=last[0])
            print(view.safe(told), file=sys.stderr)

    return Outcome(data, show)


def _openclaw(home: str) -> str:
    from loxodon.agents.openclaw.follow import state_folder
    from loxodon.agents.openclaw.install import parts

    found = parts(home)
    if found:
        return "connected" if all(one.state == "there" for one in found) else "changed"
    return "not connected" if os.path.isdir(state_folder(None, os.environ)) else "not found"
