"""OpenClaw's database of sessions: `agents/<id>/agent/openclaw-agent.sqlite`, from 2026.8 on.

Each row of `transcript_events` is an entry of a transcript as `openclaw.py` knows it, in
`event_json`, or compressed in `event_zstd` where it is long.

It may be written to meanwhile: it is only read, nothing is made beside it, and of its content
nothing is trusted. An event that cannot be read is a problem with its number, not the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import tzinfo
from typing import Any

import apsw

from loxodon.errors import InputError
from loxodon.journal import lines
from loxodon.journal.lines import MAX_LINE, Numbered, Reading, Trouble, inner, word
from loxodon.journal.openclaw import About, about_session, live, turns
from loxodon.journal.transcripts import WRITTEN
from loxodon.store.sqlite import foreign_files

_COLUMNS: dict[str, str] = WRITTEN["openclaw"]["columns"]
_SESSIONS = """
SELECT session_id, max(seq), min(created_at) AS began FROM transcript_events
GROUP BY session_id ORDER BY began, session_id
"""
# Nothing of an event that is too long. As bytes, because what is not UTF-8 in one of them must not
# stop the others.
_EVENTS = """
SELECT seq, CASE WHEN octet_length(event_json) <= ?2 THEN CAST(event_json AS BLOB) END,
  CASE WHEN octet_length(event_zstd) <= ?2 THEN event_zstd END
FROM transcript_events WHERE session_id = ?1 ORDER BY seq
"""


def read_database(path: str, zone: tzinfo | None) -> Reading:
    """The live conversations of all sessions in which people speak, and what cannot be read."""
    found = Reading("openclaw", [], [])
    try:
        with opened(path) as database:
            for session, _, _ in database.sessions():
                about = database.about(session)
                if about.spoken:
                    entries, problems = database.entries(session)
                    drafts, bad = turns(live(entries), zone, session, about)
                    found.drafts.extend(drafts)
                    found.problems.extend(problems + bad)
            database.check()
    except InputError as error:
        found.problems.append((0, error))
    return found


@contextmanager
def opened(path: str) -> Iterator[SessionDatabase]:
    """The sessions in a database. One in WAL mode whose log is empty is read as it lies, because
    opening it makes files beside it; `check` tells whether someone came meanwhile."""
    try:
        with open(path, "rb") as file:
            in_wal = 2 in file.read(20)[18:]
        now = _stamp(path)
    except OSError as error:
        raise lines.unreadable(path, error.strerror or str(error)) from None
    still = now if in_wal and all(size == 0 for size, _ in now[1:]) else None
    with _translated(path):
        how = "immutable=1" if still else "mode=ro"
        connection = foreign_files.connect(path, how, 4 * MAX_LINE)
    with closing(connection):
        yield SessionDatabase(path, connection, still)


def _stamp(path: str) -> list[tuple[int, int]]:
    """What changes whenever someone writes to the database: sizes and times of its files."""
    names = [name for name in (path, f"{path}-wal") if os.path.exists(name)]
    return [(os.stat(name).st_size, os.stat(name).st_mtime_ns) for name in names]


@contextmanager
def _translated(path: str) -> Iterator[None]:
    """Errors of SQLite as what a person can do about them."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError):
        raise _in_use(path) from None
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        hint = "the readable part was added; `openclaw doctor` may repair it"
        raise InputError(
            "{file} is damaged: {reason}", hint=hint, file=path, reason=str(error)
        ) from None
    except apsw.Error as error:
        raise lines.unreadable(path, str(error)) from None


def _in_use(path: str) -> InputError:
    hint = "it will be read next time"
    return InputError("{file} is in use by another program", hint=hint, file=path)


