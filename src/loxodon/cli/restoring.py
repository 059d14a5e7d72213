"""The command that makes a memory out of a backup, or out of its views."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from loxodon import config as settings
from loxodon.cli import settling, view
from loxodon.cli.opening import Outcome, clock_of, home_of, refuse_shared, settings_of
from loxodon.clock import zone_named
from loxodon.errors import UsageError
from loxodon.messages import t
from loxodon.security.import_settings import POLICY
from loxodon.types import Restored


def run(args: Namespace) -> Outcome:
    refuse_shared(args, "restore")
    source = os.path.abspath(os.path.expanduser(args.source))
    if os.path.isfile(source):
        return _backup(args, source)
    if args.other or args.all or args.with_settings or args.take:
        raise UsageError(
            "--as, --all, --with-settings and --take need a backup, and {path} is not one",
            hint="create one with `loxodon backup`",
            path=source,
        )
    return _views(args)


def _views(args: Namespace) -> Outcome:
    from loxodon.views.restore import restore

    home, config = home_of(args), settings_of(args)
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("restoring")) as bar:
        found = restore(
            args.source,
            home,
            args.space,
            config=config,
            clock=clock,
            replace=args.replace,
            progress=bar,
        )

    def show() -> None:
        _show(found)
        for problem in found.edited:
            hint = f" ({problem.hint})" if problem.hint else ""
            print(f"{problem.file}: {problem.what}{hint}", file=sys.stderr)

    return Outcome(found, show)


def _backup(args: Namespace, source: str) -> Outcome:
    from loxodon.backup.restore import restore, restore_all

    home, config = home_of(args), settings_of(args)
    clock = clock_of(args, zone_named(config.timezone))
    with view.Bar(t("restoring")) as bar:
        if args.all:
            every = restore_all(
                source,
                home,
                config=config,
                environ=os.environ,
                clock=clock,
                replace=args.replace,
                choice=settling.choice(args),
                progress=bar,
            )
            last = _settled(args, home, list(every.values())[-1])  # they came with all of them
            every = {
                n: one._replace(settings=last.settings, offered=last.offered)
                for n, one in every.items()
            }
            return Outcome({"spaces": every}, lambda: _show_all(every))
        found = restore(
            source,
            home,
            args.space,
            config=config,
            environ=os.environ,
            clock=clock,
            replace=args.replace,
            other=args.other,
            choice=settling.choice(args),
            progress=bar,
        )
    found = _settled(args, home, found)
    return Outcome(found, lambda: _show(found))


def _settled(args: Namespace, home: str, found: Restored) -> Restored:
    """`found` after what the restore has left was asked about."""
    left = settling.settle(args, home, found.offered)
    settings = {name: one for name, one in found.offered.items() if name not in left}
    return found._replace(settings={**found.settings, **settings}, offered=left)


def _show_all(every: dict[str, Restored]) -> None:
    for name, found in every.items():
        print(view.safe(name))
        _show(found._replace(settings={}, offered={}))
    _show_settings(found)


def _show(found: Restored) -> None:
    print(
        t(
            "restored {turns} and {memories}",
            turns=view.turn_count(found.turns),
            memories=view.memory_count(found.memories),
        )
    )
    if found.before:
        print(t("the old database is now {path}", path=found.before))
    _show_settings(found)


def _show_settings(found: Restored) -> None:
    for name, value in found.settings.items():
        shown = "" if name == POLICY else f" = {view.safe(settings.written(value))}"
        print(t("set: {name}", name=name) + shown)
    settling.show(found.offered)
