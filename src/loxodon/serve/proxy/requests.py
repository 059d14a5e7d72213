"""What a client asks its model: the messages of a request, with where they stand in its body.

Pure. A body that cannot be read as a request is none (None): it goes on to the upstream as it is,
which knows best how to refuse it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.serve.proxy.places import Value, items_of, object_of
from loxodon.trust.origin.pasting import in_parts
from loxodon.workspace.readers.jsonl import text_of

Kind = Literal["chat", "responses"]

_TEXT_PARTS = ("text", "input_text", "output_text")
_SESSION_NAMES = ("session_id", "conversation_id", "thread_id", "chat_id", "session")


class Said(NamedTuple):
    """One message of a request."""

    role: str
    """`user`, `assistant`, `system`, `developer`, `tool`, or empty for what has none."""
    text: str
    """Its words, with a mark for each image, sound or file."""
    words: str
    """Its words alone."""
    place: Value
    name: str = ""
    """Who said it, where a chat of several people says so."""


class Asked(NamedTuple):
    """A request for a reply."""

    kind: Kind
    body: str
    fields: Mapping[str, Value]
    messages: tuple[Said, ...]

    def text(self, field: str) -> str:
        """A field that is text; empty where it is anything else."""
        found = self.fields.get(field)
        return found.value if found and isinstance(found.value, str) else ""

    @property
    def last(self) -> int:
        """Where the last message of the user is that has words; -1 where there is none."""
        places = range(len(self.messages) - 1, -1, -1)
        return next((n for n in places if _asks(self.messages[n])), -1)

    @property
    def session(self) -> str:
        """The conversation, where the request names it."""
        conversation = self.fields.get("conversation")
        if conversation is not None:
            found = conversation.value
            return _name(found.get("id") if isinstance(found, Mapping) else found)
        about = self.fields.get("metadata")
        if about is None or not isinstance(about.value, Mapping):
            return ""
        names = (_name(about.value.get(name)) for name in _SESSION_NAMES)
        return next((name for name in names if name), "")


def read(kind: Kind, body: bytes) -> Asked | None:
    """The request in a body; None where there is none that can be read."""
    try:
        text = body.decode("utf-8")
        fields = object_of(text)
        listed = fields.get("messages" if kind == "chat" else "input")
        if listed is None:
            return None
        if kind == "responses" and isinstance(listed.value, str):
            said = Said("user", listed.value, listed.value, listed)
            return Asked(kind, text, fields, (said,))
        items = items_of(text, listed.start)
        return Asked(kind, text, fields, tuple(map(_said, items)))
    except ValueError:  # not UTF-8, not JSON, or not of that shape
        return None


def is_chore(words: str) -> bool:
    """Whether a message is a program's own errand, such as a title for the chat: nobody said it."""
    head = words[:2_000].lstrip()
    return head.startswith("### Task:") and (
        "<chat_history>" in words or "### Output:" in words or "### Guidelines:" in words
    )


def clean(text: str) -> str:
    """Text as the journal can keep it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd").strip()


def words_of(content: object) -> str:
    """The words of a content, without what stands for images, sounds and files."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    found = [one["text"] for one in parts if isinstance(one, Mapping) and _is_text(one)]
    return "\n".join(found)


def fresh(messages: Sequence[Said]) -> list[int]:
    """Where the user's messages are that the model has not answered yet."""
    ends = [n for n, one in enumerate(messages) if one.role == "assistant"]
    after = ends[-1] + 1 if ends else 0
    if after == len(messages):  # the client began the reply itself
        after = ends[-2] + 1 if len(ends) > 1 else 0
    return [n for n in range(after, len(messages)) if messages[n].role == "user"]


def _said(item: Value) -> Said:
    message: Any = item.value
    if not isinstance(message, Mapping):
        return Said("", "", "", item)
    role = message.get("role")
    if not isinstance(role, str):
        kind = message.get("type")
        made = isinstance(kind, str) and (kind == "reasoning" or kind.endswith("_call"))
        role = "assistant" if made else ""
    content = message.get("content")
    words = words_of(content)
    try:
        text = in_parts(content or "", text_of)
    except InputError:
        text = words
    return Said(role, text, words, item, _name(message.get("name")))


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)


def _asks(said: Said) -> bool:
    return said.role == "user" and bool(said.words.strip())


def _name(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
