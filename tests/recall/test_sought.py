"""What a question is after, by the attribute that a memory files it under."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from loxodon.recall.sought import USER, sought
from loxodon.recall.understand import understand
from tests.each import each

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@each(
    ("question", "attribute"),
    [
        ("Where do I live?", "home"),
        ("我住在哪儿？", "home"),
        ("Where do I work?", "employer"),
        ("我在哪家公司上班？", "employer"),
        ("What am I allergic to?", "allergy"),
        ("我不能吃什么？", "allergy"),
        ("What food should I avoid?", "avoids"),
        ("How old am I?", "age"),
        ("我多大了？", "age"),
        ("Who is my boss?", "manager"),
        ("我老板是谁？", "manager"),
        ("Who is my fiancée?", "partner"),
        ("我男朋友叫什么？", "partner"),
        ("How long is my commute?", "commute"),
        ("我妹妹叫什么？", "sibling"),
    ],
)
def test_what_is_asked_for_has_a_name(question: str, attribute: str) -> None:
    assert (USER, attribute) in sought(understand(question, NOW))


@pytest.mark.parametrize(
    "question", ["Which trains go to Leeds?", "天气怎么样？", "tell me a joke"]
)
def test_other_questions_are_after_nothing_of_the_kind(question: str) -> None:
    assert sought(understand(question, NOW)) == {}


@each(
    ("question", "asked", "told"),
    [
        ("What am I allergic to?", "allergy", "condition"),
        ("我对什么过敏？", "allergy", "condition"),
        ("我有什么病？", "condition", "medication"),
        ("Where do I live?", "home", "living_with"),
    ],
)
def test_what_tells_of_it_is_not_what_is_asked_for(question: str, asked: str, told: str) -> None:
    found = sought(understand(question, NOW))
    assert (found[USER, asked], found[USER, told]) == (True, False)


@each(
    ("question", "own"),
    [
        ("What does my cousin do for a living?", False),
        ("我父亲做什么工作？", False),
        ("我老公住哪儿？", False),
        ("What do I do for a living?", True),
        ("我做什么工作？", True),
        ("What is my date of birth, when was I born?", True),
    ],
)
def test_what_is_asked_of_another_is_not_sought_of_the_user(question: str, own: bool) -> None:
    attributes = {"occupation", "home", "birthday"}
    found = {name for _, name in sought(understand(question, NOW))} & attributes
    assert bool(found) is own


def test_english_words_match_where_they_begin() -> None:
    assert (USER, "age") not in sought(understand("What is my language course?", NOW))
