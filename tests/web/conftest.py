"""The console in a real browser, against a real server.

`make test-web` brings what that needs and sets LOXODON_WEB; without that only the sources are
looked at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.http.server import Server
from tests.web.browsing import CHROMIUM, Console, chromium
from tests.web.homes import lived


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if not os.environ.get("LOXODON_WEB"):
        pytest.skip("`make test-web` tries the console in a browser")
    assert CHROMIUM, "there is no Chromium here: install the package chromium"
    with chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="session")
def example(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home to copy."""
    home = tmp_path_factory.mktemp("example") / "home"
    lived(home)
    return home


@pytest.fixture(scope="module")
def server(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a copy of the example, for the tests of a module."""
    home = tmp_path_factory.mktemp("served") / "home"
    shutil.copytree(example, home)
    with Server(home) as started:
        yield started


@pytest.fixture
def console(browser: Any, server: Server) -> Iterator[Callable[..., Console]]:
    """Opens the console; what the browser complained of fails the test."""
    opened: list[Console] = []

    def open_console(**how: Any) -> Console:
        opened.append(Console(browser, server.url, **how))
        return opened[-1]

    yield open_console
    trouble = [line for one in opened for line in one.trouble]
    for one in opened:
        one.context.close()
    assert not trouble
