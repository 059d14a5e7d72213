"""The storage protocol: everything Loxodon asks of a database.

All access goes through `Store`. A store is bound to one space when it is opened, and optionally to
an agent and an audience (`walls.py`). No call can leave these out or reach beyond them. Its parts:

    Store           turns, memories, search, maintenance
    WorkLog         the work in progress of consolidation
    WorkspaceData   files and their chunks, followed transcripts, imports
    DocumentStore   JSON values of programs
    Overview        what pages for people are made of
    Pages           every list, a page at a time
    Vectors         search by meaning
    PrimaryData     export and import of all data that is not derived
    Quarantine      text that is stored but never shown
    Erasure         permanent deletion
    CallTokens      calls that were already done

A backend guarantees what each method documents, and passes `tests/store/contract.py`. Call methods
that write inside `Store.writing`, unless they say otherwise.

This module is for type checkers: a cold recall does not load it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from loxodon.language.statements import Fragment
from loxodon.store import (
    Altered,
    Beside,
    Chunk,
    CompletedCall,
    Counts,
    Embeddable,
    Filter,
    Having,
    Hit,
    Index,
    JobRuns,
    KnownNames,
    KnownTurn,
    LabelUse,
    MemoryRow,
    MemoryUse,
    Namespace,
    Nature,
    Near,
    Note,
    NoteFile,
    Place,
    PoolSizes,
    Progress,
    QuarantinedText,
    QuestionVector,
    Signatures,
    Spent,
    Standing,
    Step,
    StoredDocument,
    StoredReceipt,
    Stretch,
    TextAt,
    TextToEmbed,
    Tie,
    TurnRow,
    Vector,
    Work,
)
from loxodon.store.primary import JournalDay, Row
from loxodon.store.walls import Wall
from loxodon.trust.audit.log import Audit
from loxodon.trust.audit.trail import Testimony
from loxodon.types import (
    Aged,
    Belief,
    Coverage,
    Entity,
    Event,
    Kind,
    Problem,
    Record,
    Review,
    Segment,
    Session,
    Source,
    Turn,
    Version,
)
from loxodon.verbs.paging import Key, Slice


class DecayModel(Protocol):
    """How strength decays; the store keeps a base value and its time, and computes the rest."""

    summary_facts: int

    def now(self) -> datetime:
        """The current time for the decay."""

    def strength(self, base: float, since: datetime, kind: Kind, importance: float) -> float:
        """The current strength."""

    def rate(self, kind: Kind, importance: float) -> float:
        """The share of it that a day takes."""

    def end(self, base: float, since: datetime, kind: Kind, importance: float) -> datetime | None:
        """When it falls below the limit for active memories; None for never."""


class Witness(Protocol):
    """Is notified of every transaction before it is committed, and can refuse it."""

    def before_commit(
        self, anchor: str, changed: Sequence[str], signed: tuple[str, str]
    ) -> Testimony:
        """Log that these were changed; return the position in the log for the database to store.

        `anchor` is the stored position of the last transaction. `signed` has the sum of all
        signatures before (empty if unknown) and now.
        """

    def undone(self, said: str) -> None:
        """The transaction for which `before_commit` returned `said` was not committed."""


class Store(Protocol):
    """One space of one home. Safe to use from several threads and processes."""

    space: str
    wall: Wall
    """The agent and audience it is bound to. Hidden items behave as if they did not exist."""
    summary_facts: int
    """From how many facts on one theme on they are summarised."""
    audit: Audit | None
    """The audit log; None if nothing is logged."""

    def put_on_record(self, audit: Audit, witness: Witness) -> None:
        """From now on, notify `witness` before every commit."""

    def sign_with(self, sign: Callable[[bytes], bytes]) -> None:
        """From now on, sign changes of sensitive memories with `sign`."""

    def signatures(self) -> Signatures:
        """Check every signature."""

    def sign_if_foreign(self) -> int:
        """Sign all sensitive memories if no signature is valid: another key signed them.

        For stores restored into another home. Returns how many memories were signed.
        """

    def sign_anew(self, ids: Iterable[str]) -> None:
        """Sign every version of these memories as it is, and log the sum of all signatures.

        Call inside `writing`.
        """

    @property
    def anchor(self) -> str:
        """The position of the last write in the audit log; empty if there is none."""

    @property
    def writes(self) -> int:
        """A number that grows with every transaction that writes."""

    def reading(self) -> AbstractContextManager[None]:
        """A consistent snapshot for several reads, whatever others write meanwhile."""

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: everything written inside is stored, or nothing.

        Writers wait for each other in fair order. On exit, what was written is on disk.
        """

    def writing_as(self, agent: str) -> AbstractContextManager[None]:
        """A transaction that sees only the memories and entities of one agent, and creates its own;
        for agent "", those that belong to no agent.

        So each agent's knowledge is reconciled separately: no statement made to one agent changes,
        confirms or reveals what another knows.
        """

    def behind(self, wall: Wall) -> Store:
        """The same store behind a wall, with its own connection."""

    def agents(self) -> list[str]:
        """The agents that own anything; "" (no agent) comes first."""

    def append(self, turns: Sequence[tuple[Turn, bytes]]) -> list[Turn | KnownTurn]:
        """Append turns, each with its key, to the journal, in order and indexed.

        Returns each turn as it is stored (with its id and ref), or a KnownTurn if the journal
        already has its key. Call inside `writing`.
        """

    def known(self, turns: Sequence[tuple[Turn, bytes]]) -> list[KnownTurn | None]:
        """What the journal, or an earlier one of `turns`, has under each key, or None."""

    def attribute(self, turns: Sequence[tuple[Turn, bytes]]) -> list[tuple[Turn, Turn]]:
        """Give journalled turns, found by their keys, the speaker and origin they have here.

        Returns (before, after) for those that changed. Call inside `writing`.
        """

    def session_size(self, id: str) -> int:
        """How many turns were ever added to a session."""

    def last_texts(self, session: str, limit: int) -> list[str]:
        """The last texts of a session, oldest first."""

    def turn_row(self, session: str, id: str) -> int | None:
        """The row of a turn by its session and id; the newest if two share them."""

    def turns(self, rows: Iterable[int]) -> dict[int, Turn]:
        """Turns by row; missing ones are left out."""

    def journal(self, where: Filter, limit: int) -> list[Turn]:
        """The latest `limit` turns (0: all) that match `where`, in order of time."""

    def insert(self, record: Record, change: str) -> Record:
        """Store and index a new memory. It gets its id here, unless it has one of our form that is
        free; `change` starts its history.

        Call inside `writing`.
        """

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
        """Change fields of a memory: version + 1; the previous record goes to its history.
        Never before it was made: an earlier `at` counts as that moment.

        Behind a wall, only the agent's own memories can be changed (ForbiddenError), and the
        owner's if the user's words support it (`vouched`).

        Raises StaleEditError if it is no longer at `version` (None: any), and NotFoundError. A new
        state moves it between the indexes. Call inside `writing`.
        """

    def get(self, id: str) -> Record | None:
        """A memory by id."""

    def find(self, where: Filter, limit: int = 0, strongest: bool = False) -> list[Record]:
        """The newest or strongest `limit` memories (0: all) that match `where`, in order."""

    def latest(self, label: str, name: str, limit: int) -> list[Record]:
        """The last `limit` active memories with a label, newest first.

        The label is `project`, `topic`, `tag` or `entity`. Only `limit` rows are read, however many
        have it.
        """

    def latest_about(self, about: tuple[str, ...], limit: int) -> list[Record]:
        """The same by what memories are about, as in `Filter.about`."""

    def labelled(self, label: str, name: str, limit: int, state: str = "active") -> list[int]:
        """The rows of the last `limit` memories with a label; see `latest`."""

    def foremost(self, where: Filter, projects: Sequence[str], limit: int) -> list[int]:
        """The rows of the most important memories of some projects, or of all if none is named;
        ties go to the newer."""

    def told_at(self, rows: Iterable[int]) -> dict[int, datetime]:
        """When each of these memories was first said, by its turns."""

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """The entities with these names, ignoring case, by name as given."""

    def named(self, names: Iterable[str]) -> KnownNames:
        """The entities, projects and topics that go by these folded names.

        The cost depends on the names, not on the memories.
        """

    def records(self, rows: Iterable[int]) -> dict[int, Record]:
        """Memories by row; missing ones are left out."""

    def sources(self, rows: Iterable[int]) -> dict[int, tuple[Source, ...]]:
        """The sources of memories, by row; `records` leaves them out."""

    def live(self, rows: Iterable[int], now: datetime) -> set[int]:
        """The ones that are active and have not expired."""

    def standing(self, rows: Iterable[int]) -> dict[int, Standing]:
        """The standing of these memories, by row."""

    def successors(self, rows: Iterable[int]) -> dict[int, int]:
        """For each of these memories that others took the place of: the row of the active one."""

    def drawn_from(self, turns: Iterable[int]) -> dict[int, list[int]]:
        """By turn, the rows of the memories drawn from it."""

    def outcomes(self, turns: Iterable[int]) -> dict[int, dict[int, Standing | None]]:
        """By turn, the rows of the memories drawn from it with their standing; None where a memory
        cannot be seen."""

    def history(self, id: str) -> list[Version]:
        """Every version of a memory, oldest first; the last is the current one.

        It starts with the history of the memory that this one replaced.
        """

    @property
    def worklog(self) -> WorkLog:
        """The work in progress of consolidation."""

    @property
    def workspace_data(self) -> WorkspaceData:
        """Data of the workspace: files, their chunks, marks and imports."""

    @property
    def documents(self) -> DocumentStore:
        """JSON values that programs store."""

    @property
    def tokens(self) -> CallTokens:
        """Calls that were already done."""

    @property
    def erasure(self) -> Erasure:
        """Permanent deletion."""

    @property
    def primary(self) -> PrimaryData:
        """Export and import of all data that is not derived."""

    @property
    def quarantine(self) -> Quarantine:
        """Text that is stored but never shown."""

    @property
    def overview(self) -> Overview:
        """What pages for people are made of."""

    @property
    def pages(self) -> Pages:
        """Every list, a page at a time."""

    @property
    def vectors(self) -> Vectors:
        """Search by meaning, if an embedder is set."""

    def search(self, index: Index, words: Sequence[str], where: Filter, limit: int) -> list[Hit]:
        """The rows of an index that best match any of `words`, best first.

        Words come from `text.words.query_words`. Deterministic: ties go to the newer row.
        """

    def rare(self, index: Index, words: Iterable[str], most: int) -> dict[str, list[int]]:
        """The rows of an index that have each of some words, of those words that at most `most`
        rows have. The cost is that of the words, however long the index is."""

    def having(self, index: Index, words: Sequence[str]) -> Having:
        """Which rows of an index have each of `words`."""

    def admitted(self, index: Index, rows: Iterable[int], where: Filter) -> set[int]:
        """The rows among these that match `where`, for rows found without it."""

    def places(self, rows: Iterable[int]) -> dict[int, Place]:
        """The positions of turns, by row."""

    def beside(self, rows: Iterable[int]) -> dict[int, Beside]:
        """The neighbours of turns, by row."""

    def stretches(self, segments: Iterable[int]) -> dict[int, Stretch]:
        """The turns of segments, by their row in the index `segments`."""

    def nature(self) -> Nature:
        """What kind of text the journal contains, measured on a sample."""

    def counts(self) -> Counts:
        """Counts of what is stored."""

    def check(self, progress: Progress) -> list[Problem]:
        """Every problem with the data or its indexes; empty if there is none."""

    def rebuild(self, progress: Progress) -> int:
        """Rebuild all derived data from the primary data; return how many rows were indexed."""

    def size(self) -> int:
        """Bytes on disk."""

    def close(self) -> None:
        """Close the database. Closing twice is fine."""


