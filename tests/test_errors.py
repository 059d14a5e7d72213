"""What to install where a package of an extra is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_hint_names_extras_that_there_are() -> None:
    with open(ROOT / "pyproject.toml", "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"].keys()
    code = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in code for name in re.findall(r'\bextra="(\w+)"', text)}
    assert named
    assert named <= extras
