"""What to install where a package of an extra is missing, by where Loxodon itself came from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from loxodon.errors import ConfigError, install_hint

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
