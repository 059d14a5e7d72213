"""What can be typed: every command, and the arguments that argparse takes for it.

A command is a function of a module of this package, declared with `command`. The arguments of the
verb it is about come from that verb (`loxodon.verbs`); `arg` adds others or replaces one of them.
Only the module and the parser of the command that was typed are loaded.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from loxodon import verbs
from loxodon.errors import UsageError
from loxodon.fields import names_of
from loxodon.messages import current, t
from loxodon.verbs import Argument, Verb

if TYPE_CHECKING:
    from loxodon.cli.call import Call, Result

GROUPS = {
    "memory": (
        "Memories",
        "add recall context capture list show edit tag archive unarchive history inspect journal "
        "entities profile snapshot",
    ),
    "learn": ("Learning", "consolidate review quarantine schedule embed model clock"),
    "forget": ("Forgetting", "forget pause resume"),
    "workspace": ("Files", "export import sync watch sources"),
    "agents": ("Agents", "connect follow hook openclaw"),
    "serve": ("Servers", "ui serve proxy mcp"),
    "admin": ("Administration", "status stats init config space token policy audit"),
    "backup": (
        "Maintenance",
        "backup restore validate repair rebuild-index encrypt decrypt rekey move postgres",
    ),
    "help": ("Extras", "demo bench completion"),
}
"""The modules with commands: the heading of each in help, and its commands."""
DAILY = [
    "add",
    "consolidate",
    "recall",
    "context",
    "capture",
    "list",
    "show",
    "forget",
    "status",
    "ui",
]
"""What `loxodon --help` explains."""
OPERATORS = {"hook", "openclaw", "model", "clock", "embed", "rekey", "move", "postgres"}
OPERATORS |= {"rebuild-index", "snapshot"}
"""What only `loxodon help all` lists."""
_ALSO = {
    "recall": "ask find search",
    "capture": "remember save",
    "consolidate": "learn",
    "show": "get cat",
    "list": "ls",
    "journal": "log",
    "ui": "console web",
    "demo": "example",
    "config": "settings",
    "postgres migrate": "migrate",
}
ALIASES = {name: command for command, names in _ALSO.items() for name in names.split()}
MODULES = {name: module for module, (_, names) in GROUPS.items() for name in names.split()}
MODULES |= {"demo": "demo", "bench": "bench"}
OPTIONS = ("--home", "--store", "--space", "--agent", "--now")
FLAGS = {"--json": "json", "--reveal": "reveal", "--relays-user": "relays"}
_OWN = {"openclaw": ("--agent",), "token": ("--agent", "--relays-user")}
"""Global options that commands have for something else of theirs."""
_SHIELD = "\0"  # before text that begins with a dash, so that argparse takes no option for it
_NOT_TYPED = (verbs.CONVERSATION, verbs.CURSOR, verbs.HISTORY, verbs.TURNS)

Added = tuple[tuple[str, ...], dict[str, Any]]


class Command(NamedTuple):
    """One command; see `command`."""

    run: Callable[[Call], Result]
    added: tuple[Added, ...]
    verb_name: str
    takes: bool
    without: tuple[str, ...]
    words: str
    one_of: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.run.__name__.strip("_").replace("_", "-")

    @property
    def about(self) -> str:
        return " ".join((self.run.__doc__ or "").split("\n\n")[0].split())

    @property
    def verb(self) -> Verb | None:
        from loxodon.memory import verb_named

        return verb_named(self.verb_name) if self.verb_name else None

    @property
    def arguments(self) -> list[Argument]:
        """The arguments of its verb that it takes."""
        return [
            one
            for one in (self.verb.arguments if self.verb and self.takes else ())
            if one.name not in ("token", "reveal", *self.without) and one.kind not in _NOT_TYPED
        ]

    @property
    def takes_text(self) -> bool:
        return bool(self.words) or any(flags[0] == "text" for flags, _ in self.added)

    @property
    def for_agents(self) -> bool:
        """Whether an agent may use it, as far as the memory lets it."""
        return self.verb.agents if self.verb else self.name == "mcp"


_DECLARED: dict[str, Command] = {}


def arg(spelling: str, help: str, **how: Any) -> Added:
    """An argument of a command: `--top N`, a flag `--yes`, or a positional `FILE`; then as
    argparse's `add_argument` takes it."""
    *flags, last = spelling.split()
    if not flags and last[:2] != "--":
        return (how.pop("dest", last.lower()),), {"metavar": last, "help": help, **how}
    if last[:2] == "--" and "choices" not in how:
        return (*flags, last), {"action": "store_true", "help": help, **how}
    names = (*flags, last) if last[:2] == "--" else tuple(flags)
    if how.get("action") == "append":
        how["default"] = []
    return names, {"help": help, **({} if last[:2] == "--" else {"metavar": last}), **how}


