"""What a client asks its model, who is speaking, and where each message stands in the body.

Pure. A body that cannot be read as a request is None: it goes on to the upstream as it is, which
knows best how to refuse it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Any, Literal, NamedTuple

from loxodon.errors import InputError
from loxodon.guard.own_words import in_parts
from loxodon.http.guard import Caller
from loxodon.journal.jsonl import text_of
from loxodon.journal.lines import TEXT_PARTS, Entry, inner, word, words_of
from loxodon.spaces import MAX_NAME
from loxodon.types import CHATS, Chat

Kind = Literal["chat", "responses", "messages"]  # OpenAI's two APIs, and Anthropic's
SpaceBy = Literal["user", "key", "fixed"]

OURS = "x-loxodon-"  # headers for the proxy; none of them is forwarded
_PROGRAM_HEADER = "x-claude-code-agent-id"  # a sub-agent asks: no person wrote these words
_MAX_SESSION = 200  # characters
_MESSAGES_FIELD = {"chat": "messages", "responses": "input", "messages": "messages"}
_SESSION_FIELDS = ("session_id", "conversation_id", "thread_id", "chat_id", "session")
# Claude Code fills the user field with its machine and session, in one of two forms.
_CLAUDE_CODE_ID = re.compile(r"user_[0-9a-f]{64}_account_[0-9a-f-]{0,36}_session_([0-9a-f-]{36})")
_CLAUDE_CODE_FIELDS = {"device_id", "account_uuid", "session_id"}
_TASK_MARKS = ("<chat_history>", "### Output:", "### Guidelines:")  # of Open WebUI's own requests


# A body that is parsed and written again is another body: numbers, escapes, blanks and doubled keys
# change. So the client's bytes stay as they are, and what is added is spliced in between.

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\n\r]*")


class Value(NamedTuple):
    """A JSON value and where it stands in the text: from `start` up to `end`."""

    value: Any
    start: int
    end: int


def members(text: str, start: int = 0) -> tuple[list[tuple[Any, Value]], int]:
    """The keys (empty in an array) and values of the object or array at `start`, and its end;
    ValueError where there is none."""
    place = _skip(text, start)
    closing = {"{": "}", "[": "]"}.get(text[place : place + 1])
    if closing is None:
        raise ValueError("neither an object nor an array")
    found: list[tuple[Any, Value]] = []
    place = _skip(text, place + 1)
    while text[place : place + 1] != closing:
        key = ""
        if found:
            place = _skip(text, _skip(text, place, ","))
        if closing == "}":
            key, place = _DECODER.raw_decode(text, place)
            place = _skip(text, _skip(text, place, ":"))
        value, end = _DECODER.raw_decode(text, place)
        found.append((key, Value(value, place, end)))
        place = _skip(text, end)
    return found, place + 1


def array_items(text: str, start: int) -> list[Value]:
    return [value for _, value in members(text, start)[0]]


def _skip(text: str, place: int, expected: str = "") -> int:
    """Past blanks and what is expected behind them."""
    blank = _BLANK.match(text, place)
    place = blank.end() if blank else place
    if not text.startswith(expected, place):
        raise ValueError(f"expected {expected}")
    return place + len(expected)


class Message(NamedTuple):
    """One message of a request."""

    role: str  # user, assistant, system, developer, tool, or empty for what has none
    text: str  # its words, with a mark for each image, sound or file
    words: str  # its words alone
    place: Value
    name: str = ""  # who said it, in a chat of several people


class ModelRequest(NamedTuple):
    """A request for a reply."""

    kind: Kind
    body: str
    fields: Mapping[str, Value]
    messages: tuple[Message, ...]

    @property
    def values(self) -> dict[str, Any]:
        return {name: one.value for name, one in self.fields.items()}

    def text(self, field: str) -> str:
        """A field that is text; empty where it is anything else."""
        return word(self.values, field)

    @property
    def last(self) -> int:
        """Where the user's last message with words is; -1 where there is none."""
        said = enumerate(self.messages)
        return max((n for n, one in said if one.role == "user" and one.words.strip()), default=-1)

    @property
    def last_words(self) -> str:
        return self.messages[self.last].words if self.last >= 0 else ""

    @property
    def user(self) -> str:
        """Who is speaking, where the request names them."""
        if self.kind != "messages":
            return self.text("user").strip()
        named = word(inner(self.values, "metadata"), "user_id").strip()
        return "" if _program_session(named) else named

    @property
    def session(self) -> str:
        """The conversation, where the request names it."""
        if "conversation" in self.fields:
            named = inner(self.values, "conversation")
            return (word(named, "id") or self.text("conversation")).strip()
        metadata = inner(self.values, "metadata")
        names = (word(metadata, name).strip() for name in _SESSION_FIELDS)
        return next(filter(None, names), _program_session(word(metadata, "user_id").strip()))

    @property
    def is_said(self) -> bool:
        """Whether a user said something; not a program that asks for itself, such as a title."""
        if self.values.get("max_tokens") in (0, 1):  # it warms a cache, or tries a key
            return False
        wanted: Entry = self.values
        for name in ("output_config", "format", "schema", "properties"):
            wanted = inner(wanted, name)
        titles = wanted.keys() == {"title"}
        task = self.last_words[:2_000].lstrip().startswith("### Task:")
        task = task and any(mark in self.last_words for mark in _TASK_MARKS)
        return not titles and not task and any(one.role == "user" for one in self.messages)


