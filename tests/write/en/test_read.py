from __future__ import annotations

import pytest

from loxodon.language.statements import USER
from tests.write.en.talk import contents, statements, the


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ("i work nights at a bakery in Lund", "The user works nights at a bakery in Lund"),
        ("we've moved our piano upstairs", "The user has moved their piano upstairs"),
        ("im vegan btw", "The user is vegan"),
        ("been off work since may", "The user has been off work since May"),
        ("can't stand olives lol", "The user can't stand olives"),
        ("my knees are dodgy tbh", "The user's knees are dodgy"),
        ("dad's a welder", "The user's dad is a welder"),
        ("me and my cousin Leo run a bar", "The user and their cousin Leo run a bar"),
        ("since 2020 I live in Lyon", "The user lives in Lyon since 2020"),
        ("they've cancelled my scan", "The user's scan was cancelled"),
        ("pollen gives me hives", "Pollen gives the user hives"),
        ("BSL is my first language", "The user's first language is BSL"),
        ("budget 900", "The user's budget is 900"),
        ("2 kids and a mortgage", "The user has 2 kids and a mortgage"),
        ("interview thursday at 2", "The user has an interview on Thursday at 2"),
    ],
)
def test_what_is_said_becomes_a_sentence_in_the_third_person(turn: str, content: str) -> None:
    assert content in contents(turn)


@pytest.mark.parametrize(
    ("turn", "attribute", "value"),
    [
        ("I live in Hull", "home", "Hull"),
        ("i'm based in Hull these days", "home", "Hull"),
        ("I work for Acme", "employer", "Acme"),
        ("I'm a paediatric nurse", "occupation", "paediatric nurse"),
        ("I'm 41", "age", "41"),
        ("I'm from Porto originally", "hometown", "Porto"),
        ("i've got asthma", "condition", "asthma"),
        ("I'm on metformin", "medication", "metformin"),
        ("i hate olives", "dislikes", "olives"),
        ("really into bouldering", "likes", "bouldering"),
        ("I drive a Skoda Fabia", "car", "Skoda Fabia"),
        ("I speak Welsh", "language", "Welsh"),
        ("my budget is 900", "budget", "900"),
        ("favourite film is Alien", "favourite", "Alien"),
    ],
)
def test_kinds_of_facts_are_recognised(turn: str, attribute: str, value: str) -> None:
    assert the(turn, attribute=attribute).value == value


def test_someone_is_introduced_once_by_name_and_relation() -> None:
    found = statements("my sister Ingrid is a vet in Bergen")
    assert {one.content for one in found} == {
        "The user's sister Ingrid is a vet in Bergen",
        "Ingrid is the user's sister",
    }
    about = next(one for one in found if one.attribute == "occupation")
    assert (about.subject, about.value) == ("Ingrid", "vet")
    mention = next(one for one in about.mentions if one.name == "Ingrid")
    assert (mention.type, mention.aliases) == ("person", ("sister",))


def test_a_pronoun_means_whom_was_named_last() -> None:
    assert contents("my aunt Ulla is visiting", "A: Nice!", "she's allergic to nuts") == [
        "Ulla is allergic to nuts"
    ]


def test_a_pronoun_that_means_nobody_known_gives_no_sentence() -> None:
    assert contents("she's allergic to nuts") == []


def test_a_name_in_small_letters_takes_the_form_it_was_seen_in() -> None:
    assert contents("my boss Ulla is lovely", "A: Good.", "ulla moved to Oslo") == [
        "Ulla moved to Oslo"
    ]


def test_several_facts_in_one_sentence() -> None:
    found = contents("I'm 35, live in Ghent and work as a tiler")
    assert "The user is 35" in found
    assert any("lives in Ghent" in one for one in found)


def test_a_job_and_its_place_are_two_facts() -> None:
    found = {one.attribute: one for one in statements("I'm a data engineer at Acme")}
    assert found["occupation"].content == "The user is a data engineer"
    assert found["employer"].content == "The user works at Acme"
    assert found["employer"].subject == USER


def test_a_relative_clause_says_something_of_its_own() -> None:
    assert "The user's cousin Pia is a diver" in contents("a card for my cousin Pia who's a diver")


def test_a_week_is_read_day_by_day() -> None:
    assert contents("mondays i've got band, fridays chess") == [
        "The user has band on Mondays",
        "The user has chess on Fridays",
    ]


@pytest.mark.parametrize(
    "turn",
    [
        "you should know that",
        "it stinks",
        "did it",
        "that one",
        "seen it, sobbed",
        "brian is the boss",
    ],
)
def test_nothing_is_forced(turn: str) -> None:
    assert contents(turn) == []
