"""Help: which commands come first, what else people type for them, and shell completion."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from loxodon.cli.table import COMMANDS, spelled
from loxodon.errors import UsageError
from loxodon.messages import t

if TYPE_CHECKING:
    from loxodon.cli.opening import Outcome

ALIASES = {name: one.name for one in COMMANDS.values() for name in one.also.split()}
"""What is taken for a command of ours."""
_ERASING = frozenset({"delete", "rm", "remove", "del"})
OPTIONS = (
    "--home DIR    folder of the memory (LOXODON_HOME, or ~/.loxodon)",
    "--store URL   PostgreSQL database to use instead of files (LOXODON_STORE)",
    "--space NAME  which memory: spaces are isolated from each other (main)",
    "--agent NAME  act as this agent: it sees its own and shared memories only",
    "--relays-user with --agent: it passes on what the user said",
    "--now ISO     use this as the current time (LOXODON_NOW)",
    "--json        print one JSON document",
)


def unknown(name: str, known: list[str]) -> UsageError:
    """The error for a command that there is not, with the one that was probably meant."""
    from difflib import get_close_matches

    if name in _ERASING:
        return UsageError(
            "unknown command {name}",
            hint="`loxodon forget ID` deletes a memory permanently; `loxodon archive ID` only "
            "hides it",
            name=repr(name),
        )
    if near := get_close_matches(name, [*known, *ALIASES], n=1, cutoff=0.6):
        return UsageError(
            "unknown command {name}",
            hint="did you mean `loxodon {near}`?",
            name=repr(name),
            near=ALIASES.get(near[0], near[0]),
        )
    return UsageError(
        "unknown command {name}", hint="list all commands with `loxodon help all`", name=repr(name)
    )


def overview(args: Namespace) -> Outcome:
    """`loxodon --help`: the commands of every day, the others by name; all with `help all`."""
    from loxodon.cli.opening import Outcome

    commands = {one.name: t(one.about) for one in COMMANDS.values()}
    width = max(map(len, commands))
    groups: dict[str, list[str]] = {}
    for one in COMMANDS.values():
        groups.setdefault(one.group, []).append(one.name)

    def listed(names: list[str]) -> None:
        for name in names:
            print(f"  {name:{width}}  {commands[name]}")

    def show() -> None:
        print(t("Long-term memory for AI agents, on your own machine."))
        print()
        print("loxodon [--home DIR] [--store URL] [--space NAME] [--agent NAME] [--now ISO]")
        print("        [--json] COMMAND …")
        print()
        for group, names in groups.items():
            if group and not args.all:
                print(f"\n{t(group)}: {', '.join(names)}")
                continue
            if group:
                print(f"\n{t(group)}")
            listed(names)
        print()
        for option in OPTIONS:
            print(t(option))
        print()
        print(
            t("`loxodon COMMAND --help` explains a command, `loxodon help all` lists all of them.")
        )

    return Outcome({"commands": commands}, show)


def completion(args: Namespace) -> Outcome:
    """The script that completes commands and options in a shell."""
    from loxodon.cli.opening import Outcome

    script = _SCRIPTS[args.shell](_words())
    return Outcome({"shell": args.shell, "script": script}, lambda: print(script, end=""))


def _words() -> dict[str, list[str]]:
    """Every command, with its options."""
    return {
        one.name: sorted(
            {word for given in one.takes if (word := spelled(given).split()[0])[:2] == "--"}
            | {"--help"}
        )
        for one in COMMANDS.values()
    }


def _bash(words: dict[str, list[str]]) -> str:
    cases = "".join(f'    {name}) words="{" ".join(given)}" ;;\n' for name, given in words.items())
    return (
        "_loxodon() {\n"
        '  local words="" word command=""\n'
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do\n'
        '    case "$word" in -*) ;; *) command="$word"; break ;; esac\n'
        "  done\n"
        '  case "$command" in\n'
        f'    "") words="{" ".join(words)} --home --store --space --agent --now --json" ;;\n'
        f"{cases}  esac\n"
        '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))\n'
        "}\n"
        "complete -o default -F _loxodon loxodon\n"
    )


def _zsh(words: dict[str, list[str]]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(words)}"


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c loxodon -n __fish_use_subcommand -a {name}" for name in words]
    lines += [
        f"complete -c loxodon -n '__fish_seen_subcommand_from {name}' -l {option[2:]}"
        for name, options in words.items()
        for option in options
    ]
    return "\n".join(lines) + "\n"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
