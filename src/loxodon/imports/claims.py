"""What an import may claim: the one place that decides.

Whatever a file says of itself, it was handed over by somebody, and its words are an import's.

| a file says | it is |
|---|---|
| who speaks, when, in what conversation | believed; nothing lies in the future |
| origin, trust, that somebody confirmed it | `import`, or less where its reader knows that it is |
| how much it matters | believed up to 0.9, 1 where its words do; in a three-layer memory always |
| the agent it belongs to | kept: it makes fewer see it, not more |
| how present it is, where it comes from, that it is archived | believed |
| ids | kept where they have our form and are free; else names to know it again by |
| versions, how often it was used there | names to know it again by, and nothing else |
| audience, settings | never; settings are shown (`trust/access/offered.py`) |

Only a restore of a backup or of views brings a memory back as it was (`backup/restore.py`).
"""

from __future__ import annotations

from datetime import datetime

from loxodon.imports.found import NewMemory
from loxodon.store.walls import checked_agent
from loxodon.trust.origin.provenance import least
from loxodon.types import CAPTURED, ORIGIN_OF_ROLE, Draft, Origin
from loxodon.write.meaning import Meaning, weight_of

TRUST: Origin = "import"
_MOST_IMPORTANT = 0.9


def turn(draft: Draft, now: datetime) -> Draft:
    """A turn as an import may bring it."""
    return draft._replace(
        origin=least((draft.origin or ORIGIN_OF_ROLE[draft.role], TRUST)),
        at=min(draft.at, now) if draft.at else None,
        channel="" if draft.channel == CAPTURED else draft.channel,
        agent="",
    )


def memory(one: NewMemory, said: Meaning, now: datetime) -> NewMemory:
    """A memory as an import may bring it; `said` is what its words tell. Raises InputError."""
    own = max(weight_of(said.category), said.importance or 0.0) if said.category else 0.0
    importance = one.importance
    if importance is not None and not one.own:
        importance = min(importance, max(_MOST_IMPORTANT, own))
    return one._replace(
        importance=importance,
        agent=checked_agent(one.agent),
        since=min(one.since, now) if one.since else None,
        confirmed_at=min(one.confirmed_at, now) if one.confirmed_at else None,
        until=min(one.until, now) if one.until else None,
    )
