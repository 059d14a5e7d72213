"""The values that pass between the parts: frozen, and none knows how it is stored."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from loxodon.recall.gate import State as Conversation
    from loxodon.recall.understand import Question

Role = Literal["user", "assistant", "system", "tool"]
Chat = Literal["direct", "group", "room"]
# What a memory is trusted for; `relayed` is the user in a message that a program assembled.
Origin = Literal["user", "relayed", "assistant", "tool", "web", "file", "group", "import"]
Kind = Literal["fact", "belief", "summary"]
State = Literal["active", "archived"]
Audience = Literal["private", "group", "all"]  # who may be told

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
    *("identity", "health", "preference", "relation", "status", "fact", "config", "credential"),
    *("decision", "solution", "event", "conversation", "plan", "temp", "debug"),
)
ENTITY_TYPES = ("person", "place", "organisation", "project", "product", "pet", "other")
IN_PROJECT = "project:"  # how the channel of a turn begins that was said in a project
CAPTURED = "capture"  # the session and channel of what was captured rather than said
GLOBAL_PROJECT = "_global"
GENERAL_TOPIC = "_general"
NOTHING: Mapping[Any, Any] = {}


class Turn(NamedTuple):
    session: str
    id: str  # the id it came with, or `#12` for the twelfth turn of its session
    role: Role
    content: str
    at: datetime
    speaker: str = ""
    channel: str = ""
    chat: Chat = "direct"
    origin: Origin = "user"
    ref: str = ""  # our own name for it (`t_512`), set once it is journalled
    agent: str = ""  # the agent it was said to, where agents are kept apart

    @property
    def searchable(self) -> str:
        """What it is found by: its words, and who said them."""
        return f"{self.speaker}\n{self.content}"


class Draft(NamedTuple):
    """A turn as it is handed in, before the journal gives it what it lacks."""

    line: int  # where it stands in its file or list, from 1
    role: Role
    content: str
    session: str = ""
    id: str = ""
    at: datetime | None = None
    speaker: str = ""
    channel: str = ""
    chat: Chat = "direct"
    origin: Origin | None = None
    agent: str = ""


class Source(NamedTuple):
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
    strength: float  # how present it is now: falls with time; computed when read
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
    replaces: str = ""  # the memory that this one took the place of
    positive: bool = True  # False for a negation: `does not eat meat`

    @property
    def searchable(self) -> str:
        """What it is found by: its words, its tags and whom or what it is about."""
        return "\n".join((self.content, *self.tags, *self.entities))


class Version(NamedTuple):
    version: int
    at: datetime
    change: str  # `captured`, `edited`, `superseded`, …
    record: Record


class Added(NamedTuple):
    added: int
    known: int  # turns the journal already had
    changed: int  # known turns with another text under the same id; the journal keeps its own
    sessions: tuple[str, ...]
    paused: int = 0  # turns not stored because the memory was paused
    forgotten: int = 0  # turns that were forgotten once, and are not taken again
    people: tuple[str, ...] = ()  # named speakers, if nobody is known to be the user (see `me`)
    claimed: int = 0  # known turns that `me` has since given to another speaker
    asked: int = 0  # requests to forget something known
    unfound: tuple[str, ...] = ()  # what other requests to forget name: nothing about it was found


class Gate(NamedTuple):
    recall: bool
    reason: str  # one word that stays the same, as docs/recall.md lists them


class Item(NamedTuple):
    id: str
    kind: str  # `fact`, `belief`, `summary`, `turn` or `note`
    content: str
    score: float
    at: datetime
    state: State
    sources: tuple[Source, ...]
    why: Mapping[str, Any]  # the routes, the words that matched and the factors
    tags: tuple[str, ...] = ()
    valid_until: datetime | None = None  # until when it held, where it no longer does
    due_at: datetime | None = None
    done: bool = False
    confidence: float = 1.0


class LeftOut(NamedTuple):
    """Something related that is not in the answer, and why not."""

    # `budget`, `top`, `view` (already in context); in a frame `soul`, `profile`, `recent`
    reason: str
    number: int


class Considered(NamedTuple):
    id: str
    kind: str
    score: float
    routes: Mapping[str, float]  # score by route, before the factors
    factors: Mapping[str, float]  # what that was multiplied by, and for what
    fate: str  # `shown`, `same` (as another item), or the reason of a `LeftOut`


class Trace(NamedTuple):
    question: "Question"  # the question as it was understood
    routes: Mapping[str, int]  # how many turns and memories each route gave something to
    considered: tuple[Considered, ...]  # best first: what is shown, and what came next
    profile: str = "default"  # the ranking that ordered them
    trouble: tuple[str, ...] = ()  # routes that failed, and why; the others answered


class Recall(NamedTuple):
    query: str
    gate: Gate
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    context: str  # at most `budget` tokens, header included; empty where nothing was found
    tokens: int
    elapsed_ms: float
    trace: Trace | None = None  # how it came about; None where there was no word to look for
    unsure: bool = False  # True if it matches so little of the question that it may be chance


class FramePart(NamedTuple):
    name: str  # `soul`, `profile`, `memories`, `recent` or `message`
    tokens: int  # with its heading


class Frame(NamedTuple):
    """What an agent is handed before it replies: `text`, and the parts in it, without headings."""

    message: str
    language: str  # that of the message, in which the headings are
    gate: Gate
    soul: str
    profile: str
    memories: str  # the block of related memories, with its own heading
    recent: str
    text: str
    tokens: int
    recall: Recall | None  # what was recalled, with its trace; None where the gate saw no need
    left_out: tuple[LeftOut, ...]
    state: "Conversation"  # of the conversation, for the next message
    parts: tuple[FramePart, ...] = ()  # what each part of the text takes, in its order
    budget: int = 0  # tokens that the text may have


class Session(NamedTuple):
    id: str
    turns: int
    first_at: datetime
    last_at: datetime


class Segment(NamedTuple):
    session: str
    first_turn: int
    last_turn: int  # the numbers of its turns in the journal
    started_at: datetime
    ended_at: datetime
    topic: str
    tags: tuple[str, ...]
    text: str  # what was said, without the noise
    no: int = 0


class Event(NamedTuple):
    date: str  # the day where it was said, as YYYY-MM-DD
    at: datetime
    session: str
    channel: str
    sender: str
    summary: str
    tokens: int
    trust: Origin = "user"
    compressed: bool = False
    agent: str = ""


class Entity(NamedTuple):
    name: str
    type: str  # one of `ENTITY_TYPES`
    aliases: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    no: int = 0

    @property
    def id(self) -> str:
        return f"e_{self.no:03d}"


class Review(NamedTuple):
    belief: Record
    against: Record
    asked_at: datetime


class Problem(NamedTuple):
    where: str
    what: str
    hint: str
    derived: bool = False  # whether it can be rebuilt, so that nothing is lost


class Pause(NamedTuple):
    """A time in which nothing is journalled or learned."""

    since: datetime
    until: datetime | None = None  # None until it is ended


class FileProblem(NamedTuple):
    """Something in a file that could not be taken; the rest was."""

    file: str
    line: int  # from 1; 0 for the file as a whole
    what: str
    hint: str = ""


# By a name of its own: within `Memory`, `list` is a verb.
Problems = list[Problem]
