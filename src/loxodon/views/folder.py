"""The folder of views: written where something differs, and never over anybody's own words.

    with Folder(path, "main") as folder:
        for planned in views:
            folder.put(planned)
        done = folder.finish()

What is to be written waits in `state/drafts/`; `finish` puts it in place, after the manifest says
that it may be there.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from loxodon import files
from loxodon.errors import (
    BusyStoreError,
    FullStoreError,
    InputError,
    LoxodonError,
    UnwritableStoreError,
)
from loxodon.filelock import FileLock
from loxodon.messages import t
from loxodon.security.paths import is_inside
from loxodon.types import FileProblem
from loxodon.views.manifest import (
    HEAD_BYTES,
    LOCK,
    MANIFEST,
    Manifest,
    Planned,
    Written,
    astray,
    bad_view,
    change_of,
    editable,
    hash_of,
    is_view,
    load,
    manifest_text,
)

_DRAFTS = "state/drafts"
_WAIT_SECONDS = 60.0


class Exported(NamedTuple):
    """What an export did."""

    folder: str
    written: int
    unchanged: int
    removed: int
    kept: tuple[FileProblem, ...]  # files left alone: not ours, or with edits that wait for `sync`
    masked: bool = False


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
        self._drafts: dict[str, str] = {}
        self._folders: dict[str, bool] = {}
        self._kept: list[FileProblem] = []
        self._unchanged = self._removed = 0

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
            shutil.rmtree(self._path(_DRAFTS), ignore_errors=True)
            self._folders.pop(_DRAFTS, None)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._path(_DRAFTS), ignore_errors=True)
        self._lock.close()

    def _manifest(self) -> Manifest:
        found = None
        try:
            found = load(self.root)
        except InputError:
            if not self._is_ours(MANIFEST):
                raise
        if found is None:  # or nonsense under our mark, which is written anew
            return Manifest(self._space, self._masked, 0, {}, 0)
        if found.space != self._space:
            raise InputError(
                "{path} contains the text views of the space {owner}",
                hint="export each space into a folder of its own",
                path=self.root,
                owner=repr(found.space),
            )
        if found.masked != self._masked:
            raise InputError(
                "masked and unmasked copies cannot be in the same folder: {path}",
                hint="choose another folder",
                path=self.root,
            )
        return found

    @property
    def known(self) -> Mapping[str, str]:
        """The views of the last export, each with its basis."""
        return {name: row.basis for name, row in self._before.files.items()}

    # One view

    def put(self, planned: Planned, *, anew: bool = False) -> None:
        """See to it that a view is there as planned; it is made only where it must be, or `anew`
        whatever it was based on."""
        before = self._before.files.get(planned.name)
        same = before is not None and change_of(self.root, planned.name, self._before) == "same"
        try:
            if not self._has_folder(os.path.dirname(planned.name)):
                self._leave(planned.name, t("there is a file or a link in place of its folder"))
            elif (
                before is not None
                and same
                and not (anew or before.was)
                and planned.basis
                and before.basis == planned.basis
            ):
                self._keep(planned.name, before)
            else:
                self._put(planned, same)
        except OSError as error:
            raise _unwritten(self._path(planned.name), error) from None

    def _put(self, planned: Planned, same: bool) -> None:
        name, path = planned.name, self._path(planned.name)
        text, ids = planned.make()
        data = text.encode("utf-8")
        row = Written(sha256(data).hexdigest(), len(data), 0, planned.basis, ids)
        try:
            about = os.lstat(path)
        except FileNotFoundError:
            about = None
        if about is not None:
            if not stat.S_ISREG(about.st_mode):
                self._leave(name, t("there is something in its place that is not a file"))
                return
            row = row._replace(was=hash_of(path))
            if row.was == row.sha256:
                self._keep(name, row._replace(mtime=about.st_mtime_ns, was=""))
                return
            if not same and about.st_size and not self._may_replace(name, row.was):
                return
        self._has_folder(_DRAFTS)
        draft = self._path(f"{_DRAFTS}/{len(self._drafts)}")
        with open(draft, "xb", opener=files.private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            mtime = os.fstat(file.fileno()).st_mtime_ns
        self._drafts[name] = draft
        self._rows[name] = row._replace(mtime=mtime)

    def _may_replace(self, name: str, present: str) -> bool:
        """Whether a file that is not as we left it may be written over; one that is edited where
        edits are not read is set aside first."""
        before = self._before.files.get(name)
        # JSON lines say nothing of themselves, and an editor may have them begin with anything.
        if not self._is_ours(name) and not (before and name.endswith(".jsonl")):
            self._leave(
                name,
                t("it was not written by Loxodon"),
                t("move it away to get the text view with that name"),
            )
            return False
        if self._settled.get(name) == present:
            return True
        if editable(name):
            hint = t("apply your edits with `loxodon sync`")
            self._leave(name, t("it was edited after it was written"), hint)
            return False
        if before is not None:
            aside, number = f"{self._path(name)}.edited", 1
            while os.path.lexists(aside):
                number += 1
                aside = f"{self._path(name)}.edited-{number}"
            os.rename(self._path(name), aside)
            what = t(
                "it was edited, but Loxodon does not read edits of this file: your version "
                "was moved to {file}",
                file=os.path.basename(aside),
            )
            self._kept.append(FileProblem(name, 0, what))
        return True

    def _keep(self, name: str, row: Written) -> None:
        self._rows[name] = row
        self._unchanged += 1

    def _leave(self, name: str, what: str, hint: str = "") -> None:
        """Tell of a file that stays; what its edits are compared with stays known."""
        self._kept.append(FileProblem(name, 0, what, hint))
        if name in self._before.files:
            self._rows[name] = self._before.files[name]

    def _is_ours(self, name: str) -> bool:
        try:
            with open(self._path(name), "rb") as file:
                return is_view(file.read(HEAD_BYTES).decode("utf-8", "replace"))
        except OSError:
            return False

    # The end

    def finish(self) -> Exported:
        """Put what was written in its place, and take away the views that are no more."""
        gone = [name for name in self._before.files if name not in self._rows]
        try:
            if self._drafts or gone or self._rows != self._before.files:
                if self._drafts:
                    # Those that go are known until they are gone: a kill may come in between.
                    self._save({name: self._before.files[name] for name in gone})
                for name, draft in self._drafts.items():
                    self._replace(name, draft)
                for name in gone:
                    self._remove(name)
                changed = {os.path.dirname(self._path(name)) for name in (*self._drafts, *gone)}
                for folder in sorted(changed):
                    if os.path.isdir(folder):
                        files.sync_folder(folder)
                self._save()
        except OSError as error:
            raise _unwritten(self.root, error) from None
        return Exported(
            self.root,
            len(self._drafts),
            self._unchanged,
            self._removed,
            tuple(self._kept),
            self._masked,
        )

    def _replace(self, name: str, draft: str) -> None:
        row, path = self._rows[name], self._path(name)
        there = hash_of(path)
        if there and there != row.was:  # somebody was quicker
            self._rows.pop(name)
            hint = t("apply your edits with `loxodon sync`")
            self._leave(name, t("it was edited after it was written"), hint)
            return
        os.replace(draft, path)
        self._rows[name] = row._replace(was="")

    def _remove(self, name: str) -> None:
        path, change = self._path(name), change_of(self.root, name, self._before)
        if change == "gone" or not self._has_folder(os.path.dirname(name), make=False):
            return
        if change == "edited" and self._settled.get(name, "-") != hash_of(path):
            self._leave(
                name,
                t("it is no longer needed, but was edited after it was written"),
                t("delete it if you do not need it"),
            )
            return
        os.unlink(path)
        self._removed += 1
        with suppress(OSError):  # not empty, or not ours to remove
            os.rmdir(os.path.dirname(path))

    def _save(self, leaving: Mapping[str, Written] | None = None) -> None:
        text = manifest_text(self._space, self._masked, {**(leaving or {}), **self._rows})
        files.replace(self._path(MANIFEST), text.encode("utf-8"))

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
            if make and within and not os.path.lexists(path):
                files.make_folder(path)
            found = within and os.path.isdir(path) and is_inside(path, self.root)
            self._folders[name] = found
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
