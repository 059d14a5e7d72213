"""The tests of files, on PostgreSQL: with LOXODON_TEST_STORE=postgres, `make test-postgres`.

Every home that a test opens in its own process gets a database of its own, and nothing else
changes. What is about files is left out; each line says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest

from loxodon import config as settings
from loxodon import files
from loxodon.config import Config, StoreConfig
from loxodon.errors import REFUSED, UsageError
from loxodon.services.opening import open_space
from loxodon.services.space import OpenSpace
from loxodon.spaces import home_at

if TYPE_CHECKING:
    from tests.store.postgres.server import Server

ON = os.environ.get("LOXODON_TEST_STORE", "") == "postgres"


_REFUSED = {message for message, _ in REFUSED.values()}
_FILES, _PROCESSES = "looks at files of a space", "starts processes that open files"
LEFT_OUT = {
    "tests/attacks/test_doors.py::test_silent_connections": _PROCESSES,
    "tests/live/test_flush.py::test_several_processes": _PROCESSES,
    "tests/live/test_plain.py": "is about the memory of plain files",
    "tests/recall/test_assemble.py::test_a_soul_that_is_no_file": _FILES,
    "tests/recall/test_assemble.py::test_the_soul_is_given": _FILES,
    "tests/recall/test_recall.py::test_any_text_is_a_query": "opens a home for every example",
    "tests/recall/test_routes.py::test_each_process": _PROCESSES,
    "tests/test_memory.py::test_an_open_memory_that_is_lost": "holds no connection between calls",
    "tests/test_memory.py::test_any_name_is_a_space": _FILES,
    "tests/trust/access/test_pausing.py::test_a_file_that_is_spoilt": _FILES,
    "tests/trust/access/test_places.py": "is about paths in and around a home",
    "tests/trust/audit/test_log.py::test_a_draft_of_a_restore": _FILES,
    "tests/trust/audit/test_log.py::test_a_write_is_synced_once": _FILES,
    "tests/trust/audit/test_log.py::test_a_write_that_": "breaks SQLite's way of writing",
    "tests/trust/audit/test_log.py::test_lines_of_another_log": _FILES,
    "tests/trust/audit/test_log.py::test_no_word_is_in_it": _FILES,
    "tests/trust/audit/test_log.py::test_threads_and_processes": _PROCESSES,
    "tests/trust/audit/test_log.py::test_what_was_found_can_be_accepted": _FILES,
    "tests/trust/audit/test_log.py::test_without_the_key": _FILES,
    "tests/trust/forget/test_asked.py::test_a_request_survives_a_restore": _FILES,
    "tests/trust/forget/test_copies.py": "is about text views",
    "tests/trust/forget/test_forgetting.py::test_a_backup": "is about backup files",
    "tests/trust/forget/test_forgetting.py::test_a_database_that_was_set_aside": _FILES,
    "tests/trust/forget/test_forgetting.py::test_edited_views": "is about text views",
    "tests/trust/forget/test_forgetting.py::test_killed_at_any_point": _PROCESSES,
    "tests/trust/forget/test_leftovers.py": "is about files beside a database",
    "tests/trust/forget/test_spaces.py::test_a_damaged": _FILES,
    "tests/trust/forget/test_spaces.py::test_a_deletion_that_is_killed": _PROCESSES,
    "tests/trust/forget/test_spaces.py::test_it_is_refused_while": _PROCESSES,
    "tests/working/test_session.py::test_a_kill_at_any_moment": _PROCESSES,
    "tests/working/test_session.py::test_two_processes": _PROCESSES,
}
"""Tests that are not for PostgreSQL, by how their ids begin."""
FOLDERS = (
    "tests/test_memory.py",
    "tests/test_documents.py",
    "tests/recall",
    "tests/write",
    "tests/working",
    "tests/live",
    "tests/compat",
    "tests/trust/access",
    "tests/trust/audit",
    "tests/trust/forget",
    "tests/trust/origin",
    "tests/attacks/test_doors.py",
    "tests/attacks/test_inlets.py",
    "tests/attacks/test_surfaces_table.py",
)
"""What `make test-postgres` runs."""


def why_not(id: str) -> str:
    """Why a test is not for PostgreSQL; empty where it is."""
    return next((why for begin, why in LEFT_OUT.items() if id.startswith(begin)), "")


def is_refused(error: BaseException) -> bool:
    """Whether a test came upon something that is for files, and was told so."""
    return isinstance(error, UsageError) and error.template in _REFUSED


_open: list[tuple[Server, dict[str, str]]] = []


def databases(folder: Path) -> list[tuple[Server, str]]:
    """(server, URL) of the databases that the homes below a folder are in."""
    return [
        (server, url)
        for server, urls in _open
        for home, url in urls.items()
        if Path(home).is_relative_to(folder)
    ]


@contextmanager
def opening(server: Server) -> Iterator[None]:
    """Have every home that is opened meanwhile be in a database of its own."""
    urls: dict[str, str] = {}
    _open.append((server, urls))
    alone = Lock()
    real, real_load = open_space, settings.load

    def in_database(home: str, config: Config) -> Config:
        if config.store.url:
            return config
        with alone:
            if home not in urls:
                urls[home] = server.database()
        return config._replace(store=StoreConfig(urls[home]))

    def opened(path: str, space: str, config: Any, *more: Any) -> OpenSpace:
        home = home_at(path)
        if config is None:
            config = settings.with_environment(settings.load(home), os.environ)
        elif isinstance(config, Mapping):
            config = settings.from_mapping(config)
        return real(path, space, in_database(home, config), *more)

    def load(home: str) -> Config:
        """For commands and servers, which look where the spaces are before they open one."""
        return in_database(home, real_load(home))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loxodon.memory.open_space", opened)
        patch.setattr(settings, "load", load)
        yield
    _open.pop()
    let_go()
    for url in urls.values():
        server.ask(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


def let_go() -> None:
    """Close the connections of this process: a server has few."""
    from loxodon.store.postgres.files import PostgresFiles
    from loxodon.store.postgres.pool import close_pools

    close_pools()
    for one in files._SHARED.values():
        assert isinstance(one, PostgresFiles)
        while one._idle:
            one._idle.pop().close()
    files._SHARED.clear()
