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

from loxodon import Memory, files
from loxodon.errors import KeyProblemError, StoreError, UsageError
from loxodon.serve.consent import code_of, question_of, require
from loxodon.store.postgres.files import share
from loxodon.trust.access import tokens
from loxodon.trust.guard.guard import Guard
from loxodon.working.session import Session
from tests.clock import NOW, Clock
from tests.serve.shell import Shell

Open = Callable[..., Memory]


@pytest.fixture
def on(postgres_url: str, tmp_path: Path, clock: Clock) -> Open:
    """Opens the memory on a machine."""

    def opened(machine: str, space: str = "main", **config: Any) -> Memory:
        given = {"store.url": postgres_url, "timezone": "Asia/Shanghai", **config}
        return Memory.open(tmp_path / machine, space, given, clock)

    return opened


def rows(url: str, sql: str, *values: object, space: int = 1) -> list[tuple[Any, ...]]:
    """What the owner of the database gets who goes there with other programs."""
    with psycopg.connect(url) as connection:
        connection.execute(f"SET loxodon.space = '{space}'")
        found = connection.execute(sql, values)
        return list(found.fetchall()) if found.description else []


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("encryption.key", "env", "not encrypted by Loxodon"),
        ("enabled", False, "cannot be turned off"),
        ("audit.head", "/another/disk", "in the database"),
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


COMMANDS = {
    "backup": "backed up with its database",
    "backup --all": "backed up with its database",
    "restore x": "restored with its database",
    "repair": "no database file to repair",
    "encrypt": "not encrypted by Loxodon",
    "decrypt": "not encrypted by Loxodon",
    "rekey": "not encrypted by Loxodon",
    "export": "not kept as text files",
}


