from __future__ import annotations

import pytest

from tests.write.en.talk import statements


@pytest.mark.parametrize(
    ("turn", "content", "basis"),
    [
        ("i might be coeliac", "The user might be coeliac", "might be"),
        ("pretty sure i've got gout", "The user probably has gout", "pretty sure"),
        ("I think my boss is leaving soon", "The user's boss is probably leaving soon", "I think"),
        (
            "mum says my gran is moving to Hove",
            "The user's gran is probably moving to Hove",
            "mum says",
        ),
    ],
)
def test_what_is_hedged_or_told_is_a_belief(turn: str, content: str, basis: str) -> None:
    found = next(one for one in statements(turn) if one.confidence < 1)
    assert (found.content, found.basis) == (content, basis)


def test_an_opinion_is_no_guess() -> None:
    (found,) = statements("I think I prefer tea")
    assert (found.content, found.confidence) == ("The user prefers tea", 1.0)


def test_a_plain_statement_is_certain() -> None:
    (found,) = statements("I keep goats")
    assert (found.confidence, found.basis) == (1.0, "")
