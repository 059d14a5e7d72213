"""The part of `Vectors` that is the same for every backend: how far each model has come, and the
frame that its vectors are seen against (`vector_math.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.store import Embeddable, Filter, Index, Near, QuestionVector, TextToEmbed, Vector
from loxodon.store.database import Database, Row
from loxodon.text.language import language_of
from loxodon.types import Coverage

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats, Numbers, VectorFrame

SETTLED = 32_768
"""Vectors from which on their mean is taken to stay as it is."""
_SAMPLE = 8_192
_CHUNK = 500


class Model(NamedTuple):
    """A model, and how far it has come."""

    no: int
    size: int
    turns_to: int
    memories_to: int
    chunks_to: int
    sampled: int
    error: str


class Asked(NamedTuple):
    """A question to the vectors of one model."""

    model: Model
    frame: VectorFrame
    vector: Floats
    told: bool

    @property
    def seen(self) -> Floats:
        """The question as it is compared. A message is no text of the memory, and has nothing in
        common with all of them that could be taken away."""
        return self.vector if self.told else self.frame.seen(self.vector)

    def scores(self, cosines: Floats) -> Floats:
        """What `Near.score` is of these."""
        usual = float(self.seen @ self.frame.usual)
        found: Floats = (cosines - usual) / self.frame.spread
        return found

    def best(self, rows: Numbers, cosines: Floats, limit: int) -> list[Near]:
        """The best `limit` of these rows, in order."""
        import numpy as np

        best = np.lexsort((-rows, -cosines))[:limit]
        found = cosines[best]
        return list(map(Near, rows[best].tolist(), found.tolist(), self.scores(found).tolist()))


class Vectors:
    """Search by meaning, if an embedder is set.

    The pools are those of the full-text indexes. A text has at most one vector per model. A model
    is identified by its name; vectors of different models are never compared.
    """

    tables: tuple[str, ...] = ()
    """The tables that it keeps, those that refer to others first."""

    def __init__(self, db: Database) -> None:
        self._db = db

    # What a backend does in its own way

    def _near(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter
    ) -> Iterator[Near]:
        """The closest `limit` rows of each model, without those that a model before it has."""
        raise NotImplementedError

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are (`Near.score`), if they have a vector."""
        raise NotImplementedError

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        """Store vectors, replacing those of the same rows."""
        raise NotImplementedError

    def keep_only(self, models: Iterable[str]) -> None:
        """Delete the vectors of all other models."""
        raise NotImplementedError

    def changed(self, row: int) -> None:
        """A memory says something else: its vectors go, and it has to be embedded again."""
        raise NotImplementedError

    def moved(self, row: int, pool: Index) -> None:
        """A memory has come to another pool; its vectors go along."""
        raise NotImplementedError

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        """These are no more, or have other words: their vectors go."""
        raise NotImplementedError

    def rebuild(self) -> None:
        """Put every vector into its place anew; those of nothing go."""
        raise NotImplementedError

    def astray(self) -> tuple[int, int]:
        """How many vectors no search finds, and how many places or vectors are of nothing."""
        raise NotImplementedError

    def _frame_changed(self, model: Model, frame: VectorFrame) -> None:
        """What depends on the frame is to be made anew."""

    # What a recall asks

    def similar(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first; ties go to the newer.

        A row is compared with the first of `views` whose model has embedded it.
        """
        if limit <= 0:
            return []
        with self._db.reading():
            found = list(self._near(pool, views, limit, where or Filter()))
        found.sort(key=lambda near: (-near.score, -near.row))
        return found[:limit]

    def _asked(self, views: Sequence[QuestionVector]) -> Iterator[Asked]:
        """The question to each model that is known here."""
        for view in views:
            model = self._model(view.model)
            if model is not None and len(view.vector) == model.size:
                frame = self._frame(model)
                yield Asked(model, frame, frame.answer(view.vector, view.asks), view.told)

    # What embedding needs

    def begin(self, model: str) -> None:
        """Register a model. A known one continues where it stopped."""
        self._db.run(self._db.sql["put_vector_model"], (model,))

    def size(self, model: str) -> int:
        """The dimension of its vectors; 0 if there are none."""
        found = self._model(model)
        return found.size if found else 0

    def failed(self, model: str, tries: int) -> list[TextToEmbed]:
        """Texts the model has passed and must (re)do, unless it failed on them `tries` times."""
        found = self._known_model(model)
        return [
            TextToEmbed(kind, row)
            for kind, row in self._db.all(self._db.sql["vector_todo"], (found.no, tries))
        ]

    def next(self, model: str, kind: Embeddable, limit: int) -> list[int]:
        """The next rows that the model has not reached yet, in order."""
        found = self._known_model(model)
        after = {"turns": found.turns_to, "memories": found.memories_to, "chunks": found.chunks_to}[
            kind
        ]
        rows = self._db.all(self._db.sql[f"next_{kind}"], (found.no, after, limit))
        return [row for (row,) in rows]

    def known(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Existing vectors by the hash of their text."""
        found = self._known_model(model)
        wanted = list(dict.fromkeys(hashes))
        kept: dict[bytes, bytes] = {}
        for start in range(0, len(wanted), _CHUNK):
            some = wanted[start : start + _CHUNK]
            kept |= self._db.all(
                "SELECT hash, half FROM vectors WHERE model = ? "
                f"AND hash IN ({','.join('?' * len(some))})",
                [found.no, *some],
            )
        return kept

    def fail(self, model: str, failures: Mapping[TextToEmbed, str]) -> None:
        """Record the texts on which the model failed, and why."""
        no = self._known_model(model).no
        self._db.many(
            self._db.sql["fail_vector"],
            [(no, one.kind, one.row, error) for one, error in failures.items()],
        )

    def settle(self, model: str, done: Iterable[TextToEmbed]) -> None:
        """Mark these texts as done."""
        no = self._known_model(model).no
        self._db.many(self._db.sql["settle_vector"], [(no, one.kind, one.row) for one in done])

    def advance(self, model: str, kind: Embeddable, upto: int) -> None:
        """Record that every row up to `upto` was reached."""
        self._db.run(self._db.sql[f"advance_{kind}"], (upto, model))

    def stop(self, model: str, error: str) -> None:
        """Record why a run stopped; empty after a successful run."""
        self._db.run(self._db.sql["set_vector_error"], (error, model))

    def coverage(self, model: str) -> Coverage:
        """How much a model has embedded."""
        with self._db.reading():
            found = self._model(model)
            after = (found.no, found.memories_to, found.turns_to, found.chunks_to) if found else ()
            ((behind,),) = self._db.all(self._db.sql["vectors_behind"], after or (0, 0, 0, 0))
            if found is None:
                return Coverage(model, 0, behind, 0, "")
            ((embedded,),) = self._db.all(self._db.sql["count_vectors"], (found.no,))
            ((todo, failing, error),) = self._db.all(self._db.sql["count_vector_todo"], (found.no,))
            return Coverage(model, embedded, behind + todo, failing, found.error or error)

    def _model(self, name: str) -> Model | None:
        row = self._db.one(self._db.sql["vector_model"], (name,))
        return Model(*row) if row else None

    def _known_model(self, name: str) -> Model:
        return Model(*self._db.all(self._db.sql["vector_model"], (name,))[0])

    # Changed rows

    def retold(self, turns: Iterable[int]) -> None:
        """The visible text of these turns has changed: drop their vectors and embed them again."""
        rows = list(turns)
        self.gone(rows, "turns")
        self._db.many(
            "INSERT INTO vector_todo (model, kind, row, tries, error) "
            "SELECT no, 'turns', ?1, 0, '' FROM vector_models WHERE turns_to >= ?1 "
            "ON CONFLICT DO NOTHING",
            [(row,) for row in rows],
        )

    # The frame

    def _frame(self, model: Model) -> VectorFrame:
        from loxodon.store.vector_math import from_bytes

        kept, spread = self._db.all(self._db.sql["vector_frame"], (model.no,))[0]
        return from_bytes(kept, model.size, spread)

    def _reframe_when_due(self, model: Model) -> None:
        """Find the mean anew whenever the number of vectors has doubled, until it has settled."""
        if model.sampled >= SETTLED:
            return
        ((count,),) = self._db.all(self._db.sql["count_vectors"], (model.no,))
        if count >= 2 * model.sampled:
            self._reframe(model, count)

    def _reframe(self, model: Model, count: int) -> None:
        from loxodon.store.vector_math import frame_of, to_bytes

        sql = self._db.sql["sampled_vectors"]
        # Where the numbering has gaps, a step may meet them all.
        rows = self._db.all(sql, (model.no, max(1, count // _SAMPLE))) or self._db.all(
            sql, (model.no, 1)
        )
        asks = [language_of(text) if _asks(end) else "" for text, end, _ in rows]
        says = [language_of(text) if text and not _asks(end) else "" for text, end, _ in rows]
        frame = frame_of(floats(rows, model.size), count, asks, says)
        self._db.run(
            self._db.sql["set_vector_frame"], (count, to_bytes(frame), frame.spread, model.no)
        )
        self._frame_changed(model, frame)


# Vectors of what is not there (any more), or not in that pool.
ASTRAY = (
    "pool = 'turns' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.seq = v.row)",
    "pool = 'memories' AND NOT EXISTS "
    "(SELECT 1 FROM memories m WHERE m.row = v.row AND m.state = 'active')",
    "pool = 'archive' AND NOT EXISTS "
    "(SELECT 1 FROM memories m WHERE m.row = v.row AND m.state = 'archived')",
    "pool = 'chunks' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.no = v.row)",
)


def _asks(end: str) -> bool:
    """Whether what ends like this is a question."""
    return end.rstrip().endswith(("?", "？"))


def floats(rows: Sequence[Row], size: int) -> Floats:
    """The vectors that stand last in each of `rows`."""
    import numpy as np

    halves = np.frombuffer(b"".join(row[-1] for row in rows), np.float16)
    found: Floats = halves.reshape(-1, size).astype(np.float32)
    return found
