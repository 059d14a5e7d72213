"""The record of reads and writes: what is in it, and what happens when it cannot be written."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Config, Memory
from loxodon.errors import AuditError, ConfigError, KeyProblemError
from loxodon.trust.audit import trail
from loxodon.trust.audit.log import MOST_TAIL
from loxodon.trust.audit.trail import names, runs
from loxodon.trust.rest.keys import Keys, mac_with
from tests.clock import NOW


def log_of(home: Path) -> str:
    folder = home / "spaces" / "main" / "audit"
    return "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.log")))


def test_no_word_is_in_it(tmp_path: Path) -> None:
    words = ["Zanzibar", "花生过敏", "Ophelia", "herbarium", "clandestine"]
    with Memory.open(tmp_path) as memory:
        memory.add([{"role": "user", "content": words[0], "speaker": words[2]}], words[3])
        memory.capture(words[1], entities=[words[2]], topic=words[4], tags=[words[3]])
        memory.recall(words[0], entity=words[2])
        memory.journal(words[1], session=words[3])
        memory.list(topic=words[4], tag=words[3])
        memory.documents.put((words[2],), words[3], {"a": words[0]})
        memory.documents.search((words[2],), words[0])
        for ask in (memory.entity, memory.get, memory.turn):
            with pytest.raises(Exception, match=words[4]):
                ask(words[4])
    text = log_of(tmp_path)
    assert len(text.splitlines()) > 9
    assert not [word for word in words if word in text]
    assert not [word for word in words if json.dumps(word)[1:-1] in text]


def test_who_saw_a_memory(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        one, other = memory.capture("likes tea"), memory.capture("lives in Leeds")
        memory.get(one.id)
        memory.list()
        memory.get(other.id)
        assert [entry.op for entry in memory.audit.entries(id=one.id)] == ["capture", "get", "list"]
        later = memory.now() + timedelta(hours=1)
        assert memory.audit.entries(since=later) == []
        assert len(memory.audit.entries(until=later)) == 6
        assert [entry.op for entry in memory.audit.entries(limit=2)] == ["list", "get"]
        assert memory.audit.entries(surface="http") == []


def test_ids_in_a_row_are_one() -> None:
    ids = [f"t_{n}" for n in (5, 6, 7, 99, 100, 101)] + ["f_20261115_009", "f_20261115_010", "n_3"]
    found = runs(ids)
    assert set(found) == {"t_5..7", "t_99..101", "f_20261115_009..010", "n_3"}
    assert all(names(found, id) for id in ids)
    assert not names(found, "t_8")
    assert not names(found, "f_20261114_009")
    assert not names(found, "tea")


def test_any_ids_come_back() -> None:
    rng = random.Random(3)
    for _ in range(300):
        ids = {
            rng.choice((f"t_{rng.randrange(300)}", f"f_20261115_{rng.randrange(1, 120):03d}", "x"))
            for _ in range(rng.randrange(40))
        }
        found = runs(ids)
        for number in range(300):
            assert names(found, f"t_{number}") == (f"t_{number}" in ids)
        for number in range(1, 120):
            assert names(found, f"f_20261115_{number:03d}") == (f"f_20261115_{number:03d}" in ids)


def test_the_head_may_be_elsewhere_and_two_homes_may_share_its_folder(tmp_path: Path) -> None:
    config = {"audit.head": str(tmp_path / "elsewhere")}
    for name in ("one", "two"):
        with Memory.open(tmp_path / name, config=config) as memory:
            memory.capture("likes tea")
    for name in ("one", "two"):
        with Memory.open(tmp_path / name, config=config) as memory:
            assert memory.audit.verify().sound
    assert len(list((tmp_path / "elsewhere").iterdir())) == 2
    assert not (tmp_path / "one" / "audit").exists()


def test_a_head_that_is_put_elsewhere_comes_along(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.capture("likes tea")
    with Memory.open(tmp_path / "home", config={"audit.head": str(tmp_path / "disk")}) as memory:
        assert memory.audit.verify().sound
        memory.capture("likes coffee")
        assert memory.audit.verify().sound
    assert len(list((tmp_path / "disk").iterdir())) == 1
    assert not list((tmp_path / "home" / "audit").iterdir())


def test_a_write_that_cannot_be_put_on_record_is_refused_and_reads_go_on(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        record = memory.capture("likes tea")
    folder = tmp_path / "spaces" / "main" / "audit"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    with Memory.open(tmp_path) as memory:
        with pytest.raises(AuditError, match="audit log") as raised:
            memory.capture("likes coffee")
        assert raised.value.exit_code == 7
        assert [one.id for one in memory.list()] == [record.id]
        assert "audit log" in memory.audit.trouble
    with Memory.open(tmp_path, config={"audit.on_failure": "nothing"}) as memory:
        memory.capture("likes coffee")
        assert len(memory.list()) == 2
    with (
        Memory.open(tmp_path, config={"audit.on_failure": "all"}) as memory,
        pytest.raises(AuditError),
    ):
        memory.list()


def test_without_the_key_writes_are_refused_and_nothing_can_be_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
    (tmp_path / "keys" / "master").unlink()
    with Memory.open(tmp_path) as memory:
        assert len(memory.list()) == 1
        with pytest.raises(KeyProblemError):
            memory.capture("likes coffee")
        with pytest.raises(KeyProblemError):
            memory.audit.verify()


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"audit.enabled": False}) as memory:
        memory.capture("likes tea")
        assert not memory.audit.enabled
        with pytest.raises(ConfigError, match=r"audit\.enabled"):
            memory.audit.verify()
    assert not (tmp_path / "audit").exists()
    with Memory.open(tmp_path) as memory:
        assert memory.audit.verify().sound
        memory.capture("likes coffee")
        assert memory.audit.verify().entries == 2


def test_a_write_that_failed_is_undone_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
        db = memory._store._db
        real = db.run

        def failing(sql: str, values: Sequence[Any] = ()) -> None:
            if sql == "COMMIT":
                raise OSError("the disk is gone")
            real(sql, values)

        with monkeypatch.context() as patch:
            patch.setattr(db, "run", failing)
            with pytest.raises(OSError, match="gone"):
                memory.capture("never kept")
        memory.capture("likes coffee")
        ops = [one.op for one in memory.audit.entries()]
        assert ops == ["audit.file", "capture", "capture", "undone", "capture", "capture"]
        assert [one.content for one in memory.list()] == ["likes coffee", "likes tea"]
        assert memory.audit.verify().sound


def test_a_line_that_comes_late_for_a_write_that_was_given_up_is_no_tampering(
    tmp_path: Path,
) -> None:
    """As where the server of a log comes back after the transaction is gone."""
    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
        audit, before = memory._store.audit, memory._store.anchor
        assert audit is not None
        memory.capture("likes coffee")
        audit.write("capture", before, ["f_20260204_009"])
        assert memory.audit.verify().sound
        memory.capture("likes rice")
        assert memory.audit.verify().sound


def test_the_chain_goes_on_over_files_and_the_oldest_are_let_go(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        audit = memory._store.audit
        assert audit is not None
        audit.settings = audit.settings._replace(size=2_000, keep=3)
        for _ in range(100):
            memory.list()
        files = trail.file_numbers(audit.settings.folder)
        assert len(files) == 3
        found = memory.audit.verify()
        assert found.sound
        assert found.first > 1
        assert found.last == len(range(100)) + files[-1]


def test_threads_and_processes_write_one_chain(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom loxodon import Memory\n"
        "with Memory.open(sys.argv[1]) as memory:\n"
        "    for n in range(10):\n"
        "        memory.capture(f'{sys.argv[2]} said {n}')\n"
        "        memory.recall('said')\n"
    )
    with Memory.open(tmp_path) as memory:
        workers = [
            subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name], env=os.environ)
            for name in ("ann", "bob")
        ]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: memory.capture(f"thread {n}"), range(20)))
        assert [worker.wait() for worker in workers] == [0, 0]
        found = memory.audit.verify()
        assert found.sound, found
        assert len(memory.audit.entries(op="capture")) == 40
        assert len(memory.audit.entries(op="recall")) == 20


def lose_power(home: Path, kept: int) -> None:
    """Of the log only the first bytes are on disk; the machine starts again."""
    log, head_file = home / "spaces/main/audit/000001.log", home / "audit/main.head"
    mac = mac_with(Keys(str(home)).key("audit", "main"))
    head = trail.head_of(head_file.read_bytes(), mac)
    assert head is not None
    log.write_bytes(log.read_bytes()[:kept])
    head_file.write_bytes(trail.head_bytes(head._replace(boot="another"), mac))


def synced_of(memory: Memory) -> int:
    return int(memory._store.anchor.split(":")[3])


def test_a_write_is_synced_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is synced with its first line, and then once in many writes."""
    synced: list[int] = []
    real = os.fdatasync

    def counted(descriptor: int) -> None:
        synced.append(descriptor)
        real(descriptor)

    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
        monkeypatch.setattr(os, "fdatasync", counted)
        monkeypatch.setattr(os, "fsync", counted)
        for n in range(30):
            memory.add([{"role": "user", "content": f"said {n}", "id": str(n)}])
            memory.list()
        assert synced == []
        for n in range(30, 130):
            memory.add([{"role": "user", "content": f"said {n}", "id": str(n)}])
        assert 1 <= len(synced) <= 3
        ((kept,),) = memory._store._db.all("SELECT sum(length(lines)) FROM audit_tail")
        assert 0 < kept < MOST_TAIL


