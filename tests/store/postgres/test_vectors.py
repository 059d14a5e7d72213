"""Vectors in PostgreSQL as an earlier version stored them."""

from __future__ import annotations

import pytest

from loxodon.store.driver import migrations as files_of
from loxodon.store.postgres import migrations
from loxodon.store.postgres.pool import Half, connect
from tests.store.contracts.vectors import MODEL, SIZE, kept, rows_of, some
from tests.store.postgres.server import OWNER, Server
from tests.store.postgres.test_store import opened


@pytest.mark.usefixtures("postgres_url")
@pytest.mark.parametrize("login", [OWNER, "postgres"])
def test_a_database_of_the_version_before_keeps_its_vectors(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    name = f"unsigned_{login}"
    postgres.ask(f"CREATE DATABASE {name} OWNER {OWNER}")
    postgres.ask("CREATE EXTENSION vector", name)
    url = postgres.url(name, login)
    made = [one for one in files_of("postgres") if not one.endswith("0105_vector_signs.sql")]
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "migrations", lambda backend: made)
        opened(url).close()
    migrations._done.clear()
    with connect(url) as connection:
        connection.execute("BEGIN; SET LOCAL loxodon.space = '1'")
        connection.execute(
            "INSERT INTO loxodon.vector_models (name, size, turns_to, memories_to, sampled, frame, "
            f"spread, error) VALUES ('{MODEL}', {SIZE}, 1100, 0, 1100, '', 0.1, '')"
        )
        for n, vector in enumerate(some(1_100)):
            pool, row, hash, half = kept("turns", n + 1, vector)
            connection.execute(
                "INSERT INTO loxodon.vectors (model, pool, row, hash, half) "
                "VALUES (1, $1, $2, $3, $4)",
                [pool, row, hash, Half(half)],
            )
        connection.execute("COMMIT")
        connection.execute(
            "CREATE INDEX nearest_1_1_turns ON loxodon.vectors USING hnsw "
            f"((half::halfvec({SIZE})) halfvec_cosine_ops) WHERE space_id = 1"
        )
    store = opened(url)
    for n in (3, 1_050):
        assert rows_of(store, "turns", some(1_100)[n], 1) == [n + 1]
    assert postgres.ask("SELECT 1 FROM pg_indexes WHERE indexname LIKE 'nearest%'", name) == []
    store.close()
