"""The values that pass between the parts: turns, memories, and what a recall answers.

All are frozen (NamedTuples: a recall makes hundreds of them), and none knows how it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from loxodon.recall.gate import State as Conversation
    from loxodon.recall.understand import Question

Role = Literal["user", "assistant", "system", "tool"]
Chat = Literal["direct", "group", "room"]
# What a memory is trusted for follows from where it came from, never from its wording; `relayed`
# is the user in a message that a program assembled.
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
    "identity",
    "health",
    "preference",
    "relation",
    "status",
    "fact",
    "config",
    "credential",
    "decision",
    "solution",
    "event",
    "conversation",
    "plan",
    "temp",
    "debug",
)

# What can be done to a memory; each step of its history has one of these.
CHANGES = (
    "captured",
    "imported",
    "edited",
    "archived",
    "unarchived",
    "learned",
    "held",
    "late",
    "updated",
    "repeated",
    "renamed",
    "superseded",
    "corrected",
    "retracted",
    "merged",
    "confirmed",
    "doubted",
    "denied",
    "unsettled",
    "rejected",
    "used",
    "returned",
    "faded",
    "expired",
    "renewed",
    "reworded",
    "outdated",
)

ENTITY_TYPES = ("person", "place", "organisation", "project", "product", "pet", "other")
IN_PROJECT = "project:"  # how the channel of a turn begins that was said in a project
CAPTURED = "capture"  # the session and channel of what was captured rather than said
GLOBAL_PROJECT = "_global"
GENERAL_TOPIC = "_general"
_NOTHING: Mapping[Any, Any] = {}

# The journal and the memories.


class Turn(NamedTuple):
    """One message of a conversation, as the journal keeps it."""

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


class Held(NamedTuple):
    """Words in quarantine: an instruction found where nobody vouches for what is said."""

    id: str
    text: str  # the words; empty where they were dropped and no turn has them
    reason: str  # `override`, `memory`, `claim`, `hidden`, …, `forget` or `forget q_12`
    origin: str
    at: datetime
    # `held`, `released`, `dropped`; `unclear` for a request to forget that needs an answer
    state: str
    turn: str = ""  # the turn that has them (`t_512`)
    memory: str = ""  # the memory that has a note in their place


class Version(NamedTuple):
    """One step in a memory's history: what was done to it, and the record as it then stood."""

    version: int
    at: datetime
    change: str  # one of `CHANGES`
    record: Record


class Added(NamedTuple):
    """What became of the turns handed to `add`."""

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


# Recall.


class Gate(NamedTuple):
    """Whether a message was worth a recall, and why."""

    recall: bool
    reason: str  # one word that stays the same, of `recall.gate.REASONS`; `recall.gate.why` says it


class Item(NamedTuple):
    """One thing recalled: a memory, a turn of the journal, or a note of a file."""

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


class Stage(NamedTuple):
    """A step of a recall, and what it took."""

    name: str
    ms: float


class Considered(NamedTuple):
    """Something that was found, and what became of it."""

    id: str
    kind: str
    score: float
    routes: Mapping[str, float]  # score by route, before the factors
    factors: Mapping[str, float]  # what that was multiplied by, and for what
    fate: str  # `shown`, `same` (as another item), or the reason of a `LeftOut`


class Trace(NamedTuple):
    """How a recall came to its answer."""

    question: Question  # the question as it was understood
    routes: Mapping[str, int]  # how many turns and memories each route gave something to
    considered: tuple[Considered, ...]  # best first: what is shown, and what came next
    stages: tuple[Stage, ...]
    profile: str = "default"  # the ranking that ordered them
    trouble: tuple[str, ...] = ()  # routes that failed, and why; the others answered


class Recall(NamedTuple):
    """The answer to a recall: items, best first, and the block of text to hand to an agent."""

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
    """A part of a frame, and what it takes."""

    name: str  # `soul`, `profile`, `memories`, `recent` or `message`
    tokens: int  # with its heading


class Frame(NamedTuple):
    """What an agent is handed before it replies: `text`, and the parts that it is made of.

    A part that is empty is not in the text. The parts are as they stand there, without headings.
    """

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
    state: Conversation  # of the conversation, for the next message
    parts: tuple[FramePart, ...] = ()  # what each part of the text takes, in its order
    budget: int = 0  # tokens that the text may have


# What the memory knows of conversations, people and things.


class Session(NamedTuple):
    """A conversation in the journal."""

    id: str
    turns: int
    first_at: datetime
    last_at: datetime


class Segment(NamedTuple):
    """A stretch of a session that is about one thing."""

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
    """What a stretch of talk was about, in one line."""

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
    """Someone or something that memories are about."""

    name: str
    type: str  # one of `ENTITY_TYPES`
    aliases: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    no: int = 0

    @property
    def id(self) -> str:
        return f"e_{self.no:03d}"


