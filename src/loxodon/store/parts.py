"""What is kept beside turns and memories: the work of consolidation, files as searchable chunks,
documents of programs, passages that are held back, working sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from hashlib import sha256

from loxodon.clock import to_stored
from loxodon.store import Chunk, Namespace, Note, NoteFile, QuarantinedText, StoredDocument, Work
from loxodon.store.driver import plain, these
from loxodon.store.indexes import Part
from loxodon.store.rows import grouped, loaded, moment, read_as
from loxodon.store.search import Conditions, under
from loxodon.store.walls import owners_only, path_of
from loxodon.text.keywords import quick
from loxodon.text.words import fold
from loxodon.types import Entity, Segment

_KEYWORDS = 8  # of a memory, the most that it is found by
_REWRITTEN = "transcripts"  # the counter of changes to lines that were written before


class WorkLog(Part):
    """The work in progress of consolidation, and its data besides memories. Not for recall."""

    # Where the work stands

    def work(self) -> Work:
        return read_as(Work, Work(**loaded(self._db.meta("consolidation") or "{}")), self._zone)

    def set_work(self, work: Work) -> None:
        wall = self._store.wall
        if wall.stands and not wall.alone:  # a run is of the whole space
            raise owners_only()
        self._db.set_meta("consolidation", json.dumps(Work(*plain(work))._asdict()))

    # Segments

    def put_segments(self, segments: Iterable[Segment], instead_of: Iterable[int] = ()) -> None:
        """Store segments, replacing those numbered in `instead_of`."""
        gone = list(instead_of)
        self._db.many("drop_segment", [(no,) for no in gone])
        self._indexes.drop("segments", gone)
        numbers = []
        for one in segments:
            numbers.append(self._db.take("segment", 1))
            offset = to_stored(one.started_at)[1]
            self._store.execute("put_segment", numbers[-1], *one[:5], offset, *one[5:8])
        self._indexes.put_rows("segments", numbers)

    # Work in hand

    def let_go(self, turns: Iterable[int]) -> None:
        """Drop the work in progress on turns, at any stage."""
        rows = [(turn,) for turn in turns]
        self._db.many("drop_fragments", rows)
        self._db.many("drop_candidates_of", rows)

    def read_again(self, turns: Iterable[int]) -> None:
        """Let the next run read turns again that a run has already processed."""
        work = self.work()
        passed = max(work.done_to, work.upto)
        self._db.many("read_again", [(turn,) for turn in turns if turn <= passed])

    # Entities

    def put_entity(self, entity: Entity) -> Entity:
        """Store a new entity (number 0) or update one; it can be found by its names."""
        if not entity.no:
            entity = entity._replace(no=self._db.take("entity", 1))
        self._store.execute("put_entity", entity.no, *entity[:5], self._store.wall.agent)
        self._db.run("drop_entity_names", (entity.no,))
        names = {fold(name) for name in (entity.name, *entity.aliases)}
        agent = self._db.value("entity_agent", (entity.no,))
        self._db.many("put_entity_name", [(agent, name, entity.no) for name in names])
        return entity

    def drop_entity(self, no: int) -> None:
        self._db.run("drop_entity_names", (no,))
        self._db.run("drop_entity", (no,))

    def aliases(self, agent: str = "") -> dict[str, str]:
        """Every alias and the entity it stands for; empty for a name that two people have."""
        found: dict[str, str] = {}
        for name, aliases in self._db.all("aliases", (agent,)):
            found[name] = name
            for alias in loaded(aliases):  # a name of two people is nobody's
                found[alias] = name if found.get(alias, name) == name else ""
        return found

    # Strength

    def use(self, ids: Iterable[str], day: str, at: datetime) -> int:
        """Count memories as used; return how many of these ids exist."""
        wall, known = self._store.wall, 0
        for id in dict.fromkeys(ids):
            for row, record in self._store.records(self._db.column("memory_row", (id,))).items():
                known += 1
                # The use of somebody else's archived memory would bring it back.
                if record.state == "active" or wall.owns(record):
                    self._db.run("put_use", (row, day, to_stored(at)[0]))
        return known

    # Indexes and pages

    def index(self, limit: int) -> int:
        """Update the keywords of changed memories, then merge the indexes; how many there were."""
        rows = self._db.column("unindexed", (limit,))
        labels = [
            ("keyword", fold(word), row)
            for row, record in self._store.records(rows).items()
            for word in quick(record.searchable, _KEYWORDS)
        ]
        self._db.many("drop_keywords", [(row,) for row in rows])
        self._db.many("put_label", labels)
        self._db.run("drop_unindexed", (these(rows),))
        self._db.text.merge()
        return len(rows)

    def page(self, name: str, language: str) -> tuple[str, str, datetime] | None:
        """(text, basis, time of creation)."""
        row = self._db.one("page", (name, language))
        return (row[0], row[1], self._store.moment(row[2])) if row else None

    def put_page(self, name: str, language: str, text: str, basis: str, at: datetime) -> None:
        if not self._store.wall.stands:  # pages are the owner's: this one was made of less
            self._db.run("put_page", (name, language, to_stored(at)[0], text, basis))


class WorkspaceData(Part):
    """Data of the workspace. Files and chunks are derived: if lost, the files are read again."""

    # Files and their chunks

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Store and index a file and its chunks; a text that occurs several times once."""
        if guard := self._store._guard:
            chunks = [guard.chunk(chunk) for chunk in chunks]
        no = self._db.value("source_file", (file.root, file.path))
        no = no or self._db.take("source_file", 1)
        self._db.run("put_source_file", (no, *file[:6], to_stored(at)[0], file.problem))
        before = self._db.column("places_of", (no,))
        rows = self._rows_of([chunk.text for chunk in chunks])
        self._db.run("drop_places", (no,))
        places = [
            plain((no, n, row, *one[1:]))
            for n, (row, one) in enumerate(zip(rows, chunks, strict=True))
        ]
        self._db.many("put_place", places)
        self._reindex({*before, *rows})

    def drop_file(self, root: str, path: str) -> None:
        no = self._db.value("source_file", (root, path))
        rows = self._db.column("places_of", (no,))
        self._db.run("drop_places", (no,))
        self._db.run("drop_source_file", (no,))
        self._reindex(rows)

    def notes(self, rows: Iterable[int]) -> dict[int, Note]:
        """Chunks by their row in the index `chunks`; missing ones are left out."""
        found: dict[int, Note] = {}
        for row, text, first, last, heading, at, type, importance, *rest in self._db.all(
            "notes", (these(rows),)
        ):
            project, triggers, *file = rest
            day = moment(at, self._zone) if at is not None else None
            place = first, last, heading, day, type, importance, project
            found[row] = Note(NoteFile(*file), Chunk(text, *place, tuple(loaded(triggers))))
        return found

    def _rows_of(self, texts: Sequence[str]) -> list[int]:
        """The rows of texts; those that are new get one, not indexed yet."""
        # A lone surrogate is refused by the database, with a message.
        hashes = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known: dict[bytes, int] = dict(self._db.all("chunks_by_hash", (these(hashes),)))
        for key, text in zip(hashes, texts, strict=True):
            if key not in known:
                known[key] = self._db.take("chunk", 1)
                self._db.run("put_chunk", (known[key], key, text))
        return [known[key] for key in hashes]

    def _reindex(self, rows: Iterable[int]) -> None:
        """Bring the index up to date for chunks that stand elsewhere, or nowhere, now."""
        wanted = list(rows)
        standing = self._db.column("placed_chunks", (these(wanted),))
        self._indexes.drop("chunks", wanted)
        self._indexes.put_rows("chunks", standing)
        if gone := set(wanted).difference(standing):
            self._store.vectors._gone(gone)
            self._db.many("drop_chunk", [(row,) for row in gone])


