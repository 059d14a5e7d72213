"""Backups: whole or not there, and read back while others go on."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon.backup import archive as backup_file
from loxodon.client import Client
from loxodon.errors import InputError, LockedStoreError, StoreError
from loxodon.store.driver import migrations
from loxodon.store.sqlite import cipher, copying
from loxodon.working import Session
from tests.http.server import Server
from tests.looking import files_with
from tests.security.homes import WORD, Home, in_plain, is_plain

REFUSED = InputError.exit_code
LOCKED = LockedStoreError.exit_code


@pytest.fixture
def backed_up(home: Home) -> Home:
    home.backup()
    return home


# Writing


def test_backup_has_everything_but_keys_and_replaces_no_file(home: Home) -> None:
    home.loxodon("config", "model.api_key", "sk-nobody-may-see-this")
    home.loxodon("config", "recall.top", "7")
    Path(home.folder, "copies").mkdir()
    Path(home.file).write_text("mine")
    with home.open() as memory:
        with pytest.raises(InputError, match="already exists"):
            memory.backup(home.file)
        assert Path(home.file).read_text() == "mine"
        with pytest.raises(InputError, match="already exists"):
            memory.backup(home.folder)
        done = memory.backup(home.file, overwrite=True)
    assert (done.spaces, done.turns, done.memories) == (("main",), 43, 1)
    assert os.stat(home.file).st_mode & 0o777 == 0o600
    assert done.size == os.path.getsize(home.file)
    with zipfile.ZipFile(home.file) as archive:
        names = {os.path.basename(name) for name in archive.namelist()}
        assert {"loxodon.db", "config.toml"} <= names
        told = archive.read("config.toml").decode()
    assert "top = 7" in told
    assert "sk-nobody" not in told


def test_folder_keeps_the_latest_and_a_schedule_writes_one(home: Home) -> None:
    home.loxodon("config", "schedule.backup", "0 2 * * *")
    stranger = Path(home.path, "backups", "main-notes.loxodon")
    with home.open() as memory:
        made = [memory.backup(keep=2).path for _ in range(4)]
        stranger.write_text("not ours")
        last = memory.backup(keep=1)
        assert set(last.removed) == set(made[2:])
        assert {*os.listdir(stranger.parent)} == {stranger.name, os.path.basename(last.path)}
        assert memory.schedule.run("backup").counts == {"backups": 1}
        (job,) = [one for one in memory.schedule.jobs() if one.name == "backup"]
        assert (job.runs, job.due) == (1, False)
    assert len(os.listdir(stranger.parent)) == 3


# Reading


def test_it_comes_back_as_it_was_and_ids_are_not_used_again(backed_up: Home) -> None:
    home, wanted = backed_up, backed_up.content()
    with home.open() as memory:
        late = memory.capture("after the backup")
    home.loxodon("restore", home.file, code=REFUSED)  # not without being told to replace it
    assert home.content() != wanted
    done = home.json("restore", home.file, "--replace")
    assert (done["turns"], done["memories"]) == (43, 1)
    assert home.content() == wanted
    with home.open() as memory:
        assert memory.validate() == []
        assert memory.capture("once more").id > late.id
    assert copying.counts_of(done["before"])["memories"] == 2  # what was replaced is kept


def test_encrypted_backup_goes_only_where_its_key_is(home: Home) -> None:
    home.backup()
    wanted, plain = home.content(), home.file
    home.encrypt()
    home.file = os.path.join(home.folder, "copies", "encrypted.loxodon")
    home.backup()
    assert WORD.encode() not in Path(home.file).read_bytes()
    home.loxodon("restore", plain, "--replace")  # a plain one gets the key of the home
    assert home.content() == wanted
    assert list(in_plain(home.path)) == []
    home.restore()
    assert home.content() == wanted
    changed(home, lambda manifest: manifest.update(made_at="2020-01-01T00:00:00"))
    done = home.loxodon("restore", home.file, "--replace", code=LOCKED)
    assert "the file was changed" in done.stderr
    home.backup()
    text = Path(home.key).read_text().strip()
    home.decrypt()
    done = home.loxodon("restore", home.file, "--replace", code=LOCKED)
    assert "the key does not match" in done.stderr
    home.loxodon("restore", home.file, "--replace", LOXODON_KEY=text)
    assert home.content() == wanted
    assert all(map(is_plain, home.databases))


def test_new_home_opens_a_backup_with_its_key(home: Home) -> None:
    phrase: dict[str, Any] = {"LOXODON_KEY": "5e" * 32}
    home.loxodon("encrypt", "--env", **phrase)
    home.loxodon("backup", home.file, **phrase)
    other = Home(os.path.join(home.folder, "elsewhere"))
    assert "is not" in other.loxodon("restore", home.file, code=LOCKED, **phrase).stderr
    other.loxodon("config", "encryption.key", "env")
    wrong: dict[str, Any] = {"LOXODON_KEY": "6f" * 32}
    assert "does not match" in other.loxodon("restore", home.file, code=LOCKED, **wrong).stderr
    other.loxodon("restore", home.file, **phrase)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(phrase.items())))
        found, wanted = other.content(), home.content()
        assert {**found, "talk": 0} == {**wanted, "talk": 0}


def test_another_space_only_where_that_is_meant(backed_up: Home) -> None:
    home = backed_up
    done = home.loxodon("--space", "other", "restore", home.file, code=REFUSED)
    assert "does not contain the space 'other'" in done.stderr
    home.loxodon("--space", "other", "restore", home.file, "--as")
    with home.open("other") as memory:
        assert memory.recall(WORD).items
        assert memory.validate() == []


def test_what_was_forgotten_since_does_not_come_back(home: Home) -> None:
    home.loxodon("config", "audit.enabled", "true")
    with home.open() as memory:
        gone = memory.capture("My sister Wilhelmina lives in Uppsala")
    home.backup()
    with home.open() as memory:
        memory.forget(gone.id)
    home.restore()
    with home.open() as memory:
        assert gone.id not in [one.id for one in memory.list()]
        assert not memory.recall("Wilhelmina Uppsala").items
        assert memory.recall(WORD).items
        assert memory.audit.verify().sound  # the record goes on
        assert "restore" in [one.op for one in memory.audit.entries()]
    assert not files_with(["Wilhelmina"], Path(home.path))


def test_damaged_database_is_replaced_and_kept(backed_up: Home) -> None:
    home, wanted = backed_up, backed_up.content()
    home.databases[0].write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 80)
    done = home.json("restore", home.file, "--replace")
    assert os.path.exists(done["before"])
    assert {**home.content(), "talk": 0} == {**wanted, "talk": 0}


# What is not a backup


def changed(home: Home, change: Callable[[Any], object], part: str = "") -> None:
    """Write the backup anew with another manifest, or without a part."""
    with zipfile.ZipFile(home.file) as old:
        parts = {name: old.read(name) for name in old.namelist() if name != part}
    manifest = json.loads(parts["manifest.json"])
    change(manifest)
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(home.file, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in parts.items():
            new.writestr(name, data)


def test_what_is_no_whole_backup_is_refused(backed_up: Home) -> None:
    home, before = backed_up, backed_up.content()
    data = Path(home.file).read_bytes()
    with zipfile.ZipFile(home.file) as archive:
        real = archive.getinfo("spaces/main/loxodon.db").file_size
    smaller = data.replace(struct.pack("<Q", real), struct.pack("<Q", 100))
    smaller = smaller.replace(struct.pack("<L", real), struct.pack("<L", 100))
    spoilt = [data[:cut] for cut in (0, 1, 100, -1, -100, -5_000)]
    spoilt += [data + b"more", data + bytes(100), b"#!/bin/sh\n" + data]
    for one in (*spoilt, smaller, secrets.token_bytes(5_000)):
        Path(home.file).write_bytes(one)
        done = home.loxodon("restore", home.file, "--replace", code=REFUSED)
        assert "not a complete backup" in done.stderr

    def astray(manifest: Any) -> None:
        manifest["parts"]["../../evil"] = {"sha256": "0" * 64, "size": 4}

    def huge(manifest: Any) -> None:
        manifest["parts"]["config.toml"].update(size=1 << 62)

    for change, part in ((astray, ""), (huge, ""), (lambda _: None, "spaces/main/loxodon.db")):
        Path(home.file).write_bytes(data)
        changed(home, change, part)
        if change is astray:
            with zipfile.ZipFile(home.file, "a") as archive:
                archive.writestr("../../evil", "evil")
        done = home.loxodon("restore", home.file, "--replace", code=REFUSED)
        assert "not a complete backup" in done.stderr
    assert not Path(home.folder, "evil").exists()
    Path(home.file).write_bytes(data)
    changed(home, lambda manifest: manifest.update(schema=manifest["schema"] + 1))
    done = home.loxodon("restore", home.file, "--replace", code=StoreError.exit_code)
    assert "newer version" in done.stderr
    assert home.content() == before


def test_a_changed_bit_anywhere_is_refused_and_an_older_backup_without_a_digest_is_taken(
    backed_up: Home,
) -> None:
    home, data = backed_up, Path(backed_up.file).read_bytes()

    def refused(one: bytes) -> bool:
        Path(home.file).write_bytes(one)
        try:
            with backup_file.opened(home.file, lambda done, total: None):
                return False
        except InputError:
            return True

    size = len(data)
    ends = {*range(80), *range(size - 400, size), *(secrets.randbelow(size) for _ in range(40))}
    for at in ends:
        flipped = bytearray(data)
        flipped[at] ^= 1 << secrets.randbelow(8)
        assert refused(bytes(flipped)), at
    old = data[:-66] + bytes(2)  # no comment, and none behind
    assert not refused(old)
    assert refused(b"more" + old)
    assert not refused(data)
    home.json("restore", home.file, "--replace")


def with_parts(home: Home, new: dict[str, bytes], **more: Any) -> None:
    """Write the backup anew with these parts, as an earlier version would have written it."""
    with zipfile.ZipFile(home.file) as old:
        parts = {name: old.read(name) for name in old.namelist() if name != "manifest.json"}
        manifest = {**json.loads(old.read("manifest.json")), **more}
    parts |= new
    manifest["parts"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in parts.items()
    }
    with zipfile.ZipFile(home.file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**parts, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, data)


def test_older_schema_is_brought_up_to_date(backed_up: Home, tmp_path: Path) -> None:
    home, old = backed_up, tmp_path / "old.db"
    connection = cipher.connect(str(old), ())
    for script in migrations("sqlite")[:6]:
        connection.execute(Path(script).read_text("utf-8")).fetchall()
    connection.execute("PRAGMA application_id=0x4C4F5844; PRAGMA user_version=6").fetchall()
    connection.execute("INSERT INTO meta (name, value) VALUES ('space', 'main')").fetchall()
    connection.close()
    with_parts(home, {"spaces/main/loxodon.db": old.read_bytes()}, schema=6)
    home.restore()
    with home.open() as memory:
        assert memory.list() == []
        memory.capture("it can be used")
        assert memory.validate() == []


def test_sessions_in_the_files_of_an_older_backup_come_along(backed_up: Home) -> None:
    """Those that are here have gone on since."""
    home = backed_up
    with home.open() as memory:
        Session.open(memory, "talk").add({"role": "user", "content": "since then"})
    wanted = home.content()["talk"]
    header = {"type": "session", "id": "a1", "key": "old"}
    entry = {"type": "message", "id": "1", "message": {"role": "user", "content": "long ago"}}
    lines = "\n".join(map(json.dumps, (header, entry))).encode()
    index = json.dumps({"old": {"sessionId": "a1", "chatType": "direct"}}).encode()
    folder = "spaces/main/sessions"
    with_parts(home, {f"{folder}/a1.jsonl": lines, f"{folder}/sessions.json": index})
    home.restore()
    with home.open() as memory:
        assert [one.message["content"] for one in Session.open(memory, "old").shown] == ["long ago"]
    assert home.content()["talk"] == wanted


# While others go on

WRITER = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    print("begun", flush=True)
    n = 0
    while True:
        batch = [{"role": "user", "content": f"pair {n} {half}", "id": f"{n}-{half}"}
                 for half in "ab"]
        memory.add(batch, session="pairs")
        memory.recall("xylophone")
        n += 1
        print(n, flush=True)
"""


