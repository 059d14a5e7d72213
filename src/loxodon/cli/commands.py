"""From what was typed to an exit code: the commands, what each gets and what it returns.

A command is a function of a module of this package, declared with `command`, or a verb as it is
(`derived`). The arguments of a verb come from the verb (`loxodon.verbs`); `arg` adds others or
replaces one of them. `commands.toml` has their names; only the module and the parser of the command
that was typed are loaded.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, cast

from loxodon import __version__, messages, opening, verbs
from loxodon import config as settings
from loxodon.cli import view
from loxodon.clock import Clock, parse_instant, system_clock, zone_named
from loxodon.errors import (
    INSTALL,
    ConfigError,
    InputError,
    LoxodonError,
    UsageError,
    refused,
    unwritable,
)
from loxodon.fields import names_of
from loxodon.guard.guard import Guard
from loxodon.layout import DATABASE, MADE
from loxodon.memory import VERBS, Memory
from loxodon.messages import current, t
from loxodon.security.actor import Actor, acting
from loxodon.spaces import has_space, home_at, space_folder, space_path
from loxodon.store.walls import owners_only
from loxodon.text.dates import parse_moment, until

with open(os.path.join(os.path.dirname(__file__), "commands.toml"), "rb") as _file:
    TABLE: dict[str, Any] = tomllib.load(_file)
MODULES = {name: one["module"] for one in TABLE["groups"].values() for name in one["commands"]}
ALIASES: dict[str, str] = TABLE["aliases"]
OPTIONS: dict[str, str] = TABLE["options"]
_MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_HELP = partial(argparse.RawDescriptionHelpFormatter, width=78)
_NOT_TYPED = (verbs.CONVERSATION, verbs.CURSOR, verbs.HISTORY, verbs.TURNS)

Added = tuple[tuple[str, ...], dict[str, Any]]  # flags, and the rest that argparse takes
Run = Callable[["Call"], "Result | None"]


class Command(NamedTuple):
    name: str
    about: str
    run: Run
    added: tuple[Added, ...]
    verb: verbs.Verb | None = None  # it is for whom its verb is for, and takes what that takes
    without: str = ""  # arguments of the verb that it does not take
    words: str = ""  # the argument that is text, which need not be quoted
    one_of: str = ""  # options that exclude each other
    said: str = ""  # what is said with the fields of the result, instead of showing it
    note: str = ""  # what is said below a result that has something in it
    exit_code: Callable[[Any], int] = lambda _: 0  # by the result
    for_files: str = ""  # what it does that only a memory in files does
    makes: bool = False  # whether it makes a memory that is not there

    @property
    def arguments(self) -> list[verbs.Argument]:
        """The arguments of its verb that it takes."""
        without = ("token", "reveal", "language", *self.without.split())
        return [
            one
            for one in (self.verb.arguments if self.verb else ())
            if one.name not in without and one.kind not in _NOT_TYPED
        ]


_DECLARED: dict[str, Command] = {}


def whole(text: str) -> int:
    """The type of options that count."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(t("{text} is not a whole number", text=repr(text)))
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
        _DECLARED[called] = Command(called, told, run, added, VERBS[verb] if verb else None, **how)
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
    json = reveal = relays_user = dry_run = False

    @property
    def home_path(self) -> str:
        return home_at(self.home or os.environ.get("LOXODON_HOME") or "~/.loxodon")

    @cached_property
    def home_folder(self) -> str:
        """The home; an encrypting of it that was cut short is finished first."""
        opening.finish_recoding(self.home_path)
        return self.home_path

    @cached_property
    def config(self) -> settings.Config:
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
        return Memory.open(*where, agent=self.as_agent, relays=self.relays_user)

    def derived(self) -> Result:
        """Do a command that is its verb."""
        found, one, verb = self.do(), self.command, cast("verbs.Verb", self.command.verb)
        data, code = {verb.field: found} if verb.field else found, one.exit_code(found)
        if isinstance(found, bool):
            return Result(data, f"{view.label(verb.field)}: {view.in_words(found)}")
        if isinstance(found, str):
            return Result(data, found)
        said = t(one.said, **view.fields(found)) if one.said else None
        note = t(one.note) if one.note and found and not self.dry_run else ""
        return Result(data, said, note=note, code=code)

    def do(self) -> Any:
        """Do the verb of the command with what was typed."""
        verb = cast("verbs.Verb", self.command.verb)
        own = {"progress": view.progress, "language": current(), "reveal": self.reveal}
        with ExitStack() as stack:
            if self.dry_run and self.command.makes and not has_space(self.root, self.space):
                from tempfile import TemporaryDirectory  # for one that nobody keeps

                self.home_folder = stack.enter_context(TemporaryDirectory())
                self.config = self.config._replace(store=settings.StoreConfig())
            memory = stack.enter_context(self.opened(make=self.command.makes))
            more = {name: one for name, one in own.items() if name in verb.call.__annotations__}
            return attrgetter(verb.name)(memory)(**self.given(memory.now()), **more)

    def given(self, now: datetime) -> dict[str, Any]:
        """The parameters of the command's verb that were typed, as the verb takes them."""
        verb = cast("verbs.Verb", self.command.verb)
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

    def carried_out(self, do: Callable[[bool], Result]) -> Result:
        """Show what would be done, ask for a yes unless `--yes` says it, and do it.

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
        if input(t("Continue? [y/N] ")).strip().lower() in ("y", "yes", "是", "好"):
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
        from loxodon.journal.lines import unreadable

        raise unreadable(name, getattr(error, "strerror", "") or str(error)) from None


# What was typed


def command_typed(typed: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that was typed first, by its name or an alias, and what follows it."""
    words = 2 if " ".join(typed[:2]) in ALIASES else 1
    named = " ".join(typed[:words])
    name, *rest = [*ALIASES.get(named, named).split(" "), *typed[words:]]
    if name not in MODULES:
        from difflib import get_close_matches

        near = "".join(get_close_matches(name, (*MODULES, *ALIASES), 1))
        hint = "did you mean `loxodon {near}`?" if near else "all commands: `loxodon help all`"
        raise UsageError("unknown command {name}", hint=hint, name=repr(name), near=near)
    return command_named(name), rest


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are ours: an exit code, a hint, and JSON where asked for."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{message}", hint="see `{prog} --help`", message=message, prog=self.prog)