class DocumentStore(Part):
    """JSON values that programs store, found by namespace and key or by their words. Recall does
    not read them."""

    def put(
        self, namespace: Namespace, key: str, value: str, text: str, at: datetime
    ) -> StoredDocument:
        """Store a document in place of one with the same key (without one: its number)."""
        no = self._db.take("document", 1)
        key = key or f"{no:012d}"
        before = self.named(namespace, key)
        now = to_stored(at)[0]
        created = before.created_at if before else now
        kept = StoredDocument(no, namespace, key, value, created, now, None, None)
        if before:
            self.drop([before.no])
        self._db.run("put_document", (no, path_of(namespace), key, value, text, *kept[4:]))
        self._indexes.put("documents", [(no, text)])
        return kept

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None:
        found = self._store.query_as(StoredDocument, "document_named", path_of(namespace), key)
        return found[0] if found else None

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace (and, if `deep`, those below it) before a number."""
        path = path_of(namespace)
        where = under(path) if deep else Conditions(("document_in",), (path,))
        if before is not None:
            where &= Conditions(("document_before",), (before,))
        rows = self._db.all("newest_documents", [*where.values, limit], where=where.names)
        return [read_as(StoredDocument, row, self._zone) for row in rows]

    def drop(self, rows: Iterable[int]) -> None:
        gone = list(rows)
        self._indexes.drop("documents", gone)
        self._db.many("drop_document", [(row,) for row in gone])


class Quarantine(Part):
    """`guard/quarantine.py` decides what is held, released and dropped."""

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Store passages; each gets a number that is never reused."""
        last = self._db.take("quarantine", len(kept))
        numbered = [one._replace(no=no) for no, one in enumerate(kept, last - len(kept) + 1)]
        self._db.many("put_quarantine", map(plain, numbered))
        return numbered

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """The unreleased passages of these turns, by turn, in text order."""
        # Of most people nothing was ever held back.
        if self._db.once("quarantine", lambda: self._db.one("has_quarantine")) is None:
            return {}
        held = self._db.all("quarantined_in", (these(turns),))
        return grouped((row[1], read_as(QuarantinedText, row, self._zone)) for row in held)


