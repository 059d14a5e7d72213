"""Which files are read: the agent's own in the workspace, and Markdown in the folders of the user.

Nothing is opened here. Links are followed where they stay inside the folder; a file that can be
reached in two ways is found once.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import NamedTuple

from loxodon.messages import t
from loxodon.security.paths import is_inside
from loxodon.store import FileRole
from loxodon.types import FileProblem

MOST_FILES = 50_000
DEEPEST = 40
"""Folders within folders."""
_NOTES = "memory"
"""The folder of the workspace that has the agent's daily notes, and our views."""
_ROLES: dict[str, FileRole] = {"memory.md": "memory", "user.md": "user"}
"""What an agent keeps beside its daily notes. Its rules and its persona (AGENTS.md, SOUL.md,
IDENTITY.md) are before it in every conversation, and tell nothing of the user."""
_NOT_NOTES = frozenset(
    {"agents.md", "soul.md", "identity.md", "tools.md", "heartbeat.md", "dreams.md"}
)
"""Files of the agent's workspace that hold no memories, or those it dreamt up from its notes."""
_DREAMS = "dreaming"
"""The folder beside the daily notes where OpenClaw reports its dreams."""
_ENDINGS = (".md", ".markdown")
_LEFT_ALONE = frozenset({"node_modules", "__pycache__", "venv"})
_DAILY = re.compile(r"\d{4}-\d{2}-\d{2}(?:-.+)?\.(?:md|markdown)", re.IGNORECASE)


class DiscoveredFile(NamedTuple):
    """A file that may be a source: whether it is one of our views is seen when it is read."""

    root: str
    path: str
    role: FileRole
    real: str
    """Where it is, without links."""
    size: int
    mtime: int

    @property
    def name(self) -> str:
        """The file as a person is told of it."""
        return os.path.join(self.root, *self.path.split("/"))


class Discovered(NamedTuple):
    files: list[DiscoveredFile]
    problems: list[FileProblem]


def discover(
    workspace: str, folders: Sequence[str] = (), home: str = "", others: Sequence[str] = ()
) -> Discovered:
    """The files below the workspaces, `others` among them, and the folders, as they were named.

    A workspace that is not there has no files; a folder that is not there is a problem, and so is
    one of the memory's own `home`, in which the texts of other spaces are.
    """
    workspaces = (workspace, *others)
    search = _Search(workspaces, home)
    for root in workspaces:
        search.workspace(root)
    for folder in folders:
        search.folder(folder)
    return Discovered(search.files, search.problems)


class _Search:
    """What was found so far."""

    def __init__(self, workspaces: Sequence[str], home: str) -> None:
        self._closed = home
        self.files: list[DiscoveredFile] = []
        self.problems: list[FileProblem] = []
        self._seen: set[str] = set()
        self._full = False
        self._homes = frozenset(map(os.path.realpath, workspaces))
        self._notes = frozenset(os.path.join(one, _NOTES) for one in self._homes)

    def workspace(self, root: str) -> None:
        if os.path.isdir(root):
            self._walk(root, "", deep=False)
            notes = os.path.join(root, _NOTES)
            if not is_inside(notes, os.path.realpath(root)):
                self._leads_out(notes)
            elif os.path.isdir(notes):
                self._walk(root, _NOTES, deep=True)

    def folder(self, root: str) -> None:
        if not os.path.isdir(root):
            self._trouble(
                root, t("there is no such folder"), t("fix the setting workspace.folders")
            )
            return
        if self._closed and is_inside(root, self._closed):
            self._trouble(
                root, t("it is inside the Loxodon home"), t("fix the setting workspace.folders")
            )
            return
        self._walk(root, "", deep=True)

    def _walk(self, root: str, path: str, *, deep: bool) -> None:
        """Files in a folder of `root`: all, also in the folders in it, or those with a role."""
        inside = os.path.realpath(root)
        todo = [path]
        while todo and not self._full:
            at = todo.pop()
            folder = os.path.join(root, at)
            real_folder = os.path.realpath(folder)
            below = []
            for entry in self._listed(folder):
                if not deep and entry.name.lower() not in _ROLES:
                    continue
                name = f"{at}/{entry.name}" if at else entry.name
                real = self._real(entry, real_folder, inside)
                if not real:
                    continue
                if self._is_folder(entry):
                    if deep and self._is_open(entry.name, real, name):
                        below.append(name)
                else:
                    self._take(root, name, real, deep)
            todo.extend(reversed(below))

    def _listed(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._trouble(folder, t("cannot read the folder: {reason}", reason=error.strerror))
            return []

    def _real(self, entry: os.DirEntry[str], folder: str, inside: str) -> str:
        """Where an entry of `folder` is, without links; empty for what is passed over."""
        if entry.name.startswith("."):
            return ""
        if not entry.is_symlink():
            return os.path.join(folder, entry.name)
        real = os.path.realpath(entry.path)
        if not os.path.exists(real):
            return ""
        if not is_inside(real, inside):
            if os.path.isdir(real) or _is_markdown(entry.name):
                self._leads_out(entry.path)
            return ""
        return real

    def _leads_out(self, link: str) -> None:
        self._trouble(
            link,
            t("a link out of its folder was not followed"),
            t("add its target folder to the setting workspace.folders"),
        )

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        try:
            return entry.is_dir()
        except OSError:
            return False

    def _is_open(self, name: str, real: str, path: str) -> bool:
        """Whether to look into a folder; once, whatever leads there."""
        if name in _LEFT_ALONE or path.count("/") >= DEEPEST or real in self._seen:
            return False
        if self._closed and real == os.path.realpath(self._closed):
            return False
        if name == _DREAMS and os.path.dirname(real) in self._notes:
            return False
        self._seen.add(real)
        return True

    def _take(self, root: str, path: str, real: str, deep: bool) -> None:
        role = self._role(path, real, deep)
        if role is None or real in self._seen or self._full:
            return
        try:
            status = os.stat(real, follow_symlinks=False)
        except OSError:
            return  # gone since it was listed
        if not stat.S_ISREG(status.st_mode):
            return
        self._seen.add(real)
        if not path.isprintable() and not _is_text(path):
            shown = path.encode("utf-8", "backslashreplace").decode()
            self._trouble(
                os.path.join(root, shown), t("the file name is not UTF-8"), t("rename it")
            )
        elif len(self.files) >= MOST_FILES:
            self._full = True
            self._trouble(
                root,
                t("more than {n} files; the rest is skipped", n=MOST_FILES),
                t("use smaller folders in the setting workspace.folders"),
            )
        else:
            self.files.append(
                DiscoveredFile(root, path, role, real, status.st_size, status.st_mtime_ns)
            )

    def _role(self, path: str, real: str, deep: bool) -> FileRole | None:
        """What a file is; None for what is no source."""
        if not deep:  # by the name it goes by, should that be a link
            return _ROLES.get(path.lower())
        folder, name = os.path.split(real)
        if not _is_markdown(name):
            return None
        if folder in self._homes:  # through another folder that has the workspace in it
            return None if name.lower() in _NOT_NOTES else _ROLES.get(name.lower(), "note")
        in_notes = folder in self._notes
        return "daily" if in_notes and _DAILY.fullmatch(name) else "note"

    def _trouble(self, file: str, what: str, hint: str = "") -> None:
        self.problems.append(FileProblem(file, 0, what, hint))


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
