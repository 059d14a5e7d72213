"""Backups: whole or not there, and read back while others go on."""

from __future__ import annotations

import io
import json
import os
import secrets
import struct
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon import config as settings
from loxodon.backup import archive as backup_file
from loxodon.backup import restore as restoring
from loxodon.errors import (
    FullStoreError,
    InputError,
    LockedStoreError,
    LoxodonError,
    NewerStoreError,
)
from loxodon.store.sqlite import cipher
from loxodon.store.sqlite.database import migrations
from loxodon.trust.access.offered import NOTHING, Choice
from loxodon.trust.rest import encryption
from loxodon.trust.rest.sealing import Seal
from loxodon.types import Restored
from loxodon.working import Session
from tests.trust.killing import WORD, Home, clock, in_plain, quiet
from tests.trust.rest.test_encryption import database, loxodon


def restore(
    home: Home,
    space: str = "main",
    *,
    replace: bool = True,
    other: bool = False,
    file: str = "",
    choice: Choice = NOTHING,
) -> Restored:
    return restoring.restore(
        file or home.file,
        home.path,
        space,
        config=home.config,
        environ=os.environ,
        clock=clock,
        replace=replace,
        other=other,
        choice=choice,
        progress=quiet,
    )


# Writing


def test_a_backup_has_everything_and_no_key(home: Home) -> None:
    settings.write(home.path, "model.api_key", "sk-nobody-may-see-this")
    settings.write(home.path, "recall.top", "7")
    with home.open() as memory:
        done = memory.backup(home.file)
    assert (done.spaces, done.turns, done.memories) == (("main",), 43, 1)
    assert os.stat(home.file).st_mode & 0o777 == 0o600
    assert done.size == os.path.getsize(home.file)
    with backup_file.opened(home.file) as reader:
        names = {os.path.basename(name) for name in reader.manifest.parts}
        assert {"loxodon.db", "config.toml"} <= names
        told = reader.data("config.toml").decode()
    assert "top = 7" in told
    assert "sk-nobody" not in told


def test_a_file_that_is_there_is_kept_unless_told(home: Home) -> None:
    Path(home.folder, "copies").mkdir()
    Path(home.file).write_text("mine")
    with home.open() as memory:
        with pytest.raises(InputError, match="already exists"):
            memory.backup(home.file)
        assert Path(home.file).read_text() == "mine"
        memory.backup(home.file, overwrite=True)
        with pytest.raises(InputError, match="is a folder"):
            memory.backup(home.folder)
    with backup_file.opened(home.file) as reader:
        reader.verify(quiet)


def test_the_folder_keeps_the_latest(home: Home) -> None:
    stranger = Path(home.path, "backups", "main-notes.loxodon")
    with home.open() as memory:
        made = [memory.backup(keep=2).path for _ in range(4)]
        stranger.write_text("not ours")
        last = memory.backup(keep=1)
    assert set(last.removed) == set(made[2:])
    assert sorted(os.listdir(stranger.parent)) == sorted(
        [stranger.name, os.path.basename(last.path)]
    )


def test_a_schedule_writes_one(home: Home) -> None:
    settings.write(home.path, "schedule.backup", "0 2 * * *")
    with home.open() as memory:
        assert memory.schedule.run("backup").counts == {"backups": 1}
        (job,) = [one for one in memory.schedule.jobs() if one.name == "backup"]
        assert (job.runs, job.due) == (1, False)
    assert len(os.listdir(Path(home.path, "backups"))) == 1


def test_an_encrypted_memory_stays_encrypted(home: Home) -> None:
    home.encrypt()
    home.backup()
    assert list(in_plain(os.path.dirname(home.file))) == []
    assert "张三" not in Path(home.file).read_bytes().decode("utf-8", "replace")
    with home.open() as memory:
        memory.capture("later")
    before = home.content()
    restore(home)
    assert len(home.content()["memories"]) == len(before["memories"]) - 1
    assert cipher.state_of(f"{database(home)}.before-restore-1") == "encrypted"
    assert list(in_plain(home.path)) == []


