"""Statements made by hand, and memories that come of them, for the tests of keeping the store."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import count
from typing import Any

from loxodon import Memory
from loxodon.language.statements import Statement
from loxodon.store.store import Store
from loxodon.text.language import language_of
from loxodon.types import Record, Source, Turn
from loxodon.write import themes
from loxodon.write.extract import Candidate, candidate_of
from loxodon.write.keep import Keeper, record_of
from tests.clock import NOW

_turn = count(1)
_id = count(1)


def said(
    content: str,
    attribute: str = "",
    value: str = "",
    *,
    days: float = 0,
    importance: float = 0.8,
    at: datetime | None = None,
    **fields: Any,
) -> Candidate:
    """A statement that was made `days` ago, or at `at`."""
    statement = Statement(content, attribute=attribute, value=value, **fields)
    at = at or NOW - timedelta(days=days)
    return candidate_of(statement, language_of(content), importance, at)


def known(candidate: Candidate, **fields: Any) -> Record:
    """The memory that a statement of an earlier turn has become."""
    n = next(_turn)
    turn = Turn("before", f"m{n}", "user", "", candidate.said_at)
    record = record_of(candidate, turn, candidate.said_at)
    given = {"id": f"{record.kind[0]}_{next(_id):04}", "space": "main", **fields}
    return record._replace(sources=(Source("before", f"m{n}"),))._replace(**given)


def store_of(memory: Memory) -> Store:
    return memory._store


def learn(memory: Memory, content: str, **fields: Any) -> Record:
    """A memory in the topic `diet` that nobody wrote by hand."""
    store, at = store_of(memory), memory.now()
    with store.writing():
        record = Record("", "", "fact", content, at, at, 0.5, topic="diet")
        return store.insert(record._replace(**fields), "learned")


def tell(memory: Memory, *candidates: Candidate, session: str = "talk", **turn: Any) -> Keeper:
    """Take statements in, each in a turn of its own, as phase 4 does."""
    store = store_of(memory)
    keeper = Keeper(store, memory.now())
    for candidate in candidates:
        at, id = candidate.said_at, f"m{next(_turn)}"
        heard = {"role": "user", "content": candidate.statement.content, "id": id, **turn}
        memory.add([{**heard, "at": at.isoformat()}], session=session)
        (one,) = [one for one in memory.journal(session=session) if one.id == id]
        with store.writing():
            keeper.take(candidate, one)
    with store.writing():
        themes.renew(store, list(keeper.changed.values()), memory.now())
    return keeper


def contents(memory: Memory, **where: Any) -> list[str]:
    """What is known, oldest first."""
    return [one.content for one in reversed(memory.list(**where))]


def one_about(memory: Memory, word: str, **where: Any) -> Record:
    """The only memory that has a word."""
    (found,) = [one for one in memory.list(**where) if word in one.content]
    return found
