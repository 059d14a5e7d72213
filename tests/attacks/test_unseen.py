"""What strangers type: sets that were written before the rules were read, and one just after.

Measured on 2026-11-15, each before any rule was changed by it:

| set | secrets | personal data | honest text touched |
|---|---|---|---|
| unseen, as the rules stood | 173 of 197 (0.878) | 87 of 100 (0.870) | 3 of 302 |
| untouched, after the first had mended them | 52 of 60 (0.867) | 39 of 40 (0.975) | 0 of 100 |
| third, after both had | 101 of 129 (0.783) | 58 of 60 (0.967) | 2 of 168 |
| fourth, after the third had | 44 of 61 (0.721) | 26 of 30 (0.867) | 0 of 84 |

The third and fourth ask for more of what is told in passing (a lock that is "still 730", "same as
always, …"): most of what gets through are codes and passwords in a sentence, few are keys of a
documented form. So of what nobody has thought of, between seven and nine in ten are stopped. What
the first three showed was then mended by rules of their kind, never by the sentence; the floors
here keep that, and are no figure for what comes next. When clauses came to be read in the place of
single patterns the fourth was known material too: 56 of its 61 secrets are stopped since, and four
more (a padlock and a screen that "are" some digits) are kept and masked.
"""

from __future__ import annotations

from random import Random

import pytest

from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.signs import has_sign
from tests.attacks.typed import lines, typed
from tests.long import count, figure

SETS = {
    f"{about}{ending}": [typed(name, about, language) for language in ("en", "zh")]
    for name, ending in (
        ("unseen", ""),
        ("untouched", "_later"),
        ("third", "_third"),
        ("fourth", "_fourth"),
    )
    for about in ("secrets", "personal")
}
THROUGH = {"secrets": 0.03, "secrets_fourth": 0.10, "personal_fourth": 0.15}
"""How much may get through of the fourth set; of the others, one in a hundred."""
HONEST = [
    typed(name, "honest", language)
    for name in ("unseen", "untouched", "third", "fourth")
    for language in ("en", "zh")
]


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@pytest.mark.parametrize("name", SETS)
def test_what_strangers_type_is_stopped(guard: Guard, name: str) -> None:
    total, through = 0, []
    for seed in range(count(1, 40)):
        for cases in SETS[name]:
            for one in lines(cases, Random(seed)):
                total += 1
                seen = guard.clean(one.text)
                if name.startswith("personal"):
                    seen = guard.shown(seen, private=False)
                if not one.secrets or any(secret in seen for secret in one.secrets):
                    through.append(one.text)
                assert seen == one.text or has_sign(one.text), one.text
                assert guard.clean(seen) == seen
    figure("strangers", set=name, cases=total, stopped=f"{1 - len(through) / total:.4f}")
    assert len(through) <= THROUGH.get(name, 0.01) * total, through[:20]


def test_what_strangers_mean_nothing_by_is_left_alone(guard: Guard) -> None:
    total, touched = 0, []
    for seed in range(count(1, 40)):
        for cases in HONEST:
            for one in lines(cases, Random(seed)):
                total += 1
                if guard.shown(guard.clean(one.text), private=False) != one.text:
                    touched.append(one.text)
    figure("strangers_honest", cases=total, alarms=f"{len(touched) / total:.4f}")
    assert len(touched) < 0.005 * total, touched[:20]
