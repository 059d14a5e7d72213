"""Secrets do not get through, and honest text is left alone: figures for docs/trust.md."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from types import ModuleType

import pytest

from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from tests.attacks import fresh_cases as fresh
from tests.attacks import held_out_cases as held_out
from tests.attacks import secret_cases as secrets
from tests.attacks.secret_cases import Case
from tests.growth import linear
from tests.long import count, figure

STOPPED, FALSE_ALARMS = 0.99, 0.005


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


def opening(case: Case) -> str:
    """What of a case opens something: of an address its last part, the rest anyone may know."""
    return case.secret[-20:] if "://" in case.secret else case.secret


def stopped(guard: Guard, cases: Iterable[Case]) -> tuple[int, list[str]]:
    """How many cases there are, and the texts of those that got through."""
    total, through = 0, []
    for case in cases:
        total += 1
        kept = guard.taken(case.text)
        if opening(case) in kept.text or "[secret: " not in kept.text:
            through.append(case.text)
        assert guard.taken(kept.text).text == kept.text, "what is kept once stays as it is"
    return total, through


def alarms(guard: Guard, cases: Iterable[Case]) -> tuple[int, list[str]]:
    total, found = 0, []
    for case in cases:
        total += 1
        if guard.taken(case.text).text != case.text:
            found.append(case.text)
    return total, found


def test_secrets_are_stopped(guard: Guard) -> None:
    total, through = stopped(guard, secrets.positives(Random(1), count(300, 12_000)))
    figure("secrets", cases=total, stopped=f"{1 - len(through) / total:.4f}")
    assert len(through) <= (1 - STOPPED) * total, through[:20]


def test_what_only_looks_like_a_secret_is_left_alone(guard: Guard) -> None:
    total, found = alarms(guard, secrets.look_alikes(Random(2), count(300, 12_000)))
    figure("secret_look_alikes", cases=total, alarms=f"{len(found) / total:.4f}")
    assert len(found) < FALSE_ALARMS * total, found[:20]


@pytest.mark.parametrize("cases", [held_out, fresh], ids=["second", "third"])
def test_secrets_of_the_later_sets_are_stopped(guard: Guard, cases: ModuleType) -> None:
    total, through = stopped(guard, cases.secrets(Random(3), count(200, 6_000)))
    figure(
        "secrets_later_set",
        set=cases.__name__.rpartition(".")[2],
        cases=total,
        stopped=f"{1 - len(through) / total:.4f}",
    )
    assert len(through) <= (1 - STOPPED) * total, through[:20]


def test_honest_text_is_left_alone(guard: Guard) -> None:
    total, found = alarms(guard, [*held_out.honest(), *fresh.honest()])
    figure("honest_text", cases=total, alarms=f"{len(found) / total:.4f}")
    assert not found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_are_guarded_alike(guard: Guard, language: str) -> None:
    cases = [
        one for one in secrets.positives(Random(4), count(400, 12_000)) if one.language == language
    ]
    assert len(cases) > count(100, 250)
    total, through = stopped(guard, cases)
    assert len(through) <= (1 - STOPPED) * total, through[:20]


def test_a_rule_that_is_off_lets_its_secrets_through() -> None:
    """The suite can fail: without the rules for passwords, it does."""
    policy = built_in()
    lame = Guard(
        lambda: policy._replace(
            rules=tuple(rule for rule in policy.rules if rule.kind != "password")
        )
    )
    through = [
        case
        for case in secrets.positives(Random(1), 600)
        if case.kind == "password" and case.secret in lame.taken(case.text).text
    ]
    assert len(through) > 50


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "a@",
        "a.",
        "password is ",
        "-----BEGIN PRIVATE KEY-----",
        "+1(",
        "token=",
        "sk-",
        "密码是",
        "13912345678 ",
        "路1号",
        "[secret: password]",
        "\u200b1",
        "http://a:b@c ",
        "log in as a with b",
        "the code is ",
        "one two ",
        "密码，",
        "pin 1-",
        "abandon ",
        "tea, ",
        "天 地 ",
        "password: none\n",
        "opens with 1 door ",
    ],
)
def test_it_takes_no_longer_than_the_text(guard: Guard, piece: str) -> None:
    linear(
        lambda text: guard.shown(guard.clean(text), private=False),
        lambda n: piece * n,
        count(40_000, 400_000) // len(piece),
    )
