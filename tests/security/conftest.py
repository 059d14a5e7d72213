"""A home with something in it, made once and copied for each test that wants one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.security.homes import Home


@pytest.fixture(scope="session")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    Home(str(folder)).make()
    return folder


@pytest.fixture
def home(made_home: Path, tmp_path: Path) -> Home:
    """Two spaces with turns, memories, transcripts and views; not on record."""
    shutil.copytree(made_home, tmp_path, dirs_exist_ok=True)
    return Home(str(tmp_path))
