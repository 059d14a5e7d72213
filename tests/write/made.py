"""Memories made by hand, for the tests of what is written from them."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import Any

from loxodon.types import Record
from tests.clock import NOW

_number = count(1)


def fact(content: str, *, days: float = 10, importance: float = 0.8, **fields: Any) -> Record:
    """A fact about the user that was heard `days` ago, unless the fields say otherwise."""
    at = NOW - timedelta(days=days)
    given = {
        "id": f"f_{next(_number):04}",
        "space": "main",
        "kind": "fact",
        "created_at": at,
        "updated_at": at,
        "strength": importance,
        "subject": "user",
    }
    return Record(content=content, importance=importance, **{**given, **fields})
