"""Taking in what a person changed in the views, as that person's own change.

Files are read first; then, in one transaction, `edits` decides what becomes of each change and it
is done, so that two syncs at once take nothing twice. Afterwards the notes beside the views are
indexed, and the views whose changes were all taken are written anew. A view that holds something
which could not be taken stays as it is, and what was taken of it is marked
(`WorkspaceData.set_mark`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from loxodon import fields
from loxodon.errors import InputError, LoxodonError, NotFoundError, refused
from loxodon.layout import VIEWS
from loxodon.messages import t
from loxodon.store import Filter
from loxodon.types import Exported, FileProblem, Kind, Record, Source, Synced
from loxodon.views import VERSION, insights, manifest, marker_of, projects, records
from loxodon.views.edited import page_of
from loxodon.views.edits import (
    CurrentMemories,
    Edit,
    EditedEntry,
    EditedView,
    New,
    SyncPlan,
    decide,
    digests,
)

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.verbs import Changes
    from loxodon.views.workspace import Workspace

_T = TypeVar("_T")
_FEW = 200
"""Memories that are read one by one; more are read all together."""
_REMEMBERED = 500
"""Changes from one view that are remembered after it was written anew."""
_FIXED = frozenset(
    {
        "content",
        "importance",
        "confidence",
        "entities",
        "tags",
        "project",
        "topic",
        "category",
        "expires_at",
    }
)
"""What `Memory.capture` takes."""


class Taken(NamedTuple):
    """What was taken in from the views."""

    synced: Synced
    settled: Mapping[str, str] = {}
    """Views that may be written anew, each with the hash of what was read."""
    waiting: bool = False
    """Whether a view was left for later because it had only just been written."""


class _Read(NamedTuple):
    """The views that a person changed."""

    pages: Sequence[EditedView]
    hashes: Mapping[str, str]
    written: Mapping[str, str]
    """The hash of each as it was last written."""
    problems: Sequence[FileProblem]
    waiting: bool


def sync(
    workspace: Workspace,
    *,
    deletions: bool = False,
    dry_run: bool = False,
    before: int | None = None,
    renew: bool = True,
    make: bool = True,
) -> tuple[Synced, bool]:
    """Take in what changed in the workspace; also whether something was left for later.

    `before` leaves views alone that were changed after that moment (nanoseconds): they may not be
    whole yet. Without `renew` the views are written only where something was taken in, and without
    `make` only where there are some.
    """
    if not workspace.memory.has_views:
        told = Synced(notes=(_no_views(workspace.memory),))
        return told if dry_run else told._replace(indexed=workspace.index()), False
    taken = take_in(workspace, deletions=deletions, dry_run=dry_run, before=before)
    if dry_run:
        return taken.synced, taken.waiting
    synced = taken.synced._replace(indexed=workspace.index())
    if any(problem.file == manifest.MANIFEST for problem in synced.problems):
        return synced, taken.waiting  # an export would only say the same
    if _has_views(workspace, make) and (renew or taken.settled or changed_something(synced)):
        synced = _exported(workspace, synced, taken.settled)
    return synced, taken.waiting


def _no_views(memory: Memory) -> FileProblem:
    if not memory.encrypted:
        what, hint = refused("views").localized()
        return FileProblem(VIEWS, 0, what, hint)
    what = t("this memory is encrypted, so it has no text views to sync")
    return FileProblem(VIEWS, 0, what, t("change a memory with `loxodon edit`"))


def changed_something(synced: Synced) -> bool:
    return bool(synced.added or synced.edited or synced.archived or synced.unarchived)


def _exported(workspace: Workspace, synced: Synced, settled: Mapping[str, str]) -> Synced:
    """Write the views; that they cannot be written undoes nothing of what was taken in."""
    try:
        exported: Exported = workspace.export(settled=settled)
    except LoxodonError as error:
        what, hint = error.localized()
        problem = FileProblem(VIEWS, 0, what, hint)
        return synced._replace(problems=(*synced.problems, problem))
    told = {problem.file for problem in synced.problems}
    kept = (one for one in exported.kept if one.file not in told)
    root = os.path.join(workspace.path, VIEWS)
    return synced._replace(notes=(*synced.notes, *(one for one in kept if _is_news(root, one))))


def _is_news(root: str, kept: FileProblem) -> bool:
    """Whether that a view was kept was not told yet: what stands in one that is read back was, or
    it was edited just now and is the next sync's."""
    path = os.path.join(root, kept.file)
    return not manifest.editable(kept.file) or not os.path.isfile(path) or os.path.islink(path)