# Reading


def test_it_comes_back_as_it_was_and_numbers_go_on(home: Home) -> None:
    home.backup()
    wanted = home.content()
    with home.open() as memory:
        late = memory.capture("after the backup")
    done = restore(home)
    assert (done.turns, done.memories) == (43, 1)
    assert home.content() == wanted
    with home.open() as memory:
        assert memory.validate() == []
        again = memory.capture("once more")
    assert again.id > late.id  # nothing is called by a name that another had
    with Memory.open(home.path, clock=clock) as memory:
        aside = memory.beside(done.before)
        assert aside.get(late.id) is not None
        aside.close()


def test_what_is_there_is_not_replaced_unless_told(home: Home) -> None:
    home.backup()
    before = home.content()
    with pytest.raises(InputError, match="is not empty"):
        restore(home, replace=False)
    assert home.content() == before


def test_a_refused_restore_takes_no_settings_either(home: Home) -> None:
    settings.write(home.path, "recall.top", "7")
    home.backup()
    settings.write(home.path, "recall.top", None)
    before = Path(home.path, "config.toml").read_bytes()
    with pytest.raises(InputError, match="is not empty"):
        restore(home, replace=False, choice=Choice(True, ()))
    assert Path(home.path, "config.toml").read_bytes() == before
    restore(home, choice=Choice(True, ()))
    assert home.config.recall.top == 7


