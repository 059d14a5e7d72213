"""Whether a clock is believed: a pure decision over what was seen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loxodon.store.clock_check import BACK, FLOOR, STEP, believed_at, doubted, seen
from loxodon.types import Belief
from tests.clock import NOW
from tests.each import each

DAY = timedelta(days=1)


def after(*moments: datetime, start: Belief | None = None) -> Belief:
    belief = start if start is not None else Belief(NOW)
    for moment in moments:
        belief = seen(belief, moment)
    return belief


def test_the_first_moment_is_believed() -> None:
    assert seen(Belief(), NOW) == Belief(NOW)


@each(
    "step",
    [timedelta(0), timedelta(hours=1), timedelta(hours=-1), timedelta(hours=-14), -BACK, STEP],
)
def test_what_zones_summer_time_and_holidays_do_is_believed(step: timedelta) -> None:
    assert after(NOW + step).since is None
    assert after(NOW + step).at == max(NOW, NOW + step)


def test_steps_back_do_not_add_up() -> None:
    assert after(*(NOW - n * BACK for n in range(1, 5))).since is not None


@pytest.mark.parametrize(
    ("jump", "wait"),
    [
        (STEP + DAY, 32 * DAY / 30),
        (90 * DAY, 3 * DAY),
        (-10 * DAY, DAY),
        (3650 * DAY, 3650 * DAY / 30),
    ],
)
def test_a_jump_is_believed_when_time_has_gone_on(jump: timedelta, wait: timedelta) -> None:
    jumped = after(NOW + jump)
    assert (jumped.at, jumped.since) == (NOW, NOW + jump)
    assert believed_at(jumped) == NOW + jump + wait
    looks = [NOW + jump + n * DAY for n in range(1, int(wait / DAY))]
    almost = after(NOW + jump, *looks, NOW + jump + wait - timedelta(minutes=1))
    assert almost.since == NOW + jump
    assert after(NOW + jump + wait, start=almost) == Belief(NOW + jump + wait)


def test_a_second_jump_begins_the_wait_anew() -> None:
    belief = after(NOW + 100 * DAY, NOW + 200 * DAY)
    assert belief.since == NOW + 200 * DAY
    assert after(NOW + 100 * DAY, NOW + 200 * DAY, NOW + 101 * DAY).since == NOW + 101 * DAY


def test_a_clock_that_comes_back_is_believed_at_once() -> None:
    assert after(NOW + 3650 * DAY, NOW + 3651 * DAY, NOW + DAY) == Belief(NOW + DAY)
    assert after(NOW - 3650 * DAY, NOW + DAY) == Belief(NOW + DAY)


@pytest.mark.parametrize("lost", [datetime(1970, 1, 1, tzinfo=UTC), FLOOR - DAY])
def test_where_clocks_begin_is_never_believed(lost: datetime) -> None:
    looks = [lost + n * DAY for n in range(400) if lost + n * DAY < FLOOR]
    for start in (Belief(), Belief(NOW)):
        belief = after(*looks, start=start)
        assert belief.at == start.at
        assert believed_at(belief) is None
        assert doubted(belief, looks[-1]) is not None
        assert after(NOW, start=belief) == Belief(NOW)
    assert after(*looks, start=Belief(lost)).since is None  # the user has said so
