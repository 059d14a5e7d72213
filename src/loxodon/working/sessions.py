"""Sessions on disk: a transcript for each, and an index of them all.

    SPACE/sessions/sessions.json      who talks in which session, and where it stands
    SPACE/sessions/<id>.jsonl         all that was said in it, one entry a line, append-only
    SPACE/sessions/*.lock             held while one process writes

A transcript is as OpenClaw writes it: a header, then entries of the types `message`, `compaction`,
`custom` (not for the model) and `custom_message` (for the model), each with an `id` and the
`parentId` that it goes on from. An entry is on disk when `append` returns. A line that a kill cut
short stays where it is and is passed over. The index can be lost: it is made anew from the
transcripts. Beside an encrypted database every line, and the index, is sealed
(`trust/rest/sealing.py`).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loxodon import files
from loxodon.errors import BusyStoreError, FullStoreError, InputError, StoreError
from loxodon.errors import UnwritableStoreError as Unwritable
from loxodon.filelock import at_fork, lock_on
from loxodon.layout import SESSIONS_INDEX
from loxodon.text.check import checked_text

if TYPE_CHECKING:
    from loxodon.trust.rest.sealing import Seal

Entry = Mapping[str, Any]

VERSION = 3
_WAIT = 30.0
LONGEST_KEY = 256


class Transcript:
    """One session as it is on disk, and the part of it that matters now."""

    def __init__(self, path: str, seal: Seal | None = None) -> None:
        self.path = path
        self._seal = seal
        self.live: list[Entry] = []
        """The conversation from the last compaction's first kept entry on, oldest first."""
        self.version = 0
        """Changes whenever `live` does."""
        self.bad_lines = 0
        """Lines that cannot be read."""
        self._ids: set[str] = set()
        self._leaf: str | None = None
        self._read_to = 0
        self._made = -1
        self._guard = RLock()
        at_fork(self)

    def after_fork(self) -> None:
        self._guard = RLock()

    @property
    def id(self) -> str:
        return os.path.basename(self.path).removesuffix(".jsonl")

    def append(self, type: str, fields: Mapping[str, Any], at: datetime) -> str:
        """Put an entry at the end of the conversation; its id. It is on disk when this returns."""
        with self._guard, locked(f"{self.path}.lock"):
            if self._refresh():  # somebody was killed in the middle of a line: leave it to itself
                _write(self.path, b"\n")
                self._refresh()
            entry = {
                "type": type,
                "id": self._new_id(),
                "parentId": self._leaf,
                "timestamp": at.isoformat(timespec="milliseconds"),
                **fields,
            }
            _write(self.path, _shut(self.path, _line(entry), self._seal))
            self._refresh()
            return str(entry["id"])

    def refresh(self) -> None:
        """Take in what other processes have written."""
        with self._guard:
            self._refresh()

    def _refresh(self) -> bool:
        """Read what is new; whether the file ends in the middle of a line."""
        data, whole, entries = self._news()
        if entries and self._read_to and not self._goes_on(entries):
            self._forget()
            data, whole, entries = self._news()
        if not self._read_to:
            self.live = _conversation(entries)
        else:
            self.live += entries
        self._read_to += whole
        self._ids.update(str(entry.get("id")) for entry in entries)
        if entries:
            self.version += 1
            self.live = _recent(self.live)
            self._leaf = self.live[-1]["id"] if self.live else None
        return whole < len(data)

    def _news(self) -> tuple[bytes, int, list[Entry]]:
        """What was not read yet: the bytes, how many of them are whole lines, and the entries."""
        try:
            stamp = files.stamp(self.path)
            made, size, _ = stamp or (-1, 0, 0)
            if made != self._made or size < self._read_to:
                self._forget()  # the file was made anew, as it is where something is erased
                self._made = made
            data = files.read(self.path, self._read_to)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        whole = data.rfind(b"\n") + 1
        entries, bad = _entries(data[:whole], self._plain)
        self.bad_lines += bad
        return data, whole, entries

    def _plain(self, line: bytes) -> bytes:
        return _opened(self.path, line, self._seal)

    def _forget(self) -> None:
        self._read_to = self.bad_lines = 0
        self._leaf = None
        self.live = []
        self.version += 1

    def _goes_on(self, entries: list[Entry]) -> bool:
        """Whether these only go on from where the conversation stands."""
        leaf = self._leaf
        for entry in entries:
            if entry.get("type") not in _PLAIN or entry.get("parentId") != leaf:
                return False
            leaf = entry.get("id")
        return True

    def _new_id(self) -> str:
        while (name := uuid4().hex[:8]) in self._ids:
            pass
        return name


