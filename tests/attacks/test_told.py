"""Secrets in people's own words: held back or masked; and honest words left alone."""

from __future__ import annotations

from random import Random

import pytest

from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.signs import has_sign
from tests.attacks.typed import lines, typed
from tests.long import figure

KEPT_OUT, SHOWN, TOUCHED = 0.92, 0.06, 0.005


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_in_words_is_not_kept(guard: Guard, language: str) -> None:
    total, kept, shown = 0, [], []
    for one in lines(typed("told", "secrets", language), Random(0)):
        total += 1
        clean = guard.clean(one.text)
        seen = guard.shown(clean, private=True)
        kept += [one.text] * any(secret in clean for secret in one.secrets)
        shown += [one.text] * any(secret in seen for secret in one.secrets)
        assert seen == one.text or has_sign(one.text), one.text
        assert guard.clean(clean) == clean
        assert guard.shown(seen, private=True) == seen
    figure(
        "told",
        language=language.upper(),
        cases=total,
        stopped=f"{1 - len(kept) / total:.4f}",
        not_shown=f"{1 - len(shown) / total:.4f}",
    )
    assert len(kept) <= (1 - KEPT_OUT) * total, kept
    assert len(shown) <= SHOWN * total, shown


def test_what_is_only_talked_about_stays(guard: Guard) -> None:
    cases = [
        one
        for language in ("en", "zh")
        for one in lines(typed("told", "honest", language), Random(0))
    ]
    touched = [
        one.text for one in cases if guard.shown(guard.clean(one.text), private=False) != one.text
    ]
    figure("told_honest", cases=len(cases), alarms=f"{len(touched) / len(cases):.4f}")
    assert len(cases) > 700
    assert len(touched) < TOUCHED * len(cases), touched
