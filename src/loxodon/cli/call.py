"""What a command gets, and what it returns."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from loxodon import config as settings
from loxodon import opening
from loxodon.cli.view import paint
from loxodon.clock import Clock, fixed_clock, parse_instant, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import InputError, UsageError, refused
from loxodon.layout import DATABASE, MADE, OFF_MARKER
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.verbs import FLAG, MOMENT, MOMENT_OR_NONE, SIZE, TEXT

LISTED = 50  # memories, turns or files that a person is shown unless they ask for more
MAX_FILE = 1 << 30
_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_SHOW_KNOWN = frozenset({"list", "profile", "snapshot", "entities"})
"""Commands that tell what was learned, and so say what was not yet."""


class Result(NamedTuple):
    """What a command found: as data for `--json`, and as lines and tables for a person."""

    data: object
    shown: object = None
    """One of these, or a list of them."""
    warnings: Sequence[str] = ()
    code: int = 0
    printed: bool = False
    """Whether the command has said all itself."""


class Call(Namespace):
    """What was typed: an attribute for each argument, and what the global options name."""

    command = ""
    home = store = as_agent = now = ""
    space = "main"
    json = reveal = relays = False
    waiting = 0

    @cached_property
    def folder(self) -> str:
        """The home; an encrypting of it that was cut short is finished first."""
        found = home_at(self.home)
        opening.finish_recoding(found)
        return found

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
        if not self.now:
            return system_clock(zone)
        now = parse_instant(self.now, zone)
        if not 1 < now.year < 9999:
            raise InputError("{text} cannot be the current time", text=self.now)
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
        memory = Memory.open(
            self.folder,
            self.space,
            self.config,
            self.clock,
            agent=self.as_agent,
            relays=self.relays,
        )
        tells = self.command in _SHOW_KNOWN and not self.json and not self.as_agent
        if tells and self.config.enabled and not memory.paused:
            self.waiting = memory.schedule.waiting()
        return memory

    def given(self, now: datetime | None = None) -> dict[str, Any]:
        """The arguments of the command's verb that were typed, as the verb takes them; times are
        read from `now`."""
        from loxodon.cli.parser import command_named

        found: dict[str, Any] = {}
        for one in command_named(self.command).arguments:
            value = getattr(self, one.name, None)
            if one.kind == SIZE:
                value = (0 if self.json else LISTED + 1) if value is None else value
            elif value is None or (one.kind == FLAG and not value):
                continue
            elif one.kind in (MOMENT, MOMENT_OR_NONE) and now:
                value = _moment(one.name, value, now)
            elif one.kind == TEXT and isinstance(value, list):
                value = words(value)
            found[one.name] = value
        return found

    def listed(
        self, found: Sequence[Any], *, last: bool = False
    ) -> tuple[Sequence[Any], str | None]:
        """What is shown of a list, and that there is more."""
        if self.limit is not None or self.json or len(found) <= LISTED:
            return found, None
        more = paint(t("there are more; --limit 0 shows all"), "dim")
        return found[-LISTED:] if last else found[:LISTED], more

    def agreed(self, question: str) -> bool:
        """Whether the person says yes."""
        return ask(question).lower() in ("y", "yes", "是", "好")

    def see_a_terminal(self, refusal: UsageError) -> None:
        """Raise the error where there is nobody to ask."""
        if self.json or not (sys.stdin and sys.stdin.isatty()):
            raise refusal


def words(given: Sequence[str]) -> str:
    """Text that was typed, in any number of words; standard input for `-`."""
    if list(given) != ["-"]:
        return " ".join(given)
    try:
        return read_file("-").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "standard input is not UTF-8", hint="convert it with iconv, or set the locale to UTF-8"
        ) from None


def ask(question: str) -> str:
    return input(question).strip()


def unconfirmed() -> UsageError:
    return UsageError(
        "this deletes data permanently, and there is no terminal to confirm it",
        hint="preview with --dry-run, then add --yes",
    )


def _moment(name: str, text: str, now: datetime) -> datetime | None:
    """A time as it is typed: of the past where something is looked for, else to come."""
    if name in ("since", "until", "as_of"):
        since, until = past(text, now)
        return since if name == "since" else until
    if text.strip().lower() in ("never", "永不"):
        return None
    from loxodon.text.dates import parse_past
    from loxodon.text.dates import until as coming

    moment = coming(text, now)
    if moment is None and name.startswith("valid") and (found := parse_past(text, now)):
        moment = found.since
    if moment is None:
        raise _no_date(text)
    if name == "expires_at" and moment <= now:
        raise InputError("{text} is in the past", hint="give a time in the future", text=repr(text))
    return moment


def past(text: str, now: datetime) -> tuple[datetime, datetime]:
    """When something typed that lies in the past begins and ends."""
    from loxodon.text.dates import parse_past

    moment = parse_past(text, now)
    if moment is None:
        raise _no_date(text)
    return moment.since, moment.until


def _no_date(text: str) -> InputError:
    return InputError(
        "{text} is not a recognised date",
        hint="write 2026-02-04, yesterday, last week, 三天前 or 上个月",
        text=repr(text),
    )


def span(text: str) -> timedelta:
    """A length of time as it is typed: 90m, 12h, 7d, 2w."""
    import re

    match = re.fullmatch(r"\s*(\d{1,6})\s*([mhdw])\s*", text)
    if match is None or not int(match[1]):
        raise InputError(
            "{text} is not a duration", hint="write it as 90m, 12h, 7d or 2w", text=repr(text[:40])
        )
    return timedelta(minutes=int(match[1]) * _MINUTES[match[2]])


def read_file(name: str) -> bytes:
    """All of a file, or of standard input."""
    try:
        if name != "-":
            with open(name, "rb") as file:
                data = file.read(MAX_FILE + 1)
        elif sys.stdin is None:
            raise OSError(0, "it is closed")
        else:
            data = sys.stdin.buffer.read(MAX_FILE + 1)
    except OSError as error:
        raise InputError(
            "cannot read {file}: {reason}",
            hint="check the file name and its permissions",
            file=name,
            reason=error.strerror or str(error),
        ) from None
    if len(data) > MAX_FILE:
        raise InputError(
            "{file} is larger than {most} MiB",
            hint="split it into smaller files",
            file=name,
            most=MAX_FILE >> 20,
        )
    return data


def hint(text: str) -> str:
    return t("hint: {hint}", hint=text)
