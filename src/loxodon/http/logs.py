"""What a server writes of its work: a line of JSON on stderr for each thing done.

Names, numbers and times; never what was said, remembered or asked.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime

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
    with suppress(OSError, ValueError, AttributeError):  # it is closed
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
