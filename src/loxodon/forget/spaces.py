"""Deleting a space: everything that is of it goes, and its name is free for a new one.

Nobody else may have it open. What lies elsewhere goes first: views in other folders, the head of
the audit log, tokens for this space. Then a receipt is put down, and the folder is moved to
HOME/deleting in one step: from then on there is no such space. What is in it is overwritten and
removed; a run that is killed there is finished by whoever opens the home next (`finish`). Backups
stay, and are named.

In PostgreSQL all of it is one transaction. Others may have the space open: they are told that it
was deleted (`DeletedSpaceError`).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from time import monotonic

from loxodon import files
from loxodon.backup import archive
from loxodon.backup.create import SUFFIX, folder_of
from loxodon.clock import to_stored
from loxodon.config import Config
from loxodon.errors import BusyStoreError, LoxodonError, unwritable
from loxodon.filelock import FileLock
from loxodon.forget.receipts import new_receipt
from loxodon.layout import DATABASE, DELETED, DELETING, PENDING, VIEWS, WORKSPACE
from loxodon.security import overwriting, tokens
from loxodon.spaces import folder_name, no_space, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.rows import moment
from loxodon.store.sqlite.cipher import Keys as StoreKeys
from loxodon.store.sqlite.database import held, leave
from loxodon.store.sqlite.owner import counts_of
from loxodon.types import FileProblem, Receipt
from loxodon.views import copies

_PATIENCE = 10.0
"""Seconds in which those who can let go of a space do: a server's worker looks every second."""


def delete(
    home: str,
    space: str,
    config: Config,
    keys: StoreKeys,
    now: datetime,
    *,
    root: str = "",
    dry_run: bool = False,
    let_go: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, total: None,
) -> Receipt:
    """Delete a space and everything of it; with `dry_run`, only count.

    `root` is where the spaces are, if that is not the home itself.
    `let_go` is called before each try to have it to oneself. A BusyStoreError where somebody else
    has it open, a NotFoundError where there is none.
    """
    folder = space_folder(root or home, space, make=False)
    run = _Deleting(home, root or home, space, folder, config)
    receipt = new_receipt("space", now)
    counts = run.counted(keys)
    if dry_run:
        return receipt._replace(erased=counts, files=run.left(dry=True))
    if there := files.shared(folder):
        let_go()
        places = run.left(dry=False)
        receipt, revoked, line = run.receipt(receipt, counts, places, space)
        if not there[0].drop_space(space, revoked, {DELETED: line}):  # another was faster
            raise no_space(space)
        return receipt
    with _announced(home, folder), _to_oneself(folder, keys, let_go):
        places = run.left(dry=False)
        receipt, revoked, line = run.receipt(receipt, counts, places, "" if keys else space)
        for data in revoked.values():
            tokens.write(home, data)
        try:
            files.append(os.path.join(home, DELETED), line)
            _erase(_moved_away(home, folder), progress)
        except OSError as error:
            raise unwritable(folder, error) from None
    with suppress(OSError):  # another is being deleted, too
        os.rmdir(os.path.join(home, DELETING))
    return receipt


def is_leaving(home: str, space: str) -> bool:
    """Whether somebody is about to delete a space, and waits for others to let go of it."""
    path = _lock_of(home, folder_name(space))
    if not os.path.exists(path):
        return False
    try:
        lock = FileLock(path)
    except OSError:
        return False  # it is gone
    try:
        return not lock.acquire(0)
    finally:
        lock.close()


def finish(home: str) -> None:
    """Remove what is left of spaces whose deletion was killed."""
    root = os.path.join(home, DELETING)
    try:
        names = os.listdir(root)
    except OSError:
        return
    with suppress(OSError):
        for name in names:
            lock = FileLock(_lock_of(home, name.removesuffix(_LOCK)))
            try:
                if lock.acquire(0):
                    if not name.endswith(_LOCK):
                        _erase(os.path.join(root, name), lambda done, total: None)
                    os.unlink(_lock_of(home, name.removesuffix(_LOCK)))
            finally:
                lock.close()
        os.rmdir(root)


def receipts(root: str, now: datetime) -> list[tuple[str, Receipt]]:
    """(name, receipt) of the spaces that were deleted, newest first; no name where they were
    encrypted."""
    try:
        lines = files.read(os.path.join(root, DELETED)).split(b"\n")
    except FileNotFoundError:
        return []
    found = []
    for line in reversed(lines):
        with suppress(ValueError, KeyError, TypeError):  # a line that a kill cut short
            kept = json.loads(line)
            places = tuple(FileProblem(*one) for one in kept["files"])
            at = moment(kept["at"], now.tzinfo)
            receipt = Receipt(kept["id"], at, kept["by"], "space", kept["erased"], places)
            found.append((kept["space"], receipt))
    return found


