"""A database out of a folder of views alone: `loxodon restore SOURCE`.

The files that are read back have all that a store cannot make anew; the others are for people. The
new database is made beside its place, checked, and only then moved there: whatever goes wrong
before, nothing was touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.config import Config
from loxodon.drafts import draft_in
from loxodon.errors import InputError, NotFoundError, StoreError
from loxodon.guard.scan import mend_restored
from loxodon.layout import DATABASE, VIEWS
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.opening import OpenSpace, keys_for
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import carry_log
from loxodon.store.sqlite.database import move_in
from loxodon.store.sqlite.store import SqliteStore
from loxodon.types import FileProblem, Restored
from loxodon.views import bad_view, days, entities, records, segments, state
from loxodon.views.manifest import MANIFEST, change_of, load, read
from loxodon.views.reading import Trouble
from loxodon.views.records import RecordLine
from loxodon.write.decay import Decay

Batch = tuple[str, Sequence[Row]]

_MOST_BYTES = 4 << 30
_ALWAYS = (*records.FILES, entities.INDEX, state.CONSOLIDATION, state.NUMBERS)
"""Views that every folder has."""
_REFERRING = {
    "reviews": (0, 1),
    "memory_uses": (0,),
    "unindexed": (0,),
    "imports": (1,),
    "tokens": (2,),
}
"""The columns of these tables that name a memory."""
_SEQ = 4
_REPLACES = PRIMARY_TABLES["memories"].columns.index("replaces")


def restore(
    source: str,
    home: str,
    space: str = "main",
    *,
    config: Config | None = None,
    clock: Clock | None = None,
    replace: bool = False,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Restored:
    """Make the database of a space from the views in `source`, a workspace or its folder of views.

    A space that has anything is refused; with `replace` its database is kept beside the new one, as
    `Restored.before`. A file that was edited since it was written is taken as it stands. `key` is
    as in `Memory.open`.
    """
    views = _Views(_root(source), space)
    home = home_at(home)
    path = os.path.join(space_path(home, space), DATABASE)
    config = config or settings.with_environment(settings.load(home), os.environ)
    zone = zone_named(config.timezone)
    clock = clock or system_clock(zone)
    keys = keys_for(home, config, key)
    kept = is_kept(path, space, Decay(config.decay, clock), keys)
    if kept and not replace:
        raise InputError(
            "the space {space} at {home} is not empty",
            hint="to replace it, add --replace; the old database is kept",
            space=repr(space),
            home=home,
        )
    with draft_in(space_folder(home, space, make=True)) as draft:
        decay = Decay(config.decay, clock)
        store = SqliteStore(os.path.join(draft, DATABASE), space, zone, decay, keys)
        with Memory(OpenSpace(home, draft, store, config, clock, zone, keys)) as memory:
            done = _fill(memory, store, views, progress or _quiet)
            store.erasure.go_on_from(path, keys)
        before = free(f"{path}.before-restore") if kept else ""
        if kept:
            carry_log(path, os.path.join(draft, DATABASE), keys, sessions=True)
        move_in(os.path.join(draft, DATABASE), path, before, keys)
    return done._replace(before=before)


def _fill(memory: Memory, store: SqliteStore, views: _Views, progress: Progress) -> Restored:
    """Everything into an empty store, checked."""
    try:
        store.primary.load(views.batches(progress), progress)
    except StoreError as error:
        if type(error) is not StoreError or not views.file:  # of the disk, not of what is put there
            raise
        reason = InputError(
            "it does not match the rest: {reason}",
            hint="the files are from different times: export them again, or undo the edits",
            reason=error.values.get("reason"),
        )
        raise bad_view(views.file, 0, reason) from None
    store.sign_if_foreign()
    # Messages that were put aside are told of by `validate`, here as there.
    put_aside = {f"t_{one.turn}" for one in store.worklog.fragments("failed")}
    if wrong := [one for one in store.check(progress) if one.where not in put_aside]:
        raise InputError(
            "the text views are inconsistent: {where}: {what}",
            hint="nothing was changed; undo the edits",
            where=wrong[0].where,
            what=wrong[0].what,
        )
    added = tuple(views.take_in(memory))
    mend_restored(memory, store)
    counts = store.counts()
    return Restored(counts.turns, counts.active + counts.archived, added, tuple(views.problems()))


def _quiet(done: int, total: int) -> None:
    """No progress to report to."""


def rows_in(source: str, space: str) -> Iterator[Batch]:
    """The rows of all tables that the views in `source` have, as `PrimaryData.dump` gives them."""
    return _Views(_root(source), space).batches(_quiet)


def _root(source: str) -> str:
    """The folder of views in `source`."""
    source = os.path.abspath(os.path.expanduser(source))
    for folder in (os.path.join(source, VIEWS), source):
        if os.path.exists(os.path.join(folder, MANIFEST)):
            return folder
    raise NotFoundError(
        "no text views found in {folder}",
        hint="give the folder that `loxodon export` wrote; it contains {file}",
        folder=source,
        file=MANIFEST,
    )


def is_kept(path: str, space: str, decay: Decay, keys: Keys = ()) -> bool:
    """Whether there is a database that has anything, or that cannot be looked into."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return False
    try:
        store = SqliteStore(path, space, None, decay, keys)
    except StoreError:
        return True
    try:
        return not store.primary.is_empty()
    finally:
        store.close()


