"""What a server writes of its work: a line of JSON on stderr for each thing done.

Names, numbers and times; never what was said, remembered or asked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from loxodon.consolidate.pipeline import Consolidated
from loxodon.types import Added, Frame, Recall, Record, Turn

_MOST_IDS = 20


_only: frozenset[str] = frozenset()


def log_only(*events: str) -> None:
    """From now on, write lines of these events alone: where a person looks on."""
    global _only
    _only = frozenset(events)


def log(event: str, /, **fields: object) -> None:
    """Write one line; that nobody reads it is no reason to fail."""
    if _only and event not in _only:
        return
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"at": at, "event": event, **fields}, ensure_ascii=False, default=str)
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # it is closed
        return


def log_fields(result: object) -> Mapping[str, Any]:
    """What may be logged of a result: ids and counts."""
    if isinstance(result, Recall):
        return {
            "items": len(result.items),
            "ids": [item.id for item in result.items[:_MOST_IDS]],
            "tokens": result.tokens,
        }
    if isinstance(result, Frame):
        found = log_fields(result.recall) if result.recall else {}
        return {**found, "gate": result.gate.reason, "tokens": result.tokens}
    if isinstance(result, Record):
        return {"id": result.id, "version": result.version}
    if isinstance(result, Turn):
        return {"id": result.ref}
    if isinstance(result, Added):
        return {"added": result.added, "known": result.known, "sessions": len(result.sessions)}
    if isinstance(result, Consolidated):
        counts = {name: n for name, n in result.counts.items() if n}
        return {"ran": result.ran, "reason": result.reason, "turns": result.turns, **counts}
    if isinstance(result, list | tuple) and not hasattr(result, "_fields"):
        return {"count": len(result)}
    return {}
