"""What earlier versions kept in files, and whole homes of theirs."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory, files, old_files
from loxodon.security.keys import Seal
from loxodon.spaces import space_path
from loxodon.working import Session
from tests.clock import Clock
from tests.store.sqlite.test_store import earlier_home
from tests.working.talk import user

LINES = {
    "a1": ("main", ["one", "two"]),
    "b2": ("main", ["an older one"]),
    "c3": ("telegram", ["hello"]),
    "d4": ("main@bob", ["of bob"]),
    "e5": ("ann@example.com", ["of ann"]),
}
INDEX: Mapping[str, Any] = {
    "main": {"sessionId": "a1", "chatType": "direct", "compactionCount": 0, "inputTokens": 7},
    "telegram": {"sessionId": "c3", "chatType": "direct"},
    "main@bob": {"sessionId": "d4", "chatType": "direct"},
    "ann@example.com": {"sessionId": "e5", "chatType": "direct"},
    "gone": {"sessionId": "f6"},
}


def entries_of(id: str, key: str, said: list[str]) -> list[dict[str, Any]]:
    at = f"2026-02-0{id[-1]}T10:00:00.000+08:00"
    found: list[dict[str, Any]] = [{"type": "session", "id": id, "key": key, "timestamp": at}]
    for n, text in enumerate(said):
        parent = f"{id}-{n - 1}" if n else None
        entry = {"type": "message", "id": f"{id}-{n}", "parentId": parent, "timestamp": at}
        found.append({**entry, "message": {"role": "user", "content": text}})
    return found


def put_files(memory: Memory, seal: Seal | None = None) -> str:
    """The files of an earlier version beside the store of a memory."""
    folder = os.path.join(space_path(memory.root, memory.space), "sessions")
    files.make_folder(folder)

    def closed(data: bytes, name: str) -> bytes:
        return seal.closed(data, name) if seal else data

    for id, (key, said) in LINES.items():
        lines = [json.dumps(entry).encode() for entry in entries_of(id, key, said)]
        lines = [*(closed(line, f"{id}.jsonl") for line in lines), b'{"type": "mess']
        files.replace(os.path.join(folder, f"{id}.jsonl"), b"\n".join(lines))
    data = json.dumps(INDEX, indent=1).encode()
    files.replace(os.path.join(folder, "sessions.json"), closed(data, "sessions.json"))
    files.replace(os.path.join(folder, "a1.jsonl.lock"), b"")
    return folder


def shown(memory: Memory, key: str) -> list[object]:
    return [one.message["content"] for one in Session.open(memory, key).shown]


def with_agent(memory: Memory) -> None:
    memory.within("bob").add([user("I am bob's user")])


def test_sessions_in_files_are_taken_over(memory: Memory) -> None:
    with_agent(memory)
    folder = put_files(memory)
    with Memory.open(memory.home, config={}):
        assert files.names(folder) == []
    assert shown(memory, "main") == ["one", "two"]
    assert shown(memory, "telegram") == ["hello"]
    assert shown(memory, "ann@example.com") == ["of ann"]
    assert shown(memory.within("bob"), "main") == ["of bob"]
    session = Session.open(memory, "main")
    assert session.about["inputTokens"] == 7
    session.add(user("three"))
    assert shown(memory, "main") == ["one", "two", "three"]
    assert memory.validate() == []


@pytest.mark.parametrize("gone", [0, 1, 4])
def test_one_that_was_killed_half_way_goes_on(
    memory: Memory, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = put_files(memory)
    left, real = iter(range(gone)), files.remove

    def remove(path: str) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        real(path)

    with monkeypatch.context() as patch:
        patch.setattr(files, "remove", remove)
        with pytest.raises(KeyboardInterrupt):
            old_files.take_over(memory)
    assert len(files.names(folder)) == len(LINES) + 2 - gone
    Session.open(memory, "main").add(user("three"))  # as it goes on before the files are gone
    Memory.open(memory.home, config={}).close()
    assert files.names(folder) == []
    assert shown(memory, "main") == ["one", "two", "three"]
    assert shown(memory, "telegram") == ["hello"]


def test_sealed_files_of_an_encrypted_home(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    with Memory.open(tmp_path, config={}, key=key) as memory:
        put_files(memory, seal=Seal([key]))
    with Memory.open(tmp_path, config={}, key=key) as memory:
        assert shown(memory, "main") == ["one", "two"]
        assert shown(memory, "telegram") == ["hello"]
    assert not os.path.exists(tmp_path / "spaces" / "main" / "sessions")
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"hello" not in held


def test_pauses_tombstones_and_log_of_an_earlier_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill before a file is gone takes it over again, and adds nothing."""
    folder = tmp_path / "spaces" / "main"
    entry = {"at": "2026-01-01T00:00:00+00:00", "actor": "cli", "op": "capture", "n": 1}
    mark = {"kind": "text", "mark": "ab" * 16, "until": 0}

    def killed(path: str) -> None:
        raise KeyboardInterrupt

    with Memory.open(tmp_path) as memory:
        (folder / "audit").mkdir()
        (folder / "audit" / "2026.log").write_text(json.dumps(entry) + "\n{cut")
        (folder / "forgotten").write_text(json.dumps(mark) + "\n{cut")
        (folder / "paused").write_text("[]")
        for _ in range(2):
            with monkeypatch.context() as patch:
                patch.setattr(files, "remove", killed)
                with pytest.raises(KeyboardInterrupt):
                    old_files.take_over(memory)
    assert (folder / "audit" / "2026.log").exists()
    with Memory.open(tmp_path) as memory:
        assert len([*memory._store.primary.dump("tombstones")]) == 1
        assert [one.op for one in memory.audit.entries()].count("capture") == 1
        assert memory.audit.verify().sound
    assert {"paused", "forgotten", "audit"}.isdisjoint(os.listdir(folder))


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("schema", [7, 9])
def test_home_of_an_earlier_version(
    tmp_path: Path, clock: Clock, schema: int, killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the one who opened it first was killed between its schema and its files."""
    earlier_home(schema, tmp_path)
    if killed:
        with monkeypatch.context() as patch:
            patch.setattr(files, "remove", lambda path: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                Memory.open(tmp_path, config={}, clock=clock)
    with Memory.open(tmp_path, config={}, clock=clock) as memory:
        assert memory.audit.verify().sound
        assert [one.op for one in memory.audit.entries()][:2] == ["audit.file", "add"]
        assert memory.paused
        assert memory.resume()
        assert "用户对花生过敏" in [one.content for one in memory.list()]
        key = memory.recall("Where is the spare key?").items[0]
        versions = [one.record.content for one in memory.history(key.id)]
        assert versions == [f"The spare key is under the {one} pot" for one in ("blue", "red")]
        assert shown(memory, "main") == ["hello there", "hello"]
        assert memory.documents.get(("a", "b"), "k")
        said = [user("The code name of the surprise is Marzipan.")]
        assert memory.add(said, session="tuesday").forgotten == 1
        assert [one.what for one in memory.receipts()] == ["session"]
        assert memory.consolidate().ran
        assert memory.validate() == []
