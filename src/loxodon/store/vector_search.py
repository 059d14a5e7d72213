"""Search by meaning: sign bits choose candidates, which are then compared exactly.

The table `vectors` has a row for each embedded text, `vector_signs` the signs of a block of them. A
search holds all signs in memory and reads a block again when its version has changed. Whoever
changes a vector empties its block in the same transaction; a search computes the signs of an empty
block, and the next embedding run stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loxodon.store import Filter, Index, Near, QuestionVector
from loxodon.store.database import Database
from loxodon.store.search import TABLES, THESE, conditions_of, these
from loxodon.store.vector_math import (
    FAR,
    Floats,
    Frame,
    Numbers,
    Words,
    closest,
    fit_frame,
    from_halves,
    hamming,
    sign_bits,
)
from loxodon.store.vectors import BLOCK, Model, model_named, new_version
from loxodon.text.language import language_of

# How many of the closest by their signs are compared exactly, at least; else four times as many as
# are asked for. Of 12,000 real texts, 500 include 99.9% of the best 10 and 97% of the best 100.
CANDIDATES = 500
HELD_BYTES = 128 << 20  # of whole vectors in memory, for each model and pool
_SAMPLE = 8_192  # vectors from which a frame is fitted
_NO_FLOATS = np.zeros(0, np.float32)


@dataclass(frozen=True)
class SignBits:
    """The signs of a model's vectors in a pool, in the order of their rows."""

    versions: Mapping[int, int]
    rows: Numbers
    bits: Words
    centred: dict[int, Floats] = field(default_factory=dict)
    """Vectors that were compared before, by row."""

    def block(self, no: int) -> tuple[Numbers, Words]:
        first, last = np.searchsorted(self.rows, (no * BLOCK, (no + 1) * BLOCK))
        return self.rows[first:last], self.bits[:, first:last]


@dataclass(frozen=True)
class Question:
    """A question to the vectors of one model."""

    model: Model
    frame: Frame
    vector: Floats
    compared: Floats

    def scores(self, cosines: Floats) -> Floats:
        typical = float(self.compared @ self.frame.typical)
        found: Floats = (cosines - typical) / self.frame.spread
        return found


