"""How results are shown: as text for a person, as JSON with `--json`.

A command returns data; `listing` and `record` make lines and tables of any value, `in_words` says a
single one, and `show` prints them. Rich takes 40 ms to load: only where a table is drawn.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from loxodon.messages import current, t
from loxodon.types import FileProblem, Item, Pause, Record, Source, Turn

LISTED = 50  # memories, turns or files that a person is shown unless they ask for more
_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Characters that mean nothing in any text stand for a style until a line is printed.
_MARKS = {style: chr(0xFDD0 + n) for n, style in enumerate(_STYLES)}
_END = "\ufddf"
# What a terminal would act on: control characters, and marks that turn text around.
_DRIVES = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_PIPE_WIDTH = 160  # a pipe has no width: do not fold what a script will read
_LONG = 30  # characters that a cell may have without being folded

_mask: Callable[[Any], Any] | None = None


def mask_with(mask: Callable[[Any], Any] | None) -> None:
    """Show every text and JSON value as `mask` makes it, from now on; None for as it is."""
    global _mask
    _mask = mask


def json_text(value: object, indent: int | None = 2) -> str:
    """A result as JSON, with its texts as they may be shown."""
    import json

    from loxodon.http.wire import plain

    whole = plain(value)
    return json.dumps(_mask(whole) if _mask else whole, ensure_ascii=False, indent=indent)


# Text


def label(name: str) -> str:
    """What a field, a kind or a count is called."""
    return t(name.replace("_", " "))


def visible(text: str) -> str:
    """What was typed or a file is called, with a sign for what is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


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


# Values


def fields(value: Any) -> Mapping[str, Any]:
    """What a record or a mapping has by name; nothing of any other value."""
    if isinstance(value, Mapping):
        return value
    found: Mapping[str, Any] = value._asdict() if hasattr(value, "_asdict") else {}
    return found


def listing(found: Sequence[Any]) -> list[object]:
    """Memories and messages in their own way, other records and mappings as a table of the fields
    that any of them has, anything else a line each."""
    if not found:
        return [t("nothing found")]
    if isinstance(found[0], Turn):
        return [*_chat(found)]
    rows = [_memory(one) if isinstance(one, Record) else fields(one) for one in found]
    if not rows[0]:
        return [*map(in_words, found)]
    names = [*dict.fromkeys(name for row in rows for name, one in row.items() if _is_given(one))]
    return [Table(names, [[one.get(name) for name in names] for one in rows])]


def _memory(one: Record) -> Mapping[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "importance": f"{one.importance:.2f}",
        "strength": f"{one.strength:.2f}",
        "since": day(one.valid_from or one.created_at),
        "memory": one.content + (f"  [{t('archived')}]" if one.state == "archived" else ""),
        "tags": one.tags,
    }


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
    """A record or a mapping as pairs of what is in it, and below them the records that it has.
    Problems of files are warnings (`problems_in`)."""
    rows: list[tuple[str, object]] = []
    below: list[object] = []
    for name, one in fields(value).items():
        if name in without or not _is_given(one):
            continue
        if isinstance(one, Mapping) and all(isinstance(part, Mapping) for part in one.values()):
            one = [{"name": key, **part} for key, part in one.items()]
        many = isinstance(one, list | tuple) and not hasattr(one, "_asdict")
        first = one[0] if many else one
        if isinstance(first, FileProblem):
            continue
        nested = hasattr(first, "_asdict") or (many and isinstance(first, Mapping))
        if nested and not isinstance(first, Source | Pause):
            below += [paint(label(name), "bold"), *(listing(one) if many else record(one))]
        else:
            size = f"{one / 1e6:.1f} MB" if name in ("bytes", "size") else in_words(one)
            rows.append((label(name), size))
    return [pairs(rows), *below]


def _is_given(value: object) -> bool:
    return value not in (None, "", (), [], {}, False)


def in_words(value: object) -> str:
    """A single value."""
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
    if isinstance(value, Pause):
        if value.until is None:
            return t("paused: nothing is recorded or learned until `loxodon resume`")
        until = in_words(value.until)
        return t("paused until {until}: nothing is recorded or learned", until=until)
    if isinstance(value, Mapping):
        return ", ".join(
            f"{label(str(name))} {in_words(one)}" for name, one in value.items() if one
        )
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


def problems_in(value: Any) -> Iterator[FileProblem]:
    """What was wrong in files, anywhere in a result."""
    if isinstance(value, FileProblem):
        yield value
    elif many := fields(value).values() or (value if isinstance(value, list | tuple) else ()):
        for one in many:
            yield from problems_in(one)


def problem_lines(problems: Sequence[FileProblem]) -> list[str]:
    """What was wrong in files: where, what, and what to do."""
    lines = []
    for one in problems[:LISTED]:
        where = t("{file} line {line}", file=one.file, line=one.line) if one.line else one.file
        lines.append(f"{where}: {one.what}")
        if one.hint:
            lines.append("  " + t("hint: {hint}", hint=one.hint))
    if len(problems) > LISTED:
        lines.append(t("… and {n} more; --json lists all", n=len(problems) - LISTED))
    return lines


# Recalls


def items(found: Sequence[Item], *, explain: bool) -> list[object]:
    """What was recalled: the words, what and where they are from, and why they came."""
    from loxodon.recall.fit import marks, who

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


def progress(*numbers: int) -> None:
    """How far something is that takes long, on a terminal."""
    *_, done, total = numbers  # of a phase, where there are phases
    if sys.stderr.isatty() and total:
        end = "\r" if done < total else "\r     \r"
        print(f"{100 * done // total} %", end=end, file=sys.stderr, flush=True)