class WorkingSessions(Part):
    """Sessions by their keys, and transcripts; whoever is behind a wall has their own."""

    def writing(self) -> AbstractContextManager[None]:
        return self._db.writing()

    def entry(self, key: str) -> str | None:
        entry: str | None = self._db.value("working_session", (self._db.wall.mark, key))
        return entry

    def put(self, key: str, entry: str, owner: str | None = None) -> None:
        """Store a session, of whoever asks or, for the owner of the memory, of anyone."""
        mark = self._db.wall.mark if owner is None else owner
        self._db.run("put_working_session", (mark, key, entry))

    def lines(self, transcript: str, after: int = 0) -> list[tuple[int, str]]:
        """(number, JSON) of every line behind one."""
        return self._db.all("transcript_lines", (transcript, after))

    def append(
        self, transcript: str, last: int, lines: Iterable[str], owner: str | None = None
    ) -> None:
        mark = self._db.wall.mark if owner is None else owner
        rows = [(transcript, n, mark, line) for n, line in enumerate(lines, last + 1)]
        self._db.many("put_transcript_line", rows)

    @property
    def rewrites(self) -> tuple[int, int]:
        """What changes when lines are not as they were read any more."""
        return self._db.generation, self._db.value("counter", (_REWRITTEN,)) or 0

    def rewrite(self, transcript: str, lines: Mapping[int, str]) -> None:
        """Put other lines in the place of some; who has read them reads them again."""
        self._db.many("set_transcript_line", [(line, transcript, n) for n, line in lines.items()])
        self._db.take(_REWRITTEN, 1)
