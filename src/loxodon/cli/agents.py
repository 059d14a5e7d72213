"""Commands about other agents: connect them, answer their hooks, journal their conversations."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from loxodon import config
from loxodon.agents.supported import AGENTS
from loxodon.cli import view
from loxodon.cli.call import Call, Result, read_file
from loxodon.cli.parser import YES, action, arg, command
from loxodon.errors import INSTALL, ConfigError, InputError, LoxodonError, NotFoundError, UsageError
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.agents.changes import InstallPlan

_OPENCLAW = "openclaw"
_CHANGES = (arg("--dry-run", "show what would change, without changing anything"), YES)
STATE = arg("--state DIR", "OpenClaw's state folder (OPENCLAW_STATE_DIR, or ~/.openclaw)")
STATES = {
    "connected": "connected",
    "changed": "connected, but its files were changed: connect it again",
    "not connected": "not connected",
    "not found": "not found",
}
NEXT = {
    "new": "new sessions use it; `loxodon follow` journals the earlier ones",
    "trust": "start Codex and allow the new hooks: it asks, or type /hooks",
    "restart": "restart it to use the memory",
}
"""What to do after an agent was connected."""
LEFT = {
    "edited": "it was modified, so it is not changed",
    "missing": "it does not exist yet; install again after OpenClaw has created it",
    "elsewhere": "it is a link out of the workspace, so it is not changed",
}


@command(
    arg(
        "AGENT",
        "which agent; status (default) shows all of them",
        nargs="?",
        default="status",
        choices=(*AGENTS, _OPENCLAW, "status"),
    ),
    arg("--remove", "disconnect it: its files become as they were"),
    arg("--reader", "also let the agent read what the rules are not sure of (claude-code, codex)"),
    *_CHANGES,
)
def connect(call: Call) -> Result:
    """Connect an agent: memories before its prompts, and its conversations in the journal."""
    from importlib.util import find_spec

    from loxodon.agents.connect import plan_connect, plan_remove
    from loxodon.agents.supported import READERS, command_of, folder_of, in_a_cache

    if call.agent == "status":
        return _connected(call)
    if call.agent == _OPENCLAW:
        call.state = call.workspace = None
        return _uninstall(call) if call.remove else _install(call)
    agent, reader = AGENTS[call.agent], READERS.get(call.agent)
    if call.remove:
        model = config.load(call.folder).model
        if model.command and model.command == reader and not call.dry_run:
            _set_reader(call.folder, None, None)
        done = t("{agent} is disconnected; the memory itself is kept", agent=agent.title)
        return _carried_out(call, plan_remove(call.folder, call.agent), done)
    if call.reader and reader is None:
        raise UsageError("--reader is for {names}", names=", ".join(READERS))
    if agent.serves and find_spec("mcp") is None:
        raise ConfigError(
            "this agent is connected over MCP, which needs a package that is not installed",
            hint=INSTALL,
            extra="mcp",
        )
    if call.reader and not call.json:
        said = t(
            "messages that the rules are not sure of, with what is known on them, will be sent to "
            "the model of {agent} by `{program}`, after a session and within model.daily_tokens; "
            "take it back with `loxodon connect {name} --remove`",
            agent=agent.title,
            program=reader,
            name=call.agent,
        )
        view.show(said)
    folder = folder_of(call.agent, os.environ)
    plan = plan_connect(call.folder, call.agent, folder, command_of(call.folder, call.space))
    done = f"{t('{agent} is connected', agent=agent.title)}\n{t(NEXT[agent.after])}"
    if in_a_cache():
        done += "\n" + t(
            "this Loxodon is in a cache that may be cleared: to keep it, run "
            "`uv tool install loxodon`, then `loxodon connect {name}`",
            name=call.agent,
        )
    found = _carried_out(call, plan, done, opens=True)
    # Where it was connected already, only the reader is asked about.
    asks = call.reader and not plan.changes and not call.dry_run
    if (call.reader and found.data["done"]) or (asks and call.agrees(t("Continue? [y/N] "))):
        _set_reader(call.folder, "command", reader)
    return found


def _set_reader(home: str, kind: str | None, program: str | None) -> None:
    config.write(home, "model.kind", kind)
    config.write(home, "model.command", program)


def _connected(call: Call) -> Result:
    """Which agents are here, and which are connected."""
    from loxodon.agents.connect import recorded, state_of
    from loxodon.agents.hooks import noted
    from loxodon.agents.openclaw.follow import state_folder
    from loxodon.agents.openclaw.install import parts
    from loxodon.agents.supported import folder_of

    if call.remove or call.reader or call.dry_run or call.yes:
        raise UsageError("name the agent", hint="loxodon connect AGENT")
    record = recorded(call.folder)
    states = {name: state_of(record.get(name, {}), folder_of(name, os.environ)) for name in AGENTS}
    there = os.path.isdir(state_folder(None, os.environ))
    states[_OPENCLAW] = "not connected" if there else "not found"
    if found := parts(call.folder):
        whole = all(one.state == "there" for one in found)
        states[_OPENCLAW] = "connected" if whole else "changed"
    files = {name: list(record[name]["files"]) if name in record else [] for name in states}
    agents = {name: {"state": one, "files": files[name]} for name, one in states.items()}
    shown = view.pairs(
        (name, "  ".join([t(STATES[one]), *files[name]])) for name, one in states.items()
    )
    last = next(iter(noted(call.folder)[-1:]), "")
    problems = [t("the last problem of a hook: {line}", line=last)] if last else []
    return Result({"agents": agents, "problem": last}, shown, problems)


def _carried_out(call: Call, plan: InstallPlan, done: str, *, opens: bool = False) -> Result:
    """Change files of other programs: what changes is shown first, and asked about."""
    from loxodon.agents import connect
    from loxodon.agents.openclaw import install

    changes = [
        {
            "path": one.path,
            "change": "new" if not one.before else "removed" if one.after is None else "changed",
            "diff": _diff(one) if one.path.endswith(".md") and one.path not in plan.kit else [],
        }
        for one in plan.changes
        if not one.path.endswith((install.RECORD, connect.RECORD))
    ]
    left = [{"path": path, "why": why} for path, why in plan.left]
    data = {"done": False, "changes": changes, "views": plan.views, "left": left}
    if not plan.changes:
        return Result(data, t("nothing was changed"))
    if not call.json:
        for one in changes:
            view.show(f"{view.label(str(one['change']))}  {one['path']}", *one["diff"])
        if n := len(plan.views):
            view.show(t("text views that are removed; their content stays in the memory: {n}", n=n))
        view.show(*(f"{path}: {t(LEFT[reason])}" for path, reason in plan.left))
    if call.dry_run or not call.agrees(t("Continue? [y/N] ")):
        return Result(data, t("nothing was changed"))
    if opens:
        call.opened(make=True).close()  # nothing is changed for a memory that cannot be opened
    plan.carry_out()
    return Result({**data, "done": True}, done)


def _diff(change: Any) -> list[str]:
    """The lines that change in the user's own prose; settings may have secrets in them."""
    from difflib import unified_diff

    before, after = ((one or b"").decode().splitlines() for one in (change.before, change.after))
    lines = unified_diff(before, after, n=0, lineterm="")
    return [f"    {one}" for one in [*lines][2:] if not one.startswith("@@")]


