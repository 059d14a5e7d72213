from __future__ import annotations

import pytest

from tests.write.en.talk import contents


@pytest.mark.parametrize(
    ("asked", "answer", "content"),
    [
        ("How old are your sons?", "Six and ten.", "The user's sons are six and ten"),
        (
            "How long have you been rowing?",
            "About nine years",
            "The user has been rowing for about nine years",
        ),
        ("Which town are you moving to?", "Delft", "The user is moving to Delft"),
        (
            "Have you ever been to Malta?",
            "Twice, in 2012",
            "The user has been to Malta twice, in 2012",
        ),
        ("Where did you study?", "Uppsala", "The user studied in Uppsala"),
        ("What does your sister do?", "arborist", "The user's sister is an arborist"),
        ("Since when have you lived abroad?", "2021", "The user has lived abroad since 2021"),
        ("Who feeds the hens?", "Gitte, mostly", "Gitte feeds the hens"),
        ("When do you leave?", "Friday", "The user leaves on Friday"),
        ("What does your sister do?", "no idea", ""),
        ("What's your cat's name?", "Her name is Biscuit", "The user's cat is called Biscuit"),
    ],
)
def test_a_short_answer_completes_the_question(asked: str, answer: str, content: str) -> None:
    found = contents(f"A: {asked}", answer)
    assert content in found if content else not found