class SessionDatabase:
    """The sessions in an open database. Made by `opened`, and used within it."""

    def __init__(
        self, file: str, connection: apsw.Connection, still: list[tuple[int, int]] | None
    ) -> None:
        self.file, self._connection, self._still = file, connection, still
        self._unpacked = 0  # bytes, over all sessions
        columns = self._columns("transcript_events")
        if not {"session_id", "seq", "event_json", "created_at"} <= {*columns}:
            hint = "OpenClaw keeps them in agents/ID/agent/openclaw-agent.sqlite"
            raise InputError("{file} contains no OpenClaw sessions", hint=hint, file=file)
        packs = "event_zstd" in columns
        self._events = _EVENTS if packs else _EVENTS.replace("event_zstd", "NULL")
        self._windows = self._table("session_windows", "session_id")
        self._nodes = self._table("session_nodes", "session_key")

    def check(self) -> None:
        """Raise InputError if what was read may be torn, because someone began to write."""
        if self._still is not None and _stamp(self.file) != self._still:
            raise _in_use(self.file)

    def sessions(self) -> list[tuple[str, int, str]]:
        """Those that were not forgotten, in the order in which they began: the number of the last
        event, and a text that is another when OpenClaw wrote the session anew rather than on."""
        rewritten = self._table("transcript_rewrite_watermarks", "session_id")
        forgotten = self._table("memory_session_tombstones", "session_id")
        return [
            (id, last, str(rewritten.get(id, {}).get("generation", "")))
            for id, last, _ in self._all(_SESSIONS)
            if isinstance(id, str) and isinstance(last, int) and id not in forgotten
        ]

    def about(self, session: str) -> About:
        window = self._windows.get(session, {})
        key = word(window, "session_key")
        node = self._nodes.get(key, {})
        entry: dict[str, object] = {}
        with suppress(InputError):
            entry.update(lines.as_object(lines.parse_line(word(node, "entry_json"))))
        for row in (node, window):
            entry |= {field: row[name] for name, field in _COLUMNS.items() if row.get(name)}
        return about_session(key, entry)

    def entries(self, session: str) -> tuple[list[Numbered], list[Trouble]]:
        """The events of a session as numbered entries (from 1), and those that cannot be read."""
        entries: list[Numbered] = []
        problems: list[Trouble] = []
        size = sum(one for one, _ in _stamp(self.file))
        for seq, text, packed in self._all(self._events, session, MAX_LINE):
            try:
                if text is None and isinstance(packed, bytes):
                    text = _unpacked(packed)
                    self._unpacked += len(text)
                entry = lines.as_object(lines.parse_line(text.decode("utf-8")))
            except (AttributeError, UnicodeDecodeError):  # none that could be unpacked, not text
                bad = InputError(
                    "the event is damaged, or longer than {most} MiB",
                    hint="everything before and after it was added",
                    most=MAX_LINE >> 20,
                )
                problems.append((seq + 1, bad))
            except InputError as error:
                problems.append((seq + 1, error))
            else:
                # What tools printed is not held for a whole session at once.
                if inner(entry, "message").get("role") == "toolResult":
                    entry = {**entry, "message": {"role": "toolResult"}}
                entries.append((seq + 1, entry))
            lines.check_unpacked(self.file, size, self._unpacked)  # a trap is the end of it all
        return entries, problems

    def _columns(self, table: str) -> list[str]:
        with _translated(self.file):
            return foreign_files.columns(self._connection, table, computed=True)

    def _table(self, name: str, key: str) -> dict[Any, dict[str, Any]]:
        """The rows of a table by one of its columns; empty where there is no such table."""
        columns = self._columns(name)
        if key not in columns:
            return {}
        rows = self._all(f"SELECT * FROM {name}")  # noqa: S608 a name of ours
        return {row[columns.index(key)]: dict(zip(columns, row, strict=True)) for row in rows}

    def _all(self, sql: str, *values: str | int) -> list[tuple[Any, ...]]:
        with _translated(self.file):
            return self._connection.execute(sql, values).fetchall()


def _unpacked(data: bytes) -> bytes:
    """The content of a zstd frame; no text where it is none, or holds more than the limit."""
    import zstandard

    try:
        # Not `decompress`: it makes room for as much as the frame claims to hold.
        unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        found = unpacker.stream_reader(data).read(MAX_LINE + 1)
    except zstandard.ZstdError:
        return b"\xff"
    return found if len(found) <= MAX_LINE else b"\xff"
