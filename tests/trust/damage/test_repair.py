"""A damaged store is made sound again, and what was lost is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from loxodon.backup.repair import repair
from loxodon.config import from_mapping
from loxodon.errors import BusyStoreError, NotFoundError
from loxodon.store.primary import PRIMARY_TABLES, Row
from loxodon.types import Repaired
from loxodon.working import Session
from tests.clock import Clock
from tests.serve.shell import Shell, typed
from tests.store.contracts import quiet

CONFIG = from_mapping({"timezone": "Asia/Shanghai"})


def opened(home: Path) -> Memory:
    return Memory.open(home, config=CONFIG, clock=Clock())


def mend(home: Path, source: Path | str = "") -> Repaired:
    return repair(str(home), config=CONFIG, clock=Clock(), source=str(source), progress=quiet)


def truth(home: Path) -> dict[str, list[Row]]:
    with opened(home) as memory:
        tables = [
            table for table in PRIMARY_TABLES if table not in ("counters", "meta", "unindexed")
        ]
        return {table: list(memory._store.primary.dump(table)) for table in tables}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two memories, one of them edited, some turns and a working session; without views."""
    with opened(tmp_path / "home") as memory:
        memory.add([{"role": "user", "content": f"words {n}", "id": f"m{n}"} for n in range(20)])
        memory.capture("likes tea")
        id = memory.capture("住在杭州").id
        memory.edit(id, content="住在上海")
        memory.edit(id, content="住在北京")
        Session.open(memory, journal=False).add({"role": "user", "content": "hello"})
    return tmp_path / "home"


def database(home: Path) -> Path:
    return home / "spaces" / "main" / "loxodon.db"


