from __future__ import annotations

from threading import Event

import pytest

from loxodon.models.embedders.limits import within


def test_what_is_done_in_time_is_returned_or_raised() -> None:
    assert within(10, lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        within(10, lambda: 1 / 0)


def test_what_takes_too_long_is_left_alone() -> None:
    over = Event()
    with pytest.raises(TimeoutError):
        within(0.01, lambda: over.wait(60))
    over.set()
