"""What every backend promises of `Pages`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from loxodon.paging import Key, Slice
from loxodon.store import Filter, QuarantinedText, StoredReceipt
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.types import Entity, Event, Segment
from tests.clock import NOW
from tests.store.contracts import Contract, record, turn

Read = Callable[[int, Key | None], Slice[Any]]
LATER = timedelta(minutes=1)


def walked(read: Read, size: int, between: Callable[[], object] = lambda: None) -> list[Any]:
    """A list page by page; `between` two of them, something happens."""
    items, last = read(size, None)
    while last is not None:
        assert items
        between()
        more, last = read(size, last)
        assert len(more) <= size
        items = [*items, *more]
    return items


def filled(contract: Contract, store: Store) -> dict[str, tuple[Read, list[Any]]]:
    """Every list with something in it, and what it should have, in order; two of a time, too."""
    times = [NOW + n // 2 * LATER for n in range(5)]
    contract.put(store, *(turn(f"n{n}", f"s{n}", at=at) for n, at in enumerate(times)))
    kept = contract.keep(
        store,
        *(record(f"m{n}", created_at=at, tags=("t",), due_at=at) for n, at in enumerate(times)),
    )
    with store.writing():
        worklog = store.worklog
        for n, at in enumerate(times):
            worklog.put_entity(Entity(f"e{n}", "person", (), NOW, NOW))
            worklog.put_segments([Segment(f"s{n}", n + 1, n + 1, at, at, f"g{n}", (), "")])
            store.execute("put_event", *Event("2026-02-04", at, f"s{n}", "", "", f"v{n}", 1))
            store.quarantine.put(
                [QuarantinedText(0, n + 1, "", 0, 1, "", "override", "web", at, "held", None)]
            )
            receipt = StoredReceipt(f"r_{n}", at, "cli", "ids", {}, ())
            store.execute_many("put_receipt", [receipt])
            if n:
                store.execute("put_review", kept[n].id, kept[0].id, at)
    page, back = store.page, [4, 3, 2, 1, 0]

    def named(letter: str, numbers: list[int]) -> list[Any]:
        return [f"{letter}{n}" for n in numbers]

    active = Filter(state="active")
    return {
        "memories": (lambda n, a: page("memories", n, a, active), named("m", back)),
        "labelled": (lambda n, a: page("memories", n, a, Filter(tag="T")), named("m", back)),
        "due": (lambda n, a: page("due", n, a, value=NOW + LATER), named("m", [0, 1, 2, 3])),
        "turns": (lambda n, a: page("turns", n, a, Filter()), named("n", back)),
        "sessions": (lambda n, a: page("sessions", n, a, Filter()), named("s", back)),
        "entities": (partial(page, "entities"), named("e", back[::-1])),
        "segments": (lambda n, a: page("segments", n, a, Filter()), named("g", back[::-1])),
        "events": (lambda n, a: page("events", n, a, value=""), named("v", back[::-1])),
        "reviews": (partial(page, "reviews"), named("m", [1, 2, 3, 4])),
        "quarantined": (lambda n, a: page("quarantine", n, a, value="held"), [5, 4, 3, 2, 1]),
        "receipts": (partial(page, "receipts"), named("r_", back)),
    }


def name_of(item: Any) -> Any:
    item = getattr(item, "belief", item)
    for field in ("content", "summary", "topic", "name", "no", "id"):
        if hasattr(item, field):
            return getattr(item, field)
    raise AssertionError(item)


class PagesContract(Contract):
    def test_every_list_is_paged_in_its_order(self, store: Store) -> None:
        for name, (read, wanted) in filled(self, store).items():
            for size in (0, 1, 2, len(wanted), 9):
                found = [name_of(one) for one in walked(read, size)]
                assert found == wanted, (name, size)
            assert read(len(wanted), None)[1] is None, name  # nobody is sent to an empty page

    def test_writes_between_pages_move_nothing(self, store: Store) -> None:
        read, wanted = filled(self, store)["memories"]
        new = iter(range(9))

        def write() -> None:
            n = next(new)
            self.keep(store, record(f"newer {n}", created_at=NOW + 9 * LATER))

        assert [name_of(one) for one in walked(read, 2, write)] == wanted
        (first, *_), last = read(1, None)
        assert last is not None
        with store.writing():  # the place of what is gone is still a place
            store.erasure.drop_memories(store.column("memory_rows_by_id", [first.id]))
        assert [one.content for one in read(2, last)[0]] == ["newer 0", "m4"]

    def test_walls_apply_to_every_page(self, store: Store) -> None:
        self.keep(store, *(record(f"p{n}", audience=("private", "all")[n % 2]) for n in range(6)))
        group = store.behind(Wall(group=True))

        def read(n: int, after: Key | None) -> Slice[Any]:
            return group.page("memories", n, after, Filter())

        assert [one.content for one in walked(read, 1)] == ["p5", "p3", "p1"]
        for key in ((1 << 62, 0), (0, 1 << 62), (-1, -1)):  # wherever a page is said to begin
            assert all(one.audience == "all" for one in read(9, key)[0])
        group.close()
