"""The labelled cases are well formed, and the held-out part is not the other one again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loxodon.cli.bench import CHECKS, as_case, read
from tests.each import each

CASES = Path(__file__).parent / "cases"
PARTS = ("dev", "held", "fresh")


def cases(name: str) -> list[Any]:
    return read(str(CASES / name), as_case)


def of_user(case: Any) -> set[str]:
    return {turn["content"] for turn in case["turns"] if turn["role"] == "user"}


@each("part", PARTS)
@each("language", ["zh", "en"])
def test_every_case_says_and_asks_something(language: str, part: str) -> None:
    for case in cases(f"{language}_{part}.jsonl"):
        assert case["checks"], case["id"]
        assert of_user(case), case["id"]
        times = [turn["at"] for turn in case["turns"]]
        assert times == sorted(times), case["id"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_there_are_enough_of_each_kind_and_none_twice(language: str) -> None:
    dev, held, fresh = (cases(f"{language}_{part}.jsonl") for part in PARTS)
    ids = [case["id"] for case in dev + held + fresh]
    assert len(ids) == len(set(ids)) >= 200
    known = list(map(of_user, dev))
    assert not any(of_user(one) in known for one in held + fresh)
    for part in (dev, held, fresh):
        kinds = Counter(check["type"] for case in part for check in case["checks"])
        assert set(kinds) == set(CHECKS)
