"""Which status an error goes out with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loxodon import errors
from loxodon.errors import LoxodonError
from loxodon.serve.http.replies import status_of


def kinds(of: type[LoxodonError]) -> Iterator[type[LoxodonError]]:
    for kind in of.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield kind
            yield from kinds(kind)


@pytest.mark.parametrize("kind", list(kinds(LoxodonError)), ids=lambda kind: kind.code)
def test_every_error_of_ours_has_a_status_that_says_what_to_do(kind: type[LoxodonError]) -> None:
    assert status_of(kind("x")) not in (200, 500)


def test_what_nobody_foresaw_is_ours() -> None:
    assert status_of(LoxodonError("x")) == 500