@command(
    arg("AGENT", "which agents (default: every one found)", nargs="*", dest="agents"),
    verb="workspace.follow_agent",
)
def follow(call: Call) -> Result:
    """Journal what was said to your agents since the last time."""
    from loxodon.agents.openclaw.follow import agents_at, state_folder
    from loxodon.journal.follow import check_found, found_agents

    known, state = (*FOLLOWED, _OPENCLAW), state_folder(None, os.environ)
    claw = [_OPENCLAW] if os.path.isdir(os.path.join(state, "agents")) else []
    names = dict.fromkeys(call.agents or [*found_agents(os.environ), *claw])
    if not names or not names.keys() <= {*known}:
        raise NotFoundError(
            "no agent was found whose conversations can be followed",
            hint="known names: {names}",
            names=", ".join(known),
        )
    for name in names:  # before a memory is made for nothing
        if name == _OPENCLAW:
            agents_at(state, ())
        else:
            check_found(name, FOLLOWED[name].folder(os.environ))
    found: dict[str, Any] = {}
    with call.opened(make=True) as memory, view.Bar(call.command) as bar:
        for name in names:
            if name == _OPENCLAW:
                found[name] = memory.workspace.follow()
            else:
                found[name] = memory.workspace.follow_agent(name, progress=bar)
    shown = [part for name, one in found.items() for part in (name, *view.record(one, "problems"))]
    problems = [line for one in found.values() for line in view.problem_lines(one.problems)]
    return Result(found, shown, problems)


