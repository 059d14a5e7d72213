"""The folder of views: what is written, what is left alone, and what a killed export leaves."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from loxodon.errors import InputError, LoxodonError, NotFoundError, UnwritableStoreError
from loxodon.types import Exported
from loxodon.workspace.views import Planned, View, comment, folder, head, manifest
from loxodon.workspace.views.folder import Folder

FACTS = "layer2/active/facts.jsonl"


def text_of(name: str, said: str) -> str:
    if name.endswith(".md"):
        return f"{comment(name, 'main')}\n\n{said}\n"
    return json.dumps({"loxodon": head(name, "main")}) + f"\n{json.dumps({'content': said})}\n"


def planned(name: str, said: str, basis: str = "") -> Planned:
    view = View(name, text_of(name, said), {"f_20260204_001": 3})
    return Planned(name, basis, lambda: view)


def export(
    root: Path,
    *views: tuple[str, str],
    space: str = "main",
    masked: bool = False,
    settled: dict[str, str] | None = None,
) -> Exported:
    with Folder(str(root), space, masked=masked, settled=settled) as held:
        for name, said in views:
            held.put(planned(name, said))
        return held.finish()


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    found = (path for path in root.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_ino) for path in found}


def changed(root: Path, found: manifest.Manifest) -> list[str]:
    """The views that are not as they were written."""
    return [name for name in found.files if manifest.change_of(str(root), name, found) != "same"]


def test_files_are_for_their_owner_only_and_whole(tmp_path: Path) -> None:
    root = tmp_path / "workspace" / "memory"
    done = export(root, ("insights.md", "a"), (FACTS, "b"))
    assert (done.written, done.unchanged, done.removed, done.kept) == (2, 0, 0, ())
    assert (root / FACTS).read_text("utf-8") == text_of(FACTS, "b")
    for path in (root, *root.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    assert not list(root.rglob("*.tmp"))
    assert not (root / manifest.PART).exists()


def test_what_is_unchanged_is_not_touched(tmp_path: Path) -> None:
    export(tmp_path, ("insights.md", "a"), (FACTS, "b"), ("tags.json", "c"))
    before = stamps(tmp_path)
    done = export(tmp_path, ("insights.md", "a"), (FACTS, "b"), ("tags.json", "c"))
    assert (done.written, done.unchanged) == (0, 3)
    assert stamps(tmp_path) == before
    done = export(tmp_path, ("insights.md", "a"), (FACTS, "new"), ("tags.json", "c"))
    assert (done.written, done.unchanged) == (1, 2)


def test_a_view_with_the_same_basis_is_not_even_made(tmp_path: Path) -> None:
    made = []

    def make() -> View:
        made.append(1)
        return View("tags.json", text_of("tags.json", "a"))

    for basis in ("1", "1", "2"):
        with Folder(str(tmp_path), "main") as held:
            held.put(Planned("tags.json", basis, make))
            held.finish()
    assert len(made) == 2


def test_the_manifest_says_what_was_written(tmp_path: Path) -> None:
    export(tmp_path, ("insights.md", "a"))
    found = manifest.load(str(tmp_path))
    assert found is not None
    row = found.files["insights.md"]
    about = (tmp_path / "insights.md").stat()
    assert (row.size, row.mtime, row.ids) == (
        about.st_size,
        about.st_mtime_ns,
        {"f_20260204_001": 3},
    )
    assert (found.space, found.masked) == ("main", False)
    assert changed(tmp_path, found) == []
    assert manifest.read(str(tmp_path), "insights.md")[1] == row.sha256


def test_an_edit_of_the_same_size_at_once_is_seen(tmp_path: Path) -> None:
    export(tmp_path, ("insights.md", "a"))
    path = tmp_path / "insights.md"
    at = path.stat()
    path.write_text(text_of("insights.md", "b"), "utf-8")
    os.utime(path, ns=(at.st_atime_ns, at.st_mtime_ns))
    found = manifest.load(str(tmp_path))
    assert found is not None
    assert changed(tmp_path, found) == ["insights.md"]


def test_a_file_that_is_not_ours_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "tags.json").write_text('{"mine": 1}', "utf-8")
    (tmp_path / "insights.md").write_text("# my own insights\n", "utf-8")
    done = export(tmp_path, ("insights.md", "a"), ("tags.json", "b"), ("projects.md", "c"))
    assert {one.file for one in done.kept} == {"insights.md", "tags.json"}
    assert all(one.what and one.hint for one in done.kept)
    assert (tmp_path / "tags.json").read_text("utf-8") == '{"mine": 1}'
    assert done.written == 1
    # Nor is it removed when the view is no more.
    assert export(tmp_path).removed == 1
    assert (tmp_path / "insights.md").exists()


def test_a_view_with_edits_waits_until_they_are_taken_in(tmp_path: Path) -> None:
    export(tmp_path, ("insights.md", "a"))
    path = tmp_path / "insights.md"
    path.write_text(text_of("insights.md", "my edit"), "utf-8")
    done = export(tmp_path, ("insights.md", "new"))
    assert [one.file for one in done.kept] == ["insights.md"]
    assert "my edit" in path.read_text("utf-8")
    _, read = manifest.read(str(tmp_path), "insights.md")
    # What was edited after sync has read it is not lost either.
    path.write_text(text_of("insights.md", "my next edit"), "utf-8")
    done = export(tmp_path, ("insights.md", "new"), settled={"insights.md": read})
    assert "my next edit" in path.read_text("utf-8")
    _, read = manifest.read(str(tmp_path), "insights.md")
    done = export(tmp_path, ("insights.md", "new"), settled={"insights.md": read})
    assert (done.written, done.kept) == (1, ())
    assert "new" in path.read_text("utf-8")


def test_edits_that_are_not_read_back_are_set_aside(tmp_path: Path) -> None:
    for n in (1, 2):
        export(tmp_path, ("USER.md", f"a{n}"))
        (tmp_path / "USER.md").write_text(text_of("USER.md", f"mine {n}"), "utf-8")
        done = export(tmp_path, ("USER.md", f"b{n}"))
        assert [one.file for one in done.kept] == ["USER.md"]
        assert f"b{n}" in (tmp_path / "USER.md").read_text("utf-8")
    assert "mine 1" in (tmp_path / "USER.md.edited").read_text("utf-8")
    assert "mine 2" in (tmp_path / "USER.md.edited-2").read_text("utf-8")


def test_views_that_are_no_more_go_unless_they_were_edited(tmp_path: Path) -> None:
    export(tmp_path, ("segments/a.md", "a"), ("insights/2026-01.md", "b"), ("tags.json", "c"))
    (tmp_path / "insights" / "2026-01.md").write_text(text_of("insights/2026-01.md", "x"), "utf-8")
    done = export(tmp_path, ("tags.json", "c"))
    assert done.removed == 1
    assert [one.file for one in done.kept] == ["insights/2026-01.md"]
    assert not (tmp_path / "segments").exists()
    found = manifest.load(str(tmp_path))
    assert found is not None
    assert "insights/2026-01.md" in found.files  # so that sync can still read it


def test_a_file_that_was_deleted_or_emptied_comes_back(tmp_path: Path) -> None:
    export(tmp_path, ("insights.md", "a"), ("tags.json", "b"))
    (tmp_path / "insights.md").write_bytes(b"")  # as a power cut leaves it
    (tmp_path / "tags.json").unlink()
    assert export(tmp_path, ("insights.md", "a"), ("tags.json", "b")).written == 2


def test_links_that_leave_the_folder_are_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "memory", tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(text_of("insights.md", "x"), "utf-8")
    export(root)
    (root / "segments").symlink_to(outside)
    (root / "insights.md").symlink_to(outside / "secret.md")
    (root / "layer2").symlink_to(outside)
    names = ("segments/a.md", "layer2/index/b.json", "insights.md")
    done = export(root, *((name, "a") for name in names), ("tags.json", "c"))
    assert {one.file for one in done.kept} == set(names)
    assert [path.name for path in outside.iterdir()] == ["secret.md"]
    with pytest.raises(InputError):
        manifest.read(str(root), "insights.md")


def test_what_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnwritableStoreError, match="file") as caught:
        export(tmp_path / "file" / "memory", ("tags.json", "a"))
    assert caught.value.hint


def test_spaces_and_masked_copies_do_not_mix(tmp_path: Path) -> None:
    export(tmp_path, ("tags.json", "a"))
    with pytest.raises(InputError, match="main"):
        export(tmp_path, space="other")
    with pytest.raises(InputError, match="masked"):
        export(tmp_path, masked=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        '{"loxodon": 1}',
        '{"files": {"x": 1}}',
        '{"loxodon": {"view": "state/views.json", "space": "main", "version": 99}}',
    ],
)
def test_a_manifest_of_nonsense_is_a_clear_error(tmp_path: Path, text: str) -> None:
    export(tmp_path, ("tags.json", "a"))
    (tmp_path / manifest.MANIFEST).write_text(text, "utf-8")
    if text:
        with pytest.raises(InputError, match=r"views\.json"):
            manifest.load(str(tmp_path))
    else:
        assert manifest.load(str(tmp_path)) is None


def test_nonsense_under_our_mark_is_written_anew(tmp_path: Path) -> None:
    export(tmp_path, ("tags.json", "a"))
    path = tmp_path / manifest.MANIFEST
    path.write_text(path.read_text("utf-8")[:150], "utf-8")
    assert export(tmp_path, ("tags.json", "a")).unchanged == 1
    assert manifest.load(str(tmp_path)) is not None


def test_a_manifest_cannot_point_outside(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    victim = tmp_path / "victim.md"
    victim.write_text(text_of("victim.md", "x"), "utf-8")
    export(root, ("tags.json", "a"))
    kept = json.loads((root / manifest.MANIFEST).read_text("utf-8"))
    digest = manifest.read(str(tmp_path), "victim.md")[1]
    kept["files"]["../victim.md"] = {"sha256": digest, "size": 1, "mtime_ns": 1}
    (root / manifest.MANIFEST).write_text(json.dumps(kept), "utf-8")
    export(root, ("tags.json", "a"))
    assert victim.exists()


def test_reading_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_text("x" * 100)
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name in ("big.md", "bytes.md", "folder.md", "pipe.md"):
        with pytest.raises(InputError, match=name):
            manifest.read(str(tmp_path), name, 50)
    with pytest.raises(NotFoundError):
        manifest.read(str(tmp_path), "none.md")


KILLED = """
import os, sys
sys.path[:0] = {path!r}
from tests.workspace.views.test_folder import planned
from loxodon.workspace.views.folder import Folder
from loxodon.workspace.views import Planned, View
with Folder({root!r}, "main") as held:
    held.put(planned("insights.md", "second"))
    replace = os.replace
    def die(*_):
        os.kill(os.getpid(), 9)
    os.replace = die
    held.put(planned("projects.md", "second"))
