"""The store in a file: the contract, and what only a file can suffer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    FullStoreError,
    StoreError,
    UnwritableStoreError,
)
from loxodon.spaces import space_folder
from loxodon.store import Chunk, Filter, NoteFile
from loxodon.store.driver import migrations
from loxodon.store.sqlite.database import Database, store_error
from loxodon.store.store import Store
from loxodon.text.words import query_words
from loxodon.types import Entity, Segment, Source
from tests.clock import NOW
from tests.store.contract import BackendContract
from tests.store.contracts import DAY, contents, key, quiet, record, turn
from tests.store.lasting import SHANGHAI, Lasting
from tests.waiting import PATIENCE

HERE = Path(__file__).parent
APPLICATION_ID = 0x4C4F5844


def opened(path: Path | str, space: str = "main", days: int = 1_000) -> Store:
    return Store(Database(str(path)), space, SHANGHAI, Lasting(days))


def changed(path: Path, sql: str) -> None:
    """Change a file as another program would."""
    connection = apsw.Connection(str(path))
    connection.execute(sql).fetchall()
    connection.close()


def made_by_a_newer_version(path: Path) -> None:
    opened(path).close()
    changed(path, "PRAGMA user_version=99")


class TestSqliteStore(BackendContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Callable[[str], Store]:
        def open_space(space: str) -> Store:
            return opened(
                os.path.join(space_folder(str(tmp_path), space, make=True), "x.db"), space
            )

        return open_space


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


def test_schema_is_pinned(path: Path) -> None:
    """A change of the schema is a new migration, and a change of `schema.txt`."""
    opened(path).close()
    connection = apsw.Connection(str(path))
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema")
        if not name.startswith("sqlite_") and "_index_" not in name and not name.endswith("_sealed")
    }
    assert names == set((HERE / "schema.txt").read_text().split())
    assert connection.pragma("user_version") == len(migrations("sqlite"))
    assert connection.pragma("application_id") == APPLICATION_ID
    assert connection.pragma("journal_mode") == "wal"
    connection.close()
    assert {oct(one.stat().st_mode & 0o777) for one in path.parent.iterdir()} == {"0o600"}
    assert path.stat().st_size < 700_000


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda path: changed(path, "CREATE TABLE theirs (a)"), DamagedStoreError, "not a Loxodon"),
        (lambda path: path.write_bytes(b"my diary" * 400), DamagedStoreError, "beginning"),
        (made_by_a_newer_version, StoreError, "99"),
        (lambda path: opened(path, "alice").close(), DamagedStoreError, "alice"),
    ],
    ids=["foreign", "no database", "newer", "of another space"],
)
def test_file_that_is_not_ours_is_refused_and_left_alone(
    path: Path, make: Callable[[Path], object], error: type[Exception], match: str
) -> None:
    make(path)
    before = path.read_bytes()
    with pytest.raises(error, match=match):
        opened(path)
    assert path.read_bytes() == before


def test_damaged_database_says_so(path: Path) -> None:
    store = opened(path)
    with store.writing():
        store.append([(turn(f"words number {n}"), key(str(n))) for n in range(500)])
    store.close()
    data = bytearray(path.read_bytes())
    for start in range(4096 * 3, len(data) - 4096, 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.raises(DamagedStoreError, match="damaged"):
        opened(path).journal(Filter(), 0)


def test_io_error_where_there_is_no_room_is_a_full_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(path).close()
    error, room = apsw.IOError("disk I/O error"), shutil.disk_usage(path.parent)
    assert not isinstance(store_error(error, str(path)), FullStoreError)
    monkeypatch.setattr(shutil, "disk_usage", lambda where: room._replace(free=0))
    assert isinstance(store_error(error, str(path)), FullStoreError)


def test_full_disk_loses_nothing_that_was_acknowledged(path: Path) -> None:
    store = opened(path)
    with store.writing():
        store.append([(turn("acknowledged", id="a"), key("a"))])
    ((pages,),) = store._db.all("PRAGMA page_count")
    store._db.all(f"PRAGMA max_page_count={pages + 5}")
    with pytest.raises(FullStoreError, match="full"), store.writing():
        store.append([(turn("x" * 5_000, id=str(n)), key(str(n))) for n in range(50)])
    assert contents(store.journal(Filter(), 0)) == ["acknowledged"]
    store._db.all("PRAGMA max_page_count=1073741823")
    with store.writing():
        store.append([(turn("after", id="b"), key("b"))])
    assert contents(store.journal(Filter(), 0)) == ["acknowledged", "after"]
    assert store.check(quiet) == []
    store.close()


def test_home_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnwritableStoreError) as caught:
        Memory.open(tmp_path / "file" / "home")
    assert "--home" in caught.value.hint
    with pytest.raises(UnwritableStoreError):
        opened(tmp_path / "no such folder" / "x.db")


def test_writer_waits_for_another_only_so_long(path: Path) -> None:
    one, two = opened(path), opened(path)
    with one.writing(), pytest.raises(BusyStoreError), two.writing(0.05):
        pass
    with two.writing():  # and then it is free again
        pass
    one.close()
    two.close()


# What `validate` finds


def filled(path: Path) -> Store:
    """A store with something in most tables."""
    store = opened(path)
    with store.writing():
        store.append([(turn(f"words {n}", id=str(n)), key(str(n))) for n in range(1, 11)])
        fact = store.insert(record("in Leeds"), "learned")
        belief = store.insert(record("in York", kind="belief", confidence=0.5), "held")
        store.execute("put_review", belief.id, fact.id, NOW)
        store.worklog.put_entity(Entity("小美", "person", ("妹妹",), NOW, NOW))
        store.worklog.put_page("snapshot", "en", "text", "{}", NOW)
        store.execute_many("put_candidate", [(1, "{}")])
        store.worklog.put_segments([Segment("s", 1, 1, NOW, NOW, "topic", ("tag",), "one")])
        file = NoteFile("/w", "a.md", "note", 1, 1, b"")
        store.workspace_data.put_file(file, [Chunk("tea", 1, 1), Chunk("milk", 2, 2)], NOW)
    assert store.check(quiet) == []
    return store


def broken(kind: str) -> list[list[str]]:
    """Where something is wrong after a statement, and the statement."""
    rows = (line.split("\t") for line in (HERE / "broken.tsv").read_text("utf-8").splitlines()[1:])
    return [row[1:] for row in rows if row[0] == kind]


def broken_by(store: Store, statement: str) -> set[str]:
    """Where something is found wrong with a store after a statement."""
    store._db.run("PRAGMA foreign_keys=OFF")
    with store.writing():
        store._db.run(statement)
    return {one.where for one in store.check(quiet)}


@pytest.mark.parametrize(("where", "statement"), broken("index"))
def test_wrong_index_is_found_and_mended(path: Path, where: str, statement: str) -> None:
    store = filled(path)
    assert broken_by(store, statement) == {where}
    store.rebuild(quiet)
    assert store.check(quiet) == []
    store.close()


@pytest.mark.parametrize(("where", "statement"), broken("row"))
def test_impossible_row_is_found(path: Path, where: str, statement: str) -> None:
    store = filled(path)
    assert where in broken_by(store, statement)
    store.close()


def test_destroyed_index_is_named_and_made_again(path: Path) -> None:
    filled(path).close()
    changed(path, "UPDATE turn_index_data SET block = x'00ff00ff'; DELETE FROM turn_index_config")
    store = opened(path)
    (problem,) = store.check(quiet)
    assert (problem.where, problem.derived) == ("turn_index", True)
    assert "loxodon repair" in problem.hint
    store.rebuild(quiet)
    assert store.check(quiet) == []
    assert store.search("turns", ["word"], Filter(), 10)
    store.close()


def test_no_false_alarm_beside_a_writer(path: Path) -> None:
    writer, reader = opened(path), opened(path)
    for n in range(20):
        with writer.writing():
            kept = writer.insert(record(f"number {n}"), "captured")
        with writer.writing():
            writer.update(kept.id, None, "edited", NOW, {"content": f"changed {n}"})
        assert reader.check(quiet) == []
    writer.close()
    reader.close()


def test_other_rates_of_decay_are_no_damage(path: Path) -> None:
    store = opened(path)
    with store.writing():
        kept = store.insert(record("one", strength=0.5), "learned")
        store.insert(record("two", state="archived"), "learned")
        store.reckon_ends()
    store.close()
    faster = opened(path, days=10)
    assert faster.column("ended", NOW + 5 * DAY, 9) == []
    with faster.writing():
        faster.reckon_ends()
    assert faster.column("ended", NOW + 5 * DAY, 9) == [kept.id]
    assert faster.check(quiet) == []
    faster.close()


# Search


def test_other_words_than_before_make_the_indexes_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(path)
    with store.writing():
        store.insert(record("cats"), "captured")
        store._db.run("INSERT INTO memory_index (memory_index) VALUES ('delete-all')")
    assert store.search("memories", ["cat"], Filter(), 5) == []
    store.close()
    monkeypatch.setattr("loxodon.store.store.VERSION", "another")
    store = opened(path)
    assert len(store.search("memories", ["cat"], Filter(), 5)) == 1
    store.close()


# A file that an older version wrote


def old_home(path: Path) -> None:
    """A file as the first version left it."""
    first = Path(migrations("sqlite")[0]).read_text("utf-8")
    rows = (HERE / "first_version.sql").read_text("utf-8")
    numbers = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version=1"
    changed(path, f"{first};{numbers};{rows}; PRAGMA journal_mode=WAL")


def earlier_home(schema: int, path: Path | str) -> None:
    """A home as commit 864c9cb (schema 7) or 8b40711 (schema 9) left it."""
    with tarfile.open(HERE / "homes" / f"schema_{schema}.tar.xz") as packed:
        packed.extractall(path, filter="data")


def test_file_of_the_first_version_is_migrated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a migration was cut short between the schema and what is derived."""
    old_home(path)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "rebuild", lambda self, progress: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            opened(path)
    store = opened(path)
    assert store.check(quiet) == []
    assert contents(store.journal(Filter(), 0)) == ["我对花生过敏", "I live in Leeds", "ok"]
    (kept,) = store.find(Filter(state="active"))
    assert (kept.replaces, kept.sources) == ("", (Source("s", "#1"),))
    assert store.latest("about", ("user", "allergy", "花生"), 9) == [kept]
    assert store.latest("topic", "diet", 9) == [kept]
    assert store.search("memories", query_words("花生"), Filter(), 9)
    assert store.column("ended", NOW, 9) == []
    assert store.column("ended", NOW + DAY, 9) == [kept.id]
    assert store.scalar("count_pending", store.worklog.work().done_to) == 3
    with store.writing():
        store.update(kept.id, 1, "edited", NOW, {"content": "用户对坚果过敏"})
    assert [one.record.content for one in store.history(kept.id)] == [
        "用户对花生过敏",
        "用户对坚果过敏",
    ]
    store.close()


