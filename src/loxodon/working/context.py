"""What the model sees now: the conversation after the last compaction, with its summary.

What comes out here can be sent: every call has its result, directly behind it, and every result a
call, also where somebody was killed in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from loxodon.text import quote
from loxodon.text.language import language_of
from loxodon.working.shapes import Message, calls_in, to_sent
from loxodon.working.transcript import Entry, recent

Kind = Literal["message", "note", "summary"]

NO_RESULT = "[no result was recorded: the run was interrupted]"


class Shown(NamedTuple):
    id: str
    message: Message
    kind: Kind = "message"

    @property
    def role(self) -> str:
        return str(self.message["role"])


def context_of(live: Sequence[Entry]) -> list[Shown]:
    """What the model sees of a conversation: the last summary, then what it does not sum up."""
    entries = recent(live)
    compactions = [entry for entry in entries if entry.get("type") == "compaction"]
    shown: list[Shown] = []
    for entry in [*compactions[-1:], *entries]:
        kind, id = entry.get("type"), str(entry.get("id") or "")
        if kind == "message" and (sent := to_sent(entry.get("message"))):
            shown.append(Shown(id, sent))
        elif kind == "custom_message" and entry.get("content"):
            shown.append(Shown(id, {"role": "user", "content": str(entry["content"])}, "note"))
        elif kind == "compaction" and not shown:
            summary = str(entry.get("summary") or "")
            heading = quote.heading("summary", language_of(summary))
            text = f"{heading}\n{quote.clean(summary)}"
            shown.append(Shown(id, {"role": "user", "content": text}, "summary"))
    return paired(shown)


def paired(shown: Iterable[Shown]) -> list[Shown]:
    """The same with a result for each call, and no result without a call."""
    found: list[Shown] = []
    waiting: dict[str, Shown] = {}
    for one in shown:
        if one.role == "tool":
            if waiting.pop(str(one.message.get("tool_call_id") or ""), None):
                found.append(one)
            continue
        found += _missing(waiting)
        waiting = {str(call.get("id") or ""): one for call in calls_in(one.message)}
        found.append(one)
    return found + _missing(waiting)


def _missing(calls: Mapping[str, Shown]) -> list[Shown]:
    return [
        Shown(one.id, {"role": "tool", "tool_call_id": id, "content": NO_RESULT})
        for id, one in calls.items()
    ]


def is_waiting(shown: Sequence[Shown]) -> bool:
    """Whether a call waits for its result: no place to put anything in between."""
    return bool(shown) and shown[-1].message["content"] == NO_RESULT


def joined(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages of the user that follow each other as one, and those of the system: the templates
    of many local models refuse two in a row."""
    found: list[dict[str, Any]] = []
    for message in messages:
        last = found[-1] if found else {}
        same = all(last.get(name) == message.get(name) for name in ("role", "name"))
        if same and message["role"] in ("user", "system", "developer"):
            one, two = last["content"], message["content"]
            if isinstance(one, str) and isinstance(two, str):
                found[-1] = {**last, "content": f"{one}\n\n{two}"}
            else:
                found[-1] = {**last, "content": [*_as_parts(one), *_as_parts(two)]}
        else:
            found.append(dict(message))
    return found


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