_PLAIN = frozenset({"message", "compaction", "custom", "custom_message"})
"""What we write; anything else moves the conversation in ways that need all of it."""


def _entries(data: bytes, plain: Callable[[bytes], bytes]) -> tuple[list[Entry], int]:
    """The entries in whole lines, and how many lines are none."""
    found: list[Entry] = []
    bad = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            entry = json.loads(plain(line))
        except (ValueError, RecursionError):
            entry = None
        names = ("type", "id")
        if isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in names):
            found.append(entry)
        else:
            bad += 1
    return found, bad


def _conversation(entries: list[Entry]) -> list[Entry]:
    """The entries on the path to the current leaf."""
    from loxodon.workspace.readers.openclaw import live

    return [entry for _, entry in live(enumerate(entries, 1))]


def _recent(live: list[Entry]) -> list[Entry]:
    """The conversation without what the last compaction has summed up."""
    for place in range(len(live) - 1, -1, -1):
        if live[place].get("type") == "compaction":
            return live[first_kept(live, place) :]
    return live


def first_kept(live: list[Entry], compaction: int) -> int:
    """Where what a compaction kept begins.

    Where the entry that it names is lost, the last thing that the user said before it.
    """
    wanted = live[compaction].get("firstKeptEntryId")
    asked = compaction
    for place in range(compaction - 1, -1, -1):
        if live[place].get("id") == wanted:
            return place
        message = live[place].get("message")
        if asked == compaction and isinstance(message, Mapping) and message.get("role") == "user":
            asked = place
    return asked


