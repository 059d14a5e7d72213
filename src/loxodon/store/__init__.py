"""The store: the one door to what is kept.

`Store` is what the rest of Loxodon asks of a database. It is bound to one space when it is opened,
and within it to an agent and an audience where these are named (`store/walls.py`), so that no call
can leave them out and none can look across. A backend promises what is written at
each method here and passes `tests/store/contract.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from loxodon.types import Entity, Problem, Record, Source, Turn, Version
from loxodon.values import NamedTuple

if TYPE_CHECKING:
    from loxodon.store.documents import DocumentStore
    from loxodon.store.erasure import Erasure
    from loxodon.store.primary import PrimaryData
    from loxodon.store.quarantine import Quarantine
    from loxodon.store.sqlite.database import Witness
    from loxodon.store.tokens import Tokens
    from loxodon.store.vectors import Vectors
    from loxodon.store.walls import Wall
    from loxodon.store.worklog import WorkLog
    from loxodon.store.workspace_data import WorkspaceData
    from loxodon.trust.audit.log import Audit

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
    """Where a turn stands in its session, and what is to know of it without reading it."""

    row: int
    session: int
    role: str
    speaker: str
    channel: str
    at: int
    """Milliseconds since 1970 UTC."""
    before: tuple[int, ...]
    """The rows of the turns before it in its session, nearest first."""
    after: tuple[int, ...]


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
    lists: Mapping[str, frozenset[int]]
    """Which; not of words that very many have."""


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


class Store(Protocol):
    """One space of one home. Safe to use from several threads and processes."""

    space: str
    wall: Wall
    """What it is bound to; what cannot be seen behind it is as if it were not there."""
    audit: Audit | None
    """Where what is done is put on record; None where it is not."""

    def put_on_record(self, audit: Audit, witness: Witness) -> None:
        """From here on nothing is committed that `witness` was not told of."""
        ...

    def sign_with(self, sign: Callable[[bytes], bytes]) -> None:
        """From here on changes of sensitive memories are signed with `sign`."""
        ...

    def signatures(self) -> Signatures:
        """Check every signature."""
        ...

    def sign_if_foreign(self) -> int:
        """Sign all that is sensitive where no signature holds: it was signed with another key.

        For what was restored into another home; how many memories were signed.
        """
        ...

    def sign_anew(self, ids: Iterable[str]) -> None:
        """Sign every version of these memories as it stands, and put the sum of all on record.

        Call inside `writing`.
        """
        ...

    @property
    def anchor(self) -> str:
        """Where the last write is on record, as the witness said; empty for nowhere."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """One view of the data for several reads, whatever others write meanwhile."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all of what is written inside is kept, or nothing.

        Writers wait for each other in fair order. On leaving, what was written is on disk.
        """
        ...

    def writing_as(self, agent: str) -> AbstractContextManager[None]:
        """A transaction in which only the memories and entities of one agent are there, and what
        is made is its own; of agent "" those that are nobody's.

        So what agents know is kept right for each by itself: no statement made to one changes,
        confirms or tells what another knows.
        """
        ...

    def agents(self) -> list[str]:
        """The agents that anything belongs to, "" first, which stands for none."""
        ...

    def append(self, turns: Sequence[tuple[Turn, bytes]]) -> list[Turn | KnownTurn]:
        """Put turns, each with its key, at the end of the journal, in order and indexed.

        Returns each turn as it is kept (with its id and ref), or what is known of one whose key
        the journal already has. Call inside `writing`.
        """
        ...

    def known(self, turns: Sequence[tuple[Turn, bytes]]) -> list[KnownTurn | None]:
        """What the journal, or an earlier one of `turns`, has under each key; None for nothing."""
        ...

    def attribute(self, turns: Sequence[tuple[Turn, bytes]]) -> list[tuple[Turn, Turn]]:
        """Let turns that the journal has, by their keys, have the speaker and origin that they have
        here; those that had others, as they were and as they are. Call inside `writing`.
        """
        ...

    def session_size(self, id: str) -> int:
        """How many turns were ever journalled in a session."""
        ...

    def last_texts(self, session: str, limit: int) -> list[str]:
        """What was journalled last in a session, the oldest of these first."""
        ...

    def turn_row(self, session: str, id: str) -> int | None:
        """The row of a turn by its session and id; the newest, should two share them."""
        ...

    def turns(self, rows: Iterable[int]) -> dict[int, Turn]:
        """Turns by row, those that exist."""
        ...

    def journal(self, where: Filter, limit: int) -> list[Turn]:
        """The latest `limit` turns (0: all) that `where` admits, in the order of their time."""
        ...

    def insert(self, record: Record, change: str) -> Record:
        """Keep a new memory, indexed. Its id is given out here; `change` opens its history.

        Call inside `writing`.
        """
        ...

    def update(
        self,
        id: str,
        version: int | None,
        change: str,
        at: datetime,
        values: Mapping[str, Any],
        *,
        vouched: bool = False,
    ) -> Record:
        """Change fields of a memory: version + 1, the record as it stood goes to its history.

        Behind a wall one changes one's own (ForbiddenError); what the user's words bear out
        (`vouched`) also of what is the owner's.

        Raises StaleEditError if it is no longer at `version` (None: whatever it is at), and
        NotFoundError. A new state moves it between the indexes. Call inside `writing`.
        """
        ...

    def get(self, id: str) -> Record | None:
        """A memory by id."""
        ...

    def find(self, where: Filter, limit: int = 0, strongest: bool = False) -> list[Record]:
        """The newest, or strongest, `limit` memories (0: all) that `where` admits, in order."""
        ...

    def latest(self, label: str, name: str, limit: int) -> list[Record]:
        """The `limit` active memories with a label that were kept last, newest first.

        The label is `project`, `topic`, `tag` or `entity`. However many have it, only so many are
        looked at.
        """
        ...

    def latest_about(self, about: tuple[str, ...], limit: int) -> list[Record]:
        """The same for what memories are about, as in `Filter.about`."""
        ...

    def labelled(self, label: str, name: str, limit: int, state: str = "active") -> list[int]:
        """The rows of the `limit` memories with a label that were kept last; see `latest`."""
        ...

    def foremost(self, where: Filter, projects: Sequence[str], limit: int) -> list[int]:
        """The rows of the most important memories of some projects, or of all where none is named;
        of equals the newer."""
        ...

    def told_at(self, rows: Iterable[int]) -> dict[int, datetime]:
        """When each of these memories was first told, by its turns."""
        ...

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """The entities that go by these folded names, by name."""
        ...

    def labels_named(self, label: str, names: Iterable[str]) -> dict[str, str]:
        """Those of these folded names that memories have as a label, and how each is written.

        The label is `project` or `topic`. The cost is that of the names, however many have one.
        """
        ...

    def records(self, rows: Iterable[int]) -> dict[int, Record]:
        """Memories by row, those that exist."""
        ...

    def sources(self, rows: Iterable[int]) -> dict[int, tuple[Source, ...]]:
        """Where memories come from, by row; `records` leaves it out."""
        ...

    def live(self, rows: Iterable[int], now: datetime) -> set[int]:
        """Those of these memories that are active and have not expired."""
        ...

    def standing(self, rows: Iterable[int]) -> dict[int, Standing]:
        """Where these memories stand, by row."""
        ...

    def drawn_from(self, turns: Iterable[int]) -> dict[int, list[int]]:
        """For each of these turns that memories were drawn from: the rows of those memories."""
        ...

    def history(self, id: str) -> list[Version]:
        """Every version of a memory, oldest first, the present one last.

        It begins with the history of the memory that this one took the place of.
        """
        ...

    @property
    def worklog(self) -> WorkLog:
        """What consolidation has in hand."""
        ...

    @property
    def workspace_data(self) -> WorkspaceData:
        """What the workspace keeps: files, their chunks, marks and imports."""
        ...

    @property
    def documents(self) -> DocumentStore:
        """What programs keep beside the memories."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Which calls were done already."""
        ...

    @property
    def erasure(self) -> Erasure:
        """What takes things out for good."""
        ...

    @property
    def primary(self) -> PrimaryData:
        """All that is not derived, table by table, out and in."""
        ...

    @property
    def quarantine(self) -> Quarantine:
        """What is kept of others' words, and told to nobody."""
        ...

    @property
    def vectors(self) -> Vectors:
        """What finds texts by their meaning, where an embedder is set."""
        ...

    def search(self, index: Index, words: Sequence[str], where: Filter, limit: int) -> list[Hit]:
        """The rows of an index that best match any of `words`, best first.

        Words come from `text.words.query_words`. Deterministic: ties go to the newer row.
        """
        ...

    def having(self, index: Index, words: Sequence[str]) -> Having:
        """Which rows of an index have each of `words`."""
        ...

    def admitted(self, index: Index, rows: Iterable[int], where: Filter) -> set[int]:
        """Those of these rows that `where` admits: for what was found without it."""
        ...

    def places(self, rows: Iterable[int]) -> dict[int, Place]:
        """Where turns stand, by row."""
        ...

    def stretches(self, segments: Iterable[int]) -> dict[int, Stretch]:
        """Which turns segments hold, by their row in the index `segments`."""
        ...

    def nature(self) -> Nature:
        """What kind of talk the journal holds, by a sample of it."""
        ...

    def counts(self) -> Counts:
        """How much there is."""
        ...

    def check(self, progress: Progress) -> list[Problem]:
        """Everything that is wrong with the data or its indexes; empty when all is well."""
        ...

    def rebuild(self, progress: Progress) -> int:
        """Make everything derived anew from the truth; how many rows were indexed."""
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""
        ...
