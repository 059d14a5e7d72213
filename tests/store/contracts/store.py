"""What every backend promises of `Store`: the journal, memories, search, transactions."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon.errors import NotFoundError, StaleEditError
from loxodon.store import Filter, KnownNames, KnownTurn
from loxodon.store.store import Store
from loxodon.store.walls import Wall
from loxodon.text.words import index_words
from loxodon.types import Entity, Source
from tests.clock import NOW
from tests.store.contracts import DAY, Contract, OpenStore, contents, key, quiet, record, turn


class StoreContract(Contract):
    versions = 1_100  # of one memory: more than calls can be nested

    # The journal

    def test_turns_keep_their_order_and_all_fields(self, store: Store) -> None:
        said = [
            turn("早上好", speaker="林晓", channel="wechat", chat="group", origin="group"),
            turn("hello", role="assistant", origin="assistant", id="x9"),
        ]
        assert [one and one.id for one in self.put(store, *said)] == ["#1", "x9"]
        journal = store.journal(Filter(), 0)
        assert [one._replace(ref="", id="") for one in journal] == [
            one._replace(id="") for one in said
        ]
        assert journal[0].at.utcoffset() == NOW.utcoffset()

    def test_known_turn_is_not_added_again(self, store: Store) -> None:
        self.put(store, turn("one"), turn("two"))
        again = self.put(store, turn("two"), turn("three"), turn("three"))
        assert [one is not None for one in again] == [False, True, False]
        assert contents(store.journal(Filter(), 0)) == ["one", "two", "three"]
        assert store.journal(Filter(), 0)[-1].id == "#3"
        same, other = turn("v1", "t", "e"), turn("v2", "t", "e")
        with store.writing():
            store.append([(same, key("e"))])
            known = store.append([(same, key("e")), (other, key("e")), (other, key("f"))])
        assert known[:2] == [KnownTurn(False, own=True), KnownTurn(True, own=True)]
        assert store.known([(other, key("e")), (other, key("g"))]) == [KnownTurn(True, True), None]
        assert [store.scalar("session_size", id) for id in ("t", "none")] == [2, 0]
        assert store.column("last_texts", "t", 3)[::-1] == ["v1", "v2"]
        assert (
            store.column("last_texts", "t", 1)[::-1],
            store.column("last_texts", "none", 3)[::-1],
        ) == (["v2"], [])
        assert (store.scalar("turn_row", "t", "e"), store.scalar("turn_row", "t", "x")) == (5, None)

    def test_journal_is_filtered_by_session_and_time(self, store: Store) -> None:
        self.put(store, *(turn(f"n{n}", f"s{n % 2}", at=NOW + n * DAY) for n in range(5)))
        assert contents(store.journal(Filter(session="s1"), 0)) == ["n1", "n3"]
        between = Filter(since=NOW + DAY, until=NOW + 3 * DAY)
        assert contents(store.journal(between, 0)) == ["n1", "n2"]
        assert contents(store.journal(Filter(), 2)) == ["n3", "n4"]
        assert store.journal(Filter(session="none"), 0) == []

    def test_speaker_of_a_turn_can_be_corrected(self, store: Store) -> None:
        ann, ben = (
            turn(f"hello from {name}", speaker=name, origin="group", id=name)
            for name in ("Ann", "Ben")
        )
        self.put(store, ann, ben)
        mine = ann._replace(speaker="", origin="user")
        told = [(mine, key("s/hello from Ann")), (ben, key("s/hello from Ben")), (ben, key("x"))]
        with store.writing():
            ((old, new),) = store.attribute(told)
        assert (old.speaker, old.origin, new.speaker, new.origin) == ("Ann", "group", "", "user")
        assert store.journal(Filter(), 0)[0] == new
        assert store.known(told) == [KnownTurn(False, own=True), KnownTurn(False), None]
        assert len(self.found(store, "Ann", "turns")) == 1  # of its words: the name is gone
        assert self.sound(store)

    # Transactions

    def test_failed_transaction_leaves_nothing(self, store: Store) -> None:
        with pytest.raises(RuntimeError), store.writing():  # noqa: PT012
            store.append([(turn("gone"), key("gone"))])
            store.insert(record("gone too"), "captured")
            raise RuntimeError
        assert (store.journal(Filter(), 0), store.find(Filter())) == ([], [])
        assert self.found(store, "gone", "turns") == []
        (kept,) = self.put(store, turn("stays"))
        assert kept is not None
        assert kept.id == "#1"

    def test_failed_inner_transaction_is_undone_alone(self, store: Store) -> None:
        with store.writing():
            store.append([(turn("outer"), key("o"))])
            with pytest.raises(ZeroDivisionError), store.writing():  # noqa: PT012
                store.append([(turn("inner"), key("i"))])
                raise ZeroDivisionError
            store.append([(turn("after"), key("a"))])
        assert contents(store.journal(Filter(), 0)) == ["outer", "after"]
        assert self.found(store, "inner", "turns") == []

    def test_write_cannot_begin_within_a_read(self, store: Store) -> None:
        with store.reading(), pytest.raises(RuntimeError), store.writing():
            pass
        self.put(store, turn("and then it can"))
        assert len(store.journal(Filter(), 0)) == 1

    def test_reads_see_one_moment_and_writes_at_once(
        self, store: Store, open_store: OpenStore
    ) -> None:
        self.put(store, turn("apple one"))
        (kept,) = self.keep(store, record("apple"))
        other = open_store("main")

        def read() -> tuple[object, ...]:
            for _ in range(2):  # the second time from what was read before
                beside, turns = store.beside([1, 2]), store.turns([1, 2])
                having, records = store.having("turns", ["appl"]), store.records([1])
            return beside[1].after, list(turns), having.rows, having.lists, records[1].content

        before = ((), [1], 1, {"appl": {1: 1}}, "apple")
        with store.reading():
            assert read() == before
            self.put(other, turn("apple two"))
            self.update(other, kept.id, content="pear")
            assert read() == before
        with store.writing():
            assert store.records([1])[1].content == "pear"
            assert store.having("turns", ["appl"]).rows == 2
        assert read() == ((2,), [1, 2], 2, {"appl": {1: 1, 2: 1}}, "pear")
        other.close()

    # Memories

    def test_memory_comes_back_with_all_fields(self, store: Store) -> None:
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
            valid_until=NOW + 9 * DAY,
            expires_at=NOW + 5 * DAY,
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
        assert store.get(kept.id) == kept == given._replace(id=kept.id, space=store.space)
        assert store.find(Filter()) == [kept]
        more = (record("a"), record("b"), record("c", kind="summary"))
        ids = [one.id for one in self.keep(store, *more, record("d", created_at=NOW + DAY))]
        assert [kept.id, *ids] == [
            "b_20260204_001",
            "f_20260204_001",
            "f_20260204_002",
            "s_20260204_001",
            "f_20260205_001",
        ]

    def test_edit_keeps_history(self, store: Store) -> None:
        (kept,) = self.keep(store, record("在北京工作", tags=("work",)))
        new = self.update(store, kept.id, at=NOW + DAY, content="在上海工作", tags=("job",))
        assert (new.version, new.updated_at, new.content) == (2, NOW + DAY, "在上海工作")
        first, second = store.history(kept.id)
        assert (first.version, first.change, first.record) == (1, "captured", kept)
        assert (second.version, second.at, second.record) == (2, NOW + DAY, new)
        assert self.contents(store, "上海") == ["在上海工作"]
        assert self.contents(store, "北京") == []
        assert self.contents(store, "工作", tag="job") == ["在上海工作"]
        assert self.contents(store, "工作", tag="work") == []

    def test_stale_edit_is_refused_and_changes_nothing(self, store: Store) -> None:
        (kept,) = self.keep(store, record("one"))
        self.update(store, kept.id, content="two")
        with pytest.raises(StaleEditError, match="version 2"), store.writing():
            store.update(kept.id, 1, "edited", NOW, {"content": "three"})
        assert [one.record.content for one in store.history(kept.id)] == ["one", "two"]

    def test_unknown_ids_are_not_found(self, store: Store) -> None:
        assert store.get("f_20260204_999") is None
        assert (store.records([12]), store.turns([12])) == ({}, {})
        with pytest.raises(NotFoundError, match="f_20260204_999"):
            store.history("f_20260204_999")
        with pytest.raises(NotFoundError):
            self.update(store, "f_20260204_999", content="x")

    def test_sources_are_replaced_and_stay_in_history(self, store: Store) -> None:
        said = self.put(store, turn("one", id="m1"), turn("two", id="m2"))
        first, second = Source("s", "m1"), Source("s", "m2")
        (kept,) = self.keep(store, record("cats", sources=(first,)))
        new = self.update(store, kept.id, sources=(first, second))
        assert store.get(kept.id) == new
        assert [one.record.sources for one in store.history(kept.id)] == [(first,), (first, second)]
        rows = [int(one.ref.removeprefix("t_")) for one in said if one]
        (memory,) = self.found(store, "cats")
        assert store.drawn_from([*rows, 99]) == {row: [memory] for row in rows}
        self.update(store, kept.id, sources=(second,))
        assert store.drawn_from(rows) == {rows[1]: [memory]}
        assert store.outcomes(rows)[rows[1]] == {memory: "live"}

    def test_history_and_successors_follow_replacements(self, store: Store) -> None:
        before, names = "", [f"home {n}" for n in range(self.versions)]
        with store.writing():
            for name in names:
                before = store.insert(record(name, replaces=before), "learned").id
        assert [one.record.content for one in store.history(before)] == names
        rows: dict[str, int] = {}
        for name in ("in Beijing", "in Shanghai", "in Suzhou"):
            if rows:
                self.update(store, before, "superseded", state="archived")
            (kept,) = self.keep(store, record(name, replaces=before if rows else ""))
            before = kept.id
            (rows[name],) = self.found(store, name)[:1]
        first, second, last = rows.values()
        assert dict(store.query("successors", [first, second, last])) == {first: last, second: last}

    # Finding

    def test_memories_are_filtered(self, store: Store) -> None:
        self.keep(
            store,
            record("apple", tags=("Fruit",), project="Acme", topic="api"),
            record("apple pie", kind="belief", entities=("林晓",), created_at=NOW + 2 * DAY),
            record("apple tree", state="archived"),
        )

        def named(**where: Any) -> list[str]:
            return contents(store.find(Filter(**where)))

        assert named() == ["apple pie", "apple tree", "apple"]
        assert contents(store.find(Filter(), 1)) == ["apple pie"]
        assert named(state="active") == ["apple pie", "apple"]
        assert named(state="archived") == ["apple tree"]
        where: dict[str, Any]
        for where in ({"project": "acme"}, {"topic": "API"}, {"tag": "fruit"}):
            assert named(**where) == self.contents(store, "apple", **where) == ["apple"]
        for where in ({"kind": "belief"}, {"entity": "林曉"}, {"since": NOW + DAY}):
            assert named(**where) == self.contents(store, "apple", **where) == ["apple pie"]
        assert named(until=NOW + DAY) == ["apple tree", "apple"]

    def test_memories_are_found_by_subject_attribute_and_value(self, store: Store) -> None:
        self.keep(
            store,
            record("a", subject="user", attribute="home", value="Leeds", category="status"),
            record("b", subject="user", attribute="likes", value="绿茶"),
            record("c", subject="小美", attribute="home", value="大阪"),
            record("d", subject="user", category="status"),
            record("e", attribute="home", value="Leeds"),
        )

        def about(*parts: str) -> list[str]:
            found = contents(store.find(Filter(about=parts)))
            assert contents(store.latest("about", parts, 9)) == found
            return found

        assert about("user") == ["d", "b", "a"]
        assert about("USER", "Home") == ["a"]
        assert about("user", "likes", "綠茶") == ["b"]
        assert about("user", "likes", "coffee") == about("home") == []
        assert about("user", "", "status") == ["d", "a"]
        assert self.contents(store, "a b c d e", about=("小美", "home")) == ["c"]

    def test_latest_of_a_label_are_active_and_few(self, store: Store) -> None:
        common: dict[str, Any] = {"tags": ("Work",), "project": "Acme", "subject": "user"}
        kept = self.keep(
            store,
            *(record(f"n{n}", **common) for n in range(4)),
            record("gone", state="archived", **common),
            record("with a source", entities=("李雷",), sources=(Source(file="a.md", line=3),)),
        )
        assert contents(store.latest("tag", "work", 2)) == ["n3", "n2"]
        assert contents(store.latest("project", "ACME", 9)) == ["n3", "n2", "n1", "n0"]
        assert store.latest("entity", "李雷", 9) == [kept[-1]]
        assert store.latest("topic", "none", 9) == []
        self.update(store, kept[3].id, "superseded", state="archived")
        assert contents(store.latest("about", ("user",), 9)) == ["n2", "n1", "n0"]

    def test_strongest_are_those_that_last_longest(self, store: Store) -> None:
        kept = self.keep(
            store,
            record("weak", strength=0.2),
            record("strong", strength=0.9),
            record("brief", strength=1.0, expires_at=NOW + DAY),
            record("fair", strength=0.5),
            record("past", strength=1.0, state="archived"),
        )

        def strongest(limit: int = 0) -> list[str]:
            return contents(store.find(Filter(state="active"), limit, strongest=True))

        assert strongest() == ["strong", "fair", "weak", "brief"]
        assert strongest(2) == ["strong", "fair"]
        self.update(store, kept[0].id, "used", strength=1.0)
        self.update(store, kept[2].id, expires_at=None)
        assert strongest() == ["brief", "weak", "strong", "fair"]

    def test_most_important_of_some_projects(self, store: Store) -> None:
        some = (("a", 0.2, "Heron"), ("b", 0.9, "Heron"), ("c", 0.5, "_global"), ("d", 1.0, "Q"))
        self.keep(store, *(record(name, importance=i, project=p) for name, i, p in some))

        def names(projects: tuple[str, ...], limit: int = 10) -> list[str]:
            rows = store.foremost(Filter(), projects, limit)
            records = store.records(rows)
            return [records[row].content for row in rows]

        assert names(("heron", "_global")) == ["b", "c", "a"]
        assert names(()) == ["d", "b", "c", "a"]
        assert names((), 1) == ["d"]

    def test_projects_topics_and_entities_are_looked_up_by_name(self, store: Store) -> None:
        self.keep(
            store,
            record("1", project="blue whale", topic="Launch"),
            record("2", project="Blue Whale", topic="发布 计划"),
            record("3"),
        )
        with store.writing():
            store.worklog.put_entity(Entity("Whale", "thing", (), NOW, NOW))
        names = ["blue whale", "whale", "发布 计划", "launch", "_global", "_general", '"', ""]
        found = store.named(names)
        assert found.projects == {"blue whale": "Blue Whale"}
        assert found.topics == {"launch": "Launch", "发布 计划": "发布 计划"}
        assert found.entities == store.entities_named(["whale"])
        assert found.entities["whale"].name == "Whale"
        assert store.named([]) == KnownNames()

    # Search

    def test_search_ranks_the_closer_first(self, store: Store) -> None:
        self.keep(store, record("cats and dogs live here"), record("cats"), record("birds"))
        assert self.contents(store, "cats") == ["cats", "cats and dogs live here"]
        assert self.contents(store, "dogs cats")[0] == "cats and dogs live here"
        assert self.contents(store, "fish") == []
        words = index_words("the dogs of the cats in Utrecht")
        (row,) = self.found(store, "dogs")
        assert list(store.rare("memories", words, 1).values()) == [[row]]

    def test_archived_memories_have_an_index_of_their_own(self, store: Store) -> None:
        (kept,) = self.keep(store, record("cats"))
        row = self.found(store, "cats")
        self.update(store, kept.id, "archived", state="archived")
        assert (self.found(store, "cats"), self.found(store, "cats", "archive")) == ([], row)
        self.update(store, kept.id, "unarchived", state="active")
        assert (self.found(store, "cats"), self.found(store, "cats", "archive")) == (row, [])

    def test_no_query_is_syntax(self, store: Store) -> None:
        self.keep(store, record("cats"))
        with_cats = (
            "cats AND",
            "-cats",
            "^cats",
            "col : cats",
            "{cats}",
            "cats'; DROP TABLE turns",
        )
        for query in with_cats:
            assert self.contents(store, query) == ["cats"]
        for query in ('"', "*", "NEAR(a b)", "a:b", "(", "\x00", "+", "AND OR NOT"):
            assert self.contents(store, query) == []

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

    def test_search_within_a_time(self, store: Store) -> None:
        self.put(
            store, *(turn(f"apple {n}", at=NOW + d * DAY) for n, d in enumerate((9, 2, 5, 1, 8)))
        )

        def within(first: int, last: int) -> list[int]:
            times = {"since": NOW + first * DAY, "until": NOW + last * DAY}
            return sorted(self.found(store, "apple", "turns", **times))

        assert (within(1, 6), within(5, 9), within(9, 10)) == ([2, 3, 4], [3, 5], [1])
        assert within(3, 5) == []

    def test_group_finds_nothing_private(self, store: Store) -> None:
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
            record("group apple", audience="group", kind="belief"),
            record("apple for all", audience="all"),
            record("apple not for you", sources=(Source(session="s", turn="t4"),)),
        )
        group = Filter(audience="group")
        for found in (
            contents(store.find(group))[::-1],
            sorted(self.contents(store, "apple", audience="group"), reverse=True),
        ):
            assert found == ["group apple", "apple for all"]
        assert contents(store.journal(group, 0)) == ["apple in public", "apple in the room"]
        assert sorted(self.found(store, "apple", "turns", audience="group")) == [2, 3]
        assert store.admitted("turns", [1, 2, 3, 4, 99], group) == {2, 3}
        assert store.admitted("memories", [1, 2, 3, 4], group) == {2, 3}
        assert store.admitted("memories", [1, 2], Filter(kind="belief")) == {2}
        assert store.admitted("turns", [1, 2], Filter(since=NOW + DAY)) == set()
        assert store.admitted("turns", [1, 99], Filter()) == {1}

    # Spaces and care

    def test_spaces_never_see_each_other(self, open_store: OpenStore) -> None:
        alice, bob = open_store("Alice"), open_store("alice")
        self.put(alice, turn("secret plan", id="1"))
        (kept,) = self.keep(alice, record("secret memory"))
        assert (bob.journal(Filter(), 0), bob.find(Filter()), bob.get(kept.id)) == ([], [], None)
        assert self.found(bob, "secret") == self.found(bob, "secret", "turns") == []
        assert bob.counts().turns == 0
        before = [hit.score for hit in alice.search("memories", ["secret"], Filter(), 10)]
        self.keep(bob, *(record(f"secret {n}") for n in range(20)))
        assert [h.score for h in alice.search("memories", ["secret"], Filter(), 10)] == before
        bob.close()
        alice.close()
        alice.close()
        again = open_store("Alice")
        assert contents(again.journal(Filter(), 0)) == ["secret plan"]
        assert again.get(kept.id) == kept
        again.close()

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
        assert counts.importance == {"critical": 1, "high": 1, "medium": 1, "low": 1}
        assert store.size() > 0

    def test_group_learns_no_earlier_private_version(self, store: Store) -> None:
        (kept,) = self.keep(store, record("a secret"))
        self.update(store, kept.id, at=NOW + DAY, content="for all", audience="group")
        group = store.behind(Wall("", True))
        (one,) = group.overview.altered(NOW + DAY, (), 10)
        assert one.before is None
        assert [step.change for step in group.overview.steps(kept.id)] == ["edited"]
        group.close()

    def test_rebuilt_indexes_find_the_same(self, store: Store) -> None:
        self.put(store, *(turn(f"turn {n} 你好") for n in range(30)))
        self.keep(store, record("cats"), record("dogs", state="archived"))

        def found() -> list[list[int]]:
            asked = (("cats", "memories"), ("dogs", "archive"), ("turn", "turns"))
            return [self.found(store, query, index) for query, index in asked]

        before, steps = found(), list[tuple[int, int]]()
        assert self.sound(store)
        assert store.rebuild(lambda done, total: steps.append((done, total))) == 32
        assert steps[-1] == (32, 32)
        assert found() == before
        store.rebuild(quiet)
        assert self.sound(store)
