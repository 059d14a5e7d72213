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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import tzinfo
from typing import Any, NamedTuple

import apsw

from loxodon.errors import InputError, install_hint
from loxodon.store.sqlite import foreign_files
from loxodon.types import Draft
from loxodon.workspace.readers.jsonl import as_object, parse_line
from loxodon.workspace.readers.lines import DATABASE_MARK, MAX_LINE, Reading, Trouble, check_name
from loxodon.workspace.readers.openclaw import Entry, conversation, turns
from loxodon.workspace.readers.openclaw_about import About, about_session
from loxodon.workspace.readers.unpacking import Allowance

_BATCH = 200
"""Events that are asked for at once."""
_MOST_ENTRY = 4 << 20
"""Characters of a session's entry in the index, which may have its whole prompt in it."""

_STANDS = """
WITH RECURSIVE s (id) AS (
  SELECT min(session_id) FROM transcript_events
  UNION
  SELECT (SELECT min(session_id) FROM transcript_events WHERE session_id > s.id)
  FROM s WHERE s.id IS NOT NULL
)
SELECT id, (SELECT max(seq) FROM transcript_events WHERE session_id = id),
  (SELECT created_at FROM transcript_events WHERE session_id = id ORDER BY seq LIMIT 1) AS began
FROM s WHERE id IS NOT NULL ORDER BY began, id
"""
"""From one session to the next in the index: how many events they have does not matter. UNION,
because in a damaged index that may lead in a circle."""

_EVENTS = """
SELECT seq, max(octet_length(coalesce(event_json, '')), octet_length(coalesce(event_zstd, ''))),
  CASE WHEN octet_length(event_json) <= ?3 THEN CAST(event_json AS BLOB) END,
  CASE WHEN octet_length(event_zstd) <= ?3 THEN event_zstd END
FROM transcript_events
WHERE session_id = ?1 AND seq IN (SELECT value FROM json_each(?2)) ORDER BY seq
"""
"""Events by their numbers; of one that is too long only its size. As bytes, because what is not
UTF-8 in one of them must not stop the others."""

_PLAIN_EVENTS = """
SELECT seq, octet_length(coalesce(event_json, '')),
  CASE WHEN octet_length(event_json) <= ?3 THEN CAST(event_json AS BLOB) END, NULL
FROM transcript_events
WHERE session_id = ?1 AND seq IN (SELECT value FROM json_each(?2)) ORDER BY seq
"""
"""The same in the first databases, which did not compress."""

_FORGOTTEN = "SELECT session_id FROM memory_session_tombstones"


class Stand(NamedTuple):
    """How far a session has come."""

    session: str
    last: int
    """The number of its last event."""
    rewritten: str
    """Another text each time that OpenClaw writes it anew rather than on."""


def read_database(path: str, zone: tzinfo | None) -> Reading:
    """The live conversations of all sessions in which people speak, and what cannot be read."""
    drafts: list[Draft] = []
    problems: list[Trouble] = []
    try:
        with opened(path) as sessions:
            for stand in sessions.stands():
                about = sessions.about(stand.session)
                if about.kind == "talk":
                    some, bad = sessions.conversation(stand, zone, about)
                    drafts += some
                    problems += bad
            sessions.check()
    except InputError as error:
        problems.append((0, error))
    return Reading("openclaw", drafts, problems)


@contextmanager
def opened(path: str) -> Iterator[SessionDatabase]:
    """The sessions in a database; raises InputError where it is not one, or cannot be read now.

    Opening a database in WAL mode makes files beside it, which a reader cannot remove. Where the
    log is not there or empty, the file is read as it lies, without locks; `Sessions.check` tells
    whether someone came meanwhile.
    """
    still = _stamp(path) if _lies_still(path) else None
    with _translated(path):
        connection = foreign_files.connect(
            path, "immutable=1" if still else "mode=ro", 4 * MAX_LINE
        )
    try:
        yield SessionDatabase(path, connection, still)
    finally:
        connection.close()


