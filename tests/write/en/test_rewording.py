from __future__ import annotations

import pytest

from loxodon.write.en.rewording import by_role, reworded
from tests.write.en.talk import contents, the


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a dubbing house took me on", "i got hired by a dubbing house"),
        ("the Lyric let me go in spring", "i was let go from the Lyric in spring"),
        ("no car, so nothing out of town", "i have no car"),
        ("no worries", "no worries"),
        ("Odile took me to Bruges", "Odile took me to Bruges"),
        ("never again a tenant with drums", "i never want a tenant with drums again"),
    ],
)
def test_a_turn_of_phrase_is_put_into_plain_words(text: str, plain: str) -> None:
    assert reworded(text) == plain


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("plumber Jakub said no", "my plumber Jakub said no"),
        ("president Kekkonen was tall", "president Kekkonen was tall"),
        ("lunch Tuesday was fine", "lunch Tuesday was fine"),
    ],
)
def test_who_is_named_by_their_work_is_the_users(text: str, owned: str) -> None:
    assert by_role(text) == owned


def test_a_new_employer_is_read_from_who_took_the_user_on() -> None:
    assert the("a dubbing house took me on", attribute="employer").value == "dubbing house"


def test_what_the_user_has_not_is_kept() -> None:
    assert contents("no siblings, hence all of it lands on me") == ["The user has no siblings"]
