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

import apsw

from loxodon import old_files
from loxodon.backup import archive
from loxodon.backup.archive import BackedUpSpace, Reader
from loxodon.clock import Clock, zone_named
from loxodon.config import Config, WorkspaceConfig
from loxodon.consolidate.decay import Decay
from loxodon.errors import InputError, LockedStoreError
from loxodon.filelock import FileLock, draft_in
from loxodon.forget import forgetting
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
from loxodon.security import keys
from loxodon.security.audit import Audit
from loxodon.spaces import folder_name, space_folder, space_path
from loxodon.store import Progress
from loxodon.store.driver import newer
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.copying import check_schema, space_of
from loxodon.store.sqlite.database import Database, busy, migrations
from loxodon.store.store import Store
from loxodon.verbs import verb
from loxodon.views.restore import Restored, free, is_kept, not_empty

_WAIT_SECONDS = 120.0


def restore(
    source: str,
    home: str,
    space: str | None,
    *,
    config: Config,
    environ: Mapping[str, str],
    clock: Clock,
    replace: bool = False,
    other: bool = False,
    progress: Progress,
) -> dict[str, Restored]:
    """Put a space of a backup, or every one, in the place of that of a home; by their names.

    One that has anything is refused unless `replace`, another space's unless `other`."""
    with copying.telling(home), archive.opened(source) as reader:
        run = _Restoring(reader, home, config, environ, clock, progress)
        if space is not None:
            held = {space: run.held(space, other)}
        else:
            held = {run.name_of(one): one for one in reader.spaces}
        for name in held:
            if not replace and run.is_kept(name):
                raise not_empty(name, home)
        return {name: run.run(name, one) for name, one in held.items()}


class _Restoring:
    """A backup that is put into the spaces of a home."""

    def __init__(
        self,
        reader: Reader,
        home: str,
        config: Config,
        environ: Mapping[str, str],
        clock: Clock,
        progress: Progress,
    ) -> None:
        self._reader, self._home, self._clock, self._progress = reader, home, clock, progress
        if reader.schema > len(migrations()):
            raise newer(reader.path, reader.schema, len(migrations()))
        reader.verify(progress)
        self._config, self._zone = config, zone_named(config.timezone)
        self._decay = Decay(config.decay, clock)
        self._keys = keys.database_keys(home, config.encryption, environ)
        self._their_keys = self._keys
        if reader.is_encrypted:  # with our keys, or with one that is given now
            how = reader.data(f"{KEYS}/{STRETCH}")  # how pass phrases were stretched there
            stretching = keys.checked_stretching(json.loads(how), reader.path) if how else None
            texts = [environ.get(keys.VARIABLE, "").strip()]
            if source := keys.source_of(home, config.encryption):
                texts.append(keys.key_text(source, environ))
            theirs = [keys.key_from(text, home, stretching) for text in texts if text]
            self._their_keys = tuple(dict.fromkeys((*self._keys, *theirs)))
        reader.check_seal(self._their_keys)
        if reader.is_encrypted and not self._keys and _is_new(home):
            raise LockedStoreError(
                "{path} is encrypted, but the new home {home} is not",
                hint="set the location of its key with `loxodon config encryption.key`",
                path=reader.path,
                home=home,
            )

    # Which spaces

    def held(self, space: str, other: bool) -> BackedUpSpace:
        """The space of the backup that is to be restored as `space`."""
        spaces = self._reader.spaces
        for one in spaces:
            if one.folder == folder_name(space) or (other and len(spaces) == 1):
                return one
        raise InputError(
            "{path} does not contain the space {space}; it contains {found}",
            hint="choose one with --space; to restore it into another space, use --as",
            path=self._reader.path,
            space=repr(space),
            found=", ".join(one.space or one.folder for one in spaces),
        )

    def name_of(self, held: BackedUpSpace) -> str:
        """The name of a space of the backup; of an encrypted one its database tells."""
        if held.space:
            return held.space
        with draft_in(space_folder(self._home, "main", make=True)) as draft:
            return space_of(self._extracted(held, draft), self._their_keys)

    def _extracted(self, held: BackedUpSpace, draft: str) -> str:
        path = os.path.join(draft, DATABASE)
        self._reader.extract(f"{SPACES}/{held.folder}/{DATABASE}", path)
        check_schema(path, self._their_keys if held.encrypted else ())
        return path

    def is_kept(self, space: str) -> bool:
        """Whether a space has something."""
        path = os.path.join(space_path(self._home, space), DATABASE)
        return is_kept(path, space, self._decay, self._keys)

    # One space

    def run(self, space: str, held: BackedUpSpace) -> Restored:
        folder = space_folder(self._home, space, make=True)
        with _quiet(folder), draft_in(folder) as draft:
            new = self._extracted(held, draft)
            self._under_own_key(new, held)
            if held.folder != folder_name(space):
                with closing(cipher.connect(new, self._keys)) as connection:
                    rename = "UPDATE meta SET value = ? WHERE name = 'space'"
                    connection.execute(rename, (space,)).fetchall()
            # An earlier version had transcripts in files.
            os.makedirs(os.path.join(draft, OLD_SESSIONS), mode=0o700)
            for name in self._reader.names(f"{SPACES}/{held.folder}/{OLD_SESSIONS}/"):
                path = os.path.join(draft, OLD_SESSIONS, os.path.basename(name))
                self._reader.extract(name, path)
            turns, memories = self._made_ready(new, draft, space)
            path = os.path.join(folder, DATABASE)
            before = free(f"{path}.before-restore") if self.is_kept(space) else ""
            copying.put_in_place(new, path, before, self._keys, self._progress)
        with Memory.open(self._home, space, self._config, self._clock) as memory:
            _Record(memory.workspace.store).restore(self._reader.made_at)
        return Restored(turns, memories, before=before)

    def _under_own_key(self, path: str, held: BackedUpSpace) -> None:
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
        opened = OpenSpace(self._home, draft, store, config, self._clock, self._zone, self._keys)
        live = os.path.join(space_path(self._home, space), DATABASE)
        old_files.take_over(opened, self._their_keys)
        with Memory(opened) as memory:
            store.erasure.go_on_from(live, self._keys)
            forgetting.finish(memory, store)
            master = keys.Keys(self._home, self._config.keys.source)
            Audit(store, master, self._clock).adopt_foreign()
            mend_restored(memory, store)
            counts = store.counts()
        return counts.turns, counts.active + counts.archived


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
        for name in (CONSOLIDATION_LOCK, EMBEDDING_LOCK, forgetting.LOCK):
            lock = FileLock(os.path.join(folder, name))
            held.callback(lock.close)
            if not lock.acquire(_WAIT_SECONDS):
                raise busy(os.path.join(folder, name))
        yield


def _is_new(home: str) -> bool:
    """Whether a home has neither settings nor a memory."""
    spaces = os.path.join(home, SPACES)
    folders = os.listdir(spaces) if os.path.isdir(spaces) else []
    held = (os.path.join(spaces, name, DATABASE) for name in folders)
    return not os.path.exists(os.path.join(home, CONFIG)) and not any(map(os.path.exists, held))
