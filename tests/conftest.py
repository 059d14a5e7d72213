"""What the tests share: a clock that stands still, and a memory in a folder of its own.

And a check that they leave nothing in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from loxodon import Memory

REPOSITORY = Path(__file__).parent.parent
NOW = datetime(2026, 2, 4, 18, 0, tzinfo=timezone(timedelta(hours=8)))

# How long an example takes says more of what else the machine does than of us.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


def _standing() -> set[Path]:
    """What stands in the repository and in the folders of its top level, but for caches."""
    found: set[Path] = set()
    for folder in (REPOSITORY, *(one for one in REPOSITORY.iterdir() if one.is_dir())):
        if not folder.name.startswith("."):
            with suppress(FileNotFoundError):  # another's, that is gone by now
                found |= {
                    one
                    for one in folder.iterdir()
                    if not one.name.startswith((".", "__pycache__")) and one.suffix != ".egg-info"
                }
    return found


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Tests write into their own folders, and so does whatever they start."""
    before = _standing()
    yield
    left = sorted(map(str, _standing() - before))
    assert not left, f"the tests left something in the repository: {left}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=clock
    ) as opened:
        yield opened
