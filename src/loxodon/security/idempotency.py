"""A call that is repeated is done once: idempotency tokens.

Whoever sends a call and hears nothing back cannot know whether it was done. With a token of his own
choice he can send it again, as often as he likes, from any process: the first to arrive does it, in
the same transaction in which the token is put down, and all others get what that one got.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from loxodon.errors import InputError, NotFoundError, TokenReusedError
from loxodon.store import CompletedCall
from loxodon.store.store import Store
from loxodon.types import Record

MOST = 255
"""Characters of a token."""
_SIZE = 16
DAYS = 7  # for which a token is known


def request_of(token: str, verb: str, asked: Mapping[str, Any]) -> bytes:
    """The digest of a call: the same for the same, whatever order it is written in."""
    _check(token)
    plain = json.dumps(asked, sort_keys=True, default=str)
    said = "\xff".join((token, verb, plain))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()


def once(
    store: Store, token: str, request: bytes, now: datetime, do: Callable[[], Record]
) -> Record:
    """What `do` gives, or what it gave to the first call with this token in the last days (`DAYS`).

    Raises TokenReusedError where that call asked for something else. An empty token is none. A
    call that fails leaves no trace of its token.
    """
    if not token:
        return do()
    since = now - timedelta(days=DAYS)
    with store.writing():
        used = store.call_done(token, since)
        if used is None:
            record = do()
            store.put_call(token, CompletedCall(request, record.id, record.version), now, since)
            return record
        if used.request != request:
            raise TokenReusedError(
                "the token {token} was already used for a different call",
                hint="use a new token for each call",
                token=repr(token),
            )
        return _as_it_was(store, used)


def _as_it_was(store: Store, used: CompletedCall) -> Record:
    """The record that a call led to, though it may have changed since."""
    record = store.get(used.memory)
    if record is not None and record.version == used.version:
        return record
    for version in store.history(used.memory) if record else ():
        if version.record.id == used.memory and version.version == used.version:
            return version.record
    raise NotFoundError("no memory with the id {id}", id=repr(used.memory))


def _check(token: str) -> None:
    if not isinstance(token, str) or len(token) > MOST or not token.isprintable():
        raise InputError("a token has at most {most} visible characters", most=MOST)
