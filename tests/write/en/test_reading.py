from __future__ import annotations

import pytest

from loxodon.language.statements import USER
from tests.write.en.talk import contents, said_last, statements


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        (
            "For my aunt's birthday, I got her a kettle",
            "The user got the user's aunt a kettle for their aunt's birthday",
        ),
        ("When I was ten I lived in Cork", "The user lived in Cork when the user was ten"),
        (
            "I joined a choir, which meets in the old mill",
            "The user joined a choir, which meets in the old mill",
        ),
        (
            "One of my cousins, Radek, is opening a bar",
            "One of the user's cousins, Radek is opening a bar",
        ),
        ("Nobody in my family drives on Sundays", "Nobody in the user's family drives on Sundays"),
        ("What I really enjoy is carving spoons", "The user really enjoys carving spoons"),
        (
            'I took a course called "Bread for Absolute Beginners" in May',
            'The user took a course called "Bread for Absolute Beginners" in May',
        ),
        ("It takes me an hour to get to work", "It takes the user an hour to get to work"),
        (
            "Most of our readers are from the US and Canada",
            "Most of the user's readers are from the US and Canada",
        ),
    ],
)
def test_a_plain_sentence_is_kept_whole(turn: str, content: str) -> None:
    assert content in contents(turn)


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ("not a city person", "The user is not a city person"),
        ("just off a night shift at St Anne's", "The user is just off a night shift at St Anne's"),
        (
            "no kids, no car, just me and 12 hens",
            "The user has no kids, no car, just the user and 12 hens",
        ),
        ("our trip: Lake Como, 4 nights", "The user's trip is Lake Como, 4 nights"),
        ("Myself Anil, from Surat", "The user is Anil, from Surat"),
    ],
)
def test_what_lacks_subject_and_verb_is_said_of_the_user(turn: str, content: str) -> None:
    assert content in contents(turn)


def test_what_is_added_of_the_same_thing_joins_it() -> None:
    found = contents("I bought a loom in Bergen, it cost me 600 euros.")
    assert found == ["The user bought a loom in Bergen, and it cost the user 600 euros"]


def test_a_detail_put_after_a_sentence_joins_it() -> None:
    assert contents("i keep bees in Kent. 12 hives") == ["The user keeps bees in Kent, 12 hives"]


@pytest.mark.parametrize(
    "turn",
    [
        "Quick question: my niece Runa is vegan, what can I bake?",
        "What can I bake, given that my niece Runa is vegan?",
    ],
)
def test_what_a_question_rests_on_is_read(turn: str) -> None:
    assert any("vegan" in content for content in contents(turn))


@pytest.mark.parametrize(
    "turn",
    [
        "I'm looking for some book recommendations.",
        "I was wondering if you could help me with my essay.",
        "I'd like to know how tides work.",
        "I have a question about tides.",
        "In my novel, the baker Osric lives in Bruges.",
        "Suppose my name is Bob and I live in Ohio.",
        "In a perfect world I'd live in Cornwall.",
        "my phone's at 3%",
    ],
)
def test_a_wish_for_help_or_an_invention_is_no_fact(turn: str) -> None:
    assert not statements(turn)


@pytest.mark.parametrize(
    "turn",
    ["I'll definitely check out Hoi An.", "i might look into that", "I like the idea of Hoi An"],
)
def test_an_idea_merely_accepted_is_no_fact(turn: str) -> None:
    verdicts, found = said_last("A: You could visit Hoi An.", turn)
    assert not found
    assert verdicts[0].reason == "accepted"


def test_what_a_thing_is_called_is_not_the_users_name() -> None:
    for turn in ("Our main branch is called trunk", "My gran's maiden name was Orlova"):
        assert all(one.subject != USER for one in statements(turn))
