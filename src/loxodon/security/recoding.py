"""Encrypting a home, decrypting it, giving it another key: `loxodon encrypt`, `decrypt`, `rekey`.

A database is written anew beside its place, checked, and put there in one step; then the old one is
overwritten. (SQLite can also change the key of a file in place, but not in the mode that we use,
and a kill there leaves it to a rollback journal that holds the old pages.) Nobody else may have the
memory open. What is done is noted in HOME/keys/recoding.json while it is: cut short at any point,
it is finished by whoever opens the home next (`finish`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from loxodon import config as settings
from loxodon import files, old_files
from loxodon.clock import Clock, system_clock
from loxodon.config import Config, EncryptionConfig
from loxodon.drafts import draft_in, sweep_drafts
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    InputError,
    KeyProblemError,
    LoxodonError,
    UsageError,
)
from loxodon.filelock import FileLock
from loxodon.layout import (
    BESIDE,
    DATABASE,
    KEYS,
    OLD_SESSIONS,
    PENDING,
    RECODING,
    SPACES,
    VIEWS,
    WORKSPACE,
)
from loxodon.memory import Memory
from loxodon.opening import OpenSpace
from loxodon.security import encryption, overwriting
from loxodon.security.encryption import KeySource
from loxodon.security.sealing import Seal, read_lines, shut
from loxodon.store import Progress
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.cipher import Keys
from loxodon.store.sqlite.database import held, leave
from loxodon.store.sqlite.owner import space_of
from loxodon.store.sqlite.store import SqliteStore
from loxodon.views import copies, manifest
from loxodon.views.pending import Pending
from loxodon.write.decay import Decay

_LOCK = "recoding.lock"
_WAIT_SECONDS = 10.0
_SHORTEST_PHRASE = 12
_NOT_COPIES = ("-wal", "-shm", "-journal", *BESIDE, ".tmp", overwriting.SUFFIX)


class Recoded(NamedTuple):
    """What became of a home."""

    spaces: int
    """How many databases were written anew."""
    key: str
    """Where the key is, as people are told; empty where there is none any more."""
    left: tuple[str, ...] = ()
    """Files with plain text that were not Loxodon's to remove, or could not be."""


class _Work(NamedTuple):
    """A home on its way from one key to another; no key stands for plain text."""

    home: str
    config: Config
    before: Keys
    after: Keys
    progress: Progress


def encrypt(
    home: str,
    config: Config,
    environ: Mapping[str, str],
    clock: Clock,
    source: KeySource | None,
    *,
    make: bool = False,
    progress: Progress,
) -> Recoded:
    """Encrypt every space of a home with the key at `source`, or where the settings say it is.

    Changes that somebody made to the text views are taken in first; then the views, and every other
    plain copy that Loxodon made, are erased.
    """
    cipher.check_build()
    current = encryption.source_of(home, config.encryption)
    if current is not None and source is not None and source != current:
        raise UsageError(
            "this memory is already encrypted, with the key in {place}",
            hint="change the key with `loxodon rekey`",
            place=encryption.describe(current),
        )
    source = source or current
    if source is None:
        raise UsageError(
            "no place for the key given",
            hint="use --keyring, --key-file FILE or --env; add --make-key to create a new key "
            "there",
        )
    with _at_work(home, "encrypt", source) as under_way:
        if make and source != current:
            encryption.make(source)
        key = _good_key(home, source, environ)
        Seal([key])  # what it needs must be installed before anything is changed
        _see_that_all_are_free(home, (key,))
        _take_in_edits(home, config, clock)
        under_way()
        return _encrypted(home, config, environ, source, progress)


def _encrypted(
    home: str, config: Config, environ: Mapping[str, str], source: KeySource, progress: Progress
) -> Recoded:
    key = _good_key(home, source, environ)
    _set(home, source)
    work = _Work(home, config, (), (key,), progress)
    done = _all_files(work)
    left = (*_without_views(work), *plain_backups(home, config))
    return Recoded(done, encryption.describe(source), left)


def decrypt(
    home: str, config: Config, environ: Mapping[str, str], *, progress: Progress
) -> Recoded:
    """Write every space of a home as plain text again."""
    source = encryption.source_of(home, config.encryption)
    if source is None:
        raise UsageError("this memory is not encrypted", hint="encrypt it with `loxodon encrypt`")
    with _at_work(home, "decrypt", source) as under_way:
        _see_that_all_are_free(home, encryption.keys_of(home, config.encryption, environ))
        under_way()
        return _decrypted(home, config, environ, source, progress)


