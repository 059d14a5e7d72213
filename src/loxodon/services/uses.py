"""What was recalled and is not counted yet, for the next who writes.

A recall from the shell is a process of its own. To count what it gave, it would have to wait for
whoever writes, and for the disk. So it leaves a line in a file of the space, which is not synced:
what a power cut takes of it is a count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from loxodon.files import private
from loxodon.layout import USED

MOST = 64 << 10
"""Bytes that may wait: where nobody ever writes, somebody has to."""


def leave(folder: str, ids: Iterable[str], at: datetime) -> bool:
    """Leave word that memories were used; whether there is room for it."""
    try:
        with open(os.path.join(folder, USED), "ab", buffering=0, opener=private) as file:
            if file.tell() > MOST:
                return False
            file.write(" ".join((at.isoformat(), *ids)).encode("utf-8") + b"\n")
    except OSError:
        return False
    return True


def are_left(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, USED))


def take(folder: str) -> list[tuple[datetime, list[str]]]:
    """What was left, each with its moment; it is gone then. Call where nobody else does."""
    path, found = os.path.join(folder, USED), []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        os.unlink(path)
    except OSError:
        return []
    for line in lines:
        at, *ids = line.split(" ")
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:  # cut short
            continue
        if moment.tzinfo is not None:
            found.append((moment, ids))
    return found
