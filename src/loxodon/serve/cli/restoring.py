"""The command that makes a memory out of its views."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from loxodon import config as settings
from loxodon.clock import zone_named
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome, clock_of, home_of
from loxodon.workspace.views.restore import restore


def run(args: Namespace) -> Outcome:
    home = home_of(args)
    config = settings.with_environment(settings.load(home), os.environ)
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("restoring")) as bar:
        found = restore(
            args.source, home, args.space, config=config, clock=clock, replace=args.replace,
            progress=bar,
        )  # fmt: skip

    def show() -> None:
        print(t("restored {turns} turns and {memories} memories",
                turns=found.turns, memories=found.memories))  # fmt: skip
        if found.before:
            print(t("the database that was here is now {path}", path=found.before))
        for problem in found.edited:
            hint = f" ({problem.hint})" if problem.hint else ""
            print(f"{problem.file}: {problem.what}{hint}", file=sys.stderr)

    return Outcome(found, show)
