"""The table "What is different" in docs/postgres.md: a test for each line of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory, files
from loxodon import config as settings
from loxodon.serve.host import Host
from loxodon.store.postgres.files import share
from loxodon.trust.guard.guard import Guard
from loxodon.trust.rest.keys import VARIABLE
from tests.clock import Clock
from tests.on_postgres import FOLDERS, LONG, OWN, why_not
from tests.serve.shell import Shell

REPOSITORY = Path(__file__).parents[2]
_HOME, _FAULTS = "tests/services/test_shared_home.py", "tests/store/postgres/test_faults.py"
_WALLS = "tests/store/postgres/test_walls.py"
LINES = {
    "journal, memories, recall, review, history, documents, import, follow, drop-ins, HTTP, MCP, "
    "proxy, chat": (
        "tests/store/postgres/test_same.py::test_on_the_same_data_both_say_the_same",
        "tests/serve/test_story.py::test_a_day",
        "tests/attacks/test_canaries.py::test_random_calls_over_every_surface_see_no_canary_of_others",
        "tests/attacks/test_inlets.py::test_nor_through_the_inlets_of_others",
        "tests/serve/chat/test_conversation.py",
        "tests/recall",
        "tests/write",
        "tests/compat",
    ),
    "isolation of spaces": (
        f"{_WALLS}::test_a_query_that_forgets_its_space_sees_nothing",
        f"{_WALLS}::test_nothing_can_be_put_into_another_space",
    ),
    "agents and groups": (f"{_WALLS}::test_a_wall_within_a_space", "tests/trust/access"),
    "writers of one space": (
        f"{_FAULTS}::test_writers_of_a_space_take_turns",
        f"{_FAULTS}::test_a_writer_that_waits_too_long_is_told",
    ),
    "pauses, tombstones, tokens, counts of use": (
        f"{_HOME}::test_machines_share_pauses_tombstones_rules_tokens_and_the_key",
        f"{_HOME}::test_a_conversation_goes_on_at_another_server",
        f"{_HOME}::test_what_was_recalled_is_counted_by_the_next_who_writes",
        "tests/serve/test_story.py::test_a_token_is_for_every_server",
    ),
    "`policy.toml`": (
        "tests/services/test_differences.py::test_a_policy_is_put_into_the_database",
    ),
    'master key (`keys.source = "file"`)': (
        f"{_HOME}::test_machines_share_pauses_tombstones_rules_tokens_and_the_key",
        "tests/services/test_differences.py::test_a_master_key_can_be_kept_apart",
    ),
    "audit log": (
        f"{_HOME}::test_the_audit_log_is_a_table_with_the_same_chain",
        f"{_HOME}::test_settings_that_are_for_files_are_refused",
        "tests/trust/audit",
    ),
    "background jobs": (
        "tests/serve/test_story.py::test_a_job_is_done_once_by_whoever_comes_first",
        "tests/faults/test_postgres.py::test_servers_are_killed",
    ),
    "forgetting": (
        "tests/trust/forget",
        "tests/trust/forget/test_forgetting.py::test_killed_at_any_point_it_is_finished_by_the_next",
    ),
    "deleting a space (`space delete`, `DELETE /v1/spaces/{space}`)": (
        f"{_HOME}::test_a_space_that_another_server_has_open_is_deleted",
        f"{_HOME}::test_a_deletion_waits_for_who_writes",
        f"{_HOME}::test_the_commands_on_spaces",
        "tests/serve/test_story.py::test_a_space_is_deleted_through_either_server",
        "tests/store/postgres/test_vectors.py::test_an_index_goes_with_its_space_and_with_its_model",
        "tests/services/test_differences.py::test_a_deletion_names_what_stays",
    ),
    "text views": (f"{_HOME}::test_text_is_written_where_it_is_asked_for",),
    "notes (`workspace.folders`)": (
        "tests/services/test_differences.py::test_notes_are_read_where_they_are",
    ),
    "encryption (`encrypt`, `encryption.*`)": (
        f"{_HOME}::test_settings_that_are_for_files_are_refused",
        f"{_HOME}::test_commands_that_are_for_files_are_refused",
    ),
    "checksums of rows": (
        "tests/services/test_differences.py::test_validate_checks_what_belongs_together",
    ),
    "engine off (`enabled = false`)": (f"{_HOME}::test_settings_that_are_for_files_are_refused",),
    "`backup`, `restore`, `repair`": (f"{_HOME}::test_commands_that_are_for_files_are_refused",),
}
"""By the first column of the table, tests that `make test-postgres` runs."""


def test_every_line_has_tests_that_are_run() -> None:
    text = (REPOSITORY / "docs/postgres.md").read_text("utf-8")
    table = text.partition("## What is different")[2].partition("\n## ")[0]
    features = re.findall(r"^\| (.+?) \|", table, re.MULTILINE)[1:]  # without the heading
    assert features == [*LINES]
    for id in (one for tests in LINES.values() for one in tests):
        path, _, name = id.partition("::")
        assert any(path == one or path.startswith(f"{one}/") for one in (*OWN, *LONG, *FOLDERS)), id
        assert not why_not(id), id
        if name:
            parsed = ast.walk(ast.parse((REPOSITORY / path).read_text("utf-8")))
            assert name in {one.name for one in parsed if isinstance(one, ast.FunctionDef)}, id
        else:
            assert (REPOSITORY / path).exists(), id


Open = Callable[..., Memory]


@pytest.fixture
def on(postgres_url: str, tmp_path: Path, clock: Clock) -> Open:
    """Opens the memory on a machine."""
    return lambda machine, **config: Memory.open(
        tmp_path / machine, "main", {"store.url": postgres_url, **config}, clock
    )


def test_a_policy_is_put_into_the_database(postgres_url: str, on: Open, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "a")
    shell("--store", postgres_url, "init")
    (tmp_path / "mine.toml").write_text('[kinds]\nmail = "never"\n')
    (tmp_path / "wrong.toml").write_text('[kinds]\nmail = "perhaps"\n')
    shell("policy", "use", str(tmp_path / "mine.toml"))
    shell("policy", "use", str(tmp_path / "wrong.toml"), code=6)
    assert not list((tmp_path / "a").rglob("policy.toml"))
    assert Guard.of(share(postgres_url)).policy.actions["mail"] == "never"
    with on("b") as memory:
        assert "ada@example.org" not in memory.capture("write to ada@example.org").content


def test_a_master_key_can_be_kept_apart(
    postgres_url: str, on: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    apart = {"keys.source": "env"}
    with on("a", **apart) as memory:
        memory.capture("likes tea")
    with on("b", **apart) as memory:
        assert memory.audit.verify().sound
    assert not files.exists(f"{share(postgres_url)}/keys/master")


def test_a_deletion_names_what_stays(postgres_url: str, on: Open, tmp_path: Path) -> None:
    home, copy = tmp_path / "a", tmp_path / "copy"
    moved = home / "spaces" / "main"
    moved.mkdir(parents=True)  # as a move leaves them
    settings.write(str(home), "store.url", postgres_url)
    with on("a") as memory:
        memory.capture("The user is a wyvernkeeper")
        memory.workspace.export(copy)
    with Host(home, Clock()) as host:
        receipt = host.delete("main")
    assert (str(moved), "copy") in {(one.file, one.what) for one in receipt.files}
    assert "wyvernkeeper" not in "".join(
        one.read_text("utf-8") for one in copy.rglob("*") if one.is_file()
    )


def test_notes_are_read_where_they_are(on: Open, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "garden.md").write_text("# Garden\n\nThe quinces ripen in October.\n")
    noted = {"workspace.folders": str(tmp_path / "notes")}
    with on("a", **noted) as one, on("b") as other:
        assert not other.recall("quinces").items
        one.workspace.sync()
        (found,) = other.recall("quinces").items
        assert "ripen in October" in found.content
        (tmp_path / "notes" / "garden.md").unlink()
        one.workspace.sync()
        assert not other.recall("quinces").items


@pytest.mark.parametrize("table", ["memory_labels", "memory_changes"])
def test_validate_checks_what_belongs_together(on: Open, table: str) -> None:
    with on("a") as memory:
        memory.capture("Mei lives in Osaka", entities=["Mei"])
        assert memory.validate() == []
        db: Any = memory._store
        db._db.run(f"DELETE FROM {table}")
        assert memory.validate()
