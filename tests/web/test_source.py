"""What the sources of the console must not have."""

from __future__ import annotations

import json
import re
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
WEB = REPOSITORY / "web"
DIST = REPOSITORY / "src" / "loxodon" / "http" / "web" / "dist"
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write"
    r"|createContextualFragment|DOMParser|\beval\(|new Function"
)
# How words begin that are looked up by a value of the API
FROM_VALUES = (
    "change_ origin_ why_ gate_ place_ category_ audience_ job_ part_ left_ type_ source_ tie_"
    " hint_"
)
ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/)")


def sources() -> list[Path]:
    found = [path for path in (WEB / "src").rglob("*") if path.is_file()]
    assert len(found) > 30
    return found


def test_no_text_becomes_markup() -> None:
    assert [path.name for path in sources() if MARKUP.search(path.read_text("utf-8"))] == []


def test_nothing_comes_from_elsewhere() -> None:
    assert [path.name for path in sources() if ELSEWHERE.search(path.read_text("utf-8"))] == []
    page = (DIST / "index.html").read_text("utf-8")
    assert not re.search(r"<style|<script(?! (type=\"module\" )?src=)|\son\w+=|\sstyle=", page)


def test_what_the_page_needs_is_built() -> None:
    page = (DIST / "index.html").read_text("utf-8")
    names = re.findall(r'"console/([^"]+)"', page)
    assert any(name.startswith("main-") for name in names)
    assert all((DIST / name).is_file() for name in names)
    assert "preact" in (DIST / "LICENSES.txt").read_text("utf-8")


def test_the_lock_names_versions_and_no_host() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert not [name for name, one in packages.items() if "resolved" in one]
    assert not [name for name, one in packages.items() if "integrity" not in one]
    wanted = json.loads((WEB / "package.json").read_text("utf-8"))
    exact = wanted["dependencies"] | wanted["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in exact.values())


def test_every_operation_has_words_and_nothing_else() -> None:
    from loxodon.http.openapi import document

    table = (WEB / "src" / "words" / "operations.ts").read_text("utf-8")
    ids = {one["operationId"] for path in document()["paths"].values() for one in path.values()}
    ids |= {"console", "exchange", "openapi", "refused"}
    assert ids == set(re.findall(r"^  (\w+):", table, re.M))


def test_every_word_is_used() -> None:
    table = (WEB / "src" / "words" / "en.ts").read_text("utf-8")
    keys = re.findall(r"^  (\w+):", table, re.M)
    code = "\n".join(path.read_text("utf-8") for path in sources() if path.parent.name != "words")
    made = tuple(FROM_VALUES.split())
    values = ["assistant", "system", "tool", "turn", "note"]
    unused = [key for key in keys if not key.startswith(made) and f'"{key}"' not in code]
    assert set(unused) <= set(values)
