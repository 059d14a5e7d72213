"""Patterns for either case: what they match is what `re.I` would."""

from __future__ import annotations

import re

from loxodon.text.patterns import any_case
from tests.cases import cases
from tests.each import each

TEXTS = ("A", "a", "我", "我a", "Z我", "]", "[", "-", "é", "É", "u4e00", "ab我", "龥", "1", "")


@each("source", cases(__file__, "it_matches_what_the_plain_pattern_does"))
def test_it_matches_what_the_plain_pattern_does(source: str) -> None:
    plain, made = re.compile(source, re.I), any_case(source)
    for text in TEXTS:
        found, expected = made.search(text), plain.search(text)
        assert (found and found.span()) == (expected and expected.span()), text


def test_a_range_of_chinese_characters_is_not_spelled_out() -> None:
    assert any_case(r"x[\u4e00-\u9fffA-Za-z]y").pattern == r"x(?-i:[\u4e00-\u9fffA-Za-z])y"
    assert any_case(r"[\u4e00-\u9fffa]").pattern == r"[\u4e00-\u9fffa]"
