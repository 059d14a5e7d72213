"""Conversations for the tests of recall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from loxodon import Memory
from loxodon.types import Recall

DAY = datetime(2026, 2, 1, 9, tzinfo=UTC)


def talk(memory: Memory, session: str, at: datetime, *lines: str) -> None:
    """A conversation: lines as `name: words`, a minute apart."""
    turns = []
    for n, line in enumerate(lines):
        speaker, _, words = line.partition(": ")
        role = "assistant" if speaker == "assistant" else "user"
        moment = (at + timedelta(minutes=n)).isoformat()
        turns.append({"role": role, "speaker": speaker, "content": words, "at": moment})
    memory.add(turns, session=session)


def say(
    memory: Memory, *texts: str, at: str = "2026-02-04T10:00:00", session: str = "s", **fields: str
) -> None:
    """Several messages of the user at one moment."""
    turns = [
        {"role": "user", "content": text, "at": at, "id": f"{at}-{n}-{len(text)}", **fields}
        for n, text in enumerate(texts)
    ]
    memory.add(turns, session=session)


def shown(found: Recall) -> list[str]:
    return [item.content for item in found.items]
