"""Reading a backup back (`loxodon restore`), and mending a damaged database (`loxodon repair`).

Everything is checked before anything is touched. A database is made ready beside its place: brought
up to date, put under the key of this home, and held against what was forgotten since. Then its
content takes the place of the old in one step: others see all of the old or all of the new.

A repair makes derived data anew, if only that is wrong. Otherwise it restores an intact copy (the
text views, or the newest backup), and adds the messages that only the damaged file has, which is
kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from glob import glob
from typing import NamedTuple

import apsw

from loxodon import errors, layout, old_files
from loxodon.backup import archive
from loxodon.backup.create import found as backups_found
from loxodon.clock import Clock, zone_named
from loxodon.config import Config, WorkspaceConfig
from loxodon.consolidate.decay import Decay
from loxodon.filelock import alone, draft_in
from loxodon.forget import erase
from loxodon.memory import Memory
from loxodon.opening import OpenSpace, keys_for
from loxodon.security import keys
from loxodon.security.audit import Audit, recorded_as
from loxodon.spaces import folder_name, home_at, no_space, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.driver import migrations, newer
from loxodon.store.rows import turn_of
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.database import Database
from loxodon.store.store import Store
from loxodon.types import Problem, Turn
from loxodon.views.copies import workspace_of
from loxodon.views.restore import Restored, free, is_kept, not_empty
from loxodon.views.restore import restore as restore_views

_WAIT_SECONDS = 120.0
_LAST_TURN = "SELECT last FROM counters WHERE name = 'turn'"
_TURN = """
SELECT t.key, t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel,
  t.chat, t.origin, t.agent
FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq = ?
"""


def restore(
    source: str,
    home: str,
    space: str | None,
    *,
    config: Config,
    clock: Clock,
    replace: bool = False,
    other: bool = False,
    progress: Progress,
) -> dict[str, Restored]:
    """Put a space of a backup, or every one, in the place of that of a home; by their names.

    One that has anything is refused unless `replace`, another space's unless `other`."""
    with copying.telling(home), archive.opened(source, progress) as reader:
        run = _Restoring(reader, home, config, clock)
        if space is not None:
            held = {space: run.held(space, other)}
        else:
            held = {run.name_of(one): one for one in reader.spaces}
        for name in held:
            if not replace and run.is_kept(name):
                raise not_empty(name, home)
        return {name: run.run(name, one) for name, one in held.items()}


class _Restoring:
    def __init__(self, reader: archive.Reader, home: str, config: Config, clock: Clock) -> None:
        self._reader, self._home, self._clock = reader, home, clock
        if reader.schema > len(migrations("sqlite")):
            raise newer(reader.path, reader.schema, len(migrations("sqlite")))
        self._config, self._zone = config, zone_named(config.timezone)
        self._decay = Decay(config, clock)
        self._keys = keys.database_keys(home, config.encryption)
        # One that is encrypted is so with our keys, or with one that is given now.
        given = keys.KeySource("env", keys.VARIABLE)
        theirs = [keys.key_at(given)] if reader.is_encrypted and given.read() else []
        self._their_keys = tuple(dict.fromkeys((*self._keys, *theirs)))
        reader.check_seal(self._their_keys)
        is_known = os.path.exists(os.path.join(home, layout.CONFIG)) or glob(
            f"*/{layout.DATABASE}", root_dir=os.path.join(home, layout.SPACES)
        )
        if reader.is_encrypted and not self._keys and not is_known:
            raise errors.LockedStoreError(
                "{path} is encrypted, but the new home {home} is not",
                hint="set the location of its key with `loxodon config encryption.key`",
                path=reader.path,
                home=home,
            )

    # Which spaces

    def held(self, space: str, other: bool) -> archive.BackedUpSpace:
        """The space of the backup that is to be restored as `space`."""
        spaces = self._reader.spaces
        for one in spaces:
            if one.folder == folder_name(space) or (other and len(spaces) == 1):
                return one
        raise errors.InputError(
            "{path} does not contain the space {space}; it contains {found}",
            hint="choose one with --space; to restore it into another space, use --as",
            path=self._reader.path,
            space=repr(space),
            found=", ".join(one.space or one.folder for one in spaces),
        )

    def name_of(self, held: archive.BackedUpSpace) -> str:
        """The name of a space of the backup; of an encrypted one its database tells."""
        if held.space:
            return held.space
        with draft_in(space_folder(self._home, "main", make=True)) as draft:
            return copying.space_of(self._extracted(held, draft), self._their_keys)

    def _extracted(self, held: archive.BackedUpSpace, draft: str) -> str:
        path = os.path.join(draft, layout.DATABASE)
        self._reader.extract(f"{layout.SPACES}/{held.folder}/{layout.DATABASE}", path)
        copying.check_schema(path, self._their_keys if held.encrypted else ())
        return path

    def is_kept(self, space: str) -> bool:
        path = os.path.join(space_path(self._home, space), layout.DATABASE)
        return is_kept(path, space, self._decay, self._keys)

    # One space

    def run(self, space: str, held: archive.BackedUpSpace) -> Restored:
        folder = space_folder(self._home, space, make=True)
        with _quiet(folder), draft_in(folder) as draft:
            new = self._extracted(held, draft)
            self._under_own_key(new, held)
            if held.folder != folder_name(space):
                with closing(cipher.connect(new, self._keys)) as connection:
                    rename = "UPDATE meta SET value = ? WHERE name = 'space'"
                    connection.execute(rename, (space,)).fetchall()
            # An earlier version had transcripts in files.
            os.makedirs(os.path.join(draft, layout.OLD_SESSIONS), mode=0o700)
            for name in self._reader.parts:
                if name.startswith(f"{layout.SPACES}/{held.folder}/{layout.OLD_SESSIONS}/"):
                    path = os.path.join(draft, layout.OLD_SESSIONS, os.path.basename(name))
                    self._reader.extract(name, path)
            turns, memories = self._made_ready(new, draft, space)
            path = os.path.join(folder, layout.DATABASE)
            before = free(f"{path}.before-restore") if self.is_kept(space) else ""
            copying.put_in_place(new, path, before, self._keys)
        with Memory.open(self._home, space, self._config, self._clock) as memory:
            store = memory.workspace.store
            with recorded_as(memory, "restore"), store.writing():  # it went past the database
                store.set_value("restored", self._reader.made_at)
        return Restored(turns, memories, before=before)

    def _under_own_key(self, path: str, held: archive.BackedUpSpace) -> None:
        """Give the copy the key of this home, or none, as its other databases."""
        if not held.encrypted and not self._keys:
            return
        theirs = self._their_keys if held.encrypted else ()
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        try:
            with closing(cipher.connect(path, theirs, flags)) as connection:
                copying.recode(connection, f"{path}.own", self._keys[0] if self._keys else None)
        except apsw.NotADBError:
            raise cipher.explained(path, theirs) from None
        os.replace(f"{path}.own", path)

    def _made_ready(self, path: str, draft: str, space: str) -> tuple[int, int]:
        """Check the copy, bring it up to date and forget in it what was forgotten."""
        copying.checked(path, self._keys).close()
        store = Store(Database(path, self._keys), space, self._zone, self._decay)
        audit = self._config.audit._replace(enabled=False)
        config = self._config._replace(workspace=WorkspaceConfig(views="off"), audit=audit)
        at = self._home, self._home, draft
        opened = OpenSpace(*at, store, config, self._clock, self._zone, self._keys)
        live = os.path.join(space_path(self._home, space), layout.DATABASE)
        old_files.take_over(opened, self._their_keys)
        with Memory(opened) as memory:
            copying.forget_as_in(live, self._keys, store)
            if opened.has_to_forget:
                erase.finish(memory, store)
            master = keys.Keys(self._home, self._config.keys.source)
            Audit(store, master, self._clock).adopt_foreign()
            counts = store.counts()
        return counts.turns, counts.active + counts.archived


