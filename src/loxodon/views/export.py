"""An export: every view of a memory, from one moment of its store, into a folder: written where
something differs, and never over anybody's own words.

The manifest is written whole at the end. Whatever a killed export put in its place is known by what
stands behind the one before, so that the next sync finds nothing in it to take.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import chain, count
from typing import NamedTuple

from loxodon import files
from loxodon.errors import InputError, LoxodonError, unwritable
from loxodon.filelock import alone
from loxodon.layout import VIEWS
from loxodon.messages import LANGUAGES, current, t
from loxodon.security.paths import is_closed, is_inside
from loxodon.store import Filter, Progress
from loxodon.text.language import language_of
from loxodon.types import FileProblem
from loxodon.views import copies, dump, insights, manifest, pages
from loxodon.views.manifest import DRAFT, INSIGHTS, LOCK, MANIFEST, Manifest, Planned, Written
from loxodon.views.workspace import TROUBLE, Workspace

_SAMPLE = 200  # memories by which the language of the pages is told
_WAIT_SECONDS = 60.0


class Exported(NamedTuple):
    folder: str
    written: int
    unchanged: int
    removed: int
    kept: tuple[FileProblem, ...]  # files left alone: not ours, or with edits that wait for `sync`


class Folder:
    """See the module. Held by one export at a time; others wait."""

    def __init__(self, root: str, space: str, settled: Mapping[str, str] | None = None) -> None:
        """`settled` names edited views that were taken in, each with the hash of what was read."""
        self.root = root
        self._space = space
        self._settled = settled or {}
        self._rows: dict[str, Written] = {}
        self._folders: dict[str, bool] = {}
        self._kept: list[FileProblem] = []
        self._unchanged = self._removed = self._written = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        try:
            if not self._has_folder("state"):
                raise manifest.bad_view("state", 0, manifest.astray())
            with alone(self._path(LOCK), _WAIT_SECONDS):
                self.before = self._manifest()
                try:
                    yield
                finally:
                    with suppress(OSError):
                        os.unlink(self._path(DRAFT))
        except OSError as error:
            raise unwritable(str(error.filename2 or error.filename or self.root), error) from None

    def _manifest(self) -> Manifest:
        found = None
        try:
            found = manifest.load(self.root)
        except InputError:
            if not manifest.is_view(manifest.head(self._path(MANIFEST))):
                raise
        if found is None:  # or nonsense under our mark, which is written anew
            found = Manifest(self._space, 0, {}, 0)
            files.replace(self._path(MANIFEST), manifest.dumped(self._space, {}, found.version))
        if found.space != self._space:
            raise manifest.of_other_space(self.root, found.space)
        if found.masked:
            reason = InputError("it is of masked copies", hint="choose another folder")
            raise manifest.bad_view(MANIFEST, 0, reason)
        return found

    def put(self, planned: Planned, *, anew: bool = False) -> None:
        """See to it that a view is there as planned; it is made where it must be, or `anew`."""
        name, before = planned.name, self.before.files.get(planned.name)
        same = before is not None and manifest.change_of(self.root, name, self.before) == "same"
        if not self._has_folder(os.path.dirname(name)):
            self._leave(name, t("there is a file or a link in place of its folder"))
            return
        if before and same and not anew and planned.basis and planned.basis == before.basis:
            self._rows[name] = before
            self._unchanged += 1
            return
        text, ids = planned.make()
        data = text.encode("utf-8")
        row = Written(sha256(data).hexdigest(), len(data), 0, planned.basis, ids)
        path = self._path(name)
        about = os.lstat(path) if os.path.lexists(path) else None
        if about is not None and not stat.S_ISREG(about.st_mode):
            self._leave(name, t("there is something in its place that is not a file"))
            return
        present = manifest.hash_of(path) if about else ""
        if about and present == row.sha256:
            self._rows[name] = row._replace(mtime_ns=about.st_mtime_ns)
            self._unchanged += 1
            return
        if about and about.st_size and not same and not self._may_replace(name, present):
            return
        draft = self._path(DRAFT)
        with open(draft, "wb", opener=files.private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            row = row._replace(mtime_ns=os.fstat(file.fileno()).st_mtime_ns)
        told = manifest.SINCE.encode() + manifest.dumped(self._space, {name: row})
        files.append(self._path(MANIFEST), told)
        os.replace(draft, path)
        self._rows[name] = row
        self._written += 1

    def _may_replace(self, name: str, present: str) -> bool:
        """Whether a file may be written over; one whose edits are not read is set aside first."""
        before = self.before.files.get(name)
        # JSON lines say nothing of themselves, and an editor may have them begin with anything.
        is_ours = manifest.is_view(manifest.head(self._path(name)))
        if not is_ours and not (before and name.endswith(".jsonl")):
            hint = t("move it away to get the text view with that name")
            self._leave(name, t("it was not written by Loxodon"), hint)
            return False
        if self._settled.get(name) == present:
            return True
        if name == INSIGHTS:
            hint = t("apply your edits with `loxodon sync`")
            self._leave(name, t("it was edited after it was written"), hint)
            return False
        if before is not None:
            places = chain([""], (f"-{number}" for number in count(2)))
            names = (f"{self._path(name)}.edited{place}" for place in places)
            aside = next(path for path in names if not os.path.lexists(path))
            os.rename(self._path(name), aside)
            what = t(
                "it was edited, but Loxodon does not read edits of this file: your version "
                "was moved to {file}",
                file=os.path.basename(aside),
            )
            self._kept.append(FileProblem(name, 0, what))
        return True

    def _leave(self, name: str, what: str, hint: str = "") -> None:
        """Tell of a file that stays; what its edits are compared with stays known."""
        self._kept.append(FileProblem(name, 0, what, hint))
        if name in self.before.files:
            self._rows[name] = self.before.files[name]

    def finish(self) -> Exported:
        """Take away the views that are no more, and write down what is there now."""
        for name in [name for name in self.before.files if name not in self._rows]:
            path, change = self._path(name), manifest.change_of(self.root, name, self.before)
            if change == "gone" or not self._has_folder(os.path.dirname(name)):
                continue
            if change == "edited" and self._settled.get(name, "-") != manifest.hash_of(path):
                what = t("it is no longer needed, but was edited after it was written")
                self._leave(name, what, t("delete it if you do not need it"))
                continue
            os.unlink(path)
            self._removed += 1
            with suppress(OSError):  # not empty, or not ours to remove
                os.rmdir(os.path.dirname(path))
        if self._written or self._rows != self.before.files or not self.before.version:
            for folder in {os.path.dirname(self._path(name)) for name in self._rows}:
                files.sync_folder(folder)  # else an old page would seem edited by a person
            files.replace(self._path(MANIFEST), manifest.dumped(self._space, self._rows))
            files.sync_folder(os.path.dirname(self._path(MANIFEST)))
        return Exported(self.root, self._written, self._unchanged, self._removed, tuple(self._kept))

    def _path(self, name: str) -> str:
        return os.path.join(self.root, *name.split("/"))

    def _has_folder(self, name: str) -> bool:
        """Whether a folder of the folder is there (made where it is not) and within it."""
        if name not in self._folders:
            path = self._path(name) if name else self.root
            # Those above it first: through a link that leads out nothing is made either.
            within = not name or self._has_folder(os.path.dirname(name))
            if within and not os.path.lexists(path):
                files.make_folder(path)
            self._folders[name] = within and os.path.isdir(path) and is_inside(path, self.root)
        return self._folders[name]


def export(
    workspace: Workspace,
    folder: str | None = None,
    *,
    progress: Progress | None = None,
    settled: Mapping[str, str] | None = None,
    anew: bool = False,
) -> Exported:
    """Write every view where it differs, or all of them `anew`; see `Workspace.export`."""
    path = folder or workspace.path
    root = os.path.join(path, VIEWS)
    store = workspace.store
    if is_closed(workspace.memory.home, path, root):
        raise manifest.bad_view(root, 0, manifest.astray())
    views = Folder(root, store.space, settled)
    with views.held(), store.reading():
        if path != workspace.usual:
            copies.note(workspace.folder, path, "export" if folder else "workspace")
        content = pages.Content(workspace, _language(workspace))
        shown = chain(insights.views(content), pages.views(content))
        for done, planned in enumerate(chain(dump.views(content), shown), 1):
            views.put(planned, anew=anew)
            if progress:
                progress(done, max(done, len(views.before.files)))
        return views.finish()


def renew(workspace: Workspace) -> str:
    from loxodon.views.sync import take_in

    if not workspace.memory.has_views or workspace.is_empty:
        return ""
    if workspace.trouble:  # taken back before the views are written, which would have it in them
        _keep_trouble(workspace, "")
    try:
        export(workspace, settled=take_in(workspace).settled)
    except (LoxodonError, OSError) as error:
        with suppress(LoxodonError):  # a disk that is full has no room for this either
            _keep_trouble(workspace, str(error))
        return str(error)
    return ""


def _keep_trouble(workspace: Workspace, text: str) -> None:
    with workspace.store.writing():
        workspace.store.worklog.put_page(TROUBLE, "", text, "{}", workspace.memory.now())


def _language(workspace: Workspace) -> str:
    """The language of headings: the one that is set, else that of most of the memories."""
    chosen = workspace.memory.config.language
    if chosen in LANGUAGES:
        return chosen
    said = [one.content for one in workspace.store.find(Filter(state="active"), _SAMPLE)]
    said = said or [turn.content for turn in workspace.store.journal(Filter(), _SAMPLE)]
    found = Counter(map(language_of, said)).most_common(1)
    return found[0][0] if found else current()
