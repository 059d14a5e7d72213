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
DEEPEST = 40  # folders within folders
_NOTES = "memory"  # the folder of a workspace that has the agent's daily notes, and our views
_DREAMS = "dreaming"  # the folder beside the daily notes where OpenClaw reports its dreams
# What an agent keeps beside its daily notes. Its rules and its persona are before it in every
# conversation, and tell nothing of the user.
_ROLES: dict[str, FileRole] = {"memory.md": "memory", "user.md": "user"}
_NOT_NOTES = frozenset(
    {"agents.md", "soul.md", "identity.md", "tools.md", "heartbeat.md", "dreams.md"}
)
_ENDINGS = (".md", ".markdown")
_LEFT_ALONE = frozenset({"node_modules", "__pycache__", "venv"})
_DAILY = re.compile(r"\d{4}-\d{2}-\d{2}(?:-.+)?\.(?:md|markdown)", re.IGNORECASE)


class DiscoveredFile(NamedTuple):
    """A file that may be a source: whether it is one of our views is seen when it is read."""

    root: str
    path: str
    role: FileRole
    real: str  # where it is, without links
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
    for root in filter(os.path.isdir, workspaces):
        search.walk(root, "", deep=False)
        notes = os.path.join(root, _NOTES)
        if not is_inside(notes, os.path.realpath(root)):
            search.leads_out(notes)
        elif os.path.isdir(notes):
            search.walk(root, _NOTES, deep=True)
    for folder in folders:
        hint = t("fix the setting workspace.folders")
        if not os.path.isdir(folder):
            search.trouble(folder, t("there is no such folder"), hint)
        elif home and is_inside(folder, home):
            search.trouble(folder, t("it is inside the Loxodon home"), hint)
        else:
            search.walk(folder, "", deep=True)
    return Discovered(search.files, search.problems)


class _Search:
    """What was found so far."""

    def __init__(self, workspaces: Sequence[str], home: str) -> None:
        self._closed = os.path.realpath(home) if home else ""
        self.files: list[DiscoveredFile] = []
        self.problems: list[FileProblem] = []
        self._seen: set[str] = set()
        self._homes = frozenset(map(os.path.realpath, workspaces))
        self._notes = frozenset(os.path.join(one, _NOTES) for one in self._homes)

    def walk(self, root: str, path: str, *, deep: bool) -> None:
        """Files in a folder of `root`: all, also in the folders in it, or those with a role."""
        inside, todo = os.path.realpath(root), [path]
        while todo:
            at = todo.pop()
            folder = os.path.join(root, at)
            real_folder = os.path.realpath(folder)
            try:
                with os.scandir(folder) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError as error:
                self.trouble(folder, t("cannot read the folder: {reason}", reason=error.strerror))
                continue
            below = []
            for entry in entries:
                if entry.name.startswith(".") or not (deep or entry.name.lower() in _ROLES):
                    continue
                name = f"{at}/{entry.name}" if at else entry.name
                real = os.path.join(real_folder, entry.name)
                if entry.is_symlink():
                    real = os.path.realpath(entry.path)
                try:
                    about = os.stat(real)
                except OSError:
                    continue  # it leads nowhere, or is gone
                is_folder = stat.S_ISDIR(about.st_mode)
                if entry.is_symlink() and not is_inside(real, inside):
                    if is_folder or _is_markdown(entry.name):
                        self.leads_out(entry.path)
                elif is_folder:
                    if deep and self._is_open(entry.name, real, name):
                        below.append(name)
                elif stat.S_ISREG(about.st_mode) and not self._take(root, name, real, about, deep):
                    return
            todo.extend(reversed(below))

    def _is_open(self, name: str, real: str, path: str) -> bool:
        """Whether to look into a folder; once, whatever leads there."""
        dreams = name == _DREAMS and os.path.dirname(real) in self._notes
        if dreams or name in _LEFT_ALONE or path.count("/") >= DEEPEST or real == self._closed:
            return False
        is_new = real not in self._seen
        self._seen.add(real)
        return is_new

    def _take(self, root: str, path: str, real: str, about: os.stat_result, deep: bool) -> bool:
        """Take a file that may be a source, once; False where there are too many."""
        role = self._role(path, real, deep)
        if role is None or real in self._seen:
            return True
        self._seen.add(real)
        shown = path.encode("utf-8", "backslashreplace").decode()
        if shown != path:
            name = os.path.join(root, shown)
            self.trouble(name, t("the file name is not UTF-8"), t("rename it"))
        elif len(self.files) >= MOST_FILES:
            self.trouble(
                root,
                t("more than {n} files; the rest is skipped", n=MOST_FILES),
                t("use smaller folders in the setting workspace.folders"),
            )
            return False
        else:
            found = DiscoveredFile(root, path, role, real, about.st_size, about.st_mtime_ns)
            self.files.append(found)
        return True

    def _role(self, path: str, real: str, deep: bool) -> FileRole | None:
        """What a file is; None for what is no source."""
        if not deep:  # by the name it goes by, should that be a link
            return _ROLES.get(path.lower())
        folder, name = os.path.split(real)
        if not _is_markdown(name):
            return None
        if folder in self._homes:  # through another folder that has the workspace in it
            return None if name.lower() in _NOT_NOTES else _ROLES.get(name.lower(), "note")
        return "daily" if folder in self._notes and _DAILY.fullmatch(name) else "note"

    def leads_out(self, link: str) -> None:
        self.trouble(
            link,
            t("a link out of its folder was not followed"),
            t("add its target folder to the setting workspace.folders"),
        )

    def trouble(self, file: str, what: str, hint: str = "") -> None:
        self.problems.append(FileProblem(file, 0, what, hint))


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)
