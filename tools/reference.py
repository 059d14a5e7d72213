"""Write what the docs take from the code: commands, settings, errors, HTTP paths and MCP tools.

    python tools/reference.py          # write them; also `make reference`
    python tools/reference.py --check  # fail if a page is not as this would write it

A part stands between `<!-- command recall -->` and `<!-- end -->`; what is outside is written by
hand. A command or a part that has no place in the docs is an error.
"""

from __future__ import annotations

import re
import sys
from argparse import Action
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from loxodon import errors
from loxodon.cli.commands import ALIASES, MODULES, command_named, parser_of
from loxodon.config import DEFAULTS, described, written
from loxodon.errors import LoxodonError
from loxodon.http.operations import OPERATIONS
from loxodon.mcp.tools import TOOLS
from loxodon.verbs import Argument

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("reference.md", "http.md", "mcp.md")
_PART = re.compile(r"(<!-- ([a-z -]+) -->\n).*?(<!-- end -->\n)", re.S)
_LEAF = re.compile(r"^ +[├└│─ ]*(\w+Error) +(?:exit code )?(?:\d+  )?(.*)$", re.M)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:], ""])


def command(name: str) -> str:
    """A command: how it is typed, what it is for, and what it takes."""
    one = command_named(name)
    taken = [action for action in parser_of(one)._actions if action.dest != "help"]
    usage = " ".join(_positional(action) for action in taken if not action.option_strings)
    found = f"### `loxodon {name}{' ' if usage else ''}{usage}`\n\n{one.about}"
    if also := [f"`{alias}`" for alias, known in ALIASES.items() if known == name]:
        found += f" Aliases: {', '.join(also)}."
    rows = [(_shown(action), _meaning(action)) for action in taken]
    return f"{found}\n" + (f"\n{table(('argument', 'meaning'), rows)}" if rows else "")


def _positional(action: Action) -> str:
    name = str(action.metavar or action.dest.upper()) + ("…" if action.nargs in ("*", "+") else "")
    return f"[{name}]" if action.nargs in ("*", "?") else name


def _shown(action: Action) -> str:
    """How an argument is typed; one that is no option and has choices, as these."""
    choices = "|".join(action.choices or ())
    if not action.option_strings:
        return f"`{choices or _positional(action)}`".replace("|", r"\|")
    value = "" if action.nargs == 0 else f" {action.metavar or choices}"
    more = "…" if "Append" in type(action).__name__ else ""
    return f"`{', '.join(action.option_strings)}{value}{more}`".replace("|", r"\|")


def _meaning(action: Action) -> str:
    said, names = str(action.help), ", ".join(action.choices or ())
    if names and action.metavar:
        said = said.replace(names, ", ".join(f"`{name}`" for name in action.choices or ()))
    return re.sub(r"(?<![`\w-])--[a-z-]+", r"`\g<0>`", said)


def settings() -> str:
    rows = (
        (
            f"`{name}`",
            f"`{written(DEFAULTS[name])}`" if DEFAULTS[name] != "" else "empty",
            key.about,
        )
        for name, key in described().items()
    )
    return table(("key", "default", "meaning"), rows)


def exit_codes() -> str:
    """The errors by exit code; what each means is in the tree at the top of `errors.py`."""
    means = dict(_LEAF.findall(errors.__doc__ or ""))
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, LoxodonError) and kind is not LoxodonError
    ]
    rows = [
        (str(kind.exit_code), f"`{kind.code}`", f"`{kind.__name__}`", means[kind.__name__])
        for kind in sorted(kinds, key=lambda kind: kind.exit_code)
    ]
    first = [("0", "", "", "success, also if nothing was found")]
    first += [("1", "`error`", "`LoxodonError`", "anything else")]
    last = [("130", "", "", "interrupted")]
    return table(("exit code", "code in JSON", "exception", "meaning"), [*first, *rows, *last])


def paths() -> str:
    rows = (
        (
            one.route.method,
            f"`{one.route.path}`",
            one.about + (" [Long](#long-operations)." if one.route.long else ""),
            one.right,
        )
        for one in OPERATIONS
    )
    return table(("method", "path", "what it does", "right"), rows)


def tools() -> str:
    def named(one: Argument) -> str:
        return f"**`{one.name}`**" if one.required else f"`{one.name}`"

    rows = (
        (
            f"`{one.name}`",
            re.split(r"[.:;] ", one.about.rstrip("."))[0],
            ", ".join(map(named, one.takes)) or "–",
            "changes" if one.overwrites else "adds" if one.writes or one.journals else "–",
        )
        for one in TOOLS
    )
    return table(("tool", "what it is for", "arguments", "changes"), rows)


PARTS: dict[str, Callable[[], str]] = {
    "settings": settings,
    "exit codes": exit_codes,
    "paths": paths,
    "tools": tools,
    **{f"command {name}": partial(command, name) for name in MODULES},
}


def rewritten(page: str, seen: set[str]) -> str:
    """A page with its parts made anew; `seen` gets their names."""

    def part(found: re.Match[str]) -> str:
        start, name, end = found.groups()
        seen.add(name)
        return f"{start}{PARTS[name]()}{end}"

    return _PART.sub(part, page)


def main(argv: list[str]) -> Iterator[str]:
    """What is wrong, a line each."""
    seen: set[str] = set()
    for name in PAGES:
        path = DOCS / name
        before = path.read_text("utf-8")
        after = rewritten(before, seen)
        if after != before and "--check" in argv:
            yield f"docs/{name} is out of date: run `make reference`"
        elif after != before:
            path.write_text(after, "utf-8")
    for one in PARTS.keys() - seen:
        yield f"there is no place in the docs for `<!-- {one} -->` and `<!-- end -->`"


if __name__ == "__main__":
    problems = list(main(sys.argv[1:]))
    sys.exit("\n".join(problems) or 0)
