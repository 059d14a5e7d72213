"""Where words lie besides the database, and how they are taken out of there.

What Loxodon wrote is rewritten: text views wherever they were ever written to, databases that were
set aside. What is the user's own is only named (`own_files`, `kept_copies`): notes, transcripts of
an agent that are followed, views with a person's changes. A backup that was carried away cannot be
reached; when it comes back, the tombstones are held against it (`forgetting.finish`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from loxodon import files
from loxodon.forget.tombstones import Marks
from loxodon.layout import BESIDE, VIEWS
from loxodon.types import FileProblem
from loxodon.views import copies
from loxodon.views.copies import Copy
from loxodon.views.manifest import hash_of
from loxodon.views.workspace import Workspace

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
        self._marks = marks
        self._dry = dry
        self._places = copies.places(workspace)
        self.counts: Counter[str] = Counter()

    def all(self) -> Counter[str]:
        """Everything but the views; how many files were touched, by what they are."""
        self.edited_copies()
        self.damaged()
        return Counter({name: n for name, n in self.counts.items() if n})

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
        from loxodon.journal.openclaw_db import read_database

        paths = dict.fromkeys(path for path, *_ in self._workspace.store.primary.dump("followed"))
        for path in paths:
            if path.endswith(".sqlite") and os.path.isfile(path):
                drafts = read_database(path, self._workspace.memory.now().tzinfo).drafts
                if any(self._forgotten(one.content) for one in drafts):
                    yield FileProblem(path, 0, "")

    def backups(self) -> tuple[FileProblem, ...]:
        """The backups in the folder for them. What is in one is not looked at: it is there to be
        as it was."""
        from loxodon.backup.create import SUFFIX, folder_of

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
