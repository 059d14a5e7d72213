"""Encrypting a home, decrypting it, giving it another key: `loxodon encrypt`, `decrypt`, `rekey`.

A database is written anew beside its place, checked, and put there in one step. Nobody else may
have the memory open. What is done is noted in HOME/keys/recoding.json while it is: cut short at any
point, it is finished by whoever opens the home next (`finish`).
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from loxodon import config as settings
from loxodon import files
from loxodon.clock import system_clock
from loxodon.config import Config, EncryptionConfig
from loxodon.errors import DamagedStoreError, KeyProblemError, StoreError, UsageError
from loxodon.filelock import alone, draft_in, sweep_drafts
from loxodon.layout import BESIDE, DATABASE, KEYS, PENDING, RECODING, SPACES
from loxodon.memory import Memory
from loxodon.security import keys
from loxodon.security.keys import Change, KeySource, Seal, Work
from loxodon.store import Progress, quiet
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.cipher import Keys
from loxodon.views.copies import text_left, workspace_of
from loxodon.views.plain import Pending

_WAIT_SECONDS = 10.0
_NOT_COPIES = ("-wal", "-shm", "-journal", *BESIDE, ".tmp")


class Recoded(NamedTuple):
    spaces: int  # databases that were written anew
    key: str  # where the key is, as people are told; empty where there is none any more
    left: tuple[str, ...] = ()  # files that may have plain text and are not ours to remove


def _folders(home: str) -> list[str]:
    root = os.path.join(home, SPACES)
    return [path for name in files.names(root) if os.path.isdir(path := f"{root}/{name}")]


def recode(
    home: str,
    config: Config,
    work: Work,
    source: KeySource | None = None,
    *,
    make: bool = False,
    progress: Progress,
) -> Recoded:
    current = keys.source_of(home, config.encryption)
    change = _planned(work, current, source)
    finish(home)
    path = os.path.join(home, KEYS, RECODING)
    files.make_folder(os.path.dirname(path))
    with alone(f"{path}.lock", _WAIT_SECONDS):
        if earlier := keys.change_of(home):
            raise KeyProblemError(
                "an earlier change was interrupted, and cannot be completed without the key in "
                "{place}",
                hint="restore that key, and try again",
                place=str(earlier.waiting),
            )
        new: Keys = ()
        if work != "decrypt":
            cipher.check_build()
            if (make and current is None) or (work == "rekey" and not change.waiting.read()):
                change.waiting.make()
            new = (keys.key_at(change.waiting),)
            Seal(new)  # what it needs must be installed before anything is changed
        old = () if work == "encrypt" else keys.database_keys(home, config.encryption)
        _open_each(home, config, (*old, *new))
        files.replace(path, json.dumps(change).encode())
        files.sync_folder(os.path.dirname(path))
        done = _do(home, config, change, progress)
        os.unlink(path)
        return done


def _planned(work: Work, current: KeySource | None, source: KeySource | None) -> Change:
    """Where the key belongs, and where a new one is until all databases have it."""
    place = source or current
    if work == "encrypt" and current is not None and place != current:
        raise UsageError(
            "this memory is already encrypted, with the key in {place}",
            hint="change the key with `loxodon rekey`",
            place=str(current),
        )
    if work != "encrypt" and current is None:
        raise UsageError("this memory is not encrypted", hint="encrypt it with `loxodon encrypt`")
    if place is None:
        raise UsageError(
            "no place for the key given",
            hint="use --keyring, --key-file FILE or --env; add --make-key to create a new key "
            "there",
        )
    return Change(work, place, place.next if work == "rekey" else place)


def finish(home: str) -> bool:
    """End what was cut short; whether something was."""
    path = os.path.join(home, KEYS, RECODING)
    if not os.path.exists(path):
        return False
    lock = alone(f"{path}.lock", _WAIT_SECONDS)
    with lock, suppress(KeyProblemError, DamagedStoreError, OSError):
        change = keys.change_of(home)
        if change is not None:  # else whoever had the lock has done it
            _do(home, settings.load(home, os.environ), change, quiet)
            os.unlink(path)
    return True


def _do(home: str, config: Config, change: Change, progress: Progress) -> Recoded:
    """Bring a home to what a change says; whatever of it was done before is left out."""
    work, place, waiting = change
    where = home, config, progress
    if work == "decrypt":
        done = _recode_all(*where, (keys.key_at(place),), ())
        for name in ("encryption.key", "encryption.file"):
            settings.write(home, name, None)
        return Recoded(done, "")
    if work == "encrypt":
        key = keys.key_at(place)
        settings.write(home, "encryption.file", place.name if place.kind == "file" else None)
        settings.write(home, "encryption.key", place.kind)
        done = _recode_all(*where, (), (key,))
        left: dict[str, None] = {}
        for folder in _folders(home):
            space = copying.space_of(os.path.join(folder, DATABASE), (key,))
            stays = text_left(home, folder, space, config, remove=True)
            left |= dict.fromkeys(one.file for one in stays)
        return Recoded(done, str(place), tuple(left))
    try:
        key = keys.key_at(waiting)
    except KeyProblemError:  # it is where it belongs already
        key = keys.key_at(place)
    done = _recode_all(*where, (*keys.database_keys(home, config.encryption), key), (key,))
    place.take_next()
    return Recoded(done, str(waiting if waiting.kind == "env" else place))


def _open_each(home: str, config: Config, known: Keys) -> None:
    """Open each space once, which takes in what earlier versions kept in files. A BusyStoreError
    where somebody else has one open."""
    for folder in _folders(home):
        path = os.path.join(folder, DATABASE)
        opened, state = config._replace(enabled=True), cipher.state_of(path)
        if state in ("plain", "encrypted"):
            opens = known if state == "encrypted" else ()
            with copying.held(path, opens) as connection:
                if connection is not None:
                    copying.leave(connection)
            if state == "plain":
                opened = opened._replace(encryption=EncryptionConfig())
            Memory.open(home, copying.space_of(path, opens), opened, system_clock(None)).close()


def _recode_all(home: str, config: Config, progress: Progress, before: Keys, after: Keys) -> int:
    """Write everything that is under another key anew; how many databases that were."""
    known = tuple(dict.fromkeys((*after, *before)))
    done, folders = 0, _folders(home)
    for number, folder in enumerate(folders, 1):
        sweep_drafts(folder)
        for view in Path(folder).rglob("*.tmp"):  # that was being written
            view.unlink()
        for name in sorted(os.listdir(folder)):  # with what a restore or a repair set aside
            if name.startswith(DATABASE) and not name.endswith(_NOT_COPIES):
                done += _recode(os.path.join(folder, name), known, after)
        workspace = workspace_of(folder, config)
        if os.path.exists(os.path.join(workspace, PENDING)):
            Pending(folder, workspace, "", known).reseal(Seal(after) if after else None)
        progress(number, len(folders))
    return done


def _recode(path: str, known: Keys, after: Keys) -> bool:
    """Write one database anew, in its place; whether that was to be done."""
    state = cipher.state_of(path)
    if state == "absent" or (state == "plain" and not after):
        return False
    if state == "encrypted" and after and cipher.checks(path) == [*map(cipher.check_of, after)]:
        return False
    known = () if state == "plain" else known
    with alone(os.path.splitext(path)[0] + ".lock", _WAIT_SECONDS):
        with draft_in(os.path.dirname(path)) as draft, copying.held(path, known) as connection:
            if connection is None:
                raise cipher.damaged(path, StoreError("it is not a readable database"))
            new = os.path.join(draft, DATABASE)
            copying.recode(connection, new, after[0] if after else None)
            if after:  # before the file is in place: it may be under either then
                cipher.put_check(path, tuple(dict.fromkeys((*after, *known))))
            os.replace(new, path)
            files.sync_folder(os.path.dirname(path))
            connection.close()
        if after:
            cipher.put_check(path, after)
        else:
            Path(f"{path}.check").unlink(missing_ok=True)
    return True
