"""The power goes off at any moment: what was acknowledged is there afterwards."""

from __future__ import annotations

import pytest

from tests.faults.apart import reported
from tests.faults.work import POWERED
from tests.long import count, figure

SEED = 11


@pytest.mark.parametrize("name", [work.name for work in POWERED[: count(1, 5)]])
def test_no_acknowledged_write_is_lost_when_the_power_goes_off(name: str) -> None:
    """The control shows that these cuts do lose what is not synced."""
    report = reported("tests.faults.power", name, count(8, 400), SEED, count(6, 50))
    control = report["control"]
    lost = [one for one in control["violations"] if "acknowledged and lost" in one]
    figure(
        "power",
        work=name.replace(" ", "-"),
        steps=report["steps"],
        runs=report["runs"],
        acknowledged=report["acknowledged"],
        violations=len(report["violations"]),
        control_runs=control["runs"],
        control_lost=len(lost),
    )
    assert report["violations"] == []
    assert report["acknowledged"] > 10
    assert control["violations"]
    if name.startswith("everything"):  # the others have few deeds, and are damaged before they end
        assert lost
