"""Unseen conversations, a few of each author; `python -m tests.unseen` plays all of one."""

from __future__ import annotations

import pytest

from tests.long import count, figure
from tests.unseen.judge import CASES, JUDGES, cases

STEP = count(40, 1)
"""The short form plays every fortieth case."""
MENDED = ("a", "b", "c")
"""Authors whose cases the code was changed for; what the others show is in docs/benchmarks.md."""
FLOOR = {"changes": 0.88, "origin": 0.9, "secrets_told": 0.85, "forget_requests": 0.6}
"""The share that must be right at least; docs/benchmarks.md has what was measured."""


@pytest.mark.parametrize("name", JUDGES)
def test_unseen_conversations(name: str) -> None:
    asked = [case for author in MENDED for case in cases(name, CASES / author)][::STEP]
    wrong = {f"{one['id']} {one['kind']}": found for one in asked if (found := JUDGES[name](one))}
    figure("unseen", set=name, cases=len(asked), wrong=len(wrong))
    assert len(wrong) <= (1 - FLOOR[name]) * len(asked), wrong
