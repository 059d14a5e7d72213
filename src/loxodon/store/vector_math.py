"""Vectors compared: by sign bits first, then the best of those exactly. Pure functions of numpy.

Two things make the vectors of a memory alike that have nothing to do with what is looked for, and
are taken away. What all texts have in common: half of their mean (all of it for the signs, which
only choose the candidates). And, from a question, what sets questions apart from statements: an
encoder finds two questions close because both ask. How far is learnt from the questions among the
turns, in each language, and counts less the more of the turns are questions.

R@10 by vectors alone, plain cosines / less half the mean / less what questions have too:
    multilingual encoder   locomo_dev 32.9 / 34.3 / 51.1   150 of memdaily_dev 81.1 / 84.8 / 91.3
                           longmemeval_dev 65.4 / 66.6 / 64.8
    gte-small (int8)       locomo_dev 61.1 / 60.9 / 61.0
The last step does not pay everywhere: where the answers themselves were asked as questions, as in
longmemeval_dev, it costs a little. The two shares were chosen on these sets.

The sign of each number is one bit, and the number of bits in which two vectors differ is close to
their angle. A random rotation before the signs, as is often advised, gave next to nothing (of the
best 100, among the first 1,000 by signs: .998 without, .999 with).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Words = NDArray[np.uint64]
    Numbers = NDArray[np.int64]
    Distances = NDArray[np.uint16]

FAR = 65_535
"""The distance of what is not there."""
_CHUNK = 65_536
_PAIRS = 256
_FEW = 8
COMMON = np.float32(0.5)
"""How much of the mean is taken away."""
_SPREAD = 0.12
_LEAST_SPREAD = 0.02
_TINY = 1e-6


class VectorFrame(NamedTuple):
    """What vectors of a model are seen against."""

    mean: Floats
    usual: Floats
    """The mean of the vectors once they are `seen`: a question's cosine with it is the one that it
    has with any text."""
    asking: tuple[Floats, ...]
    """What sets questions apart, for each of `LANGUAGES`."""
    spread: float
    """How far from the usual cosines are."""

    def seen(self, vectors: Floats) -> Floats:
        """Vectors without what they have in common, of length 1."""
        moved = vectors - COMMON * self.mean
        lengths = np.sqrt(np.einsum("...i,...i->...", moved, moved))
        found: Floats = moved / np.maximum(lengths, _TINY)[..., None]
        return found

    def answer(self, vector: Floats, language: str) -> Floats:
        """A question's vector as that of a statement; `language` is empty for what is none."""
        if language not in LANGUAGES:
            return vector
        return vector - self.asking[LANGUAGES.index(language)]


LANGUAGES = ("en", "zh")


def to_bytes(frame: VectorFrame) -> bytes:
    """A frame as it is kept, but for its spread."""
    return b"".join(part.tobytes() for part in (frame.mean, frame.usual, *frame.asking))


def from_bytes(kept: bytes, size: int, spread: float) -> VectorFrame:
    """The frame of vectors of a size; that of none where there is none yet."""
    parts = np.zeros((2 + len(LANGUAGES), size), np.float32)
    if kept:
        parts = np.frombuffer(kept, np.float32).reshape(parts.shape)
    return VectorFrame(parts[0], parts[1], tuple(parts[2:]), spread)


def usable(vectors: object, count: int) -> Floats | None:
    """`count` vectors of one size as a matrix; None where that is not what `vectors` are.

    A row that is no direction (not finite, or all zero) is left for `unit` to tell.
    """
    try:
        found = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if found.ndim == 2 and found.shape[0] == count and found.shape[1] else None


def unit(vectors: Floats) -> tuple[Floats, list[bool]]:
    """Vectors of length 1, and which of them are any direction at all."""
    with np.errstate(all="ignore"):
        wide = vectors.astype(np.float64)  # squares of large float32 are infinite
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        good = np.isfinite(lengths) & (lengths > _TINY)
        return (wide / np.where(good, lengths, 1)[:, None]).astype(np.float32), good.tolist()


def frame_of(vectors: Floats, count: int, asks: Sequence[str], says: Sequence[str]) -> VectorFrame:
    """The frame of `count` vectors of which these are a sample.

    `asks` has the language of each text that is a question, `says` that of each other turn; both
    are empty for the rest. Of few nothing is concluded: the mean of a single vector would leave
    nothing of it.
    """
    mean = (vectors.mean(axis=0) * (count / (count + _FEW))).astype(np.float32)
    apart = tuple(_apart(vectors, asks, says, language) for language in LANGUAGES)
    frame = VectorFrame(mean, np.zeros_like(mean), apart, _SPREAD)
    if len(vectors) < 2:
        return frame
    # A memory says again what its turn says, and begins as all of them do: among few texts that
    # would be most of what they differ by.
    turns = [bool(asked or said) for asked, said in zip(asks, says, strict=True)]
    seen = frame.seen(vectors[turns] if sum(turns) > 1 else vectors)
    usual = seen.mean(axis=0)
    picked = seen[:: max(1, len(seen) // _PAIRS)][:_PAIRS]
    pairs = (picked @ picked.T - (picked @ usual)[:, None])[np.triu_indices(len(picked), 1)]
    return frame._replace(usual=usual, spread=max(_LEAST_SPREAD, float(pairs.std())))


def _apart(vectors: Floats, asks: Sequence[str], says: Sequence[str], language: str) -> Floats:
    """What a question of a language has that a statement has not."""
    questions = vectors[[one == language for one in asks]]
    others = vectors[[one == language for one in says]]
    if not len(questions) or not len(others):
        return np.zeros(vectors.shape[1], np.float32)
    few = min(len(questions), len(others))
    share = len(others) / (len(questions) + len(others)) * few / (few + _FEW)
    found: Floats = (share * (questions.mean(axis=0) - others.mean(axis=0))).astype(np.float32)
    return found


def sign_bits(vectors: Floats, mean: Floats) -> Words:
    """A row of 64-bit words for each number of 64 signs: (words, vectors)."""
    signs = np.packbits(vectors > mean, axis=1)
    short = -signs.shape[1] % 8
    if short:
        signs = np.pad(signs, ((0, 0), (0, short)))
    return np.ascontiguousarray(signs.view(np.uint64).T)


def distances(bits: Words, asked: Words) -> Distances:
    """In how many bits each of the vectors differs from the one asked for."""
    words, count = bits.shape
    found = np.empty(count, np.uint16)
    for start in range(0, count, _CHUNK):  # what fits the cache of a core
        part = bits[:, start : start + _CHUNK]
        total = np.bitwise_count(part[0] ^ asked[0]).astype(np.uint16)
        for word in range(1, words):
            total += np.bitwise_count(part[word] ^ asked[word])
        found[start : start + _CHUNK] = total
    return found


def closest(found: Distances, limit: int) -> Numbers:
    """The places of the `limit` smallest distances, and of those as far as the last of them.

    By counting how many there are of each distance, which sorts a million in two milliseconds.
    """
    counted = np.bincount(found)[:FAR].cumsum()
    if not len(counted) or not counted[-1]:
        return np.empty(0, np.int64)
    last = min(int(np.searchsorted(counted, limit)), len(counted) - 1)
    return np.flatnonzero(found <= last)
