"""The storage protocol: all that Loxodon asks of a database.

`Store` is the one door to what is kept. It is bound to one space when it is opened, and within it
to an agent and an audience where these are named (`walls.py`), so that no call can leave them out
and none can look across. Its parts, each for those who need it:

    Store           turns, memories, search, care
    WorkLog         what consolidation has in hand
    WorkspaceData   files and their chunks, transcripts that are followed, imports
    DocumentStore   JSON values of programs
    Vectors         search by meaning
    PrimaryData     all that is not derived, out and in
    Quarantine      text that is kept but told to nobody
    Erasure         what takes things out for good
    CallTokens      calls that were done already

A backend promises what is written at each method and passes `tests/store/contract.py`. Unless it
says otherwise, what writes is called inside `Store.writing`.

This module is for type checkers: a cold recall does not load it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from loxodon.language.statements import Fragment
from loxodon.store import (
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
    KnownTurn,
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
    StoredDocument,
    Stretch,
    TextAt,
    TurnRow,
    Vector,
    Waiting,
    Work,
)
from loxodon.store.primary import Day, Row
from loxodon.store.walls import Wall
from loxodon.trust.audit.log import Audit
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
    Source,
    Turn,
    Version,
)


class DecayModel(Protocol):
    """How strength falls; the store keeps a base and its moment and asks this for the rest."""

    summary_facts: int

    def now(self) -> datetime:
        """What the clock says that it falls by."""

    def strength(self, base: float, since: datetime, kind: Kind, importance: float) -> float:
        """The strength at this moment."""

    def end(self, base: float, since: datetime, kind: Kind, importance: float) -> datetime | None:
        """When it falls below what is kept active; None for never."""


class Witness(Protocol):
    """What is told of every transaction before it is committed, and can refuse it."""

    def before_commit(self, anchor: str, changed: Sequence[str], signed: tuple[str, str]) -> str:
        """Put on record that these were changed; where that is, for the database to keep.

        `anchor` is what the database kept of the last transaction; `signed` the sum of all
        signatures before, empty where nobody kept it, and now.
        """

    def undone(self, said: str) -> None:
        """What `before_commit` answered so was not committed after all."""


class Store(Protocol):
    """One space of one home. Safe to use from several threads and processes."""

    space: str
    wall: Wall
    summary_facts: int
    """Facts on one theme from which on they are summed up."""
    """What it is bound to; what cannot be seen behind it is as if it were not there."""
    audit: Audit | None
    """Where what is done is put on record; None where it is not."""

    def put_on_record(self, audit: Audit, witness: Witness) -> None:
        """From here on nothing is committed that `witness` was not told of."""

    def sign_with(self, sign: Callable[[bytes], bytes]) -> None:
        """From here on changes of sensitive memories are signed with `sign`."""

    def signatures(self) -> Signatures:
        """Check every signature."""

    def sign_if_foreign(self) -> int:
        """Sign all that is sensitive where no signature holds: it was signed with another key.

        For what was restored into another home; how many memories were signed.
        """

    def sign_anew(self, ids: Iterable[str]) -> None:
        """Sign every version of these memories as it stands, and put the sum of all on record.

        Call inside `writing`.
        """

    @property
    def anchor(self) -> str:
        """Where the last write is on record, as the witness said; empty for nowhere."""

    def reading(self) -> AbstractContextManager[None]:
        """One view of the data for several reads, whatever others write meanwhile."""

    def writing(self) -> AbstractContextManager[None]:
        """A transaction: all of what is written inside is kept, or nothing.

        Writers wait for each other in fair order. On leaving, what was written is on disk.
        """

    def writing_as(self, agent: str) -> AbstractContextManager[None]:
        """A transaction in which only the memories and entities of one agent are there, and what
        is made is its own; of agent "" those that are nobody's.

        So what agents know is kept right for each by itself: no statement made to one changes,
        confirms or tells what another knows.
        """

    def behind(self, wall: Wall) -> Store:
        """The same store behind a wall, with a connection of its own."""

    def agents(self) -> list[str]:
        """The agents that anything belongs to, "" first, which stands for none."""

    def append(self, turns: Sequence[tuple[Turn, bytes]]) -> list[Turn | KnownTurn]:
        """Put turns, each with its key, at the end of the journal, in order and indexed.

        Returns each turn as it is kept (with its id and ref), or what is known of one whose key
        the journal already has. Call inside `writing`.
        """

    def known(self, turns: Sequence[tuple[Turn, bytes]]) -> list[KnownTurn | None]:
        """What the journal, or an earlier one of `turns`, has under each key; None for nothing."""

    def attribute(self, turns: Sequence[tuple[Turn, bytes]]) -> list[tuple[Turn, Turn]]:
        """Let turns that the journal has, by their keys, have the speaker and origin that they have
        here; those that had others, as they were and as they are. Call inside `writing`.
        """

    def session_size(self, id: str) -> int:
        """How many turns were ever journalled in a session."""

    def last_texts(self, session: str, limit: int) -> list[str]:
        """What was journalled last in a session, the oldest of these first."""

    def turn_row(self, session: str, id: str) -> int | None:
        """The row of a turn by its session and id; the newest, should two share them."""

    def turns(self, rows: Iterable[int]) -> dict[int, Turn]:
        """Turns by row, those that exist."""

    def journal(self, where: Filter, limit: int) -> list[Turn]:
        """The latest `limit` turns (0: all) that `where` admits, in the order of their time."""

    def insert(self, record: Record, change: str) -> Record:
        """Keep a new memory, indexed. Its id is given out here, unless it brings one that has our
        form and is free; `change` opens its history.

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
        """Change fields of a memory: version + 1, the record as it stood goes to its history.

        Behind a wall one changes one's own (ForbiddenError); what the user's words bear out
        (`vouched`) also of what is the owner's.

        Raises StaleEditError if it is no longer at `version` (None: whatever it is at), and
        NotFoundError. A new state moves it between the indexes. Call inside `writing`.
        """

    def get(self, id: str) -> Record | None:
        """A memory by id."""

    def find(self, where: Filter, limit: int = 0, strongest: bool = False) -> list[Record]:
        """The newest, or strongest, `limit` memories (0: all) that `where` admits, in order."""

    def latest(self, label: str, name: str, limit: int) -> list[Record]:
        """The `limit` active memories with a label that were kept last, newest first.

        The label is `project`, `topic`, `tag` or `entity`. However many have it, only so many are
        looked at.
        """

    def latest_about(self, about: tuple[str, ...], limit: int) -> list[Record]:
        """The same for what memories are about, as in `Filter.about`."""

    def labelled(self, label: str, name: str, limit: int, state: str = "active") -> list[int]:
        """The rows of the `limit` memories with a label that were kept last; see `latest`."""

    def foremost(self, where: Filter, projects: Sequence[str], limit: int) -> list[int]:
        """The rows of the most important memories of some projects, or of all where none is named;
        of equals the newer."""

    def told_at(self, rows: Iterable[int]) -> dict[int, datetime]:
        """When each of these memories was first told, by its turns."""

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """The entities that go by these folded names, by name."""

    def labels_named(self, label: str, names: Iterable[str]) -> dict[str, str]:
        """Those of these folded names that memories have as a label, and how each is written.

        The label is `project` or `topic`. The cost is that of the names, however many have one.
        """

    def records(self, rows: Iterable[int]) -> dict[int, Record]:
        """Memories by row, those that exist."""

    def sources(self, rows: Iterable[int]) -> dict[int, tuple[Source, ...]]:
        """Where memories come from, by row; `records` leaves it out."""

    def live(self, rows: Iterable[int], now: datetime) -> set[int]:
        """Those of these memories that are active and have not expired."""

    def standing(self, rows: Iterable[int]) -> dict[int, Standing]:
        """Where these memories stand, by row."""

    def drawn_from(self, turns: Iterable[int]) -> dict[int, list[int]]:
        """For each of these turns that memories were drawn from: the rows of those memories."""

    def history(self, id: str) -> list[Version]:
        """Every version of a memory, oldest first, the present one last.

        It begins with the history of the memory that this one took the place of.
        """

    @property
    def worklog(self) -> WorkLog:
        """What consolidation has in hand."""

    @property
    def workspace_data(self) -> WorkspaceData:
        """What the workspace keeps: files, their chunks, marks and imports."""

    @property
    def documents(self) -> DocumentStore:
        """What programs keep beside the memories."""

    @property
    def tokens(self) -> CallTokens:
        """Which calls were done already."""

    @property
    def erasure(self) -> Erasure:
        """What takes things out for good."""

    @property
    def primary(self) -> PrimaryData:
        """All that is not derived, table by table, out and in."""

    @property
    def quarantine(self) -> Quarantine:
        """What is kept of others' words, and told to nobody."""

    @property
    def vectors(self) -> Vectors:
        """What finds texts by their meaning, where an embedder is set."""

    def search(self, index: Index, words: Sequence[str], where: Filter, limit: int) -> list[Hit]:
        """The rows of an index that best match any of `words`, best first.

        Words come from `text.words.query_words`. Deterministic: ties go to the newer row.
        """

    def having(self, index: Index, words: Sequence[str]) -> Having:
        """Which rows of an index have each of `words`."""

    def admitted(self, index: Index, rows: Iterable[int], where: Filter) -> set[int]:
        """Those of these rows that `where` admits: for what was found without it."""

    def places(self, rows: Iterable[int]) -> dict[int, Place]:
        """Where turns stand, by row."""

    def beside(self, rows: Iterable[int]) -> dict[int, Beside]:
        """The neighbours of turns, by row."""

    def stretches(self, segments: Iterable[int]) -> dict[int, Stretch]:
        """Which turns segments hold, by their row in the index `segments`."""

    def nature(self) -> Nature:
        """What kind of talk the journal holds, by a sample of it."""

    def counts(self) -> Counts:
        """How much there is."""

    def check(self, progress: Progress) -> list[Problem]:
        """Everything that is wrong with the data or its indexes; empty when all is well."""

    def rebuild(self, progress: Progress) -> int:
        """Make everything derived anew from the truth; how many rows were indexed."""

    def size(self) -> int:
        """Bytes on disk."""

    def close(self) -> None:
        """Let go of the database. Closing twice is fine."""


