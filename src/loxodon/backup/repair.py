"""A sound database in the place of a damaged one: `loxodon repair`.

Where only derived data is wrong, it is made anew in one transaction. Otherwise the space is
restored from an intact copy (the text views, or the newest backup), and gets the messages that the
damaged file still has and the copy lacks. The damaged file is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import NamedTuple

import apsw

from loxodon.backup.create import found as backups_found
from loxodon.backup.restore import restore as restore_backup
from loxodon.clock import Clock, zone_named
from loxodon.config import Config
from loxodon.consolidate.decay import Decay
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    LockedStoreError,
    LoxodonError,
    StoreError,
)
from loxodon.layout import DATABASE, WORKSPACE
from loxodon.memory import Memory
from loxodon.opening import keys_for
from loxodon.spaces import home_at, no_space, space_folder
from loxodon.store import Progress
from loxodon.store.rows import turn_of
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import Database
from loxodon.store.store import Store
from loxodon.types import Problem, Turn
from loxodon.views.restore import restore as restore_views

_LAST_TURN = "SELECT last FROM counters WHERE name = 'turn'"
_TURN = """
SELECT t.key, t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel,
  t.chat, t.origin, t.agent
FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq = ?
"""


class Repaired(NamedTuple):
    """What a repair did."""

    problems: tuple[Problem, ...]  # what was wrong before; nothing is now
    rebuilt: bool = False  # whether making anew what is derived was enough
    turns: int = 0
    memories: int = 0  # how many there are now, where the file was restored
    source: str = ""  # the copy that it was restored from
    added: int = 0  # messages that only the damaged file had
    before: str = ""  # where the damaged file is now; empty where it was mended in its place


def repair(
    home: str,
    space: str = "main",
    *,
    config: Config,
    clock: Clock,
    source: str = "",
    progress: Progress,
) -> Repaired:
    """Make the store of a space sound again, from `source`, else from its text views or newest
    intact backup, and say what was done."""
    home = home_at(home)
    folder = space_folder(home, space, make=False)
    path = os.path.join(folder, DATABASE)
    if not os.path.exists(path):
        raise no_space(space)
    keys = keys_for(home, config)
    problems, sound = _rebuild_derived(path, space, config, clock, keys, progress)
    if sound:
        return Repaired(tuple(problems), rebuilt=bool(problems))
    for copy in [source] if source else _copies(home, space, folder, config, keys):
        copy = os.path.abspath(os.path.expanduser(copy))
        how = {"config": config, "clock": clock, "replace": True, "progress": progress}
        try:
            if os.path.isfile(copy):
                every = restore_backup(copy, home, space, **how, environ=os.environ)  # type: ignore[arg-type]
                done = every[space]
            else:
                done = restore_views(copy, home, space, **how)  # type: ignore[arg-type]
        except BusyStoreError:
            raise
        except LoxodonError:  # damaged too, or another space's
            if source:
                raise
            continue
        with Memory.open(home, space, config, clock) as memory:
            store = memory.workspace.store
            with store.writing():  # the messages that only the damaged file has
                kept = store.append(list(_turns_in(done.before, keys)))
            added = sum(isinstance(one, Turn) for one in kept)
            with suppress(LoxodonError):  # notes are where they were, and are read the next time
                memory.workspace.index()
        counts = done.turns + added, done.memories
        return Repaired(tuple(problems), False, *counts, copy, added, done.before)
    raise StoreError(
        "{path} is damaged, and no intact copy of it was found",
        hint="nothing was changed; name a backup or a folder of text views with --from",
        path=path,
    )


def _rebuild_derived(
    path: str, space: str, config: Config, clock: Clock, keys: Keys, progress: Progress
) -> tuple[list[Problem], bool]:
    """What was wrong, and whether nothing is any more."""
    problems: list[Problem] = []
    zone, decay = zone_named(config.timezone), Decay(config.decay, clock)
    try:
        with closing(Store(Database(path, keys), space, zone, decay)) as store:
            problems = store.check(progress)
            if any(not one.derived for one in problems):
                return problems, False
            if problems:
                with store.writing():
                    store.execute("reindex")
                    store.rebuild(progress)
                    if store.check(progress):  # not enough: it is undone
                        raise cipher.damaged(path, problems[0].what)
            return problems, True
    except LockedStoreError as error:
        if keys or cipher.checks(path):  # it is encrypted
            raise
        return [Problem(path, *error.localized())], False
    except (DamagedStoreError, ForeignStoreError) as error:
        return problems or [Problem(path, *error.localized())], False


def _copies(home: str, space: str, folder: str, config: Config, keys: Keys) -> Iterator[str]:
    """The intact copies there may be, the best first."""
    views = config.workspace.path if space == "main" else ""
    if not keys:
        yield views or os.path.join(folder, WORKSPACE)
    for backup in backups_found(home, space, config, None):
        yield backup.path


def _turns_in(path: str, keys: Keys) -> Iterator[tuple[Turn, bytes]]:
    """The turns of a damaged file that can be read, one by one."""
    with (
        suppress(apsw.Error),
        closing(cipher.connect(path, keys, apsw.SQLITE_OPEN_READWRITE)) as connection,
    ):
        ((last,),) = connection.execute(_LAST_TURN).fetchall()
        for number in range(1, int(str(last)) + 1):
            with suppress(apsw.Error, UnicodeDecodeError, DamagedStoreError):
                for key, *row in connection.execute(_TURN, (number,)).fetchall():
                    yield turn_of(row), bytes(key)  # type: ignore[arg-type]
