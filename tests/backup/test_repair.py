"""A damaged store is made sound again, and what was lost is said."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from loxodon import Memory
from loxodon.errors import NotFoundError
from loxodon.working import Session
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.long import count
from tests.looking import files_with
from tests.security.killing import killed_at_call

CONFIG = {"timezone": "Asia/Shanghai"}


def opened(home: Path) -> Memory:
    return Memory.open(home, config=CONFIG, clock=Clock())


def truth(home: Path) -> tuple[Any, ...]:
    with opened(home) as memory:
        records = memory.list(state="all")
        turns = [(one.ref, one.session, one.id, one.content, one.at) for one in memory.journal()]
        known = [(one.id, one.version, one.content, one.sources) for one in records]
        steps = [(step.change, step.at) for one in records for step in memory.history(one.id)]
        return turns, known, steps


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two memories, one of them edited, and some turns, in views as well."""
    with opened(tmp_path / "home") as memory:
        memory.add([{"role": "user", "content": f"words {n}", "id": f"m{n}"} for n in range(20)])
        memory.capture("likes tea")
        id = memory.capture("住在杭州").id
        memory.edit(id, content="住在上海")
        memory.edit(id, content="住在北京")
        Session.open(memory, journal=False).add({"role": "user", "content": "hello"})
        memory.workspace.export()
    return tmp_path / "home"


def database(home: Path) -> Path:
    return home / "spaces" / "main" / "loxodon.db"


def damage(home: Path, word: bytes, other: bytes) -> None:
    """Change bytes of the file, wherever a row has them."""
    data = database(home).read_bytes()
    assert word in data
    database(home).write_bytes(data.replace(word, other))


def spoil(home: Path, *statements: str) -> None:
    """Change rows behind the back of Loxodon."""
    connection = apsw.Connection(str(database(home)))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_sound_store_is_left_alone(home: Path) -> None:
    before = database(home).read_bytes()
    assert Shell(home).json("repair")["problems"] == []
    assert database(home).read_bytes() == before
    assert Shell(home.parent / "nowhere")("repair", code=NotFoundError.exit_code)


def test_damaged_row_comes_back_from_the_views(home: Path) -> None:
    before = truth(home)
    damage(home, b"words 7", b"w\xffrds 7")
    Shell(home)("validate", code=7)
    done = Shell(home).json("repair")
    assert done["source"].endswith("workspace")
    assert os.path.exists(done["before"])
    assert truth(home) == before
    with opened(home) as memory:
        assert memory.validate() == []
        assert memory.recall("tea").items


def test_newest_backup_is_found(home: Path) -> None:
    before = truth(home)
    shutil.rmtree(database(home).parent / "workspace")
    with opened(home) as memory:
        path = memory.backup().path
    damage(home, b"words 7", b"w\xffrds 7")
    assert Shell(home).json("repair")["source"] == path
    assert truth(home) == before


def test_destroyed_file_comes_back_from_a_backup_that_is_named(home: Path) -> None:
    before, copy = truth(home), home.parent / "kept"
    with opened(home) as memory:
        memory.backup(copy)
    database(home).write_bytes(b"SQLite format 3\0" + bytes(40_000))
    Shell(home)("repair", "--from", str(copy))
    assert truth(home) == before


def test_messages_that_the_copy_lacks_are_added(home: Path) -> None:
    with opened(home) as memory:
        memory.add([{"role": "user", "content": "after the export", "id": "late"}])
    damage(home, b"words 7", b"w\xffrds 7")
    done = Shell(home).json("repair")
    assert done["added"] == 1
    with opened(home) as memory:
        assert "after the export" in [one.content for one in memory.journal()]
        assert memory.validate() == []


def test_without_a_copy_nothing_is_changed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, config={**CONFIG, "workspace.views": "off"}, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": f"words {n}", "id": f"m{n}"} for n in range(9)])
    damage(home, b"words 7", b"w\xffrds 7")
    assert b"no intact copy" in Shell(home)("repair", code=7).stderr
    assert list(database(home).parent.glob("*before*")) == []


@pytest.mark.parametrize("at", [0, 15, 16, 19, 21, 23, 68])
def test_changed_byte_at_the_beginning_is_damage_and_not_encryption(home: Path, at: int) -> None:
    path, before = database(home), truth(home)
    data = bytearray(path.read_bytes())
    data[at] ^= 0x5A
    path.write_bytes(data)
    shell = Shell(home)
    for command in ("list", "validate"):
        done = shell(command, code=7)
        said = (done.stdout + done.stderr).decode()
        assert "is damaged" in said
        assert "loxodon repair" in said
        assert "encrypted" not in said
    shell("repair")
    shell("validate")
    assert truth(home) == before


def test_what_is_derived_is_made_anew_in_its_place(home: Path) -> None:
    before = truth(home)
    spoil(home, "DELETE FROM turn_index WHERE rowid = 3")
    done = Shell(home).json("repair")
    assert (done["before"], done["rebuilt"]) == ("", True)
    assert truth(home) == before
    with opened(home) as memory:
        assert memory.validate() == []


def test_repair_that_is_killed_loses_nothing(home: Path) -> None:
    before = truth(home)
    damage(home, b"words 7", b"w\xffrds 7")
    spoilt = home.rename(home.parent / "spoilt")
    point = kills = 0
    while True:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(spoilt, home)
        point += count(2, 1)
        if not killed_at_call(lambda: Shell(home)("repair"), point):
            break
        kills += 1
        Shell(home)("repair")
        assert truth(home) == before, point
        left = [*database(home).parent.glob("restoring-*")]
        assert not any(files_with(["words", "likes tea"], one) for one in left), point
    assert kills > 1
