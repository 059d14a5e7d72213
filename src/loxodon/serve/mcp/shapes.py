"""What tools tell, as values with few fields: a model reads all that it is given.

Each is told twice, as an object and as text. There are no schemas of the objects: a model would
read those with every prompt, and they took twice as much as everything else that it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from loxodon.messages import t, tn
from loxodon.trust.forget.receipts import counted
from loxodon.trust.origin.provenance import is_own
from loxodon.types import Added, Consolidated, Held, Recall, Record, Review, Source, Version


class Known(NamedTuple):
    """A memory: one thing that is known."""

    id: str
    kind: str
    content: str
    state: str
    category: str
    importance: float
    confidence: float
    strength: float
    audience: str
    project: str
    topic: str
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    valid_until: datetime | None
    expires_at: datetime | None
    due_at: datetime | None
    done: bool
    version: int
    sources: tuple[str, ...]
    waits: bool


class Memories(NamedTuple):
    """Memories, newest first."""

    memories: tuple[Known, ...]
    more: bool


class Recalled(NamedTuple):
    """What belongs to a question. The words are there once: some clients give their model all of
    this in the place of the text."""

    context: str
    tokens: int
    unsure: bool
    ids: tuple[str, ...]


class Step(NamedTuple):
    """One version of a memory."""

    version: int
    at: datetime
    change: str
    content: str
    state: str
    importance: float
    confidence: float


class Steps(NamedTuple):
    """The history of a memory, oldest version first."""

    id: str
    versions: tuple[Step, ...]


class Open(NamedTuple):
    """A belief that waits for an answer."""

    belief: Known
    against: Known | None
    """None where it contradicts nothing, and only has to be confirmed."""
    asked_at: datetime


class Reviewed(NamedTuple):
    """Beliefs that wait for an answer, and the one that has just got one."""

    waiting: tuple[Open, ...]
    decided: Known | None


class Page(NamedTuple):
    """A page of Markdown."""

    text: str


class Worked(NamedTuple):
    """What a consolidation did."""

    ran: bool
    reason: str
    turns: int
    counts: Mapping[str, int]
    problem: str


class Waiting(NamedTuple):
    """What waits to be read, or what came of reading it."""

    ticket: str
    instructions: str
    data: str
    left: int
    did: Mapping[str, int]
    refused: Mapping[str, int]


class Kept(NamedTuple):
    """Something in quarantine, without its words."""

    id: str
    reason: str
    origin: str
    at: datetime
    source: str


class HeldBack(NamedTuple):
    held: tuple[Kept, ...]


class Forgotten(NamedTuple):
    """What was erased, by place, and the user's own files in which the words still stand."""

    receipt: str
    erased: Mapping[str, int]
    files: tuple[str, ...]


class Journalled(NamedTuple):
    """What became of the messages of a turn."""

    added: int
    paused: bool
    asked: int
    """How many ask to have something forgotten, which was put away."""
    unfound: tuple[str, ...]
    """What else is asked to be forgotten: nothing about it was found."""
    doubtful: bool
    """Whether the user's message is not taken for theirs."""


# Out of the values of the library


def _picked(kind: Any, value: Any, **more: Any) -> Any:
    """A shape with what a value has under the same names, and more; numbers are rounded."""
    same = {name: getattr(value, name) for name in kind._fields if name not in more}
    rounded = {name: round(one, 3) if type(one) is float else one for name, one in same.items()}
    return kind(**rounded, **more)


def known(record: Record) -> Known:
    waits = record.kind == "belief" and not is_own(record.trust)
    found: Known = _picked(Known, record, sources=_places(record.sources), waits=waits)
    return found


def _places(sources: Iterable[Source]) -> tuple[str, ...]:
    return tuple(
        f"{one.file}:{one.line}" if one.file else f"{one.session}:{one.turn}" for one in sources
    )


def recalled(found: Recall) -> Recalled:
    return Recalled(found.context, found.tokens, found.unsure, tuple(one.id for one in found.items))


def step(one: Version) -> Step:
    found: Step = _picked(Step, one.record, version=one.version, at=one.at, change=one.change)
    return found


def waiting(one: Review) -> Open:
    against = known(one.against) if one.against.id != one.belief.id else None
    return Open(known(one.belief), against, one.asked_at)


def held(one: Held) -> Kept:
    return Kept(one.id, one.reason, one.origin, one.at, one.turn or one.memory)


def journalled(done: Added, *, doubtful: bool) -> Journalled:
    return Journalled(done.added, bool(done.paused), done.asked, done.unfound, doubtful)


def worked(done: Consolidated) -> Worked:
    counts = {name: n for name, n in done.counts.items() if n}
    return Worked(done.ran, done.reason, done.turns, counts, done.problem or done.views)


# As text


