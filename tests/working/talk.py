"""What the tests of working memory share: messages, a model behind a real server, and a session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx

from loxodon.models.chat import message_of
from loxodon.working import Ask, Message, Session
from tests.models.server import Stage


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(*ids: str, name: str = "search", text: str | None = None) -> dict[str, Any]:
    """An assistant's message that calls a tool once for each id."""
    made = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": '{"q": "x"}'}}
        for id in ids
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def asking(server: Stage) -> Ask:
    """A function that asks the model of a server, as an agent's loop would."""

    def ask(messages: Sequence[Message]) -> str:
        body = {"model": "test", "messages": list(messages)}
        answer = httpx.post(f"http://127.0.0.1:{server.port}/v1/chat/completions", json=body)
        if answer.status_code != 200:
            raise OSError(f"HTTP {answer.status_code}")
        return message_of(answer.content).text

    return ask


def on_disk(session: Session) -> list[dict[str, Any]]:
    """Every entry of a transcript, as it is kept."""
    rows = session._memory.store.working_sessions
    assert rows is not None
    return [json.loads(line) for _, line in rows.lines(session.id)]


def well_paired(messages: Sequence[Message]) -> bool:
    """Whether each call has its result directly behind it, and each result a call."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.discard(message["tool_call_id"])
            continue
        if waiting:
            return False
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
    return not waiting
