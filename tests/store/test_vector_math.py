"""Arithmetic on vectors."""

from __future__ import annotations

import numpy as np
import pytest

from loxodon.store.vector_math import Floats, Frame, Signs, fit_frame, sign_bits, unit, usable
from tests.each import each


def made(count: int, size: int = 96, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    groups = rng.standard_normal((20, size))[rng.integers(0, 20, count)]
    found = groups + rng.standard_normal((count, size)) * 0.7 + 0.5
    return unit(found.astype(np.float32))[0]


@each("size", [1, 63, 64, 65, 384, 512])
def test_a_distance_is_the_number_of_signs_that_differ(size: int) -> None:
    vectors = np.random.default_rng(0).standard_normal((50, size)).astype(np.float32)
    signs = Signs.of(range(50), vectors, np.zeros(size, np.float32))
    differing = ((vectors > 0) != (vectors[7] > 0)).sum(axis=1)
    assert signs.distances(signs.bits[:, 7]).tolist() == differing.tolist()
    for again in (Signs.from_bytes(*signs.to_bytes(), size), _in_parts(signs, size)):
        assert again is not None
        assert np.array_equal(again.rows, signs.rows)
        assert np.array_equal(again.bits, signs.bits)


def _in_parts(signs: Signs, size: int) -> Signs:
    return Signs.joined([signs.between(0, 20), signs.between(20, 99)], size)


def test_signs_find_nearly_all_of_the_closest() -> None:
    vectors = made(5_000)
    frame = fit_frame(vectors, len(vectors), (), ())
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


def test_the_mean_of_few_takes_little_away() -> None:
    one = np.array([[0.6, 0.8]], np.float32)
    assert np.linalg.norm(one[0] - fit_frame(one, 1, [""], [""]).mean) > 0.5
    many = made(2_000)
    frame = fit_frame(many, 2_000, (), ())
    assert np.allclose(frame.mean, many.mean(axis=0), atol=0.01)
    assert np.allclose(frame.typical, frame.centred(many).mean(axis=0), atol=0.01)
    assert 0.02 <= frame.spread < 0.5


def test_a_frame_is_stored_whole() -> None:
    frame = fit_frame(made(100), 100, ["en", ""] * 50, ["", "en"] * 50)
    assert frame.question_shift[0].any()
    assert not frame.question_shift[1].any()
    again = Frame.from_bytes(frame.to_bytes(), 96, frame.spread)
    assert again.to_bytes() == frame.to_bytes()
    assert not Frame.from_bytes(b"", 96, 1.0).mean.any()


def test_what_is_typical_is_told_by_turns_where_there_are_any() -> None:
    turns = unit(np.random.default_rng(5).normal(size=(12, 64)).astype(np.float32))[0]
    both = np.concatenate([turns, turns])  # each has a memory that says the same
    said = ["en"] * 12
    alone, with_memories = (
        fit_frame(vectors, len(vectors), [""] * len(vectors), says)
        for vectors, says in ((turns, said), (both, said + [""] * 12))
    )
    assert with_memories.spread == pytest.approx(alone.spread, rel=0.1)
    assert fit_frame(both, 24, [""] * 24, [""] * 24).spread > 1.5 * alone.spread
