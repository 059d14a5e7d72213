"""Which memories matter most now: the order in which the snapshot gives them room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from loxodon.consolidate.pages.wording import says
from loxodon.consolidate.themes import DAY
from loxodon.language.statements import USER
from loxodon.text.markdown import one_line
from loxodon.types import Record

TOP = 20
SOON = timedelta(days=7)
MOVED = 0.1


def ranking(records: Iterable[Record], now: datetime) -> dict[str, float]:
    """The ids and scores (0 to 1) of the top twenty of what holds at `now`, best first."""
    return {one.id: score for one, score in ranked(records, now)[:TOP]}


def moved(old: Mapping[str, float], new: Mapping[str, float], threshold: float = MOVED) -> bool:
    """Whether any score differs by more than `threshold`; one that is not there counts as 0."""
    return any(abs(old.get(id, 0.0) - new.get(id, 0.0)) > threshold for id in {*old, *new})


def holds(record: Record, now: datetime) -> bool:
    """Whether a memory is active and true at `now`, and if a plan, still to be done."""
    over = any(end and end <= now for end in (record.expires_at, record.valid_until))
    return record.state == "active" and not record.done and not over


def score(record: Record, now: datetime) -> float:
    """How much a memory matters now, from 0 to 1.

    Strength alone would put a trifle said today before last year's allergy, importance alone would
    never let anything go: so it is both, strength × (0.5 + importance). What is due within a week
    counts a quarter more, what was not said by the user a tenth less.
    """
    found = record.strength * (0.5 + record.importance) / 1.5
    if record.due_at and now <= record.due_at <= now + SOON:
        found *= 1.25
    if record.trust != USER:
        found *= 0.9
    return round(min(1.0, max(0.0, found)), 4)


def ranked(records: Iterable[Record], now: datetime) -> list[tuple[Record, float]]:
    """What holds at `now` with its score, best first.

    A summary counts as much as the best of the facts that its words say, and stands for them: a
    place then holds more. One that shares facts with a better summary would repeat it, and goes;
    so do those of a day, which cut across all the others.
    """
    holding = {
        one.id: one
        for one in records
        if holds(one, now) and not (one.kind == "summary" and one.value.startswith(DAY))
    }
    scores = {id: score(one, now) for id, one in holding.items()}
    summaries = [one for one in holding.values() if one.kind == "summary"]
    for summary in sorted(summaries, key=lambda one: (-scores[one.id], one.id)):
        parts = [one.id for one in said_by(summary, holding)]
        if all(id in scores for id in parts):
            scores[summary.id] = max([scores[summary.id], *map(scores.pop, parts)])
        else:
            del scores[summary.id]
    found = [(holding[id], value) for id, value in scores.items()]
    return sorted(found, key=lambda pair: _place(*pair))


def _place(record: Record, score: float) -> tuple[float, bool, float, str]:
    """The best first; of equals a summary, which says more, then the newest."""
    return -score, record.kind != "summary", -record.updated_at.timestamp(), record.id


def said_by(summary: Record, known: Mapping[str, Record]) -> list[Record]:
    """The facts behind a summary that its words say, of those that are known."""
    words = one_line(summary.content)
    facts = [known[id] for id in dict.fromkeys(summary.derived_from) if id in known]
    return [fact for fact in facts if fact.kind != "summary" and says(words, fact)]
