"""What can be typed, by the table of commands. Only the parser of the command that was asked for is
built: a cold recall should not pay for fifty others."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from loxodon.cli.table import COMMANDS, Command, spelled
from loxodon.errors import UsageError
from loxodon.fields import names_of
from loxodon.messages import current, t
from loxodon.verbs import FLAG, NUMBER, TEXTS, WHOLE, WORDS, Argument, ArgumentKind

_SHIELD = "\0"  # which nobody can type: arguments end at it
_FLAGS = {"--json": "json", "--reveal": "reveal", "--relays-user": "relays"}
_TAKEN = (("--agent", ["openclaw"]), ("--agent", ["token"]), ("--relays-user", ["token"]))
"""Global options that commands have for something else of theirs."""
_OPTIONS = ("--home", "--store", "--space", "--agent", "--now")


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are ours: an exit code, a hint, and JSON where asked for."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{message}", hint="see `{prog} --help`", message=message, prog=self.prog)


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


def _speak() -> None:
    """argparse says its own sentences through a function that it calls `_`, which would load what
    knows about locales and look for files that nobody has."""
    known = _ARGPARSE if current() == "zh" else {}
    argparse._ = lambda text: known.get(text, text)  # type: ignore[attr-defined]
    argparse.ngettext = (  # type: ignore[attr-defined]
        lambda one, many, n: known.get(one, one if n == 1 else many)
    )


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its arguments; the global options may stand before or after it."""
    _speak()
    shared, rest = _shared_options(list(argv))
    if not rest or rest[0] in ("-h", "--help", "help"):
        if len(rest) > 1 and rest[0] == "help" and rest[1] != "all":
            rest = [rest[1], "--help"]
        else:
            return argparse.Namespace(command="help", all=rest[1:] == ["all"], **shared)
    if rest[0] in ("-V", "--version"):
        return argparse.Namespace(command="version", **shared)
    name = rest[0]
    if name not in COMMANDS:
        from loxodon.cli.help import ALIASES, unknown

        if name not in ALIASES:
            raise unknown(name, list(COMMANDS))
        name = ALIASES[name]
    command = COMMANDS[name]
    parser = _Parser(
        prog=f"loxodon {name}",
        description=t(command.about),
        allow_abbrev=False,
        formatter_class=_formatter,
        epilog=t(
            "Also: --home DIR, --store URL, --space NAME, --agent NAME, --now ISO, --json; see "
            "`loxodon --help`."
        ),
    )
    build(parser, command)
    if {"-h", "--help"} & set(rest[1:]):
        return argparse.Namespace(command="usage", text=parser.format_help(), **shared)
    takes_words = any(one.kind == WORDS for one in command.takes)
    words = [_shielded(word) for word in rest[1:]] if takes_words else rest[1:]
    args = parser.parse_args(words)
    for key, value in vars(args).items():
        setattr(args, key, _bared(value))
    args.command = name
    for key, value in shared.items():
        setattr(args, key, value)
    return args


def _shielded(word: str) -> str:
    """Text that begins with a dash is text where a command takes any text, not an option."""
    if word[:1] != "-" or word[:2] == "--" or word in ("-", "-h"):
        return word
    return word if word[1:].replace(".", "", 1).isdecimal() else _SHIELD + word


def _bared(value: object) -> object:
    if isinstance(value, list):
        return [_bared(one) for one in value]
    return value.removeprefix(_SHIELD) if isinstance(value, str) else value


def _shared_options(argv: list[str]) -> tuple[dict[str, str | bool], list[str]]:
    """The global options, wherever they stand, and the rest; what follows `--` is text."""
    shared: dict[str, str | bool] = {
        "home": "",
        "store": "",
        "space": "main",
        "as_agent": "",
        "now": "",
        "json": False,
        "reveal": False,
        "relays": False,
    }
    rest: list[str] = []
    while argv:
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return shared, [*rest, word, *argv]
        if word in _FLAGS and (word, rest[:1]) not in _TAKEN:
            shared[_FLAGS[word]] = True
        elif name in _OPTIONS and (name, rest[:1]) not in _TAKEN:
            if not equals:
                if not argv:
                    raise UsageError("{name} needs a value", hint="see `loxodon --help`", name=name)
                value = argv.pop(0)
            shared["as_agent" if name == "--agent" else name[2:]] = value
        else:
            rest.append(word)
    return shared, rest


def build(parser: argparse.ArgumentParser, command: Command) -> None:
    """Have a parser take what a command takes."""
    alone = parser.add_mutually_exclusive_group() if command.one_of else parser
    for heading, some in command.parts.items():
        part = parser.add_argument_group(heading) if heading else parser
        for one in some:
            _add(alone if one.name in command.one_of.split() else part, one)


def _add(parser: argparse._ActionsContainer, one: Argument) -> None:
    spelling = spelled(one)
    option, _, value = spelling.partition(" ") if spelling[:2] == "--" else ("", "", spelling)
    names = one.kind if isinstance(one.kind, tuple) else ()
    how: dict[str, Any] = {"help": t(one.about, names=", ".join(names), default=one.default)}
    if one.default is not None:
        how["default"] = one.default
    if one.kind == FLAG:
        how["action"] = "store_true"
    elif names:  # which stand for the value, unless its option has a name for it
        meta = value.partition("=")[0]
        how |= {"choices": names, "metavar": meta if option and meta.isupper() else None}
    else:
        meta = value.removesuffix("…") if option else value.strip("[]…")
        how |= {"metavar": meta, "type": _TYPES.get(one.kind)}
    if option:
        how |= {"action": "append", "default": []} if value[-1:] == "…" else {}
        parser.add_argument(option, dest=one.name, required=one.required, **how)
    else:
        many, optional = "…" in value, value[0] == "["
        how["nargs"] = {(1, 1): "*", (1, 0): "+", (0, 1): "?"}.get((many, optional))
        parser.add_argument(one.name, **how)


_TYPES: dict[ArgumentKind, Callable[[str], Any]] = {WHOLE: whole, NUMBER: number, TEXTS: names_of}
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
