"""Vectors: the part of a store that finds texts by what they mean.

They exist where an embedder is set. `SqliteVectors` keeps them; `Vectors` is what is promised. The
pools are those of the full-text indexes. Every text has at most one vector of a model, and a model
is known by its name: vectors of different models are never compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from loxodon.store import Filter, Index
from loxodon.types import Coverage

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats

BLOCK = 1_024
"""Vectors that are kept together; the file depends on it."""

Embeddable = Literal["memories", "turns", "chunks"]
"""What is embedded: memories, active or archived, turns, and chunks of files."""


class View(NamedTuple):
    """A question as one model sees it."""

    model: str
    vector: Floats
    asks: str = ""
    """The language that it is asked in; empty where it is no question, only words."""


class Near(NamedTuple):
    """A row whose text is close in meaning to a question."""

    row: int
    cosine: float
    """Of what is left of both vectors without what all texts have in common."""
    score: float
    """How much larger that is than the question's cosine with any text, by how much cosines differ:
    0 is no closer than the rest, 3 clearly. Scores of different models can be compared."""


class Waiting(NamedTuple):
    """A text that has to be embedded."""

    kind: Embeddable
    row: int


class Vector(NamedTuple):
    """A text's vector, to be kept."""

    pool: Index
    row: int
    hash: bytes
    """SHA-256 of the text that was embedded."""
    half: bytes
    """The vector, of length 1, as float16."""


class Vectors(Protocol):
    """The vectors of one space. Whatever writes is called inside `Store.writing`."""

    # What a recall asks

    def similar(
        self, pool: Index, views: Sequence[View], limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first, ties to the newer.

        A row is judged by the first of `views` whose model has embedded it.
        """
        ...

    def similarities(
        self, pool: Index, views: Sequence[View], rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are, as `Near.score`, those that have a vector."""
        ...

    # What embedding needs

    def begin(self, model: str) -> None:
        """Take note of a model. One that is known goes on where it was."""
        ...

    def size(self, model: str) -> int:
        """How many numbers its vectors have; 0 while there are none."""
        ...

    def failed(self, model: str, tries: int) -> list[Waiting]:
        """What the model has come past and is to do (again), unless it failed `tries` times."""
        ...

    def next(self, model: str, kind: Embeddable, limit: int) -> list[int]:
        """The next rows that the model has not come to yet, in order."""
        ...

    def known(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors there are of texts, by their hash."""
        ...

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        """Keep vectors, in the place of those that the same rows had."""
        ...

    def fail(self, model: str, failures: Mapping[Waiting, str]) -> None:
        """Note on which texts the model failed, and why."""
        ...

    def settle(self, model: str, done: Iterable[Waiting]) -> None:
        """These texts need nothing more of the model."""
        ...

    def advance(self, model: str, kind: Embeddable, upto: int) -> None:
        """Every row up to `upto` was taken up."""
        ...

    def stop(self, model: str, error: str) -> None:
        """Note why a run could not go on; empty once one did."""
        ...

    def keep_only(self, models: Iterable[str]) -> None:
        """Let go of the vectors of all other models."""
        ...

    def coverage(self, model: str) -> Coverage:
        """How far a model has come."""
        ...

    # What becomes of rows

    def changed(self, row: int) -> None:
        """A memory says something else: its vectors go, and it has to be embedded again."""
        ...

    def retold(self, turns: Iterable[int]) -> None:
        """What is told of these turns is something else: their vectors go, and they wait anew."""
        ...

    def moved(self, row: int, pool: Index) -> None:
        """A memory has come to another pool; its vectors go along."""
        ...

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        """These are no more, or have other words: their vectors go."""
        ...
