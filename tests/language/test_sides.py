"""Sides of life: which one a memory is about, and which one a clause says has changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.sides import SIDES, share, side_of
from tests.language.told import rules, told

SOURCE = Path(__file__).parents[2] / "src" / "loxodon" / "language"


def examples(language: str) -> list[tuple[str, str]]:
    """Each side of `speech.toml` with the example behind each of its patterns."""
    text = (SOURCE / language / "speech.toml").read_text("utf-8")
    found, side = [], ""
    for line in text.partition("[side]")[2].splitlines()[1:]:
        side = line.partition(" = ")[0] if " = [" in line else side
        if example := re.search("  # (.+)$", line):
            found.append((side, example[1]))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_pattern_of_a_side_reads_its_example(language: str) -> None:
    found = examples(language)
    assert {side for side, _ in found} == set(rules(language).grammar.speech.table["side"])
    assert {side for side, _ in found} <= set(SIDES)
    for side, example in found:
        assert rules(language).grammar.speech.side(example)[0] == side, example


@pytest.mark.parametrize(
    ("side", "memory", "other"),
    [
        ("home", "The user: “we live in a damp flat in Leeds”", "The user: “I take statins”"),
        ("vehicle", "The user: “I drive an old Ford van”", "The user: “I sing in a choir”"),
        ("job", "用户：“我在邮局坐柜台”", "用户：“我家猫叫团子”"),
        ("phone", "用户：“我用的小米手机，卡得要命”", "用户：“我住在兰州”"),
    ],
)
def test_a_memory_is_on_the_side_that_it_speaks_of(side: str, memory: str, other: str) -> None:
    assert share(side, memory) > 0.3 > share(side, other)


def test_the_sides_of_attributes_are_sides() -> None:
    assert {side_of(name) for name in ATTRIBUTES} <= {*SIDES, ""}
    assert side_of("employer") == "job"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Kevin resigned last week and I had cake"),
        ("en", "I started at the mill in 1998"),
        ("zh", "我大学室友李伟搬到了杭州"),
        ("zh", "带我的师傅离职开面馆去了"),
        ("zh", "公司搬到我家隔壁街了"),
    ],
)
def test_what_others_change_or_long_ago_changes_nothing_of_the_user(
    language: str, text: str
) -> None:
    assert [one.side for one in told(language, text) if one.side and one.subject == "user"] == []


def test_several_people_named_at_once_are_known() -> None:
    (one,) = told("en", "I have two kids, Ben and Zoe")
    assert (one.attribute, one.value) == ("child", "two kids, Ben and Zoe")
    assert [(who.name, who.aliases) for who in one.mentions] == [
        ("Ben", ("child",)),
        ("Zoe", ("child",)),
    ]


def test_a_space_between_characters_is_a_comma() -> None:
    found = [one.content for one in told("zh", "嗓子发炎吃啥 我头孢过敏啊 别推荐头孢")]
    assert found == ["用户对头孢过敏"]