def command(
    *added: Added,
    verb: str = "",
    takes: bool = True,
    without: str = "",
    words: str = "",
    one_of: str = "",
) -> Callable[[Callable[[Call], Result]], Callable[[Call], Result]]:
    """Declare a function as the command of its name, which its docstring explains.

    Who may use it, and whether numbers are masked, is as for its verb. If it `takes` the verb's
    arguments, then all but those `without`; the argument `words` is text that need not be quoted.
    Options in `one_of` exclude each other.
    """

    def declare(run: Callable[[Call], Result]) -> Callable[[Call], Result]:
        one = Command(run, added, verb, takes, tuple(without.split()), words, tuple(one_of.split()))
        _DECLARED[one.name] = one
        return run

    return declare


def command_named(name: str) -> Command:
    """A command, for which its module is loaded."""
    from importlib import import_module

    import_module(f"loxodon.cli.{MODULES[name]}")
    return _DECLARED[name]


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are ours: an exit code, a hint, and JSON where asked for."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{message}", hint="see `{prog} --help`", message=message, prog=self.prog)


def parse(argv: Sequence[str], call: Call) -> str:
    """Put what was typed into `call`; the name of the command, or of what help was asked for.

    The global options may stand before or after the command.
    """
    _translate_argparse()
    rest = _global_options(list(argv), call)
    if rest[:1] in ([], ["-h"], ["--help"], ["help"]):
        if len(rest) < 2 or rest[1] == "all":
            call.all = rest[1:] == ["all"]
            return "help"
        rest = [rest[1], "--help"]
    if rest[0] in ("-V", "--version"):
        return "version"
    if rest[0] in ALIASES:
        rest[:1] = ALIASES[rest[0]].split()
    if rest[0] not in MODULES:
        from loxodon.cli.help import unknown

        raise unknown(rest[0])
    one = command_named(rest[0])
    parser = parser_of(one)
    if {"-h", "--help"} & set(rest[1:]):
        call.text = parser.format_help()
        return "usage"
    typed = [_shielded(word) if one.takes_text else word for word in rest[1:]]
    parser.parse_args(typed, call)
    for name, value in vars(call).items():
        setattr(call, name, _bared(value))
    return one.name


def _shielded(word: str) -> str:
    """Text that begins with a dash is text where a command takes any text, not an option."""
    if word[:1] != "-" or word[:2] == "--" or word in ("-", "-h"):
        return word
    return word if word[1:].replace(".", "", 1).isdecimal() else _SHIELD + word


def _bared(value: object) -> object:
    if isinstance(value, list):
        return [_bared(one) for one in value]
    return value.removeprefix(_SHIELD) if isinstance(value, str) else value


def _global_options(argv: list[str], call: Call) -> list[str]:
    """Put the global options into `call`, wherever they stand; the rest. After `--` all is text."""
    rest: list[str] = []
    while argv:
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        own = _OWN.get(rest[0], ()) if rest else ()
        if word == "--":
            return [*rest, word, *argv]
        if word in FLAGS and word not in own:
            setattr(call, FLAGS[word], True)
        elif name in OPTIONS and name not in own:
            if not equals:
                if not argv:
                    raise UsageError("{name} needs a value", hint="see `loxodon --help`", name=name)
                value = argv.pop(0)
            setattr(call, "as_agent" if name == "--agent" else name[2:], value)
        else:
            rest.append(word)
    return rest


