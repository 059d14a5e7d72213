"""Nothing of a sentence is lost because a frame has read another part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from tests.clock import NOW
from tests.write.talks import CONFIG, said


def learned(home: Path, text: str) -> list[str]:
    with Memory.open(home, config=CONFIG, clock=lambda: NOW) as memory:
        memory.add(said(text))
        memory.consolidate(force=True)
        return [one.content for one in memory.list() if one.kind == "fact"]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I'm vegetarian and allergic to nuts",
            ["The user is vegetarian", "The user is allergic to nuts"],
        ),
        (
            "I'm diabetic and can't have penicillin",
            ["The user is diabetic", "The user avoids penicillin"],
        ),
        (
            "I'm diabetic and allergic to penicillin",
            ["The user is diabetic", "The user is allergic to penicillin"],
        ),
        (
            "I'm pregnant and allergic to sulfa",
            ["The user is pregnant", "The user is allergic to sulfa"],
        ),
        ("我吃素，而且对坚果过敏", ["用户吃素", "用户对坚果过敏"]),
        (
            "I'm Tess, 34, paramedic with Yorkshire Ambulance",
            [
                "The user's name is Tess",
                "The user is 34 years old",
                "The user is paramedic with Yorkshire Ambulance",
            ],
        ),
        ("我叫林蔓，32岁，在杭州做护士", ["用户叫林蔓", "用户32岁", "用户在杭州做护士"]),
        (
            "My sister lives in Leeds and works at Tesco",
            ["The user's sister lives in Leeds", "The user's sister works at Tesco"],
        ),
        (
            "I have coeliac disease plus a shellfish allergy",
            ["The user has coeliac disease", "The user is allergic to shellfish"],
        ),
        (
            "I'm a teacher, love hiking and hate Mondays",
            ["The user is a teacher", "The user likes hiking", "The user dislikes Mondays"],
        ),
        (
            "I work at Marks and Spencer and have asthma",
            ["The user works at Marks and Spencer", "The user has asthma"],
        ),
        ("我对青霉素过敏，还有哮喘", ["用户对青霉素过敏", "用户有哮喘"]),
        ("我怀孕了，另外对磺胺类药物过敏", ["用户怀孕了", "用户对磺胺类药物过敏"]),
        ("我有哮喘并且对猫毛过敏", ["用户有哮喘", "用户对猫毛过敏"]),
        ("我老婆对花生过敏，而且怀孕了", ["用户的老婆对花生过敏", "用户的老婆怀孕了"]),
        ("I'm allergic to milk and eggs", ["The user is allergic to milk and eggs"]),
        ("I like rock and roll", ["The user likes rock and roll"]),
        ("My boss is sick and tired of it", []),
        ("I'm vegetarian and it's raining", ["The user is vegetarian"]),
        ("I'm vegetarian and I'm so tired today", ["The user is vegetarian"]),
        ("Hi, I'm Susan, nice to meet you", ["The user's name is Susan"]),
        ("我住在成都，今天下雨了", ["用户住在成都"]),
        ("你好，我叫刘琳，很高兴认识你", ["用户叫刘琳"]),
    ],
)
def test_each_thing_that_a_sentence_says_of_somebody(
    text: str, facts: list[str], tmp_path: Path
) -> None:
    assert sorted(learned(tmp_path, text)) == sorted(facts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm coeliac and I can't take codeine", ["is coeliac", "can't take codeine"]),
        ("I have asthma and carry an inhaler", ["has asthma", "carry an inhaler"]),
        ("My son Leo has a nut allergy and carries an EpiPen", ["nut", "Leo has", "an EpiPen”"]),
        ("I'm left-handed, I have tinnitus, and I'm allergic to latex", ["left-handed", "latex"]),
        ("I live in Leeds (though I grew up on a farm in Mayo)", ["lives in Leeds", "Mayo"]),
        ("My wife Ingrid is a pilot and her birthday is 3 March", ["is a pilot", "3 March"]),
        ("我有哮喘，左膝做过半月板手术，血型是AB型", ["用户有哮喘", "半月板手术", "AB型"]),
        ("我不喝酒，咖啡只喝美式", ["用户不喝酒", "咖啡只喝美式"]),
        ("我在腾讯上班，平时还兼职做家教", ["用户在腾讯工作", "兼职做家教"]),
        ("我家有只老猫叫团团，15岁了，肾不太好", ["团团", "团团，15岁了，肾不太好"]),
    ],
)
def test_what_no_frame_has_read_stays_in_own_words(
    text: str, words: list[str], tmp_path: Path
) -> None:
    facts = learned(tmp_path, text)
    assert all(any(word in one for one in facts) for word in words), facts


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("I'm moving to York and work at Tesco", "works at Tesco"),
        ("I don't drink coffee and smoke", "The user smokes"),
        ("I no longer work at Tesco and live in Leeds", "lives in Leeds"),
        ("I'm vegan, Tom", "name is Tom"),
        ("I live in Bosnia and Herzegovina", "lives in Bosnia"),
        ("I love dishes like hot and sour soup and dumplings from my home town", "like hot”"),
        ("我朋友有只猫，对花生过敏", "用户对花生过敏"),
    ],
)
def test_what_follows_is_not_read_where_it_may_mean_something_else(
    text: str, never: str, tmp_path: Path
) -> None:
    assert not any(never in one for one in learned(tmp_path, text))
