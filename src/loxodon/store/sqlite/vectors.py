"""Vectors in the same SQLite file. See `sql/sqlite/migrations/0003_vectors.sql` for the tables.

What moves or drops a single vector works on bytes, so that archiving a memory does not load numpy;
what searches or computes does.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from loxodon.store import Embeddable, Filter, Index, Near, QuestionVector, Vector
from loxodon.store.database import Row
from loxodon.store.search import TABLES, conditions_of, listed
from loxodon.store.sqlite.database import Database
from loxodon.store.vectors import ASTRAY, Asked, Model, Vectors, floats

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray

    from loxodon.store.sqlite.matrix import Matrix
    from loxodon.store.vector_math import Floats, Numbers, VectorFrame

BLOCK = 1_024
"""Vectors that are kept together; the file depends on it."""
CANDIDATES = 500
"""How many of the closest by their signs are compared exactly, at least; else four times as many as
are asked for. Among 12,000 real texts 500 have 99.9% of the best 10 and 97% of the best 100; each
one more is a page to be read."""
_CHANGES = "vectors"
"""The counter of changes to blocks."""


class SqliteVectors(Vectors):
    """`Vectors` in a file."""

    tables = ("vector_todo", "vectors", "vector_bits", "vector_blocks", "vector_models")
    _db: Database

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._loaded: dict[tuple[int, int, str], Matrix] = {}
        self._generation = db.generation

    # What a recall asks

    def _near(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter
    ) -> Iterator[Near]:
        for asked, matrix, barred in self._matrices(pool, views):
            places = _closest(asked, matrix, limit, barred)
            places = self._admitted(pool, where, asked, matrix, barred, places, limit)
            if len(places):
                cosines = matrix.cosines(places, asked.seen, asked.frame)
                yield from asked.best(matrix.rows[places], cosines, limit)

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        found: dict[int, float] = {}
        wanted = set(rows)
        with self._db.reading():
            for asked, matrix, _ in self._matrices(pool, views):
                places = matrix.places(wanted - found.keys())
                if len(places):
                    scores = asked.scores(matrix.cosines(places, asked.seen, asked.frame))
                    found |= zip(matrix.rows[places].tolist(), scores.tolist(), strict=True)
        return found

    def _matrices(
        self, pool: Index, views: Sequence[QuestionVector]
    ) -> Iterator[tuple[Asked, Matrix, NDArray[bool_] | None]]:
        """The question to each model that has vectors here, these, and which places are not its to
        judge: those of rows that a model before it has."""
        # What is loaded within a write might be undone; and of another file nothing is known.
        if self._db.is_writing or self._generation != self._db.generation:
            self._loaded.clear()
            self._generation = self._db.generation
        earlier: list[Matrix] = []
        for asked in self._asked(views):
            matrix = self._matrix(asked.model, pool)
            barred = None
            for one in earlier:
                same = matrix.shared(one)
                barred = same if barred is None else barred | same
            earlier.append(matrix)
            if matrix.live:
                yield asked, matrix, barred
        if self._db.is_writing:
            self._loaded.clear()

    def _admitted(
        self,
        pool: Index,
        where: Filter,
        asked: Asked,
        matrix: Matrix,
        barred: NDArray[bool_] | None,
        places: Numbers,
        limit: int,
    ) -> Numbers:
        """Those of `places` whose rows a filter admits; where these are too few, the closest of all
        that it admits."""
        import numpy as np

        table = TABLES[pool]
        conditions, values = conditions_of(where, table)
        if not conditions and not self._db.walled:
            return places
        query = f"SELECT t.{table.key} FROM {table.truth} t WHERE {conditions or 'true'}"
        near = listed(matrix.rows[places].tolist())
        rows = self._db.all(f"{query} AND t.{table.key} IN {near}", values)
        if len(rows) >= limit or len(places) >= matrix.live:
            return matrix.places(row for (row,) in rows)
        admitted = matrix.places(row for (row,) in self._db.all(query, values))
        outside = np.ones(len(matrix.rows), bool)
        outside[admitted] = False
        if barred is not None:
            outside |= barred
        return _closest(asked, matrix, limit, outside)

    def _matrix(self, model: Model, pool: str) -> Matrix:
        from loxodon.store.sqlite.matrix import Matrix

        key = (model.no, model.size, pool)
        if key not in self._loaded:
            self._loaded[key] = Matrix(self._db, model.no, pool, model.size)
        last = self._db.one(self._db.sql["counter"], (_CHANGES,))
        self._loaded[key].refresh(last[0] if last else 0)
        return self._loaded[key]

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        import numpy as np

        from loxodon.store.vector_math import sign_bits

        if not vectors:
            return
        self._db.run(
            self._db.sql["set_vector_size"],
            (len(vectors[0].half) // 2, self._known_model(model).no),
        )
        found = self._known_model(model)
        for vector in vectors:
            self._drop(found, vector.pool, vector.row)
        mean = self._frame(found).mean
        pools: dict[Index, list[Vector]] = {}
        for vector in vectors:
            pools.setdefault(vector.pool, []).append(vector)
        for pool, some in pools.items():
            halves = np.frombuffer(b"".join(one.half for one in some), np.float16)
            bits = sign_bits(halves.reshape(len(some), -1).astype(np.float32), mean)
            slots = self._append(
                found.no,
                found.size,
                pool,
                [one.row for one in some],
                [word.tobytes() for word in bits],
            )
            self._db.many(
                self._db.sql["put_vector"],
                [
                    (slot, found.no, pool, one.row, one.hash, one.half)
                    for slot, one in zip(slots, some, strict=True)
                ],
            )
        self._reframe_when_due(found)

    def keep_only(self, models: Iterable[str]) -> None:
        kept = set(models)
        for no, name in self._db.all("SELECT no, name FROM vector_models"):
            if name not in kept:
                for statement in (
                    "DELETE FROM vector_todo WHERE model = ?",
                    "DELETE FROM vectors WHERE model = ?",
                    "DELETE FROM vector_bits WHERE block IN "
                    "(SELECT no FROM vector_blocks WHERE model = ?)",
                    "DELETE FROM vector_blocks WHERE model = ?",
                    "DELETE FROM vector_models WHERE no = ?",
                ):
                    self._db.run(statement, (no,))

    # What becomes of rows

    def changed(self, row: int) -> None:
        for slot, _, size in self._db.all(self._db.sql["vectors_of_memory"], (row,)):
            self._clear(slot, size)
            self._db.run("DELETE FROM vectors WHERE slot = ?", (slot,))
        self._db.run(self._db.sql["queue_vector"], (row,))

    def moved(self, row: int, pool: Index) -> None:
        for slot, model, size in self._db.all(self._db.sql["vectors_of_memory"], (row,)):
            bits = self._clear(slot, size)
            (new,) = self._append(model, size, pool, [row], bits)
            self._db.run("UPDATE vectors SET slot = ?, pool = ? WHERE slot = ?", (new, pool, slot))

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        wanted = listed(rows)
        pools = "'memories', 'archive'" if kind == "memories" else f"'{kind}'"
        for slot, size in self._db.all(
            "SELECT v.slot, m.size FROM vectors v JOIN vector_models m ON m.no = v.model "
            f"WHERE v.pool IN ({pools}) AND v.row IN {wanted}"
        ):
            self._clear(slot, size)
            self._db.run("DELETE FROM vectors WHERE slot = ?", (slot,))
        self._db.run(f"DELETE FROM vector_todo WHERE kind = '{kind}' AND row IN {wanted}")

    def _drop(self, model: Model, pool: Index, row: int) -> None:
        """Let go of the vector that a row has of a model, if any; a memory's of either pool."""
        of_memory = pool in ("memories", "archive")
        pools = "('memories', 'archive')" if of_memory else f"('{pool}')"
        for (slot,) in self._db.all(
            f"DELETE FROM vectors WHERE row = ? AND pool IN {pools} AND model = ? RETURNING slot",
            (row, model.no),
        ):
            self._clear(slot, model.size)

    # Blocks

    def _append(
        self, model: int, size: int, pool: str, rows: Sequence[int], bits: Sequence[bytes]
    ) -> list[int]:
        """Give places to rows with their bits (of each word those of all rows); their slots."""
        slots: list[int] = []
        change = self._db.take(_CHANGES, 1)
        block, used = self._db.one(self._db.sql["last_block"], (model, pool)) or (0, BLOCK)
        while len(slots) < len(rows):
            if used == BLOCK:
                block, used = self._db.take("vector_block", 1), 0
                self._db.run(self._db.sql["put_block"], (block, model, pool, change))
                sizes = (block, BLOCK * 8, BLOCK * 8 * words_of(size))
                self._db.run(self._db.sql["put_bits"], sizes)
            first = len(slots)
            count = min(BLOCK - used, len(rows) - first)
            part = slice(first * 8, (first + count) * 8)
            self._write(block, used, rows[first : first + count], [word[part] for word in bits])
            slots += range(block * BLOCK + used, block * BLOCK + used + count)
            used += count
            self._db.run(self._db.sql["use_block"], (used, change, block))
        return slots

    def _write(self, block: int, place: int, rows: Sequence[int], bits: Sequence[bytes]) -> None:
        with self._db.blob("vector_bits", "rows", block, writable=True) as blob:
            blob.seek(place * 8)
            blob.write(array("q", rows).tobytes())
        with self._db.blob("vector_bits", "bits", block, writable=True) as blob:
            for n, word in enumerate(bits):
                blob.seek((n * BLOCK + place) * 8)
                blob.write(word)

    def _clear(self, slot: int, size: int) -> list[bytes]:
        """Take a vector out of its block, which keeps nothing of it; its bits."""
        block, place = divmod(slot, BLOCK)
        bits = []
        with self._db.blob("vector_bits", "bits", block) as blob:
            for n in range(words_of(size)):
                blob.seek((n * BLOCK + place) * 8)
                bits.append(blob.read(8))
        self._write(block, place, [0], [bytes(8)] * len(bits))
        self._db.run(self._db.sql["use_block"], (0, self._db.take(_CHANGES, 1), block))
        return bits

    def _frame_changed(self, model: Model, frame: VectorFrame) -> None:
        for (block,) in self._db.all("SELECT no FROM vector_blocks WHERE model = ?", (model.no,)):
            self._rewrite(model, block, frame.mean)

    def _rewrite(self, model: Model, block: int, mean: Floats) -> None:
        """Make the bits of a block anew from its vectors."""
        import numpy as np

        from loxodon.store.vector_math import sign_bits

        found = self._db.all(
            "SELECT slot, row, half FROM vectors WHERE slot BETWEEN ? AND ? ORDER BY slot",
            (block * BLOCK, block * BLOCK + BLOCK - 1),
        )
        places = [slot % BLOCK for slot, _, _ in found]
        rows = np.zeros(BLOCK, np.int64)
        rows[places] = [row for _, row, _ in found]
        bits = np.zeros((words_of(model.size), BLOCK), np.uint64)
        if found:
            bits[:, places] = sign_bits(floats(found, model.size), mean)
        self._db.run(
            "UPDATE vector_bits SET rows = ?, bits = ? WHERE block = ?",
            (rows.tobytes(), bits.tobytes(), block),
        )
        self._db.run(self._db.sql["use_block"], (0, self._db.take(_CHANGES, 1), block))

    # Care

    def astray(self) -> tuple[int, int]:
        missing = stale = 0
        for condition in ASTRAY:
            ((n,),) = self._db.all(f"SELECT count(*) FROM vectors v WHERE {condition}")
            stale += n
        for block, rows, bits, size, frame in self._db.all(
            "SELECT b.block, b.rows, b.bits, m.size, m.frame FROM vector_bits b "
            "JOIN vector_blocks v ON v.no = b.block JOIN vector_models m ON m.no = v.model"
        ):
            found = array("q", rows)
            first = block * BLOCK
            kept = self._db.all(
                "SELECT slot - ?1, row, half FROM vectors WHERE slot BETWEEN ?1 AND ?2",
                (first, first + BLOCK - 1),
            )
            places = {place: row for place, row, _ in kept}
            missing += sum(found[place] != row for place, row in places.items())
            stale += sum(bool(row) and place not in places for place, row in enumerate(found))
            missing += _wrong_bits(kept, bits, size, frame)
        return missing, stale

    def rebuild(self) -> None:
        """Put every vector into its place anew, without gaps; those of nothing go."""
        for condition in ASTRAY:
            self._db.run(f"DELETE FROM vectors AS v WHERE {condition}")
        models = self._db.all("SELECT name FROM vector_models WHERE size > 0")
        for model in (self._known_model(name) for (name,) in models):
            self._db.run(
                "DELETE FROM vector_bits WHERE block IN "
                "(SELECT no FROM vector_blocks WHERE model = ?)",
                (model.no,),
            )
            self._db.run("DELETE FROM vector_blocks WHERE model = ?", (model.no,))
            blank = [bytes(8 * BLOCK)] * words_of(model.size)
            count = 0
            for pool in TABLES:
                found = self._db.all(
                    "SELECT slot, row FROM vectors WHERE model = ? AND pool = ? ORDER BY row",
                    (model.no, pool),
                )
                for start in range(0, len(found), BLOCK):
                    some = found[start : start + BLOCK]
                    slots = self._append(model.no, model.size, pool, [r for _, r in some], blank)
                    self._db.many(
                        "UPDATE vectors SET slot = ? WHERE slot = ?",
                        [(new, old) for new, (old, _) in zip(slots, some, strict=True)],
                    )
                count += len(found)
            if count:
                self._reframe(model, count)


def _wrong_bits(kept: Sequence[Row], bits: bytes, size: int, frame: bytes) -> int:
    """How many of these vectors of a block, (place, row, half), have other bits than theirs."""
    if not kept:
        return 0
    import numpy as np

    from loxodon.store.vector_math import from_bytes, sign_bits

    wanted = sign_bits(floats(kept, size), from_bytes(frame, size, 0.0).mean)
    held = np.frombuffer(bits, np.uint64).reshape(words_of(size), BLOCK)
    places = [place for place, *_ in kept]
    return int((held[:, places] != wanted).any(axis=0).sum())


def _closest(asked: Asked, matrix: Matrix, limit: int, barred: NDArray[bool_] | None) -> Numbers:
    """The places to be compared exactly for `limit` rows."""
    count = max(CANDIDATES, 4 * limit)
    return matrix.closest(asked.vector, asked.frame.mean, count, barred)


def words_of(size: int) -> int:
    """64-bit words for one bit of each of `size` numbers."""
    return -(-size // 64)
