"""What every store promises. A backend is tested by a class that inherits this and opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from loxodon.errors import NotFoundError, StaleEditError
from loxodon.store import Filter, Known, Store
from loxodon.text.words import query_words
from loxodon.types import Record, Source, Turn
from tests.conftest import NOW

OpenStore = Callable[[str], Store]


def turn(content: str, session: str = "s", id: str = "", at: datetime = NOW, **more: Any) -> Turn:
    return Turn(session, id, more.pop("role", "user"), content, at, **more)


def record(content: str, **more: Any) -> Record:
    values: dict[str, Any] = {
        "id": "", "space": "", "kind": "fact", "created_at": NOW, "updated_at": NOW,
        "strength": 0.5,
    }  # fmt: skip
    return Record(content=content, **values | more)


def key(text: str) -> bytes:
    return text.encode().ljust(16, b".")[:16]


class StoreContract:
    """Inherit, and give `open_store`: it opens the store of a space, the same one each time."""

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[Store]:
        opened = open_store("main")
        yield opened
        opened.close()

    def put(self, store: Store, *turns: Turn) -> list[Turn | None]:
        with store.writing():
            kept = store.append([(one, key(f"{one.session}/{one.content}")) for one in turns])
        return [one if isinstance(one, Turn) else None for one in kept]

    def keep(self, store: Store, *records: Record) -> list[Record]:
        with store.writing():
            return [store.insert(one, "captured") for one in records]

    def found(self, store: Store, query: str, index: Any = "memories", **where: Any) -> list[int]:
        return [h.row for h in store.search(index, query_words(query), Filter(**where), 10)]

    def contents(self, store: Store, query: str, **where: Any) -> list[str]:
        rows = self.found(store, query, **where)
        kept = store.records(rows)
        return [kept[row].content for row in rows]

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
        assert again[:2] == [Known(changed=False), Known(changed=True)]
        assert store.known([(other, key("e")), (other, key("g"))]) == [Known(True), None]
        assert (store.session_size("s"), store.session_size("none")) == (2, 0)
        assert store.turn_row("s", "e") == 2
        assert store.turn_row("s", "x") is None

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
            "用户对花生过敏", kind="belief", importance=0.9, confidence=0.7, tags=("过敏", "Food"),
            entities=("用户",), project="Home", topic="health", category="health", audience="group",
            subject="用户", attribute="allergy", value="花生", basis="said so", trust="assistant",
            valid_from=NOW, valid_until=NOW + timedelta(days=9), expires_at=NOW + timedelta(days=5),
            due_at=NOW, done=True, confirmed_at=NOW, accessed_at=NOW, access_count=3, agent="a",
            sensitivity="high", derived_from=("f_1",),
            sources=(Source(session="s", turn="m3"), Source(file="MEMORY.md", line=12)),
        )  # fmt: skip
        (kept,) = self.keep(store, given)
        assert kept.id == "b_20260204_001"
        assert store.get(kept.id) == kept == given._replace(id=kept.id, space="main")
        assert store.find(Filter()) == [kept]

    def test_ids_count_within_kind_and_day(self, store: Store) -> None:
        tomorrow = NOW + timedelta(days=1)
        kept = self.keep(store, record("a"), record("b"), record("c", kind="summary"),
                         record("d", created_at=tomorrow))  # fmt: skip
        assert [one.id for one in kept] == [
            "f_20260204_001", "f_20260204_002", "s_20260204_001", "f_20260205_001",
        ]  # fmt: skip

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
        ['"', "*", "NEAR(a b)", "cats AND", "a:b", "-cats", "^cats", "(", "col : cats", "{cats}",
         "cats'; DROP TABLE turns", "\x00", "+", "AND OR NOT"],
    )  # fmt: skip
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
        before = [self.found(store, q, i) for q, i in
                  (("cats", "memories"), ("dogs", "archive"), ("turn", "turns"))]  # fmt: skip
        assert store.check(lambda done, total: None) == []
        steps: list[tuple[int, int]] = []
        assert store.rebuild(lambda done, total: steps.append((done, total))) == 32
        assert steps[-1] == (32, 32)
        after = [self.found(store, q, i) for q, i in
                 (("cats", "memories"), ("dogs", "archive"), ("turn", "turns"))]  # fmt: skip
        assert after == before
        assert store.check(lambda done, total: None) == []
