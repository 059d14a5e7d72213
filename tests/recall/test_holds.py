"""What holds now before what held, what tells before what asks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.recall.context import block, marks
from loxodon.recall.holds import only_asks
from loxodon.tokens import estimate
from loxodon.types import Item
from tests.each import each
from tests.recall import changed
from tests.recall.test_routes import DAY, Now, memory, now, shown, talk  # noqa: F401  (fixtures)

HOUR = timedelta(hours=1)
SOME = ("02", "03", "04", "08", "10")
"""Cases that run with every test; `python -m tests.recall.changed` scores all."""
EARLY = "user: By the way, I have tried three Korean restaurants in the city"
LATE = "user: Kimchi it is. I have tried four Korean restaurants in the city so far"


def told_twice(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, EARLY)
    talk(memory, "b", DAY + timedelta(days=20), LATE, "user: it rained all week in Leeds")


def test_the_later_of_two_that_speak_of_the_same_comes_first(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    found = memory.recall("How many Korean restaurants have I tried in the city?")
    assert ["four" in one for one in shown(found)[:2]] == [True, False]
    assert "(spoken of again on 2026-02-21)" in found.context
    assert found.context.index("four") < found.context.index("spoken of again")


@pytest.mark.parametrize(("apart", "marked"), [(timedelta(days=20), True), (HOUR, False)])
def test_one_session_for_ever_has_many_talks(
    memory: Memory,  # noqa: F811
    apart: timedelta,
    marked: bool,
) -> None:
    talk(memory, "main", DAY, EARLY)
    talk(memory, "main", DAY + apart, LATE, "user: it rained all week in Leeds")
    found = memory.recall("How many Korean restaurants have I tried in the city?")
    assert "four" in shown(found)[0]
    assert ("spoken of again" in found.context) is marked


def test_what_a_message_is_about_may_stand_in_another_sentence(memory: Memory) -> None:  # noqa: F811
    filler = "It was a long evening and the kitchen is still full of boxes from the market. " * 2
    talk(memory, "a", DAY, f"user: {filler}By the way, I have 1250 followers on Pixelgram now.")
    later = (
        f"user: I wrote a post for Pixelgram. {filler}My follower count must be near 1300 by now."
    )
    talk(memory, "b", DAY + timedelta(days=20), later, "user: it rained all week in Leeds")
    found = memory.recall("How many followers do I have on Pixelgram?")
    assert ["1300" in one for one in shown(found)[:2]] == [True, False]
    assert found.items[1].why["again"] == "2026-02-21"


def test_what_is_compared_with_before_asks_for_now(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    found = memory.recall("Have I tried more Korean restaurants in the city than before?")
    assert ["four" in one for one in shown(found)[:2]] == [True, False]


def test_how_far_two_events_lie_apart_keeps_the_order(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    asked = "How many days before the city trip did I try Korean restaurants?"
    assert "spoken of again" not in memory.recall(asked).context


def test_own_words_that_were_replaced_are_told_as_past(memory: Memory) -> None:  # noqa: F811
    for at, text in ((DAY, "我在肯德基做兼职"), (DAY + timedelta(days=20), "我不在肯德基干了")):
        talk(memory, f"{at:%d}", at, f"user: {text}")
        memory.consolidate(force=True)
    old = next(one for one in memory.recall("我在哪里做兼职？").items if "做兼职" in one.content)
    assert old.valid_until is not None


def test_a_question_about_the_past_turns_that_round(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    found = memory.recall("How many Korean restaurants had I tried in the city before?")
    assert ["three" in one for one in shown(found)[:2]] == [True, False]
    assert found.context.index("spoken of again") < found.context.index("four")


def test_at_a_moment_the_newest_of_then_comes_first(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    talk(memory, "c", DAY + timedelta(days=25), "user: Six Korean restaurants tried in the city")
    asked = "How many Korean restaurants have I tried in the city?"
    found = memory.recall(asked, as_of=DAY + timedelta(days=22))
    assert ["four" in one for one in shown(found)[:2]] == [True, False]
    assert "Six" in shown(memory.recall(asked))[0]


def test_what_happened_once_keeps_its_order(memory: Memory) -> None:  # noqa: F811
    told_twice(memory)
    found = memory.recall("Which Korean restaurants did I try in the city?")
    assert "spoken of again" not in found.context


def test_of_two_memories_the_older_says_that_it_is(memory: Memory, now: Now) -> None:  # noqa: F811
    now.at = DAY
    memory.capture("The parking permit of the van is valid until May")
    now.at = DAY + timedelta(days=20)
    memory.capture("The parking permit of the van is valid until November now")
    found = memory.recall("Until when is the parking permit of the van valid?")
    assert ["November" in one for one in shown(found)[:2]] == [True, False]
    assert "(before that; told anew on 2026-02-21)" in found.context
    assert "（较早的说法，2026-02-21 另有新说法）" in block(found.items, 900, estimate, "zh").text


def test_what_ended_makes_room_for_what_holds(memory: Memory) -> None:  # noqa: F811
    ended = Item(
        "f_1", "fact", "It was " + 20 * "so ", 1.0, DAY, "archived", (), {}, valid_until=DAY
    )
    others = [
        Item(f"f_{n}", "fact", f"It is {n} " + 20 * "so ", 1.0, DAY, "active", (), {})
        for n in (2, 3)
    ]
    items = [others[0], ended, others[1]]
    assert block(items, 1000, estimate, "en").items == tuple(items)
    two = block(items, block(others, 1000, estimate, "en").tokens + 20, estimate, "en")
    assert two.items == tuple(others)


def test_what_speaks_of_something_else_keeps_its_place(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, EARLY)
    talk(memory, "b", DAY + timedelta(days=20), "user: the city has a new tram line to the harbour")
    found = memory.recall("How many Korean restaurants have I tried in the city?")
    assert "three" in shown(found)[0]
    assert "spoken of again" not in found.context


def test_earlier_askings_are_no_answer(memory: Memory) -> None:  # noqa: F811
    for n in range(3):
        talk(memory, f"q{n}", DAY + timedelta(days=n + 1), "user: Where do I keep the spare key?")
    talk(memory, "told", DAY, "user: I keep the spare key under the blue flowerpot")
    talk(memory, "other", DAY, "user: Where do I keep the spare key of the garage?")
    found = shown(memory.recall("Where do I keep the spare key?"))
    assert "flowerpot" in found[0]
    assert [one for one in found if one.endswith("spare key?")] == []
    assert "garage" in found[-1]  # another question may be what is meant
    asked = memory.recall("What did I ask about the spare key?")
    assert asked.items[0].content.startswith("Where do I keep")


@each(
    ("text", "asks"),
    [
        ("Where do I keep the spare key?", True),
        ("我的备用钥匙放在哪里？", True),
        ("What's for lunch? And who is coming?", True),
        ("I keep it under the pot. Where else?", False),
        ("Is it true that we moved to York?", False),
        ("It is under the pot", False),
    ],
)
def test_what_only_asks(text: str, asks: bool) -> None:
    assert only_asks(text) is asks


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(
    "case", [one for one in changed.read() if one.id[3:] in SOME], ids=lambda one: one.id
)
def test_what_changed_comes_first(case: changed.Case, known: bool, tmp_path: Path) -> None:
    assert changed.judged(case, str(tmp_path), known)[0] == ""


def test_a_turn_is_told_as_past_by_what_the_question_is_after(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: I live in Leeds and my sister Mei studies in Osaka")
    memory.consolidate()
    talk(memory, "b", DAY + timedelta(days=20), "user: I moved to York last week")
    memory.consolidate()
    found = memory.recall("What is my address while she studies abroad?")
    old = next(item for item in found.items if item.kind == "turn" and "Leeds" in item.content)
    assert old.valid_until is not None


def test_a_turn_is_told_as_past_when_what_answers_has_ended(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: I live in Leeds and my sister Mei studies in Osaka")
    memory.consolidate()
    talk(memory, "b", DAY + timedelta(days=20), "user: I moved to York last week")
    memory.consolidate()
    found = memory.recall("Does the user live in Leeds?", kind="turn")
    both = memory.recall("Do I live in Leeds?")
    old = next(item for item in both.items if "Leeds" in item.content)
    assert old.valid_until is not None
    assert "held until" in both.context
    assert found.items  # asked for turns alone, it is still there


@pytest.mark.parametrize(
    ("asked", "first", "later"),
    [
        ("Where does Ingrid live?", "Oslo", "user: My sister Ingrid is coming to visit soon."),
        ("What am I allergic to?", "walnuts", "user: My brother Anders is allergic to cats."),
        ("小美住在哪里？", "成都", "user: 我妹妹小美下周来看我。"),
    ],
)
def test_what_else_is_said_since_makes_a_memory_no_older(
    memory: Memory,  # noqa: F811
    asked: str,
    first: str,
    later: str,
) -> None:
    mine = "user: My sister Ingrid lives in Oslo. I am allergic to walnuts."
    talk(memory, "a", DAY, mine, "user: 我妹妹小美住在成都。")
    talk(memory, "b", DAY + timedelta(days=20), later, "user: it rained all week in Leeds")
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert first in shown(found)[0]
    assert "again" not in found.items[0].why


GUESSES = [
    ("user: I think I may be allergic to shellfish.", "What am I allergic to?"),
    ("user: 我可能对芒果过敏。", "我对什么过敏？"),
]


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
def test_of_a_rejected_guess_the_words_alone_come_back_and_say_so(
    memory: Memory,  # noqa: F811
    guess: str,
    asked: str,
) -> None:
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.reject(belief.id)
    (item,) = memory.recall(asked).items
    assert item.kind == "turn"
    assert marks(item, "en").startswith("(no longer holds)")
    assert memory.recall(asked, kind="belief").items == ()
    assert belief.content not in memory.profile(refresh=True)


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
@pytest.mark.parametrize("said", [True, False])
def test_a_fact_stands_for_the_guess_that_it_was(
    memory: Memory,  # noqa: F811
    guess: str,
    asked: str,
    said: bool,
) -> None:
    """Said outright or confirmed: the guess is not told beside it, and goes where the fact goes."""
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    if said:
        talk(memory, "b", DAY + HOUR, guess.replace("think I may be", "am").replace("可能", ""))
        memory.consolidate(force=True)
    else:
        memory.confirm(belief.id)
    (fact,) = memory.list(kind="fact")
    assert belief.content not in memory.recall(asked).context + memory.profile(refresh=True)
    memory.archive(fact.id)
    assert memory.recall(asked).items == ()


def test_a_belief_that_was_corrected_and_confirmed_is_recalled_as_corrected(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: My friend Tess is a baker.")
    talk(memory, "b", DAY + timedelta(days=3), "user: I think Tess is a plumber now.")
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.edit(belief.id, content="Tess is a pilot")
    memory.confirm(belief.id)
    found = memory.recall("What does Tess do for work?")
    assert "pilot" in shown(found)[0]
    assert "plumber" not in found.context
