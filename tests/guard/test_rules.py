"""Every rule finds its examples, and none finds the counter-examples of any."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon.guard import policy
from loxodon.guard.find import Finder
from loxodon.guard.guard import Guard
from loxodon.guard.policy import Rule, built_in
from tests.each import each
from tests.long import count, some

FILE = Path(policy.__file__).with_name("rules.toml")
WRITTEN: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["rules"]
RULES = list(zip(built_in().rules, WRITTEN, strict=True))
FORMS = [rule for rule, written in RULES if "examples" not in written]
_MARKED = re.compile(r"\{(.+?)\}")


def alone(rule: Rule) -> Finder:
    return Finder(built_in(), (rule,))


@each(("rule", "text"), [(rule, text) for rule, one in RULES for text in one.get("examples", ())])
def test_a_rule_finds_its_examples_and_no_more(rule: Rule, text: str) -> None:
    said = _MARKED.sub(r"\1", text)
    found = [said[one.start : one.end] for one in alone(rule).found(said)]
    assert found == _MARKED.findall(text)


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@each("text", [text for _, one in RULES for text in one.get("counter_examples", ())])
def test_no_rule_finds_a_counter_example(guard: Guard, text: str) -> None:
    assert not guard.incoming.found(text)


@each("text", [text for _, one in RULES for text in one.get("examples", ())])
@pytest.mark.parametrize("private", [True, False])
def test_plain_signs_miss_nothing_that_is_masked(guard: Guard, text: str, private: bool) -> None:
    said = _MARKED.sub(r"\1", text)
    assert Guard(built_in, usual=True).shown(said, private) == guard.shown(said, private)


@each("rule", some(FORMS, 3))
def test_a_form_is_found_wherever_it_stands(rule: Rule) -> None:
    """Texts made of the pattern itself: no key that could be one is written down here."""
    finder = alone(rule)
    form = re.sub(r"\(\?P<it>", "(?:", rule.pattern).removeprefix(r"\b")
    lead = (*rule.keywords, "here")[0]
    seen = []

    @settings(
        max_examples=count(6, 30),
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.from_regex(re.compile(form, re.ASCII), fullmatch=True))
    def tried(made: str) -> None:
        seen.append(bool(finder.found(f"{lead}: {made} ")))

    tried()
    assert any(seen)
