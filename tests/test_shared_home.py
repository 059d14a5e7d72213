"""A home whose spaces are in PostgreSQL: each line of the table in docs/postgres.md.

Two folders stand for two machines that have nothing in common but the database.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from loxodon import Memory
from loxodon.errors import DeletedSpaceError, UsageError
from loxodon.working.session import Session
from tests.cli.shell import Shell
from tests.clock import NOW, Clock
from tests.http.server import unscheduled
from tests.looking import rows_of
from tests.store.postgres.server import Server

Open = Callable[..., Memory]


@pytest.fixture
def on(postgres_url: str, tmp_path: Path, clock: Clock) -> Open:
    """Opens the memory on a machine."""

    def opened(machine: str, space: str = "main", **config: Any) -> Memory:
        given = {"store.url": postgres_url, "timezone": "Asia/Shanghai", **config}
        return Memory.open(tmp_path / machine, space, given, clock)

    return opened


@pytest.fixture
def machines(postgres_url: str, tmp_path: Path) -> tuple[Shell, Shell]:
    """The command line on two machines."""
    shells = (Shell(tmp_path / "a"), Shell(tmp_path / "b"))
    for shell in shells:
        shell("--store", postgres_url, "init")
    return shells


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("encryption.key", "env", "encryption is for a memory in files"),
        ("enabled", False, "enabled = false is for a memory in files"),
    ],
)
def test_settings_that_are_for_files_are_refused(
    tmp_path: Path, setting: str, value: object, said: str
) -> None:
    url = "postgresql://nobody@127.0.0.1:1/none"  # which nobody asks
    with pytest.raises(UsageError, match=said) as error:
        Memory.open(tmp_path, config={"store.url": url, setting: value})
    assert error.value.hint
    assert list(tmp_path.iterdir()) == []


COMMANDS = (
    "backup",
    "backup --all",
    "restore x",
    "repair",
    "encrypt",
    "decrypt",
    "rekey",
    "export",
)


def test_commands_on_files_and_spaces(shared_postgres: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    shell("--store", shared_postgres, "--space", "leaving", "init")
    for command in COMMANDS:
        done = shell("--space", "leaving", *command.split(), code=2)
        assert b"not in PostgreSQL" in done.stderr
        assert b"hint:" in done.stderr
    shell("--space", "leaving", "capture", "The user likes tea")
    assert b"would delete:" in shell("space", "delete", "leaving", "--dry-run").stdout
    assert b"deleted:" in shell("space", "delete", "leaving", "--yes").stdout
    shell("space", "delete", "leaving", "--yes", code=3)
    assert b"leaving" not in shell("space", "list").stdout
    done = shell("--space", "nobody", "recall", "x", code=3)
    assert b"no space named" in done.stderr


def test_text_and_notes_are_where_they_are_asked_for(on: Open, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "garden.md"
    noted = {"workspace.views": "on", "workspace.folders": str(tmp_path / "notes")}
    with on("a", **noted) as memory, on("b") as other:
        memory.add([{"role": "user", "content": "I live in Leeds"}])
        assert memory.consolidate().views == ""
        assert not (tmp_path / "a").exists()
        memory.workspace.export(tmp_path / "copy")
        memory.forget(entity="Leeds")  # which the copy is rid of, too: it is on this machine
        texts = [one.read_text("utf-8") for one in (tmp_path / "copy").rglob("*") if one.is_file()]
        assert texts
        assert "Leeds" not in "".join(texts)
        with pytest.raises(UsageError, match="not in PostgreSQL"):
            memory.backup()
        note.write_text("# Garden\n\nThe quinces ripen in October.\n")
        assert not other.recall("quinces").items
        assert "not in PostgreSQL" in memory.workspace.sync().notes[0].what
        (found,) = other.recall("quinces").items
        assert "ripen in October" in found.content
        note.unlink()
        memory.workspace.sync()
        assert not other.recall("quinces").items


def test_machines_share_pauses_tombstones_rules_and_tokens(
    on: Open, machines: tuple[Shell, Shell], clock: Clock, tmp_path: Path
) -> None:
    one, other = machines
    said = "likes the smell of tar"
    id = one.json("capture", said)["id"]
    other("pause")
    assert b"paused" in one("capture", "x", code=5).stderr
    one("resume")
    one("forget", id, "--yes")
    again = other.json("add", "-", given=f"Me: {said}\n".encode())
    assert (again["added"], again["forgotten"]) == (0, 1)
    (tmp_path / "mine.toml").write_text('[kinds]\nmail = "never"\n')
    (tmp_path / "wrong.toml").write_text('[kinds]\nmail = "perhaps"\n')
    one("policy", "use", str(tmp_path / "mine.toml"))
    one("policy", "use", str(tmp_path / "wrong.toml"), code=6)
    assert not list((tmp_path / "a").rglob("policy.toml"))
    assert "ada@example.org" not in other.json("capture", "write to ada@example.org")["content"]
    one("token", "add", "phone")
    assert "phone" in other.text("token", "list")
    other("audit", "verify")  # with the key that the first machine made
    with on("c") as memory:
        assert memory.audit.verify().sound
        id = memory.capture("likes green tea").id
    with on("d") as memory:
        assert memory.recall("tea").items
    with on("c") as memory:  # what was recalled is counted by the next who writes
        memory.add([{"role": "user", "content": "hello"}])
        assert "recalled" in [mark.change for mark in memory.strength(id).marks]


def test_conversation_goes_on_at_another_server(on: Open) -> None:
    def shown(memory: Memory) -> list[object]:
        return [one.message["content"] for one in Session.open(memory, "chat").shown]

    with on("a") as one, on("b") as other:
        session = Session.open(one, "chat")
        session.prepare("I am called Mei")
        session.finish("Hello, Mei")
        assert shown(other) == ["I am called Mei", "Hello, Mei"]
        other.forget(session=one.journal()[0].session)
        assert shown(one) == ["", ""]


def test_audit_log_is_one_for_all_and_master_key_can_be_kept_apart(
    on: Open, postgres: Server, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOXODON_KEY_MASTER", "ab" * 32)
    apart = {"keys.source": "env"}
    with on("a", **apart) as one, on("b", **apart) as other:
        one.capture("likes tea")
        other.recall("tea")
        assert other.audit.entries()
        assert [entry.op for entry in one.audit.entries()] == ["capture", "recall"]
        assert one.audit.verify().sound
        assert other.audit.verify().sound
    held = [data for _, _, data in rows_of(postgres, postgres_url)]
    assert not any(b"abab" in data for data in held)


@pytest.mark.parametrize("table", ["memory_labels", "memory_changes"])
def test_validate_checks_what_belongs_together(
    on: Open, postgres: Server, postgres_url: str, table: str
) -> None:
    with on("a") as memory:
        memory.capture("Mei lives in Osaka", entities=["Mei"])
        assert memory.validate() == []
        with psycopg.connect(postgres_url) as connection:
            connection.execute("SET loxodon.space = '1'")
            connection.execute(f"DELETE FROM loxodon.{table}")
        assert memory.validate()


def test_command_keeps_the_address_and_shows_no_password(postgres_url: str, tmp_path: Path) -> None:
    url = postgres_url.replace("loxodon@", "loxodon:hunter2@")  # whom the server trusts anyway
    shell = Shell(tmp_path / "home")
    shell("--store", url, "init")
    words = ("capture I live in Leeds", "recall Leeds", "config", "--json status", "validate")
    told = [shell(*one.split()) for one in words]
    assert b"Leeds" in told[1].stdout
    assert json.loads(told[3].stdout)["store"] == postgres_url
    assert not any(b"hunter2" in one.stdout + one.stderr for one in told)
    assert (tmp_path / "home" / "config.toml").stat().st_mode & 0o777 == 0o600


def test_space_that_another_machine_has_open_is_deleted(
    on: Open, machines: tuple[Shell, Shell], postgres: Server, postgres_url: str, tmp_path: Path
) -> None:
    one, other = machines
    with on("a", "ada") as memory, on("b", "ada") as there:
        for n, open_one in enumerate((memory, there)):
            said = {"role": "user", "content": "I am a wyvernkeeper", "id": str(n)}
            open_one.add([said])
            open_one.capture("The user is a wyvernkeeper", tags=["wyvernkeeper"])
        with Session.open(memory, "chat") as session:
            session.add({"role": "user", "content": "I am still a wyvernkeeper"})
        memory.workspace.export(tmp_path / "copy")
        memory.pause()
        other("--space", "bob", "capture", "The user is a gryphonherder")
        other("token", "add", "phone", "--for", "ada")
        one("space", "delete", "ada", "--dry-run")
        assert there.list()
        done = one.json("space", "delete", "ada", "--yes")
        assert done["receipt"]["erased"]["memories"] == 2
        held = b"".join(data for _, _, data in rows_of(postgres, postgres_url)).lower()
        assert b"wyvernkeeper" not in held
        assert b"gryphonherder" in held
        files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
        assert not any("wyvernkeeper" in path.read_text("utf-8") for path in files)
        assert "ada" not in other.text("space", "list")
        with pytest.raises(DeletedSpaceError):  # whoever has it open is told
            there.capture("is not kept")
        with on("b", "ada") as anew:
            assert (anew.list(state="all"), anew.paused) == ([], None)
            anew.capture("The user keeps bees")
            assert anew.audit.verify().sound
            assert anew.validate() == []


TAR = "likes the smell of tar"
SPACES = ("main", "张三")


@pytest.fixture
def moved(tmp_path: Path) -> Shell:
    """A home with two spaces, and everything in them that is moved."""
    moved = Shell(tmp_path / "old")
    moved("config", "workspace.views", "off")
    moved("add", "-", given="Me: 我对花生过敏\nMe: My PIN is a secret of mine\n".encode())
    moved("consolidate")
    gone = moved.json("capture", TAR)["id"]
    moved("edit", moved.json("capture", "lives in Leeds")["id"], "--content", "lives in York")
    moved("forget", gone, "--yes")
    moved("recall", "peanuts")
    moved("--space", "张三", "add", "-", given=b"Me: I moved to Osaka\n")
    moved("--space", "张三", "pause")
    return moved


def everything(home: Path, space: str) -> dict[str, object]:
    """What is told of a space."""
    with Memory.open(home, space, clock=Clock(NOW)) as memory:
        assert memory.audit.verify().sound
        assert memory.validate() == []
        return {
            "turns": [*memory.journal()],
            "memories": [*memory.list(state="all")],
            "versions": [[*memory.history(one.id)] for one in memory.list(state="all")],
            "receipts": [*memory.receipts()],
            "context": memory.recall("花生 Leeds").context,
            "paused": memory.paused,
        }


def test_home_is_the_same_in_postgresql_and_back(
    moved: Shell, tmp_path: Path, postgres_url: str
) -> None:
    back = tmp_path / "back"
    before = {space: everything(moved.home, space) for space in SPACES}
    found = moved.json("move", "--to", postgres_url)
    assert (sorted(found["spaces"]), found["known"]) == (sorted(SPACES), [])
    assert moved.json("config", "store.url")["store.url"]
    for space in SPACES:
        there = everything(moved.home, space)
        for name in ("turns", "memories", "versions", "receipts", "context", "paused"):
            assert there[name] == before[space][name], name
    with Memory.open(moved.home, config={"recall.top": 5}) as memory:
        assert memory.root != memory.home  # settings for one call do not bring the files back
    assert moved.json("move", "--to", str(back))["to"] == str(back)
    for space in SPACES:
        assert everything(back, space)["memories"] == before[space]["memories"]
    with Memory.open(back, clock=Clock(NOW)) as memory:  # what was forgotten stays so
        memory.add([{"role": "user", "content": TAR, "at": NOW.isoformat()}])
        assert "tar" not in memory.recall(TAR).context
        memory.capture("has gone its own way since")
    assert b"other data" in moved("move", "--to", str(back), code=4).stderr


def test_home_of_somebody_else_and_one_in_use_are_refused(moved: Shell, tmp_path: Path) -> None:
    new = tmp_path / "new"
    with unscheduled(moved.home):  # as if a server ran on it
        assert b"server" in moved("move", "--to", str(new), code=7).stderr
    with Memory.open(new, "张三", config={"audit.enabled": False}) as memory:
        memory.capture("is somebody else's")
    assert moved.environment
    assert b"error" in moved("move", "--to", str(new), code=4).stderr
    with Memory.open(new, "张三", config={"audit.enabled": False}) as memory:
        assert [one.content for one in memory.list()] == ["is somebody else's"]
    other = tmp_path / "other"
    assert sorted(moved.json("move", "--to", str(other))["spaces"]) == sorted(SPACES)
    assert sorted(moved.json("move", "--to", str(other))["known"]) == sorted(SPACES)
