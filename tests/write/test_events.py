"""The line that a day is remembered by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.text.language import language_of
from loxodon.types import Role, Turn
from loxodon.write.events import LONGEST, event_line, events_of
from loxodon.write.segment import TurnSegment, segments
from tests.each import each
from tests.growth import linear

START = datetime(2026, 3, 4, 9, tzinfo=UTC)


def turns_of(*said: str) -> list[Turn]:
    """What a user said, and an assistant's word after each."""
    turns = []
    for n, text in enumerate(said):
        at = START + timedelta(minutes=n)
        turns.append(Turn("s", f"u{n}", "user", text, at))
        turns.append(Turn("s", f"a{n}", "assistant", "Noted, Timbuktu is lovely. 廷巴克图", at))
    return turns


def line(*said: str) -> str:
    turns = turns_of(*said)
    return event_line(turns, segments(turns))


@each(
    ("said", "note"),
    [
        ("ok so i'm allergic to peanuts, like badly", "allergic to peanuts"),
        ("We finally moved to Leeds on Saturday", "moved to Leeds on Saturday"),
        ("my sister Hannah is a vet in Cork", "sister Hannah is a vet in Cork"),
        ("can you find me a decent recipe for pad thai?", "decent recipe for pad thai"),
        ("the interview is on friday at 3:30", "interview is on friday at 3:30"),
        ("no more gluten for me ever again", "no more gluten for me ever again"),
        ("we had to say goodbye to biscuit on tuesday", "had to say goodbye to biscuit"),
        ("my fiance Callum and i are doing a seating plan", "fiance Callum and i are doing"),
        ("they've moved my driving test to May", "moved my driving test to May"),
        ("我对花生过敏，记一下", "对花生过敏"),
        ("嗯那个，我们搬到杭州了！", "搬到杭州了"),
        ("我妹妹小美在大阪读书", "我妹妹小美在大阪读书"),
        ("能不能帮我列个去三亚的行李清单？", "列个去三亚的行李清单"),
        ("周五的面试改到下午了吧", "周五的面试改到下午了"),
        ("我不是在绵阳电网上班嘛", "在绵阳电网上班"),
        ("我们 side project 是个 Tauri 的桌面 app", "我们 side project 是个 Tauri 的桌面 app"),
        ("店叫“半糖时光”，在县城", "店叫“半糖时光”"),
        ("前面下著大雨，我對蝦子過敏", "我對蝦子過敏"),
    ],
)
def test_a_note_is_the_clause_without_what_leads_up_to_it(said: str, note: str) -> None:
    assert line(said).startswith(note) or f"；{note}" in line(said)
    assert len(line(said)) < len(said) + 2


def test_several_notes_in_their_order() -> None:
    assert line(
        "so we moved to Leeds last week!",
        "oh and i have a peanut allergy, remember that",
        "wish me luck, the interview with Octopus Energy is on friday",
    ) == ("moved to Leeds last week; peanut allergy; interview with Octopus Energy is on friday")
    assert line("我们搬到杭州了", "对了我花生过敏", "周五在阿里面试") == (
        "搬到杭州了；我花生过敏；周五在阿里面试"
    )


def test_only_the_users_words() -> None:
    assert "Timbuktu" not in line("I bought a canoe", "its name is Wobble")
    assert "廷巴克图" not in line("我买了一条独木舟")


def test_where_no_user_spoke_it_is_what_others_said() -> None:
    report = Turn("s", "1", "tool", "The backup of the archive disk failed twice.", START)
    assert "backup of the archive disk failed twice" in event_line([report], segments([report]))


@each("said", [(), ("hi",), ("早呀", "嗯嗯 拜拜👋"), ("",), ("😀😀",), ("...", "ok thx")])
def test_small_talk_gives_no_line(said: tuple[str, ...]) -> None:
    assert line(*said) == ""


def test_the_language_is_the_one_most_is_said_in() -> None:
    mixed = ("我在上海一家广告公司做设计", "老板让我学法语", "My cat Momo is ill.", "猫要去看医生")
    assert language_of(line(*mixed)) == "zh"
    assert "Momo" not in line(*mixed)
    later = (
        "long " * 300,
        *("我今天在杭州跟老板谈了很久的工作安排，明天还要去上海出差" for _ in range(20)),
    )
    assert "杭州" in line(*later)
    english = ("I work in a bakery in Turin.", "我会说中文", "My cat Momo is ill and needs a vet.")
    assert "；" not in line(*english)
    assert "Momo" in line(*english)