def test_backup_is_of_one_moment_while_others_write(home: Home) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, home.path], text=True, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        for _ in range(5):
            writer.stdout.readline()
        home.backup()
        writer.stdout.readline()
        writer.kill()
    other = Home(os.path.join(home.folder, "elsewhere"))
    other.loxodon("restore", home.file)
    with other.open() as memory:
        pairs = [one.id for one in memory.journal(session="pairs")]
        assert memory.validate() == []
    assert len(pairs) >= 6  # what was acknowledged before it began
    assert pairs == [f"{n}-{half}" for n in range(len(pairs) // 2) for half in "ab"]


READER = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    print("begun", flush=True)
    for line in sys.stdin:
        turns, known = len(memory.journal(session="pairs")), len(memory.list())
        print(turns, known, len(memory.recall("xylophone").items), flush=True)
    memory.add([{"role": "user", "content": "and on it goes"}], session="end")
"""


def test_restore_while_others_have_it_open(backed_up: Home) -> None:
    """A reader sees the old or the new, and both go on; what is written goes to the new."""
    home = backed_up
    with home.open() as memory:
        for n in range(3):
            memory.add([{"role": "user", "content": f"pair {n}", "id": str(n)}], session="pairs")
            memory.capture(f"later {n}")
    with subprocess.Popen(
        [sys.executable, "-c", READER, home.path],
        text=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdin is not None
        assert reader.stdout.readline() == "begun\n"

        def ask() -> list[int]:
            reader.stdin.write("look\n")  # type: ignore[union-attr]
            reader.stdin.flush()  # type: ignore[union-attr]
            return [int(one) for one in reader.stdout.readline().split()]  # type: ignore[union-attr]

        assert ask()[:2] == [3, 4]
        home.restore()
        assert ask()[:2] == [0, 1]
        home.restore()
        assert ask()[2] > 0
        reader.communicate("")
        assert reader.returncode == 0
    with home.open() as memory:
        assert [one.content for one in memory.journal(session="end")] == ["and on it goes"]
        assert memory.validate() == []


def test_commands_for_all_spaces_and_backup_over_http(home: Home, tmp_path: Path) -> None:
    file = str(tmp_path / "all.loxodon")
    assert home.json("backup", "--all", file)["spaces"] == ["main", "张三"]
    home.loxodon("backup", file, code=REFUSED)
    other = Home(str(tmp_path / "elsewhere"))
    done = other.json("restore", file, "--all")["spaces"]
    assert {name: one["turns"] for name, one in done.items()} == {"main": 43, "张三": 43}
    assert other.content("张三")["turns"] == home.content("张三")["turns"]
    home.loxodon("--space", "张三", "restore", file, "--replace")
    home.loxodon("config", "backup.folder", str(tmp_path / "safe"))
    with (
        Server(Path(home.path), LOXODON_TOKEN="opensesame") as server,
        Client(server.url, "opensesame") as client,
    ):
        path = client.backup().path
    assert path.startswith(str(tmp_path / "safe"))
    home.loxodon("restore", path, "--replace")
