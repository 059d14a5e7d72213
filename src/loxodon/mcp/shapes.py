"""What tools tell, as objects with few fields, and as text: a model reads all that it is given.

There are no schemas of the objects: a model would read those with every prompt, and they took twice
as much as everything else that it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loxodon.forget.receipts import counted
from loxodon.guard.provenance import is_own
from loxodon.messages import t, tn
from loxodon.types import Record, Source, Version

Shape = Mapping[str, Any]

_MEMORY = (
    *("id", "kind", "content", "state", "category", "importance", "confidence", "strength"),
    *("audience", "project", "topic", "tags", "entities", "created_at", "updated_at"),
    *("valid_until", "expires_at", "due_at", "done", "version"),
)
_VERSION = ("content", "state", "importance", "confidence")


def memory_of(record: Record) -> Shape:
    """A memory: one thing that is known."""
    return {
        **picked(record, _MEMORY),
        "sources": _places(record.sources),
        "waits": record.kind == "belief" and not is_own(record.trust),
    }


def version_of(one: Version) -> Shape:
    """One version of a memory."""
    known = picked(one.record, _VERSION)
    return {"version": one.version, "at": one.at, "change": one.change, **known}


def picked(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Some of what a value has; numbers are rounded."""
    found = {name: getattr(value, name) for name in names}
    return {name: round(one, 3) if type(one) is float else one for name, one in found.items()}


def _places(sources: Iterable[Source]) -> list[str]:
    return [f"{one.file or one.session}:{one.line if one.file else one.turn}" for one in sources]


# As text


def memory_text(one: Shape) -> str:
    """A memory in one line, with what is not as it mostly is."""
    about = [one["kind"], f"{one['updated_at']:%Y-%m-%d}", f"v{one['version']}"]
    about += [one["state"]] if one["state"] != "active" else []
    about += [f"{one['confidence']:.0%}"] if one["confidence"] < 1 else []
    about += [f"≤ {one['valid_until']:%Y-%m-%d}"] if one["valid_until"] else []
    about += [f"⏰ {one['due_at']:%Y-%m-%d %H:%M}"] if one["due_at"] and not one["done"] else []
    about += [" ".join(f"#{tag}" for tag in one["tags"])] if one["tags"] else []
    said = f"[{one['id']}] {_one_line(one['content'])} ({' · '.join(about)})"
    if not one["waits"] or one["state"] != "active":
        return said
    how = t(
        "recall finds it, but it is not in the snapshot until the user confirms it (review), or "
        "it is remembered again with a quote of the user's words"
    )
    return f"{said} — {how}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def list_text(found: Shape) -> str:
    lines = [memory_text(one) for one in found["memories"]]
    lines += [t("… there are more")] if found["more"] else []
    return "\n".join(lines) or t("no memories")


def history_text(found: Shape) -> str:
    return "\n".join(
        f"v{one['version']} · {one['at']:%Y-%m-%d %H:%M} · {one['change']} · "
        f"{_one_line(one['content'])}"
        for one in found["versions"]
    )


def review_text(found: Shape) -> str:
    lines = [memory_text(found["decided"])] if found["decided"] else []
    for one in found["waiting"]:
        lines.append(memory_text(one["belief"]))
        lines += ["  ≠ " + memory_text(one["against"])] if one["against"] else []
    return "\n".join(lines) or t("nothing to review")


def quarantine_text(found: Shape) -> str:
    return "\n".join(
        f"[{one['id']}] {one['reason']} · {one['origin']} · {one['at']:%Y-%m-%d} · {one['source']}"
        for one in found["held"]
    ) or t("nothing is in quarantine")


def receipt_text(found: Shape) -> str:
    said = [
        t("deleted: {counts}", counts=counted(found["erased"])),
        t("receipt {id}", id=found["receipt"]),
    ]
    if found["files"]:
        said.append(t("still in your own files, which Loxodon never changes:"))
    return "\n".join([*said, *found["files"]])


def journal_text(found: Shape) -> str:
    said = [t("messages journalled: {n}", n=found["added"])]
    if found["paused"]:
        said = [t("nothing was journalled: the memory is paused")]
    if found["asked"]:
        said.append(
            t(
                "what the user asked to forget was archived; `loxodon forget`, typed by the user, "
                "deletes it for good"
            )
        )
    said += [t("nothing was found to forget about: {what}", what=one) for one in found["unfound"]]
    if found["doubtful"]:
        said.append(
            t(
                "the user's message reads like an instruction to an assistant, so nothing is "
                "learned from it; `remember` what it says, and let the user confirm it"
            )
        )
    return "\n".join(said)


def page_text(found: Shape) -> str:
    """What is one text already."""
    return found.get("text") or found.get("context") or t("nothing related was found")


def reading_text(found: Shape) -> str:
    """A question with its ticket, or what came of an answer."""
    if found["ticket"]:
        return f"ticket: {found['ticket']}\n\n{found['instructions']}\n\n{found['data']}"
    if not found["did"] and not found["refused"]:
        return t("nothing to read")
    did = ", ".join(f"{name} {n}" for name, n in found["did"].items())
    refused = [t("not believed: {what}", what=one) for one in found["refused"]]
    left = found["left"] and t("{n} still wait: call again without a ticket", n=found["left"])
    return "\n".join(filter(None, (did, *refused, left)))


def consolidated_text(done: Shape) -> str:
    counts = ", ".join(f"{name} {n}" for name, n in done["counts"].items())
    said = tn("{n} turn", "{n} turns", done["turns"]) if done["ran"] else done["reason"]
    return "; ".join(filter(None, (said, counts, done["problem"])))


def search_text(answer: Shape) -> str:
    lines = []
    for one in answer["results"]:
        about = [one["kind"], one["at"][:10]]
        about += [f"≤ {one['validUntil']}"] if "validUntil" in one else []
        about += [f"{one['path']}:{one['startLine']}"] if one["path"] != one["id"] else []
        snippet = _one_line(one["snippet"])
        lines.append(f"{one['score']:.2f} [{one['id']}] {snippet} ({' · '.join(about)})")
    if lines and answer["unsure"]:
        lines.insert(0, t("unsure: the results below match the question only weakly"))
    return "\n".join(lines) or t("nothing related was found")


def read_text(answer: Shape) -> str:
    return str(answer["text" if answer["status"] == "ok" else "reason"])
