"""Every row is sealed, whoever writes it, and what is not as it was written shows."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.sqlite import seals, write_counter
from loxodon.store.sqlite.database import migrations
from loxodon.store.sqlite.store import SqliteStore
from tests.store.contracts import key, record, turn
from tests.store.sqlite.test_store import old_home, opened


def quiet(done: int, total: int) -> None:
    """No progress to report to."""


def filled(path: Path) -> SqliteStore:
    store = opened(path)
    with store.writing():
        store.append([(turn(f"words number {n}"), key(str(n))) for n in range(50)])
        store.insert(record("likes tea", tags=("drinks",)), "captured")
    return store


def test_every_table_of_the_truth_is_sealed(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.db")
    indexes = {name for (name,) in store._db.all("SELECT name FROM sqlite_schema")}
    assert {f"{table}_sealed" for table in PRIMARY_TABLES} <= indexes
    store.close()


def test_a_program_without_the_seal_can_read_and_not_write(tmp_path: Path) -> None:
    filled(tmp_path / "x.db").close()
    connection = apsw.Connection(str(tmp_path / "x.db"))
    assert connection.execute("SELECT count(*), max(seq) FROM turns").fetchall() == [(50, 50)]
    for sql in (
        "UPDATE turns SET content = 'other' WHERE seq = 7",
        "DELETE FROM turns WHERE seq = 7",
        "INSERT INTO counters VALUES ('x', 1)",
    ):
        with pytest.raises(apsw.SQLError, match="seal"):
            connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("value", ["", "\0", "\xff", "茶", "a" * 100_000])
def test_what_sql_makes_is_what_we_make(tmp_path: Path, value: str) -> None:
    connection = apsw.Connection(str(tmp_path / "x.db"))
    seals.register(connection)
    query = "SELECT seal(CAST(? AS BLOB), CAST(? AS BLOB), ?, ?)"
    ((made,),) = connection.execute(query, (value, -3, 0.1, None))
    assert made == seals.digest((value, -3, 0.1, None))
    connection.close()


def test_a_digest_tells_values_apart() -> None:
    rows = [
        ("a", "b"),
        ("ab", ""),
        ("", "ab"),
        (None, "ab"),
        ("a", "b", ""),
        (1.0,),
        (1,),
        ("1.0",),
    ]
    assert len({seals.digest(row) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("table", "key", "sql"),
    [
        ("turns", (7,), "UPDATE turns SET content = 'other' WHERE seq = 7"),
        ("turns", (7,), "DELETE FROM turns WHERE seq = 7"),
        ("memories", (1,), "UPDATE memories SET importance = 0.50000001"),
        ("memory_changes", (1, 1), "UPDATE memory_changes SET at = at + 1"),
        ("counters", ("turn",), "UPDATE counters SET last = 3 WHERE name = 'turn'"),
    ],
)
def test_a_row_that_was_changed_or_lost_is_named(
    tmp_path: Path, table: str, key: tuple[object, ...], sql: str
) -> None:
    path = tmp_path / "x.db"
    filled(path).close()
    unseal(path, table, sql)
    store = opened(path)
    found = {one.where: one for one in store.check(quiet)}
    named = f"{table} {'.'.join(map(str, key))}"
    assert named in found
    assert not found[named].derived
    store.close()


def unseal(path: Path, table: str, sql: str) -> None:
    """Change a row and leave its seal, as damage to its page does."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA writable_schema=ON")
    ((kept,),) = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE name = ?", (f"{table}_sealed",)
    )
    # For SQLite the seals are a table of their own meanwhile, which it leaves alone.
    columns = "CREATE TABLE hidden (a, b, c, PRIMARY KEY (a, b, c)) WITHOUT ROWID"
    connection.execute(
        "UPDATE sqlite_schema SET sql = ?, type = 'table', name = 'hidden', tbl_name = 'hidden' "
        "WHERE name = ?",
        (columns, f"{table}_sealed"),
    )
    connection.execute("PRAGMA writable_schema=RESET")
    connection.close()
    connection = apsw.Connection(str(path))
    seals.register(connection)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute(sql)
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute(
        "UPDATE sqlite_schema SET sql = ?, type = 'index', name = ?, tbl_name = ? "
        "WHERE name = 'hidden'",
        (kept, f"{table}_sealed", table),
    )
    connection.execute("PRAGMA writable_schema=RESET")
    connection.close()


def test_an_old_home_is_sealed_when_it_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    old_home(path)
    store = opened(path)
    assert store.check(quiet) == []
    store.close()
    unseal(path, "turns", "UPDATE turns SET content = 'other' WHERE seq = 2")
    store = opened(path)
    assert "turns 2" in {one.where for one in store.check(quiet)}
    store.close()


def test_a_column_that_is_added_comes_under_the_seal(tmp_path: Path) -> None:
    """What a migration after this one does, with the last step of it."""
    connection = apsw.Connection(":memory:")
    seals.register(connection)
    for path in migrations():
        connection.execute(Path(path).read_text("utf-8"))
    seals.make(connection)
    before = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema"))
    connection.execute(
        "DROP INDEX turns_sealed; CREATE INDEX turns_sealed ON turns (seq, seal(id))"
    )
    seals.make(connection)
    ((sql,),) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'turns_sealed'")
    assert "content" in sql
    after = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema"))
    assert before["memories_sealed"] == after["memories_sealed"]  # the same seals are left alone
    connection.close()


def test_words_that_lead_to_another_row_are_found(tmp_path: Path) -> None:
    """An index whose rows have the right number of words, and the wrong words."""
    store = filled(tmp_path / "x.db")
    with store.writing():
        store._db.run("DELETE FROM turn_index WHERE rowid IN (3, 4)")
        store._db.run(
            "INSERT INTO turn_index (rowid, words) "
            "VALUES (3, 'word number 3'), (4, 'word number 2')"
        )
    (problem,) = store.check(quiet)
    assert problem.where == "turn_index"
    assert problem.derived
    store.rebuild(quiet)
    assert store.check(quiet) == []
    store.close()


# Writes that are gone


def test_an_old_copy_of_the_file_shows(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    filled(path).close()
    before = path.read_bytes()
    store = opened(path)
    with store.writing():
        store.append([(turn("said since"), key("since"))])
    store.close()
    path.write_bytes(before)
    store = opened(path)
    (problem,) = store.check(quiet)
    assert "1 acknowledged writes are missing" in problem.what
    with store.writing():  # and goes on to show, though new writes come
        store.append([(turn("said later"), key("later"))])
        store.append([(turn("and later"), key("and later"))])
    assert len(store.check(quiet)) == 1
    store.close()
    store = opened(path)
    assert len(store.check(quiet)) == 1
    store.close()


def test_a_mark_that_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    filled(path).close()
    for data in (b"", b"nonsense", b"ffffffffffffffff 0000000000000000\n", b"\xff" * 80):
        (tmp_path / "x.mark").write_bytes(data)
        assert write_counter.of(str(path)) == 0
        store = opened(path)
        assert store.check(quiet) == []
        store.close()


def test_a_write_that_changes_nothing_is_no_write(tmp_path: Path) -> None:
    store = filled(tmp_path / "x.db")
    before = write_counter.of(str(tmp_path / "x.db"))
    with store.writing():
        pass
    assert write_counter.of(str(tmp_path / "x.db")) == before
    store.close()
