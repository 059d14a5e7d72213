"""Cases as data: one a line, in a file beside the test that has them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


def cases(test: str, of: str) -> list[dict[str, Any]]:
    """Those `of` one list, without that name; `test_dates.py` has them in `dates.jsonl`."""
    path = Path(test)
    rows = _rows(path.with_name(path.stem.removeprefix("test_") + ".jsonl"))
    found = [{name: value for name, value in row.items() if name != "of"} for row in rows[of]]
    assert found
    return found


@cache
def _rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["of"], []).append(row)
    return found