def _lies_still(path: str) -> bool:
    """Whether the database is in WAL mode and all of it is in the one file."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    if not head.startswith(DATABASE_MARK):
        raise InputError(
            "{file} is not an SQLite database",
            hint="if OpenClaw wrote it, it is damaged: restore it from a backup",
            file=path,
        )
    return 2 in head[18:20] and _stat(path + "-wal")[0] <= 0


def _stamp(path: str) -> list[tuple[int, int]]:
    """What changes whenever someone writes to the database."""
    return [_stat(path), _stat(path + "-wal")]


def _stat(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (-1, 0)
    return (found.st_size, found.st_mtime_ns)


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
        raise _unreadable(path, str(error)) from None


def _in_use(path: str) -> InputError:
    return InputError(
        "{file} is in use by another program", hint="it will be read next time", file=path
    )


def _unreadable(path: str, reason: str) -> InputError:
    return InputError(
        "cannot read {file}: {reason}",
        hint="check the file name and its permissions",
        file=path,
        reason=reason,
    )


class SessionDatabase:
    """The sessions in an open database. Made by `opened`, and used within it."""

    def __init__(
        self, file: str, connection: apsw.Connection, still: list[tuple[int, int]] | None
    ) -> None:
        self.file = file
        self._connection = connection
        self._still = still
        self._allowance = Allowance(file, max(0, _stat(file)[0]) + max(0, _stat(file + "-wal")[0]))
        self._columns: dict[str, list[str]] = {}
        if not self._has("transcript_events", "session_id", "seq", "event_json", "created_at"):
            raise InputError(
                "{file} contains no OpenClaw sessions",
                hint="OpenClaw keeps them in agents/ID/agent/openclaw-agent.sqlite",
                file=file,
            )

    def check(self) -> None:
        """Raise InputError if what was read may be torn, because someone began to write."""
        if self._still is not None and _stamp(self.file) != self._still:
            raise _in_use(self.file)

    def stands(self) -> list[Stand]:
        """How far each session has come, in the order in which they began."""
        rewritten: dict[object, object] = {}
        if self._has("transcript_rewrite_watermarks", "session_id", "generation"):
            rewritten = dict(
                self._all("SELECT session_id, generation FROM transcript_rewrite_watermarks")
            )
        forgotten: set[object] = set()
        if self._has("memory_session_tombstones", "session_id"):
            forgotten |= {id for (id,) in self._all(_FORGOTTEN)}
        return [
            Stand(id, last, str(rewritten.get(id, "")))
            for id, last, _ in self._all(_STANDS)
            # What the user told OpenClaw's memory to forget is not for ours either.
            if isinstance(id, str) and isinstance(last, int) and id not in forgotten
        ]

    def cold(self) -> list[str]:
        """Sessions that OpenClaw has moved out of this database into archives of its own."""
        if not self._has("session_transcript_cold_archives", "session_id"):
            return []
        sql = "SELECT session_id FROM session_transcript_cold_archives ORDER BY session_id"
        return [id for (id,) in self._all(sql) if isinstance(id, str)]

    def about(self, session: str) -> About:
        """What the index of sessions says of one."""
        window: Mapping[str, object] = {}
        node: Mapping[str, object] = {}
        if self._has("session_windows", "session_id", "session_key"):
            sql = "SELECT * FROM session_windows WHERE session_id = ?"
            window = self._row("session_windows", sql, session)
        key = window.get("session_key")
        key = key if isinstance(key, str) else ""
        if key and self._has("session_nodes", "session_key"):
            sql = "SELECT * FROM session_nodes WHERE session_key = ?"
            node = self._row("session_nodes", sql, key)
        entry = {**_entry_of(node.get("entry_json")), **_named(node), **_named(window)}
        return about_session(key, entry)

    def parent(self, session: str) -> str:
        """The session that this one was branched off, which has its first turns too; or empty."""
        entries, _ = self._entries(session, self._numbers(session)[:1])
        for _, entry in entries:
            found = entry.get("parentSession")
            if entry.get("type") == "session" and isinstance(found, str):
                return found
        return ""

    def path(self, stand: Stand) -> list[int] | None:
        """The numbers of the events of the live conversation; None where nothing lists them."""
        if not self._has(
            "session_transcript_active_events", "session_id", "event_seq", "active_position"
        ):
            return None
        rows = self._all(
            "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ?"
            " ORDER BY active_position",
            stand.session,
        )
        found = [seq for (seq,) in rows if isinstance(seq, int)]
        return found if found and self._to_the_end(stand, found) else None

    def _to_the_end(self, stand: Stand, path: Sequence[int]) -> bool:
        if self._has("session_transcript_index_state", "indexed_seq", "needs_rebuild"):
            rows = self._all(
                "SELECT indexed_seq, needs_rebuild FROM session_transcript_index_state"
                " WHERE session_id = ?",
                stand.session,
            )
            return rows == [(stand.last, 0)]
        return max(path) == stand.last

    def name_of(self, session: str, seq: int) -> str:
        """The id of an event; empty where there is none."""
        entries, _ = self._entries(session, [seq])
        name = entries[0][1].get("id") if entries else ""
        return name if isinstance(name, str) else ""

    def conversation(
        self, stand: Stand, zone: tzinfo | None, about: About
    ) -> tuple[list[Draft], list[Trouble]]:
        """All of the live conversation of a session, and what of it cannot be read."""
        path = self.path(stand)
        if path is not None:
            return self.turns(stand.session, path, zone, about)
        try:
            check_name(stand.session, "session")
        except InputError as error:
            return [], [(0, error)]
        entries, problems = self._entries(stand.session, self._numbers(stand.session))
        drafts, bad = conversation(entries, zone, stand.session, about)
        return drafts, problems + bad

    def turns(
        self, session: str, path: Sequence[int], zone: tzinfo | None, about: About
    ) -> tuple[list[Draft], list[Trouble]]:
        """The turns among these events of the live conversation, and what cannot be read."""
        drafts: list[Draft] = []
        problems: list[Trouble] = []
        asked: set[str] = set()
        try:
            check_name(session, "session")
        except InputError as error:
            return [], [(0, error)]
        for start in range(0, len(path), _BATCH):
            some = path[start : start + _BATCH]
            entries, bad = self._entries(session, some)
            found = dict(entries)
            live = [(seq + 1, found[seq + 1]) for seq in some if seq + 1 in found]
            said, unread = turns(live, zone, session, about, asked)
            drafts += said
            problems += bad + unread
        return drafts, problems

    def _numbers(self, session: str) -> list[int]:
        sql = "SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq"
        return [seq for (seq,) in self._all(sql, session) if isinstance(seq, int)]

    def _entries(
        self, session: str, seqs: Sequence[int]
    ) -> tuple[list[tuple[int, Entry]], list[Trouble]]:
        """Events of a session as numbered entries (from 1), and those that cannot be read."""
        sql = _EVENTS if self._has("transcript_events", "event_zstd") else _PLAIN_EVENTS
        entries: list[tuple[int, Entry]] = []
        problems: list[Trouble] = []
        for start in range(0, len(seqs), _BATCH):
            some = str(list(seqs[start : start + _BATCH]))
            for seq, size, text, packed in self._all(sql, session, some, MAX_LINE):
                try:
                    if text is None and isinstance(packed, bytes):
                        text = self._unpacked(packed)
                    entries.append((seq + 1, _event(size, text)))
                except InputError as error:
                    self._allowance.take(0)  # a trap is the end of it all
                    problems.append((seq + 1, error))
        return entries, problems

    def _unpacked(self, packed: bytes) -> bytes:
        self._allowance.take(0)
        found = unpacked(packed)
        self._allowance.take(len(found))
        return found

    def _has(self, table: str, *columns: str) -> bool:
        if table not in self._columns:
            with _translated(self.file):
                found = foreign_files.columns(self._connection, table, computed=True)
            self._columns[table] = found
        return set(columns) <= set(self._columns[table])

    def _row(self, table: str, sql: str, key: str) -> Mapping[str, object]:
        rows = self._all(sql, key)
        return dict(zip(self._columns[table], rows[0], strict=True)) if rows else {}

    def _all(self, sql: str, *values: str | int) -> list[tuple[Any, ...]]:
        with _translated(self.file):
            return self._connection.execute(sql, values).fetchall()


_FIELDS = {
    "chat_type": "chatType",
    "channel": "channel",
    "spawned_by": "spawnedBy",
    "parent_session_key": "parentSessionKey",
    "created_via": "createdVia",
    "hook_external_content_source": "hookExternalContentSource",
}
"""Columns of the index, and what an entry calls them."""


def _named(row: Mapping[str, object]) -> dict[str, object]:
    return {field: row[name] for name, field in _FIELDS.items() if row.get(name)}


def _entry_of(text: object) -> Mapping[str, object]:
    if isinstance(text, str) and len(text) <= _MOST_ENTRY:
        with suppress(InputError):
            return as_object(parse_line(text))
    return {}


def _event(size: object, text: object) -> Entry:
    """One event; raises InputError."""
    if isinstance(size, int) and size > MAX_LINE:
        raise _too_long()
    if not isinstance(text, bytes):
        raise _damaged()
    try:
        return as_object(parse_line(text.decode("utf-8")))
    except UnicodeDecodeError:
        raise _damaged() from None


def can_unpack() -> bool:
    """Whether compressed events can be read here."""
    from importlib.util import find_spec

    if sys.version_info >= (3, 14):
        return True
    return find_spec("zstandard") is not None


def unpacked(data: bytes) -> bytes:
    """The content of a zstd frame, which may claim any size: no more than the limit is unpacked."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        try:
            found = zstd.ZstdDecompressor().decompress(data, max_length=MAX_LINE + 1)
        except zstd.ZstdError:
            raise _damaged() from None
    else:
        found = _unpacked_by_package(data)
    if len(found) > MAX_LINE:
        raise _too_long()
    return bytes(found)


def _unpacked_by_package(data: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise InputError(
            "the event is compressed, but zstandard is not installed",
            hint=install_hint(),
            extra="workspace",
        ) from None
    # Not `decompress`: it makes room for as much as the frame claims to hold.
    reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data)
    try:
        return reader.read(MAX_LINE + 1)
    except zstandard.ZstdError:
        raise _damaged() from None


def _damaged() -> InputError:
    return InputError("the event is damaged", hint="everything before and after it was added")


def _too_long() -> InputError:
    return InputError(
        "the event is longer than {most} MiB",
        hint="everything before and after it was added",
        most=MAX_LINE >> 20,
    )