@command(arg("AGENT", "the agent"), arg("EVENT", "the event, with its JSON on standard input"))
def hook(call: Call) -> Result:
    """Answer a hook of a connected agent; for the agent, not for direct use."""
    from loxodon.agents.hooks import action_of, answer, note, succeeded
    from loxodon.models.wire import READING

    found: dict[str, object] = {}
    problems: list[str] = []
    if os.environ.get(READING):  # an agent that reads for us is not the person's
        return Result(found, printed=True)
    try:
        action_of(call.agent, call.event)  # before a memory is made for nothing
        request = json.loads(read_file("-"))
        with call.opened(make=True) as memory:
            request = request if isinstance(request, dict) else {}
            found, told = answer(memory, call.agent, call.event, request)
            problems += told
        if not problems:
            succeeded(memory.home, call.agent, call.event)
    except Exception as error:  # a failure would stop the person's prompt
        problems.append(error.localized()[0] if isinstance(error, LoxodonError) else repr(error))
    if problems:
        from datetime import UTC, datetime

        at = datetime.now(UTC).isoformat(timespec="seconds")
        for said in problems:
            note(os.path.abspath(call.home_path), f"{at} {call.agent} {call.event}: {said}")
    if found:
        print(json.dumps(found))  # an agent reads one form only
    return Result(found, printed=True)


# OpenClaw


@command(
    action("follow|install|uninstall|status|answer", "what to do"),
    STATE,
    arg("--agent ID", "only this agent's sessions; can be repeated", action="append"),
    arg("--workspace DIR", "the agent's workspace (as in OpenClaw's own settings)"),
    *_CHANGES,
)
def openclaw(call: Call) -> Result:
    """Use Loxodon with OpenClaw: follow its sessions, or install into it."""
    from loxodon.agents.openclaw import install
    from loxodon.agents.openclaw.answer import answer
    from loxodon.agents.openclaw.follow import agents_at, state_folder

    if call.action == "install":
        return _install(call)
    if call.action == "uninstall":
        return _uninstall(call)
    if call.action == "status":
        found, record = install.parts(call.folder), install.recorded(call.folder)
        unowned = install.channels_without_owner(record["config"]) if record else []
        data = {"installed": bool(found), "parts": found, "unowned": unowned}
        return Result(data, view.record(data) if found else t("nothing is installed"))
    if call.action == "follow":
        agents = tuple(call.agent)
        agents_at(state_folder(call.state, os.environ), agents)  # before a memory is made
        with call.opened(make=True) as memory:
            taken = memory.workspace.follow(call.state, agents)
        return Result(taken, view.record(taken, "problems"), view.problem_lines(taken.problems))
    try:
        request = json.loads(read_file("-"))
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise InputError(
            "standard input is not a JSON object",
            hint="this command is for OpenClaw's plugin, not for direct use",
        )
    with call.opened(make=True) as memory:
        answered = answer(memory.workspace, request)
    return Result(answered, view.json_text(answered))


def _install(call: Call) -> Result:
    from loxodon.agents.openclaw import install
    from loxodon.agents.openclaw.follow import state_folder

    state = state_folder(call.state, os.environ)
    path = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    place = install.place_of(call.folder, call.space, state, call.workspace or "", path)
    said = t(
        "installed into the OpenClaw at {state}; a running gateway restarts itself to use it",
        state=state,
    )
    if unowned := install.channels_without_owner(place.config):
        said += "\n" + t(
            "on {channels} OpenClaw does not know who its owner is, so every chat there counts as "
            "a group; set commands.ownerAllowFrom in OpenClaw",
            channels=", ".join(unowned),
        )
    found = _carried_out(call, install.plan_install(place), said, opens=True)
    if found.data["done"]:
        with call.opened(make=True) as memory:
            memory.workspace.index()  # or the first search would wait for it
    return found


def _uninstall(call: Call) -> Result:
    from loxodon.agents.openclaw.install import plan_uninstall

    done = t("removed from OpenClaw; the memory itself is kept")
    return _carried_out(call, plan_uninstall(call.folder), done)
