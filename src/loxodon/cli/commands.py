"""The commands: what can be typed, what a command gets and what it returns.

A command is a function of a module of this package, declared with `command`, or a verb as it is
(`derived`). The arguments of a verb come from the verb (`loxodon.verbs`); `arg` adds others or
replaces one of them. `commands.toml` has their names; only the module and the parser of the command
that was typed are loaded.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from difflib import get_close_matches
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, cast

from loxodon import config as settings
from loxodon import opening, verbs
from loxodon.cli import view
from loxodon.clock import Clock, parse_instant, system_clock, zone_named
from loxodon.config import Config
from loxodon.errors import INSTALL, ConfigError, InputError, UsageError
from loxodon.fields import names_of
from loxodon.journal.lines import unreadable
from loxodon.layout import DATABASE, MADE
from loxodon.memory import VERBS, Memory
from loxodon.messages import current, t
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.text.dates import parse_moment, until
from loxodon.verbs import Argument, Verb

with open(os.path.join(os.path.dirname(__file__), "commands.toml"), "rb") as _file:
    TABLE: dict[str, Any] = tomllib.load(_file)
MODULES = {name: one["module"] for one in TABLE["groups"].values() for name in one["commands"]}
ALIASES: dict[str, str] = TABLE["aliases"]
OPTIONS: dict[str, str] = TABLE["options"]
# They are attributes of the same name, but where commands have an option of that name.
_ATTRIBUTES = {"--agent": "as_agent", "--relays-user": "relays"}
_OWN = {"token": ("--agent", "--relays-user")}
_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_NOT_TYPED = (verbs.CONVERSATION, verbs.CURSOR, verbs.HISTORY, verbs.TURNS)

Added = tuple[tuple[str, ...], dict[str, Any]]  # flags, and the rest that argparse takes
Run = Callable[["Call"], "Result | None"]


class Command(NamedTuple):
    name: str
    about: str
    run: Run
    added: tuple[Added, ...]
    verb: Verb | None = None  # it is for whom its verb is for, and takes what that takes
    without: str = ""  # arguments of the verb that it does not take
    words: str = ""  # the argument that is text, which need not be quoted
    one_of: str = ""  # options that exclude each other
    said: str = ""  # what is said with the fields of the result, instead of showing it
    for_files: str = ""  # what it does that only a memory in files does
    makes: bool = False  # whether it makes a memory that is not there

    @property
    def arguments(self) -> list[Argument]:
        """The arguments of its verb that it takes."""
        without = ("token", "reveal", "language", *self.without.split())
        return [
            one
            for one in (self.verb.arguments if self.verb else ())
            if one.name not in without and one.kind not in _NOT_TYPED
        ]


_DECLARED: dict[str, Command] = {}


def whole(text: str) -> int:
    """The type of options that count; argparse names it where it does not fit."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


# How values of each kind are named in help, and what they are if not text.
_METAVARS: dict[Any, str] = {verbs.TEXT: "NAME", verbs.TEXTS: "A,B", verbs.NUMBER: "0..1"}
_METAVARS |= {verbs.WHOLE: "N", verbs.SIZE: "N", verbs.MOMENT: "WHEN", verbs.MOMENT_OR_NONE: "WHEN"}
_TYPES: dict[str, Callable[[str], Any]] = {"N": whole, "0..1": float, "A,B": names_of}


def arg(spelling: str, help: str, **how: Any) -> Added:
    """An argument of a command: a number `--top N`, a choice `--chat direct|group`, a flag `--yes`,
    a positional `FILE` or `ACTION list|delete`; then as argparse's `add_argument` takes it."""
    *names, last = spelling.split()
    if not names or last.startswith("--"):
        names, last = [*names, last], ""
    how = {"dest": names[0].lstrip("-").replace("-", "_").lower(), "help": help, **how}
    if not names[0].startswith("--"):
        how["metavar"] = names.pop()
    elif not last:
        how.setdefault("action", "store_true")
    if "|" in last:
        how["choices"] = tuple(last.split("|"))
    elif last:
        how = {"type": _TYPES.get(last), **how, "metavar": last}
    if how.get("action") == "append":
        how["default"] = []
    return tuple(names), how


YES = arg("--yes", "do not ask for confirmation")
DRY_RUN = arg("--dry-run", "show what would be done, without doing it")
CHAT = arg(
    "--chat direct|group|room", "who sees the answer; group: no private memories", default="direct"
)


def command(
    *added: Added, name: str = "", about: str = "", verb: str = "", **how: Any
) -> Callable[[Run], Run]:
    """Declare a function as the command of its name, which its docstring explains."""

    def declare(run: Run) -> Run:
        called = name or run.__name__.strip("_").replace("_", "-")
        told = about or " ".join((run.__doc__ or "").split("\n\n")[0].split())
        of = VERBS[verb] if verb else None
        _DECLARED[called] = Command(called, told, run, added, of, **how)
        return run

    return declare


