"""Vectors of texts, for search by meaning: what is embedded, what is next, and what changed.

This module works without numpy, so that changing a memory does not load it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from loxodon.store import Embeddable, Filter, Index, Near, QuestionVector, TextToEmbed, Vector
from loxodon.store.database import Database
from loxodon.store.search import these
from loxodon.types import Coverage

if TYPE_CHECKING:
    from loxodon.store.vector_search import VectorSearch

BLOCK = 1_024  # rows whose signs are stored together; the SQL has it too
SETTLED = 32_768  # vectors from which on their mean hardly changes
_POOLS: Mapping[str, tuple[str, str]] = {
    "turns": ("turns", "turns"),
    "chunks": ("chunks", "chunks"),
    "memories": ("memories", "archive"),
    "archive": ("memories", "archive"),
}
"""The pools in which the vector of a text may be, by its kind or its pool."""


@dataclass(frozen=True)
class Model:
    """An embedding model, and how far it has come."""

    no: int
    size: int
    turns_to: int
    memories_to: int
    chunks_to: int
    sampled: int
    error: str
    frame: bytes
    spread: float


class Vectors:
    """Search by meaning, if an embedder is set.

    The pools are those of the full-text indexes. A text has at most one vector per model. A model
    is identified by its name; vectors of different models are never compared.
    """

    tables = ("vector_todo", "vector_signs", "vectors", "vector_models")

    def __init__(self, db: Database) -> None:
        self._db = db

    @cached_property
    def _search(self) -> VectorSearch:
        from loxodon.store.vector_search import VectorSearch

        return VectorSearch(self._db)

    # Recall

    def similar(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first; ties go to the newer.

        A row is compared with the first of `views` whose model has embedded it.
        """
        with self._db.reading():
            return self._search.similar(pool, views, max(0, limit), where or Filter())

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are (`Near.score`), if they have a vector."""
        with self._db.reading():
            return self._search.similarities(pool, views, rows)

    # Embedding

    def begin(self, model: str) -> None:
        """Register a model. A known one continues where it stopped."""
        self._db.run(self._db.sql["put_vector_model"], (model, b""))

    def size(self, model: str) -> int:
        """The dimension of its vectors; 0 if there are none."""
        found = model_named(self._db, model)
        return found.size if found else 0

    def failed(self, model: str, tries: int) -> list[TextToEmbed]:
        """Texts the model has passed and must (re)do, unless it failed on them `tries` times."""
        values = (self._model(model).no, tries)
        return [TextToEmbed(*row) for row in self._db.all(self._db.sql["vector_todo"], values)]

    def next(self, model: str, kind: Embeddable, limit: int) -> list[int]:
        """The next rows that the model has not reached yet, in order."""
        found = self._model(model)
        values = (found.no, getattr(found, f"{kind}_to"), limit)
        return [row for (row,) in self._db.all(self._db.sql[f"next_{kind}"], values)]

    def known(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Existing vectors by the hash of their text."""
        condition, values = self._db.among("hash", [*dict.fromkeys(hashes)])
        sql = f"SELECT hash, half FROM vectors WHERE model = ? AND {condition}"
        return dict(self._db.all(sql, [self._model(model).no, *values]))

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        """Store vectors, replacing those of the same rows."""
        if not vectors:
            return
        sql, no = self._db.sql, self._model(model).no
        self._db.run(sql["set_vector_size"], (len(vectors[0].half) // 2, no))
        rows: dict[tuple[str, str], list[int]] = {}
        for one in vectors:
            rows.setdefault(_POOLS[one.pool], []).append(one.row)
        for pools, some in rows.items():
            self._empty_signs(pools, some)
            self._db.run(sql["drop_model_vectors"], (no, *pools, these(some)))
        as_half = self._db.as_half
        self._db.many(
            sql["put_vector"],
            [(no, one.pool, one.row, one.hash, as_half(one.half)) for one in vectors],
        )
        for pools, some in rows.items():
            self._empty_signs(pools, some)
        ((count,),) = self._db.all(sql["count_vectors"], (no,))
        sampled = self._model(model).sampled
        if sampled < SETTLED and count >= 2 * sampled:
            self._search.refit(self._model(model), count)
        self._search.store_signs(self._model(model))

    def fail(self, model: str, failures: Mapping[TextToEmbed, str]) -> None:
        """Record the texts on which the model failed, and why."""
        no = self._model(model).no
        values = [(no, one.kind, one.row, error) for one, error in failures.items()]
        self._db.many(self._db.sql["fail_vector"], values)

    def settle(self, model: str, done: Iterable[TextToEmbed]) -> None:
        """Mark these texts as done."""
        no = self._model(model).no
        self._db.many(self._db.sql["settle_vector"], [(no, one.kind, one.row) for one in done])

    def advance(self, model: str, kind: Embeddable, upto: int) -> None:
        """Record that every row up to `upto` was reached."""
        self._db.run(self._db.sql[f"advance_{kind}"], (upto, model))

    def stop(self, model: str, error: str) -> None:
        """Record why a run stopped; empty after a successful run."""
        self._db.run(self._db.sql["set_vector_error"], (error, model))
        self._search.store_signs(self._model(model))

    def coverage(self, model: str) -> Coverage:
        """How much a model has embedded."""
        with self._db.reading():
            sql, found = self._db.sql, model_named(self._db, model)
            if found is None:
                ((behind,),) = self._db.all(sql["vectors_behind"], (0, 0, 0, 0))
                return Coverage(model, 0, behind, 0, "")
            reached = (found.no, found.memories_to, found.turns_to, found.chunks_to)
            ((behind,),) = self._db.all(sql["vectors_behind"], reached)
            ((embedded,),) = self._db.all(sql["count_vectors"], (found.no,))
            ((todo, failing, error),) = self._db.all(sql["count_vector_todo"], (found.no,))
            return Coverage(model, embedded, behind + todo, failing, found.error or error)

    def keep_only(self, models: Iterable[str]) -> None:
        """Delete the vectors of all other models."""
        kept = set(models)
        for no, name in self._db.all(self._db.sql["vector_models"]):
            if name not in kept:
                for table in self.tables:
                    column = "no" if table == "vector_models" else "model"
                    self._db.run(f"DELETE FROM {table} WHERE {column} = ?", (no,))

    def _model(self, name: str) -> Model:
        found = model_named(self._db, name)
        if found is None:
            raise LookupError(name)
        return found

    # Changed rows

    def changed(self, row: int) -> None:
        """The text of a memory has changed: drop its vectors and embed it again."""
        self.gone([row], "memories")
        self._db.run(self._db.sql["queue_memory"], (row,))

    def retold(self, turns: Iterable[int]) -> None:
        """The visible text of these turns has changed: drop their vectors and embed them again."""
        rows = list(turns)
        self.gone(rows, "turns")
        self._db.many(self._db.sql["queue_turn"], [(row,) for row in rows])

    def moved(self, row: int, pool: Index) -> None:
        """A memory has come to another pool; its vectors go along."""
        self._empty_signs(_POOLS[pool], [row])
        self._db.run(self._db.sql["move_vector"], (pool, row))
        self._empty_signs(_POOLS[pool], [row])

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        """These are deleted, or have other words: drop their vectors."""
        wanted = list(rows)
        self._empty_signs(_POOLS[kind], wanted)
        self._db.run(self._db.sql["drop_vectors"], (*_POOLS[kind], these(wanted)))
        self._db.run(self._db.sql["drop_vector_todo"], (kind, these(wanted)))

    def _empty_signs(self, pools: tuple[str, str], rows: Sequence[int]) -> None:
        """Delete the signs in the blocks of these rows: nothing of an erased text is left, and a
        search computes the rest again."""
        self._db.run(self._db.sql["empty_signs"], (new_version(), *pools, these(rows)))

    # Checks

    def astray(self) -> tuple[int, int]:
        """How many vectors no search finds, and how many are of nothing."""
        ((nothing,),) = self._db.all(self._db.sql["count_astray_vectors"])
        names = [name for _, name in self._db.all(self._db.sql["vector_models"])]
        return sum(self._search.misplaced(self._model(name)) for name in names), nothing

    def rebuild(self) -> None:
        """Compute the signs of all vectors anew; delete the vectors of nothing."""
        self._db.run(self._db.sql["drop_astray_vectors"])
        for no, name in self._db.all(self._db.sql["vector_models"]):
            ((count,),) = self._db.all(self._db.sql["count_vectors"], (no,))
            self._search.refit(self._model(name), count)
            self._search.store_signs(self._model(name))


def model_named(db: Database, name: str) -> Model | None:
    row = db.one(db.sql["vector_model"], (name,))
    return Model(*row) if row else None


def new_version() -> int:
    """A version that no block had before, in this or any other copy of the database."""
    return secrets.randbits(62)
