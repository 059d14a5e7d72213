"""Taking in what a person changed on insights.md, as that person's own change.

The page is read first; then, in one transaction, `edits` decides what becomes of each change and it
is done, so that two syncs at once take nothing twice, and one that is killed loses nothing.
Afterwards the notes beside the views are indexed and the views are written anew. A page with
something that cannot be taken stays as it is, and nothing of it is taken.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from loxodon import fields
from loxodon.errors import InputError, LoxodonError, NotFoundError, refused
from loxodon.layout import VIEWS
from loxodon.messages import t
from loxodon.notes.index import Indexed
from loxodon.store import Filter
from loxodon.types import FileProblem, Record, Source
from loxodon.views import manifest
from loxodon.views.edits import CurrentMemories, EditedPage, SyncPlan, decide
from loxodon.views.insights import read_page
from loxodon.views.manifest import INSIGHTS, MANIFEST

if TYPE_CHECKING:
    from loxodon.verbs import Changes
    from loxodon.views.workspace import Workspace

_MERGING = re.compile(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


class Synced(NamedTuple):
    """What was taken in from the workspace."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()  # the ids of memories that a person changed on the page
    conflicts: tuple[FileProblem, ...] = ()  # edits of a memory that has changed meanwhile
    problems: tuple[FileProblem, ...] = ()  # lines that cannot be read
    notes: tuple[FileProblem, ...] = ()  # edits taken otherwise than written, or not read back
    indexed: Indexed = Indexed()


class Taken(NamedTuple):
    """What was taken in from the page."""

    synced: Synced
    settled: Mapping[str, str] = {}  # the page to write anew, with the hash of what was read


def sync(
    workspace: Workspace,
    *,
    deletions: bool = False,
    dry_run: bool = False,
    before: int | None = None,
    make: bool = True,
    always: bool = True,
) -> Synced:
    """Take in what changed in the workspace, and write the views.

    `before` leaves a page alone that was changed after that moment (nanoseconds): it may not be
    whole yet. Without `make` the views are written only where there are some; without `always`,
    only where something was taken in.
    """
    memory = workspace.memory
    if not memory.has_views:
        what, hint = refused("views").localized()
        if memory.encrypted:
            what = t("this memory is encrypted, so it has no text views to sync")
            hint = t("change a memory with `loxodon edit`")
        told = Synced(notes=(FileProblem(VIEWS, 0, what, hint),))
        return told if dry_run else told._replace(indexed=workspace.index())
    taken = take_in(workspace, deletions=deletions, dry_run=dry_run, before=before)
    if dry_run:
        return taken.synced
    synced = taken.synced._replace(indexed=workspace.index())
    unreadable = any(problem.file == MANIFEST for problem in synced.problems)
    wanted = always or taken.settled
    if not wanted or unreadable or not _has_views(workspace, make):
        return synced  # an export would only say the same
    try:
        kept = workspace.export(settled=taken.settled).kept
    except LoxodonError as error:  # which undoes nothing of what was taken in
        problem = FileProblem(VIEWS, 0, *error.localized())
        return synced._replace(problems=(*synced.problems, problem))
    told_of = {one.file for one in (*synced.problems, *synced.conflicts)}
    news = (one for one in kept if one.file not in told_of)
    return synced._replace(notes=(*synced.notes, *news))


