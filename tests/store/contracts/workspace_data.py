"""What every backend promises of `WorkspaceData`: notes, marks of followed files, imports."""

from __future__ import annotations

from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.store import Chunk, Filter, Note, NoteFile
from loxodon.store.store import Store
from tests.clock import NOW
from tests.store.contracts import DAY, Contract, quiet


def note(path: str, root: str = "/w", **more: Any) -> NoteFile:
    values: dict[str, Any] = {"role": "note", "size": 10, "mtime": 17 * 10**17, "hash": b"h" * 32}
    return NoteFile(root, path, **values | more)


class WorkspaceDataContract(Contract):
    def put_notes(self, store: Store, file: NoteFile, *chunks: Chunk | str) -> None:
        pieces = [
            Chunk(one, n, n) if isinstance(one, str) else one for n, one in enumerate(chunks, 1)
        ]
        with store.writing():
            store.workspace_data.put_file(file, pieces, NOW)

    def drop(self, store: Store, *paths: str, root: str = "/w") -> None:
        with store.writing():
            for path in paths:
                store.workspace_data.drop_file(root, path)

    def noted(self, store: Store, query: str, **where: Any) -> list[tuple[str, str, int]]:
        """The notes that have a word: the file, the text and the line of each, best first."""
        rows = self.found(store, query, "chunks", **where)
        notes = [store.workspace_data.notes(rows)[row] for row in rows]
        return [(one.file.path, one.chunk.text, one.chunk.first_line) for one in notes]

    def test_file_is_kept_with_its_notes(self, store: Store) -> None:
        chunk = Chunk(
            "决定用 PostgreSQL\r\n🐘",
            3,
            4,
            "项目 > 选型",
            NOW,
            "opinion",
            0.9,
            "Atlas",
            ("数据库", 'quoted "d"'),
        )
        file = note("plans/roadmap.md", role="daily", problem="line 9 is not UTF-8")
        self.put_notes(store, file, chunk, "nothing else of the kind")
        self.put_notes(store, note("MEMORY.md", role="memory"), "likes tea")
        (row,) = self.found(store, "PostgreSQL", "chunks")
        assert store.workspace_data.notes([row, 99]) == {row: Note(file, chunk)}
        for _ in range(2):
            for query in ("postgresql", "选型", "数据库", "Atlas", "roadmap", "quoted d"):
                assert row in self.found(store, query, "chunks"), query
            assert self.noted(store, "memory") == []  # the name that every workspace has
            assert self.sound(store)
            assert store.rebuild(quiet) == 3

    def test_files_are_of_their_root(self, store: Store) -> None:
        files = [note("b.md"), note("a.md"), note("z.md", "/a")]
        for file in files:
            self.put_notes(store, file, f"tea in {file.root}{file.path}")
        assert [one.path for one in store.query_as(NoteFile, "files")] == ["z.md", "a.md", "b.md"]
        self.drop(store, "z.md")
        assert len(self.noted(store, "tea")) == 3
        self.drop(store, "z.md", root="/a")
        assert {path for path, *_ in self.noted(store, "tea")} == {"a.md", "b.md"}
        assert self.sound(store)

    def test_text_in_two_files_is_one_note_until_the_last_is_gone(self, store: Store) -> None:
        self.put_notes(store, note("b.md"), Chunk("mint tea", 1, 1, "garden"), "only in b")
        self.put_notes(store, note("a.md"), Chunk("mint tea", 1, 1, "kitchen"), "mint tea")
        for query in ("tea", "garden", "kitchen"):
            assert self.noted(store, query)[0] == ("a.md", "mint tea", 1)
        self.drop(store, "a.md")
        assert self.noted(store, "kitchen") == []
        assert self.noted(store, "tea") == [("b.md", "mint tea", 1)]
        self.drop(store, "b.md", "b.md")
        assert self.noted(store, "mint tea only") == []
        assert store.query_as(NoteFile, "files") == []
        assert self.sound(store)

    def test_file_that_is_read_again_replaces_itself(self, store: Store) -> None:
        self.put_notes(store, note("a.md"), "one", Chunk("two", 2, 2, "kitchen"))
        rows = self.found(store, "two", "chunks")
        self.put_notes(store, note("a.md", size=12), "three", Chunk("two", 2, 2, "garden"))
        assert [one.size for one in store.query_as(NoteFile, "files")] == [12]
        assert self.noted(store, "one") == self.noted(store, "kitchen") == []
        assert self.noted(store, "garden") == [("a.md", "two", 2)]
        assert self.found(store, "two", "chunks") == rows  # the name of a note stays
        with pytest.raises(InputError):
            self.put_notes(store, note("a.md"), "four", "half a character: \ud83d")
        assert self.found(store, "two", "chunks") == rows
        self.put_notes(store, note("a.md"))
        assert self.found(store, "two three four", "chunks") == []
        assert self.sound(store)

    def test_notes_are_filtered_by_day_and_project(self, store: Store) -> None:
        dated = Chunk("tea today", 1, 1, at=NOW, project="Atlas")
        self.put_notes(store, note("a.md"), dated, "tea whenever")
        assert len(self.noted(store, "tea")) == 2
        for where, text in (
            ({"since": NOW - DAY}, "tea today"),
            ({"until": NOW}, "tea whenever"),
            ({"project": "atlas"}, "tea today"),
        ):
            assert [one for _, one, _ in self.noted(store, "tea", **where)] == [text]
        for other in ({"audience": "group"}, {"tag": "x"}, {"entity": "x"}, {"session": "s"}):
            assert self.noted(store, "tea", **other) == []
        rows = self.found(store, "tea", "chunks")
        assert store.admitted("chunks", rows, Filter(audience="group")) == set()
        assert store.admitted("chunks", rows, Filter()) == set(rows)
