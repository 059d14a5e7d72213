"""A home whose spaces are in PostgreSQL: each line of the table in docs/postgres.md.

Two folders stand for two machines that have nothing in common but the database.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from loxodon import Memory, files
from loxodon import config as settings
from loxodon.errors import DeletedSpaceError, KeyProblemError, NotFoundError, UsageError
from loxodon.serve.host import Host
from loxodon.store.postgres.files import share
from loxodon.trust.access import tokens
from loxodon.trust.access.tokens import Grant
from loxodon.trust.forget.spaces import delete, receipts
from loxodon.trust.guard.guard import Guard
from loxodon.working.session import Session
from tests.clock import NOW, Clock
from tests.serve.shell import Shell
from tests.store.contracts import record
from tests.store.postgres.server import Server
from tests.trust.looking import rows_of
from tests.waiting import until

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


def test_what_was_recalled_is_counted(on: Open, postgres_url: str) -> None:
    with on("a") as memory:
        id = memory.capture("likes green tea").id
    with on("b") as memory:
        assert memory.recall("tea").items
    ((used,),) = rows(
        postgres_url,
        "SELECT times FROM loxodon.memory_uses u JOIN loxodon.memories m "
        "ON m.space_id = u.space_id AND m.row = u.memory WHERE m.id = %s",
        id,
    )
    assert used == 1


@pytest.mark.parametrize(
    ("tamper", "kind"),
    [
        ("UPDATE loxodon.audit SET entry = replace(entry, 'capture', 'archive')", "changed"),
        ("DELETE FROM loxodon.audit WHERE n = 2", "cut"),
        ("DELETE FROM loxodon.meta WHERE name = 'audit'", "head_bad"),
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
        assert other.audit.entries()
        assert [entry.op for entry in one.audit.entries()] == ["capture", "recall"]
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


# Deleting a space


def test_a_space_that_another_server_has_open_is_deleted(
    postgres: Server, postgres_url: str, tmp_path: Path, clock: Clock
) -> None:
    hosts = []
    for machine in "ab":
        (tmp_path / machine).mkdir()
        settings.write(str(tmp_path / machine), "store.url", postgres_url)
        hosts.append(Host(tmp_path / machine, clock))
    one, other = hosts
    with one, other:
        for host in hosts:
            with host.using("ada") as memory:
                memory.add([{"role": "user", "content": "I am a wyvernkeeper", "id": host.home}])
                memory.capture("The user is a wyvernkeeper", tags=["wyvernkeeper"])
        with one.using("ada") as memory, Session.open(memory, "chat") as session:
            session.add({"role": "user", "content": "I am still a wyvernkeeper"})
            memory.pause()
        with one.using("bob") as memory:
            memory.capture("The user is a gryphonherder")
        tokens.add(one.root, Grant("phone", ("ada",)), NOW)

        planned = other.delete("ada", dry_run=True)
        receipt = other.delete("ada")
        assert planned.erased == {"turns": 5, "memories": 2}
        assert receipt.erased == {**planned.erased, "tokens": 1}
        held = b"".join(data for _, _, data in rows_of(postgres, postgres_url)).lower()
        assert b"wyvernkeeper" not in held
        assert b"gryphonherder" in held
        assert other.spaces() == ["bob"]
        assert [(name, kept.id) for name, kept in receipts(one.root, NOW)] == [("ada", receipt.id)]

        # Whoever has it open is told once. Then it is a new one, also where it was known before.
        with pytest.raises(DeletedSpaceError), one.using("ada") as memory:
            memory.capture("is not kept")
        with pytest.raises(NotFoundError), one.using("ada", make=False):
            pass
        with other.using("ada") as memory:
            memory.pause()
        with one.using("ada") as memory:
            assert memory.paused
            assert memory.list(state="all") == []
            memory.resume()
            memory.capture("The user keeps bees")
            assert memory.audit.verify().sound
            assert memory.validate() == []


def test_a_file_is_not_written_into_a_space_that_is_gone(on: Open, postgres_url: str) -> None:
    with on("a") as memory:
        memory.pause()  # its number is known here
        rows(postgres_url, "DELETE FROM loxodon.spaces")  # as by another server
        with pytest.raises(DeletedSpaceError):
            files.append(f"{memory.root}/spaces/main/used", b"wyvernkeeper")


def test_a_deletion_waits_for_who_writes(on: Open, postgres: Server, postgres_url: str) -> None:
    """What is written meanwhile goes with the rest."""
    with on("a") as memory, ThreadPoolExecutor(1) as pool:
        store: Any = memory._store
        memory.capture("The user likes tea")  # the audit log has begun
        ask = (memory.home, memory.space, memory.config, (), NOW)
        with store.writing():
            store.insert(record("The user is a wyvernkeeper"), "captured")
            store._db.all("SELECT 1")  # it was sent
            deleting = pool.submit(delete, *ask, root=memory.root)
            until(
                lambda: postgres.ask(
                    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                )
            )
        assert deleting.result().erased["memories"] == 1  # it counted before that
        assert len(receipts(memory.root, NOW)) == 1
        with pytest.raises(DeletedSpaceError):
            memory.list()
    held = b"".join(data for _, _, data in rows_of(postgres, postgres_url))
    assert b"wyvernkeeper" not in held


def test_the_commands_on_spaces(shared_postgres: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    shell("--store", shared_postgres, "--space", "leaving", "init")
    shell("--space", "leaving", "capture", "The user likes tea")
    assert b"would delete:" in shell("space", "delete", "leaving", "--dry-run").stdout
    assert b"deleted:" in shell("space", "delete", "leaving", "--yes").stdout
    shell("space", "delete", "leaving", "--yes", code=3)
    assert b"leaving" not in shell("space", "list").stdout
    assert b"leaving: " in shell("space", "deleted").stdout