@each(
    ("said", "hidden"),
    [
        ("my api key is sk-live-0123456789abcdef for the Leeds shop", "0123456789abcdef"),
        ("deploy 9f86d081884c7d659a2feaa0c55ad015 to the Leeds shop", "9f86d"),
        ("the shop password is hunter2, Leeds branch", "hunter2"),
        ("我家wifi密码是abc12345，在杭州", "abc12345"),
        ("look at https://example.com/secret-plan about Leeds", "example.com"),
        ("why does the Leeds shop crash\n```python\nwalrus = 1\n```", "walrus"),
    ],
)
def test_what_is_left_out(said: str, hidden: str) -> None:
    assert hidden not in line(said, "i love kayaking in Wales")


def test_a_long_day_fits_the_line() -> None:
    found = line(
        "I planted nine rows of beans behind the barn",
        "my tractor needs a new clutch",
        "the vet vaccinated all forty sheep",
        "we sold the old orchard to the Hendersons",
        "our well ran dry in August",
        "Grandpa's hip operation is in November",
        "I signed up for the county chess league",
        "the roof of the chapel leaks again",
    )
    assert 100 < len(found) <= LONGEST
    assert found.count(";") >= 3


def test_every_topic_gets_a_note_before_any_gets_two() -> None:
    first = turns_of(
        "I sold my Subaru Outback to Pete",
        "the Subaru had 80000 miles on it",
        "I want an electric car, maybe a Polestar",
        "the Polestar costs 40000",
    )
    later = [turn._replace(at=turn.at + timedelta(hours=2)) for turn in turns_of("moved to Leeds")]
    assert "moved to Leeds" in event_line(first + later, segments(first + later))


def test_events_by_session_and_day() -> None:
    tokyo = timezone(timedelta(hours=9))
    late = datetime(2026, 3, 4, 23, 50, tzinfo=tokyo)
    turns = [
        Turn("s", "1", "user", "I adopted a dog called Rolo", late, "Mei", "telegram"),
        Turn("s", "2", "assistant", "Congratulations!", late, "", "telegram"),
        Turn("s", "3", "user", "Rolo ate my shoes", late + timedelta(hours=3), "Mei", "telegram"),
    ]
    other = [Turn("t", "1", "user", "the boiler is broken again", late, origin="group")]
    small = [Turn("u", "1", "user", "hi", late)]
    found = events_of(
        [*segments(turns), *segments(other), *segments(small)], lambda text: len(text.split())
    )
    assert [(one.session, one.date, one.summary) for one in found] == [
        ("s", "2026-03-04", "adopted a dog called Rolo"),
        ("s", "2026-03-05", "Rolo ate my shoes"),
        ("t", "2026-03-04", "boiler is broken again"),
    ]
    assert (found[0].sender, found[0].channel, found[0].tokens) == ("Mei", "telegram", 7)
    assert (found[0].at, found[0].trust, found[0].compressed) == (late, "user", False)
    assert found[2].trust == "group"


def test_a_line_is_trusted_as_its_least_trusted_turn() -> None:
    mine = Turn("s", "1", "user", "I keep bees", START)
    theirs = mine._replace(id="2", content="The moon is cheese", origin="web")
    assert events_of(segments([mine, theirs]), len)[0].trust == "web"


@given(
    st.lists(st.tuples(st.sampled_from(("user", "assistant")), st.text(max_size=120)), max_size=8)
)
@settings(max_examples=60)
def test_any_talk_gives_one_short_line(said: list[tuple[Role, str]]) -> None:
    turns = [Turn("s", str(n), role, text, START) for n, (role, text) in enumerate(said)]
    found = event_line(turns, segments(turns))
    assert len(found) <= LONGEST
    assert found.splitlines() in ([], [found])


@pytest.mark.parametrize(
    "unit", ["a", "你", "“", '"', "翻译", "so i, ", "password ", "ok so ", "，我", "(", "i and i "]
)
def test_long_turns_take_no_longer_for_being_odd(unit: str) -> None:
    def read(times: int) -> tuple[list[Turn], list[TurnSegment]]:
        turns = [Turn("s", "1", "user", unit * times, START)]
        return turns, segments(turns)

    linear(lambda given: event_line(*given), read, 60_000 // len(unit))
