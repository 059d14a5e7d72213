"""What is said to a chat: typed in a terminal, or piped in a line at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from loxodon.errors import InputError

PROMPT, MORE = "> ", "… "
LONGEST = 1_000_000
"""Characters of a message."""
_TOGETHER = 0.02
"""Seconds within which lines were pasted, not typed."""


class Lines:
    """Lines of a pipe or a file, one a message."""

    def __init__(self, objects: bool = False) -> None:
        self._objects = objects
        _tolerate_any_bytes(piped=True)

    def read(self) -> str | None:
        """The next message; None where there is no more. InputError for one that is too long."""
        if sys.stdin is None:
            return None
        line = sys.stdin.readline(LONGEST + 1)
        if not line:
            return None
        if len(line) > LONGEST:
            while line and not line.endswith("\n"):
                line = sys.stdin.readline(LONGEST)
            raise _too_long()
        return cleaned(_message(line) if self._objects else line)


def _message(line: str) -> str:
    """What a script says: `{"message": "…"}`, which may have several lines, or the line itself."""
    if not line.lstrip().startswith("{"):
        return line
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    message = value.get("message")
    return message if isinstance(message, str) else line


class Typed:
    """Lines that are typed in a terminal, with what readline does for them where it is there."""

    def __init__(self, before: Iterable[str] = ()) -> None:
        _tolerate_any_bytes(piped=False)
        self._readline = _readline()
        if self._readline is not None:
            for text in before:
                if text.strip() and "\n" not in text:
                    self._readline.add_history(text)

    def read(self) -> str | None:
        """The next message; None at the end of input. Raises a KeyboardInterrupt for a Ctrl-C."""
        try:
            lines = [input(PROMPT)]
        except EOFError:
            print()
            return None
        try:
            while goes_on(lines[-1]) or _more_is_there():
                lines.append(input(MORE))
        except EOFError:
            print()
        text = joined(lines)
        if len(text) > LONGEST:
            raise _too_long()
        return cleaned(text)


def goes_on(line: str) -> bool:
    """Whether a line says that the next belongs to it."""
    return line.endswith("\\") and not line.endswith("\\\\")


def joined(lines: Iterable[str]) -> str:
    """Lines as one message, without the marks at their ends."""
    return "\n".join(line[:-1] if goes_on(line) else line for line in lines)


def cleaned(text: str) -> str:
    """Text that can be kept and sent: whole characters only."""
    text = text.encode("utf-8", "replace").decode().replace("\0", "").replace("\r", "\n")
    return text.strip()


def _more_is_there() -> bool:
    """Whether another line is there already: what is pasted comes all at once."""
    try:
        import select

        return bool(select.select([sys.stdin], [], [], _TOGETHER)[0])
    except (ImportError, OSError, ValueError):  # no such thing on this system
        return False


def _readline() -> Any:
    try:
        import readline
    except ImportError:
        return None
    readline.parse_and_bind("set enable-bracketed-paste on")
    return readline


def _tolerate_any_bytes(piped: bool) -> None:
    reconfigure: Any = getattr(sys.stdin, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8" if piped else None, errors="replace")


def _too_long() -> InputError:
    return InputError(
        "the message is longer than {most} characters",
        hint="add it with `loxodon add`, and talk about it here",
        most=LONGEST,
    )
