"""The labelled cases are well formed, and the held-out part is not the other one again."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"
ASKED = {
    "add": {"present"},
    "update": {"present"},
    "belief": {"present", "kind"},
    "supersede": {"present", "absent"},
    "retract": {"absent"},
    "repeat": {"once"},
    "never": {"absent"},
}


PARTS = ("dev", "held", "fresh")


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_case_is_well_formed(language: str, part: str) -> None:
    for case in cases(f"{language}_{part}.jsonl"):
        assert set(case) == {"id", "about", "turns", "checks"}, case["id"]
        assert any(turn["role"] == "user" for turn in case["turns"]), case["id"]
        times = [datetime.fromisoformat(turn["at"]) for turn in case["turns"]]
        assert times == sorted(times), case["id"]
        for check in case["checks"]:
            assert check.keys() - {"type"} == ASKED[check["type"]], (case["id"], check)
            for groups in (check.get(key, []) for key in ("present", "absent", "once")):
                assert all(group and all(group) for group in groups), (case["id"], check)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_there_are_enough_of_each_kind_and_none_twice(language: str) -> None:
    dev, held, fresh = (cases(f"{language}_{part}.jsonl") for part in PARTS)
    ids = [case["id"] for case in dev + held + fresh]
    assert len(ids) == len(set(ids)) >= 200
    unseen = held + fresh
    said = [{turn["content"] for turn in one["turns"] if turn["role"] == "user"} for one in unseen]
    known = [{turn["content"] for turn in case["turns"] if turn["role"] == "user"} for case in dev]
    assert not any(one == other for one in said for other in known)
    for part in (dev, held, fresh):
        kinds = Counter(check["type"] for case in part for check in case["checks"])
        assert set(kinds) == set(ASKED)
