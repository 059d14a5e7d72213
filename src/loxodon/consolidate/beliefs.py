"""How sure we are of what was only guessed or heard."""

from __future__ import annotations

import re
from datetime import datetime

from loxodon.consolidate.phrases import rewritten
from loxodon.guard.provenance import is_own
from loxodon.store.store import Store
from loxodon.types import Record

SURER = 0.1  # What being said again adds to the confidence of a belief
DENIED = 0.3  # What a fact to the contrary takes from it
DOUBTFUL = 0.2  # Confidence below which a belief is given up
MOST_SURE = 0.95  # A belief is never certain; what is certain is a fact


def certain(content: str) -> str:
    """A guess as a statement, for when it has turned out true."""
    return re.sub(r"  +", " ", rewritten("certain", content)).strip()


def wait_for_owner(store: Store, record: Record, now: datetime) -> None:
    """Ask the owner about a belief that nothing bears out. Call inside `writing`."""
    if record.kind == "belief" and not is_own(record.trust):
        store.execute("put_review", record.id, record.id, now)
