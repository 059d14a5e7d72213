"""Puts verbs on record in the audit log: what was asked for, and what it gave.

A verb within another is part of that one. A write is put on record by the database itself before
each commit, whoever asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from loxodon.errors import LoxodonError
from loxodon.spaces import folder_name
from loxodon.store.off import Off

if TYPE_CHECKING:
    from datetime import datetime

    from loxodon.config import Config
    from loxodon.security.audit_log import Audit
    from loxodon.store.store import Store

_FACTS = ("chat", "reveal", "dry_run", "masked", "as_of", "limit")
"""Arguments that tell how something was asked, and nothing of what."""
_DEEPEST = 4


def put_on_record(
    store: Store | Off, home: str, folder: str, config: Config, now: Callable[[], datetime]
) -> None:
    """Have changes of sensitive memories signed, and all that is done put on record.

    Not on record with `audit.enabled` off, nor what is done to a draft: a database that is about to
    be put in the place of another.
    """
    if isinstance(store, Off):
        return
    from loxodon.security.audit_log import Audit
    from loxodon.security.keys import Keys, mac_with

    keys, macs = Keys(home, config.keys.source), dict[str, Any]()

    def sign(said: bytes) -> bytes:
        if not macs:
            macs["signature"] = mac_with(keys.key("signature", store.space))
        return bytes(macs["signature"](said))

    store.sign_with(sign)
    if not config.audit.enabled or os.path.basename(folder) != folder_name(store.space):
        return
    audit = Audit(store.audit_rows, store.space, keys, now, keep=config.audit.entries)
    audit.agent = store.wall.agent
    store.put_on_record(audit)


class Doing:
    """A verb that is being done."""

    def __init__(self, audit: Audit, op: str) -> None:
        self.audit = audit
        self.op = op
        self.wrote = False


_doing: ContextVar[Doing | None] = ContextVar("loxodon_doing", default=None)


def doing(audit: Audit) -> Doing | None:
    """The verb that is being done with the memory of `audit`."""
    found = _doing.get()
    return found if found is not None and found.audit is audit else None


@contextmanager
def recorded_as(owner: Any, op: str) -> Iterator[None]:
    """Have the record tell of what is written meanwhile as of one verb."""
    audit = store_of(owner).audit
    if audit is None or doing(audit) is not None:
        yield
        return
    token = _doing.set(Doing(audit, op))
    try:
        yield
    finally:
        _doing.reset(token)


def on_record(
    audit: Audit, op: str, how: str, do: Callable[..., Any], *args: Any, **named: Any
) -> Any:
    """Do something and put it on record, `how` as its verb says; also that it failed."""
    mine = Doing(audit, op)
    token = _doing.set(mine)
    try:
        found = do(*args, **named)
    except BaseException as error:
        outcome = error.code if isinstance(error, LoxodonError) else type(error).__name__
        audit.read(op, _asked(args[1:]), outcome=outcome, **_facts(named))
        raise
    finally:
        _doing.reset(token)
    if how == "reads" or (how == "writes" and not mine.wrote):
        ids = list(ids_in(found))
        audit.read(op, ids or _asked(args[1:]), count=_count(found), **_facts(named))
    return found


def store_of(owner: Any) -> Store:
    """The store of the memory that something belongs to."""
    own = vars(owner)
    found: Store = own.get("_store") or own["store"]
    return found


def _facts(named: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int) else str(value)
        for name in _FACTS
        if (value := named.get(name)) not in (None, False, "", 0)
    }


def _asked(args: tuple[Any, ...]) -> list[str]:
    """The id that a verb was given, where it was: of what form it is, not any text."""
    return [args[0]] if args and isinstance(args[0], str) and is_id(args[0]) else []


_KINDS = frozenset("fbstneqr")
_LONGEST_PART = 17


def is_id(text: str) -> bool:
    """Whether a text has the form of an id of ours, and so can hold nothing else."""
    kind, *parts = text.split("_", 3)
    if not text.isascii() or not 1 <= len(parts) <= 2 or len(max(parts, key=len)) > _LONGEST_PART:
        return False
    if kind == "pending":
        return all(map(str.isalnum, parts))
    return kind in _KINDS and all(map(str.isdecimal, parts))


def ids_in(found: Any, depth: int = 0) -> Iterator[str]:
    """The ids of memories, turns and notes in what a verb gave."""
    if depth > _DEEPEST or isinstance(found, str | bytes | int | float | None):
        return
    if isinstance(found, tuple) and hasattr(found, "_fields"):
        naming, holding = _fields_of(type(found))
        for name in naming:
            id = getattr(found, name)
            if isinstance(id, str) and is_id(id):
                yield id
        for name in holding:
            yield from ids_in(getattr(found, name), depth + 1)
    elif isinstance(found, list | tuple):
        for one in found:
            if isinstance(one, str) and is_id(one):
                yield one
            else:
                yield from ids_in(one, depth + 1)


_HOLDING = (
    "items",
    "record",
    "recall",
    "belief",
    "against",
    "facts",
    "beliefs",
    "summaries",
    "added",
    "edited",
    "archived",
    "unarchived",
    "learned",
    "changed",
    "before",
    "after",
    "ended",
    "reviews",
    "doubtful",
    "reminders",
    "turn",
    "memories",
    "said",
    "replaced",
    "replaced_by",
    "made_of",
    "made",
    "beside",
    "nodes",
)
"""Fields of our values in which others are."""


@cache
def _fields_of(kind: type[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a value that are ids, and those that hold others: a list may be long."""
    return (
        tuple(name for name in ("id", "ref") if hasattr(kind, name)),
        tuple(name for name in _HOLDING if hasattr(kind, name)),
    )


def _count(found: Any) -> int | None:
    items = getattr(found, "items", found)
    return len(items) if isinstance(items, list | tuple) and not hasattr(items, "_fields") else None
