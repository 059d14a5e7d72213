"""How a person sees it: colour and tables on a terminal, plain text in a pipe.

Rich draws the tables and progress bars and takes 40 ms to load, so it is loaded when one is drawn;
what a recall prints needs neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from time import monotonic
from typing import TYPE_CHECKING, Any

from loxodon.messages import current, t, tn
from loxodon.types import (
    Coverage,
    Doubted,
    Entity,
    Frame,
    Item,
    Problem,
    Recall,
    Record,
    Source,
    Turn,
    Version,
)

if TYPE_CHECKING:
    from loxodon.store import Note

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_NARROW = 90
"""Columns below which a table of memories has no room for the memories."""
_PATIENCE = 1.0
"""Seconds before a progress bar appears."""


def print_json(value: object) -> None:
    """One JSON document, and nothing else."""
    print(json_text(_masked(plain(value))))


def json_text(value: object) -> str:
    """A value of ours as JSON, for a program and for a person's eyes."""
    import json

    return json.dumps(plain(value), ensure_ascii=False, indent=2)


_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Any:
    """A value as JSON has it: records as objects, times as ISO 8601, bytes as hex digits."""
    if type(value) in _AS_THEY_ARE:  # most of what a server writes, hundreds in one answer
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Source):
        if value.file:
            return {"file": value.file, "line": value.line}
        return {"session": value.session, "turn": value.turn}
    if isinstance(value, Item):
        return {k: plain(v) for k, v in value._asdict().items() if _told(k, v)}
    if isinstance(value, Frame):  # the state of the gate is for the library
        return {k: plain(v) for k, v in value._asdict().items() if k != "state"}
    if isinstance(value, Recall) and value.trace is None:
        return {k: plain(v) for k, v in value._asdict().items() if k != "trace"}
    if isinstance(value, Entity):
        kept = {k: plain(v) for k, v in value._asdict().items() if k != "no"}
        return {"id": value.id, **kept}
    if hasattr(value, "_asdict"):
        return {k: plain(v) for k, v in value._asdict().items()}
    if isinstance(value, Mapping):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def _told(field: str, value: object) -> bool:
    """Whether a field of an item is in JSON: tags are in the context, and what is as it mostly is
    goes without saying."""
    return field != "tags" and Item._field_defaults.get(field, _ALWAYS) != value


_ALWAYS = object()


def coloured() -> bool:
    """Whether stdout is a terminal that wants colour."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, style: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if coloured() else text


_mask: Callable[[str], str] | None = None


def mask_with(mask: Callable[[str], str] | None) -> None:
    """Show every text as `mask` makes it, from now on; None for as it is."""
    global _mask
    _mask = mask


def _masked(value: Any) -> Any:
    """A JSON value with its texts as they may be shown."""
    if _mask is None:
        return value
    if isinstance(value, str):
        return _mask(value)
    if isinstance(value, dict):
        return {name: _masked(one) for name, one in value.items()}
    return [_masked(one) for one in value] if isinstance(value, list) else value


def safe(text: str) -> str:
    """Text with its control characters made visible: what was said must not drive a terminal."""
    text = _mask(text) if _mask else text
    if text.isprintable():
        return text
    return "".join(f"\\x{ord(c):02x}" if _drives(c) else c for c in text)


def _drives(character: str) -> bool:
    """Whether a terminal would act on it: control characters, and marks that turn text around."""
    code = ord(character)
    return (
        (code < 0x20 and character not in "\n\t")
        or 0x7F <= code < 0xA0
        or code in (0x200E, 0x200F, 0x2028, 0x2029)
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
        or 0xD800 <= code < 0xE000
    )


def day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def minute(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else t("never")


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


def turn_count(n: int) -> str:
    """`1 turn`, `2 turns`."""
    return tn("{n} turn", "{n} turns", n)


def memory_count(n: int) -> str:
    """`1 memory`, `2 memories`."""
    return tn("{n} memory", "{n} memories", n)


def conversation_count(n: int) -> str:
    """`1 conversation`, `2 conversations`."""
    return tn("{n} conversation", "{n} conversations", n)


def ahead(turns: int) -> str:
    """That turns are dated in the future."""
    return tn(
        "dated in the future: {n} turn; the clock was wrong when it was recorded",
        "dated in the future: {n} turns; the clock was wrong when they were recorded",
        turns,
    )


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

            columns = (
                "{task.description}",
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task(self._what, total=total)
        if self._bar is not None:
            self._bar.update(0, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def table(columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[str]]) -> None:
    """Rows under headings; a column marked True may wrap, the others keep their width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for heading, wraps in columns:
        drawn.add_column(heading, overflow="fold", no_wrap=not wraps)
    for row in rows:
        drawn.add_row(*(Text(safe(cell)) for cell in row))
    console = Console(file=sys.stdout, highlight=False, soft_wrap=False)
    if not sys.stdout.isatty():
        console.width = 160  # a pipe has no width; do not fold what a script will read
    console.print(drawn)


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """`name  value`, one a line, aligned as terminals count columns."""
    width = max(_columns(name) for name, _ in rows)
    for name, value in rows:
        print(f"{paint(name, 'dim')}{' ' * (width - _columns(name) + 2)}{safe(value)}")


