"""What is not as it was written shows in `validate`: changed rows, lost rows, an old copy."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from loxodon.store.primary import PRIMARY_TABLES
from loxodon.store.sqlite import seals
from loxodon.store.sqlite.store import SqliteStore
from tests.store.contracts import key, record, turn
from tests.store.contracts import quiet as quiet
from tests.store.sqlite.test_store import old_home, opened


def filled(path: Path) -> SqliteStore:
    store = opened(path)
    with store.writing():
        store.append([(turn(f"words number {n}"), key(str(n))) for n in range(50)])
        store.insert(record("likes tea", tags=("drinks",)), "captured")
    return store


def wrong(path: Path) -> list[str]:
    store = opened(path)
    found = [one.where for one in store.check(quiet)]
    store.close()
    return found


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


def test_other_programs_can_read_and_not_write(tmp_path: Path) -> None:
    filled(tmp_path / "x.db").close()
    connection = apsw.Connection(str(tmp_path / "x.db"))
    indexes = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    assert {f"{table}_sealed" for table in PRIMARY_TABLES} <= indexes
    assert connection.execute("SELECT count(*), max(seq) FROM turns").fetchall() == [(50, 50)]
    for sql in (
        "UPDATE turns SET content = 'other' WHERE seq = 7",
        "DELETE FROM turns WHERE seq = 7",
        "INSERT INTO counters VALUES ('x', 1)",
    ):
        with pytest.raises(apsw.SQLError, match="seal"):
            connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    ("table", "key", "sql"),
    [
        ("turns", "7", "UPDATE turns SET content = 'other' WHERE seq = 7"),
        ("turns", "7", "DELETE FROM turns WHERE seq = 7"),
        ("memories", "1", "UPDATE memories SET importance = 0.50000001"),
        ("memory_changes", "1.1", "UPDATE memory_changes SET at = at + 1"),
        ("counters", "turn", "UPDATE counters SET last = 3 WHERE name = 'turn'"),
    ],
)
def test_changed_or_lost_row_is_named(tmp_path: Path, table: str, key: str, sql: str) -> None:
    filled(tmp_path / "x.db").close()
    unseal(tmp_path / "x.db", table, sql)
    assert f"{table} {key}" in wrong(tmp_path / "x.db")


def test_migrated_file_is_sealed(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    old_home(path)
    assert wrong(path) == []
    unseal(path, "turns", "UPDATE turns SET content = 'other' WHERE seq = 2")
    assert "turns 2" in wrong(path)


def test_old_copy_of_the_file_shows_for_good(tmp_path: Path) -> None:
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
    assert "1 acknowledged write is missing" in problem.what
    with store.writing():
        store.append([(turn(text), key(text)) for text in ("said later", "and later")])
    assert len(store.check(quiet)) == 1
    store.close()
    assert len(wrong(path)) == 1


def test_unreadable_write_counter_raises_no_alarm(tmp_path: Path) -> None:
    filled(tmp_path / "x.db").close()
    for data in (b"", b"nonsense", b"ffffffffffffffff 0000000000000000\n", b"\xff" * 80):
        (tmp_path / "x.mark").write_bytes(data)
        assert wrong(tmp_path / "x.db") == []
