"""A space that is deleted is gone with all that is of it, and stays so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import BusyStoreError, NotFoundError
from tests.cli.shell import Shell
from tests.clock import Clock
from tests.long import count
from tests.looking import files_with
from tests.security.killing import killed_at_call

WORD = "wyvernkeeper"


def filled(home: Path, space: str = "main", word: str = WORD) -> None:
    with Memory.open(home, space, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": f"My sister is a {word}.", "id": "1"}], word)
        memory.capture(f"The user is a {word}", tags=[word])
        memory.consolidate()
        memory.workspace.export(str(home.parent / f"copy of {space}"))
        memory.forget(session=word)
        memory.capture(f"The user is a {word} again")


def deleted(home: Path, space: str = "main", *words: str, **environ: Any) -> Any:
    line = ("space", "delete", space, *(words or ("--yes",)))
    return Shell(home).json(*line, **environ)["receipt"]


def test_everything_goes_and_nothing_comes_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    filled(home)
    filled(home, "张三", "gryphonherder")
    planned = deleted(home, "main", "--dry-run")
    assert planned["erased"]["memories"] == 2
    with Memory.open(home, clock=Clock()) as memory:  # a preview deletes nothing
        assert len(memory.list()) == 2
    receipt = deleted(home)
    assert (receipt["what"], receipt["erased"]) == ("space", planned["erased"])
    assert receipt["files"] == []
    assert not (home / "spaces" / "main").exists()
    assert files_with([WORD], tmp_path) == {}
    assert files_with(["gryphonherder"], tmp_path)  # it would be seen
    Shell(home)("space", "delete", "main", "--yes", code=NotFoundError.exit_code)
    with Memory.open(home, clock=Clock()) as memory:
        assert [*memory.list(state="all"), *memory.journal(), *memory.receipts()] == []
        turn = {"role": "user", "content": f"My sister is a {WORD}.", "id": "1"}
        assert memory.add([turn], WORD).added == 1  # not even what was forgotten is known
        assert memory.audit.verify().sound
        assert memory.validate() == []
    with Memory.open(home, "张三", clock=Clock()) as memory:
        assert len(memory.list()) == 2
        assert memory.audit.verify().sound
    assert receipt["id"] in (home / "deleted.jsonl").read_text()


def test_backup_stays_and_is_named_and_tokens_for_the_space_go(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shell = Shell(home)
    with Memory.open(home, clock=Clock()) as memory:
        memory.capture("I like tea")
        backup = memory.backup().path
    for name, spaces in (("one", ["main"]), ("two", ["main", "b"]), ("all", [])):
        shell("token", "add", name, *(word for one in spaces for word in ("--for", one)))
    receipt = deleted(home)
    assert [(one["file"], one["what"]) for one in receipt["files"]] == [(backup, "backup")]
    assert receipt["erased"]["access tokens"] == 2
    left = {one["name"]: one["spaces"] for one in shell.json("token", "list")}
    assert left == {"two": ["b"], "all": []}


@pytest.mark.skipif(sys.platform == "win32", reason="waits for a process")
def test_deletion_is_refused_while_somebody_has_it_open(tmp_path: Path) -> None:
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
        Shell(home)("space", "delete", "main", "--yes", code=BusyStoreError.exit_code)
        other.stdin.close()
    with Memory.open(home, clock=Clock()) as memory:  # nothing was touched
        assert len(memory.list()) == 2
    assert deleted(home)["erased"]["memories"] == 2


def test_encrypted_space_leaves_no_name(tmp_path: Path) -> None:
    home = tmp_path / "home"
    key: dict[str, Any] = {"LOXODON_KEY": "5e" * 32}
    shell = Shell(home)
    shell("--space", WORD, "capture", "a secret")
    shell("encrypt", "--env", **key)
    assert deleted(home, WORD, **key)["erased"]["memories"] == 1
    assert files_with([WORD], home) == {}


def test_deletion_that_is_killed_is_finished_by_the_next_who_comes(tmp_path: Path) -> None:
    home, before = tmp_path / "home", tmp_path / "before"
    filled(home)
    home.rename(before)
    point = kills = 0
    while True:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(before, home)
        point += count(7, 1)
        if not killed_at_call(lambda: deleted(home), point):
            break
        kills += 1
        Memory.open(home, "other").close()
        if (home / "spaces" / "main").exists():  # it was killed before anything was touched
            with Memory.open(home, clock=Clock()) as memory:
                assert len(memory.list()) == 2, point
                assert memory.validate() == [], point
            deleted(home)
        assert files_with([WORD], home) == {}, point
    assert kills > 1
