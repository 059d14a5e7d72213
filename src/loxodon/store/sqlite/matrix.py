"""The vectors of one pool and model, loaded to be searched, and kept up to date with the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from loxodon.errors import DamagedStoreError
from loxodon.store.database import Database
from loxodon.store.search import listed
from loxodon.store.sqlite.vectors import BLOCK
from loxodon.store.vector_math import FAR, closest, distances, sign_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from loxodon.store.vector_math import Floats, Numbers, VectorFrame, Words

_HELD = 256 << 20
"""Bytes of whole vectors that are held in memory for the next search."""

_NONE = np.zeros(0, bool)


class Matrix:
    """Sign bits and rows of every place; whole vectors as they were needed."""

    def __init__(self, db: Database, model: int, pool: str, size: int) -> None:
        self._db = db
        self._of = (model, pool)
        self._size = size
        self._shared: dict[Matrix, tuple[int, int, NDArray[np.bool_]]] = {}
        self._clear()

    def _clear(self) -> None:
        self._mark = 0
        self._blocks: list[int] = []
        self.rows: Numbers = np.zeros(0, np.int64)
        self._bits: Words = np.zeros((-(-self._size // 64), 0), np.uint64)
        self._empty: Numbers = np.zeros(0, np.int64)
        self._by_row: Numbers | None = None
        self._held_at: NDArray[np.int32] = np.zeros(0, np.int32)
        self._let_go()

    @property
    def live(self) -> int:
        """How many vectors there are."""
        return len(self.rows) - len(self._empty)

    def refresh(self, mark: int) -> None:
        """Read the blocks that changed since the last time; `mark` is the last change of any."""
        if mark == self._mark:
            return
        blocks = [no for (no,) in self._db.all(self._db.sql["blocks"], self._of)]
        if blocks[: len(self._blocks)] != self._blocks:  # all were made anew
            self._clear()
        changed = self._db.all(self._db.sql["changed_blocks"], (*self._of, self._mark))
        self._grow(blocks[len(self._blocks) :])
        places = {no: n * BLOCK for n, no in enumerate(self._blocks)}
        for (no,) in changed:  # one after the other: all at once would take twice the memory
            ((rows, bits),) = self._db.all(self._db.sql["bits"], (no,))
            part = slice(places[no], places[no] + BLOCK)
            self.rows[part] = np.frombuffer(rows, np.int64)
            self._bits[:, part] = np.frombuffer(bits, np.uint64).reshape(-1, BLOCK)
            self._held_at[part] = -1
        if changed:
            self._empty = np.flatnonzero(self.rows == 0)
            self._by_row = None
        self._mark = mark

    def _grow(self, new: list[int]) -> None:
        if not new:
            return
        self._blocks += new
        more = len(new) * BLOCK
        self.rows = np.concatenate((self.rows, np.zeros(more, np.int64)))
        self._bits = np.concatenate(
            (self._bits, np.zeros((len(self._bits), more), np.uint64)), axis=1
        )
        self._held_at = np.concatenate((self._held_at, np.full(more, -1, np.int32)))

    def shared(self, other: Matrix) -> NDArray[np.bool_]:
        """The places of rows that `other` has a vector of too."""
        mine, its, found = self._shared.get(other, (-1, -1, _NONE))
        if (mine, its) != (self._mark, other._mark):
            found = np.isin(self.rows, other.rows)
            self._shared[other] = (self._mark, other._mark, found)
        return found

    def closest(
        self, asked: Floats, mean: Floats, limit: int, barred: NDArray[np.bool_] | None = None
    ) -> Numbers:
        """The places of about `limit` vectors whose signs are most like those asked for."""
        found = distances(self._bits, sign_bits(asked[None], mean)[:, 0])
        found[self._empty] = FAR
        if barred is not None:
            found[barred] = FAR
        return closest(found, limit)

    def cosines(self, places: Numbers, asked: Floats, frame: VectorFrame) -> Floats:
        """The cosine of the vectors in these places with the one asked for, which is `seen`.

        Vectors are held as they are seen: where the frame has changed, so have all blocks.
        """
        missing = places[self._held_at[places] < 0]
        if (self._held + len(missing)) * self._size * 4 > _HELD:
            self._let_go()
            missing = places
        if len(missing):
            self._hold(missing, frame.seen(self._read(missing)))
        # Not `@`: its last digits depend on how many rows there are, and ties would fall anyhow.
        found: Floats = np.einsum("ij,j->i", self._whole[self._held_at[places]], asked)
        return found

    def _let_go(self) -> None:
        """Hold no vectors."""
        self._held = 0
        self._whole: Floats = np.empty((0, self._size), np.float32)
        self._held_at = np.full(len(self.rows), -1, np.int32)

    def _hold(self, places: Numbers, vectors: Floats) -> None:
        """Hold vectors side by side, not each in its place: large arrays are given memory by
        pages of megabytes, and scattered rows would take them all."""
        last = self._held + len(places)
        if last > len(self._whole):
            larger = np.empty((max(2 * len(self._whole), last), self._size), np.float32)
            larger[: self._held] = self._whole[: self._held]
            self._whole = larger
        self._whole[self._held : last] = vectors
        self._held_at[places] = np.arange(self._held, last)
        self._held = last

    def _read(self, places: Numbers) -> Floats:
        """The vectors in these places, from the file."""
        slots = np.array(self._blocks, np.int64)[places // BLOCK] * BLOCK + places % BLOCK
        found: dict[int, bytes] = dict(
            self._db.all(f"SELECT slot, half FROM vectors WHERE slot IN {listed(slots.tolist())}")
        )
        if len(found) != len(places):
            raise DamagedStoreError(
                "{path} has lost vectors",
                hint="run `{command}`",
                path=self._db.path,
                command="loxodon rebuild-index",
            )
        halves = np.frombuffer(b"".join(found[slot] for slot in slots.tolist()), np.float16)
        return halves.reshape(-1, self._size).astype(np.float32)

    def places(self, rows: Iterable[int]) -> Numbers:
        """The places of those of `rows` that have a vector."""
        if self._by_row is None:
            self._by_row = np.argsort(self.rows, kind="stable")
        wanted = np.unique(np.fromiter(rows, np.int64))
        wanted = wanted[wanted > 0]
        at = np.searchsorted(self.rows, wanted, sorter=self._by_row)
        found = self._by_row[at[at < len(self.rows)]]
        there: Numbers = found[self.rows[found] == wanted[: len(found)]]
        return there
