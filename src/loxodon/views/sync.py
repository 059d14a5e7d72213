"""Taking in what a person changed on the pages, as that person's own change.

Files are read first; then, in one transaction, `edits` decides what becomes of each change and it
is done, so that two syncs at once take nothing twice, and one that is killed loses nothing.
Afterwards the notes beside the views are indexed, and the pages whose changes were all taken are
written anew. A page with something that could not be taken stays as it is; what was taken of it is
kept as a mark (`WorkspaceData.set_mark`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from loxodon import fields
from loxodon.errors import InputError, LoxodonError, NotFoundError, refused
from loxodon.layout import VIEWS
from loxodon.messages import t
from loxodon.notes.index import Indexed
from loxodon.store import Filter
from loxodon.types import FileProblem, Kind, Record, Source
from loxodon.views import entries, manifest, records
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
    from loxodon.verbs import Changes
    from loxodon.views.workspace import Workspace

_FEW = 200  # memories that are read one by one; more are read all together
_REMEMBERED = 500  # changes from one page that are remembered
_CAPTURED = frozenset(
    [
        "content",
        "importance",
        "confidence",
        "entities",
        "tags",
        "project",
        "topic",
        "category",
        "expires_at",
    ]
)
_MERGING = re.compile(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


class Synced(NamedTuple):
    """What was taken in from the workspace."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    unarchived: tuple[str, ...] = ()  # the ids of memories that a person changed in a view
    conflicts: tuple[FileProblem, ...] = ()  # edits of a memory that has changed meanwhile
    problems: tuple[FileProblem, ...] = ()  # lines that cannot be read
    notes: tuple[FileProblem, ...] = ()  # edits taken otherwise than written, or not read back
    indexed: Indexed = Indexed()


