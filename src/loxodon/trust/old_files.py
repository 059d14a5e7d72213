"""State that earlier versions kept in files beside a database becomes rows; then the files go."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from loxodon import files
from loxodon.errors import LoxodonError
from loxodon.store import StoredReceipt
from loxodon.store.store import Store
from loxodon.trust.access import pausing
from loxodon.trust.audit.log import Audit

_AUDIT = "audit"
_PAUSED = "paused"
_FORGOTTEN = "forgotten"
_CHAIN = ("n", "mac", "prev", "after")
"""What held the lines of an audit log together."""


def take_over(store: Store, root: str, folder: str) -> None:
    """Take over what there is; what a kill or a full disk leaves is taken over at the next open."""
    found = {*files.names(folder)} & {_AUDIT, _PAUSED, _FORGOTTEN}
    with suppress(LoxodonError, OSError):
        if _PAUSED in found:
            _pauses(store, os.path.join(folder, _PAUSED))
        if _FORGOTTEN in found:
            _tombstones(store, os.path.join(folder, _FORGOTTEN))
        if _AUDIT in found and store.audit is not None:
            _log(store.audit, root, folder)


def _pauses(store: Store, path: str) -> None:
    text = files.read(path).decode("ascii", "replace")
    try:
        json.loads(text)
    except ValueError:  # it is nobody's pause; the file stays for its owner to look at
        return
    with store.writing():
        if not store.value(pausing.VALUE):
            store.set_value(pausing.VALUE, text)
    files.remove(path)


def _tombstones(store: Store, path: str) -> None:
    with store.writing():
        for line in _lines([path]):
            with suppress(ValueError, TypeError, KeyError):  # not a line of ours
                if kept := line.get("receipt"):
                    store.erasure.put_receipts([StoredReceipt(**kept)])
                else:
                    mark = bytes.fromhex(line["mark"])
                    one = (line["kind"], mark, line["until"], line.get("size", 0))
                    store.erasure.put_tombstones([one])
    files.remove(path)


def _log(audit: Audit, root: str, folder: str) -> None:
    place = os.path.join(folder, _AUDIT)
    logs = [os.path.join(place, name) for name in files.names(place) if name.endswith(".log")]
    with audit.writing():
        if audit.rows.last() is None:
            entries = _lines(logs)
            audit.adopt(
                {name: value for name, value in one.items() if name not in _CHAIN}
                for one in entries
            )
    head = os.path.join(root, _AUDIT, f"{os.path.basename(folder)}.head")
    for path in (*logs, os.path.join(place, "lock"), head):
        with suppress(FileNotFoundError):
            files.remove(path)
    if os.path.isdir(place):
        os.rmdir(place)


def _lines(paths: Iterable[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for line in files.read(path).splitlines():
            with suppress(ValueError):  # cut short by a kill
                if isinstance(found := json.loads(line), dict):
                    yield found