class _Deleting:
    """What there is of a space, in its folder and elsewhere."""

    def __init__(self, home: str, root: str, space: str, folder: str, config: Config) -> None:
        self._home = home
        self.root = root
        self._space = space
        self._folder = folder
        self._config = config
        self._usual = os.path.abspath(os.path.join(folder, WORKSPACE))
        path = config.workspace.path if space == "main" else ""
        self._workspace = os.path.abspath(os.path.expanduser(path)) if path else self._usual

    def counted(self, keys: StoreKeys) -> dict[str, int]:
        """How much there is of it."""
        if there := files.shared(self._folder):
            found = there[0].counts(self._space)
        else:
            found = counts_of(os.path.join(self._folder, DATABASE), keys)
            found["files"] = sum(len(names) for _, _, names in os.walk(self._folder))
        return {name: n for name, n in found.items() if n}

    def receipt(
        self, receipt: Receipt, counts: dict[str, int], places: tuple[FileProblem, ...], name: str
    ) -> tuple[Receipt, dict[str, bytes], bytes]:
        """The receipt, the tokens without the space where one names it, and the receipt's line."""
        revoked, left = tokens.without_space(self.root, self._space)
        if revoked:
            counts["tokens"] = len(revoked)
        receipt = receipt._replace(erased=counts, files=places)
        row = {
            "id": receipt.id,
            "at": to_stored(receipt.at)[0],
            "by": receipt.by,
            "space": name,
            "erased": receipt.erased,
            "files": [one[:3] for one in receipt.files],
        }
        # Begun on a line of its own: the last run may have been killed within one.
        line = f"\n{json.dumps(row)}\n".encode()
        return receipt, {tokens.FILE: left} if revoked else {}, line

    def left(self, *, dry: bool) -> tuple[FileProblem, ...]:
        """Where its text stays; what Loxodon wrote to other folders is removed, unless `dry`."""
        found: list[FileProblem] = []
        for place in self._places():
            root = os.path.join(place.path, VIEWS)
            if place.path == self._usual:
                continue
            if not os.path.isdir(place.path):
                found += [FileProblem(place.path, 0, "away")] * (place.path != self._workspace)
                continue
            if not dry:
                copies.removed(root, self._space, overwriting.erase)
            found += [FileProblem(path, 0, "changed") for path in copies.changed(root, self._space)]
        for copy in copies.known(self._folder):
            if copy.kind == "file" and os.path.exists(copy.path):
                found.append(FileProblem(copy.path, 0, "copy"))
        moved = space_path(self._home, self._space)
        if moved != self._folder and os.path.isdir(moved):
            found.append(FileProblem(moved, 0, "copy"))
        if not dry and self._has_workspace():
            _erase(os.path.join(self._workspace, PENDING), lambda done, total: None)
        return (*found, *self._backups())

    def _places(self) -> list[copies.Copy]:
        """The folders that views of it were written to; in a database it has none of its own."""
        if files.shared(self._folder):
            return [one for one in copies.known(self._folder) if one.kind != "file"]
        return copies.folders(self._folder, self._workspace, self._usual)

    def _has_workspace(self) -> bool:
        """Whether its views are in a folder that the settings name."""
        return not files.shared(self._folder) and self._workspace != self._usual

    def _backups(self) -> Iterator[FileProblem]:
        folder = folder_of(self._home, self._config)
        mine = os.path.basename(self._folder)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if name.endswith(SUFFIX) and os.path.isfile(path):
                with suppress(LoxodonError), archive.opened(path) as reader:
                    if any(one.folder == mine for one in reader.manifest.spaces):
                        yield FileProblem(path, 0, "backup")


_LOCK = ".lock"


def _lock_of(home: str, folder: str) -> str:
    return os.path.join(home, DELETING, f"{os.path.basename(folder)}{_LOCK}")


@contextmanager
def _announced(home: str, folder: str) -> Iterator[None]:
    """Tell others of the home to let go of a space (`is_leaving`)."""
    path = _lock_of(home, folder)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        lock = FileLock(path)
    except OSError as error:
        raise unwritable(path, error) from None
    try:
        if not lock.acquire(0):
            raise _busy(folder)
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        lock.close()


@contextmanager
def _to_oneself(folder: str, keys: StoreKeys, let_go: Callable[[], None]) -> Iterator[None]:
    """Have a space to oneself, until it is gone. The lock of its writers is left alone: whoever
    waits for it could not let go."""
    path, deadline = os.path.join(folder, DATABASE), monotonic() + _PATIENCE
    with ExitStack() as kept:
        while True:
            let_go()
            try:
                connection = kept.enter_context(held(path, keys))
                break
            except BusyStoreError:
                if monotonic() > deadline:
                    raise _busy(folder) from None
        try:
            yield
        except BaseException:
            if connection is not None and os.path.exists(path):
                leave(connection)
            raise


def _busy(folder: str) -> BusyStoreError:
    return BusyStoreError(
        "another program has the space in {path} open",
        hint="close that program (a server, an agent, a chat), then try again; nothing was deleted",
        path=folder,
    )


def _moved_away(home: str, folder: str) -> str:
    """Where the folder is after it was taken from its place in one step."""
    gone = os.path.join(home, DELETING, os.path.basename(folder))
    shutil.rmtree(gone, ignore_errors=True)  # of an earlier one of this name, that was killed
    os.rename(folder, gone)
    for place in (os.path.dirname(folder), os.path.dirname(gone)):
        files.sync_folder(place)
    return gone


def _erase(folder: str, progress: Progress) -> None:
    """Overwrite and remove all files of a folder, then the folder. Links are removed as such."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    for n, path in enumerate(paths, 1):
        overwriting.erase(path)
        progress(n, len(paths))
    shutil.rmtree(folder, ignore_errors=True)
