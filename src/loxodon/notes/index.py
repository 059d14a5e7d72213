"""Keeping what the store has of files as the files are: what changed is read, what is gone is
dropped.

A file with the size and the time it had is not opened. Each that changed is read and cut first and
then kept in a short transaction of its own, so that nobody waits, and a run that was cut short goes
on where it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from hashlib import sha256
from typing import NamedTuple

from loxodon.errors import InputError
from loxodon.journal.lines import split_lines
from loxodon.layout import VIEWS
from loxodon.messages import t, tn
from loxodon.notes.chunk import RULES, chunks
from loxodon.notes.discover import DiscoveredFile, discover
from loxodon.security.paths import opened
from loxodon.store import NoteFile, Progress
from loxodon.types import FileProblem
from loxodon.views.manifest import is_view, load
from loxodon.views.workspace import Workspace

LARGEST = 20 * 2**20  # bytes of a file that are read; of a larger one the beginning
_HEAD = 16_384  # bytes in which a view says that it is one
# Nanoseconds: what was written later than this before it was read may change again without another
# time, because file systems count time in steps.
_SETTLED = 50_000_000
_MOST_BAD_LINES = 5  # lines of a file that are reported one by one
_RULES = b":%d" % RULES  # ends a hash, so that files are read anew when the rules have changed


class Indexed(NamedTuple):
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0  # of the files that were read
    problems: tuple[FileProblem, ...] = ()


def index(workspace: Workspace, progress: Progress | None = None) -> Indexed:
    """Bring what the store has of files up to date with them; see `Workspace.index`."""
    named = workspace.memory.config.workspace
    files, problems = discover(
        workspace.path,
        folders_of(workspace, named.folders),
        workspace.memory.home,
        folders_of(workspace, named.others),
    )
    run = _Run(workspace)
    for done, found in enumerate(files, 1):
        if run.file(found):
            run.gone.pop((found.root, found.path), None)
        if progress:
            progress(done, len(files))
    for root, path in run.gone:
        with workspace.store.writing():
            workspace.store.workspace_data.drop_file(root, path)
    return Indexed(run.read, run.unchanged, len(run.gone), run.chunks, (*problems, *run.problems))


def folders_of(workspace: Workspace, named: str) -> list[str]:
    """The folders that a setting names. They are of the space main, as its workspace is."""
    if workspace.memory.space != "main":
        return []
    lines = map(str.strip, named.splitlines())
    paths = (os.path.abspath(os.path.expanduser(one)) for one in lines if one)
    return list(dict.fromkeys(paths))


class _Run:
    def __init__(self, workspace: Workspace) -> None:
        self.read = self.unchanged = self.chunks = 0
        self.problems: list[FileProblem] = []
        known = workspace.store.query_as(NoteFile, "files")
        self.gone = {(file.root, file.path): file for file in known}
        self._workspace = workspace
        self._views_at = os.path.realpath(os.path.join(workspace.path, VIEWS))
        self._views: Collection[str] = ()
        try:
            written = load(self._views_at)
            self._views = written.files if written else ()
        except InputError:
            pass

    def file(self, found: DiscoveredFile) -> bool:
        """Bring one up to date; whether it is there, and a note."""
        known = self.gone.get((found.root, found.path))
        same = known and known[2:5] == (found.role, found.size, found.mtime)
        # One of other rules was cut otherwise.
        if known and same and known.hash.endswith(_RULES):
            self.unchanged += 1
            return True
        # What we wrote is known also where it has lost the mark by which that is seen.
        if os.path.relpath(found.real, self._views_at).replace(os.sep, "/") in self._views:
            return False
        try:
            content = _content(found.real, found.root)
        except FileNotFoundError:
            return False  # gone since it was found
        except OSError as error:
            why = t("cannot read the file: {reason}", reason=error.strerror or str(error))
            self.problems.append(FileProblem(found.name, 0, why))
            return True
        if content is None:  # it is being written to: what is known of it holds until it is read
            return True
        data, size, mtime = content
        if is_view(data[:_HEAD].decode("utf-8", "replace")):
            return False  # of another folder
        hash = sha256(data).digest() + _RULES
        same = known and (known.hash, known.role) == (hash, found.role)
        self.unchanged += bool(same)
        self.read += not same
        if size > len(data):  # of a file that was cut, up to its last line end
            data = data[: data.rfind(b"\n") + 1] or data
        lines = split_lines(data)
        told = [FileProblem(found.name, at, *error.localized()) for at, error in lines.problems]
        if (more := len(told) - _MOST_BAD_LINES) > 0:
            what = tn("{n} more line like these", "{n} more lines like these", more)
            told[_MOST_BAD_LINES:] = [FileProblem(found.name, 0, what)]
        if size > LARGEST:
            most = LARGEST >> 20
            what = t("only the first {most} MB of {size} MB are read", most=most, size=size >> 20)
            told.append(FileProblem(found.name, 0, what, t("split the file")))
        self.problems += told
        cut = chunks(lines.texts, *found[1:3], self._workspace.zone)
        said = "; ".join(one.what for one in told)
        file, store = NoteFile(*found[:3], size, mtime, hash, said), self._workspace.store
        with store.writing():
            store.workspace_data.put_file(file, cut, self._workspace.memory.now())
        if known is None or known.hash != hash:
            self.chunks += len(cut)
        return True


def _content(path: str, root: str) -> tuple[bytes, int, int] | None:
    """What a file holds, up to `LARGEST`, its size and time; None where it changed meanwhile."""
    with open(opened(path, root), "rb") as file:
        before = os.fstat(file.fileno())
        data = file.read(LARGEST)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return None
    settled = time.time_ns() - after.st_mtime_ns > _SETTLED
    return data, after.st_size, after.st_mtime_ns if settled else 0
