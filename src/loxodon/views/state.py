"""state/: where the work stands, and all else that a store keeps besides turns and memories.

| file | has |
|---|---|
| consolidation.json | where consolidation stands, for programs that read such files |
| rankings.json | what the snapshot was made from: the most important, best first |
| pending_activate.json | archived memories that were asked for and come back with the next run |
| sessions, events, reviews, uses, pages, ledger (.jsonl) | the tables of these |
| fragments, candidates, changed (.jsonl) | work in hand |
| marks, imports (.jsonl) | how far transcripts were read, and what was imported |
| tokens.jsonl | calls that are done once, however often they are repeated |
| signatures.jsonl | of sensitive memories, so that a change behind our back shows |
| jobs.jsonl | what ran by itself, and what went wrong |
| documents.jsonl | what programs keep beside the memories |
| forgotten, receipts (.jsonl) | what must not come back; what was forgotten, without its words |
| numbers.json | the numbers last given out, and single values |

rankings and pending_activate are shown only; all others are read back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.store import Store
from loxodon.views import Planned, View, bad_view, based_on, head, moment_text
from loxodon.views import reading as read
from loxodon.views.held import HeldBack, held_back
from loxodon.views.reading import Object, Trouble, field, json_lines, json_object

CONSOLIDATION = "state/consolidation.json"
RANKINGS = "state/rankings.json"
PENDING = "state/pending_activate.json"
NUMBERS = "state/numbers.json"

_WORK = "consolidation"
"""The single value of the store that has where the work stands."""
_WORK_NAMES = {"phase": "current_phase", "attempts": "retry_count"}
_WORK_TOP = ("last_run", "last_success", "phase", "attempts")
_WORK_TIMES = frozenset({"last_run", "last_success", "weekly_at"})


class _Column(NamedTuple):
    """How a value of the store is written, and read back."""

    show: Callable[[Any], Any]
    read: Callable[[object], Any]


_TEXT = _Column(str, read.a_text)
_NUMBER = _Column(int, read.a_number)
_FLOAT = _Column(float, read.a_float)
_FLAG = _Column(bool, lambda value: int(read.a_flag(value)))
_MOMENT = _Column(moment_text, read.a_moment)
_TURN = _Column(lambda seq: f"t_{seq}", read.a_ref)
_MAYBE_TURN = _Column(lambda seq: f"t_{seq}", read.or_nothing(read.a_ref))
_BYTES = _Column(bytes.hex, read.some_bytes)
_MAYBE = frozenset(
    {"keep", "answered_at", "succeeded_at", "failed_at", "minutes", "expires_at", "decided_at"}
)
"""Columns that may be null."""
_LACKED = {"agent": ""}
"""Columns that older views lack, and what stood there."""

FILES: Mapping[str, tuple[str, Mapping[str, _Column]]] = {
    "state/sessions.jsonl": (
        "sessions",
        {"no": _NUMBER, "turns": _NUMBER, "first_at": _MOMENT, "last_at": _MOMENT},
    ),
    "state/events.jsonl": (
        "events",
        {"no": _NUMBER, "at": _MOMENT, "tokens": _NUMBER, "compressed": _FLAG},
    ),
    "state/reviews.jsonl": ("reviews", {"asked_at": _MOMENT, "answered_at": _MOMENT}),
    "state/uses.jsonl": ("memory_uses", {"times": _NUMBER, "last_at": _MOMENT}),
    "state/pages.jsonl": ("pages", {"made_at": _MOMENT}),
    "state/ledger.jsonl": (
        "model_use",
        {"calls": _NUMBER, "tokens_in": _NUMBER, "tokens_out": _NUMBER},
    ),
    "state/fragments.jsonl": (
        "fragments",
        {"turn": _TURN, "n": _NUMBER, "keep": _FLAG, "bonus": _FLOAT},
    ),
    "state/candidates.jsonl": ("candidates", {"no": _NUMBER, "turn": _TURN}),
    "state/changed.jsonl": ("unindexed", {}),
    "state/quarantine.jsonl": (
        "quarantine",
        {
            "no": _NUMBER,
            "turn": _MAYBE_TURN,
            "start": _NUMBER,
            "stop": _NUMBER,
            "at": _MOMENT,
            "decided_at": _MOMENT,
        },
    ),
    "state/marks.jsonl": ("followed", {"read_at": _MOMENT}),
    "state/imports.jsonl": ("imports", {"key": _BYTES, "at": _MOMENT}),
    "state/tokens.jsonl": ("tokens", {"request": _BYTES, "version": _NUMBER, "at": _MOMENT}),
    "state/signatures.jsonl": ("signatures", {"version": _NUMBER, "mac": _BYTES}),
    "state/jobs.jsonl": (
        "jobs",
        {
            "last_at": _MOMENT,
            "seconds": _FLOAT,
            "succeeded_at": _MOMENT,
            "failed_at": _MOMENT,
            "failures": _NUMBER,
            "runs": _NUMBER,
        },
    ),
    "state/documents.jsonl": (
        "documents",
        {
            "no": _NUMBER,
            "created_at": _MOMENT,
            "updated_at": _MOMENT,
            "minutes": _FLOAT,
            "expires_at": _MOMENT,
        },
    ),
    "state/forgotten.jsonl": ("tombstones", {"mark": _BYTES, "size": _NUMBER, "until": _NUMBER}),
    "state/receipts.jsonl": ("receipts", {"at": _MOMENT}),
}
"""Files that have a table each, and those of its columns that are not text. One that would have
no line is not there."""


# Writing


def views(store: Store, zone: tzinfo | None, bases: Mapping[str, str]) -> Iterator[Planned]:
    """All files of `state/`. Most are small, and made to see whether they changed."""
    meta: dict[str, str] = dict(store.primary.dump("meta"))
    yield _planned(CONSOLIDATION, store.space, _work(meta.pop(_WORK, "")))
    numbers = {"counters": dict(store.primary.dump("counters")), "values": meta}
    yield _planned(NUMBERS, store.space, numbers)
    yield _planned(RANKINGS, store.space, _rankings(store.primary.dump("pages")))
    held = held_back(store)
    uses = held.rows("memory_uses", store.primary.dump("memory_uses"))
    yield _planned(PENDING, store.space, {"items": _pending(store, uses)})
    for name, (table, _) in FILES.items():
        rows = held.rows(table, store.primary.dump(table)) if table not in bases else None
        if rows or (rows is None and not bases[table].startswith("0.")):
            basis = "" if rows else based_on(bases[table])
            yield Planned(name, basis, partial(_made, store, name, rows, held))


def _planned(name: str, space: str, found: Object) -> Planned:
    whole = {"loxodon": head(name, space), **found}
    text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    return Planned(name, "", lambda: View(name, text))


def _made(store: Store, name: str, rows: Iterable[Row] | None, held: HeldBack) -> View:
    table, columns = FILES[name]
    names = PRIMARY_TABLES[table].columns
    lines = [json.dumps({"loxodon": head(name, store.space)}, ensure_ascii=False)]
    for row in held.rows(table, store.primary.dump(table)) if rows is None else rows:
        found = {
            column: None if value is None else columns.get(column, _TEXT).show(value)
            for column, value in zip(names, row, strict=True)
        }
        lines.append(json.dumps(found, ensure_ascii=False))
    return View(name, "\n".join([*lines, ""]))


def _work(kept: str) -> Object:
    """Where the work stands, as `consolidation.json` has it; the rest is the data of the phase."""
    work: Object = json.loads(kept) if kept else {}
    for name in _WORK_TIMES & work.keys():
        work[name] = None if work[name] is None else moment_text(work[name])
    return {
        "last_run": work.get("last_run"),
        "last_success": work.get("last_success"),
        "current_phase": work.get("phase") or None,
        "phase_data": {name: value for name, value in work.items() if name not in _WORK_TOP},
        "retry_count": work.get("attempts", 0),
    }


def _rankings(pages: Iterable[Row]) -> Object:
    """The ranking behind the newest snapshot."""
    snapshots = [row for row in pages if row[0] == "snapshot"]
    if not snapshots:
        return {"updated": None, "rankings": []}
    _, _, made_at, _, basis = max(snapshots, key=lambda row: row[2])
    ranking = json.loads(basis).get("ranking", {})
    ranks = [
        {"rank": rank, "id": id, "score": score}
        for rank, (id, score) in enumerate(ranking.items(), 1)
    ]
    return {"updated": moment_text(made_at), "rankings": ranks}


def _pending(store: Store, uses: Iterable[Row]) -> list[Object]:
    """The archived memories among those that were used."""
    last: dict[str, int] = {}
    for id, _, _, at in uses:
        last[id] = max(at, last.get(id, at))
    found = []
    for id, at in last.items():
        record = store.get(id)
        if record is not None and record.state == "archived":
            found.append({"type": record.kind, "id": id, "triggered_at": moment_text(at)})
    return found


# Reading


class ParsedState(NamedTuple):
    rows: tuple[tuple[int, Row], ...]
    """As the store dumps them, each with its line."""
    troubles: tuple[Trouble, ...] = ()


def parse(name: str, text: str) -> ParsedState:
    """The rows of one of `FILES`, and what cannot be read. Raises where it is no such view."""
    table, columns = FILES[name]
    lines = json_lines(name, text)
    rows: list[tuple[int, Row]] = []
    troubles = list(lines.troubles)
    for line, found in lines.objects:
        try:
            values = []
            found = {**_LACKED, **found}
            for column in PRIMARY_TABLES[table].columns:
                reader = columns.get(column, _TEXT).read
                reader = read.or_nothing(reader) if column in _MAYBE else reader
                values.append(field(found, column, reader))
            rows.append((line, tuple(values)))
        except InputError as error:
            troubles.append((line, error))
    return ParsedState(tuple(rows), tuple(sorted(troubles, key=lambda one: one[0])))


def parse_work(text: str) -> list[Row]:
    """consolidation.json as the single value that it was written from; none for no work yet."""
    found = json_object(CONSOLIDATION, text)
    try:
        rest = found.get("phase_data")
        if not isinstance(rest, dict):
            raise InputError("{field} is missing", field="phase_data")
        if not rest:
            return []
        return [(_WORK, json.dumps(_work_of(found, rest)))]
    except InputError as error:
        raise bad_view(CONSOLIDATION, 0, error) from None


_WORK_READ: Mapping[str, Callable[[object], Any]] = {
    "done_to": read.a_number,
    "upto": read.a_number,
    "phase": read.a_number,
    "attempts": read.a_number,
    "last_run": read.or_nothing(read.a_moment),
    "last_success": read.or_nothing(read.a_moment),
    "error": read.a_text,
    "daily_to": read.a_text,
    "weekly_at": read.or_nothing(read.a_moment),
}
"""In the order in which the store keeps them."""


def _work_of(found: Object, rest: Object) -> Object:
    phase = {**found, "current_phase": found.get("current_phase") or 0}
    work = {}
    for name, reader in _WORK_READ.items():
        if name in _WORK_TOP:
            work[name] = field(phase, _WORK_NAMES.get(name, name), reader)
        elif name in rest:
            work[name] = field(rest, name, reader)
    if odd := sorted(rest.keys() - work.keys()):
        raise InputError("unknown field {field}", field=repr(odd[0][:60]))
    return work


def parse_numbers(text: str) -> tuple[list[Row], list[Row]]:
    """numbers.json as the rows of `counters` and `meta`."""
    found = json_object(NUMBERS, text)
    try:
        counters = field(found, "counters", partial(_pairs, read.a_number))
        return counters, field(found, "values", partial(_pairs, read.a_text))
    except InputError as error:
        raise bad_view(NUMBERS, 0, error) from None


def _pairs(reader: Callable[[object], Any], value: object) -> list[Row]:
    if not isinstance(value, dict):
        raise InputError("it is not a JSON object")
    return [(name, field(value, name, reader)) for name in value]
