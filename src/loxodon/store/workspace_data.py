"""The user's and agent's files as searchable chunks, marks of what was read, and imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from loxodon.clock import to_stored
from loxodon.store import Chunk, Note, NoteFile
from loxodon.store.driver import these, these_keys
from loxodon.store.indexes import Part, batches
from loxodon.store.rows import loaded, moment

_BATCH = 400


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
