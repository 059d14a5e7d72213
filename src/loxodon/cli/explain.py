"""How a recall came to its answer: `recall --explain`, `context --explain`."""

from __future__ import annotations

from collections.abc import Mapping

from loxodon.cli import view
from loxodon.cli.memory import items
from loxodon.messages import t
from loxodon.recall.gate import why
from loxodon.types import Frame, Item, Recall

_UNSEEN = 0.05  # milliseconds below which a stage is not worth a word
NAMES = (
    *("words", "related", "around", "alike", "meaning", "attribute", "setting"),
    *("time", "then", "last", "since", "label", "trigger", "notes", "linked", "file"),
    *("all questions", "importance", "strength", "confidence", "trust", "recency", "validity"),
    *("assistant", "speaker", "asks", "order", "tags", "text", "vector", "decay", "category"),
    *("understand", "embed", "turns", "memories", "fuse", "places", "weigh", "link"),
    *("profile", "fit", "sure", "top", "budget", "view", "same", "soul", "recent", "message"),
    *("who", "when", "where", "how many", "yes no", "which", "what", "why", "how", "list", "past"),
    "present",
)
"""Routes, factors, stages, parts of a frame, and what a question asks for."""


def item(one: Item) -> list[str]:
    """Why an item came: the words it has, what found it, and what it was weighed by."""
    if not one.why:  # nothing was looked for: plain files stand in
        return []
    has = ", ".join(one.why["words"])
    first = t("why: has {words}", words=has) if has else t("why: no word in common")
    lines = [first + t("; score {score}", score=f"{one.score:.2f}")]
    if routes := _shares(one.why["routes"]):
        lines.append(t("found by {routes}", routes=routes))
    if factors := _shares(one.why["factors"], "×"):
        lines.append(t("weighed by {factors}", factors=factors))
    return lines


def _shares(shares: Mapping[str, float], sign: str = "") -> str:
    """What routes gave or factors weigh, but for what gave nothing one can see."""
    seen = [(name, f"{value:.2f}") for name, value in shares.items()]
    return ", ".join(f"{view.label(name)} {sign}{value}" for name, value in seen if value != "0.00")


def recall(answer: Recall) -> str | None:
    """The question as it was understood, what each route gave, what came next, the time taken."""
    trace = answer.trace
    if trace is None:
        return None
    question = trace.question
    asks = [question.kind, question.tense, question.project, question.topic]
    understood = [
        ", ".join(question.keywords or question.words),
        *(view.label(one) for one in asks if one not in ("none", "any", "")),
        *(f"{one.text} → {one.entity.name}" for one in question.entities),
        *(view.in_words((time.since, time.until)) for time in question.times),
    ]
    routes = sorted(trace.routes.items(), key=lambda one: -one[1])
    rows = [(t("understood"), "; ".join(understood)), (t("ranking"), trace.profile)]
    rows.append((t("routes"), " · ".join(f"{view.label(name)} {n}" for name, n in routes) or "—"))
    rows += [(t("failed"), trouble) for trouble in trace.trouble]
    for one in trace.considered:
        if one.fate != "shown":
            found = f"{one.id} ({one.score:.2f}: {_shares(one.routes)}): {view.label(one.fate)}"
            rows.append((t("not shown"), found))
    parts = [f"{view.label(one.name)} {one.ms:.1f}" for one in trace.stages if one.ms >= _UNSEEN]
    total = f"{answer.elapsed_ms:.1f}"
    taken = t("{stages}; {total} ms in all", stages=", ".join(parts) or "—", total=total)
    return view.pairs([*rows, (t("time"), taken)])


def frame(found: Frame) -> list[str | None]:
    """What the parts of a frame take, why there was a recall or none, and the recall itself."""
    reason = why(found.gate)
    said = t("recalls: {why}", why=reason)
    rows = [
        (t("gate"), said if found.gate.recall else t("recalls nothing: {why}", why=reason)),
        (t("tokens"), t("{n} of {budget}", n=found.tokens, budget=found.budget)),
        *((view.label(one.name), str(one.tokens)) for one in found.parts),
        *((view.label(one.reason), t("{n} left out", n=one.number)) for one in found.left_out),
    ]
    if found.recall is None:
        return [view.pairs(rows)]
    return [view.pairs(rows), *items(found.recall.items, explain=True), recall(found.recall)]
