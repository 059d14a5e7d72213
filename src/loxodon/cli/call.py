"""What a command gets, and what it returns."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon import opening
from loxodon.cli import view
from loxodon.cli.parser import command_named
from loxodon.clock import Clock, fixed_clock, parse_instant, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import InputError, UsageError, refused
from loxodon.layout import DATABASE, MADE, OFF_MARKER
from loxodon.memory import Memory
from loxodon.messages import current
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.verbs import FLAG, MOMENT, MOMENT_OR_NONE, SIZE, TEXT

DEFAULT_HOME = "~/.loxodon"
_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}


class Result(NamedTuple):
    """What a command found: as data for `--json`, and as lines and tables for a person."""

    data: Any
    shown: object = None  # one of these, or a list; None where the data speak for themselves
    warnings: Sequence[str] = ()
    code: int = 0
    printed: bool = False  # whether the command has said all itself


class Call(Namespace):
    """What was typed: an attribute for each argument, and what the global options name."""

    command = ""
    home = store = as_agent = now = ""
    space = "main"
    json = reveal = relays = False

    @property
    def home_path(self) -> str:
        return home_at(self.home or os.environ.get("LOXODON_HOME") or DEFAULT_HOME)

    @cached_property
    def folder(self) -> str:
        """The home; an encrypting of it that was cut short is finished first."""
        opening.finish_recoding(self.home_path)
        return self.home_path

    @cached_property
    def config(self) -> Config:
        """The settings of the home, with what the environment sets above them."""
        return settings.with_environment(settings.load(self.folder), os.environ)

    @property
    def root(self) -> str:
        """Where the spaces and the state of the home are: the home, or its database's address."""
        return opening.root_of(self.folder, self.config)

    @cached_property
    def clock(self) -> Clock:
        """The clock in the user's zone, or the moment that the command was told to take for now."""
        zone = zone_named(self.config.timezone)
        text = self.now or os.environ.get("LOXODON_NOW") or ""
        if not text:
            return system_clock(zone)
        now = parse_instant(text, zone)
        if not 1 < now.year < 9999:
            raise InputError("{text} cannot be the current time", text=text)
        return fixed_clock(now.astimezone(zone))

    def refuse_shared(self, what: str) -> None:
        """Refuse what is for databases in files."""
        if self.config.store.url:
            raise refused(what)

    def opened(self, *, make: bool = False) -> Memory:
        """The memory that the global options name; one that is not there is made only if asked."""
        path = space_path(self.root, self.space)
        if not make:
            space_folder(self.root, self.space, make=False)
        off = os.path.exists(os.path.join(path, OFF_MARKER))
        never_had_one = off and not os.path.exists(os.path.join(path, MADE))
        there = os.path.isdir(path) and self.command != "init" and not never_had_one
        if there and self.config.enabled:
            opening.check_database(os.path.join(path, DATABASE))
        who: Any = {"agent": self.as_agent, "relays": self.relays}
        return Memory.open(self.folder, self.space, self.config, self.clock, **who)

    def do(self, *first: object, make: bool = False, **more: object) -> Any:
        """Do the verb of the command with what was typed."""
        verb = command_named(self.command).verb
        if verb is None:
            raise LookupError(self.command)
        with self.opened(make=make) as memory, view.Bar(self.command) as bar:
            told: dict[str, Any] = {"progress": bar} if verb.progresses else {}
            if any(one.name == "language" for one in verb.arguments):
                told["language"] = current()
            given = {**self.given(memory.now()), **told, **more}
            return attrgetter(verb.name)(memory)(*first, **given)

    def given(self, now: datetime | None = None) -> dict[str, Any]:
        """The arguments of the command's verb that were typed, as the verb takes them; times are
        read from `now`."""
        found: dict[str, Any] = {}
        for one in command_named(self.command).arguments:
            value = getattr(self, one.name, None)
            if one.kind == SIZE:
                value = (0 if self.json else view.LISTED + 1) if value is None else value
            elif value is None or (one.kind == FLAG and not value):
                continue
            elif one.kind in (MOMENT, MOMENT_OR_NONE) and now:
                value = _moment(one.name, value, now)
            elif one.kind == TEXT and isinstance(value, list):
                value = words(value)
            found[one.name] = value
        return found

    def agrees(self, question: str) -> bool:
        """Whether the person says yes, or has with `--yes`; a UsageError if nobody can be asked."""
        return bool(self.yes) or self.answer(question).lower() in ("y", "yes", "是", "好")

    def answer(self, question: str) -> str:
        """What the person says."""
        self.see_a_terminal()
        return input(question).strip()

    def see_a_terminal(self) -> None:
        """Raise a UsageError where there is nobody to ask, unless nobody needs to be."""
        if not self.yes and (self.json or not (sys.stdin and sys.stdin.isatty())):
            raise UsageError(
                "this needs your confirmation, and there is no terminal to confirm it",
                hint="check what it would do (--dry-run), then add --yes",
            )


def words(given: Sequence[str]) -> str:
    """Text that was typed, in any number of words; standard input for `-`."""
    return read_file("-").decode("utf-8", "replace") if [*given] == ["-"] else " ".join(given)


def _moment(name: str, text: str, now: datetime) -> datetime | None:
    """A time as it is typed: of the past where something is looked for, else to come."""
    if name in ("since", "until", "as_of"):
        return past(text, now)[0 if name == "since" else 1]
    if text.strip().lower() in ("never", "永不"):
        return None
    return future(text, now, or_past=name.startswith("valid"))


def future(text: str, now: datetime, *, or_past: bool = False) -> datetime:
    """When something typed that lies in the future ends."""
    from loxodon.text.dates import until

    moment = until(text, now) or past(text, now)[0]
    if moment <= now and not or_past:
        raise InputError("{text} is in the past", hint="give a time in the future", text=repr(text))
    return moment


def past(text: str, now: datetime) -> tuple[datetime, datetime]:
    """When something typed that lies in the past begins and ends."""
    from loxodon.text.dates import parse_moment

    moment = parse_moment(text, now, asked=True)
    if moment is None:
        raise InputError(
            "{text} is not a recognised date",
            hint="write 2026-02-04, yesterday, last week, 三天前 or 上个月",
            text=repr(text),
        )
    return moment.since, moment.until


def span(text: str) -> timedelta:
    """A length of time as it is typed: 90m, 12h, 7d, 2w."""
    number, unit = text.strip()[:-1].strip(), text.strip()[-1:]
    if not (number.isdecimal() and len(number) < 5 and int(number) and unit in _MINUTES):
        raise InputError(
            "{text} is not a duration", hint="write it as 90m, 12h, 7d or 2w", text=repr(text[:40])
        )
    return timedelta(minutes=int(number) * _MINUTES[unit])


def read_file(name: str) -> bytes:
    """All of a file, or of standard input."""
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        with open(name, "rb") as file:
            return file.read()
    except (OSError, AttributeError) as error:  # standard input may be closed
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=name,
            reason=getattr(error, "strerror", "") or str(error),
        ) from None
