"""What is kept beside turns and memories: files as searchable chunks, documents of programs,
passages that are held back, working sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.store import Chunk, Namespace, Note, NoteFile, QuarantinedText, StoredDocument
from loxodon.store.driver import Row, these, these_keys
from loxodon.store.indexes import Part, batches
from loxodon.store.rows import loaded, moment, quarantined_of
from loxodon.store.search import Conditions, under
from loxodon.store.walls import namespace_at, path_of

_BATCH = 400
_REWRITTEN = "transcripts"  # the counter of changes to lines that were written before


class _Words(NamedTuple):
    """What a chunk is found by beside its text and the name of its file."""

    heading: str
    project: str
    triggers: str


class WorkspaceData(Part):
    """Data of the workspace. Files and chunks are derived: if lost, the files are read again."""

    # Files and their chunks

    def files(self) -> list[NoteFile]:
        """Every file that was read, ordered by root and path."""
        return [NoteFile(*row) for row in self._db.all("files")]

    def put_file(self, file: NoteFile, chunks: Sequence[Chunk], at: datetime) -> None:
        """Store and index a file and its chunks; a text that occurs several times once."""
        if guard := self._store._guard:
            chunks = [guard.chunk(chunk) for chunk in chunks]
        known = self._db.one("source_file", (file.root, file.path))
        no, role = known or (self._db.take("source_file", 1), file.role)
        self._db.run("put_source_file", (no, *file[:6], to_stored(at)[0], file.problem))
        before = self._words_of(no)
        rows = self._rows_of([chunk.text for chunk in chunks])
        after: dict[int, list[_Words]] = {}
        places = []
        for n, (row, chunk) in enumerate(zip(rows, chunks, strict=True)):
            words = _Words(chunk.heading, chunk.project, these(chunk.triggers))
            after.setdefault(row, []).append(words)
            lines = chunk.first_line, chunk.last_line, chunk.heading
            day = to_stored(chunk.at)[0] if chunk.at else None
            places.append((no, n, row, *lines, day, chunk.type, chunk.importance, *words[1:]))
        self._db.run("drop_places", (no,))
        self._db.many("put_place", places)
        self._reindex(
            row
            for row in before.keys() | after.keys()
            if role != file.role or sorted(before.get(row, ())) != sorted(after.get(row, ()))
        )

    def drop_file(self, root: str, path: str) -> None:
        known = self._db.one("source_file", (root, path))
        if known is None:
            return
        rows = self._words_of(known[0])
        self._db.run("drop_places", known[:1])
        self._db.run("drop_source_file", known[:1])
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

    def _words_of(self, file: int) -> dict[int, list[_Words]]:
        """What each chunk of a file is found by for standing there."""
        found: dict[int, list[_Words]] = {}
        for row, *words in self._db.all("places_of", (file,)):
            found.setdefault(row, []).append(_Words(*words))
        return found

    def _rows_of(self, texts: Sequence[str]) -> list[int]:
        """The rows of texts; those that are new get one, not indexed yet."""
        # A lone surrogate is refused by the database, with a message.
        hashes = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known: dict[bytes, int] = {}
        for start in range(0, len(hashes), _BATCH):
            some = these_keys(hashes[start : start + _BATCH])
            known.update(self._db.all("chunks_by_hash", (some,)))
        for key, text in zip(hashes, texts, strict=True):
            if key not in known:
                known[key] = self._db.take("chunk", 1)
                self._db.run("put_chunk", (known[key], key, text))
        return [known[key] for key in hashes]

    def _reindex(self, rows: Iterable[int]) -> None:
        """Bring the index up to date for chunks that stand elsewhere, or nowhere, now."""
        for batch in batches(rows, _BATCH):
            standing = self._db.column("placed_chunks", (these(batch),))
            self._indexes.drop("chunks", batch)
            self._indexes.put_rows("chunks", standing)
            gone = sorted(set(batch).difference(standing))
            self._store.vectors.gone(gone)
            self._db.many("drop_chunk", [(row,) for row in gone])


class DocumentStore(Part):
    """JSON values that programs store beside the memories, returned exactly.

    They are found by namespace (names from general to specific) and key, or by their words;
    consolidation and recall do not read them."""

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
        """Store a document in place of one with the same key (without one: its number)."""
        no = self._db.take("document", 1)
        key = key or f"{no:012d}"
        before = self.named(namespace, key)
        now = to_stored(at)[0]
        ends = to_stored(expires_at)[0] if expires_at else None
        kept = StoredDocument(
            no, namespace, key, value, before.created_at if before else now, now, minutes, ends
        )
        if before:
            self.drop([before.no])
        path = path_of(namespace)
        self._db.run("put_document", (no, path, key, value, text, *kept[4:]))
        self._indexes.put("documents", [(no, text)])
        return kept

    def named(self, namespace: Namespace, key: str) -> StoredDocument | None:
        row = self._db.one("document_named", (path_of(namespace), key))
        return self.numbered(row)[row[0]] if row else None

    def numbered(self, rows: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by their number, which is their row in the index `documents`."""
        return {row[0]: _kept(row) for row in self._db.all("documents", (these(rows),))}

    def newest(
        self, namespace: Namespace, limit: int, before: int | None = None, *, deep: bool = True
    ) -> list[StoredDocument]:
        """The latest `limit` of a namespace (and, if `deep`, those below it) before a number."""
        path = path_of(namespace)
        where = under(path) if deep else Conditions(("document_in",), (path,))
        if before is not None:
            where &= Conditions(("document_before",), (before,))
        rows = self._db.all("newest_documents", [*where.values, limit], where=where.names)
        return [_kept(row) for row in rows]

    def namespaces(self, begin: Namespace, now: datetime) -> list[Namespace]:
        """Every namespace with this prefix and a document that has not expired, in order."""
        names, values = under(path_of(begin))
        paths = self._db.column("namespaces", [to_stored(now)[0], *values], where=names)
        return sorted(map(namespace_at, paths))

    def drop(self, rows: Iterable[int]) -> None:
        gone = list(rows)
        self._indexes.drop("documents", gone)
        self._db.many("drop_document", [(row,) for row in gone])


