"""Vectors of texts, for search by meaning.

The table `vectors` has a row for each embedded text, `vector_signs` the sign bits of a block of
them. A search holds the signs in memory, reads a block again if its version has changed, and
compares the rows with the closest signs exactly. Whoever changes a vector empties its block in the
same transaction; a search computes the signs of an empty block, the next embedding run stores them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from loxodon.store import Coverage, Embeddable, Filter, Index, QuestionVector, Vector, vector_math
from loxodon.store.driver import Driver, Row, these
from loxodon.store.search import TABLES, conditions_of
from loxodon.store.vector_math import Floats, Frame, Signs, Words, from_halves, sign_bits
from loxodon.text.language import language_of

BLOCK = 1_024  # rows whose signs are stored together; the SQL has it too
# How many of the closest by their signs are compared exactly, at least; else four times as many as
# are asked for. Of 12,000 real texts, 500 include 99.9% of the best 10 and 97% of the best 100.
CANDIDATES = 500
HELD_BYTES = 128 << 20  # of whole vectors in memory, for each model and pool
SETTLED = 32_768  # vectors from which on their mean hardly changes
_SAMPLE = 8_192  # vectors from which a frame is fitted
# The pools in which the vector of a text may be, by its kind or its pool.
_POOLS = {"turns": ("turns", "turns"), "chunks": ("chunks", "chunks")}
_POOLS |= dict.fromkeys(("memories", "archive"), ("memories", "archive"))
VECTOR_TABLES = ("vector_todo", "vector_signs", "vectors", "vector_models")


class Near(NamedTuple):
    """A row whose text is close in meaning to a question."""

    # How far the cosine is above the question's mean, in spreads: 0 is no closer than the rest,
    # 3 clearly closer. Scores of different models can be compared.
    score: float
    row: int
    cosine: float  # the cosine after what all texts have in common is subtracted from both vectors


class Model(NamedTuple):
    no: int = 0
    size: int = 0
    turns_to: int = 0
    memories_to: int = 0
    chunks_to: int = 0
    sampled: int = 0
    error: str = ""
    frame: bytes = b""
    spread: float = 0.0

    @property
    def fitted(self) -> Frame:
        return Frame.from_bytes(self.frame, self.size, self.spread)


class _Loaded(NamedTuple):
    versions: Mapping[int, int]
    signs: Signs
    centred: dict[int, bytes]  # as bytes, which are put together faster than arrays


class _Question(NamedTuple):
    """A question to one model, and what that has in a pool."""

    model: Model
    frame: Frame
    centred: Floats
    signs: Words
    loaded: _Loaded


class Vectors:
    """Search by meaning, if an embedder is set. Vectors of different models are never compared."""

    def __init__(self, db: Driver) -> None:
        self._db = db
        self._loaded: dict[tuple[int, int, Index], _Loaded] = {}

    # Recall

    def similar(
        self, pool: Index, asked: QuestionVector, limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first; ties go to the newer."""
        with self._db.reading():
            if (question := self._question(pool, asked)) is None:
                return []
            near = self._closest(question, pool, where or Filter(), limit)
            found = self._compared(question, pool, near)
        return [Near(*one) for one in sorted(found, reverse=True)[: max(0, limit)]]

    def similarities(
        self, pool: Index, asked: QuestionVector, rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are (`Near.score`), if they have a vector."""
        with self._db.reading():
            question = self._question(pool, asked)
            near = self._compared(question, pool, sorted(set(rows))) if question else []
        return {row: score for score, row, _ in near}

    def _question(self, pool: Index, asked: QuestionVector) -> _Question | None:
        """The question to its model; None where that has no vectors of this size."""
        model = self._model(asked.model)
        if not model.no or len(asked.vector) != model.size:
            return None
        frame = model.fitted
        vector = frame.as_statement(asked.vector, asked.asks)
        # A message has nothing in common with the texts of the memory to be subtracted.
        centred = vector if asked.told else frame.centred(vector)
        signs = sign_bits(vector[None], frame.mean)[:, 0]
        return _Question(model, frame, centred, signs, self._load(model, pool))

    def _closest(self, question: _Question, pool: Index, where: Filter, limit: int) -> list[int]:
        """The rows with the closest signs that a filter admits."""
        signs, count = question.loaded.signs, max(CANDIDATES, 4 * limit)
        near = signs.closest(question.signs, count)
        names, values = conditions_of(where, pool)
        if not near or not (names or self._db.wall.stands):
            return near
        parts = {"table": TABLES[pool].truth, "key": TABLES[pool].key}
        admitted = self._db.column("matching_of", [these(near), *values], where=names, **parts)
        if len(admitted) >= limit or len(near) < CANDIDATES:
            return admitted
        every = self._db.column("matching", values, where=names, **parts)
        return signs.closest(question.signs, count, every)

    def _compared(self, question: _Question, pool: Index, rows: Sequence[int]) -> list[Row]:
        """How close those of `rows` are that have a vector, as `Near` has it."""
        held, model = question.loaded.centred, question.model
        if 4 * model.size * len(held) > HELD_BYTES:
            held.clear()
        if missing := [row for row in rows if row not in held]:
            values = (model.no, pool, these(missing))
            read: dict[int, bytes] = dict(self._db.all("vectors_of_rows", values))
            centred = question.frame.centred(from_halves(read.values(), model.size))
            held.update((row, one.tobytes()) for row, one in zip(read, centred, strict=True))
        known = [row for row in rows if row in held]
        found = vector_math.cosines(map(held.__getitem__, known), question.centred)
        scores = question.frame.scores(question.centred, found)
        return [*zip(scores.tolist(), known, found.tolist(), strict=True)]

    # Signs

    def _load(self, model: Model, pool: Index) -> _Loaded:
        """The signs as they are in the database now."""
        key = (model.no, model.size, pool)
        known = self._loaded.get(key) or _Loaded({}, Signs.joined([], model.size), {})
        versions: dict[int, int] = dict(self._db.all("sign_versions", (model.no, pool)))
        if versions == known.versions:
            return known
        changed = [no for no, version in versions.items() if version != known.versions.get(no)]
        kept = versions.keys() - changed
        blocks = {no: known.signs.between(no * BLOCK, (no + 1) * BLOCK) for no in kept}
        for no, rows, bits in self._db.all("signs", (model.no, pool, these(changed))):
            blocks[no] = Signs.from_bytes(rows, bits, model.size) or self._computed(model, pool, no)
        joined = Signs.joined([blocks[no] for no in sorted(blocks)], model.size)
        found = self._loaded[key] = _Loaded(versions, joined, {})
        return found

    def _computed(self, model: Model, pool: str, block: int) -> Signs:
        values = (model.no, pool, block * BLOCK, (block + 1) * BLOCK)
        found = self._db.all("vectors_of_block", values)
        vectors = from_halves((half for _, half in found), model.size)
        return Signs.of([row for row, _ in found], vectors, model.fitted.mean)

    def _empty_signs(self, pool: str, rows: Sequence[int]) -> None:
        """Delete the signs of the blocks of these rows, with what they tell of an erased text."""
        self._db.run("empty_signs", (_new_version(), *_POOLS[pool], these(rows)))

    def _store_signs(self, name: str) -> None:
        model = self._model(name)
        for pool, block in self._db.all("emptied_signs", (model.no,)):
            signs, key = self._computed(model, pool, block), (model.no, pool, block)
            if len(signs.rows):
                self._db.run("put_signs", (*key, *signs.to_bytes()))
            else:
                self._db.run("drop_signs", key)

    def _refit(self, model: Model, count: int) -> None:
        """Fit the frame to the `count` vectors that there are; all signs depend on it."""
        # If the rows have gaps, every nth row may be in one.
        sample = self._db.all("sampled_vectors", (model.no, max(1, count // _SAMPLE)))
        sample = sample or self._db.all("sampled_vectors", (model.no, 1))
        spoken = [language_of(text) if text else "" for text, _, _ in sample]
        asks = [end.rstrip().endswith(("?", "？")) for _, end, _ in sample]
        vectors = from_halves((half for _, _, half in sample), model.size)
        frame = vector_math.fit_frame(vectors, count, spoken, asks)
        self._db.run("set_vector_frame", (count, frame.to_bytes(), frame.spread, model.no))
        self._db.run("drop_all_signs", (model.no,))
        self._db.run("empty_all_signs", (model.no, _new_version()))

    # Embedding

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        if not vectors:
            return
        no = self._model(model).no
        self._db.run("set_vector_size", (len(vectors[0].half) // 2, no))
        for pool in {one.pool for one in vectors}:
            some = [one for one in vectors if one.pool == pool]
            rows = [one.row for one in some]
            self._empty_signs(pool, rows)
            self._db.run("drop_model_vectors", (no, *_POOLS[pool], these(rows)))
            values = [(no, *one[:3], self._db.as_half(one.half)) for one in some]
            self._db.many("put_vector", values)
            self._empty_signs(pool, rows)
        found, count = self._model(model), self._db.value("count_vectors", (no,))
        if found.sampled < SETTLED and count >= 2 * found.sampled:
            self._refit(found, count)
        self._store_signs(model)

    def stop(self, model: str, error: str) -> None:
        """End a run: record why it stopped; after a successful one other models are not needed."""
        self._db.run("set_vector_error", (error, model))
        self._store_signs(model)
        for table in VECTOR_TABLES if not error else ():
            column = "no" if table == "vector_models" else "model"
            self._db.run("drop_other_models", (model,), table=table, key=column)

    def coverage(self, model: str) -> Coverage:
        with self._db.reading():
            one = self._model(model)
            reached = (one.no, one.memories_to, one.turns_to, one.chunks_to)
            behind = self._db.value("vectors_behind", reached)
            embedded = self._db.value("count_vectors", (one.no,))
            ((todo, failing, error),) = self._db.all("count_vector_todo", (one.no,))
            return Coverage(model, embedded, behind + todo, failing, one.error or error)

    def _model(self, name: str) -> Model:
        """A model; number 0 for one that has embedded nothing."""
        return Model(*self._db.one("vector_model", (name,)) or ())

    # Changed rows

    def retold(self, rows: Iterable[int], kind: Embeddable = "turns") -> None:
        """The visible text of these rows has changed: drop their vectors and embed them again."""
        changed = list(rows)
        self._gone(changed, kind)
        queue = "queue_turn" if kind == "turns" else "queue_memory"
        self._db.many(queue, [(row,) for row in changed])

    def _moved(self, row: int, pool: Index) -> None:
        """A memory has come to another pool; its vectors go along."""
        self._empty_signs(pool, [row])
        self._db.run("move_vector", (pool, row))
        self._empty_signs(pool, [row])

    def _gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        """These are deleted, or have other words: drop their vectors."""
        wanted = list(rows)
        self._empty_signs(kind, wanted)
        self._db.run("drop_vectors", (*_POOLS[kind], these(wanted)))
        self._db.run("drop_vector_todo", (kind, these(wanted)))

    def _rebuild(self) -> None:
        """Compute the signs of all vectors anew; delete the vectors of nothing."""
        self._db.run("drop_astray_vectors")
        for no, name in self._db.all("vector_models"):
            if count := self._db.value("count_vectors", (no,)):
                self._refit(self._model(name), count)
                self._store_signs(name)
            else:
                self._db.run("drop_all_signs", (no,))


def _new_version() -> int:
    """A version that no block had before, in this or any other copy of the database."""
    return int.from_bytes(os.urandom(8)) >> 2
