"""What an answer is worth: the turns it ranks, beside the turns that have the answer.

All are shares between 0 and 1, for one question, and pure functions of two lists of turn ids.

    R@k      share of the evidence among the first k turns
    NDCG@10  binary gains of 1 / log2(rank + 1), over the best possible for this much evidence
    MRR      1 / rank of the first evidence turn
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import ceil, log2
from typing import NamedTuple

_CUT = 10
"""Ranks that NDCG looks at."""


class Scores(NamedTuple):
    """One question's scores, under the names they are reported by (see `NAMES`)."""

    r5: float
    r10: float
    r20: float
    r1k: float
    """Of the evidence, what is in the context handed over: its words, or a memory drawn from it."""
    r1k_text: float
    """Of the evidence, what is in the context in its own words."""
    ndcg10: float
    mrr: float


NAMES = ("r@5", "r@10", "r@20", "r@1k", "r@1k_text", "ndcg@10", "mrr")
"""What the fields of `Scores` are called, in their order."""


def scores(
    evidence: Sequence[str], ranking: Sequence[str], handed: Collection[str], said: Collection[str]
) -> Scores:
    """The scores of one question that has evidence.

    `ranking` has each turn once, best first; `handed` the turns that the context has or stands
    for, `said` those that it has in their own words.
    """
    return Scores(
        recall_at(5, evidence, ranking),
        recall_at(10, evidence, ranking),
        recall_at(20, evidence, ranking),
        share_of(evidence, handed),
        share_of(evidence, said),
        ndcg(evidence, ranking),
        reciprocal_rank(evidence, ranking),
    )


def share_of(evidence: Sequence[str], found: Collection[str]) -> float:
    """The share of the evidence that was found."""
    return sum(turn in found for turn in evidence) / len(evidence)


def recall_at(k: int, evidence: Sequence[str], ranking: Sequence[str]) -> float:
    """The share of the evidence among the first `k` of the ranking."""
    return share_of(evidence, frozenset(ranking[:k]))


def ndcg(evidence: Sequence[str], ranking: Sequence[str], cut: int = _CUT) -> float:
    """Normalised discounted cumulative gain of the first `cut`, each evidence turn gaining one."""
    wanted = frozenset(evidence)
    gained = sum(1 / log2(rank + 1) for rank, turn in enumerate(ranking[:cut], 1) if turn in wanted)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(cut, len(wanted)) + 1))
    return gained / best


def reciprocal_rank(evidence: Sequence[str], ranking: Sequence[str]) -> float:
    """One over the rank of the first evidence turn; 0 where there is none."""
    wanted = frozenset(evidence)
    return next((1 / rank for rank, turn in enumerate(ranking, 1) if turn in wanted), 0.0)


def mean(found: Sequence[Scores]) -> dict[str, float]:
    """How many questions, and each score averaged over them, in percent."""
    figures: dict[str, float] = {"n": len(found)}
    for name, values in zip(NAMES, zip(*found, strict=True), strict=False):
        figures[name] = percent(sum(values), len(found))
    return figures


def percent(part: float, whole: int) -> float:
    """A share in percent; 0 of nothing is 0."""
    return round(100 * part / whole, 2) if whole else 0.0


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that at least `share` of all do not exceed; 0 where there are none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(len(ordered) * share) - 1)]
