"""What a command recalled is counted by the next who writes."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from loxodon import Memory
from loxodon.layout import USED
from loxodon.services import uses
from tests.clock import NOW, Clock

SPACE = Path("spaces") / "main"


def counted(memory: Memory) -> dict[str, int]:
    return {one.id: one.times for one in memory._store.worklog.used()}


def writes(home: Path) -> bytes:
    return (home / SPACE / "loxodon.mark").read_bytes()


def recalled(home: Path, clock: Clock) -> None:
    with Memory.open(home, clock=clock) as memory:
        assert memory.recall("tea").items


def test_a_recall_writes_nothing_to_the_database(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        tea = memory.capture("The user likes green tea")
    before = writes(tmp_path)
    recalled(tmp_path, clock)
    recalled(tmp_path, clock)
    assert writes(tmp_path) == before
    assert len((tmp_path / SPACE / USED).read_text("utf-8").splitlines()) == 2
    with Memory.open(tmp_path, clock=clock) as memory:
        assert counted(memory) == {}
        memory.add([{"role": "user", "content": "hello", "id": "1"}])
        assert counted(memory) == {tea.id: 2}
        assert not (tmp_path / SPACE / USED).exists()
        memory.add([{"role": "user", "content": "hello again", "id": "2"}])
        assert counted(memory) == {tea.id: 2}


def test_a_use_counts_for_its_own_day(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.capture("The user likes green tea")
    recalled(tmp_path, clock)
    clock.now = NOW + timedelta(days=3)
    recalled(tmp_path, clock)
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.touch([])
        (one,) = memory._store.worklog.used()
        assert one.days == 2
        assert one.last_at == memory.now()


def test_behind_a_wall_it_is_counted_at_once(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.capture("The user likes green tea", audience="all")
    with Memory.open(tmp_path, clock=clock, agent="helper") as memory:
        assert memory.recall("tea").items
    assert not (tmp_path / SPACE / USED).exists()
    with Memory.open(tmp_path, clock=clock) as memory:
        assert len(counted(memory)) == 1


def test_an_encrypted_memory_leaves_nothing_beside_it(tmp_path: Path, clock: Clock) -> None:
    for _ in range(2):
        with Memory.open(tmp_path, clock=clock, key=b"k" * 32) as memory:
            memory.capture("The user likes green tea")
            memory.recall("tea")
    assert not (tmp_path / SPACE / USED).exists()


def test_where_much_is_left_it_is_counted(tmp_path: Path, clock: Clock) -> None:
    with Memory.open(tmp_path, clock=clock) as memory:
        tea = memory.capture("The user likes green tea")
    (tmp_path / SPACE / USED).write_text(f"{NOW.isoformat()} {tea.id}\n" * 2_000, "utf-8")
    recalled(tmp_path, clock)
    assert not (tmp_path / SPACE / USED).exists()
    with Memory.open(tmp_path, clock=clock) as memory:
        assert counted(memory) == {tea.id: 2_001}


def test_lines_that_were_cut_short_are_left_out(tmp_path: Path) -> None:
    at = datetime(2026, 2, 4, 8, tzinfo=NOW.tzinfo)
    assert uses.leave(str(tmp_path), ["f_1", "f_2"], at)
    with (tmp_path / USED).open("ab") as file:
        file.write(b"2026-02-04 f_9\n\xff\xfe f_3\n\n2026-02")
    assert uses.take(str(tmp_path)) == [(at, ["f_1", "f_2"])]
    assert uses.take(str(tmp_path)) == []
    assert not uses.leave(str(tmp_path / "nowhere"), ["f_1"], at)
