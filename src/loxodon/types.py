"""The values that pass between the parts: turns, memories, and what a recall answers.

All are frozen. They are NamedTuples, because a recall makes hundreds of them and a cold command
should not load `dataclasses`. None of them knows how it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

Role = Literal["user", "assistant", "system", "tool"]
Chat = Literal["direct", "group", "room"]
Origin = Literal["user", "assistant", "tool", "web", "file", "group", "import"]
"""Where words came from. What a memory is trusted for follows from this, never from its wording."""
Kind = Literal["fact", "belief", "summary"]
State = Literal["active", "archived"]
Audience = Literal["private", "group", "all"]
"""Who may be told: the private chat only, group chats too, every agent of the space."""

ROLES: tuple[Role, ...] = get_args(Role)
CHATS: tuple[Chat, ...] = get_args(Chat)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
KINDS: tuple[Kind, ...] = get_args(Kind)
STATES: tuple[State, ...] = get_args(State)
AUDIENCES: tuple[Audience, ...] = get_args(Audience)

ORIGIN_OF_ROLE: dict[Role, Origin] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "file",  # a system prompt is nobody's words; it comes from whoever set it up
}

CATEGORIES = (
    "identity", "health", "preference", "relation", "status", "fact", "config", "credential",
    "decision", "solution", "event", "conversation", "plan", "temp", "debug",
)  # fmt: skip

CAPTURED = "capture"
"""The session and channel of what was captured rather than said."""
GLOBAL_PROJECT = "_global"
GENERAL_TOPIC = "_general"


class Turn(NamedTuple):
    """One message of a conversation, as the journal keeps it."""

    session: str
    id: str
    """The id it came with, or `#12` for the twelfth turn of its session."""
    role: Role
    content: str
    at: datetime
    speaker: str = ""
    channel: str = ""
    chat: Chat = "direct"
    origin: Origin = "user"
    ref: str = ""
    """Loxodon's own name for it (`t_512`), set once it is journalled."""

    @property
    def searchable(self) -> str:
        """What it is found by: its words, and who said them."""
        return f"{self.speaker}\n{self.content}"


class Draft(NamedTuple):
    """A turn as it is handed in, before the journal gives it what it lacks."""

    line: int
    """Where it stands in its file or list, from 1."""
    role: Role
    content: str
    session: str = ""
    id: str = ""
    at: datetime | None = None
    speaker: str = ""
    channel: str = ""
    chat: Chat = "direct"
    origin: Origin | None = None


class Source(NamedTuple):
    """Where a memory comes from: a journal turn, or a line of a file."""

    session: str = ""
    turn: str = ""
    file: str = ""
    line: int = 0


class Record(NamedTuple):
    """A memory: one thing known, with where it came from and how sure we are of it."""

    id: str
    space: str
    kind: Kind
    content: str
    created_at: datetime
    updated_at: datetime
    strength: float
    """How present it is now: falls with time; computed when read."""
    agent: str = ""
    audience: Audience = "private"
    subject: str = ""
    attribute: str = ""
    value: str = ""
    category: str = "fact"
    project: str = GLOBAL_PROJECT
    topic: str = GENERAL_TOPIC
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    importance: float = 0.5
    confidence: float = 1.0
    sensitivity: str = "low"
    trust: Origin = "user"
    state: State = "active"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    due_at: datetime | None = None
    done: bool = False
    accessed_at: datetime | None = None
    confirmed_at: datetime | None = None
    access_count: int = 0
    version: int = 1
    sources: tuple[Source, ...] = ()
    basis: str = ""
    derived_from: tuple[str, ...] = ()

    @property
    def searchable(self) -> str:
        """What it is found by: its words, its tags and whom or what it is about."""
        return "\n".join((self.content, *self.tags, *self.entities))


class Version(NamedTuple):
    """One step in a memory's history: what was done to it, and the record as it then stood."""

    version: int
    at: datetime
    change: str
    """`captured`, `edited`, `archived`, `unarchived`, …"""
    record: Record


class Added(NamedTuple):
    """What became of the turns handed to `add`."""

    added: int
    known: int
    """Turns the journal already had."""
    changed: int
    """Those of them that have other words under the same id; the journal keeps what it had."""
    sessions: tuple[str, ...]


class Gate(NamedTuple):
    """Whether a message was worth a recall, and why."""

    recall: bool
    reason: str


class Item(NamedTuple):
    """One thing recalled: a memory, or a turn of the journal."""

    id: str
    kind: str
    """`fact`, `belief`, `summary` or `turn`."""
    content: str
    score: float
    at: datetime
    state: State
    sources: tuple[Source, ...]
    why: Mapping[str, Any]
    """What made it come: the route, the words that matched, and what each factor gave."""
    tags: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """Something related that is not in the answer, and why not."""

    reason: str
    """`budget` (did not fit), `top` (beyond the number asked for), …"""
    number: int


class Recall(NamedTuple):
    """The answer to a recall: items, best first, and the block of text to hand to an agent."""

    query: str
    gate: Gate
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    context: str
    """At most `budget` tokens, header included; empty where nothing was found."""
    tokens: int
    elapsed_ms: float


class Problem(NamedTuple):
    """Something `validate` found wrong."""

    where: str
    what: str
    hint: str
