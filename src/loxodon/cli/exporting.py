"""The command that writes the memory as text."""

from __future__ import annotations

import sys
from argparse import Namespace

from loxodon.cli import view
from loxodon.cli.opening import Outcome, opened
from loxodon.messages import t
from loxodon.types import Exported


def run(args: Namespace) -> Outcome:
    with opened(args) as memory, view.Bar(t("writing")) as bar:
        found = memory.workspace.export(
            args.dir, masked=args.masked, plain=args.plain, progress=bar
        )
    return Outcome(found, lambda: _show(found))


def _show(found: Exported) -> None:
    print(view.safe(found.folder))
    print(
        t(
            "files written: {written}, unchanged: {unchanged}, removed: {removed}",
            written=found.written,
            unchanged=found.unchanged,
            removed=found.removed,
        )
    )
    for one in found.kept:
        print(view.safe(f"{one.file}: {one.what}"), file=sys.stderr)
        if one.hint:
            print("  " + view.safe(t("hint: {hint}", hint=one.hint)), file=sys.stderr)
