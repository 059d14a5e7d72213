"""The record of reads and writes: what is in it, and that it goes with the data."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from loxodon import Memory
from loxodon.errors import ConfigError, NotFoundError
from loxodon.http.host import Host
from loxodon.memory import VERBS
from tests.cli.shell import Shell


def rows_of(home: Path) -> list[str]:
    connection = apsw.Connection(str(home / "spaces" / "main" / "loxodon.db"))
    try:
        return [str(text) for (text,) in connection.execute("SELECT entry FROM audit ORDER BY n")]
    finally:
        connection.close()


def change(home: Path, sql: str) -> None:
    connection = apsw.Connection(str(home / "spaces" / "main" / "loxodon.db"))
    try:
        connection.execute(sql)
    finally:
        connection.close()


def test_log_has_no_word_of_what_was_said(tmp_path: Path) -> None:
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
    entries = rows_of(tmp_path)
    assert len(entries) > 9
    text = "".join(entries)
    assert not [word for word in words if word in text or json.dumps(word)[1:-1] in text]


def test_entries_of_a_memory_say_who_saw_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        one, other = memory.capture("likes tea"), memory.capture("lives in Leeds")
        memory.get(one.id)
        memory.list()
        memory.get(other.id)
        assert [entry.op for entry in memory.audit.entries(id=one.id)] == ["capture", "get", "list"]
        later = memory.now() + timedelta(hours=1)
        assert memory.audit.entries(since=later) == []
        assert len(memory.audit.entries(until=later)) == 5
        assert [entry.op for entry in memory.audit.entries(limit=2)] == ["list", "get"]
        assert memory.audit.entries(surface="http") == []


def test_log_can_be_turned_off(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"audit.enabled": False}) as memory:
        memory.capture("likes tea")
        with pytest.raises(ConfigError, match=r"audit\.enabled"):
            memory.audit.verify()
    assert rows_of(tmp_path) == []
    with Memory.open(tmp_path) as memory:
        assert memory.audit.verify().sound
        memory.capture("likes coffee")
        assert [one.op for one in memory.audit.entries(op="capture")] == ["capture"]


def test_oldest_entries_are_pruned(tmp_path: Path) -> None:
    with Memory.open(tmp_path, config={"audit.entries": 50}) as memory:
        for _ in range(1_100):
            memory.entities()
        found = memory.audit.verify()
        assert found.sound, found
        assert found.first > 900
        assert found.last == 1_100
        assert len(memory.audit.entries()) < 200
    change(tmp_path, f"DELETE FROM audit WHERE n < {found.last - 20}")
    with Memory.open(tmp_path, config={"audit.entries": 50}) as memory:
        assert memory.audit.verify().problem == "entries from 1 on are missing"


def test_log_goes_on_after_a_restore_from_text(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a") as memory:
        memory.capture("my number is 13800138000")
        memory.workspace.export(tmp_path / "out")
    for home, ops in (("b", []), ("a", ["capture", "workspace.export"])):
        Shell(tmp_path / home)("restore", str(tmp_path / "out"), "--replace")
        with Memory.open(tmp_path / home) as memory:
            found = memory.audit.verify()
            assert found.sound, found
            assert [one.op for one in memory.audit.entries()][: len(ops)] == ops


def test_log_in_files_of_an_earlier_version_is_taken_over(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.now()
    folder = tmp_path / "spaces" / "main" / "audit"
    folder.mkdir()
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "main.head").write_text("{}")
    lines = [
        {"n": n, "at": f"2026-11-0{n}T10:00:00.000Z", "op": op, "prev": "00", "mac": "00"}
        for n, op in enumerate(("audit.file", "capture", "recall"), 1)
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "000001.log").write_text(text + '{"n":4,"at":"20')
    for _ in range(2):
        with Memory.open(tmp_path) as memory:
            memory.capture("likes tea")
            ops = [one.op for one in memory.audit.entries()]
            assert ops[:4] == ["audit.file", "capture", "recall", "capture"]
            assert memory.audit.verify().sound
        assert not [*folder.glob("*.log")]


def test_each_call_is_on_record_once_with_its_ids(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        record = memory.capture("likes green tea")
        memory.assemble("which tea do I like?")
        memory.history(record.id)
        with pytest.raises(NotFoundError):
            memory.get("f_20200101_001")
        memory.edit(record.id, content="likes black tea")
        memory.edit(record.id, content="likes black tea")
        found = memory.audit.entries()
        assert [(one.op, one.outcome) for one in found] == [
            *(("capture", "ok"), ("assemble", "ok"), ("history", "ok"), ("get", "not_found")),
            *(("edit", "ok"), ("edit", "ok")),
        ]
        assert record.id in found[1].ids
        assert found[3].ids == ("f_20200101_001",)
        memory.add([{"role": "user", "content": "I live in Leeds and I love jazz."}], "talk")
        memory.consolidate(force=True)
        memory.documents.put(("a",), "key", {"b": 1})
        memory.workspace.export(tmp_path / "out")
        ops = {one.op for one in memory.audit.entries()}
    assert {"add", "consolidate", "documents.put", "workspace.export"} <= ops
    assert "store" not in ops


def test_record_says_which_surface_and_agent_called(tmp_path: Path) -> None:
    with Host(tmp_path, surface="mcp") as host, host.using("main") as memory:
        memory.within("coder").recall("tea")
    Shell(tmp_path)("recall", "tea")
    with Memory.open(tmp_path) as memory:
        memory.recall("tea")
        found = memory.audit.entries(op="recall")
    assert [(one.surface, one.agent) for one in found][1:] == [("cli", ""), ("library", "")]
    assert found[0].agent == "coder"


def test_every_verb_of_an_agent_is_on_record_but_those_that_tell_no_content() -> None:
    silent = {name for name, one in VERBS.items() if one.access != "owner" and not one.audit}
    assert silent == {
        *("gate", "documents.together"),  # about a text that is handed in
        *("status", "stats"),  # counts
        *("flush_due", "consolidation_due"),  # when there is work
        *(f"schedule.{one}" for one in ("jobs", "due", "failing", "waiting", "wait")),
    }