def test_a_new_home_gets_the_settings_and_the_pass_phrase_s_salt(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loxodon.trust.rest import recoding
    from loxodon.trust.rest.encryption import KeySource

    monkeypatch.setenv(encryption.VARIABLE, "a long pass phrase for it")
    source = KeySource("env", encryption.VARIABLE)
    recoding.encrypt(home.path, home.config, os.environ, clock, source, progress=quiet)
    settings.write(home.path, "recall.top", "7")
    home.backup()
    wanted = home.content()
    other = Home(os.path.join(home.folder, "elsewhere"))
    with pytest.raises(LockedStoreError, match=r"the new home .* is not"):
        restore(other, file=home.file, replace=False)
    assert not os.path.exists(other.path)
    taken = Choice(True, ("encryption.key",))
    restore(other, file=home.file, replace=False, choice=taken)
    assert other.config.recall.top == 7
    found = other.content()
    assert {**found, "talk": wanted["talk"]} == wanted
    assert [one.get("message") for one in found["talk"]] == [
        one.get("message") for one in wanted["talk"]
    ]
    monkeypatch.setenv(encryption.VARIABLE, "another pass phrase for it")
    third = Home(os.path.join(home.folder, "third"))
    with pytest.raises(LockedStoreError, match="does not match"):
        restore(third, file=home.file, replace=False, choice=taken)
    assert not os.path.exists(third.path)


def test_it_gets_the_key_of_the_home_that_it_comes_to(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.backup()
    wanted, plain = home.content(), home.file
    home.encrypt()
    home.file = os.path.join(home.folder, "copies", "encrypted.loxodon")
    home.backup()
    restore(home, file=plain)
    assert home.content() == wanted
    assert list(in_plain(home.path)) == []
    text = Path(home.key.name).read_text().strip()
    home.decrypt()
    with pytest.raises(LockedStoreError, match="no key was given"):
        restore(home)
    monkeypatch.setenv(encryption.VARIABLE, text)
    restore(home)
    assert home.content() == wanted
    assert cipher.state_of(database(home)) == "plain"


def test_another_space_only_where_that_is_meant(home: Home) -> None:
    home.backup()
    with pytest.raises(InputError, match="does not contain the space 'other'"):
        restore(home, "other")
    restore(home, "other", other=True)
    with home.open("other") as memory:
        assert memory.recall(WORD).items
        assert memory.validate() == []


def test_what_was_forgotten_since_does_not_come_back(home: Home) -> None:
    with home.open() as memory:
        gone = memory.capture("My sister Wilhelmina lives in Uppsala")
    home.backup()
    with home.open() as memory:
        memory.forget(gone.id)
    restore(home)
    with home.open() as memory:
        assert gone.id not in [one.id for one in memory.list()]
        assert not memory.recall("Wilhelmina Uppsala").items
        assert memory.recall(WORD).items
    for place, _, names in os.walk(home.path):
        for name in names:
            assert b"Wilhelmina" not in Path(place, name).read_bytes(), name


def test_the_audit_log_goes_on(home: Home) -> None:
    settings.write(home.path, "audit.enabled", "true")
    home.backup()
    with home.open() as memory:
        memory.capture("later")
    restore(home)
    with home.open() as memory:
        assert memory.audit.verify().sound
        assert "restore" in [one.op for one in memory.audit.entries()]


def test_a_damaged_database_is_replaced_and_kept(home: Home) -> None:
    home.backup()
    wanted = home.content()
    Path(database(home)).write_bytes(b"SQLite format 3\0" + os.urandom(20_000))
    done = restore(home)
    assert os.path.exists(done.before)
    assert {**home.content(), "talk": 0} == {**wanted, "talk": 0}


def test_an_older_schema_is_brought_up_to_date(home: Home, tmp_path: Path) -> None:
    old = str(tmp_path / "old.db")
    connection = cipher.connect(old, ())
    for script in migrations()[:6]:
        connection.execute(Path(script).read_text("utf-8")).fetchall()
    connection.execute("PRAGMA application_id=0x4C4F5844; PRAGMA user_version=6").fetchall()
    connection.execute("INSERT INTO meta (name, value) VALUES ('space', 'main')").fetchall()
    connection.close()
    os.makedirs(os.path.dirname(home.file))
    with open(home.file, "wb") as file, open(old, "rb") as source:
        writer = backup_file.Writer(file)
        writer.put("spaces/main/loxodon.db", source)
        writer.finish(
            "2026-01-01T00:00:00", 6, (backup_file.BackedUpSpace("main", "main", False),), ()
        )
    restore(home)
    with home.open() as memory:
        assert memory.list() == []
        memory.capture("it can be used")
        assert memory.validate() == []


@pytest.mark.parametrize("sealed", [False, True])
def test_sessions_in_the_files_of_an_older_backup_come_along(home: Home, sealed: bool) -> None:
    """Those that are here have gone on since."""
    if sealed:
        home.encrypt()
    home.backup()
    with home.open() as memory:
        Session.open(memory, "talk").add({"role": "user", "content": "since then"})
        keys = memory._space.keys
    wanted = home.content()["talk"]
    header = {"type": "session", "id": "a1", "key": "old"}
    entry = {"type": "message", "id": "1", "message": {"role": "user", "content": "long ago"}}
    lines = [json.dumps(one).encode() for one in (header, entry)]
    if sealed:
        lines = [Seal(keys).closed(line, "a1.jsonl") for line in lines]
    with backup_file.opened(home.file) as reader:
        parts, manifest = {n: reader.data(n) for n in reader.manifest.parts}, reader.manifest
    with open(home.file, "wb") as file, backup_file.Writer(file) as writer:
        for name, data in {**parts, "spaces/main/sessions/a1.jsonl": b"\n".join(lines)}.items():
            writer.put(name, io.BytesIO(data))
        writer.finish(manifest.made_at, manifest.schema, manifest.spaces, keys)
    restore(home)
    with home.open() as memory:
        assert [one.message["content"] for one in Session.open(memory, "old").shown] == ["long ago"]
    assert home.content()["talk"] == wanted
    assert sealed == (not [*in_plain(home.path)])


def test_a_newer_schema_is_refused(home: Home) -> None:
    home.backup()
    changed(home, lambda manifest: manifest.update(schema=len(migrations()) + 1))
    with pytest.raises(NewerStoreError, match="newer version"):
        restore(home)


# What is not a backup


def changed(home: Home, change: object, part: str = "") -> None:
    """Write the backup anew with another manifest, or without a part."""
    with zipfile.ZipFile(home.file) as old:
        parts = {name: old.read(name) for name in old.namelist() if name != part}
    manifest = json.loads(parts["manifest.json"])
    if callable(change):
        change(manifest)
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(home.file, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in parts.items():
            new.writestr(name, data)


@pytest.mark.parametrize("cut", [0, 1, 100, -1, -100, -5_000])
def test_a_cut_file_is_refused(home: Home, cut: int) -> None:
    home.backup()
    before, data = home.content(), Path(home.file).read_bytes()
    Path(home.file).write_bytes(data[:cut])
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)
    assert home.content() == before


def test_any_changed_byte_is_noticed_or_means_nothing(home: Home) -> None:
    home.backup()
    data = Path(home.file).read_bytes()
    with backup_file.opened(home.file) as reader:
        whole = reader.manifest
    step = len(data) // 40
    for place in range(0, len(data), step):
        spoilt = bytearray(data)
        spoilt[place] ^= 0x21
        Path(home.file).write_bytes(spoilt)
        try:
            with backup_file.opened(home.file) as reader:
                reader.verify(quiet)
                same = reader.manifest.parts == whole.parts
        except LoxodonError:
            continue
        assert same, place  # a time or a flag that nobody reads


def test_parts_that_are_missing_added_or_named_astray(home: Home) -> None:
    home.backup()
    before = Path(home.file).read_bytes()
    changed(home, None, part="spaces/main/loxodon.db")
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)
    Path(home.file).write_bytes(before)

    def astray(manifest: dict[str, dict[str, object]]) -> None:
        manifest["parts"]["../../evil"] = {"sha256": "0" * 64, "size": 4}

    changed(home, astray)
    with zipfile.ZipFile(home.file, "a") as archive:
        archive.writestr("../../evil", "evil")
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)
    assert not Path(home.folder, "evil").exists()


