"""Changes to files of other programs: shown first, and made when the person agrees."""

from __future__ import annotations

import difflib
import json
import sys
from argparse import Namespace

from loxodon.agents import json5
from loxodon.agents.changes import InstallChange, InstallPlan
from loxodon.agents.connect import RECORD
from loxodon.agents.openclaw import install
from loxodon.cli import view
from loxodon.cli.opening import Outcome
from loxodon.errors import UsageError
from loxodon.messages import t, tn

_SHOWN_AROUND = 2
"""Lines of a user's text that are shown above and below a change."""
_RECORDS = (install.RECORD, RECORD)
"""Files in the home, of which nobody need hear."""


def agreed(args: Namespace, plan: InstallPlan) -> bool:
    """Whether to go on: what will be done is shown first, and asked about unless --yes."""
    if not args.json:
        _show(plan)
    if args.dry_run or not plan.changes:
        return False
    if args.yes:
        return True
    if args.json or not (sys.stdin and sys.stdin.isatty()):
        raise UsageError(
            "this changes files of another program, and there is no terminal to confirm it",
            hint="preview with --dry-run, then add --yes",
        )
    return input(t("Continue? [y/N] ")).strip().lower() in ("y", "yes", "是", "好")


def outcome(plan: InstallPlan, done: bool, said: str) -> Outcome:
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


def _told(plan: InstallPlan) -> list[InstallChange]:
    return [one for one in plan.changes if not one.path.endswith(_RECORDS)]


def _kind(change: InstallChange) -> str:
    if change.before is None:
        return "new"
    return "removed" if change.after is None else "changed"


def _show(plan: InstallPlan) -> None:
    for change in _told(plan):
        said = {"new": t("new"), "removed": t("removed"), "changed": t("changed")}
        print(f"{said[_kind(change)]}  {change.path}")
        for line in _diff(change, plan):
            print(f"    {view.safe(line)}")
    if plan.views:
        print(
            tn(
                "removes {n} text view; its content stays in the memory",
                "removes {n} text views; their content stays in the memory",
                len(plan.views),
            )
        )
    why = {
        "edited": t("it was modified, so it is not changed"),
        "missing": t("it does not exist yet; install again after OpenClaw has created it"),
        "elsewhere": t("it is a link out of the workspace, so it is not changed"),
    }
    for path, reason in plan.left:
        print(f"{path}: {why[reason]}")


def _diff(change: InstallChange, plan: InstallPlan) -> list[str]:
    """The change as lines; of settings only what changes, since others may be secret."""
    if change.after is None or change.path in plan.kit:
        return []
    before, after = (change.before or b"").decode(), change.after.decode()
    if change.path.endswith(".md") or change.path.endswith(".toml"):
        around = _SHOWN_AROUND if change.path.endswith(".md") else 0
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=around, lineterm="")
        return list(lines)[2:]
    old, new = (
        _leaves(json5.parse(text).value) if text.strip() else {} for text in (before, after)
    )
    gone = [f"- {name}: {value}" for name, value in old.items() if new.get(name) != value]
    return gone + [f"+ {name}: {value}" for name, value in new.items() if old.get(name) != value]


def _leaves(value: object, name: str = "") -> dict[str, str]:
    """The single values in a document, by where they are."""
    if isinstance(value, dict) and value:
        inner = [(f"{name}.{key}" if name else str(key), one) for key, one in value.items()]
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        inner = [(f"{name}[{n}]", one) for n, one in enumerate(value)]
    else:
        return {name: json.dumps(value, ensure_ascii=False)}
    return {key: shown for place, one in inner for key, shown in _leaves(one, place).items()}
