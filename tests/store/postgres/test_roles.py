"""The roles that `loxodon postgres setup` makes, and a dump and restore by them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from loxodon import Memory
from loxodon.cli import main
from loxodon.errors import StoreError
from loxodon.store.postgres import migrations, pool
from tests.clock import Clock
from tests.store.postgres.server import Server, programs

Url = Callable[[str], str]
_numbers = count(1)


@pytest.fixture
def url(postgres: Server) -> Iterator[Url]:
    """The URL of a new database for each of its roles, which are made there."""
    name = f"roles_{next(_numbers)}"
    postgres.ask(f"CREATE DATABASE {name}")
    assert main(["postgres", "setup", "--apply", postgres.url(name, "postgres")]) == 0
    yield lambda role: postgres.url(name, role)
    pool.close_pools()
    postgres.ask(f"DROP DATABASE {name} WITH (FORCE)")


def migrated(url: Url) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOXODON_STORE", "")  # which `--store` sets, for all that it starts
        assert main(["--store", url("loxodon_migrator"), "migrate"]) == 0


def use(url: str, home: Path) -> None:
    with Memory.open(home, "alice", {"store.url": url}, Clock()) as memory:
        memory.add([{"role": "user", "content": "I am allergic to peanuts."}], session="s")
        memory.consolidate()
        memory.capture("likes jasmine tea")


def recalled(url: str, home: Path) -> list[str]:
    with Memory.open(home, "alice", {"store.url": url}, Clock()) as memory:
        assert memory.validate() == []
        return [one.content for one in memory.recall("What about peanuts and tea?").items]


def test_setup_prints_sql(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["postgres", "setup"]) == 0
    assert "CREATE ROLE" in capsys.readouterr().out


def test_an_application_leaves_the_schema_to_the_migrator(url: Url, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        use(url("loxodon_app"), tmp_path / "home")
    assert "loxodon --store URL migrate" in error.value.hint
    migrated(url)
    use(url("loxodon_app"), tmp_path / "home")
    assert any("peanuts" in one for one in recalled(url("loxodon_app"), tmp_path / "home"))
    migrated(url)  # and again, with nothing to do


def test_each_role_may_do_what_it_is_for(url: Url, tmp_path: Path) -> None:
    migrated(url)
    use(url("loxodon_app"), tmp_path / "home")
    refused = {
        "loxodon_app": (
            "CREATE TABLE loxodon.x ()",
            "CREATE SCHEMA x",
            "CREATE TABLE public.x ()",
            "DROP TABLE loxodon.turns",
            "ALTER TABLE loxodon.turns DISABLE ROW LEVEL SECURITY",
            "TRUNCATE loxodon.turns",
            "INSERT INTO loxodon.migrations VALUES (9999, '')",
            "CREATE ROLE x",
        ),
        "loxodon_backup": (
            "BEGIN READ WRITE; DELETE FROM loxodon.turns",
            "BEGIN READ WRITE; CREATE TABLE loxodon.x ()",
        ),
    }
    for role, statements in refused.items():
        for sql in statements:
            with (
                psycopg.connect(url(role), autocommit=True) as connection,
                pytest.raises(psycopg.errors.InsufficientPrivilege),
            ):
                connection.execute(sql.encode())
    seen = {}
    for role in ("loxodon_app", "loxodon_migrator", "loxodon_backup"):
        with psycopg.connect(url(role)) as connection:
            row = connection.execute("SELECT count(*) > 0 FROM loxodon.turns").fetchone()
            owned = connection.execute(
                "SELECT 1 FROM pg_class WHERE relowner = current_user::regrole LIMIT 1"
            ).fetchone()
            seen[role] = (row, owned is not None)
    assert seen == {
        "loxodon_app": ((False,), False),
        "loxodon_migrator": ((False,), True),
        "loxodon_backup": ((True,), False),
    }


def test_a_single_login_can_be_replaced_by_the_roles(postgres: Server, tmp_path: Path) -> None:
    url = postgres.database()
    use(url, tmp_path / "home")
    app = url.replace("loxodon@", "loxodon_app@", 1)
    pool.close_pools()
    migrations.setup(url.replace("loxodon@", "postgres@", 1))
    migrated(lambda role: url.replace("loxodon@", f"{role}@", 1))
    assert any("peanuts" in one for one in recalled(app, tmp_path / "other"))


def test_the_documented_dump_and_restore(postgres: Server, url: Url, tmp_path: Path) -> None:
    """What docs/postgres.md has under this heading, as it stands there."""
    page = (Path(__file__).parents[3] / "docs" / "postgres.md").read_text("utf-8")
    block = page.partition("### Dump and restore")[2].partition("```console\n")[2]
    recipe = [line.partition("#")[0][2:] for line in block.partition("```")[0].splitlines()]
    migrated(url)
    use(url("loxodon_app"), tmp_path / "home")
    before = recalled(url("loxodon_app"), tmp_path / "home")
    pool.close_pools()
    server, _, database = url("").rpartition("@")[2].partition("/")
    host, _, port = server.partition(":")
    place = {"PGHOST": host, "PGPORT": port, "PATH": f"{programs()}:{os.environ['PATH']}"}
    command = f'loxodon() {{ {sys.executable} -m loxodon "$@"; }}'
    for line in recipe:
        line = line.replace("-d loxodon", f"-d {database}").replace("copy", f"{database}_copy")
        line = line.replace("db.example", server)
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", f"{command}; {line}"],
            cwd=tmp_path,
            env=os.environ | place,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stderr)
    copy = f"{url('loxodon_app')}_copy"
    assert recalled(copy, tmp_path / "other") == before
    use(copy, tmp_path / "other")  # it can be written to as well
    counts = [
        postgres.ask(f"SELECT count(*) FROM loxodon.{table}", f"{database}{end}")
        for table in ("home_state", "audit", "memory_changes")
        for end in ("", "_copy")
    ]
    assert counts[0] == counts[1]
    assert counts[2] < counts[3]
    pool.close_pools()
    postgres.ask(f"DROP DATABASE {database}_copy WITH (FORCE)")
