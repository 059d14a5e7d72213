"""The docs say what the code does: every command, option, setting, error and format."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loxodon.cli.commands import ALIASES, MODULES, OPTIONS
from loxodon.journal import FORMATS
from loxodon.types import CATEGORIES, CHATS, ORIGINS, ROLES, Record, Turn

ROOT = Path(__file__).parents[1]
REFERENCE = (ROOT / "docs" / "reference.md").read_text("utf-8")


def test_the_docs_are_what_the_tables_say() -> None:
    """Commands, options, settings, errors and paths, each with its default and meaning."""
    done = subprocess.run(
        [sys.executable, "tools/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_page_that_says_something_else_is_named_and_put_right(tmp_path: Path) -> None:
    for name in ("docs", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    tool = [sys.executable, str(tmp_path / "tools" / "reference.py")]
    for page, before, after in (
        ("reference.md", "| `recall.top` | `10` |", "| `recall.top` | `11` |"),
        ("reference.md", "| `--top N` |", "| `--most N` |"),
        ("http.md", "| GET | `/status` |", "| GET | `/state` |"),
    ):
        path = tmp_path / "docs" / page
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, after, 1), "utf-8")
        checked = subprocess.run([*tool, "--check"], capture_output=True, text=True)
        assert checked.returncode == 1
        assert f"docs/{page} is out of date" in checked.stderr
        assert subprocess.run(tool).returncode == 0
        assert path.read_text("utf-8") == text


def test_every_global_option_is_in_the_reference() -> None:
    assert [option for option in OPTIONS if f"`{option}" not in REFERENCE] == []


def test_every_field_format_and_choice_is_in_the_reference() -> None:
    for name in (*Record._fields, *Turn._fields, *FORMATS, *CATEGORIES, *CHATS, *ORIGINS, *ROLES):
        assert f"`{name}`" in REFERENCE, name


def _anchor(heading: str) -> str:
    """What GitHub calls a heading in an address."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


def test_links_within_the_docs_lead_to_a_heading() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
    for name, text in pages.items():
        for page, anchor in re.findall(r"\]\(([a-z]*(?:\.md)?)#([^)]+)\)", text):
            headings = re.findall(r"^#+ (.*)$", pages[page or name], re.M)
            assert anchor in map(_anchor, headings), f"{name}: {page}#{anchor}"


DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "ARCHITECTURE.md")


@pytest.mark.parametrize("page", [*PAGES, *(f"docs/{one.name}" for one in DOCS)])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_readme_names_only_commands_that_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"^\$? ?loxodon ([a-z-]+)", text, re.M))
    assert named
    assert named <= {*MODULES, *ALIASES}


def test_the_two_readmes_have_the_same_sections_and_commands() -> None:
    english, chinese = ((ROOT / page).read_text("utf-8") for page in PAGES[:2])
    assert english.count("\n## ") == chinese.count("\n## ")
    assert re.findall(r"^\$ (loxodon [a-z-]+)", english, re.M) == re.findall(
        r"^\$ (loxodon [a-z-]+)", chinese, re.M
    )


def test_the_version_is_the_same_everywhere() -> None:
    import loxodon

    assert f'version = "{loxodon.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def _named(text: str) -> set[str]:
    """The paths that a text names in backticks, and the files and folders of its trees."""
    found = {
        name
        for name in re.findall(r"`(\w[\w./-]*)`", text)
        if "/" in name.strip("/") or re.search(r"/$|\.(?:py|md|toml|sql)$", name)
    }
    for tree in re.findall(r"^src/loxodon/\n((?:  .*\n)+)", text, re.M):
        for folder, rest in re.findall(r"^  ([\w./]+)((?:.*\n)(?: {3,}.*\n)*)", tree, re.M):
            inner = re.findall(r"\b[a-z_0-9]+/(?=[\s,;:)])", rest) if folder[-1] == "/" else ()
            found |= {folder, *(folder + name for name in inner)}
    return found


def _missing(text: str) -> set[str]:
    roots = ROOT, ROOT / "src" / "loxodon"
    return {name for name in _named(text) if not any((root / name).exists() for root in roots)}


def test_the_architecture_names_every_part_and_nothing_else() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    source = ROOT / "src" / "loxodon"
    for path in source.iterdir():
        if path.name not in ("__init__.py", "__pycache__", "py.typed"):
            assert path.name in text, path.name
    assert {"recall/pipeline.py", "store/sqlite/", "memory.py"} <= _named(text)
    assert _missing(text) == set()
    gone = "in `store/desk.py` and\n\n```\nsrc/loxodon/\n  store/   protocol; cupboard/ too\n```\n"
    assert _missing(gone) == {"store/desk.py", "store/cupboard/"}


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
        timeout=300,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr.decode()
    assert "小美在大阪读书" in done.stdout.decode()
    assert (tmp_path / ".loxodon" / "spaces" / "main").is_dir()
