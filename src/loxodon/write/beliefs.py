"""Phase 4b: how sure we are of what was only guessed or heard."""

from __future__ import annotations

import re
from functools import cache

SURER = 0.1
"""What being said again adds to the confidence of a belief."""
DENIED = 0.3
"""What a fact to the contrary takes from it."""
DOUBTFUL = 0.2
"""Confidence below which a belief is given up."""
MOST_SURE = 0.95
"""A belief is never certain; what is certain is a fact."""


def certain(content: str) -> str:
    """A guess as a statement, for when it has turned out true: `用户可能住在北京` without 可能,
    `The user probably lives in York` without `probably`."""
    for pattern in _hedges():
        content = pattern.sub("", content)
    return re.sub(r"  +", " ", content).strip()


@cache
def _hedges() -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(
            r"应该(?=[是会在有要能快还就没])|大概率?(?![0-9一二两三四五六七八九十几半百千])"
        ),
        re.compile(r"(?<![不尽])可能(?!性)|也许|或许|好像|似乎|估计|据说|听说|貌似|多半"),
        re.compile(r"说不定|没准|八成|搞不好|弄不好|指不定|十有八九|恐怕|怕是"),
        re.compile(
            r"\b(?:probably|maybe|perhaps|possibly|apparently|supposedly|presumably|allegedly) ",
            re.IGNORECASE,
        ),
    )
