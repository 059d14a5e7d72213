"""Which attribute a model's sentence bears."""

from __future__ import annotations

from loxodon.language.attributes import ATTRIBUTES
from loxodon.models.attributes import OFFERED, attribute_for
from tests.each import each


def test_only_known_ones_are_offered() -> None:
    assert set(OFFERED) <= ATTRIBUTES.keys()
    assert len(set(OFFERED)) == len(OFFERED)


@each(
    ("claimed", "content"),
    [
        ("name", "The user's name is Tunde"),
        ("name", "用户叫张三"),
        ("age", "The user is 71"),
        ("age", "用户今年三十岁"),
        ("home", "The user lives in Leeds"),
        ("home", "用户搬到了杭州"),
        ("employer", "用户在阿里工作"),
        ("budget", "The user plans with a budget of 300"),
        ("likes", "The user is fond of jazz"),
        ("deadline", "报告的截止日期是周五"),
    ],
)
def test_a_sentence_that_bears_it(claimed: str, content: str) -> None:
    assert attribute_for(claimed, content) == claimed


@each(
    ("claimed", "content"),
    [
        ("name", "The user lives in Leeds"),
        ("name", "The user has a cat called Bo"),
        ("name", "用户养的猫叫团子"),
        ("age", "The user worked there for 5 years"),
        ("home", "The user wants to live in Japan"),
        ("home", "用户想搬到大理"),
        ("home", "The user used to live in Rome"),
        ("employer", "The user bakes bread"),
        ("colour", "The user likes red"),
        ("", "The user likes red"),
        ("gender", "The user is a man"),
    ],
)
def test_a_sentence_that_does_not(claimed: str, content: str) -> None:
    assert attribute_for(claimed, content) == ""
