"""What is said in passing, and may change what is known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from tests.conftest import Clock

OLD, NEW = "健身我一般周二周四去，练力量。", "铁早不举了，改成游泳，一周三次，肩膀舒服多了。"


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", clock=clock) as memory:
        for text in (OLD, "我住在武汉", NEW):
            memory.add([{"role": "user", "content": text, "at": clock.now.isoformat()}])
            memory.consolidate(force=True)
            clock.now += timedelta(days=10)
        yield memory


def known(memory: Memory) -> str:
    return "\n".join(one.content for one in memory.list())


def test_it_asks_and_ends_nothing(memory: Memory) -> None:
    (review,) = memory.reviews()
    assert "力量" in review.belief.content
    assert "游泳" in review.against.content
    assert all(word in known(memory) for word in ("力量", "游泳", "武汉"))


def test_the_later_one_is_recalled_first(memory: Memory) -> None:
    first = memory.recall("我平时怎么健身？").items[0]
    assert "游泳" in first.content


def test_what_still_holds_stays_beside_the_later_one(memory: Memory) -> None:
    (review,) = memory.reviews()
    memory.confirm(review.belief.id)
    assert all(word in known(memory) for word in ("力量", "游泳"))
    assert not list(memory.reviews())


def test_what_holds_no_more_was_so_until_then(memory: Memory) -> None:
    (review,) = memory.reviews()
    gone = memory.reject(review.belief.id)
    assert gone.state == "archived"
    assert gone.valid_until == review.against.confirmed_at
    assert "力量" not in known(memory)
    assert "游泳" in known(memory)
