"""From what was typed to an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from loxodon import messages
from loxodon.cli import view
from loxodon.cli.call import Call, Result, hint
from loxodon.cli.parser import command_named, parse
from loxodon.errors import InputError, LoxodonError, unwritable
from loxodon.messages import t
from loxodon.security.actor import Actor, acting

DEFAULT_HOME = "~/.loxodon"
_STORE = "LOXODON_STORE"
_SHOWN_PROBLEMS = 20
_GARBAGE = 50_000  # objects after which a look for circles is worth it; a short command makes fewer


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is that of the error tree (0 when all went well)."""
    if argv is None:
        gc.set_threshold(_GARBAGE)
        _leave(_told(sys.argv[1:]))
    return _told(list(argv))


def _leave(code: int) -> NoReturn:
    """End the process without taking apart what the system frees at once, where nothing waits."""
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # nobody reads it, which is their choice
                stream.flush()
    os._exit(code)


def _told(typed: list[str]) -> int:
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    messages.use(messages.language_of_locale(locale))
    for stream in (sys.stdout, sys.stderr):
        _tolerate_any_text(stream)
    try:
        return _run(typed)
    except LoxodonError as error:
        return _report(error, typed)
    except BrokenPipeError:  # the reader (`| head`) has had enough
        _drop_output()
        return 0
    except KeyboardInterrupt:
        _say(t("interrupted; everything acknowledged is saved"))
        return 130
    except OSError as error:
        return _report(unwritable("", error), typed)
    except Exception as error:
        # The last resort: a script gets its one document and its exit code, a person a way out.
        if os.environ.get("LOXODON_DEBUG"):
            raise
        return _report(
            LoxodonError(
                "unexpected error: {kind}: {reason}",
                hint="this is a bug, please report it; LOXODON_DEBUG=1 shows the traceback",
                kind=type(error).__name__,
                reason=error,
            ),
            typed,
        )


def _run(typed: list[str]) -> int:
    reads = any(one in typed for one in ("add", "import", "restore", "backup", "bench"))
    names = {word for word in typed if reads and os.path.exists(word)}  # whose bytes must stay
    call = Call()
    call.command = parse([one if one in names else _whole_text(one) for one in typed], call)
    call.named_home = call.home  # an example goes to no home that was not asked for
    call.home = call.home or os.environ.get("LOXODON_HOME") or DEFAULT_HOME
    call.now = call.now or os.environ.get("LOXODON_NOW") or ""
    before = os.environ.get(_STORE)
    if call.store:  # in the environment, which no list of processes shows, as it does arguments
        os.environ[_STORE] = call.store
    try:
        with suppress(LoxodonError):  # a broken config.toml is reported by who needs it
            if call.config.language != "auto":
                messages.use(call.config.language)
        with acting(Actor("cli")):
            return _print(call, _result(call))
    finally:
        if call.store and before is not None:
            os.environ[_STORE] = before
        elif call.store:
            del os.environ[_STORE]


def _result(call: Call) -> Result:
    if call.command in ("help", "usage", "version"):
        from loxodon.cli.help import about_loxodon

        return about_loxodon(call)
    one = command_named(call.command)
    if call.as_agent and not one.for_agents:
        from loxodon.store.walls import owners_only

        raise owners_only()
    view.mask_with(None)
    if one.for_agents and one.verb and one.verb.masked:
        from loxodon.guard.guard import Guard

        guard = Guard.of(call.root)
        view.mask_with(lambda text: guard.shown(text, private=True, reveal=call.reveal))
    return one.run(call)


def _print(call: Call, result: Result) -> int:
    try:
        if call.json and not result.printed:
            print(view.json_text(result.data))
        elif not result.printed:
            view.show(*(result.shown if isinstance(result.shown, list) else [result.shown]))
            view.warn(*result.warnings)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # what was done is done
        _say(t("error: {message}", message=t("cannot print: {reason}", reason=error.strerror)))
        _drop_output()
        return 1
    if call.waiting:
        said = t("messages not learned from yet: {n}; run `loxodon consolidate`", n=call.waiting)
        _say(hint(said))
    return result.code


def _whole_text(word: str) -> str:
    """What was typed, with what is not UTF-8 made visible."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _tolerate_any_text(stream: TextIO | None) -> None:
    """Print what an encoding lacks as `\\u…` rather than fail half-way; to pipes print UTF-8."""
    reconfigure: Any = getattr(stream, "reconfigure", None)
    if stream is not None and reconfigure:
        named = os.environ.get("PYTHONIOENCODING") or stream.isatty()
        reconfigure(encoding=None if named else "utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Leave nothing for Python to fail to flush at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # stdout is closed: there is nothing to flush
        sys.stdout = None


def _say(text: str) -> None:
    if sys.stderr is not None:  # print would take stdout for a stderr that is closed
        print(text, file=sys.stderr)


def _report(error: LoxodonError, typed: list[str]) -> int:
    """The error to stderr for a person and, with --json, to stdout as the one document."""
    message, told = error.localized()
    problems = [
        (line, *one.localized())
        for line, one in (error.problems if isinstance(error, InputError) else ())
    ]
    if "--json" in typed:
        each = [{"line": line, "message": said, "hint": how} for line, said, how in problems]
        found = {"code": error.code, "message": message, "hint": told, "problems": each}
        print(view.json_text({"error": found}))
    lines = [t("error: {message}", message=message)]
    for line, said, how in problems[:_SHOWN_PROBLEMS]:
        reason = f"{said} ({how})" if how else said
        lines.append(t("  line {line}: {reason}", line=line, reason=reason))
    if len(problems) > _SHOWN_PROBLEMS:
        lines.append(t("  … and {n} more", n=len(problems) - _SHOWN_PROBLEMS))
    _say("\n".join([*lines, *([hint(told)] if told else [])]))
    return error.exit_code
