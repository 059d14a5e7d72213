"""The route by meaning: texts that an embedder finds close to the question.

For a question, a text counts by how much closer it is than usual. A message is about equally close
to everything, because it says many things; there, a text counts relative to the closest one. A
message is compared as it is, with what all texts have in common (`QuestionVector.told`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loxodon.recall.fuse import Found, Key, Pool, note_key
from loxodon.recall.weights import Parts
from loxodon.store import Beside, Filter, Index, Nature, Near, QuestionVector
from loxodon.store.store import Store

_TURNS = 60
_OTHERS = 20
_USUAL = 1.0  # Spreads by which a text must be closer than usual to count for a question
_MOST = 7.0
_CONTEXT = (0.7, 0.3)  # What the meaning of a neighbour counts, by its distance


class ByMeaning:
    """What is close to a question; `tells` where that is a message."""

    def __init__(
        self, store: Store, views: Sequence[QuestionVector], where: Filter, tells: bool
    ) -> None:
        self._store = store
        self._views = views
        self._where = where
        self._tells = tells

    def turns(self, pool: Pool, nature: Nature, weights: Parts) -> None:
        near = {one.row: one.score for one in self._close("turns", _TURNS)}
        rows = {key.row for key in pool if key.is_turn} | near.keys()
        places = self._store.places(rows)
        alone = not weights["setting"]
        others = {} if alone else self._store.beside(places)
        beside = {row: _counted(one) for row, one in others.items()}
        wanted = rows | {other for others in beside.values() for other, _ in others}
        known = self._store.vectors.similarities("turns", self._views, wanted - near.keys())
        score = near | known
        best = max(near.values(), default=0.0)
        cohesion = nature.cohesion if nature.cohesion > 0.15 else 0.0
        for row, place in places.items():
            if row not in score:
                continue
            own = self._part(score[row], best)
            setting = 0.0 if alone else self._part(_with(row, beside[row], score, cohesion), best)
            if own or setting:
                found = _found(pool, Key(True, row), own, setting, weights)
                found.place = place

    def memories(self, pool: Pool, weights: Parts) -> None:
        close = self._close("memories", _OTHERS)
        records = self._store.records(one.row for one in close)
        best = max((one.score for one in close), default=0.0)
        for one in close:
            part = self._part(one.score, best)
            if part and one.row in records:
                found = _found(pool, Key(False, one.row), part, part, weights)
                found.record = records[one.row]

    def notes(self, pool: Pool, weights: Parts) -> None:
        close = self._close("chunks", _OTHERS)
        best = max((one.score for one in close), default=0.0)
        parts = {one.row: part for one in close if (part := self._part(one.score, best))}
        notes = self._store.workspace_data.notes(parts) if parts else {}
        for row, note in notes.items():
            found = _found(pool, note_key(row), parts[row], parts[row], weights)
            found.note = note

    def _close(self, index: Index, most: int) -> list[Near]:
        return self._store.vectors.similar(index, self._views, most, self._where)

    def _part(self, score: float, best: float) -> float:
        """How much closer than usual, in spreads; for a message beside the closest."""
        if self._tells:
            return max(0.0, score) / max(best, _USUAL)
        return min(_MOST, max(0.0, score - _USUAL))


def _found(pool: Pool, key: Key, own: float, setting: float, weights: Parts) -> Found:
    found = pool.setdefault(key, Found(key))
    found.add("meaning", own, weights)
    found.add("setting", setting, weights)
    return found


_Others = list[tuple[int, float]]


def _counted(beside: Beside) -> _Others:
    """The neighbours of a turn, each with what its meaning counts."""
    before, after = beside
    return [*zip(before, _CONTEXT, strict=False), *zip(after, _CONTEXT, strict=False)]


def _with(row: int, others: _Others, score: Mapping[int, float], cohesion: float) -> float:
    """How close a turn is together with its neighbours, as far as these matter here."""
    around = score[row] + cohesion * sum(part * score.get(other, 0.0) for other, part in others)
    return around / (1 + 0.45 * cohesion * sum(part for _, part in others))
