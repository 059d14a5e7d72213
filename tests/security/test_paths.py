"""Nothing of the home is read or written by its name, and no link leads out of what was named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import ForbiddenError, InputError
from loxodon.http.operations import OPERATIONS
from loxodon.verbs import PATH
from tests.clock import Clock
from tests.http.server import Server
from tests.security.tokens import token

SECRET = "Zorvantik"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two spaces and their texts, of which `other` has a secret."""
    found = tmp_path / "home"
    with Memory.open(found, "other", clock=Clock()) as other:
        other.capture(f"The secret is {SECRET}.")
        other.workspace.export()
    with Memory.open(found, clock=Clock()) as memory:
        memory.capture("The user likes tea.")
        memory.workspace.export()
    token(found, "main", "--for", "main", "--rights", "owner")
    (found / "config.toml").write_text("")
    return found


def inside(home: Path) -> Iterator[Path]:
    """Every file and folder of the home, and ways to it that look like others."""
    yield home
    for folder, folders, files in os.walk(home):
        yield from (Path(folder) / name for name in (*folders, *files))
    yield home.parent / "elsewhere" / ".." / "home" / "keys"
    link = home.parent / "link"
    link.symlink_to(home / "keys")
    yield link
    yield link / "master"


def test_the_home_is_not_named(home: Path, tmp_path: Path) -> None:
    found = list(inside(home))
    assert len(found) > 30
    with Memory.open(home, clock=Clock()) as memory:
        calls: tuple[Callable[[str], object], ...] = (
            memory.workspace.take_in,
            memory.workspace.export,
            memory.workspace.follow,
            lambda path: memory.backup(path, overwrite=True),
        )
        for path in found:
            for call in calls:
                with pytest.raises(ForbiddenError):
                    call(str(path))
        assert len(memory.list(state="all")) == 1
        assert memory.backup(home / "backups" / "one.loxodon").turns == 1
        assert memory.validate() == []


def test_the_owner_at_the_keyboard_does_not_name_it_either(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home / "keys")
    for words in (
        ["import", "master"],
        ["add", "master"],
        ["export", "."],
        ["backup", "master"],
        ["add", "../spaces/other/workspace/memory/insights.md"],
    ):
        assert main(["--home", str(home), "--json", *words]) == 2, words
        assert '"forbidden"' in "".join(capsys.readouterr()), words
    monkeypatch.chdir(home.parent)
    (home.parent / "notes.json").write_text('[{"memory": "The user likes jam."}]')
    assert main(["--home", str(home), "import", "notes.json"]) == 0  # a path may be relative
    capsys.readouterr()


def test_a_folder_around_the_home_is_read_without_it(home: Path) -> None:
    (home.parent / "MEMORY.md").write_text("- The user likes jam.\n")
    with Memory.open(home, clock=Clock()) as memory:
        memory.workspace.take_in(str(home.parent))
        told = repr([one.content for one in memory.list(state="all")])
        assert "jam" in told
        assert SECRET not in told


def test_links_that_leave_a_folder_are_not_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps([{"content": SECRET}]))
    named = tmp_path / "named"
    (named / "deep").mkdir(parents=True)
    (named / "a.json").symlink_to(tmp_path / "secret.json")
    (named / "deep" / "b.json").symlink_to(home / "keys" / "master")
    (named / "MEMORY.md").write_text("- The user likes jam.\n")
    with Memory.open(home, clock=Clock()) as memory:
        memory.workspace.take_in(str(named))
        assert SECRET not in repr(memory.list(state="all"))


def test_a_pipe_keeps_nobody_waiting(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Memory.open(home, clock=Clock()) as memory, pytest.raises(InputError):
        memory.workspace.take_in(str(tmp_path / "pipe"))


# Over HTTP


def asked(server: Server, name: str, path: str, **headers: str) -> httpx.Response:
    field = {"import": "path", "export": "folder"}[name]
    with server.client(headers=headers) as client:
        return client.post(f"/v1/spaces/main/workspace/{name}", json={field: path})


def test_a_path_over_http_stays_inside_the_files_of_the_space(home: Path, tmp_path: Path) -> None:
    grants = {
        "owner": ["--rights", "owner"],
        "scoped": ["--rights", "owner", "--for", "main"],
        "bot": ["--rights", "owner", "--for-agent", "bot"],
        "group": ["--rights", "owner", "--chat", "group"],
        "writer": ["--rights", "write"],
        "stranger": ["--rights", "owner", "--for", "other"],
    }
    tokens = {name: token(home, name, *words) for name, words in grants.items()}
    files = home / "spaces" / "main" / "files"
    files.mkdir()
    (files / "in.json").write_text('[{"memory": "The user likes jam."}]')
    (files / "out of it").symlink_to(tmp_path)
    (tmp_path / "in.json").write_text('[{"memory": "The user likes butter."}]')
    with Server(home) as server:
        for name, path in {"import": "in.json", "export": "a/copy"}.items():
            for who, made in tokens.items():
                bearer = {"authorization": f"Bearer {made}"}
                expected = {"owner": 200, "scoped": 200, "stranger": 404}.get(who, 403)
                assert asked(server, name, path, **bearer).status_code == expected, (name, who)
            bearer = {"authorization": f"Bearer {tokens['owner']}"}
            outside = ("../in.json", "../../../keys", "a/../../x", "out of it/in.json", "a\0b")
            for wrong in (*outside, str(home / "keys"), str(tmp_path / "in.json")):
                assert asked(server, name, wrong, **bearer).status_code == 403, wrong
        assert (files / "a" / "copy" / "memory").is_dir()


def test_fields_that_name_a_file_are_marked_as_such() -> None:
    """A field called like a path, that is none, would have to be named here."""
    suspects = {
        (one.name, field.name)
        for one in OPERATIONS
        for field in one.takes
        if field.name in ("path", "file", "folder", "dir", "state_dir", "target")
    }
    assert suspects == {
        (one.name, field.name) for one in OPERATIONS for field in one.takes if field.kind == PATH
    }
