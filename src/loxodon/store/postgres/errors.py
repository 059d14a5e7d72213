"""Errors of PostgreSQL as ours: what happened, whether it can be tried again, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    FullStoreError,
    StoreError,
    UnreachableStoreError,
    UnwritableStoreError,
)

if TYPE_CHECKING:
    from psycopg import Error

_AGAIN = frozenset({"40001", "40P01", "55P03", "57014"})
"""Serialization failure, deadlock, lock not available, statement timeout: undone, try again."""
_GONE = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "25006"})
"""The server goes down, comes up, has given up on us, or is a standby now."""
_FULL = "53100"
_DAMAGED = frozenset({"XX001", "XX002"})


def shown(url: str) -> str:
    """A URL as it may be told: without a password and without options."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        found = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except ProgrammingError:
        return "postgresql://"
    user = f"{found['user']}@" if "user" in found else ""
    port = f":{found['port']}" if "port" in found else ""
    return f"postgresql://{user}{found.get('host', '')}{port}/{found.get('dbname', '')}"


def is_lost(error: Error) -> bool:
    """Whether the connection is gone, or the server does not take writes any more."""
    state = error.sqlstate
    if state is None:  # made by the client: nothing came back
        from psycopg import InterfaceError, OperationalError

        return isinstance(error, OperationalError | InterfaceError)
    return state.startswith("08") or state in _GONE


def translated(error: Error, path: str) -> StoreError:
    """An error of psycopg as one of ours."""
    state = error.sqlstate or ""
    reason = " ".join(str(error).split()) or type(error).__name__
    if is_lost(error):
        return UnreachableStoreError(
            "the connection to {path} was lost: {reason}",
            hint="nothing of this call was stored; try again when the server is back",
            path=path,
            reason=reason,
        )
    if state in _AGAIN:
        return BusyStoreError(
            "{path} did not finish in time: {reason}",
            hint="nothing of this call was stored; try again later",
            path=path,
            reason=reason,
        )
    if state == _FULL:
        return FullStoreError(
            "cannot write {path}: the disk is full",
            hint="free some disk space and try again; everything acknowledged is safe",
            path=path,
        )
    if state in _DAMAGED:
        return DamagedStoreError(
            "{path} is damaged: {reason}",
            hint="restore the database from a backup of PostgreSQL",
            path=path,
            reason=reason,
        )
    if state == "42501":
        return UnwritableStoreError(
            "{path} does not let this user in: {reason}",
            hint="run `loxodon migrate` as the owner of the schema, which grants what is needed",
            path=path,
            reason=reason,
        )
    return StoreError(
        "cannot use {path}: {reason}",
        hint="run `loxodon validate`; if the error persists, report it with this message",
        path=path,
        reason=reason,
    )
