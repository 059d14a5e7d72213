"""What every backend promises of `PrimaryData`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon.errors import StoreError
from loxodon.language.statements import Fragment
from loxodon.store import Filter, JobRuns, QuarantinedText, StoredReceipt, Work
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.store.store import Store
from loxodon.types import Entity, Source
from tests.clock import NOW
from tests.store.contracts import Contract, OpenStore, key, quiet, record, turn

Dump = dict[str, list[Row]]


def dumped(store: Store) -> Dump:
    with store.reading():
        return {table: list(store.primary.dump(table)) for table in PRIMARY_TABLES}


class PrimaryDataContract(Contract):
    def fill(self, store: Store) -> None:
        """Something into every table."""
        self.put(store, turn("I live in Leeds"), turn("noted", role="assistant"), turn("茶", "二"))
        old, new = self.keep(
            store,
            record("lives in Leeds", sources=(Source("s", "#1"),), entities=("Leeds",)),
            record("perhaps likes tea", kind="belief", confidence=0.5),
        )
        self.keep(store, record("a number", sensitivity="high"))
        with store.writing():
            store.update(old.id, None, "edited", NOW, {"content": "lives in York"})
            worklog = store.worklog
            worklog.put_entity(Entity("Leeds", "place", ("the city",), NOW, NOW))
            store.execute("put_review", new.id, old.id, NOW)
            worklog.use([old.id], "2026-02-04", NOW)
            store.execute_many("cut_fragment", [Fragment(1, 0, "I live in Leeds", "statement")])
            store.execute_many("put_candidate", [(1, "{}")])
            store.execute("spend", "2026-02-04", "2", 5, 7)
            worklog.put_page("snapshot", "en", "text", "{}", NOW)
            worklog.set_work(Work(done_to=2, phase=3, last_run=NOW))
            runs = JobRuns("daily", NOW, 1.5, {"added": 2}, failed_at=NOW, error="full")
            store.execute("put_job", *runs)
            store.execute("set_mark", "/a.jsonl", "s", "{}", NOW)
            store.execute("put_import", key("import"), old.id, NOW)
            store.documents.put(("a", "b"), "k", '{"x": 1}', "one", NOW)
            store.documents.put(("a",), "", "null", "", NOW)
            store.working_sessions.put("main", '{"sessionId": "a1"}')
            store.working_sessions.append("a1", 0, ['{"type": "session"}', '{"said": "茶"}'])
            store.quarantine.put(
                [
                    QuarantinedText(0, 1, "", 0, 4, "", "override", "web", NOW, "held", None),
                    QuarantinedText(
                        0, None, old.id, 0, 4, "obey", "claim", "import", NOW, "released", NOW
                    ),
                ]
            )
            store.execute_many("put_tombstone", [("turn", key("gone"), 0, 5)])
            receipt = StoredReceipt("r_1", NOW, "cli", "ids", {"turns": 1}, ())
            store.execute_many("put_receipt", [receipt])
            store.execute("put_call", "once", key("asked"), 2, NOW, old.id)

    def test_dump_fills_an_empty_store(self, store: Store, open_store: OpenStore) -> None:
        self.fill(store)
        truth = dumped(store)
        empty = [table for table, rows in truth.items() if not rows]
        assert [one for one in empty if one != "signatures"] in ([], ["segments", "events"])
        other = open_store("other")
        assert other.primary.is_empty()
        other.primary.load(truth.items(), quiet)
        assert not other.primary.is_empty()
        assert dumped(other) == truth
        assert self.sound(other)
        with pytest.raises(StoreError, match="not empty"):
            other.primary.load([("counters", [("turn", 9)])], quiet)
        assert self.contents(other, "york") == ["lives in York"]
        assert self.found(other, "leeds", "turns") == [1]
        assert [one.record.content for one in other.history(store.find(Filter())[-1].id)] == [
            "lives in Leeds",
            "lives in York",
        ]
        other.close()

    def test_dump_that_does_not_fit_leaves_nothing(
        self, store: Store, open_store: OpenStore
    ) -> None:
        self.fill(store)
        truth = dumped(store)
        truth["memory_uses"] = [("f_19990101_001", "2026-02-04", 1, 0)]
        other = open_store("other")
        with pytest.raises(StoreError):
            other.primary.load(truth.items(), quiet)
        assert other.primary.is_empty()
        assert other.journal(Filter(), 0) == []
        other.close()

    def test_numbers_in_a_dump_are_not_given_out_again(
        self, store: Store, open_store: OpenStore
    ) -> None:
        self.fill(store)
        truth = dumped(store)
        truth["counters"] = []
        other = open_store("other")
        other.primary.load(truth.items(), quiet)
        (kept,) = self.keep(other, record("the next"))
        assert kept.id == "f_20260204_003"
        assert self.put(other, turn("next"))[0]
        assert other.check(quiet) == []
        other.close()

    def test_long_day_is_in_parts_that_stay(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", at=NOW - timedelta(seconds=n)) for n in range(2_500)))
        first, second = store.primary.days()
        assert (first.part, first.turns, second.part, second.turns) == (1, 2_000, 2, 500)
        assert [row[0] for row in store.primary.turns_of(second)] == list(range(2_500, 2_000, -1))
        self.put(store, turn("one more", at=NOW - timedelta(hours=2)))
        assert store.primary.days()[0] == first
        assert store.primary.days()[1].turns == 501
        self.put(store, *(turn(f"{n}" * 3_000_000, at=NOW + timedelta(days=1)) for n in range(4)))
        assert [day.turns for day in store.primary.days()[2:]] == [2, 2]