class Attribute(NamedTuple):
    """What something is for an entity, and since when that is known."""

    value: str
    updated_at: datetime


class Card(NamedTuple):
    """An entity with all that is known of it."""

    entity: Entity
    attributes: Mapping[str, Attribute]
    facts: tuple[str, ...]
    beliefs: tuple[str, ...]
    summaries: tuple[str, ...]  # the ids of the memories about it, newest first


class Review(NamedTuple):
    """A belief that contradicts something firm, waiting to be confirmed or rejected."""

    belief: Record
    against: Record
    asked_at: datetime


# The clock.


class Belief(NamedTuple):
    """What is believed of the clock (`store/clock_check.py`)."""

    at: datetime | None = None  # the latest moment that was believed
    since: datetime | None = None  # when a clock that does not follow from `at` was first seen


class Doubted(NamedTuple):
    """A clock that has jumped: nothing fades, expires or is summed up by it."""

    now: datetime  # what it says
    last: datetime | None  # the latest moment that was believed; None where none ever was
    until: datetime | None  # when it is believed if it goes on from here; None for never by itself


class Aged(NamedTuple):
    """What one run archived for its age."""

    at: datetime
    faded: int
    expired: int


class Timekeeping(NamedTuple):
    """What the clock says, and what is made of it."""

    now: datetime
    believed: datetime | None  # the latest moment that was believed
    doubted: Doubted | None
    turns_ahead: int  # turns that are dated later than now
    runs: tuple[Aged, ...]  # runs that archived something for its age, the latest first


# The model, consolidation and embedding.


class Asking(NamedTuple):
    """What a run asked a model, and what that changed."""

    questions: int = 0
    asked: int = 0  # messages, or parts of them, that it was asked about
    decided: int = 0  # those of them that it answered in a way that can be believed
    did: Mapping[str, int] = _NOTHING  # answers by kind: `add`, `update`, `end`, `same`, `drop`
    refused: Mapping[str, int] = _NOTHING  # what was not believed, by the reason
    tokens: Mapping[str, int] = _NOTHING  # by task


class ModelTried(NamedTuple):
    """How a model did on the test sentences of a language."""

    language: str
    passed: int
    of: int
    failed: tuple[str, ...]  # the sentences that it did not read well
    seconds: float
    tokens_in: int
    tokens_out: int
    problem: str = ""  # why there was no answer that can be used, where there was none


class ModelChecked(NamedTuple):
    """What the model that is set can do."""

    name: str
    base_url: str
    keeps_to_schemas: bool  # whether the server takes a JSON schema
    good: bool  # whether it reads well enough to decide, in every language
    tried: tuple[ModelTried, ...]


class HandedOut(NamedTuple):
    """What waits, as a question for an agent that reads it in a model's place."""

    ticket: str  # names this question; it goes with the answer. Empty where nothing waits
    instructions: str = ""
    data: str = ""  # the messages, what is known, and what the rules read
    left: int = 0  # messages that wait beside these


class Consolidated(NamedTuple):
    """What a consolidation did."""

    ran: bool
    reason: str  # why it ran, or why not
    turns: int = 0
    # by change: `added`, `updated`, `superseded`, `archived`, …
    counts: Mapping[str, int] = _NOTHING
    seconds: Mapping[int, float] = _NOTHING  # what each phase took
    tokens: int = 0  # that a model took
    problem: str = ""  # why the model could not be asked, where it could not
    views: str = ""  # why the text views could not be written, where they could not
    held: Doubted | None = None  # set if the clock is doubted: nothing was archived or compressed
    model: Asking | None = None  # None without a model


class Coverage(NamedTuple):
    """How much of a memory one embedder has embedded."""

    model: str
    embedded: int
    pending: int  # texts that have no vector yet, and what it has to look at
    failing: int  # those of them that it failed on
    error: str  # why the last run could not go on, or what the last failure was; empty for neither


class Embedded(NamedTuple):
    """What an embedding run did."""

    embedded: int  # texts that have a vector now
    models: tuple[Coverage, ...]  # how far each model has come; none where no embedder is set


# Checking, forgetting and pausing.


class Problem(NamedTuple):
    """Something `validate` found wrong."""

    where: str
    what: str
    hint: str
    derived: bool = False  # whether it can be rebuilt, so that nothing is lost


class NearName(NamedTuple):
    """A name that is much like one that is to be forgotten, and stays unless it is chosen."""

    name: str
    turns: int  # how many have it


class Receipt(NamedTuple):
    """What was forgotten, without a word of it."""

    id: str
    at: datetime
    by: str  # who did it: the surface, and the agent and caller where these are known
    what: str  # what was named: `ids`, `entity`, `topic`, `session`, `since`, `all` or `space`
    erased: Mapping[str, int]  # how many went, by place: turns, memories, segments, transcripts, …
    # where the text remains; `what` is `changed`, `away`, `copy` or `backup`
    files: tuple[FileProblem, ...]
    names: tuple[str, ...] = ()  # of a preview: every name of the entity, which would go with it
    near: tuple[NearName, ...] = ()  # names that stay, and may be short forms of these: Lizzy, 笑笑
    doubtful: tuple[str, ...] = ()  # sentences that remain and may be about the entity


