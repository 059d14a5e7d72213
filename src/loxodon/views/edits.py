"""What a person changed on the pages, and what becomes of it. Pure: files and store are handed in.

Three things are compared for each memory: the record as it was when the page was written (the
base), the page as it is now, and the record as it is now. What differs between the first two is the
person's change. It is taken unless the memory was changed in the same place meanwhile, or two pages
were changed differently: that is a conflict, which is told and never guessed at.

Of a page with a conflict, or with a line that cannot be read, nothing is taken. Where an entry
stands on a page of Markdown changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.fields import EDITABLE
from loxodon.messages import t, tn
from loxodon.types import FileProblem, Kind, Record, State

MANY = 20  # memories that may be gone from a page at once, even where that is more than half of it
_SHOWN = 200


class EditedEntry(NamedTuple):
    """An entry of a page as it is now."""

    file: str
    line: int
    fields: Mapping[str, Any]  # by the names of `Record`; what it does not say is as it was
    id: str = ""  # empty for a new one
    version: int = 0  # the version that it names; 0 for none
    kind: Kind = "fact"
    state: State | None = None  # where the file says it


class EditedView(NamedTuple):
    """A page that a person changed."""

    file: str
    entries: Sequence[EditedEntry]
    family: str  # pages of one family share out their memories: an entry may move between them
    problems: Sequence[FileProblem] = ()  # what of it cannot be read
    written: Mapping[str, int] = {}  # the memories that were on it, with their versions
    ended: bool = True  # whether its last line is whole
    base: str = ""  # the hash of the page as it was written

    @property
    def ids(self) -> set[str]:
        return {entry.id for entry in self.entries if entry.id}


class Edit(NamedTuple):
    """What is to be done to a memory."""

    id: str
    fields: Mapping[str, Any]
    state: State | None


class SyncPlan(NamedTuple):
    """What a sync is to do, and what it cannot."""

    edits: Sequence[Edit]
    new: Sequence[EditedEntry]
    conflicts: Sequence[FileProblem]
    problems: Sequence[FileProblem]
    notes: Sequence[FileProblem]  # what a person should know; it hinders nothing

    @property
    def refused(self) -> set[str]:
        """The pages of which nothing is taken."""
        return {one.file for one in (*self.conflicts, *self.problems)}


class CurrentMemories(NamedTuple):
    now: Mapping[str, Record]  # every memory that the pages name
    at: Callable[[str, int], Record | None]  # as it was at a version; None if it never had it
    check: Callable[[Mapping[str, Any], Kind], dict[str, Any]]  # `fields.checked`


class _Wish(NamedTuple):
    """What one page wants of a memory."""

    file: str
    line: int
    fields: Mapping[str, Any]
    state: State | None
    deleted: bool = False

    @property
    def wanted(self) -> Mapping[str, Any]:
        return {**self.fields, "state": self.state} if self.state else self.fields


def decide(pages: Sequence[EditedView], held: CurrentMemories, deletions: bool = False) -> SyncPlan:
    """What becomes of the changes on `pages`.

    With `deletions` every missing entry counts as deleted on purpose: also where most of a page is
    gone, and where the memory was changed meanwhile.
    """
    deciding = _Deciding(held, deletions)
    for page in pages:
        deciding.read(page, [one for one in pages if one.family == page.family])
    return deciding.plan()


class _Deciding:
    def __init__(self, held: CurrentMemories, deletions: bool) -> None:
        self.held = held
        self.deletions = deletions
        self.wishes: dict[str, list[_Wish]] = {}
        self.new: list[EditedEntry] = []
        self.conflicts: list[FileProblem] = []
        self.problems: list[FileProblem] = []
        self.notes: list[FileProblem] = []

    def read(self, page: EditedView, family: Sequence[EditedView]) -> None:
        """Take up what a page says, and what it no longer says."""
        self.problems += page.problems
        if page.problems:
            return
        by_id: dict[str, list[EditedEntry]] = {}
        for entry in page.entries:
            by_id.setdefault(entry.id, []).append(entry)
        here = {id for other in family for id in other.ids}
        known = ((id, self.held.now.get(id)) for id in page.written if id not in here)
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
                    place = f"{entry.file}:{entry.line}"
                    self._conflict(one.file, one.line, one.id, differ, place, hint)
                    break
            else:
                older += self._entry(page, entry)
        if older:
            what = tn(
                "not changed, because it has an older version: {n} entry",
                "not changed, because they have an older version: {n} entries",
                older,
            )
            hint = t("to apply one anyway, set its version to the memory's current version")
            self.notes.append(FileProblem(page.file, 0, what, hint))
        if gone:
            self._missing(page, gone, family, is_older=older > 0)

    def _conflict(
        self, file: str, line: int, id: str, differ: tuple[str, Any, Any], other: str, hint: str
    ) -> None:
        """Tell of something that is one way here, and another in the `other` place."""
        name, here, there = differ
        what = t(
            "{id} was changed in two places: {field} is {here} here, {there} in {other}",
            id=id,
            field=name,
            here=_shown(here),
            there=_shown(there),
            other=other,
        )
        self.conflicts.append(FileProblem(file, line, what, hint))

    def _entry(self, page: EditedView, entry: EditedEntry) -> bool:
        """Take up one entry; whether it says what its memory was before the page was written."""
        record = self.held.now.get(entry.id)
        if record is None:
            self._stranger(page, entry)
            return False
        if entry.kind != record.kind:
            what = t("{id} is not a {kind}", id=entry.id, kind=t(entry.kind))
            self._problem(entry, what, t("move the line back to where it was"))
            return False
        base = self._at(record, entry.version or page.written.get(entry.id, 0))
        if base is None:
            what = t("{id} never had a version {version}", id=entry.id, version=entry.version)
            self._problem(entry, what, t("it is at version {version}", version=record.version))
            return False
        checked = self._checked(entry, _changes(entry.fields, base))
        if checked is None:
            return False
        changed = _changes(checked, base)
        state = entry.state if entry.state != base.state else None
        if not changed and not state:
            differs = bool(_changes(entry.fields, record)) or entry.state not in (None, base.state)
            return differs and 0 < entry.version < page.written.get(entry.id, 0)
        for name, value in changed.items():
            if getattr(record, name) not in (getattr(base, name), value):
                differ = (name, value, getattr(record, name))
                hint = t(
                    "to apply your edit, set its version to {version}; to discard it, write what "
                    "the memory has",
                    version=record.version,
                )
                place = t("the memory")
                self._conflict(entry.file, entry.line, entry.id, differ, place, hint)
                return False
        if state == "archived" and record.state == "active" and _touched(base, record):
            self._not_archived(entry.file, entry.line, record)
            return False
        wish = _Wish(entry.file, entry.line, changed, state)
        self.wishes.setdefault(entry.id, []).append(wish)
        return False

    def _at(self, record: Record, version: int) -> Record | None:
        return record if version in (0, record.version) else self.held.at(record.id, version)

    def _stranger(self, page: EditedView, entry: EditedEntry) -> None:
        """An id that the memory does not have: erased, or copied from elsewhere."""
        if entry.id in page.written:
            what = t("{id} is no longer in the memory", id=entry.id)
            hint = t("delete the line, or remove its id to make it a new memory")
            self._problem(entry, what, hint)
        else:
            self._add(entry)
            what = t("{id} is unknown: added as a new memory", id=entry.id)
            self.notes.append(FileProblem(entry.file, entry.line, what))

    def _add(self, entry: EditedEntry) -> None:
        fields = self._checked(entry, {"content": "", **entry.fields})
        if fields is None:
            return
        self.new.append(entry._replace(fields=fields))
        if entry.state == "archived":
            what = t("what is new is active: it was added to the active memories, not here")
            self.notes.append(FileProblem(entry.file, entry.line, what))

    def _checked(self, entry: EditedEntry, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            return self.held.check(fields, entry.kind)
        except InputError as error:
            self._problem(entry, *error.localized())
            return None

    def _not_archived(self, file: str, line: int, record: Record) -> None:
        differ = ("content", t("deleted"), record.content)
        hint = t(
            "to archive it, run `loxodon archive {id}`; to keep it, put its line back", id=record.id
        )
        self._conflict(file, line, record.id, differ, t("the memory"), hint)

    def _problem(self, entry: EditedEntry, what: str, hint: str) -> None:
        self.problems.append(FileProblem(entry.file, entry.line, what, hint))

    def _missing(
        self,
        page: EditedView,
        gone: Mapping[str, Record],
        family: Sequence[EditedView],
        *,
        is_older: bool,
    ) -> None:
        """Take up what was deleted, where that can be believed."""
        living = sum(record.state == "active" for record in gone.values())
        torn = not page.ended or is_older or any(other.problems for other in family)
        many = not page.ids or (len(gone) > MANY and 2 * len(gone) > len(page.written))
        if (torn or many) and living and not self.deletions:
            what = tn(
                "missing: {gone} of its {n} memory; none was archived",
                "missing: {gone} of its {n} memories; none was archived",
                len(page.written),
                gone=len(gone),
            )
            hint = t(
                "to archive them, run `loxodon sync --deletions`; to get them back, delete the "
                "file and run `loxodon export`"
            )
            self.conflicts.append(FileProblem(page.file, 0, what, hint))
            return
        for id, record in gone.items():
            base = self._at(record, page.written[id])
            if base is None or base.state == "archived":
                what = t("{id} is already archived; deleting its line does not delete it", id=id)
                self.notes.append(FileProblem(page.file, 0, what))
            elif record.state == "active" and _touched(base, record) and not self.deletions:
                self._not_archived(page.file, 0, record)
            else:
                self.wishes.setdefault(id, []).append(_Wish(page.file, 0, {}, "archived", True))

    # All pages together

    def plan(self) -> SyncPlan:
        for id, wishes in self.wishes.items():
            self._compare(id, wishes)
        plan = SyncPlan((), (), self.conflicts, self.problems, self.notes)
        refused = plan.refused
        new = [entry for entry in self.new if entry.file not in refused]
        return plan._replace(edits=list(self._edits(refused)), new=new)

    def _edits(self, refused: set[str]) -> Iterator[Edit]:
        for id, wishes in self.wishes.items():
            record = self.held.now[id]
            taken = [wish for wish in wishes if wish.file not in refused]
            wished = {n: v for wish in taken for n, v in wish.fields.items()}
            fields = {n: v for n, v in wished.items() if v != getattr(record, n)}
            state = next((wish.state for wish in taken if wish.state), None)
            state = None if state == record.state else state
            if fields or state:
                yield Edit(id, fields, state)

    def _compare(self, id: str, wishes: Sequence[_Wish]) -> None:
        """See whether two pages were changed differently; then both are told."""
        for first in wishes:
            for second in wishes:
                differ = _difference(first.wanted, second.wanted)
                if differ is None and first.deleted and second.fields:
                    name, there = next(iter(second.fields.items()))
                    differ = (name, t("deleted"), there)
                if differ:
                    name, here, there = differ
                    hint = t("make both the same")
                    self._conflict(first.file, first.line, id, differ, second.file, hint)
                    back = (name, there, here)
                    self._conflict(second.file, second.line, id, back, first.file, hint)
                    return


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