def test_commands_that_are_for_files_are_refused(shared_postgres: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    shell("--store", shared_postgres, "--space", "refused", "init")
    for command, said in COMMANDS.items():
        done = shell("--space", "refused", *command.split(), code=2)
        assert said in done.stderr.decode()
        assert b"hint:" in done.stderr


def test_text_is_written_where_it_is_asked_for(on: Open, tmp_path: Path) -> None:
    with on("a", **{"workspace.views": "on"}) as memory:
        memory.add([{"role": "user", "content": "I live in Leeds"}])
        assert memory.consolidate().views == ""
        assert not (tmp_path / "a").exists()
        memory.workspace.export(tmp_path / "copy")
        assert "not kept as text" in memory.workspace.sync().notes[0].what
        with pytest.raises(UsageError, match="backed up with its database"):
            memory.backup()
        memory.forget(entity="Leeds")  # which the copy is rid of, too: it is on this machine
    texts = [path.read_text("utf-8") for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert not any("Leeds" in text for text in texts)


def test_machines_share_pauses_tombstones_rules_tokens_and_the_key(
    on: Open, postgres_url: str, clock: Clock
) -> None:
    with on("a") as one, on("b") as other:
        record = one.capture("likes the smell of tar")
        other.pause(None)
        assert one.paused
        one.resume()
        one.forget(record.id)
        assert (
            other.add(
                [{"role": "user", "content": record.content, "at": clock().isoformat()}]
            ).added
            == 0
        )
        root = share(postgres_url)
        files.replace(f"{root}/policy.toml", b'[kinds]\nmail = "never"\n')
        _, token = tokens.add(root, tokens.Grant("phone"), clock())
        assert tokens.grant_of(tokens.Grants(root)(), token)
        assert [one.home, one.root, other.root] == [one.home, root, root]
    with on("c") as memory:
        assert "ada@example.org" not in memory.capture("write to ada@example.org").content
        assert memory.audit.verify().sound  # with the key that the first machine made
    assert Guard.of(root).policy.actions["mail"] == "never"
    rows(
        postgres_url,
        "UPDATE loxodon.home_files SET data = %s WHERE name = 'keys/master'",
        b"00" * 32,
    )
    with on("d") as memory, pytest.raises(KeyProblemError, match="does not match"):
        memory.audit.verify()


def said(memory: Memory) -> list[object]:
    return [one.message["content"] for one in Session.open(memory, "chat").shown]


def test_a_conversation_goes_on_at_another_server(on: Open) -> None:
    with on("a") as one, on("b") as other:
        session = Session.open(one, "chat")
        session.prepare("I am called Mei")
        session.finish("Hello, Mei")
        assert said(other) == ["I am called Mei", "Hello, Mei"]
        other.forget(session=one.journal()[0].session)
        assert said(one) == ["", ""]


def test_what_was_recalled_is_counted_by_the_next_who_writes(on: Open, postgres_url: str) -> None:
    with on("a") as memory:
        id = memory.capture("likes green tea").id
    with on("b") as memory:
        assert memory.recall("tea").items
    assert files.size(f"{share(postgres_url)}/spaces/main/used")
    with on("a") as memory:
        memory.add([{"role": "user", "content": "hello"}])
    ((used,),) = rows(
        postgres_url,
        "SELECT times FROM loxodon.memory_uses u JOIN loxodon.memories m "
        "ON m.space_id = u.space_id AND m.row = u.memory WHERE m.id = %s",
        id,
    )
    assert used == 1
    assert not files.exists(f"{share(postgres_url)}/spaces/main/used")


@pytest.mark.parametrize(
    ("tamper", "kind"),
    [
        (
            "UPDATE loxodon.files SET data = convert_to(replace(convert_from(data, 'UTF8'), "
            "'capture', 'archive'), 'UTF8') WHERE name LIKE 'audit/%'",
            "changed",
        ),
        (
            "DELETE FROM loxodon.files WHERE name LIKE 'audit/%' AND start = "
            "(SELECT max(start) FROM loxodon.files WHERE name LIKE 'audit/%')",
            "cut",
        ),
        ("DELETE FROM loxodon.home_files WHERE name LIKE 'audit/%'", "head_missing"),
        ("UPDATE loxodon.memories SET content = 'something else'", ""),
    ],
    ids=["a line", "the end", "the head", "nothing of the log"],
)
def test_the_audit_log_is_a_table_with_the_same_chain(
    on: Open, postgres_url: str, tamper: str, kind: str
) -> None:
    with on("a") as one, on("b") as other:
        one.capture("likes tea")
        other.recall("tea")
        done = [entry.op for entry in one.audit.entries()]
        assert done == ["audit.file", "capture", "recall"]
        assert one.audit.verify().sound
        rows(postgres_url, tamper.replace("%", "%%"))
        found = {finding.kind for finding in other.audit.verify().findings}
    assert found >= {kind} if kind else not found


def test_spaces_are_listed_from_the_database(
    on: Open, shared_postgres: str, tmp_path: Path
) -> None:
    for space in ("Alice", "alice", "张三"):
        on("a", space).close()
    with on("b", "alice") as memory:
        assert memory.list() == []
    shell = Shell(tmp_path / "none")
    done = shell("--store", shared_postgres, "--space", "nobody", "recall", "x", code=3)
    assert b"no space named" in done.stderr


def test_a_space_is_deleted_from_the_database(on: Open, postgres_url: str, tmp_path: Path) -> None:
    """And not from files that are left in the home, as after a move."""
    home, url = str(tmp_path / "a"), postgres_url
    with Memory.open(home, "main", clock=Clock()) as before:
        before.capture("I am in a file")
    with on("a") as memory, on("a", "other") as other:
        memory.add([{"role": "user", "content": "Tea is fine", "id": "1"}], "s")
        memory.capture("likes tea")
        other.capture("likes tea, too")
    tokens.add(share(url), tokens.Grant("one", ("main",)), NOW)
    shell = Shell(tmp_path / "a")

    def run(*words: str, code: int = 0) -> Any:
        return json.loads(shell("--store", url, "--json", "space", *words, code=code).stdout)

    with on("b") as elsewhere:
        planned = run("delete", "main", "--dry-run", "--yes")["receipt"]["erased"]
        assert len(elsewhere.list()) == 1
        erased = run("delete", "main", "--yes")["receipt"]["erased"]
        with pytest.raises(StoreError, match="deleted"):
            elsewhere.list()
    assert erased == {**planned, "tokens": 1}
    assert erased.keys() >= {"turns", "memories", "files"}
    assert run("list")["spaces"] == ["other"]
    assert run("deleted")[0]["space"] == "main"
    assert not tokens.read(share(url))
    for table in ("memories", "turns", "files"):
        assert rows(url, f"SELECT count(*) FROM loxodon.{table}") == [(0,)]
    with on("a") as memory, on("a", "other") as other:
        assert memory.list() == []
        assert memory.add([{"role": "user", "content": "Tea is fine", "id": "1"}], "s").added == 1
        assert memory.audit.verify().sound
        assert len(other.list()) == 1
    with Memory.open(home, "main", clock=Clock()) as before:
        assert len(before.list()) == 1


def test_a_code_of_one_machine_is_good_on_another(on: Open, tmp_path: Path) -> None:
    with on("a") as one, on("b") as other:
        id = one.remember("The user lives in Vorlund").id
        code = code_of(one, question_of(one, "confirm", id))
        require(other, "confirm", id, agreed="", code=code)
    assert not [*tmp_path.glob("*/keys")]


def test_a_command_keeps_the_address_and_shows_no_password(
    postgres_url: str, tmp_path: Path
) -> None:
    url = postgres_url.replace("loxodon@", "loxodon:hunter2@")  # whom the server trusts anyway
    shell = Shell(tmp_path / "home")
    shell("--store", url, "init")
    told = [
        shell("capture", "I live in Leeds"),
        shell("recall", "Leeds"),
        shell("status"),
        shell("config"),
        shell("--json", "status"),
        shell("policy"),
        shell("validate"),
    ]
    assert b"Leeds" in told[1].stdout
    assert json.loads(told[4].stdout)["store"] == postgres_url
    assert not any(b"hunter2" in one.stdout + one.stderr for one in told)
    assert (tmp_path / "home" / "config.toml").stat().st_mode & 0o777 == 0o600
