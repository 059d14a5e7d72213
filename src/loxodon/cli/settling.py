"""Settings that come with an import or a backup: shown, asked about, and how to set the rest."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Mapping

from loxodon import config
from loxodon.cli import view
from loxodon.cli.control import AGREED
from loxodon.messages import t, tn
from loxodon.security import import_settings
from loxodon.security.import_settings import POLICY, Choice, Value


def choice(args: Namespace) -> Choice:
    return Choice(args.with_settings, tuple(args.take))


def settle(args: Namespace, home: str, left: Mapping[str, Value]) -> Mapping[str, Value]:
    """Ask about the settings that were not taken, where somebody is there; those that are left."""
    tuning = {name: value for name, value in left.items() if config.is_tuning(name)}
    if not tuning or args.json or not (sys.stdin and sys.stdin.isatty()):
        return left
    print(t("it contains settings:"))
    view.pairs([(f"  {name}", view.safe(config.written(one))) for name, one in tuning.items()])
    if input(t("Apply them here too? [y/N] ")).strip().lower() not in AGREED:
        return left
    import_settings.put(home, tuning)
    return {name: value for name, value in left.items() if name not in tuning}


def show(left: Mapping[str, Value]) -> None:
    """Say which settings were left out, and how to set each."""
    if not left:
        return
    print(t("these settings were not applied; set the ones you trust:"))
    for name, value in left.items():
        if name == POLICY:
            print(
                "  "
                + tn(
                    "a policy.toml with {n} line; apply it with --replace --take policy",
                    "a policy.toml with {n} lines; apply it with --replace --take policy",
                    len(str(value).splitlines()),
                )
            )
        else:
            print(view.safe(f"  loxodon config {name} {shlex.quote(config.written(value))}"))
