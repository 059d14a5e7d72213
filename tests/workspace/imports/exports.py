"""Exports as other programs make them, small: the shapes are theirs, the people are invented."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def put_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def put_zip(path: Path, files: Mapping[str, object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


# ChatGPT


def message(
    id: str,
    parent: str | None,
    role: str,
    *parts: object,
    at: float | None = 1_700_000_000.0,
    kind: str = "text",
    **more: Any,
) -> dict[str, Any]:
    """A node of a ChatGPT conversation."""
    content: dict[str, object] = {"content_type": kind, "parts": list(parts)}
    return {
        "id": id,
        "parent": parent,
        "children": [],
        "message": {
            "id": id,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": at,
            "update_time": None,
            "content": content,
            "status": "finished_successfully",
            "weight": 1.0,
            "recipient": "all",
            "metadata": {},
            **more,
        },
    }


def conversation(id: str, current: str | None, *nodes: dict[str, Any], **more: Any) -> Any:
    root: dict[str, Any] = {"id": "root", "message": None, "parent": None, "children": []}
    mapping = {"root": root, **{node["id"]: node for node in nodes}}
    return {
        "title": "A talk",
        "create_time": 1_700_000_000.0,
        "update_time": 1_700_000_100.0,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current,
        "conversation_id": id,
        "id": id,
        "is_archived": False,
        **more,
    }


def trip() -> Any:
    """A conversation with all that one can have: a hidden message, a branch, a picture, a tool."""
    hidden = {"is_visually_hidden_from_conversation": True}
    return conversation(
        "c-trip",
        "a2",
        message("s", "root", "system", "", at=None, metadata=hidden),
        message("u1", "s", "user", "I am vegetarian and I live in Lisbon.", at=1_700_000_001.5),
        message("a1", "u1", "assistant", "A first answer.", at=1_700_000_002.0),
        message("t1", "u1", "assistant", "searching", at=1_700_000_003.0, recipient="web.search"),
        message("t2", "t1", "tool", "a page", at=1_700_000_004.0),
        message("th", "t2", "assistant", "hm", at=1_700_000_005.0, kind="thoughts"),
        message(
            "bio", "th", "assistant", "User is vegetarian.", at=1_700_000_006.0, recipient="bio"
        ),
        message(
            "u2",
            "bio",
            "user",
            {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"},
            "Is this a good place?",
            at=1_700_000_007.0,
            kind="multimodal_text",
        ),
        message("a2", "u2", "assistant", "It is.", at=1_700_000_008.0),
    )


# Claude


def said(id: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of a Claude conversation."""
    return {
        "uuid": id,
        "text": text,
        "content": [{"type": "text", "text": text}],
        "sender": sender,
        "created_at": "2025-03-01T10:00:00.123456Z",
        "updated_at": "2025-03-01T10:00:00.123456Z",
        "attachments": [],
        "files": [],
        **more,
    }


def chat(id: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": id,
        "name": "A chat",
        "created_at": "2025-03-01T10:00:00Z",
        "updated_at": "2025-03-01T10:05:00Z",
        "account": {"uuid": "acct"},
        "chat_messages": list(messages),
        **more,
    }


# The four-tier memory, as its document has it

FOUR_TIERS = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, tier INTEGER NOT NULL DEFAULT 2,
  project TEXT NOT NULL DEFAULT '_global', topic TEXT NOT NULL DEFAULT '_general',
  category TEXT NOT NULL DEFAULT 'event', content TEXT NOT NULL,
  importance REAL NOT NULL DEFAULT 0.5, source TEXT NOT NULL DEFAULT 'extraction',
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')),
  last_accessed TEXT NOT NULL DEFAULT (datetime('now')),
  access_count INTEGER NOT NULL DEFAULT 0, is_archived INTEGER NOT NULL DEFAULT 0);
CREATE TABLE daily_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, event_date TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT 'unknown', sender_id TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL, raw_tokens INTEGER NOT NULL DEFAULT 0,
  is_compressed INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE extraction_buffer (
  id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL,
  sender_id TEXT NOT NULL DEFAULT '', role TEXT NOT NULL, content TEXT NOT NULL,
  token_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
INSERT INTO memories (tier, topic, category, content, importance, created_at, updated_at)
  VALUES (1, '_profile', 'identity', '用户叫杨洋，是全栈工程师', 1.0,
          '2026-01-01 08:00:00', '2026-01-10 08:00:00');
INSERT INTO memories (project, topic, category, content, importance, created_at, last_accessed,
                      access_count, is_archived)
  VALUES ('myclaw', 'deployment', 'decision', 'myclaw is deployed with Docker', 0.8,
          '2026-01-02 00:00:00', '2026-01-20 12:00:00', 4, 1);
INSERT INTO daily_events (event_date, channel, summary, created_at)
  VALUES ('2026-01-03', 'telegram', '讨论了部署方案', '2026-01-03 20:00:00');
INSERT INTO daily_events (event_date, channel, summary, is_compressed, created_at)
  VALUES ('2026-01-02', 'telegram', '我养了一只猫', 1, '2026-01-02 20:00:00');
INSERT INTO extraction_buffer (channel, sender_id, role, content, created_at)
  VALUES ('telegram', 'u1', 'user', '我对花生过敏', '2026-01-04 10:00:00'),
         ('telegram', '', 'assistant', '好的，记住了', '2026-01-04 10:00:05');
"""


def put_database(path: Path, script: str = FOUR_TIERS) -> Path:
    with sqlite3.connect(path) as database:
        database.executescript(script)
    database.close()
    return path
