"""Taking in what a person changed on the pages, as that person's own change.

Files are read first; then, in one transaction, `edits` decides what becomes of each change and it
is done, so that two syncs at once take nothing twice, and one that is killed loses nothing.
Afterwards the notes beside the views are indexed, and the pages whose changes were all taken are
written anew. A page with something that cannot be taken stays as it is, and nothing of it is taken.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from loxodon import fields
from loxodon.errors import InputError, LoxodonError, NotFoundError, refused
from loxodon.layout import VIEWS
from loxodon.messages import t
from loxodon.notes.index import Indexed
from loxodon.store import Filter
from loxodon.types import FileProblem, Kind, Record, Source
from loxodon.views import entries, manifest, records
from loxodon.views.edits import CurrentMemories, EditedEntry, EditedView, SyncPlan, decide

if TYPE_CHECKING:
    from loxodon.verbs import Changes
    from loxodon.views.workspace import Workspace

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
    make: bool = True,
) -> tuple[Synced, bool]:
    """Take in what changed in the workspace; also whether something was left for later.

    `before` leaves pages alone that were changed after that moment (nanoseconds): they may not be
    whole yet. Without `make` the views are written only where there are some.
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
    if _has_views(workspace, make):
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
    told = {one.file for one in (*synced.problems, *synced.conflicts)}
    news = (one for one in kept if one.file not in told)
    return synced._replace(notes=(*synced.notes, *news))


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
                page = _page(name, text, row.ids if row else {}, workspace.memory.space)
                pages.append(page._replace(base=row.sha256 if row else ""))
            hashes[name] = hash
        except NotFoundError:
            continue
        except InputError as error:
            problems.append(_problem(name, error))
    if not pages:
        return Taken(Synced(problems=tuple(problems)), waiting=waiting)
    with store.reading() if dry_run else store.writing():
        pages = [_without_forgotten(workspace, page) for page in pages]
        plan = decide(pages, _held(workspace, pages), deletions)
        synced = _told(plan) if dry_run else _do(workspace, pages, plan)
    problems += plan.problems
    synced = synced._replace(
        conflicts=tuple(plan.conflicts), problems=tuple(problems), notes=tuple(plan.notes)
    )
    settled = {name: hash for name, hash in hashes.items() if name not in plan.refused}
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
    there = [entries.INSIGHTS, entries.PROJECTS, *records.FILES]
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
    now = {record.id: record for record in store.find(Filter()) if record.id in ids}
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


def _without_forgotten(workspace: Workspace, page: EditedView) -> EditedView:
    """An old copy of a page brings back nothing that was forgotten."""
    if (forgotten := workspace.memory.forgotten()) is None:
        return page
    kept = [one for one in page.entries if not (one.id and forgotten.has("memory", 0, one.id))]
    return page._replace(entries=kept)


# Doing


def _told(plan: SyncPlan) -> Synced:
    """What a plan would do; a new memory has no name yet but the place where it was written."""
    return Synced(
        tuple(f"{new.file}:{new.line}" for new in plan.new),
        tuple(edit.id for edit in plan.edits if edit.fields),
        tuple(edit.id for edit in plan.edits if edit.state == "archived"),
        tuple(edit.id for edit in plan.edits if edit.state == "active"),
    )


def _do(workspace: Workspace, pages: Sequence[EditedView], plan: SyncPlan) -> Synced:
    memory = workspace.memory
    for edit in plan.edits:
        memory.edit(edit.id, **cast("Changes", edit.fields))
        if edit.state:
            memory.archive(edit.id) if edit.state == "archived" else memory.unarchive(edit.id)
    bases = {page.file: page.base for page in pages}
    added = [_capture(workspace, new, bases[new.file]) for new in plan.new]
    return _told(plan)._replace(added=tuple(added))


def _capture(workspace: Workspace, entry: EditedEntry, base: str) -> str:
    """Keep a memory that a person wrote; its id. The same page again adds nothing."""
    memory = workspace.memory
    given = {name: value for name, value in entry.fields.items() if name in _CAPTURED}
    source = Source(file=f"{VIEWS}/{entry.file}", line=entry.line)
    said = json.dumps([base, entry.kind, entry.line, entry.fields], default=str, sort_keys=True)
    token = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    record = memory.capture(kind=entry.kind, source=source, token=token, **given)
    rest = {name: value for name, value in entry.fields.items() if name not in _CAPTURED}
    if rest:
        memory.edit(record.id, **cast("Changes", rest))
    return record.id
