"""What the tests share: a clock that stands still, and a memory in a folder of its own.

And a check that they leave nothing outside their folders.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from loxodon import Memory
from tests.quick import REAL, make_empty, quick
from tests.tidy import differences, no_cache, stamps

REPOSITORY = Path(__file__).parent.parent
NOW = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))

# How long an example takes says more of what else the machine does than of us.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

# Tests start hundreds of programs. Each would compile what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


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
        patch.setattr(tempfile, "tempdir", None)
        yield
    left = {
        "the repository": differences(before, stamps(REPOSITORY, no_cache)),
        "the home folder": differences({}, stamps(home)),
        "the folder for temporary files": differences({}, stamps(temporary)),
    }
    assert not any(left.values()), f"the tests left something behind: {left}"


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_empty(tmp_path_factory.mktemp("empty") / "loxodon.db")


@pytest.fixture(scope="module", autouse=True)
def disk(request: pytest.FixtureRequest, empty_store: Path) -> Iterator[None]:
    """A quick one, but for the tests that are about it."""
    with nullcontext() if request.module.__name__.startswith(REAL) else quick(empty_store):
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=clock
    ) as opened:
        yield opened
