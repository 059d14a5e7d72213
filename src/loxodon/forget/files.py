"""Files beside the database: what Loxodon wrote is rewritten, what is the user's own is only named.

A backup that was carried away cannot be reached; when it comes back, it is held against the marks.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping

from loxodon import files
from loxodon.backup.create import SUFFIX, folder_of
from loxodon.config import Config
from loxodon.forget.marks import Marks
from loxodon.layout import BESIDE, DATABASE, VIEWS
from loxodon.types import FileProblem
from loxodon.views import copies
from loxodon.views.manifest import hash_of
from loxodon.views.workspace import Workspace

_MOST_FILES = 200  # places that a receipt names
_MOST_BYTES = 64 << 20  # of a file that is looked through


def is_forgotten(line: str, marks: Marks) -> bool:
    """Whether a line of a file has something that was forgotten, in plain text or JSON."""
    if not marks.cuts:
        return False
    if line.lstrip().startswith("{"):
        try:
            found = json.loads(line)
            return bool(marks.cut_json(found, 0) != found)
        except (ValueError, RecursionError):
            pass
    bare = line.strip().lstrip("-*>#|0123456789.[] \t")
    return marks.cut(bare, 0) != bare


def _lines(path: str) -> list[str]:
    try:
        if os.path.getsize(path) <= _MOST_BYTES:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                return file.read().split("\n")
    except OSError:
        pass
    return []


def clean_copies(workspace: Workspace, marks: Marks, *, dry_run: bool) -> Counter[str]:
    """Clean copies of views that a person had edited where edits are not read; and remove what an
    old repair put aside because nobody could read it."""
    counts = Counter[str]()
    for place in copies.places(workspace):
        for folder, _, names in os.walk(os.path.join(place.path, VIEWS)):
            for name in names:
                if ".edited" not in name:
                    continue
                path = os.path.join(folder, name)
                lines = _lines(path)
                left = [line for line in lines if not is_forgotten(line, marks)]
                if left != lines:
                    counts["edited copies"] += 1
                    if not dry_run:
                        files.replace(path, "\n".join(left).encode("utf-8"))
    for name in files.names(workspace.folder):
        if name.startswith("damaged-") and name.endswith(".jsonl"):
            counts["damaged records"] += 1
            if not dry_run:
                files.remove(os.path.join(workspace.folder, name))
    return counts


def set_aside(folder: str) -> list[str]:
    """Databases that lie beside the one in use, from a restore or a repair."""
    return [
        os.path.join(folder, name)
        for name in files.names(folder)
        if name.startswith((f"{DATABASE}.before-restore-", f"{DATABASE}.before-repair-"))
        and not name.endswith(("-wal", "-shm", *BESIDE))
    ]


def own_files(workspace: Workspace, marks: Marks) -> list[FileProblem]:
    """Where in the user's own files the words still stand: notes, and transcripts of agents."""
    from loxodon.journal.openclaw_db import read_database

    store, zone = workspace.store, workspace.memory.now().tzinfo
    notes = [os.path.join(it.root, *it.path.split("/")) for it in store.workspace_data.files()]
    followed = [path for path, *_ in store.primary.dump("followed") if os.path.isfile(path)]
    found: list[FileProblem] = []
    for path in dict.fromkeys([*notes, *(one for one in followed if one.endswith(".jsonl"))]):
        for number, line in enumerate(_lines(path), 1):
            if is_forgotten(line, marks):
                found.append(FileProblem(path, number, ""))
    found += [
        FileProblem(path, 0, "")
        for path in dict.fromkeys(one for one in followed if one.endswith(".sqlite"))
        if any(is_forgotten(one.content, marks) for one in read_database(path, zone).drafts)
    ]
    return found[:_MOST_FILES]


def kept_copies(
    workspace: Workspace, marks: Marks, settled: Mapping[str, str], *, dry_run: bool
) -> Iterator[FileProblem]:
    """Text of ours that stays: views that a person has changed, places that cannot be reached,
    single files that were asked for, and backups."""
    for place in copies.places(workspace):
        root = os.path.join(place.path, VIEWS)
        if not os.path.isdir(place.path):
            if place.path not in (workspace.path, workspace.usual):
                yield FileProblem(place.path, 0, "away")
        elif place.path != workspace.path or not dry_run:  # else they are taken in
            for path in copies.changed(root, workspace.store.space):
                name = os.path.relpath(path, root).replace(os.sep, "/")
                is_settled = name in settled and hash_of(path) == settled[name]
                if not is_settled and ".edited" not in os.path.basename(path):
                    yield from _places_in(path, "changed", marks)
    for copy in copies.known(workspace.folder):
        if copy.kind == "file" and os.path.exists(copy.path):
            yield from _places_in(copy.path, "copy", marks)[:1]


def _places_in(path: str, what: str, marks: Marks) -> list[FileProblem]:
    """The lines of a file with what was forgotten; the file, where nobody can tell by them."""
    if not marks.cuts:
        return [FileProblem(path, 0, what)]
    lines = enumerate(_lines(path), 1)
    return [FileProblem(path, n, what) for n, line in lines if is_forgotten(line, marks)]


def backups(home: str, config: Config) -> list[FileProblem]:
    """The backups in the folder for them, whatever is in them."""
    folder = folder_of(home, config)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
    return [FileProblem(path, 0, "") for path in paths[:_MOST_FILES]]