def test_a_bomb_is_refused_before_it_goes_off(home: Home) -> None:
    home.backup()
    huge = 1 << 62
    changed(home, lambda manifest: manifest["parts"]["config.toml"].update(size=huge))
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)
    with backup_file.opened(restored_copy(home)) as reader:
        parts = {name: part._replace(size=huge) for name, part in reader.manifest.parts.items()}
        reader.manifest = reader.manifest._replace(parts=parts)
        with pytest.raises(FullStoreError):
            reader.check_room(home.folder)


def restored_copy(home: Home) -> str:
    home.backup()
    return home.file


def test_a_part_that_is_larger_than_it_says_is_cut_off(home: Home) -> None:
    home.backup()
    with zipfile.ZipFile(home.file) as archive:
        real = archive.getinfo("spaces/main/loxodon.db").file_size
    data = Path(home.file).read_bytes()
    small = 100
    spoilt = data.replace(struct.pack("<Q", real), struct.pack("<Q", small))
    spoilt = spoilt.replace(struct.pack("<L", real), struct.pack("<L", small))
    assert spoilt != data
    Path(home.file).write_bytes(spoilt)
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)


def test_an_encrypted_backup_is_sealed_against_those_without_the_key(home: Home) -> None:
    home.encrypt()
    home.backup()
    changed(home, lambda manifest: manifest.update(made_at="2020-01-01T00:00:00"))
    with pytest.raises(LockedStoreError, match="the file was changed"):
        restore(home)


def test_what_is_no_backup_at_all(home: Home) -> None:
    Path(home.folder, "copies").mkdir()
    Path(home.file).write_bytes(secrets.token_bytes(5_000))
    with pytest.raises(InputError, match="not a complete backup"):
        restore(home)


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


