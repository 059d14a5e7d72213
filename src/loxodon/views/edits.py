"""What a person changed in the views, and what becomes of it. Pure: files and store are handed in.

Three things are compared for each memory: the record as it stood when the view was written (the
base), the view as it is now, and the record as it is now. What differs between the first two is the
person's change. It is taken unless the memory was changed in the same place meanwhile, or two views
were changed differently: that is a conflict, which is told and never guessed at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from loxodon.errors import InputError
from loxodon.fields import EDITABLE
from loxodon.messages import t, tn
from loxodon.types import FileProblem, Kind, Record, State

MANY = 20
"""Memories that may be gone from a view at once, even where that is more than half of it."""
_SHOWN = 200

_NOTHING: Mapping[str, Any] = {}


class EditedEntry(NamedTuple):
    """An entry of a view as it stands there now."""

    file: str
    line: int
    fields: Mapping[str, Any]
    """What it says, by the names of `Record`; what it does not say is as it was."""
    id: str = ""
    """Empty for a new one."""
    version: int = 0
    """The version that it names; 0 for none."""
    kind: Kind = "fact"
    state: State | None = None
    """Where it stands: among the active or the archived; None where the view has no such places."""
    fixed: Mapping[str, Any] = _NOTHING
    """What else it says, which cannot be changed by writing something else there."""


class EditedView(NamedTuple):
    """A view that a person changed."""

    file: str
    lines: Sequence[EditedEntry]
    family: str = ""
    """Views of one family share out their memories: an entry may move from one to another."""
    problems: Sequence[FileProblem] = ()
    """What of it cannot be read."""
    written: Mapping[str, int] = _NOTHING
    """The memories that were in it, each with the version that was written."""
    cut: bool = False
    """Whether its end may be missing, and what stood there with it."""
    torn: bool = False
    """Whether the end of its last entry may be missing."""
    taken: Mapping[str, int] = _NOTHING
    """Those whose change was taken while the view could not be written anew: at which version."""
    known: Mapping[str, str] = _NOTHING
    """Entries without an id that were taken so: `digests`, and the memory each became."""
    ours: Mapping[str, int] = _NOTHING
    """Memories that were changed from this view before: the version that made. While that is the
    latest, no other has changed them, whatever version an editor still has before it."""
    untouched: frozenset[str] = frozenset()
    """Memories that stand in it as they are; they have no entry in `lines`."""

    @property
    def ids(self) -> set[str]:
        """The memories that stand in it."""
        return {line.id for line in self.lines if line.id} | self.untouched


class Edit(NamedTuple):
    """What is to be done to a memory."""

    id: str
    fields: Mapping[str, Any]
    state: State | None
    files: frozenset[str]
    """The views that say so."""


class New(NamedTuple):
    """A memory that a person wrote into a view."""

    line: EditedEntry
    digest: str


class SyncPlan(NamedTuple):
    """What a sync is to do, and what it cannot."""

    edits: Sequence[Edit]
    new: Sequence[New]
    conflicts: Sequence[FileProblem]
    problems: Sequence[FileProblem]
    notes: Sequence[FileProblem]
    """What a person should know; it hinders nothing."""


class CurrentMemories(NamedTuple):
    """What the memory has."""

    now: Mapping[str, Record]
    """Every memory that the pages name, as it is now."""
    at: Callable[[str, int], Record | None]
    """A memory as it stood at a version; None where it never had that one."""
    check: Callable[[Mapping[str, Any], Kind], dict[str, Any]]
    """Fields as they may be kept; an InputError for what may not (`fields.checked`)."""


def decide(pages: Sequence[EditedView], held: CurrentMemories, deletions: bool = False) -> SyncPlan:
    """What becomes of the changes in `pages`.

    With `deletions` every missing entry counts as deleted on purpose: also where most of a view is
    gone, and where the memory was changed meanwhile.
    """
    deciding = _Deciding(held, deletions)
    if not deletions:
        pages = [page._replace(lines=page.lines[:-1]) if page.torn else page for page in pages]
    for page in pages:
        deciding.problems += page.problems
        deciding.read(page)
    for page in pages:
        deciding.missing(page, pages)
    return deciding.plan()


def digests(lines: Sequence[EditedEntry]) -> list[str]:
    """What tells entries without an id apart, also such as say the same."""
    seen: Counter[str] = Counter()
    found = []
    for line in lines:
        said = json.dumps(
            [line.id, line.kind, line.state, line.fields], sort_keys=True, default=str
        )
        found.append(sha256(f"{seen[said]}{said}".encode("utf-8", "surrogatepass")).hexdigest())
        seen[said] += 1
    return found


class _Wish(NamedTuple):
    """What one view wants of a memory."""

    file: str
    line: int
    fields: Mapping[str, Any]
    state: State | None
    deleted: bool = False


class _Deciding:
    def __init__(self, held: CurrentMemories, deletions: bool) -> None:
        self.held = held
        self.deletions = deletions
        self.wishes: dict[str, list[_Wish]] = {}
        self.new: list[New] = []
        self.conflicts: list[FileProblem] = []
        self.problems: list[FileProblem] = []
        self.notes: list[FileProblem] = []
        self.refused: set[str] = set()
        """Memories of which something cannot be taken: then nothing of them is."""
        self.older: Counter[str] = Counter()
        """Entries of each view that say what their memory was before; nobody may mean that."""

    # What stands in a view

    def read(self, page: EditedView) -> None:
        """Take up what the entries of a page say."""
        for lines in _by_id(page.lines).values():
            if any(_says(line) != _says(lines[0]) for line in lines[1:]):
                self._twice(lines)
            else:
                self._entry(page, lines[0])
        fresh = [line for line in page.lines if not line.id]
        for line, digest in zip(fresh, digests(fresh), strict=True):
            if digest not in page.known:
                self._add(line, digest)
        if older := self.older[page.file]:
            self.notes.append(
                FileProblem(
                    page.file,
                    0,
                    tn(
                        "not changed, because it has an older version: {n} entry",
                        "not changed, because they have an older version: {n} entries",
                        older,
                    ),
                    t("to apply one anyway, set its version to the memory's current version"),
                )
            )

    def _twice(self, lines: Sequence[EditedEntry]) -> None:
        first = lines[0]
        self.refused.add(first.id)
        places = ", ".join(str(line.line) for line in lines)
        self._conflict(
            first.file,
            first.line,
            t(
                "{id} appears more than once, with different content (lines {lines})",
                id=first.id,
                lines=places,
            ),
            t("keep one of them; without its id, the other becomes a new memory"),
        )

    def _entry(self, page: EditedView, line: EditedEntry) -> None:
        record = self.held.now.get(line.id)
        if record is None:
            self._stranger(page, line)
            return
        if line.kind != record.kind:
            self._problem(
                line,
                t("{id} is not a {kind}", id=line.id, kind=t(line.kind)),
                t("move the line back to where it was"),
            )
            return
        base = self._base(
            line.id, max(page.taken.get(line.id, 0), line.version) or page.written.get(line.id, 0)
        )
        if base is None:
            self._problem(
                line,
                t("{id} never had a version {version}", id=line.id, version=line.version),
                t("it is at version {version}", version=record.version),
            )
            return
        changed = self._changed(line, base)
        if changed is not None:
            self._weigh(page, line, changed, base)
            self._note_fixed(line, base)

    def _stranger(self, page: EditedView, line: EditedEntry) -> None:
        """An id that the memory does not have: erased, or copied from elsewhere."""
        if line.id in page.written:
            self._problem(
                line,
                t("{id} is no longer in the memory", id=line.id),
                t("delete the line, or remove its id to make it a new memory"),
            )
            return
        (digest,) = digests([line])
        if digest not in page.known and self._add(line, digest):
            self.notes.append(
                FileProblem(
                    line.file, line.line, t("{id} is unknown: added as a new memory", id=line.id)
                )
            )

    def _add(self, line: EditedEntry, digest: str) -> bool:
        fields = self._checked(line, {"content": "", **line.fields})
        if fields is not None:
            self.new.append(New(line._replace(fields=fields), digest))
        return fields is not None

    def _base(self, id: str, version: int) -> Record | None:
        record = self.held.now[id]
        return record if version in (0, record.version) else self.held.at(id, version)

    def _changed(self, line: EditedEntry, base: Record) -> dict[str, Any] | None:
        """What a person changed in an entry; None where it makes no sense."""
        differing = {n: v for n, v in line.fields.items() if not _same(v, getattr(base, n))}
        checked = self._checked(line, differing)
        if checked is None:
            return None
        return {n: v for n, v in checked.items() if not _same(v, getattr(base, n))}

    def _checked(self, line: EditedEntry, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            return self.held.check(fields, line.kind)
        except InputError as error:
            self._problem(line, *error.localized())
            return None

    def _weigh(
        self, page: EditedView, line: EditedEntry, changed: Mapping[str, Any], base: Record
    ) -> None:
        """Take up a change, unless the memory was changed in the same place meanwhile."""
        record = self.held.now[line.id]
        state = line.state if line.state not in (None, base.state) else None
        if page.ours.get(line.id) != record.version:
            for name, value in changed.items():
                now = getattr(record, name)
                if now not in (getattr(base, name), value):
                    self._moved_on(line, name, value, now, record)
                    return
            if state == "archived" and record.state == "active" and self._touched(base, record):
                self._gone_on(line.file, line.line, record)
                return
        if changed or state:  # a view that wants nothing is none that a change was taken from
            wish = _Wish(line.file, line.line, changed, state)
            self.wishes.setdefault(line.id, []).append(wish)
        elif self._is_older(page, line):
            self.older[page.file] += 1

    def _note_fixed(self, line: EditedEntry, base: Record) -> None:
        for name, value in line.fixed.items():
            if value != getattr(base, name):
                what = t(
                    "{field} of {id} cannot be edited; it is not changed", field=name, id=line.id
                )
                self.notes.append(FileProblem(line.file, line.line, what))

    def _moved_on(self, line: EditedEntry, name: str, here: Any, now: Any, record: Record) -> None:
        self.refused.add(line.id)
        self._conflict(
            line.file,
            line.line,
            t(
                "{id} was changed in the meantime: {field} is {here} here, {now} in the memory",
                id=line.id,
                field=name,
                here=_shown(here),
                now=_shown(now),
            ),
            t(
                "to apply your edit, set its version to {version}; to discard it, write what the "
                "memory has",
                version=record.version,
            ),
        )

    # What is missing from a view

    def missing(self, page: EditedView, pages: Sequence[EditedView]) -> None:
        """Take up what was deleted, where that can be believed."""
        here: set[str] = set()
        for other in pages:
            here |= other.ids if other.family == page.family else set()
        gone = [id for id in page.written if id not in here]
        if not gone or page.problems:
            return  # a view that cannot be read whole may hold them in what cannot be read
        unread = [other.file for other in pages if other.family == page.family and other.problems]
        doubt = "" if self.deletions else self._doubt(page, gone, unread)
        if doubt:
            self._conflict(
                page.file,
                0,
                doubt,
                t(
                    "to archive them, run `loxodon sync --deletions`; to get them back, delete the "
                    "file and run `loxodon export`"
                ),
            )
            return
        for id in gone:
            self._deleted(page, id)

    def _doubt(self, page: EditedView, gone: Collection[str], unread: Sequence[str]) -> str:
        """Why missing entries may not have been deleted on purpose; empty where they were."""
        living = [id for id in gone if self._active(id)]
        if not living:
            return ""
        if unread:
            return tn(
                "{n} memory is missing; it may be in the unreadable part of {file}",
                "{n} memories are missing; they may be in the unreadable part of {file}",
                len(living),
                file=unread[0],
            )
        if not page.ids or (len(gone) > MANY and 2 * len(gone) > len(page.written)):
            return tn(
                "missing: {gone} of its {n} memory; none was archived",
                "missing: {gone} of its {n} memories; none was archived",
                len(page.written),
                gone=len(gone),
            )
        if page.cut:
            return tn(
                "its end is missing: {n} memory not in it was not archived",
                "its end is missing: {n} memories not in it were not archived",
                len(living),
            )
        if any(self._is_older(page, line) for line in page.lines):
            return tn(
                "it is an older copy: {n} memory not in it was not archived",
                "it is an older copy: {n} memories not in it were not archived",
                len(living),
            )
        return ""

    def _is_older(self, page: EditedView, line: EditedEntry) -> bool:
        """Whether an entry says what a memory was before the view was last written."""
        if not 0 < line.version < page.written.get(line.id, 0) or line.id in page.taken:
            return False
        record = self.held.now.get(line.id)
        if record is None:
            return False
        return line.state not in (None, record.state) or any(
            not _same(value, getattr(record, name)) for name, value in line.fields.items()
        )

    def _active(self, id: str) -> bool:
        record = self.held.now.get(id)
        return record is not None and record.state == "active"

    def _deleted(self, page: EditedView, id: str) -> None:
        record = self.held.now.get(id)
        if record is None:
            return
        base = self._base(id, page.taken.get(id) or page.written[id])
        if base is None or base.state == "archived":
            if id not in page.taken:
                self.notes.append(
                    FileProblem(
                        page.file,
                        0,
                        t("{id} is already archived; deleting its line does not delete it", id=id),
                    )
                )
        elif record.state == "active" and self._touched(base, record) and not self.deletions:
            self._gone_on(page.file, 0, record)
        else:
            self.wishes.setdefault(id, []).append(_Wish(page.file, 0, {}, "archived", True))

    def _touched(self, base: Record, record: Record) -> bool:
        """Whether what a person sees of a memory was changed."""
        return any(getattr(base, name) != getattr(record, name) for name in EDITABLE)

    def _gone_on(self, file: str, line: int, record: Record) -> None:
        self.refused.add(record.id)
        self._conflict(
            file,
            line,
            t(
                "{id} was changed in the meantime, so it was not archived; it now says: {now}",
                id=record.id,
                now=_shown(record.content),
            ),
            t(
                "to archive it, run `loxodon archive {id}`; to keep it, put its line back",
                id=record.id,
            ),
        )

    # All views together

    def plan(self) -> SyncPlan:
        edits = list(self._edits())  # may find conflicts
        return SyncPlan(edits, self.new, self.conflicts, self.problems, self.notes)

    def _edits(self) -> Iterator[Edit]:
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
        """Whether two views were changed differently; then both are told."""
        for first in wishes:
            for second in wishes:
                told = _difference(first, second)
                if told is None:
                    continue
                name, here, there = told
                for wish in (first, second):
                    self._conflict(
                        wish.file,
                        wish.line,
                        t(
                            "{id} has two different edits: {field} is {here} in {file}, {there} in "
                            "{other}",
                            id=id,
                            field=name,
                            here=here,
                            file=first.file,
                            there=there,
                            other=second.file,
                        ),
                        t("make both the same"),
                    )
                return True
        return False

    def _conflict(self, file: str, line: int, what: str, hint: str) -> None:
        self.conflicts.append(FileProblem(file, line, what, hint))

    def _problem(self, line: EditedEntry, what: str, hint: str) -> None:
        if line.id:
            self.refused.add(line.id)
        self.problems.append(FileProblem(line.file, line.line, what, hint))


def _difference(first: _Wish, second: _Wish) -> tuple[str, str, str] | None:
    """What two views want differently: the field, and what it is in each."""
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
    """Whether two values are the same as far as a view writes them: numbers are rounded there."""
    if isinstance(one, float) and isinstance(other, float):
        return f"{one:.4g}" == f"{other:.4g}"
    return one == other


def _by_id(lines: Sequence[EditedEntry]) -> dict[str, list[EditedEntry]]:
    found: dict[str, list[EditedEntry]] = {}
    for line in lines:
        if line.id:
            found.setdefault(line.id, []).append(line)
    return found


def _says(line: EditedEntry) -> tuple[Mapping[str, Any], State | None]:
    return line.fields, line.state


def _shown(value: object) -> str:
    """A value as a message has it, cut where it is long."""
    text = (
        value
        if isinstance(value, str)
        else ", ".join(map(str, value))
        if isinstance(value, tuple | list)
        else str(value)
    )
    return f"“{text[:_SHOWN]}…”" if len(text) > _SHOWN else f"“{text}”"
