"""Deleting a space: everything that is of it goes, and its name is free for a new one.

Nobody else may have it open. What lies elsewhere goes first: views in other folders, tokens for
this space. Then a receipt is put down, and the folder is moved to HOME/deleting in one step and
removed; a run that is killed there is finished by whoever opens the home next (`finish`). Backups
stay, and are named. In PostgreSQL all of it is one transaction, and others may have the space open.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from loxodon import files
from loxodon.config import Config
from loxodon.errors import BusyStoreError, unwritable
from loxodon.forget.receipts import Receipt, backups, new_receipt
from loxodon.layout import DATABASE, DELETED, DELETING, PENDING, VIEWS, WORKSPACE
from loxodon.security import tokens
from loxodon.security.paths import is_inside
from loxodon.spaces import folder_name, no_space, space_folder, space_path
from loxodon.store.sqlite.cipher import Keys as StoreKeys
from loxodon.store.sqlite.copying import counts_of, held
from loxodon.types import FileProblem
from loxodon.views import copies

_PATIENCE = 10.0  # seconds in which those who can let go of a space do


def delete(
    home: str,
    root: str,
    space: str,
    config: Config,
    keys: StoreKeys,
    now: datetime,
    let_go: Callable[[], None],
    *,
    dry_run: bool,
) -> Receipt:
    """Delete a space and everything of it; with `dry_run`, only count. `let_go` of it is called
    while others have it open; its state is at `root`: the home, or the address of a database."""
    folder = space_folder(root, space, make=False)
    shared, database = files.shared(folder), os.path.join(folder, DATABASE)
    counts = shared[0].counts(space) if shared else counts_of(database, keys)
    counts["files"] = 0 if shared else sum(len(names) for _, _, names in os.walk(folder))
    counts["access tokens"] = sum(space in one.spaces for one in tokens.read(root))
    with nullcontext() if shared or dry_run else _to_oneself(home, database, keys, let_go):
        left = _left(home, space, folder, config, dry_run=dry_run)
        receipt = new_receipt("space", now, counts, *left)
        if dry_run:
            return receipt
        name = "" if keys and not shared else space
        row = json.dumps({"space": name, **receipt._asdict(), "at": now.isoformat()})
        # Begun on a line of its own: the last run may have been killed within one.
        line, grants = f"\n{row}\n".encode(), tokens.without_space(root, space)
        if shared:
            changed = {tokens.FILE: tokens.in_toml(grants)} if counts["access tokens"] else {}
            if not shared[0].drop_space(space, changed, {DELETED: line}):  # another was faster
                raise no_space(space)
            return receipt
        if counts["access tokens"]:
            tokens.write(home, grants)
        try:
            files.append(os.path.join(home, DELETED), line)
            gone = os.path.join(home, DELETING, os.path.basename(folder))
            shutil.rmtree(gone, ignore_errors=True)  # of an earlier one of this name
            os.rename(folder, gone)
            for place in (os.path.dirname(folder), os.path.dirname(gone)):
                files.sync_folder(place)
        except OSError as error:
            raise unwritable(folder, error) from None
    finish(home)
    return receipt


def finish(home: str) -> None:
    """Remove what is left of spaces that were deleted."""
    shutil.rmtree(os.path.join(home, DELETING), ignore_errors=True)


def receipts(root: str) -> list[dict[str, Any]]:
    """The receipts of the spaces that were deleted, newest first, as they were put down."""
    path, found = os.path.join(root, DELETED), list[dict[str, Any]]()
    for line in reversed(files.read(path).split(b"\n") if files.exists(path) else ()):
        with suppress(ValueError):  # a line that a kill cut short
            found.append(json.loads(line))
    return found


def workspace_of(folder: str, config: Config) -> str:
    """Where the text views of the space in `folder` are kept now."""
    path = config.workspace.path if os.path.basename(folder) == "main" else ""
    return os.path.abspath(os.path.expanduser(path or os.path.join(folder, WORKSPACE)))


def views_left(
    folder: str, space: str, workspace: str, *, dry_run: bool = False
) -> Iterator[FileProblem]:
    """Remove the text views of a space wherever they were ever written to, unless `dry_run`."""
    usual = os.path.abspath(os.path.join(folder, WORKSPACE))
    for place in copies.folders(folder, workspace, usual):
        root = os.path.join(place.path, VIEWS)
        if os.path.isdir(place.path):
            if not dry_run:
                copies.removed(root, space)
            yield from (FileProblem(path, 0, "changed") for path in copies.changed(root, space))
        elif place.path not in (workspace, usual):
            yield FileProblem(place.path, 0, "away")
    for one in copies.known(folder):
        if one.kind == "file" and os.path.exists(one.path):
            yield FileProblem(one.path, 0, "copy")


def _left(
    home: str, space: str, folder: str, config: Config, *, dry_run: bool = False
) -> list[FileProblem]:
    """Where its text stays; what Loxodon wrote to other folders is removed, unless `dry_run`."""
    workspace = workspace_of(folder, config)
    views = views_left(folder, space, workspace, dry_run=dry_run)
    found = [one for one in views if not is_inside(one.file, folder)]  # which goes with it
    if (moved := space_path(home, space)) != folder and os.path.isdir(moved):
        found.append(FileProblem(moved, 0, "copy"))
    if not dry_run:
        Path(workspace, PENDING).unlink(missing_ok=True)
    return [*found, *backups(home, config, "backup")]


def is_leaving(home: str, space: str) -> bool:
    """Whether somebody is about to delete a space, and waits for others to let go of it."""
    return os.path.exists(os.path.join(home, DELETING, f"{folder_name(space)}.leaving"))


@contextmanager
def _to_oneself(
    home: str, database: str, keys: StoreKeys, let_go: Callable[[], None]
) -> Iterator[None]:
    """Have a space to oneself; workers of the home are told to let go of it."""
    name, deadline = os.path.basename(os.path.dirname(database)), monotonic() + _PATIENCE
    announcement = Path(home, DELETING, f"{name}.leaving")
    files.make_folder(str(announcement.parent))
    announcement.touch()
    with ExitStack() as kept:
        kept.callback(announcement.unlink, missing_ok=True)
        while True:
            let_go()
            try:
                kept.enter_context(held(database, keys))
                break
            except BusyStoreError:
                if monotonic() > deadline:
                    raise
        yield