class Pause(NamedTuple):
    """A time in which nothing is journalled or learned."""

    since: datetime
    until: datetime | None = None  # None until it is ended


# Files: views, backups, notes, imports and transcripts.


class FileProblem(NamedTuple):
    """Something in a file that could not be taken; the rest was."""

    file: str
    line: int  # from 1; 0 for the file as a whole
    what: str
    hint: str = ""


class Exported(NamedTuple):
    """What an export did."""

    folder: str
    written: int
    unchanged: int
    removed: int
    kept: tuple[FileProblem, ...]  # files left alone: not ours, or with edits that wait for `sync`
    masked: bool = False


class Backup(NamedTuple):
    """A backup that was written."""

    path: str
    spaces: tuple[str, ...]
    turns: int
    memories: int
    size: int  # bytes
    encrypted: bool
    removed: tuple[str, ...] = ()  # older backups that were removed for it


class BackupFile(NamedTuple):
    """A backup in the folder for them."""

    path: str
    at: datetime
    size: int  # bytes
    whole: bool  # whether it has all spaces of the home


class Restored(NamedTuple):
    """What a restore made of a folder of views."""

    turns: int
    memories: int
    added: tuple[str, ...] = ()  # ids of memories that were written into the views by hand
    # files edited since the export, and what became of the edits
    edited: tuple[FileProblem, ...] = ()
    before: str = ""  # where the database that was there is now; empty where there was none
    offered: Mapping[str, str | int | float] = _NOTHING  # settings of the backup, not applied


class Repaired(NamedTuple):
    """What a repair did."""

    problems: tuple[Problem, ...]  # what was wrong before; nothing is now
    rebuilt: bool = False  # whether making anew what is derived was enough
    turns: int = 0
    memories: int = 0  # how many there are now, where the file was made anew
    source: str = ""  # the copy that it was restored from
    added: int = 0  # messages that only the damaged file had
    before: str = ""  # where the damaged file is now; empty where it was mended in its place


class Indexed(NamedTuple):
    """What became of the files that are read where they lie."""

    read: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0  # of the files that were read
    problems: tuple[FileProblem, ...] = ()


class SourceFile(NamedTuple):
    """A file that is read where it lies."""

    file: str
    role: str  # `memory`, `user`, `soul`, `agents`, `daily` or `note`
    size: int
    chunks: int
    problem: str = ""  # why it could not be read, or what of it was left out


class Synced(NamedTuple):
    """What was taken in from the workspace."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    unarchived: tuple[str, ...] = ()  # the ids of memories that a person changed in a view
    conflicts: tuple[FileProblem, ...] = ()  # edits of a memory that has changed meanwhile
    problems: tuple[FileProblem, ...] = ()  # lines that cannot be read
    notes: tuple[FileProblem, ...] = ()  # edits taken otherwise than written, or not read back
    indexed: Indexed = Indexed()


class Imported(NamedTuple):
    """What an import took."""

    format: str
    turns: int = 0
    memories: int = 0
    known: int = 0  # turns and memories that were here already
    skipped: Mapping[str, int] = _NOTHING  # what was left out on purpose, by reason
    problems: tuple[FileProblem, ...] = ()


class Followed(NamedTuple):
    """What was journalled from the transcripts of an agent."""

    added: int = 0
    known: int = 0  # turns the journal already had
    changed: int = 0  # known turns with another text under the same id
    sessions: tuple[str, ...] = ()  # those that turns were added to
    read: int = 0  # transcripts that had something new
    unchanged: int = 0
    skipped: int = 0  # transcripts without a person: schedules, heartbeats, subagents
    problems: tuple[FileProblem, ...] = ()


# The background.


class Job(NamedTuple):
    """Work of the background: when it is due, and how it went."""

    name: str  # `flush`, `daily`, `weekly`, `profile` or `heartbeat`
    when: str  # a cron expression; empty for never, and for a flush, which follows what is said
    due: bool
    next_at: datetime | None
    last_at: datetime | None = None
    seconds: float = 0.0  # what the last run took
    counts: Mapping[str, int] = _NOTHING  # what the last that succeeded did
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""  # why it failed then, in English
    failures: int = 0  # runs that failed since the last that succeeded: more than none is trouble
    runs: int = 0


class Ran(NamedTuple):
    """One run of a job."""

    job: str
    at: datetime
    seconds: float
    counts: Mapping[str, int] = _NOTHING
    error: str = ""


# Lists of them, by a name of their own: within `Memory`, `list` is a verb.
Records = list[Record]
Problems = list[Problem]
Backups = list[BackupFile]
Changed = list[tuple[str, str, datetime]]
