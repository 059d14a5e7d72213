"""What is kept, and how it is asked for.

`protocol.py` says what the rest of Loxodon asks of a database; `sqlite/` does it. Here are the
values that pass between them, the same for every backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from loxodon.types import Record
from loxodon.values import NamedTuple

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats

Progress = Callable[[int, int], None]
"""Called now and then with how much is done and how much there is."""

Index = Literal["memories", "archive", "turns", "segments", "chunks", "documents"]

Standing = Literal["live", "reworded", "past", "faded", "put away"]
"""Where a memory stands: it holds; it does, in words that a person gave it; it held until something
else did; it faded or expired; someone archived it."""


class Filter(NamedTuple):
    """Which memories or turns; None leaves a question open. Names match whatever their case."""

    kind: str | None = None
    state: str | None = None
    project: str | None = None
    topic: str | None = None
    tag: str | None = None
    entity: str | None = None
    about: tuple[str, ...] = ()
    """A subject; or it and an attribute; or these and a value; or a subject, "" and a category."""
    session: str | None = None
    """Of turns and segments only; the others but the times are of memories only. Notes have a
    project and times as well, and nothing else."""
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive. The time of a memory is since when it holds, else when it was made."""
    audience: str | None = None
    """`group` admits what may be told in a group chat: no memory that is private, no turn of a
    direct chat, nor one that a private memory was drawn from, and no note."""
    told: str | None = None
    """Of memories only: those with just this audience."""
    trust: tuple[str, ...] = ()
    """Of memories only: those whose words came from one of these."""
    namespace: str | None = None
    """Of documents only, which have nothing else: how the path of theirs begins."""


class Hit(NamedTuple):
    """A row of an index that has words of the query; a higher score is a better match."""

    row: int
    score: float


class Place(NamedTuple):
    """Where a turn stands, and what is to know of it without reading it."""

    row: int
    session: int
    role: str
    speaker: str
    channel: str
    at: int
    """Milliseconds since 1970 UTC."""


class Beside(NamedTuple):
    """The rows of the turns before and after one in its session, nearest first."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class Stretch(NamedTuple):
    """The turns of a segment: those of a session from one row to another."""

    session: int
    first: int
    last: int


class Having(NamedTuple):
    """Which rows of an index have which words."""

    rows: int
    """How many rows the index has, about."""
    counts: Mapping[str, float]
    """How many have each word, about."""
    lists: Mapping[str, Mapping[int, int]]
    """Which, and how often each; not of words that very many have."""


class Nature(NamedTuple):
    """What kind of talk a journal holds."""

    cohesion: float
    """0 where turns in a row have no more in common than any two; near 1 in a conversation."""
    words: float
    """How many words a turn has, on average."""


class KnownTurn(NamedTuple):
    """A turn that the journal has already."""

    changed: bool
    """Whether it has other words there."""
    own: bool = False
    """Whether it is there as the user's own, without a name."""


class Signatures(NamedTuple):
    """How the signatures of sensitive memories stand."""

    good: int
    bad: tuple[str, ...]
    """Memories of which one is missing, or is not that of what stands there."""
    total: str
    """The sum of all."""
    anchor: str
    """`Store.anchor` at the same moment."""


class Counts(NamedTuple):
    """How much there is."""

    turns: int
    sessions: int
    kinds: Mapping[str, int]
    """By kind, active and archived together."""
    active: int
    archived: int
    bands: Mapping[str, int]
    """By importance: critical, high, medium, low."""


# Consolidation


class Work(NamedTuple):
    """Where consolidation stands."""

    done_to: int = 0
    """Every turn of the journal up to this number is consolidated."""
    upto: int = 0
    """The turns in hand go up to this one."""
    phase: int = 0
    """The phase that is next for what is in hand; 0 where nothing is."""
    attempts: int = 0
    """Runs begun since the last that succeeded."""
    last_run: datetime | None = None
    last_success: datetime | None = None
    error: str = ""
    """Why the last run failed."""
    daily_to: str = ""
    """The last day whose events were compressed."""
    weekly_at: datetime | None = None


class MemoryUse(NamedTuple):
    """A memory that was used since the last run."""

    id: str
    days: int
    times: int
    last_at: datetime


class Spent(NamedTuple):
    """Tokens that a model took, for one phase of one day."""

    day: str
    phase: str
    calls: int
    tokens_in: int
    tokens_out: int


class JobRuns(NamedTuple):
    """What is known of the runs of a job of the background."""

    name: str
    last_at: datetime
    seconds: float
    """What the last run took."""
    counts: Mapping[str, int]
    """What the last that succeeded did."""
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""
    """Why it failed then."""
    failures: int = 0
    """Runs that failed since the last that succeeded."""
    runs: int = 1


