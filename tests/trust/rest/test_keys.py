"""Keys are derived from one master, which is never silently another."""

from __future__ import annotations

import hmac
import os
import stat
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import KeyProblemError
from loxodon.trust.rest.keys import MARK, VARIABLE, Keys, mac

MASTER = "ab" * 32


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "spaces" / "main").mkdir(parents=True)
    return tmp_path


def test_the_same_key_comes_again_and_no_two_purposes_or_spaces_share_one(home: Path) -> None:
    found = {
        (purpose, space): Keys(str(home)).key(purpose, space)
        for purpose in ("audit", "tombstone", "signature", "transcripts")
        for space in ("", "main", "Ann")
    }
    assert len(set(found.values())) == len(found)
    assert all(len(one) == 32 for one in found.values())
    assert all(Keys(str(home)).key(*which) == one for which, one in found.items())


def test_the_master_is_its_owners_alone(home: Path) -> None:
    Keys(str(home)).key("audit", "main")
    path = home / "keys" / "master"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(bytes.fromhex(path.read_text())) == 32
    assert path.read_text().strip() not in (home / "spaces/main" / MARK).read_text()


def test_it_is_hmac(home: Path) -> None:
    for size in (0, 1, 32, 64, 65, 200):
        assert mac(b"k" * size, b"said") == hmac.digest(b"k" * size, b"said", "sha256")


def test_a_master_that_is_gone_is_not_made_anew(home: Path) -> None:
    before = Keys(str(home)).key("audit", "main")
    master = (home / "keys" / "master").read_text()
    (home / "keys" / "master").unlink()
    with pytest.raises(KeyProblemError, match="is missing") as raised:
        Keys(str(home)).key("tombstone")
    assert raised.value.exit_code == 10
    assert not (home / "keys" / "master").exists()
    (home / "keys" / "master").write_text(master)
    assert Keys(str(home)).key("audit", "main") == before


def test_another_master_is_refused(home: Path) -> None:
    Keys(str(home)).key("audit", "main")
    (home / "keys" / "master").write_text(MASTER)
    with pytest.raises(KeyProblemError, match="does not match"):
        Keys(str(home)).key("audit", "main")


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "ab" * 33, "钥匙", "\0"])
def test_what_is_no_master_is_refused(home: Path, text: str) -> None:
    (home / "keys").mkdir()
    (home / "keys" / "master").write_text(text)
    with pytest.raises(KeyProblemError, match="is invalid"):
        Keys(str(home)).key("audit")


def test_it_can_come_from_the_environment(home: Path) -> None:
    keys = Keys(str(home), "env", {VARIABLE: MASTER})
    assert keys.key("audit", "main") == Keys(str(home), "env", {VARIABLE: MASTER}).key(
        "audit", "main"
    )
    assert not (home / "keys").exists()
    with pytest.raises(KeyProblemError, match="not set"):
        Keys(str(home), "env", {}).key("audit")
    with pytest.raises(KeyProblemError, match="does not match"):
        Keys(str(home), "env", {VARIABLE: "cd" * 32}).key("audit", "main")


def test_the_setting_says_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, MASTER)
    with Memory.open(tmp_path, config={"keys.source": "env"}) as memory:
        memory.capture("likes tea")
        assert memory.audit.verify().sound
        memory.forget(memory.list()[0].id)  # whose mark is made with a key
    assert not (tmp_path / "keys").exists()
    with pytest.raises(KeyProblemError, match="is missing"):
        Keys(str(tmp_path)).key("audit", "main")


def test_a_keyring_keeps_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    backend = pytest.importorskip("keyring.backend")

    class InMemory(backend.KeyringBackend):  # type: ignore[name-defined, misc]
        priority = 1
        kept: dict[tuple[str, str], str] = {}  # noqa: RUF012

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

    before = keyring.get_keyring()
    keyring.set_keyring(InMemory())
    try:
        found = Keys(str(home), "keyring").key("audit", "main")
        assert Keys(str(home), "keyring").key("audit", "main") == found
        assert len(InMemory.kept) == 1
        assert not (home / "keys" / "master").exists()
        InMemory.kept.clear()
        with pytest.raises(KeyProblemError, match="is missing"):
            Keys(str(home), "keyring").key("audit", "main")
    finally:
        keyring.set_keyring(before)


def _made(home: str) -> bytes:
    return Keys(home).key("audit", "main")


def test_two_who_need_it_first_get_the_same(home: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        found = set(pool.map(_made, [str(home)] * 8))
    assert len(found) == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_one_that_cannot_be_read_is_told(home: Path) -> None:
    Keys(str(home)).key("audit")
    (home / "keys" / "master").chmod(0)
    with pytest.raises(KeyProblemError, match="cannot read"):
        Keys(str(home)).key("audit")


def test_there_is_no_key_for_an_unknown_purpose(home: Path) -> None:
    with pytest.raises(ValueError, match="purpose"):
        Keys(str(home)).key("anything")