def test_a_backup_of_a_moment_while_others_write(home: Home) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, home.path], text=True, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        for _ in range(5):
            writer.stdout.readline()
        home.backup()
        written = int(writer.stdout.readline())
        writer.kill()
    other = Home(os.path.join(home.folder, "elsewhere"))
    restore(other, file=home.file, replace=False)
    with other.open() as memory:
        pairs = [one.id for one in memory.journal(session="pairs")]
        assert memory.validate() == []
    assert len(pairs) >= 6  # what was acknowledged before it began
    assert len(pairs) % 2 == 0  # each pair is one write
    assert pairs == [f"{n}-{half}" for n in range(len(pairs) // 2) for half in "ab"]
    assert written >= 4


READER = """
import sys
from loxodon import Memory
with Memory.open(sys.argv[1]) as memory:
    print("begun", flush=True)
    for line in sys.stdin:
        with memory.workspace.store.reading():
            turns = len(memory.journal(session="pairs"))
            known = len(memory.list())
        print(turns, known, len(memory.recall("xylophone").items), flush=True)
    memory.add([{"role": "user", "content": "and on it goes"}], session="end")
"""


def test_a_restore_while_others_have_it_open(home: Home) -> None:
    """A reader sees the old or the new, and both go on; what is written goes to the new."""
    home.backup()
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
        restore(home)
        assert ask()[:2] == [0, 1]
        restore(home, file=restored_copy(home))
        assert ask()[2] > 0
        reader.communicate("")
        assert reader.returncode == 0
    with home.open() as memory:
        assert [one.content for one in memory.journal(session="end")] == ["and on it goes"]
        assert memory.validate() == []


def test_vectors_that_others_hold_are_read_anew(home: Home) -> None:
    class Embedder:
        name = "letters"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [
                [float(text.lower().count(one)) + 0.1 for one in "abcdefghij"] for text in texts
            ]

    def opened() -> Memory:
        return Memory.open(home.path, config=home.config, clock=clock, embedder=Embedder())

    with opened() as memory:
        memory.embed()
        home.backup()
    with opened() as other:
        with opened() as memory:
            memory.add([{"role": "user", "content": "jjjjjjjj", "id": "j"}], session="j")
            memory.embed()
        vectors = other.workspace.store.vectors
        assert [one for one in other.recall("jjjj").items if one.content == "jjjjjjjj"]
        restore(home)
        assert not [one for one in other.recall("jjjj").items if one.content == "jjjjjjjj"]
        assert vectors is other.workspace.store.vectors


def test_the_commands(home: Home, tmp_path: Path) -> None:
    file = str(tmp_path / "all.loxodon")
    done = loxodon(home, "backup", "--all", file, "--json")
    assert json.loads(done.stdout)["spaces"] == ["main", "张三"]
    assert loxodon(home, "backup", file).returncode == InputError.exit_code
    other = Home(str(tmp_path / "elsewhere"))
    done = loxodon(other, "restore", file, "--all", "--json")
    assert {name: one["turns"] for name, one in json.loads(done.stdout)["spaces"].items()} == {
        "main": 43,
        "张三": 43,
    }
    assert other.content("张三")["turns"] == home.content("张三")["turns"]
    done = loxodon(home, "--space", "张三", "restore", file, "--replace")
    assert done.returncode == 0, done.stderr


def test_over_http_it_goes_to_the_folder_that_is_set(home: Home, tmp_path: Path) -> None:
    from loxodon.client import Client
    from tests.serve.http.server import Server

    settings.write(home.path, "backup.folder", str(tmp_path / "safe"))
    with (
        Server(Path(home.path), LOXODON_TOKEN="opensesame") as server,
        Client(server.url, "opensesame") as client,
    ):
        done = client.backup()
    assert done.path.startswith(str(tmp_path / "safe"))
    with backup_file.opened(done.path) as reader:
        reader.verify(quiet)
