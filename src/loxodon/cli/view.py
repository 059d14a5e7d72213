"""How results are shown: as text for a person, as JSON with `--json`.

A command returns lines, tables and pairs; `shown` makes text of them. Rich draws tables and
progress bars and takes 40 ms to load, so it is loaded when one is drawn; a recall needs neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple

from loxodon.messages import t, tn
from loxodon.store.clock_check import Doubted
from loxodon.types import FileProblem, Record, Source, Turn

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Characters that mean nothing in any text stand for a style until a line is printed.
_MARKS = {style: chr(0xFDD0 + n) for n, style in enumerate(_STYLES)}
_END = "\ufddf"
_PIPE_WIDTH = 160  # a pipe has no width: do not fold what a script will read
_PATIENCE = 1.0  # seconds before a progress bar appears
_PROBLEMS = 20
_LONG = 30  # characters that a cell may have without being folded
_BYTES = ("bytes", "size")

NAMES = (
    *(
        "turn",
        "fact",
        "belief",
        "summary",
        "file note",
        "archived",
        "home",
        "space",
        "store",
        "turns",
    ),
    *("sessions", "active", "bytes", "last turn at", "last consolidation", "next consolidation"),
    *("pending", "waiting", "failed", "reviews", "reminders", "failing", "audited", "reason"),
    *("total", "kinds", "importance", "entities", "events", "expected", "ledger", "embedding"),
    *("critical", "high", "medium", "low", "memories", "learned", "updated"),
    *("added", "repeated"),
    *("superseded", "corrected", "retracted", "confirmed", "doubted", "denied", "unsettled"),
    *("held", "put away", "late", "summaries", "days", "merged", "lifted", "returned", "faded"),
    *("expired", "cleared", "redated", "embedded", "profiles", "asked", "decided", "snapshots"),
    *("indexed", "backups", "known", "read", "unchanged", "removed", "skipped", "written"),
    *("folder", "path", "size", "spaces", "encrypted", "problem", "problems", "tokens", "model"),
    *("format", "settings", "edited", "unarchived", "conflicts", "notes", "name", "state", "when"),
    *("job", "last", "next", "error", "what it did", "file", "role", "chunks", "kind", "family"),
    *("action", "where", "what", "hint", "agent", "chat", "rights", "made", "id", "strength"),
    *("since", "memory", "tags", "type", "also called", "n", "time", "who", "about", "outcome"),
    *("new", "missing", "there", "user", "daily", "questions", "checks", "right", "share"),
    *("history", "sources", "found by", "seen", "views", "category", "overall", "right", "models"),
    *("setting", "value", "what it does", "key", "changed", "seconds", "now", "runs", "believed"),
)
"""What fields, columns and counts are called; any other goes by its name in English."""


def label(name: str) -> str:
    """What a field, a kind or a count is called."""
    return t(name.replace("_", " "))


# JSON


def json_text(value: object) -> str:
    """A result as JSON, with its texts as they may be shown."""
    import json

    from loxodon.http.wire import plain

    return json.dumps(_masked(plain(value)), ensure_ascii=False, indent=2)


# Text

_mask: Callable[[str], str] | None = None


def mask_with(mask: Callable[[str], str] | None) -> None:
    """Show every text as `mask` makes it, from now on; None for as it is."""
    global _mask
    _mask = mask


def _masked(value: Any) -> Any:
    if _mask is None:
        return value
    if isinstance(value, str):
        return _mask(value)
    if isinstance(value, dict):
        return {name: _masked(one) for name, one in value.items()}
    return [_masked(one) for one in value] if isinstance(value, list) else value


def safe(text: str) -> str:
    """Masked text with its control characters made visible: what was said must not drive a
    terminal."""
    text = _mask(text) if _mask else text
    if text.isprintable():
        return text
    return "".join(f"\\x{ord(c):02x}" if _drives(ord(c)) else c for c in text)


def _drives(code: int) -> bool:
    """Whether a terminal would act on it: control characters, and marks that turn text around."""
    return (
        (code < 0x20 and code not in (9, 10))
        or 0x7F <= code < 0xA0
        or code in (0x200E, 0x200F, 0x2028, 0x2029)
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
        or 0xD800 <= code < 0xE000
    )


def paint(text: str, style: str) -> str:
    """Text in a colour, where it is printed in one."""
    return f"{_MARKS[style]}{text}{_END}"


def shown(part: object) -> str:
    """A line or a table as it is printed: safe, in colour on a terminal."""
    colour = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    codes = {ord(_MARKS[name]): f"\x1b[{n}m" if colour else "" for name, n in _STYLES.items()}
    text = part.drawn() if isinstance(part, Table) else safe(str(part))
    return text.translate({**codes, ord(_END): "\x1b[0m" if colour else ""})


def show(*parts: object) -> None:
    """Print parts that are not None."""
    for part in parts:
        if part is not None:
            print(shown(part))


def warn(*lines: str) -> None:
    """Print lines to stderr."""
    for line in lines:
        print(safe(line), file=sys.stderr, flush=True)


class Table(NamedTuple):
    """Rows under headings; a column with long texts is folded where the terminal ends."""

    headings: Sequence[str]
    rows: Sequence[Sequence[object]]

    def drawn(self) -> str:
        from rich.console import Console
        from rich.table import Table as Drawing
        from rich.text import Text

        rows = [[safe(in_words(cell)) for cell in row] for row in self.rows]
        drawn = Drawing(box=None, pad_edge=False, header_style="bold")
        for n, heading in enumerate(self.headings):
            is_long = any(len(row[n]) > _LONG for row in rows)
            drawn.add_column(label(heading), overflow="fold", no_wrap=not is_long)
        for row in rows:
            drawn.add_row(*map(Text, row))
        console = Console(file=sys.stdout, highlight=False, soft_wrap=False)
        if not sys.stdout.isatty():
            console.width = _PIPE_WIDTH
        with console.capture() as text:
            console.print(drawn)
        return text.get().removesuffix("\n")


def record(value: Any, *without: str) -> list[object]:
    """A record or a mapping as pairs of what is in it, and below them the records that it has."""
    found = value if isinstance(value, Mapping) else value._asdict()
    rows: list[tuple[str, object]] = []
    below: list[object] = []
    for name, one in found.items():
        if name in without or not _is_given(one):
            continue
        if _is_record(one):
            below += [paint(label(name), "bold"), *record(one)]
        elif isinstance(one, list | tuple) and _is_record(one[0]):
            below += [paint(label(name), "bold"), *_listed(one)]
        else:
            rows.append((label(name), f"{one / 1e6:.1f} MB" if name in _BYTES else in_words(one)))
    return [pairs(rows), *below]


def _is_given(value: object) -> bool:
    return value not in (None, "", (), [], {}, False)


def _is_record(value: object) -> bool:
    return hasattr(value, "_asdict") and not isinstance(value, Source)


def _listed(found: Sequence[Any]) -> list[object]:
    """Memories and turns as lines, other records as a table of the fields that any of them has."""
    if isinstance(found[0], Record | Turn):
        return [f"  {in_words(one)}" for one in found]
    names = found[0]._fields
    named = [name for name in names if any(_is_given(getattr(one, name)) for one in found)]
    return [Table(named, [[getattr(one, name) for name in named] for one in found])]


def in_words(value: object) -> str:
    """The value of a field."""
    if isinstance(value, str):
        return value
    if value is None or value == ():
        return "—"
    if isinstance(value, bool):
        return t("yes") if value else t("no")
    if isinstance(value, datetime):
        return minute(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Source):
        return place(value)
    if isinstance(value, Record | Turn):
        return f"{value.id if isinstance(value, Record) else value.ref} {value.content}"
    if isinstance(value, Mapping):
        return ", ".join(f"{label(name)} {in_words(one)}" for name, one in value.items() if one)
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    return str(value)


def pairs(rows: Iterable[tuple[str, object]]) -> str | None:
    """`name  value`, one a line, aligned as terminals count columns; None without any."""
    rows = list(rows)
    width = max((_columns(name) for name, _ in rows), default=0)
    lines = [
        f"{paint(name, 'dim')}{' ' * (width - _columns(name) + 2)}{value}" for name, value in rows
    ]
    return "\n".join(lines) or None


def _columns(text: str) -> int:
    return sum(2 if c >= "\u1100" and not "\u2010" <= c <= "\u2e7f" else 1 for c in text)


def place(source: Source) -> str:
    return f"{source.file}:{source.line}" if source.file else f"{source.session}:{source.turn}"


def day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def minute(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else t("never")


def turn_count(n: int) -> str:
    return tn("{n} turn", "{n} turns", n)


def memory_count(n: int) -> str:
    return tn("{n} memory", "{n} memories", n)


def doubted(clock: Doubted) -> str:
    """Why nothing goes for its age, and what to do about it."""
    said = {"now": minute(clock.now), "last": minute(clock.last), "until": minute(clock.until)}
    if clock.until is None:
        return t(
            "the system clock is wrong ({now}): nothing fades, expires or is summarised "
            "until it is corrected",
            **said,
        )
    return t(
        "the system clock jumped to {now}; it was last trusted at {last}: nothing fades, "
        "expires or is summarised until it reaches {until}; if the clock is right, run "
        "`loxodon clock --right`",
        **said,
    )


def ahead(turns: int) -> str:
    return tn(
        "dated in the future: {n} turn; the clock was wrong when it was recorded",
        "dated in the future: {n} turns; the clock was wrong when they were recorded",
        turns,
    )


def problem_lines(problems: Sequence[FileProblem], before: str = "") -> list[str]:
    """What was wrong in files: where, what, and what to do."""
    lines = []
    for one in problems[:_PROBLEMS]:
        where = t("{file} line {line}", file=one.file, line=one.line) if one.line else one.file
        lines.append(f"{before}{where}: {one.what}")
        if one.hint:
            lines.append("  " + t("hint: {hint}", hint=one.hint))
    if len(problems) > _PROBLEMS:
        lines.append(t("… and {n} more; --json lists all", n=len(problems) - _PROBLEMS))
    return lines


class Bar:
    """Progress on stderr, shown only on a terminal and only for what takes over a second."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._since = monotonic()
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and sys.stderr.isatty() and monotonic() - self._since > _PATIENCE:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

            drawn = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*drawn, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task(self._what, total=total)
        if self._bar is not None:
            self._bar.update(0, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
