"""Phase 4b: how sure we are of what was only guessed or heard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from loxodon.guard.provenance import is_own
from loxodon.language.statements import Statement
from loxodon.messages import tn
from loxodon.store.store import Store
from loxodon.text.words import fold
from loxodon.types import Record, Version

CONFIDENCE = 0.5
UNSETTLED = "unsettled"
_ENDED = ("superseded", "retracted", UNSETTLED)
# Attributes that say what somebody thinks of a thing, and whether well
_TASTE = {"likes": True, "prefers": True, "dislikes": False, "avoids": False}


_CHANGES = 3  # back and forth, from which on a fact is not settled
_DAYS = 14  # in which they must happen


class Wavering(NamedTuple):
    """How a thing has gone back and forth."""

    changes: int
    since: datetime

    def told(self, content: str, language: str) -> str:
        """A statement as it is kept while it is not settled."""
        return tn(
            "{content} (not settled: changed {n} time since {day})",
            "{content} (not settled: changed {n} times since {day})",
            self.changes,
            language,
            content=content,
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
    return _NOTE.sub("", content)


_NOTE = re.compile(r" \(not settled: [^()]{1,80}\)$|（未定：[^（）]{1,80}）$")


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
        store.execute("put_review", record.id, record.id, now)
