"""Commands about other agents: connect them, answer their hooks, journal their conversations."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

from loxodon import config
from loxodon.agents.changes import InstallPlan
from loxodon.agents.connect import RECORD, plan_connect, plan_remove, recorded, state_of
from loxodon.agents.hooks import answer, note, noted, succeeded
from loxodon.agents.openclaw import install
from loxodon.agents.openclaw.follow import state_folder
from loxodon.agents.supported import AGENTS, READERS, command_of, folder_of, in_a_cache
from loxodon.cli import commands, view
from loxodon.cli.commands import DRY_RUN, YES, Call, Result, arg, command, need_mcp, read_file
from loxodon.errors import LoxodonError, NotFoundError, UsageError
from loxodon.journal.follow import found_agents
from loxodon.journal.lines import as_object, parse_line
from loxodon.journal.transcripts import AGENTS as FOLLOWED
from loxodon.messages import t

_OPENCLAW = "openclaw"
_KNOWN = "|".join((*AGENTS, _OPENCLAW, "status"))
_SAID = commands.TABLE["said"]["connect"]


@command(
    arg(f"AGENT {_KNOWN}", "which agent; status (default) shows all of them", nargs="?"),
    arg("--remove", "disconnect it: its files become as they were"),
    arg("--reader", "also let the agent read what the rules are not sure of (claude-code, codex)"),
    arg("--state DIR", "OpenClaw's state folder (OPENCLAW_STATE_DIR, or ~/.openclaw)"),
    arg("--workspace DIR", "OpenClaw's workspace (as in its own settings)", default=""),
    DRY_RUN,
    YES,
)
def connect(call: Call) -> Result:
    """Connect an agent: memories before its prompts, and its conversations in the journal."""
    if call.agent in (None, "status"):
        return _connected(call)
    if call.agent == _OPENCLAW:
        return _connect_openclaw(call)
    agent, reader = AGENTS[call.agent], READERS.get(call.agent)
    names: Any = {"agent": agent.title, "program": reader, "name": call.agent}

    def set_reader(kind: str | None, program: str | None) -> None:
        config.write(call.home_folder, "model.kind", kind)
        config.write(call.home_folder, "model.command", program)

    if call.remove:
        program = config.load(call.home_folder).model.command
        if program and program == reader and not call.dry_run:
            set_reader(None, None)
        done = [t("{agent} is disconnected; the memory itself is kept", **names)]
        return _carried_out(call, plan_remove(call.home_folder, call.agent), done)
    if call.reader and reader is None:
        raise UsageError("--reader is for {names}", names=", ".join(READERS))
    if agent.serves:
        need_mcp()
    done = [t("{agent} is connected", **names), t(_SAID[agent.after])]
    if in_a_cache():
        done += [t("to keep it: `uv tool install loxodon`, then `loxodon connect {name}`", **names)]
    folder, hook = folder_of(call.agent, os.environ), command_of(call.home_folder, call.space)
    plan = plan_connect(call.home_folder, call.agent, folder, hook)
    warned = t("what the rules are not sure of will be sent to {agent} by `{program}`", **names)
    found = _carried_out(call, plan, done, *([warned] if call.reader else []))
    if call.reader and found.data["done"]:
        set_reader("command", reader)
    return found


def _connected(call: Call) -> Result:
    """Which agents are here, and which are connected."""
    if call.remove or call.reader or call.dry_run or call.yes:
        raise UsageError("name the agent", hint="loxodon connect AGENT")
    found: dict[str, dict[str, Any]] = {}
    for name in AGENTS:
        record = recorded(call.home_folder).get(name, {})
        state = state_of(record, folder_of(name, os.environ))
        found[name] = {"state": state, "files": [*record.get("files", ())]}
    parts, claw = install.parts(call.home_folder), state_of({}, state_folder(None, os.environ))
    if parts:
        claw = "connected" if all(one.state == "there" for one in parts) else "changed"
    found[_OPENCLAW] = {"state": claw, "files": [one.path for one in parts]}
    was_changed = any(one["state"] == "changed" for one in found.values())
    note = t("if the files of an agent were changed, connect it again") if was_changed else ""
    problem = next(iter(noted(call.home_folder)[-1:]), "")
    warnings = [t("the last problem of a hook: {line}", line=problem)] if problem else []
    rows = view.listing([{"agent": name, **one} for name, one in found.items()])
    data = {"agents": found, "parts": parts, "problem": problem}
    return Result(data, rows, note=note, warnings=warnings)


def _connect_openclaw(call: Call) -> Result:
    if call.remove:
        done = [t("removed from OpenClaw; the memory itself is kept")]
        return _carried_out(call, install.plan_uninstall(call.home_folder), done)
    state = state_folder(call.state, os.environ)
    path = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    place = install.place_of(call.home_folder, call.space, state, call.workspace, path)
    done = [t("installed into the OpenClaw at {state}", state=state)]
    if names := ", ".join(install.channels_without_owner(place.config)):
        done += [t("on {names} all chats are groups until ownerAllowFrom is set", names=names)]
    found = _carried_out(call, install.plan_install(place), done)
    if found.data["done"]:
        with call.opened(make=True) as memory:
            memory.workspace.index()  # or the first search would wait for it
    return found


def _carried_out(call: Call, plan: InstallPlan, done: list[str], *said: str) -> Result:
    """Change files of other programs: what changes is shown first, and asked about."""
    changes: list[dict[str, str]] = []
    for one in plan.changes:
        change = "new" if not one.before else "removed" if one.after is None else "changed"
        if not one.path.endswith((install.RECORD, RECORD)):
            changes.append({"change": change, "path": one.path})
    changes += [{"change": "removed", "path": path} for path in plan.views]
    left = [{"path": path, "why": t(_SAID[reason])} for path, reason in plan.left]
    data = {"changes": changes, "left": left}
    shown = [*said, *view.record(data)]

    def change_files(dry: bool) -> Result:
        if dry:
            nothing = [t("nothing was changed")] if call.dry_run or not changes else []
            return Result({"done": False, **data}, [*shown, *nothing])
        if not call.remove:
            call.opened(make=True).close()  # nothing is changed for a memory that cannot be opened
        plan.carry_out()
        return Result({"done": True, **data}, [*shown, *done] if call.yes else done)

    return call.carried_out(change_files) if plan.changes or said else change_files(True)


@command(
    arg("AGENT", "which agents (default: every one found)", nargs="*", dest="agents"),
    verb="workspace.follow_agent",
)
def follow(call: Call) -> Result:
    """Journal what was said to your agents since the last time."""
    state = state_folder(None, os.environ)
    claw = [_OPENCLAW] if os.path.isdir(os.path.join(state, "agents")) else []
    names = dict.fromkeys(call.agents or [*found_agents(os.environ), *claw])
    if not names or not names.keys() <= {*FOLLOWED, _OPENCLAW}:
        message = "no agent was found whose conversations can be followed"
        known = ", ".join((*FOLLOWED, _OPENCLAW))
        raise NotFoundError(message, hint="known names: {names}", names=known)
    with call.opened(make=True) as memory:
        at = memory.workspace
        found = {one: at.follow_agent(one, "", view.progress) for one in names if one in FOLLOWED}
        return Result({**found, _OPENCLAW: at.follow()} if _OPENCLAW in names else found)


@command(arg("AGENT", "the agent"), arg("EVENT", "the event, with its JSON on standard input"))
def hook(call: Call) -> Result | None:
    """Answer a hook of a connected agent; for the agent, not for direct use."""
    if call.agent == _OPENCLAW:  # whose plugin hears of errors
        from loxodon.agents.openclaw.answer import answer as answer_openclaw

        request: Any = as_object(parse_line(read_file("-").decode("utf-8", "replace")))
        with call.opened(make=True) as memory:
            answered = answer_openclaw(memory.workspace, request)
        return Result(answered, view.json_text(answered))
    if os.environ.get("LOXODON_READING"):  # an agent that reads for us is not the person's
        return None
    found: dict[str, object] = {}
    try:
        request = as_object(parse_line(read_file("-").decode("utf-8", "replace")))
        with call.opened(make=True) as memory:
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
    return None