def global_options(typed: list[str], call: Call) -> list[str]:
    """Put the global options into `call`; the rest. They may stand before or after the command,
    but after `--` all is text."""
    parser = _Parser("loxodon", add_help=False, allow_abbrev=False, formatter_class=_HELP)
    for spelling, about in OPTIONS.items():
        # The positional arguments of some commands are called `agent`.
        more = {"dest": "as_agent"} if spelling == "--agent NAME" else {}
        names, how = arg(spelling, about, **more)
        parser.add_argument(*names, **how)
    end = typed.index("--") if "--" in typed else len(typed)
    _, rest = parser.parse_known_args(typed[:end], call)
    return [*rest, *typed[end:]]


def parser_of(one: Command) -> argparse.ArgumentParser:
    about: Any = {"description": t(one.about), "epilog": t(TABLE["epilog"])}
    parser = _Parser(f"loxodon {one.name}", allow_abbrev=False, formatter_class=_HELP, **about)
    alone = parser.add_mutually_exclusive_group() if one.one_of else parser
    added = {how["dest"] for _, how in one.added}
    of_verb = [_of_verb(each, one.words) for each in one.arguments if each.name not in added]
    for flags, how in (*of_verb, *one.added):
        to = alone if flags and flags[0] in one.one_of.split() else parser
        to.add_argument(*flags, **{**how, "help": t(how["help"])})
    return parser


def _of_verb(one: verbs.Argument, words: str) -> Added:
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


# From what was typed to an exit code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is that of the error tree (0 when all went well)."""
    if argv is None:
        gc.freeze()  # what is loaded stays to the end: no collection need look at it
    typed = list(sys.argv[1:] if argv is None else argv)
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads wait busily for each other
    argparse._ = t  # type: ignore[attr-defined]  # its own words are in our catalogue too
    messages.use(next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), ""))
    for stream in (sys.stdout, sys.stderr):
        # What an encoding lacks is printed as `\u…`; to pipes UTF-8.
        if hasattr(stream, "reconfigure"):
            named = os.environ.get("PYTHONIOENCODING") or stream.isatty()
            stream.reconfigure(encoding=None if named else "utf-8", errors="backslashreplace")
    try:
        return _run(typed)
    except BrokenPipeError:  # the reader (`| head`) has had enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 for what Python flushes at exit
        return 0
    except (KeyboardInterrupt, EOFError):  # Ctrl-C, or Ctrl-D where a yes is asked for
        view.warn(t("interrupted; everything acknowledged is saved"))
        return 130
    except Exception as error:
        if os.environ.get("LOXODON_DEBUG") and not isinstance(error, LoxodonError | OSError):
            raise
        return _failed(error, "--json" in typed)


