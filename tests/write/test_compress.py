"""The daily and the weekly work, and the profile, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from loxodon import Memory
from loxodon.types import Record
from loxodon.write import compress
from loxodon.write.residue import Residue
from tests.clock import Clock
from tests.write.said import contents, learn, one_about, said, store_of, tell

Say = Callable[..., None]


@pytest.fixture
def say(memory: Memory, clock: Clock) -> Say:
    """Say things now, a minute apart."""

    def one(*texts: str, session: str = "talk", role: str = "user") -> None:
        for n, text in enumerate(texts):
            at = clock.now + timedelta(minutes=n)
            memory.add([{"role": role, "content": text, "at": at.isoformat()}], session=session)

    return one


def week(memory: Memory) -> Counter[str]:
    return compress.weekly(store_of(memory), memory.now(), Residue())


# Daily


def test_a_day_that_is_over_is_compressed_once(memory: Memory, say: Say, clock: Clock) -> None:
    say("我对花生过敏", "我住在北京")
    memory.consolidate()
    (event,) = [one for one in memory.events() if one.sender != "assistant"]
    assert (event.date, event.compressed) == ("2026-02-04", False)
    clock.pass_days(1)
    say("I live in Leeds")
    memory.consolidate()
    marks = {one.date: one.compressed for one in memory.events()}
    assert marks == {"2026-02-04": True, "2026-02-05": False}
    clock.pass_days(1)
    memory.consolidate(force=True)
    assert all(one.compressed for one in memory.events())
    before = memory.list(state="all")
    memory.consolidate(force=True)
    assert memory.list(state="all") == before


def test_a_day_on_which_much_happened_gets_a_summary(memory: Memory, clock: Clock) -> None:
    for content in ("用户去了医院", "用户和小美吃饭", "用户修好了水管"):
        tell(memory, said(content, "event", content, category="event", at=clock.now))
    tell(memory, said("用户喜欢茶", "likes", "茶", category="preference", at=clock.now))
    memory.add([{"role": "user", "content": "你好", "at": clock.now.isoformat()}])
    memory.consolidate()
    clock.pass_days(1)
    memory.consolidate(force=True)
    (day,) = [one for one in memory.list(kind="summary") if one.value.startswith("day:")]
    assert day.value == "day:2026-02-04"
    assert len(day.derived_from) >= 3
    assert "preference" not in {memory.get(id).category for id in day.derived_from}
    assert len(day.content) <= 50


# Weekly


def crowd(memory: Memory, n: int = 10, topic: str = "diet") -> None:
    for word in "ABCDEFGHIJKLMNOPQRST"[:n]:
        memory.capture(f"The user eats {word * 6} for lunch", topic=topic)


def test_crowded_partitions_are_cleared_of_what_is_said_twice(memory: Memory) -> None:
    crowd(memory)
    one = learn(memory, "The user drinks coffee at breakfast", importance=0.4)
    two = learn(memory, "The user drinks coffee at breakfast now", importance=0.9)
    three = learn(memory, "The user drinks coffee, at breakfast", importance=0.3)
    assert week(memory)["merged"] == 2
    kept = one_about(memory, "breakfast")
    assert kept.id in (one.id, two.id, three.id)
    assert kept.importance == 0.9
    gone = memory.list(state="archived")
    assert len(gone) == 2
    assert {memory.history(r.id)[-1].change for r in gone} == {"merged"}
    assert memory.validate() == []
    assert week(memory)["merged"] == 0


def test_a_partition_with_room_is_left_alone(memory: Memory) -> None:
    crowd(memory, 7)
    for _ in range(2):
        learn(memory, "The user drinks coffee at breakfast")
    assert week(memory)["merged"] == 0
    memory.capture("The user eats nothing for dinner", topic="diet")
    assert week(memory)["merged"] == 1


def test_what_a_person_wrote_stays(memory: Memory) -> None:
    crowd(memory)
    written = [memory.capture("用户早饭喝咖啡", topic="diet") for _ in range(2)]
    learned = learn(memory, "用户早饭喝咖啡。", importance=0.9)
    assert week(memory)["merged"] == 1
    kept, other = (memory.get(one.id) for one in written)
    assert (kept.state, other.state) == ("active", "active")
    assert max(kept.importance, other.importance) == 0.9
    assert memory.get(learned.id).state == "archived"
    edited = learn(memory, "The user drinks tea at noon")
    memory.edit(edited.id, content="The user drinks tea at one")
    longer = learn(memory, "The user drinks the tea at one")
    assert week(memory)["merged"] == 1
    assert memory.get(edited.id).content == "The user drinks tea at one"
    assert memory.get(longer.id).state == "archived"


def test_two_appointments_in_the_same_words_are_two(memory: Memory, clock: Clock) -> None:
    crowd(memory)
    for days in (1, 8):
        learn(memory, "The user sees the dentist", due_at=clock.now + timedelta(days=days))
    assert week(memory)["merged"] == 0


def test_nothing_is_changed_before_it_was_made(memory: Memory, clock: Clock) -> None:
    crowd(memory)
    began = memory.now()
    clock.now += timedelta(minutes=5)  # the run takes its time, and somebody talks meanwhile
    for _ in range(2):
        learn(memory, "The user drinks coffee at breakfast")
    assert compress.weekly(store_of(memory), began, Residue())["merged"] == 1
    for one in memory.list(state="all"):
        assert one.updated_at >= one.created_at
        assert all(step.at >= one.created_at for step in memory.history(one.id))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user takes 50 mg in the morning", "The user takes 75 mg in the morning"),
        ("The user drinks coffee at breakfast", "The user does not drink coffee at breakfast"),
        ("用户早饭喝咖啡", "用户早饭不喝咖啡"),
        (
            "用户每周五下班之后都会和同事小李一起去楼下的健身房锻炼身体",
            "用户每周五下班之后都会和同事小王一起去楼下的健身房锻炼身体",
        ),
        (
            "The user borrowed a ladder from neighbour Tom to fix the gutter of the shed behind "
            "the old house",
            "The user borrowed a ladder from neighbour Ann to fix the gutter of the shed "
            "behind the old house",
        ),
        ("Anna reports to Bob", "Bob reports to Anna"),
        ("The user won 2-1", "The user won 1-2"),
        ("火车走上海→南京", "火车走南京→上海"),
    ],
)
def test_what_is_not_the_same_is_not_merged(memory: Memory, one: str, other: str) -> None:
    crowd(memory)
    learn(memory, one)
    learn(memory, other)
    assert week(memory)["merged"] == 0


def test_subjects_are_not_mixed(memory: Memory) -> None:
    crowd(memory)
    tell(
        memory,
        said("drinks coffee at breakfast daily", subject="Tom", topic="diet"),
        said("drinks coffee at breakfast daily", subject="Ann", topic="diet"),
    )
    assert week(memory)["merged"] == 0


def test_what_was_for_the_moment_goes_when_it_has_faded(memory: Memory, clock: Clock) -> None:
    for category in ("temp", "debug", "fact"):
        memory.capture(f"the build of {category} is red", category=category, importance=0.2)
    assert week(memory)["cleared"] == 0
    clock.pass_days(60)
    assert week(memory)["cleared"] == 2
    assert contents(memory) == ["the build of fact is red"]
    assert {memory.history(one.id)[-1].change for one in memory.list(state="archived")} == {"faded"}


def test_the_weekly_work_is_done_once_a_week(memory: Memory, say: Say, clock: Clock) -> None:
    say("我对花生过敏")
    memory.consolidate()
    store = store_of(memory)
    first = store.worklog.work().weekly_at
    assert first == clock.now
    clock.pass_days(4)  # Sunday
    memory.consolidate(force=True)
    assert store.worklog.work().weekly_at == first
    clock.pass_days(1)
    memory.consolidate(force=True)
    assert store.worklog.work().weekly_at == clock.now


# The profile


def test_the_profile_has_what_matters_and_what_changed(memory: Memory, clock: Clock) -> None:
    tell(
        memory,
        said("用户住在北京", "home", "北京", days=2),
        said("用户对花生过敏", "allergy", "花生", importance=1.0, category="health"),
        said("用户喝了一杯茶", importance=0.3),
    )
    clock.pass_days(1)
    tell(memory, said("用户住在上海", "home", "上海", at=clock.now))
    english, chinese = memory.profile("en"), memory.profile("zh")
    for text in (english, chinese):
        assert "用户对花生过敏" in text
        assert "用户住在上海" in text
        core = text.partition("## This week" if text is english else "## 本周")[0]
        assert "用户喝了一杯茶" not in core
    assert english.startswith("# Profile")
    assert english != chinese


def test_it_stays_as_written_until_it_is_renewed(memory: Memory, clock: Clock) -> None:
    tell(memory, said("用户住在北京", "home", "北京", days=2))
    before = memory.profile("zh", refresh=True)
    tell(memory, said("用户对花生过敏", "allergy", "花生", importance=1.0, category="health"))
    assert memory.profile("zh") == before
    after = memory.profile("zh", refresh=True)
    assert "花生" in after
    assert memory.profile("zh") == after
    # Both languages are renewed at once.
    assert "花生" in memory.profile("en")
    clock.pass_days(8)
    memory.consolidate(force=True)
    assert memory.profile("zh") != after  # the week is over: nothing changed in this one


def test_an_empty_memory_has_a_profile(memory: Memory) -> None:
    assert memory.profile() == "# Profile"
    assert memory.profile("zh", refresh=True).startswith("#")


def test_a_language_that_is_not_spoken_here_is_english(memory: Memory) -> None:
    assert memory.profile("fr") == memory.profile("en")
    assert memory.profile("fr", refresh=True) == memory.profile("en")


def test_the_profile_is_about_a_hundred_entries(memory: Memory) -> None:
    store = store_of(memory)
    at: datetime = memory.now()
    with store.writing():
        for n in range(300):
            store.insert(
                Record("", "", "fact", f"The user knows fact {n}", at, at, 0.9, importance=0.9),
                "learned",
            )
    core = memory.profile().partition("## This week")[0]
    assert 90 <= core.count("\n- ") <= 110


def test_a_profile_does_not_tell_what_a_person_changed_since(
    memory: Memory, say: Say, clock: Clock
) -> None:
    say("I live in Leeds")
    memory.consolidate()
    assert "Leeds" in memory.profile()
    clock.pass_days(1)
    (home,) = [one for one in memory.list() if one.attribute == "home"]
    memory.edit(home.id, content="The user lives in York")
    assert "York" in memory.profile()
    assert "lives in Leeds" not in memory.profile()