def _has_views(workspace: Workspace, make: bool) -> bool:
    """Whether this memory is on disk as text, or is to be."""
    if os.path.exists(os.path.join(workspace.path, VIEWS, manifest.MANIFEST)):
        return True
    if not make or workspace.memory.config.workspace.views == "off":
        return False
    counts = workspace.store.counts()
    return bool(counts.turns or counts.active or counts.archived)


def take_in(
    workspace: Workspace,
    *,
    deletions: bool = False,
    dry_run: bool = False,
    before: int | None = None,
) -> Taken:
    """Take in what a person changed in the views, without writing any of them."""
    root = os.path.join(workspace.path, VIEWS)
    read = _changed_views(workspace, root, before)
    if not read.pages:
        return Taken(Synced(problems=tuple(read.problems)), waiting=read.waiting)
    store = workspace.store
    with store.reading() if dry_run else store.writing():
        pages = [_with_marks(workspace, root, page, read.written) for page in read.pages]
        pages = [_without_forgotten(workspace, page) for page in pages]
        plan = decide(pages, _held(workspace, pages), deletions)
        synced = _told(plan) if dry_run else _do(workspace, root, pages, plan, read.written)
    problems = (*read.problems, *plan.problems)
    synced = synced._replace(
        conflicts=tuple(plan.conflicts), problems=problems, notes=tuple(plan.notes)
    )
    held = {one.file for one in (*plan.conflicts, *problems)}
    settled = {name: hash for name, hash in read.hashes.items() if name not in held}
    return Taken(synced, {} if dry_run else settled, read.waiting)


def _without_forgotten(workspace: Workspace, page: EditedView) -> EditedView:
    """A page without entries of memories that were forgotten: an old copy of a view brings none of
    them back."""
    marks = workspace.memory.forgotten()
    if marks is None:
        return page
    return page._replace(
        lines=[line for line in page.lines if not (line.id and marks.has("memory", 0, line.id))]
    )


# Reading


def _changed_views(workspace: Workspace, root: str, before: int | None) -> _Read:
    space, store = workspace.memory.space, workspace.store
    last, problems = _last_written(root, space)
    files = last.files if last else {}
    pages: list[EditedView] = []
    hashes: dict[str, str] = {}
    waiting = False
    for name in _names(root, files):
        if last and name in files and manifest.change_of(root, name, last) != "edited":
            continue
        if before is not None and _changed_after(os.path.join(root, name), before):
            waiting = True
            continue
        try:
            text, hash = manifest.read(root, name)
            if text or name not in files:  # an empty one is what a power cut leaves
                _check_marker(name, text, space)
                _check_merged(text)
                written = files[name].ids if name in files else {}
                known = partial(workspace.rendered.in_file, store, name)
                pages.append(page_of(name, text, written, known))
            hashes[name] = hash
        except NotFoundError:
            continue
        except InputError as error:
            problems.append(_problem(name, error))
    written_as = {name: row.sha256 for name, row in files.items()}
    return _Read(pages, hashes, written_as, problems, waiting)