OPENING = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    print(len(memory.validate()))
"""


def test_old_file_is_migrated_once_by_processes_that_open_it_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "spaces" / "main"
    folder.mkdir(parents=True)
    old_home(folder / "loxodon.db")
    command = [sys.executable, "-c", OPENING, str(tmp_path)]
    there = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    assert [one.communicate(timeout=PATIENCE)[0].strip() for one in there] == [b"0"] * 3


def test_checksums_of_rows_of_earlier_versions_go(path: Path) -> None:
    """They were indexes on a function that no longer exists."""
    store = opened(path)
    with store.writing():
        store.append([(turn("said before"), key("1"))])
    store.close()
    connection = apsw.Connection(str(path))
    connection.create_scalar_function("seal", lambda *_: b"", deterministic=True)
    connection.execute(
        "CREATE INDEX turns_sealed ON turns (seq, seal(CAST(content AS BLOB)));"
        "CREATE INDEX meta_sealed ON meta (name, seal(value)); PRAGMA user_version = 12"
    )
    connection.close()
    path.with_suffix(".mark").write_bytes(b"")
    store = opened(path)
    with store.writing():
        store.append([(turn("said since"), key("2"))])
    assert store.check(quiet) == []
    assert contents(store.journal(Filter(), 0)) == ["said before", "said since"]
    store.close()
    assert not path.with_suffix(".mark").exists()
