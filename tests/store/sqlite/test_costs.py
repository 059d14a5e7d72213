"""What must not cost more in a larger store, counted in the steps of SQLite's virtual machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from loxodon.store import Filter
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.types import Entity
from tests.clock import NOW
from tests.store.contracts import DAY, key, record, turn
from tests.store.sqlite.test_store import opened

_KEY = (int((NOW - DAY).timestamp() * 1_000), 1)
WALLS = (Wall(), Wall("coder"), Wall(group=True))
PLAIN: dict[str, Callable[[Store], object]] = {
    "a turn by its name": lambda store: store.scalar("turn_row", "s", "#3"),
    "names": lambda store: store.named(["ann", "n3"]),
    "neighbours": lambda store: store.beside([3, 4]),
    "records": lambda store: store.records([3]),
    "entities": lambda store: store.page("entities", 5, None),
}
PAGES: dict[str, Callable[[Store], object]] = {
    "memories": lambda store: store.page("memories", 5, None, Filter(state="active")),
    "more memories": lambda store: store.page("memories", 5, _KEY, Filter(state="active")),
    "turns": lambda store: store.page("turns", 5, None, Filter()),
    "sessions": lambda store: store.page("sessions", 5, None, Filter()),
}


@contextmanager
def counting() -> Iterator[list[int]]:
    """The steps, in one number, of all connections that are opened meanwhile."""
    steps = [0]

    def count() -> bool:
        steps[0] += 1
        return False

    def hook(connection: apsw.Connection) -> None:
        connection.set_progress_handler(count, 1)

    apsw.connection_hooks.append(hook)
    try:
        yield steps
    finally:
        apsw.connection_hooks.remove(hook)


def costs(path: Path) -> dict[str, int]:
    """The steps of opening a store, and of each thing that is asked of it, behind each wall."""
    found = {}
    with counting() as steps:
        store = opened(path)
        found["opening"] = steps[0]
        asked = {f"{name} {wall}": (call, wall) for name, call in PAGES.items() for wall in WALLS}
        asked |= {name: (call, Wall()) for name, call in PLAIN.items()}
        for name, (call, wall) in asked.items():
            behind = store.behind(wall)
            call(behind)  # statements are prepared once
            before = steps[0]
            call(behind)
            found[name] = steps[0] - before
            behind.close()
        store.close()
    return found


def fill(path: Path, first: int, last: int) -> None:
    store = opened(path)
    with store.writing():
        for n in range(first, last):
            at = NOW - DAY + DAY * n / 10_000
            said = turn(f"turn {n}", "s", f"#{n}", at, chat="group")
            other = turn(f"other {n}", f"s{n}", at=at, chat="group")
            store.append([(said, key(f"s{n}")), (other, key(f"o{n}"))])
            store.insert(record(f"n{n}", created_at=at, audience="all"), "captured")
            store.worklog.put_entity(Entity(f"n{n}", "person", (), NOW, NOW))
    store.close()


def test_cost_does_not_grow_with_the_store(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    fill(path, 0, 60)
    small = costs(path)
    fill(path, 60, 1_500)
    large = costs(path)
    assert all(small.values())
    grown = {name: (small[name], large[name]) for name in small if large[name] > 2 * small[name]}
    assert not grown
