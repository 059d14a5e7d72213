"""`loxodon openclaw install`, `uninstall` and `status`."""

from __future__ import annotations

import difflib
import json
import os
import sys
from argparse import Namespace

from loxodon.errors import UsageError
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome, home_of, opened
from loxodon.workspace.openclaw import install as setup
from loxodon.workspace.openclaw import json5
from loxodon.workspace.openclaw.changes import InstallChange
from loxodon.workspace.openclaw.follow import state_folder

_SHOWN_AROUND = 2
"""Lines of a user's text that are shown above and below a change."""


def install(args: Namespace) -> Outcome:
    home = home_of(args)
    state = state_folder(args.state, os.environ)
    config = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    place = setup.place_of(home, args.space, state, args.workspace or "", config)
    plan = setup.plan_install(place)
    if not _agreed(args, plan):
        return _outcome(plan, False, t("nothing was changed"))
    opened(args, make=True).close()
    plan.carry_out()
    said = t(
        "installed into the OpenClaw at {state}; a running OpenClaw picks it up by itself",
        state=state,
    )
    return _outcome(plan, True, said)


def uninstall(args: Namespace) -> Outcome:
    plan = setup.plan_uninstall(home_of(args))
    if not plan.changes:
        return _outcome(plan, False, t("nothing is installed"))
    if not _agreed(args, plan):
        return _outcome(plan, False, t("nothing was changed"))
    plan.carry_out()
    return _outcome(plan, True, t("removed from OpenClaw; the memory itself is kept"))


def status(args: Namespace) -> Outcome:
    found = setup.parts(home_of(args))
    data = {"installed": bool(found), "parts": found}

    def show() -> None:
        if found:
            view.pairs([(_NAMES[one.name](), f"{_state(one.state)}  {one.path}") for one in found])
        else:
            print(t("nothing is installed"))

    return Outcome(data, show)


_NAMES = {
    "skill": lambda: t("skill"),
    "plugin": lambda: t("plugin"),
    "slot": lambda: t("memory slot"),
    "entry": lambda: t("plugin allowed"),
    "server": lambda: t("MCP server"),
    "rules": lambda: t("rules"),
    "heartbeat": lambda: t("48-hour check"),
    "setting": lambda: t("workspace.path"),
}


def _state(state: str) -> str:
    said = {"there": t("there"), "missing": t("missing"), "edited": t("modified")}
    return said[state]


def _agreed(args: Namespace, plan: setup.InstallPlan) -> bool:
    """Whether to go on: what will be done is shown first, and asked about unless --yes."""
    if not args.json:
        _show(plan)
    if args.dry_run or not plan.changes:
        return False
    if args.yes:
        return True
    if args.json or not (sys.stdin and sys.stdin.isatty()):
        raise UsageError(
            "this changes OpenClaw's files, and there is no terminal to confirm it",
            hint="preview with --dry-run, then add --yes",
        )
    return input(t("Continue? [y/N] ")).strip().lower() in ("y", "yes", "是", "好")


def _outcome(plan: setup.InstallPlan, done: bool, said: str) -> Outcome:
    data = {
        "done": done,
        "changes": [
            {"path": one.path, "change": _kind(one), "diff": _diff(one, plan)}
            for one in _told(plan)
        ],
        "views": plan.views,
        "left": [{"path": path, "why": why} for path, why in plan.left],
    }
    return Outcome(data, lambda: print(said))


def _told(plan: setup.InstallPlan) -> list[InstallChange]:
    return [one for one in plan.changes if not one.path.endswith(setup.RECORD)]


def _kind(change: InstallChange) -> str:
    if change.before is None:
        return "new"
    return "removed" if change.after is None else "changed"


def _show(plan: setup.InstallPlan) -> None:
    for change in _told(plan):
        said = {"new": t("new"), "removed": t("removed"), "changed": t("changed")}
        print(f"{said[_kind(change)]}  {change.path}")
        for line in _diff(change, plan):
            print(f"    {view.safe(line)}")
    if plan.views:
        print(t("removes {n} text views; their content stays in the memory", n=len(plan.views)))
    why = {
        "edited": t("it was modified, so it is not changed"),
        "missing": t("it does not exist yet; install again after OpenClaw has created it"),
        "elsewhere": t("it is a link out of the workspace, so it is not changed"),
    }
    for path, reason in plan.left:
        print(f"{path}: {why[reason]}")


def _diff(change: InstallChange, plan: setup.InstallPlan) -> list[str]:
    """The change as lines; of settings only what changes, since others may be secret."""
    if change.before is None or change.after is None or change.path in plan.kit:
        return []
    before, after = change.before.decode(), change.after.decode()
    if change.path.endswith(".md") or change.path.endswith(".toml"):
        around = _SHOWN_AROUND if change.path.endswith(".md") else 0
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=around, lineterm="")
        return list(lines)[2:]
    old, new = (_leaves(json5.parse(text).value) for text in (before, after))
    gone = [f"- {name}: {value}" for name, value in old.items() if new.get(name) != value]
    return gone + [f"+ {name}: {value}" for name, value in new.items() if old.get(name) != value]


def _leaves(value: object, name: str = "") -> dict[str, str]:
    if not isinstance(value, dict):
        return {name: json.dumps(value, ensure_ascii=False)}
    found: dict[str, str] = {}
    for key, inner in value.items():
        found |= _leaves(inner, f"{name}.{key}" if name else str(key))
    return found