class WorkLog(Protocol):
    """What consolidation has in hand, and what it keeps besides memories; no recall asks it."""

    # Where the work stands

    def work(self) -> Work: ...

    def set_work(self, work: Work) -> None: ...

    def pool(self) -> PoolSizes: ...

    # The clock

    def belief(self) -> Belief: ...

    def set_belief(self, belief: Belief) -> None: ...

    def said_at(self, after: int, since: datetime, until: datetime) -> list[datetime]:
        """The times in (since, until] at which turns above number `after` were said, the last of
        each day, in order."""

    def turns_ahead(self, now: datetime) -> int:
        """How many turns are dated later than now."""

    def misdated(self, before: datetime, after: datetime) -> list[tuple[str, float, datetime]]:
        """(id, base of its strength, when it had that) of memories that were changed by a clock
        that said a time before the one or after the other."""

    def aged_runs(self, limit: int) -> list[Aged]:
        """What was archived for its age, by the moment of the run, the latest first."""

    def aged_in(self, at: datetime) -> list[str]:
        """What the run at that moment archived for its age, and nobody has changed since."""

    # Turns

    def last_turn(self) -> int:
        """The number of the newest turn, 0 where there is none."""

    def pending(self, after: int) -> int:
        """How many turns have a number above `after`, or are to be read again; what was captured
        does not count."""

    def turns_after(self, after: int, upto: int, limit: int = 0) -> list[Turn]:
        """Turns with numbers in (after, upto], in order."""

    def turns_before(self, session: str, turn: int, limit: int) -> list[Turn]:
        """The last `limit` turns of a session before the one numbered `turn`, in order."""

    def turns_from(self, session: str, first: int, upto: int) -> list[Turn]:
        """The turns of a session with numbers in [first, upto], in order."""

    # Segments

    def last_segment(self, session: str) -> Segment | None: ...

    def put_segments(self, segments: Iterable[Segment], instead_of: Iterable[int] = ()) -> None:
        """Keep segments; those numbered in `instead_of` go."""

    def segments(self, since: datetime | None = None) -> list[Segment]: ...

    # Work in hand

    def put_fragments(self, fragments: Iterable[Fragment]) -> None: ...

    def fail_turn(self, turn: int, text: str, reason: str) -> None:
        """Put a turn aside that the rules stumbled over; `validate` and `status` tell of it."""

    def let_go(self, turns: Iterable[int]) -> None:
        """Let go of what is in hand of turns, whatever its stage."""

    def read_again(self, turns: Iterable[int]) -> None:
        """Have turns read that a run has passed already: the next takes them up."""

    def again(self, limit: int) -> list[Turn]:
        """The first of those turns."""

    def anew(self, upto: int) -> list[Turn]:
        """Turns up to a number that are in hand because they are read again."""

    def fragments(self, stage: str, limit: int = 0) -> list[Fragment]:
        """Fragments at a stage, in the order of the journal."""

    def settle(self, waiting: Iterable[tuple[int, int, float]]) -> None:
        """Let go of what was read; those (turn, n, worth) in `waiting` stay until a model
        decides."""

    def waiting(self) -> list[tuple[Fragment, float]]:
        """What waits for a model, in the order of the journal, each with its worth."""

    def put_off(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Count that a model was asked about these and said nothing that can be believed; those
        that were asked about three times are let go."""

    def drop_waiting(self, pieces: Iterable[tuple[int, int]]) -> None: ...

    def count_fragments(self, stage: str) -> int: ...

    def put_candidates(self, candidates: Iterable[tuple[int, str]]) -> None: ...

    def candidates(self) -> list[tuple[int, int, str]]:
        """(number, turn, body) of what was read and not yet compared with what is known."""

    def drop_candidates(self, numbers: Iterable[int] | None = None) -> None:
        """Drop some by their numbers, or all."""

    # Events

    def put_event(self, event: Event) -> None: ...

    def events(self, since: str = "", until: str = "", pending: bool = False) -> list[Event]:
        """Events of the days from `since` on, before `until`, in order of time."""

    def mark_compressed(self, date: str, agent: str = "") -> None:
        """The events of an agent on a day need not be looked at again."""

    # Entities

    def entities(self) -> list[Entity]: ...

    def entities_named(self, names: Iterable[str]) -> dict[str, Entity]:
        """Entities by the names asked for (as given), those that there are."""

    def put_entity(self, entity: Entity) -> Entity:
        """Keep a new entity (number 0), or what it is now; its names lead to it."""

    def drop_entity(self, no: int) -> None: ...

    def aliases(self, agent: str = "") -> dict[str, str]:
        """Every name of someone who has another, and who that is, for an agent; empty for a name
        that two people have."""

    # Reviews

    def put_review(self, belief: str, against: str, at: datetime) -> None: ...

    def reviews(self) -> list[Review]:
        """What waits for an answer, oldest first."""

    def answer_review(self, belief: str, answer: str, at: datetime) -> None: ...

    # Strength

    def reckon_ends(self) -> int:
        """Where the rates of decay have changed, find anew when every active memory will have
        faded; how many there are."""

    def ended(self, now: datetime, limit: int) -> list[str]:
        """Active memories that have faded or expired by `now`, the first to end first."""

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Note that memories were used; how many there are of those names."""

    def used(self) -> list[MemoryUse]: ...

    def clear_uses(self) -> None: ...

    # Indexes, pages and the ledger

    def changed(self, limit: int) -> list[Record]:
        """Memories that changed since they were last indexed, the latest `limit`."""

    def index(self, limit: int) -> int:
        """Make the keywords of memories that changed, of `limit` at most; of how many it did.

        After the last of them, the parts that small writes leave of an index are brought together.
        """

    def changes_since(self, at: datetime, limit: int = 2_000) -> list[tuple[str, str, datetime]]:
        """(memory, what was done, when) of the last changes since `at`, in order."""

    def partitions(self, least: int) -> list[tuple[str, str, int]]:
        """(project, topic, number of active facts) of those that have `least` or more."""

    def of_category(self, category: str) -> list[Record]:
        """The active memories of a category."""

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, when it was made)."""

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None: ...

    def spend(self, day: str, phase: str, tokens_in: int, tokens_out: int) -> None: ...

    def spent(self, day: str) -> int:
        """Tokens in and out of one day."""

    def ledger(self, days: int = 30) -> list[Spent]: ...

    # The background

    def jobs(self) -> dict[str, JobRuns]:
        """What ran by itself, by name."""

    def put_job(self, runs: JobRuns) -> None: ...

    def past_due(self, now: datetime, limit: int) -> list[Record]:
        """Active memories whose time has come and that are not done, the first due first."""

    def supposed(self, category: str, before: datetime, limit: int) -> list[Record]:
        """Active beliefs of a category that nothing has touched since then, the oldest first."""

    def mattering(self, categories: Sequence[str], before: datetime, limit: int) -> list[Record]:
        """Active facts of importance 0.7 and more that nobody has confirmed since `before`, nor
        was asked to since; what matters most first."""


class WorkspaceData(Protocol):
    """What the workspace keeps in the store.

    The files that a user or an agent wrote, as chunks that a search can find; how far transcripts
    that are followed were read; and what was imported. Files and chunks are derived: without them
    the files are read again.
    """

    # Files and their chunks

    def files(self) -> list[NoteFile]:
        """Every file that was read, in the order of root and path."""

    def chunk_counts(self) -> dict[tuple[str, str], int]:
        """How many chunks each file has that has any, by its root and path."""

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Keep a file and its chunks in place of what was kept of it; indexed.

        A text that stands in several places is kept and indexed once.
        """

    def drop_file(self, root: str, path: str) -> None: ...

    def of_file(self, root: str, path: str) -> list[str]:
        """The texts of a file's chunks, with their headings, in order."""

    def notes(self, rows: Iterable[int]) -> dict[int, Note]:
        """Chunks by their row in the index `chunks`, those that exist."""

    def dated(self, since: datetime, until: datetime, limit: int) -> list[int]:
        """The rows of the latest `limit` chunks whose day is in a time, latest first."""

    # Transcripts that are followed

    def mark(self, path: str, session: str = "") -> str:
        """How far a transcript was read, as its reader put it down; empty for not at all."""

    def marks(self, path: str) -> dict[str, str]:
        """The marks of all sessions of a file."""

    def set_mark(self, path: str, session: str, mark: str, at: datetime) -> None: ...

    # Imports

    def imported(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """Those of these keys that were imported, and the id of the memory each became."""

    def put_import(self, key: bytes, memory: str, at: datetime) -> None: ...


class DocumentStore(Protocol):
    """What programs keep in the store beside the memories, exactly as they handed it in.

    A document is a JSON value with a namespace, a few names from the general to the particular, and
    a key. It is found by both, or by its words, but it is nothing that was said: no consolidation
    reads it, it never fades, and no recall tells it.
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
        """Keep a document in place of what has its namespace and key; it is found by `text`.

        Without a key it gets its number, which no other ever has, as twelve or more digits.
        """

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None: ...

    def numbered(self, rows: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by their number, which is their row in the index `documents`."""

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace, the last changed first; `before` a number.

        Where `deep`, namespaces that begin with it count too.
        """

    def namespaces(self, begin: Namespace, now: datetime) -> list[Namespace]:
        """Every namespace that begins so and has a document that has not expired, in order."""

    def drop(self, rows: Iterable[int]) -> None: ...

    def ended(self, now: datetime, limit: int) -> list[int]:
        """The numbers of documents that have expired."""

    def put_off(self, row: int, expires_at: datetime) -> None:
        """Let a document expire at another time."""


class Vectors(Protocol):
    """What finds texts by their meaning, where an embedder is set.

    The pools are those of the full-text indexes. Every text has at most one vector of a model, and
    a model is known by its name: vectors of different models are never compared.
    """

    # What a recall asks

    def similar(
        self, pool: Index, views: Sequence[QuestionVector], limit: int, where: Filter | None = None
    ) -> list[Near]:
        """The rows of a pool that are closest to a question, best first, ties to the newer.

        A row is judged by the first of `views` whose model has embedded it.
        """

    def similarities(
        self, pool: Index, views: Sequence[QuestionVector], rows: Iterable[int]
    ) -> dict[int, float]:
        """How close these rows of a pool are, as `Near.score`, those that have a vector."""

    # What embedding needs

    def begin(self, model: str) -> None:
        """Take note of a model. One that is known goes on where it was."""

    def size(self, model: str) -> int:
        """How many numbers its vectors have; 0 while there are none."""

    def failed(self, model: str, tries: int) -> list[Waiting]:
        """What the model has come past and is to do (again), unless it failed `tries` times."""

    def next(self, model: str, kind: Embeddable, limit: int) -> list[int]:
        """The next rows that the model has not come to yet, in order."""

    def known(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors there are of texts, by their hash."""

    def put(self, model: str, vectors: Sequence[Vector]) -> None:
        """Keep vectors, in the place of those that the same rows had."""

    def fail(self, model: str, failures: Mapping[Waiting, str]) -> None:
        """Note on which texts the model failed, and why."""

    def settle(self, model: str, done: Iterable[Waiting]) -> None:
        """These texts need nothing more of the model."""

    def advance(self, model: str, kind: Embeddable, upto: int) -> None:
        """Every row up to `upto` was taken up."""

    def stop(self, model: str, error: str) -> None:
        """Note why a run could not go on; empty once one did."""

    def keep_only(self, models: Iterable[str]) -> None:
        """Let go of the vectors of all other models."""

    def coverage(self, model: str) -> Coverage:
        """How far a model has come."""

    # What becomes of rows

    def changed(self, row: int) -> None:
        """A memory says something else: its vectors go, and it has to be embedded again."""

    def retold(self, turns: Iterable[int]) -> None:
        """What is told of these turns is something else: their vectors go, and they wait anew."""

    def moved(self, row: int, pool: Index) -> None:
        """A memory has come to another pool; its vectors go along."""

    def gone(self, rows: Iterable[int], kind: Embeddable = "chunks") -> None:
        """These are no more, or have other words: their vectors go."""


class PrimaryData(Protocol):
    """All that is not derived, table by table (`primary.py`).

    Inside one `Store.reading` every table is of the same moment.
    """

    def dump(self, table: str) -> Iterator[Row]:
        """Every row of a table of `PRIMARY_TABLES`, in the order of its key, a few at a time."""

    def days(self) -> list[Day]:
        """The days of the journal, in order; the same turns are in the same part whatever comes."""

    def turns_of(self, day: Day) -> list[Row]:
        """The turns of a day or a part of it, as `dump` gives them, in the order of their time."""

    def bases(self) -> dict[str, str]:
        """For the tables that can be large, a short text that changes whenever the table does.

        The memories are told apart by kind and state: `memories/fact/active`.
        """

    def labels(self, label: str) -> list[tuple[str, str]]:
        """(folded name, id) for the active memories with a label, in the order of name and age.

        The label is `keyword`, `entity`, `tag`, `project` or `topic`.
        """

    def is_empty(self) -> bool:
        """Whether nothing was ever kept here."""

    def load(self, rows: Iterable[tuple[str, Sequence[Row]]], progress: Progress) -> None:
        """Fill an empty store with rows as they were dumped, and make all that is derived anew.

        Rows come in batches, what is referred to before what refers to it. All are kept or none;
        a StoreError says what does not fit. `progress` is of what is derived.
        """


class Quarantine(Protocol):
    """Stretches of text that are kept but told to nobody.

    What is held, released and dropped is decided elsewhere (`trust/origin/quarantine.py`).
    """

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Keep stretches; each gets a number, which is never given again."""

    def of_memory(self, no: int, memory: str) -> None:
        """Note which memory lacks a stretch."""

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """What is not released of these turns, by turn, in the order of the text."""

    def get(self, no: int) -> QuarantinedText | None: ...

    def find(self, state: str | None, limit: int = 0) -> list[QuarantinedText]:
        """Stretches of a state, or all; newest first."""

    def decide(self, no: int, state: str, at: datetime, text: str) -> None:
        """Release a stretch or drop it; `text` is what is kept of its words here."""

    def unscreened(self, limit: int) -> list[int]:
        """The numbers of the next turns that were journalled before anything was held."""

    def screened(self, upto: int | None) -> None:
        """Note that those up to a number, from the last, were looked through; None for all."""


class Erasure(Protocol):
    """What takes things out for good (`trust/forget/`); all else adds, changes or archives.

    `scrub` and `settle` are called outside of `Store.writing`.
    """

    def turns(self, rows: Iterable[int] | None = None) -> Iterator[TurnRow]:
        """Every turn, or those with these numbers, in the order of the journal; not all at once in
        memory."""

    def memories(self, rows: Iterable[int] | None = None) -> Iterator[MemoryRow]:
        """Every memory, or those with these numbers, in that order; not all at once in memory."""

    def memory_texts(self) -> Iterator[tuple[int, str]]:
        """(number, all its words) of every memory: cheap, to find out which are worth reading."""

    def rows_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the memories with these ids."""

    def drawn_from(self, turns: Iterable[int]) -> set[int]:
        """The numbers of the memories that were drawn from any of these turns."""

    def made_of(self, ids: Iterable[str]) -> set[int]:
        """The numbers of the summaries that were made of any of these memories."""

    def is_told(self, name: str, but: Iterable[int]) -> bool:
        """Whether a name stands in any memory but these, summaries aside, as it is written."""

    def redact(self, turns: Mapping[int, tuple[str, bytes]]) -> None:
        """Give turns other words and another key; indexes and vectors of the old ones go."""

    def drop_turns(self, turns: Iterable[int]) -> None:
        """Turns are no more, nor work in hand with them; their segments must be gone before."""

    def drop_work(self, turns: Iterable[int], keep: Mapping[int, str]) -> int:
        """Let go of the work in hand with turns; with those of `keep`, but for what stands in the
        text that is given for them. How many pieces went."""

    def drop_memories(self, rows: Iterable[int]) -> list[bytes]:
        """Memories are no more, nor anything that hangs on them; the keys that they had as
        imports."""

    def histories(self) -> Iterator[tuple[int, int, str]]:
        """(memory, version, the record before it as JSON) of every change that has one."""

    def set_history(self, memory: int, version: int, before: str) -> None: ...

    def segments_with(self, turns: Iterable[int]) -> list[tuple[int, str, int, int]]:
        """(number, session, first turn, last turn) of the segments that have any of these turns."""

    def drop_events(self, session: str, dates: Iterable[str]) -> list[tuple[str, int]]:
        """What is noted of a session on these days goes; (day, whether it was compressed)."""

    def texts(self) -> Iterator[TextAt]:
        """Texts of other tables: notes of events, documents, reasons why something failed."""

    def set_text(self, where: TextAt, text: str) -> None:
        """Give such a text other words; an event that has none is no more."""

    def documents_of(self, keys: Iterable[str]) -> list[int]:
        """The numbers of documents that are kept under these keys, in any namespace."""

    def drop_pages(self) -> int:
        """What was made for a person to read goes, and is made anew when it is asked for."""

    def drop_all(self) -> dict[str, int]:
        """All that was said and is known goes; how many rows, by table. Numbers that were given
        out, marks of what was read, tombstones and receipts stay."""

    def is_said(self, text: str) -> bool:
        """Whether a text stands in the words of any turn, as it is written."""

    def times_said(self, text: str) -> int:
        """In how many turns a text stands, as it is written."""

    def is_common(self, text: str, most: int) -> bool:
        """Whether a text stands in the words of more than so many turns, as it is written."""

    def occurs(self, text: str) -> bool:
        """Whether a name stands in the words of any turn or memory, as it is written."""

    def rename(self, old: str, new: str) -> int:
        """Put what is filed under one name under another, in the histories too; under none where
        `new` is empty. Of how many memories it did."""

    def sessions(self) -> list[tuple[str, int]]:
        """(name, when it began) of every session; of channels, which have no row of their own,
        see `channels`."""

    def rename_session(self, old: str, new: str) -> None:
        """Call a session something else, wherever it is named; with one of that name it is one."""

    def channels(self) -> list[tuple[str, int]]:
        """(name, when something was first said on it) of every channel."""

    def drop_channel(self, name: str) -> None:
        """Let what was said on a channel have been said on none."""

    def rename_speaker(self, old: str, new: str) -> None:
        """Let another name have said all that one said."""

    def tombstones(self) -> list[tuple[str, bytes, int, int]]:
        """(kind, mark, size, until) of everything that must not come back."""

    def put_tombstones(self, tombstones: Iterable[tuple[str, bytes, int, int]]) -> None: ...

    def receipts(self) -> list[tuple[str, int, str, str, str, str]]:
        """(id, at, actor, what, erased, files), the newest first."""

    def put_receipt(
        self, id: str, at: datetime, actor: str, what: str, erased: str, files: str
    ) -> None: ...

    def scrub(self) -> None:
        """See to it that nothing of what was erased is left in any index."""

    def settle(self) -> bool:
        """Empty the write-ahead log; False where somebody still reads from it."""

    def value(self, name: str) -> str:
        """A single value, empty where there is none."""

    def set_value(self, name: str, value: str) -> None: ...


class CallTokens(Protocol):
    """The tokens of one store; a token is of the space that it was used in."""

    def used(self, token: str, since: datetime) -> CompletedCall | None:
        """What was done under a token since a moment; None where nothing was."""

    def put(self, token: str, used: CompletedCall, at: datetime, since: datetime) -> None:
        """Note what was done under a token, and drop the tokens from before `since`.

        Call inside `Store.writing`.
        """