class VectorSearch:
    """The part of `Vectors` that computes, and so needs numpy."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._loaded: dict[tuple[int, int, Index], SignBits] = {}

    def similar(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter
    ) -> list[Near]:
        earlier: list[Numbers] = []
        found: list[Near] = []
        for question in self._questions(views):
            signs = self._signs(question.model, pool)
            candidates = self._candidates(question, signs, earlier, pool, limit, where)
            earlier.append(signs.rows)
            rows, cosines = self._compared(question, signs, pool, candidates)
            best = np.lexsort((-rows, -cosines))[:limit]
            columns = rows[best], cosines[best], question.scores(cosines[best])
            found += map(Near, *(column.tolist() for column in columns))
        found.sort(key=lambda near: (-near.score, -near.row))
        return found[:limit]

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        found: dict[int, float] = {}
        wanted = set(rows)
        for question in self._questions(views):
            signs = self._signs(question.model, pool)
            known, cosines = self._compared(question, signs, pool, sorted(wanted - found.keys()))
            found |= zip(known.tolist(), question.scores(cosines).tolist(), strict=True)
        return found

    def _questions(self, views: Sequence[QuestionVector]) -> Iterator[Question]:
        """The question to each model that has vectors of its size."""
        for view in views:
            model = model_named(self._db, view.model)
            if model is not None and len(view.vector) == model.size:
                frame = _frame(model)
                vector = frame.as_statement(view.vector, view.asks)
                # A message has nothing in common with the texts of the memory to be subtracted.
                yield Question(model, frame, vector, vector if view.told else frame.centred(vector))

    def _candidates(
        self,
        question: Question,
        signs: SignBits,
        earlier: Sequence[Numbers],
        pool: Index,
        limit: int,
        where: Filter,
    ) -> list[int]:
        """The rows to compare: the closest that the filter admits and no earlier model has."""
        count = max(CANDIDATES, 4 * limit)
        distances = hamming(signs.bits, sign_bits(question.vector[None], question.frame.mean)[:, 0])
        for rows in earlier:
            distances[np.isin(signs.rows, rows)] = FAR
        near: list[int] = signs.rows[closest(distances, count)].tolist()
        table = TABLES[pool]
        conditions, values = conditions_of(where, table)
        if not near or not (conditions or self._db.walled):
            return near
        query = f"SELECT t.{table.key} FROM {table.truth} t WHERE {conditions or 'true'}"
        among = f"{query} AND t.{table.key} IN {THESE}"
        admitted = [row for (row,) in self._db.all(among, [*values, these(near)])]
        if len(admitted) >= limit or len(near) == len(signs.rows):
            return admitted
        every = np.array([row for (row,) in self._db.all(query, values)], np.int64)
        distances[np.isin(signs.rows, every, invert=True)] = FAR
        found: list[int] = signs.rows[closest(distances, count)].tolist()
        return found

    def _compared(
        self, question: Question, signs: SignBits, pool: Index, rows: Sequence[int]
    ) -> tuple[Numbers, Floats]:
        """Those of `rows` that have a vector, and the cosine of each."""
        held, model = signs.centred, question.model
        if 4 * model.size * len(held) > HELD_BYTES:
            held.clear()
        if missing := [row for row in rows if row not in held]:
            values = (model.no, pool, these(missing))
            read: dict[int, bytes] = dict(self._db.all(self._db.sql["vectors_of_rows"], values))
            vectors = from_halves([*read.values()], model.size)
            held.update(zip(read, question.frame.centred(vectors), strict=True))
        known = [row for row in rows if row in held]
        vectors = np.concatenate([_NO_FLOATS, *map(held.__getitem__, known)])
        # Not `@`: its last digits depend on the number of rows, which would break ties at random.
        cosines = np.einsum("ij,j->i", vectors.reshape(-1, model.size), question.compared)
        return np.array(known, np.int64), cosines

    # Sign bits

    def _signs(self, model: Model, pool: Index) -> SignBits:
        """The signs as they are in the database now."""
        key, words = (model.no, model.size, pool), -(-model.size // 64)
        known = self._loaded.get(key) or SignBits({}, *_signs_of(b"", b"", words))
        versions: dict[int, int] = dict(
            self._db.all(self._db.sql["sign_versions"], (model.no, pool))
        )
        if versions == known.versions:
            return known
        changed = [no for no, version in versions.items() if version != known.versions.get(no)]
        blocks = {no: known.block(no) for no in versions.keys() - changed}
        values = (model.no, pool, these(changed))
        for no, rows, bits in self._db.all(self._db.sql["signs"], values):
            blocks[no] = _signs_of(rows, bits, words) if rows else self._computed(model, pool, no)
        parts = [blocks[no] for no in sorted(blocks)]
        rows = np.concatenate([known.rows[:0], *(rows for rows, _ in parts)])
        bits = np.concatenate([known.bits[:, :0], *(bits for _, bits in parts)], axis=1)
        self._loaded[key] = found = SignBits(versions, rows, bits)
        return found

    def _computed(self, model: Model, pool: str, block: int) -> tuple[Numbers, Words]:
        """The rows of a block that have a vector, and their signs."""
        values = (model.no, pool, block * BLOCK, (block + 1) * BLOCK)
        found = self._db.all(self._db.sql["vectors_of_block"], values)
        vectors = from_halves([half for _, half in found], model.size)
        rows = np.array([row for row, _ in found], np.int64)
        return rows, sign_bits(vectors, _frame(model).mean)

    def store_signs(self, model: Model) -> None:
        """Store the signs of the blocks that were emptied."""
        for pool, block in self._db.all(self._db.sql["emptied_signs"], (model.no,)):
            rows, bits = self._computed(model, pool, block)
            key = (model.no, pool, block)
            if len(rows):
                self._db.run(self._db.sql["put_signs"], (*key, rows.tobytes(), bits.tobytes()))
            else:
                self._db.run(self._db.sql["drop_signs"], key)

    def misplaced(self, model: Model) -> int:
        """How many vectors are in blocks whose signs are missing or wrong."""
        ((wrong,),) = self._db.all(self._db.sql["count_unsigned_vectors"], (model.no,))
        for pool, block, rows, bits in self._db.all(self._db.sql["all_signs"], (model.no,)):
            right, signs = self._computed(model, pool, block)
            if (rows, bits) != (right.tobytes(), signs.tobytes()):
                wrong += max(1, len(right))
        return int(wrong)

    def refit(self, model: Model, count: int) -> None:
        """Fit the frame to the `count` vectors that there are; all signs depend on it."""
        self._db.run(self._db.sql["drop_all_signs"], (model.no,))
        if not count:
            return
        sql = self._db.sql["sampled_vectors"]
        # If the rows have gaps, every nth row may be in one.
        sample = self._db.all(sql, (model.no, max(1, count // _SAMPLE)))
        sample = sample or self._db.all(sql, (model.no, 1))
        asks = [language_of(text) if _asks(end) else "" for text, end, _ in sample]
        says = [language_of(text) if text and not _asks(end) else "" for text, end, _ in sample]
        vectors = from_halves([half for _, _, half in sample], model.size)
        frame = fit_frame(vectors, count, asks, says)
        values = (count, frame.to_bytes(), frame.spread, model.no)
        self._db.run(self._db.sql["set_vector_frame"], values)
        self._db.run(self._db.sql["empty_all_signs"], (model.no, new_version()))


def _signs_of(rows: bytes, bits: bytes, words: int) -> tuple[Numbers, Words]:
    """A block as it is stored."""
    count = len(rows) // 8
    return np.frombuffer(rows, np.int64), np.frombuffer(bits, np.uint64).reshape(words, count)


def _frame(model: Model) -> Frame:
    return Frame.from_bytes(model.frame, model.size, model.spread)


def _asks(end: str) -> bool:
    """Whether a text with this end is a question."""
    return end.rstrip().endswith(("?", "？"))
