"""An encrypted memory: its keys, what is on disk, and what happens with a wrong key."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import apsw
import pytest

from loxodon import Memory
from loxodon import config as settings
from loxodon.errors import (
    BusyStoreError,
    DamagedStoreError,
    InputError,
    KeyProblemError,
    LockedStoreError,
    StoreError,
    UsageError,
)
from loxodon.layout import RECODING
from loxodon.store.sqlite import cipher, copying
from loxodon.store.sqlite.database import migrations
from loxodon.trust.rest import encryption, recoding
from loxodon.trust.rest.encryption import KeySource
from loxodon.trust.rest.sealing import Seal
from loxodon.working import Session
from tests.serve.shell import typed
from tests.trust.killing import WORD, Home, clock, in_plain, killed_at_call, quiet


@pytest.fixture
def encrypted(home: Home) -> Home:
    home.encrypt()
    return home


def loxodon(home: Home, *words: str, **environ: str) -> CompletedProcess[str]:
    env = {**os.environ, "LC_ALL": "C.UTF-8", **environ}
    done = typed("--home", home.path, *words, env=env)
    return CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


def database(home: Home) -> str:
    return os.path.join(home.path, "spaces", "main", "loxodon.db")


# On disk


def test_no_word_is_left_in_any_byte_and_everything_is_still_there(home: Home) -> None:
    before = home.contents()
    assert len(list(in_plain(home.path))) > 10
    found = recoding.encrypt(
        home.path, home.config, os.environ, clock, home.key, make=True, progress=quiet
    )
    assert (found.spaces, found.left) == (2, ())
    assert list(in_plain(home.path)) == []
    assert home.contents() == before
    with home.open() as memory:
        assert memory.recall(WORD).items
        assert memory.validate() == []


def test_what_is_said_and_done_afterwards_is_not_in_plain_text_either(encrypted: Home) -> None:
    with encrypted.open() as memory:
        memory.add([{"role": "user", "content": f"one more {WORD}"}], session=WORD)
        memory.consolidate(force=True)
        session = Session.open(memory, WORD)
        session.prepare(f"my {WORD} again")
        session.finish(f"yes, the {WORD}", None)
        assert list(in_plain(encrypted.path)) == []  # while it is open: the log too
    assert list(in_plain(encrypted.path)) == []
    assert not os.path.exists(os.path.join(encrypted.path, "spaces/main/workspace/memory"))


def test_decrypting_gives_everything_back(encrypted: Home) -> None:
    before = encrypted.contents()
    encrypted.decrypt()
    assert encrypted.config.encryption.key == "none"
    assert encrypted.contents() == before
    assert cipher.state_of(database(encrypted)) == "plain"
    with encrypted.open() as memory:
        memory.workspace.export()
    assert len(list(in_plain(encrypted.path))) > 5


def test_edits_of_the_views_are_taken_in_before_they_go(home: Home) -> None:
    path = os.path.join(home.path, "spaces/main/workspace/memory/insights.md")
    text = Path(path).read_text("utf-8")
    Path(path).write_text(text.replace(f"I play the {WORD} in main", "I sold it"), "utf-8")
    home.encrypt()
    with home.open() as memory:
        assert [one.content for one in memory.list()] == ["I sold it"]


def test_a_view_that_cannot_be_taken_in_stops_it_before_anything_changes(home: Home) -> None:
    path = Path(home.path, "spaces/main/workspace/memory/layer2/active/facts.jsonl")
    path.write_text(path.read_text("utf-8") + "{not json\n", "utf-8")
    with pytest.raises(InputError, match=r"facts\.jsonl"):
        home.encrypt()
    assert home.config.encryption.key == "none"
    assert cipher.state_of(database(home)) == "plain"


@pytest.mark.parametrize("work", ["encrypt", "decrypt", "rekey"])
def test_sessions_in_files_of_an_earlier_version_come_along(home: Home, work: str) -> None:
    if work != "encrypt":
        home.encrypt()
    with home.open() as memory:
        keys, folder = memory._space.keys, Path(memory._space.folder, "sessions")
    header = {"type": "session", "id": "a1", "key": "old"}
    entry = {"type": "message", "id": "1", "message": {"role": "user", "content": f"my {WORD}"}}
    lines = [json.dumps(one).encode() for one in (header, entry)]
    folder.mkdir()
    sealed = [Seal(keys).closed(one, "a1.jsonl") for one in lines] if keys else lines
    (folder / "a1.jsonl").write_bytes(b"\n".join(sealed))
    getattr(home, work)()
    assert not folder.exists()
    if work != "decrypt":
        assert list(in_plain(home.path)) == []
    with home.open() as memory:
        assert [one.message["content"] for one in Session.open(memory, "old").shown] == [
            f"my {WORD}"
        ]


def test_copies_that_were_put_aside_are_encrypted_too(home: Home) -> None:
    home.backup()
    with home.open() as memory:
        memory.capture("later")
    home.restore()
    aside = f"{database(home)}.before-restore-1"
    assert cipher.state_of(aside) == "plain"
    home.encrypt()
    assert cipher.state_of(aside) == "encrypted"
    assert list(in_plain(home.path)) == []


def test_backups_in_plain_text_are_told(home: Home) -> None:
    with home.open() as memory:
        copy = memory.backup()
    found = recoding.encrypt(
        home.path, home.config, os.environ, clock, home.key, make=True, progress=quiet
    )
    assert found.left == (copy.path,)


def test_what_waits_while_the_engine_is_off_is_sealed_and_taken_in(encrypted: Home) -> None:
    off = encrypted.config.replace(enabled=False)
    with Memory.open(encrypted.path, config=off, clock=clock) as memory:
        memory.capture(f"a second {WORD}")
        memory.add([{"role": "user", "content": f"and the {WORD} is blue", "id": "9"}], "off")
        assert WORD in memory.recall(WORD).context
    assert list(in_plain(encrypted.path)) == []
    with encrypted.open() as memory:
        assert f"a second {WORD}" in [one.content for one in memory.list()]
        assert [one.content for one in memory.journal(session="off")] == [f"and the {WORD} is blue"]


def test_what_waited_before_is_sealed_by_encrypting(home: Home) -> None:
    off = home.config.replace(enabled=False)
    with Memory.open(home.path, config=off, clock=clock) as memory:
        memory.capture(f"a third {WORD}")
    settings.write(home.path, "enabled", "false")
    home.encrypt()
    assert list(in_plain(home.path)) == []
    settings.write(home.path, "enabled", "true")
    with home.open() as memory:
        assert f"a third {WORD}" in [one.content for one in memory.list()]


def test_an_encrypted_memory_is_only_exported_where_that_is_meant(
    encrypted: Home, tmp_path: Path
) -> None:
    with encrypted.open() as memory:
        for folder in (None, tmp_path / "out"):
            with pytest.raises(UsageError, match="encrypted"):
                memory.workspace.export(folder)
        memory.workspace.export(tmp_path / "out", plain=True)
        (note,) = memory.workspace.sync().notes
        assert "encrypted" in note.what
    assert list(in_plain(str(tmp_path / "out")))


def test_views_that_were_exported_make_an_encrypted_memory_again(
    encrypted: Home, tmp_path: Path
) -> None:
    before = encrypted.content()
    with encrypted.open() as memory:
        memory.workspace.export(tmp_path / "out", plain=True)
    done = loxodon(encrypted, "restore", str(tmp_path / "out"), "--replace")
    assert done.returncode == 0, done.stderr
    after = encrypted.content()
    assert after["turns"] == before["turns"]
    assert cipher.state_of(database(encrypted)) == "encrypted"
    assert list(in_plain(encrypted.path)) == []


# Keys


def test_a_wrong_key_is_told_from_none_and_from_damage(encrypted: Home) -> None:
    path = database(encrypted)
    Path(encrypted.key.name).write_text(secrets.token_hex(32))
    with pytest.raises(LockedStoreError, match="the key does not match"):
        encrypted.open()
    with pytest.raises(LockedStoreError, match="no key was given"):
        Memory.open(encrypted.path, config={})
    os.unlink(encrypted.key.name)
    with pytest.raises(KeyProblemError, match="there is no key"):
        encrypted.open()
    key = secrets.token_bytes(32)
    with Memory.open(os.path.join(encrypted.folder, "other"), key=key) as memory:
        memory.capture("x")
        path = os.path.join(memory.workspace.folder, "loxodon.db")
    data = bytearray(Path(path).read_bytes())
    data[200] ^= 1
    Path(path).write_bytes(data)
    with pytest.raises(DamagedStoreError, match="the key matches"):
        Memory.open(os.path.join(encrypted.folder, "other"), key=key)


def test_every_page_is_authenticated(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    with Memory.open(tmp_path / "home", key=key) as memory:
        memory.add([{"role": "user", "content": f"turn {n}"} for n in range(200)], "x")
        path = os.path.join(memory.workspace.folder, "loxodon.db")
    whole = Path(path).read_bytes()
    for page in range(1, len(whole) // 4096, 7):
        data = bytearray(whole)
        data[page * 4096 + 17] ^= 4
        Path(path).write_bytes(data)
        with pytest.raises((apsw.CorruptError, StoreError)):
            copying.checked(path, (key,))


def test_a_key_file_that_others_may_read_is_refused(encrypted: Home) -> None:
    os.chmod(encrypted.key.name, 0o640)
    with pytest.raises(KeyProblemError, match="can be read by other users"):
        encrypted.open()


def test_a_pass_phrase_from_the_environment(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    source = KeySource("env", encryption.VARIABLE)
    monkeypatch.setenv(encryption.VARIABLE, "short")
    with pytest.raises(KeyProblemError, match="too short"):
        recoding.encrypt(home.path, home.config, os.environ, clock, source, progress=quiet)
    monkeypatch.setenv(encryption.VARIABLE, "马 对 电池 订书钉 correct")
    before = home.contents()
    recoding.encrypt(home.path, home.config, os.environ, clock, source, progress=quiet)
    assert home.contents() == before
    stretched = json.loads(Path(home.path, "keys/stretch.json").read_text())
    assert stretched["n"] >= 1 << 15
    Path(home.path, "keys/stretch.json").write_text('{"n": 1}')
    encryption._stretched.cache_clear()
    with pytest.raises(KeyProblemError, match="is damaged"):
        home.open()


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    import keyring
    from keyring.backend import KeyringBackend

    kept = tmp_path / "ring.json"

    class Ring(KeyringBackend):
        priority = 1.0

        def _all(self) -> dict[str, str]:
            return json.loads(kept.read_text()) if kept.exists() else {}

        def get_password(self, service: str, username: str) -> str | None:
            return self._all().get(f"{service}/{username}")

        def set_password(self, service: str, username: str, password: str) -> None:
            kept.write_text(json.dumps({**self._all(), f"{service}/{username}": password}))

        def delete_password(self, service: str, username: str) -> None:
            left = self._all()
            del left[f"{service}/{username}"]
            kept.write_text(json.dumps(left))

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())  # type: ignore[no-untyped-call]
    yield kept
    keyring.set_keyring(before)


def test_the_systems_keyring(home: Home, ring: Path) -> None:
    before = home.contents()
    source = KeySource("keyring", f"database:{home.path}")
    with pytest.raises(KeyProblemError, match="there is no key"):
        recoding.encrypt(home.path, home.config, os.environ, clock, source, progress=quiet)
    recoding.encrypt(home.path, home.config, os.environ, clock, source, make=True, progress=quiet)
    assert home.contents() == before
    first = ring.read_text()
    home.rekey()
    assert ring.read_text() != first
    assert list(json.loads(ring.read_text())) == [f"loxodon/database:{home.path}"]
    assert home.contents() == before


def test_a_new_key_in_the_same_place_and_in_another(encrypted: Home) -> None:
    before = encrypted.contents()
    old = encryption.keys_of(encrypted.path, encrypted.config.encryption, os.environ)
    encrypted.rekey()
    new = encryption.keys_of(encrypted.path, encrypted.config.encryption, os.environ)
    assert (len(old), len(new), set(old) & set(new)) == (1, 1, set())
    assert encrypted.contents() == before
    with pytest.raises(LockedStoreError):
        Memory.open(encrypted.path, key=old[0], config={})
    other = KeySource("file", os.path.join(encrypted.folder, "keys", "another"))
    with pytest.raises(KeyProblemError, match="there is no key"):
        recoding.rekey(encrypted.path, encrypted.config, os.environ, other, progress=quiet)
    recoding.rekey(encrypted.path, encrypted.config, os.environ, other, make=True, progress=quiet)
    assert encrypted.config.encryption.file == other.name
    assert encrypted.contents() == before


def test_the_key_of_a_library_has_32_bytes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="32 bytes"):
        Memory.open(tmp_path / "home", key=b"short")


def test_a_key_is_in_no_message(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    plain = cipher.connect(
        str(tmp_path / "x.db"),
        (),
        apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI,
    )
    with pytest.raises(StoreError) as caught:
        copying.recode(plain, str(tmp_path / "no such folder" / "y.db"), key)
    assert key.hex() not in repr(caught.value) + str(caught.value.__cause__)
    plain.close()


def test_a_build_that_cannot_encrypt_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(apsw, "mc_version")
    with Memory.open(tmp_path / "plain") as memory:
        memory.capture("works")
    with pytest.raises(LockedStoreError, match="cannot encrypt"):
        Memory.open(tmp_path / "home", key=secrets.token_bytes(32))


# Old and open ones


def test_an_old_encrypted_database_is_brought_up_to_date(tmp_path: Path) -> None:
    key = secrets.token_bytes(32)
    folder = tmp_path / "home" / "spaces" / "main"
    folder.mkdir(parents=True)
    connection = cipher.connect(str(folder / "loxodon.db"), (key,))
    for script in migrations()[:2]:
        connection.execute(Path(script).read_text("utf-8")).fetchall()
    connection.execute("PRAGMA application_id=0x4C4F5844; PRAGMA user_version=2").fetchall()
    connection.close()
    with Memory.open(tmp_path / "home", key=key) as memory:
        memory.capture(f"the old {WORD}")
        assert memory.validate() == []
        assert memory.encrypted
    assert list(in_plain(str(tmp_path / "home"))) == []


def test_a_memory_that_is_open_elsewhere_is_left_alone(home: Home) -> None:
    program = (
        "import sys; from loxodon import Memory; m = Memory.open(sys.argv[1]); "
        "m.list(); print('open', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, home.path],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(BusyStoreError):
            home.encrypt()
        assert home.config.encryption.key == "none"
        with home.open() as memory:
            assert memory.recall(WORD).items
        other.communicate("")
    home.encrypt(make=False)
    assert list(in_plain(home.path)) == []


def test_every_surface_finds_the_key_by_the_settings(encrypted: Home) -> None:
    done = loxodon(encrypted, "recall", WORD, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"]
    from loxodon.serve.host import Host

    with Host(encrypted.path, clock) as host:
        assert host.spaces() == ["main", "张三"]
        assert host.memory("张三").recall(WORD).items


def test_the_commands(home: Home) -> None:
    key = os.path.join(home.folder, "made", "key")
    assert loxodon(home, "encrypt").returncode == UsageError.exit_code
    done = loxodon(home, "encrypt", "--key-file", key, "--make-key", "--json")
    assert json.loads(done.stdout) == {"spaces": 2, "key": key, "left": []}
    first = Path(key).read_text()
    assert first not in done.stdout + done.stderr
    assert loxodon(home, "rekey").returncode == 0
    assert Path(key).read_text() != first
    assert loxodon(home, "encrypt", "--env").returncode == UsageError.exit_code
    done = loxodon(home, "decrypt", "--json")
    assert json.loads(done.stdout)["spaces"] == 2
    assert loxodon(home, "decrypt").returncode == UsageError.exit_code


@pytest.mark.parametrize("command", [("status",), ("recall", WORD), ("backup",), ("decrypt",)])
def test_any_command_finishes_what_was_killed(
    home: Home, tmp_path_factory: pytest.TempPathFactory, command: tuple[str, ...]
) -> None:
    """Killed when the first space is done and the second is not."""
    before = home.contents()
    template = tmp_path_factory.mktemp("before") / "home"
    shutil.copytree(home.folder, template)
    point = next(n for n in range(20, 400, 7) if _half_encrypted(home, template, n))
    done = loxodon(home, *command)
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(os.path.join(home.path, "keys", RECODING)), point
    if command != ("decrypt",):
        assert list(in_plain(home.path)) == []
    assert home.contents() == before


def _half_encrypted(home: Home, template: Path, point: int) -> bool:
    """Kill an encrypting at a point; whether that left one space in plain text and one not."""
    shutil.rmtree(home.folder)
    shutil.copytree(template, home.folder)
    assert killed_at_call(home.encrypt, point)
    states = [
        cipher.state_of(os.path.join(folder, "loxodon.db"))
        for folder in recoding.folders(home.path)
    ]
    return set(states) == {"plain", "encrypted"}
