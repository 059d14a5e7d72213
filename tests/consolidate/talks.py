"""Conversations for the tests of consolidation, and everything that a home holds."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from loxodon import Memory
from tests.clock import NOW

CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "off"}
"""Without views: what they cost is not part of a run, and grows with the memory."""
ZH = "我叫张三", "我住在北京", "我对花生过敏"
EN = "I live in Leeds", "I'm allergic to shellfish"


def said(
    *contents: str, session: str = "s", at: datetime = NOW, role: str = "user", id: str = ""
) -> list[dict[str, Any]]:
    """Turns a minute apart, each with an id of its own."""
    return [
        {
            "role": role,
            "content": content,
            "session": session,
            "id": f"{id or session}-{n}",
            "at": (at + timedelta(minutes=n)).isoformat(),
        }
        for n, content in enumerate(contents)
    ]


def known(memory: Memory, *words: str) -> list[str]:
    """The active facts and beliefs that have all of `words`."""
    records = [one for one in memory.list() if one.kind != "summary"]
    return [one.content for one in records if all(word in one.content for word in words)]


def everything(home: Path, space: str = "main") -> dict[str, list[str]]:
    """All that a memory tells of what was said and learned."""
    with Memory.open(home, space, CONFIG, lambda: NOW) as memory:
        records = memory.list(state="all")
        return {
            "turns": [repr(one) for one in memory.journal()],
            "memories": sorted(map(repr, records)),
            "history": sorted(repr(memory.history(one.id)) for one in records),
            "entities": sorted(repr(memory.entity(one.name)) for one in memory.entities()),
            "segments": [repr(one) for one in memory.segments()],
            "events": [repr(one) for one in memory.events()],
            "pages": [memory.snapshot("en"), memory.snapshot("zh")],
        }
