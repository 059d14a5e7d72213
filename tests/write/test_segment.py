"""Where a conversation is cut, and what its parts are said to be about."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.text.language import language_of
from loxodon.types import GENERAL_TOPIC, Role, Turn
from loxodon.write.segment import PAUSE, TurnSegment, segments
from tests.each import each
from tests.growth import linear

START = datetime(2026, 3, 4, 9, tzinfo=UTC)
ROLES: tuple[Role, ...] = ("user", "assistant")


def talk(*said: str, start: datetime = START, speakers: Sequence[str] = ("", "")) -> list[Turn]:
    """A user and an assistant in turn, a minute apart."""
    return [
        Turn("s", f"#{n}", ROLES[n % 2], text, start + timedelta(minutes=n), speakers[n % 2])
        for n, text in enumerate(said)
    ]


def sizes(found: Sequence[TurnSegment]) -> list[int]:
    return [len(one.turns) for one in found]


BREAD = (
    "My sourdough starter smells of vinegar, what should I do?",
    "A sour starter wants more flour: feed the starter twice a day.",
    "I feed the starter with rye flour, is that why the bread stays flat?",
    "Rye flour ferments fast; try wheat flour and a longer rise for the bread.",
    "The bread crust is pale too, even with steam in the oven.",
    "Bake the bread hotter, and take the steam out of the oven after ten minutes.",
)
VISA = (
    "How long does a work visa for Canada take these days?",
    "A Canadian work visa takes about three months, the embassy says.",
    "Does the embassy want my passport while the visa is being decided?",
    "The embassy asks for the passport only once the visa is approved.",
    "And my wife, does she need a visa of her own for Canada?",
    "She can apply for an open work visa along with yours.",
)
ZH_CAT = (
    "我家猫最近老吐毛球，要不要喂化毛膏？",
    "猫吐毛球可以喂化毛膏，也要多梳毛。",
    "化毛膏猫不爱吃，有别的办法吗？",
    "可以种点猫草，猫草也能帮猫排毛球。",
)
ZH_LOAN = (
    "房贷利率又降了，我这套要不要提前还贷？",
    "房贷利率低的时候提前还贷不划算。",
    "提前还贷银行收违约金吗？",
    "一般房贷满一年后提前还贷不收违约金。",
)


def test_a_pause_cuts() -> None:
    first = talk("hi, I need a recipe for dal", "Lentils, cumin, ghee.")
    later = talk("and what goes with it?", "Rice.", start=first[-1].at + PAUSE)
    assert sizes(segments(first + later)) == [4]
    later = [turn._replace(at=turn.at + timedelta(seconds=1)) for turn in later]
    assert sizes(segments(first + later)) == [2, 2]


@pytest.mark.parametrize(("one", "other"), [(BREAD, VISA), (VISA, BREAD), (ZH_CAT, ZH_LOAN)])
def test_a_change_of_topic_cuts(one: Sequence[str], other: Sequence[str]) -> None:
    assert sizes(segments(talk(*one, *other))) == [len(one), len(other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("最近总失眠，晚上睡不着", "失眠是不是跟看手机有关", "失眠要不要吃褪黑素"),
            ("明天要给车做年检", "年检要带行驶证吗", "年检大概要多少钱"),
        ),
        (
            ("The tomato plants look ill", "Do tomato plants need less water", "Is a tomato tired"),
            ("My passport is old", "How long does a passport take", "Is the passport office open"),
        ),
    ],
)
def test_three_turns_on_one_thing_and_three_on_another_are_cut(
    one: Sequence[str], other: Sequence[str]
) -> None:
    said = [turn._replace(role="user") for turn in talk(*one, *other)]
    assert sizes(segments(said)) == [3, 3]


@pytest.mark.parametrize("one", [BREAD, VISA, ZH_CAT, ZH_LOAN])
def test_one_topic_is_not_cut(one: Sequence[str]) -> None:
    assert sizes(segments(talk(*one))) == [len(one)]


def test_a_short_chat_is_not_cut_by_its_words() -> None:
    said = (
        "plan me five dinners",
        "Any allergies?",
        "no pork. and my son can't have shellfish",
        "How many people?",
        "four",
        "Here is a plan.",
    )
    assert sizes(segments(talk(*said))) == [6]
    assert sizes(segments(talk(*BREAD[:2], *VISA[:2]))) == [4]


@each(
    "cue",
    [
        "Another question: do cats dream?",
        "thanks! On another note, do cats dream?",
        "completely unrelated, but do cats dream?",
        "ok new topic: cats",
        "can we just talk about something else",
        "换个话题，猫会做梦吗",
        "好的，谢谢！说点别的吧，猫会做梦吗",
        "再问个别的，猫会做梦吗？",
        "不说这个了，猫会做梦吗？",
    ],
)
def test_who_says_that_it_is_about_something_else_is_believed(cue: str) -> None:
    assert sizes(segments(talk(*BREAD[:2], cue, "They do."))) == [2, 2]
    assert sizes(segments(talk(*BREAD[:1], cue, start=START))) == [2]


def test_a_hint_cuts_where_the_words_differ() -> None:
    assert sizes(segments(talk(*ZH_CAT, "对了，周五的面试改到下午了", "记下了。"))) == [4, 2]
    assert sizes(segments(talk(*ZH_CAT, "对了，化毛膏给猫喂多少？", "一次两厘米。"))) == [6]


def test_a_word_that_is_no_cue() -> None:
    said = (*BREAD[:4], "It's an unrelated bug, not a new topic for me, but the bread burnt", "Oh.")
    assert sizes(segments(talk(*said))) == [6]


def test_a_question_stays_with_its_answer() -> None:
    asked = (*BREAD[:5], "Bake the bread hotter. By the way, where does your family live?")
    answered = ("In Canada, my wife is at the embassy in Ottawa for the visa.", *VISA[1:])
    found = segments(talk(*asked, *answered))
    assert all(one.turns[0].content != answered[0] for one in found)


def test_people_who_talk_with_each_other() -> None:
    said = [turn._replace(role="user") for turn in talk(*BREAD, *VISA, speakers=("Ann", "Ben"))]
    found = segments(said)
    assert sizes(found) == [6, 6]
    assert found[0].text.startswith("Ann: My sourdough starter")


def test_what_a_segment_is_about() -> None:
    bread, visa = segments(talk(*BREAD, *VISA))
    assert bread.topic in ("starter", "bread", "sourdough starter")
    assert "visa" in " ".join(visa.tags)
    assert (visa.started, visa.ended) == (visa.turns[0].at, visa.turns[-1].at)
    cat, loan = segments(talk(*ZH_CAT, *ZH_LOAN))
    assert "化毛膏" in "".join(cat.tags)
    assert "还贷" in loan.topic or "房贷" in loan.topic
    for one in (bread, visa, cat, loan):
        assert 3 <= len(one.tags) <= 6
        assert one.session == "s"


def test_the_users_words_name_the_topic() -> None:
    said = talk("what do I wear to a funeral?", "A dark suit, a plain tie, polished shoes. " * 5)
    assert segments(said)[0].topic == "funeral"


def test_neither_code_nor_keys_name_a_topic() -> None:
    said = talk(
        "why does this fail\n```python\nclass Walrus:\n    zebra = 1\n```",
        "`zebra` is never read.",
        "my token is ghp_abcdefABCDEF0123456789 and see https://walrus.example/zebra",
    )
    about = " ".join((segments(said)[0].topic, *segments(said)[0].tags)).lower()
    assert "walrus" not in about
    assert "ghp" not in about


def test_nothing_but_small_talk() -> None:
    found = segments(talk("早呀", "早上好！", "嗯嗯 拜拜👋"))
    assert [(one.topic, one.tags) for one in found] == [(GENERAL_TOPIC, ())]


def test_the_text_has_no_noise_and_tells_who_spoke() -> None:
    said = talk(
        "Hi! I moved to Leeds. My flat has two rooms.",
        "Great! Leeds has good parks. Anything else?",
        "谢谢！我妹妹在大阪读书。她养了一只猫。",
    )
    text = segments(said)[0].text.splitlines()
    assert text[0] == "I moved to Leeds. My flat has two rooms."
    assert text[-1] == "我妹妹在大阪读书。她养了一只猫。"
    assert all(line.startswith("> ") for line in text[1:-1])
    assert "Hi!" not in "".join(text)


def test_nothing_to_cut() -> None:
    assert segments([]) == []
    assert sizes(segments(talk(""))) == [1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("user", "assistant", "tool")),
            st.text(max_size=80),
            st.integers(0, 3_000),
        ),
        max_size=14,
    )
)
@settings(max_examples=60)
def test_every_turn_is_in_one_segment(said: list[tuple[Role, str, int]]) -> None:
    at = START
    turns = []
    for n, (role, text, pause) in enumerate(said):
        at += timedelta(seconds=pause)
        turns.append(Turn("s", f"#{n}", role, text, at))
    found = segments(turns)
    assert [turn for one in found for turn in one.turns] == turns
    for one in found:
        chinese = language_of(one.topic) == "zh"
        assert len(one.topic) <= 12 if chinese else len(one.topic.split()) <= 4
        assert len(one.tags) <= 6
        gaps = zip(one.turns, one.turns[1:], strict=False)
        assert all(after.at - before.at <= PAUSE for before, after in gaps)


def test_english_does_without_the_dictionary() -> None:
    code = (
        "import sys; from datetime import datetime, UTC; from loxodon.types import Turn;"
        "from loxodon.write.segment import segments; at = datetime(2026, 3, 4, tzinfo=UTC);"
        "segments([Turn('s', '1', 'user', 'My naïve friend said 你好 in the café in Leeds', at)]);"
        "assert 'rjieba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


@pytest.mark.parametrize(
    "unit", ["a", "你", "“", "😀", "\u202eשלום ", "我有三个苹果。", "so i, ", "{a;}"]
)
def test_long_turns_take_no_longer_for_being_odd(unit: str) -> None:
    def turns(times: int) -> list[Turn]:
        return [Turn("s", "1", "user", unit * times, START)]

    assert len(linear(segments, turns, 60_000 // len(unit))) == 1


def test_a_day_of_talk_takes_no_longer_than_its_turns() -> None:
    said = talk(*((*BREAD, *VISA, *ZH_CAT, *ZH_LOAN) * 32))
    linear(segments, lambda n: said[:n], len(said))
