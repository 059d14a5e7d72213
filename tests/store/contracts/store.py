"""What every backend promises of `Store`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loxodon.errors import NotFoundError, StaleEditError
from loxodon.store import Filter, KnownNames, KnownTurn
from loxodon.store.store import Store
from loxodon.text.words import index_words
from loxodon.types import Entity, Source
from tests.clock import NOW
from tests.store.contracts import Contract, OpenStore, key, record, turn


class StoreContract(Contract):
    # The journal

    def test_turns_keep_their_order_and_all_they_came_with(self, store: Store) -> None:
        said = [
            turn("早上好", speaker="林晓", channel="wechat", chat="group", origin="group"),
            turn("hello", role="assistant", origin="assistant", id="x9"),
        ]
        kept = self.put(store, *said)
        assert [one and one.id for one in kept] == ["#1", "x9"]
        journal = store.journal(Filter(), 0)
        assert [one._replace(ref="", id="") for one in journal] == [
            one._replace(id="") for one in said
        ]
        assert journal[0].at.utcoffset() == timedelta(hours=8)

    def test_a_known_turn_is_not_added_again(self, store: Store) -> None:
        self.put(store, turn("one"), turn("two"))
        again = self.put(store, turn("two"), turn("three"), turn("three"))
        assert [one is not None for one in again] == [False, True, False]
        assert [one.content for one in store.journal(Filter(), 0)] == ["one", "two", "three"]
        assert store.journal(Filter(), 0)[-1].id == "#3"

    def test_the_journal_is_narrowed_by_session_and_time(self, store: Store) -> None:
        for n in range(5):
            self.put(store, turn(f"n{n}", session=f"s{n % 2}", at=NOW + timedelta(hours=n)))
        assert [t.content for t in store.journal(Filter(session="s1"), 0)] == ["n1", "n3"]
        since, until = NOW + timedelta(hours=1), NOW + timedelta(hours=3)
        assert [t.content for t in store.journal(Filter(since=since, until=until), 0)] == [
            "n1",
            "n2",
        ]
        assert [t.content for t in store.journal(Filter(), 2)] == ["n3", "n4"]
        assert store.journal(Filter(session="none"), 0) == []

    def test_a_failed_transaction_leaves_nothing(self, store: Store) -> None:
        with pytest.raises(RuntimeError), store.writing():  # noqa: PT012
            store.append([(turn("gone"), key("gone"))])
            store.insert(record("gone too"), "captured")
            raise RuntimeError
        assert store.journal(Filter(), 0) == []
        assert store.find(Filter()) == []
        assert self.found(store, "gone", "turns") == []
        kept = self.put(store, turn("stays"))
        assert kept[0] is not None
        assert kept[0].id == "#1"

    def test_what_is_known_of_a_turn(self, store: Store) -> None:
        first, other = turn("v1", id="e"), turn("v2", id="e")
        with store.writing():
            store.append([(first, key("e"))])
            again = store.append([(first, key("e")), (other, key("e")), (other, key("f"))])
        assert again[:2] == [KnownTurn(False, own=True), KnownTurn(True, own=True)]
        assert store.known([(other, key("e")), (other, key("g"))]) == [KnownTurn(True, True), None]
        assert (store.session_size("s"), store.session_size("none")) == (2, 0)
        assert store.last_texts("s", 3) == ["v1", "v2"]
        assert store.last_texts("s", 1) == ["v2"]
        assert store.last_texts("none", 3) == []
        assert store.turn_row("s", "e") == 2
        assert store.turn_row("s", "x") is None

    def test_who_said_a_turn_can_be_told_later(self, store: Store) -> None:
        ann, ben = (
            turn(f"hello from {name}", speaker=name, origin="group", id=name)
            for name in ("Ann", "Ben")
        )
        self.put(store, ann, ben)
        mine = ann._replace(speaker="", origin="user")
        with store.writing():
            told = [
                (mine, key("s/hello from Ann")),
                (ben, key("s/hello from Ben")),
                (ben, key("x")),
            ]
            ((old, new),) = store.attribute(told)
        assert (old.speaker, old.origin, new.speaker, new.origin) == ("Ann", "group", "", "user")
        assert store.journal(Filter(), 0)[0] == new
        assert store.known(told) == [KnownTurn(False, own=True), KnownTurn(False), None]
        assert len(self.found(store, "Ann", "turns")) == 1  # of its words: the name is gone
        assert self.found(store, "hello", "turns")
        assert list(store.check(lambda done, total: None)) == []

    def test_a_transaction_within_one_that_fails_is_undone_by_itself(self, store: Store) -> None:
        with store.writing():
            store.append([(turn("outer"), key("o"))])
            with pytest.raises(ZeroDivisionError), store.writing():  # noqa: PT012
                store.append([(turn("inner"), key("i"))])
                raise ZeroDivisionError
            store.append([(turn("after"), key("a"))])
        assert [one.content for one in store.journal(Filter(), 0)] == ["outer", "after"]
        assert self.found(store, "inner", "turns") == []

    def test_a_write_cannot_begin_within_a_read(self, store: Store) -> None:
        with store.reading(), pytest.raises(RuntimeError), store.writing():
            pass
        self.put(store, turn("and then it can"))
        assert len(store.journal(Filter(), 0)) == 1

    # Memories

    def test_a_memory_comes_back_as_it_was_kept(self, store: Store) -> None:
        self.put(store, turn("我对花生过敏", id="m3"))
        given = record(
            "用户对花生过敏",
            kind="belief",
            importance=0.9,
            confidence=0.7,
            tags=("过敏", "Food"),
            entities=("用户",),
            project="Home",
            topic="health",
            category="health",
            audience="group",
            subject="用户",
            attribute="allergy",
            value="花生",
            basis="said so",
            trust="assistant",
            valid_from=NOW,
            valid_until=NOW + timedelta(days=9),
            expires_at=NOW + timedelta(days=5),
            due_at=NOW,
            done=True,
            confirmed_at=NOW,
            accessed_at=NOW,
            access_count=3,
            agent="a",
            sensitivity="high",
            derived_from=("f_1",),
            sources=(Source(session="s", turn="m3"), Source(file="MEMORY.md", line=12)),
        )
        (kept,) = self.keep(store, given)
        assert kept.id == "b_20260204_001"
        assert store.get(kept.id) == kept == given._replace(id=kept.id, space=store.space)
        assert store.find(Filter()) == [kept]

    def test_ids_count_within_kind_and_day(self, store: Store) -> None:
        tomorrow = NOW + timedelta(days=1)
        kept = self.keep(
            store,
            record("a"),
            record("b"),
            record("c", kind="summary"),
            record("d", created_at=tomorrow),
        )
        assert [one.id for one in kept] == [
            "f_20260204_001",
            "f_20260204_002",
            "s_20260204_001",
            "f_20260205_001",
        ]

    def test_the_most_important_of_some_projects(self, store: Store) -> None:
        some = [
            ("a", 0.2, "Heron"),
            ("b", 0.9, "Heron"),
            ("c", 0.5, "_global"),
            ("d", 1.0, "Quarry"),
        ]
        self.keep(store, *(record(name, importance=i, project=p) for name, i, p in some))

        def names(projects: tuple[str, ...], limit: int = 10) -> list[str]:
            rows = store.foremost(Filter(), projects, limit)
            records = store.records(rows)
            return [records[row].content for row in rows]

        assert names(("heron", "_global")) == ["b", "c", "a"]
        assert names(()) == ["d", "b", "c", "a"]
        assert names((), 1) == ["d"]

    def test_an_edit_keeps_history(self, store: Store) -> None:
        (kept,) = self.keep(store, record("在北京工作", tags=("work",)))
        later = NOW + timedelta(days=1)
        with store.writing():
            new = store.update(
                kept.id, 1, "edited", later, {"content": "在上海工作", "tags": ("job",)}
            )
        assert (new.version, new.updated_at, new.content) == (2, later, "在上海工作")
        first, second = store.history(kept.id)
        assert (first.version, first.change, first.record.content) == (1, "captured", "在北京工作")
        assert first.record.tags == ("work",)
        assert (second.version, second.change, second.at, second.record) == (
            2,
            "edited",
            later,
            new,
        )
        assert self.contents(store, "上海") == ["在上海工作"]
        assert self.contents(store, "北京") == []
        assert self.contents(store, "工作", tag="job") == ["在上海工作"]
        assert self.contents(store, "工作", tag="work") == []

    def test_a_stale_edit_is_refused_and_changes_nothing(self, store: Store) -> None:
        (kept,) = self.keep(store, record("one"))
        with store.writing():
            store.update(kept.id, 1, "edited", NOW, {"content": "two"})
        with pytest.raises(StaleEditError, match="version 2"), store.writing():
            store.update(kept.id, 1, "edited", NOW, {"content": "three"})
        present = store.get(kept.id)
        assert present is not None
        assert (present.content, present.version) == ("two", 2)
        assert len(store.history(kept.id)) == 2

    def test_what_is_not_there_is_not_found(self, store: Store) -> None:
        assert store.get("f_20260204_999") is None
        assert store.records([12]) == {}
        assert store.turns([12]) == {}
        with pytest.raises(NotFoundError, match="f_20260204_999"):
            store.history("f_20260204_999")
        with pytest.raises(NotFoundError), store.writing():
            store.update("f_20260204_999", None, "edited", NOW, {"content": "x"})

    def test_memories_are_filtered(self, store: Store) -> None:
        self.keep(
            store,
            record("apple", tags=("Fruit",), project="Acme", topic="api"),
            record(
                "apple pie", kind="belief", entities=("林晓",), created_at=NOW + timedelta(days=2)
            ),
            record("apple tree", state="archived"),
        )

        def named(**where: Any) -> list[str]:
            return [one.content for one in store.find(Filter(**where))]

        assert named() == ["apple pie", "apple tree", "apple"]
        assert named(state="active") == ["apple pie", "apple"]
        assert named(state="archived") == ["apple tree"]
        assert named(kind="belief") == ["apple pie"]
        assert named(project="acme") == ["apple"]
        assert named(topic="API") == ["apple"]
        assert named(tag="fruit") == ["apple"]
        assert named(entity="林曉") == ["apple pie"]
        assert named(since=NOW + timedelta(days=1)) == ["apple pie"]
        assert named(until=NOW + timedelta(days=1)) == ["apple tree", "apple"]
        assert self.contents(store, "apple", project="Acme") == ["apple"]
        assert self.contents(store, "apple", kind="belief") == ["apple pie"]
        assert [one.content for one in store.find(Filter(), 1)] == ["apple pie"]

    def test_memories_are_found_by_what_they_are_about(self, store: Store) -> None:
        said = (
            record("a", subject="user", attribute="home", value="Leeds", category="status"),
            record("b", subject="user", attribute="likes", value="绿茶"),
            record("c", subject="小美", attribute="home", value="大阪"),
            record("d", subject="user", category="status"),
            record("e", attribute="home", value="Leeds"),
        )
        self.keep(store, *said)

        def about(*parts: str) -> list[str]:
            found = [one.content for one in store.find(Filter(about=parts))]
            assert [one.content for one in store.latest_about(parts, 9)] == found
            return found

        assert about("user") == ["d", "b", "a"]
        assert about("USER", "Home") == ["a"]
        assert about("user", "likes", "綠茶") == ["b"]
        assert about("user", "likes", "coffee") == []
        assert about("小美") == ["c"]
        assert about("user", "", "status") == ["d", "a"]
        assert about("home") == []
        assert self.contents(store, "a b c d e", about=("小美", "home")) == ["c"]

    def test_the_latest_of_a_label_are_active_and_few(self, store: Store) -> None:
        kept = self.keep(
            store,
            *(record(f"n{n}", tags=("Work",), project="Acme", subject="user") for n in range(4)),
            record("gone", tags=("Work",), project="Acme", subject="user", state="archived"),
            record("with a source", entities=("李雷",), sources=(Source(file="a.md", line=3),)),
        )
        assert [one.content for one in store.latest("tag", "work", 2)] == ["n3", "n2"]
        assert [one.content for one in store.latest("project", "ACME", 9)] == [
            "n3",
            "n2",
            "n1",
            "n0",
        ]
        assert store.latest("entity", "李雷", 9) == [kept[-1]]
        assert store.latest("topic", "none", 9) == []
        with store.writing():
            store.update(kept[3].id, None, "superseded", NOW, {"state": "archived"})
        assert [one.content for one in store.latest_about(("user",), 9)] == ["n2", "n1", "n0"]

    def test_what_lasts_longest_is_strongest(self, store: Store) -> None:
        """…and what expires soon is not, however strong it is now."""
        tomorrow = NOW + timedelta(days=1)
        kept = self.keep(
            store,
            record("weak", strength=0.2),
            record("strong", strength=0.9),
            record("brief", strength=1.0, expires_at=tomorrow),
            record("fair", strength=0.5),
            record("past", strength=1.0, state="archived"),
        )

        def strongest(limit: int = 0) -> list[str]:
            found = store.find(Filter(state="active"), limit, strongest=True)
            return [one.content for one in found]

        assert strongest() == ["strong", "fair", "weak", "brief"]
        assert strongest(2) == ["strong", "fair"]
        with store.writing():
            store.update(kept[0].id, None, "used", NOW, {"strength": 1.0})
            store.update(kept[2].id, None, "edited", NOW, {"expires_at": None})
        assert strongest() == ["brief", "weak", "strong", "fair"]

    def test_sources_are_replaced_and_the_old_ones_stay_in_history(self, store: Store) -> None:
        said = self.put(store, turn("one", id="m1"), turn("two", id="m2"))
        first, second = Source("s", "m1"), Source("s", "m2")
        (kept,) = self.keep(store, record("cats", sources=(first,)))
        with store.writing():
            new = store.update(kept.id, 1, "repeated", NOW, {"sources": (first, second)})
        assert new.sources == (first, second)
        assert store.get(kept.id) == new
        assert [one.record.sources for one in store.history(kept.id)] == [(first,), (first, second)]
        rows = [int(one.ref[2:]) for one in said if one]
        assert sorted(store.drawn_from(rows)) == rows
        with store.writing():
            store.update(kept.id, 2, "edited", NOW, {"sources": (second,)})
        assert sorted(store.drawn_from(rows)) == rows[1:]

    def test_history_begins_with_what_a_memory_replaced(self, store: Store) -> None:
        (old,) = self.keep(store, record("in Beijing"))
        with store.writing():
            store.update(old.id, None, "superseded", NOW, {"state": "archived"})
            new = store.insert(record("in Shanghai", replaces=old.id), "learned")
        assert [(one.record.content, one.change) for one in store.history(new.id)] == [
            ("in Beijing", "captured"),
            ("in Beijing", "superseded"),
            ("in Shanghai", "learned"),
        ]
        assert len(store.history(old.id)) == 2

    def test_the_successor_is_the_active_one_at_the_end_of_the_line(self, store: Store) -> None:
        first, alone = self.keep(store, record("in Beijing"), record("alone"))
        with store.writing():
            store.update(first.id, None, "superseded", NOW, {"state": "archived"})
            second = store.insert(record("in Shanghai", replaces=first.id), "learned")
            store.update(second.id, None, "superseded", NOW, {"state": "archived"})
            third = store.insert(record("in Suzhou", replaces=second.id), "learned")
        rows = {one.content: row for row, one in store.records(range(1, 10)).items()}
        last = rows[third.content]
        found = store.successors(rows.values())
        assert found == {rows["in Beijing"]: last, rows["in Shanghai"]: last}
        assert store.successors([rows[alone.content]]) == {}

    def test_rare_words_lead_to_their_rows_and_others_nowhere(self, store: Store) -> None:
        self.keep(
            store, *(record(f"harbour number {n}") for n in range(4)), record("one lighthouse")
        )
        (row,) = [row for row, one in store.records(range(1, 10)).items() if "light" in one.content]
        words = index_words("the lighthouse of the harbour in Utrecht")
        assert list(store.rare("memories", words, 3).values()) == [[row]]

    def test_a_long_line_of_replacements_is_told_whole(self, store: Store) -> None:
        before = ""
        with store.writing():
            for n in range(1_100):
                before = store.insert(record(f"home {n}", replaces=before), "learned").id
        told = store.history(before)
        assert [one.record.content for one in told] == [f"home {n}" for n in range(1_100)]

    def test_history_ends_where_the_line_does_or_closes(self, store: Store) -> None:
        one, other = self.keep(store, record("one", replaces="f_19990101_001"), record("other"))
        assert len(store.history(one.id)) == 1
        with store.writing():
            store.update(one.id, None, "edited", NOW, {"replaces": other.id})
            store.update(other.id, None, "edited", NOW, {"replaces": one.id})
        assert [v.record.id for v in store.history(one.id)] == [other.id] * 2 + [one.id] * 2

    def test_projects_and_topics_are_looked_up_by_name(self, store: Store) -> None:
        self.keep(
            store,
            record("1", project="blue whale", topic="Launch"),
            record("2", project="Blue Whale", topic="发布 计划"),
            record("3"),
        )
        names = ["blue whale", "whale", "发布 计划", "launch", "_global", "_general", '"', ""]
        with store.writing():
            store.worklog.put_entity(Entity("Whale", "thing", (), NOW, NOW))
        found = store.named(names)
        assert found.projects == {"blue whale": "Blue Whale"}
        assert found.topics == {"launch": "Launch", "发布 计划": "发布 计划"}
        assert found.entities == store.entities_named(["whale"])
        assert found.entities["whale"].name == "Whale"
        assert store.named([]) == KnownNames()

    # Search

    def test_search_finds_by_any_word_and_ranks_the_closer_first(self, store: Store) -> None:
        self.keep(store, record("cats and dogs live here"), record("cats"), record("birds"))
        assert self.contents(store, "cats") == ["cats", "cats and dogs live here"]
        assert self.contents(store, "dogs cats")[0] == "cats and dogs live here"
        assert self.contents(store, "fish") == []

    def test_archived_memories_have_an_index_of_their_own(self, store: Store) -> None:
        (kept,) = self.keep(store, record("cats"))
        row = self.found(store, "cats")
        with store.writing():
            store.update(kept.id, None, "archived", NOW, {"state": "archived"})
        assert self.found(store, "cats") == []
        assert self.found(store, "cats", "archive") == row
        with store.writing():
            store.update(kept.id, None, "unarchived", NOW, {"state": "active"})
        assert self.found(store, "cats") == row
        assert self.found(store, "cats", "archive") == []

    @pytest.mark.parametrize(
        "query",
        [
            '"',
            "*",
            "NEAR(a b)",
            "cats AND",
            "a:b",
            "-cats",
            "^cats",
            "(",
            "col : cats",
            "{cats}",
            "cats'; DROP TABLE turns",
            "\x00",
            "+",
            "AND OR NOT",
        ],
    )
    def test_no_query_is_syntax(self, store: Store, query: str) -> None:
        self.keep(store, record("cats"))
        expected = ["cats"] if "cats" in query else []
        assert self.contents(store, query) == expected

    def test_common_words_do_not_lead_but_still_count(self, store: Store) -> None:
        common = [turn(f"project meeting number{n} today", id=f"n{n}") for n in range(3_000)]
        special = [turn("project zebra", id="z"), turn("quiet zebra", id="q")]
        with store.writing():
            store.append([(one, key(one.id)) for one in [*common, *special]])
        rows = self.found(store, "project zebra", "turns")
        assert [store.turns(rows)[row].id for row in rows[:2]] == ["z", "q"]
        newest = self.found(store, "meeting", "turns")
        assert len(newest) == 10
        assert all("meeting" in one.content for one in store.turns(newest).values())

    def test_turns_lead_to_the_memories_drawn_from_them(self, store: Store) -> None:
        (said,) = self.put(store, turn("我对花生过敏", id="m3"))
        self.keep(store, record("用户对花生过敏", sources=(Source(session="s", turn="m3"),)))
        assert said is not None
        row = int(said.ref.removeprefix("t_"))
        assert store.drawn_from([row, 99]) == {row: self.found(store, "花生")}
        assert store.outcomes([row, 99]) == {row: dict.fromkeys(self.found(store, "花生"), "live")}

    def test_a_group_hears_nothing_private(self, store: Store) -> None:
        self.put(
            store,
            turn("apple in secret"),
            turn("apple in public", chat="group"),
            turn("apple in the room", chat="room"),
            turn("apple taken back", chat="group", id="t4"),
        )
        self.keep(
            store,
            record("private apple"),
            record("group apple", audience="group"),
            record("apple for all", audience="all"),
            record("apple not for you", sources=(Source(session="s", turn="t4"),)),
        )
        group = Filter(audience="group")
        assert [one.content for one in store.journal(group, 0)] == [
            "apple in public",
            "apple in the room",
        ]
        assert sorted(self.found(store, "apple", "turns", audience="group")) == [2, 3]
        assert {one.content for one in store.find(group)} == {"group apple", "apple for all"}
        assert sorted(self.contents(store, "apple", audience="group")) == [
            "apple for all",
            "group apple",
        ]
        assert len(self.found(store, "apple", "turns")) == len(self.found(store, "apple")) == 4

    def test_rows_found_elsewhere_are_held_against_a_filter(self, store: Store) -> None:
        self.put(store, turn("a"), turn("b", chat="group"), turn("c", at=NOW + timedelta(days=2)))
        self.keep(store, record("a"), record("b", kind="belief", audience="group"))
        later = Filter(since=NOW + timedelta(days=1))
        assert store.admitted("turns", [1, 2, 3, 99], Filter()) == {1, 2, 3}
        assert store.admitted("turns", [1, 2, 3], Filter(audience="group")) == {2}
        assert store.admitted("turns", [1, 3], later) == {3}
        assert store.admitted("memories", [1, 2], Filter(kind="belief")) == {2}
        assert store.admitted("memories", [1, 2], Filter(audience="group")) == {2}
        assert store.admitted("memories", [], later) == set()

    def test_a_search_of_a_time_finds_what_was_added_out_of_order(self, store: Store) -> None:
        for n, days in enumerate((9, 2, 5, 1, 8)):
            self.put(store, turn(f"apple {n}", at=NOW + timedelta(days=days)))

        def within(first: int, last: int) -> list[int]:
            times = {"since": NOW + timedelta(days=first), "until": NOW + timedelta(days=last)}
            return sorted(self.found(store, "apple", "turns", **times))

        assert within(1, 6) == [2, 3, 4]
        assert within(5, 9) == [3, 5]
        assert within(9, 10) == [1]
        assert within(3, 5) == []

    def test_what_was_read_is_read_anew_after_a_write(self, store: Store) -> None:
        self.put(store, turn("apple one"))
        (kept,) = self.keep(store, record("apple"))

        def read() -> tuple[object, ...]:
            with store.reading():
                for _ in range(2):  # the second time from what was read before
                    beside, turns = store.beside([1, 2]), store.turns([1, 2])
                    having = store.having("turns", ["appl"])
                    records = store.records([1])
            return beside[1].after, list(turns), having.rows, having.lists, records[1].content

        assert read() == ((), [1], 1, {"appl": {1: 1}}, "apple")
        self.put(store, turn("apple two"))
        with store.writing():
            store.update(kept.id, None, "edited", NOW, {"content": "pear"})
            assert store.records([1])[1].content == "pear"
            assert store.having("turns", ["appl"]).rows == 2
        assert read() == ((2,), [1, 2], 2, {"appl": {1: 1, 2: 1}}, "pear")

    # Walls

    def test_spaces_never_see_each_other(self, open_store: OpenStore) -> None:
        alice, bob = open_store("Alice"), open_store("alice")
        self.put(alice, turn("secret plan", id="1"))
        (kept,) = self.keep(alice, record("secret memory"))
        assert bob.journal(Filter(), 0) == []
        assert bob.find(Filter()) == []
        assert bob.get(kept.id) is None
        assert self.found(bob, "secret") == self.found(bob, "secret", "turns") == []
        assert bob.counts().turns == 0
        before = [hit.score for hit in alice.search("memories", ["secret"], Filter(), 10)]
        self.keep(bob, *(record(f"secret {n}") for n in range(20)))
        assert [h.score for h in alice.search("memories", ["secret"], Filter(), 10)] == before
        alice.close()
        bob.close()

    def test_a_store_opened_again_has_everything(self, open_store: OpenStore) -> None:
        first = open_store("main")
        self.put(first, turn("一"))
        (kept,) = self.keep(first, record("二"))
        first.close()
        first.close()
        again = open_store("main")
        assert [one.content for one in again.journal(Filter(), 0)] == ["一"]
        assert again.get(kept.id) == kept
        again.close()

    # Care

    def test_counts(self, store: Store) -> None:
        self.put(store, turn("a"), turn("b", session="t"))
        self.keep(
            store,
            record("1", importance=0.95),
            record("2", importance=0.7, kind="belief"),
            record("3", importance=0.4, state="archived"),
            record("4", importance=0.1),
        )
        counts = store.counts()
        assert (counts.turns, counts.sessions, counts.active, counts.archived) == (2, 2, 3, 1)
        assert counts.kinds == {"fact": 3, "belief": 1, "summary": 0}
        assert counts.bands == {"critical": 1, "high": 1, "medium": 1, "low": 1}
        assert store.size() > 0

    def test_a_sound_store_has_no_problems_and_survives_rebuilding(self, store: Store) -> None:
        self.put(store, *(turn(f"turn {n} 你好") for n in range(30)))
        self.keep(store, record("cats"), record("dogs", state="archived"))
        before = [
            self.found(store, q, i)
            for q, i in (("cats", "memories"), ("dogs", "archive"), ("turn", "turns"))
        ]
        assert list(store.check(lambda done, total: None)) == []
        steps: list[tuple[int, int]] = []
        assert store.rebuild(lambda done, total: steps.append((done, total))) == 32
        assert steps[-1] == (32, 32)
        after = [
            self.found(store, q, i)
            for q, i in (("cats", "memories"), ("dogs", "archive"), ("turn", "turns"))
        ]
        assert after == before
        assert list(store.check(lambda done, total: None)) == []
