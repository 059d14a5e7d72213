"""A statement comes back from the worklog as it was put there."""

from __future__ import annotations

import pytest

from loxodon.language.statements import Mention, Statement
from loxodon.write.codec import from_json, to_json
from loxodon.write.extract import Candidate
from tests.clock import NOW

FULL = Statement(
    '用户的妹妹小美 "住" 在大阪\n🐘\u202e\x07',
    "小美",
    "home",
    "大阪",
    "relation",
    "correct",
    ("东京", "it's \\ here"),
    False,
    0.6,
    "可能吧",
    (Mention("小美", "person", ("妹妹", "Mei")), Mention("大阪", "place")),
    "家",
    "家庭",
    (0, 3),
)


@pytest.mark.parametrize(
    "candidate",
    [
        Candidate(Statement("The user lives in Leeds"), "en", 0.5, NOW),
        Candidate(FULL, "zh", 1.0, NOW, NOW, NOW, NOW),
        Candidate(FULL._replace(confidence=0.1 + 0.2), "zh", 1 / 3, NOW, due_at=NOW),
        Candidate(Statement(""), "en", 0.0, NOW, expires_at=NOW),
        Candidate(FULL, "zh", 0.9, NOW, tags=("大阪",), does="update", target="f_1"),
    ],
)
def test_a_candidate_comes_back_as_it_was(candidate: Candidate) -> None:
    assert from_json(to_json(candidate)) == candidate
