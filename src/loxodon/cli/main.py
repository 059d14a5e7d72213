"""From what was typed to an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

from loxodon import messages
from loxodon.cli.parser import parse
from loxodon.errors import InputError, LoxodonError
from loxodon.messages import t

DEFAULT_HOME = "~/.loxodon"
_STORE = "LOXODON_STORE"
_SHOWN_PROBLEMS = 20


_GARBAGE = 50_000
"""Objects after which a look for circles among them is worth it: a short command makes fewer."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is that of the error tree (0 when all went well)."""
    if argv is None:
        gc.set_threshold(_GARBAGE)
        _leave(_told(sys.argv[1:]))
    return _told(argv)


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


def _told(argv: Sequence[str]) -> int:
    messages.use(_language())
    for stream in (sys.stdout, sys.stderr):
        _tolerate_any_text(stream)
    typed = list(argv)
    try:
        return _run(typed)
    except LoxodonError as error:
        return _report(error, typed)
    except BrokenPipeError:
        # The reader (`| head`) has had enough; Python would complain at exit about the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _say(t("interrupted; everything acknowledged is saved"))
        return 130
    except OSError as error:  # what was done is done, but it could not be printed
        _say(t("error: {message}", message=t("cannot print: {reason}", reason=error.strerror)))
        _forget_output()
        return 1
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
    files = _files(typed)
    args = parse([word if word in files else _whole_text(word) for word in typed])
    args.named_home = args.home  # an example goes to no home that was not asked for
    args.home = args.home or os.environ.get("LOXODON_HOME") or DEFAULT_HOME
    args.now = args.now or os.environ.get("LOXODON_NOW") or ""
    from loxodon.cli.commands import run

    with _store(args.store):
        code = run(args)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


@contextmanager
def _store(url: str) -> Iterator[None]:
    """Have everything that this command opens and starts use a store: it is in the environment,
    which no list of processes shows, as it does the arguments."""
    before = os.environ.get(_STORE)
    if url:
        os.environ[_STORE] = url
    try:
        yield
    finally:
        if before is not None:
            os.environ[_STORE] = before
        elif url:
            del os.environ[_STORE]


def _files(typed: list[str]) -> set[str]:
    """Words that may be the names of files, whose bytes must stay as they are."""
    reads = any(one in typed for one in ("add", "import", "restore", "backup", "bench"))
    return {word for word in typed if os.path.exists(word)} if reads else set()


def _whole_text(word: str) -> str:
    """What was typed, with what is not UTF-8 made visible."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _language() -> str:
    chosen = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    return messages.language_of_locale(chosen)


def _tolerate_any_text(stream: TextIO | None) -> None:
    """Print what an encoding lacks as `\\u…` rather than fail half-way; to pipes print UTF-8."""
    reconfigure: Any = getattr(stream, "reconfigure", None)
    if stream is not None and reconfigure:
        named = os.environ.get("PYTHONIOENCODING") or stream.isatty()
        reconfigure(encoding=None if named else "utf-8", errors="backslashreplace")


def _forget_output() -> None:
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
    message, hint = error.localized()
    problems = error.problems if isinstance(error, InputError) else ()
    if "--json" in typed:
        from loxodon.cli.view import print_json

        print_json(
            {
                "error": {
                    "code": error.code,
                    "message": message,
                    "hint": hint,
                    "problems": [_problem(line, each) for line, each in problems],
                }
            }
        )
    lines = [t("error: {message}", message=message)]
    for line, each in problems[:_SHOWN_PROBLEMS]:
        lines.append(t("  line {line}: {reason}", line=line, reason=_with_hint(each)))
    if len(problems) > _SHOWN_PROBLEMS:
        lines.append(t("  … and {n} more", n=len(problems) - _SHOWN_PROBLEMS))
    if hint:
        lines.append(t("hint: {hint}", hint=hint))
    _say("\n".join(lines))
    return error.exit_code


def _problem(line: int, error: LoxodonError) -> dict[str, object]:
    message, hint = error.localized()
    return {"line": line, "message": message, "hint": hint}


def _with_hint(error: LoxodonError) -> str:
    message, hint = error.localized()
    return f"{message} ({hint})" if hint else message
