"""Arithmetic on vectors."""

from __future__ import annotations

import numpy as np
import pytest

from loxodon.store.vector_math import Floats, Signs, fit_frame, unit


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


def test_a_vector_is_of_length_one_or_none_at_all() -> None:
    given = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e30, 0]], np.float32)
    vectors, good = unit(given)
    assert good == [True, False, False, False, True]
    assert vectors[0].tolist() == pytest.approx([0.6, 0.8])
    assert vectors[4].tolist() == [1.0, 0.0]
