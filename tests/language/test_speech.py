"""What tells nothing of whoever says it is not read."""

from __future__ import annotations

import pytest

from tests.cases import cases
from tests.each import each
from tests.language.told import reading, rules, told

EXAMPLES = [
    (language, one["name"], one["example"])
    for language in ("en", "zh")
    for one in rules(language).grammar.speech.table["never"]
]


@each(("language", "name", "text"), EXAMPLES)
def test_what_is_never_read(language: str, name: str, text: str) -> None:
    assert rules(language).grammar.speech.never(text) == name
    assert told(language, text) == []


@each(("language", "text", "pieces"), cases(__file__, "kinds_of_sentences"))
def test_kinds_of_sentences(language: str, text: str, pieces: list[list[str]]) -> None:
    assert [[*one] for one in rules(language).split(text)] == pieces


@each(("language", "text", "importance"), cases(__file__, "importance"))
def test_importance_follows_from_what_is_said_and_how(
    language: str, text: str, importance: float
) -> None:
    (found,) = told(language, text)
    assert found.importance == importance


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "haha just kidding"), ("en", "April fools!"), ("zh", "逗你玩的"), ("zh", "开玩笑的啦")],
)
def test_what_was_not_meant_is_taken_back(language: str, text: str) -> None:
    assert reading(language, text).takes_back