class Overview(Protocol):
    """What pages for people are made of: a statement or two for each, over many memories."""

    def altered(self, since: datetime, but: Sequence[str], limit: int) -> list[Altered]:
        """The last `limit` memories that changed since a time, the last first; not summaries, and
        not by the changes in `but` alone."""

    def ties(self, until: datetime | None = None) -> list[Tie]:
        """What every active memory says of whom; with `until`, every one that was known and held
        at that time. Not summaries."""

    def label_uses(self, label: str, limit: int) -> list[LabelUse]:
        """The labels of active memories that most have. The label is `project`, `topic`, `tag` or
        `entity`."""

    def made_from(self, id: str) -> list[int]:
        """The rows of the memories that took the place of a memory, or were derived from it."""

    def steps(self, id: str) -> list[Step]:
        """The strength of a memory with each of its versions, oldest first."""


class Pages(Protocol):
    """Every list, a page at a time.

    A method returns the first `limit` items (0: all) of its list that come after the key `after`
    (None: from the beginning), and the key of the last of them, or None if no more follow. A key
    is the place of an item in the order; the item need not be there any more. Keys are unique and
    do not depend on other items. So whatever is written between two pages, an item that stays is
    returned once. The cost is that of the page, however long the list is and wherever the page.
    """

    def memories(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Record]:
        """Newest first. Key: the time of creation in milliseconds, the number."""

    def due(self, now: datetime, limit: int, after: Key | None = None) -> Slice[Record]:
        """Active memories that are due by `now` and not done, earliest first. Key: when it is due,
        the number."""

    def turns(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Turn]:
        """Newest first. Key: the time, the number."""

    def sessions(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Session]:
        """Sessions with turns within a time, the one that was begun last first. Key: the number."""

    def entities(self, limit: int, after: Key | None = None) -> Slice[Entity]:
        """In the order they were first named. Key: the number."""

    def segments(self, where: Filter, limit: int, after: Key | None = None) -> Slice[Segment]:
        """Segments within a time, in order. Key: the beginning, the number."""

    def events(self, since: str, limit: int, after: Key | None = None) -> Slice[Event]:
        """Events of the days from `since` on, in order. Key: the day, the time, the number."""

    def reviews(self, limit: int, after: Key | None = None) -> Slice[Review]:
        """Open reviews, oldest first. Key: when it was asked, the number of the belief."""

    def quarantined(
        self, state: str | None, limit: int, after: Key | None = None
    ) -> Slice[QuarantinedText]:
        """Passages in a state, or all; newest first. Key: the number."""

    def receipts(self, limit: int, after: Key | None = None) -> Slice[StoredReceipt]:
        """Newest first. Key: the time, the id."""


