"""What holds now comes before what held, and what tells before what asks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loxodon import Memory, Recall
from tests.clock import Clock
from tests.recall import changed
from tests.recall.talking import DAY, say, shown, talk

pytestmark = pytest.mark.usefixtures("in_march")

LATER = DAY + timedelta(days=20)
EARLY = "user: By the way, I have tried three Korean restaurants in the city"
LATE = "user: Kimchi it is. I have tried four Korean restaurants in the city so far"
RAIN = "user: it rained all week in Leeds"
HOW_MANY = "How many Korean restaurants have I tried in the city?"


def told_twice(memory: Memory) -> None:
    talk(memory, "a", DAY, EARLY)
    talk(memory, "b", LATER, LATE, RAIN)


def is_four_first(found: Recall) -> bool:
    return ["four" in one for one in shown(found)[:2]] == [True, False]


def brought_by_end(found: Recall) -> bool:
    """Whether something is there because it says that the answer has ended."""
    return any("since" in item.why["routes"] for item in found.items)


def test_later_of_two_turns_on_the_same_comes_first(memory: Memory) -> None:
    told_twice(memory)
    found = memory.recall(HOW_MANY)
    assert is_four_first(found)
    assert "(spoken of again on 2026-02-21)" in found.context
    assert found.context.index("four") < found.context.index("spoken of again")
    more = "Have I tried more Korean restaurants in the city than before?"
    assert is_four_first(memory.recall(more))


@pytest.mark.parametrize(
    "question",
    [
        "How many days before the city trip did I try Korean restaurants?",
        "Which Korean restaurants did I try in the city?",
    ],
)
def test_question_about_events_keeps_the_order(memory: Memory, question: str) -> None:
    told_twice(memory)
    assert "spoken of again" not in memory.recall(question).context


def test_question_about_the_past_turns_the_order_round(memory: Memory) -> None:
    told_twice(memory)
    found = memory.recall("How many Korean restaurants had I tried in the city before?")
    assert ["three" in one for one in shown(found)[:2]] == [True, False]
    assert found.context.index("spoken of again") < found.context.index("four")


def test_at_an_earlier_moment_the_newest_of_then_comes_first(memory: Memory) -> None:
    told_twice(memory)
    talk(memory, "c", DAY + timedelta(days=25), "user: Six Korean restaurants tried in the city")
    assert is_four_first(memory.recall(HOW_MANY, as_of=DAY + timedelta(days=22)))
    assert "Six" in shown(memory.recall(HOW_MANY))[0]


@pytest.mark.parametrize(
    ("apart", "marked"), [(timedelta(days=20), True), (timedelta(hours=1), False)]
)
def test_one_endless_session_is_many_talks(memory: Memory, apart: timedelta, marked: bool) -> None:
    talk(memory, "main", DAY, EARLY)
    talk(memory, "main", DAY + apart, LATE, RAIN)
    found = memory.recall(HOW_MANY)
    assert "four" in shown(found)[0]
    assert ("spoken of again" in found.context) is marked


def test_topic_may_stand_in_another_sentence_of_the_message(memory: Memory) -> None:
    filler = "It was a long evening and the kitchen is still full of boxes from the market. " * 2
    early = f"user: {filler}By the way, I have 1250 followers on Pixelgram now."
    late = (
        f"user: I wrote a post for Pixelgram. {filler}My follower count must be near 1300 by now."
    )
    talk(memory, "a", DAY, early)
    talk(memory, "b", LATER, late, RAIN)
    found = memory.recall("How many followers do I have on Pixelgram?")
    assert ["1300" in one for one in shown(found)[:2]] == [True, False]
    assert found.items[1].why["again"] == "2026-02-21"


def test_turn_on_something_else_does_not_come_first(memory: Memory) -> None:
    talk(memory, "a", DAY, EARLY)
    talk(memory, "b", LATER, "user: the city has a new tram line to the harbour")
    found = memory.recall(HOW_MANY)
    assert "three" in shown(found)[0]
    assert "spoken of again" not in found.context


def test_older_of_two_memories_says_so(memory: Memory, clock: Clock) -> None:
    for clock.now, month in ((DAY, "May"), (LATER, "November now")):
        memory.capture(f"The parking permit 停车证 of the van is valid until {month}")
    found = memory.recall("Until when is the parking permit of the van valid?")
    assert ["November" in one for one in shown(found)[:2]] == [True, False]
    assert "(before that; told anew on 2026-02-21)" in found.context
    assert "（较早的说法，2026-02-21 另有新说法）" in memory.recall("停车证什么时候到期？").context


def test_earlier_askings_are_no_answer(memory: Memory) -> None:
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


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(
    "case",
    [one for one in changed.read() if one.id[3:] in ("02", "03", "04", "08", "10")],
    ids=lambda one: one.id,
)
def test_labelled_changes(case: changed.Case, known: bool, tmp_path: Path) -> None:
    """Some of the cases; `python -m tests.recall.changed` scores all."""
    assert changed.judged(case, str(tmp_path), known)[0] == ""


# Superseded memories


def test_superseded_memory_comes_last_unless_the_past_is_asked_for(
    memory: Memory, clock: Clock
) -> None:
    clock.now = datetime(2026, 1, 6, tzinfo=UTC)
    say(memory, "I live in Leeds.", at="2026-01-05T10:00:00")
    memory.consolidate(force=True)
    clock.now = datetime(2026, 3, 21, tzinfo=UTC)
    say(memory, "I moved to York last week, I live in York now.", at="2026-03-20T10:00:00")
    memory.consolidate(force=True)
    assert "York" in shown(memory.recall("Where do I live?"))[0]
    assert any("Leeds" in text for text in shown(memory.recall("Where did I live before?")))
    then = shown(memory.recall("Where do I live?", as_of=datetime(2026, 2, 1, tzinfo=UTC)))
    assert any("Leeds" in text for text in then)
    assert not any("York" in text for text in then)


def test_memory_is_recalled_in_the_words_it_had_then(memory: Memory, clock: Clock) -> None:
    kept = memory.capture("the gate code is alpha-one")
    clock.pass_days(60)
    memory.edit(kept.id, content="the gate code is beta-two")
    then = memory.recall("What is the gate code?", as_of=clock.now - timedelta(days=30))
    assert "alpha-one" in shown(then)[0]
    assert "beta-two" in shown(memory.recall("What is the gate code?"))[0]


@pytest.mark.parametrize(
    ("early", "late", "asked", "old"),
    [
        ("我在肯德基做兼职", "我不在肯德基干了", "我在哪里做兼职？", "做兼职"),
        (
            "I live in Leeds and my sister Mei studies in Osaka",
            "I moved to York last week",
            "What is my address while she studies abroad?",
            "Leeds",
        ),
        (
            "I live in Leeds and my sister Mei studies in Osaka",
            "I moved to York last week",
            "Do I live in Leeds?",
            "Leeds",
        ),
    ],
)
def test_words_whose_memory_was_superseded_are_marked_as_past(
    memory: Memory, early: str, late: str, asked: str, old: str
) -> None:
    for at, text in ((DAY, early), (LATER, late)):
        talk(memory, f"{at:%d}", at, f"user: {text}")
        memory.consolidate(force=True)
    item = next(one for one in memory.recall(asked).items if old in one.content)
    assert item.valid_until is not None


@pytest.mark.parametrize(
    ("asked", "first", "later"),
    [
        ("Where does Ingrid live?", "Oslo", "user: My sister Ingrid is coming to visit soon."),
        ("What am I allergic to?", "walnuts", "user: My brother Anders is allergic to cats."),
        ("小美住在哪里？", "成都", "user: 我妹妹小美下周来看我。"),
    ],
)
def test_other_news_of_the_same_person_does_not_age_a_memory(
    memory: Memory, asked: str, first: str, later: str
) -> None:
    mine = "user: My sister Ingrid lives in Oslo. I am allergic to walnuts."
    talk(memory, "a", DAY, mine, "user: 我妹妹小美住在成都。")
    talk(memory, "b", LATER, later, RAIN)
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert first in shown(found)[0]
    assert "again" not in found.items[0].why


# Guesses


GUESSES = [
    ("user: I think I may be allergic to shellfish.", "What am I allergic to?"),
    ("user: 我可能对芒果过敏。", "我对什么过敏？"),
]


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
def test_rejected_guess_comes_back_only_as_words_that_no_longer_hold(
    memory: Memory, guess: str, asked: str
) -> None:
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.reject(belief.id)
    found = memory.recall(asked)
    assert [item.kind for item in found.items] == ["turn"]
    assert "(no longer holds)" in found.context or "（已不再成立）" in found.context
    assert memory.recall(asked, kind="belief").items == ()
    assert belief.content not in memory.profile(refresh=True)


@pytest.mark.parametrize(("guess", "asked"), GUESSES)
@pytest.mark.parametrize("said", [True, False])
def test_fact_replaces_the_guess_it_was(memory: Memory, guess: str, asked: str, said: bool) -> None:
    """Said outright or confirmed: the guess is not shown beside it, and goes with the fact."""
    talk(memory, "a", DAY, guess)
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    if said:
        outright = guess.replace("think I may be", "am").replace("可能", "")
        talk(memory, "b", DAY + timedelta(hours=1), outright)
        memory.consolidate(force=True)
    else:
        memory.confirm(belief.id)
    (fact,) = memory.list(kind="fact")
    assert belief.content not in memory.recall(asked).context + memory.profile(refresh=True)
    memory.archive(fact.id)
    assert memory.recall(asked).items == ()


def test_corrected_and_confirmed_belief_is_recalled_as_corrected(memory: Memory) -> None:
    talk(memory, "a", DAY, "user: My friend Tess is a baker.")
    talk(memory, "b", DAY + timedelta(days=3), "user: I think Tess is a plumber now.")
    memory.consolidate(force=True)
    (belief,) = memory.list(kind="belief")
    memory.edit(belief.id, content="Tess is a pilot")
    memory.confirm(belief.id)
    found = memory.recall("What does Tess do for work?")
    assert "pilot" in shown(found)[0]
    assert "plumber" not in found.context


# What later says that a thing is over is found by what it names


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@pytest.mark.parametrize(
    ("was", "ended", "ask", "new"),
    [
        (
            "I work at the town library",
            "I quit the library, starting as a gardener on Monday",
            "Where do I work?",
            "gardener",
        ),
        ("我在学古筝", "古筝放下了，最近迷上吉他", "我在学什么？", "吉他"),
    ],
    ids=["en", "zh"],
)
def test_what_ends_the_old_answer_comes_before_it(
    memory: Memory, was: str, ended: str, ask: str, new: str, known: bool
) -> None:
    for session, at, text in (("a", DAY, was), ("b", LATER, ended)):
        talk(memory, session, at, f"user: {text}")
        if known:
            memory.consolidate(force=True)
    found = memory.recall(ask)
    assert new in shown(found)[0]
    old = next(item for item in found.items if new not in item.content)
    assert old.valid_until or old.why["again"]


@pytest.mark.parametrize(
    "later",
    [
        "user: The library has a new roof",  # it names the thing and ends nothing
        "user: I quit sugar, the library was closed anyway",  # it ends another
        "user: I gave up my umbrella at the library",
        "user: I left my umbrella at the library",
        "user: The library was closed for the day",
        "Tom: I quit the library last week",  # somebody else's
        "assistant: So you quit the library!",
    ],
)
def test_what_ends_nothing_is_not_brought(memory: Memory, later: str) -> None:
    talk(memory, "a", DAY, "user: I work at the town library")
    talk(memory, "b", LATER, later)
    found = memory.recall("Where do I work?")
    assert "town library" in shown(found)[0]
    assert not brought_by_end(found)


def test_end_is_brought_for_what_lasts_and_within_the_filter(memory: Memory) -> None:
    talk(memory, "a", DAY, "user: I work at the town library, I worked there that summer")
    talk(memory, "b", LATER, "user: I quit the library")
    assert len(memory.recall("Where do I work?").items) == 2
    assert len(memory.recall("Where do I work?", until=DAY + timedelta(days=2)).items) == 1
    assert not brought_by_end(memory.recall("Where did I work that summer?"))


def test_superseded_memory_leads_to_its_successor(memory: Memory, clock: Clock) -> None:
    lines = (
        (DAY, "I teach chemistry at a school in Durham"),
        (LATER, "Handed in my notice, I'm joining a lab as a technician in May"),
    )
    for clock.now, text in lines:
        talk(memory, f"{clock.now:%d}", clock.now, f"user: {text}")
        memory.consolidate(force=True)
    assert "technician" in shown(memory.recall("What is my job?"))[0]
