"""Vectors in PostgreSQL: an index of its own for a large pool, as long as there is that pool."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import files
from loxodon.filelock import lock_on
from loxodon.store import Filter, QuestionVector, Vector
from loxodon.store.postgres import nearest, vectors
from loxodon.store.postgres.files import share
from loxodon.store.postgres.store import PostgresStore
from tests.clock import NOW
from tests.store.contracts.vectors import MODEL, fill, some, talk
from tests.store.postgres.server import Server
from tests.store.postgres.test_store import opened


def test_a_large_pool_has_an_index_of_its_own(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "NEAREST_FROM", 500)
    store, small = opened(postgres_url), opened(postgres_url, "small")
    given = some(700)
    for one in (store, small):
        talk(one, 700)
        with one.writing():
            one.vectors.begin(MODEL)
    fill(store, given)
    fill(small, given[:9])
    asked = [QuestionVector(MODEL, given[n]) for n in range(0, 700, 35)]
    exact = [store.vectors.similar("turns", [one], 10) for one in asked]
    for one in (store, small):
        with one.writing():
            one.vectors.stop(MODEL, "")
    with store.reading(), small.reading():
        models = [one.vectors._known_model(MODEL) for one in (store, small)]
        assert store.vectors._is_indexed(models[0], "turns")
        assert not small.vectors._is_indexed(models[1], "turns")
    found = [store.vectors.similar("turns", [one], 10) for one in asked]
    same = sum(len({*a} & {*b}) for a, b in zip(exact, found, strict=True))
    assert same >= 0.95 * 10 * len(asked)
    late = Filter(since=NOW + timedelta(hours=690))
    assert {near.row for near in store.vectors.similar("turns", asked[:1], 5, late)} <= {
        *range(691, 701)
    }
    assert len(store.vectors.similar("turns", asked[:1], 5, late)) == 5
    assert len(small.vectors.similar("turns", asked[:1], 20)) == 9
    store.close()
    small.close()


def indexed(url: str, space: str) -> PostgresStore:
    """A store whose turns have an index of their vectors."""
    store = opened(url, space)
    talk(store, 5)
    with store.writing():
        store.vectors.begin(MODEL)
    fill(store, some(5))
    with store.writing():
        store.vectors.stop(MODEL, "")
    return store


def test_an_index_goes_with_its_space_and_with_its_model(
    postgres: Server, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "NEAREST_FROM", 5)
    ada, bob, eve = (indexed(postgres_url, name) for name in ("ada", "bob", "eve"))

    def left() -> list[object]:
        sql = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'nearest%' ORDER BY 1"
        return [name for (name,) in postgres.ask(sql, postgres_url.rpartition("/")[2])]

    names = [nearest.name(one._db.id, 1, "turns") for one in (ada, bob, eve)]
    assert left() == names
    there = files.shared(share(postgres_url))
    assert there is not None
    there[0].drop_space("ada")
    assert left() == names[1:]

    # In the one step in which all of a space is deleted; what a killed run has left goes, too.
    monkeypatch.setattr(nearest, "sweep", lambda url, space: None)
    there[0].drop_space("bob")
    assert left() == names[1:]
    monkeypatch.undo()
    monkeypatch.setattr(vectors, "NEAREST_FROM", 5)
    nina = indexed(postgres_url, "nina")
    lock = lock_on(f"{share(postgres_url)}/deleting", brief=True)
    assert lock.acquire(10)
    there[0].drop_space("nina")
    lock.close()
    assert left() == names[2:]

    # Of a model that is used no more; the next one may have vectors of another size.
    monkeypatch.setattr(nearest, "sweep", lambda url, space: None)
    with eve.writing():
        eve.vectors.keep_only([])
    assert left() == names[2:]
    monkeypatch.undo()
    with eve.writing():
        eve.vectors.begin("wider")
        eve.vectors.put("wider", [Vector("turns", 1, b"h", bytes(2 * 99))])
        eve.vectors.begin(MODEL)
    assert eve.vectors.size("wider") == 99
    with eve.writing():
        eve.vectors.keep_only(["wider"])
    assert left() == []
    for store in (ada, bob, eve, nina):
        store.close()
