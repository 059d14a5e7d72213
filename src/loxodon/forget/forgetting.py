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
from loxodon.filelock import lock_on
from loxodon.forget.marks import Mark, Marker, Marks, known_names
from loxodon.forget.receipts import MOST_FILES, NearName, Receipt, backups, keep, new_receipt
from loxodon.layout import BESIDE, DATABASE, VIEWS
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
        places = run.sweep_files(settled, dry_run=dry_run)
        erased = {name: n for name, n in sorted(run.counts.items()) if n}
        receipt = receipt._replace(erased=erased, files=tuple(places))
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
        run = _Run(memory, store, Marks(marker, kept, lambda: names))
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
        self.counts: Counter[str] = Counter()

    def sweep_store(self) -> list[bytes]:
        """Take out of the database what meets a mark; the keys of imports that went."""
        if self._everything:
            dropped = self._store.erasure.drop_all()
            self.counts = Counter({name: dropped[name] for name in _COUNTED if dropped[name]})
            self.counts["transcripts"] += self._store.working_sessions.clear()
            return []
        eraser = self._erased(self._store)
        self.counts += eraser.counts
        return eraser.imports

    def _erased(self, store: Store) -> Eraser:
        from loxodon.forget.erase import Eraser
        from loxodon.tokens import estimate

        eraser = Eraser(store, self._marks, self._memory.now(), estimate)
        eraser.run()
        return eraser

    def settle(self) -> None:
        """See that nothing is left in indexes and log; only then is it done."""
        if self._store.erasure.scrub():
            with self._store.writing():
                self._store.set_value(APPLIED, self._store.tombstones_version)

    # Files

    def sweep_files(
        self, settled: Mapping[str, str], *, dry_run: bool = False
    ) -> list[FileProblem]:
        """Take it out of the files beside the database; those in which it still stands."""
        from loxodon.views import copies

        self._clean_edited_copies(dry_run=dry_run)
        folder = self._workspace.folder
        for name in files.names(folder):
            if name.startswith(_ASIDE_NAMES) and not name.endswith(("-wal", "-shm", *BESIDE)):
                self.counts[_ASIDE] += 1
                if not dry_run:
                    self._clean_aside(os.path.join(folder, name))
        own = self._own_files()
        if self._marks.present and not own and not self.counts.keys() - {_ASIDE}:
            return []
        kept = [*self._kept_copies(settled, dry_run=dry_run)]
        self.counts["views out of use"] += copies.renewed(
            self._workspace, settled, dry=dry_run, progress=self._progress
        )
        return [*kept, *own, *backups(self._memory.home, self._memory.config)]

    def _clean_edited_copies(self, *, dry_run: bool) -> None:
        """Copies of views that a person had edited where edits are not read."""
        from loxodon.views import copies

        for place in copies.places(self._workspace):
            for folder, _, names in os.walk(os.path.join(place.path, VIEWS)):
                for path in (os.path.join(folder, name) for name in names if ".edited" in name):
                    lines = _lines(path)
                    left = [line for line in lines if not self._is_forgotten(line)]
                    if left != lines:
                        self.counts["edited copies"] += 1
                        if not dry_run:
                            files.replace(path, "\n".join(left).encode("utf-8"))

    def _clean_aside(self, path: str) -> None:
        """Do the same in a database that was set aside; one that cannot be opened goes."""
        with suppress(StoreError):
            if not self._everything:
                store = self._memory.beside(path)
                try:
                    with store.writing():
                        self._erased(store)
                    store.erasure.scrub()
                    return
                finally:
                    store.close()
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path + end)

    def _own_files(self) -> list[FileProblem]:
        """Where in the user's own files the words still stand: notes, and transcripts of agents."""
        from loxodon.journal.openclaw_db import read_database

        zone, notes = self._memory.now().tzinfo, self._store.workspace_data.files()
        paths = [os.path.join(it.root, *it.path.split("/")) for it in notes]
        paths += [path for path, *_ in self._store.primary.dump("followed")]
        found: list[FileProblem] = []
        for path in dict.fromkeys(filter(os.path.isfile, paths)):
            if path.endswith(".sqlite"):
                said = read_database(path, zone).drafts
                if any(self._is_forgotten(one.content) for one in said):
                    found.append(FileProblem(path, 0, ""))
            else:
                found += self._places_in(path, "")
        return found[:MOST_FILES] if self._marks.cuts else []

    def _kept_copies(self, settled: Mapping[str, str], *, dry_run: bool) -> Iterator[FileProblem]:
        """Text of ours that stays: views that a person has changed, places that cannot be reached,
        and single files that were asked for."""
        from loxodon.views import copies
        from loxodon.views.manifest import hash_of

        workspace = self._workspace
        for place in copies.places(workspace):
            root = os.path.join(place.path, VIEWS)
            if not os.path.isdir(place.path):
                if place.path not in (workspace.path, workspace.usual):
                    yield FileProblem(place.path, 0, "away")
            elif place.path != workspace.path or not dry_run:  # else they are taken in
                for path in copies.changed(root, self._store.space):
                    name = os.path.relpath(path, root).replace(os.sep, "/")
                    is_settled = name in settled and hash_of(path) == settled[name]
                    if not is_settled and ".edited" not in os.path.basename(path):
                        yield from self._places_in(path, "changed")
        for copy in copies.known(workspace.folder):
            if copy.kind == "file" and os.path.exists(copy.path):
                yield from self._places_in(copy.path, "copy")[:1]

    def _places_in(self, path: str, what: str) -> list[FileProblem]:
        """The lines of a file with what was forgotten; the file, where nobody can tell by them."""
        if not self._marks.cuts:
            return [FileProblem(path, 0, what)]
        lines = enumerate(_lines(path), 1)
        return [FileProblem(path, n, what) for n, line in lines if self._is_forgotten(line)]

    def _is_forgotten(self, line: str) -> bool:
        """Whether a line of a file has something that was forgotten, in plain text or JSON."""
        if line.lstrip().startswith("{"):
            with suppress(ValueError, RecursionError):
                found = json.loads(line)
                return bool(self._marks.cut_json(found, 0) != found)
        bare = line.strip().lstrip("-*>#|0123456789.[] \t")
        return self._marks.cut(bare, 0) != bare


def _lines(path: str) -> list[str]:
    with suppress(OSError):
        if os.path.getsize(path) <= _MOST_BYTES:
            with open(path, encoding="utf-8", errors="replace", newline="") as file:
                return file.read().split("\n")
    return []
