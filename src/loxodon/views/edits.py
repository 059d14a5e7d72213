"""What a person changed on the page of facts, and what becomes of it. Pure: the page and the
memories are handed in.

Three things are compared for each memory: the record as it was when the page was written (the
base), the page as it is now, and the record as it is now. What differs between the first two is the
person's change. It is taken unless the memory was changed in the same place meanwhile: that is a
conflict, which is told and never guessed at. Of a page with a conflict, or with a line that cannot
be read, nothing is taken. Where an entry stands on the page changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.fields import EDITABLE
from loxodon.messages import t, tn
from loxodon.types import FileProblem, Record

MANY = 20  # memories that may be gone from the page at once, even where that is more than half
_SHOWN = 200


class EditedEntry(NamedTuple):
    """An entry of the page as it is now."""

    line: int
    fields: Mapping[str, Any]  # by the names of `Record`; what it does not say is as it was
    id: str = ""  # empty for a new one
    version: int = 0  # the version that it names; 0 for none
    archived: bool = False  # whether it stands among the archived facts


class EditedPage(NamedTuple):
    file: str
    entries: Sequence[EditedEntry]
    problems: Sequence[FileProblem] = ()  # what of it cannot be read
    written: Mapping[str, int] = {}  # the memories that were on it, with their versions
    ended: bool = True  # whether its last line is whole
    base: str = ""  # the hash of the page as it was written


class SyncPlan(NamedTuple):
    """What a sync is to do, and what it cannot."""

    edits: dict[str, Mapping[str, Any]]
    archived: list[str]
    new: list[EditedEntry]
    conflicts: list[FileProblem]
    problems: list[FileProblem]
    notes: list[FileProblem]  # what a person should know; it hinders nothing


class CurrentMemories(NamedTuple):
    now: Mapping[str, Record]  # every memory that the page names
    at: Callable[[str, int], Record | None]  # as it was at a version; None if it never had it
    check: Callable[[Mapping[str, Any]], dict[str, Any]]  # `fields.checked`, of a fact


def decide(page: EditedPage, held: CurrentMemories, deletions: bool = False) -> SyncPlan:
    """What becomes of the changes on a page.

    With `deletions` every missing entry counts as deleted on purpose: also where most of the page
    is gone, and where the memory was changed meanwhile.
    """
    deciding = _Deciding(page, held, deletions)
    if not page.problems:
        deciding.read()
    plan = deciding.plan
    return plan._replace(edits={}, archived=[], new=[]) if plan.conflicts + plan.problems else plan


class _Deciding:
    def __init__(self, page: EditedPage, held: CurrentMemories, deletions: bool) -> None:
        self.page = page
        self.held = held
        self.deletions = deletions
        self.plan = SyncPlan({}, [], [], [], list(page.problems), [])

    def read(self) -> None:
        """Take up what the page says, and what it no longer says."""
        by_id: dict[str, list[EditedEntry]] = {}
        for entry in self.page.entries:
            by_id.setdefault(entry.id, []).append(entry)
        known = ((id, self.held.now.get(id)) for id in self.page.written if id not in by_id)
        gone = {id: record for id, record in known if record is not None}
        ids = {record.content: id for id, record in gone.items()}
        for entry in by_id.pop("", ()):
            # An editor that had the file open writes what is new without the id it was given.
            if id := ids.pop(entry.fields.get("content", ""), ""):
                del gone[id]
                by_id[id] = [entry._replace(id=id)]
            else:
                self._add(entry)
        older = 0
        for entries in by_id.values():
            # What was copied without its last line says less.
            entry = max(entries, key=lambda one: len(one.fields))
            for one in entries:
                if differ := _difference(one.fields, entry.fields):
                    hint = t("keep one of them; without its id, the other becomes a new memory")
                    place = f"{self.page.file}:{entry.line}"
                    self._conflict(one.line, one.id, differ, place, hint)
                    break
            else:
                older += self._entry(entry)
        if older:
            what = tn(
                "not changed, because it has an older version: {n} entry",
                "not changed, because they have an older version: {n} entries",
                older,
            )
            hint = t("to apply one anyway, set its version to the memory's current version")
            self.plan.notes.append(FileProblem(self.page.file, 0, what, hint))
        if gone:
            self._missing(gone, is_torn=not self.page.ended or older > 0)

    def _entry(self, entry: EditedEntry) -> bool:
        """Take up one entry; whether it says what its memory was before the page was written."""
        record = self.held.now.get(entry.id)
        written = self.page.written.get(entry.id, 0)
        if record is None and written:
            what = t("{id} is no longer in the memory", id=entry.id)
            hint = t("delete the line, or remove its id to make it a new memory")
            self._problem(entry, what, hint)
            return False
        if record is None:  # copied from elsewhere
            self._add(entry)
            what = t("{id} is unknown: added as a new memory", id=entry.id)
            self.plan.notes.append(FileProblem(self.page.file, entry.line, what))
            return False
        base = self._at(record, entry.version or written)
        if base is None:
            what = t("{id} never had a version {version}", id=entry.id, version=entry.version)
            self._problem(entry, what, t("it is at version {version}", version=record.version))
            return False
        changed = _changes(self._checked(entry, _changes(entry.fields, base)), base)
        if not changed:
            return bool(_changes(entry.fields, record)) and 0 < entry.version < written
        for name, value in changed.items():
            if getattr(record, name) not in (getattr(base, name), value):
                hint = t(
                    "to apply your edit, set its version to {version}; to discard it, write what "
                    "the memory has",
                    version=record.version,
                )
                differ = (name, value, getattr(record, name))
                self._conflict(entry.line, entry.id, differ, t("the memory"), hint)
                return False
        if fields := _changes(changed, record):
            self.plan.edits[entry.id] = fields
        return False

    def _at(self, record: Record, version: int) -> Record | None:
        return record if version in (0, record.version) else self.held.at(record.id, version)

    def _add(self, entry: EditedEntry) -> None:
        if fields := self._checked(entry, {"content": "", **entry.fields}):
            self.plan.new.append(entry._replace(fields=fields))
            if entry.archived:
                what = t("what is new is active: it was added to the active memories, not here")
                self.plan.notes.append(FileProblem(self.page.file, entry.line, what))

    def _checked(self, entry: EditedEntry, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What may be kept of fields; empty, and told, where they cannot be."""
        try:
            return self.held.check(fields)
        except InputError as error:
            self._problem(entry, *error.localized())
            return {}

    def _problem(self, entry: EditedEntry, what: str, hint: str) -> None:
        self.plan.problems.append(FileProblem(self.page.file, entry.line, what, hint))

    def _conflict(
        self, line: int, id: str, differ: tuple[str, Any, Any], other: str, hint: str
    ) -> None:
        """Tell of something that is one way here, and another in the `other` place."""
        what = t(
            "{id} was changed in two places: {field} is {here} here, {there} in {other}",
            id=id,
            field=differ[0],
            here=_shown(differ[1]),
            there=_shown(differ[2]),
            other=other,
        )
        self.plan.conflicts.append(FileProblem(self.page.file, line, what, hint))

    def _missing(self, gone: Mapping[str, Record], *, is_torn: bool) -> None:
        """Take up what was deleted, where that can be believed."""
        written = self.page.written
        left = any(entry.id for entry in self.page.entries)
        many = not left or (len(gone) > MANY and 2 * len(gone) > len(written))
        living = any(record.state == "active" for record in gone.values())
        if (is_torn or many) and living and not self.deletions:
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
            self.plan.conflicts.append(FileProblem(self.page.file, 0, what, hint))
            return
        for id, record in gone.items():
            base = self._at(record, written[id])
            if base is None or base.state == "archived":
                what = t("{id} is already archived; deleting its line does not delete it", id=id)
                self.plan.notes.append(FileProblem(self.page.file, 0, what))
            elif record.state == "active" and _touched(base, record) and not self.deletions:
                hint = t(
                    "to archive it, run `loxodon archive {id}`; to keep it, put its line back",
                    id=id,
                )
                differ = ("content", t("deleted"), record.content)
                self._conflict(0, id, differ, t("the memory"), hint)
            elif record.state == "active":
                self.plan.archived.append(id)


def _changes(fields: Mapping[str, Any], base: Record) -> dict[str, Any]:
    """The fields that differ from a record."""
    return {n: value for n, value in fields.items() if not _same(value, getattr(base, n))}


def _same(one: object, other: object) -> bool:
    """Whether two values are the same as far as a page writes them: numbers are rounded there."""
    if isinstance(one, float) and isinstance(other, float):
        return f"{one:.4g}" == f"{other:.4g}"
    return one == other


def _touched(base: Record, record: Record) -> bool:
    """Whether what a person sees of a memory was changed."""
    return any(getattr(base, name) != getattr(record, name) for name in EDITABLE)


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """The first field that two say differently, and what it is in each."""
    shared = sorted(one.keys() & other.keys())
    return next(((n, one[n], other[n]) for n in shared if one[n] != other[n]), None)


def _shown(value: object) -> str:
    """A value as a message has it, cut where it is long."""
    text = ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"“{text[:_SHOWN]}…”" if len(text) > _SHOWN else f"“{text}”"