def _kept(row: Row) -> StoredDocument:
    no, path, *rest = row
    return StoredDocument(no, namespace_at(path), *rest)


class Quarantine(Part):
    """`guard/quarantine.py` decides what is held, released and dropped."""

    def put(self, kept: Sequence[QuarantinedText]) -> list[QuarantinedText]:
        """Store passages; each gets a number that is never reused."""
        if not kept:
            return []
        last = self._db.take("quarantine", len(kept))
        numbered = [one._replace(no=no) for no, one in enumerate(kept, last - len(kept) + 1)]
        rows = []
        for one in numbered:
            decided = to_stored(one.decided_at)[0] if one.decided_at else None
            rows.append((*one[:8], to_stored(one.at)[0], one.state, decided))
        self._db.many("put_quarantine", rows)
        return numbered

    def in_turns(self, turns: Iterable[int]) -> dict[int, list[QuarantinedText]]:
        """The unreleased passages of these turns, by turn, in text order."""
        found: dict[int, list[QuarantinedText]] = {}
        # Of most people nothing was ever held back.
        if self._db.once("quarantine", lambda: self._db.one("has_quarantine")) is not None:
            for row in self._db.all("quarantined_in", (these(turns),)):
                found.setdefault(row[1], []).append(quarantined_of(row, self._zone))
        return found

    def get(self, no: int) -> QuarantinedText | None:
        row = self._db.one("quarantined_one", (no,))
        return quarantined_of(row, self._zone) if row else None

    def find(self, state: str | None) -> list[QuarantinedText]:
        where = ("quarantine_state",) if state else ()
        rows = self._db.all("quarantined_by_state", (state,) if state else (), where=where)
        return [quarantined_of(row, self._zone) for row in rows]


class WorkingSession(NamedTuple):
    owner: str  # empty for the owner of the memory, or whoever is behind a wall (`Wall.mark`)
    key: str
    entry: str  # JSON: its transcript, and where the conversation stands


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
        rows = self._db.all("transcript_lines", (transcript, after))
        return [(n, line) for n, line in rows]

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

    # For the owner

    def all(self) -> list[WorkingSession]:
        return [WorkingSession(*row) for row in self._db.all("working_sessions")]

    def rename(self, session: WorkingSession, key: str) -> None:
        self._db.run("drop_working_session", session[:2])
        self.put(key, session.entry, session.owner)

    def transcripts(self) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
        for id, owner in self._db.all("transcripts"):
            yield id, owner, self.lines(id)

    def rewrite(self, transcript: str, lines: Mapping[int, str]) -> None:
        """Put other lines in the place of some; who has read them reads them again."""
        rows = [(line, transcript, n) for n, line in lines.items()]
        self._db.many("set_transcript_line", rows)
        self._db.take(_REWRITTEN, 1)

    def clear(self) -> int:
        """Drop every session and transcript; how many transcripts those were."""
        count = len(self._db.all("transcripts"))
        self._db.run("clear_working_sessions")
        self._db.run("clear_transcripts")
        self._db.take(_REWRITTEN, 1)
        return count
