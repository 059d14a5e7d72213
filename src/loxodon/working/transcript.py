"""The transcript of a session: everything that was said in it, as rows of the store.

A transcript is as OpenClaw writes it: a header, then entries (`message`, `compaction`, `custom`,
and `custom_message` for the model), each with an `id` and the `parentId` that it goes on from. An
entry waits in memory until `saving` has put it down: a store that cannot be written to does not
stop a conversation. For each key the store has which transcript is current, and where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import uuid4

from loxodon.errors import InputError
from loxodon.store.parts import WorkingSessions

Entry = Mapping[str, Any]

VERSION = 3
LONGEST_KEY = 256
FLUSHED = "memory-flush"  # The `customType` of the entry that says a flush was done
_COUNTS: Mapping[str, Any] = {
    "compactionCount": 0,
    "memoryFlushAt": None,
    "memoryFlushCompactionCount": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "contextTokens": 0,
}


class Transcript:
    """The current transcript of a session, and the part of it that matters now."""

    def __init__(
        self,
        rows: WorkingSessions | None,
        key: str,
        now: datetime,
        chat: str = "direct",
        *,
        new: bool = False,
    ) -> None:
        """Without `rows`, nothing is kept beyond this process. With `new`, or where `key` has none,
        a transcript is begun; one that the key had before stays."""
        self._rows = rows
        self._key = key
        self._kept: list[Entry] = []
        self._waiting: list[dict[str, Any]] = []
        self._last = 0
        self._rewrites = (0, 0)
        self.version = 0  # Changes whenever `live` does
        self.id = str(uuid4())
        started, about = now.isoformat(timespec="milliseconds"), {"chatType": chat}
        self._header = {"type": "session", "version": VERSION, "id": self.id, "key": key, **about}
        self._header["timestamp"] = started
        # Where the session stands
        self.about: dict[str, Any] = {"sessionId": self.id, **about, **_COUNTS}
        self.about["updatedAt"] = started
        if rows is None or (not new and self._is_known()):
            return
        with rows.writing():  # two that begin it at once begin the same
            if new or not self._is_known():
                self._begin()

    def _is_known(self) -> bool:
        """Whether the session has a transcript, which this one is then."""
        found = self._found()
        if "sessionId" in found:
            self.id, self.about = found["sessionId"], found
            self._header["id"] = self.id
        return "sessionId" in found

    def _found(self) -> dict[str, Any]:
        text = self._rows.entry(self._key) if self._rows else None
        return dict(json.loads(text)) if text else {}

    def _begin(self) -> None:
        """Put the header down, and the session. Call inside `writing`."""
        if self._rows is not None:
            self._rows.append(self.id, 0, [line_of(self._header)])
            self._rows.put(self._key, line_of(self.about))

    @property
    def live(self) -> list[Entry]:
        """The conversation from the last compaction's first kept entry on, oldest first."""
        return [*self._kept, *self._waiting]

    def append(self, type: str, fields: Mapping[str, Any], at: datetime) -> str:
        """Put an entry at the end of the conversation; its id. It waits for the next `saving`."""
        entry = {
            "type": type,
            "id": uuid4().hex[:12],
            "parentId": None,
            "timestamp": at.isoformat(timespec="milliseconds"),
            **fields,
        }
        line_of(entry)  # what JSON cannot say is refused now
        self._waiting.append(entry)
        self.version += 1
        return str(entry["id"])

    @contextmanager
    def saving(self) -> Iterator[None]:
        """A transaction that has what waits, and whatever else is written in it."""
        if self._rows is None:
            self._take_over(self._waiting)
            yield
            return
        with self._rows.writing():
            self.refresh()
            last, saved = self._last, [*self._waiting]
            if not last:  # all was forgotten meanwhile
                self._begin()
                last = 1
            leaf = self._kept[-1]["id"] if self._kept else None
            for entry in saved:
                entry["parentId"], leaf = leaf, entry["id"]
            self._rows.append(self.id, last, map(line_of, saved))
            yield
        self._last = last + len(saved)
        self._take_over(saved)

    def update(self, changes: Mapping[str, Any], now: datetime) -> None:
        """Put down, inside `saving`, where the session stands, unless its key has gone on."""
        self.look_up()
        self.about |= {**changes, "updatedAt": now.isoformat(timespec="seconds")}
        if self._rows is not None and self._found().get("sessionId") == self.id:
            self._rows.put(self._key, line_of(self.about))

    def look_up(self) -> None:
        """Take in where others say that the session stands."""
        found = self._found()
        if found.get("sessionId") == self.id:
            self.about = found

    def refresh(self) -> None:
        """Take in what others have written, and what was forgotten."""
        if self._rows is None:
            return
        if self._rows.rewrites != self._rewrites:
            self._kept, self._last, self._rewrites = [], 0, self._rows.rewrites
            self.version += 1
        if lines := self._rows.lines(self.id, self._last):
            self._last = lines[-1][0]
            entries = [json.loads(line) for _, line in lines]
            self._take_over([entry for entry in entries if entry.get("type") != "session"])

    def _take_over(self, entries: Sequence[Entry]) -> None:
        self._kept = recent([*self._kept, *entries])
        # Where the answer of the store was lost, they may have been put down all the same.
        kept = {entry.get("id") for entry in entries}
        self._waiting = [entry for entry in self._waiting if entry["id"] not in kept]
        self.version += 1

    def lines(self) -> list[str]:
        """Every entry as JSON, the header first."""
        kept = [line for _, line in self._rows.lines(self.id)] if self._rows else []
        live = [] if kept else [self._header, *self._kept]
        return [*kept, *map(line_of, [*live, *self._waiting])]


def line_of(entry: Mapping[str, Any]) -> str:
    """An entry as JSON; InputError where it cannot be."""
    try:
        text = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            "the message cannot be written as JSON",
            hint="use only text, numbers, lists and mappings",
        ) from None
    # Half a character becomes its escape, which inside a JSON string says the same.
    return text.encode("utf-8", "backslashreplace").decode()


def recent(live: Sequence[Entry]) -> list[Entry]:
    """The conversation without what the last compaction has summed up."""
    places = [n for n, entry in enumerate(live) if entry.get("type") == "compaction"]
    if not places:
        return list(live)
    wanted = live[places[-1]].get("firstKeptEntryId")
    kept = (n for n, entry in enumerate(live) if entry.get("id") == wanted)
    return list(live[next(kept, places[-1]) :])
