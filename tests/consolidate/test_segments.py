"""Where a conversation is cut, what is kept of it, and the line that its day is remembered by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.types import Event, Segment
from tests.cases import cases
from tests.clock import NOW
from tests.consolidate.talks import CONFIG
from tests.each import each
from tests.long import some

_number = count(1)
ROLES = ("user", "assistant")
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


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("segments")


def talked(
    home: Path, *parts: tuple[datetime, Sequence[str]], roles: Sequence[str] = ROLES
) -> tuple[list[Segment], list[Event]]:
    """What is made of conversations, in which one speaks after the other, a minute apart."""
    turns = [
        {
            "role": roles[n % len(roles)],
            "content": text,
            "at": (at + timedelta(minutes=n)).isoformat(),
        }
        for at, said in parts
        for n, text in enumerate(said)
    ]
    given = [{**one, "id": str(n)} for n, one in enumerate(turns)]
    with Memory.open(home, f"s{next(_number)}", CONFIG, lambda: NOW + timedelta(days=1)) as memory:
        memory.add(given, session="s")
        memory.consolidate(force=True)
        return list(memory.segments()), list(memory.events())


def sizes(home: Path, *said: str) -> list[int]:
    found, _ = talked(home, (NOW, said))
    return [one.last_turn - one.first_turn + 1 for one in found]


def text_of(home: Path, *said: str, roles: Sequence[str] = ("user",)) -> str:
    return "\n".join(one.text for one in talked(home, (NOW, said), roles=roles)[0])


def line(home: Path, *said: str) -> str:
    whole = [one for text in said for one in (text, "Noted, Timbuktu is lovely. 廷巴克图")]
    return "; ".join(one.summary for one in talked(home, (NOW, whole))[1])


def test_pause_cuts(home: Path) -> None:
    first = ("hi, I need a recipe for dal", "Lentils, cumin, ghee.")
    for pause, cut in ((timedelta(minutes=20), 1), (timedelta(hours=3), 2)):
        later = (NOW + pause, ("and what goes with it?", "Rice."))
        assert len(talked(home, (NOW, first), later)[0]) == cut


@pytest.mark.parametrize(("one", "other"), [(BREAD, VISA), (VISA, BREAD), (ZH_CAT, ZH_LOAN)])
def test_change_of_topic_cuts_and_one_topic_does_not(
    home: Path, one: Sequence[str], other: Sequence[str]
) -> None:
    assert sizes(home, *one, *other) == [len(one), len(other)]
    assert sizes(home, *one) == [len(one)]
    assert sizes(home, *one[:2], *other[:2]) == [4]  # too short to tell


@each("text", cases(__file__, "cue"))
def test_who_says_that_it_is_about_something_else_is_believed(home: Path, text: str) -> None:
    assert sizes(home, *BREAD[:2], text, "They do.") == [2, 2]


def test_hint_cuts_where_the_words_differ(home: Path) -> None:
    assert sizes(home, *ZH_CAT, "对了，周五的面试改到下午了", "记下了。") == [4, 2]
    assert sizes(home, *ZH_CAT, "对了，化毛膏给猫喂多少？", "一次两厘米。") == [6]
    said = "It's an unrelated bug, not a new topic for me, but the bread burnt"
    assert sizes(home, *BREAD[:4], said, "Oh.") == [6]


def test_segment_has_a_topic_and_tags(home: Path) -> None:
    bread, visa = talked(home, (NOW, (*BREAD, *VISA)))[0]
    assert bread.topic in ("starter", "bread", "sourdough starter")
    assert "visa" in " ".join(visa.tags)
    cat, loan = talked(home, (NOW, (*ZH_CAT, *ZH_LOAN)))[0]
    assert "化毛膏" in "".join(cat.tags)
    assert "还贷" in loan.topic or "房贷" in loan.topic
    for one in (bread, visa, cat, loan):
        assert 3 <= len(one.tags) <= 6
    code = "why does this fail\n```python\nclass Walrus:\n    zebra = 1\n```"
    ((one,), _) = talked(home, (NOW, (code, "`zebra` is never read.")))
    assert "walrus" not in " ".join((one.topic, *one.tags)).lower()


def test_text_of_a_segment_has_no_noise_and_tells_who_spoke(home: Path) -> None:
    said = (
        "Hi! I moved to Leeds. My flat has two rooms.",
        "Great! Leeds has good parks. Anything else?",
        "谢谢！我妹妹在大阪读书。她养了一只猫。",
    )
    text = text_of(home, *said, roles=ROLES).splitlines()
    assert text[:2] == ["I moved to Leeds.", "My flat has two rooms."]
    assert text[-2:] == ["我妹妹在大阪读书。", "她养了一只猫。"]
    assert all(line.startswith("> ") for line in text[2:-2])


def test_small_talk_goes_and_what_was_told_stays(home: Path) -> None:
    small = [one["text"] for one in some(cases(__file__, "small_talk"), 2)]
    told = [one["text"] for one in some(cases(__file__, "talk"), 2)]
    for text in told:
        assert text in text_of(home, text, *small[:3]), text
    for text in small:
        assert text not in text_of(home, "I moved to Leeds in May.", text, "ok").split("\n"), text
    assert not text_of(home, "ok")


@each(("one", "other"), some(cases(__file__, "alike"), 2))
def test_what_only_looks_alike_stays(home: Path, one: str, other: str) -> None:
    text = text_of(home, one, other)
    assert one in text
    assert other in text


def test_what_is_said_again_goes(home: Path) -> None:
    said = ["I'm allergic to peanuts.", "i'm allergic to peanuts!!", "So I'm allergic to peanuts."]
    assert text_of(home, *said).lower().count("peanuts") < 3


# The line of a day


@each(("said", "note"), some(cases(__file__, "note"), 2))
def test_event_is_the_clause_without_what_leads_up_to_it(home: Path, said: str, note: str) -> None:
    assert note in line(home, said)


def test_event_has_the_users_words_in_their_order(home: Path) -> None:
    found = line(home, "I bought a canoe", "its name is Wobble")
    assert "canoe" in found
    assert "Timbuktu" not in found
    moved = "so we moved to Leeds last week!", "oh and i have a peanut allergy, remember that"
    assert line(home, *moved) == "moved to Leeds last week"  # an allergy one has every day
    assert line(home, "我们搬到杭州了", "对了我花生过敏") == "搬到杭州了；我花生过敏"
    for small in (("hi",), ("早呀", "嗯嗯 拜拜👋"), ("😀😀",), ("...", "ok thx")):
        assert line(home, *small) == ""


@each(("said", "hidden"), cases(__file__, "hidden"))
def test_secrets_links_and_code_are_in_no_event(home: Path, said: str, hidden: str) -> None:
    assert hidden not in line(home, said, "i love kayaking in Wales")


def test_events_by_session_and_day(home: Path) -> None:
    late = NOW.replace(hour=23, minute=50)
    turns = [
        {"role": "user", "content": "I adopted a dog called Rolo", "at": late, "speaker": "Mei"},
        {"role": "user", "content": "Rolo ate my shoes", "at": late + timedelta(hours=3)},
    ]
    with Memory.open(home, "days", CONFIG, lambda: NOW + timedelta(days=2)) as memory:
        memory.add([{**one, "at": one["at"].isoformat()} for one in turns], session="s")  # type: ignore[attr-defined]
        memory.consolidate(force=True)
        found = {one.date: (one.sender, one.summary, one.trust) for one in memory.events()}
    assert found["2026-02-04"] == ("Mei", "adopted a dog called Rolo", "user")
    assert found["2026-02-05"][1] == "Rolo ate my shoes"
