"""What a new statement means for what is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from loxodon.text.similarity import gist
from loxodon.text.words import fold
from loxodon.types import Record
from loxodon.write.extract import Candidate
from loxodon.write.reconcile import Plan, plan
from loxodon.write.relation import negative, relation
from tests.cases import cases
from tests.each import each
from tests.write.said import known, said


class Kept:
    """What is known, in a list."""

    def __init__(self, *records: Record) -> None:
        self.records = records

    def about(self, *parts: str) -> Sequence[Record]:
        wanted = [fold(part) for part in parts]
        return [
            one
            for one in self.records
            if [fold(f) for f in (one.subject, one.attribute, one.value)][: len(parts)] == wanted
        ]

    def like(self, text: str, limit: int) -> Sequence[Record]:
        words = gist(text).words | gist(text).numbers
        shared = [
            (len(words & (gist(one.content).words | gist(one.content).numbers)), one.id, one)
            for one in self.records
        ]
        best = sorted((one for one in shared if one[0]), reverse=True)
        return [record for _, _, record in best[:limit]]


def decide(new: Candidate, *old: Record | Candidate, turn: str = "now:m1") -> Plan:
    records = [one if isinstance(one, Record) else known(one) for one in old]
    return plan(new, Kept(*records), turn)


def outcome(new: Candidate, *old: Record | Candidate) -> str:
    """What becomes of the statement, and of the memories, in short."""
    found = decide(new, *old)
    touched = {
        "replaces": found.replaced,
        "ends": found.retracted,
        "rewrites": found.rewritten,
        "denies": found.denied,
        "promotes": found.promoted,
    }
    parts = [f"{name} {len(what)}" for name, what in touched.items() if what]
    return ", ".join([found.outcome, *parts])


LIVES_BEIJING = said("用户住在北京", "home", "北京", days=9)


def told(of: str) -> list[dict[str, Any]]:
    """Cases of reconcile.jsonl, with the statements that they name made."""
    return [{name: _made(value) for name, value in case.items()} for case in cases(__file__, of)]


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(one) for one in value]
    fields: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in value.items()
    }
    make = guess if "guess" in fields else said
    words = fields.pop("guess", None) or fields.pop("said")
    return make(*words, **fields)


def guess(content: str, attribute: str = "", value: str = "", **more: object) -> Candidate:
    return said(content, attribute, value, confidence=0.6, basis=content, **more)  # type: ignore[arg-type]


# What is new


@each(("new", "old"), told("what_is_new_is_added_and_what_has_many_values_gathers"))
def test_what_is_new_is_added_and_what_has_many_values_gathers(
    new: Candidate, old: list[Candidate]
) -> None:
    assert outcome(new, *old) == "add"


# The same again


@each(("new", "old"), told("what_is_said_again_is_confirmed"))
def test_what_is_said_again_is_confirmed(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "confirm"


@each(("new", "old"), told("what_says_more_makes_it_richer_and_what_says_less_confirms"))
def test_what_says_more_makes_it_richer_and_what_says_less_confirms(
    new: Candidate, old: Candidate
) -> None:
    assert outcome(new, old) == "update"
    assert outcome(old, new) == "confirm"


# One value at a time


@each(("new", "old"), told("attributes_with_one_value_supersede"))
def test_attributes_with_one_value_supersede(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add, replaces 1"


# Polarity


@each(("new", "old"), told("the_contrary_supersedes"))
def test_the_contrary_supersedes(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add, replaces 1"


# What is over


@each(("new", "old"), told("what_is_over_is_retracted"))
def test_what_is_over_is_retracted(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add, ends 1"


@each(("new", "old"), told("what_is_over_leaves_the_rest"))
def test_what_is_over_leaves_the_rest(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add"


# Death


def test_the_death_of_someone_ends_what_is_told_of_them_but_not_who_they_were() -> None:
    died = said("Biscuit died", subject="Biscuit", act="end", over=("Biscuit",), positive=False)
    owned = said("The user has a dog named Biscuit", "pet", "Biscuit", category="relation")
    eats = said("Biscuit eats chicken", subject="Biscuit")
    born = said(
        "Biscuit was born in 2012", "birthday", "2012", subject="Biscuit", category="identity"
    )
    other = said("Rex eats chicken", subject="Rex")
    assert outcome(died, owned, eats, born, other) == "add, ends 2"
    left = said("Max and I broke up", act="end", over=("Max",))
    assert outcome(left, said("Max works at Bosch", subject="Max")) == "add"


# Corrections and changes


@each(("new", "old"), told("a_correction_replaces_what_was_wrong"))
def test_a_correction_replaces_what_was_wrong(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add, replaces 1"


def test_a_correction_in_the_same_breath_reaches_what_was_just_said() -> None:
    wrong = known(said("用户住在北京", "home", "北京"))
    source = wrong.sources[0]
    turn = f"{source.session}:{source.turn}"
    right = said("用户住在南京", "home", "南京", act="correct", over=("北京",))
    assert decide(right, wrong, turn=turn).replaced == (wrong,)
    # Anything else that is said in one breath fits together.
    beside = said("用户住在南京", "home", "南京")
    assert decide(beside, wrong, turn=turn) == Plan("add")
    assert decide(said("用户住在北京", "home", "北京"), wrong, turn=turn).outcome == "confirm"


@each(("new", "old"), told("a_change_ends_what_it_names"))
def test_a_change_ends_what_it_names(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add, replaces 1"


@each(("new", "old"), told("a_change_leaves_what_it_does_not_name"))
def test_a_change_leaves_what_it_does_not_name(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add"


def test_a_change_of_medicine_ends_only_the_one_that_it_names() -> None:
    new = said("用户：“我把降压药换成氨氯地平了”", act="change", quoted=True)
    insulin = said("用户在用胰岛素", "medication", "胰岛素", category="health")
    assert outcome(new, insulin) == "add"


# Late arrivals


def test_an_old_transcript_does_not_override_what_was_true_later() -> None:
    now = known(said("用户住在上海", "home", "上海", days=1))
    found = decide(said("用户住在北京", "home", "北京", days=300), now)
    assert found == Plan("late", now)
    found = decide(
        said("用户离职了", "employer", act="end", days=300, positive=False),
        known(said("用户在美团工作", "employer", "美团", days=2)),
    )
    assert (found.outcome, found.retracted) == ("late", ())


def test_what_was_said_again_later_counts_as_said_then() -> None:
    old = known(said("用户住在上海", "home", "上海", days=400))
    late = said("用户住在北京", "home", "北京", days=300)
    assert decide(late, old).replaced == (old,)
    again = old._replace(confirmed_at=said("", days=2).said_at)
    assert decide(late, again) == Plan("late", again)


def test_an_old_transcript_still_tells_what_is_not_known() -> None:
    now = said("用户住在上海", "home", "上海", days=1)
    assert outcome(said("用户对花生过敏", "allergy", "花生", days=300), now) == "add"
    assert outcome(said("用户住在上海", "home", "上海", days=300), now) == "confirm"


# Guesses


@each(("new", "old"), told("a_guess_against_something_firm_waits"))
def test_a_guess_against_something_firm_waits(new: Candidate, old: Candidate) -> None:
    firm = known(old)
    assert decide(new, firm) == Plan("hold", firm)


def test_a_guess_against_something_weak_stands_beside_it() -> None:
    weak = known(said("用户住在北京", "home", "北京", importance=0.5))
    assert decide(guess("用户可能住在上海", "home", "上海"), weak) == Plan("add")


def test_a_guess_adds_nothing_to_what_is_known_and_strengthens_a_guess() -> None:
    sure = known(LIVES_BEIJING)
    assert decide(guess("用户可能住在北京", "home", "北京"), sure) == Plan("nothing")
    unsure = known(guess("用户可能住在北京", "home", "北京", days=3))
    assert decide(guess("用户好像住在北京", "home", "北京"), unsure) == Plan("confirm", unsure)


def test_a_fact_settles_guesses() -> None:
    unsure = known(guess("用户可能住在北京", "home", "北京", days=3))
    found = decide(said("用户住在北京", "home", "北京"), unsure)
    assert (found.outcome, found.promoted, found.denied) == ("add", (unsure,), ())
    found = decide(said("用户住在上海", "home", "上海"), unsure)
    assert (found.outcome, found.promoted, found.denied) == ("add", (), (unsure,))


# What looks alike and is not


@each(("new", "old"), told("what_only_looks_alike_is_left_alone"))
def test_what_only_looks_alike_is_left_alone(new: Candidate, old: Candidate) -> None:
    assert outcome(new, old) == "add"
    assert outcome(old, new) == "add"


# Whatever is said


def _unrelated(n: int, chance: random.Random) -> Candidate:
    """A statement that has nothing to do with the others: its own subject, attribute and words."""
    rare = "qwzxvk"
    word = "".join(chance.choice(rare) for _ in range(5)) + f"a{n:03}b"
    subject = f"P{word}"
    return said(
        f"{subject} owns a {word}",
        chance.choice(["", "owns", "home", "likes", "employer"]),
        word,
        subject=subject,
        days=chance.randrange(1, 400),
        importance=chance.random(),
        positive=chance.random() < 0.8,
        confidence=chance.choice([1.0, 1.0, 0.6]),
    )


STATEMENTS = [
    said("用户住在上海", "home", "上海"),
    said("用户不再喝咖啡", act="end", over=("咖啡",), positive=False),
    said("用户离职了", "employer", act="end", positive=False),
    said("用户现在改成每天早上跑步", act="change"),
    said("The user's name is Bo", "name", "Bo", act="correct", over=("Al",)),
    said("The user no longer eats meat", act="end", over=("meat",), positive=False),
    said("The user switched to an iPhone", "phone", "iPhone", act="change"),
    said("The user may move to York", "home", "York", confidence=0.5),
    said("Biscuit died", subject="Biscuit", act="end", over=("Biscuit",), positive=False),
    said("", act="end", over=("",)),
    said("🦣", act="change", over=("🦣",)),
    said("\u202e\x00", act="correct", over=("\x00", " ")),
]


@pytest.mark.parametrize("new", STATEMENTS, ids=lambda one: one.statement.content[:12])
def test_unrelated_memories_are_never_touched(new: Candidate) -> None:
    chance = random.Random(7)
    others = [known(_unrelated(n, chance)) for n in range(60)]
    found = decide(new, *others)
    assert found == Plan("add")
    assert {relation(new.statement, one) for one in others} == {"unrelated"}


def test_unrelated_statements_leave_each_other_alone() -> None:
    chance = random.Random(11)
    all = [_unrelated(n, chance) for n in range(120)]
    for n, new in enumerate(all):
        assert decide(new, *all[max(0, n - 40) : n]) == Plan("add")


def test_deciding_is_deterministic_whatever_the_order_of_what_is_known() -> None:
    old = [
        known(one)
        for one in (
            LIVES_BEIJING,
            said("用户对花生过敏", "allergy", "花生"),
            said("用户每天早上喝咖啡", "habit", "喝咖啡"),
        )
    ]
    for new in STATEMENTS:
        first, second = decide(new, *old), decide(new, *reversed(old))
        assert first.outcome == second.outcome
        assert set(first.replaced + first.retracted) == set(second.replaced + second.retracted)


def test_negatives() -> None:
    assert negative("用户不喝酒")
    assert not negative("用户喝酒")
    assert not negative("用户不仅喝酒，还抽烟")
    assert negative("The user doesn't drink")
