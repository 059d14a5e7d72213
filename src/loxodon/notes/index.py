"""Keeping what the store has of files as the files are: what changed is read, what is gone is
dropped.

A file with the size and the time it had is not opened. Each that changed is read and cut first and
then kept in a short transaction of its own, so that nobody waits, and a run that was cut short goes
on where it was.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from loxodon.errors import InputError
from loxodon.journal.lines import FileLines, split_lines
from loxodon.layout import VIEWS
from loxodon.messages import t, tn
from loxodon.notes.chunk import RULES, chunks
from loxodon.notes.discover import DiscoveredFile, discover
from loxodon.store import Chunk, NoteFile, Progress
from loxodon.types import FileProblem
from loxodon.views.manifest import is_view, load

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace

LARGEST = 20 * 2**20  # bytes of a file that are read; of a larger one the beginning
STEP = 1_000  # chunks that are kept in one transaction, so that other writers do not wait long
_HEAD = 16_384  # bytes in which a view says that it is one
# Nanoseconds: what was written later than this before it was read may change again without another
# time, because file systems count time in steps.
_SETTLED = 50_000_000
_MOST_BAD_LINES = 5  # lines of a file that are reported one by one
_RULES = b":%d" % RULES  # ends a hash, so that files are read anew when the rules have changed


class Indexed(NamedTuple):
    """What became of the files that are read where they lie."""

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0  # of the files that were read
    problems: tuple[FileProblem, ...] = ()


class _Content(NamedTuple):
    """The bytes of a file as they were at one moment."""

    data: bytes
    hash: bytes
    size: int
    mtime: int


class _ChangingError(Exception):
    """A file was written to while it was read."""


def index(workspace: Workspace, progress: Progress | None = None) -> Indexed:
    """Bring what the store has of files up to date with them; see `Workspace.index`."""
    named = workspace.memory.config.workspace
    discovered = discover(
        workspace.path,
        folders_of(workspace, named.folders),
        workspace.memory.home,
        folders_of(workspace, named.others),
    )
    known = {(file.root, file.path): file for file in workspace.store.workspace_data.files()}
    run = _Run(workspace, known)
    for done, found in enumerate(discovered.files, 1):
        run.file(found)
        if progress:
            progress(done, len(discovered.files))
    run.drop_others()
    return Indexed(
        run.read, run.unchanged, run.removed, run.chunks, (*discovered.problems, *run.problems)
    )


def folders_of(workspace: Workspace, named: str) -> list[str]:
    """The folders that a setting names. They are of the space main, as its workspace is."""
    if workspace.memory.space != "main":
        return []
    lines = map(str.strip, named.splitlines())
    paths = (os.path.abspath(os.path.expanduser(one)) for one in lines if one)
    return list(dict.fromkeys(paths))


class _Run:
    """One pass over the files, and what came of it."""

    def __init__(self, workspace: Workspace, known: dict[tuple[str, str], NoteFile]) -> None:
        self.read = self.unchanged = self.removed = self.chunks = 0
        self.problems: list[FileProblem] = []
        self._workspace = workspace
        self._gone = known

    def file(self, found: DiscoveredFile) -> None:
        key = (found.root, found.path)
        known = self._gone.get(key)
        same = known and known[2:5] == (found.role, found.size, found.mtime)
        # Without a hash it could not be opened, and now may; one of other rules was cut otherwise.
        if known and same and known.hash.endswith(_RULES):
            del self._gone[key]
            self.unchanged += 1
            return
        if self._is_ours(found.real):
            return
        try:
            content = _content(found.real)
        except FileNotFoundError:
            return  # gone since it was found
        except _ChangingError:
            self._gone.pop(key, None)  # what is known of it holds until it can be read
            return
        except OSError as error:
            self._gone.pop(key, None)
            self._unread(found, error, known)
            return
        if is_view(content.data[:_HEAD].decode("utf-8", "replace")):
            return  # of another folder
        self._gone.pop(key, None)
        if known and (known.hash, known.role) == (content.hash, found.role):
            self.unchanged += 1
        else:
            self.read += 1
        self._take(found, content, known)

    def _is_ours(self, path: str) -> bool:
        """Whether we wrote this file, also where it has lost the mark by which that is seen."""
        name = os.path.relpath(path, self._views_at).replace(os.sep, "/")
        return name in self._views

    @cached_property
    def _views_at(self) -> str:
        return os.path.realpath(os.path.join(self._workspace.path, VIEWS))

    @cached_property
    def _views(self) -> Collection[str]:
        try:
            written = load(self._views_at)
        except InputError:
            return ()
        return written.files if written else ()

    def _take(self, found: DiscoveredFile, content: _Content, known: NoteFile | None) -> None:
        lines = split_lines(_whole_lines(content))
        problems = _problems(found, content, lines)
        texts = [text or "" for text in lines.texts]
        cut = chunks(texts, found.path, found.role, self._workspace.zone)
        file = NoteFile(
            found.root,
            found.path,
            found.role,
            content.size,
            content.mtime,
            content.hash,
            "; ".join(
                t("line {line}: {what}", line=one.line, what=one.what) if one.line else one.what
                for one in problems
            ),
        )
        self.problems.extend(problems)
        if known is None or known.hash != file.hash:
            self.chunks += len(cut)
        for end in self._steps(file, len(cut), known):
            self._put(file._replace(hash=b""), cut[:end])
        self._put(file, cut)

    def _steps(self, file: NoteFile, total: int, known: NoteFile | None) -> range:
        """How many chunks of a large new file to keep at first, and after that.

        Without its hash it is not all there: a run that is cut short goes on behind what was kept.
        """
        if total <= STEP or (known and known.hash):
            return range(0)
        kept = self._workspace.store.workspace_data.chunk_counts() if known else {}
        return range(kept.get((file.root, file.path), 0) + STEP, total, STEP)

    def _put(self, file: NoteFile, cut: Sequence[Chunk]) -> None:
        with self._workspace.store.writing():
            self._workspace.store.workspace_data.put_file(file, cut, self._workspace.memory.now())

    def _unread(self, found: DiscoveredFile, error: OSError, known: NoteFile | None) -> None:
        """Keep a file that could not be opened; not again where it is known to be so."""
        why = t("cannot read the file: {reason}", reason=error.strerror or str(error))
        self.problems.append(FileProblem(found.name, 0, why))
        file = NoteFile(
            found.root, found.path, found.role, found.size, found.mtime, b"", problem=why
        )
        if file != known:
            self._put(file, [])

    def drop_others(self) -> None:
        """Drop what is known of files that are there no more, or are no sources any more."""
        for root, path in self._gone:
            with self._workspace.store.writing():
                self._workspace.store.workspace_data.drop_file(root, path)
            self.removed += 1


def _content(path: str) -> _Content:
    """What a file holds, up to `LARGEST`; `_ChangingError` where it changed meanwhile."""
    # Not through a link that was put there since, nor waiting for someone to write to a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb") as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise _ChangingError
        data = file.read(LARGEST)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _ChangingError
    settled = time.time_ns() - after.st_mtime_ns > _SETTLED
    mtime = after.st_mtime_ns if settled else 0
    return _Content(data, sha256(data).digest() + _RULES, after.st_size, mtime)


def _whole_lines(content: _Content) -> bytes:
    """The bytes that are read as text: of a file that was cut, up to its last line end."""
    if content.size <= len(content.data):
        return content.data
    return content.data[: content.data.rfind(b"\n") + 1] or content.data


def _problems(found: DiscoveredFile, content: _Content, lines: FileLines) -> list[FileProblem]:
    problems = [
        FileProblem(found.name, line, *error.localized())
        for line, error in lines.problems[:_MOST_BAD_LINES]
    ]
    if (more := len(lines.problems) - _MOST_BAD_LINES) > 0:
        what = tn("{n} more line like these", "{n} more lines like these", more)
        problems.append(FileProblem(found.name, 0, what))
    if content.size > len(content.data):
        what = t(
            "only the first {most} MB of {size} MB are read",
            most=LARGEST >> 20,
            size=content.size >> 20,
        )
        problems.append(FileProblem(found.name, 0, what, t("split the file")))
    return problems
