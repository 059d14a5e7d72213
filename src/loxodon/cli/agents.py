"""Commands about other agents: connect them, answer their hooks, journal their conversations."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from loxodon import config
from loxodon.agents.connect import RECORD, plan_connect, plan_remove, recorded, state_of
from loxodon.agents.supported import AGENTS, READERS, command_of, folder_of, in_a_cache
from loxodon.cli import view
from loxodon.cli.call import Call, Result, need_mcp, read_file
from loxodon.cli.parser import YES, arg, command
from loxodon.errors import InputError, LoxodonError, NotFoundError, UsageError
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.agents.changes import InstallChange, InstallPlan

_OPENCLAW = "openclaw"
# What to do after an agent was connected.
NEXT = {
    "new": "new sessions use it; `loxodon follow` journals the earlier ones",
    "trust": "start Codex and allow the new hooks: it asks, or type /hooks",
    "restart": "restart it to use the memory",
}
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
    arg("--state DIR", "OpenClaw's state folder (OPENCLAW_STATE_DIR, or ~/.openclaw)"),
    arg("--workspace DIR", "OpenClaw's workspace (as in its own settings)", default=""),
    arg("--dry-run", "show what would change, without changing anything"),
    YES,
)
def connect(call: Call) -> Result:
    """Connect an agent: memories before its prompts, and its conversations in the journal."""
    if call.agent == "status":
        return _connected(call)
    if call.agent == _OPENCLAW:
        return _connect_openclaw(call)
    agent, reader = AGENTS[call.agent], READERS.get(call.agent)
    if call.remove:
        program = config.load(call.folder).model.command
        if program and program == reader and not call.dry_run:
            _set_reader(call.folder, None, None)
        done = [t("{agent} is disconnected; the memory itself is kept", agent=agent.title)]
        return _carried_out(call, plan_remove(call.folder, call.agent), done)
    if call.reader and reader is None:
        raise UsageError("--reader is for {names}", names=", ".join(READERS))
    if agent.serves:
        need_mcp()
    names: Any = {"agent": agent.title, "program": reader, "name": call.agent}
    warned = [t("what the rules are not sure of will be sent to {agent} by `{program}`", **names)]
    done = [t("{agent} is connected", **names), t(NEXT[agent.after])]
    if in_a_cache():
        keep = t("to keep it: `uv tool install loxodon`, then `loxodon connect {name}`", **names)
        done.append(keep)
    folder, hook = folder_of(call.agent, os.environ), command_of(call.folder, call.space)
    plan = plan_connect(call.folder, call.agent, folder, hook)
    found = _carried_out(call, plan, done, warned if call.reader else [])
    if call.reader and found.data["done"]:
        _set_reader(call.folder, "command", reader)
    return found


def _set_reader(home: str, kind: str | None, program: str | None) -> None:
    config.write(home, "model.kind", kind)
    config.write(home, "model.command", program)


def _connected(call: Call) -> Result:
    """Which agents are here, and which are connected."""
    from loxodon.agents.hooks import noted
    from loxodon.agents.openclaw import install
    from loxodon.agents.openclaw.follow import state_folder

    if call.remove or call.reader or call.dry_run or call.yes:
        raise UsageError("name the agent", hint="loxodon connect AGENT")
    record = recorded(call.folder)
    found: dict[str, dict[str, Any]] = {
        name: {
            "state": state_of(record.get(name, {}), folder_of(name, os.environ)),
            "files": list(record[name]["files"]) if name in record else [],
        }
        for name in AGENTS
    }
    there = os.path.isdir(state_folder(None, os.environ))
    claw = "not connected" if there else "not found"
    if parts := install.parts(call.folder):
        claw = "connected" if all(one.state == "there" for one in parts) else "changed"
    found[_OPENCLAW] = {"state": claw, "files": [one.path for one in parts]}
    problem = next(iter(noted(call.folder)[-1:]), "")
    notes = _unowned(install.recorded(call.folder)["config"]) if parts else []
    if any(one["state"] == "changed" for one in found.values()):
        notes.append(t("if the files of an agent were changed, connect it again"))
    rows = [{"agent": k, "state": one["state"], "file": one["files"]} for k, one in found.items()]
    return Result(
        {"agents": found, "parts": parts, "problem": problem},
        [*view.listing(rows), *notes],
        warnings=[t("the last problem of a hook: {line}", line=problem)] if problem else [],
    )


def _connect_openclaw(call: Call) -> Result:
    from loxodon.agents.openclaw import install
    from loxodon.agents.openclaw.follow import state_folder

    if call.remove:
        done = [t("removed from OpenClaw; the memory itself is kept")]
        return _carried_out(call, install.plan_uninstall(call.folder), done)
    state = state_folder(call.state, os.environ)
    path = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    place = install.place_of(call.folder, call.space, state, call.workspace, path)
    done = [t("installed into the OpenClaw at {state}", state=state), *_unowned(place.config)]
    found = _carried_out(call, install.plan_install(place), done)
    if found.data["done"]:
        with call.opened(make=True) as memory:
            memory.workspace.index()  # or the first search would wait for it
    return found


def _unowned(settings: str) -> list[str]:
    from loxodon.agents.openclaw.install import channels_without_owner

    names = ", ".join(channels_without_owner(settings))
    said = t(
        "every chat on {names} is a group until OpenClaw has commands.ownerAllowFrom", names=names
    )
    return [said] if names else []


def _carried_out(
    call: Call, plan: InstallPlan, done: list[str], said: Sequence[str] = ()
) -> Result:
    """Change files of other programs: what changes is shown first, and asked about."""
    from loxodon.agents.openclaw import install

    changes: list[dict[str, Any]] = [
        {
            "path": one.path,
            "change": "new" if not one.before else "removed" if one.after is None else "changed",
            "diff": _diff(one) if one.path.endswith(".md") and one.path not in plan.kit else [],
        }
        for one in plan.changes
        if not one.path.endswith((install.RECORD, RECORD))
    ]
    left = [{"path": path, "why": why} for path, why in plan.left]
    data = {"done": False, "changes": changes, "views": plan.views, "left": left}
    shown = list(said)
    for one in changes:
        shown += [f"{view.label(one['change'])}  {one['path']}", *one["diff"]]
    shown += [f"{view.label('removed')}  {path}" for path in plan.views]
    shown += [f"{path}: {t(LEFT[reason])}" for path, reason in plan.left]
    if not (plan.changes or said) or call.dry_run:
        return Result(data, [*shown, t("nothing was changed")])
    if not call.agrees(t("Continue? [y/N] "), *shown):
        return Result(data, t("nothing was changed"))
    if not call.remove:
        call.opened(make=True).close()  # nothing is changed for a memory that cannot be opened
    plan.carry_out()
    return Result({**data, "done": True}, [*shown, *done] if call.yes else done)


def _diff(change: InstallChange) -> list[str]:
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

    state = state_folder(None, os.environ)
    claw = [_OPENCLAW] if os.path.isdir(os.path.join(state, "agents")) else []
    names = dict.fromkeys(call.agents or [*found_agents(os.environ), *claw])
    if not names or not names.keys() <= {*FOLLOWED, _OPENCLAW}:
        raise NotFoundError(
            "no agent was found whose conversations can be followed",
            hint="known names: {names}",
            names=", ".join((*FOLLOWED, _OPENCLAW)),
        )
    found: dict[str, object] = {}
    for name in names:  # before a memory is made for nothing
        if name == _OPENCLAW:
            agents_at(state, ())
        else:
            check_found(name, FOLLOWED[name].folder(os.environ))
    with call.opened(make=True) as memory:
        for name in names:
            if name == _OPENCLAW:
                found[name] = memory.workspace.follow()
            else:
                found[name] = memory.workspace.follow_agent(name, progress=view.progress)
    return Result(found)


@command(arg("AGENT", "the agent"), arg("EVENT", "the event, with its JSON on standard input"))
def hook(call: Call) -> Result:
    """Answer a hook of a connected agent; for the agent, not for direct use."""
    from loxodon.agents.hooks import action_of, answer, note, succeeded

    if call.agent == _OPENCLAW:
        return _answer_openclaw(call)
    found: dict[str, object] = {}
    problems: list[str] = []
    if os.environ.get("LOXODON_READING"):  # an agent that reads for us is not the person's
        return Result(found, printed=True)
    try:
        action_of(call.agent, call.event)  # before a memory is made for nothing
        request = json.loads(read_file("-"))
        with call.opened(make=True) as memory:
            request = request if isinstance(request, dict) else {}
            found, problems = answer(memory, call.agent, call.event, request)
        if not problems:
            succeeded(memory.home, call.agent, call.event)
    except Exception as error:  # a failure would stop the person's prompt
        problems = [error.localized()[0] if isinstance(error, LoxodonError) else repr(error)]
    at = datetime.now(UTC).isoformat(timespec="seconds")
    for said in problems:
        note(os.path.abspath(call.home_path), f"{at} {call.agent} {call.event}: {said}")
    if found:
        print(json.dumps(found))  # an agent reads one form only
    return Result(found, printed=True)


def _answer_openclaw(call: Call) -> Result:
    """Answer OpenClaw's plugin, which hears of errors."""
    from loxodon.agents.openclaw.answer import answer

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