def _run(typed: list[str]) -> int:
    call = Call()
    # What is not UTF-8 is made visible, but for the names of files.
    whole = [one if os.path.exists(one) else view.visible(one) for one in typed]
    rest = global_options(whole, call)
    if call.store:  # in the environment, which no list of processes shows, as it does arguments
        os.environ["LOXODON_STORE"] = call.store
    with suppress(LoxodonError):  # a broken config.toml is reported by who needs it
        if call.config.language != "auto":
            messages.use(call.config.language)
    with acting(Actor("cli")):
        result = _result(rest, call)
    if result is not None and call.json:
        print(view.json_text(result.data))
    elif result is not None:
        view.show(*_lines(result), *([result.note] if result.note else []))
        problems = [*view.problems_in(result.data)] if result.shown is None else []
        if len(problems) > view.LISTED:
            more = t("… and {n} more; --json lists all", n=len(problems) - view.LISTED)
            problems[view.LISTED :] = [more]
        view.warn(*problems, *result.warnings)
    if sys.stdout is not None:
        sys.stdout.flush()
    return result.code if result else 0


def _result(typed: list[str], call: Call) -> Result | None:
    """What the command that was typed finds; or help, or the version."""
    view.mask_with(None)
    if typed[:1] in ([], ["-h"], ["--help"], ["help"]):
        if len(typed) < 2 or typed[1] == "all":
            return _help(every=typed[1:] == ["all"])
        typed = [typed[1], "--help"]
    if typed[0] in ("-V", "--version"):
        return Result({"version": __version__}, f"loxodon {__version__}")
    one, rest = command_typed(typed)
    arguments = parser_of(one)
    if {"-h", "--help"} & set(rest):
        usage = arguments.format_help()
        return Result({"usage": usage}, usage.removesuffix("\n"))
    arguments.parse_args(rest, call)
    call.command = one
    for_owner = one.verb.access == "owner" if one.verb else one.name != "mcp"
    if call.as_agent and for_owner:
        raise owners_only()
    if one.for_files and call.config.store.url:
        raise refused(one.for_files)
    if one.verb and one.verb.masked:
        guard = Guard.of(call.root)
        view.mask_with(lambda value: guard.shown_value(value, private=True, reveal=call.reveal))
    return one.run(call)


def _lines(result: Result) -> list[str]:
    """What is shown to a person."""
    if result.shown is not None:
        return [result.shown] if isinstance(result.shown, str) else result.shown
    if not isinstance(result.data, list):
        lines = view.record(result.data, *result.hide.split())
        return lines or ([] if result.note else [t("nothing was changed")])
    lines = view.listing(result.data)
    if getattr(result.data, "next", None):  # of a page
        lines.append(t("there are more; --limit 0 shows all"))
    return lines


def _help(every: bool) -> Result:
    """The commands: those of every day, or all."""
    told = {name: t(command_named(name).about) for name in MODULES}
    first = t("Long-term memory for AI agents, on your own machine.")
    lines = [first, "", "loxodon [OPTION …] COMMAND …"]
    for heading, group in TABLE["groups"].items():
        names = [name for name in group["commands"] if every or name in TABLE["daily"]]
        rows = view.aligned([(f"  {name:13}", told[name]) for name in names])
        lines += ["", t(heading), *rows] if rows else []
    options = view.aligned([(name, t(about)) for name, about in OPTIONS.items()])
    end = t("`loxodon COMMAND --help` explains a command, `loxodon help all` lists all of them.")
    return Result({"commands": told}, [*lines, "", *options, "", end])


def _failed(error: Exception, as_json: bool) -> int:
    """Tell the error: to stderr for a person and, with --json, to stdout as the one document."""
    if isinstance(error, OSError):
        error = unwritable("", error)
    elif not isinstance(error, LoxodonError):
        hint = "this is a defect: please report it with what LOXODON_DEBUG=1 prints"
        error = LoxodonError("{name}: {reason}", hint=hint, name=type(error).__name__, reason=error)
    message, hint = error.localized()
    problems = [(line, *one.localized()) for line, one in error.problems]
    if as_json:
        each = [{"line": line, "message": said, "hint": how} for line, said, how in problems]
        told = {"code": error.code, "message": message, "hint": hint, "problems": each}
        print(view.json_text({"error": told}))
    view.warn(t("error: {message}", message=message))
    for line, said, how in problems[: view.LISTED]:
        reason = f"{said} ({how})" if how else said
        view.warn(t("  line {line}: {reason}", line=line, reason=reason))
    if hint:
        view.warn(t("hint: {hint}", hint=hint))
    return error.exit_code
