"""Taking in what a person changed on insights.md, as that person's own change.

The page is read first; then, in one transaction, it is decided what becomes of each change and it
is done, so that two syncs at once take nothing twice, and one that is killed loses nothing.
Afterwards the notes beside the views are indexed and the views are written anew.

Three things are compared for each memory: the record as it was when the page was written (the
base), the page as it is now, and the record as it is now. What differs between the first two is the
person's change. It is taken unless the memory was changed in the same place meanwhile: that is a
conflict, which is told and never guessed at. Of a page with a conflict, or with a line that cannot
be read, nothing is taken. Where an entry stands on the page changes nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple, cast

from loxodon import fields
from loxodon.errors import InputError, LoxodonError, NotFoundError, refused
from loxodon.fields import EDITABLE
from loxodon.layout import VIEWS
from loxodon.messages import t, tn
from loxodon.notes.index import Indexed
from loxodon.store import Filter
from loxodon.store.rows import grouped
from loxodon.types import FileProblem, Record, Source
from loxodon.verbs import Changes
from loxodon.views import manifest
from loxodon.views.insights import EditedEntry, EditedPage, read_page
from loxodon.views.manifest import INSIGHTS, MANIFEST
from loxodon.views.workspace import Workspace

MANY = 20  # memories that may be gone from the page at once, even where that is more than half
_SHOWN = 200  # characters of a value in a message
_MERGING = re.compile(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


class Synced(NamedTuple):
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()  # the ids of memories that a person changed on the page
    conflicts: tuple[FileProblem, ...] = ()  # edits of a memory that has changed meanwhile
    problems: tuple[FileProblem, ...] = ()  # lines that cannot be read
    notes: tuple[FileProblem, ...] = ()  # edits taken otherwise than written, or not read back
    indexed: Indexed = Indexed()


class Taken(NamedTuple):
    synced: Synced
    settled: Mapping[str, str] = {}  # the page to write anew, with the hash of what was read


def sync(workspace: Workspace, *, deletions: bool = False, dry_run: bool = False) -> Synced:
    memory = workspace.memory
    if not memory.has_views:
        what, hint = refused("views").localized()
        if memory.keys:
            what = t("this memory is encrypted, so it has no text views to sync")
            hint = t("change a memory with `loxodon edit`")
        told = Synced(notes=(FileProblem(VIEWS, 0, what, hint),))
        return told if dry_run else told._replace(indexed=workspace.index())
    taken = take_in(workspace, deletions=deletions, dry_run=dry_run)
    if dry_run:
        return taken.synced
    synced = taken.synced._replace(indexed=workspace.index())
    unreadable = any(problem.file == MANIFEST for problem in synced.problems)
    written = os.path.exists(os.path.join(workspace.path, VIEWS, MANIFEST))
    if unreadable or not (written or (workspace.has_views and not workspace.is_empty)):
        return synced  # an export would only say the same, or nothing
    try:
        kept = workspace.export(settled=taken.settled).kept
    except LoxodonError as error:  # which undoes nothing of what was taken in
        problem = FileProblem(VIEWS, 0, *error.localized())
        return synced._replace(problems=(*synced.problems, problem))
    told_of = {one.file for one in (*synced.problems, *synced.conflicts)}
    news = (one for one in kept if one.file not in told_of)
    return synced._replace(notes=(*synced.notes, *news))


def take_in(workspace: Workspace, *, deletions: bool = False, dry_run: bool = False) -> Taken:
    """Take in what a person changed on the page, without writing it."""
    root, store = os.path.join(workspace.path, VIEWS), workspace.store
    problems: list[FileProblem] = []
    last = None
    try:
        last = manifest.load(root)
    except InputError as error:  # the versions on the page still tell what was edited
        problems.append(_problem(MANIFEST, error))
    if last and last.space != workspace.memory.space:
        raise manifest.of_other_space(root, last.space)
    row = last.files.get(INSIGHTS) if last else None
    nothing = Taken(Synced(problems=tuple(problems)))
    if last and row and manifest.change_of(root, INSIGHTS, last) != "edited":
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
    with store.reading() if dry_run else store.writing():
        forgotten = workspace.memory.forgotten()
        if forgotten is not None:  # an old copy of the page brings back nothing that was forgotten
            kept = [
                one for one in page.entries if not (one.id and forgotten.has("memory", 0, one.id))
            ]
            page = page._replace(entries=kept)
        plan = _Plan(workspace, page, deletions)
        plan.decide()
        if plan.conflicts or plan.problems:
            plan.edits, plan.archived, plan.new = {}, [], []
        added = [f"{INSIGHTS}:{one.line}" for one in plan.new]  # which have no other name yet
        if not dry_run:
            added = plan.carry_out(row.sha256 if row else "")
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


class _Plan:
    """What becomes of each change on a page; with `deletions` what is missing was deleted."""

    def __init__(self, workspace: Workspace, page: EditedPage, deletions: bool) -> None:
        self._memory, self._store = workspace.memory, workspace.store
        self._zone = workspace.zone
        self._page, self._deletions = page, deletions
        ids = {*page.written, *(entry.id for entry in page.entries)}
        self._now = {one.id: one for one in self._store.find(Filter()) if one.id in ids}
        self.edits: dict[str, Mapping[str, Any]] = {}
        self.archived: list[str] = []
        self.new: list[EditedEntry] = []
        self.conflicts: list[FileProblem] = []
        self.problems = list(page.problems)
        self.notes: list[FileProblem] = []  # what a person should know; it hinders nothing

    def decide(self) -> None:
        if self.problems:
            return
        by_id = grouped((entry.id, entry) for entry in self._page.entries)
        missing = self._page.written.keys() - by_id.keys()
        gone = {id: one for id, one in self._now.items() if id in missing}
        ids = {record.content: id for id, record in gone.items()}
        for entry in by_id.pop("", ()):
            # An editor that had the file open writes what is new without the id it was given.
            if id := ids.pop(entry.fields.get("content", ""), ""):
                del gone[id]
                by_id[id] = [entry._replace(id=id)]
            else:
                self._add(entry)
        for entries in by_id.values():
            # What was copied without its last line says less.
            entry = max(entries, key=lambda one: len(one.fields))
            differ = next(filter(None, (_difference(one, entry) for one in entries)), None)
            if differ:
                hint = t("keep one of them; without its id, the other becomes a new memory")
                self._conflict(entry.line, entry.id, differ, hint)
            else:
                self._take(entry)
        if gone:
            self._archive(gone)

    def carry_out(self, base: str) -> list[str]:
        """Do what was decided; the ids of the new memories. `base` is the page's former hash."""
        added: list[str] = []
        for id, changed in self.edits.items():
            self._memory.edit(id, **cast("Changes", changed))
        for id in self.archived:
            self._memory.archive(id)
        for new in self.new:
            # The same page again adds nothing.
            said = json.dumps([base, "fact", new.line, new.fields], default=str, sort_keys=True)
            token = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
            source = Source(file=f"{VIEWS}/{INSIGHTS}", line=new.line)
            added.append(self._memory.capture(source=source, token=token, **new.fields).id)
        return added

    def _add(self, entry: EditedEntry) -> None:
        if fields := self._checked(entry, {"content": "", **entry.fields}):
            self.new.append(entry._replace(fields=fields))
            if entry.archived:
                what = t("what is new is active: it was added to the active memories, not here")
                self.notes.append(FileProblem(INSIGHTS, entry.line, what))

    def _take(self, entry: EditedEntry) -> None:
        record, written = self._now.get(entry.id), self._page.written.get(entry.id, 0)
        if record is None and written:
            what = t("{id} is no longer in the memory", id=entry.id)
            hint = t("delete the line, or remove its id to make it a new memory")
            self.problems.append(FileProblem(INSIGHTS, entry.line, what, hint))
            return
        if record is None:  # copied from elsewhere
            self._add(entry)
            what = t("{id} is unknown: added as a new memory", id=entry.id)
            self.notes.append(FileProblem(INSIGHTS, entry.line, what))
            return
        base = self._at(record, entry.version or written)
        if base is None:
            what = t("{id} never had a version {version}", id=entry.id, version=entry.version)
            hint = t("it is at version {version}", version=record.version)
            self.problems.append(FileProblem(INSIGHTS, entry.line, what, hint))
            return
        changed = _changes(self._checked(entry, _changes(entry.fields, base)), base)
        for name, value in changed.items():
            if getattr(record, name) not in (getattr(base, name), value):
                hint = t(
                    "to apply your edit, set its version to {version}; to discard it, write what "
                    "the memory has",
                    version=record.version,
                )
                self._conflict(entry.line, entry.id, (name, value, getattr(record, name)), hint)
                return
        if fields := _changes(changed, record):
            self.edits[entry.id] = fields

    def _archive(self, gone: Mapping[str, Record]) -> None:
        written = self._page.written
        left = [entry for entry in self._page.entries if entry.id]
        is_older = any(0 < entry.version < written.get(entry.id, 0) for entry in left)
        many = not left or (len(gone) > MANY and 2 * len(gone) > len(written))
        living = any(record.state == "active" for record in gone.values())
        doubtful = many or is_older or not self._page.ended
        if doubtful and living and not self._deletions:
            what = tn(
                "missing: {gone} of its {n} memory; none was archived",
                "missing: {gone} of its {n} memories; none was archived",
                len(written),
                gone=len(gone),
            )
            hint = t(
                "to archive them, run `loxodon sync --deletions`; to get them back, delete the "
                "file and run `loxodon export`"
            )
            self.conflicts.append(FileProblem(INSIGHTS, 0, what, hint))
            return
        for id, record in gone.items():
            base = self._at(record, written[id]) or record
            edited = any(getattr(base, name) != getattr(record, name) for name in EDITABLE)
            if base.state == "archived":
                what = t("{id} is already archived; deleting its line does not delete it", id=id)
                self.notes.append(FileProblem(INSIGHTS, 0, what))
            elif record.state == "archived":
                continue
            elif edited and not self._deletions:
                hint = t(
                    "to archive it, run `loxodon archive {id}`; to keep it, put its line back",
                    id=id,
                )
                self._conflict(0, id, ("content", t("deleted"), record.content), hint)
            else:
                self.archived.append(id)

    def _at(self, record: Record, version: int) -> Record | None:
        """A memory as it was at a version; None if it never had it."""
        if version in (0, record.version):
            return record
        # What it took the place of comes first in its history, and has versions of its own.
        steps = [step for step in self._store.history(record.id) if step.record.id == record.id]
        return next((step.record for step in steps if step.version == version), None)

    def _checked(self, entry: EditedEntry, given: Mapping[str, Any]) -> dict[str, Any]:
        """What may be kept of fields; empty, and told, where they cannot be."""
        try:
            return fields.checked(given, "fact", self._zone)
        except InputError as error:
            self.problems.append(FileProblem(INSIGHTS, entry.line, *error.localized()))
            return {}

    def _conflict(self, line: int, id: str, differ: tuple[str, Any, Any], hint: str) -> None:
        """Tell of a field that is one thing here, and another elsewhere."""
        field, here, there = differ
        what = t(
            "{id} was changed in two places: {field} is {here} here, {there} elsewhere",
            id=id,
            field=field,
            here=_shown(here),
            there=_shown(there),
        )
        self.conflicts.append(FileProblem(INSIGHTS, line, what, hint))


def _changes(fields: Mapping[str, Any], base: Record) -> dict[str, Any]:
    """The fields that differ from a record, as far as a page writes them: numbers are rounded."""

    def same(one: object, other: object) -> bool:
        if isinstance(one, float) and isinstance(other, float):
            return f"{one:.4g}" == f"{other:.4g}"
        return one == other

    return {name: value for name, value in fields.items() if not same(value, getattr(base, name))}


def _difference(one: EditedEntry, other: EditedEntry) -> tuple[str, Any, Any] | None:
    a, b = one.fields, other.fields
    return next(((n, a[n], b[n]) for n in sorted(a.keys() & b.keys()) if a[n] != b[n]), None)


def _shown(value: object) -> str:
    """A value as a message has it, cut where it is long."""
    text = ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"“{text[:_SHOWN]}…”" if len(text) > _SHOWN else f"“{text}”"
