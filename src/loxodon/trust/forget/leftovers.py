"""Where words lie besides the database, and how they are taken out of there.

What Loxodon wrote is rewritten: transcripts of live conversations, text views wherever they were
ever written to, databases that were set aside. What is the user's own is only named (`own_files`,
`kept_copies`): notes, transcripts of an agent that are followed, views with a person's changes. A
backup that was carried away cannot be reached; when it comes back, the tombstones
are held against it (`forgetting.finish`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from loxodon import files
from loxodon.clock import to_stored
from loxodon.layout import BESIDE, SESSIONS, SESSIONS_INDEX, VIEWS
from loxodon.trust.forget.tombstones import Marks
from loxodon.types import FileProblem
from loxodon.working.sessions import locked
from loxodon.workspace import copies
from loxodon.workspace.copies import Copy
from loxodon.workspace.views.manifest import hash_of
from loxodon.workspace.workspace import Workspace
from loxodon.write.journal import key_of

_MOST_FILES = 200
"""Places in the user's own files that a receipt names."""
_MOST_BYTES = 64 << 20
"""Of a followed transcript that is looked through."""
ASIDE = (".before-restore-", ".before-repair-")


class Leftovers:
    """What is to be done in the files of one space. With `dry` it is only counted."""

    def __init__(self, workspace: Workspace, marks: Marks, *, dry: bool = False) -> None:
        self._workspace = workspace
        self._folder = workspace.folder
        self._seal = workspace.memory.seal
        self._marks = marks
        self._dry = dry
        self._places = copies.places(workspace)
        self.counts: Counter[str] = Counter()
        self._renamed = False
        """Whether a transcript has another name now."""

    def all(self) -> Counter[str]:
        """Everything but the views; how many files were touched, by what they are."""
        self.transcripts()
        self.edited_copies()
        self.damaged()
        return Counter({name: n for name, n in self.counts.items() if n})

    # Transcripts of live conversations

    def transcripts(self) -> None:
        folder = os.path.join(self._folder, SESSIONS)
        for name in files.names(folder):
            path = os.path.join(folder, name)
            if name.endswith(".jsonl"):
                with locked(f"{path}.lock"):
                    self._transcript(path)
            elif name.endswith((".bad", ".tmp")) and not self._dry:
                files.remove(path)  # what nobody can read, and drafts of one that was killed
        if self._renamed and not self._dry:  # it is made anew from the transcripts
            with locked(os.path.join(folder, "sessions.lock")), suppress(FileNotFoundError):
                files.remove(os.path.join(folder, SESSIONS_INDEX))

    def _transcript(self, path: str) -> None:
        lines = files.read(path).split(b"\n")
        key = self._key_of(path, lines)
        left: list[bytes] = []
        changed = erased = False
        for line in lines:
            opened = self._opened(path, line)
            entry = _parsed(opened)
            if entry is None:
                # Half a line, or one that does not open: what it says nobody can check.
                keep = not line.strip()
                changed |= not keep
                left += [line] if keep else []
                continue
            new = self._entry(entry, key, erased)
            erased |= new is not entry and entry.get("type") == "message"
            changed |= new is not entry
            left.append(line if new is entry else self._closed(path, new))
        if not changed:
            return
        self.counts["transcripts"] += 1
        if not self._dry:
            files.replace(path, b"\n".join(left))

    def _key_of(self, path: str, lines: list[bytes]) -> str:
        header = _parsed(self._opened(path, lines[0])) if lines else None
        key = header.get("key") if header else ""
        return key if isinstance(key, str) else ""

    def _entry(self, entry: dict[str, Any], session: str, erased: bool) -> dict[str, Any]:
        """An entry without what was forgotten: the same object where there is nothing of it."""
        at = _moment(entry.get("timestamp"))
        if entry.get("type") == "session":
            name = self._marks.session_name(session, at)
            self._renamed |= name != session
            return entry if name == session else {**entry, "key": name}
        key = key_of(session, str(entry.get("id")))
        if entry.get("type") == "message" and self._marks.bars(key, session, _text(entry), at):
            return _blank(entry)
        if entry.get("type") == "compaction" and erased:
            return _blank(entry)  # it was made of what is gone
        left = self._marks.cut_json(entry, at)
        return entry if left == entry else left

    def _opened(self, path: str, line: bytes) -> bytes:
        if self._seal is None:
            return line
        return self._seal.opened(line, os.path.basename(path)) or b""

    def _closed(self, path: str, entry: Mapping[str, Any]) -> bytes:
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        line = text.encode("utf-8", "backslashreplace")
        return line if self._seal is None else self._seal.closed(line, os.path.basename(path))

    def drop_transcripts(self) -> None:
        """All of them go."""
        folder = os.path.join(self._folder, SESSIONS)
        for name in files.names(folder):
            if name.endswith((".jsonl", ".bad", ".tmp")) or name == SESSIONS_INDEX:
                self.counts["transcripts"] += name.endswith(".jsonl")
                if not self._dry:
                    files.remove(os.path.join(folder, name))

    # Text that Loxodon wrote

    def damaged(self) -> None:
        """What a repair put aside because nobody could read it whole: that cannot be checked."""
        for name in files.names(self._folder):
            if name.startswith("damaged-") and name.endswith(".jsonl"):
                self.counts["damaged records"] += 1
                if not self._dry:
                    files.remove(os.path.join(self._folder, name))

    def edited_copies(self) -> None:
        """Copies of views that a person had edited where edits are not read."""
        for path in (one for place in self._places for one in _below(_root(place))):
            if ".edited" not in os.path.basename(path):
                continue
            text = _read(path)
            left = "\n".join(line for line in text.split("\n") if not self._forgotten(line))
            if left != text:
                self.counts["edited copies"] += 1
                if not self._dry:
                    files.replace(path, left.encode("utf-8"))

    def _forgotten(self, line: str) -> bool:
        """Whether a line of a file has something that was forgotten, in plain text or JSON."""
        if not self._marks.cuts:
            return False
        found = _parsed(line.encode("utf-8", "replace")) if line.lstrip()[:1] == "{" else None
        if found is not None:
            return bool(self._marks.cut_json(found, 0) != found)
        bare = line.strip().lstrip("-*>#|0123456789.[] \t")
        return self._marks.cut(bare, 0) != bare

    # The views, in every folder that they were ever written to

    def kept_copies(self, settled: Mapping[str, str]) -> Iterator[FileProblem]:
        """Text of ours that stays: views that a person has changed, places that cannot be reached,
        and single files that were asked for."""
        for place in self._places:
            if not os.path.isdir(place.path):
                if place.path not in (self._workspace.path, self._workspace.usual):
                    yield FileProblem(place.path, 0, "away")
            elif place.path != self._workspace.path or not self._dry:  # else they are taken in
                for path in self._changed(place, settled):
                    yield from self._lines_of(path, "changed")
        for copy in copies.known(self._folder):
            if copy.kind == "file" and os.path.exists(copy.path):
                yield from [*self._lines_of(copy.path, "copy")][:1]

    def _changed(self, place: Copy, settled: Mapping[str, str]) -> Iterator[str]:
        root = _root(place)
        for path in copies.changed(root, self._workspace.store.space):
            name = os.path.relpath(path, root).replace(os.sep, "/")
            taken_in = name in settled and hash_of(path) == settled[name]
            if not taken_in and ".edited" not in os.path.basename(path):
                yield path

    def _lines_of(self, path: str, what: str) -> Iterator[FileProblem]:
        """The lines of a file with what was forgotten; the file, where nobody can tell by them."""
        if not self._marks.cuts:
            yield FileProblem(path, 0, what)
            return
        for number, line in enumerate(_lines(path), 1):
            if self._forgotten(line):
                yield FileProblem(path, number, what)

    # The user's own

    def own_files(self) -> tuple[FileProblem, ...]:
        """Where in the user's own files the words still stand."""
        found: list[FileProblem] = []
        for path in dict.fromkeys([*self._notes(), *self._followed()]):
            for number, line in enumerate(_lines(path), 1):
                if self._forgotten(line):
                    found.append(FileProblem(path, number, ""))
                    if len(found) >= _MOST_FILES:
                        return tuple(found)
        return (*found, *self._in_databases())

    def _notes(self) -> Iterator[str]:
        for file in self._workspace.store.workspace_data.files():
            yield os.path.join(file.root, *file.path.split("/"))

    def _followed(self) -> Iterator[str]:
        for path, *_ in self._workspace.store.primary.dump("followed"):
            if path.endswith(".jsonl") and os.path.isfile(path):
                yield path

    def _in_databases(self) -> Iterator[FileProblem]:
        """Databases of another program that are followed: rows have no lines, so it is the file."""
        from loxodon.workspace.readers.openclaw_db import read_database

        paths = dict.fromkeys(path for path, *_ in self._workspace.store.primary.dump("followed"))
        for path in paths:
            if path.endswith(".sqlite") and os.path.isfile(path):
                drafts = read_database(path, self._workspace.memory.now().tzinfo).drafts
                if any(self._forgotten(one.content) for one in drafts):
                    yield FileProblem(path, 0, "")

    def backups(self) -> tuple[FileProblem, ...]:
        """The backups in the folder for them. What is in one is not looked at: it is there to be
        as it was."""
        from loxodon.trust.damage.backup import SUFFIX, folder_of

        memory = self._workspace.memory
        folder = folder_of(memory.home, memory.config)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        found = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
        return tuple(FileProblem(path, 0, "") for path in found[:_MOST_FILES])


def _root(place: Copy) -> str:
    return os.path.join(place.path, VIEWS)


def set_aside(folder: str, database: str) -> list[str]:
    """Databases that lie beside the one in use, from a restore or a repair."""
    return [
        os.path.join(folder, name)
        for name in files.names(folder)
        if name.startswith(database)
        and any(mark in name for mark in ASIDE)
        and not name.endswith(("-wal", "-shm", *BESIDE))
    ]


# Files


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _moment(text: object) -> int:
    try:
        return to_stored(datetime.fromisoformat(str(text)))[0]
    except (ValueError, TypeError):
        return 0


def _text(entry: Mapping[str, Any]) -> str:
    from loxodon.working.shapes import text_of

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


def _below(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            yield os.path.join(folder, name)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def _lines(path: str) -> Iterator[str]:
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from file
    except OSError:
        return