def _decrypted(
    home: str, config: Config, environ: Mapping[str, str], source: KeySource, progress: Progress
) -> Recoded:
    key = encryption.key_at(home, source, environ)
    done = _all_files(_Work(home, config, (key,), (), progress))
    settings.write(home, "encryption.key", None)
    settings.write(home, "encryption.file", None)
    return Recoded(done, "")


def rekey(
    home: str,
    config: Config,
    environ: Mapping[str, str],
    source: KeySource | None,
    *,
    make: bool = False,
    progress: Progress,
) -> Recoded:
    """Give every space of a home the key at `source`; without one, a new key in the same place."""
    current = encryption.source_of(home, config.encryption)
    if current is None:
        raise UsageError("this memory is not encrypted", hint="encrypt it with `loxodon encrypt`")
    keys = encryption.keys_of(home, config.encryption, environ)
    place = source or current
    waiting = place if place != current else encryption.beside(current)
    with _at_work(home, "rekey", place, waiting) as under_way:
        _see_that_there_is_a_key(waiting, environ, make or place == current)
        _see_that_all_are_free(home, (*keys, _good_key(home, waiting, environ)))
        under_way()
        return _rekeyed(home, config, environ, place, waiting, progress)


def _rekeyed(
    home: str,
    config: Config,
    environ: Mapping[str, str],
    place: KeySource,
    waiting: KeySource,
    progress: Progress,
) -> Recoded:
    try:
        key = _good_key(home, waiting, environ)
    except KeyProblemError:  # it is where it belongs already
        key = _good_key(home, place, environ)
    else:
        encryption.note_next(home, waiting)
    before = tuple(dict.fromkeys((*encryption.keys_of(home, config.encryption, environ), key)))
    done = _all_files(_Work(home, config, before, (key,), progress))
    if place == encryption.source_of(home, config.encryption):
        encryption.put_in_place(waiting, place)
    else:
        _set(home, place)
    encryption.note_next(home, None)
    return Recoded(done, encryption.describe(waiting if waiting.kind == "env" else place))


def _see_that_there_is_a_key(source: KeySource, environ: Mapping[str, str], make: bool) -> None:
    try:
        encryption.text_at(source, environ)
    except KeyProblemError:
        if source.kind == "env" or not make:
            raise
        encryption.make(source)


# What was cut short

_working: set[str] = set()
"""The homes that this process is at work on."""


@contextmanager
def _at_work(
    home: str, work: str, place: KeySource, waiting: KeySource | None = None
) -> Iterator[Callable[[], None]]:
    """Note what is done to a home while it is. Before the function that is given is called nothing
    has changed, and an error takes the note back; afterwards it stays until all is done."""
    finish(home, environ=os.environ)  # of an earlier one, which this one begins with
    path = os.path.join(home, KEYS, RECODING)
    if noted := _noted(path):
        raise KeyProblemError(
            "an earlier change was interrupted, and cannot be completed without the key in {place}",
            hint="restore that key, and try again",
            place=encryption.describe(noted[2]),
        )
    begun = False

    def under_way() -> None:
        nonlocal begun
        begun = True

    with _alone(home):
        files.replace(path, json.dumps([work, place, waiting]).encode())
        files.sync_folder(os.path.dirname(path))
        try:
            yield under_way
        except BaseException:
            if not begun:
                os.unlink(path)
            raise
        os.unlink(path)


@contextmanager
def _alone(home: str) -> Iterator[None]:
    folder = os.path.join(home, KEYS)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = FileLock(os.path.join(folder, _LOCK))
    try:
        if not lock.acquire(_WAIT_SECONDS):
            raise BusyStoreError(
                "the memory at {home} is being encrypted, decrypted or rekeyed",
                hint="wait until it has finished",
                home=home,
            )
        _working.add(home)
        yield
    finally:
        _working.discard(home)
        lock.close()


def finish(home: str, environ: Mapping[str, str]) -> bool:
    """End what was cut short; whether something was.

    Where it cannot be ended now, because a key is not there or the disk is full, everything stays
    as it is, and opening a space says what is wrong with it.
    """
    path = os.path.join(home, KEYS, RECODING)
    if home in _working or not os.path.exists(path):
        return False
    with _alone(home):
        noted = _noted(path)
        if noted is None:  # whoever had the lock has done it
            return True
        with suppress(KeyProblemError, DamagedStoreError, OSError):
            if _ended(home, environ, *noted):
                os.unlink(path)
    return True