def free(path: str) -> str:
    """`path` with the first number behind it that is free."""
    number = 1
    while os.path.lexists(f"{path}-{number}"):
        number += 1
    return f"{path}-{number}"


class _Place(NamedTuple):
    file: str
    line: int


class _Views:
    """A folder of views that is read back."""

    def __init__(self, root: str, space: str) -> None:
        manifest = load(root)
        if manifest is None:
            raise NotFoundError("no text views found in {folder}", folder=root)
        self._root = root
        self._manifest = manifest
        self.file = ""
        """The one that is read now."""
        self._ids: dict[str, _Place] = {}
        self._numbers: dict[int, _Place] = {}
        self._turns: set[int] | None = None
        self._memories: set[str] | None = None
        self._new: list[tuple[str, RecordLine]] = []
        self._check(space)
        self._edited = [
            name for name in manifest.files if change_of(root, name, manifest) == "edited"
        ]

    def _check(self, space: str) -> None:
        manifest = self._manifest
        if manifest.masked:
            raise InputError(
                "{folder} contains masked copies, which cannot be restored",
                hint="restore from a folder that was exported without --masked",
                folder=self._root,
            )
        if manifest.space != space:
            raise InputError(
                "{folder} contains the text views of the space {owner}",
                hint="select that space with --space",
                folder=self._root,
                owner=repr(manifest.space),
            )
        for name in _ALWAYS:
            if name not in manifest.files:
                raise bad_view(MANIFEST, 0, InputError("it does not list {file}", file=name))

    # The rows of all tables

    def batches(self, progress: Progress) -> Iterator[Batch]:
        """All rows, file by file, what is referred to before what refers to it."""
        files = [name for name in self._manifest.files if _is_read(name)]
        self._look_ahead()
        for done, name in enumerate(sorted(files, key=_turn_of), 1):
            self.file = name
            yield from self._batches(name, self._text(name))
            progress(done, len(files))
        self.file = ""

    def _batches(self, name: str, text: str) -> Iterator[Batch]:
        if name in records.FILES:
            yield from self._memory_rows(name, text)
        elif name in state.FILES:
            yield self._table_rows(name, text)
        elif name == entities.INDEX:
            yield "entities", entities.parse(text)
        elif name == state.CONSOLIDATION:
            yield "meta", state.parse_work(text)
        elif name == state.NUMBERS:
            counters, values = state.parse_numbers(text)
            yield from (("counters", counters), ("meta", values))
        elif days.NAME.fullmatch(name):
            yield self._day_rows(name, text)
        else:
            yield "segments", self._fitting("segments", [segments.parse(name, text)])

    def _text(self, name: str) -> str:
        try:
            return read(self._root, name, _MOST_BYTES)[0]
        except NotFoundError:
            reason = InputError("it is missing", hint="restore it; every file is needed")
            raise bad_view(name, 0, reason) from None

    def _memory_rows(self, name: str, text: str) -> Iterator[Batch]:
        parsed = records.parse(name, text)
        _refuse(name, parsed.troubles)
        memories, sources, changes = [], [], []
        for entry in parsed.entries:
            if not entry.id and name in self._edited:
                self._new.append((name, entry))
                continue
            try:
                row, *rest = records.rows_of(entry)
                self._claim(name, entry)
            except InputError as error:
                raise bad_view(name, entry.line, error) from None
            memories.append(self._mended(row))
            sources += [self._mended_source(source) for source in rest[0]]
            changes += rest[1]
        yield from (
            ("memories", memories),
            ("memory_sources", sources),
            ("memory_changes", changes),
        )

    def _claim(self, name: str, entry: RecordLine) -> None:
        """Every id and number is of one memory."""
        here = _Place(name, entry.line)
        other = self._ids.setdefault(entry.id, here)
        if other is here:
            other = self._numbers.setdefault(entry.n, here)
        if other is not here:
            raise InputError(
                "{file}, line {line} has the same id or number", file=other.file, line=other.line
            )

    def _table_rows(self, name: str, text: str) -> Batch:
        parsed = state.parse(name, text)
        _refuse(name, parsed.troubles)
        table, _ = state.FILES[name]
        return table, self._fitting(table, [row for _, row in parsed.rows])

    def _day_rows(self, name: str, text: str) -> Batch:
        parsed = days.parse(name, text)
        _refuse(name, parsed.troubles)
        seen: dict[object, int] = {}
        for line, row in parsed.rows:
            other = min(seen.setdefault(row[0], line), seen.setdefault(row[3], line))
            if other != line:
                reason = InputError("it is the same turn as on line {other}", other=other)
                raise bad_view(name, line, reason)
        return "turns", [row for _, row in parsed.rows]

    # What an edit has left without its other half

    def _look_ahead(self) -> None:
        """Where turns or memories may have been taken out, know those that are still there."""
        if any(days.NAME.fullmatch(name) for name in self._edited):
            names = filter(days.NAME.fullmatch, self._manifest.files)
            parsed = (days.parse(name, self._text(name)) for name in names)
            self._turns = {row[0] for one in parsed for _, row in one.rows}
        if any(name in records.FILES for name in self._edited):
            lines = (records.parse(name, self._text(name)) for name in records.FILES)
            self._memories = {entry.id for one in lines for entry in one.entries}

    def _mended(self, memory: Row) -> Row:
        """A memory that took the place of one that is gone took nobody's."""
        if self._memories is None or memory[_REPLACES] in self._memories:
            return memory
        return (*memory[:_REPLACES], "", *memory[_REPLACES + 1 :])

    def _mended_source(self, source: Row) -> Row:
        if self._turns is None or source[_SEQ] in self._turns:
            return source
        return (*source[:_SEQ], None, *source[_SEQ + 1 :])

    def _fitting(self, table: str, rows: list[Row]) -> list[Row]:
        """Those rows whose turns and memories are there."""
        of = {"segments": (2, 3), "fragments": (0,), "candidates": (1,)}
        if self._turns is not None and table in of:
            rows = [row for row in rows if all(row[i] in self._turns for i in of[table])]
        if self._memories is not None and table in _REFERRING:
            known, places = self._memories, _REFERRING[table]
            rows = [row for row in rows if all(row[i] in known for i in places)]
        return rows

    # What a person did to the files

    def take_in(self, memory: Memory) -> Iterator[str]:
        """Capture what was added to the files by hand; the ids that it gets."""
        taken = ("content", "importance", "entities", "tags", "project", "topic", "category")
        for name, entry in self._new:
            fields = {key: value for key, value in entry.fields.items() if key in taken}
            if entry.kind == "belief" and "confidence" in entry.fields:
                fields["confidence"] = entry.fields["confidence"]
            try:
                content = fields.pop("content", "")
                record = memory.capture(content, entry.kind, **fields)
                if entry.state == "archived":
                    memory.archive(record.id)
            except InputError as error:
                raise bad_view(name, entry.line, error) from None
            yield record.id

    def problems(self) -> Iterator[FileProblem]:
        """What is to say of the files that were edited."""
        for name in self._edited:
            if _is_read(name):
                yield FileProblem(
                    name,
                    0,
                    t("it was edited after it was written; the edited version was restored"),
                )
            else:
                yield FileProblem(
                    name,
                    0,
                    t("it was edited after it was written; the edits were ignored"),
                    t("apply your edits with `loxodon sync`"),
                )


def _refuse(name: str, troubles: Sequence[Trouble]) -> None:
    """Raise for what cannot be read: all of it is told, and the first is named."""
    if troubles:
        error = bad_view(name, *troubles[0])
        error.problems = tuple(troubles) if len(troubles) > 1 else ()
        raise error


_ORDER: tuple[Callable[[str], object], ...] = (
    lambda name: name == "state/sessions.jsonl",
    days.NAME.fullmatch,
    records.FILES.__contains__,
    lambda name: name.startswith("segments/"),
    lambda name: name in state.FILES or name in _ALWAYS,
)
"""Which files are read back, in the order in which they are."""


def _turn_of(name: str) -> tuple[int, str]:
    found = (place for place, is_it in enumerate(_ORDER) if is_it(name))
    return next(found, len(_ORDER)), name


def _is_read(name: str) -> bool:
    return any(is_it(name) for is_it in _ORDER)
