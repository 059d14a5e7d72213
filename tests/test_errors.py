"""What to install where a package of an extra is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_nothing_tells_how_to_install_but_this_hint() -> None:
    """One that is written out fits only one of the two ways."""
    ours = {"errors.py", "loxodon.po"}
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    code = [path for path in files if path.suffix != ".pyc" and path.name not in ours]
    pages = [*ROOT.glob("README*.md"), ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    assert [path.name for path in (*code, *pages) if b'"loxodon[' in path.read_bytes()] == []


def test_the_hint_names_extras_that_there_are() -> None:
    with open(ROOT / "pyproject.toml", "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"].keys()
    code = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in code for name in re.findall(r'\bextra="(\w+)"', text)}
    assert named
    assert named <= extras
