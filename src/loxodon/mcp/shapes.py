"""What tools tell, as objects with few fields, and as text: a model reads all that it is given.

There are no schemas of the objects: a model would read those with every prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loxodon.guard.provenance import is_own
from loxodon.messages import t
from loxodon.types import Record

Shape = Mapping[str, Any]

_MEMORY = (
    *("id", "kind", "content", "state", "category", "importance", "confidence", "strength"),
    *("audience", "project", "topic", "tags", "entities", "created_at", "updated_at"),
    *("valid_until", "expires_at", "due_at", "done", "version"),
)


def memory_of(record: Record) -> Shape:
    return {
        **picked(record, *_MEMORY),
        "sources": [
            f"{one.file or one.session}:{one.line if one.file else one.turn}"
            for one in record.sources
        ],
        "waits": record.kind == "belief" and not is_own(record.trust),
    }


def picked(value: object, *names: str) -> dict[str, Any]:
    """Some of what a value has; numbers are rounded."""
    found = {name: getattr(value, name) for name in names}
    return {name: round(one, 3) if type(one) is float else one for name, one in found.items()}


def memory_text(one: Shape) -> str:
    """A memory in one line, with what is not as it mostly is."""
    about = [
        *(one["kind"], f"{one['updated_at']:%Y-%m-%d}", f"v{one['version']}"),
        one["state"] if one["state"] != "active" else "",
        f"{one['confidence']:.0%}" if one["confidence"] < 1 else "",
        f"≤ {one['valid_until']:%Y-%m-%d}" if one["valid_until"] else "",
        f"⏰ {one['due_at']:%Y-%m-%d %H:%M}" if one["due_at"] and not one["done"] else "",
        " ".join(f"#{tag}" for tag in one["tags"]),
    ]
    told = " · ".join(filter(None, about))
    said = f"[{one['id']}] {' '.join(one['content'].split())} ({told})"
    if not one["waits"] or one["state"] != "active":
        return said
    how = t(
        "recall finds it, but it is not in the snapshot until the user confirms it (review), or "
        "it is remembered again with a quote of the user's words"
    )
    return f"{said} — {how}"


def journal_text(found: Shape) -> str:
    archived = t(
        "what the user asked to forget was archived; `loxodon forget`, typed by the user, "
        "deletes it for good"
    )
    doubtful = t(
        "the user's message reads like an instruction to an assistant, so nothing is "
        "learned from it; `remember` what it says, and let the user confirm it"
    )
    said = [
        "" if found["paused"] else t("messages journalled: {n}", n=found["added"]),
        t("nothing was journalled: the memory is paused") if found["paused"] else "",
        archived if found["asked"] else "",
        *(t("nothing was found to forget about: {what}", what=one) for one in found["unfound"]),
        doubtful if found["doubtful"] else "",
    ]
    return "\n".join(filter(None, said))


def plain_text(found: Shape) -> str:
    """What is one text already; else the fields that have something in them, a line each."""
    if "text" in found or "context" in found:
        texts = map(found.get, ("text", "context", "reason"))
        return str(next(filter(None, texts), t("nothing related was found")))
    lines = []
    for name, one in found.items():
        if isinstance(one, list):
            lines += [f"{name}:", *(f"  {_told(each)}" for each in one)] if one else []
        elif one not in (None, "", {}, 0, False):
            lines.append(f"{name}: {_told(one)}")
    return "\n".join(lines) or t("nothing found")


def _told(one: Any) -> str:
    if not isinstance(one, Mapping):
        return str(one)
    if "waits" in one:
        return memory_text(one)
    return " · ".join(f"{name} {_told(value)}" for name, value in one.items() if value)


def search_text(answer: Shape) -> str:
    lines = []
    for one in answer["results"]:
        over = f"≤ {one['validUntil']}" if "validUntil" in one else ""
        place = f"{one['path']}:{one['startLine']}" if one["path"] != one["id"] else ""
        about = " · ".join(filter(None, (one["kind"], one["at"][:10], over, place)))
        snippet = " ".join(one["snippet"].split())
        lines.append(f"{one['score']:.2f} [{one['id']}] {snippet} ({about})")
    if lines and answer["unsure"]:
        lines.insert(0, t("unsure: the results below match the question only weakly"))
    return "\n".join(lines) or t("nothing related was found")
