"""Storage: `store.py` has `Store`, everything Loxodon asks of a database, `sqlite/` and `postgres/`
its backends. This module has the values that pass between them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from loxodon.types import Entity, Kind, Record

if TYPE_CHECKING:
    from loxodon.store.vector_math import Floats

Progress = Callable[[int, int], None]  # called from time to time with (done, total)


def quiet(done: int, total: int) -> None: ...  # where nobody follows it


Index = Literal["memories", "archive", "turns", "segments", "chunks", "documents"]

# It holds; it holds and a person reworded it; it was superseded; it was a guess that proved wrong;
# it faded or expired; someone archived it, or a fact took the place of a guess
Standing = Literal["live", "reworded", "past", "rejected", "faded", "put away"]


class Filter(NamedTuple):
    """Which memories or turns to return; None means any. Names ignore case."""

    kind: str | None = None
    state: str | None = None
    project: str | None = None
    topic: str | None = None
    tag: str | None = None
    entity: str | None = None
    # (subject), (subject, attribute), (subject, attribute, value) or (subject, "", category)
    about: tuple[str, ...] = ()
    # For turns and segments only; the other fields, except times, are for memories.
    session: str | None = None
    since: datetime | None = None  # of a memory, when it began to hold, or was created
    until: datetime | None = None  # exclusive
    audience: str | None = None  # `group`: what a group chat may see
    told: str | None = None  # for memories only: those with exactly this audience
    trust: tuple[str, ...] = ()  # for memories only: those whose words came from one of these
    namespace: str | None = None  # for documents only: a prefix of their path


class Hit(NamedTuple):
    row: int
    score: float


class Place(NamedTuple):
    row: int
    session: int
    role: str
    speaker: str
    channel: str
    at: int  # milliseconds since 1970 UTC


class Beside(NamedTuple):
    """The rows of the turns before and after a turn in its session, nearest first."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class KnownNames(NamedTuple):
    entities: Mapping[str, Entity] = {}
    projects: Mapping[str, str] = {}  # as the newest memory that has it writes it
    topics: Mapping[str, str] = {}


class Having(NamedTuple):
    rows: int  # roughly how many rows the index has
    counts: Mapping[str, float]  # roughly how many rows have each word
    # The rows with each word, and how often; not for very common words
    lists: Mapping[str, Mapping[int, int]]


class Nature(NamedTuple):
    cohesion: float  # 0: consecutive turns are no more similar than any two; a talk is near 1
    words: float  # the mean number of words in a turn


class KnownTurn(NamedTuple):
    changed: bool  # whether its text there is different
    own: bool = False  # whether it is stored as the user's own, without a name


class Counts(NamedTuple):
    turns: int
    sessions: int
    kinds: Mapping[str, int]  # by kind, active and archived together
    active: int
    archived: int
    importance: Mapping[str, int]  # critical (0.9 and up), high (0.7), medium (0.4), low


class Work(NamedTuple):
    done_to: int = 0  # every turn up to this number is consolidated
    upto: int = 0  # the last turn in progress
    phase: int = 0  # the next phase for the turns in progress; 0 if there are none
    attempts: int = 0  # runs started since the last success
    last_run: datetime | None = None
    last_success: datetime | None = None
    error: str = ""  # why the last run failed
    daily_to: str = ""  # the last day whose events were compressed
    weekly_at: datetime | None = None


class MemoryUse(NamedTuple):
    id: str
    days: int
    times: int
    last_at: datetime


class Change(NamedTuple):
    id: str
    change: str  # `edited`, `superseded`, …
    at: datetime


class Spent(NamedTuple):
    day: str
    phase: str
    calls: int
    tokens_in: int
    tokens_out: int


class JobRuns(NamedTuple):
    name: str
    last_at: datetime
    seconds: float  # the duration of the last run
    counts: Mapping[str, int]  # what the last successful run did
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    error: str = ""  # why it failed
    failures: int = 0  # failed runs since the last success
    runs: int = 1


class Altered(NamedTuple):
    row: int
    change: str  # the last change of it: `edited`, `superseded`, …
    at: datetime
    before: Record | None  # what it was before the first; None if it is new


class Tie(NamedTuple):
    """What a memory says of whom, without its words."""

    id: str
    subject: str
    attribute: str
    value: str
    entities: tuple[str, ...]
    project: str
    strength: float
    said_at: int
    changed_at: int  # milliseconds since 1970 UTC
    ended_at: int  # likewise; 0 for one that holds


class Step(NamedTuple):
    version: int
    at: datetime
    change: str
    base: float
    since: datetime  # when it had that strength; it falls from there
    kind: Kind
    importance: float
    state: str


class PoolSizes(NamedTuple):
    """Counts that are kept up to date, so that no rows are read."""

    active: int
    archived: int
    entities: int
    topics: int
    turns: int


FileRole = Literal["memory", "user", "daily", "note"]  # MEMORY.md, USER.md, daily note, other


class NoteFile(NamedTuple):
    root: str  # the folder it was found under, as a full path
    path: str  # relative to that folder, with slashes
    role: FileRole
    size: int
    mtime: int  # nanoseconds
    hash: bytes  # of its bytes and the version of the chunking rules; empty if unreadable
    problem: str = ""  # why it could not be read, or what was left out


class Chunk(NamedTuple):
    text: str
    first_line: int
    last_line: int
    heading: str = ""  # the headings above it, outermost first, separated by ` > `
    at: datetime | None = None  # its date, if the file or the line has one
    type: Literal["", "world", "experience", "opinion"] = ""
    importance: float | None = None
    project: str = ""
    triggers: tuple[str, ...] = ()  # words for which it should be recalled


class Note(NamedTuple):
    """A chunk with the first file that contains it."""

    file: NoteFile
    chunk: Chunk

    @property
    def searchable(self) -> str:
        chunk = self.chunk
        return "\n".join((chunk.text, chunk.heading, chunk.project, *chunk.triggers))


Namespace = tuple[str, ...]


class StoredDocument(NamedTuple):
    no: int  # the number of its last change; higher is newer
    namespace: "Namespace"  # `rows.read_as` goes by the name
    key: str
    value: str  # JSON
    created_at: int
    updated_at: int  # milliseconds since 1970 UTC, like all of its times
    minutes: float | None  # how long it is kept after its last use; None for ever
    expires_at: int | None


class QuarantinedText(NamedTuple):
    no: int
    turn: int | None  # the number of the turn that contains it
    memory: str  # the id of the memory that lacks it; empty if none
    start: int
    stop: int  # its position in the turn, in characters
    text: str  # the words, if no turn has them
    reason: str
    origin: str
    at: datetime
    state: str
    decided_at: datetime | None


class StoredReceipt(NamedTuple):
    id: str
    at: datetime
    actor: str
    what: str
    erased: Mapping[str, int]
    files: tuple[list[str | int], ...]


Embeddable = Literal["memories", "turns", "chunks"]


class QuestionVector(NamedTuple):
    model: str
    vector: "Floats"
    asks: str = ""  # the language of the question; empty if it is not a question
    told: bool = False  # whether it is a message that tells more than it asks


class Coverage(NamedTuple):
    model: str
    embedded: int
    pending: int  # texts that have no vector yet, and what it has to look at
    failing: int  # those of them that it failed on
    error: str  # why the last run could not go on, or what the last failure was; empty for neither


class TextToEmbed(NamedTuple):
    kind: Embeddable
    row: int


class Vector(NamedTuple):
    pool: Index
    row: int
    hash: bytes  # SHA-256 of the embedded text
    half: bytes  # the vector, normalised, as float16
