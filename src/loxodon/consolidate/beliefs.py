"""How sure we are of what was only guessed or heard."""

from __future__ import annotations

import re
from datetime import datetime

from loxodon.consolidate.phrases import pattern
from loxodon.guard.provenance import is_own
from loxodon.store.store import Store
from loxodon.types import Record

SURER = 0.1  # What being said again adds to the confidence of a belief
DENIED = 0.3  # What a fact to the contrary takes from it
DOUBTFUL = 0.2  # Confidence below which a belief is given up
MOST_SURE = 0.95  # A belief is never certain; what is certain is a fact
_MODAL = re.compile(
    r"(?<!\S)(?P<before>\S+) "
    r"(?:(?:might|may)(?: well| also| possibly)?|could(?=(?: not)? (?:be|have)\b))"
    r"(?P<not> not)? (?P<verb>[a-z]+)\b"
)
_HEDGES = pattern("hedges")


def certain(content: str) -> str:
    """A guess as a statement, for when it has turned out true."""
    content = _HEDGES.sub("", _MODAL.sub(_plainly, content))
    return re.sub(r"  +", " ", content).strip()


def _plainly(found: re.Match[str]) -> str:
    """A verb without the `might` before it, as it goes with its subject."""
    from loxodon.language.en import present

    before, verb = found["before"], found["verb"]
    many = (before.islower() and re.search(r"[^s]s$", before)) or before in ("people", "they", "we")
    if plain := {"be": ("is", "are"), "have": ("has", "have")}.get(verb):
        return f"{before} {plain[bool(many)]}{found['not'] or ''}"
    if found["not"]:
        return f"{before} {'do' if many else 'does'} not {verb}"
    return f"{before} {verb if many else present(verb).split('|')[-1]}"


def wait_for_owner(store: Store, record: Record, now: datetime) -> None:
    """Ask the owner about a belief that nothing bears out. Call inside `writing`."""
    if record.kind == "belief" and not is_own(record.trust):
        store.execute("put_review", record.id, record.id, now)
