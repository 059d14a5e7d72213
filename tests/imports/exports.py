"""Exports as other programs make them, small: the shapes are theirs, the people are invented."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parent / "examples"


def put_json(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def put_list(path: Path, texts: Sequence[str]) -> Path:
    """What mem0 keeps of these."""
    return put_json(path, [{"id": f"m{n}", "memory": text} for n, text in enumerate(texts)])


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
    return json.loads((EXAMPLES / "chatgpt.json").read_text("utf-8"))


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
FOUR_TIERS = (EXAMPLES / "tiered.sql").read_text("utf-8")


def put_database(path: Path, script: str = FOUR_TIERS) -> Path:
    with sqlite3.connect(path) as database:
        database.executescript(script)
    database.close()
    return path
