"""Anybody's words stay one line of a list, whatever they look like."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from loxodon.text.markdown import item, one_line
from tests.cases import cases
from tests.each import each


@each(("text", "line"), cases(__file__, "an_item_opens_nothing"))
def test_an_item_opens_nothing(text: str, line: str) -> None:
    assert item(text) == line


@given(st.text(alphabet=st.sampled_from("`~#>-*+_=|<![]():.1a \n\t\\中😀"), max_size=60))
def test_no_line_breaks_the_list(text: str) -> None:
    line = item(text)
    assert "\n" not in line
    assert "```" not in line
    assert "~~~" not in line
    assert not re.match(r"#|>|[-+*](?:\s|$)|\d+[.)](?:\s|$)", line)


def test_a_long_text_takes_no_time() -> None:
    assert len(item("`" * 1_000_000)) == 2_000_000
    assert len(one_line("a " * 500_000)) == 999_999
