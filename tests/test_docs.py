"""The docs say what the code does: every command, option, setting, error and format."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loxodon import errors
from loxodon.config import KEYS, written
from loxodon.serve.cli.parser import _OPTIONS, COMMANDS
from loxodon.types import CATEGORIES, CHATS, ORIGINS, ROLES, Record, Turn
from loxodon.workspace.readers import FORMATS
from tests.each import each

ROOT = Path(__file__).parents[1]
REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")


def section(title: str) -> str:
    found = re.search(
        rf"^(#+) [^\n]*{re.escape(title)}.*?(?=^#{{1,3}} |\Z)", REFERENCE, re.M | re.S
    )
    assert found, title
    return found[0]


@each("name", COMMANDS)
def test_every_command_and_option_is_in_the_reference(name: str) -> None:
    text = section(f"`loxodon {name}")
    parser = argparse.ArgumentParser()
    COMMANDS[name][1](parser)
    options = {option for action in parser._actions for option in action.option_strings}
    inherited = section("`loxodon capture") if name == "edit" else ""
    inherited += section("`loxodon recall") if name == "list" else ""
    for option in options - {"-h", "--help"}:
        assert f"`{option}" in text + inherited, option


def test_every_global_option_is_in_the_reference() -> None:
    for option in (*_OPTIONS, "--json"):
        assert f"`{option}" in REFERENCE


def test_every_setting_stands_with_its_default_and_meaning() -> None:
    for name, key in KEYS.items():
        default = f"`{written(key.default)}`" if key.default != "" else "empty"
        assert f"| `{name}` | {default} | {key.about} |" in REFERENCE


def test_every_error_and_exit_code_is_in_the_reference() -> None:
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.LoxodonError):
            assert name in REFERENCE, name
            lines = REFERENCE.splitlines()
            row = next(line for line in lines if line.startswith(f"| {kind.exit_code} |"))
            assert f"`{kind.code}`" in row, name


def test_every_field_format_and_choice_is_in_the_reference() -> None:
    for name in (*Record._fields, *Turn._fields, *FORMATS, *CATEGORIES, *CHATS, *ORIGINS, *ROLES):
        assert f"`{name}`" in REFERENCE, name


def test_no_command_in_the_reference_is_made_up() -> None:
    assert set(re.findall(r"^### `loxodon ([a-z-]+)", REFERENCE, re.M)) <= set(COMMANDS)


PAGES = ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "ARCHITECTURE.md")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_readme_names_only_commands_that_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"^\$? ?loxodon ([a-z-]+)", text, re.M))
    assert named
    assert named <= set(COMMANDS)


def test_the_two_readmes_have_the_same_sections_and_commands() -> None:
    english, chinese = ((ROOT / page).read_text("utf-8") for page in PAGES[:2])
    assert english.count("\n## ") == chinese.count("\n## ")
    assert re.findall(r"^\$ (loxodon [a-z-]+)", english, re.M) == re.findall(
        r"^\$ (loxodon [a-z-]+)", chinese, re.M
    )


def test_the_version_is_the_same_everywhere() -> None:
    import loxodon

    assert f'version = "{loxodon.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_the_architecture_names_every_part() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    source = ROOT / "src" / "loxodon"
    for path in source.iterdir():
        if path.name not in ("__init__.py", "__pycache__", "py.typed"):
            assert path.name in text, path.name


def test_lock_files_name_no_host() -> None:
    for path in (ROOT / "requirements").iterdir():
        text = path.read_text("utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text


@pytest.mark.parametrize("page", PAGES[:2])
def test_the_example_in_the_readme_runs(page: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=60,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "小美在大阪读书" in done.stdout.decode()
    assert (tmp_path / ".loxodon" / "spaces" / "main").is_dir()
