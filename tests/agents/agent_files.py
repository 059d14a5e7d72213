"""Transcripts as Claude Code, Codex and Gemini CLI write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "5f0c1f6e-0d0b-4c3a-9a55-3d5f1f0f7a11"
DAY = "2026-02-03"


def at(n: int) -> str:
    """The n-th second of a morning."""
    return f"{DAY}T08:{n // 60:02d}:{n % 60:02d}.000Z"


def appended(path: Path, *entries: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    return path


class ClaudeCode:
    """Lines of one session of Claude Code."""

    def __init__(self, folder: Path, session: str = SESSION) -> None:
        self.session = session
        self.path = folder / "projects" / "-home-me-app" / f"{session}.jsonl"
        self.count = 0
        appended(self.path, {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})

    def line(self, kind: str, content: object, **more: Any) -> dict[str, Any]:
        self.count += 1
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"model": "claude-sonnet-4-5", "id": f"msg_{self.count}", "type": "message"}
        return {
            "parentUuid": f"u{self.count - 1}" if self.count > 1 else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/me/app",
            "sessionId": self.session,
            "version": "2.1.20",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": f"u{self.count}",
            "timestamp": at(self.count),
        } | more

    def user(self, content: object, **more: Any) -> Path:
        return appended(self.path, self.line("user", content, **more))

    def agent(self, text: str, **more: Any) -> Path:
        return appended(self.path, self.line("assistant", [{"type": "text", "text": text}], **more))


class Codex:
    """Lines of one rollout of Codex; with `older`, as earlier versions wrote them."""

    def __init__(
        self,
        folder: Path,
        source: object = "cli",
        session: str = SESSION,
        *,
        older: bool = False,
        **more: str,
    ) -> None:
        name = f"rollout-{DAY}T08-00-00-{session}.jsonl"
        self.path = folder / "sessions" / "2026" / "02" / "03" / name
        self.count = 0
        self.older = older
        about = {"id": session, "timestamp": at(0), "cwd": "/home/me/app", "source": source} | more
        self.line("session_meta", {**about, "originator": "codex-tui", "cli_version": "0.166.0"})

    def line(self, kind: str, payload: dict[str, Any]) -> Path:
        self.count += 1
        about = {"timestamp": at(self.count), "ordinal": self.count - 1}
        return appended(self.path, {**about, "type": kind, "payload": payload})

    def started(self, trigger: str, **more: str) -> Path:
        """A turn begins; in older versions nothing says by whom."""
        by = {"turn_id": "t", "parent_turn_id": None, "initiating_agent_path": None} | more
        begun = {} if self.older else {"turn_attribution": {**by, "turn_trigger": trigger}}
        return self.line("event_msg", {"type": "task_started", "turn_id": "t", **begun})

    def item(self, role: str, text: str) -> Path:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        return self.line("response_item", {"type": "message", "role": role, "content": content})

    def completed(self, kind: str, part: dict[str, Any]) -> Path:
        item = {"type": kind, "id": f"i{self.count}", "content": [part]}
        return self.line("event_msg", {"type": "item_completed", "turn_id": "t", "item": item})

    def user(self, text: str, **more: Any) -> Path:
        self.item("user", text)
        if not self.older:
            return self.completed("UserMessage", {"type": "text", "text": text} | more)
        return self.line(
            "event_msg", {"type": "user_message", "message": text, "images": []} | more
        )

    def agent(self, text: str) -> Path:
        if self.older:
            self.item("assistant", text)
            return self.line("event_msg", {"type": "agent_message", "message": text})
        self.completed("AgentMessage", {"type": "Text", "text": text})
        return self.item("assistant", text)


class Gemini:
    """Lines of one chat of Gemini CLI."""

    def __init__(self, folder: Path, kind: str = "main", session: str = SESSION) -> None:
        self.path = folder / "tmp" / "app" / "chats" / f"session-{DAY}T08-00-{session[:8]}.jsonl"
        self.count = 0
        self.about = {"sessionId": session, "projectHash": "abc", "startTime": at(0), "kind": kind}
        appended(self.path, self.about)

    def message(self, kind: str, content: object, **more: Any) -> dict[str, Any]:
        self.count += 1
        about = {"id": f"g{self.count}", "timestamp": at(self.count), "type": kind}
        return about | {"content": content} | more

    def user(self, content: object, **more: Any) -> Path:
        return appended(self.path, self.message("user", content, **more))

    def agent(self, text: str) -> Path:
        one = self.message("gemini", text, thoughts=[], tokens=None, model="gemini-3-pro")
        return appended(self.path, one, {"$set": {"lastUpdated": at(50)}}, one | {"tokens": {}})
