"""The embedded store: the contract, and what only a file can suffer."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    ForeignStoreError,
    FullStoreError,
    NewerStoreError,
    UnwritableStoreError,
)
from loxodon.spaces import space_folder
from loxodon.store import Chunk, Filter, NoteFile, name_lookup, neighbours
from loxodon.store.database import MEMO
from loxodon.store.sqlite import database
from loxodon.store.sqlite.database import APPLICATION_ID, Database
from loxodon.store.sqlite.store import SqliteStore
from loxodon.store.store import Store
from loxodon.text.words import query_words
from loxodon.types import Entity, Segment, Source
from tests.clock import NOW
from tests.long import count
from tests.store.contract import BackendContract
from tests.store.contracts import key, record, turn
from tests.store.lasting import SHANGHAI, Lasting


def opened(path: Path | str, space: str = "main", days: int = 1_000) -> SqliteStore:
    return SqliteStore(str(path), space, SHANGHAI, Lasting(days))


class TestSqliteStore(BackendContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Callable[[str], Store]:
        def open_space(space: str) -> Store:
            return opened(
                os.path.join(space_folder(str(tmp_path), space, make=True), "x.db"), space
            )

        return open_space


def test_the_schema_is_pinned(tmp_path: Path) -> None:
    """A change of the schema is a new migration, and a change of this list."""
    opened(tmp_path / "x.db").close()
    connection = apsw.Connection(str(tmp_path / "x.db"))
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema")
        if not name.startswith("sqlite_")
        and "_index_" not in name
        and not name.endswith("_sealed")  # one for each table of the truth: test_seals.py
    }
    assert names == {
        "meta",
        "counters",
        "sessions",
        "turns",
        "turns_by_session",
        "turns_by_time",
        "memories",
        "memories_by_state",
        "memories_by_time",
        "memory_labels",
        "memory_labels_by_memory",
        "memory_sources",
        "memory_sources_by_turn",
        "memory_changes",
        "common_words",
        "turn_index",
        "memory_index",
        "archive_index",
        "turns_by_name",
        "memories_by_end",
        "memories_by_predecessor",
        "memories_by_day",
        "memory_changes_by_time",
        "segments",
        "segments_by_session",
        "segments_by_time",
        "fragments",
        "fragments_by_stage",
        "candidates",
        "events",
        "events_by_date",
        "events_to_compress",
        "entities",
        "entity_names",
        "entity_names_by_entity",
        "reviews",
        "reviews_open",
        "memory_uses",
        "unindexed",
        "model_use",
        "pages",
        "vector_models",
        "vector_blocks",
        "vector_blocks_by_change",
        "vector_bits",
        "vectors",
        "vectors_by_row",
        "vectors_by_text",
        "vector_todo",
        "segment_index",
        "source_files",
        "chunks",
        "chunk_places",
        "chunk_places_by_chunk",
        "chunk_places_by_day",
        "chunk_index",
        "followed",
        "imports",
        "jobs",
        "memories_by_due",
        "memories_supposed",
        "memories_that_matter",
        "documents",
        "documents_by_change",
        "documents_by_end",
        "document_index",
        "quarantine",
        "quarantine_by_turn",
        "quarantine_by_memory",
        "quarantine_held",
        "tokens",
        "tokens_by_time",
        "tokens_by_memory",
        "tombstones",
        "receipts",
        "receipts_by_time",
        "signatures",
        "turns_by_agent",
        "memories_by_agent",
        "audit",
        "working_sessions",
        "transcript_lines",
    }
    assert connection.pragma("user_version") == 11
    assert connection.pragma("application_id") == APPLICATION_ID
    assert connection.pragma("journal_mode") == "wal"


def test_a_write_survives_the_power(tmp_path: Path) -> None:
    db = Database(str(tmp_path / "x.db"))
    assert db.one("PRAGMA synchronous") == (2,)  # FULL: on disk before it is acknowledged
    assert db.one("PRAGMA foreign_keys") == (1,)
    db.close()


def test_a_foreign_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs (a)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(ForeignStoreError, match="not a Loxodon one"):
        opened(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"my diary, not a database at all" * 100)
    with pytest.raises(ForeignStoreError, match="not an SQLite database"):
        opened(path)
    assert path.read_bytes().startswith(b"my diary")


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    opened(path).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    with pytest.raises(NewerStoreError, match="99") as caught:
        opened(path)
    assert "install" in caught.value.hint


def test_a_file_moved_into_another_space_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "x.db", "alice").close()
    with pytest.raises(DamagedStoreError, match="alice"):
        opened(tmp_path / "x.db", "bob")


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store = opened(path)
    with store.writing():
        store.append([(turn(f"words number {n}"), key(str(n))) for n in range(500)])
    store.close()
    data = bytearray(path.read_bytes())
    for start in range(4096 * 3, len(data) - 4096, 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.raises(DamagedStoreError, match="damaged"):  # noqa: PT012
        store = opened(path)
        store.journal(Filter(), 0)


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.append([(turn("acknowledged", id="a"), key("a"))])
    ((pages,),) = store._db.all("PRAGMA page_count")
    store._db.all(f"PRAGMA max_page_count={pages + 5}")
    with pytest.raises(FullStoreError, match="full"), store.writing():
        store.append([(turn("x" * 5_000, id=str(n)), key(str(n))) for n in range(50)])
    assert [one.id for one in store.journal(Filter(), 0)] == ["a"]
    store._db.all("PRAGMA max_page_count=1073741823")
    with store.writing():
        store.append([(turn("after", id="b"), key("b"))])
    assert [one.id for one in store.journal(Filter(), 0)] == ["a", "b"]
    assert store.check(lambda done, total: None) == []
    store.close()


def test_a_home_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnwritableStoreError) as caught:
        space_folder(str(tmp_path / "file" / "home"), "main", make=True)
    assert "--home" in caught.value.hint
    with pytest.raises(UnwritableStoreError):
        opened(tmp_path / "no such folder" / "x.db")


def test_missing_and_stale_index_rows_are_found_and_mended(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.append([(turn(f"words {n}"), key(str(n))) for n in range(10)])
        store.insert(record("cats"), "captured")
    with store.writing():
        store._db.run("DELETE FROM turn_index WHERE rowid = 3")
        store._db.run("INSERT INTO archive_index (rowid, words) VALUES (77, 'ghost')")
        store._db.run("UPDATE memories SET content = 'cats and two more words'")
    found = {(one.where, one.what) for one in store.check(lambda done, total: None)}
    assert found == {
        ("turn_index", "1 rows are missing"),
        ("archive_index", "1 rows are stale"),
        ("memory_index", "1 rows are stale"),
    }
    store.rebuild(lambda done, total: None)
    assert store.check(lambda done, total: None) == []
    with store.writing():
        store._db.run("DELETE FROM counters WHERE name = 'rows_turns'")
    (problem,) = store.check(lambda done, total: None)
    assert problem.where == "rows_turns"
    store.rebuild(lambda done, total: None)
    assert store.check(lambda done, total: None) == []
    store.close()


def test_broken_promises_of_records_are_found(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        kept = store.insert(record("cats"), "captured")
        store._db.run("UPDATE memories SET importance = 7, tags = 'no json', version = 4")
    whats = [one.what for one in store.check(lambda done, total: None) if one.where == kept.id]
    assert len(whats) == 3
    store.close()


def test_opening_reads_no_rows(tmp_path: Path) -> None:
    """Opening costs the same however much there is: the same pages are read."""

    def steps_to_open() -> int:
        done = 0

        def count() -> bool:
            nonlocal done
            done += 1
            return False

        # Virtual machine steps, counted by SQLite itself: exact, where a stopwatch is not.
        connect = Database._connect

        def counted(self: Database) -> apsw.Connection:
            connection = connect(self)
            connection.set_progress_handler(count, 1)
            return connection

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Database, "_connect", counted)
            opened(tmp_path / "x.db").close()
        return done

    store = opened(tmp_path / "x.db")
    store.close()
    small = steps_to_open()
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.append([(turn(f"words {n}"), key(str(n))) for n in range(5_000)])
    store.close()
    assert steps_to_open() == small


WRITERS = count(5, 16)
WRITER = """
    import sys
    from loxodon import Memory

    who = sys.argv[2]
    with Memory.open(sys.argv[1]) as memory:
        for n in range(25):
            said = {"role": "user", "content": f"{who} says {n}", "id": f"{who}-{n}"}
            memory.add([said], session=who)
            if n % 5 == 0:
                memory.capture(f"{who} knows {n}")
