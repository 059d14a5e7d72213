"""Personal data is found, labelled and masked; figures for docs/trust.md."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from types import ModuleType

import pytest

from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.guard.signs import has_sign
from tests.attacks import fresh_cases as fresh
from tests.attacks import held_out_cases as held_out
from tests.attacks import personal_cases as personal
from tests.attacks.secret_cases import Case
from tests.long import count, figure

STOPPED, FALSE_ALARMS = 0.99, 0.005


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


def seen_through(guard: Guard, cases: Iterable[Case]) -> tuple[int, list[tuple[str, str]]]:
    """How many cases there are, and those whose mask told too much, with what was shown."""
    total, through = 0, []
    for case in cases:
        total += 1
        shown = guard.shown(case.text, private=False)
        if case.secret in shown or shown == case.text:
            through.append((case.text, shown))
        assert guard.shown(shown, private=False) == shown, "a mask stays a mask"
        assert guard.restored(shown, case.text) == case.text, "a mask stands for what it hides"
        assert has_sign(case.text)
    return total, through


def test_personal_data_is_masked(guard: Guard) -> None:
    total, through = seen_through(guard, personal.positives(Random(1), count(300, 12_000)))
    figure("personal", cases=total, masked=f"{1 - len(through) / total:.4f}")
    assert len(through) <= (1 - STOPPED) * total, through[:20]


def test_what_only_looks_personal_is_left_alone(guard: Guard) -> None:
    total, found = 0, []
    for case in personal.look_alikes(Random(2), count(300, 12_000)):
        total += 1
        if guard.shown(case.text, private=False) != case.text:
            found.append(case.text)
    figure("personal_look_alikes", cases=total, alarms=f"{len(found) / total:.4f}")
    assert len(found) < FALSE_ALARMS * total, found[:20]


@pytest.mark.parametrize("cases", [held_out, fresh], ids=["second", "third"])
def test_personal_data_of_the_later_sets_is_masked(guard: Guard, cases: ModuleType) -> None:
    made = cases.persons(Random(3), count(200, 6_000))
    total, through = seen_through(guard, [one for one in made if len(one.secret) > 3])
    figure(
        "personal_later_set",
        set=cases.__name__.rpartition(".")[2],
        cases=total,
        masked=f"{1 - len(through) / total:.4f}",
    )
    assert len(through) <= (1 - STOPPED) * total, through[:20]


def test_a_wrong_check_digit_is_no_identity(guard: Guard) -> None:
    rng = Random(5)
    for _ in range(200):
        assert "chinese-id" not in guard.taken(personal.not_chinese_id(rng)).found
        assert "bank-card" not in guard.taken(personal.not_card(rng)).found


@pytest.mark.parametrize("kind", ["chinese-id", "bank-card", "iban", "social-security-number"])
def test_identity_is_masked_in_private_too_and_shown_when_asked(guard: Guard, kind: str) -> None:
    make, _ = personal.PERSONAL[kind]
    it = make(Random(6))
    text = f"it is {it}, keep it"
    assert guard.taken(text).text == text  # kept exactly: its owner can still find it
    assert guard.taken(text).sensitivity == "high"
    assert it not in guard.shown(text, private=True)
    assert guard.shown(text, private=True, reveal=True) == text


@pytest.mark.parametrize("kind", ["mobile", "mail", "chinese-address", "american-phone"])
def test_how_to_reach_people_is_shown_in_private_only(guard: Guard, kind: str) -> None:
    make, _ = personal.PERSONAL[kind]
    it = make(Random(7))
    assert guard.taken(it).sensitivity == "medium"
    assert guard.shown(it, private=True) == it
    assert it not in guard.shown(it, private=False)