def _noted(path: str) -> tuple[str, KeySource, KeySource] | None:
    try:
        with open(path, encoding="utf-8") as file:
            work, place, waiting = json.load(file)
        return work, KeySource(*place), KeySource(*(waiting or place))
    except (OSError, ValueError, TypeError):
        return None


def _ended(
    home: str, environ: Mapping[str, str], work: str, place: KeySource, waiting: KeySource
) -> bool:
    """Do the rest of what was noted; False where a key is missing that some of it may be under."""
    config = settings.with_environment(settings.load(home), environ)
    current = encryption.source_of(home, config.encryption)
    quiet: Progress = lambda done, total: None  # noqa: E731
    try:
        if work == "encrypt":
            _encrypted(home, config, environ, place, quiet)
        elif work == "decrypt":
            _decrypted(home, config, environ, place, quiet)
        else:
            _rekeyed(home, config, environ, place, waiting, quiet)
    except KeyProblemError:
        # Before the key was made nothing else was.
        return (work == "encrypt" and current is None) or (
            work == "rekey" and encryption.next_source(home) is None
        )
    return True


def _good_key(home: str, source: KeySource, environ: Mapping[str, str]) -> bytes:
    text = encryption.text_at(source, environ)
    if len(text) < _SHORTEST_PHRASE:
        raise KeyProblemError(
            "the passphrase in {place} is too short",
            hint="use at least {n} characters, or create a key with --make-key",
            place=encryption.describe(source),
            n=_SHORTEST_PHRASE,
        )
    return encryption.key_from(text, home)


def _set(home: str, source: KeySource) -> None:
    settings.write(home, "encryption.file", source.name if source.kind == "file" else None)
    settings.write(home, "encryption.key", source.kind)


# The databases, and what lies beside them


def folders(home: str) -> list[str]:
    """The folders of the spaces that a home has."""
    root = os.path.join(home, SPACES)
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return []
    return [path for name in names if os.path.isdir(path := os.path.join(root, name))]


def _databases(folder: str) -> list[str]:
    """The database of a space, and copies of it that were put aside."""
    names = sorted(name for name in os.listdir(folder) if name.startswith(f"{DATABASE}."))
    copies = [name for name in names if not name.endswith(_NOT_COPIES)]
    return [os.path.join(folder, name) for name in (DATABASE, *copies)]


def _see_that_all_are_free(home: str, keys: Keys) -> None:
    """A BusyStoreError, before anything is changed, where somebody has a space open."""
    for folder in folders(home):
        path = os.path.join(folder, DATABASE)
        state = cipher.state_of(path)
        if state in ("plain", "encrypted"):
            with held(path, keys if state == "encrypted" else ()) as connection:
                if connection is not None:
                    leave(connection)


def _all_files(work: _Work) -> int:
    """Write everything that is under another key anew; how many databases that were."""
    done, places = 0, folders(work.home)
    for number, folder in enumerate(places):
        overwriting.sweep(folder)
        sweep_drafts(folder)
        for path in _databases(folder):
            done += _recoded(path, work)
        _old_sessions(folder, work)
        _damaged(folder, work)
        _waiting(folder, work)
        work.progress(number + 1, len(places))
    return done


def _recoded(path: str, work: _Work) -> bool:
    """Write one database anew, in its place; whether that was to be done."""
    state, wanted = cipher.state_of(path), [*map(cipher.check_of, work.after)]
    if state == "absent" or (state == "plain" and not work.after):
        return False
    if state == "encrypted" and work.after and cipher.checks(path) == wanted:
        return False
    keys = () if state == "plain" else (*work.before, *work.after)
    with draft_in(os.path.dirname(path)) as draft:
        _swap(path, os.path.join(draft, DATABASE), work, keys)
    return True


def _swap(path: str, new: str, work: _Work, keys: Keys) -> None:
    lock = FileLock(os.path.splitext(path)[0] + ".lock")
    try:
        if not lock.acquire(_WAIT_SECONDS):
            raise BusyStoreError(
                "{path} is locked by another program",
                hint="close that program, or try again later",
                path=path,
            )
        with held(path, keys) as connection, overwriting.replacing(path):
            if connection is None:
                raise DamagedStoreError(
                    "{path} is damaged: {reason}",
                    hint="restore it from a backup first, or move it away",
                    path=path,
                    reason=InputError("it is not a readable database"),
                )
            copying.recode(connection, new, work.after[0] if work.after else None)
            if work.after:  # before the file is in place: it may be under either then
                cipher.put_check(path, tuple(dict.fromkeys((*work.after, *keys))))
            os.replace(new, path)
            files.sync_folder(os.path.dirname(path))
            connection.close()
        if work.after:
            cipher.put_check(path, work.after)
        elif os.path.exists(f"{path}.check"):
            os.unlink(f"{path}.check")
    finally:
        lock.close()


