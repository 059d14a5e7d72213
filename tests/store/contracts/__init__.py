"""What a part of the contract stands on: the store that is opened, and things to put there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.text.words import query_words
from loxodon.types import Record, Turn
from tests.clock import NOW

OpenStore = Callable[[str], Store]
DAY = timedelta(days=1)


def turn(content: str, session: str = "s", id: str = "", at: datetime = NOW, **more: Any) -> Turn:
    return Turn(session, id, more.pop("role", "user"), content, at, **more)


def record(content: str, **more: Any) -> Record:
    values: dict[str, Any] = {
        "id": "",
        "space": "",
        "kind": "fact",
        "created_at": NOW,
        "updated_at": NOW,
        "strength": 0.5,
    }
    return Record(content=content, **values | more)


def key(text: str) -> bytes:
    return text.encode().ljust(16, b".")[:16]


def quiet(done: int, total: int) -> None:
    """No progress to report to."""


def contents(found: Iterable[Any]) -> list[str]:
    return [one.content for one in found]


class Contract:
    """Whoever inherits gives `open_store`: it opens the store of a space, the same each time."""

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[Store]:
        opened = open_store("main")
        yield opened
        opened.close()

    def put(self, store: Store, *turns: Turn) -> list[Turn | None]:
        with store.writing():
            kept = store.append([(one, key(f"{one.session}/{one.content}")) for one in turns])
        return [one if isinstance(one, Turn) else None for one in kept]

    def keep(self, store: Store, *records: Record) -> list[Record]:
        with store.writing():
            return [store.insert(one, "captured") for one in records]

    def update(
        self, store: Store, id: str, change: str = "edited", at: datetime = NOW, **values: Any
    ) -> Record:
        with store.writing():
            return store.update(id, None, change, at, values)

    def found(self, store: Store, query: str, index: Any = "memories", **where: Any) -> list[int]:
        return [h.row for h in store.search(index, query_words(query), Filter(**where), 10)]

    def contents(self, store: Store, query: str, **where: Any) -> list[str]:
        rows = self.found(store, query, **where)
        kept = store.records(rows)
        return [kept[row].content for row in rows]

    def sound(self, store: Store) -> bool:
        return list(store.check(quiet)) == []
