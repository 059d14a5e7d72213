"""What earlier versions kept in files of a space becomes rows; then the files go.

SPACE/paused, SPACE/forgotten     pauses, tombstones and receipts
SPACE/audit/*.log                 the audit log, with its head in HOME/audit
SPACE/sessions/sessions.json      for each key, which transcript is the current one
SPACE/sessions/<id>.jsonl         a transcript; beside an encrypted database, sealed lines

Rows are written before a file is removed, and files that are read twice add nothing. So a run that
is killed is finished by the next that opens the space.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.errors import LoxodonError, unwritable
from loxodon.layout import OLD_SESSIONS
from loxodon.security import pauses
from loxodon.security.audit import Audit, entries_of
from loxodon.store import StoredReceipt
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.opening import OpenSpace
    from loxodon.security.keys import Seal

_AUDIT = "audit"
_PAUSED = "paused"
_FORGOTTEN = "forgotten"
_INDEX = "sessions.json"
_CHAIN = ("n", "mac", "prev", "after")
"""What held the lines of an audit log together."""
_TAKEN = "old_audit_log"
"""The value that says that the log in files was taken over."""


def take_over(
    space: OpenSpace,
    more_keys: Sequence[bytes] = (),
    remove: Callable[[str], object] = files.remove,
) -> None:
    """Take over what there is; what a full disk leaves is taken over at the next open.

    `more_keys` are keys that transcripts may be sealed with, besides those of the space.
    """
    found = {*files.names(space.folder)}
    if OLD_SESSIONS in found:
        _sessions(space, more_keys, remove)
    if space.wall.stands:
        return
    store, folder = space.store, space.folder
    with suppress(LoxodonError, OSError):
        if _AUDIT in found and store.audit is not None:  # first: what follows is put on record
            _log(store, store.audit, space.root, folder)
        if _PAUSED in found:
            _pauses(store, os.path.join(folder, _PAUSED))
        if _FORGOTTEN in found:
            _tombstones(store, os.path.join(folder, _FORGOTTEN))


def _pauses(store: Store, path: str) -> None:
    text = files.read(path).decode("ascii", "replace")
    try:
        json.loads(text)
    except ValueError:  # it is nobody's pause; the file stays for its owner to look at
        return
    with store.writing():
        if not store.value(pauses.VALUE):
            store.set_value(pauses.VALUE, text)
    files.remove(path)


def _tombstones(store: Store, path: str) -> None:
    with store.writing():
        for line in _lines([path]):
            with suppress(ValueError, TypeError, KeyError):  # not a line of ours
                if kept := line.get("receipt"):
                    store.execute_many("put_receipt", [StoredReceipt(**kept)])
                else:
                    mark = bytes.fromhex(line["mark"])
                    one = (line["kind"], mark, line["until"], line.get("size", 0))
                    store.execute_many("put_tombstone", [one])
    files.remove(path)


def _log(store: Store, audit: Audit, root: str, folder: str) -> None:
    place = os.path.join(folder, _AUDIT)
    logs = [os.path.join(place, name) for name in files.names(place) if name.endswith(".log")]
    with audit.writing():
        if not store.value(_TAKEN):
            old = [
                {name: value for name, value in one.items() if name not in _CHAIN}
                for one in _lines(logs)
            ]
            audit.adopt([*old, *(json.loads(row.entry) for row in entries_of(store))])
            store.set_value(_TAKEN, "1")
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


# Working sessions


def _sessions(
    space: OpenSpace, more_keys: Sequence[bytes], remove: Callable[[str], object]
) -> None:
    folder = os.path.join(space.folder, OLD_SESSIONS)
    names = files.names(folder)
    keys = (*space.keys, *more_keys)
    # All are taken over at once, whoever comes first.
    store = space.store.behind(Wall()) if space.wall.stands else space.store
    try:
        _read_into(store, folder, names, _seal(keys) if keys else None)
    except (LoxodonError, OSError):  # the next open takes them over
        return
    finally:
        if store is not space.store:
            store.close()
    try:
        for name in names:
            with suppress(FileNotFoundError):  # another process does the same
                remove(os.path.join(folder, name))
    except OSError as error:  # what is forgotten later would come back from there
        raise unwritable(folder, error) from None
    with suppress(OSError):
        os.rmdir(folder)


def _seal(keys: Sequence[bytes]) -> Seal:
    from loxodon.security.keys import Seal

    return Seal(keys)


def _read_into(store: Store, folder: str, names: Sequence[str], seal: Seal | None) -> None:
    rows, agents = store.working_sessions, store.agents()
    with store.writing():
        known = {one[:2] for one in rows.all()}
        kept = {id: len(lines) for id, _, lines in rows.transcripts()}
        found: dict[str, Mapping[str, Any]] = {}
        read: set[str] = set()
        for name in names:
            id, end = os.path.splitext(name)
            entries = _entries(folder, name, seal) if end == ".jsonl" else []
            if not entries:
                continue
            header, last = entries[0], str(entries[-1].get("timestamp", ""))
            key = str(header.get("key") or id)
            owner, own_key = _owner(key, agents)
            entries[0] = {**header, "key": own_key}
            read.add(id)
            had = kept.get(id, 0)  # of a backup, or a kill came before its file was gone
            rows.append(id, had, map(line_of, entries[had:]), owner)
            if str(found.get(key, {}).get("updatedAt", "")) <= last:
                compactions = sum(one.get("type") == "compaction" for one in entries)
                found[key] = {
                    "sessionId": id,
                    "chatType": header.get("chatType", "direct"),
                    "compactionCount": compactions,
                    "updatedAt": last,
                }
        for index in _entries(folder, _INDEX, seal):
            found |= {
                key: entry
                for key, entry in index.items()
                if isinstance(entry, dict) and entry.get("sessionId") in read
            }
        for key, entry in found.items():
            owner, name = _owner(key, agents)
            if (owner, name) not in known:
                rows.put(name, line_of(entry), owner)


def _owner(key: str, agents: Collection[str]) -> tuple[str, str]:
    """Whose a session is, and its key: those of agents were called `main@bob`, `main@bob~group`."""
    name, at, mark = key.rpartition("@")
    known = at and mark and mark.removesuffix("~group") in agents
    return (mark, name) if known else ("", key)


def _entries(folder: str, name: str, seal: Seal | None) -> list[dict[str, Any]]:
    """What the lines of a file say, but those that a kill cut short."""
    try:
        data = files.read(os.path.join(folder, name))
    except FileNotFoundError:
        return []
    found = []
    # The index is one value over many lines, or one sealed line.
    for line in [data.strip()] if name == _INDEX else data.split(b"\n"):
        opened = line if seal is None else (seal.opened(line, name) or b"")
        with suppress(ValueError, RecursionError):
            entry = json.loads(opened)
            if isinstance(entry, dict):
                found.append(entry)
    return found
