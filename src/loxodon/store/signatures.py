"""Signatures of sensitive memories: whoever changes one behind our back cannot sign for it.

Each version of a memory that is sensitive, or was before it, is signed as it stood: what it says,
what it is about, whom it may be told, where it came from. Left out is what may change without
anybody having said something else: strength, uses, and references to memories that were forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from loxodon.store.driver import Driver, these
from loxodon.store.rows import COLUMNS, loaded

Sign = Callable[[bytes], bytes]

LOW = "low"
_SIZE = 16
_FIELDS = (
    "id kind content created_at agent audience subject attribute value category project topic tags "
    "entities importance confidence sensitivity trust state valid_from valid_until expires_at "
    "due_at done version positive"
)
SIGNED = tuple(_FIELDS.split())
_LACKED = {"positive": 1}  # what the history of older versions lacks, and what held then


class SignedVersion(NamedTuple):
    """A version of a memory that is signed, or should be."""

    id: str
    version: int
    said: bytes  # what the signature is of
    mac: bytes | None


def put(db: Driver, row: int) -> None:
    """Sign the present version of a memory. Call within the transaction that made it."""
    if db.sign is not None:
        *_, last = _versions(db, row)
        _put(db, db.sign, row, last)


def renew(db: Driver, row: int, missing: bool = False) -> None:
    """Sign anew what is signed of a memory, after a part of its history was taken out.

    With `missing` also what should be signed and is not.
    """
    if db.sign is not None:
        for one in list(_versions(db, row)):
            if one.mac is not None or (missing and _is_sensitive(one)):
                _put(db, db.sign, row, one)


def drop(db: Driver, rows: Iterable[int]) -> None:
    """Take away the signatures of memories that are forgotten."""
    db.run("drop_signatures", (these(rows),))


def _put(db: Driver, sign: Sign, row: int, one: SignedVersion) -> None:
    db.run("put_signature", (row, one.version, sign(one.said)[:_SIZE]))


def wrong(db: Driver, sign: Sign) -> tuple[int, list[str]]:
    """How many signatures hold, and the ids of memories of which one does not or is missing."""
    good, bad = 0, []
    for (row,) in db.all("signed_memories", (LOW,)):
        for one in _versions(db, row):
            if one.mac is not None and one.mac == sign(one.said)[:_SIZE]:
                good += 1
            elif one.mac is not None or _is_sensitive(one):
                bad.append(one.id)
    return good, list(dict.fromkeys(bad))


def _is_sensitive(one: SignedVersion) -> bool:
    return bool(loaded(one.said)[1 + SIGNED.index("sensitivity")] != LOW)


def _versions(db: Driver, row: int) -> Iterator[SignedVersion]:
    """The versions of a memory, oldest first, each as it stood when the next was made."""
    changes = db.all("signed_changes", (row,))
    present = db.all("memory_itself", (row,))[0]
    stood: list[dict[str, Any]] = [loaded(before) for *_, before in changes[1:]]
    stood.append(dict(zip(COLUMNS, present, strict=True)))
    for (version, change, at, mac, _), kept in zip(changes, stood, strict=True):
        said = [[version, change, at], *(_plain(kept, name) for name in SIGNED)]
        data = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        yield SignedVersion(str(present[0]), version, data.encode("utf-8", "surrogatepass"), mac)


def _plain(kept: dict[str, Any], name: str) -> Any:
    return kept.get(name, _LACKED.get(name, ""))
