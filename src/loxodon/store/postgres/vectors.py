"""Vectors in pgvector: all of a small pool are compared, a large one has an index of its own.

An index (HNSW) is of one space, model and pool, because one of all spaces would lead a search
through the vectors of others first. It is made when an embedding run has ended and a pool has grown
to `NEAREST_FROM`; below, reading all is as quick. Either way the server only finds candidates: they
are compared here, by the same numbers as on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import psycopg

from loxodon.errors import StoreError
from loxodon.store import Embeddable, Filter, Index, Near, QuestionVector, Vector
from loxodon.store.database import Row
from loxodon.store.postgres import nearest
from loxodon.store.postgres.database import PostgresDatabase
from loxodon.store.postgres.pool import Half
from loxodon.store.search import TABLES, conditions_of, listed
from loxodon.store.vectors import ASTRAY, Asked, Model, Vectors, floats

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats, Numbers

NEAREST_FROM = 20_000
"""Vectors of a pool from which on it gets an index."""
_MORE = 50
"""Candidates beyond those asked for: the server counts with other roundings."""
_MORE_BY_INDEX = 8
"""How many times as many candidates an index is asked for, which knows plain cosines only."""
_OF_MEMORIES = "('memories', 'archive')"


class PostgresVectors(Vectors):
    """`Vectors` in pgvector."""

    tables = ("vector_todo", "vectors", "vector_models")
    _db: PostgresDatabase

    # What a recall asks

    def _near(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter
    ) -> Iterator[Near]:
        earlier: list[int] = []
        for asked in self._asked(views):
            held = self._candidates(pool, asked, earlier, limit, where)
            earlier.append(asked.model.no)
            if held:
                yield from asked.best(*_compared(asked, held), limit)

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        found: dict[int, float] = {}
        wanted = set(rows)
        with self._db.reading():
            for asked in self._asked(views):
                values = (asked.model.no, pool, sorted(wanted - found.keys()))
                if held := self._db.all(self._db.sql["vectors_of_rows"], values):
                    known, cosines = _compared(asked, held)
                    found |= zip(known.tolist(), asked.scores(cosines).tolist(), strict=True)
        return found

    def _candidates(
        self, pool: Index, asked: Asked, earlier: list[int], limit: int, where: Filter
    ) -> list[Row]:
        table = TABLES[pool]
        conditions, values = conditions_of(where, table)
        joined = ""
        if conditions or self._db.walled:
            joined = f"JOIN {table.truth} t ON t.{table.key} = v.row"
        known = ""
        if earlier:
            known = (
                "AND NOT EXISTS (SELECT 1 FROM vectors e WHERE e.row = v.row AND e.pool = v.pool "
                f"AND e.model IN {listed(earlier)})"
            )
        select = (
            f"SELECT v.row, v.half FROM vectors v {joined} "
            f"WHERE v.model = {asked.model.no} AND v.pool = '{pool}' "
            f"AND {conditions or 'true'} {known}"
        )
        if self._is_indexed(asked.model, pool):
            count = _MORE_BY_INDEX * limit
            self._db.all(
                "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
                "set_config('hnsw.ef_search', ?, true)",
                (str(min(1_000, max(100, count))),),
            )
            size = asked.model.size
            return self._db.all(
                f"{select} AND v.space_id = {self._db.id} "
                f"ORDER BY v.half::halfvec({size}) <=> ?::halfvec({size}) LIMIT {count}",
                [*values, _written(asked.vector)],
            )
        from loxodon.store.vector_math import COMMON

        return self._db.all(
            f"{select} ORDER BY (v.half::vector - ?::vector) <=> ?::vector, v.row DESC "
            f"LIMIT {limit + _MORE}",
            [*values, _written(asked.frame.mean * COMMON), _written(asked.seen)],
        )

    # What embedding needs

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        if not vectors:
            return
        self._db.run(
            self._db.sql["set_vector_size"],
            (len(vectors[0].half) // 2, self._known_model(model).no),
        )
        found = self._known_model(model)
        of_memories = [one.row for one in vectors if one.pool in ("memories", "archive")]
        self._db.run(
            f"DELETE FROM vectors WHERE model = ? AND pool IN {_OF_MEMORIES} "
            f"AND row IN {listed(of_memories)}",
            (found.no,),
        )
        self._db.many(
            self._db.sql["put_vector"],
            [(found.no, one.pool, one.row, one.hash, Half(one.half)) for one in vectors],
        )
        self._reframe_when_due(found)

    def stop(self, model: str, error: str) -> None:
        super().stop(model, error)
        if not error and (found := self._model(model)) is not None:
            self._index_when_due(found)

    def keep_only(self, models: Iterable[str]) -> None:
        kept = set(models)
        for no, name in self._db.all("SELECT no, name FROM vector_models"):
            if name not in kept:
                self._db.run("DELETE FROM vector_todo WHERE model = ?", (no,))
                self._db.run("DELETE FROM vectors WHERE model = ?", (no,))
                self._db.run("DELETE FROM vector_models WHERE no = ?", (no,))
                self._db.afterwards.append(partial(nearest.sweep, self._db.url, self._db.id))

    # What becomes of rows

    def changed(self, row: int) -> None:
        self._db.run(f"DELETE FROM vectors WHERE row = ? AND pool IN {_OF_MEMORIES}", (row,))
        self._db.run(self._db.sql["queue_vector"], (row,))

    def moved(self, row: int, pool: Index) -> None:
        self._db.run(
            f"UPDATE vectors SET pool = ? WHERE row = ? AND pool IN {_OF_MEMORIES}", (pool, row)
        )

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        wanted = listed(rows)
        pools = _OF_MEMORIES if kind == "memories" else f"('{kind}')"
        self._db.run(f"DELETE FROM vectors WHERE pool IN {pools} AND row IN {wanted}")
        self._db.run(f"DELETE FROM vector_todo WHERE kind = '{kind}' AND row IN {wanted}")

    # Care

    def rebuild(self) -> None:
        for condition in ASTRAY:
            self._db.run(f"DELETE FROM vectors AS v WHERE {condition}")
        for (name,) in self._db.all("SELECT name FROM vector_models WHERE size > 0"):
            model = self._known_model(name)
            ((count,),) = self._db.all(self._db.sql["count_vectors"], (model.no,))
            if count:
                self._reframe(model, count)

    def astray(self) -> tuple[int, int]:
        counts = [
            self._db.all(f"SELECT count(*) FROM vectors v WHERE {condition}")[0][0]
            for condition in ASTRAY
        ]
        return 0, sum(counts)

    # Indexes of large pools

    def _is_indexed(self, model: Model, pool: str) -> bool:
        known, name = self._db.unchanging, nearest.name(self._db.id, model.no, pool)
        if name not in known:
            known[name] = bool(
                self._db.all(
                    "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid",
                    (f"loxodon.{name}",),
                )
            )
        return bool(known[name])

    def _index_when_due(self, model: Model) -> None:
        for pool, count in self._db.all(
            "SELECT pool, count(*) FROM vectors WHERE model = ? GROUP BY pool", (model.no,)
        ):
            if count >= NEAREST_FROM and not self._is_indexed(model, pool):
                self._db.afterwards.append(partial(self._index, model, pool))

    def _index(self, model: Model, pool: str) -> None:
        try:
            nearest.make(self._db.url, self._db.id, model.no, pool, model.size)
        except psycopg.Error as error:
            raise StoreError(
                "cannot index the vectors of {path}: {reason}",
                hint="searches read all vectors until the next run of `loxodon embed` succeeds",
                path=self._db.path,
                reason=str(error),
            ) from None
        finally:
            self._db.read_anew()


def _compared(asked: Asked, held: Sequence[Row]) -> tuple[Numbers, Floats]:
    """The rows of (row, half), and the cosine of each."""
    import numpy as np

    seen = asked.frame.seen(floats(held, asked.model.size))
    return np.array([row for row, _ in held]), np.einsum("ij,j->i", seen, asked.seen)


def _written(vector: Floats) -> str:
    """A vector as pgvector reads it."""
    return str(vector.tolist())
