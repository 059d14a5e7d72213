"""Vectors of a caller's embedder: kept as text, and compared."""

from __future__ import annotations

import random
from typing import Any

import pytest

from loxodon.compat import vectors
from loxodon.errors import CallError


@pytest.mark.parametrize("numpy", [True, False])
def test_the_nearest_of_several_texts_counts(monkeypatch: pytest.MonkeyPatch, numpy: bool) -> None:
    if not numpy:
        monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    made = {"x": [2, 0, 0], "y": [0, 5, 0], "xy": [1, 1, 0], "o": [0, 0, 0]}
    kept: dict[str, Any] = {name: vectors.kept(one, 3) for name, one in made.items()}
    other = vectors.kept([1] * 9, 0)
    documents = [kept, {"y": kept["y"]}, {"xy": kept["xy"], "y": kept["y"]}, {}]
    documents += [{"o": kept["o"]}, {"of another size": other}, {"no vector": "7"}]
    assert vectors.nearness([3, 0, 0], documents) == pytest.approx(
        [1.0, 0.0, 0.5**0.5, None, 0.0, None, None], abs=1e-6
    )
    assert vectors.nearness([1, 0, 0], []) == []


def test_both_ways_to_compare_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    made = [[rng.gauss() for _ in range(40)] for _ in range(30)]
    documents = [{"": vectors.kept(one, 40)} for one in made[1:]]
    fast = vectors.nearness(made[0], documents)
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    assert vectors.nearness(made[0], documents) == pytest.approx(fast, abs=1e-6)


def test_a_vector_of_another_size_is_refused() -> None:
    with pytest.raises(CallError, match="`dims` is 3"):
        vectors.kept([1.0, 2.0], 3)
