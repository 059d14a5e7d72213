"""What is said of one subject after "and" is a clause of its own."""

from __future__ import annotations

import pytest

from loxodon.language.en.clauses import clauses_of


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "My daughter Ida is 7 and allergic to nuts",
            ["My daughter Ida is 7", "My daughter Ida is allergic to nuts"],
        ),
        (
            "My son Leo is allergic to milk and loves trains",
            ["My son Leo is allergic to milk", "My son Leo loves trains"],
        ),
        ("I'm 34, and also vegan", ["I am 34", "I am vegan"]),
        ("I live in York and work at the mill", ["I live in York", "I work at the mill"]),
        ("I'm allergic to milk and eggs", ["I am allergic to milk and eggs"]),
        ("My boss is sick and tired of it", ["My boss is sick and tired of it"]),
        ("We like rock and roll", ["We like rock and roll"]),
    ],
)
def test_predicates_that_share_a_subject(sentence: str, parts: list[str]) -> None:
    found = clauses_of(sentence, {})
    assert [one.text for one in found] == parts
    assert len({one.subject for one in found}) == 1
