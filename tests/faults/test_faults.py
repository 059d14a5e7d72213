"""Kills, I/O errors, full disks and torn writes at every point of what a memory does.

After each: nothing acknowledged is lost, nothing is half there, `validate` finds nothing, and the
same work done again ends as if nothing had happened.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.apart import reported
from tests.faults.disk import KINDS
from tests.faults.work import FAULTY
from tests.long import LONG, count, figure

SEED = 7
SOME = [("add", "consolidate", "forget", "backup")]
TOGETHER = [(work.name,) for work in FAULTY] if LONG else SOME
"""A process for each piece of work; or one for some, where starting it would take longest."""


@pytest.mark.parametrize("names", TOGETHER, ids=", ".join)
def test_fault_at_any_point_loses_nothing_and_leaves_nothing_half(names: tuple[str, ...]) -> None:
    reports = reported("tests.faults.run", ",".join(names), count(3, 0), SEED)
    endings: Counter[str] = Counter()
    for name, report in reports.items():
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
        if LONG:
            assert report["kinds"].keys() == KINDS.keys()
    # The faults do happen: processes are killed, and told of errors.
    assert endings["killed"] + endings["refused"] > 0
