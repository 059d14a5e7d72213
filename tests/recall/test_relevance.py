"""What time takes when memories are ordered; the numbers are worked out beside each case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.config import TieredConfig
from loxodon.recall.relevance import category_factor, halved, kept, recency_factor
from loxodon.types import CATEGORIES
from tests.each import each


@each(
    ("days", "half_life", "left"),
    [
        (0, 7, 1.0),
        (7, 7, 0.5),
        (21, 7, 0.125),
        (7, 30, 0.8507),  # 003: about 84% after 7 days; 2^(-7/30)
        (30, 30, 0.5),  # 003: 50% after 30 days
        (90, 30, 0.125),  # 003: 12.5% after 90 days
        (-3, 7, 1.0),  # what lies ahead is no fresher than the present
    ],
)
def test_half_is_left_after_a_half_life(days: float, half_life: float, left: float) -> None:
    assert halved(days, half_life) == pytest.approx(left, abs=5e-5)


@each(
    ("category", "idle", "share"),
    [
        ("identity", 1000, 1.0),  # never fades
        ("config", 1000, 1.0),
        ("credential", 1000, 1.0),
        ("decision", 0, 1.0),  # 0.3 + 0.7 × 1
        ("decision", 180, 0.6407),  # 0.3 + 0.7 × e^-0.72 = 0.3 + 0.7 × 0.48675
        ("solution", 10_000, 0.3),  # the floor
        ("event", 30, 0.5514),  # 0.1 + 0.9 × e^-0.69 = 0.1 + 0.9 × 0.50158
        ("conversation", 10_000, 0.1),
        ("temp", 7, 0.5001),  # e^-0.693
        ("debug", 100, 0.0001),  # e^-9.9 = 0.00005
        ("preference", 365, 1.0),  # not in the table: as important as it is
        ("health", 365, 1.0),
        ("event", -5, 1.0),
    ],
)
def test_a_category_keeps_what_004_says(category: str, idle: float, share: float) -> None:
    assert kept(category, idle) == pytest.approx(share, abs=5.1e-5)


def test_the_rates_can_be_set() -> None:
    rates = TieredConfig(event=0.0, temp=1.0)
    assert kept("event", 500, rates) == 1.0
    assert kept("debug", 1, rates) == pytest.approx(0.3679, abs=5e-5)  # e^-1


@pytest.mark.parametrize(
    ("category", "idle", "factor"),
    [
        ("identity", 400, 1.02),  # 1 + 0.02 × (2 × 1 − 1)
        ("decision", 10_000, 0.992),  # 1 + 0.02 × (2 × 0.3 − 1)
        ("event", 10_000, 0.984),  # 1 + 0.02 × (2 × 0.1 − 1)
        ("temp", 7, 1.0),  # 1 + 0.02 × (2 × 0.50007 − 1)
        ("temp", 10_000, 0.98),
    ],
)
def test_the_default_minds_the_category_a_little(category: str, idle: float, factor: float) -> None:
    assert category_factor(category, idle) == pytest.approx(factor, abs=1e-4)


@pytest.mark.parametrize(
    ("days", "factor"),
    [
        (0, 1.03),
        (7, 1.0105),  # left (0.5 + 0.8507) / 2 = 0.67533; 1 + 0.03 × 0.35066
        (30, 0.9865),  # left (0.05127 + 0.5) / 2 = 0.27563; 1 − 0.03 × 0.44873
        (10_000, 0.97),
    ],
)
def test_the_default_minds_how_long_ago_a_little(days: float, factor: float) -> None:
    assert recency_factor(days) == pytest.approx(factor, abs=5e-5)


@given(
    st.sampled_from(CATEGORIES),
    st.floats(min_value=-1e6, max_value=1e9),
    st.floats(min_value=0, max_value=1e5),
)
def test_no_factor_leaves_its_bounds_and_none_rises_with_age(
    category: str, days: float, more: float
) -> None:
    assert 0.98 <= category_factor(category, days) <= 1.02
    assert 0.97 <= recency_factor(days) <= 1.03
    assert category_factor(category, days + more) <= category_factor(category, days)
    assert recency_factor(days + more) <= recency_factor(days)
