"""No pattern takes more than a power of its text: one that did would outlast any bound on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked import COLD
from tests.long import LONG, count

SECONDS = 600 if LONG else 120
"""Of processor time, many times what is needed: who tries all ways needs years."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on processor time")
def test_no_pattern_tries_ever_more_ways_on_a_text_that_repeats_what_it_repeats() -> None:
    numbers = map(str, (count(10, 400), SECONDS))
    command = [*COLD, "-m", "tests.consolidate.patterns", *numbers]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    last = run.stdout.splitlines()[-1:] or [run.stderr]
    assert run.returncode == 0, last[0] + run.stderr
    _, patterns, tried = last[0].split()
    assert int(patterns) > 1_000
    assert int(tried) > 5_000
