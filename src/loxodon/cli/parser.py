"""What can be typed: every command, and the arguments that argparse takes for it.

A command is a function of a module of this package, declared with `command`, or a verb as it is
(`derived`). The arguments of a verb come from the verb (`loxodon.verbs`); `arg` adds others or
replaces one of them. Only the module and the parser of the command that was typed are loaded.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from loxodon import verbs
from loxodon.errors import UsageError
from loxodon.fields import names_of
from loxodon.messages import t
from loxodon.verbs import Argument, Verb

if TYPE_CHECKING:
    from loxodon.cli.call import Call, Result

# The groups of commands by their headings in help: the module of each, and its commands.
GROUPS = {
    "Memories": (
        "memory",
        "add recall context capture list show edit archive unarchive history inspect journal "
        "entities profile snapshot",
    ),
    "Learning": ("learn", "consolidate review quarantine schedule embed model"),
    "Forgetting": ("learn", "forget person pause resume"),
    "Files": ("memory", "export import sync sources"),
    "Agents": ("agents", "connect follow hook"),
    "Servers": ("serve", "ui serve proxy mcp"),
    "Administration": ("admin", "status stats init config space token policy audit"),
    "Maintenance": (
        "backup",
        "backup restore validate repair rebuild-index encrypt decrypt rekey move postgres",
    ),
    "Example": ("demo", "demo"),
    "Benchmarks": ("bench", "bench"),
}
MODULES = {name: module for module, names in GROUPS.values() for name in names.split()}
# What `loxodon --help` explains, and what only `loxodon help all` lists.
DAILY = ["add", "consolidate", "recall", "capture", "list", "show", "forget", "status", "ui"]
OPERATORS = ["hook", "model", "embed", "rekey", "move", "postgres"]
OPERATORS += ["rebuild-index", "snapshot"]
ALIASES = {
    "search": "recall",
    "remember": "capture",
    "learn": "consolidate",
    "get": "show",
    "delete": "forget",
    "migrate": "postgres migrate",
    "openclaw install": "connect openclaw",
    "openclaw uninstall": "connect openclaw --remove",
    "openclaw status": "connect status",
    "openclaw follow": "follow openclaw",
    "openclaw answer": "hook openclaw answer",
}
# The global options, and what they are for.
OPTIONS = {
    "--home DIR": "folder of the memory (LOXODON_HOME, or ~/.loxodon)",
    "--store URL": "PostgreSQL database to use instead of files (LOXODON_STORE)",
    "--space NAME": "which memory: spaces are isolated from each other (main)",
    "--agent NAME": "act as this agent: it sees its own and shared memories only",
    "--relays-user": "with --agent: it passes on what the user said",
    "--now ISO": "use this as the current time (LOXODON_NOW)",
    "--reveal": "show numbers that are normally masked",
    "--json": "print one JSON document",
}
# They are attributes of the same name, but where commands have an option of that name.
_ATTRIBUTES = {"--agent": "as_agent", "--relays-user": "relays"}
_OWN = {"token": ("--agent", "--relays-user")}
_NOT_TYPED = (verbs.CONVERSATION, verbs.CURSOR, verbs.HISTORY, verbs.TURNS)

Added = tuple[tuple[str, ...], dict[str, Any]]
Run = Callable[["Call"], "Result"]


class Command(NamedTuple):
    name: str
    about: str
    run: Run | None = None  # None where it does what its verb does
    added: tuple[Added, ...] = ()
    verb_name: str = ""  # it is for whom its verb is for, and takes what that takes
    without: str = ""  # arguments of the verb that it does not take
    words: str = ""  # the argument that is text, which need not be quoted
    one_of: str = ""  # options that exclude each other
    said: str = ""  # what is said with the fields of the result, instead of showing it
    field: str = ""  # what the result is called in JSON, where not as the verb says
    make: bool = False  # whether a space that is not there is made
    for_files: str = ""  # what it does that only a memory in files does

    @property
    def verb(self) -> Verb | None:
        from loxodon.memory import verb_named

        return verb_named(self.verb_name) if self.verb_name else None

    @property
    def arguments(self) -> list[Argument]:
        """The arguments of its verb that it takes."""
        without = ("token", "reveal", "language", *self.without.split())
        return [
            one
            for one in (self.verb.arguments if self.verb else ())
            if one.name not in without and one.kind not in _NOT_TYPED
        ]

    @property
    def for_agents(self) -> bool:
        """Whether an agent may use it, as far as the memory lets it."""
        return self.verb.agents if self.verb else self.name == "mcp"


_DECLARED: dict[str, Command] = {}


def arg(spelling: str, help: str, **how: Any) -> Added:
    """An argument of a command: `--top N`, a choice `--chat direct|group`, a flag `--yes`, a
    positional `FILE` or `ACTION list|delete`; then as argparse's `add_argument` takes it."""
    *names, last = spelling.split()
    if not names or last.startswith("--"):
        names, last = [*names, last], ""
    if names[0].startswith("--"):
        dest = tuple(names)
        how = how if last else {"action": "store_true", **how}
    else:
        dest = (how.pop("dest", names[0].lower()),)
        how = {"metavar": names[0], **how}
    if "|" in last:
        how["choices"] = tuple(last.split("|"))
    elif last:
        how["metavar"] = last
    if how.get("action") == "append":
        how["default"] = []
    return dest, {"help": help, **how}


