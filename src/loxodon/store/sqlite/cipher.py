"""Database files that are encrypted: opening one by its key, and saying why it does not open.

The cipher is AEGIS in the build of SQLite that we use (SQLite3 Multiple Ciphers): every page is
authenticated, so that damage shows, and it costs least of those there are (docs/trust.md). A key
is 32 bytes and used as it is. Beside an encrypted file stands `<file>.check`, a keyed hash that
tells a wrong key from a damaged file; nothing can be learned from it about a key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Literal

import apsw

from loxodon import files
from loxodon.errors import DamagedStoreError, LockedStoreError, StoreError
from loxodon.layout import KEY_MARK

Keys = Sequence[bytes]  # keys to try, in this order; none for a file that is not encrypted

CIPHER = "aegis"
_HEADER = b"SQLite format 3\0"
# The part of the first page that is never encrypted: size of a page, versions, fractions
_CLEAR = slice(16, 24)
_BUSY_MS = 30_000

State = Literal["absent", "plain", "encrypted", "other"]


def connect(target: str, keys: Keys, flags: int | None = None) -> apsw.Connection:
    """A connection to the file or URI `target`; NotADBError where none of the keys opens it."""
    return connect_with(target, keys, flags)[1]


def connect_with(
    target: str, keys: Keys, flags: int | None = None
) -> tuple[bytes, apsw.Connection]:
    """The same, and the key that opened it; empty where it is not encrypted."""
    if flags is None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    for key in keys:
        connection = apsw.Connection(target, flags=flags)
        try:
            connection.set_busy_timeout(_BUSY_MS)
            unlock(connection, key)
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            return key, connection
        except apsw.NotADBError:
            connection.close()
        except BaseException:
            connection.close()
            raise
    if keys:
        raise apsw.NotADBError
    return b"", apsw.Connection(target, flags=flags)


def unlock(connection: apsw.Connection, key: bytes) -> None:
    """Give a new connection its key, and keep what SQLite sorts aside off the disk."""
    check_build()
    for pragma in (f"cipher={CIPHER}", f"key='raw:{key.hex()}'", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def check_build() -> None:
    """Refuse to go on with an SQLite that would take a key and write plain text all the same."""
    if not getattr(apsw, "mc_version", ""):
        raise LockedStoreError(
            "this build of SQLite cannot encrypt",
            hint="use pip to replace the package apsw with apsw-sqlite3mc",
        )


def state_of(path: str) -> State:
    """What the file at `path` looks like from outside."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return "absent"
    # Not with open(): closing that would let go of the locks that SQLite has on the file here.
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        head = file.xRead(100, 0)
    finally:
        file.xClose()
    if head.startswith(_HEADER):
        return "plain"
    clear = head[_CLEAR]
    # SQLite fixes these four bytes; the two before say how the file is written.
    if len(clear) == 8 and clear[5:] == b"\x40\x20\x20" and {*clear[2:4]} <= {1, 2}:
        return "encrypted"
    return "other"


# The check beside a file


def check_of(key: bytes) -> str:
    """What `<file>.check` says of a key."""
    import hmac  # loads OpenSSL, which a memory that is not encrypted does without

    return hmac.new(key, b"loxodon: the key of a database", "sha256").hexdigest()[:32]


def put_check(path: str, keys: Keys) -> None:
    """Note by which keys the file at `path` may be encrypted."""
    about = {"cipher": CIPHER, "checks": [check_of(key) for key in keys]}
    files.replace(f"{path}.check", json.dumps(about).encode())


def checks(path: str) -> list[str]:
    """What stands beside the file at `path`; nothing where it cannot be read."""
    try:
        with open(f"{path}.check", encoding="utf-8") as file:
            found = json.load(file)["checks"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def damaged(path: str, reason: str | StoreError) -> DamagedStoreError:
    return DamagedStoreError(
        "{path} is damaged: {reason}",
        hint="restore it with `loxodon repair`; the damaged file is kept",
        path=path,
        reason=reason,
    )


def explained(path: str, keys: Keys) -> StoreError:
    """Why SQLite takes the file at `path` for no database; damage can look like anything."""
    state, known = state_of(path), checks(path)
    was_ours = os.path.exists(os.path.join(os.path.dirname(path), KEY_MARK))
    if state == "plain" and keys:
        return LockedStoreError(
            "{path} is not encrypted, but encryption is turned on",
            hint="continue with `loxodon encrypt`, or turn encryption off with `loxodon decrypt`",
            path=path,
        )
    if not keys and (known or (state == "encrypted" and not was_ours)):
        return LockedStoreError(
            "{path} is encrypted, but no key was given",
            hint="set the location of the key with the settings encryption.*",
            path=path,
        )
    if keys and (state == "encrypted" or known) and not {*map(check_of, keys)} & {*known}:
        return LockedStoreError(
            "the key does not match {path}",
            hint="it is encrypted with another key; check LOXODON_KEY, the key file or the "
            "keyring, as the settings encryption.* say",
            path=path,
        )
    return damaged(path, StoreError("its beginning is not that of a database"))
