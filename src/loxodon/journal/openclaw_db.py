"""OpenClaw's database of sessions: `agents/<id>/agent/openclaw-agent.sqlite`, from 2026.8 on.

Each row of `transcript_events` is an entry of a transcript as `openclaw.py` knows it, in
`event_json`, or compressed in `event_zstd` where it is long. `session_transcript_active_events`
lists the live conversation; where it is not up to date the entries themselves tell.

The file is another program's, which may be writing to it: it is opened for reading only, and
nothing is made beside it that was not there. Its content is not trusted: only plain tables are
read, a row has a limit, and one that cannot be read is a problem with its number, not the end.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import tzinfo
from typing import Any, NamedTuple

import apsw

from loxodon.errors import INSTALL, InputError
from loxodon.journal.lines import (
    DATABASE_MARK,
    MAX_LINE,
    Entry,
    Numbered,
    Read,
    Reading,
    Trouble,
    as_object,
    check_name,
    parse_line,
    unreadable,
    word,
)
from loxodon.journal.openclaw import About, about_session, live, turns
from loxodon.journal.unpacking import Allowance
from loxodon.store.sqlite import foreign_files

_BATCH = 200  # events that are asked for at once
# Columns of the index, and what an entry calls them
_FIELDS = {
    "chat_type": "chatType",
    "channel": "channel",
    "spawned_by": "spawnedBy",
    "parent_session_key": "parentSessionKey",
    "created_via": "createdVia",
    "hook_external_content_source": "hookExternalContentSource",
}
_SESSIONS = """
SELECT session_id, max(seq), min(created_at) AS began FROM transcript_events
GROUP BY session_id ORDER BY began, session_id
"""
# Events by their numbers; of one that is too long only its size. As bytes, because what is not
# UTF-8 in one of them must not stop the others.
_EVENTS = """
SELECT seq, max(octet_length(coalesce(event_json, '')), octet_length(coalesce(event_zstd, ''))),
  CASE WHEN octet_length(event_json) <= ?3 THEN CAST(event_json AS BLOB) END,
  CASE WHEN octet_length(event_zstd) <= ?3 THEN event_zstd END
FROM transcript_events
WHERE session_id = ?1 AND seq IN (SELECT value FROM json_each(?2)) ORDER BY seq
"""


class Session(NamedTuple):
    """How far a session has come."""

    id: str
    last: int  # the number of its last event
    rewritten: str  # another text each time that OpenClaw writes it anew rather than on


def read_database(path: str, zone: tzinfo | None) -> Reading:
    """The live conversations of all sessions in which people speak, and what cannot be read."""
    found = Reading("openclaw", [], [])
    try:
        with opened(path) as database:
            for session in database.sessions():
                about = database.about(session.id)
                if about.spoken:
                    drafts, problems = database.turns(session, zone, about)
                    found.drafts.extend(drafts)
                    found.problems.extend(problems)
            database.check()
    except InputError as error:
        found.problems.append((0, error))
    return found


@contextmanager
def opened(path: str) -> Iterator[SessionDatabase]:
    """The sessions in a database; raises InputError where it is not one, or cannot be read now.

    Opening a database in WAL mode makes files beside it, which a reader cannot remove. Where the
    log is not there or empty, the file is read as it lies, without locks; `check` tells whether
    someone came meanwhile.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None
    if not head.startswith(DATABASE_MARK):
        raise InputError(
            "{file} is not an SQLite database",
            hint="if OpenClaw wrote it, it is damaged: restore it from a backup",
            file=path,
        )
    now = stamp(path)
    still = now if 2 in head[18:20] and now[1][:1] in ([], [0]) else None
    with _translated(path):
        how = "immutable=1" if still else "mode=ro"
        connection = foreign_files.connect(path, how, 4 * MAX_LINE)
    try:
        yield SessionDatabase(path, connection, still)
    finally:
        connection.close()


def stamp(path: str) -> list[list[int]]:
    """What changes whenever someone writes to the database: sizes and times of its files."""
    found: list[list[int]] = []
    for name in (path, path + "-wal"):
        try:
            stat = os.stat(name)
            found.append([stat.st_size, stat.st_mtime_ns])
        except OSError:
            found.append([])
    return found


