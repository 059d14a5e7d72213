"""Strength: the closed formula, and the moment at which it comes to an end."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.config import DecayConfig
from loxodon.types import KINDS, Kind
from loxodon.write.decay import (
    LEAST_AT_BIRTH,
    Decay,
    daily_rate,
    fades_at,
    initial_strength,
    strength_now,
)
from tests.each import each

BORN = datetime(2026, 2, 4, tzinfo=UTC)
RATES = DecayConfig()
shares = st.floats(0, 1)


def after(days: float) -> datetime:
    return BORN + timedelta(days=days)


@each(
    ("kind", "importance", "rate"),
    [
        ("fact", 0.0, 0.008),
        ("fact", 0.5, 0.006),
        ("fact", 1.0, 0.004),
        ("belief", 0.0, 0.07),
        ("belief", 1.0, 0.035),
        ("summary", 0.4, 0.02),
    ],
)
def test_a_day_takes_its_share(kind: Kind, importance: float, rate: float) -> None:
    assert daily_rate(kind, importance, RATES) == pytest.approx(rate)
    one_day = strength_now(0.8, BORN, after(1), kind, importance, RATES)
    assert one_day == pytest.approx(0.8 * (1 - rate))
    hundred = strength_now(0.8, BORN, after(100), kind, importance, RATES)
    assert hundred == pytest.approx(0.8 * (1 - rate) ** 100)


def test_a_new_memory_is_as_strong_as_it_is_important() -> None:
    assert initial_strength("fact", 0.8, 0.3) == 0.8
    assert initial_strength("summary", 0.8, 1.0) == 0.8
    assert initial_strength("belief", 0.8, 0.5) == 0.4
    assert initial_strength("belief", 0.5, 0.1) == initial_strength("fact", 0.0, 1.0)
    assert initial_strength("fact", 0.0, 1.0) == LEAST_AT_BIRTH


def test_time_never_runs_backwards() -> None:
    assert strength_now(0.8, BORN, after(-500), "fact", 0.5, RATES) == 0.8


def test_days_add_up() -> None:
    """Read once or a hundred times on the way: the strength is the same."""
    once = strength_now(0.9, BORN, after(60), "belief", 0.3, RATES)
    step = 0.9
    for day in range(60):
        step = strength_now(step, after(day), after(day + 1), "belief", 0.3, RATES)
    assert once == pytest.approx(step)


@given(
    st.floats(DecayConfig().archive, 1),
    st.sampled_from(KINDS),
    shares,
    st.tuples(*[st.floats(0.0001, 0.999)] * 3),
)
def test_the_end_is_where_the_formula_says(
    base: float, kind: Kind, importance: float, rates: tuple[float, float, float]
) -> None:
    config = DecayConfig(*rates)
    end = fades_at(base, BORN, kind, importance, config)
    assert end is not None
    assert strength_now(base, BORN, end, kind, importance, config) == pytest.approx(
        DecayConfig().archive, rel=1e-6
    )
    second = timedelta(seconds=1)
    earlier = strength_now(base, BORN, end - second, kind, importance, config)
    later = strength_now(base, BORN, end + second, kind, importance, config)
    assert end == BORN or earlier > DecayConfig().archive
    assert later < DecayConfig().archive


@given(shares, st.sampled_from(KINDS), shares, st.tuples(shares, shares, shares))
def test_any_rate_that_can_be_set_can_be_reckoned_with(
    base: float, kind: Kind, importance: float, rates: tuple[float, float, float]
) -> None:
    decay = Decay(DecayConfig(*rates), lambda: after(3))
    assert 0 <= decay.strength(base, BORN, kind, importance) <= base
    end = decay.end(base, BORN, kind, importance)
    assert end is None or end >= BORN


def test_what_does_not_fall_never_ends() -> None:
    assert fades_at(0.5, BORN, "fact", 0.5, DecayConfig(fact=0.0)) is None
    assert fades_at(0.5, BORN, "fact", 0.5, DecayConfig(fact=1e-9)) is None
    assert fades_at(0.04, BORN, "fact", 0.5, DecayConfig(fact=0.0)) == BORN
    assert fades_at(0.5, BORN, "fact", 0.0, DecayConfig(fact=1.0)) == BORN


def test_how_long_memories_last() -> None:
    """What a person may expect: guesses go within weeks, what matters stays for years."""
    days = {
        (kind, importance): (end - BORN).days
        for kind, importance in (("belief", 0.3), ("fact", 0.5), ("fact", 1.0))
        if (end := fades_at(importance, BORN, kind, importance, RATES))  # type: ignore[arg-type]
    }
    assert days == {
        ("belief", 0.3): 29,
        ("fact", 0.5): int(math.log(0.1) / math.log(0.994)),
        ("fact", 1.0): 747,
    }


def test_what_is_archived_when_is_a_setting() -> None:
    early = fades_at(1.0, BORN, "fact", 0.5, DecayConfig(archive=0.5))
    late = fades_at(1.0, BORN, "fact", 0.5, DecayConfig())
    assert early is not None
    assert late is not None
    assert early < late
    assert fades_at(0.4, BORN, "fact", 0.5, DecayConfig(archive=0.5)) == BORN
