"""A database out of a folder of views alone: `loxodon restore SOURCE`.

Only `dump/` is read; the pages are for people. The new database is made beside its place, checked,
and only then moved there: whatever goes wrong before, nothing was touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from typing import NamedTuple

from loxodon import config as settings
from loxodon.clock import Clock, system_clock, zone_named
from loxodon.consolidate.decay import Decay
from loxodon.errors import InputError, NotFoundError, StoreError
from loxodon.filelock import draft_in
from loxodon.language.statements import Fragment
from loxodon.layout import DATABASE, VIEWS
from loxodon.memory import Memory
from loxodon.messages import t
from loxodon.opening import OpenSpace, keys_for
from loxodon.spaces import home_at, space_folder, space_path
from loxodon.store import Progress, quiet
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.copying import forget_as_in, put_in_place
from loxodon.store.sqlite.database import Database
from loxodon.store.store import Store
from loxodon.types import FileProblem
from loxodon.views import manifest
from loxodon.views.dump import FOLDER, Dump


class Restored(NamedTuple):
    turns: int
    memories: int
    edited: tuple[FileProblem, ...] = ()  # files edited since the export; what became of the edits
    before: str = ""  # where the database that was there is now; empty where there was none


def restore(
    source: str,
    home: str,
    space: str = "main",
    *,
    config: settings.Config | None = None,
    clock: Clock | None = None,
    replace: bool = False,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Restored:
    """Make the database of a space from the views in `source`, a workspace or its folder of views.
    A space that has anything is refused; with `replace` its database is kept beside the new one."""
    root, exported = _manifest(source, space)
    dump = Dump(root, exported)
    home = home_at(home)
    path = os.path.join(space_path(home, space), DATABASE)
    config = config or settings.load(home, os.environ)
    zone = zone_named(config.timezone)
    clock = clock or system_clock(zone)
    keys = keys_for(home, config, key)
    decay = Decay(config, clock)
    kept = is_kept(path, space, decay, keys)
    if kept and not replace:
        raise not_empty(space, home)
    with draft_in(space_folder(home, space, make=True)) as draft:
        store = Store(Database(os.path.join(draft, DATABASE), keys), space, zone, decay)
        with Memory(OpenSpace(home, home, draft, store, config, clock, zone, keys)) as memory:
            _fill(memory, store, dump, progress or quiet)
            counts = store.counts()
            forget_as_in(path, keys, store)
        before = free(f"{path}.before-restore") if kept else ""
        put_in_place(os.path.join(draft, DATABASE), path, before, keys)
    edited = tuple(_edited(root, exported))
    return Restored(counts.turns, counts.active + counts.archived, edited, before)


def _manifest(source: str, space: str) -> tuple[str, manifest.Manifest]:
    source = os.path.abspath(os.path.expanduser(source))
    for root in (os.path.join(source, VIEWS), source):
        if (found := manifest.load(root)) and found.version:
            if found.space != space:
                raise manifest.of_other_space(root, found.space)
            return root, found
    raise NotFoundError(
        "no text views found in {folder}",
        hint="give the folder that `loxodon export` wrote; it contains {file}",
        folder=source,
        file=manifest.MANIFEST,
    )


def _fill(memory: Memory, store: Store, dump: Dump, progress: Progress) -> None:
    """Everything into an empty store, checked."""
    try:
        store.primary.load(dump.batches(), progress)
    except StoreError as error:
        if type(error) is not StoreError or not dump.file:  # of the disk, not of what is put there
            raise
        reason = InputError(
            "it does not match the rest: {reason}",
            hint="the files are from different times: export them again, or undo the edits",
            reason=error.values.get("reason"),
        )
        raise manifest.bad_view(dump.file, 0, reason) from None
    # Messages that were put aside are told of by `validate`, here as there.
    put_aside = {f"t_{one.turn}" for one in store.query_as(Fragment, "fragments", "failed", -1)}
    if wrong := [one for one in store.check(progress) if one.where not in put_aside]:
        raise InputError(
            "the text views are inconsistent: {where}: {what}",
            hint="nothing was changed; undo the edits",
            where=wrong[0].where,
            what=wrong[0].what,
        )


def _edited(root: str, exported: manifest.Manifest) -> Iterator[FileProblem]:
    for name in exported.files:
        if manifest.change_of(root, name, exported) != "edited":
            continue
        ignored = t("it was edited after it was written; the edits were ignored")
        taken = t("it was edited after it was written; the edited version was restored")
        hint = t("apply your edits with `loxodon sync`") if name == manifest.INSIGHTS else ""
        yield FileProblem(name, 0, taken if name.startswith(FOLDER) else ignored, hint)


def not_empty(space: str, home: str) -> InputError:
    return InputError(
        "the space {space} at {home} is not empty",
        hint="to replace it, add --replace; the old database is kept",
        space=repr(space),
        home=home,
    )


def is_kept(path: str, space: str, decay: Decay, keys: Keys = ()) -> bool:
    """Whether there is a database that has anything, or that cannot be looked into."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return False
    try:
        with closing(Store(Database(path, keys), space, None, decay)) as store:
            return not store.primary.is_empty()
    except StoreError:
        return True


def free(path: str) -> str:
    """`path` with the first number behind it that is free."""
    names = (f"{path}-{number}" for number in count(1))
    return next(name for name in names if not os.path.lexists(name))