class PoolSizes(NamedTuple):
    """How much there is, counted without looking at each."""

    active: int
    archived: int
    entities: int
    topics: int
    turns: int


# The workspace


FileRole = Literal["memory", "user", "soul", "agents", "daily", "note"]
"""What a file is: MEMORY.md, USER.md, SOUL.md or IDENTITY.md, AGENTS.md, a day's notes, another."""


class NoteFile(NamedTuple):
    """A file that is read where it lies."""

    root: str
    """The folder it was found under, as a full path."""
    path: str
    """Within that folder, with slashes."""
    role: FileRole
    size: int
    mtime: int
    """Nanoseconds."""
    hash: bytes
    """SHA-256 of its bytes, and by which rules it was cut; empty where it could not be opened."""
    problem: str = ""
    """Why it could not be read, or what of it was left out."""


class Chunk(NamedTuple):
    """A piece of a file."""

    text: str
    first_line: int
    last_line: int
    heading: str = ""
    """The headings above it, outermost first, with ` > ` between."""
    at: datetime | None = None
    """The day it is of, where the file or the line says one."""
    type: Literal["", "world", "experience", "opinion"] = ""
    importance: float | None = None
    project: str = ""
    triggers: tuple[str, ...] = ()
    """Words that it should come up for."""


class Note(NamedTuple):
    """A chunk in the file where it stands first."""

    file: NoteFile
    chunk: Chunk

    @property
    def searchable(self) -> str:
        """What it is found by where it stands first: its words, headings, project and triggers."""
        chunk = self.chunk
        return "\n".join((chunk.text, chunk.heading, chunk.project, *chunk.triggers))


# Documents and calls


Namespace = tuple[str, ...]


class StoredDocument(NamedTuple):
    """A document as the store has it."""

    no: int
    """The number of its last change: a higher one is newer."""
    namespace: Namespace
    key: str
    value: str
    """JSON."""
    created_at: int
    updated_at: int
    """Milliseconds since 1970 UTC, as is `expires_at`: thousands are looked at, few are told."""
    minutes: float | None
    """How long it is kept after it was last wanted; None for good."""
    expires_at: int | None


class CompletedCall(NamedTuple):
    """A call that was done."""

    request: bytes
    """The digest of what was asked."""
    memory: str
    version: int
    """What it led to."""


# Trust


class QuarantinedText(NamedTuple):
    """One stretch as the store has it."""

    no: int
    turn: int | None
    """The number of the turn that has it."""
    memory: str
    """The id of the memory that lacks it; empty for none."""
    start: int
    stop: int
    """Where it stands in the turn, in characters."""
    text: str
    """The words, where no turn has them."""
    reason: str
    origin: str
    at: datetime
    state: str
    decided_at: datetime | None


class TurnRow(NamedTuple):
    """A turn as it lies in the journal."""

    seq: int
    session: str
    id: str
    key: bytes
    speaker: str
    channel: str
    at: int
    """Milliseconds since 1970 UTC."""
    content: str


class MemoryRow(NamedTuple):
    """A memory with its number and those of the turns that it was drawn from."""

    row: int
    record: Record
    turns: tuple[int, ...]


class TextAt(NamedTuple):
    """A text of a table that hangs on nothing else."""

    table: str
    key: tuple[int | str, ...]
    column: str
    text: str
    at: int
    """When it was written; 0 where that is not known."""


# Vectors


Embeddable = Literal["memories", "turns", "chunks"]
"""What is embedded: memories, active or archived, turns, and chunks of files."""


class QuestionVector(NamedTuple):
    """A question as one model sees it."""

    model: str
    vector: Floats
    asks: str = ""
    """The language that it is asked in; empty where it is no question, only words."""
    told: bool = False
    """Whether it is a message, or a piece of dialogue, that tells more than it asks."""


class Near(NamedTuple):
    """A row whose text is close in meaning to a question."""

    row: int
    cosine: float
    """Of what is left of both vectors without what all texts have in common."""
    score: float
    """How much larger that is than the question's cosine with any text, by how much cosines differ:
    0 is no closer than the rest, 3 clearly. Scores of different models can be compared."""


class Waiting(NamedTuple):
    """A text that has to be embedded."""

    kind: Embeddable
    row: int


class Vector(NamedTuple):
    """A text's vector, to be kept."""

    pool: Index
    row: int
    hash: bytes
    """SHA-256 of the text that was embedded."""
    half: bytes
    """The vector, of length 1, as float16."""
