"""How sure we are of what was only guessed or heard, and what becomes of it."""

from __future__ import annotations

import pytest

from loxodon import Memory
from loxodon.write.beliefs import certain
from loxodon.write.extract import Candidate
from tests.clock import Clock
from tests.each import each
from tests.write.said import contents, one_about, said, tell


def guess(
    content: str, attribute: str, value: str, days: float = 0, sure: float = 0.6
) -> Candidate:
    return said(content, attribute, value, days=days, confidence=sure, basis=content)


JAZZ = guess("用户可能喜欢爵士乐", "likes", "爵士乐", 3)


@each(
    ("guessed", "known"),
    [
        ("用户可能住在北京", "用户住在北京"),
        ("用户应该是乳糖不耐受", "用户是乳糖不耐受"),
        ("用户大概会去日本留学", "用户会去日本留学"),
        ("用户说不定要搬家", "用户要搬家"),
        ("用户每天走大概3公里", "用户每天走大概3公里"),
        ("用户尽可能早睡，觉得可能性不大", "用户尽可能早睡，觉得可能性不大"),
        ("The user might live in York", "The user lives in York"),
        ("The user may have quit their job", "The user has quit their job"),
        ("The user could be pregnant", "The user is pregnant"),
        ("The user could swim at four", "The user could swim at four"),
        ("The user might not like olives", "The user does not like olives"),
        ("The user may not be allergic to nuts", "The user is not allergic to nuts"),
        ("The user's parents might move to York", "The user's parents move to York"),
        ("James may move to York", "James moves to York"),
        ("The user's sister Mei probably lives in Osaka", "The user's sister Mei lives in Osaka"),
        ("The user was born in May", "The user was born in May"),
        ("", ""),
        ("可能", ""),
    ],
)
def test_a_guess_that_turned_out_true_is_said_plainly(guessed: str, known: str) -> None:
    assert certain(guessed) == known


def test_any_length_of_words_takes_no_longer_than_it_must() -> None:
    assert certain("x" * 500_000) == "x" * 500_000
    assert certain("might " * 100_000).startswith("might")


def test_a_belief_starts_with_its_confidence_and_basis(memory: Memory) -> None:
    tell(memory, JAZZ)
    (belief,) = memory.list()
    assert (belief.kind, belief.id[0], belief.confidence) == ("belief", "b", 0.6)
    assert belief.basis == "用户可能喜欢爵士乐"
    assert belief.strength == pytest.approx(0.8 * 0.6)
    tell(memory, guess("用户可能会下棋", "skill", "下棋", sure=0.1)._replace(importance=0.2))
    assert one_about(memory, "下棋").strength == pytest.approx(0.2)


def test_said_again_it_is_surer_and_never_certain(memory: Memory) -> None:
    tell(memory, JAZZ)
    seen = []
    for _ in range(6):
        tell(memory, guess("用户好像喜欢爵士乐", "likes", "爵士乐"))
        (belief,) = memory.list(state="all")
        seen.append(belief.confidence)
    assert seen == pytest.approx([0.7, 0.8, 0.9, 0.95, 0.95, 0.95])
    assert belief.kind == "belief"


def test_a_fact_that_says_the_same_takes_its_place(memory: Memory) -> None:
    tell(memory, JAZZ)
    belief = memory.list()[0]
    keeper = tell(memory, said("用户喜欢爵士乐", "likes", "爵士乐"))
    (fact,) = memory.list()
    assert (fact.kind, fact.confidence, fact.derived_from) == ("fact", 1.0, (belief.id,))
    assert memory.history(belief.id)[-1].change == "confirmed"
    assert memory.history(fact.id)[0].record.id == belief.id
    assert keeper.counts["confirmed"] == 1


def test_a_guess_of_what_is_known_is_nothing(memory: Memory) -> None:
    tell(memory, said("用户喜欢爵士乐", "likes", "爵士乐", days=5))
    before = memory.list(state="all")
    tell(memory, JAZZ)
    assert memory.list(state="all") == before


def test_a_fact_to_the_contrary_takes_its_confidence(memory: Memory, clock: Clock) -> None:
    tell(memory, guess("用户可能喜欢爵士乐", "likes", "爵士乐", 3, sure=0.85))
    id = memory.list()[0].id
    keeper = tell(memory, said("用户不喜欢爵士乐", "dislikes", "爵士乐", positive=False, days=2))
    assert (memory.get(id).confidence, memory.get(id).state) == (0.55, "active")
    assert memory.get(id).strength == pytest.approx(0.8 * 0.55)
    assert keeper.counts["doubted"] == 1
    clock.pass_days(1)
    tell(memory, said("用户不喜欢爵士乐", "dislikes", "爵士乐", positive=False, days=1))
    assert memory.get(id).confidence == pytest.approx(0.25)
    keeper = tell(memory, said("用户不喜欢爵士乐", "dislikes", "爵士乐", positive=False))
    gone = memory.get(id)
    assert (gone.state, gone.confidence) == ("archived", 0.0)
    assert memory.history(id)[-1].change == "denied"
    assert keeper.counts["denied"] == 1
    assert contents(memory) == ["用户不喜欢爵士乐"]


def test_a_weak_memory_and_a_guess_to_the_contrary_stand_side_by_side(memory: Memory) -> None:
    tell(
        memory,
        said("The user lives in Leeds", "home", "Leeds", importance=0.5, days=4),
        guess("The user might live in York", "home", "York"),
    )
    assert contents(memory) == ["The user lives in Leeds", "The user might live in York"]
    assert memory.reviews() == []
