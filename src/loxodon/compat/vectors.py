"""Vectors that an embedder of the caller makes: as they are kept, and how near they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from operator import mul
from struct import pack, unpack
from typing import Any

from loxodon.errors import CallError

Vector = Sequence[float]
# Numbers of 32 bits that are kept as a whole one of 64: those are read fast, and text would be
# taken for a secret
_PACKED = 2


def kept(vector: Vector, size: int) -> list[int]:
    """A vector as it is kept, of length 1; a CallError for one of another size than declared."""
    if size and len(vector) != size:
        raise CallError(
            "the embedder made a vector of {size} numbers, but `dims` is {dims}",
            hint="set `dims` to the size of the embedder's vectors",
            size=len(vector),
            dims=size,
        )
    numbers = _of_length_1(vector)
    return list(unpack(f"<{len(numbers) // _PACKED}q", pack(f"<{len(numbers)}f", *numbers)))


def nearness(question: Vector, documents: Sequence[Mapping[str, Any]]) -> list[float | None]:
    """For each document, given as its texts with their vectors, the best of their cosines with a
    question; None for one without a vector of the same size."""
    asked = _of_length_1(question)
    owners, made = list[int](), list[list[int]]()
    for n, texts in enumerate(documents):
        for vector in texts.values():
            if isinstance(vector, list) and len(vector) * _PACKED == len(asked):
                owners.append(n)
                made.append(vector)
    best: list[float | None] = [None] * len(documents)
    for n, score in zip(owners, _products(asked, made), strict=True):
        before = best[n]
        best[n] = score if before is None else max(before, score)
    return best


def _of_length_1(vector: Vector) -> list[float]:
    """A vector that points the same way, filled up to an even size."""
    length = math.sqrt(sum(one * one for one in vector)) or 1.0
    return [float(one) / length for one in vector] + [0.0] * (-len(vector) % _PACKED)


def _products(asked: Vector, made: Sequence[Sequence[int]]) -> list[float]:
    if made and find_spec("numpy"):
        import numpy as np

        found: list[float] = (np.array(made, "<i8").view("<f4") @ np.array(asked, "<f4")).tolist()
        return found
    packed, numbers = f"<{len(asked) // _PACKED}q", f"<{len(asked)}f"
    rows = (unpack(numbers, pack(packed, *one)) for one in made)
    return [sum(map(mul, one, asked)) for one in rows]
