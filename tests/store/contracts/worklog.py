"""What every backend promises of `WorkLog`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from loxodon.language.statements import Fragment
from loxodon.store import Filter, MemoryUse, PoolSizes, Spent, Stretch, Work
from loxodon.store.store import Store
from loxodon.types import Entity, Event, Segment, Turn
from tests.clock import NOW
from tests.store.contracts import Contract, record, turn


class WorkLogContract(Contract):
    # turns and where the work stands

    def test_where_the_work_stands_is_kept(self, store: Store) -> None:
        assert store.worklog.work() == Work()
        work = Work(3, 7, 2, 1, NOW, NOW - timedelta(days=1), "full", "2026-02-03", NOW)
        with store.writing():
            store.worklog.set_work(work)
        assert store.worklog.work() == work

    def test_turns_are_taken_by_their_numbers(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", session=f"s{n % 2}") for n in range(6)))
        self.put(store, turn("by hand", session="capture", channel="capture"))
        worklog = store.worklog

        def said(turns: list[Turn]) -> list[str]:
            return [one.content for one in turns]

        assert worklog.last_turn() == 7
        assert worklog.pending(0) == 6
        assert worklog.pending(4) == 2
        assert said(worklog.turns_after(1, 4)) == ["n1", "n2", "n3"]
        assert said(worklog.turns_after(1, 9, 2)) == ["n1", "n2"]
        assert said(worklog.turns_before("s1", 6, 2)) == ["n1", "n3"]
        assert said(worklog.turns_before("s1", 2, 2)) == []
        assert said(worklog.turns_from("s0", 3, 6)) == ["n2", "n4"]
        assert said(worklog.turns_from("none", 1, 9)) == []

    def test_an_empty_worklog(self, store: Store) -> None:
        worklog = store.worklog
        assert (worklog.last_turn(), worklog.pending(0), worklog.turns_after(0, 9)) == (0, 0, [])
        assert worklog.pool() == PoolSizes(0, 0, 0, 0, 0)
        assert (worklog.segments(), worklog.events(), worklog.entities(), worklog.reviews()) == (
            [],
            [],
            [],
            [],
        )
        assert (worklog.used(), worklog.ended(NOW, 9), worklog.index(9), worklog.ledger()) == (
            [],
            [],
            0,
            [],
        )
        assert (worklog.page("snapshot", "en"), worklog.spent("2026-02-04")) == (None, 0)
        assert (worklog.last_segment("s"), worklog.candidates(), worklog.aliases()) == (
            None,
            [],
            {},
        )

    def test_the_pool_is_counted(self, store: Store) -> None:
        self.put(store, turn("a"), turn("b"))
        kept = self.keep(
            store, record("1", topic="diet"), record("2"), record("3", state="archived")
        )
        with store.writing():
            mei = store.worklog.put_entity(Entity("Mei", "person", (), NOW, NOW))
            store.worklog.put_entity(Entity("Tom", "person", (), NOW, NOW))
            store.update(kept[0].id, None, "archived", NOW, {"state": "archived"})
        assert store.worklog.pool() == PoolSizes(1, 2, 2, 2, 2)
        with store.writing():
            store.worklog.drop_entity(mei.no)
        assert store.worklog.pool().entities == 1

    # what is in hand

    def test_segments_are_kept_and_replaced(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", at=NOW + timedelta(minutes=n)) for n in range(4)))
        self.put(store, turn("elsewhere", session="t", at=NOW - timedelta(days=1)))
        one = Segment("s", 1, 2, NOW, NOW + timedelta(minutes=1), "food", ("饭", "food"), "a\nb")
        other = Segment("t", 5, 5, NOW - timedelta(days=1), NOW - timedelta(days=1), "x", (), "")
        worklog = store.worklog
        with store.writing():
            worklog.put_segments([one, other])
        assert [seg._replace(no=0) for seg in worklog.segments()] == [other, one]
        last = worklog.last_segment("s")
        assert last is not None
        assert last._replace(no=0) == one
        assert last.started_at.utcoffset() == NOW.utcoffset()
        longer = one._replace(last_turn=4, ended_at=NOW + timedelta(minutes=3))
        with store.writing():
            worklog.put_segments([longer], [last.no])
        assert [seg._replace(no=0) for seg in worklog.segments()] == [other, longer]
        assert worklog.last_segment("none") is None

    def test_segments_are_found_by_topic_tags_and_words(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}") for n in range(4)), turn("x", session="t"))
        food = Segment("s", 1, 2, NOW, NOW + timedelta(hours=1), "火锅", ("Mei",), "spicy soup")
        other = Segment("t", 5, 5, NOW - timedelta(days=1), NOW, "trains", (), "late again")
        with store.writing():
            store.worklog.put_segments([food, other])
        for query in ("火锅", "mei", "soup"):
            assert self.found(store, query, "segments") == [1]
        assert store.stretches([1, 99]) == {1: Stretch(1, 1, 2)}
        assert self.found(store, "soup trains", "segments", session="t") == [2]
        assert self.found(store, "soup trains", "segments", until=NOW) == [2]
        later = NOW + timedelta(minutes=1)
        assert self.found(store, "soup trains", "segments", since=later) == [1]
        with store.writing():
            store.worklog.put_segments([food._replace(last_turn=4, text="mild rice")], [1])
        assert self.found(store, "soup", "segments") == []
        assert self.found(store, "rice", "segments") == [3]
        assert list(store.check(lambda done, total: None)) == []
        store.rebuild(lambda done, total: None)
        assert self.found(store, "rice 火锅", "segments") == [3]
        assert list(store.check(lambda done, total: None)) == []

    def test_fragments_go_from_stage_to_stage(self, store: Store) -> None:
        self.put(store, turn("a b"), turn("c"))
        worklog = store.worklog
        cut = [
            Fragment(2, 0, "c", "question"),
            Fragment(1, 0, "a", "chat"),
            Fragment(1, 1, "b", "statement"),
        ]
        with store.writing():
            worklog.put_fragments(cut)
        found = worklog.fragments("cut")
        assert found == [cut[1], cut[2], cut[0]]
        assert [one.text for one in worklog.fragments("cut", 1)] == ["a"]
        with store.writing():
            worklog.settle([(1, 1, 0.7)])
        assert worklog.fragments("waiting") == [cut[2]]
        assert worklog.waiting() == [(cut[2], 0.7)]
        assert worklog.fragments("cut") == []
        assert worklog.count_fragments("waiting") == 1
        with store.writing():
            worklog.drop_waiting([(1, 1), (2, 0)])
        assert worklog.count_fragments("waiting") == 0

    def test_what_is_asked_about_three_times_in_vain_is_let_go(self, store: Store) -> None:
        self.put(store, turn("a b"))
        pieces = [Fragment(1, 0, "a", "statement"), Fragment(1, 1, "b", "statement")]
        with store.writing():
            store.worklog.put_fragments(pieces)
            store.worklog.settle([(1, 0, 0.1), (1, 1, 0.2)])
            for _ in range(2):
                store.worklog.put_off([(1, 0)])
        assert store.worklog.fragments("waiting") == pieces
        with store.writing():
            store.worklog.put_off([(1, 0)])
        assert store.worklog.fragments("waiting") == pieces[1:]

    def test_a_turn_that_is_put_aside_is_out_of_the_way(self, store: Store) -> None:
        self.put(store, turn("poison"), turn("fine"))
        worklog = store.worklog
        with store.writing():
            worklog.put_fragments([Fragment(1, n, "x", "chat") for n in range(3)])
            worklog.put_fragments([Fragment(2, 0, "fine", "chat")])
            worklog.fail_turn(1, "poison", "ValueError()")
            worklog.fail_turn(1, "poison", "KeyError()")
        assert [one.turn for one in worklog.fragments("cut")] == [2]
        (aside,) = worklog.fragments("failed")
        assert aside.text == "poison"
        with store.writing():
            worklog.settle([])
        assert worklog.count_fragments("failed") == 1

    def test_candidates_stay_until_they_are_dropped(self, store: Store) -> None:
        self.put(store, turn("a"), turn("b"))
        with store.writing():
            store.worklog.put_candidates([(2, "{}"), (1, "[1]")])
        assert [(t, body) for _, t, body in store.worklog.candidates()] == [(2, "{}"), (1, "[1]")]
        with store.writing():
            store.worklog.drop_candidates()
        assert store.worklog.candidates() == []

    # events, entities, reviews

    def test_events_by_day(self, store: Store) -> None:
        days = [
            Event(
                f"2026-02-0{n}",
                NOW + timedelta(days=n - 4),
                "s",
                "wechat",
                "林晓",
                f"day {n}",
                n,
                "group",
            )
            for n in (4, 2, 3)
        ]
        worklog = store.worklog
        with store.writing():
            for event in days:
                worklog.put_event(event)
        assert worklog.events() == sorted(days)
        assert [one.summary for one in worklog.events("2026-02-03", "2026-02-04")] == ["day 3"]
        with store.writing():
            worklog.mark_compressed("2026-02-03")
        assert [one.summary for one in worklog.events(pending=True)] == ["day 2", "day 4"]
        assert [one.compressed for one in worklog.events()] == [False, True, False]

    def test_entities_by_any_of_their_names(self, store: Store) -> None:
        worklog = store.worklog
        with store.writing():
            mei = worklog.put_entity(Entity("小美", "person", ("妹妹", "Mei"), NOW, NOW))
            tom = worklog.put_entity(Entity("Tom", "person", ("妹妹",), NOW, NOW))
        assert (mei.no, tom.no) == (1, 2)
        found = store.entities_named(["MEI", "妹妹", "Tom", "nobody"])
        assert found == {"MEI": mei, "妹妹": mei, "Tom": tom}
        assert worklog.aliases()["Mei"] == "小美"
        later = NOW + timedelta(days=1)
        with store.writing():
            worklog.put_entity(mei._replace(name="陈美", aliases=("Mei",), updated_at=later))
        assert store.entities_named(["小美"]) == {}
        assert store.entities_named(["陈美"])["陈美"].updated_at == later
        assert [one.name for one in worklog.entities()] == ["陈美", "Tom"]
        with store.writing():
            worklog.drop_entity(tom.no)
        assert store.entities_named(["Tom"]) == {}
        with store.writing():
            assert worklog.put_entity(Entity("Ann", "person", (), NOW, NOW)).no == 3

    def test_reviews_wait_for_an_answer(self, store: Store) -> None:
        fact, first, second = self.keep(
            store,
            record("in Leeds"),
            record("in York", kind="belief", confidence=0.6),
            record("in Bath", kind="belief", confidence=0.5),
        )
        worklog, later = store.worklog, NOW + timedelta(hours=1)
        with store.writing():
            worklog.put_review(second.id, fact.id, later)
            worklog.put_review(first.id, fact.id, NOW)
            worklog.put_review(first.id, fact.id, later)
        assert [(r.belief.id, r.against.id, r.asked_at) for r in worklog.reviews()] == [
            (first.id, fact.id, NOW),
            (second.id, fact.id, later),
        ]
        with store.writing():
            worklog.answer_review(first.id, "confirmed", later)
            store.update(second.id, None, "faded", later, {"state": "archived"})
        assert worklog.reviews() == []

    # strength, keywords, pages, the ledger

    def test_memories_that_have_ended(self, store: Store) -> None:
        soon, later = NOW + timedelta(days=1), NOW + timedelta(days=2)
        kept = self.keep(
            store,
            record("c"),
            record("b", expires_at=later),
            record("a", expires_at=soon),
            record("x", expires_at=soon, state="archived"),
        )
        worklog = store.worklog
        assert worklog.ended(NOW, 9) == []
        assert worklog.ended(soon, 9) == [kept[2].id]
        assert worklog.ended(later, 9) == [kept[2].id, kept[1].id]
        assert worklog.ended(later, 1) == [kept[2].id]

    def test_uses_are_counted_by_day(self, store: Store) -> None:
        one, other = self.keep(store, record("one"), record("other"))
        worklog, later = store.worklog, NOW + timedelta(days=1)
        with store.writing():
            assert worklog.use([one.id, one.id, "f_none"], "2026-02-04", NOW) == 1
            assert worklog.use([one.id, other.id], "2026-02-05", later) == 2
            worklog.use([one.id], "2026-02-05", NOW)
        assert worklog.used() == [MemoryUse(one.id, 2, 3, later), MemoryUse(other.id, 1, 1, later)]
        with store.writing():
            worklog.clear_uses()
        assert worklog.used() == []

    def test_keywords_are_made_of_what_changed(self, store: Store) -> None:
        kept = self.keep(store, record("peanut allergy"), record("花生过敏"), record("tea"))
        worklog = store.worklog
        with store.writing():
            assert [worklog.index(2), worklog.index(2), worklog.index(2)] == [2, 1, 0]
        assert store.latest("keyword", "peanut allergy", 9) == [kept[0]]
        with store.writing():
            new = store.update(kept[0].id, None, "edited", NOW, {"content": "shellfish"})
            store.update(kept[1].id, None, "used", NOW, {"strength": 0.7})
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
        worklog, later = store.worklog, NOW + timedelta(days=1)
        with store.writing():
            store.update(kept[0].id, None, "archived", later, {"state": "archived"})
        assert worklog.changes_since(later) == [(kept[0].id, "archived", later)]
        assert len(worklog.changes_since(NOW)) == 6
        assert worklog.changes_since(NOW, 1) == [(kept[0].id, "archived", later)]
        assert worklog.partitions(2) == [("Acme", "api", 2)]
        assert [one.content for one in worklog.of_category("temp")] == ["n1", "n2"]

    def test_pages_and_the_ledger(self, store: Store) -> None:
        worklog, later = store.worklog, NOW + timedelta(days=1)
        with store.writing():
            worklog.put_page("snapshot", "en", "one", "{}", NOW)
            worklog.put_page("snapshot", "zh", "一", "{}", NOW)
            worklog.put_page("snapshot", "en", "two", "[]", later)
            worklog.spend("2026-02-03", "extract", 10, 1)
            worklog.spend("2026-02-04", "extract", 20, 2)
            worklog.spend("2026-02-04", "extract", 30, 3)
            worklog.spend("2026-02-04", "day", 5, 5)
        assert worklog.page("snapshot", "en") == ("two", "[]", later)
        assert worklog.page("snapshot", "zh") == ("一", "{}", NOW)
        assert worklog.spent("2026-02-04") == 65
        assert worklog.ledger(1) == [
            Spent("2026-02-04", "day", 1, 5, 5),
            Spent("2026-02-04", "extract", 2, 50, 5),
        ]
        assert len(worklog.ledger()) == 3

    def test_what_the_worklog_holds_survives_rebuilding(self, store: Store) -> None:
        """Everything derived is made anew, and nothing else is touched."""
        self.put(store, turn("a"))
        fact, belief = self.keep(
            store,
            record("peanut allergy", subject="user", category="health"),
            record("in York", kind="belief", confidence=0.6),
        )
        worklog = store.worklog
        with store.writing():
            worklog.put_entity(Entity("小美", "person", ("妹妹",), NOW, NOW))
            worklog.put_review(belief.id, fact.id, NOW)
            worklog.use([fact.id], "2026-02-04", NOW)
            worklog.index(9)

        def told() -> list[Any]:
            return [
                worklog.pool(),
                store.entities_named(["妹妹", "小美"]),
                worklog.aliases(),
                worklog.reviews(),
                worklog.used(),
                worklog.index(0),
                store.latest("keyword", "peanut allergy", 9),
                store.latest_about(("user", "", "health"), 9),
                store.find(Filter(), strongest=True),
            ]

        before = told()
        store.rebuild(lambda done, total: None)
        assert told() == before
        assert list(store.check(lambda done, total: None)) == []
