"""How long a suite runs, and where its figures go.

What is long by nature has a short form, which every `make test` runs, and a long form:
`make test-long`, which sets LOXODON_LONG. That of faults, attacks and fuzz has the numbers that
docs/trust.md shows.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

LONG = os.environ.get("LOXODON_LONG", "") not in ("", "0")


Case = TypeVar("Case")


def count(short: int, long: int) -> int:
    """How many cases this run has: `short` in an ordinary run, `long` in the long form."""
    return long if LONG else short


def some(cases: Sequence[Case], step: int) -> Sequence[Case]:
    """Every `step`-th of the cases in an ordinary run, all in the long form."""
    return cases[:: count(step, 1)]


def figure(name: str, **values: object) -> None:
    """Add the line `FIGURE name key=value …` to the file that LOXODON_FIGURES names, if any.

    The line goes out in one append: workers who report at once do not mix their lines.
    """
    path = os.environ.get("LOXODON_FIGURES", "")
    if not path:
        return
    line = " ".join(["FIGURE", name, *(f"{key}={value}" for key, value in values.items())])
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, (line + "\n").encode())
    finally:
        os.close(handle)