def show_known(one: Known) -> str:
    """A memory in one line, with what is not as it mostly is."""
    about = [one.kind, f"{one.updated_at:%Y-%m-%d}", f"v{one.version}"]
    about += [one.state] if one.state != "active" else []
    about += [f"{one.confidence:.0%}"] if one.confidence < 1 else []
    about += [f"≤ {one.valid_until:%Y-%m-%d}"] if one.valid_until else []
    about += [f"⏰ {one.due_at:%Y-%m-%d %H:%M}"] if one.due_at and not one.done else []
    about += [" ".join(f"#{tag}" for tag in one.tags)] if one.tags else []
    said = f"[{one.id}] {_one_line(one.content)} ({' · '.join(about)})"
    if not one.waits or one.state != "active":
        return said
    how = t(
        "recall finds it, but it is not in the snapshot until the user confirms it (review), or "
        "it is remembered again with a quote of the user's words"
    )
    return f"{said} — {how}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def show_memories(found: Memories) -> str:
    lines = [show_known(one) for one in found.memories]
    if found.more:
        lines.append(t("… there are more"))
    return "\n".join(lines) or t("no memories")


def show_recalled(found: Recalled) -> str:
    return found.context or t("nothing related was found")


def show_steps(found: Steps) -> str:
    return "\n".join(
        f"v{one.version} · {one.at:%Y-%m-%d %H:%M} · {one.change} · {_one_line(one.content)}"
        for one in found.versions
    )


def show_reviewed(found: Reviewed) -> str:
    lines = [show_known(found.decided)] if found.decided else []
    for one in found.waiting:
        lines.append(show_known(one.belief))
        lines += ["  ≠ " + show_known(one.against)] if one.against else []
    return "\n".join(lines) or t("nothing to review")


def show_held(found: HeldBack) -> str:
    return "\n".join(
        f"[{one.id}] {one.reason} · {one.origin} · {one.at:%Y-%m-%d} · {one.source}"
        for one in found.held
    ) or t("nothing is in quarantine")


def show_forgotten(found: Forgotten) -> str:
    counts = counted(found.erased)
    said = [t("deleted: {counts}", counts=counts), t("receipt {id}", id=found.receipt)]
    if found.files:
        said.append(t("still in your own files, which Loxodon never changes:"))
    return "\n".join([*said, *found.files])


def show_journalled(found: Journalled) -> str:
    said = [t("messages journalled: {n}", n=found.added)]
    if found.paused:
        said = [t("nothing was journalled: the memory is paused")]
    if found.asked:
        said.append(t("what the user asked to forget was archived; `forget` deletes it for good"))
    said += [t("nothing was found to forget about: {what}", what=one) for one in found.unfound]
    if found.doubtful:
        said.append(
            t(
                "the user's message reads like an instruction to an assistant, so nothing is "
                "learned from it; `remember` what it says, and let the user confirm it"
            )
        )
    return "\n".join(said)


def show_page(page: Page) -> str:
    return page.text or t("nothing related was found")


def show_waiting(found: Waiting) -> str:
    """A question with its ticket, or what came of an answer."""
    if found.ticket:
        return f"ticket: {found.ticket}\n\n{found.instructions}\n\n{found.data}"
    if not found.did and not found.refused:
        return t("nothing to read")
    did = ", ".join(f"{name} {n}" for name, n in found.did.items())
    refused = [t("not believed: {what}", what=one) for one in found.refused]
    left = t("{n} still wait: call again without a ticket", n=found.left) if found.left else ""
    return "\n".join(filter(None, (did, *refused, left)))


def show_worked(done: Worked) -> str:
    counts = ", ".join(f"{name} {n}" for name, n in done.counts.items())
    said = tn("{n} turn", "{n} turns", done.turns) if done.ran else done.reason
    return "; ".join(filter(None, (said, counts, done.problem)))


def show_hits(answer: Mapping[str, Any]) -> str:
    """What `memory_search` found."""
    lines = [
        f"{one['score']:.2f} [{one['id']}] {_one_line(one['snippet'])} "
        f"({one['kind']} · {one['at'][:10]}{_ended(one)}{_place(one)})"
        for one in answer["results"]
    ]
    if lines and answer["unsure"]:
        lines.insert(0, t("unsure: the results below match the question only weakly"))
    return "\n".join(lines) or t("nothing related was found")


def _ended(hit: Mapping[str, Any]) -> str:
    return f" · ≤ {hit['validUntil']}" if "validUntil" in hit else ""


def _place(hit: Mapping[str, Any]) -> str:
    return f" · {hit['path']}:{hit['startLine']}" if hit["path"] != hit["id"] else ""


def show_text(answer: Mapping[str, Any]) -> str:
    """What `memory_get` read."""
    return str(answer["text"]) if answer["status"] == "ok" else str(answer["reason"])
