"""A space that is deleted is gone with all that is of it, and stays so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon import config as settings
from loxodon.errors import BusyStoreError, NotFoundError
from loxodon.layout import DELETING
from loxodon.opening import keys_for, root_of
from loxodon.serve.cli.main import main
from loxodon.spaces import space_path
from loxodon.trust.access import tokens
from loxodon.trust.access.tokens import Grant
from loxodon.trust.forget import spaces
from loxodon.types import Receipt
from tests.clock import NOW, Clock
from tests.trust.looking import files_with

WORD = "wyvernkeeper"


def filled(home: Path, space: str = "main", word: str = WORD) -> None:
    with Memory.open(home, space, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": f"My sister is a {word}.", "id": "1"}], word)
        memory.capture(f"The user is a {word}", tags=[word])
        memory.consolidate()
        memory.workspace.export(str(home.parent / f"copy of {space}"))
        memory.forget(session=word)
        memory.capture(f"The user is a {word} again")


def deleted(home: Path, space: str = "main", *, dry_run: bool = False) -> Receipt:
    config = settings.load(str(home))
    keys, root = keys_for(str(home), config), root_of(str(home), config)
    return spaces.delete(str(home), space, config, keys, NOW, root=root, dry_run=dry_run)


def receipts(home: Path) -> list[tuple[str, Receipt]]:
    return spaces.receipts(root_of(str(home), settings.load(str(home))), NOW)


def test_everything_goes_and_nothing_comes_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    filled(home, "张三", "gryphonherder")
    planned = deleted(home, dry_run=True)
    assert planned.erased["memories"] == 2
    with Memory.open(home, clock=Clock()) as memory:  # a preview deletes nothing
        assert len(memory.list()) == 2
    receipt = deleted(home)
    assert (receipt.what, receipt.erased) == ("space", planned.erased)
    assert receipt.files == ()
    assert not os.path.exists(space_path(str(home), "main"))
    assert not (home / DELETING).exists()
    assert files_with([WORD], tmp_path) == {}
    assert files_with(["gryphonherder"], tmp_path)  # it would be seen
    with pytest.raises(NotFoundError):
        deleted(home)
    with Memory.open(home, clock=Clock()) as memory:
        assert [*memory.list(state="all"), *memory.journal(), *memory.receipts()] == []
        turn = {"role": "user", "content": f"My sister is a {WORD}.", "id": "1"}
        assert memory.add([turn], WORD).added == 1  # not even what was forgotten is known
        assert memory.audit.verify().sound
        assert memory.validate() == []
    with Memory.open(home, "张三", clock=Clock()) as memory:
        assert len(memory.list()) == 2
        assert memory.audit.verify().sound
    ((name, kept),) = receipts(home)
    assert (name, kept.id, kept.erased) == ("main", receipt.id, receipt.erased)


def test_a_backup_stays_and_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, clock=Clock()) as memory:
        memory.capture("I like tea")
        backup = memory.backup().path
    assert [(one.file, one.what) for one in deleted(home).files] == [(backup, "backup")]


def test_a_token_for_it_is_for_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Memory.open(home, "a").close()
    root = root_of(str(home), settings.load(str(home)))
    for grant in (Grant("one", ("a",)), Grant("two", ("a", "b")), Grant("all")):
        tokens.add(root, grant, NOW)
    assert deleted(home, "a").erased["tokens"] == 2
    assert [(one.name, one.spaces) for one in tokens.read(root)] == [("two", ("b",)), ("all", ())]


def test_it_is_refused_while_somebody_has_it_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spaces, "_PATIENCE", 0.0)
    home = tmp_path / "home"
    filled(home)
    script = (
        "import sys; from loxodon import Memory; m = Memory.open(sys.argv[1]); m.list(); "
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline()
        with pytest.raises(BusyStoreError, match="has the space in"):
            deleted(home)
        other.stdin.close()
    with Memory.open(home, clock=Clock()) as memory:  # nothing was touched
        assert len(memory.list()) == 2
        assert memory._store._db.one("PRAGMA journal_mode") == ("wal",)
    assert receipts(home) == []
    assert deleted(home).erased["memories"] == 2


def test_a_deletion_that_is_killed_is_finished(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    script = (
        "import os, sys; from pathlib import Path; from loxodon.trust.forget import spaces; "
        "from tests.trust.forget.test_spaces import deleted; "
        "spaces._erase = lambda *given: os._exit(9); deleted(Path(sys.argv[1]))"
    )
    assert subprocess.run([sys.executable, "-c", script, str(home)], check=False).returncode == 9
    assert files_with([WORD], home / DELETING)
    Memory.open(home, "other").close()
    assert not (home / DELETING).exists()
    assert files_with([WORD], home) == {}


def test_an_encrypted_space_leaves_no_name(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    environ = {"LOXODON_KEY": "correct horse battery"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        with Memory.open(home, WORD, {"encryption.key": "env"}, clock=Clock()) as memory:
            memory.capture("a secret")
        settings.write(home, "encryption.key", "env")
        assert deleted(Path(home), WORD).erased["memories"] == 1
    ((name, _),) = receipts(Path(home))
    assert name == ""
    assert files_with([WORD], Path(home)) == {}


def test_a_damaged_space_can_be_deleted(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    Path(space_path(str(home), "main"), "loxodon.db").write_bytes(b"x" * 5_000)
    assert "memories" not in deleted(home).erased
    assert not os.path.exists(space_path(str(home), "main"))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    filled(home)

    def run(*words: str) -> tuple[int, str]:
        code = main(["--home", str(home), "space", *words])
        return code, "".join(capsys.readouterr())

    assert run("list") == (0, "main\n")
    assert run("delete", "main")[0] == 2  # nobody is there to be asked
    assert run("delete")[0] == run("list", "main")[0] == 2
    assert run("delete", "main", "--dry-run")[1].startswith("would delete:")
    code, said = run("delete", "main", "--yes")
    assert code == 0
    assert said.startswith("deleted:")
    assert run("delete", "main", "--yes")[0] == 3
    assert run("list") == (0, "no spaces yet\n")
    assert "main: " in run("deleted")[1]
