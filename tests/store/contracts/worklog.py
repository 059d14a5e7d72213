"""What every backend promises of `WorkLog`: what consolidation has in hand and keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loxodon.language.statements import Fragment
from loxodon.store import Filter, MemoryUse, PoolSizes, Work
from loxodon.store.store import Store
from loxodon.types import Entity, Event, Segment
from tests.clock import NOW
from tests.store.contracts import DAY, Contract, contents, quiet, record, turn

MINUTE = timedelta(minutes=1)


class WorkLogContract(Contract):
    def test_state_of_the_work_is_kept(self, store: Store) -> None:
        assert store.worklog.work() == Work()
        work = Work(3, 7, 2, 1, NOW, NOW - DAY, "full", "2026-02-03", NOW)
        with store.writing():
            store.worklog.set_work(work)
        assert store.worklog.work() == work

    def test_turns_are_read_by_their_numbers(self, store: Store) -> None:
        assert (
            store.scalar("last_turn"),
            store.scalar("count_pending", 0),
            store.query_turns("turns_after", 0, 9, -1),
        ) == (0, 0, [])
        self.put(store, *(turn(f"n{n}", session=f"s{n % 2}") for n in range(6)))
        self.put(store, turn("by hand", session="capture", channel="capture"))
        assert (
            store.scalar("last_turn"),
            store.scalar("count_pending", 0),
            store.scalar("count_pending", 4),
        ) == (7, 6, 2)
        assert contents(store.query_turns("turns_after", 1, 4, -1)) == ["n1", "n2", "n3"]
        assert contents(store.query_turns("turns_after", 1, 9, 2)) == ["n1", "n2"]
        assert contents(store.query_turns("turns_before", "s1", 6, 2)) == ["n1", "n3"]
        assert contents(store.query_turns("turns_before", "s1", 2, 2)) == []
        assert contents(store.query_turns("turns_from", "s0", 3, 6)) == ["n2", "n4"]
        assert contents(store.query_turns("turns_from", "none", 1, 9)) == []

    def test_pool_is_counted(self, store: Store) -> None:
        assert store.worklog.pool() == PoolSizes(0, 0, 0, 0, 0)
        self.put(store, turn("a"), turn("b"))
        some = (record("1", topic="diet"), record("2"), record("3", state="archived"))
        kept = self.keep(store, *some)
        with store.writing():
            mei = store.worklog.put_entity(Entity("Mei", "person", (), NOW, NOW))
            store.worklog.put_entity(Entity("Tom", "person", (), NOW, NOW))
        self.update(store, kept[0].id, "archived", state="archived")
        assert store.worklog.pool() == PoolSizes(1, 2, 2, 2, 2)
        with store.writing():
            store.worklog.drop_entity(mei.no)
        assert store.worklog.pool().entities == 1

    # What is in hand

    def test_segments_are_kept_replaced_and_found(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", at=NOW + n * MINUTE) for n in range(4)))
        self.put(store, turn("elsewhere", session="t", at=NOW - DAY))
        food = Segment("s", 1, 2, NOW, NOW + MINUTE, "火锅", ("Mei",), "spicy soup")
        other = Segment("t", 5, 5, NOW - DAY, NOW - DAY, "trains", (), "late again")
        worklog = store.worklog
        assert worklog.last_segment("s") is None
        with store.writing():
            worklog.put_segments([food, other])
        assert [one._replace(no=0) for one in worklog.segments()] == [other, food]
        last = worklog.last_segment("s")
        assert last is not None
        assert last._replace(no=0) == food
        assert last.started_at.utcoffset() == NOW.utcoffset()
        for query in ("火锅", "mei", "soup"):
            assert self.found(store, query, "segments") == [1]
        assert store.query("stretches", [1, 99]) == [(1, 1, 1, 2)]
        for where, rows in (({"session": "t"}, [2]), ({"until": NOW}, [2]), ({"since": NOW}, [1])):
            assert self.found(store, "soup trains", "segments", **where) == rows
        longer = food._replace(last_turn=4, ended_at=NOW + 3 * MINUTE, text="mild rice")
        with store.writing():
            worklog.put_segments([longer], [last.no])
        assert [one._replace(no=0) for one in worklog.segments()] == [other, longer]
        for _ in range(2):
            assert self.found(store, "soup", "segments") == []
            assert self.found(store, "rice 火锅", "segments") == [3]
            assert self.sound(store)
            store.rebuild(quiet)

    def test_fragments_go_from_stage_to_stage(self, store: Store) -> None:
        self.put(store, turn("a b"), turn("c"))
        worklog = store.worklog
        a, b = Fragment(1, 0, "a", "chat"), Fragment(1, 1, "b", "statement")
        c = Fragment(2, 0, "c", "question")
        with store.writing():
            store.execute_many("cut_fragment", [c, a, b])
        assert worklog.fragments("cut") == [a, b, c]
        assert worklog.fragments("cut", 1) == [a]
        with store.writing():
            store.execute_many("wait", [(0.7, 1, 1), (0.2, 2, 0)])
            store.execute("drop_cut_fragments")
        assert worklog.fragments("cut") == []
        assert store.query("waiting") == [(*b, 0.7), (*c, 0.2)]
        with store.writing():
            store.execute_many("drop_waiting", [(1, 1), (2, 0)])
        assert store.scalar("count_fragments", "waiting") == 0

    def test_failed_turn_is_set_aside(self, store: Store) -> None:
        self.put(store, turn("poison"), turn("fine"))
        worklog = store.worklog
        with store.writing():
            store.execute_many("cut_fragment", [Fragment(1, n, "x", "chat") for n in range(3)])
            store.execute_many("cut_fragment", [Fragment(2, 0, "fine", "chat")])
            for error in ("ValueError()", "KeyError()"):
                worklog.fail_turn(1, "poison", error)
        assert [one.turn for one in worklog.fragments("cut")] == [2]
        with store.writing():
            store.execute("drop_cut_fragments")
        assert [one.text for one in worklog.fragments("failed")] == ["poison"]

    def test_candidates_stay_until_they_are_dropped(self, store: Store) -> None:
        self.put(store, turn("a"), turn("b"))
        with store.writing():
            store.execute_many("put_candidate", [(2, "{}"), (1, "[1]")])
        assert [(t, body) for _, t, body in store.query("candidates")] == [(2, "{}"), (1, "[1]")]
        with store.writing():
            store.execute("drop_candidates")
        assert store.query("candidates") == []

    # What is kept

    def test_events_by_day(self, store: Store) -> None:
        days = [
            Event(f"2026-02-0{n}", NOW + (n - 4) * DAY, "s", "wechat", "林晓", f"{n}", n, "group")
            for n in (4, 2, 3)
        ]
        worklog = store.worklog
        with store.writing():
            for event in days:
                worklog.put_event(event)
        assert worklog.events() == sorted(days)
        assert [one.summary for one in worklog.events("2026-02-03", "2026-02-04")] == ["3"]
        with store.writing():
            store.execute("mark_compressed", "2026-02-03", "")
        assert [one.summary for one in worklog.events(pending=True)] == ["2", "4"]
        assert [one.compressed for one in worklog.events()] == [False, True, False]

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
        assert [one.name for one in worklog.entities()] == ["陈美", "Tom"]
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
        assert worklog.used() == [
            MemoryUse(one.id, 2, 3, NOW + DAY),
            MemoryUse(other.id, 1, 1, NOW + DAY),
        ]
        with store.writing():
            store.execute("clear_uses")
        assert worklog.used() == []

    def test_keywords_are_made_of_what_changed(self, store: Store) -> None:
        kept = self.keep(store, record("peanut allergy"), record("花生过敏"), record("tea"))
        worklog = store.worklog
        with store.writing():
            assert [worklog.index(2), worklog.index(2), worklog.index(2)] == [2, 1, 0]
        assert store.latest("keyword", "peanut allergy", 9) == [kept[0]]
        new = self.update(store, kept[0].id, content="shellfish")
        self.update(store, kept[1].id, "used", strength=0.7)
        with store.writing():
            assert worklog.index(9) == 1
        assert store.latest("keyword", "peanut allergy", 9) == []
        assert store.latest("keyword", "shellfish", 9) == [new]

    def test_changes_partitions_and_categories(self, store: Store) -> None:
        place = {"project": "Acme", "topic": "api"}
        kept = self.keep(
            store,
            *(record(f"n{n}", category="temp", **place) for n in range(3)),
            record("guess", kind="belief", **place),
            record("else"),
        )
        worklog, later = store.worklog, NOW + DAY
        self.update(store, kept[0].id, "archived", later, state="archived")
        newest = [(kept[0].id, "archived", later)]
        assert worklog.changes_since(later) == worklog.changes_since(NOW, 1) == newest
        assert len(worklog.changes_since(NOW)) == 6
        assert store.query("partitions", 2) == [("Acme", "api", 2)]
        assert contents(store.query_records("of_category", "temp")) == ["n1", "n2"]

    def test_pages_and_the_ledger(self, store: Store) -> None:
        worklog = store.worklog
        assert (worklog.page("snapshot", "en"), store.scalar("spent", "2026-02-04")) == (None, 0)
        with store.writing():
            worklog.put_page("snapshot", "en", "one", "{}", NOW)
            worklog.put_page("snapshot", "zh", "一", "{}", NOW)
            worklog.put_page("snapshot", "en", "two", "[]", NOW + DAY)
            store.execute("spend", "2026-02-03", "extract", 10, 1)
            for use, given, got in (("extract", 20, 2), ("extract", 30, 3), ("day", 5, 5)):
                store.execute("spend", "2026-02-04", use, given, got)
        assert worklog.page("snapshot", "en") == ("two", "[]", NOW + DAY)
        assert worklog.page("snapshot", "zh") == ("一", "{}", NOW)
        assert store.scalar("spent", "2026-02-04") == 65
        assert store.query("ledger", 1) == [
            ("2026-02-04", "day", 1, 5, 5),
            ("2026-02-04", "extract", 2, 50, 5),
        ]

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
                worklog.pool(),
                store.entities_named(["妹妹", "小美"]),
                store.page("reviews", 0)[0],
                worklog.used(),
                worklog.index(0),
                store.latest("keyword", "peanut allergy", 9),
                store.latest("about", ("user", "", "health"), 9),
                store.find(Filter(), strongest=True),
            ]

        before = told()
        store.rebuild(quiet)
        assert told() == before
        assert self.sound(store)
