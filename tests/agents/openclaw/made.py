"""An OpenClaw's folder, made as the real one makes it: files of sessions, and databases of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import zstandard

Entry = dict[str, Any]

_SCHEMA = """
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL, created_via TEXT, spawned_by TEXT, parent_session_key TEXT) STRICT;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, chat_type TEXT, channel TEXT,
  spawned_by TEXT, parent_session_key TEXT, hook_external_content_source TEXT) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
  event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
  PRIMARY KEY (session_id, seq)) STRICT;
CREATE TABLE session_transcript_active_events (
  session_id TEXT NOT NULL, active_position INTEGER NOT NULL, event_seq INTEGER NOT NULL,
  message_position INTEGER, context_eligible INTEGER,
  PRIMARY KEY (session_id, active_position)) STRICT;
CREATE TABLE session_transcript_index_state (
  session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT NULL,
  needs_rebuild INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE transcript_rewrite_watermarks (
  session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL) STRICT;
CREATE TABLE memory_session_tombstones (session_id TEXT NOT NULL PRIMARY KEY) STRICT;
CREATE TABLE session_transcript_cold_archives (session_id TEXT NOT NULL PRIMARY KEY) STRICT;
"""


def header(session: str, **fields: Any) -> Entry:
    return {
        "type": "session",
        "version": 4,
        "id": session,
        "timestamp": "2026-02-01T01:00:00.000Z",
        "cwd": "/home/mei/ws",
        **fields,
    }


def said(id_: str, parent: str | None, text: Any, role: str = "user", **fields: Any) -> Entry:
    """A message; those of users are the owner's unless `owner` says otherwise."""
    owner = fields.pop("owner", True)
    if role == "user" and owner is not None:
        fields = {"__openclaw": {"senderIsOwner": owner}, **fields}
    return {
        "type": "message",
        "id": id_,
        "parentId": parent,
        "timestamp": "2026-02-01T01:00:01.000Z",
        "message": {"role": role, "content": text, **fields},
    }


def talk(*texts: str, first: int = 1, parent: str | None = None) -> list[Entry]:
    """Messages in a row, from the user and the assistant in turn, with the ids m1, m2…"""
    found = []
    for number, text in enumerate(texts, first):
        role = "user" if number % 2 else "assistant"
        found.append(said(f"m{number}", parent, text, role))
        parent = f"m{number}"
    return found


def lines(entries: Sequence[Entry]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in entries)


class OpenClaw:
    """The state folder of an OpenClaw."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(
        self,
        session: str,
        entries: Sequence[Entry],
        key: str = "",
        agent: str = "main",
        **about: Any,
    ) -> Path:
        """A session as up to 2026.7, and its entry in the index where it has a key."""
        folder = self.root / "agents" / agent / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{session}.jsonl"
        path.write_text(lines([header(session), *entries]), "utf-8")
        if key:
            index = folder / "sessions.json"
            known = json.loads(index.read_text("utf-8")) if index.exists() else {}
            known[key] = {"sessionId": session, **about}
            index.write_text(json.dumps(known), "utf-8")
        return path

    def database(self, agent: str = "main") -> Database:
        """The sessions as from 2026.8 on."""
        folder = self.root / "agents" / agent / "agent"
        folder.mkdir(parents=True, exist_ok=True)
        return Database(folder / "openclaw-agent.sqlite")


class Database:
    """A database of sessions, held open as a running OpenClaw does."""

    def __init__(self, path: Path) -> None:
        self.file = path
        self.db = apsw.Connection(str(path))
        self.db.execute("PRAGMA journal_mode=WAL").fetchall()
        if not self.db.execute("SELECT 1 FROM sqlite_schema").fetchall():
            self.db.execute(_SCHEMA)

    def close(self) -> None:
        self.db.close()

    def session(
        self,
        session: str,
        entries: Sequence[Entry] = (),
        key: str = "agent:main:main",
        **about: Any,
    ) -> None:
        """A session with these entries, all in the live conversation."""
        chat, channel = about.pop("chat_type", None), about.pop("channel", None)
        with self.db:
            self.db.execute(
                "INSERT OR REPLACE INTO session_nodes (session_key, current_session_id, entry_json)"
                " VALUES (?, ?, ?)",
                (key, session, json.dumps({"sessionId": session, **about})),
            )
            self.db.execute(
                "INSERT INTO session_windows (session_id, session_key, chat_type, channel)"
                " VALUES (?, ?, ?, ?)",
                (session, key, chat, channel),
            )
        self.append(session, header(session))
        for entry in entries:
            self.append(session, entry)

    def append(self, session: str, entry: Entry | str | bytes, live: bool = True) -> int:
        """One event more, compressed where it is long; bytes are taken as they are."""
        text = (
            entry
            if isinstance(entry, str)
            else json.dumps(entry)
            if isinstance(entry, dict)
            else None
        )
        packed = entry if isinstance(entry, bytes) else None
        if text is not None and len(text) >= 1024:
            packed, text = zstandard.compress(text.encode()), None
        with self.db:
            ((seq,),) = self.db.execute(
                "SELECT coalesce(max(seq) + 1, 0) FROM transcript_events WHERE session_id = ?",
                (session,),
            )
            self.db.execute(
                "INSERT INTO transcript_events"
                " (session_id, seq, event_json, created_at, event_zstd) VALUES (?, ?, ?, ?, ?)",
                (session, seq, text, 1_770_000_000_000 + seq, packed),
            )
            if live and seq:
                self._activate(session, seq)
            self.db.execute(
                "INSERT INTO session_transcript_index_state VALUES (?, ?, 0)"
                " ON CONFLICT DO UPDATE SET indexed_seq = excluded.indexed_seq",
                (session, seq),
            )
        return int(seq)

    def path(self, session: str, seqs: Sequence[int]) -> None:
        """Make these events the live conversation."""
        with self.db:
            self.db.execute(
                "DELETE FROM session_transcript_active_events WHERE session_id = ?", (session,)
            )
            for seq in seqs:
                self._activate(session, seq)

    def _activate(self, session: str, seq: int) -> None:
        self.db.execute(
            "INSERT INTO session_transcript_active_events (session_id, active_position, event_seq)"
            " SELECT ?1, coalesce(max(active_position) + 1, 0), ?2"
            " FROM session_transcript_active_events WHERE session_id = ?1",
            (session, seq),
        )
