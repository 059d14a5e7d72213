"""Arithmetic on vectors."""

from __future__ import annotations

import numpy as np
import pytest

from loxodon.store.vector_math import Floats, Signs, fit_frame, sign_bits, unit, usable
from tests.each import each


def made(count: int, size: int = 96, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    groups = rng.standard_normal((20, size))[rng.integers(0, 20, count)]
    found = groups + rng.standard_normal((count, size)) * 0.7 + 0.5
    return unit(found.astype(np.float32))[0]


def test_signs_find_nearly_all_of_the_closest() -> None:
    vectors = made(5_000)
    frame = fit_frame(vectors, len(vectors), [""] * len(vectors), [False] * len(vectors))
    signs, plain = Signs.of(range(5_000), vectors, frame.mean), frame.centred(vectors)
    kept = []
    for n in range(0, 200, 10):
        best = set(np.argsort(-(plain @ plain[n]))[:10].tolist())
        kept.append(len(best & set(signs.closest(signs.bits[:, n], 500))) / 10)
    assert np.mean(kept) > 0.97


def test_the_closest_are_those_with_the_least_distance_and_their_equals() -> None:
    vectors = np.array([[-1] * n + [1] * (8 - n) for n in (5, 1, 3, 3, 8)], np.float32)
    signs = Signs.of([1, 3, 5, 7, 9], vectors, np.zeros(8, np.float32))
    asked = sign_bits(np.ones((1, 8), np.float32), np.zeros(8, np.float32))[:, 0]
    assert signs.closest(asked, 1) == [3]
    assert signs.closest(asked, 2) == [3, 5, 7]
    assert signs.closest(asked, 100) == [1, 3, 5, 7, 9]
    assert signs.closest(asked, 1, [np.array([3]), np.array([5])]) == [7]
    assert signs.closest(asked, 100, [np.array([3])], [1, 2, 3, 9]) == [1, 9]
    assert signs.closest(asked, 100, (), []) == []
    assert Signs.joined([], 8).closest(asked, 3) == []


def test_a_vector_is_of_length_one_or_none_at_all() -> None:
    given = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e30, 0]], np.float32)
    vectors, good = unit(given)
    assert good == [True, False, False, False, True]
    assert vectors[0].tolist() == pytest.approx([0.6, 0.8])
    assert vectors[4].tolist() == [1.0, 0.0]


@each(
    "given",
    [None, "text", [], [[1.0], [1.0, 2.0]], [[]], [1.0, 2.0], [[["a"]]], {"a": 1}, [[None]]],
)
def test_what_is_no_matrix_is_not_usable(given: object) -> None:
    found = usable(given, 1)
    assert found is None or not unit(found)[1][0]


def test_the_wrong_number_of_vectors_is_not_usable() -> None:
    assert usable([[1.0, 2.0]], 2) is None
    assert usable([[1.0, 2.0]], 1) is not None


def test_what_is_typical_is_told_by_turns_where_there_are_any() -> None:
    turns = unit(np.random.default_rng(5).normal(size=(12, 64)).astype(np.float32))[0]
    both = np.concatenate([turns, turns])  # each has a memory that says the same
    said = ["en"] * 12
    alone, with_memories = (
        fit_frame(vectors, len(vectors), says, [False] * len(vectors))
        for vectors, says in ((turns, said), (both, said + [""] * 12))
    )
    assert with_memories.spread == pytest.approx(alone.spread, rel=0.1)
    assert fit_frame(both, 24, [""] * 24, [False] * 24).spread > 1.5 * alone.spread