"""


def test_a_killed_export_leaves_nothing_that_looks_like_an_edit(tmp_path: Path) -> None:
    names = ("insights.md", "projects.md", "tags.json")
    export(tmp_path, *((name, "first") for name in names))
    script = KILLED.format(path=sys.path, root=str(tmp_path))
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    assert (tmp_path / manifest.PART).exists()
    found = manifest.load(str(tmp_path))
    assert found is not None
    assert changed(tmp_path, found) == []
    with (tmp_path / manifest.PART).open("a") as part:
        part.write('{"name": "cut')  # the disk was full, say
    done = export(tmp_path, *((name, "third") for name in names))
    assert (done.written, done.kept) == (3, ())
    assert not (tmp_path / manifest.PART).exists()
    assert not list(tmp_path.rglob(".loxodon.tmp"))


def test_two_exports_at_once_do_not_mix(tmp_path: Path) -> None:
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from tests.workspace.views.test_folder import export\nfrom pathlib import Path\n"
        f"for n in range(10): export(Path({str(tmp_path)!r}), *((f'segments/{{i}}.md', "
        "f'{sys.argv[1]} {n}') for i in range(20)))"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, who]) for who in "ab"]
    assert [one.wait(60) for one in running] == [0, 0]
    texts = {path.read_text("utf-8").split()[-2] for path in (tmp_path / "segments").iterdir()}
    assert len(texts) == 1
    found = manifest.load(str(tmp_path))
    assert found is not None
    assert changed(tmp_path, found) == []


def test_the_lock_is_waited_for_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "_WAIT_SECONDS", 0.05)
    with Folder(str(tmp_path), "main"), pytest.raises(LoxodonError, match="another export"):
        export(tmp_path)