def derived(name: str, *added: Added, about: str = "", verb: str = "", **how: Any) -> None:
    """Declare a command that calls its verb with what is typed, and is about the same."""
    about = about or VERBS[verb or name].about
    command(*added, name=name, about=about, verb=verb or name, **how)(Call.derived)


def command_named(name: str) -> Command:
    """A command, for which its module is loaded."""
    import_module(f"loxodon.cli.{MODULES[name]}")
    return _DECLARED[name]


# What a command gets and returns


class Result(NamedTuple):
    """What a command found: as data for `--json`, and as lines for a person. A command that has
    said all itself returns None."""

    data: Any
    shown: str | list[str] | None = None  # None where the data speak for themselves
    hide: str = ""  # fields of the data that are for programs
    note: str = ""  # a sentence below the data
    warnings: Sequence[str] = ()
    code: int = 0


class Call(argparse.Namespace):
    """What was typed: an attribute for each argument, and what the global options name."""

    command: Command
    home = store = as_agent = now = ""
    space = "main"
    json = reveal = relays = dry_run = False

    @property
    def home_path(self) -> str:
        return home_at(self.home or os.environ.get("LOXODON_HOME") or "~/.loxodon")

    @cached_property
    def home_folder(self) -> str:
        """The home; an encrypting of it that was cut short is finished first."""
        opening.finish_recoding(self.home_path)
        return self.home_path

    @cached_property
    def config(self) -> Config:
        """The settings of the home, with what the environment sets above them."""
        return settings.load(self.home_folder, os.environ)

    @property
    def root(self) -> str:
        """Where the spaces and the state of the home are: the home, or its database's address."""
        return opening.root_of(self.home_folder, self.config)

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
        where = (self.home_folder, self.space, self.config, self.clock)
        return Memory.open(*where, agent=self.as_agent, relays=self.relays)

    def derived(self) -> Result:
        """Do a command that is its verb."""
        found, verb = self.do(), cast("Verb", self.command.verb)
        if isinstance(found, bool):
            return Result({verb.field: found}, f"{view.label(verb.field)}: {view.in_words(found)}")
        if isinstance(found, str):
            return Result({verb.field: found}, found)
        said = t(self.command.said, **view.fields(found)) if self.command.said else None
        return Result({verb.field: found} if verb.field else found, said)

    def do(self) -> Any:
        """Do the verb of the command with what was typed."""
        verb = cast("Verb", self.command.verb)
        own = {"progress": view.progress, "language": current(), "reveal": self.reveal}
        with self.opened(make=self.command.makes and not self.dry_run) as memory:
            more = {name: one for name, one in own.items() if name in verb.call.__annotations__}
            return attrgetter(verb.name)(memory)(**self.given(memory.now()), **more)

    def given(self, now: datetime) -> dict[str, Any]:
        """The parameters of the command's verb that were typed, as the verb takes them."""
        verb = cast("Verb", self.command.verb)
        added = {how["dest"]: verbs.TEXT for _, how in self.command.added}
        kinds = {name: kind for name, kind in added.items() if name in verb.call.__annotations__}
        found: dict[str, Any] = {}
        for name, kind in (kinds | {one.name: one.kind for one in self.command.arguments}).items():
            value = getattr(self, name, None)
            if kind == verbs.SIZE:
                value = (0 if self.json else view.LISTED) if value is None else value
            elif value is None or value is False:
                continue
            elif kind == verbs.FLAG:
                value = value != "no"
            elif kind in (verbs.MOMENT, verbs.MOMENT_OR_NONE):
                value = moment(value, now, "" if self.command.name == "pause" else name)
            elif kind == verbs.TEXT and isinstance(value, list):
                value = words(value)
            found[name] = value
        return found

    def carried_out(
        self, do: Callable[[bool], Result], question: str = "", word: str = ""
    ) -> Result:
        """Show what would be done, ask for a yes (or a word) unless `--yes` says it, and do it.

        `do` is told whether to only look, as with `--dry-run`, and returns what it did or would do.
        """
        if self.dry_run or self.yes:
            return do(self.dry_run)
        planned = do(True)
        if not self.json:
            view.show(*planned.shown or ())
        if self.json or not (sys.stdin and sys.stdin.isatty()):
            hint = "check what it would do (--dry-run), then add --yes"
            raise UsageError("there is no terminal to confirm this", hint=hint)
        said = input(question or t("Continue? [y/N] ")).strip()
        if said == word if word else said.lower() in ("y", "yes", "是", "好"):
            return do(False)
        return planned._replace(shown=t("nothing was changed"))


