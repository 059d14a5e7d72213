"""Statements as JSON, for the time between being read and being compared with what is known."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from loxodon.language.statements import Mention, Statement
from loxodon.write.extract import Candidate

_TIMES = ("said_at", "valid_from", "due_at", "expires_at")


def to_json(candidate: Candidate) -> str:
    """A candidate as text."""
    kept: dict[str, Any] = candidate._asdict()
    for name in _TIMES:
        kept[name] = kept[name] and kept[name].isoformat()
    kept["statement"] = candidate.statement._asdict()
    return json.dumps(kept, ensure_ascii=False)


def from_json(text: str) -> Candidate:
    """The candidate that `to_json` wrote."""
    kept: dict[str, Any] = json.loads(text)
    for name in _TIMES:
        kept[name] = kept[name] and datetime.fromisoformat(kept[name])
    said = kept["statement"]
    said["mentions"] = tuple(
        Mention(name, type, tuple(aliases)) for name, type, aliases in said["mentions"]
    )
    said["over"], said["fragments"] = tuple(said["over"]), tuple(said["fragments"])
    kept["statement"] = Statement(**said)
    kept["tags"] = tuple(kept["tags"])
    return Candidate(**kept)
