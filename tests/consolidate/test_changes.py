"""What a change ends, and what it leaves: told to a real memory, weeks apart."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import count
from pathlib import Path

import pytest

from loxodon import Memory
from tests.cases import cases
from tests.clock import NOW
from tests.consolidate.talks import CONFIG, said
from tests.each import each
from tests.long import some

_number = count(1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changes")


def after(home: Path, *told: str) -> tuple[list[str], list[str], list[str]]:
    """What is active, over and in doubt after each was told, three weeks after the one before."""
    now = [NOW]
    with Memory.open(home, f"s{next(_number)}", CONFIG, lambda: now[0]) as memory:
        for n, text in enumerate(told):
            now[0] = NOW + timedelta(weeks=3 * n)
            memory.add(said(text, session=f"s{n}", at=now[0]))
            memory.consolidate(force=True)
        over = [one.content for one in memory.list(state="archived")]
        doubtful = [one.belief.content for one in memory.reviews()]
        return [one.content for one in memory.list()], over, doubtful


@each(("known", "later", "over"), some(cases(__file__, "ends"), 3))
def test_change_ends_what_it_changes(home: Path, known: str, later: str, over: str) -> None:
    active, ended, _ = after(home, known, later)
    assert any(over in one for one in ended), (active, ended)
    assert not any(over in one for one in active if later not in one)


@each(("known", "later"), some(cases(__file__, "ends_nothing"), 3))
def test_what_others_do_or_is_for_once_ends_nothing(home: Path, known: str, later: str) -> None:
    assert after(home, known, later)[1] == []


@each(("known", "later"), cases(__file__, "never_edited"))
def test_quoted_words_are_never_edited(home: Path, known: str, later: str) -> None:
    active, ended, _ = after(home, known, later)
    assert any(known in one for one in active)
    assert ended == []


@each(("one", "other"), some(cases(__file__, "two"), 3))
def test_statements_that_differ_in_one_word_are_two(home: Path, one: str, other: str) -> None:
    active, ended, _ = after(home, one, other)
    assert {*active} == {*after(home, one)[0], *after(home, other)[0]}
    assert ended == []


@each(("known", "later"), cases(__file__, "counts"))
def test_of_two_counts_the_later_is_current(home: Path, known: str, later: str) -> None:
    active, ended, _ = after(home, known, later)
    assert len(active) == len(ended) == 1
    assert later.removeprefix("I have ").removeprefix("我有") in active[0]


@pytest.mark.parametrize("answer", ["confirm", "reject"])
@pytest.mark.parametrize("case", cases(__file__, "health"), ids=lambda one: one["later"])
def test_health_ends_only_when_the_user_confirms_it(
    memory: Memory, case: dict[str, str], answer: str
) -> None:
    for name in ("known", "later"):
        memory.add(said(case[name], session=name))
        memory.consolidate(force=True)
    (review,) = memory.reviews()
    old, new = review.against, review.belief
    assert {old.id, new.id} <= {one.id for one in memory.list()}
    getattr(memory, answer)(new.id)
    active = {one.id for one in memory.list()}
    assert ({old.id, new.id} & active) == {new.id if answer == "confirm" else old.id}
    assert memory.reviews() == []


def test_where_several_may_be_meant_none_is_ended_and_all_are_in_doubt(home: Path) -> None:
    told = "I have a Netflix subscription", "I pay for a Netflix subscription"
    active, ended, doubtful = after(home, *told, "I cancelled my Netflix subscription")
    assert ended == []
    assert sorted(doubtful) == sorted(one for one in active if "cancelled" not in one)
    assert len(doubtful) > 1


def test_single_changes(home: Path) -> None:
    active, _, _ = after(home, "I have two cats, Gravy and Mash", "Mash died")
    assert active == ["The user: “Mash died”", "The user has two cats, Gravy and Mash"]
    told = "I'm allergic to peanuts", "I'm not allergic to peanuts after all"
    active, _, doubtful = after(home, *told, "I am allergic to peanuts")
    assert (active, doubtful) == (["The user is allergic to peanuts"], [])
    told = "My manager is Tom. My manager likes tea.", "My new manager is Priya"
    active, _, _ = after(home, *told, "My manager hates coffee")
    assert "The user's manager Tom likes tea" in active
    assert "The user's manager Priya dislikes coffee" in active


def test_corrections_in_one_conversation(memory: Memory) -> None:
    memory.add(said("we're at 41 Calder Row", "sorry, we're at 14 Calder Row"))
    memory.add(said("我老板喜欢喝茶", "我新老板叫林娜", session="zh"))
    memory.consolidate(force=True)
    assert not any("41 Calder" in one.content for one in memory.list())
    subjects = {one.content: one.subject for one in memory.list() if "老板" in one.content}
    assert subjects == {"用户的老板喜欢喝茶": "老板", "林娜是用户的老板": "user"}


def test_reminders_are_plans_with_their_day(memory: Memory) -> None:
    memory.add(said("Remind me to call mum tomorrow", "提醒我下个月1号交房租"))
    memory.add(said("I'll remind you to pay the gas bill on Friday", role="assistant", id="a"))
    memory.consolidate(force=True)
    plans = [one for one in memory.list() if one.category == "plan" and one.due_at]
    days = {one.content: one.due_at.astimezone(NOW.tzinfo).date() for one in plans if one.due_at}
    assert days == {  # until the end of that day
        "The user has to call mum on 2026-02-05": date(2026, 2, 6),
        "用户2026年3月1日要交房租": date(2026, 3, 2),
    }


@each(("first", "later", "left"), cases(__file__, "quotation_is_over_with_its_fact"))
def test_quotation_is_over_with_its_fact(
    home: Path, first: str, later: str, left: list[str]
) -> None:
    quoted = [one for one in after(home, first, later)[0] if first[:6] in one]
    assert len(quoted) == len(left)
    assert all(word in quoted[0] for word in left)
