"""What marks are made of: things that are one thing however they are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon.text.words import fold
from loxodon.trust.forget.tombstones import marked, thing_of, things
from tests.conftest import Clock
from tests.trust.forget.test_forgetting import opened, say, texts

ALIKE = (
    ("dana@startup.com.au", "dana@startup.com", "ana@startup.com.au", "bodana@startup.com.au"),
    ("+44 20 7946 0018", "+44 20 7946 00185", "7946 0018", "020 7946 0018"),
    ("https://example.org/docs", "https://example.org/docs/api", "example.org", "docs.example.org"),
    ("@dana", "@dana_b", "@bo.dana"),
    ("4711", "47112", "14711", "4711-2"),
)
"""In each row nobody means one who speaks of another."""
PAIRS = [(one, others) for row in ALIKE for one in row for others in [set(row) - {one}]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write to dana@b.com.au, or dana@b.com.", ["dana@b.com.au", "dana@b.com"]),
        ("Ring +44 20 7946 0018 or (020) 7946-0018.", ["+442079460018", "02079460018"]),
        ("See https://www.B.org/docs/?x=1, then b.org/docs/.", ["b.org/docs/?x=1", "b.org/docs"]),
        ("@dana and @dana_b write 3.50 at 12:30", ["@dana", "@dana_b", "3.50", "12:30"]),
        ("电话13812345678，邮箱dana@b.cn吧", ["13812345678", "dana@b.cn"]),
        ("in 2024 12 people", ["2024", "12"]),
        ("Nothing here. At all, e.g. this", []),
    ],
)
def test_things_are_found_as_a_whole(text: str, found: list[str]) -> None:
    assert things(fold(text)) == found


@pytest.mark.parametrize("name", ["Dana", "小美", "a b", "", "x.", "@", "B-12"])
def test_a_name_is_no_thing(name: str) -> None:
    assert thing_of(name) == ""


def test_a_thing_is_one_word() -> None:
    assert marked("Write to dana@b.com.au, now!") == "write to dana@b.com.au now"


@pytest.mark.parametrize(("one", "others"), PAIRS)
def test_a_thing_is_forgotten_alone(
    tmp_path: Path, clock: Clock, one: str, others: set[str]
) -> None:
    with opened(tmp_path / "home", clock) as memory:
        for name in (one, *sorted(others)):
            say(memory, clock, f"The new one is {name}", session="talk")
        memory.forget(entity=one)
        assert set(texts(memory)) == {f"The new one is {name}" for name in others}


@pytest.mark.parametrize(("one", "others"), PAIRS)
def test_a_memory_of_a_thing_takes_no_other_along(
    tmp_path: Path, clock: Clock, one: str, others: set[str]
) -> None:
    with opened(tmp_path / "home", clock) as memory:
        for name in sorted(others):
            say(memory, clock, f"Please note the new one, {name}", session="talk")
            memory.capture(f"The new one is {name}")
        kept = memory.capture(f"The new one is {one}")
        memory.forget(kept.id)
        assert {record.content for record in memory.list()} == {
            f"The new one is {name}" for name in others
        }
        assert {f"Please note the new one, {name}" for name in others} <= set(texts(memory))
