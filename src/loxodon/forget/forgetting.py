"""Forgetting: gone from every place that is ours, and not coming back.

    receipt = memory.forget("f_20260204_001")

What is named becomes marks (`select.py`). They are put down and whatever meets one goes from the
database in one transaction (`erase.py`), then from the files beside it, indexes and log. What
Loxodon wrote is rewritten; what is the user's own is only named in the receipt. A run that is
killed is finished by whoever opens the memory next, and a database that is restored is held
against the marks of the one that it replaces.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from loxodon import files
from loxodon.clock import to_stored
from loxodon.errors import BusyStoreError, LoxodonError, NotFoundError, StoreError
from loxodon.filelock import lock_at
from loxodon.forget.marks import Mark, Marker, Marks, known_names
from loxodon.forget.receipts import MOST_FILES, NearName, Receipt, backups, keep, new_receipt
from loxodon.layout import BESIDE, DATABASE, VIEWS
from loxodon.store import NoteFile
from loxodon.types import FileProblem

if TYPE_CHECKING:
    from loxodon.forget.erase import Eraser
    from loxodon.forget.select import Selection
    from loxodon.memory import Memory
    from loxodon.store import Progress
    from loxodon.store.store import Store

APPLIED = "forgotten_to"  # the stored value that says which marks the database was held against
LOCK = "forget.lock"
_LOCK_SECONDS = 120.0
_COUNTED = ("turns", "memories", "segments", "events", "entities", "documents", "fragments")
_ASIDE = "databases set aside"
_ASIDE_NAMES = (f"{DATABASE}.before-restore-", f"{DATABASE}.before-repair-", "damaged-")
_MOST_BYTES = 64 << 20  # of a file that is looked through


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, selection: Selection, *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`."""
    from loxodon.forget.select import Selected
    from loxodon.views import copies
    from loxodon.views.sync import take_in

    marker = Marker(memory.root, memory.config, memory.space)
    with _alone(memory, _LOCK_SECONDS):
        settled: Mapping[str, str] = {}
        if not dry_run:
            # What a person changed in the views, which are written anew afterwards. What cannot be
            # read now is left as it is, and told of.
            with suppress(LoxodonError, OSError):
                settled = take_in(memory.workspace).settled
        now = memory.now()
        with store.reading():
            found = Selected(store, marker, selection, now)
        names = known_names(store)
        marks = Marks(marker, found.marks, lambda: names, present=True, words=found.words)
        with suppress(_DryRunError), store.writing():
            counts, imports = _sweep(memory, store, marks, everything=selection.all)
            own = _own_files(memory, store, marks)
            if selection.entity and not counts and not own:
                raise NotFoundError(
                    "nothing is known about {name}",
                    hint="list the known entities with `loxodon entities`",
                    name=repr(selection.entity),
                )
            if dry_run:
                raise _DryRunError
            # Once this is committed it is done, if need be by whoever opens it next.
            gone = [marker.mark("import", to_stored(now)[0], key) for key in imports]
            store.execute_many("put_tombstone", [*found.marks, *gone])
        is_found = bool(counts or own)
        counts[_ASIDE] = _sweep_aside(memory, marks, everything=selection.all, dry=dry_run)
        left: list[FileProblem] = []
        if is_found:
            left = [*_kept_copies(memory, marks, settled, dry=dry_run), *own]
            left += backups(memory.home, memory.config)
            counts["views out of use"] = copies.renewed(
                memory.workspace, settled, dry=dry_run, progress=progress
            )
        erased = {name: n for name, n in sorted(counts.items()) if n}
        receipt = new_receipt(selection.what, now)._replace(erased=erased, files=tuple(left))
        if not dry_run:
            with store.writing():
                keep(store, receipt)
            _settle(store)
        said = {name: int(store.scalar("times_said", name)) for name in found.near}
        return receipt._replace(
            names=tuple(found.names) if dry_run else (),
            near=tuple(NearName(name, times) for name, times in said.items() if times),
            doubtful=tuple(found.doubtful),
        )


def finish(memory: Memory, store: Store) -> bool:
    """Hold a database against what was forgotten, where that was not done; whether it was.

    It is not where a run was killed, and where a backup was put in the place of a newer one.
    """
    from loxodon.views import copies

    if not bool(store.scalar("has_tombstones")) or store.value(APPLIED) == store.scalar(
        "tombstones_version"
    ):
        return False
    with suppress(BusyStoreError), _alone(memory, 0):  # else whoever forgets does it
        marker = Marker(memory.root, memory.config, memory.space)
        kept, names = [Mark(*one) for one in store.query("tombstones")], known_names(store)
        marks = Marks(marker, kept, lambda: names)
        with store.writing():
            _sweep(memory, store, marks)
        # What of the rest cannot be done now, on a full disk or while somebody reads, is done at
        # the next opening.
        with suppress(LoxodonError, OSError):
            _sweep_aside(memory, marks)
            copies.renewed(memory.workspace, {})
            _settle(store)
        return True
    return False


