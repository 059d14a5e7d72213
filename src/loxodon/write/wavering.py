"""Phase 4b: what goes back and forth is not settled.

Who likes coffee, does not, likes it again and does not, within days, has not made up their mind.
The last word is kept as a belief that says so (`The user dislikes coffee (not settled: changed 3
times since 2026-03-02)`), and each further change is a version of it, rather than a new fact that
takes the place of the last. Once it has held for long enough, the next who says it settles it.

A change counts where it is of the same thing and within the days of the setting, by when it was
said. What never comes back to an earlier value is a way and no wavering.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from loxodon.language.statements import Statement
from loxodon.messages import t
from loxodon.text.words import fold
from loxodon.types import Record, Version

CONFIDENCE = 0.5
UNSETTLED = "unsettled"
_CHANGES = 3  # back and forth, from which on a fact is not settled
_DAYS = 14  # in which they must happen
_ENDED = ("superseded", "retracted", UNSETTLED)
_TASTE = {"likes": True, "prefers": True, "dislikes": False, "avoids": False}
"""Attributes that say what somebody thinks of a thing, and whether well."""


class Wavering(NamedTuple):
    """How a thing has gone back and forth."""

    changes: int
    since: datetime

    def told(self, content: str, language: str) -> str:
        """A statement as it is kept while it is not settled."""
        return t(
            "{content} (not settled: changed {n} times since {day})",
            language,
            content=content,
            n=self.changes,
            day=self.since.date(),
        )


def wavering(history: Sequence[Version], new: Statement, at: datetime) -> Wavering | None:
    """How what has this history wavers once `new` is said at `at`; None where it does not."""
    if not new.attribute:
        return None
    stands, stance = history[-1].record, _stance(new)
    times = [_changed_at(one) for one in history if one.change in _ENDED]
    times += [at] if _stance(stands) != stance else []
    lately = sorted(one for one in times if at - timedelta(days=_DAYS) <= one <= at)
    again = any(_stance(one.record) == stance for one in history)
    return Wavering(len(lately), lately[0]) if again and len(lately) >= _CHANGES else None


def _changed_at(step: Version) -> datetime:
    """When what was so before was said to be so no more."""
    record = step.record
    ended = record.valid_from if step.change == UNSETTLED else record.valid_until
    return ended or step.at


def _stance(one: Statement | Record) -> tuple[str, str, bool]:
    """What is said of what: `does not like tea` and `dislikes tea` are one stance."""
    if one.attribute in _TASTE:
        return "taste", fold(one.value), one.positive and _TASTE[one.attribute]
    return one.attribute, fold(one.value), one.positive


def settled(content: str) -> str:
    """A statement without the note that it is not settled."""
    return _note().sub("", content)


@cache
def _note() -> re.Pattern[str]:
    return re.compile(r" \(not settled: [^()]{1,80}\)$|（未定：[^（）]{1,80}）$")
