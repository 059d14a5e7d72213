"""The memory that a command works on, and what a command returns."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from datetime import tzinfo
from typing import NamedTuple

from loxodon import config as settings
from loxodon import files, opening
from loxodon.clock import Clock, fixed_clock, parse_instant, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import DamagedStoreError, InputError, refused
from loxodon.filelock import FileLock
from loxodon.layout import DATABASE, MADE, OFF_MARKER, SCHEDULE_LOCK
from loxodon.memory import Memory
from loxodon.opening import finish_recoding
from loxodon.spaces import home_at, space_folder, space_path


class Outcome(NamedTuple):
    """What a command found."""

    data: object
    show: Callable[[], None]
    code: int = 0


def home_of(args: Namespace) -> str:
    """The home that is named; an encrypting of it that was cut short is finished first."""
    home = home_at(args.home)
    finish_recoding(home)
    return home


def settings_of(args: Namespace) -> Config:
    """The settings of the home that is named, with what the environment sets above them."""
    if "settings" not in args:  # read once: it takes longer than anything else before a recall
        args.settings = settings.with_environment(settings.load(home_of(args)), os.environ)
    found: Config = args.settings
    return found


def root_of(args: Namespace) -> str:
    """Where the spaces and the state of the home are: the home, or the address of its database."""
    return opening.root_of(home_of(args), settings_of(args))


def refuse_shared(args: Namespace, what: str) -> None:
    """Refuse what is for databases in files."""
    if settings_of(args).store.url:
        raise refused(what)


def opened(args: Namespace, *, make: bool = False) -> Memory:
    """The memory that the global options name; one that is not there is made only if asked for."""
    home, config = home_of(args), settings_of(args)
    root = opening.root_of(home, config)
    folder = space_path(root, args.space)
    if not make:
        space_folder(root, args.space, make=False)
    if (
        os.path.isdir(folder)
        and args.command != "init"
        and config.enabled
        and not _begun_off(folder)
    ):
        check_database(os.path.join(folder, DATABASE))
    clock = clock_of(args, zone_named(config.timezone))
    memory = Memory.open(home, args.space, config, clock, agent=args.as_agent, relays=args.relays)
    if args.command in _SHOW_KNOWN and not args.json and not args.as_agent:
        args.waiting = _waiting(memory)
    return memory


_SHOW_KNOWN = frozenset({"list", "profile", "snapshot", "entities"})
"""Commands that tell what was learned, and so say what was not yet."""


def _waiting(memory: Memory) -> int:
    """Messages that nothing was learned from, and that nobody is there to learn from."""
    found = memory.schedule.waiting() if memory.config.enabled and not memory.paused else 0
    return 0 if not found or _is_served(memory.root) else found


def _is_served(root: str) -> bool:
    """Whether a program runs the background jobs of a home."""
    path = os.path.join(root, SCHEDULE_LOCK)
    if files.shared(path):
        return True  # by any server, on any machine
    if not os.path.exists(path):
        return False
    try:
        lock = FileLock(path)
    except OSError:  # it is another's to say
        return True
    try:
        return not lock.acquire(0)
    finally:
        lock.close()


def _begun_off(folder: str) -> bool:
    """Whether a space was begun while the engine was off, and so never had a database."""
    return os.path.exists(os.path.join(folder, OFF_MARKER)) and not os.path.exists(
        os.path.join(folder, MADE)
    )


def clock_of(args: Namespace, zone: tzinfo | None) -> Clock:
    """The clock in the user's zone, or the moment that the command was told to take for now."""
    if not args.now:
        return system_clock(zone)
    now = parse_instant(args.now, zone)
    if not 1 < now.year < 9999:
        raise InputError("{text} cannot be the current time", text=args.now)
    return fixed_clock(now.astimezone(zone))


def check_database(path: str) -> None:
    """A space without its database was one with it: making a new one would hide the loss."""
    if not os.path.exists(path) or not os.path.getsize(path):
        raise DamagedStoreError(
            "{path} is missing or empty",
            hint="rebuild it from its text views with `loxodon restore`, or create an empty one "
            "with `loxodon init`",
            path=path,
        )
