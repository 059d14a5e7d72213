"""What the model sees now: the conversation after the last compaction, with its summary.

A transcript has more than a model takes: entries that are not for it, calls whose result was never
written because somebody was killed, results whose call is in a line that cannot be read. What comes
out here can be sent: every call has its result, directly behind it, and every result a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.working.shapes import Message, call_id, calls_in, to_sent
from loxodon.working.transcript import Entry, first_kept

Kind = Literal["message", "note", "summary"]

NO_RESULT = "[no result was recorded: the run was interrupted]"


class Shown(NamedTuple):
    """A message as the model sees it, and the entry that it is from."""

    id: str
    message: Message
    kind: Kind = "message"

    @property
    def role(self) -> str:
        return str(self.message["role"])


def context_of(live: Sequence[Entry]) -> list[Shown]:
    """What the model sees of a conversation."""
    entries = list(live)
    last = max((n for n, one in enumerate(entries) if one.get("type") == "compaction"), default=-1)
    shown: list[Shown] = []
    if last >= 0:
        shown.append(_summed_up(entries[last]))
        entries = entries[first_kept(entries, last) : last] + entries[last + 1 :]
    for entry in entries:
        if entry.get("type") == "reset":
            shown = []
        elif one := _shown(entry):
            shown.append(one)
    return paired(shown)


def _shown(entry: Entry) -> Shown | None:
    """What the model sees of an entry; None for nothing."""
    id = str(entry.get("id") or "")
    kind = entry.get("type")
    if kind == "message":
        inner = entry.get("message")
        sent = to_sent(inner if isinstance(inner, Mapping) else entry)  # older ones are flat
        return Shown(id, sent) if sent else None
    if kind == "custom_message":
        sent = to_sent({"role": "user", "content": entry.get("content")})
        return Shown(id, sent, "note") if sent and sent["content"] else None
    if kind == "branch_summary":
        return _summed_up(entry)
    return None  # earlier compactions too: the last one has their summary in its own


def _summed_up(entry: Entry) -> Shown:
    summary = str(entry.get("summary") or "")
    heading = quote.heading("summary", language_of(summary))
    message = {"role": "user", "content": f"{heading}\n{quote.clean(summary)}"}
    return Shown(str(entry.get("id") or ""), message, "summary")


def paired(shown: Iterable[Shown]) -> list[Shown]:
    """The same with a result for each call, and no result without a call."""
    found: list[Shown] = []
    open_calls: dict[str, Shown] = {}
    for one in shown:
        if one.role == "tool":
            if open_calls.pop(str(one.message.get("tool_call_id") or ""), None):
                found.append(one)
            continue
        found += _missing(open_calls)
        open_calls = {call_id(call): one for call in calls_in(one.message)}
        found.append(one)
    return found + _missing(open_calls)


def _missing(calls: Mapping[str, Shown]) -> list[Shown]:
    return [
        Shown(one.id, {"role": "tool", "tool_call_id": id, "content": NO_RESULT})
        for id, one in calls.items()
    ]


def open_calls(live: Sequence[Entry]) -> set[str]:
    """The ids of the calls that wait for a result: no place to put anything in between."""
    waiting: set[str] = set()
    for entry in live:
        one = _shown(entry)
        if one is None:
            continue
        if one.role == "tool":
            waiting.discard(str(one.message.get("tool_call_id") or ""))
        else:
            waiting = {call_id(call) for call in calls_in(one.message)}
    return waiting


def joined(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The same with messages of the user that follow each other as one, and those of the system.

    The templates of many local models refuse two in a row.
    """
    found: list[dict[str, Any]] = []
    for message in messages:
        if found and _joins(found[-1], message):
            found[-1] = {**found[-1], "content": _both(found[-1], message)}
        else:
            found.append(dict(message))
    return found


def _joins(first: Message, second: Message) -> bool:
    same = first["role"] == second["role"] and first["role"] in ("user", "system", "developer")
    return same and first.get("name") == second.get("name")


def _both(first: Message, second: Message) -> str | list[Any]:
    one, two = first["content"], second["content"]
    if isinstance(one, str) and isinstance(two, str):
        return f"{one}\n\n{two}"
    return [*_as_parts(one), *_as_parts(two)]


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
