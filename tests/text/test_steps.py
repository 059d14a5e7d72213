from __future__ import annotations

import pytest

from loxodon.text.steps import TooManyStepsError, charge, counted
from loxodon.text.words import index_words


def test_reading_is_counted_by_its_characters() -> None:
    with counted(10_000) as one:
        index_words("tea " * 100)
    with counted(10_000) as two:
        index_words("tea " * 200)
    assert two.done - one.done == 400


def test_too_much_is_refused_and_counted_by_who_counts_around_it() -> None:
    with counted(10_000) as around:
        with counted(500) as inner:
            for _ in range(19):
                charge(10)
            with pytest.raises(TooManyStepsError):
                charge(10)
        charge(10)
    assert 500 < inner.done < around.done < 1_000


def test_nothing_is_refused_where_nobody_counts() -> None:
    charge(10**12)
