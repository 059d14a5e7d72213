"""What a message says: by frames, in its own words, or nothing."""

from __future__ import annotations

import pytest

from loxodon.language.statements import PriorTurn
from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.language.told import framed, told


def test_several_things_in_one_message() -> None:
    assert framed("zh", "我叫张三，在北京工作，明天要开会")[:2] == ["用户叫张三", "用户在北京工作"]
    assert framed("en", "My name is Tom and I live in Leeds. What's the weather like?") == [
        "The user's name is Tom",
        "The user lives in Leeds",
    ]


@each(("language", "text"), cases(__file__, "nothing_is_read"))
def test_what_is_asked_passing_handed_over_or_about_nobody_is_not_read(
    language: str, text: str
) -> None:
    assert told(language, text) == []


def test_what_follows_from_a_fact_does_not_hide_it() -> None:
    assert framed("en", "My daughter is allergic to hazelnuts so no nutella recipes please") == [
        "The user's daughter is allergic to hazelnuts"
    ]


def test_people_around_the_user_are_subjects_of_their_own() -> None:
    who, what = told("en", "My sister Mei lives in Osaka")
    assert (who.content, who.attribute, who.value) == ("Mei is the user's sister", "sibling", "Mei")
    assert (what.subject, what.attribute, what.value) == ("Mei", "home", "Osaka")
    (later,) = told("en", "Mei moved to Tokyo", known={"sister": "Mei"})
    assert (later.subject, later.value, later.act) == ("Mei", "Tokyo", "change")


def test_what_is_over_names_what_it_ends() -> None:
    (found,) = told("en", "I no longer work at Tesco")
    assert (found.content, found.act, found.over) == (
        "The user no longer works at Tesco",
        "end",
        ("work at Tesco",),
    )


def test_what_was_hedged_is_a_belief() -> None:
    (found,) = told("en", "I think my boss Ana lives in Porto")[1:]
    assert found.confidence < 1


def test_own_words_are_kept_as_they_were_said() -> None:
    text = "I restore old clocks in my shed and sell them at the Ludlow market"
    (found,) = told("en", text)
    assert found.quoted
    assert found.content == f"The user: “{text}”"
    assert found.importance <= 0.6


def test_a_request_at_the_end_is_not_kept() -> None:
    (found,) = told("en", "I coach the under 10s at Ashbourne FC on sundays, can you plan drills")
    assert found.content == "The user: “I coach the under 10s at Ashbourne FC on sundays”"


def test_nothing_is_read_from_a_game() -> None:
    before = [PriorTurn("user", "Let's role-play: you are a knight and I am the king", NOW)]
    assert told("en", "I live in Camelot and my name is Arthur", before=before) == []


@each(("language", "text", "found"), cases(__file__, "pronouns"))
def test_a_pronoun_means_somebody_only_where_nobody_else_can_be_meant(
    language: str, text: str, found: list[str]
) -> None:
    assert framed(language, text) == found


@each(("language", "text", "asks"), cases(__file__, "a_wish_within_a_task_is_none"))
def test_a_wish_within_a_task_is_none(language: str, text: str, asks: bool) -> None:
    assert [one.attribute for one in told(language, text)] == ["reply_style"] * asks


def test_a_wish_after_a_task_is_about_the_task() -> None:
    before = [PriorTurn("user", "Write me a bio for my page", NOW)]
    assert told("en", "no emojis please", before=before) == []
    assert len(told("en", "never use emojis", before=before)) == 1


@each(("language", "text", "read"), cases(__file__, "orders"))
def test_the_order_of_what_is_told_of_somebody_does_not_matter(
    language: str, text: str, read: str
) -> None:
    assert read in framed(language, text)


@each(("language", "text", "read"), cases(__file__, "a_name_belongs_to_what_it_names"))
def test_a_name_belongs_to_what_it_names(language: str, text: str, read: str) -> None:
    (one,) = told(language, text)
    assert one.content == read
    assert one.mentions[0].name in read


@each(("language", "text"), cases(__file__, "a_guess_or_somebody_of_the_past_takes_nobody_s_place"))
def test_a_guess_or_somebody_of_the_past_takes_nobody_s_place(language: str, text: str) -> None:
    found = told(language, text)
    assert all(one.quoted and one.act == "state" and not one.over for one in found), found
    assert not any(mention.aliases for one in found for mention in one.mentions), found


def test_a_name_within_another_is_somebody_else_s() -> None:
    assert framed("en", "I have a son called Benjamin. Ben is my son.") == [
        "The user has a son called Benjamin",
        "Ben is the user's son",
    ]


def test_a_name_that_belongs_to_nobody_clearly_is_kept_in_own_words() -> None:
    text = "I have a son, his name is Leo and a daughter, her name is Mia."
    assert any(one.quoted and "Mia" in one.content for one in told("en", text))


@each(("language", "text", "name"), cases(__file__, "placed"))
def test_only_who_is_told_and_named_is_somebody_to_the_user(
    language: str, text: str, name: str
) -> None:
    places = ("manager", "partner", "doctor", "landlord")
    found = [one.value for one in told(language, text) if one.attribute in places]
    assert found == [name] * bool(name)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "sold the piano btw. 900. nobody played it since mum died"),
        ("en", "took the night job. started may 4. tue-sat at the depot"),
        ("zh", "员工辞职了，小美走了去新加坡。剩我和阿强两个顶"),
    ],
)
def test_sentences_side_by_side_are_kept_together(language: str, text: str) -> None:
    (found,) = [one for one in told(language, text) if one.quoted]
    assert text in found.content


def test_an_answer_is_kept_with_what_was_asked() -> None:
    asked = PriorTurn("assistant", "Nice walk! Is Biscuit a big dog?", NOW)
    (found,) = told("en", "no, a cavapoo, 4 years old", before=[asked])
    expected = "The user, asked “Is Biscuit a big dog?”: “no, a cavapoo, 4 years old”"
    assert found.content == expected
    assert told("en", "lol no", before=[asked]) == []
