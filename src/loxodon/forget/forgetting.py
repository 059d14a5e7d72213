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
from contextlib import suppress
from typing import TYPE_CHECKING

from loxodon import files
from loxodon.errors import BusyStoreError, LoxodonError, NotFoundError
from loxodon.filelock import alone
from loxodon.forget.erase import Sweep
from loxodon.forget.marks import Marks
from loxodon.forget.receipts import MOST_FILES, Receipt, backups, keep, new_receipt
from loxodon.forget.select import Selected, Selection
from loxodon.forget.spaces import views_left
from loxodon.layout import DATABASE, FORGOTTEN_TO
from loxodon.security.paths import is_inside
from loxodon.store import NoteFile
from loxodon.types import FileProblem
from loxodon.views import copies
from loxodon.views.sync import take_in

if TYPE_CHECKING:
    from loxodon.memory import Memory
    from loxodon.store import Progress
    from loxodon.store.store import Store

LOCK = "forget.lock"
_LOCK_SECONDS = 120.0
# The tables that a receipt of everything counts
_COUNTED = ["turns", "memories", "segments", "events", "entities", "documents", "transcripts"]
_ASIDE_NAMES = (f"{DATABASE}.before-restore-", f"{DATABASE}.before-repair-", "damaged-")
_MOST_BYTES = 64 << 20  # of a file that is looked through


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, selection: Selection, *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`."""
    with alone(os.path.join(memory.workspace.folder, LOCK), _LOCK_SECONDS):
        settled: Mapping[str, str] = {}
        if not dry_run:
            # What a person changed in the views, which are written anew afterwards. What cannot be
            # read now is left as it is, and told of.
            with suppress(LoxodonError, OSError):
                settled = take_in(memory.workspace).settled
        now = memory.now()
        marks = Marks(store, memory.root, memory.config, now)
        with store.reading():
            found = Selected(store, marks, selection)
        with suppress(_DryRunError), store.writing():
            if selection.all:
                transcripts = len(store.query("transcripts"))
                dropped = {**store.erasure.drop_all(), "transcripts": transcripts}
                counts = +Counter({name: dropped[name] for name in _COUNTED})
            else:
                counts = Sweep(store, marks, now).run(only=selection.only)
            own = _own_files(store, marks)
            if selection.entity and not counts and not own:
                raise NotFoundError(
                    "nothing is known about {name}",
                    hint="list the known entities with `loxodon entities`",
                    name=repr(selection.entity),
                )
            if dry_run:
                raise _DryRunError
            # Once this is committed it is done, if need be by whoever opens it next.
            store.execute_many("put_tombstone", marks.new)
        left: list[FileProblem] = []
        if counts or own:
            counts["views out of use"] = copies.renewed(
                memory.workspace, settled, dry=dry_run, progress=progress
            )
            left = [*_views_left(memory, marks, dry=dry_run), *own]
            left += backups(memory.home, memory.config)
        counts["databases set aside"] = _drop_set_aside(memory, dry=dry_run)
        receipt = new_receipt(selection.what, now, counts, *left)
        if not dry_run:
            with store.writing():
                keep(store, receipt)
            _settle(store)
        return receipt._replace(
            names=tuple(found.names) if dry_run else (),
            near=tuple(name for name in found.near if store.scalar("times_said", name)),
            doubtful=tuple(found.doubtful),
        )


def finish(memory: Memory, store: Store) -> None:
    """Hold a database against what was forgotten, where that was not done."""
    lock = os.path.join(memory.workspace.folder, LOCK)
    with suppress(BusyStoreError), alone(lock, 0):  # else whoever forgets does it
        marks = Marks(store, memory.root, memory.config)
        with store.writing():
            Sweep(store, marks, memory.now()).run()
        # What of the rest cannot be done now, on a full disk or while somebody reads, is done at
        # the next opening.
        with suppress(LoxodonError, OSError):
            _drop_set_aside(memory)
            copies.renewed(memory.workspace, {})
            _settle(store)


def _settle(store: Store) -> None:
    """See that nothing is left in indexes and log; only then is it done."""
    if store.erasure.scrub():
        with store.writing():
            store.set_value(FORGOTTEN_TO, store.scalar("marks_version"))


# Files


def _drop_set_aside(memory: Memory, *, dry: bool = False) -> int:
    """Remove the databases that a restore or a repair has put aside; how many."""
    folder = memory.workspace.folder
    names = [name for name in files.names(folder) if name.startswith(_ASIDE_NAMES)]
    for name in () if dry else names:
        os.unlink(os.path.join(folder, name))
    return sum(not name.endswith(("-wal", "-shm", ".check")) for name in names)


def _own_files(store: Store, marks: Marks) -> list[FileProblem]:
    """Where in the user's own files the words still stand: notes, and transcripts of agents."""
    notes = store.query_as(NoteFile, "files") if marks.cuts else ()
    paths = [os.path.join(it.root, *it.path.split("/")) for it in notes]
    paths += [path for path, *_ in store.primary.dump("followed")] if marks.cuts else []
    there = dict.fromkeys(filter(os.path.isfile, paths))
    return [one for path in there for one in _lines_with(marks, path)][:MOST_FILES]


def _views_left(memory: Memory, marks: Marks, *, dry: bool) -> Iterator[FileProblem]:
    """Text of ours that stays: views that a person has changed, places that cannot be reached,
    and single files that were asked for."""
    workspace = memory.workspace
    for one in views_left(workspace.folder, memory.space, workspace.path, dry_run=True):
        if one.what == "away":
            yield one
        elif not dry or not is_inside(one.file, workspace.path):  # else they are taken in
            yield from _lines_with(marks, one.file, one.what)


def _lines_with(marks: Marks, path: str, what: str = "") -> Iterator[FileProblem]:
    """The lines of a file with what was forgotten; line 0 where nobody can tell by them."""
    if not marks.cuts or path.endswith(".sqlite"):
        yield FileProblem(path, 0, what)
        return
    with suppress(OSError), open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for n, line in enumerate(file if os.path.getsize(path) <= _MOST_BYTES else (), 1):
            said: object = line.strip().lstrip("-*>#|0123456789.[] \t")
            with suppress(ValueError, RecursionError):
                said = json.loads(line) if line.lstrip().startswith("{") else said
            if marks.cut_json(said, 0) != said:
                yield FileProblem(path, n, what)
