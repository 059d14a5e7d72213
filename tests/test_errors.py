"""What to install where a package of an extra is missing, by where Loxodon itself came from."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from loxodon.errors import ConfigError, install_hint

ROOT = Path(__file__).parents[1]
FOLDER = {"url": "file:///src/loxodon", "dir_info": {}}
EDITABLE = {"url": "file:///src/loxodon", "dir_info": {"editable": True}}
WHEEL = {"url": "https://example.org/loxodon.whl", "archive_info": {}}


@pytest.mark.parametrize(
    ("source", "command"),
    [
        (None, 'pip install "loxodon[serve]"'),
        (WHEEL, 'pip install "loxodon[serve]"'),
        (FOLDER, 'pip install ".[serve]"'),
        (EDITABLE, 'pip install ".[serve]"'),
    ],
)
def test_the_hint_fits_how_loxodon_was_installed(
    source: dict[str, Any] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "loxodon-9.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: loxodon\nVersion: 9\n")
    if source is not None:
        (installed / "direct_url.json").write_text(json.dumps(source))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    error = ConfigError("it is missing", hint=install_hint(), extra="serve")
    assert command in error.hint
    assert command in error.localized("zh")[1]


def test_without_being_installed_it_is_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert 'pip install ".[' in install_hint()


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
