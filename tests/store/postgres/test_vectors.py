"""Vectors in PostgreSQL: an index of its own for a large pool."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon.store import Filter, QuestionVector
from loxodon.store.postgres import vectors
from tests.clock import NOW
from tests.store.contracts.vectors import MODEL, fill, some, talk
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