def spoil(home: Path, *statements: str) -> None:
    """Change rows behind the back of Loxodon, as damage does."""
    connection = apsw.Connection(str(database(home)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


UNREADABLE = "UPDATE {table} SET content = CAST(x'ff6f' AS TEXT) WHERE {where}"
TURN = UNREADABLE.format(table="turns", where="seq = 7")
MEMORY = UNREADABLE.format(table="memories", where="row = 1")
EDITED = UNREADABLE.format(table="memories", where="row = 2")


def exported(home: Path) -> Path:
    with opened(home) as memory:
        memory.workspace.export()
    return home


def fates(found: Repaired) -> set[tuple[str, str, str]]:
    return {(one.table, one.fate, one.source) for one in found.mended}


def test_a_sound_store_is_left_alone(home: Path) -> None:
    before = database(home).read_bytes()
    assert mend(home) == Repaired(())
    assert database(home).read_bytes() == before


def test_what_is_derived_is_made_anew_in_its_place(home: Path) -> None:
    with opened(home) as memory:
        db = memory._store._db
        db.run("DELETE FROM turn_index WHERE rowid = 3")
    before = truth(home)
    found = mend(home)
    assert found.rebuilt
    assert (found.before, found.mended) == ("", ())
    assert truth(home) == before
    with opened(home) as memory:
        assert memory.validate() == []


def test_a_damaged_row_comes_back_from_the_views(home: Path) -> None:
    before = truth(exported(home))
    spoil(home, TURN, MEMORY)
    found = mend(home)
    assert fates(found) == {("turns", "copied", "views"), ("memories", "copied", "views")}
    assert truth(home) == before
    assert os.path.exists(found.before)
    with opened(home) as memory:
        assert memory.validate() == []
        assert memory.recall("tea").items


def test_a_page_that_is_gone_comes_back_too(home: Path) -> None:
    before = truth(exported(home))
    path = database(home)
    data = bytearray(path.read_bytes())
    start = data.index(b"words 19") // 4096 * 4096
    data[start : start + 4096] = bytes(4096)
    path.write_bytes(data)
    assert ("turns", "copied", "views") in fates(mend(home))
    assert truth(home) == before


def test_or_from_a_backup_that_is_named(home: Path, tmp_path: Path) -> None:
    before = truth(home)
    with opened(home) as memory:
        path = memory.backup(tmp_path / "kept.loxodon").path
    spoil(home, TURN)
    assert fates(mend(home, path)) == {("turns", "copied", path)}
    assert truth(home) == before


def test_the_newest_backup_is_found(home: Path) -> None:
    before = truth(home)
    with opened(home) as memory:
        path = memory.backup().path
    spoil(home, TURN)
    assert fates(mend(home)) == {("turns", "copied", path)}
    assert truth(home) == before


def test_or_from_a_copy_of_the_database(home: Path, tmp_path: Path) -> None:
    before = truth(home)
    (tmp_path / "copy.db").write_bytes(database(home).read_bytes())
    database(home).write_bytes(b"SQLite format 3\0" + bytes(40_000))
    mend(home, tmp_path / "copy.db")
    assert truth(home) == before


def test_a_memory_without_a_copy_is_what_it_was_before(home: Path) -> None:
    spoil(home, EDITED)
    assert ("memories", "copied", "history") in fates(mend(home))
    with opened(home) as memory:
        assert memory.validate() == []
        (record,) = [one for one in memory.list() if "住在" in one.content]
        assert (record.content, record.version) == ("住在上海", 2)
        assert [one.record.content for one in memory.history(record.id)] == ["住在杭州", "住在上海"]


def test_what_nobody_has_is_lost_and_said_and_the_rest_works(home: Path) -> None:
    spoil(home, MEMORY, TURN)
    found = mend(home)
    assert {("memories", "lost", ""), ("turns", "lost", "")} <= fates(found)
    with opened(home) as memory:
        assert memory.validate() == []
        assert [one.content for one in memory.list()] == ["住在北京"]
        assert len(memory.journal(session="default")) == 19
        memory.capture("and goes on")


def test_a_version_that_is_gone_keeps_its_place(home: Path) -> None:
    spoil(home, "DELETE FROM memory_changes WHERE version = 2")
    assert fates(mend(home)) == {("memory_changes", "lost", "")}
    with opened(home) as memory:
        assert memory.validate() == []
        (record,) = [one for one in memory.list() if "住在" in one.content]
        assert [one.change for one in memory.history(record.id)] == ["captured", "lost", "edited"]


def test_a_session_that_is_gone_gets_a_name(home: Path) -> None:
    spoil(home, "PRAGMA foreign_keys=OFF", "DELETE FROM sessions WHERE no = 1")
    mend(home)
    with opened(home) as memory:
        assert memory.validate() == []
        assert len(memory.journal(session="lost-1")) == 20


def test_nothing_is_touched_while_others_have_it_open(home: Path) -> None:
    spoil(home, TURN)
    with opened(home) as memory:
        memory.list()
        with pytest.raises(BusyStoreError):
            mend(home)
    assert sorted(one.name for one in database(home).parent.glob("*before*")) == []


def test_there_must_be_something_to_repair(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        mend(tmp_path / "nowhere")


KILLED = """
import os, sys
from loxodon.config import from_mapping
from loxodon.backup import repair as it
def killed(*args):
    os.kill(os.getpid(), 9)
it.move_in = killed
it.repair(sys.argv[1], config=from_mapping({}), progress=lambda done, total: None)
"""


def test_a_repair_that_is_killed_has_touched_nothing(home: Path) -> None:
    spoil(home, TURN)
    before = database(home).read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, str(home)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert database(home).read_bytes() == before
    assert mend(home).mended
    assert list(database(home).parent.glob("repairing-*")) == []  # what the first left is gone


@pytest.mark.parametrize("at", [0, 15, 16, 19, 21, 23, 68])
def test_a_changed_byte_at_the_beginning_is_damage_and_not_encryption(home: Path, at: int) -> None:
    path = database(home)
    before = truth(home)
    data = bytearray(path.read_bytes())
    data[at] ^= 0x5A
    path.write_bytes(data)
    shell = Shell(home)
    for command in ("list", "validate"):
        done = typed(command, env=shell.environment)
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == 7
        assert "is damaged" in said
        assert "loxodon repair" in said
        assert "encrypted" not in said
    shell("repair")
    shell("validate")
    assert truth(home) == before


def test_a_file_of_which_nothing_is_left_is_not_replaced_by_an_empty_one(home: Path) -> None:
    path = database(home)
    path.write_bytes(bytes(path.stat().st_size))
    shell = Shell(home)
    assert "is damaged" in shell.text("validate", code=7)
    assert b"loxodon restore" in shell("repair", code=7).stderr
    assert not any(path.read_bytes())
