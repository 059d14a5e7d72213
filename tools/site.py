"""Lay out what mkdocs builds the site from, in build/docs: the pages of docs/ and those of the
repository's root, with their links set right. `make docs` runs it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
INTO = ROOT / "build" / "docs"
PAGES = {
    "README.md": "index.md",
    "README.zh-CN.md": "index.zh.md",
    **{
        name: name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
    },
}


def main() -> None:
    shutil.rmtree(INTO, ignore_errors=True)
    shutil.copytree(ROOT / "docs", INTO)
    for path in INTO.glob("*.md"):
        path.write_text(_relinked(path.read_text("utf-8"), "../"), "utf-8")
    for source, page in PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        # Between the languages, the site has a switch of its own.
        text = re.sub(r"^\[(?:中文说明|English)\]\(README[\w.-]*\)\n\n?", "", text, flags=re.M)
        (INTO / page).write_text(_relinked(text, "docs/"), "utf-8")


def _relinked(text: str, prefix: str) -> str:
    """A page whose links hold in build/docs; of those to files that the site lacks, the words."""

    def link(match: re.Match[str]) -> str:
        words, target = match.groups()
        page, hash, heading = target.removeprefix(prefix).partition("#")
        page = PAGES.get(page, page)
        if page and not (ROOT / "docs" / page).exists() and page not in PAGES.values():
            return words
        return f"[{words}]({page.replace('.zh.md', '.md')}{hash}{heading})"

    return re.sub(r"\[([^\]]*)\]\((?!https?:|mailto:)([^)\s]+)\)", link, text)


if __name__ == "__main__":
    main()
