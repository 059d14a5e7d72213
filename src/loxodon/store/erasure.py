"""`Erasure` over a `Database`.

What a database keeps of a row that is gone is its own to say (`Database.compact`, `settle`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from loxodon.store import Index, MemoryRow, StoredReceipt, TextAt, TurnRow, signatures
from loxodon.store.database import Database, Row
from loxodon.store.indexes import Indexes
from loxodon.store.rows import MEMORY, labels_of, loaded
from loxodon.store.search import TABLES, listed
from loxodon.store.vectors import Vectors
from loxodon.types import Record

_BATCH = 1_000
_KEPT_PAGE = "views"
"""Why the views could not be written: no content, and asked for by its name."""

_ALL = (
    "memory_labels",
    "memory_sources",
    "memory_changes",
    "reviews",
    "memory_uses",
    "unindexed",
    "imports",
    "tokens",
    "quarantine",
    "fragments",
    "candidates",
    "segments",
    "events",
    "entity_names",
    "entities",
    "pages",
    "documents",
    "chunk_places",
    "source_files",
    "chunks",
    "memories",
    "turns",
    "sessions",
    "common_words",
)
"""Every table with something that was said or is known, those that refer to others first."""

# (table, the columns of its key, the column, its moment, and which rows)
_TEXTS = (
    ("events", "no", "summary", "at", "true"),
    ("events", "no", "sender", "at", "sender <> ''"),
    ("documents", "no", "value", "updated_at", "true"),
    ("documents", "no", "text", "updated_at", "true"),
    ("quarantine", "no", "text", "at", "text <> ''"),
    ("jobs", "name", "error", "coalesce(failed_at, last_at)", "error <> ''"),
    ("vector_models", "no", "error", "0", "error <> ''"),
    ("vector_todo", "model, kind, row", "error", "0", "error <> ''"),
    ("fragments", "turn, n", "reason", "0", "reason <> ''"),
)


class Erasure:
    """Permanent deletion (`trust/forget/`); everything else adds, changes or archives.

    Call `scrub` and `settle` outside `Store.writing`.
    """

    def __init__(
        self,
        db: Database,
        indexes: Indexes,
        vectors: Callable[[], Vectors],
        record_of: Callable[[Row], Record],
    ) -> None:
        self._db = db
        self._indexes = indexes
        self._vectors = vectors
        self._record_of = record_of

    # What there is

    def turns(self, rows: Iterable[int] | None = None) -> Iterator[TurnRow]:
        """Every turn, or those with these numbers, in journal order; read in batches."""
        for which in self._stretches("turns", "seq", rows):
            for row in self._db.all(
                "SELECT t.seq, s.id, t.id, t.key, t.speaker, t.channel, t.at, t.content "
                f"FROM turns t JOIN sessions s ON s.no = t.session WHERE {which} ORDER BY t.seq"
            ):
                yield TurnRow(*row)

    def memories(self, rows: Iterable[int] | None = None) -> Iterator[MemoryRow]:
        """Every memory, or those with these numbers, in that order; read in batches."""
        for which in self._stretches("memories", "row", rows):
            found = self._db.all(f"SELECT t.row, {MEMORY} FROM memories t WHERE {which} ORDER BY 1")
            turns: dict[int, list[int]] = {}
            for memory, seq in self._db.all(
                "SELECT memory, seq FROM memory_sources WHERE seq IS NOT NULL "
                f"AND memory IN {listed(row[0] for row in found)}"
            ):
                turns.setdefault(memory, []).append(seq)
            for row in found:
                yield MemoryRow(row[0], self._record_of(row[1:]), tuple(turns.get(row[0], ())))

    def _stretches(self, table: str, key: str, rows: Iterable[int] | None) -> Iterator[str]:
        """A table in pieces, in SQL: those of its rows that are named, or all."""
        if rows is not None:
            yield from (f"t.{key} IN {listed(some)}" for some in _batches(rows))
            return
        ((last,),) = self._db.all(f"SELECT coalesce(max({key}), 0) FROM {table}")
        for start in range(0, last, _BATCH):
            yield f"t.{key} > {start} AND t.{key} <= {start + _BATCH}"

    def memory_texts(self) -> Iterator[tuple[int, str]]:
        """(number, all its words) of every memory: a cheap way to find those worth reading."""
        for which in self._stretches("memories", "row", None):
            yield from (
                (row, text)
                for row, text in self._db.all(
                    "SELECT t.row, concat_ws('\n', t.content, t.subject, t.value, t.topic, "
                    f"t.project, t.tags, t.entities) FROM memories t WHERE {which}"
                )
            )

    def rows_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the memories with these ids."""
        return {
            row
            for id in ids
            for (row,) in self._db.all("SELECT row FROM memories WHERE id = ?", (id,))
        }

    def drawn_from(self, turns: Iterable[int]) -> set[int]:
        """The numbers of the memories drawn from any of these turns."""
        return {
            row
            for some in _batches(turns)
            for (row,) in self._db.all(
                f"SELECT memory FROM memory_sources WHERE seq IN {listed(some)}"
            )
        }

    def made_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the summaries built from any of these memories."""
        gone = set(ids)
        return {
            row
            for row, text in self._db.all(
                "SELECT row, derived_from FROM memories "
                "WHERE kind = 'summary' AND derived_from <> '[]'"
            )
            if not gone.isdisjoint(loaded(text))
        }

    def is_told(self, name: str, but: Iterable[int]) -> bool:
        """Whether any other memory, except summaries, contains a name, exactly as written."""
        found = self._db.all(
            "SELECT row FROM memories WHERE kind <> 'summary' AND "
            "(instr(content, ?1) > 0 OR instr(subject, ?1) > 0 OR instr(entities, ?1) > 0)",
            (name,),
        )
        return not {row for (row,) in found} <= set(but)

    def histories(self) -> Iterator[tuple[int, int, str]]:
        """(memory, version, previous record as JSON) of every change that has one."""
        last: tuple[int, int] = (0, 0)
        while rows := self._db.all(
            "SELECT memory, version, before FROM memory_changes WHERE before IS NOT NULL "
            "AND (memory, version) > (?, ?) ORDER BY memory, version LIMIT ?",
            (*last, _BATCH),
        ):
            last = rows[-1][:2]
            yield from ((memory, version, before) for memory, version, before in rows)

    def is_said(self, text: str) -> bool:
        """Whether any turn contains a text, exactly as written."""
        found = self._db.all(
            "SELECT EXISTS (SELECT 1 FROM turns WHERE instr(content, ?) > 0)", (text,)
        )
        return bool(found[0][0])

    def times_said(self, text: str) -> int:
        """How many turns contain a text, exactly as written."""
        found = self._db.all("SELECT count(*) FROM turns WHERE instr(content, ?) > 0", (text,))
        return int(found[0][0])

    def occurs(self, text: str) -> bool:
        """Whether any turn or memory contains a name, exactly as written."""
        found = self._db.all(
            "SELECT EXISTS (SELECT 1 FROM memories WHERE instr(content, ?1) > 0) "
            "OR EXISTS (SELECT 1 FROM turns WHERE instr(content, ?1) > 0)",
            (text,),
        )
        return bool(found[0][0])

    def rename(self, old: str, new: str) -> int:
        """Rename a subject and entity in memories and histories, or remove it if `new` is empty.
        Returns for how many memories."""
        rows = self._db.all(
            "SELECT row, subject, entities FROM memories WHERE subject = ?1 OR EXISTS "
            "(SELECT 1 FROM json_each(entities) WHERE value = ?1)",
            (old,),
        )
        for row, subject, entities in rows:
            self._db.run(
                "UPDATE memories SET subject = ?, entities = ? WHERE row = ?",
                (new if subject == old else subject, _renamed(entities, old, new), row),
            )
        self._file_anew([row for row, *_ in rows])
        for memory, version, before in self._db.all(
            "SELECT memory, version, before FROM memory_changes WHERE instr(before, ?) > 0",
            (json.dumps(old, ensure_ascii=False)[1:-1],),
        ):
            found = loaded(before)
            if found.get("subject") == old:
                found["subject"] = new
            found["entities"] = _renamed(found["entities"], old, new)
            self.set_history(memory, version, json.dumps(found, ensure_ascii=False))
        return len(rows)

    def sessions(self) -> list[tuple[str, int]]:
        """(name, start) of every session."""
        return [(id, at) for id, at in self._db.all("SELECT id, first_at FROM sessions")]

    def rename_session(self, old: str, new: str) -> None:
        """Rename a session everywhere; it is merged with an existing one of that name."""
        if known := self._db.all("SELECT no FROM sessions WHERE id = ?", (new,)):
            both = (old, known[0][0])
            for table in ("turns", "segments"):
                self._db.run(
                    f"UPDATE {table} SET session = ?2 "
                    "WHERE session = (SELECT no FROM sessions WHERE id = ?1)",
                    both,
                )
            self._db.run(
                "UPDATE sessions SET turns = sessions.turns + o.turns, "
                "first_at = min(sessions.first_at, o.first_at), "
                "last_at = max(sessions.last_at, o.last_at) "
                "FROM sessions o WHERE o.id = ?1 AND sessions.no = ?2",
                both,
            )
            self._db.run("DELETE FROM sessions WHERE id = ?", (old,))
        else:
            self._db.run("UPDATE sessions SET id = ? WHERE id = ?", (new, old))
        for table in ("events", "memory_sources"):
            self._db.run(f"UPDATE {table} SET session = ? WHERE session = ?", (new, old))
        for memory, version, before in self._db.all(
            "SELECT memory, version, before FROM memory_changes WHERE instr(before, ?) > 0",
            (json.dumps(old, ensure_ascii=False)[1:-1],),
        ):
            found = loaded(before)
            found["sources"] = [
                [new if one[0] == old else one[0], *one[1:]] for one in found.get("sources", ())
            ]
            self.set_history(memory, version, json.dumps(found, ensure_ascii=False))

    def channels(self) -> list[tuple[str, int]]:
        """(name, time of its first turn) of every channel."""
        rows = self._db.all(
            "SELECT channel, min(at) FROM (SELECT channel, at FROM turns UNION ALL "
            "SELECT channel, at FROM events) t WHERE channel <> '' GROUP BY channel"
        )
        return [(name, at) for name, at in rows]

    def drop_channel(self, name: str) -> None:
        """Remove a channel name from its turns."""
        for table in ("turns", "events"):
            self._db.run(f"UPDATE {table} SET channel = '' WHERE channel = ?", (name,))

    def rename_speaker(self, old: str, new: str) -> None:
        """Rename a speaker in all turns."""
        self._db.run("UPDATE turns SET speaker = ? WHERE speaker = ?", (new, old))

    def _file_anew(self, rows: Sequence[int]) -> None:
        """Labels and index of memories that are filed under other names now."""
        for row, *columns in self._db.all(
            f"SELECT t.row, {MEMORY} FROM memories t WHERE t.row IN {listed(rows)}"
        ):
            record = self._record_of(tuple(columns))
            self._db.run("DELETE FROM memory_labels WHERE memory = ?", (row,))
            self._db.many(
                self._db.sql["put_label"], [(label, name, row) for label, name in labels_of(record)]
            )
            index: Index = "memories" if record.state == "active" else "archive"
            self._indexes.drop(index, [row])
            self._indexes.put(index, [(row, record.searchable)])
            self._db.run(self._db.sql["put_unindexed"], (row,))
            signatures.renew(self._db, row)

    # Turns

    def redact(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """Replace the text and key of turns; drop the index entries and vectors of the old text."""
        self._indexes.drop("turns", turns)
        self._move_quarantine(turns)
        self._db.many(
            "UPDATE turns SET content = ?, key = ? WHERE seq = ?",
            [(content, key, seq) for seq, (content, key) in turns.items()],
        )
        self._indexes.put_rows("turns", turns)
        self._vectors().retold(turns)

    def _move_quarantine(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """What is held back of a turn stays so, wherever it stands in what is left of that."""
        for no, turn, start, text in self._db.all(
            "SELECT q.no, q.turn, q.start, substr(t.content, q.start + 1, q.stop - q.start) "
            "FROM quarantine q JOIN turns t ON t.seq = q.turn "
            f"WHERE q.turn IN {listed(turns)}"
        ):
            place = turns[turn][0].rfind(text, 0, start + len(text)) if text else -1
            if place < 0:
                self._db.run("DELETE FROM quarantine WHERE no = ?", (no,))
            else:
                self._db.run(
                    "UPDATE quarantine SET start = ?, stop = ? WHERE no = ?",
                    (place, place + len(text), no),
                )

    def drop_turns(self, turns: Iterable[int]) -> None:
        """Delete turns and the work in progress on them; delete their segments first."""
        for some in _batches(turns):
            rows = listed(some)
            self._indexes.drop("turns", some)
            self._vectors().gone(some, "turns")
            for table, column in (
                ("memory_sources", "seq"),
                ("fragments", "turn"),
                ("candidates", "turn"),
                ("quarantine", "turn"),
            ):
                self._db.run(f"DELETE FROM {table} WHERE {column} IN {rows}")
            sessions = self._db.all(f"SELECT DISTINCT session FROM turns WHERE seq IN {rows}")
            self._db.run(f"DELETE FROM turns WHERE seq IN {rows}")
            self._db.many(
                "DELETE FROM sessions WHERE no = ?1 AND NOT EXISTS "
                "(SELECT 1 FROM turns WHERE session = ?1) AND NOT EXISTS "
                "(SELECT 1 FROM segments WHERE session = ?1)",
                sessions,
            )

    def drop_work(self, turns: Iterable[int], keep: Mapping[int, str]) -> int:
        """Drop the work in progress on turns; for those in `keep`, only pieces that are not in the
        given text. Returns how many pieces were dropped."""
        gone = 0
        for some in _batches([*turns, *keep]):
            for turn, n, text in self._db.all(
                f"SELECT turn, n, text FROM fragments WHERE turn IN {listed(some)}"
            ):
                if text not in keep.get(turn, "") or not text:
                    self._db.run("DELETE FROM fragments WHERE turn = ? AND n = ?", (turn, n))
                    gone += 1
            # What was read from a turn is read again from what is left of it, or not at all.
            for (no,) in self._db.all(f"SELECT no FROM candidates WHERE turn IN {listed(some)}"):
                self._db.run("DELETE FROM candidates WHERE no = ?", (no,))
                gone += 1
        return gone

    def segments_with(self, turns: Iterable[int]) -> list[tuple[int, str, int, int]]:
        """(number, session, first turn, last turn) of the segments with any of these turns."""
        found: dict[int, tuple[int, str, int, int]] = {}
        for some in _batches(turns):
            for row in self._db.all(
                "SELECT g.no, s.id, g.first_turn, g.last_turn FROM turns t "
                "JOIN segments g ON g.session = t.session AND g.first_turn <= t.seq "
                "AND g.last_turn >= t.seq JOIN sessions s ON s.no = g.session "
                f"WHERE t.seq IN {listed(some)}"
            ):
                found[row[0]] = (row[0], row[1], row[2], row[3])
        return list(found.values())

    # Memories

    def drop_memories(self, rows: Iterable[int]) -> list[bytes]:
        """Delete memories and everything that depends on them; return their import keys."""
        keys: list[bytes] = []
        for some in _batches(rows):
            wanted = listed(some)
            ids = [id for (id,) in self._db.all(f"SELECT id FROM memories WHERE row IN {wanted}")]
            keys += [
                key for (key,) in self._db.all(f"SELECT key FROM imports WHERE memory IN {wanted}")
            ]
            for index in ("memories", "archive"):
                self._indexes.drop(index, some)
            self._vectors().gone(some, "memories")
            signatures.drop(self._db, some)
            for table in (
                "memory_labels",
                "memory_sources",
                "memory_changes",
                "memory_uses",
                "unindexed",
                "imports",
                "tokens",
            ):
                self._db.run(f"DELETE FROM {table} WHERE memory IN {wanted}")
            self._db.run(f"DELETE FROM reviews WHERE belief IN {wanted} OR against IN {wanted}")
            self._db.run(f"DELETE FROM memories WHERE row IN {wanted}")
            self._unlink(ids)
        return keys

    def _unlink(self, ids: Sequence[str]) -> None:
        """Let no other memory refer to these."""
        marks = ",".join("?" * len(ids))
        self._db.run(f"DELETE FROM quarantine WHERE memory IN ({marks})", ids)
        self._db.run(f"UPDATE memories SET replaces = '' WHERE replaces IN ({marks})", ids)
        gone = set(ids)
        for row, text in self._db.all(
            "SELECT row, derived_from FROM memories WHERE derived_from <> '[]' AND EXISTS "
            f"(SELECT 1 FROM json_each(derived_from) WHERE value IN ({marks}))",
            ids,
        ):
            left = json.dumps([id for id in loaded(text) if id not in gone])
            self._db.run("UPDATE memories SET derived_from = ? WHERE row = ?", (left, row))

    def set_history(self, memory: int, version: int, before: str) -> None:
        self._db.run(
            "UPDATE memory_changes SET before = ? WHERE memory = ? AND version = ?",
            (before, memory, version),
        )
        signatures.renew(self._db, memory)

    # What is beside them

    def drop_events(self, session: str, dates: Iterable[str]) -> list[tuple[str, int]]:
        """Delete the events of a session on these days; return (day, whether compressed)."""
        having, values = self._db.among("date", sorted(dates))
        # Whoever sees a part of a day has what is told of it made anew: it tells of that part too.
        return [
            (date, compressed)
            for date, compressed in self._db.all(
                f"DELETE FROM main.events WHERE session = ? AND {having} "
                "RETURNING date, compressed",
                [session, *values],
            )
        ]

    def texts(self) -> Iterator[TextAt]:
        """Texts in other tables: events, documents, error messages."""
        for table, key, column, at, which in _TEXTS:
            for *names, text, moment in self._db.all(
                f"SELECT {key}, {column}, {at} FROM {table} WHERE {which}"
            ):
                yield TextAt(table, tuple(names), column, text, moment)

    def set_text(self, where: TextAt, text: str) -> None:
        """Replace such a text; an event without text is deleted."""
        key = next(key for table, key, *_ in _TEXTS if table == where.table)
        names = key.split(", ")
        found = " AND ".join(f"{name} = ?" for name in names)
        if where.table == "documents":
            self._indexes.drop("documents", [int(where.key[0])])
        if not text and (where.table, where.column) == ("events", "summary"):
            self._db.run(f"DELETE FROM events WHERE {found}", where.key)
            return
        self._db.run(
            f"UPDATE {where.table} SET {where.column} = ? WHERE {found}", [text, *where.key]
        )
        if where.table == "documents":
            self._indexes.put_rows("documents", [int(where.key[0])])

    def documents_of(self, keys: Iterable[str]) -> list[int]:
        """The numbers of documents with these keys, in any namespace."""
        return [
            no
            for key in keys
            for (no,) in self._db.all("SELECT no FROM documents WHERE key = ?", (key,))
        ]

    def drop_pages(self) -> int:
        """Delete snapshots and profiles; they are rebuilt on demand."""
        return len(self._db.all("DELETE FROM pages WHERE name <> ? RETURNING 1", (_KEPT_PAGE,)))

    def drop_all(self) -> dict[str, int]:
        """Delete everything said and known; return how many rows, by table. Used numbers, marks of
        what was read, tombstones and receipts stay."""
        counted = {}
        signatures.drop(self._db, [row for (row,) in self._db.all("SELECT row FROM memories")])
        for table in (*self._vectors().tables, *_ALL):
            ((counted[table],),) = self._db.all(f"SELECT count(*) FROM {table}")
            self._db.run(f"DELETE FROM {table}")
        self._indexes.text.empty()
        self._db.run("UPDATE counters SET last = 0 WHERE name LIKE 'rows\\_%' ESCAPE '\\'")
        self._db.run("UPDATE jobs SET error = ''")
        return counted

    # Tombstones and receipts

    def tombstones(self) -> list[tuple[str, bytes, int, int]]:
        """(kind, mark, until, size) of everything that must not come back."""
        rows = self._db.all("SELECT kind, mark, until, size FROM tombstones")
        return [(kind, mark, until, size) for kind, mark, until, size in rows]

    def put_tombstones(self, tombstones: Iterable[tuple[str, bytes, int, int]]) -> None:
        self._db.many(
            "INSERT INTO tombstones (kind, mark, until, size) VALUES (?1, ?2, ?3, ?4) "
            "ON CONFLICT (kind, mark) DO UPDATE SET until = max(tombstones.until, ?3)",
            list(tombstones),
        )

    def put_receipts(self, receipts: Iterable[StoredReceipt]) -> None:
        self._db.many(
            "INSERT INTO receipts (id, at, actor, what, erased, files) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE "
            "SET at = ?2, actor = ?3, what = ?4, erased = ?5, files = ?6",
            list(receipts),
        )

    def go_on_from(self, path: str, keys: Sequence[bytes]) -> None:
        """Have what was forgotten in the SQLite file at `path` be forgotten here too."""
        from loxodon.store.sqlite.owner import forgotten_of

        tombstones, receipts = forgotten_of(path, keys)
        with self._db.writing():
            self.put_tombstones(tombstones)
            self.put_receipts(StoredReceipt(*row) for row in receipts)

    # So that nothing is left

    def scrub(self) -> None:
        """Make sure that no index contains anything that was erased."""
        with self._db.writing():
            self._indexes.text.scrub()
            for index in TABLES:
                self._indexes.drop_unused(index)
        self._db.compact()

    def settle(self) -> bool:
        """Empty the write-ahead log; False if someone is still reading from it."""
        return self._db.settle()


def _renamed(names: str, old: str, new: str) -> str:
    """A JSON list of names with one in the place of another, or without it."""
    found = dict.fromkeys(new if name == old else name for name in loaded(names))
    return json.dumps([name for name in found if name], ensure_ascii=False)


def _batches(rows: Iterable[int]) -> Iterator[list[int]]:
    wanted: list[Any] = sorted(set(rows))
    for start in range(0, len(wanted), _BATCH):
        yield wanted[start : start + _BATCH]