class WorkLog(Protocol):
    """The work in progress of consolidation, and its data besides memories. Not for recall."""

    # Progress

    def work(self) -> Work: ...

    def set_work(self, work: Work) -> None: ...

    def pool(self) -> PoolSizes: ...

    # The clock

    def belief(self) -> Belief: ...

    def set_belief(self, belief: Belief) -> None: ...

    def said_at(self, after: int, since: datetime, until: datetime) -> list[datetime]:
        """The last time of each day in (since, until] at which a turn above number `after` was
        said, in order."""

    def turns_ahead(self, now: datetime) -> int:
        """How many turns are dated later than now."""

    def misdated(self, before: datetime, after: datetime) -> list[tuple[str, float, datetime]]:
        """(id, base of its strength, time of that base) of memories changed by a clock that was
        before `before` or after `after`."""

    def aged_runs(self, limit: int) -> list[Aged]:
        """What was archived because of its age, by the time of the run, latest first."""

    def aged_in(self, at: datetime) -> list[str]:
        """What the run at that time archived because of its age, if unchanged since."""

    # Turns

    def last_turn(self) -> int:
        """The number of the newest turn; 0 if there is none."""

    def pending(self, after: int) -> int:
        """How many turns have a number above `after` or must be read again, without captures."""

    def turns_after(self, after: int, upto: int, limit: int = 0) -> list[Turn]:
        """Turns with numbers in (after, upto], in order."""

    def turns_before(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The last `limit` turns of a session before the one numbered `turn`, in order."""

    def turns_behind(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The first `limit` turns of a session after the one numbered `turn`, in order."""

    def turns_from(self, session: str, first: int, upto: int) -> list[Turn]:
        """The turns of a session with numbers in [first, upto], in order."""

    # Segments

    def last_segment(self, session: str) -> Segment | None: ...

    def put_segments(self, segments: Iterable[Segment], instead_of: Iterable[int] = ()) -> None:
        """Store segments, replacing those numbered in `instead_of`."""

    def segments(self) -> list[Segment]:
        """All of them, in order of time."""

    # Work in progress

    def put_fragments(self, fragments: Iterable[Fragment]) -> None: ...

    def fail_turn(self, turn: int, text: str, reason: str) -> None:
        """Set a turn aside on which the rules failed; `validate` and `status` report it."""

    def let_go(self, turns: Iterable[int]) -> None:
        """Drop the work in progress on turns, at any stage."""

    def read_again(self, turns: Iterable[int]) -> None:
        """Let the next run read turns again that a run has already processed."""

    def again(self, limit: int) -> list[Turn]:
        """The first of those turns."""

    def anew(self, upto: int) -> list[Turn]:
        """Turns up to a number that are being read again."""

    def fragments(self, stage: str, limit: int = 0) -> list[Fragment]:
        """Fragments at a stage, in the order of the journal."""

    def settle(self, waiting: Iterable[tuple[int, int, float]]) -> None:
        """Drop what was read; the pieces (turn, n, worth) in `waiting` stay until a model
        decides."""

    def waiting(self) -> list[tuple[Fragment, float]]:
        """What waits for a model, in the order of the journal, each with its worth."""

    def put_off(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Count that a model was asked about these without a usable answer; drop those that were
        asked about three times."""

    def drop_waiting(self, pieces: Iterable[tuple[int, int]]) -> None: ...

    def count_fragments(self, stage: str) -> int: ...

    def put_candidates(self, candidates: Iterable[tuple[int, str]]) -> None: ...

    def candidates(self) -> list[tuple[int, int, str]]:
        """(number, turn, body) of statements that are not yet reconciled."""

    def drop_candidates(self, numbers: Iterable[int] | None = None) -> None:
        """Drop some by their numbers, or all."""

    # Events

    def put_event(self, event: Event) -> None: ...

    def events(self, since: str = "", until: str = "", pending: bool = False) -> list[Event]:
        """Events of the days from `since` on, before `until`, in order of time."""

    def mark_compressed(self, date: str, agent: str = "") -> None:
        """Mark the events of an agent on a day as done."""

    # Entities

    def entities(self) -> list[Entity]: ...

    def put_entity(self, entity: Entity) -> Entity:
        """Store a new entity (number 0) or update one; it can be found by its names."""

    def drop_entity(self, no: int) -> None: ...

    def aliases(self, agent: str = "") -> dict[str, str]:
        """Every alias and the entity it stands for, for an agent; empty for a name that two
        people have."""

    # Reviews

    def put_review(self, belief: str, against: str, at: datetime) -> None: ...

    def reviews(self) -> list[Review]:
        """Open reviews, oldest first."""

    def answer_review(self, belief: str, answer: str, at: datetime) -> None: ...

    # Strength

    def reckon_ends(self) -> int:
        """If the decay rates have changed, recompute when each active memory will have faded;
        return how many there are."""

    def ended(self, now: datetime, limit: int) -> list[str]:
        """Active memories that have faded or expired by `now`, the first to end first."""

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Count memories as used; return how many of these ids exist."""

    def used(self) -> list[MemoryUse]: ...

    def clear_uses(self) -> None: ...

    # Indexes, pages and the ledger

    def changed(self, limit: int) -> list[Record]:
        """Memories that changed since they were last indexed, the latest `limit`."""

    def index(self, limit: int) -> int:
        """Update the keywords of at most `limit` changed memories; return of how many.

        After the last one, the small parts of each index are merged.
        """

    def changes_since(self, at: datetime, limit: int = 2_000) -> list[tuple[str, str, datetime]]:
        """(memory, change, time) of the last changes since `at`, in order."""

    def partitions(self, least: int) -> list[tuple[str, str, int]]:
        """(project, topic, number of active facts) of those that have `least` or more."""

    def of_category(self, category: str) -> list[Record]:
        """The active memories of a category."""

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, time of creation)."""

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None: ...

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None: ...

    def spent(self, day: str) -> int:
        """Tokens used on one day, in and out."""

    def ledger(self, days: int = 30) -> list[Spent]: ...

    # Background jobs

    def jobs(self) -> dict[str, JobRuns]:
        """The runs of each job, by name."""

    def put_job(self, runs: JobRuns) -> None: ...

    def past_due(self, now: datetime, limit: int) -> list[Record]:
        """Active memories that are due and not done, earliest first."""

    def supposed(self, category: str, before: datetime, limit: int) -> list[Record]:
        """Active beliefs of a category, unchanged since `before`, oldest first."""

    def mattering(self, categories: Sequence[str], before: datetime, limit: int) -> list[Record]:
        """Active facts with importance 0.7 or more that were neither confirmed nor asked about
        since `before`, most important first."""


class WorkspaceData(Protocol):
    """Data of the workspace.

    The user's and agent's files as searchable chunks, how far followed transcripts were read, and
    what was imported. Files and chunks are derived data: if lost, the files are read again.
    """

    # Files and their chunks

    def files(self) -> list[NoteFile]:
        """Every file that was read, ordered by root and path."""

    def chunk_counts(self) -> dict[tuple[str, str], int]:
        """The number of chunks per file, by root and path, without files that have none."""

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Store and index a file and its chunks, replacing its previous version.

        A text that occurs in several places is stored and indexed once.
        """

    def drop_file(self, root: str, path: str) -> None: ...

    def of_file(self, root: str, path: str) -> list[str]:
        """The texts of a file's chunks, with their headings, in order."""

    def notes(self, rows: Iterable[int]) -> dict[int, Note]:
        """Chunks by their row in the index `chunks`; missing ones are left out."""

    def dated(self, since: datetime, until: datetime, limit: int) -> list[int]:
        """The rows of the latest `limit` chunks dated within a time, latest first."""

    # Followed transcripts

    def mark(self, path: str, session: str = "") -> str:
        """How far a transcript was read, in its reader's format; empty if not at all."""

    def marks(self, path: str) -> dict[str, str]:
        """The marks of all sessions of a file."""

    def set_mark(self, path: str, session: str, mark: str, at: datetime) -> None: ...

    # Imports

    def imported(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The imported keys among these, each with the id of its memory."""

    def put_import(self, key: bytes, memory: str, at: datetime) -> None: ...


class DocumentStore(Protocol):
    """JSON values that programs store beside the memories, returned exactly.

    A document has a namespace (names from general to specific) and a key. It is found by both, or
    by its words. Documents are not messages: consolidation does not read them, they do not fade,
    and recall does not return them.
    """

    def put(
        self,
        namespace: Namespace,
        key: str,
        value: str,
        text: str,
        at: datetime,
        minutes: float | None,
        expires_at: datetime | None,
    ) -> StoredDocument:
        """Store a document, replacing one with the same namespace and key; `text` is searched.

        Without a key, its unique number is used, as twelve or more digits.
        """

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None: ...

    def numbered(self, rows: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by their number, which is their row in the index `documents`."""

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace, last changed first, below the number `before`.

        If `deep`, namespaces that begin with it count too.
        """

    def namespaces(self, begin: Namespace, now: datetime) -> list[Namespace]:
        """Every namespace with this prefix and a document that has not expired, in order."""

    def drop(self, rows: Iterable[int]) -> None: ...

    def ended(self, now: datetime, limit: int) -> list[int]:
        """The numbers of expired documents."""

    def put_off(self, row: int, expires_at: datetime) -> None:
        """Change when a document expires."""


class Vectors(Protocol):
    """Search by meaning, if an embedder is set.

    The pools are those of the full-text indexes. A text has at most one vector per model. A model
    is identified by its name; vectors of different models are never compared.
    """

    # For recall

    def similar(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first; ties go to the newer.

        A row is compared with the first of `views` whose model has embedded it.
        """

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are (`Near.score`), if they have a vector."""

    # For embedding

    def begin(self, model: str) -> None:
        """Register a model. A known one continues where it stopped."""

    def size(self, model: str) -> int:
        """The dimension of its vectors; 0 if there are none."""

    def failed(self, model: str, tries: int) -> list[TextToEmbed]:
        """Texts the model has passed and must (re)do, unless it failed on them `tries` times."""

    def next(self, model: str, kind: Embeddable, limit: int) -> list[int]:
        """The next rows that the model has not reached yet, in order."""

    def known(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Existing vectors by the hash of their text."""

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        """Store vectors, replacing those of the same rows."""

    def fail(self, model: str, failures: Mapping[TextToEmbed, str]) -> None:
        """Record the texts on which the model failed, and why."""

    def settle(self, model: str, done: Iterable[TextToEmbed]) -> None:
        """Mark these texts as done."""

    def advance(self, model: str, kind: Embeddable, upto: int) -> None:
        """Record that every row up to `upto` was reached."""

    def stop(self, model: str, error: str) -> None:
        """Record why a run stopped; empty after a successful run."""

    def keep_only(self, models: Iterable[str]) -> None:
        """Delete the vectors of all other models."""

    def coverage(self, model: str) -> Coverage:
        """How much a model has embedded."""

    # Changed rows

    def retold(self, turns: Iterable[int]) -> None:
        """The visible text of these turns has changed: drop their vectors and embed them again."""


class PrimaryData(Protocol):
    """All data that is not derived, table by table (`primary.py`).

    Inside one `Store.reading`, all tables are from the same snapshot.
    """

    def dump(self, table: str) -> Iterator[Row]:
        """Every row of a table of `PRIMARY_TABLES`, ordered by key, read in batches."""

    def days(self) -> list[JournalDay]:
        """The days of the journal, in order. A turn stays in its part when others are added."""

    def turns_of(self, day: JournalDay) -> list[Row]:
        """The turns of a day or part of a day, as in `dump`, in order of time."""

    def bases(self) -> dict[str, str]:
        """For tables that can be large, a short text that changes whenever the table does.

        Memories are listed by kind and state: `memories/fact/active`.
        """

    def labels(self, label: str) -> list[tuple[str, str]]:
        """(folded name, id) of the active memories with a label, ordered by name and age.

        The label is `keyword`, `entity`, `tag`, `project` or `topic`.
        """

    def is_empty(self) -> bool:
        """Whether nothing was ever stored here."""

    def load(self, rows: Iterable[tuple[str, Sequence[Row]]], progress: Progress) -> None:
        """Fill an empty store with dumped rows, and rebuild all derived data.

        Rows come in batches, referenced rows first. All or none are stored; a StoreError says what
        does not fit. `progress` reports on the derived data.
        """


class Quarantine(Protocol):
    """Passages of text that are stored but never shown.

    `trust/origin/quarantine.py` decides what is held, released and dropped.
    """

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Store passages; each gets a number that is never reused."""

    def of_memory(self, no: int, memory: str) -> None:
        """Record which memory lacks a passage."""

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """The unreleased passages of these turns, by turn, in text order."""

    def get(self, no: int) -> QuarantinedText | None: ...

    def find(self, state: str | None) -> list[QuarantinedText]:
        """All passages in a state, or at all; newest first."""

    def decide(self, no: int, state: str, at: datetime, text: str) -> None:
        """Release or drop a passage; `text` is what stays stored of its words."""

    def unscreened(self, limit: int) -> list[int]:
        """The numbers of the next turns that were added before screening existed."""

    def screened(self, upto: int | None) -> None:
        """Record that turns were screened up to a number, from the last; None for all."""


class Erasure(Protocol):
    """Permanent deletion (`trust/forget/`); everything else adds, changes or archives.

    Call `scrub` and `settle` outside `Store.writing`.
    """

    def turns(self, rows: Iterable[int] | None = None) -> Iterator[TurnRow]:
        """Every turn, or those with these numbers, in journal order; read in batches."""

    def memories(self, rows: Iterable[int] | None = None) -> Iterator[MemoryRow]:
        """Every memory, or those with these numbers, in that order; read in batches."""

    def memory_texts(self) -> Iterator[tuple[int, str]]:
        """(number, all its words) of every memory: a cheap way to find those worth reading."""

    def rows_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the memories with these ids."""

    def drawn_from(self, turns: Iterable[int]) -> set[int]:
        """The numbers of the memories drawn from any of these turns."""

    def made_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the summaries built from any of these memories."""

    def is_told(self, name: str, but: Iterable[int]) -> bool:
        """Whether any other memory, except summaries, contains a name, exactly as written."""

    def redact(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """Replace the text and key of turns; drop the index entries and vectors of the old text."""

    def drop_turns(self, turns: Iterable[int]) -> None:
        """Delete turns and the work in progress on them; delete their segments first."""

    def drop_work(self, turns: Iterable[int], keep: Mapping[int, str]) -> int:
        """Drop the work in progress on turns; for those in `keep`, only pieces that are not in the
        given text. Returns how many pieces were dropped."""

    def drop_memories(self, rows: Iterable[int]) -> list[bytes]:
        """Delete memories and everything that depends on them; return their import keys."""

    def histories(self) -> Iterator[tuple[int, int, str]]:
        """(memory, version, previous record as JSON) of every change that has one."""

    def set_history(self, memory: int, version: int, before: str) -> None: ...

    def segments_with(self, turns: Iterable[int]) -> list[tuple[int, str, int, int]]:
        """(number, session, first turn, last turn) of the segments with any of these turns."""

    def drop_events(self, session: str, dates: Iterable[str]) -> list[tuple[str, int]]:
        """Delete the events of a session on these days; return (day, whether compressed)."""

    def texts(self) -> Iterator[TextAt]:
        """Texts in other tables: events, documents, error messages."""

    def set_text(self, where: TextAt, text: str) -> None:
        """Replace such a text; an event without text is deleted."""

    def documents_of(self, keys: Iterable[str]) -> list[int]:
        """The numbers of documents with these keys, in any namespace."""

    def drop_pages(self) -> int:
        """Delete snapshots and profiles; they are rebuilt on demand."""

    def drop_all(self) -> dict[str, int]:
        """Delete everything said and known; return how many rows, by table. Used numbers, marks of
        what was read, tombstones and receipts stay."""

    def is_said(self, text: str) -> bool:
        """Whether any turn contains a text, exactly as written."""

    def times_said(self, text: str) -> int:
        """How many turns contain a text, exactly as written."""

    def occurs(self, text: str) -> bool:
        """Whether any turn or memory contains a name, exactly as written."""

    def rename(self, old: str, new: str) -> int:
        """Rename a subject and entity in memories and histories, or remove it if `new` is empty.
        Returns for how many memories."""

    def sessions(self) -> list[tuple[str, int]]:
        """(name, start) of every session."""

    def rename_session(self, old: str, new: str) -> None:
        """Rename a session everywhere; it is merged with an existing one of that name."""

    def channels(self) -> list[tuple[str, int]]:
        """(name, time of its first turn) of every channel."""

    def drop_channel(self, name: str) -> None:
        """Remove a channel name from its turns."""

    def rename_speaker(self, old: str, new: str) -> None:
        """Rename a speaker in all turns."""

    def tombstones(self) -> list[tuple[str, bytes, int, int]]:
        """(kind, mark, size, until) of everything that must not come back."""

    def put_tombstones(self, tombstones: Iterable[tuple[str, bytes, int, int]]) -> None: ...

    def put_receipt(
        self, id: str, at: datetime, actor: str, what: str, erased: str, files: str
    ) -> None: ...

    def scrub(self) -> None:
        """Make sure that no index contains anything that was erased."""

    def settle(self) -> bool:
        """Empty the write-ahead log; False if someone is still reading from it."""

    def value(self, name: str) -> str:
        """A single stored value; empty if there is none."""

    def set_value(self, name: str, value: str) -> None: ...


class CallTokens(Protocol):
    """Idempotency tokens; a token is valid in the space where it was used."""

    def used(self, token: str, since: datetime) -> CompletedCall | None:
        """The call that was done with a token since a time, or None."""

    def put(self, token: str, used: CompletedCall, at: datetime, since: datetime) -> None:
        """Record the call done with a token, and delete tokens from before `since`.

        Call inside `Store.writing`.
        """
