"""Forgetting: gone from every place that is ours, and not coming back.

    receipt = memory.forget("f_20260204_001")

What is named becomes tombstones (`selecting.py`), which say what must go without saying it. They
are put down and whatever meets one goes from the database in one transaction (`erasing.py`), then
from the files beside it (`leftovers.py`), the indexes and the log. A run that is killed is finished
by whoever opens the memory next, and a database that is restored is held against the tombstones of
the one that it replaces.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.clock import to_stored
from loxodon.errors import BusyStoreError, LoxodonError, NotFoundError, StoreError
from loxodon.filelock import lock_on
from loxodon.forget.gatekeeper import marker_of
from loxodon.forget.tombstones import Marks, Sieve, Tombstone
from loxodon.layout import DATABASE
from loxodon.store import StoredReceipt
from loxodon.store.rows import loaded, moment
from loxodon.types import FileProblem, NearName, Receipt

if TYPE_CHECKING:
    from loxodon.forget.erasing import TouchedRows
    from loxodon.forget.selecting import Selection
    from loxodon.memory import Memory
    from loxodon.paging import Key, Slice
    from loxodon.store import Progress
    from loxodon.store.store import Store
    from loxodon.views.workspace import Workspace

APPLIED = "forgotten_to"
"""The single value that says how much of the file the database was held against."""
LOCK = "forget.lock"
_WAIT = 120.0
_STEPS = 100
"""Of a run, as its progress is told."""


class _UndoError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, selection: Selection, *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`."""
    from loxodon.forget.selecting import chosen

    workspace = memory.workspace
    marker = marker_of(memory.root, memory.config, memory.space)
    with _alone(workspace.folder, _WAIT):
        settled = {} if dry_run else _taken_in(workspace)
        now = memory.now()
        with store.reading():
            found = chosen(store, marker, selection, now)
        progress(1, _STEPS)
        run = _Forgetting(
            memory,
            store,
            workspace,
            found.tombstones,
            found.sieve,
            selection.all,
            unknown=selection.entity,
            progress=progress,
        )
        receipt = new_receipt(selection.what, now)
        receipt = run.counted(receipt) if dry_run else run.done(receipt, settled)
        said = {name: store.erasure.times_said(name) for name in found.near}
        near = tuple(NearName(name, times) for name, times in said.items() if times)
        names = found.names if dry_run else ()
        return receipt._replace(names=names, near=near, doubtful=found.doubtful)


def finish(memory: Memory, store: Store) -> bool:
    """Hold a database against what was forgotten, where that was not done; whether it was.

    It is not where a run was killed, and where a backup was put in the place of a newer one.
    """
    workspace = memory.workspace
    if not store.has_tombstones() or store.value(APPLIED) == store.tombstones_version:
        return False
    with suppress(BusyStoreError), _alone(workspace.folder, 0):  # else whoever forgets does it
        kept = [Tombstone(*one) for one in store.erasure.tombstones()]
        _Forgetting(memory, store, workspace, kept, present=False).again()
        return True
    return False


def receipts(memory: Memory, store: Store, limit: int, after: Key | None) -> Slice[Receipt]:
    """What was forgotten when, the newest first."""
    zone = memory.now().tzinfo
    kept, last = store.pages.receipts(limit, after)
    found = []
    for id, at, actor, what, erased, places in kept:
        files = tuple(
            FileProblem(file, line, *what or ("",)) for file, line, *what in loaded(places)
        )
        found.append(Receipt(id, moment(at, zone), actor, what, loaded(erased), files))
    return found, last


def new_receipt(what: str, now: datetime) -> Receipt:
    """An empty receipt of whoever acts now."""
    from loxodon.security.actor import actor

    who = actor()
    by = " ".join(part for part in (who.surface, who.agent, who.caller) if part)
    return Receipt(f"r_{now:%Y%m%d}_{os.urandom(4).hex()}", now, by, what, {}, ())


@contextmanager
def _alone(folder: str, seconds: float) -> Iterator[None]:
    lock = lock_on(os.path.join(folder, LOCK))
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


def _taken_in(workspace: Workspace) -> Mapping[str, str]:
    """Take in what a person changed in the views, which are written anew afterwards."""
    from loxodon.views.sync import take_in

    try:
        return take_in(workspace).settled
    except (LoxodonError, OSError):  # what cannot be read now is left as it is, and told of
        return {}