def _damaged(folder: str, work: _Work) -> None:
    """What `repair` could not put back, as lines."""
    for name in sorted(os.listdir(folder)):
        if name.startswith("damaged-") and name.endswith(".jsonl"):
            _reseal(os.path.join(folder, name), work)


def _reseal(path: str, work: _Work) -> None:
    keys = (*work.after, *work.before)
    lines = read_lines(path, Seal(keys) if keys else None)
    data = b"".join(line + b"\n" for line in lines)
    seal = Seal(work.after) if work.after else None
    overwriting.replace(path, shut(data, os.path.basename(path), seal))


def _old_sessions(folder: str, work: _Work) -> None:
    """Sessions of an earlier version, in files under either key or none."""
    if not os.path.isdir(os.path.join(folder, OLD_SESSIONS)):
        return
    path, clock = os.path.join(folder, DATABASE), system_clock(None)
    decay = Decay(work.config.decay, clock)
    store = SqliteStore(path, space_of(path, work.after), None, decay, work.after)
    try:
        space = OpenSpace(work.home, folder, store, work.config, clock, None, work.after)
        old_files.take_over(space, work.before, overwriting.erase)
    finally:
        store.close()


def _workspace(folder: str, config: Config) -> str:
    path = config.workspace.path if os.path.basename(folder) == "main" else ""
    return os.path.abspath(os.path.expanduser(path or os.path.join(folder, WORKSPACE)))


def _waiting(folder: str, work: _Work) -> None:
    """What was said while the engine was off."""
    workspace = _workspace(folder, work.config)
    if os.path.isdir(os.path.join(workspace, PENDING)):
        keys = (*work.after, *work.before)
        waiting = Pending(folder, workspace, "", Seal(keys) if keys else None)
        waiting.reseal(Seal(work.after) if work.after else None)


def plain_backups(home: str, config: Config) -> Iterator[str]:
    """Backups of a time when nothing was encrypted; whether they stay is for their owner to say."""
    from loxodon.backup import archive
    from loxodon.backup.create import SUFFIX, folder_of

    folder = folder_of(home, config)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(SUFFIX) and os.path.isfile(path):
            with suppress(LoxodonError), archive.opened(path) as reader:
                if not all(held.encrypted for held in reader.manifest.spaces):
                    yield path


# The text views


def _take_in_edits(home: str, config: Config, clock: Clock) -> None:
    """Take in what somebody changed in the views, while there are some."""
    plain = config.replace(encryption=EncryptionConfig(), enabled=True)
    for folder in folders(home):
        path = os.path.join(folder, DATABASE)
        root = os.path.join(_workspace(folder, config), VIEWS)
        if cipher.state_of(path) != "plain" or not os.path.exists(
            os.path.join(root, manifest.MANIFEST)
        ):
            continue
        name = space_of(path)
        with Memory.open(home, name, plain, clock) as memory:
            found = memory.workspace.sync()
        if found.conflicts or found.problems:
            first = (*found.conflicts, *found.problems)[0]
            raise InputError(
                "the text views contain edits that cannot be applied: {file}: {what}",
                hint="run `loxodon sync` and resolve or undo the edits, then encrypt",
                file=first.file,
                what=first.what,
            )


def _without_views(work: _Work) -> Iterator[str]:
    """Erase the text views wherever they were ever written to; what of them is not as it was
    written, or cannot be reached, stays, and is told."""
    for folder in folders(work.home):
        space = space_of(os.path.join(folder, DATABASE), work.after)
        usual, current = os.path.join(folder, WORKSPACE), _workspace(folder, work.config)
        for place in copies.folders(folder, current, os.path.abspath(usual)):
            if os.path.isdir(place.path):
                root = os.path.join(place.path, VIEWS)
                yield from copies.removed(root, space, overwriting.erase).left
            elif place.path not in (current, usual):
                yield place.path
        yield from (
            one.path
            for one in copies.known(folder)
            if one.kind == "file" and os.path.exists(one.path)
        )