@contextmanager
def _translated(path: str) -> Iterator[None]:
    """Errors of SQLite as what a person can do about them."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError):
        raise _in_use(path) from None
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise InputError(
            "{file} is damaged: {reason}",
            hint="the readable part was added; `openclaw doctor` may repair it",
            file=path,
            reason=str(error),
        ) from None
    except apsw.Error as error:
        raise unreadable(path, str(error)) from None


def _in_use(path: str) -> InputError:
    return InputError(
        "{file} is in use by another program", hint="it will be read next time", file=path
    )


class SessionDatabase:
    """The sessions in an open database. Made by `opened`, and used within it."""

    def __init__(
        self, file: str, connection: apsw.Connection, still: list[list[int]] | None
    ) -> None:
        self.file = file
        self._connection = connection
        self._still = still
        self._allowance = Allowance(file, sum(one[0] for one in stamp(file) if one))
        self._columns: dict[str, list[str]] = {}
        if not self._has("transcript_events", "session_id", "seq", "event_json", "created_at"):
            raise InputError(
                "{file} contains no OpenClaw sessions",
                hint="OpenClaw keeps them in agents/ID/agent/openclaw-agent.sqlite",
                file=file,
            )

    def check(self) -> None:
        """Raise InputError if what was read may be torn, because someone began to write."""
        if self._still is not None and stamp(self.file) != self._still:
            raise _in_use(self.file)

    def sessions(self) -> list[Session]:
        """How far each session has come, in the order in which they began; without those that the
        user told OpenClaw's memory to forget, which are not for ours either."""
        rewritten = dict(self._columns_of("transcript_rewrite_watermarks", "generation"))
        forgotten = dict(self._columns_of("memory_session_tombstones"))
        return [
            Session(id, last, str(rewritten.get(id, "")))
            for id, last, _ in self._all(_SESSIONS)
            if isinstance(id, str) and isinstance(last, int) and id not in forgotten
        ]

    def cold(self) -> list[str]:
        """Sessions that OpenClaw has moved out of this database into archives of its own."""
        rows = self._columns_of("session_transcript_cold_archives")
        return sorted(id for id, _ in rows if isinstance(id, str))

    def about(self, session: str) -> About:
        """What the index of sessions says of one."""
        window = self._row("session_windows", "session_id", session)
        key = word(window, "session_key")
        node = self._row("session_nodes", "session_key", key) if key else {}
        entry: dict[str, object] = {}
        with suppress(InputError):
            entry.update(as_object(parse_line(word(node, "entry_json"))))
        for row in (node, window):
            entry |= {field: row[name] for name, field in _FIELDS.items() if row.get(name)}
        return about_session(key, entry)

    def parent(self, session: str) -> str:
        """The session that this one was branched off, which has its first turns too; or empty."""
        entries, _ = self._entries(session, self._numbers(session)[:1])
        header = entries[0][1] if entries else {}
        return word(header, "parentSession") if header.get("type") == "session" else ""

    def path(self, session: Session) -> list[int] | None:
        """The numbers of the events of the live conversation; None where nothing lists them."""
        table, state = "session_transcript_active_events", "session_transcript_index_state"
        if not self._has(table, "session_id", "event_seq", "active_position"):
            return None
        sql = f"SELECT event_seq FROM {table} WHERE session_id = ? ORDER BY active_position"  # noqa: S608 a name of ours
        found = [seq for (seq,) in self._all(sql, session.id) if isinstance(seq, int)]
        last: object = max(found, default=-1)
        stale: object = 0
        if self._has(state, "indexed_seq", "needs_rebuild"):
            row = self._row(state, "session_id", session.id)
            last, stale = row.get("indexed_seq"), row.get("needs_rebuild")
        return found if found and last == session.last and stale == 0 else None

    def turns(
        self, session: Session, zone: tzinfo | None, about: About, path: Sequence[int] | None = None
    ) -> Read:
        """The turns among the events of `path`, or of all of the live conversation where that is
        None, and what of it cannot be read."""
        try:
            check_name(session.id, "session")
        except InputError as error:
            return [], [(0, error)]
        path = path if path is not None else self.path(session)
        if path is None:
            entries, problems = self._entries(session.id, self._numbers(session.id))
            entries = live(entries)
        else:
            found, problems = self._entries(session.id, path)
            by_line = dict(found)
            entries = [(seq + 1, by_line[seq + 1]) for seq in path if seq + 1 in by_line]
        drafts, bad = turns(entries, zone, session.id, about)
        return drafts, problems + bad

    def _numbers(self, session: str) -> list[int]:
        sql = "SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq"
        return [seq for (seq,) in self._all(sql, session) if isinstance(seq, int)]

    def _entries(self, session: str, seqs: Sequence[int]) -> tuple[list[Numbered], list[Trouble]]:
        """Events of a session as numbered entries (from 1), and those that cannot be read."""
        packs = self._has("transcript_events", "event_zstd")
        sql = _EVENTS if packs else _EVENTS.replace("event_zstd", "NULL")
        entries: list[Numbered] = []
        problems: list[Trouble] = []
        for start in range(0, len(seqs), _BATCH):
            some = str(list(seqs[start : start + _BATCH]))
            for seq, size, text, packed in self._all(sql, session, some, MAX_LINE):
                self._allowance.take(0)  # a trap is the end of it all
                try:
                    if size > MAX_LINE:
                        raise _too_long()
                    if text is None and isinstance(packed, bytes):
                        text = _unpacked(packed)
                        self._allowance.take(len(text))
                    entry = as_object(parse_line(text.decode("utf-8")))
                except (AttributeError, UnicodeDecodeError):
                    problems.append((seq + 1, _damaged()))
                except InputError as error:
                    problems.append((seq + 1, error))
                else:
                    # What tools printed is not held for a whole session at once.
                    of_tool = isinstance(one := entry.get("message"), dict) and (
                        one.get("role") == "toolResult"
                    )
                    slim = {**entry, "message": {"role": "toolResult"}} if of_tool else entry
                    entries.append((seq + 1, slim))
        self._allowance.take(0)
        return entries, problems

    def _has(self, table: str, *columns: str) -> bool:
        if table not in self._columns:
            with _translated(self.file):
                found = foreign_files.columns(self._connection, table, computed=True)
            self._columns[table] = found
        return set(columns) <= set(self._columns[table])

    def _columns_of(self, table: str, column: str = "session_id") -> list[tuple[Any, ...]]:
        """The sessions in a table, each with a column; none where there is no such table."""
        if not self._has(table, "session_id", column):
            return []
        return self._all(f"SELECT session_id, {column} FROM {table}")  # noqa: S608 names of ours

    def _row(self, table: str, column: str, key: str) -> Entry:
        if not self._has(table, column):
            return {}
        rows = self._all(f"SELECT * FROM {table} WHERE {column} = ?", key)  # noqa: S608 names of ours
        return dict(zip(self._columns[table], rows[0], strict=True)) if rows else {}

    def _all(self, sql: str, *values: str | int) -> list[tuple[Any, ...]]:
        with _translated(self.file):
            return self._connection.execute(sql, values).fetchall()


def can_unpack() -> bool:
    """Whether compressed events can be read here."""
    from importlib.util import find_spec

    return sys.version_info >= (3, 14) or find_spec("zstandard") is not None


def _unpacked(data: bytes) -> bytes:
    """The content of a zstd frame, which may claim any size: no more than the limit is unpacked."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd

            found = zstd.ZstdDecompressor().decompress(data, max_length=MAX_LINE + 1)
        else:
            import zstandard as zstd

            # Not `decompress`: it makes room for as much as the frame claims to hold.
            reader = zstd.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
            found = reader.read(MAX_LINE + 1)
    except ImportError:
        raise InputError(
            "the event is compressed, but zstandard is not installed",
            hint=INSTALL,
            extra="workspace",
        ) from None
    except zstd.ZstdError:
        raise _damaged() from None
    if len(found) > MAX_LINE:
        raise _too_long()
    return bytes(found)


def _damaged() -> InputError:
    return InputError("the event is damaged", hint="everything before and after it was added")


def _too_long() -> InputError:
    return InputError(
        "the event is longer than {most} MiB",
        hint="everything before and after it was added",
        most=MAX_LINE >> 20,
    )