def read(kind: Kind, body: bytes) -> ModelRequest | None:
    """The request in a body; None where there is none that can be read."""
    try:
        text = body.decode("utf-8")
        found, end = members(text)
        fields = dict(found)
        listed = fields[_MESSAGES_FIELD[kind]]
        if text[end:].strip():
            return None
        if kind == "responses" and isinstance(listed.value, str):
            message = Message("user", listed.value, listed.value, listed)
            return ModelRequest(kind, text, fields, (message,))
        items = array_items(text, listed.start)
    except (ValueError, KeyError, TypeError, RecursionError):  # not of that shape
        return None
    return ModelRequest(kind, text, fields, tuple(_message(kind, item) for item in items))


def _message(kind: Kind, item: Value) -> Message:
    message: Any = item.value
    if not isinstance(message, Mapping):
        return Message("", "", "", item)
    role, content, type = (message.get(name) for name in ("role", "content", "type"))
    if not isinstance(role, str):
        by_model = isinstance(type, str) and (type == "reasoning" or type.endswith("_call"))
        role = "assistant" if by_model else ""
    if role == "assistant":
        words = joined_blocks(content) if kind == "messages" else words_of(content)
        return Message(role, words, words, item)
    if role == "user" and isinstance(content, list):
        kept = [one for one in content if not (is_tool_result(one) or is_reminder(one))]
        role = "tool" if len(kept) < len(content) and not words_of(kept) else role
        content = kept
    words = words_of(content)
    try:
        text = in_parts(content or "", text_of)
    except InputError:
        text = words
    return Message(role, text, words, item, word(message, "name").strip())


def unanswered(messages: Sequence[Message]) -> list[int]:
    """Where the user's messages are that the model has not answered yet."""
    ends = [0, 0, *(n + 1 for n, one in enumerate(messages) if one.role == "assistant")]
    after = ends[-1] if ends[-1] < len(messages) else ends[-2]  # the client began the reply itself
    return [n for n in range(after, len(messages)) if messages[n].role == "user"]


