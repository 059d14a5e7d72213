"""From what was typed to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from loxodon import messages
from loxodon.errors import InputError, LoxodonError
from loxodon.messages import t
from loxodon.serve.cli.parser import parse

DEFAULT_HOME = "~/.loxodon"
_SHOWN_PROBLEMS = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is that of the error tree (0 when all went well)."""
    messages.use(_language())
    _tolerate_any_text(sys.stdout, sys.stderr)
    typed = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in typed
    try:
        args = parse(typed)
        args.home = args.home or os.environ.get("LOXODON_HOME") or DEFAULT_HOME
        args.now = args.now or os.environ.get("LOXODON_NOW") or ""
        from loxodon.serve.cli.commands import run

        code = run(args)
        sys.stdout.flush()
        return code
    except LoxodonError as error:
        _report(error, as_json)
        return error.exit_code
    except BrokenPipeError:
        # The reader (`| head`) has had enough; Python would complain at exit about the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(t("interrupted; what was acknowledged is kept"), file=sys.stderr)
        return 130


def _language() -> str:
    chosen = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG")
                   if os.environ.get(name)), "")  # fmt: skip
    return messages.language_of_locale(chosen)


def _tolerate_any_text(*streams: TextIO) -> None:
    """Print what a terminal's encoding lacks as `?` rather than fail half-way."""
    for stream in streams:
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure and stream.encoding.lower().replace("-", "") != "utf8":
            reconfigure(encoding="utf-8" if not stream.isatty() else None, errors="replace")


def _report(error: LoxodonError, as_json: bool) -> None:
    """The error to stderr for a person and, with --json, to stdout as the one document."""
    message, hint = error.localized()
    problems = error.problems if isinstance(error, InputError) else ()
    if as_json:
        from loxodon.serve.cli.view import print_json

        print_json({"error": {
            "code": error.code, "message": message, "hint": hint,
            "problems": [{"line": line, "message": str(each)} for line, each in problems],
        }})  # fmt: skip
    lines = [t("error: {message}", message=message)]
    for line, each in problems[:_SHOWN_PROBLEMS]:
        lines.append(t("  line {line}: {reason}", line=line, reason=_with_hint(each)))
    if len(problems) > _SHOWN_PROBLEMS:
        lines.append(t("  … and {n} more", n=len(problems) - _SHOWN_PROBLEMS))
    if hint:
        lines.append(t("hint: {hint}", hint=hint))
    print("\n".join(lines), file=sys.stderr)


def _with_hint(error: LoxodonError) -> str:
    message, hint = error.localized()
    return f"{message} ({hint})" if hint else message