"""


def test_many_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    script = textwrap.dedent(WRITER)
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(home), f"w{n}"]) for n in range(WRITERS)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * WRITERS
    store = opened(home / "spaces" / "main" / "loxodon.db")
    for n in range(WRITERS):
        mine = store.journal(Filter(session=f"w{n}"), 0)
        assert [one.content for one in mine] == [f"w{n} says {i}" for i in range(25)]
    ids = [one.id for one in store.find(Filter())]
    assert len(ids) == len(set(ids)) == 5 * WRITERS
    assert store.check(lambda done, total: None) == []
    store.close()


KILLED = """
    import sys
    from loxodon import Memory

    with Memory.open(sys.argv[1]) as memory:
        for n in range(100_000):
            memory.add([{"role": "user", "content": f"turn {n}", "id": str(n)}], session="s")
            print(n, flush=True)
"""


def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(home)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(40)]
        process.kill()
    store = opened(home / "spaces" / "main" / "loxodon.db")
    kept = {int(one.id) for one in store.journal(Filter(), 0)}
    assert set(acknowledged) <= kept
    assert kept == set(range(len(kept)))
    assert store.check(lambda done, total: None) == []
    store.close()


def test_a_home_made_by_another_process_meanwhile_is_not_foreign(tmp_path: Path) -> None:
    """Between two looks at an empty file, somebody else may have made the schema."""
    recognise = Database._recognise
    raced: list[bool] = []

    def race(self: Database, connection: apsw.Connection) -> int:
        if not raced:
            raced.append(True)
            opened(tmp_path / "x.db").close()
        return recognise(self, connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_recognise", race)
        opened(tmp_path / "x.db").close()
    assert raced


def test_validate_raises_no_false_alarm_beside_a_writer(tmp_path: Path) -> None:
    """A connection that stays open has an old idea of an index that another one has changed."""
    writer, reader = opened(tmp_path / "x.db"), opened(tmp_path / "x.db")
    for n in range(20):
        with writer.writing():
            kept = writer.insert(record(f"number {n}"), "captured")
        with writer.writing():
            writer.update(kept.id, None, "edited", NOW, {"content": f"changed {n}"})
        assert reader.check(lambda done, total: None) == []
    writer.close()
    reader.close()


def test_several_reads_see_one_moment(tmp_path: Path) -> None:
    writer, reader = opened(tmp_path / "x.db"), opened(tmp_path / "x.db")
    with writer.writing():
        kept = writer.insert(record("one"), "captured")
    with reader.reading():
        assert len(reader.find(Filter())) == 1
        with writer.writing():
            writer.insert(record("two"), "captured")
            writer.update(kept.id, None, "edited", NOW, {"content": "changed"})
        assert [one.content for one in reader.find(Filter())] == ["one"]
        assert len(reader.history(kept.id)) == 1
    assert len(reader.find(Filter())) == 2
    writer.close()
    reader.close()


def test_a_writer_that_never_lets_go_is_not_waited_for_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loxodon.store.sqlite.database._LOCK_SECONDS", 0.05)
    one, two = opened(tmp_path / "x.db"), opened(tmp_path / "x.db")
    with one.writing(), pytest.raises(BusyStoreError), two.writing():
        pass
    with two.writing():  # and then it is free again
        pass
    one.close()
    two.close()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    opened(tmp_path / "x.db").close()
    assert {oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()} == {"0o600"}


def test_an_empty_space_takes_a_page_for_each_table_and_index_and_little_more(
    tmp_path: Path,
) -> None:
    """`bench/sizes.py` and docs/reference.md tell how much that is."""
    opened(tmp_path / "x.db").close()
    connection = apsw.Connection(str(tmp_path / "x.db"))
    ((pages, free, trees),) = connection.execute(
        "SELECT page_count, freelist_count, (SELECT count(*) FROM sqlite_schema WHERE rootpage > 0)"
        " FROM pragma_page_count, pragma_freelist_count"
    )
    connection.close()
    assert free == 0
    assert pages - trees <= 15  # what they are, in words
    assert (tmp_path / "x.db").stat().st_size < 700_000


def test_other_words_than_before_make_the_indexes_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.insert(record("cats"), "captured")
        store._db.run("INSERT INTO memory_index (memory_index) VALUES ('delete-all')")
    assert store.search("memories", ["cat"], Filter(), 5) == []
    store.close()
    monkeypatch.setattr("loxodon.store.store.VERSION", "another")
    store = opened(tmp_path / "x.db")
    assert len(store.search("memories", ["cat"], Filter(), 5)) == 1
    store.close()


class TestCommonWords:
    """Searches that common words may not lead, compared with what a plain query finds."""

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
        monkeypatch.setattr("loxodon.store.search.LEAST_BUDGET", 50)
        monkeypatch.setattr("loxodon.store.search.COMMON", 20)
        store = opened(tmp_path / "x.db")
        sides = ("question about the budget", "answer on travel")
        said = [turn(f"{sides[n % 2]} number{n}", id=str(n)) for n in range(3_000)]
        said += [turn("budget travel plans", id="both"), turn("budget zebra", id="zebra")]
        said += [turn("quiet zebra", id="quiet"), turn("猫咪", id="cat")]
        with store.writing():
            store.append([(one, key(one.id)) for one in said])
        yield store
        store.close()

    def ids(self, store: SqliteStore, *words: str, **where: Any) -> list[str]:
        hits = store.search("turns", words, Filter(**where), 10)
        found = store.turns([hit.row for hit in hits])
        return [found[hit.row].id for hit in hits]

    def test_both_sides_of_a_talk_are_sampled(self, store: SqliteStore) -> None:
        common = store._indexes.common("turns")
        assert common["question"] == pytest.approx(0.5, abs=0.05)
        assert common["answer"] == pytest.approx(0.5, abs=0.05)
        assert "zebra" not in common

    def test_rare_words_lead_and_common_ones_decide(self, store: SqliteStore) -> None:
        assert self.ids(store, "budget", "zebra")[:2] == ["zebra", "quiet"]

    def test_a_rare_word_that_nothing_has_hides_nothing(self, store: SqliteStore) -> None:
        assert len(self.ids(store, "budget", "lisbon")) == 10
        assert len(self.ids(store, "budget", "zebra", session="s")) == 10

    def test_rows_with_all_common_words_come_first(self, store: SqliteStore) -> None:
        found = self.ids(store, "budget", "travel")
        assert found[0] == "both"
        assert len(found) == 10

    def test_only_common_words_give_the_newest(self, store: SqliteStore) -> None:
        assert self.ids(store, "question")[:3] == ["2998", "2996", "2994"]

    def test_a_single_character_counts_the_rows_of_its_pairs(self, store: SqliteStore) -> None:
        assert self.ids(store, "猫*") == ["cat"]
        with store.writing():
            store.append([(turn(f"猫{n}的", id=f"c{n}"), key(f"c{n}")) for n in range(4_000)])
        assert store._indexes.common("turns")["猫*"] > 0.3
        assert len(self.ids(store, "猫*")) == 10

    def test_archived_rows_do_not_count(self, store: SqliteStore) -> None:
        with store.writing():
            for n in range(2_500):
                store.insert(record(f"server log {n}", state="archived"), "captured")
            for n in range(5):
                store.insert(record(f"server {n}"), "captured")
        assert store._indexes.common("memories") == {}
        assert len(store.search("memories", ["server", "zzz"], Filter(), 10)) == 5


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become another")
def test_a_copy_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    import urllib.parse  # noqa: F401 - the child may not be able to load it

    store = opened(tmp_path / "x.db")
    with store.writing():
        store.insert(record("cats"), "captured")
    store.close()
    for folder in (
        tmp_path,
        tmp_path.parent,
        tmp_path.parent.parent,
        tmp_path.parent.parent.parent,
    ):
        folder.chmod(0o755)
    (tmp_path / "x.db").chmod(0o444)
    tmp_path.chmod(0o555)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setuid(65534)
            reader = opened(tmp_path / "x.db")
            if len(reader.search("memories", ["cat"], Filter(), 5)) == 1:
                with reader.writing():
                    code = 2
        except UnwritableStoreError as error:
            code = 0 if "read-only" in str(error) else 3
        finally:
            os._exit(code)
    tmp_path.chmod(0o755)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_index_that_is_destroyed_is_named_and_made_again(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.append([(turn(f"words {n}"), key(str(n))) for n in range(200)])
    store.close()
    connection = apsw.Connection(str(tmp_path / "x.db"))
    connection.execute(
        "UPDATE turn_index_data SET block = x'00ff00ff'; DELETE FROM turn_index_config"
    )
    connection.close()
    store = opened(tmp_path / "x.db")
    (problem,) = store.check(lambda done, total: None)
    assert problem.where == "turn_index"
    assert problem.derived
    assert "loxodon repair" in problem.hint
    assert store.rebuild(lambda done, total: None) == 200
    assert store.check(lambda done, total: None) == []
    assert store.search("turns", ["word"], Filter(), 10)
    ((automerge,),) = store._db.all("SELECT v FROM turn_index_config WHERE k = 'automerge'")
    assert automerge == 16
    store.close()


def test_reading_a_file_again_touches_only_the_index_rows_of_what_changed(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    file = NoteFile("/w", "a.md", "note", 1, 1, b"")
    chunks = [Chunk(f"line {n}", n, n, "heading") for n in range(1, 51)]
    with store.writing():
        store.workspace_data.put_file(file, chunks, NOW)
    with store.writing():
        # A row that is indexed again loses this mark.
        store._db.run("UPDATE chunk_index_docsize SET sz = x'07'")
        moved = [one._replace(first_line=one.first_line + 1) for one in chunks]
        moved[9] = moved[9]._replace(text="another")
        store.workspace_data.put_file(file, moved, NOW)
    untouched = store._db.all("SELECT id FROM chunk_index_docsize WHERE sz = x'07'")
    assert len(untouched) == 49
    assert store.workspace_data.notes([1])[1].chunk.first_line == 2
    store.close()


# A home that an older version wrote


FIRST = Path(database.migrations()[0])
AT = int(NOW.timestamp() * 1_000)


def old_home(path: Path) -> None:
    """A file as the first version left it: the schema, three turns, two memories with history."""
    connection = apsw.Connection(str(path))
    connection.execute(FIRST.read_text("utf-8"))
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version=1")
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    run = connection.execute
    run("INSERT INTO meta VALUES ('space', 'main'), ('words', '1')")
    run(
        "INSERT INTO counters VALUES ('turn', 3), ('session', 1), ('memory', 2), ('rows_turns', 3),"
        "('rows_memories', 1), ('rows_archive', 1), ('f_20260204', 2)"
    )
    run("INSERT INTO sessions VALUES (1, 's', 3, ?1, ?1)", (AT,))
    for n, text in enumerate(("我对花生过敏", "I live in Leeds", "ok"), 1):
        run(
            "INSERT INTO turns VALUES (?, 1, ?, ?, 'user', '', '', 'direct', 'user', ?, 480, ?)",
            (n, f"#{n}", key(str(n)), AT, text),
        )
    columns = (
        "row, id, kind, state, content, agent, audience, subject, attribute, value, category, "
        "project, topic, tags, entities, importance, confidence, strength, strength_at, "
        "sensitivity, trust, done, created_at, updated_at, access_count, version, basis, "
        "derived_from, expires_at"
    )
    for n, state, text, expires in (
        (1, "active", "用户对花生过敏", AT + 86_400_000),
        (2, "archived", "The user lived in York", None),
    ):
        run(
            f"INSERT INTO memories ({columns}) VALUES (?, ?, 'fact', ?, ?, '', 'private', 'user', "
            "'allergy', '花生', 'health', 'Home', 'diet', '[\"Food\"]', '[]', 0.9, 1.0, 0.9, ?, "
            "'low', 'user', 0, ?, ?, 0, 1, '', '[]', ?)",
            (n, f"f_20260204_00{n}", state, text, AT, AT, AT, expires),
        )
        run("INSERT INTO memory_sources VALUES (?, 0, 's', '#1', 1, '', 0)", (n,))
        run("INSERT INTO memory_changes VALUES (?, 1, ?, 'captured', NULL)", (n, AT))
        run("INSERT INTO memory_labels VALUES ('project', 'home', ?)", (n,))
    connection.close()


def test_a_home_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    old_home(tmp_path / "x.db")
    store = opened(tmp_path / "x.db")
    assert store._db.one("PRAGMA user_version") == (11,)
    assert store.check(lambda done, total: None) == []
    assert [one.content for one in store.journal(Filter(), 0)] == [
        "我对花生过敏",
        "I live in Leeds",
        "ok",
    ]
    (kept,) = store.find(Filter(state="active"))
    assert (kept.replaces, kept.sources) == ("", (Source("s", "#1"),))
    assert store.latest_about(("user", "allergy", "花生"), 9) == [kept]
    assert store.latest_about(("user", "", "health"), 9) == [kept]
    assert store.latest("topic", "diet", 9) == [kept]
    assert store.search("memories", query_words("花生"), Filter(), 9)
    assert store.worklog.ended(NOW, 9) == []
    assert store.worklog.ended(NOW + timedelta(days=1), 9) == [kept.id]
    assert store.worklog.pending(store.worklog.work().done_to) == 3
    with store.writing():
        store.update(kept.id, 1, "edited", NOW, {"content": "用户对坚果过敏"})
    assert [one.record.content for one in store.history(kept.id)] == [
        "用户对花生过敏",
        "用户对坚果过敏",
    ]
    store.close()
    again = opened(tmp_path / "x.db")
    assert again.check(lambda done, total: None) == []
    again.close()


def test_an_upgrade_that_is_cut_short_goes_on_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema is changed, then what is derived is made anew: two steps, both resumed."""
    old_home(tmp_path / "x.db")
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "rebuild", lambda self, progress: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            opened(tmp_path / "x.db")
    store = opened(tmp_path / "x.db")
    assert store.check(lambda done, total: None) == []
    assert store.latest("topic", "diet", 9)
    store.close()


