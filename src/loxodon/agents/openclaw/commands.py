"""What a person can ask of the memory in a chat of OpenClaw, without the agent: `/recall QUESTION`,
`/tag ID +a -b` and `/refresh`. In a group only a recall is answered, with what is no secret there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loxodon.errors import InputError, LoxodonError
from loxodon.fields import retagged
from loxodon.messages import current, t
from loxodon.text.quote import clean
from loxodon.types import Chat, Item

if TYPE_CHECKING:
    from loxodon.views.workspace import Workspace


def run(workspace: Workspace, name: str, rest: str, chat: Chat) -> str:
    """What the person is told."""
    if name not in _RUN:
        raise InputError("the plugin sent an unknown request: {want}", want=repr(name))
    if chat != "direct" and name != "recall":
        return t("this command is only for the owner, in a private chat")
    try:
        return _RUN[name](workspace, rest.strip(), chat)
    except LoxodonError as error:
        what, hint = error.localized()
        return f"{what}\n{hint}" if hint else what


def _recall(workspace: Workspace, rest: str, chat: Chat) -> str:
    if not rest:
        return _usage("/recall " + t("QUESTION"))
    found = workspace.memory.recall(rest, chat=chat).items
    lines = [f"{n}. {_line(one)}" for n, one in enumerate(found, 1)]
    return "\n".join(lines) or t("nothing found")


def _line(item: Item) -> str:
    said = " ".join(clean(item.content).split())
    over = t("until {date}", date=f"{item.valid_until:%Y-%m-%d}") if item.valid_until else ""
    about = [f"{item.at:%Y-%m-%d}", item.id, *([over] if over else [])]
    return f"{said} ({', '.join(about)})"


def _tag(workspace: Workspace, rest: str, chat: Chat) -> str:
    memory = workspace.memory
    id, *changes = rest.split() or [""]
    if not changes:
        return _usage("/tag ID +a -b")
    record = memory.get(id)
    tags = retagged(record.tags, changes)
    if tags != record.tags:
        record = memory.edit(id, version=record.version, tags=tags)
    return t("{id} now has the tags {tags}", id=record.id, tags=", ".join(record.tags) or "—")


def _refresh(workspace: Workspace, rest: str, chat: Chat) -> str:
    return workspace.memory.profile(current(), refresh=True)


def _usage(usage: str) -> str:
    return t("write it as {usage}", usage=usage)


_RUN: dict[str, Callable[[Workspace, str, Chat], str]] = {
    "recall": _recall,
    "tag": _tag,
    "refresh": _refresh,
}