def _has_views(workspace: Workspace, make: bool) -> bool:
    """Whether this memory is on disk as text, or is to be."""
    if os.path.exists(os.path.join(workspace.path, VIEWS, MANIFEST)):
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
    """Take in what a person changed on the page, without writing it."""
    root, store = os.path.join(workspace.path, VIEWS), workspace.store
    problems: list[FileProblem] = []
    last = None
    try:
        last = manifest.load(root)
    except InputError as error:  # the versions on the page still tell what was edited
        problems.append(_problem(MANIFEST, error))
    if last:
        _check_ours(root, last, workspace.memory.space)
    row = last.files.get(INSIGHTS) if last else None
    nothing = Taken(Synced(problems=tuple(problems)))
    if last and row and manifest.change_of(root, INSIGHTS, last) != "edited":
        return nothing
    path = os.path.join(root, INSIGHTS)
    if before is not None and os.path.isfile(path) and os.stat(path).st_mtime_ns > before:
        return nothing
    try:
        text, hash = manifest.read(root, INSIGHTS)
        if row and not text:  # what a power cut leaves
            return nothing._replace(settled={INSIGHTS: hash})
        page = _page(text, row.ids if row else {}, workspace.memory.space)
    except NotFoundError:
        return nothing
    except InputError as error:
        return Taken(Synced(problems=(*problems, _problem(INSIGHTS, error))))
    page = page._replace(base=row.sha256 if row else "")
    with store.reading() if dry_run else store.writing():
        forgotten = workspace.memory.forgotten()
        if forgotten is not None:  # an old copy of the page brings back nothing that was forgotten
            kept = [
                one for one in page.entries if not (one.id and forgotten.has("memory", 0, one.id))
            ]
            page = page._replace(entries=kept)
        plan = decide(page, _held(workspace, page), deletions)
        added = [f"{INSIGHTS}:{one.line}" for one in plan.new]  # which have no other name yet
        if not dry_run:
            added = _do(workspace, page, plan)
    synced = Synced(
        tuple(added),
        tuple(plan.edits),
        tuple(plan.archived),
        tuple(plan.conflicts),
        (*problems, *plan.problems),
        tuple(plan.notes),
    )
    taken_whole = not (dry_run or plan.conflicts or plan.problems)
    return Taken(synced, {INSIGHTS: hash} if taken_whole else {})


def _check_ours(root: str, last: manifest.Manifest, space: str) -> None:
    if last.masked:
        raise InputError(
            "{path} contains masked copies, which cannot be synced",
            hint="edit the text views that `loxodon export` writes",
            path=root,
        )
    if last.space != space:
        raise manifest.of_other_space(root, last.space)


def _page(text: str, written: Mapping[str, int], space: str) -> EditedPage:
    """The edited page; an InputError where it is not this page of this space."""
    if mark := _MERGING.search(text):
        raise InputError(
            "it contains a merge conflict, from line {line} on",
            hint="resolve the conflict, and remove its markers",
            line=text.count("\n", 0, mark.start()) + 1,
        )
    found = manifest.marker_of(text)
    if found is None or found.view != INSIGHTS:
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
    return read_page(text, written)


def _problem(name: str, error: InputError) -> FileProblem:
    """An error about a file; without the name of the file, which is told apart."""
    reason = error.values.get("reason")
    what, hint = (reason if isinstance(reason, InputError) else error).localized()
    return FileProblem(name, 0, what, hint)


def _held(workspace: Workspace, page: EditedPage) -> CurrentMemories:
    store = workspace.store
    ids = {*page.written, *(entry.id for entry in page.entries)}
    now = {record.id: record for record in store.find(Filter()) if record.id in ids}

    def at(id: str, version: int) -> Record | None:
        # What it took the place of comes first in its history, and has versions of its own.
        steps = [step for step in store.history(id) if step.record.id == id]
        return next((step.record for step in steps if step.version == version), None)

    def check(values: Mapping[str, Any]) -> dict[str, Any]:
        return fields.checked(values, "fact", workspace.zone)

    return CurrentMemories(now, at, check)


def _do(workspace: Workspace, page: EditedPage, plan: SyncPlan) -> list[str]:
    """Carry out a plan; the ids of the new memories."""
    memory, added = workspace.memory, list[str]()
    for id, changed in plan.edits.items():
        memory.edit(id, **cast("Changes", changed))
    for id in plan.archived:
        memory.archive(id)
    for new in plan.new:
        # The same page again adds nothing.
        said = json.dumps([page.base, "fact", new.line, new.fields], default=str, sort_keys=True)
        token = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        source = Source(file=f"{VIEWS}/{INSIGHTS}", line=new.line)
        added.append(memory.capture(source=source, token=token, **new.fields).id)
    return added
