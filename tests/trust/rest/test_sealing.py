"""Sealed lines, and files whose old content is erased."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.trust.rest import overwriting
from loxodon.trust.rest.sealing import MARK, Seal


def test_a_line_opens_with_its_key_in_its_file_only() -> None:
    seal, other = Seal([secrets.token_bytes(32)]), Seal([secrets.token_bytes(32)])
    closed = seal.closed("我对花生过敏".encode(), "a.jsonl")
    assert closed.startswith(MARK)
    assert b"\n" not in closed
    assert seal.opened(closed, "a.jsonl") == "我对花生过敏".encode()
    assert seal.opened(closed, "b.jsonl") is None
    assert other.opened(closed, "a.jsonl") is None
    assert seal.opened(b"not sealed", "a.jsonl") == b"not sealed"
    for place in range(len(MARK), len(closed), 7):
        spoilt = closed[:place] + bytes([closed[place] ^ 1]) + closed[place + 1 :]
        assert seal.opened(spoilt, "a.jsonl") is None


def test_the_first_key_closes_and_any_opens() -> None:
    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    closed = Seal([old]).closed(b"x", "f")
    assert Seal([new, old]).opened(closed, "f") == b"x"
    assert Seal([new]).opened(Seal([new, old]).closed(b"y", "f"), "f") == b"y"


def test_old_content_is_overwritten(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    Path(path).write_bytes(b"secret words")
    os.link(path, tmp_path / "seen")  # what is left of the old file
    overwriting.replace(path, b"new")
    assert Path(path).read_bytes() == b"new"
    assert Path(tmp_path, "seen").read_bytes() == bytes(12)
    assert sorted(os.listdir(tmp_path)) == ["file", "seen"]


@pytest.mark.parametrize("replaced", [False, True])
def test_what_was_cut_short_is_ended_without_touching_what_is_in_use(
    tmp_path: Path, replaced: bool
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"words")
    os.link(path, f"{path}{overwriting.SUFFIX}")
    if replaced:
        (tmp_path / "new").write_bytes(b"other")
        os.replace(tmp_path / "new", path)
    (tmp_path / "file.123-4.tmp").write_bytes(b"draft")
    overwriting.sweep(str(tmp_path))
    assert path.read_bytes() == (b"other" if replaced else b"words")
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_is_removed_and_what_it_leads_to_left(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    os.symlink(tmp_path / "theirs", tmp_path / "link")
    overwriting.erase(str(tmp_path / "link"))
    overwriting.erase(str(tmp_path / "not there"))
    assert (tmp_path / "theirs").read_text() == "theirs"
    assert os.listdir(tmp_path) == ["theirs"]


def test_a_file_that_was_put_in_its_place_is_followed(tmp_path: Path) -> None:
    """As when a process opens a database in the moment another is put in its place."""
    for name in "ab":
        with Memory.open(tmp_path / name, config={}) as memory:
            memory.capture(f"of {name}")
    file = "spaces/main/loxodon.db"
    with Memory.open(tmp_path / "a", config={}) as memory:
        os.replace(tmp_path / "b" / file, tmp_path / "a" / file)
        assert [one.content for one in memory.list()] == ["of b"]
        memory.capture("and on")
    with Memory.open(tmp_path / "a", config={}) as memory:
        assert [one.content for one in memory.list()] == ["and on", "of b"]
