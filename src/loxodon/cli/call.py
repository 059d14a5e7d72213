"""What a command gets, and what it returns."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon import opening
from loxodon.cli import view
from loxodon.cli.parser import Command, dest_of
from loxodon.clock import Clock, parse_instant, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import INSTALL, ConfigError, InputError, UsageError
from loxodon.layout import DATABASE, MADE
from loxodon.memory import Memory
from loxodon.messages import current, t
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.verbs import FLAG, MOMENT, MOMENT_OR_NONE, SIZE, TEXT

_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}


class Result(NamedTuple):
    """What a command found: as data for `--json`, and as lines for a person."""

    data: Any
    shown: str | list[str] | None = None  # None where the data speak for themselves
    hide: str = ""  # fields of the data that are for programs
    note: str = ""  # a sentence below the data
    warnings: Sequence[str] = ()
    code: int = 0
    printed: bool = False  # whether the command has said all itself


class Call(Namespace):
    """What was typed: an attribute for each argument, and what the global options name."""

    command: Command
    home = store = as_agent = now = ""
    space = "main"
    json = reveal = relays = False

    @property
    def home_path(self) -> str:
        return home_at(self.home or os.environ.get("LOXODON_HOME") or "~/.loxodon")

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
        now = now.astimezone(zone)
        return lambda: now

    def opened(self, *, make: bool = False) -> Memory:
        """The memory that the global options name; one that is not there is made only if asked."""
        if not make:
            space_folder(self.root, self.space, make=False)
        path = space_path(self.root, self.space)
        had_one = os.path.exists(os.path.join(path, MADE)) and not self.config.store.url
        if had_one and self.config.enabled and self.command.name != "init":
            opening.check_database(os.path.join(path, DATABASE))
        who: Any = {"agent": self.as_agent, "relays": self.relays}
        return Memory.open(self.folder, self.space, self.config, self.clock, **who)

    def derived(self) -> Result:
        """Do a command that is its verb."""
        one = self.command
        own = [argument.name for argument in one.arguments]
        first: list[object] = []
        more: dict[str, object] = {}
        for added in one.added:
            value = getattr(self, dest := dest_of(added))
            if not added[0][0].startswith("--"):
                first.append(" ".join(value) if isinstance(value, list) else value)
            elif dest not in own and value:
                more[dest] = value
        found = self.do(*first, make=one.make, **more)
        field = one.field or (one.verb.field if one.verb else "")
        if isinstance(found, bool):
            return Result({field: found}, f"{view.label(field)}: {view.in_words(found)}")
        if isinstance(found, str):
            return Result({field: found}, found)
        said = t(one.said, **view.fields(found)) if one.said else None
        return Result({field: found} if field else found, said)

    def do(self, *first: object, make: bool = False, **more: object) -> Any:
        """Do the verb of the command with what was typed."""
        verb: Any = self.command.verb
        with self.opened(make=make) as memory:
            told: dict[str, Any] = {"progress": view.progress} if verb.progresses else {}
            if any(one.name == "language" for one in verb.arguments):
                told["language"] = current()
            given = {**self.given(memory.now()), **told, **more}
            return attrgetter(verb.name)(memory)(*first, **given)

    def given(self, now: datetime) -> dict[str, Any]:
        """The arguments of the command's verb that were typed, as the verb takes them."""
        found: dict[str, Any] = {}
        for one in self.command.arguments:
            value = getattr(self, one.name, None)
            if one.kind == SIZE:
                value = (0 if self.json else view.LISTED) if value is None else value
            elif value is None or value is False:
                continue
            elif one.kind == FLAG:
                value = value != "no"
            elif one.kind in (MOMENT, MOMENT_OR_NONE):
                value = moment(value, now, "" if self.command.name == "pause" else one.name)
            elif one.kind == TEXT and isinstance(value, list):
                value = words(value)
            found[one.name] = value
        return found

    def agrees(self, question: str, *shown: str, word: str = "") -> bool:
        """Whether the person says yes (or a word) to what is shown, or has with `--yes`."""
        if self.yes:
            return True
        if not self.json:
            view.show(*shown)
        if self.json or not (sys.stdin and sys.stdin.isatty()):
            raise UsageError(
                "this needs your confirmation, and there is no terminal to confirm it",
                hint="check what it would do (--dry-run), then add --yes",
            )
        said = input(question).strip()
        return said == word if word else said.lower() in ("y", "yes", "是", "好")


def need_mcp() -> None:
    if find_spec("mcp") is None:
        raise ConfigError("this needs the package mcp", hint=INSTALL, extra="mcp")


def words(given: Sequence[str]) -> str:
    """Text that was typed, in any number of words; standard input for `-`."""
    return read_file("-").decode("utf-8", "replace") if [*given] == ["-"] else " ".join(given)


def moment(text: str, now: datetime, name: str = "") -> datetime | None:
    """A time as it is typed: of the past where something is looked for, else to come."""
    from loxodon.text.dates import parse_moment, until

    typed, is_past = text.strip().lower(), name in ("since", "until", "as_of")
    if typed in ("never", "永不") and not is_past:
        return None
    number, unit = typed[:-1], typed[-1:]
    if number.isdecimal() and len(number) < 5 and int(number) and unit in _MINUTES:
        length = timedelta(minutes=int(number) * _MINUTES[unit])
        return now - length if is_past else now + length
    found = parse_moment(text, now, asked=True)
    if found is None:
        raise InputError(
            "{text} is not a recognised date",
            hint="write 2026-02-04, yesterday, last week, 12h, 7d, 三天前 or 上个月",
            text=repr(text),
        )
    if is_past:
        return found.since if name == "since" else found.until
    ends = until(text, now) or found.since
    if ends <= now and not name.startswith("valid"):
        raise InputError("{text} is in the past", hint="give a time in the future", text=repr(text))
    return ends


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
