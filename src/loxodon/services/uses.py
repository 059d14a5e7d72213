"""Memories that were recalled and are not counted yet; the next writer counts them.

A recall from the shell is its own process. To count what it returned, it would have to wait for
other writers and for the disk. So it appends a line to a file of the space instead. The file is not
synced: a power failure costs only a count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from loxodon import files
from loxodon.layout import USED

MOST = 64 << 10
"""Maximum bytes in the file. Beyond this, the recall itself writes the counts."""


def leave(folder: str, ids: Iterable[str], at: datetime) -> bool:
    """Record that memories were used; return whether there was room."""
    path = os.path.join(folder, USED)
    line = " ".join((at.isoformat(), *ids)).encode("utf-8") + b"\n"
    try:
        if files.size(path) > MOST:
            return False
        files.append(path, line, durable=False)
    except OSError:
        return False
    return True


def are_left(folder: str) -> bool:
    return files.exists(os.path.join(folder, USED))


def take(folder: str) -> list[tuple[datetime, list[str]]]:
    """Return and remove what was recorded, with its times. Call inside `Store.writing`."""
    path, found = os.path.join(folder, USED), []
    try:
        lines = files.read(path).decode("utf-8", "replace").splitlines()
        files.remove(path)
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
