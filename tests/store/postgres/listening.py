"""Every statement that stores send to PostgreSQL meanwhile, but for what begins a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from loxodon.store.postgres.database import PostgresDatabase


@contextmanager
def listening() -> Iterator[list[str]]:
    """The list that the statements are put into, as PostgreSQL gets them."""
    found: list[str] = []
    made = PostgresDatabase._cursor

    def cursor(self: PostgresDatabase) -> Any:
        one: Any = made(self)
        for name in ("execute", "executemany"):
            setattr(one, name, _noting(getattr(one, name), found))
        return one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresDatabase, "_cursor", cursor)
        yield found


def _noting(send: Callable[..., Any], found: list[str]) -> Callable[..., Any]:
    def noted(sql: str, *values: Any) -> Any:
        found.append(sql)
        return send(sql, *values)

    return noted
