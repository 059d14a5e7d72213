"""What earlier versions kept in files of a space becomes rows; then the files go.

SPACE/paused, SPACE/forgotten     pauses, tombstones and receipts
SPACE/audit/*.log                 the audit log, with its head in HOME/audit
SPACE/sessions/sessions.json      for each key, which transcript is the current one
SPACE/sessions/<id>.jsonl         a transcript; beside an encrypted database, sealed lines

Rows are written before a file is removed, and files that are read twice add nothing. So a run that
is killed is finished by the next that opens the space as its owner.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.errors import KeyProblemError, disk_errors
from loxodon.layout import OLD_SESSIONS
from loxodon.security import pauses
from loxodon.security.audit import Audit, entries_of
from loxodon.security.keys import Seal
from loxodon.store import StoredReceipt
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace
    from loxodon.store.store import Store

_NAMES, _INDEX = (OLD_SESSIONS, "paused", "forgotten"), "sessions.json"
# What leaves a file for the next open, or, where it is none of ours, for its owner to look at.
_LEFT = (FileNotFoundError, KeyProblemError, ValueError, LookupError, TypeError, AttributeError)
_CHAIN = ("n", "mac", "prev", "after")  # what held the lines of an audit log together
_TAKEN = "old_audit_log"  # the value that says that the log in files was taken over


def take_over(space: OpenSpace, more_keys: Sequence[bytes] = ()) -> None:
    """Take over what there is; `more_keys` are others that transcripts may be sealed with. A disk
    that fails is an error: without its pauses and tombstones, a memory keeps what it must not."""
    found, store, keys = files.names(space.folder), space.store, (*space.keys, *more_keys)
    sessions, paused, forgotten = (os.path.join(space.folder, name) for name in _NAMES)
    with disk_errors(space.folder):
        if "audit" in found and store.audit:  # first: what follows is put on record
            with suppress(*_LEFT):
                _take_log(space, store.audit)
        if OLD_SESSIONS in found:
            with suppress(*_LEFT):
                _take_sessions(store, sessions, Seal(keys) if keys else None)
        with suppress(*_LEFT):
            text = json.dumps(json.loads(files.read(paused)))
            with store.writing():
                if not store.value(pauses.VALUE):
                    store.set_value(pauses.VALUE, text)
            files.remove(paused)
        with suppress(*_LEFT):
            with store.writing():
                for line in _lines(forgotten):
                    if kept := line.get("receipt"):
                        store.execute_many("put_receipt", [StoredReceipt(**kept)])
                    else:
                        mark = bytes.fromhex(line["mark"])
                        one = (line["kind"], mark, line["until"], line.get("size", 0))
                        store.execute_many("put_tombstone", [one])
            files.remove(forgotten)


def _take_log(space: OpenSpace, audit: Audit) -> None:
    store, place = space.store, os.path.join(space.folder, "audit")
    logs = [os.path.join(place, name) for name in files.names(place) if name.endswith(".log")]
    with audit.writing():
        if not store.value(_TAKEN):
            lines = [one for path in logs for one in _lines(path)]
            old = [{name: one[name] for name in one if name not in _CHAIN} for one in lines]
            audit.adopt([*old, *(json.loads(entry) for _, entry, _ in entries_of(store))])
            store.set_value(_TAKEN, "1")
    head = os.path.join(space.root, "audit", f"{os.path.basename(space.folder)}.head")
    for path in (*logs, os.path.join(place, "lock"), head):
        with suppress(FileNotFoundError):
            files.remove(path)
    with suppress(OSError):
        os.rmdir(place)


def _take_sessions(store: Store, folder: str, seal: Seal | None) -> None:
    names, rows, agents = files.names(folder), store.working_sessions, {"", *store.column("agents")}

    def owned(key: str) -> tuple[str, str]:
        """Whose a session is, and its key: those of agents are `main@bob`, `main@bob~group`."""
        name, _, mark = key.rpartition("@")
        return (mark, name) if mark.removesuffix("~group") in agents else ("", key)

    with store.writing():
        known = {one[:2] for one in store.query("working_sessions")}
        kept = {id for id, _ in store.query("transcripts")}  # a kill left their files
        for id in {name.removesuffix(".jsonl") for name in names} - kept:
            if entries := [*_lines(os.path.join(folder, f"{id}.jsonl"), seal)]:
                owner, entries[0]["key"] = owned(str(entries[0].get("key") or id))
                rows.append(id, 0, map(line_of, entries), owner)
        for index in _lines(os.path.join(folder, _INDEX), seal):
            for key, entry in index.items():
                owner, name = owned(key)
                if f"{entry['sessionId']}.jsonl" in names and (owner, name) not in known:
                    rows.put(name, line_of(entry), owner)
    for name in names:
        with suppress(FileNotFoundError):  # another process does the same
            files.remove(os.path.join(folder, name))  # what is forgotten later would come back
    with suppress(OSError):
        os.rmdir(folder)


def _lines(path: str, seal: Seal | None = None) -> Iterator[dict[str, Any]]:
    """What the lines of a file say, but those that a kill cut short."""
    data, name = b"", os.path.basename(path)
    with suppress(FileNotFoundError):
        data = files.read(path)
    # The index is one value over many lines, or one sealed line.
    for line in [data.strip()] if name == _INDEX else data.split(b"\n"):
        with suppress(ValueError):
            yield json.loads(line if seal is None else (seal.opened(line, name) or b""))
