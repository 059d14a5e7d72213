"""The folder of views: written where something differs, and never over anybody's own words.

    with Folder(path, "main") as folder:
        for planned in views:
            folder.put(planned)
        done = folder.finish()

`manifest` knows what was written before. A file is replaced in one step, and on disk before the
manifest says so: what a power cut left of it, old or new, would be taken for a person's changes.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from io import FileIO
from typing import Any

from loxodon.errors import (
    BusyStoreError,
    FullStoreError,
    InputError,
    LoxodonError,
    UnwritableStoreError,
)
from loxodon.filelock import FileLock
from loxodon.files import private, sync_folder
from loxodon.messages import t
from loxodon.security.paths import is_inside
from loxodon.types import Exported, FileProblem
from loxodon.views import Planned, bad_view, head
from loxodon.views.manifest import (
    HEAD_BYTES,
    MANIFEST,
    PART,
    Manifest,
    Written,
    astray,
    change_of,
    editable,
    hash_of,
    is_view,
    load,
    one_a_line,
    row_of,
)

LOCK = "state/views.lock"
_DRAFT = ".loxodon.tmp"
_WAIT_SECONDS = 60.0


class Folder:
    """See the module. Held by one export at a time; others wait."""

    def __init__(
        self,
        root: str,
        space: str,
        *,
        masked: bool = False,
        settled: Mapping[str, str] | None = None,
    ) -> None:
        """`settled` names edited views that were taken in, each with the hash of what was read."""
        self.root = root
        self._space = space
        self._masked = masked
        self._settled = settled or {}
        self._rows: dict[str, Written] = {}
        self._folders: dict[str, bool] = {}
        self._unsynced: set[str] = set()
        self._kept: list[FileProblem] = []
        self._left: set[str] = set()
        self._written = self._unchanged = self._removed = 0
        self._part: FileIO | None = None

    def __enter__(self) -> Folder:
        try:
            if not self._has_folder("state"):
                raise bad_view("state", 0, astray())
            self._lock = FileLock(self._path(LOCK))
            if not self._lock.acquire(_WAIT_SECONDS):
                self._lock.close()
                raise BusyStoreError(
                    "another export has been writing {path} for too long",
                    hint="if that process hangs, it can be stopped safely",
                    path=self.root,
                )
        except OSError as error:
            raise _unwritten(self.root, error) from None
        try:
            self._before = self._manifest()
            self._check_owner()
            self._sweep()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._part is not None:
            self._part.close()
        self._lock.close()

    def _manifest(self) -> Manifest:
        nothing = Manifest(self._space, self._masked, {}, 0)
        try:
            return load(self.root) or nothing
        except InputError:
            if not self._is_ours(MANIFEST):
                raise
            return nothing  # nonsense under our mark is written anew

    def _check_owner(self) -> None:
        if self._before.space != self._space:
            raise InputError(
                "{path} contains the text views of the space {owner}",
                hint="export each space into a folder of its own",
                path=self.root,
                owner=repr(self._before.space),
            )
        if self._before.masked != self._masked:
            raise InputError(
                "masked and unmasked copies cannot be in the same folder: {path}",
                hint="choose another folder",
                path=self.root,
            )

    def _sweep(self) -> None:
        """Take away the drafts of an export that was killed."""
        if os.path.exists(self._path(PART)):
            for folder in {os.path.dirname(name) for name in (*self._before.files, MANIFEST)}:
                with suppress(OSError):
                    os.unlink(self._path(os.path.join(folder, _DRAFT)))

    # One view

    @property
    def known(self) -> Mapping[str, str]:
        """The views of the last export, each with its basis."""
        return {name: row.basis for name, row in self._before.files.items()}

    def put(self, planned: Planned, *, anew: bool = False) -> None:
        """See to it that a view is there as planned; it is made only where it must be, or `anew`
        whatever it was based on."""
        try:
            if not self._has_folder(os.path.dirname(planned.name)):
                self._leave(planned.name, t("there is a file or a link in place of its folder"))
            elif anew or not self._is_known(planned):
                self._put(planned)
        except OSError as error:
            raise _unwritten(self._path(planned.name), error) from None

    def keep(self, name: str) -> bool:
        """Leave a view of the last export as it is, whether it is up to date or not; False where
        there is none."""
        before = self._before.files.get(name)
        if before is None or change_of(self.root, name, self._before) != "same":
            return False
        self._rows[name] = before
        self._unchanged += 1
        return True

    def _is_known(self, planned: Planned) -> bool:
        """Whether the file is as it was written, and would be written so again."""
        before = self._before.files.get(planned.name)
        if before is None or not planned.basis or before.basis != planned.basis or before.was:
            return False
        if change_of(self.root, planned.name, self._before) != "same":
            return False
        self._rows[planned.name] = before
        self._unchanged += 1
        return True

    def _put(self, planned: Planned) -> None:
        name, text, ids = planned.make()
        data = text.encode("utf-8")
        path, before = self._path(name), self._before.files.get(name)
        row = Written(sha256(data).hexdigest(), len(data), 0, planned.basis, ids)
        about = _lstat(path)
        if about is not None:
            if not stat.S_ISREG(about.st_mode):
                self._leave(name, t("there is something in its place that is not a file"))
                return
            known = before is not None and change_of(self.root, name, self._before) == "same"
            sure = before.sha256 if before and known and not before.was else ""
            if about.st_size == row.size and row.sha256 == (sure or hash_of(path)):
                self._rows[name] = row._replace(mtime=about.st_mtime_ns)
                self._unchanged += 1
                return
            if not known and not self._may_replace(name, about.st_size):
                return
        self._write(name, data, row._replace(was=_present(path, before)))

    def _may_replace(self, name: str, size: int) -> bool:
        """Whether a file that is not as we left it may be written over; one that is edited where
        edits are not read is set aside first."""
        path, before = self._path(name), self._before.files.get(name)
        if not size and before is not None:
            return True  # what a bad disk or an editor leaves
        if not self._is_ours(name):
            self._leave(
                name,
                t("it was not written by Loxodon"),
                t("move it away to get the text view with that name"),
            )
            return False
        if name in self._settled and hash_of(path) == self._settled[name]:
            return True
        if editable(name):
            hint = t("apply your edits with `loxodon sync`")
            self._leave(name, t("it was edited after it was written"), hint)
            if before is not None:
                self._rows[name] = before  # what the edits are compared with
            return False
        if before is not None:
            aside = _free(f"{path}.edited")
            os.rename(path, aside)
            what = t(
                "it was edited, but Loxodon does not read edits of this file: your version "
                "was moved to {file}",
                file=os.path.basename(aside),
            )
            self._kept.append(FileProblem(name, 0, what))
        return True

    def _leave(self, name: str, what: str, hint: str = "") -> None:
        self._left.add(name)
        self._kept.append(FileProblem(name, 0, what, hint))

    def _is_ours(self, name: str) -> bool:
        try:
            with open(self._path(name), "rb") as file:
                return is_view(file.read(HEAD_BYTES).decode("utf-8", "replace"))
        except OSError:
            return False

    def _write(self, name: str, data: bytes, row: Written) -> None:
        path = self._path(name)
        draft = os.path.join(os.path.dirname(path), _DRAFT)
        try:
            mtime = _write_draft(draft, data)
            self._note(name, row._replace(mtime=mtime))
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft)
            raise
        self._rows[name] = row._replace(mtime=mtime, was="")
        self._written += 1
        self._unsynced.add(os.path.dirname(path))

    def _note(self, name: str, row: Written) -> None:
        """Put down what is about to be written, for the case that this is the last we do."""
        if self._part is None:
            self._part = open(self._path(PART), "ab", buffering=0, opener=private)  # noqa: SIM115
            # On a line of its own: the part of a run that was killed may end within one.
            self._part.write(b"\n" + _line({"loxodon": self._head()}))
        self._part.write(_line({"name": name, **row_of(row)}))

    def _head(self) -> dict[str, Any]:
        mark = head(MANIFEST, self._space)
        return {**mark, "masked": True} if self._masked else mark

    # The end

    def finish(self) -> Exported:
        """Take away the views that are no more, and keep the manifest."""
        try:
            for name in self._before.files:
                if name not in self._rows and name not in self._left:
                    self._remove(name)
            self._keep_manifest()
        except OSError as error:
            raise _unwritten(self.root, error) from None
        return Exported(
            self.root,
            self._written,
            self._unchanged,
            self._removed,
            tuple(self._kept),
            self._masked,
        )

    def _remove(self, name: str) -> None:
        state = change_of(self.root, name, self._before)
        if name == MANIFEST or state == "gone":
            return
        path = self._path(name)
        if not self._has_folder(os.path.dirname(name), make=False):
            return
        taken_in = name in self._settled and hash_of(path) == self._settled[name]
        if state == "edited" and not taken_in:
            self._leave(
                name,
                t("it is no longer needed, but was edited after it was written"),
                t("delete it if you do not need it"),
            )
            self._rows[name] = self._before.files[name]
            return
        if not self._is_ours(name):
            return
        os.unlink(path)
        self._unsynced.add(os.path.dirname(path))
        self._removed += 1
        with suppress(OSError):  # not empty, or not ours to remove
            os.rmdir(os.path.dirname(path))

    def _keep_manifest(self) -> None:
        part = self._path(PART)
        if self._rows != self._before.files or not os.path.exists(self._path(MANIFEST)):
            files = {name: row_of(row) for name, row in sorted(self._rows.items())}
            text = one_a_line({"loxodon": self._head()}, "files", files)
            draft = self._path(os.path.join(os.path.dirname(MANIFEST), _DRAFT))
            for folder in sorted(self._unsynced):
                if os.path.isdir(folder):
                    sync_folder(folder)
            _write_draft(draft, text.encode("utf-8"))
            os.replace(draft, self._path(MANIFEST))
            sync_folder(os.path.dirname(draft))
        if self._part is not None or os.path.exists(part):
            os.unlink(part)

    # Paths

    def _path(self, name: str) -> str:
        return os.path.join(self.root, *name.split("/"))

    def _has_folder(self, name: str, make: bool = True) -> bool:
        """Whether a folder of the folder is there (made where it is not) and within it."""
        found = self._folders.get(name)
        if found is None:
            path = self._path(name) if name else self.root
            # Those above it first: through a link that leads out nothing is made either.
            within = not name or self._has_folder(os.path.dirname(name), make)
            if make and within:
                _make_folders(path)
            found = within and os.path.isdir(path) and is_inside(path, self.root)
            self._folders[name] = found
        return found


def _make_folders(path: str) -> None:
    """Make a folder and those above it that are missing, for their owner only."""
    if _lstat(path) is not None:
        return
    parent = os.path.dirname(path)
    if parent != path:
        _make_folders(parent)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)


def _write_draft(path: str, data: bytes) -> int:
    """Write a file for its owner only, on disk; its time in nanoseconds."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())
        return os.fstat(file.fileno()).st_mtime_ns


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n"


def _present(path: str, before: Written | None) -> str:
    """The hash of a file that is about to be replaced; empty for one that we did not write."""
    if before is None:
        return ""
    return hash_of(path) if before.was else before.sha256


def _free(path: str) -> str:
    """`path`, or with a number behind it where that is taken."""
    found, n = path, 1
    while os.path.lexists(found):
        n += 1
        found = f"{path}-{n}"
    return found


def _unwritten(path: str, error: OSError) -> LoxodonError:
    values = {"path": error.filename or path, "reason": error.strerror or str(error)}
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FullStoreError(
            "cannot write {path}: {reason}", hint="free some disk space, then try again", **values
        )
    return UnwritableStoreError(
        "cannot write {path}: {reason}",
        hint="check the folder's permissions and the free disk space",
        **values,
    )
