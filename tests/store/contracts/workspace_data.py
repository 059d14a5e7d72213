"""What every backend promises of `WorkspaceData`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from loxodon.errors import InputError
from loxodon.store import Chunk, Filter, Note, NoteFile
from loxodon.store.store import Store
from tests.clock import NOW
from tests.store.contracts import Contract, record


class WorkspaceDataContract(Contract):
    """What is promised of files, marks and imports."""

    def note(self, path: str, root: str = "/w", **more: Any) -> NoteFile:
        values: dict[str, Any] = {
            "role": "note",
            "size": 10,
            "mtime": 1_700_000_000_000_000_000,
            "hash": b"h" * 32,
        }
        return NoteFile(root, path, **values | more)

    def put_notes(self, store: Store, file: NoteFile, *chunks: Chunk | str) -> None:
        pieces = [
            Chunk(one, n, n) if isinstance(one, str) else one for n, one in enumerate(chunks, 1)
        ]
        with store.writing():
            store.workspace_data.put_file(file, pieces, NOW)

    def noted(self, store: Store, query: str, **where: Any) -> list[tuple[str, str, int]]:
        """The notes that have a word: the file, the text and the line of each, best first."""
        rows = self.found(store, query, "chunks", **where)
        notes = store.workspace_data.notes(rows)
        return [
            (one.file.path, one.chunk.text, one.chunk.first_line)
            for one in (notes[row] for row in rows)
        ]

    def test_a_file_is_kept_with_all_that_is_known_of_it(self, store: Store) -> None:
        chunk = Chunk(
            "决定用 PostgreSQL\r\n🐘",
            3,
            4,
            "项目 > 选型",
            NOW,
            "opinion",
            0.9,
            "Atlas",
            ("数据库", 'quote "d"'),
        )
        file = self.note("memory/2026-02-04.md", role="daily", problem="line 9 is not UTF-8")
        self.put_notes(store, file, chunk)
        assert store.workspace_data.files() == [file]
        (row,) = self.found(store, "PostgreSQL", "chunks")
        assert store.workspace_data.notes([row, 99]) == {row: Note(file, chunk)}
        assert self.sound(store)

    @pytest.mark.parametrize(
        "query", ["postgresql", "选型", "数据库", "Atlas", "roadmap", "quoted d"]
    )
    def test_a_note_is_found_by_its_words_headings_triggers_project_and_file(
        self, store: Store, query: str
    ) -> None:
        chunk = Chunk(
            "We use PostgreSQL",
            1,
            1,
            "项目 > 选型",
            project="Atlas",
            triggers=("数据库", 'quoted "d"'),
        )
        self.put_notes(store, self.note("plans/roadmap.md"), chunk, "nothing else of the kind")
        assert ("plans/roadmap.md", "We use PostgreSQL", 1) in self.noted(store, query)

    def test_the_name_of_a_file_that_every_workspace_has_tells_nothing(self, store: Store) -> None:
        self.put_notes(store, self.note("MEMORY.md", role="memory"), "likes tea")
        assert self.noted(store, "memory") == []

    def test_files_come_in_order_of_root_and_path(self, store: Store) -> None:
        for root, path in (("/b", "a.md"), ("/a", "z.md"), ("/a", "b/c.md")):
            self.put_notes(store, self.note(path, root), f"text of {path}")
        assert [(one.root, one.path) for one in store.workspace_data.files()] == [
            ("/a", "b/c.md"),
            ("/a", "z.md"),
            ("/b", "a.md"),
        ]

    def test_the_same_path_in_two_roots_is_two_files(self, store: Store) -> None:
        self.put_notes(store, self.note("a.md", "/one"), "tea at four")
        self.put_notes(store, self.note("a.md", "/two"), "coffee at five")
        with store.writing():
            store.workspace_data.drop_file("/one", "a.md")
        assert self.noted(store, "tea") == []
        assert self.noted(store, "coffee") == [("a.md", "coffee at five", 1)]
        assert self.sound(store)

    def test_a_text_in_two_files_is_one_note_until_the_last_is_gone(self, store: Store) -> None:
        self.put_notes(store, self.note("b.md"), "mint tea", "only in b")
        self.put_notes(store, self.note("a.md"), "mint tea", "mint tea")
        assert self.noted(store, "tea") == [("a.md", "mint tea", 1)]
        with store.writing():
            store.workspace_data.drop_file("/w", "a.md")
        assert self.noted(store, "tea") == [("b.md", "mint tea", 1)]
        with store.writing():
            store.workspace_data.drop_file("/w", "b.md")
            store.workspace_data.drop_file("/w", "b.md")
        assert self.noted(store, "mint tea only") == []
        assert store.workspace_data.files() == []
        assert self.sound(store)

    def test_a_text_in_two_files_is_found_by_what_stands_around_either(self, store: Store) -> None:
        self.put_notes(store, self.note("a.md"), Chunk("same", 1, 1, "kitchen"))
        self.put_notes(store, self.note("b.md"), Chunk("same", 1, 1, "garden"))
        assert self.noted(store, "garden") == self.noted(store, "kitchen") == [("a.md", "same", 1)]
        with store.writing():
            store.workspace_data.drop_file("/w", "b.md")
        assert self.noted(store, "garden") == []
        assert self.sound(store)

    def test_a_file_that_is_read_again_takes_the_place_of_itself(self, store: Store) -> None:
        self.put_notes(store, self.note("a.md"), "one", "two")
        rows = self.found(store, "two", "chunks")
        self.put_notes(store, self.note("a.md", size=12), "three", "two")
        assert [one.size for one in store.workspace_data.files()] == [12]
        assert self.noted(store, "one") == []
        assert self.noted(store, "two") == [("a.md", "two", 2)]
        assert self.found(store, "two", "chunks") == rows  # the name of a note stays
        self.put_notes(store, self.note("a.md"))
        assert self.found(store, "two three", "chunks") == []
        assert self.sound(store)

    def test_another_heading_is_found_and_the_old_one_is_not(self, store: Store) -> None:
        self.put_notes(store, self.note("a.md"), Chunk("text", 1, 1, "kitchen"))
        self.put_notes(store, self.note("a.md"), Chunk("text", 1, 1, "garden"))
        assert (self.noted(store, "kitchen"), len(self.noted(store, "garden"))) == ([], 1)
        assert self.sound(store)

    def test_notes_are_of_their_day_their_project_and_nobody_elses(self, store: Store) -> None:
        day = timedelta(days=1)
        self.put_notes(
            store,
            self.note("a.md"),
            Chunk("tea today", 1, 1, at=NOW, project="Atlas"),
            Chunk("tea whenever", 2, 2),
        )
        assert len(self.noted(store, "tea")) == 2
        assert [text for _, text, _ in self.noted(store, "tea", since=NOW - day)] == ["tea today"]
        assert [text for _, text, _ in self.noted(store, "tea", until=NOW)] == ["tea whenever"]
        assert [text for _, text, _ in self.noted(store, "tea", project="atlas")] == ["tea today"]
        for where in ({"audience": "group"}, {"tag": "x"}, {"entity": "x"}, {"session": "s"}):
            assert self.noted(store, "tea", **where) == []
        rows = self.found(store, "tea", "chunks")
        assert store.admitted("chunks", rows, Filter(audience="group")) == set()
        assert store.admitted("chunks", rows, Filter()) == set(rows)

    def test_notes_that_were_not_kept_are_not_there(self, store: Store) -> None:
        self.put_notes(store, self.note("a.md"), "one")
        broken = NoteFile("/w", "a.md", "note", 1, 1, b"")
        with pytest.raises(InputError):
            self.put_notes(store, broken, "two", "half a character: \ud83d")
        assert (len(self.noted(store, "one")), self.noted(store, "two")) == (1, [])
        assert self.sound(store)

    def test_what_is_derived_of_files_is_made_anew(self, store: Store) -> None:
        self.put_notes(store, self.note("garden.md"), Chunk("tea", 1, 1, "早餐", triggers=("x y",)))
        assert store.rebuild(lambda done, total: None) == 1
        for query in ("tea", "早餐", "garden", "y"):
            assert len(self.noted(store, query)) == 1
        assert self.sound(store)

    def test_marks_are_of_a_file_and_a_session(self, store: Store) -> None:
        workspace_data = store.workspace_data
        assert (workspace_data.mark("/a.db"), workspace_data.marks("/a.db")) == ("", {})
        with store.writing():
            workspace_data.set_mark("/a.db", "", "{}", NOW)
            workspace_data.set_mark("/a.db", "s1", '{"n": 1}', NOW)
            workspace_data.set_mark("/a.db", "s1", '{"n": 2}', NOW)
            workspace_data.set_mark("/b.db", "s1", "other", NOW)
        assert workspace_data.mark("/a.db", "s1") == '{"n": 2}'
        assert workspace_data.marks("/a.db") == {"": "{}", "s1": '{"n": 2}'}

    def test_what_was_imported_is_known_by_its_key(self, store: Store) -> None:
        one, two = self.keep(store, record("one"), record("two"))
        with store.writing():
            store.workspace_data.put_import(b"k1", one.id, NOW)
            store.workspace_data.put_import(b"k1", two.id, NOW)  # stays what it first became
            store.workspace_data.put_import(b"k2", two.id, NOW)
        keys = [b"k1", b"k2", b"k3", *(b"%d" % n for n in range(900))]
        assert store.workspace_data.imported(keys) == {b"k1": one.id, b"k2": two.id}
