"""What every backend promises of `WorkLog`: what consolidation has in hand and keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loxodon.store import Filter, MemoryUse, PoolSizes
from loxodon.store.store import Store
from loxodon.types import Entity, Segment
from tests.clock import NOW
from tests.store.contracts import DAY, Contract, quiet, record, turn

MINUTE = timedelta(minutes=1)


class WorkLogContract(Contract):
    # What is in hand

    def test_segments_are_kept_replaced_and_found(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", at=NOW + n * MINUTE) for n in range(4)))
        self.put(store, turn("elsewhere", session="t", at=NOW - DAY))
        food = Segment("s", 1, 2, NOW, NOW + MINUTE, "火锅", ("Mei",), "spicy soup")
        other = Segment("t", 5, 5, NOW - DAY, NOW - DAY, "trains", (), "late again")
        worklog = store.worklog
        assert store.query_as(Segment, "last_segment", "s") == []
        with store.writing():
            worklog.put_segments([food, other])
        assert [one._replace(no=0) for one in store.page("segments", 0)[0]] == [other, food]
        (last,) = store.query_as(Segment, "last_segment", "s")
        assert last._replace(no=0) == food
        assert last.started_at.utcoffset() == NOW.utcoffset()
        for query in ("火锅", "mei", "soup"):
            assert self.found(store, query, "segments") == [1]
        for where, rows in (({"session": "t"}, [2]), ({"until": NOW}, [2]), ({"since": NOW}, [1])):
            assert self.found(store, "soup trains", "segments", **where) == rows
        longer = food._replace(last_turn=4, ended_at=NOW + 3 * MINUTE, text="mild rice")
        with store.writing():
            worklog.put_segments([longer], [last.no])
        assert [one._replace(no=0) for one in store.page("segments", 0)[0]] == [other, longer]
        for _ in range(2):
            assert self.found(store, "soup", "segments") == []
            assert self.found(store, "rice 火锅", "segments") == [3]
            assert self.sound(store)
            store.rebuild(quiet)

    # What is kept

    def test_entities_by_any_of_their_names(self, store: Store) -> None:
        worklog = store.worklog
        with store.writing():
            mei = worklog.put_entity(Entity("小美", "person", ("妹妹", "Mei"), NOW, NOW))
            tom = worklog.put_entity(Entity("Tom", "person", ("妹妹",), NOW, NOW))
        found = store.entities_named(["MEI", "妹妹", "Tom", "nobody"])
        assert found == {"MEI": mei, "妹妹": mei, "Tom": tom}
        assert worklog.aliases()["Mei"] == "小美"
        with store.writing():
            worklog.put_entity(mei._replace(name="陈美", aliases=("Mei",), updated_at=NOW + DAY))
        assert store.entities_named(["小美"]) == {}
        assert store.entities_named(["陈美"])["陈美"].updated_at == NOW + DAY
        assert [one.name for one in store.query_as(Entity, "entities")] == ["陈美", "Tom"]
        with store.writing():
            worklog.drop_entity(tom.no)
            assert worklog.put_entity(Entity("Ann", "person", (), NOW, NOW)).no == 3
        assert store.entities_named(["Tom"]) == {}

    def test_reviews_wait_for_an_answer(self, store: Store) -> None:
        fact, first, second = self.keep(
            store,
            record("in Leeds"),
            record("in York", kind="belief", confidence=0.6),
            record("in Bath", kind="belief", confidence=0.5),
        )
        with store.writing():
            for belief, at in ((second, NOW + DAY), (first, NOW), (first, NOW + DAY)):
                store.execute("put_review", belief.id, fact.id, at)
        assert [(r.belief.id, r.against.id, r.asked_at) for r in store.page("reviews", 0)[0]] == [
            (first.id, fact.id, NOW),
            (second.id, fact.id, NOW + DAY),
        ]
        with store.writing():
            store.execute("answer_review", first.id, "confirmed", NOW + DAY)
        self.update(store, second.id, "faded", state="archived")
        assert store.page("reviews", 0)[0] == []

    def test_memories_that_have_ended(self, store: Store) -> None:
        soon, later = NOW + DAY, NOW + 2 * DAY
        _, b, a, _ = self.keep(
            store,
            record("c"),
            record("b", expires_at=later),
            record("a", expires_at=soon),
            record("x", expires_at=soon, state="archived"),
        )
        assert store.column("ended", NOW, 9) == []
        assert store.column("ended", soon, 9) == store.column("ended", later, 1) == [a.id]
        assert store.column("ended", later, 9) == [a.id, b.id]

    def test_uses_are_counted_by_day(self, store: Store) -> None:
        one, other = self.keep(store, record("one"), record("other"))
        worklog = store.worklog
        with store.writing():
            assert worklog.use([one.id, one.id, "f_none"], "2026-02-04", NOW) == 1
            assert worklog.use([one.id, other.id], "2026-02-05", NOW + DAY) == 2
            worklog.use([one.id], "2026-02-05", NOW)
        assert store.query_as(MemoryUse, "used") == [
            MemoryUse(one.id, 2, 3, NOW + DAY),
            MemoryUse(other.id, 1, 1, NOW + DAY),
        ]
        with store.writing():
            store.execute("clear_uses")
        assert store.query_as(MemoryUse, "used") == []

    def test_worklog_survives_rebuilding(self, store: Store) -> None:
        self.put(store, turn("a"))
        fact, belief = self.keep(
            store,
            record("peanut allergy", subject="user", category="health"),
            record("in York", kind="belief", confidence=0.6),
        )
        worklog = store.worklog
        with store.writing():
            worklog.put_entity(Entity("小美", "person", ("妹妹",), NOW, NOW))
            store.execute("put_review", belief.id, fact.id, NOW)
            worklog.use([fact.id], "2026-02-04", NOW)
            worklog.index(9)

        def told() -> list[Any]:
            return [
                store.query_as(PoolSizes, "pool_sizes")[0],
                store.entities_named(["妹妹", "小美"]),
                store.page("reviews", 0)[0],
                store.query_as(MemoryUse, "used"),
                worklog.index(0),
                store.latest("keyword", "peanut allergy", 9),
                store.latest("about", ("user", "", "health"), 9),
                store.find(Filter(), strongest=True),
            ]

        before = told()
        store.rebuild(quiet)
        assert told() == before
        assert self.sound(store)
