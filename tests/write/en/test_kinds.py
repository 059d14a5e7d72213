"""Ways of telling that a neutral reader found unread: notes, lists, clefts, one's own drafts."""

from __future__ import annotations

import pytest

from tests.write.en.talk import contents, statements, the


@pytest.mark.parametrize(
    ("turn", "part"),
    [
        ("orchid grower, two greenhouses, limestone. which feed", "orchid grower, two greenhouses"),
        ("between jobs just now. cheap dinners?", "between jobs"),
        ("ex-army, signals. loud noises are fine", "is ex-army, signals"),
        ("eight months sober! mocktails?", "is eight months sober"),
        ("twelve years of lorry driving. my back is done", "has twelve years of lorry driving"),
        ("mortgage application refused. what now?", "mortgage application was refused"),
        ("the trunk came. oak, Dutch by the lock, from the twenties", "The user's trunk is oak"),
    ],
)
def test_a_note_without_subject_or_verb_is_the_users(turn: str, part: str) -> None:
    assert any(part in content for content in contents(turn))


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ("What I actually do is mend nets in Hull.", "The user mends nets in Hull"),
        ("Three of the boats in the harbour are ours.", "belong to the user"),
        ("hello, Brigitta here, I keep bees near Graz", "The user's name is Brigitta"),
        ("and yes I weave", "The user weaves"),
        ("for my dad (he has Parkinson's) which cutlery?", "Parkinson's"),
    ],
)
def test_a_fact_in_an_unusual_place(turn: str, content: str) -> None:
    assert any(content in one for one in contents(turn))


@pytest.mark.parametrize("turn", ["hi, Nurse here", "Hey, German here", "Looky here", "Same here"])
def test_what_one_is_is_no_name(turn: str) -> None:
    assert not any(one.attribute == "name" for one in statements(turn))


@pytest.mark.parametrize(
    "turn",
    [
        "Finding a good dentist was a long process",
        "Taking care of ourselves is so important",
        "Starting a business takes courage",
        "The kids look so cute in that picture",
        "Maria totally agrees",
        "Respect for finding a way",
        "Having a team around is key",
    ],
)
def test_truths_and_compliments_are_not_kept(turn: str) -> None:
    assert contents(turn) == []


def test_what_a_doing_does_to_the_user_is_said_of_the_doing() -> None:
    assert contents("Painting helps me relax") == ["Painting helps the user relax"]
    assert contents("Drawing birds is one of my joys") == [
        "Drawing birds is one of the user's joys"
    ]
    assert contents("Learning Korean at the moment") == ["The user is learning Korean"]


def test_a_list_of_people_and_what_is_theirs() -> None:
    assert contents("shoe sizes, keep these: Ada 31, Bo 28, me 39") == [
        "Ada's shoe size is 31",
        "Bo's shoe size is 28",
        "The user's shoe size is 39",
    ]
    assert contents("allergies at our table: Otto sesame, Freya egg")[0] == (
        "Otto is allergic to sesame"
    )
    assert "Who drives when: Mo Tuesdays" in contents(
        "who drives when: Mo Tue, Ash Wed, me the rest"
    )


@pytest.mark.parametrize(
    "turn",
    [
        "compare these: apples, pears, plums",
        "scores: Arsenal 3, Chelsea 1",
        "draft: Tom needs help, Ann sings",
    ],
)
def test_another_list_is_nobodys(turn: str) -> None:
    assert not any("'s score" in one or "Tom" in one or "apples" in one for one in contents(turn))


def test_the_last_of_several_objects_may_have_a_name() -> None:
    assert contents("we own a tandem, two kayaks and a van named Bertha") == [
        "The user owns a tandem, two kayaks and a van named Bertha"
    ]


def test_ones_own_profile_is_read_and_another_text_is_not() -> None:
    own = contents('shorten my bio: "I\'m a marine biologist in Split and I breed corals."')
    assert any("marine biologist" in one for one in own)
    assert contents('translate this: "I am a nurse and I live in Rome."') == []
    assert contents('proofread my friend\'s bio: "I am a clown from Nice."') == []
    assert contents('correct the exercise: "I am a pilot and I have three wives."') == []


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ("we sold the boat, mooring fees doubled", "The user sold the boat: mooring fees doubled"),
        (
            "chose the cheaper floor. revisit once the insurance pays",
            "to revisit once the insurance",
        ),
        (
            "no kids until the house is finished",
            "The user wants no kids until the house is finished",
        ),
    ],
)
def test_a_reason_or_a_proviso_goes_with_the_choice(turn: str, content: str) -> None:
    assert any(content in one for one in contents(turn))


def test_who_forbids_or_talks_into_changes_what_the_user_does() -> None:
    banned = the("my physio has banned me from squash", attribute="avoids")
    assert (banned.subject, banned.act, banned.over) == ("user", "end", ("squash",))
    led = the("Jo talked me into clay tiles for the roof", attribute="decision")
    assert (led.subject, led.act, led.value) == ("user", "change", "clay tiles for the roof")


def test_a_phase_that_is_over_and_the_next() -> None:
    over = the("my son Nils is over trains", attribute="likes")
    assert (over.act, over.over) == ("end", ("trains",))
    assert contents("mira's unicorn phase is over") == ["Mira is over unicorns"]
    assert contents("my son's horse phase is over") == ["The user's son is over horses"]
    assert any(
        "into volcanoes" in one for one in contents("Nils is over trains, it's volcanoes now")
    )


@pytest.mark.parametrize(
    "turns",
    [
        ("one sec, the cat just knocked my mug over",),
        ("hang on, my son has spilled juice on me",),
        ("mint! Desmond on the door will cry",),
        ("A: Which colours for the chart?", "teal and grey"),
        ("A: What title should the slide have?", "Growth in Numbers"),
        ("oh yes I live for spreadsheets. not",),
        ("delighted to be stuck in traffic again, honestly",),
        ("I adore queues, said nobody",),
        ("I just love it when the train stops for an hour",),
    ],
)
def test_passing_scenes_task_data_and_irony_are_not_kept(turns: tuple[str, ...]) -> None:
    assert contents(*turns) == []


def test_a_verb_after_a_pronoun_of_nobody_known_is_not_the_users() -> None:
    told = contents("shoes for a man I met, he's tall, fainted at work and skips breakfast")
    assert not any(one.startswith("The user fainted") for one in told)
    told = contents("shoes for my uncle, he's tall, lost two toes to frostbite")
    assert "The user's uncle lost two toes to frostbite" in told


@pytest.mark.parametrize(
    ("turn", "content"),
    [
        ("British spelling, always", "The user wants British spelling to be used"),
        ("emojis are banned", "The user wants the assistant not to use emojis"),
        ("reply in Welsh when I write Welsh", "to reply in Welsh when the user writes Welsh"),
    ],
)
def test_a_standing_wish_without_a_verb_of_wishing(turn: str, content: str) -> None:
    assert any(content in one for one in contents(turn))


def test_news_of_a_birth() -> None:
    born = the("she's here! Nora, 3.4 kilos", attribute="child")
    assert (born.value, born.act) == ("Nora", "change")
