"""How results are shown: as text for a person, as JSON with `--json`.

A command returns data, lines and tables; `show` prints them, `listing` and `record` make them of
any value. Rich draws tables and progress bars and takes 40 ms to load, so it is loaded when one is
drawn; a recall needs neither.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import Any, NamedTuple

from loxodon.messages import current, t
from loxodon.store.clock_check import Doubted
from loxodon.types import FileProblem, Item, Record, Source, Turn

LISTED = 50  # memories, turns or files that a person is shown unless they ask for more
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Characters that mean nothing in any text stand for a style until a line is printed.
_MARKS = {style: chr(0xFDD0 + n) for n, style in enumerate(_STYLES)}
_END = "\ufddf"
_DRIVES = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal would act on: control characters, and marks that turn text around."""
_PIPE_WIDTH = 160  # a pipe has no width: do not fold what a script will read
_PATIENCE = 1.0  # seconds before a progress bar appears
_LONG = 30  # characters that a cell may have without being folded

_mask: Callable[[str], str] | None = None


def mask_with(mask: Callable[[str], str] | None) -> None:
    """Show every text as `mask` makes it, from now on; None for as it is."""
    global _mask
    _mask = mask


def json_text(value: object) -> str:
    """A result as JSON, with its texts as they may be shown."""
    import json

    from loxodon.http.wire import plain

    def masked(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: masked(one) for name, one in value.items()}
        if isinstance(value, list):
            return [masked(one) for one in value]
        return _mask(value) if _mask and isinstance(value, str) else value

    return json.dumps(masked(plain(value)), ensure_ascii=False, indent=2)


# Text


def label(name: str) -> str:
    """What a field, a kind or a count is called."""
    return t(name.replace("_", " "))


def safe(text: str) -> str:
    """Masked text in which nothing drives a terminal."""
    return _DRIVES.sub(lambda c: f"\\x{ord(c[0]):02x}", _mask(text) if _mask else text)


def paint(text: str, style: str) -> str:
    """Text in a colour, where it is printed in one."""
    return f"{_MARKS[style]}{text}{_END}"


