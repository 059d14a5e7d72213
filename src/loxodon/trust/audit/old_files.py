"""Logs of versions that kept them in files: their entries become rows, then the files go."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from loxodon import files
from loxodon.errors import KeyProblemError, StoreError
from loxodon.trust.audit.log import Audit

_FOLDER = "audit"
_CHAIN = ("n", "mac", "prev", "after")
"""What held the lines of a file together."""


def take_over(audit: Audit, root: str, folder: str) -> None:
    """Begin the log with the entries in the files of a space, if there are any."""
    place = os.path.join(folder, _FOLDER)
    logs = [os.path.join(place, name) for name in files.names(place) if name.endswith(".log")]
    if not logs:
        return
    try:
        with audit.writing():
            if audit.rows.last() is None:
                audit.adopt(_entries(logs))
    except (StoreError, KeyProblemError):  # the next open takes them over
        return
    head = os.path.join(root, _FOLDER, f"{os.path.basename(folder)}.head")
    for path in (*logs, head):
        with suppress(FileNotFoundError):
            files.remove(path)


def _entries(paths: list[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for line in files.read(path).splitlines():
            with suppress(ValueError):  # cut short by a kill
                entry = json.loads(line)
                yield {name: value for name, value in entry.items() if name not in _CHAIN}