@pytest.mark.parametrize("first", ["verify", "list", "capture", "restore"])
def test_what_a_power_cut_takes_of_the_log_the_database_has(tmp_path: Path, first: str) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        for n in range(5):
            memory.capture(f"fact {n}")
            memory.list()
        memory.capture("the last")
        memory.backup(tmp_path / "copy")
        before = memory.audit.entries()
        synced = synced_of(memory)
    whole = (home / "spaces/main/audit/000001.log").stat().st_size
    assert synced < whole / 2
    lose_power(home, synced + (whole - synced) // 3)
    if first == "restore":
        from loxodon.trust.damage.restoring import restore

        restore(
            str(tmp_path / "copy"),
            str(home),
            "main",
            config=Config(),
            environ={},
            clock=lambda: NOW,
            replace=True,
            progress=lambda done, total: None,
        )
    with Memory.open(home) as memory:
        if first in ("list", "capture"):
            getattr(memory, first)(*["later"] * (first == "capture"))
        found = memory.audit.verify()
        assert found.sound, found
        assert {one.kind for one in found.notices} <= {"power"}  # the backup, which is a read
        writes = [one for one in before if "after" in one.facts]
        assert [one for one in memory.audit.entries() if one in writes] == writes


def test_lines_of_another_log_are_not_put_back(tmp_path: Path) -> None:
    for name in ("one", "other"):
        with Memory.open(tmp_path / name) as memory:
            for n in range(6):
                memory.capture(f"fact {n}")
            synced = synced_of(memory)
    lose_power(tmp_path / "one", synced)
    shutil.copy(tmp_path / "other/spaces/main/loxodon.db", tmp_path / "one/spaces/main/loxodon.db")
    with Memory.open(tmp_path / "one") as memory:
        assert not memory.audit.verify().sound
        ops = [one.op for one in memory.audit.entries()]
        assert ops == ["audit.file", "capture", "audit.gap"]


def test_what_was_found_can_be_accepted(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("my number is 13800138000")
        memory.list()
    log = tmp_path / "spaces/main/audit/000001.log"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:1]))
    with Memory.open(tmp_path) as memory:
        assert not memory.audit.verify().sound
        assert memory.audit.accept().findings
        found = memory.audit.verify()
        assert found.sound, found
        assert [one.kind for one in found.notices] == ["accepted"]
        memory.capture("likes tea")
        assert memory.audit.verify().sound
    log.write_bytes(log.read_bytes()[:-3])
    with Memory.open(tmp_path) as memory:
        assert not memory.audit.verify().sound


def test_a_draft_of_a_restore_leaves_no_log(tmp_path: Path) -> None:
    from loxodon.workspace.views.restore import restore

    with Memory.open(tmp_path / "a") as memory:
        memory.capture("my number is 13800138000")
        memory.workspace.export(tmp_path / "out")
    restore(str(tmp_path / "out"), str(tmp_path / "b"), "main", config=Config())
    assert [path.name for path in (tmp_path / "b" / "audit").iterdir()] == ["main.head"]
    with Memory.open(tmp_path / "b") as memory:
        found = memory.audit.verify()
        assert found.sound, found
        assert found.signed == 1  # with the key of its new home
        memory.list()
        assert [one.op for one in memory.audit.entries()][:2] == ["audit.file", "restore"]