class Sessions:
    """The sessions of one space."""

    def __init__(self, folder: str, seal: Seal | None = None) -> None:
        self.folder = folder
        self._seal = seal
        self._guard = RLock()
        try:
            files.make_folder(folder)
        except OSError as error:
            raise _unwritable(folder, error) from None
        at_fork(self)

    def after_fork(self) -> None:
        self._guard = RLock()

    def open(self, key: str, now: datetime, chat: str = "direct") -> Transcript:
        """The transcript of the session `key`, begun where there is none."""
        checked_text(key, "session", LONGEST_KEY)
        if known := self._known(key):
            return known
        with self._alone():  # two that begin it at once begin the same
            return self._known(key) or self._begun(key, now, chat)

    def new(self, key: str, now: datetime, chat: str = "direct") -> Transcript:
        """A fresh transcript for the session `key`; the one before stays where it is."""
        checked_text(key, "session", LONGEST_KEY)
        with self._alone():
            return self._begun(key, now, chat)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the index."""
        with self._guard, locked(os.path.join(self.folder, "sessions.lock")):
            yield

    def _known(self, key: str) -> Transcript | None:
        """The transcript of a session that was begun."""
        found = self.index().get(key, {}).get("sessionId")
        if found and _is_id(found) and files.exists(self._path(found)):
            return Transcript(self._path(found), self._seal)
        return None

    def _begun(self, key: str, now: datetime, chat: str) -> Transcript:
        """A fresh transcript, in the index. Call with that held."""
        id = str(uuid4())
        header = {
            "type": "session",
            "version": VERSION,
            "id": id,
            "key": key,
            "chatType": chat,
            "timestamp": now.isoformat(timespec="milliseconds"),
        }
        _write(self._path(id), _shut(self._path(id), _line(header), self._seal))
        fresh = {"sessionId": id, "chatType": chat, **_COUNTS}
        self._change(key, now, lambda _: fresh)
        return Transcript(self._path(id), self._seal)

    def index(self) -> dict[str, dict[str, Any]]:
        """What the index says of each session; made anew where it cannot be read."""
        path = os.path.join(self.folder, SESSIONS_INDEX)
        try:
            found = json.loads(_opened(path, files.read(path), self._seal))
        except FileNotFoundError:
            found = None
        except OSError as error:
            raise _unreadable(path, error) from None
        except (ValueError, RecursionError):
            found = None
            with suppress(OSError):  # kept beside the new one, for whoever wants to know
                files.replace(f"{path}.bad", files.read(path))
                files.remove(path)
        if not isinstance(found, dict):
            return self._from_transcripts()
        return {key: entry for key, entry in found.items() if isinstance(entry, dict)}

    def update(
        self, key: str, now: datetime, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Change what the index says of a session; what it says then."""
        with self._alone():
            return self._change(key, now, change)

    def _change(
        self, key: str, now: datetime, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        index = self.index()
        entry = change(index.get(key, {})) | {"updatedAt": now.isoformat(timespec="seconds")}
        index[key] = entry
        _replace(os.path.join(self.folder, SESSIONS_INDEX), index, self._seal)
        return entry

    def _from_transcripts(self) -> dict[str, dict[str, Any]]:
        """The index as far as the transcripts tell: for each key the newest of its sessions."""
        found: dict[str, dict[str, Any]] = {}
        for name in files.names(self.folder):
            id = name.removesuffix(".jsonl")
            if id == name or not _is_id(id):
                continue
            try:
                about = _about(os.path.join(self.folder, name), self._seal)
            except OSError:
                continue  # one that cannot be opened hides no other
            if about is None:
                continue
            key, entry = about
            if key not in found or str(found[key]["updatedAt"]) <= str(entry["updatedAt"]):
                found[key] = entry
        return found

    def _path(self, id: str) -> str:
        return os.path.join(self.folder, f"{id}.jsonl")


_COUNTS: dict[str, Any] = {
    "compactionCount": 0,
    "memoryFlushAt": None,
    "memoryFlushCompactionCount": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "contextTokens": 0,
}
FLUSHED = "memory-flush"
"""The `customType` of the entry that says a flush was done."""


def _about(path: str, seal: Seal | None) -> tuple[str, dict[str, Any]] | None:
    """The key and the entry in the index that a transcript tells of."""
    entries, _ = _entries(files.read(path), lambda line: _opened(path, line, seal))
    if not entries or entries[0].get("type") != "session":
        return None
    header = entries[0]
    key = header.get("key")
    if not isinstance(key, str) or not key:
        return None
    entry: dict[str, Any] = {
        "sessionId": os.path.basename(path).removesuffix(".jsonl"),
        "chatType": header.get("chatType", "direct"),
        **_COUNTS,
        "updatedAt": str(entries[-1].get("timestamp", "")),
    }
    for one in entries:
        if one["type"] == "compaction":
            entry["compactionCount"] += 1
        elif one["type"] == "custom" and one.get("customType") == FLUSHED:
            entry["memoryFlushAt"] = one.get("timestamp")
            entry["memoryFlushCompactionCount"] = entry["compactionCount"]
    return key, entry


def _is_id(id: object) -> bool:
    """Whether this can be the name of a transcript, and of nothing outside the folder."""
    return isinstance(id, str) and 0 < len(id) <= 64 and id.replace("-", "").isalnum()


# --- Files ----------------------------------------------------------------------------------------


@contextmanager
def locked(path: str, seconds: float = _WAIT, *, brief: bool = True) -> Iterator[None]:
    """Hold the lock at `path`; BusyStoreError where another process does not let go of it."""
    try:
        lock = lock_on(path, brief=brief)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        if not lock.acquire(seconds):
            raise BusyStoreError(
                "timed out waiting for another process to release {path}",
                hint="check which process uses this session, or try again",
                path=path,
            )
        try:
            yield
        finally:
            lock.release()
    finally:
        lock.close()


def _line(entry: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise InputError(
            "the message cannot be written as JSON",
            hint="use only text, numbers, lists and mappings",
        ) from None
    # Half a character becomes its escape, which inside a JSON string says the same.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _write(path: str, data: bytes) -> None:
    """Put bytes at the end of a file, all of them or none, and on disk."""
    try:
        files.append(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _shut(path: str, line: bytes, seal: Seal | None) -> bytes:
    """A whole line as it may stand in a file."""
    if seal is None:
        return line
    return seal.closed(line.removesuffix(b"\n"), os.path.basename(path)) + b"\n"


def _opened(path: str, line: bytes, seal: Seal | None) -> bytes:
    """What a line of a file says; nothing where it does not open."""
    if seal is None:
        return line
    return seal.opened(line, os.path.basename(path)) or b""


def _replace(path: str, value: object, seal: Seal | None) -> None:
    """Put JSON in the place of a file, in one step."""
    indent = None if seal else 1
    data = json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace")
    data = _shut(path, data, seal)
    try:
        files.replace(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unreadable(path: str, error: OSError) -> StoreError:
    return StoreError(
        "cannot read {path}: {reason}",
        hint="check its owner and permissions",
        path=path,
        reason=error.strerror or str(error),
    )


def _unwritable(path: str, error: OSError) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FullStoreError(
            "cannot write {path}: the disk is full",
            hint="free some disk space, then try again; nothing saved is lost",
            path=path,
        )
    return Unwritable(
        "cannot write {path}: {reason}",
        hint="check the folder's permissions and the free disk space",
        path=path,
        reason=error.strerror or str(error),
    )
