"""The snapshot: what every conversation starts with.

The first form: who the user is, what binds, what matters most, what happened lately, and a line
that says how much more there is. A pure function of the records it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from loxodon.messages import t
from loxodon.store import Counts
from loxodon.tokens import Counter
from loxodon.types import Record

RECENT = timedelta(days=3)
_USER = ("identity",)
_BINDING = ("health",)


def snapshot(
    records: Sequence[Record], counts: Counts, now: datetime, budget: int, count: Counter,
    language: str,
) -> str:  # fmt: skip
    """At most `budget` tokens of Markdown from the active `records` that matter most."""
    alive = [one for one in records if one.expires_at is None or one.expires_at > now]
    ranked = sorted(alive, key=lambda one: (-one.strength * (0.5 + one.importance), one.id))
    recent = [one for one in ranked if now - (one.valid_from or one.created_at) <= RECENT]
    title = t("# Memory snapshot", language)
    about = t(
        "> made {at} | active: {active} | archived: {archived} | turns: {turns}",
        language,
        at=f"{now:%Y-%m-%dT%H:%M:%S%z}",
        active=counts.active,
        archived=counts.archived,
        turns=counts.turns,
    )
    more = t("More is in the memory: `loxodon recall QUERY`", language)
    lines = [title, about]
    used = count("\n".join([*lines, more])) + 8
    shown: set[str] = set()
    for heading, chosen in (
        (t("## User", language), [one for one in ranked if one.category in _USER]),
        (t("## Constraints", language), [one for one in ranked if one.category in _BINDING]),
        (t("## Core memories", language), ranked[:20]),
        (t("## The last three days", language), recent[:20]),
    ):
        used = _section(lines, heading, [one for one in chosen if one.id not in shown], shown,
                        used, budget, count)  # fmt: skip
    return "\n".join([*lines, "", more])


def _section(
    lines: list[str], heading: str, records: Sequence[Record], shown: set[str], used: int,
    budget: int, count: Counter,
) -> int:  # fmt: skip
    """Add what fits of a section to `lines`; the tokens used now."""
    opened = False
    for one in records:
        at = one.valid_from or one.created_at
        line = f"- [{one.strength:.2f}] {' '.join(one.content.splitlines())} ({at:%Y-%m-%d})"
        cost = count(line) + 1 + (0 if opened else count(heading) + 2)
        if used + cost > budget:
            continue
        if not opened:
            lines += ["", heading]
            opened = True
        lines.append(line)
        shown.add(one.id)
        used += cost
    return used
