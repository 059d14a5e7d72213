"""Vectors that an embedder of the caller makes: as they are kept, and how near they are."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from struct import pack, unpack
from typing import Any

from loxodon.errors import CallError

Vector = Sequence[float]


def kept(vector: Vector, size: int) -> str:
    """A vector of length 1 as text; a CallError for one of another size than was declared."""
    if size and len(vector) != size:
        raise CallError(
            "the embedder made a vector of {size} numbers, but `dims` is {dims}",
            hint="set `dims` to the size of the embedder's vectors",
            size=len(vector),
            dims=size,
        )
    return b64encode(pack(f"<{len(vector)}f", *_of_length_1(vector))).decode()


def nearness(question: Vector, texts: Sequence[Mapping[str, Any]]) -> list[float | None]:
    """For each of the documents, given as its texts with their vectors, the best of their cosines
    with a question; None for one that has no vector of the same size."""
    size, owners, data = len(question), list[int](), list[bytes]()
    for n, one in enumerate(texts):
        for vector in map(_loaded, one.values()):
            if len(vector) == 4 * size:
                owners.append(n)
                data.append(vector)
    best: list[float | None] = [None] * len(texts)
    for n, score in zip(owners, _products(_of_length_1(question), data), strict=True):
        before = best[n]
        best[n] = score if before is None else max(before, score)
    return best


def _loaded(text: Any) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (ValueError, TypeError):  # somebody else wrote it
        return b""


def _of_length_1(vector: Vector) -> list[float]:
    length = math.sqrt(sum(one * one for one in vector)) or 1.0
    return [one / length for one in vector]


def _products(question: Vector, data: Sequence[bytes]) -> list[float]:
    if data and find_spec("numpy"):  # 30 times as fast
        import numpy as np

        rows = np.frombuffer(b"".join(data), "<f4").reshape(len(data), -1)
        found: list[float] = (rows @ np.asarray(question, "<f4")).tolist()
        return found
    form = f"<{len(question)}f"
    return [sum(a * b for a, b in zip(unpack(form, one), question, strict=True)) for one in data]