def _last_written(root: str, space: str) -> tuple[manifest.Manifest | None, list[FileProblem]]:
    """The manifest; without it the versions that stand in the views still tell what was edited."""
    try:
        found = manifest.load(root)
    except InputError as error:
        return None, [_problem(manifest.MANIFEST, error)]
    if found is not None and found.masked:
        raise InputError(
            "{path} contains masked copies, which cannot be synced",
            hint="edit the text views that `loxodon export` writes",
            path=root,
        )
    if found is not None and found.space != space:
        raise InputError(
            "{path} contains the text views of the space {owner}",
            hint="select it with --space",
            path=root,
            owner=repr(found.space),
        )
    return found, []


def _names(root: str, files: Mapping[str, object]) -> list[str]:
    """The views that are read back: those that were written, and others that are there."""
    try:
        months = sorted(os.listdir(os.path.join(root, insights.FOLDER)))
    except OSError:
        months = []
    there = [
        insights.NAME,
        projects.NAME,
        *(f"{insights.FOLDER}/{month}" for month in months),
        *records.FILES,
    ]
    found = [name for name in there if os.path.isfile(os.path.join(root, name))]
    return [name for name in dict.fromkeys([*files, *found]) if manifest.editable(name)]


def _check_marker(name: str, text: str, space: str) -> None:
    """Refuse a file that is not this view of this space."""
    mark = marker_of(text)
    if mark is None or mark.view != name:
        raise InputError(
            "its first line, which marks it as a text view, is missing",
            hint="restore that line, or move the file away to get a new view",
        )
    if mark.space != space:
        raise InputError(
            "it belongs to the space {owner}", hint="move it away", owner=repr(mark.space)
        )
    if mark.version > VERSION:
        raise InputError("it was written by a newer version of Loxodon", hint="update Loxodon")


