"""How well conversations become knowledge, on a part of the labelled cases: a guard against falling
back. `make bench-consolidation` counts all of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from consolidation import consolidated, holds

CASES = Path(__file__).parent / "cases"
EVERY = 5
"""Every fifth case is enough to notice, and fast."""
LEAST = {
    ("zh", "add"): 0.48, ("zh", "change"): 0.36, ("zh", "never"): 0.95,
    ("en", "add"): 0.57, ("en", "change"): 0.53, ("en", "never"): 0.93,
}  # fmt: skip
"""Shares of the checks, a few points below what was measured."""
GROUPS = {"update": "change", "supersede": "change", "retract": "change"}


def some_cases(language: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{language}_dev.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[::EVERY]]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_conversations_become_knowledge(language: str) -> None:
    asked: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for case in some_cases(language):
        kept = consolidated(case)
        for check in case["checks"]:
            group = GROUPS.get(check["type"], check["type"])
            asked[group] += 1
            passed[group] += holds(check, kept)
    for group in ("add", "change", "never"):
        assert passed[group] / asked[group] >= LEAST[language, group], (group, passed, asked)
