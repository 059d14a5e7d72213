"""Permanent deletion. What a database keeps of a row that is gone is its driver's to say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from loxodon.store.driver import these
from loxodon.store.indexes import Part
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.rows import grouped, index_of, labels_of, loaded
from loxodon.types import Record

# What stays when everything is erased: used numbers, marks of what was read, receipts
_KEPT = (*("model_use", "followed", "jobs", "tombstones", "receipts", "counters", "meta"),)
_DERIVED = ("memory_labels", "entity_names", "chunk_places", "source_files", "chunks")
# Every table with something that was said or is known, those that refer to others first
_ALL = (
    *("vector_todo", "vector_signs", "vectors", "vector_models"),
    *_DERIVED,
    *(table for table in reversed([*PRIMARY_TABLES]) if table not in _KEPT),
    "common_words",
)

# Columns with other texts: (table, column).
_TEXTS = (
    ("events", "summary"),
    ("events", "sender"),
    ("documents", "value"),
    ("documents", "text"),
    ("quarantine", "text"),
    ("jobs", "error"),
    ("vector_models", "error"),
    ("vector_todo", "error"),
    ("fragments", "reason"),
)
# What goes with a turn or a memory: (table, column).
_OF_TURN = (
    ("memory_sources", "seq"),
    *((name, "turn") for name in ("fragments", "candidates", "quarantine")),
    ("turns", "seq"),
)
_OF_MEMORY = (
    *((f"memory_{name}", "memory") for name in ("labels", "sources", "changes", "uses")),
    *((name, "memory") for name in ("unindexed", "imports", "tokens")),
    ("reviews", "belief"),
    ("reviews", "against"),
    ("memories", "row"),
)


class TurnRow(NamedTuple):
    seq: int
    session: str
    id: str
    key: bytes
    speaker: str
    channel: str
    at: int  # milliseconds since 1970 UTC
    content: str


class MemoryRow(NamedTuple):
    row: int
    record: Record
    turns: tuple[int, ...]


class TextAt(NamedTuple):
    table: str
    key: tuple[int | str, ...]
    column: str
    text: str
    at: int  # when it was written; 0 if unknown


class Erasure(Part):
    """Permanent deletion (`forget/`); everything else adds, changes or archives."""

    def turns(self, rows: Iterable[int] | None = None) -> Iterator[TurnRow]:
        """Every turn, or those with these numbers, in journal order; read in batches."""
        for some in self._db.stream("turn_rows", **_only("turn_rows_of", rows)):
            yield from (TurnRow(*row) for row in some)

    def memories(self, rows: Iterable[int] | None = None) -> Iterator[MemoryRow]:
        """Every memory, or those with these numbers, in that order; read in batches."""
        for some in self._db.stream("memory_rows", **_only("memory_rows_of", rows)):
            drawn = self._db.all("turns_of_memories", (these(row[0] for row in some),))
            turns: dict[int, list[int]] = grouped(drawn)
            for row in some:
                yield MemoryRow(row[0], self._store._record(row[1:]), tuple(turns.get(row[0], ())))

    def rename(self, old: str, new: str) -> int:
        """Rename a subject and entity (remove it, if `new` is empty); in how many memories."""
        rows = self._db.all("memories_naming", (old,))
        for row, subject, entities in rows:
            values = (new if subject == old else subject, _renamed(entities, old, new), row)
            self._db.run("rename_in_memory", values)
        # They are filed under other names now.
        for row, *columns in self._db.all("memories", (these(row for row, *_ in rows),)):
            record = self._store._record(tuple(columns))
            self._db.run("drop_all_labels", (row,))
            self._db.many("put_label", [(*label, row) for label in labels_of(record)])
            self._indexes.drop(index_of(record), [row])
            self._indexes.put(index_of(record), [(row, record.searchable)])
            self._db.run("put_unindexed", (row,))
        for memory, version, found in self._histories_with(old):
            if found.get("subject") == old:
                found["subject"] = new
            found["entities"] = _renamed(found["entities"], old, new)
            self._store.execute("set_history", found, memory, version)
        return len(rows)

    def _histories_with(self, name: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """(memory, version, previous record) of the changes that have a name in it."""
        part = json.dumps(name, ensure_ascii=False)[1:-1]
        for memory, version, before in self._db.all("histories_with", (part,)):
            yield memory, version, loaded(before)

    def rename_session(self, old: str, new: str) -> None:
        """Rename a session or channel everywhere; merged with an existing one of that name."""
        known = self._db.value("session_number", (new,))
        if known is None:
            self._db.run("rename_session", (new, old))
        else:
            for statement in ("move_turns", "move_segments", "join_sessions"):
                self._db.run(statement, (old, known))
            self._db.run("drop_session", (old,))
        for of in ("events", "sources"):
            self._db.run(f"rename_session_of_{of}", (new, old))
        for of in ("turns", "events"):
            self._db.run(f"rename_channel_of_{of}", (new, old))
        for memory, version, found in self._histories_with(old):
            found["sources"] = [
                [new if one[0] == old else one[0], *one[1:]] for one in found.get("sources", ())
            ]
            self._store.execute("set_history", found, memory, version)

    # Turns

    def redact(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """Replace the text and key of turns; drop the index entries and vectors of the old text."""
        self._indexes.drop("turns", turns)
        # What is held back of a turn stays so, wherever it stands in what is left of that.
        for no, turn, start, text in self._db.all("quarantine_of_turns", (these(turns),)):
            place = turns[turn][0].rfind(text, 0, start + len(text)) if text else -1
            if place < 0:
                self._db.run("drop_quarantine", (no,))
            else:
                self._db.run("move_quarantine", (place, place + len(text), no))
        self._db.many("set_turn", [(content, key, seq) for seq, (content, key) in turns.items()])
        self._indexes.put_rows("turns", turns)
        self._store.vectors.retold(turns)

    def drop_turns(self, turns: Iterable[int]) -> None:
        """Delete turns and the work in progress on them; delete their segments first."""
        gone = list(turns)
        self._indexes.drop("turns", gone)
        self._store.vectors._gone(gone, "turns")
        sessions = self._db.all("sessions_of", (these(gone),))
        for table, column in _OF_TURN:
            self._db.run("drop_rows_of", (these(gone),), table=table, key=column)
        self._db.many("drop_empty_session", sessions)

    def drop_work(self, turns: Iterable[int], keep: Mapping[int, str]) -> None:
        """Drop the work in progress on turns, and for those in `keep` the pieces that are not in
        the given text."""
        rows = these([*turns, *keep])
        pieces = [
            (turn, n)
            for turn, n, text in self._db.all("fragments_of", (rows,))
            if text not in keep.get(turn, "") or not text
        ]
        self._db.many("drop_fragment", pieces)
        # What was read from a turn is read again from what is left of it, or not at all.
        self._db.many("drop_candidate", self._db.all("candidates_of", (rows,)))

    # Memories

    def drop_memories(self, rows: Iterable[int]) -> list[bytes]:
        """Delete memories and what refers to them; the keys of the imports that they came from."""
        gone = list(rows)
        self._db.take("changed_memories", 1)
        ids = self._db.column("memory_ids", (these(gone),))
        keys = self._db.column("import_keys", (these(gone),))
        for index in ("memories", "archive"):
            self._indexes.drop(index, gone)
        self._store.vectors._gone(gone, "memories")
        for table, column in _OF_MEMORY:
            self._db.run("drop_rows_of", (these(gone),), table=table, key=column)
        self._db.run("drop_quarantine_of", (these(ids),))
        self._db.run("unlink_replaced", (these(ids),))
        for row, text in self._db.all("memories_derived_from", (these(ids),)):
            left = these(id for id in loaded(text) if id not in ids)
            self._db.run("set_derived_from", (left, row))
        return keys

    # What is beside them

    def texts(self) -> Iterator[TextAt]:
        for table, column in _TEXTS:
            for *key, text, at in self._db.all(f"text_{table}_{column}"):
                yield TextAt(table, tuple(key), column, text, at)

    def set_text(self, where: TextAt, text: str) -> None:
        """Replace such a text; an event without text is deleted."""
        if where.table == "documents":
            self._indexes.drop("documents", [int(where.key[0])])
        if not text and (where.table, where.column) == ("events", "summary"):
            self._db.run("drop_event", where.key)
        else:
            self._db.run(f"set_{where.table}_{where.column}", (text, *where.key))
        if where.table == "documents":
            self._indexes.put_rows("documents", [int(where.key[0])])

    def drop_all(self) -> dict[str, int]:
        """Delete everything said and known, but not marks and receipts; how many rows, by table."""
        counted = {}
        for table in _ALL:
            counted[table] = int(self._db.value("count_rows", table=table))
            self._db.run("clear_table", table=table)
        for counter in ("transcripts", "changed_memories"):  # who has read them reads them again
            self._db.take(counter, 1)
        self._db.text.clear()
        self._db.run("zero_row_counts")
        self._db.run("clear_job_errors")
        return counted

    # So that nothing is left

    def scrub(self) -> bool:
        """Leave nothing of what was erased in an index, page or log; see `Driver.compact`."""
        with self._db.writing():
            self._db.text.scrub()
            for index, word, _ in self._db.all("common_words"):
                if not self._db.text.few(index, [word], 1)[word]:
                    self._db.run("drop_common_word", (index, word))
        return self._db.compact()


def _only(condition: str, rows: Iterable[int] | None) -> dict[str, Any]:
    """What limits a statement to some rows, if they are given."""
    return {} if rows is None else {"where": (condition,), "values": (these(rows),)}


def _renamed(names: str, old: str, new: str) -> str:
    """A JSON list of names with one in the place of another, or without it."""
    found = dict.fromkeys(new if name == old else name for name in loaded(names))
    return these(name for name in found if name)
