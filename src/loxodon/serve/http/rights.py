"""What each right covers, by the names of `operations.py`; what is not named is the owner's."""

from __future__ import annotations

from loxodon.trust.access.tokens import Right

READS = frozenset(
    {
        "journal",
        "turn",
        "list",
        "get",
        "history",
        "note",
        "reviews",
        "entities",
        "entity",
        "segments",
        "events",
        "profile",
        "recall",
        "recall_by_query",
        "context",
        "gate",
        "snapshot",
        "due",
        "schedule",
        "reminders",
        "status",
        "stats",
    }
)
WRITES = frozenset({"add", "capture", "edit", "archive", "unarchive", "confirm", "reject", "touch"})


def right_for(operation: str) -> Right:
    """The right that one needs for an operation."""
    if operation in READS:
        return "read"
    return "write" if operation in WRITES else "owner"
