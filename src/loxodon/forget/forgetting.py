"""Forgetting: gone from every place that is ours, and not coming back.

    receipt = memory.forget("f_20260204_001")

What is named becomes marks (`select.py`). They are put down and whatever meets one goes from the
database in one transaction (`erase.py`), then from files beside it (`files.py`), indexes and log.
A run that is killed is finished by whoever opens the memory next, and a database that is
restored is held against the marks of the one that it replaces.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from loxodon.clock import to_stored
from loxodon.errors import BusyStoreError, LoxodonError, NotFoundError, StoreError
from loxodon.filelock import lock_on
from loxodon.forget.marks import Mark, Marker, Marks, known_names
from loxodon.forget.receipts import NearName, Receipt, keep, new_receipt
from loxodon.types import FileProblem

if TYPE_CHECKING:
    from loxodon.forget.erase import Eraser
    from loxodon.forget.select import Selection
    from loxodon.memory import Memory
    from loxodon.store import Progress
    from loxodon.store.store import Store

APPLIED = "forgotten_to"  # the stored value that says which marks the database was held against
LOCK = "forget.lock"
_WAIT = 120.0
_UNREAD = {"databases set aside", "damaged records"}  # gone through whatever they have in them
_COUNTED = ("turns", "memories", "segments", "events", "entities", "documents", "fragments")


class _DryRunError(Exception):
    """Takes a transaction back that was only made to count."""


def forget(
    memory: Memory, store: Store, selection: Selection, *, dry_run: bool, progress: Progress
) -> Receipt:
    """See `Memory.forget`."""
    from loxodon.forget.select import Selected
    from loxodon.views.sync import take_in

    marker = Marker(memory.root, memory.config, memory.space)
    with _alone(memory, _WAIT):
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
        marks = Marks(
            marker, found.marks, known_names=lambda: names, present=True, words=found.words
        )
        run = _Run(memory, store, marks, everything=selection.all, progress=progress)
        receipt = new_receipt(selection.what, now)
        with suppress(_DryRunError), store.writing():
            imports = run.sweep_store()
            if selection.entity and not run.counts:
                if not run.sweep_files({}, dry_run=True):
                    raise NotFoundError(
                        "nothing is known about {name}",
                        hint="list the known entities with `loxodon entities`",
                        name=repr(selection.entity),
                    )
                run.counts.clear()
            if dry_run:
                raise _DryRunError
            # Once this is committed it is done, if need be by whoever opens it next.
            gone = [marker.mark("import", to_stored(now)[0], key) for key in imports]
            store.execute_many("put_tombstone", [*found.marks, *gone])
        files = run.sweep_files(settled, dry_run=dry_run)
        erased = {name: n for name, n in sorted(run.counts.items()) if n}
        receipt = receipt._replace(erased=erased, files=tuple(files))
        if not dry_run:
            with store.writing():
                keep(store, receipt)
            run.settle()
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
    if not bool(store.scalar("has_tombstones")) or store.value(APPLIED) == store.tombstones_version:
        return False
    with suppress(BusyStoreError), _alone(memory, 0):  # else whoever forgets does it
        marker = Marker(memory.root, memory.config, memory.space)
        kept = [Mark(*one) for one in store.query("tombstones")]
        names = known_names(store)
        run = _Run(memory, store, Marks(marker, kept, known_names=lambda: names))
        with store.writing():
            run.sweep_store()
        # What of the rest cannot be done now, on a full disk or while somebody reads, is done at
        # the next opening.
        with suppress(LoxodonError, OSError):
            run.sweep_files({})
            run.settle()
        return True
    return False


@contextmanager
def _alone(memory: Memory, seconds: float) -> Iterator[None]:
    folder = memory.workspace.folder
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


class _Run:
    """One run over the database and the files of a space."""

    def __init__(
        self,
        memory: Memory,
        store: Store,
        marks: Marks,
        *,
        everything: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self._memory = memory
        self._store = store
        self._workspace = memory.workspace
        self._marks = marks
        self._everything = everything
        self._progress = progress
        self._eraser: Eraser | None = None
        self.counts: Counter[str] = Counter()

    def sweep_store(self) -> list[bytes]:
        """Take out of the database what meets a mark; the keys of imports that went."""
        if self._everything:
            dropped = self._store.erasure.drop_all()
            self.counts = Counter({name: dropped[name] for name in _COUNTED if dropped[name]})
            self.counts["transcripts"] += self._store.working_sessions.clear()
            return []
        self._eraser = self._erased(self._store)
        self.counts += self._eraser.counts
        return self._eraser.imports

    def _erased(self, store: Store) -> Eraser:
        from loxodon.forget.erase import Eraser
        from loxodon.tokens import counter

        count = counter(self._memory.config.tokenizer)
        eraser = Eraser(store, self._marks, self._memory.now(), count)
        eraser.run()
        return eraser

    def sweep_files(
        self, settled: Mapping[str, str], *, dry_run: bool = False
    ) -> list[FileProblem]:
        """Take it out of the files beside the database; those in which it still stands."""
        from loxodon.forget import files
        from loxodon.views import copies

        workspace, marks = self._workspace, self._marks
        self.counts += files.clean_copies(workspace, marks, dry_run=dry_run)
        for path in files.set_aside(workspace.folder):
            self.counts["databases set aside"] += 1
            if not dry_run:
                self._clean_aside(path)
        own = files.own_files(workspace, marks)
        if marks.present and not own and not self.counts.keys() - _UNREAD:
            return []
        kept = [*files.kept_copies(workspace, marks, settled, dry_run=dry_run)]
        # A run that goes on with another's does not know what that one has erased.
        may_be_in = self._eraser.may_be_in if self._eraser and marks.present else None
        self.counts["views out of use"] += copies.renewed(
            workspace, settled, may_be_in, dry=dry_run, progress=self._progress
        )
        return [*kept, *own, *files.backups(self._memory.home, self._memory.config)]

    def _clean_aside(self, path: str) -> None:
        """Do the same in a database that was set aside; one that cannot be opened goes."""
        with suppress(StoreError):
            if not self._everything:
                store = self._memory.beside(path)
                try:
                    with store.writing():
                        self._erased(store)
                    store.erasure.scrub()
                    store.erasure.settle()
                    return
                finally:
                    store.close()
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path + end)

    def settle(self) -> None:
        """See that nothing is left in indexes and log; only then is it done."""
        self._store.erasure.scrub()
        if self._store.erasure.settle():
            with self._store.writing():
                self._store.set_value(APPLIED, self._store.tombstones_version)