def test_an_old_home_is_upgraded_once_by_those_who_open_it_at_once(tmp_path: Path) -> None:
    old_home(tmp_path / "loxodon.db")
    script = (
        "import sys; from tests.store.sqlite.test_store import opened; "
        "store = opened(sys.argv[1]); print(len(store.check(lambda d, t: None))); store.close()"
    )
    there = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "loxodon.db")],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )
        for _ in range(3)
    ]
    assert [one.communicate(timeout=60)[0].strip() for one in there] == [b"0"] * 3


# What `validate` says of what consolidation keeps


def broken_by(tmp_path: Path, *statements: str) -> dict[str, str]:
    """What is found wrong with a store after `statements`: what it is, by where it is."""
    store = opened(tmp_path / "x.db")
    with store.writing():
        store.append([(turn("one"), key("1"))])
        fact = store.insert(record("in Leeds"), "learned")
        belief = store.insert(record("in York", kind="belief", confidence=0.5), "held")
        store.worklog.put_review(belief.id, fact.id, NOW)
        store.worklog.put_entity(Entity("小美", "person", ("妹妹",), NOW, NOW))
        store.worklog.put_page("snapshot", "en", "text", "{}", NOW)
        store.worklog.put_candidates([(1, "{}")])
        store.worklog.put_segments([Segment("s", 1, 1, NOW, NOW, "topic", ("tag",), "one")])
        file = NoteFile("/w", "a.md", "note", 1, 1, b"")
        store.workspace_data.put_file(file, [Chunk("tea", 1, 1), Chunk("milk", 2, 2)], NOW)
    assert store.check(lambda done, total: None) == []
    store._db.run("PRAGMA foreign_keys=OFF")
    with store.writing():
        for statement in statements:
            store._db.run(statement)
    found = {one.where: one.what for one in store.check(lambda done, total: None)}
    store.close()
    return found


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("DELETE FROM entity_names WHERE name = '妹妹'", "entity_names"),
        ("INSERT INTO entity_names VALUES ('', 'ghost', 1)", "entity_names"),
        ("DELETE FROM counters WHERE name = 'rows_entities'", "rows_entities"),
        ("DELETE FROM memory_labels WHERE label = 'topic'", "memory_labels"),
        ("DELETE FROM segment_index", "segment_index"),
        ("UPDATE segments SET text = 'one and two'", "segment_index"),
        ("DELETE FROM chunk_index WHERE rowid = 1", "chunk_index"),
        ("INSERT INTO chunk_index (rowid, words) VALUES (9, 'ghost')", "chunk_index"),
        ("UPDATE chunk_places SET heading = 'a new heading' WHERE n = 0", "chunk_index"),
        ("DELETE FROM counters WHERE name = 'rows_chunks'", "rows_chunks"),
    ],
)
def test_what_is_derived_is_compared_and_mended(tmp_path: Path, statement: str, where: str) -> None:
    assert broken_by(tmp_path, statement).keys() == {where}
    store = opened(tmp_path / "x.db")
    store.rebuild(lambda done, total: None)
    assert store.check(lambda done, total: None) == []
    store.close()


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("DELETE FROM entities", "entity_names"),
        ("DELETE FROM memory_changes WHERE memory = 2", "b_20260204_001"),
        ("UPDATE reviews SET against = 99", "reviews"),
        ("UPDATE reviews SET answer = 'perhaps'", "b_20260204_001"),
        ("UPDATE memories SET replaces = 'f_none' WHERE kind = 'fact'", "f_20260204_001"),
        ("UPDATE entities SET aliases = 'Mei'", "e_1"),
        ("UPDATE candidates SET body = '{'", "t_1"),
        ("UPDATE candidates SET turn = 12", "candidates"),
        ("UPDATE pages SET basis = ''", "snapshot"),
        ("INSERT INTO memory_uses VALUES (77, '2026-02-04', 1, 0)", "memory_uses"),
        ("INSERT INTO unindexed VALUES (77)", "unindexed"),
        ("INSERT INTO fragments VALUES (1, 0, '', 'chat', 'lost', 1, 'fact', 0, '')", "t_1"),
        ("INSERT INTO fragments VALUES (5, 0, '', 'chat', 'cut', 1, 'fact', 0, '')", "fragments"),
        ("UPDATE chunk_places SET triggers = 'tea' WHERE n = 0", "n_1"),
        ("DELETE FROM source_files", "chunk_places"),
        ("INSERT INTO segments VALUES (2, 1, 1, 44, 0, 0, 0, '', '[]', '')", "segments"),
    ],
)
def test_rows_that_lead_nowhere_or_cannot_be_are_found(
    tmp_path: Path, statement: str, where: str
) -> None:
    assert where in broken_by(tmp_path, statement)