_MERGING = re.compile(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


def _check_merged(text: str) -> None:
    """Refuse a file with two versions of the same lines, as git leaves them behind."""
    if mark := _MERGING.search(text):
        raise InputError(
            "it contains a merge conflict, from line {line} on",
            hint="resolve the conflict, and remove its markers",
            line=text.count("\n", 0, mark.start()) + 1,
        )


def _problem(name: str, error: InputError) -> FileProblem:
    """An error about a file; without the name of the file, which is told apart."""
    reason = error.values.get("reason")
    what, hint = (reason if isinstance(reason, InputError) else error).localized()
    return FileProblem(name, 0, what, hint)


def _changed_after(path: str, moment: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns > moment
    except OSError:
        return False


# What the memory has


def _held(workspace: Workspace, pages: Sequence[EditedView]) -> CurrentMemories:
    store, zone = workspace.store, workspace.zone
    ids = {line.id for page in pages for line in page.lines if line.id}
    ids |= {id for page in pages for id in page.written if id not in page.untouched}
    if len(ids) > _FEW:
        now = {record.id: record for record in store.find(Filter()) if record.id in ids}
    else:
        found = ((id, store.get(id)) for id in ids)
        now = {id: record for id, record in found if record is not None}
    histories: dict[str, dict[int, Record]] = {}

    def at(id: str, version: int) -> Record | None:
        if id not in histories:
            # What it took the place of comes first in its history, and has versions of its own.
            steps = [step for step in store.history(id) if step.record.id == id]
            histories[id] = {step.version: step.record for step in steps}
        return histories[id].get(version)

    def check(values: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
        return fields.checked(values, kind, zone)

    return CurrentMemories(now, at, check)


class _Mark(NamedTuple):
    """What was taken from a view before."""

    written: str = ""
    """The hash of the view as it had been written then."""
    taken: Mapping[str, int] = {}
    known: Mapping[str, str] = {}
    """As `Page` has them: they hold until it is written anew."""
    ours: Mapping[str, int] = {}
    named: Mapping[str, str] = {}
    """The same of all times, the latest of them: an editor may still have an older copy open."""


def _mark(workspace: Workspace, path: str) -> _Mark:
    kept = workspace.store.scalar("mark", path, "") or ""
    return _Mark(**json.loads(kept)) if kept else _Mark()


def _with_marks(
    workspace: Workspace, root: str, page: EditedView, written: Mapping[str, str]
) -> EditedView:
    """A page with what was taken from it before."""
    mark = _mark(workspace, os.path.join(root, page.file))
    page = page._replace(ours=mark.ours)
    if mark.written == written.get(page.file, ""):
        return page._replace(taken=mark.taken, known=mark.known)
    return page._replace(lines=_named(page, mark.named))


def _named(page: EditedView, named: Mapping[str, str]) -> list[EditedEntry]:
    """The lines of a page. One that got an id when the view was written anew has it still, though
    an editor that had the file open before has written it without."""
    here = page.ids
    fresh = [line for line in page.lines if not line.id]
    ids: dict[int, str] = {}
    for line, digest in zip(fresh, digests(fresh), strict=True):
        id = named.get(digest, "")
        if id in page.written and id not in here:
            ids[line.line] = id
    return [line._replace(id=line.id or ids.get(line.line, "")) for line in page.lines]


# Doing


def _told(plan: SyncPlan) -> Synced:
    """What a plan would do; a new memory has no name yet but the place where it stands."""
    return Synced(
        tuple(f"{new.line.file}:{new.line.line}" for new in plan.new),
        tuple(edit.id for edit in plan.edits if edit.fields),
        tuple(edit.id for edit in plan.edits if edit.state == "archived"),
        tuple(edit.id for edit in plan.edits if edit.state == "active"),
    )


def _do(
    workspace: Workspace,
    root: str,
    pages: Sequence[EditedView],
    plan: SyncPlan,
    written: Mapping[str, str],
) -> Synced:
    versions = {edit.id: _edit(workspace, edit) for edit in plan.edits}
    added = {id(new): _capture(workspace, new) for new in plan.new}
    for page in pages:
        taken = {edit.id: versions[edit.id] for edit in plan.edits if page.file in edit.files}
        known = {new.digest: added[id(new)] for new in plan.new if new.line.file == page.file}
        if taken or known:
            _set_mark(
                workspace,
                os.path.join(root, page.file),
                _Mark(
                    written.get(page.file, ""),
                    {**page.taken, **taken},
                    {**page.known, **known},
                    taken,
                    known,
                ),
            )
    return _told(plan)._replace(added=tuple(added.values()))


def _set_mark(workspace: Workspace, path: str, mark: _Mark) -> None:
    before = _mark(workspace, path)
    ours, named = {**before.ours, **mark.ours}, {**before.named, **mark.named}
    mark = mark._replace(ours=_latest(ours), named=_latest(named))
    workspace.store.execute(
        "set_mark", path, "", json.dumps(mark._asdict()), workspace.memory.now()
    )


def _latest(found: dict[str, _T]) -> dict[str, _T]:
    return dict(list(found.items())[-_REMEMBERED:])


def _edit(workspace: Workspace, edit: Edit) -> int:
    """Change a memory; the version that it has then."""
    memory = workspace.memory
    record = memory.edit(edit.id, **cast("Changes", edit.fields))
    if edit.state == "archived":
        record = memory.archive(edit.id)
    elif edit.state == "active":
        record = memory.unarchive(edit.id)
    return record.version


def _capture(workspace: Workspace, new: New) -> str:
    """Keep a memory that a person wrote; its id."""
    memory, line = workspace.memory, new.line
    given = {name: value for name, value in line.fields.items() if name in _FIXED}
    source = Source(file=f"{VIEWS}/{line.file}", line=line.line)
    record = memory.capture(kind=line.kind, source=source, **given)
    rest = {name: value for name, value in line.fields.items() if name not in _FIXED}
    if rest:
        memory.edit(record.id, **cast("Changes", rest))
    if line.state == "archived":
        memory.archive(record.id)
    return record.id
