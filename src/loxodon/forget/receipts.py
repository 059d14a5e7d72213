"""Receipts of what was forgotten: who, when, how much of what, and where it still stands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from loxodon.messages import t
from loxodon.paging import Key, Slice
from loxodon.security.actor import actor
from loxodon.store.store import Store
from loxodon.types import FileProblem

MOST_FILES = 200  # places that a receipt names


class Receipt(NamedTuple):
    """What was forgotten, without a word of it."""

    id: str
    at: datetime
    by: str  # who did it: the surface, and the agent and caller where these are known
    what: str  # what was named: `ids`, `entity`, `session`, `since`, `all` or `space`
    erased: Mapping[str, int]  # how many went, by place: turns, memories, segments, transcripts, …
    # where the text remains; `what` is `changed`, `away`, `copy` or `backup`
    files: tuple[FileProblem, ...]
    names: tuple[str, ...] = ()  # of a preview: every name of the entity, which would go with it
    near: tuple[str, ...] = ()  # names that stay, and may be short forms of these: Lizzy, 笑笑
    doubtful: tuple[str, ...] = ()  # sentences that remain and may be about the entity


def new_receipt(what: str, now: datetime, erased: Mapping[str, int], *left: FileProblem) -> Receipt:
    by = " ".join(part for part in actor() if part)
    counts = {name: n for name, n in sorted(erased.items()) if n}
    return Receipt(f"r_{now:%Y%m%d}_{os.urandom(4).hex()}", now, by, what, counts, left)


def kept(store: Store, limit: int, after: Key | None) -> Slice[Receipt]:
    found, last = store.page("receipts", limit, after)
    made = (Receipt(*row) for row in found)
    return [it._replace(files=tuple(FileProblem(*one) for one in it.files)) for it in made], last


def counted(erased: Mapping[str, int]) -> str:
    """`turns 2, memories 1` in the reader's language."""
    return ", ".join(f"{t(name)} {n}" for name, n in erased.items()) or t("nothing")
