"""An encrypted memory: its keys, what is on disk, and what happens with a wrong key."""

from __future__ import annotations

import json
import os
import secrets
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import (
    BusyStoreError,
    InputError,
    KeyProblemError,
    LockedStoreError,
    StoreError,
    UsageError,
)
from loxodon.security.keys import Seal
from loxodon.working import Session
from tests.security.homes import WORD, Home, in_plain, is_plain


@pytest.fixture
def encrypted(home: Home) -> Home:
    home.encrypt()
    return home


# On disk


def test_encrypting_leaves_no_word_in_any_byte_and_decrypting_gives_all_back(home: Home) -> None:
    before = home.contents()
    assert len(list(in_plain(home.path))) > 10
    done = home.json("encrypt", "--key-file", home.key, "--make-key")
    assert done == {"spaces": 2, "key": home.key, "left": []}
    assert list(in_plain(home.path)) == []
    assert home.contents() == before
    with home.open() as memory:
        assert memory.keys
        assert memory.recall(WORD).items
        assert memory.validate() == []
    home.decrypt()
    assert not home.is_encrypted
    assert home.contents() == before
    assert all(map(is_plain, home.databases))
    with home.open() as memory:
        memory.workspace.export()
    assert len(list(in_plain(home.path))) > 5


def test_what_is_said_and_done_afterwards_is_encrypted_too(encrypted: Home) -> None:
    with encrypted.open() as memory:
        memory.add([{"role": "user", "content": f"one more {WORD}"}], session=WORD)
        memory.consolidate(force=True)
        session = Session.open(memory, WORD)
        session.prepare(f"my {WORD} again")
        session.finish(f"yes, the {WORD}", None)
        assert list(in_plain(encrypted.path)) == []  # while it is open: the log too
    assert list(in_plain(encrypted.path)) == []
    assert not os.path.exists(os.path.join(encrypted.path, "spaces/main/workspace/memory"))


def test_view_that_somebody_edited_stays_and_is_named(home: Home) -> None:
    page = Path(home.path, "spaces/main/workspace/memory/insights.md")
    page.write_text(page.read_text().replace(f"I play the {WORD} in main", "I sold it"))
    done = home.json("encrypt", "--key-file", home.key, "--make-key")
    assert done["left"] == [str(page)]


def test_copies_put_aside_are_encrypted_and_plain_backups_are_named(home: Home) -> None:
    home.backup()
    home.restore()
    (aside,) = home.databases[0].parent.glob("*.before-restore-1")
    assert is_plain(aside)
    with home.open() as memory:
        copy = memory.backup()
    done = home.json("encrypt", "--key-file", home.key, "--make-key")
    assert done["left"] == [copy.path]
    assert not is_plain(aside)
    os.unlink(copy.path)
    assert list(in_plain(home.path)) == []


def test_what_waits_while_the_engine_is_off_is_encrypted_and_taken_in(home: Home) -> None:
    with home.open(enabled=False) as memory:  # before
        memory.capture(f"a third {WORD}")
    home.loxodon("config", "enabled", "false")
    home.encrypt()
    assert list(in_plain(home.path)) == []
    with home.open() as memory:  # and after
        memory.capture(f"a second {WORD}")
        memory.add([{"role": "user", "content": f"and the {WORD} is blue", "id": "9"}], "off")
        assert WORD in memory.recall(WORD).context
    assert list(in_plain(home.path)) == []
    home.loxodon("config", "enabled", "true")
    with home.open() as memory:
        known = [one.content for one in memory.list()]
        assert {f"a second {WORD}", f"a third {WORD}"} <= {*known}
        assert [one.content for one in memory.journal(session="off")] == [f"and the {WORD} is blue"]