def show(*parts: object) -> None:
    """Print parts that are not None: safe, in colour on a terminal."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    colour = sys.stdout.isatty() and not plain
    codes = {ord(_MARKS[name]): f"\x1b[{n}m" if colour else "" for name, n in _STYLES.items()}
    codes[ord(_END)] = "\x1b[0m" if colour else ""
    for part in parts:
        if part is not None:
            text = part.drawn() if isinstance(part, Table) else safe(str(part))
            print(text.translate(codes))


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


def listing(found: Sequence[Any]) -> list[object]:
    """Memories and messages in their own way, other records and mappings as a table of the fields
    that any of them has, anything else a line each."""
    if not found:
        return [t("nothing found")]
    if isinstance(found[0], Record):
        heads = ("id", "kind", "importance", "strength", "since", "memory", "tags")
        return [Table(heads, [_memory(one) for one in found])]
    if isinstance(found[0], Turn):
        return [*_chat(found)]
    rows = [one if isinstance(one, Mapping) else _fields(one) for one in found]
    if not rows[0]:
        return [*map(in_words, found)]
    names = tuple(name for name in rows[0] if any(_is_given(one[name]) for one in rows))
    return [Table(names, [[one[name] for name in names] for one in rows])]


def _fields(value: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = value._asdict() if hasattr(value, "_asdict") else {}
    return found


def _memory(one: Record) -> Sequence[object]:
    said = one.content + (f"  [{t('archived')}]" if one.state == "archived" else "")
    since = day(one.valid_from or one.created_at)
    weights = f"{one.importance:.2f}", f"{one.strength:.2f}"
    return one.id, one.kind, *weights, since, said, ", ".join(one.tags)


def _chat(found: Sequence[Turn]) -> Iterable[str]:
    """Turns under the day and session they belong to."""
    last = ""
    for turn in found:
        heading = f"{day(turn.at)}  {turn.session}"
        if heading != last:
            yield paint(heading, "bold")
        last = heading
        text = "\n    ".join(turn.content.splitlines())
        who = paint(turn.speaker or turn.role, "cyan")
        yield f"  {turn.at:%H:%M} {who}: {text} {paint(turn.ref, 'dim')}"


def record(value: Any, *without: str) -> list[object]:
    """A record or a mapping as pairs of what is in it, and below them the records that it has."""
    rows: list[tuple[str, object]] = []
    below: list[object] = []
    for name, one in (value if isinstance(value, Mapping) else _fields(value)).items():
        if name in without or not _is_given(one):
            continue
        if isinstance(one, Mapping) and all(isinstance(part, Mapping) for part in one.values()):
            one = [{"name": key, **part} for key, part in one.items()]
            below += [paint(label(name), "bold"), *listing(one)]
            continue
        many = isinstance(one, list | tuple) and not hasattr(one, "_asdict")
        first = one[0] if many else one
        if hasattr(first, "_asdict") and not isinstance(first, Source):
            below += [paint(label(name), "bold"), *(listing(one) if many else record(one))]
        else:
            size = f"{one / 1e6:.1f} MB" if name in ("bytes", "size") else in_words(one)
            rows.append((label(name), size))
    return [pairs(rows), *below]


def _is_given(value: object) -> bool:
    return value not in (None, "", (), [], {}, False)


def in_words(value: object) -> str:
    """The value of a field."""
    if value is None or value == ():
        return "—"
    if isinstance(value, bool):
        return t("yes") if value else t("no")
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Source):
        file = value.file and f"{value.file}:{value.line}"
        return file or f"{value.session}:{value.turn}"
    if isinstance(value, Mapping):
        return ", ".join(f"{label(name)} {in_words(one)}" for name, one in value.items() if one)
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return ", ".join(map(in_words, value))
    named = (name for name in ("content", "value", "name") if hasattr(value, name))
    return str(getattr(value, next(named, ""), value))


def pairs(rows: Iterable[tuple[str, object]]) -> str | None:
    """`name  value`, one a line, aligned as terminals count columns; None without any."""

    def columns(text: str) -> int:
        return sum(2 if c >= "\u1100" and not "\u2010" <= c <= "\u2e7f" else 1 for c in text)

    rows = list(rows)
    width = max((columns(name) for name, _ in rows), default=0)
    lines = [
        f"{paint(name, 'dim')}{' ' * (width - columns(name) + 2)}{value}" for name, value in rows
    ]
    return "\n".join(lines) or None


def day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def doubted(clock: Doubted) -> str:
    """Why nothing goes for its age, and what to do about it."""
    return t(
        "the system clock ({now}) is not trusted, it was last at {last}: nothing fades, expires or "
        "is summarised; if it is right, run `loxodon clock --right`",
        now=in_words(clock.now),
        last=in_words(clock.last),
    )


def problem_lines(problems: Sequence[FileProblem], before: str = "") -> list[str]:
    """What was wrong in files: where, what, and what to do."""
    lines = []
    for one in problems[:LISTED]:
        where = t("{file} line {line}", file=one.file, line=one.line) if one.line else one.file
        lines.append(f"{before}{where}: {one.what}")
        if one.hint:
            lines.append("  " + t("hint: {hint}", hint=one.hint))
    if len(problems) > LISTED:
        lines.append(t("… and {n} more; --json lists all", n=len(problems) - LISTED))
    return lines


# Recalls


def items(found: Sequence[Item], *, explain: bool) -> list[object]:
    """What was recalled: the words, what and where they are from, and why they came."""
    from loxodon.recall.context import marks, who

    lines: list[object] = []
    for n, item in enumerate(found, 1):
        speaker = who(item.why.get("speaker", ""), current()) if item.kind == "turn" else ""
        before = speaker or item.why.get("heading", "")
        said = "\n   ".join((f"{before}: {item.content}" if before else item.content).splitlines())
        note = paint(marks(item, current()), "yellow")
        number, at = paint(f"{n}.", "bold"), paint(f"[{day(item.at)}]", "cyan")
        about = [label("file note" if item.kind == "note" else item.kind), item.id]
        if item.sources:
            about.append(t("from {place}", place=in_words(item.sources[0])))
        if item.tags:
            about.append(t("tags: {tags}", tags=", ".join(item.tags)))
        lines += [f"{number} {at} {note}{said}", "   " + paint(" · ".join(about), "dim")]
        if explain and item.why:  # plain files stand in without a reason
            has = ", ".join(item.why["words"])
            why = t("why: has {words}", words=has) if has else t("why: no word in common")
            reasons = [why + t("; score {score}", score=f"{item.score:.2f}")]
            if routes := _shares(item.why["routes"]):
                reasons.append(t("found by {routes}", routes=routes))
            if factors := _shares(item.why["factors"], "×"):
                reasons.append(t("weighed by {factors}", factors=factors))
            lines += ["   " + paint(reason, "yellow") for reason in reasons]
    return lines


def _shares(shares: Mapping[str, float], sign: str = "") -> str:
    """What routes gave or factors weigh, but for what gave nothing one can see."""
    return ", ".join(f"{label(name)} {sign}{x:.2f}" for name, x in shares.items() if x >= 0.005)


class Bar:
    """Progress on stderr, shown only on a terminal and only for what takes over a second."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._since = monotonic()
        self._bar: Any = None

    def __call__(self, *numbers: int) -> None:
        *_, done, total = numbers  # of a phase, where there are phases
        if self._bar is None and sys.stderr.isatty() and monotonic() - self._since > _PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task(self._what, total=total)
        if self._bar is not None:
            self._bar.update(0, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
