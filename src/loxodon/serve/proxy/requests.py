"""What a client asks its model: the messages of a request, with where they stand in its body.

Pure. A body that cannot be read as a request is none (None): it goes on to the upstream as it is,
which knows best how to refuse it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.serve.proxy.places import Value, items_of, object_of
from loxodon.text.patterns import lazy
from loxodon.trust.origin.own import in_parts
from loxodon.workspace.readers.jsonl import text_of

Kind = Literal["chat", "responses", "messages"]
"""OpenAI's two APIs, and Anthropic's."""

_TEXT_PARTS = ("text", "input_text", "output_text")
_SESSION_NAMES = ("session_id", "conversation_id", "thread_id", "chat_id", "session")
_LIST = {"chat": "messages", "responses": "input", "messages": "messages"}
"""The field that has what was said."""
_OWN_ID = lazy(r"user_[0-9a-f]{64}_account_[0-9a-f-]{0,36}_session_([0-9a-f-]{36})")
_OWN_FIELDS = {"device_id", "account_uuid", "session_id"}
"""How Claude Code fills the field for a person: with its machine and the session, in two forms."""


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
    calls: bool = False
    """Whether it calls tools: what the model says beside that is not its reply yet."""


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
    def user(self) -> str:
        """Who is speaking, where the request names them."""
        if self.kind != "messages":
            return self.text("user").strip()
        named = _name(self._about.get("user_id"))
        return "" if _session_in(named) else named

    @property
    def session(self) -> str:
        """The conversation, where the request names it."""
        conversation = self.fields.get("conversation")
        if conversation is not None:
            found = conversation.value
            return _name(found.get("id") if isinstance(found, Mapping) else found)
        names = (_name(self._about.get(name)) for name in _SESSION_NAMES)
        found = next((name for name in names if name), "")
        return found or _session_in(_name(self._about.get("user_id")))

    @property
    def is_chore(self) -> bool:
        """Whether it is a program's own errand, such as a title for the chat: nobody said it."""
        most = self.fields.get("max_tokens")
        if most is not None and most.value in (0, 1):  # it fills a cache, or tries a key
            return True
        if self._wanted == {"title"}:
            return True
        words = self.messages[self.last].words if self.last >= 0 else ""
        return words[:2_000].lstrip().startswith("### Task:") and (
            "<chat_history>" in words or "### Output:" in words or "### Guidelines:" in words
        )

    @property
    def _wanted(self) -> set[str]:
        """The fields of the document that the reply is to be, where it is to be one."""
        given = self.fields.get("output_config")
        found = given.value if given else None
        for name in ("format", "schema", "properties"):
            found = found.get(name) if isinstance(found, Mapping) else None
        return set(found) if isinstance(found, Mapping) else set()

    @property
    def _about(self) -> Mapping[str, Any]:
        about = self.fields.get("metadata")
        return about.value if about and isinstance(about.value, Mapping) else {}


def read(kind: Kind, body: bytes) -> Asked | None:
    """The request in a body; None where there is none that can be read."""
    try:
        text = body.decode("utf-8")
        fields = object_of(text)
        listed = fields.get(_LIST[kind])
        if listed is None:
            return None
        if kind == "responses" and isinstance(listed.value, str):
            said = Said("user", listed.value, listed.value, listed)
            return Asked(kind, text, fields, (said,))
        items = items_of(text, listed.start)
        return Asked(kind, text, fields, tuple(_said(kind, item) for item in items))
    except ValueError:  # not UTF-8, not JSON, or not of that shape
        return None


def clean(text: str) -> str:
    """Text as the journal can keep it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd").strip()


def words_of(content: object) -> str:
    """The words of a content, without what stands for images, sounds and files."""
    if isinstance(content, str):
        return content
    return "\n".join(one["text"] for one in _parts(content) if _is_text(one))


def blocks_said(content: object) -> str:
    """What a model says in blocks: a text may go on in the next one, where it cites something."""
    if isinstance(content, str):
        return content
    runs = (run for is_text, run in groupby(_parts(content), _is_text) if is_text)
    return "\n".join(filter(None, ("".join(one["text"] for one in run) for run in runs)))


def calls_in(content: object) -> list[str]:
    """The tools that blocks of a model's message call."""
    return [_name(one.get("name")) for one in _parts(content) if one.get("type") == "tool_use"]


def is_by_the_user(part: object) -> bool:
    """Whether a part of a user's message is a text that the user may have written."""
    return isinstance(part, Mapping) and _is_text(part) and not _is_reminder(part)


def is_result(part: object) -> bool:
    """Whether a part of a user's message is what a tool found, as Anthropic's API has it."""
    return isinstance(part, Mapping) and part.get("type") == "tool_result"


def fresh(messages: Sequence[Said]) -> list[int]:
    """Where the user's messages are that the model has not answered yet."""
    ends = [n for n, one in enumerate(messages) if one.role == "assistant"]
    after = ends[-1] + 1 if ends else 0
    if after == len(messages):  # the client began the reply itself
        after = ends[-2] + 1 if len(ends) > 1 else 0
    return [n for n in range(after, len(messages)) if messages[n].role == "user"]


def _said(kind: Kind, item: Value) -> Said:
    message: Any = item.value
    if not isinstance(message, Mapping):
        return Said("", "", "", item)
    role = message.get("role")
    if not isinstance(role, str):
        type = message.get("type")
        made = isinstance(type, str) and (type == "reasoning" or type.endswith("_call"))
        role = "assistant" if made else ""
    content = message.get("content")
    if role == "assistant":
        words = blocks_said(content) if kind == "messages" else words_of(content)
        calls = bool(message.get("tool_calls") or calls_in(content))
        return Said(role, words, words, item, calls=calls)
    if role == "user" and isinstance(content, list):
        kept = [one for one in content if not (is_result(one) or _is_reminder(one))]
        role = "tool" if len(kept) < len(content) and not words_of(kept) else role
        content = kept
    words = words_of(content)
    try:
        text = in_parts(content or "", text_of)
    except InputError:
        text = words
    return Said(role, text, words, item, _name(message.get("name")))


def _session_in(user: str) -> str:
    """The session in an id by which a program names itself in place of a person; empty in others.

    Exact about the form: a person whose name is not seen shares a memory with others.
    """
    if match := _OWN_ID.fullmatch(user):
        return match[1]
    try:
        found = json.loads(user) if user.startswith("{") else None
    except (ValueError, RecursionError):
        return ""
    if not isinstance(found, Mapping) or not found.keys() <= _OWN_FIELDS:
        return ""
    return _name(found.get("session_id"))


def _is_reminder(part: object) -> bool:
    """Whether a part is all between tags that say `system`: a program's, which nobody said."""
    if not isinstance(part, Mapping) or not _is_text(part):
        return False
    text: str = part["text"].strip()
    name = text[1:60].partition(">")[0]
    return text.startswith("<system") and text.endswith(f"</{name}>")


def _parts(content: object) -> list[Mapping[str, Any]]:
    found = content if isinstance(content, list) else []
    return [one for one in found if isinstance(one, Mapping)]


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)


def _asks(said: Said) -> bool:
    return said.role == "user" and bool(said.words.strip())


def _name(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
