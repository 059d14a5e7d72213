"""The prompts of working memory are the same in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loxodon.working import prompts
from loxodon.working.prompts import prompt

FILES = sorted(Path(prompts.__file__).parent.glob("*.md"))
NAMES = sorted({path.name.split(".")[0] for path in FILES})


def test_there_is_one_of_each_in_each_language() -> None:
    assert [path.name for path in FILES] == [
        f"{name}.{language}.md" for name in NAMES for language in ("en", "zh")
    ]


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_variables(name: str) -> None:
    firsts, found = set(), set()
    for language in ("en", "zh"):
        text = next(p for p in FILES if p.name == f"{name}.{language}.md").read_text("utf-8")
        first, _, rest = text.partition("\n")
        named = re.fullmatch(r"<!-- variables: ([a-z, ]+) -->", first)
        assert named
        firsts.add(named[1])
        found.add(", ".join(re.findall(r"{([a-z]+)}", rest)) or "none")
    assert firsts == found


def test_variables_are_filled_in() -> None:
    text = prompt("flush_user", "zh", today="2026-02-04", silence="NO_REPLY")
    assert "2026-02-04" in text
    assert "{" not in text
