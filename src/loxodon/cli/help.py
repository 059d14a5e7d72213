"""Help, the version, and shell completion."""

from __future__ import annotations

from loxodon.cli.call import Call, Result
from loxodon.cli.parser import (
    ALIASES,
    DAILY,
    GROUPS,
    MODULES,
    OPERATORS,
    arg,
    command,
    command_named,
    parser_of,
)
from loxodon.errors import UsageError
from loxodon.messages import t

OPTIONS = (
    "--home DIR    folder of the memory (LOXODON_HOME, or ~/.loxodon)",
    "--store URL   PostgreSQL database to use instead of files (LOXODON_STORE)",
    "--space NAME  which memory: spaces are isolated from each other (main)",
    "--agent NAME  act as this agent: it sees its own and shared memories only",
    "--relays-user with --agent: it passes on what the user said",
    "--now ISO     use this as the current time (LOXODON_NOW)",
    "--reveal      show numbers that are normally masked",
    "--json        print one JSON document",
)
_USAGE = """loxodon [--home DIR] [--store URL] [--space NAME] [--agent NAME] [--now ISO]
        [--json] COMMAND …
"""


def unknown(name: str) -> UsageError:
    """The error for a command that there is not, with the one that was probably meant."""
    from difflib import get_close_matches

    if name in ("delete", "rm", "remove", "del"):
        return UsageError(
            "unknown command {name}",
            hint="`loxodon forget ID` deletes a memory permanently; `loxodon archive ID` only "
            "hides it",
            name=repr(name),
        )
    near = get_close_matches(name, [*MODULES, *ALIASES], n=1, cutoff=0.6)
    return UsageError(
        "unknown command {name}",
        hint="did you mean `loxodon {near}`?"
        if near
        else "list all commands with `loxodon help all`",
        name=repr(name),
        near=ALIASES.get(near[0], near[0]) if near else "",
    )


def about_loxodon(call: Call) -> Result:
    """`--version`, the help of one command, or the commands: those of every day, or all."""
    if call.command == "version":
        from loxodon import __version__

        return Result({"version": __version__}, f"loxodon {__version__}")
    if call.command == "usage":
        return Result({"usage": call.text}, call.text.removesuffix("\n"))
    commands = {name: t(command_named(name).about) for name in MODULES}
    width = max(map(len, commands))

    def listed(names: list[str]) -> list[str]:
        return [f"  {name:{width}}  {commands[name]}" for name in names]

    lines = [t("Long-term memory for AI agents, on your own machine."), "", _USAGE]
    lines += [] if call.all else listed([*DAILY])
    for heading, names in GROUPS.values():
        rest = [name for name in names.split() if name not in DAILY and name not in OPERATORS]
        if call.all:
            lines += ["", t(heading), *listed(names.split())]
        elif rest:
            lines.append(f"\n{t(heading)}: {', '.join(rest)}")
    lines += ["", *map(t, OPTIONS), ""]
    lines.append(
        t("`loxodon COMMAND --help` explains a command, `loxodon help all` lists all of them.")
    )
    return Result({"commands": commands}, lines)


@command(arg("SHELL", "which shell", choices=("bash", "zsh", "fish")))
def completion(call: Call) -> Result:
    """Print a script that completes commands in your shell."""
    words = {
        name: sorted(
            {one for a in parser_of(command_named(name))._actions for one in a.option_strings}
        )
        for name in MODULES
    }
    if call.shell == "fish":
        lines = [f"complete -c loxodon -n __fish_use_subcommand -a {name}" for name in words]
        lines += [
            f"complete -c loxodon -n '__fish_seen_subcommand_from {name}' -l {option[2:]}"
            for name, options in words.items()
            for option in options
            if option[:2] == "--"
        ]
        script = "\n".join(lines)
    else:
        cases = "".join(
            f'    {name}) words="{" ".join(some)}" ;;\n' for name, some in words.items()
        )
        script = _BASH.replace("COMMANDS", " ".join(words)).replace("CASES\n", cases)
        if call.shell == "zsh":
            script = f"autoload -U +X bashcompinit && bashcompinit\n{script}"
    return Result({"shell": call.shell, "script": script + "\n"}, script)


_BASH = """_loxodon() {
  local words="" word command=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="COMMANDS --home --store --space --agent --now --json" ;;
CASES
  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _loxodon loxodon"""