def test_encrypted_memory_is_exported_only_on_request_and_comes_back_encrypted(
    encrypted: Home, tmp_path: Path
) -> None:
    before = encrypted.content()
    with encrypted.open() as memory:
        for folder in (None, tmp_path / "out"):
            with pytest.raises(UsageError, match="encrypted"):
                memory.workspace.export(folder)
        memory.workspace.export(tmp_path / "out", plain=True)
        (note,) = memory.workspace.sync().notes
        assert "encrypted" in note.what
    assert list(in_plain(str(tmp_path / "out")))
    encrypted.loxodon("restore", str(tmp_path / "out"), "--replace")
    assert encrypted.content()["turns"] == before["turns"]
    assert not any(map(is_plain, encrypted.databases))
    assert list(in_plain(encrypted.path)) == []


# Keys


def test_wrong_key_is_told_from_none_and_from_damage(encrypted: Home) -> None:
    Path(encrypted.key).write_text(secrets.token_hex(32))
    with pytest.raises(LockedStoreError, match="the key does not match"):
        encrypted.open()
    with pytest.raises(LockedStoreError, match="no key was given"):
        Memory.open(encrypted.path, config={})
    os.chmod(encrypted.key, 0o640)
    with pytest.raises(KeyProblemError, match="can be read by other users"):
        encrypted.open()
    os.unlink(encrypted.key)
    with pytest.raises(KeyProblemError, match="there is no key"):
        encrypted.open()
    with pytest.raises(InputError, match="32 bytes"):
        Memory.open(encrypted.path, key=b"short")


