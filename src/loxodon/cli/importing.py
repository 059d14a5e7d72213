"""`loxodon import`: what other programs keep, taken in."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from loxodon import config as settings
from loxodon.cli import view
from loxodon.cli.opening import Outcome, clock_of, home_of, opened, root_of, settings_of
from loxodon.clock import zone_named
from loxodon.layout import CONFIG
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.spaces import has_space
from loxodon.types import FileProblem, Imported

_SHOWN = 20
"""Problems that a person is shown; JSON has them all."""


def run(args: Namespace) -> Outcome:
    with _opened(args) as memory, view.Bar(t("importing")) as bar:
        found = memory.workspace.take_in(
            args.path, args.format, user=args.user, dry_run=args.dry_run, progress=bar
        )
    data = {"dry_run": args.dry_run, **found._asdict()}
    return Outcome(data, lambda: _show(found, args.dry_run))


@contextmanager
def _opened(args: Namespace) -> Iterator[Memory]:
    """The memory to import into; to try it where there is none, an empty one that goes again."""
    if not args.dry_run or has_space(root_of(args), args.space):
        with opened(args, make=True) as memory:
            yield memory
        return
    from shutil import copy
    from tempfile import TemporaryDirectory

    home, config = home_of(args), settings_of(args)
    clock = clock_of(args, zone_named(config.timezone))
    # It has nothing to protect, and nothing may be left of it: neither keys nor a record.
    plain = settings.Config()
    config = config.replace(
        audit=config.audit.replace(enabled=False),
        encryption=plain.encryption,
        store=plain.store,
        workspace=plain.workspace,
    )
    with TemporaryDirectory(prefix="loxodon-") as folder:
        with suppress(FileNotFoundError):
            copy(os.path.join(home, CONFIG), folder)
        with Memory.open(folder, args.space, config, clock) as memory:
            yield memory


def _show(found: Imported, dry: bool) -> None:
    if dry:
        print(t("would import, as {format}:", format=found.format))
    else:
        print(t("imported, as {format}:", format=found.format))
    rows = [
        (t("turns"), found.turns),
        (t("memories"), found.memories),
        (t("already imported"), found.known),
    ]
    shown = [(name, str(number)) for name, number in rows if number]
    view.pairs([(f"  {name}", value) for name, value in shown or [(t("nothing"), "")]])
    if found.skipped:
        print(t("skipped:"))
        reasons = _reasons()
        view.pairs([(f"  {reasons.get(one, one)}", str(n)) for one, n in found.skipped.items()])
    _show_problems(found.problems)
    if found.turns and not dry:
        print(t("next: `loxodon consolidate` turns the messages into memories"))
    if found.memories and not dry:
        print(
            t(
                "these memories are marked as imported; if they are all yours, confirm them with "
                "`loxodon review --confirm-all import`"
            )
        )


def _show_problems(problems: tuple[FileProblem, ...]) -> None:
    for one in problems[:_SHOWN]:
        where = f"{one.file}:{one.line}" if one.line else one.file
        hint = f" ({one.hint})" if one.hint else ""
        print(
            view.safe(t("not imported: {where}: {what}", where=where, what=one.what) + hint),
            file=sys.stderr,
        )
    if len(problems) > _SHOWN:
        print(t("… and {n} more; --json lists all", n=len(problems) - _SHOWN), file=sys.stderr)


def _reasons() -> dict[str, str]:
    """Why something was left out, as a person reads it."""
    return {
        "empty": t("empty entries"),
        "hidden": t("hidden messages"),
        "branch": t("messages of abandoned branches"),
        "tools": t("tool messages"),
        "code": t("code blocks"),
        "generated": t("files that Loxodon wrote"),
        "not memory": t("other files"),
        "deleted": t("deleted at the source"),
        "changed": t("changed at the source since the import"),
        "private": t("conversations marked as not to be remembered"),
        "relations": t("graph relations"),
        "metadata": t("fields with no counterpart here"),
        "other user": t("other people's memories"),
        "more problems": t("other problems"),
    }
