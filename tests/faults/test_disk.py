"""Disks that fail at every point of what a memory does, and power cuts at any moment.

After each: nothing acknowledged is lost, nothing is half there, `validate` and the audit log find
nothing, and the same work done again ends as if nothing had happened. Both suites run in processes
of their own, which fork, are killed and replace the disk.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.disk import KINDS
from tests.faults.work import FAULTY, POWERED
from tests.long import LONG, count, figure

SOME = [("add", "consolidate", "forget")]
# A process for each piece of work; or one for some, where starting it would take longest
TOGETHER = [(work.name,) for work in FAULTY] if LONG else SOME


def reported(module: str, *words: object) -> Any:
    """What `python -m module words…` prints, which is JSON."""
    command = [sys.executable, "-m", module, *map(str, words)]
    folder = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("names", TOGETHER, ids=", ".join)
def test_fault_at_any_point_loses_nothing_and_leaves_nothing_half(names: tuple[str, ...]) -> None:
    """Kills, I/O errors, full disks, torn writes."""
    endings: Counter[str] = Counter()
    for name, report in reported("tests.faults.run", ",".join(names), count(2, 0), 7).items():
        figure(
            "faults",
            work=name.replace(" ", "-"),
            points=report["points"],
            runs=report["runs"],
            kinds=len(report["kinds"]),
            violations=len(report["violations"]),
        )
        endings.update(report["ended"])
        assert report["violations"] == []
        assert report["points"] > 50
        assert not LONG or report["kinds"].keys() == KINDS.keys()
    # The faults do happen: processes are killed, and told of errors.
    assert endings["killed"] + endings["refused"] > 0


@pytest.mark.parametrize("name", [work.name for work in POWERED[: count(1, 5)]])
def test_no_acknowledged_write_is_lost_when_the_power_goes_off(name: str) -> None:
    """The control shows that these cuts do lose what is not synced."""
    report = reported("tests.faults.power", name, count(4, 400), 11, count(4, 50))
    control = report["control"]
    figure(
        "power",
        work=name.replace(" ", "-"),
        steps=report["steps"],
        runs=report["runs"],
        acknowledged=report["acknowledged"],
        violations=len(report["violations"]),
        control_runs=control["runs"],
        control_lost=sum("acknowledged and lost" in one for one in control["violations"]),
    )
    assert report["violations"] == []
    assert report["acknowledged"] > 10
    assert control["violations"]
