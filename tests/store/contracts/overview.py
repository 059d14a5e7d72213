"""What every backend promises of `Overview`."""

from __future__ import annotations

import pytest

from loxodon.errors import NotFoundError
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.types import Source
from tests.clock import NOW
from tests.store.contracts import DAY, Contract, record, turn


class OverviewContract(Contract):
    def test_every_write_is_counted_and_no_read(self, store: Store) -> None:
        before = store.writes
        (kept,) = self.keep(store, record("one"))
        after = store.writes
        assert after > before
        store.get(kept.id)
        store.overview.ties()
        assert store.writes == after
        with store.writing():
            store.worklog.use([kept.id], "2026-02-04", NOW)
        assert store.writes > after

    def test_changes_since_a_time_with_the_state_before(self, store: Store) -> None:
        old, _, summary = self.keep(
            store, record("old"), record("left alone"), record("a summary", kind="summary")
        )
        self.update(store, old.id, at=NOW + DAY, content="newer")
        self.update(store, old.id, "used", NOW + 2 * DAY, access_count=1)
        self.update(store, old.id, at=NOW + 3 * DAY, content="newest")
        self.update(store, old.id, "used", NOW + 4 * DAY, access_count=2)
        self.update(store, summary.id, "renewed", NOW + DAY, content="another")
        (one,) = store.overview.altered(NOW + DAY, ("used",), 10)
        assert (one.change, one.at) == ("edited", NOW + 3 * DAY)
        assert one.before is not None
        assert one.before.content == "old"
        assert store.records([one.row])[one.row].content == "newest"
        first, second = store.overview.altered(NOW, (), 10)
        assert (first.row, first.before, first.change) == (one.row, None, "used")
        assert second.before is None
        assert [one.row for one in store.overview.altered(NOW, (), 1)] == [first.row]

    def test_group_learns_no_earlier_private_version(self, store: Store) -> None:
        (kept,) = self.keep(store, record("a secret"))
        self.update(store, kept.id, at=NOW + DAY, content="for all", audience="group")
        group = store.behind(Wall("", True))
        (one,) = group.overview.altered(NOW + DAY, (), 10)
        assert one.before is None
        assert [step.change for step in group.overview.steps(kept.id)] == ["edited"]
        group.close()

    def test_ties_are_those_that_held_at_a_time(self, store: Store) -> None:
        self.put(store, turn("early", id="m1", at=NOW - 9 * DAY))
        said, _, gone = self.keep(
            store,
            record("A", subject="Ann", entities=("Ann", "Bo"), sources=(Source("s", "m1"),)),
            record("of many", kind="summary", subject="Ann"),
            record("B", subject="Cy", attribute="home", value="York"),
        )
        self.update(store, gone.id, "faded", NOW + 5 * DAY, state="archived")
        (tie,) = store.overview.ties()
        assert (tie.id, tie.subject, tie.entities) == (said.id, "Ann", ("Ann", "Bo"))
        assert tie.said_at == (NOW - 9 * DAY).timestamp() * 1000
        assert 0 < tie.strength <= 0.5
        for at, ids in ((NOW + DAY, [said.id, gone.id]), (NOW - DAY, [said.id])):
            assert [one.id for one in store.overview.ties(at)] == ids
        assert store.overview.ties(NOW - 10 * DAY) == []

    def test_labels_are_counted_over_active_memories(self, store: Store) -> None:
        *_, last = self.keep(
            store, *(record(str(tags), tags=tags) for tags in (("Tea", "x"), ("tea",), ("x", "y")))
        )
        self.update(store, last.id, "archived", state="archived")
        found = store.query("label_uses", "tag", 10)
        assert [(name, memories) for name, memories, _ in found] == [("tea", 2), ("x", 1)]
        assert len(store.query("label_uses", "tag", 1)) == 1

    def test_descendants_and_steps_of_a_memory(self, store: Store) -> None:
        first, other = self.keep(store, record("first", importance=0.5), record("other"))
        after, summary = self.keep(
            store,
            record("after", replaces=first.id),
            record("sum", kind="summary", derived_from=(other.id, first.id)),
        )
        rows = store.column("made_from", first.id)
        assert [one.id for one in store.records(rows).values()] == [after.id, summary.id]
        assert store.column("made_from", after.id) == []
        self.update(store, first.id, "used", NOW + DAY, strength=0.6)
        self.update(store, first.id, at=NOW + 2 * DAY, importance=0.9)
        made, used, edited = store.overview.steps(first.id)
        assert (made.version, made.at, made.base, made.since) == (1, NOW, 0.5, NOW)
        assert (used.change, used.base, used.since) == ("used", 0.6, NOW + DAY)
        assert (edited.importance, edited.state) == (0.9, "active")
        with pytest.raises(NotFoundError):
            store.overview.steps("f_1")