def clean(text: str) -> str:
    """Text as the journal can keep it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd").strip()


def joined_blocks(content: object) -> str:
    """What a model says in blocks: a text goes on in the next one where it cites something."""
    if isinstance(content, str):
        return content
    runs = (run for text, run in groupby(parts_of(content), is_text) if text)
    return "\n".join(filter(None, ("".join(one["text"] for one in run) for run in runs)))


def is_text(part: object) -> bool:
    return (
        isinstance(part, Mapping)
        and part.get("type") in TEXT_PARTS
        and isinstance(part.get("text"), str)
    )


def is_tool_result(part: object) -> bool:
    """Whether a part of a user's message is what a tool found, as Anthropic's API has it."""
    return isinstance(part, Mapping) and part.get("type") == "tool_result"


def is_reminder(part: Any) -> bool:
    """Whether a part is all between tags that say `system`: a program's, which nobody said."""
    text: str = part["text"].strip() if is_text(part) else ""
    return text.startswith("<system") and text.endswith(f"</{text[1:60].partition('>')[0]}>")


def parts_of(content: object) -> list[Mapping[str, Any]]:
    found = content if isinstance(content, list) else []
    return [one for one in found if isinstance(one, Mapping)]


def _program_session(user: str) -> str:
    """The session in an id by which a program names itself instead of a person; empty in others.

    Exact about the form: a person whose name is not seen shares a memory with others.
    """
    if match := _CLAUDE_CODE_ID.fullmatch(user):
        return match[1]
    try:
        found = json.loads(user) if user.startswith("{") else {}
    except (ValueError, RecursionError):
        return ""
    return word(found, "session_id").strip() if found.keys() <= _CLAUDE_CODE_FIELDS else ""


class Speaker(NamedTuple):
    """Whose memory a request is about, and what may be done with it."""

    caller: Caller
    space: str
    name: str
    chat: Chat
    session: str  # the conversation, where the client names it
    remembers: bool

    @property
    def audience(self) -> str:
        """Whose conversations are told apart: what is recalled in private is not for a group."""
        return f"{self.chat} {self.caller.agent}@{self.space}"


class SpaceRule(NamedTuple):
    """How the proxy was told to tell people apart."""

    space: str = "main"  # for whoever is not told apart
    by: SpaceBy = "user"  # user: by header, then the request's field; key: then by key


def speaker_of(
    headers: Mapping[str, str], request: ModelRequest, rule: SpaceRule, caller: Caller
) -> Speaker:
    """Whose memory a request is about, as far as the caller's token reaches.

    Clients send all sorts of names as `user`: a space that the token does not reach is not used.
    """
    named, person = _header(headers, "space"), _header(headers, "user")
    space = named or person or (request.user if rule.by != "fixed" else "")
    if not space and rule.by == "key":  # by a name from which the key cannot be told
        keys = (headers.get(name, "").strip() for name in ("authorization", "api-key", "x-api-key"))
        key = next(filter(None, keys), "")
        space = f"key-{digest(key)}" if key else ""
    space = _fitting(space, MAX_NAME) or rule.space
    chat = _header(headers, "chat").lower() if f"{OURS}chat" in headers else "direct"
    grant = caller.grant
    if caller.chat != "direct" or chat not in CHATS:
        chat = "group"  # where too little is said rather than too much
    switched_off = _header(headers, "memory").lower() in ("off", "no", "0", "false")
    return Speaker(
        caller,
        space if grant.reaches(space) else grant.spaces[0],
        _fitting(person, MAX_NAME) if named else "",
        next(one for one in CHATS if one == chat),
        _fitting(_header(headers, "session") or request.session, _MAX_SESSION),
        not switched_off and _PROGRAM_HEADER not in headers,
    )


def _header(headers: Mapping[str, str], name: str) -> str:
    """A header of ours; names that are not Latin come as UTF-8."""
    value = headers.get(OURS + name, "")
    try:
        return value.encode("latin-1").decode("utf-8").strip()
    except UnicodeError:
        return value.strip()


def _fitting(name: str, most: int) -> str:
    """A name that can be kept, or one that is made from it."""
    if not name or (len(name) <= most and name.isprintable()):
        return name
    return f"user-{digest(name)}"


def digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
