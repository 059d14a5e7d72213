"""What strangers type, and what the author of the rules did.

`unseen`, `untouched`, `third` and `fourth` were written without a look at the rules. When first run
against rules that tried to find every secret in words, 72 to 88 in a hundred of their secrets were
stopped and 5 of 654 honest sentences were changed. Today only what is certain by its form or stands
in a plain statement is removed: the sentences that tell a secret in passing are no longer here, and
no honest one may change.
"""

from __future__ import annotations

from random import Random

import pytest

from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.guard.signs import has_sign
from tests.attacks.typed import lines, typed
from tests.long import count, figure

SETS = {
    f"{about}{ending}": [typed(name, about, language) for language in ("en", "zh")]
    for name, ending in (
        ("unseen", ""),
        ("told", "_told"),
        ("untouched", "_later"),
        ("third", "_third"),
        ("fourth", "_fourth"),
    )
    for about in ("secrets", "personal")
    if (name, about) != ("told", "personal")
}
THROUGH = {"personal_fourth": 0.15}
"""How much may get through of a set; of the others, one in a hundred: some is drawn by chance."""
HONEST = [
    typed(name, "honest", language)
    for name in ("unseen", "told", "untouched", "third", "fourth")
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
                    assert seen == one.text or has_sign(one.text), one.text
                if not one.secrets or any(secret in seen for secret in one.secrets):
                    through.append(one.text)
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
    assert not touched
