"""Anybody's words stay one line of a list, whatever they look like."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from loxodon.text.markdown import item, one_line
from tests.each import each


@each(
    ("text", "line"),
    [
        ("用户对花生过敏", "用户对花生过敏"),
        ("likes *jazz* and _blues_", "likes *jazz* and _blues_"),
        ("two\n\nlines\u2028here\r", "two lines here"),
        ("# heading", r"\# heading"),
        ("> quote", r"\> quote"),
        ("- item", r"\- item"),
        ("---", r"\---"),
        ("* * *", r"\* * *"),
        ("1. first", r"1\. first"),
        ("1.5 litres a day", "1.5 litres a day"),
        ("[x] done", r"\[x] done"),
        ("[home]: https://example.org", r"\[home]: https://example.org"),
        ("```python", r"\`\`\`python"),
        ("runs `make check`", "runs `make check`"),
        ("runs `make check", r"runs \`make check"),
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("a < b", "a < b"),
        ("\u202egnol\x1b[31m", "gnol [31m"),
        ("", ""),
    ],
)
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