class Taken(NamedTuple):
    """What was taken in from the pages."""

    synced: Synced
    settled: Mapping[str, str] = {}  # pages to write anew, each with the hash of what was read
    waiting: bool = False  # whether a page was left for later because it had only just changed


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

    `before` leaves pages alone that were changed after that moment (nanoseconds): they may not be
    whole yet. Without `renew` the views are written only where something was taken in, and without
    `make` only where there are some.
    """
    memory = workspace.memory
    if not memory.has_views:
        what, hint = refused("views").localized()
        if memory.encrypted:
            what = t("this memory is encrypted, so it has no text views to sync")
            hint = t("change a memory with `loxodon edit`")
        told = Synced(notes=(FileProblem(VIEWS, 0, what, hint),))
        return told if dry_run else told._replace(indexed=workspace.index()), False
    taken = take_in(workspace, deletions=deletions, dry_run=dry_run, before=before)
    if dry_run:
        return taken.synced, taken.waiting
    synced = taken.synced._replace(indexed=workspace.index())
    if any(problem.file == manifest.MANIFEST for problem in synced.problems):
        return synced, taken.waiting  # an export would only say the same
    changed = synced.added or synced.edited or synced.archived or synced.unarchived
    if _has_views(workspace, make) and (renew or taken.settled or changed):
        synced = _exported(workspace, synced, taken.settled)
    return synced, taken.waiting


def _has_views(workspace: Workspace, make: bool) -> bool:
    """Whether this memory is on disk as text, or is to be."""
    if os.path.exists(os.path.join(workspace.path, VIEWS, manifest.MANIFEST)):
        return True
    if not make or workspace.memory.config.workspace.views == "off":
        return False
    counts = workspace.store.counts()
    return bool(counts.turns or counts.active or counts.archived)


def _exported(workspace: Workspace, synced: Synced, settled: Mapping[str, str]) -> Synced:
    """Write the views; that they cannot be written undoes nothing of what was taken in."""
    try:
        kept = workspace.export(settled=settled).kept
    except LoxodonError as error:
        problem = FileProblem(VIEWS, 0, *error.localized())
        return synced._replace(problems=(*synced.problems, problem))
    told = {problem.file for problem in synced.problems}
    root = os.path.join(workspace.path, VIEWS)

    def is_news(one: FileProblem) -> bool:
        """What is on an editable page was told, or was edited just now: the next sync tells."""
        path = os.path.join(root, one.file)
        plain = os.path.isfile(path) and not os.path.islink(path)
        return one.file not in told and not (manifest.editable(one.file) and plain)

    return synced._replace(notes=(*synced.notes, *filter(is_news, kept)))


def take_in(
    workspace: Workspace,
    *,
    deletions: bool = False,
    dry_run: bool = False,
    before: int | None = None,
) -> Taken:
    """Take in what a person changed on the pages, without writing any of them."""
    root, store = os.path.join(workspace.path, VIEWS), workspace.store
    pages: list[EditedView] = []
    hashes: dict[str, str] = {}
    waiting = False
    last, problems = _last_written(root, workspace.memory.space)
    files = last.files if last else {}
    for name in _names(root, files):
        path = os.path.join(root, name)
        if last and name in files and manifest.change_of(root, name, last) != "edited":
            continue
        if before is not None and os.path.isfile(path) and os.stat(path).st_mtime_ns > before:
            waiting = True
            continue
        try:
            text, hash = manifest.read(root, name)
            row = files.get(name)
            if text or row is None:  # an empty one is what a power cut leaves
                # Which memories were on a page that was being written is not sure.
                written = row.ids if row and not row.was else {}
                pages.append(_page(name, text, written, workspace.memory.space))
            hashes[name] = hash
        except NotFoundError:
            continue
        except InputError as error:
            problems.append(_problem(name, error))
    if not pages:
        return Taken(Synced(problems=tuple(problems)), waiting=waiting)
    with store.reading() if dry_run else store.writing():
        pages = [_with_marks(workspace, root, page) for page in pages]
        plan = decide(pages, _held(workspace, pages), deletions)
        synced = _told(plan) if dry_run else _do(workspace, root, pages, plan)
    problems += plan.problems
    synced = synced._replace(
        conflicts=tuple(plan.conflicts), problems=tuple(problems), notes=tuple(plan.notes)
    )
    stays = {one.file for one in (*plan.conflicts, *problems)}
    settled = {name: hash for name, hash in hashes.items() if name not in stays}
    return Taken(synced, {} if dry_run else settled, waiting)


# Reading


def _last_written(root: str, space: str) -> tuple[manifest.Manifest | None, list[FileProblem]]:
    """The manifest; without it the versions on the pages still tell what was edited."""
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
    """The pages that are read back: those that were written, and others that are there."""
    folder = os.path.join(root, entries.MONTHS)
    months = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    there = [
        entries.INSIGHTS,
        entries.PROJECTS,
        *(f"{entries.MONTHS}{month}" for month in months),
        *records.FILES,
    ]
    found = [name for name in there if os.path.isfile(os.path.join(root, name))]
    return [name for name in dict.fromkeys([*files, *found]) if manifest.editable(name)]


def _page(name: str, text: str, written: Mapping[str, int], space: str) -> EditedView:
    """An edited page; an InputError where it is not this page of this space."""
    if mark := _MERGING.search(text):
        raise InputError(
            "it contains a merge conflict, from line {line} on",
            hint="resolve the conflict, and remove its markers",
            line=text.count("\n", 0, mark.start()) + 1,
        )
    found = manifest.marker_of(text)
    if name in records.FILES and found is None:
        return records.read_lines(name, text, written)
    if found is None or found.view != name:
        raise InputError(
            "its first line, which marks it as a text view, is missing",
            hint="restore that line, or move the file away to get a new view",
        )
    if found.space != space:
        raise InputError(
            "it belongs to the space {owner}", hint="move it away", owner=repr(found.space)
        )
    if found.version > manifest.VERSION:
        raise manifest.newer()
    read = records.read_lines if name in records.FILES else entries.read_page
    return read(name, text, written)


def _problem(name: str, error: InputError) -> FileProblem:
    """An error about a file; without the name of the file, which is told apart."""
    reason = error.values.get("reason")
    what, hint = (reason if isinstance(reason, InputError) else error).localized()
    return FileProblem(name, 0, what, hint)


def _held(workspace: Workspace, pages: Sequence[EditedView]) -> CurrentMemories:
    store, zone = workspace.store, workspace.zone
    ids = {id for page in pages for id in (*page.ids, *page.written)}
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


# Marks


def _mark(workspace: Workspace, path: str) -> dict[str, dict[str, Any]]:
    """What was taken from a page before: the version that each edit made (`ours`), and the memory
    that each entry without an id became (`named`)."""
    return json.loads(workspace.store.scalar("mark", path, "") or "{}")  # type: ignore[no-any-return]


def _with_marks(workspace: Workspace, root: str, page: EditedView) -> EditedView:
    """A page with what was taken from it before, without entries of memories that were forgotten:
    an old copy of a page brings none of them back.

    An entry that became a memory has its id, though the page could not be written anew, or an
    editor that had the file open has written it without.
    """
    store, forgotten = workspace.store, workspace.memory.forgotten()
    mark = _mark(workspace, os.path.join(root, page.file))
    named, here = mark.get("named", {}), page.ids
    ids: dict[int, str] = {}
    fresh = [line for line in page.lines if _is_fresh(workspace, page, line)]
    for line, digest in zip(fresh, digests(fresh), strict=True):
        id = named.get(digest, "")
        if id and id not in here and store.get(id) is not None:
            ids[line.line] = id
    lines = [line._replace(id=ids.get(line.line, line.id)) for line in page.lines]
    if forgotten is not None:
        lines = [line for line in lines if not (line.id and forgotten.has("memory", 0, line.id))]
    return page._replace(lines=lines, ours=mark.get("ours", {}))


def _is_fresh(workspace: Workspace, page: EditedView, line: EditedEntry) -> bool:
    return line.id not in page.written and (not line.id or workspace.store.get(line.id) is None)


# Doing


def _told(plan: SyncPlan) -> Synced:
    """What a plan would do; a new memory has no name yet but the place where it was written."""
    return Synced(
        tuple(f"{new.line.file}:{new.line.line}" for new in plan.new),
        tuple(edit.id for edit in plan.edits if edit.fields),
        tuple(edit.id for edit in plan.edits if edit.state == "archived"),
        tuple(edit.id for edit in plan.edits if edit.state == "active"),
    )


def _do(workspace: Workspace, root: str, pages: Sequence[EditedView], plan: SyncPlan) -> Synced:
    versions = {edit.id: _edit(workspace, edit) for edit in plan.edits}
    added = [_capture(workspace, new) for new in plan.new]
    for page in pages:
        path = os.path.join(root, page.file)
        ours = {edit.id: versions[edit.id] for edit in plan.edits if page.file in edit.files}
        pairs = zip(plan.new, added, strict=True)
        named = {new.digest: id for new, id in pairs if new.line.file == page.file}
        if ours or named:
            before = _mark(workspace, path)
            mark = {
                "ours": _latest({**before.get("ours", {}), **ours}),
                "named": _latest({**before.get("named", {}), **named}),
            }
            now = workspace.memory.now()
            workspace.store.execute("set_mark", path, "", json.dumps(mark), now)
    return _told(plan)._replace(added=tuple(added))


def _latest(found: dict[str, Any]) -> dict[str, Any]:
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
    given = {name: value for name, value in line.fields.items() if name in _CAPTURED}
    source = Source(file=f"{VIEWS}/{line.file}", line=line.line)
    record = memory.capture(kind=line.kind, source=source, **given)
    rest = {name: value for name, value in line.fields.items() if name not in _CAPTURED}
    if rest:
        memory.edit(record.id, **cast("Changes", rest))
    return record.id
