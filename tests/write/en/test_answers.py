from __future__ import annotations

import pytest

from tests.write.en.talk import contents


@pytest.mark.parametrize(
    ("question", "answer", "content"),
    [
        ("What's your name?", "Una", "The user is called Una"),
        ("Where are you based?", "Lund", "The user lives in Lund"),
        ("What do you do?", "florist", "The user is a florist"),
        ("What do you study?", "law", "The user studies law"),
        ("Which airport?", "Gatwick", "The user's airport is Gatwick"),
        ("Which airport do you fly from?", "Gatwick", "The user flies from Gatwick"),
        ("How many students?", "about 15", "The user has about 15 students"),
        ("Do you prefer aisle or window?", "aisle", "The user prefers aisle"),
        ("Any allergies?", "just wasps", "The user is allergic to wasps"),
        ("Are you still off dairy?", "yep", "The user is still off dairy"),
        ("Oak or pine?", "pine", "The user decided on pine"),
    ],
)
def test_a_short_answer_takes_the_question_for_its_frame(
    question: str, answer: str, content: str
) -> None:
    assert contents("hi", f"A: {question}", answer) == [content]


@pytest.mark.parametrize("answer", ["hmm not sure", "why do you ask", "ok"])
def test_no_answer_gives_no_sentence(answer: str) -> None:
    assert contents("hi", "A: Which airport?", answer) == []


@pytest.mark.parametrize(
    "text", ["I'm Tom.", "I am Tom.", "Hi! I am Tom", "I'm Tom, nice to meet you!"]
)
def test_who_is_speaking(text: str) -> None:
    assert contents(text) == ["The user's name is Tom"]
    assert contents("I am happy") == []
