"""What a memory that was written is about, and what follows when a person words it anew."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.write.meaning import as_said, meaning_of

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("User prefers tea", "I prefer tea"),
        ("The user's name is Ann", "My name is Ann"),
        ("Name: Ann", "My name is Ann"),
        ("用户喜欢茶", "我喜欢茶"),
        ("The shop closes at six", "The shop closes at six"),
    ],
)
def test_a_note_is_read_as_the_user_would_say_it(written: str, said: str) -> None:
    assert as_said(written) == said


def test_what_is_not_plain_has_no_meaning() -> None:
    assert meaning_of("Leeds, York and everything between them, perhaps", NOW).attribute == ""
    assert meaning_of("x" * 1_000_000, NOW).attribute == ""


@pytest.mark.parametrize(
    ("said", "worded", "value", "tags"),
    [
        ("I live in Leeds", "The user lives in York", "York", ("York",)),
        ("我对花生过敏", "用户对虾过敏", "虾", ("虾过敏",)),
        ("I live in Leeds", "The user is between two flats at present", "", ()),
        ("I live in Leeds", "The user lives in Leeds, near the canal", "Leeds", ("Leeds",)),
    ],
)
def test_a_memory_in_other_words_has_another_value(
    tmp_path: Path, said: str, worded: str, value: str, tags: tuple[str, ...]
) -> None:
    with Memory.open(tmp_path, clock=lambda: NOW) as memory:
        memory.add([{"role": "user", "content": said}])
        memory.consolidate()
        (record,) = memory.list()
        edited = memory.edit(record.id, content=worded)
        assert (edited.value, edited.tags) == (value, tags)
        assert edited.attribute == record.attribute


def test_a_value_that_is_given_stays_as_given(tmp_path: Path) -> None:
    with Memory.open(tmp_path, clock=lambda: NOW) as memory:
        memory.add([{"role": "user", "content": "I live in Leeds"}])
        memory.consolidate()
        (record,) = memory.list()
        edited = memory.edit(record.id, content="The user lives in York", value="York, UK")
        assert edited.value == "York, UK"
