"""Phase 4b: how sure we are of what was only guessed or heard."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from loxodon.trust.origin.provenance import is_own
from loxodon.types import Record
from loxodon.write.wavering import settled

if TYPE_CHECKING:
    from loxodon.store.store import Store

SURER = 0.1  # What being said again adds to the confidence of a belief
DENIED = 0.3  # What a fact to the contrary takes from it
DOUBTFUL = 0.2  # Confidence below which a belief is given up
MOST_SURE = 0.95  # A belief is never certain; what is certain is a fact


def certain(content: str) -> str:
    """A guess as a statement, for when it has turned out true: `用户可能住在北京` without 可能,
    `The user might live in York` as `lives`."""
    content = _MODAL.sub(_plainly, settled(content))
    for pattern in _HEDGES:
        content = pattern.sub("", content)
    return re.sub(r"  +", " ", content).strip()


def _plainly(found: re.Match[str]) -> str:
    """A verb without the `might` before it, as it goes with its subject."""
    from loxodon.language.en import present

    before, verb = found["before"], found["verb"]
    many = before in _MANY or (before.islower() and before.endswith("s") and before[-2:] != "ss")
    if verb in ("be", "have"):
        plain = {"be": ("is", "are"), "have": ("has", "have")}[verb][many]
        plain += " not" if found["not"] else ""
    elif found["not"]:
        plain = f"{'do' if many else 'does'} not {verb}"
    else:
        plain = verb if many else present(verb).split("|")[-1]
    return f"{before} {plain}"


_MANY = ("children", "people", "they", "we")


_MODAL = re.compile(
    r"(?<!\S)(?P<before>\S+) "
    r"(?:(?:might|may)(?: well| also| possibly)?|could(?=(?: not)? (?:be|have)\b))"
    r"(?P<not> not)? (?P<verb>[a-z]+)\b"
)


_HEDGES = (
    re.compile(r"应该(?=[是会在有要能快还就没])|大概率?(?![0-9一二两三四五六七八九十几半百千])"),
    re.compile(r"(?<![不尽])可能(?!性)|也许|或许|好像|似乎|估计|据说|听说|貌似|多半"),
    re.compile(r"说不定|没准|八成|搞不好|弄不好|指不定|十有八九|恐怕|怕是"),
    re.compile(
        r"\b(?:probably|maybe|perhaps|possibly|apparently|supposedly|presumably|allegedly) ",
        re.IGNORECASE,
    ),
)


def wait_for_owner(store: Store, record: Record, now: datetime) -> None:
    """Ask the owner about a belief that nothing bears out. Call inside `writing`."""
    if record.kind == "belief" and not is_own(record.trust):
        store.worklog.put_review(record.id, record.id, now)