@contextmanager
def _alone(memory: Memory, seconds: float) -> Iterator[None]:
    folder = memory.workspace.folder
    lock = lock_at(os.path.join(folder, LOCK))
    try:
        if not lock.acquire(seconds):
            raise BusyStoreError(
                "another process is deleting something in {path}",
                hint="wait until it has finished",
                path=folder,
            )
        yield
    finally:
        lock.close()


def _sweep(
    memory: Memory, store: Store, marks: Marks, *, everything: bool = False
) -> tuple[Counter[str], list[bytes]]:
    """Take out of a database what meets a mark; how much, and the keys of imports that went."""
    if everything:
        transcripts = len(store.query("transcripts"))
        dropped = store.erasure.drop_all()
        counts = Counter({name: dropped[name] for name in _COUNTED if dropped[name]})
        counts["transcripts"] += transcripts
        return counts, []
    eraser = _erased(memory, store, marks)
    return eraser.counts, eraser.imports


def _erased(memory: Memory, store: Store, marks: Marks) -> Eraser:
    from loxodon.forget.erase import Eraser
    from loxodon.tokens import estimate

    eraser = Eraser(store, marks, memory.now(), estimate)
    eraser.run()
    return eraser


def _settle(store: Store) -> None:
    """See that nothing is left in indexes and log; only then is it done."""
    if store.erasure.scrub():
        with store.writing():
            store.set_value(APPLIED, store.scalar("tombstones_version"))


# Files


def _sweep_aside(
    memory: Memory, marks: Marks, *, everything: bool = False, dry: bool = False
) -> int:
    """Do the same in databases that were set aside; one that cannot be opened goes."""
    folder = memory.workspace.folder
    names = [
        name
        for name in files.names(folder)
        if name.startswith(_ASIDE_NAMES) and not name.endswith(("-wal", "-shm", *BESIDE))
    ]
    for path in (os.path.join(folder, name) for name in names if not dry):
        is_clean = False
        with suppress(StoreError):
            if not everything:
                store = memory.beside(path)
                try:
                    with store.writing():
                        _erased(memory, store, marks)
                    store.erasure.scrub()
                    is_clean = True
                finally:
                    store.close()
        for end in ("", "-wal", "-shm") if not is_clean else ():
            with suppress(FileNotFoundError):
                os.unlink(path + end)
    return len(names)


def _own_files(memory: Memory, store: Store, marks: Marks) -> list[FileProblem]:
    """Where in the user's own files the words still stand: notes, and transcripts of agents."""
    from loxodon.journal.openclaw_db import read_database

    notes = store.query_as(NoteFile, "files")
    paths = [os.path.join(it.root, *it.path.split("/")) for it in notes]
    paths += [path for path, *_ in store.primary.dump("followed")]
    found: list[FileProblem] = []
    for path in dict.fromkeys(filter(os.path.isfile, paths)) if marks.cuts else ():
        if path.endswith(".sqlite"):
            said = read_database(path, memory.now().tzinfo).drafts
            if any(_is_forgotten(marks, one.content) for one in said):
                found.append(FileProblem(path, 0, ""))
        else:
            found += _places_in(marks, path, "")
    return found[:MOST_FILES]


def _kept_copies(
    memory: Memory, marks: Marks, settled: Mapping[str, str], *, dry: bool
) -> Iterator[FileProblem]:
    """Text of ours that stays: views that a person has changed, places that cannot be reached,
    and single files that were asked for."""
    from loxodon.views import copies
    from loxodon.views.manifest import hash_of

    workspace = memory.workspace
    for place in copies.places(workspace):
        root = os.path.join(place.path, VIEWS)
        if not os.path.isdir(place.path):
            if place.path not in (workspace.path, workspace.usual):
                yield FileProblem(place.path, 0, "away")
        elif place.path != workspace.path or not dry:  # else they are taken in
            for path in copies.changed(root, workspace.store.space):
                name = os.path.relpath(path, root).replace(os.sep, "/")
                if name not in settled or hash_of(path) != settled[name]:
                    yield from _places_in(marks, path, "changed")
    for copy in copies.known(workspace.folder):
        if copy.kind == "file" and os.path.exists(copy.path):
            yield from _places_in(marks, copy.path, "copy")[:1]


def _places_in(marks: Marks, path: str, what: str) -> list[FileProblem]:
    """The lines of a file with what was forgotten; the file, where nobody can tell by them."""
    if not marks.cuts:
        return [FileProblem(path, 0, what)]
    lines: list[str] = []
    with suppress(OSError):
        if os.path.getsize(path) <= _MOST_BYTES:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                lines = file.read().split("\n")
    found = (n for n, line in enumerate(lines, 1) if _is_forgotten(marks, line))
    return [FileProblem(path, n, what) for n in found]


def _is_forgotten(marks: Marks, line: str) -> bool:
    """Whether a line of a file has something that was forgotten, in plain text or JSON."""
    if line.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            found = json.loads(line)
            return bool(marks.cut_json(found, 0) != found)
    bare = line.strip().lstrip("-*>#|0123456789.[] \t")
    return marks.cut(bare, 0) != bare
