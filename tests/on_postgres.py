"""The tests of files, on PostgreSQL: with LOXODON_TEST_STORE=postgres, `make test-postgres`.

Every home that a test or a process of it opens gets a database of its own, and nothing else
changes. What is about files is left out; each line says why.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loxodon import config as settings
from loxodon import files
from loxodon.config import Config, StoreConfig
from loxodon.errors import UsageError, refused
from loxodon.opening import OpenSpace
from loxodon.spaces import home_at

if TYPE_CHECKING:
    from tests.store.postgres.server import At, Server

ON = os.environ.get("LOXODON_TEST_STORE", "") == "postgres"


_FILES = "looks at files of a space"
_FULL = "has SQLite run out of pages"
# Tests that are not for PostgreSQL, by how their ids begin
LEFT_OUT = {
    "tests/attacks/test_audit_tampering.py": "changes SQLite files",
    "tests/security/test_audit.py": "looks into SQLite files",
    "tests/recall/test_assemble.py::test_soul_is_given": _FILES,
    "tests/test_memory.py::test_open_memory_that_is_lost": "holds no connection between calls",
    "tests/test_memory.py::test_any_name_is_a_space": _FILES,
    "tests/security/test_encryption.py": "encrypts files",
    "tests/security/test_killed.py": "encrypts files",
    "tests/security/test_paths.py": "is about paths in and around a home",
    "tests/forget/test_copies.py": "is about text views",
    "tests/working/test_old_files.py::test_home_of": _FILES,
    "tests/working/test_old_files.py::test_pauses": _FILES,
    "tests/forget/test_forgetting.py::test_backup": "is about backup files",
    "tests/forget/test_forgetting.py::test_a_database_that_was_set_aside": _FILES,
    "tests/forget/test_forgetting.py::test_edited_views": "is about text views",
    "tests/forget/test_files.py": "is about files beside a database",
    "tests/forget/test_requests.py::test_a_restore_from_the_views": "is about text views",
    "tests/forget/test_spaces.py::test_encrypted": "encrypts files",
    "tests/forget/test_spaces.py::test_everything": _FILES,
    "tests/security/test_no_false_alarms.py": "encrypts files",
    "tests/forget/test_spaces.py::test_deletion_that_is_killed": "is one transaction there",
    "tests/forget/test_spaces.py::test_deletion_is_refused": "does not wait for others there",
    "tests/attacks/test_strangers.py::test_an_import_sets_no_address": "has no setting at all",
    "tests/consolidate/test_consolidation.py::test_a_full_disk": _FULL,
    "tests/consolidate/test_phases.py::test_three_failures": _FULL,
}
# What `make test-postgres` runs as it is: it has PostgreSQL beside files, or nothing else
OWN = ("tests/store/postgres", "tests/jobs/test_runner.py", "tests/attacks/test_canaries.py")
LONG = ("tests/faults/test_postgres.py",)  # the same, in its long form
# What it runs with every memory in PostgreSQL
FOLDERS = (
    "tests/test_memory.py",
    "tests/recall",
    "tests/store/test_walls.py",
    "tests/consolidate",
    "tests/working",
    "tests/jobs/test_heartbeat.py",
    "tests/jobs/test_jumps.py",
    "tests/jobs/test_schedule.py",
    "tests/compat",
    "tests/security",
    "tests/forget",
    "tests/guard/test_first_person.py",
    "tests/guard/test_own_words.py",
    "tests/guard/test_provenance.py",
    "tests/guard/test_quarantine.py",
    "tests/guard/test_speakers.py",
    "tests/attacks/test_audit_tampering.py",
    "tests/attacks/test_doors.py",
    "tests/attacks/test_inlets.py",
    "tests/attacks/test_poisoning.py",
    "tests/attacks/test_strangers.py",
    "tests/attacks/test_surfaces_table.py",
    "tests/cli/test_cli.py::test_import_of_chats_and_memories",
    "tests/cli/test_cli.py::test_openclaw_is_followed",
)


def why_not(id: str) -> str:
    """Why a test is not for PostgreSQL; empty where it is."""
    return next((why for begin, why in LEFT_OUT.items() if id.startswith(begin)), "")


def is_refused(error: BaseException) -> bool:
    """Whether a test came upon something that is for files, and was told so."""
    return isinstance(error, UsageError) and error.template == refused("").template


_PORT = "LOXODON_TEST_SERVER"  # tells the processes that a test starts which server it is
# What these processes have on their path (`sitecustomize.py`)
_STARTED = Path(__file__).parent / "started"
_at: dict[str, int] = {}  # the port of the server: a test may clear the environment
TEMPLATE = "template_loxodon"  # the database with our schema that others are made from
_HOMES = (
    "SELECT datname, shobj_description(oid, 'pg_database') FROM pg_database "
    "WHERE starts_with(datname, 'home_')"
)


def databases(folder: Path) -> list[tuple[At, str]]:
    """(server, URL) of the databases that the homes below a folder are in."""
    if not ON:
        return []
    server = _server()
    return [
        (server, server.url(str(name)))
        for name, home in server.ask(_HOMES)
        if Path(str(home)).is_relative_to(folder)
    ]


def root_of(home: Path) -> str:
    """Where the state of a home is: its tokens, its policy …"""
    if not ON:
        return str(home)
    from loxodon.store.postgres.home_state import share

    return share(_made(str(home)))


def copied(home: Path, to: Path) -> None:
    """Copy a home that nobody has open, wherever it is."""
    if not ON:
        shutil.copytree(home, to)
        return
    let_go()
    _made(str(to), _name(str(home)))


@contextmanager
def opening(server: Server) -> Iterator[None]:
    """Have every home that is opened meanwhile be in a database of its own, whoever opens it."""
    import pytest

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(_at, "port", server.port)
        for name, value in environment().items():
            patch.setenv(name, value)
        _redirect(patch.setattr)
        yield


def environment() -> dict[str, str]:
    """What a process needs to know that a test starts with nothing of its own environment."""
    if not ON:
        return {}
    at = {_PORT: str(_at["port"]), "LOXODON_TEST_STORE": "postgres"}
    return {**at, "PYTHONPATH": str(_STARTED)}


@contextmanager
def passing(server: Server) -> Iterator[None]:
    """Drop the databases that were made meanwhile."""
    before = set(server.ask(_HOMES))
    yield
    let_go()
    for name, _ in set(server.ask(_HOMES)) - before:
        server.ask(f"DROP DATABASE {name} WITH (FORCE)")
        _known.discard(str(name))
        for root in [root for root in files.SHARED if root.endswith(f"/{name}")]:
            del files.SHARED[root]


def in_process() -> None:
    """The same as `opening` for a process that a test has started, to its end."""
    if os.environ.get(_PORT):
        _at["port"] = int(os.environ[_PORT])
        _redirect(setattr)


def _redirect(put: Callable[[Any, str, Any], None]) -> None:
    from loxodon import memory
    from loxodon.opening import open_space

    real, real_load = open_space, settings.load

    def opened(path: str, space: str, config: Any, *more: Any) -> OpenSpace:
        home = home_at(path)
        if config is None:
            config = settings.load(home, os.environ)
        elif isinstance(config, Mapping):
            config = settings.from_mapping(config)
        return real(path, space, _in_database(home, config), *more)

    def load(home: str, environ: Mapping[str, str] = {}) -> Config:
        """For commands and servers, which look where the spaces are before they open one."""
        return _in_database(home, real_load(home, environ))

    put(memory, "open_space", opened)
    put(settings, "load", load)


def _in_database(home: str, config: Config) -> Config:
    return config if config.store.url else config._replace(store=StoreConfig(_made(home)))


_known = set[str]()


def _made(home: str, template: str = "") -> str:
    """The URL of the database of a home, which is made where there is none."""
    server, name = _server(), _name(home)
    if name not in _known:
        if not server.ask(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
            server.database(template or TEMPLATE, name, home)
        _known.add(name)
    return server.url(name)


def _name(home: str) -> str:
    """What every process calls the database of a home."""
    return f"home_{sha256(os.path.realpath(home).encode()).hexdigest()[:24]}"


def _server() -> At:
    from tests.store.postgres.server import At

    return At(_at["port"])


def let_go() -> None:
    """Close the connections of this process: a server has few."""
    from loxodon.store.postgres.pool import close_pools

    close_pools()
