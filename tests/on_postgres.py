"""The tests of files, on PostgreSQL: with LOXODON_TEST_STORE=postgres, `make test-postgres`.

Every home that a test opens in its own process gets a database of its own, and nothing else
changes. What is about files is left out; each line says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
LEFT_OUT: dict[str, str] = {}
"""Tests that look at files, by how their ids begin."""


def why_not(id: str) -> str:
    """Why a test is not for PostgreSQL; empty where it is."""
    return next((why for begin, why in LEFT_OUT.items() if id.startswith(begin)), "")


def is_refused(error: BaseException) -> bool:
    """Whether a test came upon something that is for files, and was told so."""
    return isinstance(error, UsageError) and error.template in _REFUSED


@contextmanager
def opening(server: Server) -> Iterator[None]:
    """Have every home that is opened meanwhile be in a database of its own."""
    urls: dict[str, str] = {}
    real, real_load = open_space, settings.load

    def opened(path: str, space: str, config: Any, *more: Any) -> OpenSpace:
        home = home_at(path)
        if config is None:
            config = settings.with_environment(settings.load(home), os.environ)
        elif isinstance(config, Mapping):
            config = settings.from_mapping(config)
        assert isinstance(config, Config)
        if not config.store.url:
            if home not in urls:
                urls[home] = server.database()
            config = config._replace(store=StoreConfig(urls[home]))
        return real(path, space, config, *more)

    def load(home: str) -> Config:
        """The settings of a home that was opened: for commands, which ask before they open one."""
        config = real_load(home)
        known = "" if config.store.url else urls.get(home, "")
        return config._replace(store=StoreConfig(known)) if known else config

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loxodon.memory.open_space", opened)
        patch.setattr(settings, "load", load)
        yield
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