def _columns(text: str) -> int:
    return sum(2 if c >= "\u1100" and not "\u2010" <= c <= "\u2e7f" else 1 for c in text)


def recall(answer: Recall, budget: int, explain: bool) -> None:
    """The items of a recall, best first."""
    items(answer.items, explain)
    if not answer.items:
        print(_why_nothing(answer))
    elif answer.unsure:
        print(paint(t("possibly none of this answers the question"), "yellow"))
    print(paint(_summary(answer, budget), "dim"))
    if explain:
        from loxodon.cli import explaining

        explaining.recall(answer)


def items(found: Sequence[Item], explain: bool) -> None:
    """What was recalled: the words, what and where they are from, and why they came."""
    from loxodon.recall.context import marks, who

    if explain:
        from loxodon.cli import explaining  # which loads the gate

    for n, item in enumerate(found, 1):
        said_by = who(item.why.get("speaker", ""), current()) if item.kind == "turn" else ""
        before = said_by or item.why.get("heading", "")
        said = f"{before}: {item.content}" if before else item.content
        text = safe("\n   ".join(said.splitlines()))
        note = paint(marks(item, current()), "yellow")
        print(f"{paint(f'{n}.', 'bold')} {paint(f'[{day(item.at)}]', 'cyan')} {note}{text}")
        about = [_kind(item.kind), item.id]
        if item.sources:
            about.append(t("from {place}", place=place(item.sources[0])))
        if item.tags:
            about.append(t("tags: {tags}", tags=", ".join(item.tags)))
        print("   " + paint(safe(" · ".join(about)), "dim"))
        if explain:
            for line in explaining.item(item):
                print("   " + paint(safe(line), "yellow"))


def _kind(kind: str) -> str:
    kinds = {
        "turn": t("turn"),
        "fact": t("fact"),
        "belief": t("belief"),
        "summary": t("summary"),
        "note": t("file note"),
    }
    return kinds.get(kind, kind)


def _why_nothing(answer: Recall) -> str:
    left = {one.reason for one in answer.left_out}
    if not answer.gate.recall:
        return t("the query has no words to look for")
    if "budget" in left:
        return t("nothing fits into the budget")
    return t("no items requested") if "top" in left else t("nothing related was found")


def _summary(answer: Recall, budget: int) -> str:
    text = t(
        "found {n}, {tokens} of {budget} tokens, {ms} ms",
        n=len(answer.items),
        tokens=answer.tokens,
        budget=budget,
        ms=f"{answer.elapsed_ms:.1f}",
    )
    for left in answer.left_out:
        if left.reason == "top":
            text += "; " + t("{n} more beyond --top", n=left.number)
        elif left.reason == "budget":
            text += "; " + t("{n} did not fit into the budget", n=left.number)
    return text


def place(source: Source) -> str:
    return f"{source.file}:{source.line}" if source.file else f"{source.session}:{source.turn}"


