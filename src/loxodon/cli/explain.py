"""How a recall came to its answer: `recall --explain`, `context --explain`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from loxodon.cli import view
from loxodon.cli.memory import items
from loxodon.messages import t, tn
from loxodon.recall.gate import why
from loxodon.recall.understand import Question
from loxodon.types import Considered, Frame, Item, Recall

_UNSEEN = 0.05  # milliseconds below which a stage is not worth a word
NAMES = (
    *("words", "related", "around", "alike", "meaning", "attribute", "entity", "beside", "setting"),
    *("time", "then", "last", "since", "label", "trigger", "notes", "linked", "file"),
    *("all questions", "importance", "strength", "confidence", "trust", "recency", "validity"),
    *("assistant", "speaker", "asks", "order", "tags", "text", "vector", "decay", "category"),
    *("understand", "embed", "turns", "memories", "fuse", "places", "weigh", "link", "holds"),
    *("profile", "fit", "sure", "top", "budget", "view", "same", "soul", "recent", "message"),
    *("who", "when", "where", "how many", "yes no", "which", "what", "why", "how", "list"),
)
"""Routes, factors, stages, parts of a frame, and what a question asks for."""


def item(one: Item) -> list[str]:
    """Why an item came: the words it has, what found it, and what it was weighed by."""
    if not one.why:  # nothing was looked for: plain files stand in
        return []
    has = ", ".join(one.why["words"])
    first = t("why: has {words}", words=has) if has else t("why: no word in common")
    lines = [first + t("; score {score}", score=f"{one.score:.2f}")]
    if routes := _routes(one.why["routes"]):
        lines.append(t("found by {routes}", routes=routes))
    if factors := one.why["factors"]:
        each = ", ".join(f"{view.label(name)} ×{value:.2f}" for name, value in factors.items())
        lines.append(t("weighed by {factors}", factors=each))
    return lines


def recall(answer: Recall) -> str | None:
    """The question as it was understood, what each route gave, what came next, the time taken."""
    trace = answer.trace
    if trace is None:
        return None
    rows = [(t("understood"), _understood(trace.question))]
    if trace.profile != "default":
        rows.append((t("ranking"), trace.profile))
    routes = sorted(trace.routes.items(), key=lambda one: -one[1])
    rows.append((t("routes"), " · ".join(f"{view.label(name)} {n}" for name, n in routes) or "—"))
    rows += [(t("failed"), trouble) for trouble in trace.trouble]
    missed = [one for one in trace.considered if one.fate != "shown"]
    rows += [(t("not shown") if n == 0 else "", _missed(one)) for n, one in enumerate(missed)]
    parts = [f"{view.label(one.name)} {one.ms:.1f}" for one in trace.stages if one.ms >= _UNSEEN]
    total = f"{answer.elapsed_ms:.1f}"
    taken = t("{stages}; {total} ms in all", stages=", ".join(parts) or "—", total=total)
    return view.pairs([*rows, (t("time"), taken)])


def frame(found: Frame) -> list[str | None]:
    """What the parts of a frame take, why there was a recall or none, and the recall itself."""
    reason = why(found.gate)
    said = t("recalls: {why}", why=reason)
    gate = said if found.gate.recall else t("recalls nothing: {why}", why=reason)
    rows = [
        (t("gate"), gate),
        (t("tokens"), t("{n} of {budget}", n=found.tokens, budget=found.budget)),
        *((view.label(one.name), tn("{n} token", "{n} tokens", one.tokens)) for one in found.parts),
        *((view.label(one.reason), t("{n} left out", n=one.number)) for one in found.left_out),
    ]
    shown = [view.pairs(rows)]
    if found.recall is not None:
        shown += [*items(found.recall.items, explain=True), recall(found.recall)]
    return shown


def _understood(question: Question) -> str:
    parts = [", ".join(question.keywords or question.words)]
    if question.kind != "none":
        parts.append(t("asks {kind}", kind=view.label(question.kind)))
    if question.tense != "any":
        parts.append(t("what was so") if question.tense == "past" else t("what is so now"))
    parts += [f"{one.text} → {one.entity.name}" for one in question.entities]
    parts += [label for label in (question.project, question.topic) if label]
    parts += [_range(time.since, time.until) for time in question.times if not time.recurring]
    parts += [event.text for event in question.events]
    return "; ".join(parts)


def _range(since: datetime | None, until: datetime | None) -> str:
    begin, end = (view.minute(one) if one else "…" for one in (since, until))
    return f"{begin} – {end}"


def _routes(shares: Mapping[str, float]) -> str:
    """What each route gave, but for those that gave nothing one can see."""
    seen = [(name, f"{value:.2f}") for name, value in shares.items()]
    return ", ".join(f"{view.label(name)} {value}" for name, value in seen if value != "0.00")


def _missed(one: Considered) -> str:
    found = ": ".join(filter(None, (f"{one.score:.2f}", _routes(one.routes))))
    return f"{one.id} ({found}): {view.label(one.fate)}"
