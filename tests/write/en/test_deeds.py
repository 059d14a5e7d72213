from __future__ import annotations

import pytest

from loxodon.write.en import deeds


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("I've moved your 3pm to Friday.", "The assistant moved the user's 3pm to Friday"),
        (
            "Done! I've booked a table for you at eight.",
            "The assistant booked a table for the user at eight",
        ),
    ],
)
def test_what_the_assistant_did_is_told_in_the_third_person(text: str, deed: str) -> None:
    assert deeds(text) == [deed]


@pytest.mark.parametrize(
    "text",
    [
        "You could move it to Friday.",
        "Would you like me to book a table?",
        "Paris is the capital of France.",
        "I think walking helps.",
        "",
    ],
)
def test_advice_and_offers_are_no_deeds(text: str) -> None:
    assert deeds(text) == []
