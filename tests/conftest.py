"""What the tests share: a clock that stands still, and a memory in a folder of its own.

And a check that they leave nothing outside their folders.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from loxodon import Memory
from tests import on_postgres
from tests.clock import NOW as NOW
from tests.clock import Clock as Clock
from tests.forked import forking
from tests.long import count
from tests.quick import MEANING, REAL, Readings, make_empty, quick, reading_once
from tests.tidy import differences, no_cache, stamps

if TYPE_CHECKING:
    from tests.store.postgres.server import Server

REPOSITORY = Path(__file__).parent.parent

# How long an example takes says more of what else the machine does than of us. Only the long form
# looks for new examples: what a change must pass does not depend on chance.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=count(1, 0) == 1,
    max_examples=count(10, 100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Tests start hundreds of programs. Each would compile what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# In memory where there is such a place: faults and kills are made up, none is of the real disk.
_IN_MEMORY, _ROOM = "/dev/shm", 4 << 30
if os.path.isdir(_IN_MEMORY) and shutil.disk_usage(_IN_MEMORY).free > _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", _IN_MEMORY)


# What is imported and collected stays: to look for garbage in it, again and again, finds none.
gc.disable()


def pytest_collection_finish() -> None:
    """Have the garbage collector pass over all that was imported, and seldom over the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests write into their own folders, and so does whatever they start.

    The home folder and the one for temporary files are the run's own, so that what is left there
    is the tests'.
    """
    before = stamps(REPOSITORY, no_cache)
    home, temporary = tmp_path_factory.mktemp("user"), tmp_path_factory.mktemp("tmp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("TMPDIR", str(temporary))
        # Nothing here is behind TLS, and every client would read the certificates of the world.
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("authorities")))
        patch.setattr(tempfile, "tempdir", None)
        yield
    left = {
        "the repository": differences(before, stamps(REPOSITORY, no_cache)),
        "the home folder": differences({}, stamps(home)),
        "the folder for temporary files": differences({}, stamps(temporary)),
    }
    assert not any(left.values()), f"the tests left something behind: {left}"


@pytest.fixture(scope="session", autouse=True)
def programs(nothing_left_behind: None) -> Iterator[None]:
    """Those that tests start are forked, which takes a tenth of the time."""
    with nullcontext() if on_postgres.ON else forking():
        yield


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_empty(tmp_path_factory.mktemp("empty") / "loxodon.db")


@pytest.fixture(scope="module", autouse=True)
def disk(request: pytest.FixtureRequest, empty_store: Path) -> Iterator[None]:
    """A quick one, but for the tests that are about it."""
    with nullcontext() if request.module.__name__.startswith(REAL) else quick(empty_store):
        yield


@pytest.fixture(scope="session")
def readings(pytestconfig: pytest.Config) -> Readings:
    return Readings(pytestconfig.cache.mkdir("encoder"))


@pytest.fixture(scope="module", autouse=True)
def meaning(request: pytest.FixtureRequest, readings: Readings) -> Iterator[None]:
    """Told once for each text, but for the tests that are about it."""
    with nullcontext() if request.module.__name__ == MEANING else reading_once(readings):
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; it is started by the first test that asks for it."""
    from tests.store.postgres.server import running

    with running() as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if on_postgres.ON and (why := on_postgres.why_not(item.nodeid)):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    return (yield from _unless_refused())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    return (yield from _unless_refused())


def _unless_refused() -> Iterator[None]:
    """Leave out what comes upon something that is for files, on PostgreSQL."""
    try:
        return (yield)
    except Exception as error:
        if on_postgres.ON and on_postgres.is_refused(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="session", autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """Files, unless the run is to try PostgreSQL."""
    if not on_postgres.ON:
        yield
        return
    with on_postgres.opening(request.getfixturevalue("postgres")):
        yield


@pytest.fixture(autouse=True)
def databases(request: pytest.FixtureRequest) -> Iterator[None]:
    """Those of a test go with it; those of what a module shares stay."""
    if not on_postgres.ON:
        yield
        return
    with on_postgres.passing(request.getfixturevalue("postgres")):
        yield


@pytest.fixture(scope="session")
def shared_postgres(postgres: Server) -> str:
    """The URL of a database that many tests share: each has spaces of its own."""
    return postgres.database()


@pytest.fixture
def postgres_url(postgres: Server) -> str:
    """The URL of a database of one's own."""
    return postgres.database()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """Without views: writing them is a third of what a consolidation takes."""
    config = {"timezone": "Asia/Shanghai", "workspace.views": "off"}
    with Memory.open(tmp_path / "home", config=config, clock=clock) as opened:
        yield opened
