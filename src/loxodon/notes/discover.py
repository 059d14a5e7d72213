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

_NOTES = "memory"  # the folder of a workspace that has the agent's daily notes, and our views
_DREAMS = "dreaming"  # the folder beside the daily notes where OpenClaw reports its dreams
# What an agent keeps beside its daily notes. Its rules and its persona are before it in every
# conversation, and tell nothing of the user.
_ROLES: dict[str, FileRole] = {"memory.md": "memory", "user.md": "user"}
_NOT_NOTES = ("agents.md", "soul.md", "identity.md", "tools.md", "heartbeat.md", "dreams.md")
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


def discover(
    workspace: str, folders: Sequence[str] = (), home: str = "", others: Sequence[str] = ()
) -> tuple[list[DiscoveredFile], list[FileProblem]]:
    """The files below the workspaces and the folders, and what hinders it."""
    search = _Search((workspace, *others), home)
    for root in filter(os.path.isdir, (workspace, *others)):
        search.walk(root, "", deep=False)
        if os.path.isdir(notes := os.path.join(root, _NOTES)):
            if is_inside(notes, root):
                search.walk(root, _NOTES, deep=True)
            else:
                search.leads_out(notes)
    for folder in folders:
        hint = t("fix the setting workspace.folders")
        if not os.path.isdir(folder):
            search.trouble(folder, t("there is no such folder"), hint)
        elif home and is_inside(folder, home):
            search.trouble(folder, t("it is inside the Loxodon home"), hint)
        else:
            search.walk(folder, "", deep=True)
    return search.files, search.problems


class _Search:
    def __init__(self, workspaces: Sequence[str], home: str) -> None:
        self.files: list[DiscoveredFile] = []
        self.problems: list[FileProblem] = []
        self._homes = frozenset(map(os.path.realpath, workspaces))
        self._notes = frozenset(os.path.join(one, _NOTES) for one in self._homes)
        self._seen = {os.path.realpath(home)} if home else set()

    def walk(self, root: str, path: str, *, deep: bool) -> None:
        """Files in a folder of `root`: all, also in the folders in it, or those with a role."""
        folder = os.path.join(root, path)
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self.trouble(folder, t("cannot read the folder: {reason}", reason=error.strerror))
            return
        for entry in entries:
            if entry.name.startswith(".") or not (deep or entry.name.lower() in _ROLES):
                continue
            real = os.path.realpath(entry.path)
            try:
                about = os.stat(real)
            except OSError:
                continue  # it leads nowhere, or is gone
            name = f"{path}/{entry.name}" if path else entry.name
            is_folder = stat.S_ISDIR(about.st_mode)
            role = None if is_folder else self._role(entry.name, real, deep)
            wanted = stat.S_ISREG(about.st_mode) and role is not None
            if is_folder and deep:
                dreams = entry.name == _DREAMS and os.path.dirname(real) in self._notes
                wanted = not dreams and entry.name not in _LEFT_ALONE
            if not wanted or real in self._seen:
                continue
            if entry.is_symlink() and not is_inside(real, root):
                self.leads_out(entry.path)
                continue
            self._seen.add(real)
            if role is None:
                self.walk(root, name, deep=True)
            elif name.isprintable():  # else it is not UTF-8
                file = DiscoveredFile(root, name, role, real, about.st_size, about.st_mtime_ns)
                self.files.append(file)

    def _role(self, name: str, real: str, deep: bool) -> FileRole | None:
        """What a file is; None for what is no source."""
        if not deep:  # by the name it goes by, should that be a link
            return _ROLES.get(name.lower())
        folder, name = os.path.split(real)
        if not name.lower().endswith(_ENDINGS):
            return None
        if folder in self._homes:  # through another folder that has the workspace in it
            return None if name.lower() in _NOT_NOTES else _ROLES.get(name.lower(), "note")
        return "daily" if folder in self._notes and _DAILY.fullmatch(name) else "note"

    def leads_out(self, link: str) -> None:
        hint = t("add its target folder to the setting workspace.folders")
        self.trouble(link, t("a link out of its folder was not followed"), hint)

    def trouble(self, file: str, what: str, hint: str = "") -> None:
        self.problems.append(FileProblem(file, 0, what, hint))
