"""Secrets in commands, settings and calls: the forms of tools, and what only looks alike."""

from __future__ import annotations

import pytest

from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from tests.cases import cases
from tests.each import each


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@each(("text", "secret"), cases(__file__, "it_is_not_kept"))
def test_it_is_not_kept(guard: Guard, text: str, secret: str) -> None:
    assert secret not in guard.clean(text)


@each("text", cases(__file__, "what_only_looks_like_it_stays"))
def test_what_only_looks_like_it_stays(guard: Guard, text: str) -> None:
    assert guard.shown(guard.clean(text), private=True) == text