def need_mcp() -> None:
    if find_spec("mcp") is None:
        raise ConfigError("this needs the package mcp", hint=INSTALL, extra="mcp")


def words(given: Sequence[str]) -> str:
    """Text that was typed, in any number of words; standard input for `-`."""
    return read_file("-").decode("utf-8", "replace") if [*given] == ["-"] else " ".join(given)


def moment(text: str, now: datetime, name: str = "") -> datetime | None:
    """A time as it is typed: of the past where something is looked for, else to come."""
    typed, is_past = text.strip().lower(), name in ("since", "until", "as_of")
    if typed in ("never", "永不") and not is_past:
        return None
    number, unit = typed[:-1], typed[-1:]
    if number.isdecimal() and len(number) < 5 and int(number) and unit in _MINUTES:
        length = timedelta(minutes=int(number) * _MINUTES[unit])
        return now - length if is_past else now + length
    found = parse_moment(text, now, asked=True)
    if found is None:
        hint = "write 2026-02-04, yesterday, last week, 12h, 7d, 三天前 or 上个月"
        raise InputError("{text} is not a recognised date", hint=hint, text=repr(text))
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
        raise unreadable(name, getattr(error, "strerror", "") or str(error)) from None


# What was typed


def command_typed(typed: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that was typed first, by its name or an alias, and what follows it."""
    words = 2 if " ".join(typed[:2]) in ALIASES else 1
    named = " ".join(typed[:words])
    name, *rest = [*ALIASES.get(named, named).split(" "), *typed[words:]]
    if name not in MODULES:
        near = "".join(get_close_matches(name, (*MODULES, *ALIASES), 1))
        hint = "list all commands with `loxodon help all`"
        if near:
            hint = "did you mean `loxodon {near}`?"
        raise UsageError("unknown command {name}", hint=hint, name=repr(name), near=near)
    return command_named(name), rest


def global_options(argv: list[str], call: Call) -> list[str]:
    """Put the global options into `call`; the rest. They may stand before or after the command,
    but after `--` all is text."""
    takes_value = {one.split()[0]: " " in one for one in OPTIONS}
    rest: list[str] = []
    while argv:
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return [*rest, word, *argv]
        of_command = rest and name in _OWN.get(rest[0], ())
        if of_command or name not in takes_value or (equals and not takes_value[name]):
            rest.append(word)
            continue
        if takes_value[name] and not equals:
            if not argv:
                raise UsageError("{name} needs a value", hint="see `loxodon --help`", name=name)
            value = argv.pop(0)
        setattr(call, _ATTRIBUTES.get(name, name[2:]), value if takes_value[name] else True)
    return rest


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are ours: an exit code, a hint, and JSON where asked for."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{message}", hint="see `{prog} --help`", message=message, prog=self.prog)


def parser_of(one: Command) -> argparse.ArgumentParser:
    argparse._ = str  # type: ignore[attr-defined]  # it would look for catalogues that nobody has
    parser = _Parser(
        prog=f"loxodon {one.name}",
        description=t(one.about),
        allow_abbrev=False,
        # With a width of its own, it does not load shutil and three compressors to find one.
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=98),
        epilog=t(
            "WHEN: 2026-02-04, yesterday, 3 days ago, last week, 上周三.\n"
            "Also: --home DIR, --store URL, --space NAME, --agent NAME, --now ISO, --json; see "
            "`loxodon --help`."
        ),
    )
    alone = parser.add_mutually_exclusive_group() if one.one_of else parser
    added = {how["dest"] for _, how in one.added}
    of_verb = [_of_verb(each, one.words) for each in one.arguments if each.name not in added]
    for flags, how in (*of_verb, *one.added):
        to = alone if flags and flags[0] in one.one_of.split() else parser
        to.add_argument(*flags, **{**how, "help": t(how["help"])})
    return parser


def _of_verb(one: Argument, words: str) -> Added:
    """An argument of a verb."""
    about = t("show at most N (0 for all)") if one.kind == verbs.SIZE else t(one.about)
    if one.name == words:
        about = t("{text}; - for standard input", text=about)
        return arg(words.upper(), about, nargs="+" if one.required else "*")
    if one.required:
        return arg(one.name.upper(), about)
    choices = one.kind if isinstance(one.kind, tuple) else ()
    metavar = _METAVARS.get(one.kind, "|".join(choices))
    how: dict[str, Any] = {"type": _TYPES[metavar]} if metavar in _TYPES else {}
    flag, _, named = one.flag.partition(" ")
    if named and choices:
        about, how["choices"] = f"{about}: {', '.join(choices)}", choices
    spelling = f"{flag or '--' + one.name.replace('_', '-')} {named or metavar}"
    return arg(spelling, about, dest=one.name, **how)