@contextmanager
def _quiet(folder: str) -> Iterator[None]:
    """Nothing else at work on a space in many steps."""
    with ExitStack() as held:
        for name in (layout.CONSOLIDATION_LOCK, layout.EMBEDDING_LOCK, erase.LOCK):
            held.enter_context(alone(os.path.join(folder, name), _WAIT_SECONDS))
        yield


# Repair


class Repaired(NamedTuple):
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
    path = os.path.join(folder, layout.DATABASE)
    if not os.path.exists(path):
        raise no_space(space)
    known = keys_for(home, config)
    problems, sound = _rebuild_derived(path, space, config, clock, known, progress)
    if sound:
        return Repaired(tuple(problems), rebuilt=bool(problems))
    copies = [] if known else [workspace_of(folder, config)]
    copies += [one.path for one in backups_found(home, space, config, None)]
    for copy in [source] if source else copies:  # the best first
        copy = os.path.abspath(os.path.expanduser(copy))
        how = {"config": config, "clock": clock, "replace": True, "progress": progress}
        try:
            if os.path.isfile(copy):
                every = restore(copy, home, space, **how)  # type: ignore[arg-type]
                done = every[space]
            else:
                done = restore_views(copy, home, space, **how)  # type: ignore[arg-type]
        except errors.BusyStoreError:
            raise
        except errors.LoxodonError:  # damaged too, or another space's
            if source:
                raise
            continue
        with Memory.open(home, space, config, clock) as memory:
            store = memory.workspace.store
            with store.writing():  # the messages that only the damaged file has
                kept = store.append(list(_turns_in(done.before, known)))
            added = sum(isinstance(one, Turn) for one in kept)
        counts = done.turns + added, done.memories
        return Repaired(tuple(problems), False, *counts, copy, added, done.before)
    raise errors.StoreError(
        "{path} is damaged, and no intact copy of it was found",
        hint="nothing was changed; name a backup or a folder of text views with --from",
        path=path,
    )


def _rebuild_derived(
    path: str, space: str, config: Config, clock: Clock, known: cipher.Keys, progress: Progress
) -> tuple[list[Problem], bool]:
    """What was wrong, and whether nothing is any more."""
    problems: list[Problem] = []
    zone, decay = zone_named(config.timezone), Decay(config, clock)
    try:
        with closing(Store(Database(path, known), space, zone, decay)) as store:
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
    except errors.LockedStoreError as error:
        if known or cipher.checks(path):  # it is encrypted
            raise
        return [Problem(path, *error.localized())], False
    except errors.DamagedStoreError as error:
        return problems or [Problem(path, *error.localized())], False


def _turns_in(path: str, known: cipher.Keys) -> Iterator[tuple[Turn, bytes]]:
    """The turns of a damaged file that can be read, one by one."""
    flags = apsw.SQLITE_OPEN_READWRITE
    with suppress(apsw.Error), closing(cipher.connect(path, known, flags)) as connection:
        ((last,),) = connection.execute(_LAST_TURN).fetchall()
        for number in range(1, int(str(last)) + 1):
            with suppress(apsw.Error, UnicodeDecodeError, errors.DamagedStoreError):
                for key, *row in connection.execute(_TURN, (number,)).fetchall():
                    yield turn_of(row), bytes(key)  # type: ignore[arg-type]
