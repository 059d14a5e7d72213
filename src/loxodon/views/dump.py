"""dump/: every primary table as JSON lines, which is all that `loxodon restore` reads.

    dump/reviews.jsonl             {"belief": "b_20260204_001", "against": "f_20260204_003", …}
    dump/turns/2026-02-04.jsonl    the journal, a file a day (`…-2.jsonl` goes on where it is long)

A line is a row, by the names of its columns, as the store keeps it; bytes are `{"hex": "9f…"}`.
What the user asked to have forgotten is in no file as long as nobody decided otherwise, so that a
`no` in `review` can bring it back: a turn keeps its place, without the words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from loxodon.errors import InputError, NotFoundError
from loxodon.guard.quarantine import HIDDEN, RELEASED, is_forget_request, with_notes
from loxodon.store import QuarantinedText
from loxodon.store.primary import PRIMARY_TABLES, JournalDay, Row
from loxodon.store.rows import grouped
from loxodon.store.store import Store
from loxodon.views.manifest import Manifest, Planned, View, bad_view, based_on, read

if TYPE_CHECKING:
    from loxodon.views.pages import Content

FOLDER = "dump/"
_MOST_BYTES = 4 << 30
_CONTENT = PRIMARY_TABLES["turns"].columns.index("content")
_LEFT_OUT = ("working_sessions", "transcript_lines")  # what was said there is in the journal
_OF_MEMORIES = ("memories", "memory_sources", "memory_changes")


class HeldBack(NamedTuple):
    """What the user asked to have forgotten, and nobody has decided on."""

    turns: Mapping[int, Sequence[QuarantinedText]]
    ids: frozenset[str]
    numbers: frozenset[int]  # of the same memories

    def shown(self, turn: Row) -> Row:
        if turn[0] not in self.turns:
            return turn
        content = with_notes(turn[_CONTENT], self.turns[turn[0]])
        return (*turn[:_CONTENT], content, *turn[_CONTENT + 1 :])

    def rows(self, table: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Rows of a table, without those of what is held."""
        columns, named = PRIMARY_TABLES[table].columns, PRIMARY_TABLES[table].memories
        if table == "quarantine":
            reason, state = columns.index("reason"), columns.index("state")
            return (
                row for row in rows if row[state] == RELEASED or not is_forget_request(row[reason])
            )
        if table in _OF_MEMORIES:
            return (row for row in rows if row[0] not in self.numbers)
        places = [n for n, column in enumerate(columns) if column in named]
        return (row for row in rows if not any(row[n] in self.ids for n in places))

    def basis(self, day: JournalDay | None = None) -> str:
        """What changes when other things are held, of the turns of a day or of memories."""
        if day is None:
            return ".".join(sorted(self.ids))
        cut = sorted(number for number in self.turns if day.first <= number <= day.last)
        return ".".join(str(one.no) for number in cut for one in self.turns[number])


def held_back(store: Store) -> HeldBack:
    asked = [
        one
        for state in HIDDEN
        for one in store.query_as(QuarantinedText, "quarantined_by_state", state)
        if is_forget_request(one.reason)
    ]
    in_order = sorted(asked, key=lambda one: one.start)
    turns = grouped((one.turn, one) for one in in_order if one.turn is not None)
    ids = frozenset(one.memory for one in asked if one.memory)
    rows = store.primary.dump("memories") if ids else ()
    return HeldBack(turns, ids, frozenset(row[0] for row in rows if row[1] in ids))


# Writing


def views(content: Content) -> Iterator[Planned]:
    """A file for each table that has rows. Most are small, and made to see whether they changed."""
    store, bases, held = content.store, content.bases, content.held
    for table in PRIMARY_TABLES:
        name, make = f"{FOLDER}{table}.jsonl", partial(_table, store, table, held)
        if table == "turns":
            for day in store.primary.days():
                basis = based_on(day.turns, day.first, day.last, held.basis(day))
                part = f"-{day.part}" if day.part > 1 else ""
                name = f"{FOLDER}turns/{day.date}{part}.jsonl"
                yield Planned(name, basis, partial(_day, store, day, held))
        elif table in _OF_MEMORIES:
            if memories := content.basis():
                yield Planned(name, based_on(memories), make)
        elif table in bases:
            if not bases[table].startswith("0."):
                yield Planned(name, based_on(bases[table]), make)
        elif table not in _LEFT_OUT and (view := make()).text:
            yield Planned(name, "", lambda view=view: view)  # type: ignore[misc]


def _day(store: Store, day: JournalDay, held: HeldBack) -> View:
    return View(_lines("turns", map(held.shown, store.primary.turns_of(day))))


def _table(store: Store, table: str, held: HeldBack) -> View:
    rows = held.rows(table, store.primary.dump(table))
    if table == "counters":  # how often an index was changed is of the database, not of the memory
        rows = (row for row in rows if not row[0].startswith("changed_"))
    return View(_lines(table, rows))


def _lines(table: str, rows: Iterable[Row]) -> str:
    columns = PRIMARY_TABLES[table].columns
    encode = json.JSONEncoder(ensure_ascii=False, default=lambda data: {"hex": data.hex()}).encode
    return "".join(f"{encode(dict(zip(columns, row, strict=True)))}\n" for row in rows)


# Reading


class Dump:
    def __init__(self, root: str, manifest: Manifest) -> None:
        self.names = [name for name in manifest.files if name.startswith(FOLDER)]
        if not self.names:
            raise InputError(
                "{folder} was written by an earlier version of Loxodon, from whose text no memory "
                "can be made any more",
                hint="restore it with the version that wrote it, or restore a backup",
                folder=root,
            )
        self._root = root
        self.file = ""  # the one that is read now

    def batches(self) -> Iterator[tuple[str, list[Row]]]:
        """The rows of all tables, what is referred to before what refers to it."""
        for table in PRIMARY_TABLES:
            for name in sorted(self.names):
                if name.removeprefix(FOLDER).split("/")[0].removesuffix(".jsonl") == table:
                    self.file = name
                    yield table, self._rows(name, PRIMARY_TABLES[table].columns)
        self.file = ""

    def _rows(self, name: str, columns: Sequence[str]) -> list[Row]:
        try:
            text, _ = read(self._root, name, _MOST_BYTES)
        except NotFoundError:
            reason = InputError("it is missing", hint="restore it; every file is needed")
            raise bad_view(name, 0, reason) from None
        lines = text.split("\n")
        found: list[Row] = []
        for number, line in enumerate(lines, 1):
            try:
                if line.strip():
                    row = json_object(line)
                    found.append(tuple(_value(row, column) for column in columns))
            except InputError as error:
                cut = number == len(lines)  # every line that was written whole has one after it
                reason = InputError("the line is incomplete") if cut else error
                raise bad_view(name, number, reason) from None
        return found


def json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text.lstrip("\ufeff"), parse_constant=int)  # NaN is none
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()  # half a character cannot be kept
    except (ValueError, RecursionError):
        raise InputError("it is not JSON") from None
    if not isinstance(found, dict):
        raise InputError("it is not a JSON object")
    return found


def _value(row: Mapping[str, Any], column: str) -> Any:
    try:
        value = row[column]
        if isinstance(value, dict):
            return bytes.fromhex(value["hex"])
        if isinstance(value, list | bool) or (isinstance(value, int) and abs(value) >= 1 << 62):
            raise ValueError(value)
    except (KeyError, TypeError, ValueError):
        raise InputError(
            "{field} is missing, or nothing that a table can have", field=column
        ) from None
    return value
