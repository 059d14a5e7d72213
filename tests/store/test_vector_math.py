"""Comparing vectors: by signs first, then exactly."""

from __future__ import annotations

import numpy as np
import pytest

from loxodon.store.vector_math import (
    FAR,
    closest,
    distances,
    fit_frame,
    Frame,
    sign_bits,
    to_bytes,
    unit,
    usable,
)
from tests.each import each


def made(count: int, size: int = 96, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    groups = rng.standard_normal((20, size))[rng.integers(0, 20, count)]
    found = groups + rng.standard_normal((count, size)) * 0.7 + 0.5
    return unit(found.astype(np.float32))[0]


@each("size", [1, 63, 64, 65, 384, 512])
def test_a_distance_is_the_number_of_signs_that_differ(size: int) -> None:
    vectors = np.random.default_rng(0).standard_normal((50, size)).astype(np.float32)
    mean = np.zeros(size, np.float32)
    bits = sign_bits(vectors, mean)
    found = distances(bits, bits[:, 7])
    assert found.tolist() == ((vectors > 0) != (vectors[7] > 0)).sum(axis=1).tolist()


def test_signs_find_nearly_all_of_the_closest() -> None:
    vectors = made(5_000)
    frame = frame_of(vectors, len(vectors), (), ())
    bits, plain = sign_bits(vectors, frame.mean), frame.seen(vectors)
    kept = []
    for n in range(0, 200, 10):
        best = set(np.argsort(-(plain @ plain[n]))[:10].tolist())
        found = set(closest(distances(bits, bits[:, n]), 500).tolist())
        kept.append(len(best & found) / 10)
    assert np.mean(kept) > 0.97


def test_the_closest_are_those_with_the_least_distance_and_their_equals() -> None:
    found = np.array([5, 1, 3, FAR, 3, 9, FAR], np.uint16)
    assert closest(found, 1).tolist() == [1]
    assert closest(found, 2).tolist() == [1, 2, 4]
    assert closest(found, 100).tolist() == [0, 1, 2, 4, 5]
    assert closest(np.array([FAR, FAR], np.uint16), 3).tolist() == []
    assert closest(np.zeros(0, np.uint16), 3).tolist() == []


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
    assert np.linalg.norm(one[0] - frame_of(one, 1, [""], [""]).mean) > 0.5
    many = made(2_000)
    frame = frame_of(many, 2_000, (), ())
    assert np.allclose(frame.mean, many.mean(axis=0), atol=0.01)
    assert np.allclose(frame.usual, frame.seen(many).mean(axis=0))
    assert 0.02 <= frame.spread < 0.5


def test_a_frame_is_kept_whole() -> None:
    vectors = made(100)
    frame = frame_of(vectors, 100, ["en", ""] * 50, ["", "en"] * 50)
    assert frame.asking[0].any()
    assert not frame.asking[1].any()
    again = from_bytes(to_bytes(frame), 96, frame.spread)
    assert np.array_equal(
        [frame.mean, frame.usual, *frame.asking], [again.mean, again.usual, *again.asking]
    )
    assert not from_bytes(b"", 96, 1.0).mean.any()


def test_what_is_usual_is_told_by_turns_where_there_are_any() -> None:
    turns = unit(np.random.default_rng(5).normal(size=(12, 64)).astype(np.float32))[0]
    both = np.concatenate([turns, turns])  # each has a memory that says the same
    said = ["en"] * 12
    alone, with_memories = (
        frame_of(vectors, len(vectors), [""] * len(vectors), says)
        for vectors, says in ((turns, said), (both, said + [""] * 12))
    )
    assert with_memories.spread == pytest.approx(alone.spread, rel=0.1)
    assert frame_of(both, 24, [""] * 24, [""] * 24).spread > 1.5 * alone.spread
