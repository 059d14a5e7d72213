"""Sessions of versions that kept them in files: they become rows, then the files go.

SPACE/sessions/sessions.json      for each key, which transcript is the current one
SPACE/sessions/<id>.jsonl         a transcript; beside an encrypted database, sealed lines
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loxodon import files
from loxodon.errors import LoxodonError, unwritable
from loxodon.layout import OLD_SESSIONS
from loxodon.store.walls import Wall
from loxodon.working.transcript import line_of

if TYPE_CHECKING:
    from loxodon.services.space import OpenSpace
    from loxodon.store.store import Store
    from loxodon.trust.rest.sealing import Seal

_INDEX = "sessions.json"


def take_over(
    space: OpenSpace,
    more_keys: Sequence[bytes] = (),
    remove: Callable[[str], object] = files.remove,
) -> None:
    """Put the sessions in the files of a space into its store, if there are any.

    `more_keys` are keys that lines may be sealed with, besides those of the space.
    """
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
    from loxodon.trust.rest.sealing import Seal

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
