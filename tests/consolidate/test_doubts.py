"""What is said in passing, and may change what is known."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from tests.conftest import Clock

OLD, NEW = "我每天骑车上班，二十分钟。", "自行车卖了，现在坐地铁上班，挤得很。"


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
    assert "骑车" in review.belief.content
    assert "地铁" in review.against.content
    assert all(word in known(memory) for word in ("骑车", "地铁", "武汉"))


def test_the_later_one_is_recalled_first(memory: Memory) -> None:
    first = memory.recall("我平时怎么上班？").items[0]
    assert "地铁" in first.content


def test_what_still_holds_stays_beside_the_later_one(memory: Memory) -> None:
    (review,) = memory.reviews()
    memory.confirm(review.belief.id)
    assert all(word in known(memory) for word in ("骑车", "地铁"))
    assert not list(memory.reviews())


def test_what_holds_no_more_was_so_until_then(memory: Memory) -> None:
    (review,) = memory.reviews()
    gone = memory.reject(review.belief.id)
    assert gone.state == "archived"
    assert gone.valid_until == review.against.confirmed_at
    assert "骑车" not in known(memory)
    assert "地铁" in known(memory)


def test_what_is_told_within_a_long_message_counts(tmp_path: Path, clock: Clock) -> None:
    told = (
        "can a dog have tablets made for people. Rex is 13, huntaway, can't get on the ute now",
        "ok. My brother's boys are here till friday, house is upside down",
        "Rex died on the 6th. Went to sleep under the bench. Didn't want to go on about it",
    )
    with Memory.open(tmp_path / "long", clock=clock) as memory:
        for text in told:
            memory.add([{"role": "user", "content": text, "at": clock.now.isoformat()}])
            memory.consolidate(force=True)
            clock.now += timedelta(days=10)
        assert ["Rex is 13" in one.belief.content for one in memory.reviews()] == [True]


def test_a_run_that_was_cut_short_asks_when_it_goes_on(memory: Memory, clock: Clock) -> None:
    def stop(phase: int, done: int, total: int) -> None:
        if phase == 7:  # what was said has become memories
            raise RuntimeError

    asked = len(list(memory.reviews()))
    memory.add([{"role": "user", "content": "我从武汉搬走了，现在租房在成都", "id": "m9"}])
    memory.add([{"role": "user", "content": "地铁太挤了，最近改走路上班。", "id": "m10"}])
    with pytest.raises(RuntimeError):
        memory.consolidate(progress=stop)
    assert len(list(memory.reviews())) == asked
    memory.consolidate(force=True)
    assert len(list(memory.reviews())) > asked