def dest_of(added: Added) -> str:
    """The attribute that an added argument becomes."""
    flags, how = added
    dest: str = how.get("dest", flags[0].lstrip("-").replace("-", "_"))
    return dest


YES = arg("--yes", "do not ask for confirmation")
CHAT = arg(
    "--chat direct|group|room", "who sees the answer; group: no private memories", default="direct"
)


def command(*added: Added, verb: str = "", **how: Any) -> Callable[[Run], Run]:
    """Declare a function as the command of its name, which its docstring explains."""

    def declare(run: Run) -> Run:
        name = run.__name__.strip("_").replace("_", "-")
        about = " ".join((run.__doc__ or "").split("\n\n")[0].split())
        _DECLARED[name] = Command(name, about, run, added, verb, **how)
        return run

    return declare


def derived(name: str, about: str, *added: Added, verb: str = "", **how: Any) -> None:
    """Declare a command that calls its verb, with the positional arguments `added` first."""
    _DECLARED[name] = Command(name, about, None, added, verb or name, **how)


def command_named(name: str) -> Command:
    """A command, for which its module is loaded."""
    import_module(f"loxodon.cli.{MODULES[name]}")
    return _DECLARED[name]


# What was typed


def command_typed(typed: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that was typed first, by its name or an alias, and what follows it."""
    words = 2 if " ".join(typed[:2]) in ALIASES else 1
    named = " ".join(typed[:words])
    name, *rest = [*ALIASES.get(named, named).split(" "), *typed[words:]]
    if name not in MODULES:
        from difflib import get_close_matches

        near = "".join(get_close_matches(name, (*MODULES, *ALIASES), 1))
        hint = "list all commands with `loxodon help all`"
        if near:
            hint = "did you mean `loxodon {near}`?"
        raise UsageError("unknown command {name}", hint=hint, name=repr(name), near=near)
    return command_named(name), rest


def global_options(argv: list[str], call: Call) -> list[str]:
    """Put the global options into `call`; the rest. They may stand before or after the command,
    but after `--` all is text."""
    flags = [one for one in OPTIONS if " " not in one]
    with_value = [one.split()[0] for one in OPTIONS if " " in one]
    rest: list[str] = []
    while argv:
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return [*rest, word, *argv]
        if rest and name in _OWN.get(rest[0], ()):
            rest.append(word)
        elif word in flags:
            setattr(call, _ATTRIBUTES.get(word, word[2:]), True)
        elif name in with_value:
            if not equals and not argv:
                raise UsageError("{name} needs a value", hint="see `loxodon --help`", name=name)
            value = value if equals else argv.pop(0)
            setattr(call, _ATTRIBUTES.get(name, name[2:]), value)
        else:
            rest.append(word)
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
    added = set(map(dest_of, one.added))
    of_verb = [_of_verb(each, one.words) for each in one.arguments if each.name not in added]
    for flags, how in (*of_verb, *one.added):
        to = alone if flags[0] in one.one_of.split() else parser
        to.add_argument(*flags, **{**how, "help": t(how["help"])})
    return parser


def _of_verb(one: Argument, words: str) -> Added:
    """An argument of a verb."""
    about = t("show at most N (0 for all)") if one.kind == verbs.SIZE else t(one.about)
    if one.name == words:
        about = t("{text}; - for standard input", text=about)
        return arg(words.upper(), about, nargs="+" if one.required else "*")
    choices = one.kind if isinstance(one.kind, tuple) else ()
    metavar, type_ = _KINDS.get(one.kind, ("|".join(choices), None))
    how: dict[str, Any] = {"type": type_} if type_ else {}
    if one.required:
        return arg(one.name.upper(), about, **how)
    flag, _, named = one.typed.partition(" ")
    if named and choices:
        about, how["choices"] = f"{about}: {', '.join(choices)}", choices
    spelling = f"{flag or '--' + one.name.replace('_', '-')} {named or metavar}"
    return arg(spelling, about, dest=one.name, **how)


def whole(text: str) -> int:
    """The type of options that count; argparse names it where it does not fit."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


_KINDS: dict[Any, tuple[str, Callable[[str], Any] | None]] = {
    verbs.WHOLE: ("N", whole),
    verbs.SIZE: ("N", whole),
    verbs.NUMBER: ("0..1", float),
    verbs.TEXTS: ("A,B", names_of),
    verbs.MOMENT: ("WHEN", None),
    verbs.MOMENT_OR_NONE: ("WHEN", None),
    verbs.TEXT: ("NAME", None),
}
