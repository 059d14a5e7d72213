"""A pytest plugin: the tests of other projects meet Loxodon under the names of their own classes.

Loaded by `run.py`, before any of their modules is imported. A home lies beside the database that a
test names, or is a temporary one. What a test needs that is no promise to a program, and why, is in
`left_out.toml`: single tests, and the `parts` of the classes themselves that a test reaches into.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory

OURS: list[type] = []
_MEMORIES: dict[str, Memory] = {}
_TEMPORARY = tempfile.TemporaryDirectory(prefix="loxodon-upstream-")


def _memory(path: object = ":memory:") -> Memory:
    """The memory of a database that a test names; a new one for each that is kept nowhere."""
    name = str(path)
    home = tempfile.mkdtemp(dir=_TEMPORARY.name) if name == ":memory:" else f"{name}.loxodon"
    if home not in _MEMORIES:
        _MEMORIES[home] = Memory.open(home)
    return _MEMORIES[home]


def _put(names: str, ours: type) -> None:
    """Let a class of ours stand at the places that are named."""
    OURS.append(ours)
    for name in names.split():
        module, _, attribute = name.rpartition(".")
        setattr(import_module(module), attribute, ours)


def langgraph() -> None:
    """LangGraph's stores, in memory and in SQLite."""
    from loxodon.compat.langgraph import LoxodonStore

    class InMemoryStore(LoxodonStore):
        def __init__(self, *, index: Any = None) -> None:
            super().__init__(_memory(), index=index)

    class SqliteStore(LoxodonStore):
        @classmethod
        @contextmanager
        def from_conn_string(cls, path: str, **more: Any) -> Iterator[SqliteStore]:
            yield cls(_memory(path), **more)

        def setup(self) -> None:
            """There is nothing to set up."""

    class AsyncSqliteStore(LoxodonStore):
        @classmethod
        @asynccontextmanager
        async def from_conn_string(cls, path: str, **more: Any) -> AsyncIterator[AsyncSqliteStore]:
            yield cls(_memory(path), **more)

        async def setup(self) -> None:
            """There is nothing to set up."""

    _put("langgraph.store.memory.InMemoryStore", InMemoryStore)
    _put("langgraph.store.sqlite.SqliteStore", SqliteStore)
    _put(
        "langgraph.store.sqlite.AsyncSqliteStore langgraph.store.sqlite.aio.AsyncSqliteStore",
        AsyncSqliteStore,
    )


def agents() -> None:
    """The Agents SDK's session in SQLite."""
    from loxodon.compat.agents import LoxodonSession

    class SQLiteSession(LoxodonSession):
        def __init__(self, session_id: str, path: object = ":memory:", **more: Any) -> None:
            super().__init__(session_id, _memory(path), **more)

        def close(self) -> None:
            """The memory is another's, and stays open."""

    _put("agents.SQLiteSession", SQLiteSession)


def mem0() -> None:
    """mem0's memories. What their errors say is not compared: the words are ours."""
    os.environ["MEM0_TELEMETRY"] = "False"
    from loxodon.compat import mem0 as ours

    class InHome(ours.Memory):
        def __init__(self, config: Any = None) -> None:
            super().__init__({"home": tempfile.mkdtemp(dir=_TEMPORARY.name)})

    class AsyncInHome(ours.AsyncMemory):
        def __init__(self, config: Any = None) -> None:
            super().__init__({"home": tempfile.mkdtemp(dir=_TEMPORARY.name)})

    _put("mem0.Memory mem0.memory.main.Memory", InHome)
    _put("mem0.AsyncMemory mem0.memory.main.AsyncMemory", AsyncInHome)
    OURS.append(ours.Memory)  # what the asynchronous one calls
    raises: Any = pytest.raises
    pytest.raises = lambda *given, match=None, **more: raises(*given, **more)


STAND_INS = {one.__name__: one for one in (langgraph, agents, mem0)}


class Plugin:
    """Leaves out what is no promise, and says why."""

    def __init__(self, suite: str) -> None:
        told = tomllib.loads(Path(__file__).with_name("left_out.toml").read_text())[suite]
        self._parts: dict[str, str] = told.get("parts", {})
        self._tests = {name: why for why, names in told["tests"].items() for name in names}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            name = item.nodeid.partition("::")[2].partition("[")[0]
            if why := self._tests.get(name):
                item.add_marker(pytest.mark.skip(reason=why))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, AttributeError) and (
            isinstance(error.obj, tuple(OURS)) or error.obj in OURS
        ):
            name = str(error.name)
            if why := "private" if name.startswith("_") else self._parts.get(name):
                report.outcome = "skipped"
                report.longrepr = ("left out", 0, f"reaches into {name}: {why}")
        return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--stand-in", required=True, choices=STAND_INS)
    parser.addoption("--all", action="store_true", help="leave nothing out")


def pytest_configure(config: pytest.Config) -> None:
    suite = config.getoption("--stand-in")
    STAND_INS[suite]()
    if not config.getoption("--all"):
        config.pluginmanager.register(Plugin(suite))


def pytest_unconfigure() -> None:
    for one in _MEMORIES.values():
        one.close()
    _TEMPORARY.cleanup()