def test_other_rates_of_decay_are_no_damage_and_are_reckoned_once(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        kept = store.insert(record("one", strength=0.5), "learned")
        store.insert(record("two", state="archived"), "learned")
        assert store.worklog.reckon_ends() == 0
    store.close()
    faster = opened(tmp_path / "x.db", days=10)
    assert faster.check(lambda done, total: None) == []
    assert faster.worklog.ended(NOW + timedelta(days=5), 9) == []
    with faster.writing():
        assert faster.worklog.reckon_ends() == 1
    assert faster.worklog.ended(NOW + timedelta(days=5), 9) == [kept.id]
    assert faster.check(lambda done, total: None) == []
    faster.close()


def test_looking_a_turn_up_by_name_reads_no_other(tmp_path: Path) -> None:
    """Every source of a memory is looked up so, also in a session of a hundred thousand turns."""
    store = opened(tmp_path / "x.db")
    (plan,) = store._db.all("EXPLAIN QUERY PLAN " + store._db.sql["turn_row"], ("s", "#1"))[1:]
    assert "turns_by_name (session=? AND id=?)" in plan[3]
    store.close()


def test_names_are_looked_up_and_not_read_through(tmp_path: Path) -> None:
    """Every recall asks which of its words are names; agents may each have their own."""
    store = opened(tmp_path / "x.db")
    plan = store._db.all("EXPLAIN QUERY PLAN " + name_lookup._ALL, ('["ann"]',))
    steps = [step for *_, step in plan]
    assert "SEARCH n USING PRIMARY KEY (agent=? AND name=?)" in steps
    assert not [step for step in steps if step.startswith(("SCAN entity", "SCAN n", "SCAN e"))]
    store.close()


def test_small_writes_leave_an_index_in_few_parts(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    for n in range(12):
        with store.writing():
            store.append([(turn(f"apple {n}", id=str(n)), key(f"apple {n}"))])

    def parts() -> int:
        return int(store._db.all("SELECT count(DISTINCT segid) FROM turn_index_idx")[0][0])

    before = store.search("turns", ["appl", "7"], Filter(), 20)
    assert parts() == 12
    with store.writing():
        store.worklog.index(10)
    assert parts() < 4
    assert store.search("turns", ["appl", "7"], Filter(), 20) == before
    assert store.check(lambda done, total: None) == []
    store.close()


def test_where_turns_stand_is_looked_up(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    plan = store._db.all("EXPLAIN QUERY PLAN " + neighbours._BESIDE, ("[1]",))
    steps = [step for *_, step in plan]
    assert "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)" in steps
    beside = [step for step in steps if step.startswith("SEARCH n USING COVERING INDEX turns_by_")]
    assert len(beside) == 2 * neighbours.REACH
    assert [step for step in steps if step.startswith("SCAN")] == [
        "SCAN json_each VIRTUAL TABLE INDEX 1:"
    ]
    store.close()


def test_what_is_read_of_a_whole_store_is_not_held(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    with store.writing():
        said = [turn(f"turn {n}", id=str(n)) for n in range(MEMO + 10)]
        store.append([(one, key(one.content)) for one in said])
    with store.reading():
        for row in range(1, len(said) + 1):
            assert store.turns([row])[row].content == f"turn {row - 1}"
        assert len(store._db.memo) < len(said)
    assert not store._db.memo
    store.close()
