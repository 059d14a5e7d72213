"""From what was typed to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from loxodon import __version__, messages
from loxodon.cli import commands, view
from loxodon.cli.commands import Call, Result
from loxodon.errors import LoxodonError, refused, unwritable
from loxodon.guard.guard import Guard
from loxodon.messages import t
from loxodon.security.actor import Actor, acting
from loxodon.store.walls import owners_only


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is that of the error tree (0 when all went well)."""
    typed = list(sys.argv[1:] if argv is None else argv)
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads wait busily for each other
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
    except KeyboardInterrupt:
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
    rest = commands.global_options(whole, call)
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
    one, rest = commands.command_typed(typed)
    arguments = commands.parser_of(one)
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
    told = {name: t(commands.command_named(name).about) for name in commands.MODULES}

    def listed(names: list[str]) -> list[str]:
        return view.aligned([(f"  {name:13}", told[name]) for name in names])

    lines = [t("Long-term memory for AI agents, on your own machine."), ""]
    daily, hidden = commands.TABLE["daily"], commands.TABLE["hidden"]
    lines += ["loxodon [OPTION …] COMMAND …", *([] if every else ["", *listed(daily), ""])]
    for heading, group in commands.TABLE["groups"].items():
        if every:
            lines += ["", t(heading), *listed(group["commands"])]
        elif rest := [name for name in group["commands"] if name not in daily + hidden]:
            lines.append(f"{t(heading)}: {', '.join(rest)}")
    options = view.aligned([(name, t(about)) for name, about in commands.OPTIONS.items()])
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
