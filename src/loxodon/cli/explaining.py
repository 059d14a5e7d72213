"""How a recall came to its answer, for a person: `recall --explain`, `context --explain`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from loxodon.cli import view
from loxodon.messages import t, tn
from loxodon.recall.gate import why
from loxodon.recall.understand import Question
from loxodon.types import Considered, Frame, Item, Recall, Stage

_UNSEEN = 0.05
"""Milliseconds below which a stage is not worth a word."""


def item(one: Item) -> list[str]:
    """Why an item came: the words it has, what found it, and what it was weighed by."""
    if not one.why:  # nothing was looked for: plain files stand in
        return []
    has = ", ".join(one.why["words"])
    first = t("why: has {words}", words=has) if has else t("why: no word in common")
    lines = [first + t("; score {score}", score=f"{one.score:.2f}")]
    if routes := _routes(one.why["routes"]):
        lines.append(t("found by {routes}", routes=routes))
    if one.why["factors"]:
        factors = _shares(one.why["factors"], "{name} ×{value:.2f}")
        lines.append(t("weighed by {factors}", factors=factors))
    return lines


def recall(answer: Recall) -> None:
    """The question as it was understood, what each route gave, what came next, the time taken."""
    trace = answer.trace
    if trace is None:
        return
    rows = [(t("understood"), _understood(trace.question))]
    if trace.profile != "default":
        rows.append((t("ranking"), trace.profile))
    routes = sorted(trace.routes.items(), key=lambda one: -one[1])
    rows.append((t("routes"), " · ".join(f"{_label(name)} {n}" for name, n in routes) or "—"))
    rows += [(t("failed"), trouble) for trouble in trace.trouble]
    missed = [one for one in trace.considered if one.fate != "shown"]
    for n, one in enumerate(missed):
        rows.append((t("not shown") if n == 0 else "", _missed(one)))
    rows.append((t("time"), _taken(trace.stages, answer.elapsed_ms)))
    view.pairs(rows)


def frame(found: Frame) -> None:
    """What the parts of a frame take, why there was a recall or none, and the recall itself."""
    gate = (
        t("recalls: {why}", why=why(found.gate))
        if found.gate.recall
        else t("recalls nothing: {why}", why=why(found.gate))
    )
    rows = [
        (t("gate"), gate),
        (t("tokens"), t("{n} of {budget}", n=found.tokens, budget=found.budget)),
        *((_part(one.name), tn("{n} token", "{n} tokens", one.tokens)) for one in found.parts),
        *((_part(one.reason), t("{n} left out", n=one.number)) for one in found.left_out),
    ]
    view.pairs(rows)
    if found.recall is not None:
        view.items(found.recall.items, explain=True)
        recall(found.recall)


def _understood(question: Question) -> str:
    parts = [", ".join(question.keywords or question.words)]
    if question.kind != "none":
        parts.append(t("asks {kind}", kind=_kind(question.kind)))
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


def _shares(shares: Mapping[str, float], form: str) -> str:
    return ", ".join(form.format(name=_label(name), value=value) for name, value in shares.items())


def _routes(shares: Mapping[str, float]) -> str:
    """What each route gave, but for those that gave nothing one can see."""
    seen = {name: value for name, value in shares.items() if f"{value:.2f}" != "0.00"}
    return _shares(seen, "{name} {value:.2f}")


def _missed(one: Considered) -> str:
    found = ": ".join(filter(None, (f"{one.score:.2f}", _routes(one.routes))))
    return f"{one.id} ({found}): {_fates()[one.fate]}"


def _taken(stages: tuple[Stage, ...], total: float) -> str:
    parts = [f"{_label(one.name)} {one.ms:.1f}" for one in stages if one.ms >= _UNSEEN]
    return t("{stages}; {total} ms in all", stages=", ".join(parts) or "—", total=f"{total:.1f}")


# --- What things are called -----------------------------------------------------------------------


def _label(name: str) -> str:
    """A route, a factor or a stage; one that is not known goes by its own name."""
    return labels().get(name, name)


def labels() -> dict[str, str]:
    return {
        "words": t("words"),
        "related": t("other words"),
        "around": t("surroundings"),
        "alike": t("likeness"),
        "meaning": t("meaning"),
        "attribute": t("what it is filed under"),
        "entity": t("whom it names"),
        "beside": t("their neighbours"),
        "setting": t("the setting"),
        "time": t("time"),
        "then": t("said then"),
        "last": t("the last talk"),
        "since": t("what says it is over"),
        "label": t("labels"),
        "trigger": t("a word it is for"),
        "note": t("notes"),
        "notes": t("notes"),
        "linked": t("link"),
        "all questions": t("all questions"),
        "importance": t("importance"),
        "strength": t("strength"),
        "confidence": t("confidence"),
        "trust": t("trust"),
        "recency": t("recency"),
        "validity": t("validity"),
        "assistant": t("said by the assistant"),
        "speaker": t("said by whom it names"),
        "asks": t("only asks"),
        "order": t("newer than another"),
        "tags": t("tags"),
        "file": t("file"),
        "text": t("words"),
        "vector": t("meaning"),
        "decay": t("recency"),
        "category": t("category"),
        "understand": t("understanding"),
        "embed": t("embedding"),
        "turns": t("turns"),
        "memories": t("memories"),
        "fuse": t("adding up"),
        "places": t("places"),
        "weigh": t("weighing"),
        "link": t("linking"),
        "holds": t("what holds now"),
        "profile": t("ranking"),
        "fit": t("fitting"),
        "sure": t("doubting"),
    }


def _fates() -> dict[str, str]:
    return {
        "top": t("beyond --top"),
        "budget": t("did not fit the budget"),
        "view": t("in view already"),
        "same": t("the same words as another"),
    }


def _parts() -> dict[str, str]:
    return {
        "soul": t("the soul"),
        "profile": t("the profile"),
        "memories": t("memories"),
        "recent": t("recent context"),
        "message": t("the message"),
        **_fates(),
    }


def _part(reason: str) -> str:
    return _parts().get(reason, reason)


def _kind(kind: str) -> str:
    return _kinds().get(kind, kind)


def _kinds() -> dict[str, str]:
    return {
        "who": t("who"),
        "when": t("when"),
        "where": t("where"),
        "how_many": t("how many"),
        "yes_no": t("whether"),
        "which": t("which"),
        "what": t("what"),
        "why": t("why"),
        "how": t("how"),
        "list": t("for a list"),
    }
