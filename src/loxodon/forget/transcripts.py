"""Taking what was forgotten out of the transcripts of working sessions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from loxodon.clock import to_stored
from loxodon.forget.tombstones import Marks
from loxodon.journal.identity import key_of
from loxodon.store.rows import loaded
from loxodon.store.working_sessions import WorkingSessions
from loxodon.working.shapes import text_of
from loxodon.working.transcript import line_of


def erase(rows: WorkingSessions, marks: Marks) -> int:
    """Erase what meets a tombstone; how many transcripts had some of it. Call inside `writing`."""
    sessions = {(one.owner, one.key): one for one in rows.all()}
    count = 0
    for id, owner, lines in rows.transcripts():
        entries = {n: loaded(line) for n, line in lines}
        changed = _Transcript(marks, id, owner).without(entries)
        if not changed:
            continue
        count += 1
        rows.rewrite(id, {n: line_of(entry) for n, entry in changed.items()})
        for n, entry in changed.items():
            if entry.get("type") == "session" and (owner, entries[n]["key"]) in sessions:
                rows.rename(sessions.pop((owner, entries[n]["key"])), entry["key"])
    return count


class _Transcript:
    def __init__(self, marks: Marks, id: str, owner: str) -> None:
        self._marks = marks
        self._id = id
        self._at = f"@{owner}" if owner else ""
        self._session = ""
        """What the journal calls it."""
        self._erased = False

    def without(self, entries: Mapping[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
        """The entries that change."""
        return {n: new for n, entry in entries.items() if (new := self._left(entry)) != entry}

    def _left(self, entry: dict[str, Any]) -> dict[str, Any]:
        at, kind = _moment(entry.get("timestamp")), entry.get("type")
        if kind == "session":
            called = str(entry.get("key", ""))
            self._session = f"{called}/{self._id[:8]}{self._at}"
            name = self._marks.session_name(called, at)
            return entry if name == called else {**entry, "key": name}
        left: dict[str, Any] = self._marks.cut_json(entry, at)
        if kind == "message":
            key = key_of(self._session, str(entry.get("id")))
            if self._marks.bars(key, self._session, _text(entry), at):
                left = _blank(entry)
            self._erased |= left != entry
        elif kind == "compaction" and self._erased:  # it was made of what is gone
            left = _blank(entry)
        return left


def _moment(text: object) -> int:
    try:
        return to_stored(datetime.fromisoformat(str(text)))[0]
    except (ValueError, TypeError):
        return 0


def _text(entry: Mapping[str, Any]) -> str:
    message = entry.get("message")
    return text_of(message) if isinstance(message, Mapping) else ""


def _blank(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry that says nothing and keeps its place."""
    kept = {name: entry[name] for name in ("type", "id", "parentId", "timestamp") if name in entry}
    if entry.get("type") == "compaction":
        more = {"summary": "", "firstKeptEntryId": entry.get("firstKeptEntryId")}
        return {**kept, **more, "tokensBefore": entry.get("tokensBefore", 0)}
    message = entry.get("message")
    role = message.get("role", "user") if isinstance(message, Mapping) else "user"
    return {**kept, "message": {"role": role, "content": ""}}
