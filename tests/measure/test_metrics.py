"""The scores, against values worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from loxodon.measure.metrics import (
    NAMES,
    Scores,
    mean,
    ndcg,
    percent,
    percentile,
    recall_at,
    reciprocal_rank,
    scores,
)

RANKING = ["a", "b", "c", "d", "e", "f"]


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    assert recall_at(5, ["b", "f"], RANKING) == 0.5
    assert recall_at(10, ["b", "f"], RANKING) == 1
    assert recall_at(10, ["z"], RANKING) == 0
    assert recall_at(10, ["z"], []) == 0


def test_ndcg_discounts_by_rank_over_the_best_possible() -> None:
    assert ndcg(["a"], RANKING) == 1
    assert ndcg(["b"], RANKING) == pytest.approx(1 / log2(3))
    assert ndcg(["b", "z"], RANKING) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert ndcg(["f"], RANKING, cut=5) == 0


def test_ndcg_is_one_where_more_evidence_than_ranks_fills_them() -> None:
    evidence = [str(n) for n in range(15)]
    assert ndcg(evidence, evidence) == pytest.approx(1)


def test_reciprocal_rank_is_of_the_first() -> None:
    assert reciprocal_rank(["c", "e"], RANKING) == pytest.approx(1 / 3)
    assert reciprocal_rank(["z"], RANKING) == 0


def test_the_scores_of_a_question() -> None:
    found = scores(["b", "f"], RANKING, handed={"b", "f"}, said={"b"})
    assert found[:5] == (0.5, 1, 1, 1, 0.5)
    assert found.mrr == 0.5
    assert len(NAMES) == len(Scores._fields)


def test_the_mean_is_in_percent_with_the_number_of_questions() -> None:
    one, none = Scores(*[1.0] * 7), Scores(*[0.0] * 7)
    assert mean([one, none, none]) == {"n": 3, **dict.fromkeys(NAMES, 33.33)}
    assert mean([]) == {"n": 0}
    assert percent(0, 0) == 0


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [([], 0.5, 0), ([3], 0.99, 3), ([4, 1, 3, 2], 0.5, 2), (range(1, 101), 0.99, 99)],
)
def test_percentiles(values: list[float], share: float, found: float) -> None:
    assert percentile(values, share) == found
