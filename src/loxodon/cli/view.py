"""How results are shown: as text for a person, as JSON with `--json`.

A command returns data; `listing` and `record` make lines of any value, `in_words` says a single
one, and `show` prints them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from loxodon import types
from loxodon.messages import current, t

Value = TypeVar("Value")
LISTED = 50  # memories, turns or files that a person is shown unless they ask for more
# What a terminal would act on: control characters, and marks that turn text around.
_DRIVES = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_WIDEST = 48  # columns that are aligned; a longer text pushes what follows it

_mask: Callable[[Any], Any] | None = None


def mask_with(mask: Callable[[Any], Any] | None) -> None:
    """Show every text and JSON value as `mask` makes it, from now on; None for as it is."""
    global _mask
    _mask = mask


def json_text(value: object, indent: int | None = 2) -> str:
    """A result as JSON, with its texts as they may be shown."""
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


def show(*lines: str) -> None:
    """Print lines, in which nothing drives a terminal."""
    for line in lines:
        print(safe(line))


def warn(*lines: str) -> None:
    """Print lines to stderr."""
    for line in lines:
        print(safe(line), file=sys.stderr, flush=True)


def progress(*numbers: int) -> None:
    """How far something is that takes long, on a terminal."""
    *_, done, total = numbers  # of a phase, where there are phases
    if sys.stderr.isatty() and total:
        end = "\r" if done < total else "\r     \r"
        print(f"{100 * done // total} %", end=end, file=sys.stderr, flush=True)


def watched(some: Sequence[Value]) -> Iterator[Value]:
    """Each of them, while it is shown how many are done."""
    for n, one in enumerate(some, 1):
        yield one
        progress(n, len(some))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts, aligned as terminals count columns."""

    def columns(text: str) -> int:
        return sum(2 if c >= "\u1100" and not "\u2010" <= c <= "\u2e7f" else 1 for c in text)

    widths = [min(max(map(columns, texts)), _WIDEST) for texts in zip(*rows, strict=True)]

    def padded(text: str, width: int) -> str:
        return text + " " * (width - columns(text))

    return ["  ".join(map(padded, row, widths)).rstrip() for row in rows]


# Values


def fields(value: Any) -> Mapping[str, Any]:
    """What a record or a mapping has by name; nothing of any other value."""
    return value if isinstance(value, Mapping) else dict(getattr(value, "_asdict", dict)())


def listing(found: Sequence[Any]) -> list[str]:
    """Records and mappings as a table of the fields that any of them has, anything else a line
    each."""
    if not found:
        return [t("nothing found")]
    rows = [*map(_row, found)]
    if not rows[0]:
        return [*map(in_words, found)]
    every = dict.fromkeys(name for row in rows for name in row)
    names = [name for name in every if any(_is_given(row.get(name)) for row in rows)]
    cells = [[" ".join(_said(name, row.get(name)).split("\n")) for name in names] for row in rows]
    return aligned([[*map(label, names)], *cells])


def _row(one: Any) -> Mapping[str, Any]:
    if isinstance(one, types.Entity):
        return {"id": one.id, **one._asdict(), "no": None}
    if isinstance(one, types.Turn):
        at, who = in_words(one.at), one.speaker or one.role
        return {"at": at, "session": one.session, "id": one.ref, "message": f"{who}: {one.content}"}
    if not isinstance(one, types.Record):
        return fields(one)
    return {
        "id": one.id,
        "kind": one.kind,
        "importance": f"{one.importance:.2f}",
        "strength": f"{one.strength:.2f}",
        "since": f"{one.valid_from or one.created_at:%F}",
        "tags": one.tags,
        "memory": one.content + (f"  [{t('archived')}]" if one.state == "archived" else ""),
    }


def record(value: Any, *without: str) -> list[str]:
    """A record or a mapping as pairs of what is in it, and below them the records that it has.
    Problems of files are warnings (`problems_in`)."""
    pairs: list[tuple[str, str]] = []
    below: list[str] = []
    for name, one in fields(value).items():
        if name in without or not _is_given(one):
            continue
        if isinstance(one, Mapping) and all(isinstance(part, Mapping) for part in one.values()):
            one = [{"name": key, **part} for key, part in one.items()]
        many = isinstance(one, list | tuple) and not hasattr(one, "_asdict")
        first = one[0] if many else one
        if isinstance(first, types.FileProblem):
            continue
        nested = hasattr(first, "_asdict") or (many and isinstance(first, Mapping))
        if nested and not isinstance(first, types.Source | types.Pause):
            inner = listing(one) if many else record(one)
            below += [f"{label(name)}:", *inner] if inner else []
        else:
            pairs.append((label(name), _said(name, one)))
    return [*(aligned(pairs) if pairs else ()), *below]


def _is_given(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(value.values())
    return value not in (None, "", (), [], False, types.GLOBAL_PROJECT, types.GENERAL_TOPIC)


def _said(name: str, value: Any) -> str:
    """The value of a field."""
    if name in ("bytes", "size"):
        return f"{value / 1e6:.1f} MB" if value >= 1e5 else f"{value / 1e3:.1f} kB"
    if name == "kinds" and (whole := sum(value.values())):
        return ", ".join(f"{label(kind)} {n} ({n / whole:.0%})" for kind, n in value.items() if n)
    named = value and name in ("kind", "type", "change", "state")
    return label(value) if named else in_words(value)


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
    if isinstance(value, types.Source):
        file = value.file and f"{value.file}:{value.line}"
        return file or f"{value.session}:{value.turn}"
    if isinstance(value, types.Pause):
        until = in_words(value.until) if value.until else "`loxodon resume`"
        return t("nothing is recorded or learned until {until}", until=until)
    if isinstance(value, Mapping):
        return ", ".join(f"{label(str(name))} {in_words(x)}" for name, x in value.items() if x)
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return ", ".join(map(in_words, value))
    named = (name for name in ("content", "value", "name") if hasattr(value, name))
    return str(getattr(value, next(named, ""), value))


def problems_in(value: Any) -> Iterator[str]:
    """What was wrong in files, anywhere in a result: where, what, and what to do."""
    if isinstance(value, types.FileProblem):
        where = value.file
        if value.line:
            where = t("{file} line {line}", file=value.file, line=value.line)
        yield f"{where}: {value.what}" + (f" ({value.hint})" if value.hint else "")
    else:
        for one in fields(value).values() or (value if isinstance(value, list | tuple) else ()):
            yield from problems_in(one)


def items(found: Sequence[types.Item], *, explain: bool) -> Iterator[str]:
    """What was recalled: the words, what and where they are from, and why they came."""
    from loxodon.recall.fit import marks, who

    for n, item in enumerate(found, 1):
        speaker = who(item.why.get("speaker", ""), current()) if item.kind == "turn" else ""
        before = speaker or item.why.get("heading", "")
        said = "\n   ".join((f"{before}: {item.content}" if before else item.content).splitlines())
        yield f"{n}. [{item.at:%F}] {marks(item, current())}{said}"
        about = [label("file note" if item.kind == "note" else item.kind), item.id]
        if item.sources:
            about.append(t("from {place}", place=in_words(item.sources[0])))
        if item.tags:
            about.append(t("tags: {tags}", tags=", ".join(item.tags)))
        yield "   " + " · ".join(about)
        if explain:
            why = {name: item.why.get(name) for name in ("words", "routes", "factors")}
            yield from (f"   {line}" for line in record({"score": item.score, **why}))
