"""What a person changed on the pages, and what becomes of it. Pure: files and store are handed in.

Three things are compared for each memory: the record as it was when the page was written (the
base), the page as it is now, and the record as it is now. What differs between the first two is the
person's change. It is taken unless the memory was changed in the same place meanwhile, or two pages
were changed differently: that is a conflict, which is told and never guessed at.

An entry that nobody touched is never changed: a heading that was moved or deleted changes none of
the entries below it.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.fields import EDITABLE
from loxodon.messages import t, tn
from loxodon.types import STATES, FileProblem, Kind, Record, State

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
    section: tuple[str, Any] | None = None  # what the place says: ("state", "archived")


class EditedView(NamedTuple):
    """A page that a person changed."""

    file: str
    lines: Sequence[EditedEntry]
    family: str  # pages of one family share out their memories: an entry may move between them
    problems: Sequence[FileProblem] = ()  # what of it cannot be read
    written: Mapping[str, int] = {}  # the memories that were on it, in order, with their versions
    ended: bool = True  # whether its last line is whole
    may_shift: int | None = None  # entries that may change their section without being moved
    ours: Mapping[str, int] = {}  # memories changed from this page before: the version it made

    @property
    def ids(self) -> set[str]:
        return {line.id for line in self.lines if line.id}


class Edit(NamedTuple):
    """What is to be done to a memory."""

    id: str
    fields: Mapping[str, Any]
    state: State | None
    files: frozenset[str]  # the pages that say so


class New(NamedTuple):
    """A memory that a person wrote on a page."""

    line: EditedEntry
    digest: str


class SyncPlan(NamedTuple):
    """What a sync is to do, and what it cannot."""

    edits: Sequence[Edit]
    new: Sequence[New]
    conflicts: Sequence[FileProblem]
    problems: Sequence[FileProblem]
    notes: Sequence[FileProblem]  # what a person should know; it hinders nothing


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


def decide(pages: Sequence[EditedView], held: CurrentMemories, deletions: bool = False) -> SyncPlan:
    """What becomes of the changes on `pages`.

    With `deletions` every missing entry counts as deleted on purpose: also where most of a page is
    gone, and where the memory was changed meanwhile.
    """
    deciding = _Deciding(held, deletions)
    pages = [deciding.with_headings(page) for page in pages]
    for page in pages:
        deciding.problems += page.problems
        deciding.read(page)
    for page in pages:
        deciding.missing(page, [one for one in pages if one.family == page.family])
    edits = list(deciding.edits())  # may find conflicts
    return SyncPlan(edits, deciding.new, deciding.conflicts, deciding.problems, deciding.notes)


def digests(lines: Sequence[EditedEntry]) -> list[str]:
    """What tells entries without an id apart, also such as say the same."""
    seen: Counter[str] = Counter()
    found = []
    for line in lines:
        said = json.dumps([line.kind, line.fields], sort_keys=True, default=str)
        found.append(sha256(f"{seen[said]}{said}".encode("utf-8", "surrogatepass")).hexdigest())
        seen[said] += 1
    return found


class _Deciding:
    def __init__(self, held: CurrentMemories, deletions: bool) -> None:
        self.held = held
        self.deletions = deletions
        self.wishes: dict[str, list[_Wish]] = {}
        self.new: list[New] = []
        self.conflicts: list[FileProblem] = []
        self.problems: list[FileProblem] = []
        self.notes: list[FileProblem] = []
        self.refused: set[str] = set()  # memories of which nothing can be taken

    # What is on a page

    def with_headings(self, page: EditedView) -> EditedView:
        """A page whose entries are where they were, as far as they did not move themselves; else
        without any, and with the problem."""
        if page.may_shift is None:
            return page
        still = _unmoved(list(page.written), [line.id for line in page.lines])
        shifted: list[EditedEntry] = []
        before: set[object] = set(STATES)
        for line in page.lines:
            base = self._base(page, line) if line.id in self.held.now else None
            before.add(base.project if base else None)
            place = line.section if base and line.id in still else None
            if place and getattr(base, place[0]) != place[1]:
                shifted.append(line)
        # A name that no entry had before is a heading that somebody wrote.
        shifted = [line for line in shifted if line.section and line.section[1] in before]
        if len(shifted) <= page.may_shift:
            return page
        what = tn(
            "a heading was moved or deleted: {n} entry would change with it",
            "a heading was moved or deleted: {n} entries would change with it",
            len(shifted),
        )
        hint = t("put it back, and move or delete entries instead; nothing was changed")
        problem = FileProblem(page.file, shifted[0].line, what, hint)
        return page._replace(lines=(), problems=(problem,))

    def read(self, page: EditedView) -> None:
        """Take up what the entries of a page say."""
        lines = page.lines
        if not (page.ended or self.deletions) and not page.written.keys() <= page.ids:
            lines = lines[:-1]  # which may be half of one
        older = 0
        by_id: dict[str, list[EditedEntry]] = {}
        for line in lines:
            if line.id:
                by_id.setdefault(line.id, []).append(line)
        for same in by_id.values():
            if any(_differ(one, other) for one in same for other in same):
                self._twice(same)
            else:
                # What was copied without its last line says less.
                older += self._entry(page, max(same, key=lambda line: len(line.fields)))
        fresh = [line for line in lines if not line.id]
        for line, digest in zip(fresh, digests(fresh), strict=True):
            self._add(line, digest)
        if older:
            what = tn(
                "not changed, because it has an older version: {n} entry",
                "not changed, because they have an older version: {n} entries",
                older,
            )
            hint = t("to apply one anyway, set its version to the memory's current version")
            self.notes.append(FileProblem(page.file, 0, what, hint))

    def _twice(self, lines: Sequence[EditedEntry]) -> None:
        first = lines[0]
        self.refused.add(first.id)
        places = ", ".join(str(line.line) for line in lines)
        what = t(
            "{id} appears more than once, with different content (lines {lines})",
            id=first.id,
            lines=places,
        )
        hint = t("keep one of them; without its id, the other becomes a new memory")
        self.conflicts.append(FileProblem(first.file, first.line, what, hint))

    def _entry(self, page: EditedView, line: EditedEntry) -> bool:
        """Take up one entry; whether it says what its memory was before."""
        record = self.held.now.get(line.id)
        if record is None:
            self._stranger(page, line)
            return False
        if line.kind != record.kind:
            what = t("{id} is not a {kind}", id=line.id, kind=t(line.kind))
            self._problem(line, what, t("move the line back to where it was"))
            return False
        base = self._base(page, line)
        if base is None:
            what = t("{id} never had a version {version}", id=line.id, version=line.version)
            self._problem(line, what, t("it is at version {version}", version=record.version))
            return False
        differing = {n: v for n, v in _said(line).items() if not _same(v, getattr(base, n))}
        checked = self._checked(line, differing)
        if checked is None:
            return False
        changed = {n: v for n, v in checked.items() if not _same(v, getattr(base, n))}
        state = _state(line) if _state(line) != base.state else None
        if not changed and not state:
            return self._is_older(page, line)
        if page.ours.get(line.id) != record.version:
            if self._was_taken(page, line, base, changed):
                return False
            for name, value in changed.items():
                now = getattr(record, name)
                if now not in (getattr(base, name), value):
                    self._moved_on(line, name, value, record)
                    return False
            if state == "archived" and record.state == "active" and _touched(base, record):
                self._gone_on(line.file, line.line, record)
                return False
        wish = _Wish(line.file, line.line, changed, state)
        self.wishes.setdefault(line.id, []).append(wish)
        return False

    def _base(self, page: EditedView, line: EditedEntry) -> Record | None:
        return self._at(line.id, line.version or page.written.get(line.id, 0))

    def _at(self, id: str, version: int) -> Record | None:
        record = self.held.now[id]
        return record if version in (0, record.version) else self.held.at(id, version)

    def _was_taken(
        self, page: EditedView, line: EditedEntry, base: Record, changed: Mapping[str, Any]
    ) -> bool:
        """Whether an earlier sync took this, and could not write the page anew."""
        version = page.ours.get(line.id, 0)
        taken = self._at(line.id, version) if version > base.version else None
        if taken is None or _state(line) not in (None, taken.state):
            return False
        return all(_same(value, getattr(taken, name)) for name, value in changed.items())

    def _stranger(self, page: EditedView, line: EditedEntry) -> None:
        """An id that the memory does not have: erased, or copied from elsewhere."""
        if line.id in page.written:
            what = t("{id} is no longer in the memory", id=line.id)
            hint = t("delete the line, or remove its id to make it a new memory")
            self._problem(line, what, hint)
        elif self._add(line, digests([line])[0]):
            what = t("{id} is unknown: added as a new memory", id=line.id)
            self.notes.append(FileProblem(line.file, line.line, what))

    def _add(self, line: EditedEntry, digest: str) -> bool:
        fields = self._checked(line, {"content": "", **_said(line)})
        if fields is None:
            return False
        self.new.append(New(line._replace(fields=fields), digest))
        if _state(line) == "archived":
            what = t("what is new is active: it was added to the active memories, not here")
            self.notes.append(FileProblem(line.file, line.line, what))
        return True

    def _checked(self, line: EditedEntry, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            return self.held.check(fields, line.kind)
        except InputError as error:
            self._problem(line, *error.localized())
            return None

    def _is_older(self, page: EditedView, line: EditedEntry) -> bool:
        """Whether an entry says what a memory was before the page was last written."""
        record = self.held.now.get(line.id)
        if record is None or not 0 < line.version < page.written.get(line.id, 0):
            return False
        return _state(line) not in (None, record.state) or any(
            not _same(value, getattr(record, name)) for name, value in _said(line).items()
        )

    def _moved_on(self, line: EditedEntry, name: str, here: Any, record: Record) -> None:
        self.refused.add(line.id)
        what = t(
            "{id} was changed in the meantime: {field} is {here} here, {now} in the memory",
            id=line.id,
            field=name,
            here=_shown(here),
            now=_shown(getattr(record, name)),
        )
        hint = t(
            "to apply your edit, set its version to {version}; to discard it, write what the "
            "memory has",
            version=record.version,
        )
        self.conflicts.append(FileProblem(line.file, line.line, what, hint))

    def _gone_on(self, file: str, line: int, record: Record) -> None:
        self.refused.add(record.id)
        what = t(
            "{id} was changed in the meantime, so it was not archived; it now says: {now}",
            id=record.id,
            now=_shown(record.content),
        )
        hint = t(
            "to archive it, run `loxodon archive {id}`; to keep it, put its line back", id=record.id
        )
        self.conflicts.append(FileProblem(file, line, what, hint))

    def _problem(self, line: EditedEntry, what: str, hint: str) -> None:
        self.refused.add(line.id)
        self.problems.append(FileProblem(line.file, line.line, what, hint))

    # What is missing from a page

    def missing(self, page: EditedView, family: Sequence[EditedView]) -> None:
        """Take up what was deleted, where that can be believed."""
        here = {id for other in family for id in other.ids}
        gone = [id for id in page.written if id not in here]
        if not gone or page.problems:
            return  # a page that cannot be read whole may hold them in what cannot be read
        doubt = "" if self.deletions else self._doubt(page, gone, family)
        if doubt:
            hint = t(
                "to archive them, run `loxodon sync --deletions`; to get them back, delete the "
                "file and run `loxodon export`"
            )
            self.conflicts.append(FileProblem(page.file, 0, doubt, hint))
            return
        for id in gone:
            self._deleted(page, id)

    def _doubt(self, page: EditedView, gone: Sequence[str], family: Sequence[EditedView]) -> str:
        """Why missing entries may not have been deleted on purpose; empty where they were."""
        found = (self.held.now.get(id) for id in gone)
        living = sum(record is not None and record.state == "active" for record in found)
        if not living:
            return ""
        if unread := [other.file for other in family if other.problems]:
            return tn(
                "{n} memory is missing; it may be in the unreadable part of {file}",
                "{n} memories are missing; they may be in the unreadable part of {file}",
                living,
                file=unread[0],
            )
        if not page.ids or (len(gone) > MANY and 2 * len(gone) > len(page.written)):
            return tn(
                "missing: {gone} of its {n} memory; none was archived",
                "missing: {gone} of its {n} memories; none was archived",
                len(page.written),
                gone=len(gone),
            )
        if not page.ended:
            return tn(
                "its end is missing: {n} memory not in it was not archived",
                "its end is missing: {n} memories not in it were not archived",
                living,
            )
        if any(self._is_older(page, line) for line in page.lines):
            return tn(
                "it is an older copy: {n} memory not in it was not archived",
                "it is an older copy: {n} memories not in it were not archived",
                living,
            )
        return ""

    def _deleted(self, page: EditedView, id: str) -> None:
        record = self.held.now.get(id)
        if record is None:
            return
        base = self._at(id, page.written[id])
        if base is None or base.state == "archived":
            what = t("{id} is already archived; deleting its line does not delete it", id=id)
            self.notes.append(FileProblem(page.file, 0, what))
        elif record.state == "active" and _touched(base, record) and not self.deletions:
            self._gone_on(page.file, 0, record)
        else:
            self.wishes.setdefault(id, []).append(_Wish(page.file, 0, {}, "archived", True))

    # All pages together

    def edits(self) -> Iterator[Edit]:
        for id, wishes in self.wishes.items():
            if id in self.refused or self._disagree(id, wishes):
                continue
            record = self.held.now[id]
            wished = {n: v for wish in wishes for n, v in wish.fields.items()}
            fields = {n: v for n, v in wished.items() if v != getattr(record, n)}
            state = next((wish.state for wish in wishes if wish.state), None)
            state = None if state == record.state else state
            if fields or state:
                yield Edit(id, fields, state, frozenset(wish.file for wish in wishes))

    def _disagree(self, id: str, wishes: Sequence[_Wish]) -> bool:
        """Whether two pages were changed differently; then both are told."""
        for first in wishes:
            for second in wishes:
                told = _difference(first, second)
                if told is None:
                    continue
                what = t(
                    "{id} has two different edits: {field} is {here} in {file}, {there} in {other}",
                    id=id,
                    field=told[0],
                    here=told[1],
                    file=first.file,
                    there=told[2],
                    other=second.file,
                )
                for wish in (first, second):
                    hint = t("make both the same")
                    self.conflicts.append(FileProblem(wish.file, wish.line, what, hint))
                return True
        return False


def _said(line: EditedEntry) -> Mapping[str, Any]:
    """The fields that an entry says, also by where it is."""
    if line.section is None or line.section[0] == "state":
        return line.fields
    return {**line.fields, line.section[0]: line.section[1]}


def _state(line: EditedEntry) -> State | None:
    return line.section[1] if line.section and line.section[0] == "state" else None


def _differ(one: EditedEntry, other: EditedEntry) -> bool:
    """Whether two entries of one memory contradict each other."""
    shared = one.fields.keys() & other.fields.keys()
    return one.section != other.section or any(one.fields[n] != other.fields[n] for n in shared)


def _unmoved(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """The entries that stand in their old order: the longest rising row of places."""
    places = {id: n for n, id in enumerate(before)}
    last: list[int] = []  # the lowest place that a row of each length can end with
    ends: list[str] = []
    above: dict[str, str] = {}
    for id in after:
        if id not in places or id in above:
            continue
        length = bisect_left(last, places[id])
        above[id] = ends[length - 1] if length else ""
        last[length : length + 1] = [places[id]]
        ends[length : length + 1] = [id]
    found: set[str] = set()
    id = ends[-1] if ends else ""
    while id:
        found.add(id)
        id = above[id]
    return found


def _touched(base: Record, record: Record) -> bool:
    """Whether what a person sees of a memory was changed."""
    return any(getattr(base, name) != getattr(record, name) for name in EDITABLE)


def _difference(first: _Wish, second: _Wish) -> tuple[str, str, str] | None:
    """What two pages want differently: the field, and what it is on each."""
    for name in sorted(first.fields.keys() & second.fields.keys()):
        here, there = first.fields[name], second.fields[name]
        if here != there:
            return name, _shown(here), _shown(there)
    if first.state and second.state and first.state != second.state:
        return "state", _shown(first.state), _shown(second.state)
    if first.deleted and second.fields:
        name, there = next(iter(second.fields.items()))
        return name, t("deleted"), _shown(there)
    return None


def _same(one: object, other: object) -> bool:
    """Whether two values are the same as far as a page writes them: numbers are rounded there."""
    if isinstance(one, float) and isinstance(other, float):
        return f"{one:.4g}" == f"{other:.4g}"
    return one == other


def _shown(value: object) -> str:
    """A value as a message has it, cut where it is long."""
    text = ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return f"“{text[:_SHOWN]}…”" if len(text) > _SHOWN else f"“{text}”"
