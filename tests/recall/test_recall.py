"""What a recall returns, and in which order."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from tests.clock import NOW, Clock
from tests.recall.talking import say, shown


def test_memory_comes_before_the_turn_that_says_the_same(memory: Memory) -> None:
    say(memory, "我对花生过敏", "今天天气不错")
    memory.capture("用户对花生过敏", importance=1.0)
    items = memory.recall("花生过敏").items
    assert [item.kind for item in items] == ["fact", "turn"]
    assert items[0].why["words"] == ["花生过敏"]


def test_turn_is_left_out_beside_the_memory_drawn_from_it(memory: Memory) -> None:
    memory.capture("likes green tea")
    say(memory, "我对花生过敏", at="2026-02-04T16:00:00")
    memory.consolidate()
    assert [item.kind for item in memory.recall("green tea").items] == ["fact"]
    assert memory.recall("green tea", kind="turn").items[0].content == "likes green tea"
    found = memory.recall("花生过敏")
    assert [item.kind for item in found.items] == ["fact"]
    assert found.context.count("花生") == 1


def test_importance_and_strength_decide_between_equals(memory: Memory, clock: Clock) -> None:
    low = memory.capture("meeting with Priya about budgets", importance=0.1)
    high = memory.capture("meeting with Priya about budgets", importance=0.9)
    before = memory.recall("Priya budgets").items
    assert [item.id for item in before] == [high.id, low.id]
    clock.pass_days(200)
    strengths = {item.id: item.why["strength"] for item in memory.recall("Priya budgets").items}
    assert all(strengths[item.id] < item.why["strength"] for item in before)


def test_expired_archived_and_corrected_memories_are_not_recalled(
    memory: Memory, clock: Clock
) -> None:
    tomorrow = NOW + timedelta(days=1)
    for n in range(40):
        memory.capture(f"wifi password {n}", expires_at=tomorrow)
    say(memory, "the wifi password is on the fridge", at="2026-02-04T18:00:00")
    memory.archive(memory.capture("likes durian").id)
    memory.edit(memory.capture("Bob lives in Paris").id, content="Bob lives in Madrid")
    assert len(memory.recall("wifi password").items) == 10
    clock.pass_days(2)
    assert shown(memory.recall("wifi password", top=5)) == ["the wifi password is on the fridge"]
    assert not memory.recall("durian").items
    assert memory.recall("durian", kind="turn").items
    assert not memory.recall("Paris").items


def test_equals_come_newest_first_and_repetitions_as_one(memory: Memory) -> None:
    for day in (2, 3, 1):
        say(memory, f"green tea {day}", "black coffee", at=f"2026-02-0{day}T10:00:00")
    assert [item.at.day for item in memory.recall("green tea").items] == [3, 2, 1]
    (item,) = memory.recall("black coffee").items
    assert (item.at.day, len(item.sources)) == (3, 3)


def test_top_and_what_is_left_out(memory: Memory) -> None:
    say(memory, *(f"apple number {n}" for n in range(150)))
    assert len(memory.recall("apple", top=140, budget=100_000).items) == 140
    answer = memory.recall("apple", top=5)
    assert len(answer.items) == 5
    assert [left.reason for left in answer.left_out] == ["top"]
    tight = memory.recall("apple", top=5, budget=60)
    assert tight.left_out[0].reason == "budget"
    assert len(tight.items) + tight.left_out[0].number == 5
    assert memory.recall("apple", top=0).items == ()


def test_nothing_related_is_nothing(memory: Memory) -> None:
    say(memory, "hello world")
    answer = memory.recall("zeppelin")
    assert (answer.items, answer.context, answer.tokens) == ((), "", 0)
    assert answer.gate.recall
    empty = memory.recall("  ?! ")
    assert (empty.gate.recall, empty.items, empty.unsure) == (False, (), True)


def test_what_someone_said_is_found_by_their_name(memory: Memory) -> None:
    say(memory, "the weekly sync moves to four", speaker="Priya")
    say(memory, "周会改到下午四点", speaker="林晓")
    found = memory.recall("Priya")
    assert shown(found) == ["the weekly sync moves to four"]
    assert found.context.splitlines()[1].endswith("Priya: the weekly sync moves to four")
    assert shown(memory.recall("林曉说了什么"))[0] == "周会改到下午四点"


def test_memory_drawn_only_from_turns_in_view_is_left_out(memory: Memory) -> None:
    say(memory, "My sister Mei studies in Osaka")
    memory.consolidate()
    ask = "Where does Mei study?"
    assert "Osaka" in memory.recall(ask, kind="fact").context
    for seen in ("t_1", "my sister mei studies in OSAKA"):
        found = memory.recall(ask, in_view=[seen])
        assert found.items == ()
        assert [one.reason for one in found.left_out] == ["view"]
    assert memory.recall(ask, in_view=["t_2", "something else"]).items


@pytest.mark.parametrize(
    ("told", "asked", "worded"),
    [
        ("My sister Mei studies in Osaka and I live in Leeds", "Where do I live?", "I am in York"),
        ("我在杭州工作，住在绍兴", "我住在哪里？", "用户住在苏州"),
    ],
)
def test_edited_memory_comes_before_the_turn_it_corrects(
    memory: Memory, told: str, asked: str, worded: str
) -> None:
    say(memory, told)
    memory.consolidate()
    (home,) = [one for one in memory.list() if one.attribute == "home"]
    memory.edit(home.id, content=worded)
    contents = shown(memory.recall(asked))
    assert contents[0] == worded
    assert told not in contents


def test_time_filter_holds_for_neighbours_too(memory: Memory) -> None:
    say(memory, *(f"the tea party at {n}" for n in range(6)), at="2026-02-01T10:00:00")
    say(memory, *(f"about cakes {n}" for n in range(6)), at="2026-02-03T10:00:00")
    since = datetime(2026, 2, 3, tzinfo=NOW.tzinfo)
    found = memory.recall("tea party cakes", since=since, top=50).items
    assert found
    assert all(item.at >= since for item in found)


def test_trace_says_what_became_of_everything(memory: Memory) -> None:
    say(memory, *(f"apple cake number {n}" for n in range(9)), "apple cake number 1")
    answer = memory.recall("apple cake", top=4, budget=100)
    assert answer.trace is not None
    fates = {one.id: one.fate for one in answer.trace.considered}
    assert [id for id, fate in fates.items() if fate == "shown"] == [one.id for one in answer.items]
    assert {"shown", "budget", "top"} <= set(fates.values())
    assert answer.trace.routes["words"] >= 9
    first = answer.trace.considered[0]
    assert (first.kind, first.routes.keys()) == ("turn", answer.items[0].why["routes"].keys())
    assert answer.trace.profile == "default"


# Any text is a query


@pytest.mark.parametrize("query", [None, 7, b"tea", ["tea"]])
def test_query_that_is_no_text_is_refused(memory: Memory, query: Any) -> None:
    with pytest.raises(InputError, match="the query must be text, not"):
        memory.recall(query)
    with pytest.raises(InputError, match="the message must be text, not"):
        memory.assemble(query)


ODD = ("", "   ", "?!…", "the of and", "的了吗", "ไม่รู้ภาษา", "\u202eabc\x00def", "🐘🐘", "a*" * 500)


def test_odd_and_long_queries(memory: Memory) -> None:
    say(memory, "hello 世界")
    for query in (*ODD, "x" * 100_000):
        for budget in (0, 10, 1_000):
            assert memory.recall(query, budget=budget).tokens <= budget
    assert memory.recall("hello " * 20_000).items
    assert memory.recall("世界" * 50_000).items
