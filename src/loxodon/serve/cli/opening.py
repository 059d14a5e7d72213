"""The memory that a command works on, and what a command returns."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from typing import NamedTuple

from loxodon import config as settings
from loxodon.clock import fixed_clock, parse_instant, system_clock, zone_named
from loxodon.errors import DamagedStoreError, InputError
from loxodon.memory import DATABASE, Memory, home_at
from loxodon.spaces import space_folder, space_path


class Outcome(NamedTuple):
    """What a command found."""

    data: object
    show: Callable[[], None]
    code: int = 0


def home_of(args: Namespace) -> str:
    return home_at(args.home)


def opened(args: Namespace, *, make: bool = False) -> Memory:
    """The memory that the global options name; one that is not there is made only if asked for."""
    home = home_of(args)
    config = settings.with_environment(settings.load(home), os.environ)
    folder = space_path(home, args.space)
    if not make:
        space_folder(home, args.space, make=False)
    if os.path.isdir(folder) and args.command != "init":
        _check_database(os.path.join(folder, DATABASE))
    zone = zone_named(config.timezone)
    clock = system_clock(zone)
    if args.now:
        now = parse_instant(args.now, zone)
        if not 1 < now.year < 9999:
            raise InputError("{text} cannot be the present", text=args.now)
        clock = fixed_clock(now.astimezone(zone))
    return Memory.open(home, args.space, config, clock)


def _check_database(path: str) -> None:
    """A space without its database was one with it: making a new one would hide the loss."""
    if not os.path.exists(path) or not os.path.getsize(path):
        raise DamagedStoreError(
            "{path} is missing or empty",
            hint="restore it from a backup; `loxodon init` makes a new, empty one",
            path=path,
        )
