"""Receipts of what was forgotten: who, when, how much of what, and where it still stands."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from loxodon.clock import to_stored
from loxodon.config import Config
from loxodon.messages import t
from loxodon.paging import Key, Slice
from loxodon.security.actor import actor
from loxodon.store import StoredReceipt
from loxodon.store.rows import loaded, moment
from loxodon.store.store import Store
from loxodon.types import FileProblem


class NearName(NamedTuple):
    """A name that is much like one that is to be forgotten, and stays unless it is chosen."""

    name: str
    turns: int  # how many have it


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
    near: tuple[NearName, ...] = ()  # names that stay, and may be short forms of these: Lizzy, 笑笑
    doubtful: tuple[str, ...] = ()  # sentences that remain and may be about the entity


MOST_FILES = 200  # places that a receipt names


def new_receipt(what: str, now: datetime, erased: Mapping[str, int], *left: FileProblem) -> Receipt:
    """A receipt of whoever acts now."""
    by = " ".join(part for part in actor() if part)
    counts = {name: n for name, n in sorted(erased.items()) if n}
    return Receipt(f"r_{now:%Y%m%d}_{os.urandom(4).hex()}", now, by, what, counts, left)


def keep(store: Store, receipt: Receipt) -> None:
    places = json.dumps([one[:3] for one in receipt.files], ensure_ascii=False)
    at, erased = to_stored(receipt.at)[0], json.dumps(receipt.erased)
    row = StoredReceipt(receipt.id, at, receipt.by, receipt.what, erased, places)
    store.execute_many("put_receipt", [row])


def read(row: Sequence[Any], zone: tzinfo | None) -> Receipt:
    """A receipt as a row of the database has it, or a line of HOME/deleted.jsonl."""
    id, at, by, what, erased, places = row
    files = tuple(FileProblem(*one) for one in places)
    return Receipt(id, moment(at, zone), by, what, erased, files)


def kept(store: Store, now: datetime, limit: int, after: Key | None) -> Slice[Receipt]:
    """What was forgotten when, the newest first."""
    rows, last = store.page("receipts", limit, after)
    return [read((*row[:4], *map(loaded, row[4:])), now.tzinfo) for row in rows], last


def backups(home: str, config: Config, what: str = "") -> list[FileProblem]:
    """The backups in the folder for them, whatever is in them."""
    from loxodon.backup.create import SUFFIX, folder_of  # not for a command that only counts

    folder = folder_of(home, config)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
    return [FileProblem(path, 0, what) for path in paths[:MOST_FILES]]


def counted(erased: Mapping[str, int]) -> str:
    """`turns 2, memories 1` in the reader's language."""
    return ", ".join(f"{t(name)} {n}" for name, n in erased.items()) or t("nothing")
