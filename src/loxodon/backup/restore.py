"""Reading a backup back: `loxodon restore FILE`, while others read and write.

Everything is checked before anything is touched: the hashes of all parts, the schema, whose it is.
The database is made ready beside its place: brought up to date, put under the key of this home,
and held against what was forgotten since. Then its content takes the place of the old in one step,
within the file that others have open: they see all of the old or all of the new. What was there
stays as `loxodon.db.before-restore-1`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import apsw

from loxodon import config as settings
from loxodon import files, old_files
from loxodon.backup import archive
from loxodon.backup.archive import BackedUpSpace, Reader
from loxodon.clock import Clock, zone_named
from loxodon.config import Config, WorkspaceConfig
from loxodon.errors import BusyStoreError, InputError, LockedStoreError, NewerStoreError, StoreError
from loxodon.filelock import FileLock, draft_in
from loxodon.forget import forgetting
from loxodon.guard import policy
from loxodon.guard.scan import mend_restored
from loxodon.layout import (
    CONFIG,
    CONSOLIDATION_LOCK,
    DATABASE,
    EMBEDDING_LOCK,
    KEYS,
    OLD_SESSIONS,
    SPACES,
    STRETCH,
)
from loxodon.memory import Memory
from loxodon.opening import OpenSpace
from loxodon.security import import_settings, keys
from loxodon.security.audit import Audit
from loxodon.security.import_settings import NOTHING, POLICY, Choice, Value
from loxodon.spaces import folder_name, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import Database, migrations, move_in
from loxodon.store.sqlite.owner import space_of
from loxodon.store.sqlite.schema import check_schema
from loxodon.store.sqlite.store import SqliteStore
from loxodon.store.store import Store
from loxodon.verbs import verb
from loxodon.views.restore import Restored, free, is_kept
from loxodon.write.decay import Decay

_WAIT_SECONDS = 120.0
_STRETCH = f"{KEYS}/{STRETCH}"
_POLICY = "policy.toml"
_HELD = (CONSOLIDATION_LOCK, EMBEDDING_LOCK, forgetting.LOCK)
"""What must not run while a database changes under it."""


def restore(
    source: str,
    home: str,
    space: str,
    *,
    config: Config,
    environ: Mapping[str, str],
    clock: Clock,
    replace: bool = False,
    other: bool = False,
    choice: Choice = NOTHING,
    progress: Progress,
) -> Restored:
    """Put the space `space` of a backup in the place of that of a home.

    One that has anything is refused unless `replace`. The backup of another space is refused unless
    `other`. A home without settings gets those of the backup that `choice` takes, and is told of
    the others (`Restored.offered`).
    """
    with copying.telling(home), archive.opened(source) as reader:
        run = _Restoring(reader, home, config, environ, clock, progress, choice)
        return run.run(space, replace, other)


def restore_all(
    source: str,
    home: str,
    *,
    config: Config,
    environ: Mapping[str, str],
    clock: Clock,
    replace: bool = False,
    choice: Choice = NOTHING,
    progress: Progress,
) -> dict[str, Restored]:
    """The same for all spaces of a backup, by their names; refused before any is touched."""
    with copying.telling(home), archive.opened(source) as reader:
        run = _Restoring(reader, home, config, environ, clock, progress, choice)
        names = [run.name_of(held) for held in reader.manifest.spaces]
        for name in names if not replace else ():
            run.check_empty(name)
        return {name: run.run(name, replace, False) for name in names}


class _Restoring:
    def __init__(
        self,
        reader: Reader,
        home: str,
        config: Config,
        environ: Mapping[str, str],
        clock: Clock,
        progress: Progress,
        choice: Choice,
    ) -> None:
        self._reader = reader
        self._home = home
        self._clock = clock
        self._progress = progress
        if reader.manifest.schema > len(migrations()):
            raise NewerStoreError(
                "{path} was written by a newer version of Loxodon (schema {found}; this version "
                "supports {known})",
                hint="install that version of Loxodon or a later one; nothing was changed",
                path=reader.path,
                found=reader.manifest.schema,
                known=len(migrations()),
            )
        reader.verify(progress)
        self._new = _is_new(home)
        brought = self._brought()
        choice.check(brought)
        if choice.takes(POLICY):
            policy.parsed(reader.data(_POLICY), f"{reader.path}:{_POLICY}")
        self._taken = {name: value for name, value in brought.items() if choice.takes(name)}
        left = {name: value for name, value in brought.items() if name not in self._taken}
        self._left = left if self._new else {}
        if self._new:
            taken = {name: value for name, value in self._taken.items() if name != POLICY}
            config = settings.with_environment(settings.from_mapping(taken), os.environ)
        self._config = config
        self._zone = zone_named(config.timezone)
        self._keys = self._own_keys(environ)
        self._their_keys = self._keys
        encrypted = any(held.encrypted for held in reader.manifest.spaces)
        text = environ.get(keys.VARIABLE, "").strip()
        if text and encrypted:  # the backup may have another key than the home
            given = keys.key_from(text, home, self._stretching())
            self._their_keys = tuple(dict.fromkeys((*self._keys, given)))
        reader.check_seal(self._their_keys)
        if self._new and encrypted and not self._keys:
            raise LockedStoreError(
                "{path} is encrypted, but the new home {home} is not",
                hint="set the location of its key with `loxodon config encryption.key`, or use "
                "the one in the backup: --take encryption.key, and --take encryption.file "
                "for a key file",
                path=reader.path,
                home=home,
            )

    def _brought(self) -> dict[str, Value]:
        """The settings of the backup that nobody has set here; where a home's own key is stays."""
        here = settings.flattened(settings.read(self._home))
        fixed = () if self._new else ("encryption.", "keys.")
        given = import_settings.in_toml(self._reader.data(CONFIG))
        found = {n: v for n, v in given.items() if n not in here and not n.startswith(fixed)}
        rules = self._reader.data(_POLICY)
        if rules and not os.path.exists(os.path.join(self._home, _POLICY)):
            found[POLICY] = rules.decode("utf-8", "replace")
        return found

    def _own_keys(self, environ: Mapping[str, str]) -> Keys:
        if not self._new:
            return keys.database_keys(self._home, self._config.encryption, environ)
        source = keys.source_of(self._home, self._config.encryption)
        if source is None:
            return ()
        text = keys.key_text(source, environ)
        return (keys.key_from(text, self._home, self._stretching()),)

    def _stretching(self) -> Mapping[str, Any] | None:
        """How pass phrases were stretched where the backup was made."""
        how = self._reader.data(_STRETCH)
        return keys.checked_stretching(json.loads(how), self._reader.path) if how else None

    def _put_settings(self) -> None:
        if "encryption.key" in self._taken and (how := self._reader.data(_STRETCH)):
            stretch = os.path.join(self._home, KEYS, STRETCH)
            os.makedirs(os.path.dirname(stretch), mode=0o700, exist_ok=True)
            files.replace(stretch, how)
        import_settings.put(self._home, {n: one for n, one in self._taken.items() if n != POLICY})
        if POLICY in self._taken:
            files.replace(os.path.join(self._home, _POLICY), self._reader.data(_POLICY))

    def name_of(self, held: BackedUpSpace) -> str:
        """The name of a space of the backup; of an encrypted one its database tells."""
        if held.space:
            return held.space
        with draft_in(space_folder(self._home, "main", make=True)) as draft:
            path = os.path.join(draft, DATABASE)
            self._reader.extract(f"{SPACES}/{held.folder}/{DATABASE}", path)
            check_schema(path, self._their_keys)
            return space_of(path, self._their_keys)

    def check_empty(self, space: str) -> None:
        """Refuse a space that has something."""
        if self._is_kept(space):
            raise InputError(
                "the space {space} at {home} is not empty",
                hint="to replace it, add --replace; the old database is kept",
                space=repr(space),
                home=self._home,
            )

    def _is_kept(self, space: str) -> bool:
        path = os.path.join(space_path(self._home, space), DATABASE)
        return is_kept(path, space, Decay(self._config.decay, self._clock), self._keys)

    # One space

    def run(self, space: str, replace: bool, other: bool) -> Restored:
        spaces = self._reader.manifest.spaces
        held = next((one for one in spaces if one.folder == folder_name(space)), None)
        if held is None and other and len(spaces) == 1:
            held = spaces[0]
        if held is None:
            raise InputError(
                "{path} does not contain the space {space}; it contains {found}",
                hint="choose one with --space; to restore it into another space, use --as",
                path=self._reader.path,
                space=repr(space),
                found=", ".join(one.space or one.folder for one in spaces),
            )
        if not replace:
            self.check_empty(space)
        folder = space_folder(self._home, space, make=True)
        self._reader.check_room(folder)
        with _quiet(folder), draft_in(folder) as draft:
            new = os.path.join(draft, DATABASE)
            self._reader.extract(f"{SPACES}/{held.folder}/{DATABASE}", new)
            check_schema(new, self._their_keys if held.encrypted else ())
            self._under_own_key(new, held)
            if held.folder != folder_name(space):
                with closing(cipher.connect(new, self._keys)) as connection:
                    rename = "UPDATE meta SET value = ? WHERE name = 'space'"
                    connection.execute(rename, (space,)).fetchall()
            # An earlier version had transcripts in files.
            os.makedirs(os.path.join(draft, OLD_SESSIONS), mode=0o700)
            for name in self._reader.named(held.folder, f"{OLD_SESSIONS}/"):
                self._reader.extract(
                    name, os.path.join(draft, OLD_SESSIONS, os.path.basename(name))
                )
            turns, memories = self._made_ready(new, draft, space)
            self._put_settings()
            before = self._put(new, os.path.join(folder, DATABASE), space)
        with Memory.open(self._home, space, self._config, self._clock) as memory:
            _Record(memory.workspace.store).restore(self._reader.manifest.made_at)
        return Restored(turns, memories, before=before, settings=self._taken, offered=self._left)

    def _under_own_key(self, path: str, held: BackedUpSpace) -> None:
        """Give the copy the key of this home, or none, as its other databases."""
        theirs = self._their_keys if held.encrypted else ()
        try:
            if not held.encrypted and not self._keys:
                return
            if held.encrypted and self._keys and _opens(path, self._keys[:1]):
                return
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
            connection = cipher.connect(path, theirs, flags)
        except apsw.NotADBError:
            raise cipher.explained(path, theirs) from None
        with closing(connection):
            copying.recode(connection, f"{path}.own", self._keys[0] if self._keys else None)
        os.replace(f"{path}.own", path)

    def _made_ready(self, path: str, draft: str, space: str) -> tuple[int, int]:
        """Check the copy, bring it up to date and forget in it what was forgotten."""
        copying.checked(path, self._keys).close()
        decay = Decay(self._config.decay, self._clock)
        store = SqliteStore(path, space, self._zone, decay, self._keys)
        audit = self._config.audit._replace(enabled=False)
        config = self._config._replace(workspace=WorkspaceConfig(views="off"), audit=audit)
        opened = OpenSpace(self._home, draft, store, config, self._clock, self._zone, self._keys)
        live = os.path.join(space_path(self._home, space), DATABASE)
        old_files.take_over(opened, self._their_keys)
        with Memory(opened) as memory:
            store.erasure.go_on_from(live, self._keys)
            forgetting.finish(memory, store)
            store.sign_if_foreign()
            master = keys.Keys(self._home, self._config.keys.source)
            Audit(store.audit_rows, space, master, self._clock).adopt_foreign()
            mend_restored(memory, store)
            counts = store.counts()
        return counts.turns, counts.active + counts.archived

    def _put(self, new: str, path: str, space: str) -> str:
        """The new content into its place; where the old is."""
        before = free(f"{path}.before-restore") if self._is_kept(space) else ""
        try:
            live = Database(path, self._keys) if os.path.exists(path) else None
        except (LockedStoreError, NewerStoreError):
            raise  # others can read it, and may be at it
        except StoreError:
            live = None  # it is damaged, and cannot be read into
        if live is None:
            with closing(copying.checked(new, self._keys)) as connection:
                copying.continued(connection, None)
            if self._keys:
                cipher.put_check(new, self._keys[:1])
            move_in(new, path, before, self._keys)
            return before
        with closing(live), live.alone() as connection:
            if before:
                copying.snapshot(path, self._keys, before, self._progress)
                if self._keys:
                    cipher.put_check(before, self._keys[:1])
            with closing(copying.checked(new, self._keys)) as fresh:
                copying.continued(fresh, connection)
                copying.take_over(connection, fresh)
        return before


class _Record:
    """Puts a restore on record: what it wrote went past the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @verb(access="owner", audit="writes")
    def restore(self, made_at: str) -> None:
        with self._store.writing():
            self._store.set_value("restored", made_at)


@contextmanager
def _quiet(folder: str) -> Iterator[None]:
    """Nothing else at work on a space in many steps."""
    with ExitStack() as held:
        for name in _HELD:
            lock = FileLock(os.path.join(folder, name))
            held.callback(lock.close)
            if not lock.acquire(_WAIT_SECONDS):
                raise BusyStoreError(
                    "{path} is locked by another program",
                    hint="close that program, or try again later",
                    path=os.path.join(folder, name),
                )
        yield


def _is_new(home: str) -> bool:
    """Whether a home has neither settings nor a memory."""
    spaces = os.path.join(home, SPACES)
    folders = os.listdir(spaces) if os.path.isdir(spaces) else []
    held = (os.path.join(spaces, name, DATABASE) for name in folders)
    return not os.path.exists(os.path.join(home, CONFIG)) and not any(map(os.path.exists, held))


def _opens(path: str, keys: Keys) -> bool:
    try:
        cipher.connect(path, keys).close()
    except apsw.NotADBError:
        return False
    return True