class _Forgetting:
    """One run over the database and the files of a space."""

    def __init__(
        self,
        memory: Memory,
        store: Store,
        workspace: Workspace,
        kept: Sequence[Tombstone],
        sieve: Sieve | None = None,
        everything: bool = False,
        present: bool = True,
        unknown: str = "",
        progress: Progress | None = None,
    ) -> None:
        """`unknown` is a name that must be somewhere: any word may be one."""
        self._memory = memory
        self._store = store
        self._workspace = workspace
        self._tombstones = kept
        self._everything = everything
        self._present = present
        self._marker = marker_of(memory.root, memory.config, memory.space)
        self._unknown = unknown
        self._progress = progress or (lambda done, total: None)
        self._marks = Marks(self._marker, kept, present=present, sieve=sieve)
        self._counts: Counter[str] = Counter()
        self._touched: TouchedRows | None = None

    def counted(self, receipt: Receipt) -> Receipt:
        """What would go; nothing does."""
        try:
            with self._store.writing():
                self._sweep_store()
                raise _UndoError
        except _UndoError:
            pass
        files = self._sweep_files(None)
        self._see_that_it_is_known(files)
        erased = _sorted(self._counts)
        self._counts.clear()
        return receipt._replace(erased=erased, files=files)

    def done(self, receipt: Receipt, settled: Mapping[str, str]) -> Receipt:
        with self._store.writing():
            kept = [*self._tombstones, *self._sweep_store()]
            if self._unknown and not self._counts:
                self._see_that_it_is_known(self._sweep_files(None))
            # Once this is committed it is done, if need be by whoever opens it next.
            self._store.erasure.put_tombstones(kept)
        self._progress(2, _STEPS)
        files = self._sweep_files(settled)
        self._progress(_STEPS - 1, _STEPS)
        receipt = receipt._replace(erased=_sorted(self._counts), files=files)
        self._close(receipt)
        self._progress(_STEPS, _STEPS)
        return receipt

    def _see_that_it_is_known(self, files: Sequence[FileProblem]) -> None:
        if self._unknown and not files and not self._counts.keys() - _UNREAD:
            raise NotFoundError(
                "nothing is known about {name}",
                hint="list the known entities with `loxodon entities`",
                name=repr(self._unknown),
            )

    def again(self) -> None:
        """The same once more, with all that was ever forgotten."""
        with self._store.writing():
            self._sweep_store()
        # What is seen through this memory is as it should be. What of the rest cannot be done now,
        # on a full disk or while somebody reads, is done at the next opening.
        with suppress(LoxodonError, OSError):
            self._sweep_files({})
            self._settle()

    # The database

    def _sweep_store(self) -> list[Tombstone]:
        """Take out of the database what meets a tombstone; the tombstones of imports that went."""
        if self._everything:
            self._counts += Counter(
                {name: n for name, n in self._store.erasure.drop_all().items() if name in _TOLD}
            )
            self._counts["transcripts"] += self._store.working_sessions.clear()
            return []
        imports = self._erased(self._store)
        until = to_stored(self._memory.now())[0]
        return [self._marker.tombstone("import", until, key) for key in imports]

    def _erased(self, store: Store) -> list[bytes]:
        from loxodon.forget.erasing import Eraser
        from loxodon.tokens import counter

        count = counter(self._memory.config.tokenizer)
        eraser = Eraser(store, self._marks, self._memory.now(), count)
        eraser.run()
        self._counts += eraser.counts
        if store is self._store:
            self._touched = eraser.touched
        return eraser.imports

    # Files

    def _sweep_files(self, settled: Mapping[str, str] | None) -> tuple[FileProblem, ...]:
        """Take it out of the files beside the database, or count them where there is no `settled`;
        those in which it still stands."""
        from loxodon.forget.leftovers import Leftovers, set_aside
        from loxodon.views import copies

        left = Leftovers(self._workspace, self._marks, dry=settled is None)
        self._counts += left.all()
        for path in set_aside(self._workspace.folder, os.path.basename(self._database)):
            self._counts["databases set aside"] += 1
            if settled is not None:
                self._clean_aside(path)
        own = left.own_files()
        if self._present and not own and not self._counts.keys() - _UNREAD:
            return ()
        kept = tuple(left.kept_copies(settled or {}))
        # A run that goes on with another's does not know what that one has erased.
        known = self._touched if self._present else None
        anew = known.views(self._counts) if known else None
        gone = copies.renewed(
            self._workspace, settled or {}, anew, dry=settled is None, progress=self._of_views
        )
        self._counts["views out of use"] += gone
        return (*kept, *own, *left.backups())

    def _of_views(self, done: int, total: int) -> None:
        """Most of a long run is spent on the views."""
        self._progress(2 + (_STEPS - 4) * done // max(total, 1), _STEPS)

    @property
    def _database(self) -> str:

        return os.path.join(self._workspace.folder, DATABASE)

    def _clean_aside(self, path: str) -> None:
        """Do the same in a database that was set aside; one that cannot be opened goes."""
        try:
            if not self._everything:
                self._clean(self._memory.beside(path))
                return
        except StoreError:  # nobody can say what is in it
            pass
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path + end)

    def _clean(self, store: Store) -> None:
        counts = self._counts.copy()
        try:
            with store.writing():
                self._erased(store)
            self._counts = counts  # it is the same once more
            store.erasure.scrub()
            store.erasure.settle()
        finally:
            store.close()

    # The end

    def _close(self, receipt: Receipt) -> None:
        places = json.dumps([one[:3] for one in receipt.files], ensure_ascii=False)
        with self._store.writing():
            at, erased = to_stored(receipt.at)[0], json.dumps(receipt.erased)
            row = StoredReceipt(receipt.id, at, receipt.by, receipt.what, erased, places)
            self._store.erasure.put_receipts([row])
        self._settle()

    def _settle(self) -> None:
        """See that nothing is left in indexes and log; only then is it done."""
        erasure = self._store.erasure
        erasure.scrub()
        if erasure.settle():
            with self._store.writing():
                self._store.set_value(APPLIED, self._store.tombstones_version)


_UNREAD = {"databases set aside", "damaged records"}
"""What goes, or is gone through, whatever it has in it."""
_TOLD = ("turns", "memories", "segments", "events", "entities", "documents", "fragments")
"""What `forget --all` counts."""


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {name: n for name, n in sorted(counts.items()) if n}
