"""The command that makes a sound memory of a damaged one."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter

from loxodon.backup.repair import repair
from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of, home_of, refuse_shared, settings_of
from loxodon.clock import zone_named
from loxodon.messages import t
from loxodon.types import Repaired

_LISTED = 20
_LOST = 7
"""The exit code where something is lost: that of damage."""


def run(args: Namespace) -> Outcome:
    refuse_shared(args, "repair")
    home, config = home_of(args), settings_of(args)
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("repairing")) as bar:
        found = repair(
            home, args.space, config=config, clock=clock, source=args.source, progress=bar
        )
    lost = any(one.fate == "lost" for one in found.mended)
    return Outcome(found, lambda: _show(found), _LOST if lost else 0)


def _show(found: Repaired) -> None:
    if not found.problems:
        print(view.paint(t("no problems found"), "green"))
        return
    if found.rebuilt:
        print(t("rebuilt the derived data; nothing was lost"))
        return
    print(
        t(
            "rebuilt the database: {turns} and {memories}",
            turns=view.turn_count(found.turns),
            memories=view.memory_count(found.memories),
        )
    )
    fates = Counter(one.fate for one in found.mended)
    print(
        t(
            "damaged rows: {copied} replaced by copies, {lost} lost",
            copied=fates["copied"],
            lost=fates["lost"],
        )
    )
    for one in found.mended[:_LISTED]:
        what = t("lost") if one.fate == "lost" else t("a copy from {name}", name=one.source)
        print(f"  {one.table} {view.safe(one.key)}: {what}")
    print(t("the old database is now {path}", path=found.before))