def turns(
    found: Sequence[Turn],
    zone: tzinfo | None,
    more: bool,
    held: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Turns as a chat, under the day (in the user's zone) and session they belong to.

    `held` says by their refs what of them is told to nobody else.
    """
    last = ""
    if not found:
        print(t("no turns"))
    for turn in found:
        at = turn.at.astimezone(zone)
        heading = f"{day(at)}  {turn.session}"
        if heading != last:
            print(paint(safe(heading), "bold"))
            last = heading
        text = safe("\n    ".join(turn.content.splitlines()))
        who = paint(safe(turn.speaker or turn.role), "cyan")
        print(f"  {at:%H:%M} {who}: {text} {paint(turn.ref, 'dim')}")
        if held and turn.ref in held:
            said = t("held back: {ids}", ids=", ".join(held[turn.ref]))
            print(f"    {paint(said, 'dim')}")
    if more:
        print(paint(t("there are more; --limit 0 shows all"), "dim"))


def records(found: Sequence[Record], more: bool) -> None:
    """Memories as a table."""
    if not found:
        print(t("no memories"))
        return
    if sys.stdout.isatty() and os.get_terminal_size().columns < _NARROW:
        for one in found:
            about = f"{one.id} · {one.importance:.2f} · {day(one.valid_from or one.created_at)}"
            archived = f" · {t('archived')}" if one.state == "archived" else ""
            print(f"{safe(one.content)}\n  {paint(about + archived, 'dim')}")
    else:
        _table_of(found)
    if more:
        print(paint(t("there are more; --limit 0 shows all"), "dim"))


def _table_of(found: Sequence[Record]) -> None:
    table(
        (
            (t("id"), False),
            (t("kind"), False),
            (t("importance"), False),
            (t("strength"), False),
            (t("since"), False),
            (t("memory"), True),
            (t("tags"), True),
        ),
        (
            (
                one.id,
                one.kind,
                f"{one.importance:.2f}",
                f"{one.strength:.2f}",
                day(one.valid_from or one.created_at),
                one.content + (f"  [{t('archived')}]" if one.state == "archived" else ""),
                ", ".join(one.tags),
            )
            for one in found
        ),
    )


def record(one: Record) -> None:
    """One memory, whole."""
    print(paint(safe(one.content), "bold"))
    rows = []
    for name, value in one._asdict().items():
        if name == "content" or value in (None, "", ()) or (name == "done" and not one.done):
            continue
        rows.append((name, _shown(value)))
    pairs(rows)


def _shown(value: object) -> str:
    if value is None or value == ():
        return "—"
    if isinstance(value, datetime):
        return minute(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, tuple):
        return ", ".join(place(v) if isinstance(v, Source) else str(v) for v in value)
    return str(value)


def turn(one: Turn, held: Sequence[str] = ()) -> None:
    """One turn, whole; and what of it is told to nobody else."""
    print(safe(one.content))
    if held:
        print(t("held back: {ids}", ids=", ".join(held)))
    pairs(
        [
            (name, _shown(value))
            for name, value in one._asdict().items()
            if name != "content" and value
        ]
    )


def note(one: Note) -> None:
    """A note, whole, and where it stands."""
    file, chunk = one
    print(safe(chunk.text))
    lines = f"{chunk.first_line}–{chunk.last_line}"
    pairs(
        [
            ("file", os.path.join(file.root, file.path)),
            ("lines", lines if chunk.first_line < chunk.last_line else str(chunk.first_line)),
            *(
                (name, _shown(value))
                for name, value in chunk._asdict().items()
                if name not in ("text", "first_line", "last_line") and value
            ),
        ]
    )


_FOLLOWED = (
    "content",
    "state",
    "importance",
    "confidence",
    "tags",
    "entities",
    "project",
    "topic",
    "category",
    "expires_at",
    "subject",
    "attribute",
    "value",
    "audience",
    "valid_from",
    "valid_until",
    "due_at",
    "done",
    "sensitivity",
    "basis",
)


def versions(found: Sequence[Version]) -> None:
    """A memory's history: what each step changed."""
    before: Record | None = None
    for version in found:
        print(f"{paint(f'v{version.version}', 'bold')}  {minute(version.at)}  {t(version.change)}")
        for name in _FOLLOWED:
            new = getattr(version.record, name)
            old = getattr(before, name) if before else None
            if new != old and (before or name == "content" or (name == "basis" and new)):
                was = f"{_shown(old)} → " if before else ""
                print(safe(f"    {name}: {was}{_shown(new)}"))
        before = version.record


def coverage(found: Sequence[Coverage]) -> list[tuple[str, str]]:
    """How far embedders have come, as pairs of a name and a value."""
    rows = []
    for one in found:
        said = t(
            "{embedded} embedded, {pending} pending", embedded=one.embedded, pending=one.pending
        )
        if one.failing:
            said += t(", {failing} of them failed", failing=one.failing)
        if one.error:
            said += f" ({one.error})"
        rows.append((t("vectors"), f"{one.model}: {said}" if one.model else one.error))
    return rows


def problems(found: Sequence[Problem]) -> None:
    """What validate found."""
    if not found:
        print(paint(t("no problems found"), "green"))
    for one in found:
        print(f"{paint(one.where, 'red')}: {safe(one.what)} ({one.hint})")