def parser_of(one: Command) -> argparse.ArgumentParser:
    """The parser of a command."""
    parser = _Parser(
        prog=f"loxodon {one.name}",
        description=t(one.about),
        allow_abbrev=False,
        formatter_class=_formatter,
        epilog=t(
            "Also: --home DIR, --store URL, --space NAME, --agent NAME, --now ISO, --json; see "
            "`loxodon --help`."
        ),
    )
    alone = parser.add_mutually_exclusive_group() if one.one_of else parser
    added = {_dest(flags, how) for flags, how in one.added}
    for argument in one.arguments:
        if argument.name not in added:
            _add(parser, argument, one.words)
    for flags, how in one.added:
        to = alone if flags[0] in one.one_of else parser
        to.add_argument(*flags, **{**how, "help": t(how["help"])})
    if any(action.metavar == "WHEN" for action in parser._actions):
        when = t("WHEN: 2026-02-04, yesterday, 3 days ago, last week, 上周三.")
        parser.epilog = f"{when}\n{parser.epilog}"
    return parser


def _dest(flags: tuple[str, ...], how: dict[str, Any]) -> str:
    dest: str = how.get("dest", flags[0].lstrip("-").replace("-", "_"))
    return dest


def _add(parser: argparse.ArgumentParser, one: Argument, words: str) -> None:
    """Add an argument of a verb."""
    how: dict[str, Any] = {"help": t(one.about), "metavar": _METAVARS.get(one.kind)}
    if one.kind == verbs.FLAG:
        how |= {"action": "store_true"}
        del how["metavar"]
    elif isinstance(one.kind, tuple):
        how["choices"] = one.kind
    else:
        how["type"] = _TYPES.get(one.kind)
    if one.kind == verbs.SIZE:
        how["help"] = t("show at most N (0 for all)")
    flag, _, metavar = one.typed.partition(" ")
    if one.name == words:
        how |= {"help": t("{text}; - for standard input", text=how["help"])}
        how |= {"nargs": "+" if one.required else "*", "metavar": words.upper()}
        parser.add_argument(words, **how)
    elif one.required:
        parser.add_argument(one.name, **{**how, "metavar": one.name.upper()})
    else:
        if metavar:
            how["metavar"] = metavar
            how["help"] += ": " + ", ".join(one.kind) if isinstance(one.kind, tuple) else ""
        parser.add_argument(flag or f"--{one.name.replace('_', '-')}", dest=one.name, **how)


def _formatter(prog: str) -> argparse.HelpFormatter:
    # With a width of its own, argparse does not load shutil and three compressors to find one.
    try:
        width = os.get_terminal_size().columns
    except OSError:
        width = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=width - 2)


def whole(text: str) -> int:
    """The type of options that count."""
    with suppress(ValueError):
        if (value := int(text)) >= 0:
            return value
    raise argparse.ArgumentTypeError(
        t("must be a whole number, 0 or more, not {value}", value=repr(text))
    )


def number(text: str) -> float:
    """The type of options with a fraction."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            t("must be a number, not {value}", value=repr(text))
        ) from None


_TYPES: dict[Any, Callable[[str], Any]] = {
    verbs.WHOLE: whole,
    verbs.SIZE: whole,
    verbs.NUMBER: number,
    verbs.TEXTS: names_of,
}
_METAVARS: dict[Any, str] = {
    verbs.WHOLE: "N",
    verbs.SIZE: "N",
    verbs.NUMBER: "0..1",
    verbs.TEXTS: "A,B",
    verbs.MOMENT: "WHEN",
    verbs.MOMENT_OR_NONE: "WHEN",
    "text": "NAME",
}


def _translate_argparse() -> None:
    """argparse says its own sentences through a function that it calls `_`, which would load what
    knows about locales and look for files that nobody has."""
    known = _ARGPARSE if current() == "zh" else {}
    argparse._ = lambda text: known.get(text, text)  # type: ignore[attr-defined]
    argparse.ngettext = (  # type: ignore[attr-defined]
        lambda one, many, n: known.get(one, one if n == 1 else many)
    )


_ARGPARSE = {
    "usage: ": "用法：",
    "positional arguments": "参数",
    "options": "选项",
    "show this help message and exit": "显示这段帮助",
    "the following arguments are required: %s": "缺少参数：%s",
    "unrecognized arguments: %s": "未知的参数：%s",
    "expected one argument": "需要一个值",
    "expected at least one argument": "至少需要一个值",
    "argument %(argument_name)s: %(message)s": "参数 %(argument_name)s：%(message)s",
    "invalid choice: %(value)r (choose from %(choices)s)": "%(value)r 不可用（可选 %(choices)s）",
}
