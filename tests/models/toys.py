"""Embedders for tests: one that is good enough to find things by, and some that go wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from zlib import crc32

SIZE = 64


def vector_of(text: str, size: int = SIZE) -> list[float]:
    """Texts that share letters side by side are close."""
    found = [0.0] * size
    for pair in pairwise(text):
        found[crc32("".join(pair).lower().encode()) % size] += 1
    found[0] += 0.01
    return found


class Toy:
    """An embedder that keeps what it was given, and does what it is told with certain texts."""

    def __init__(self, name: str = "toy", size: int = SIZE) -> None:
        self.name = name
        self.size = size
        self.batches: list[list[str]] = []
        self.instead: Callable[[Sequence[str]], object] | None = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.batches.append(list(texts))
        if self.instead is not None:
            return self.instead(texts)  # type: ignore[return-value]
        return [vector_of(text, self.size) for text in texts]

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


def raising(error: Exception) -> Callable[[Sequence[str]], object]:
    def instead(texts: Sequence[str]) -> object:
        raise error

    return instead
