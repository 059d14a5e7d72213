"""One test for many cases fails with all that fail, and with those only."""

from __future__ import annotations

import pytest

from tests.each import each


def test_all_that_fail_are_told() -> None:
    seen = []

    @each("one, other", [(1, 1), (1, 2), (2, 2), (3, 4)])
    def same(one: int, other: int) -> None:
        seen.append(one)
        assert one == other, "they differ"

    with pytest.raises(AssertionError) as told:
        same()
    assert seen == [1, 1, 2, 3]
    assert "2 of 4 cases fail" in str(told.value)
    assert "(1, 2)" in str(told.value)
    assert "(3, 4)" in str(told.value)
    assert "(2, 2)" not in str(told.value)


def test_an_error_that_does_not_come_is_a_failure() -> None:
    @each("text", ["1", "x"])
    def refused(text: str) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(AssertionError, match="1 of 2 cases"):
        refused()


@each("number", [1, 2])
@each("other", [10, 20])
def test_lists_are_multiplied_and_fixtures_given(
    number: int, other: int, request: pytest.FixtureRequest
) -> None:
    assert (number + other) in (11, 21, 12, 22)
    assert request.node.name == "test_lists_are_multiplied_and_fixtures_given"


def test_without_cases_there_is_no_test() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        each("one", [])(lambda one: None)
