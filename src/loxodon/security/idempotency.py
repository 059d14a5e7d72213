"""A call that is repeated is done once: whoever hears nothing back sends it again with its token.

The first to arrive does it, in the transaction in which the token is put down; all others get what
that one got.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from loxodon.errors import InputError, TokenReusedError, no_memory
from loxodon.store.store import Store
from loxodon.types import Record

_LONGEST = 255
_DAYS = 7  # for which a token is known


def digest_of(token: str, verb: str, arguments: Mapping[str, Any]) -> bytes:
    """The digest of a call: the same for the same, whatever order it is written in."""
    if not isinstance(token, str) or len(token) > _LONGEST or not token.isprintable():
        raise InputError("a token has at most {most} visible characters", most=_LONGEST)
    said = "\xff".join((token, verb, json.dumps(arguments, sort_keys=True, default=str)))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def done_once(
    store: Store, token: str, digest: bytes, now: datetime, do: Callable[[], Record]
) -> Record:
    """What `do` gives, or what it gave to the first call with this token in the last days."""
    since = now - timedelta(days=_DAYS)
    with store.writing():
        for request, memory, version in store.query("call_done", token, since):
            if request != digest:
                raise TokenReusedError(
                    "the token {token} was already used for a different call",
                    hint="use a new token for each call",
                    token=repr(token),
                )
            for one in store.history(memory):  # as it was, though it may have changed since
                if (one.record.id, one.version) == (memory, version):
                    return one.record
            raise no_memory(memory)
        record = do()
        store.execute("drop_old_calls", since)
        store.execute("put_call", token, digest, record.version, now, record.id)
        return record