def test_damage_to_an_encrypted_page_is_found(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    with Memory.open(tmp_path / "home", key=key) as memory:
        memory.add([{"role": "user", "content": f"turn {n}"} for n in range(200)], "x")
    (path,) = tmp_path.glob("home/spaces/*/loxodon.db")
    whole = path.read_bytes()
    for page in range(0, len(whole) // 4096, 7):
        data = bytearray(whole)
        data[page * 4096 + 200] ^= 4
        path.write_bytes(data)
        try:
            with Memory.open(tmp_path / "home", key=key) as memory:
                found = bool(memory.validate())
        except StoreError:
            found = True
        assert found, page


def test_key_from_the_environment(home: Home) -> None:
    def encrypt(key: str, code: int = 0) -> str:
        return home.loxodon("encrypt", "--env", code=code, LOXODON_KEY=key).stderr

    for wrong in ("short", "马 对 电池 订书钉 correct", "5e" * 31):
        assert "64 hexadecimal digits" in encrypt(wrong, KeyProblemError.exit_code)
    key, before = "5e" * 32, home.contents()
    encrypt(key)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOXODON_KEY", key)
        assert home.contents() == before


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[dict[str, str]]:
    import keyring
    from keyring.backend import KeyringBackend

    kept: dict[str, str] = {}

    class Ring(KeyringBackend):
        priority = 1.0

        def get_password(self, service: str, username: str) -> str | None:
            return kept.get(f"{service}/{username}")

        def set_password(self, service: str, username: str, password: str) -> None:
            kept[f"{service}/{username}"] = password

        def delete_password(self, service: str, username: str) -> None:
            del kept[f"{service}/{username}"]

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())  # type: ignore[no-untyped-call]
    yield kept
    keyring.set_keyring(before)


def test_system_keyring(home: Home, ring: dict[str, str]) -> None:
    before = home.contents()
    code = KeyProblemError.exit_code
    assert "there is no key" in home.loxodon("encrypt", "--keyring", code=code).stderr
    home.loxodon("encrypt", "--keyring", "--make-key")
    assert home.contents() == before
    (first,) = ring.values()
    home.rekey()
    (second,) = ring.values()
    assert first != second
    assert home.contents() == before


def test_master_key_in_a_keyring(tmp_path: Path, ring: dict[str, str]) -> None:
    config = {"keys.source": "keyring"}
    with Memory.open(tmp_path, config=config) as memory:
        memory.capture("likes tea")
        assert memory.audit.verify().sound
    assert len(ring) == 1
    assert not (tmp_path / "keys" / "master").exists()
    ring.clear()
    with Memory.open(tmp_path, config=config) as memory, pytest.raises(KeyProblemError):
        memory.capture("likes coffee")


def test_new_key_in_the_same_place(encrypted: Home) -> None:
    before, first = encrypted.contents(), Path(encrypted.key).read_text()
    encrypted.rekey()
    assert Path(encrypted.key).read_text() != first
    assert encrypted.contents() == before
    with pytest.raises(LockedStoreError):
        Memory.open(encrypted.path, key=bytes.fromhex(first), config={})


def test_master_key_is_private_and_never_replaced(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.capture("likes tea")
    master = tmp_path / "keys" / "master"
    text = master.read_text()
    assert stat.S_IMODE(master.stat().st_mode) == 0o600
    assert len(bytes.fromhex(text)) == 32
    cases = ((None, "is missing"), ("ab" * 32, "does not match"), ("zz" * 32, "invalid"))
    for other, problem in cases:
        master.unlink(missing_ok=True)
        if other is not None:
            master.write_text(other)
        with Memory.open(tmp_path) as memory:
            assert [one.content for one in memory.list()] == ["likes tea"]  # reads go on
            for call in (lambda m=memory: m.capture("likes coffee"), memory.audit.verify):
                with pytest.raises(KeyProblemError, match=problem) as raised:
                    call()
                assert raised.value.exit_code == 10
        assert (master.read_text() if other else master.exists()) == (other or False)
    master.write_text(text)
    with Memory.open(tmp_path) as memory:
        memory.capture("likes coffee")
        assert memory.audit.verify().sound


# Others at work


def test_memory_that_is_open_elsewhere_is_left_alone(home: Home) -> None:
    program = (
        "import sys; from loxodon import Memory; m = Memory.open(sys.argv[1]); "
        "m.list(); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, home.path],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        words = ("encrypt", "--key-file", home.key, "--make-key")
        home.loxodon(*words, code=BusyStoreError.exit_code)
        assert not home.is_encrypted
        with home.open() as memory:
            assert memory.recall(WORD).items
        other.communicate("")
    home.encrypt()
    assert list(in_plain(home.path)) == []


def test_commands_refuse_what_makes_no_sense(home: Home) -> None:
    home.loxodon("encrypt", code=UsageError.exit_code)
    home.encrypt()
    home.loxodon("encrypt", "--env", code=UsageError.exit_code)
    assert home.json("recall", WORD)["items"]
    home.decrypt()
    home.loxodon("decrypt", code=UsageError.exit_code)


@pytest.mark.parametrize("work", ["encrypt", "decrypt", "rekey"])
def test_sessions_in_files_of_an_earlier_version_come_along(home: Home, work: str) -> None:
    if work != "encrypt":
        home.encrypt()
    with home.open() as memory:
        keys, folder = memory.keys, Path(memory.folder, "sessions")
    header = {"type": "session", "id": "a1", "key": "old"}
    entry = {"type": "message", "id": "1", "message": {"role": "user", "content": f"my {WORD}"}}
    lines = [json.dumps(one).encode() for one in (header, entry)]
    folder.mkdir()
    sealed = [Seal(keys).closed(one, "a1.jsonl") for one in lines] if keys else lines
    (folder / "a1.jsonl").write_bytes(b"\n".join(sealed))
    index = json.dumps({"old": {"sessionId": "a1", "chatType": "direct"}}).encode()
    sealed_index = Seal(keys).closed(index, "sessions.json") if keys else index
    (folder / "sessions.json").write_bytes(sealed_index)
    getattr(home, work)()
    assert not folder.exists()
    if work != "decrypt":
        assert list(in_plain(home.path)) == []
    with home.open() as memory:
        (kept,) = Session.open(memory, "old").shown
        assert kept.message["content"] == f"my {WORD}"
