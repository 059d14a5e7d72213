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
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from loxodon import files
from loxodon.config import Config
from loxodon.errors import unwritable
from loxodon.forget.receipts import MOST_FILES, Receipt, new_receipt
from loxodon.layout import DATABASE, DELETED, DELETING, PENDING, VIEWS, WORKSPACE
from loxodon.security import tokens
from loxodon.security.paths import is_inside
from loxodon.spaces import no_space, space_folder, space_path
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import counts_of, held
from loxodon.types import FileProblem
from loxodon.views import copies


def delete(
    home: str, root: str, space: str, config: Config, keys: Keys, now: datetime, *, dry_run: bool
) -> Receipt:
    """Delete a space and everything of it; with `dry_run`, only count. Its state is at `root`: the
    home, or the address of a database."""
    folder = space_folder(root, space, make=False)
    shared, database = files.shared(folder), os.path.join(folder, DATABASE)
    counts = shared[0].counts(space) if shared else counts_of(database, keys)
    counts["access tokens"] = sum(space in one.spaces for one in tokens.read(root))
    with nullcontext() if shared or dry_run else held(database, keys):
        stays = text_left(home, folder, space, config, remove=not dry_run)
        left = [one for one in stays if not is_inside(one.file, folder)]  # which goes with it
        if (moved := space_path(home, space)) != folder and os.path.isdir(moved):
            left.append(FileProblem(moved, 0, "copy"))
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
            Path(workspace_of(folder, config), PENDING).unlink(missing_ok=True)
            files.append(os.path.join(home, DELETED), line)
            gone = os.path.join(home, DELETING, os.path.basename(folder))
            shutil.rmtree(gone, ignore_errors=True)  # of an earlier one of this name
            files.make_folder(os.path.dirname(gone))
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


# Text of a space beside its database


def workspace_of(folder: str, config: Config) -> str:
    """Where the text views of the space in `folder` are kept now."""
    path = config.workspace.path if os.path.basename(folder) == "main" else ""
    return os.path.abspath(os.path.expanduser(path or os.path.join(folder, WORKSPACE)))


def text_left(
    home: str, folder: str, space: str, config: Config, *, remove: bool = False
) -> Iterator[FileProblem]:
    """Where text of a space stays: views that a person has changed, places that cannot be reached,
    single files, backups. With `remove`, the views go that are as Loxodon wrote them."""
    on_disk = os.path.abspath(space_path(home, space))  # not where the state is in a database
    usual, workspace = os.path.join(on_disk, WORKSPACE), workspace_of(on_disk, config)
    for place in copies.folders(folder, workspace, usual):
        root = os.path.join(place.path, VIEWS)
        if os.path.isdir(place.path):
            if remove:
                copies.removed(root, space)
            yield from (FileProblem(path, 0, "changed") for path in copies.changed(root, space))
        elif place.path not in (workspace, usual):
            yield FileProblem(place.path, 0, "away")
    for one in copies.known(folder):
        if one.kind == "file" and os.path.exists(one.path):
            yield FileProblem(one.path, 0, "copy")
    from loxodon.backup.create import SUFFIX, folder_of  # not for a command that only counts

    kept = folder_of(home, config)
    names = [name for name in files.names(kept) if name.endswith(SUFFIX)]
    yield from (FileProblem(os.path.join(kept, name), 0, "backup") for name in names[:MOST_FILES])
