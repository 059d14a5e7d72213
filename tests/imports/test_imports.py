"""What holds for every import: it can be told, shown first, run again, and refused as a whole."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import InputError, NotFoundError, UsageError
from tests.clock import NOW
from tests.each import each
from tests.imports.conftest import Take
from tests.imports.exports import chat, put_database, put_json, put_list, put_zip, said, trip
from tests.imports.test_claude_code import TALK
from tests.imports.test_claude_code import put as put_transcript

FORMATS = ("memory", "mem0", "chatgpt", "claude-code", "claude", "tiered")
MEM0 = {
    "results": [
        {
            "id": "m1",
            "memory": "Is allergic to shellfish",
            "hash": "0a",
            "user_id": "dev",
            "metadata": {"category": "health"},
            "created_at": "2025-05-01T10:00:00-07:00",
            "updated_at": None,
        }
    ]
}


def examples(folder: Path) -> dict[str, Path]:
    """One of each format."""
    tree = folder / "workspace"
    (tree / "memory").mkdir(parents=True)
    (tree / "MEMORY.md").write_text("# Memory\n\n- Prefers tea\n- 用户住在杭州\n", "utf-8")
    (tree / "memory" / "2026-01-18.md").write_text("## 10:30\n我对花生过敏。\n", "utf-8")
    return {
        "memory": tree,
        "mem0": put_json(folder / "mem0.json", MEM0),
        "chatgpt": put_zip(folder / "chatgpt.zip", {"conversations.json": [trip()]}),
        "claude-code": put_transcript(folder / "talk.jsonl", *TALK),
        "claude": put_zip(
            folder / "claude.zip",
            {"conversations.json": [chat("k", said("h", "human", "我叫李雷，住在杭州。"))]},
        ),
        "tiered": put_database(folder / "memory.db"),
    }


@pytest.mark.parametrize("format", FORMATS)
def test_each_is_recognised_shown_taken_and_not_taken_twice(
    memory: Memory, take: Take, tmp_path: Path, format: str
) -> None:
    path = examples(tmp_path)[format]
    shown = take(path, dry_run=True)
    assert memory.stats().turns == memory.stats().total == 0

    found = take(path)
    assert found.format == format
    assert found == shown
    assert found.turns + found.memories > 0
    stats = memory.stats()
    assert (stats.turns, stats.total) == (found.turns, found.memories)

    again = take(path)
    assert (again.turns, again.memories) == (0, 0)
    assert again.known == found.turns + found.memories + found.known
    assert memory.stats().total == stats.total


def test_a_memory_that_was_edited_or_archived_since_is_not_added_again(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    path = put_list(tmp_path / "list.json", ["User likes tea", "User likes jazz"])
    take(path)
    tea, jazz = sorted(memory.list(), key=lambda one: one.content, reverse=True)
    memory.edit(tea.id, content="User likes green tea")
    memory.archive(jazz.id)
    assert take(path).memories == 0
    assert [one.content for one in memory.list()] == ["User likes green tea"]


def test_what_is_known_in_the_same_words_is_not_added(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    known = memory.capture("User likes Tea.")
    path = put_list(tmp_path / "list.json", ["user likes  tea", "User likes tea", "用戶喜歡茶"])
    found = take(path)
    assert (found.memories, found.known) == (1, 2)
    memory.edit(known.id, content="something else")
    assert take(path).memories == 0


def test_an_imported_memory_says_where_it_is_from(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    take(put_json(tmp_path / "mem0.json", MEM0))
    (one,) = memory.list()
    assert (one.trust, one.sources[0].session, one.sources[0].turn) == ("import", "mem0", "m1")
    assert [step.change for step in memory.history(one.id)] == ["imported"]
    assert one.audience == "private"
    # It is as present as what was said today, though it was known long before.
    assert one.created_at == NOW
    assert one.valid_from is not None
    assert one.valid_from < NOW


def test_what_the_rules_understand_can_be_superseded_later(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    take(put_list(tmp_path / "list.json", ["User lives in Berlin"]))
    (one,) = memory.list()
    assert (one.subject, one.attribute, one.value) == ("user", "home", "Berlin")
    memory.add([{"role": "user", "content": "I moved to Porto last week.", "id": "1"}])
    memory.consolidate()
    assert memory.get(one.id).state == "archived"


@each(
    ("name", "content"),
    [
        ("nothing.json", b""),
        ("number.json", b"12"),
        ("numbers.json", b"[1, 2]"),
        ("other.json", b'{"a": 1}'),
        ("cut.json", b'["a", "b'),
        ("tail.json", b'["a"] x'),
        ("comma.json", b'["a" "b"]'),
        ("deep.json", b"[" * 100_000),
        ("latin.json", b'["caf\xe9"]'),
        ("talk.json", b'[{"role": "user", "content": "hi"}]'),
        ("view.jsonl", b'{"loxodon": {"view": "layer2/active/facts.jsonl"}}\n{"id": "f_1"}\n'),
        ("plain.txt", b"hello"),
        ("broken.zip", b"PK\x03\x04" + bytes(200)),
        ("broken.db", b"SQLite format 3\0" + bytes(4096)),
        ("gbk.md", "- 用户喜欢喝茶\n".encode("gbk") * 9),
        ("picture.md", bytes(range(256)) * 9),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_taken(
    memory: Memory, take: Take, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        take(path)
    assert caught.value.hint
    assert caught.value.localized("zh")[0] != caught.value.localized("en")[0]
    assert memory.stats().total == 0


def test_a_file_that_breaks_off_at_its_end_leaves_nothing_half_taken(
    memory: Memory, take: Take, tmp_path: Path
) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([trip()])[:-1] + ', {"mapping": {', "utf-8")
    with pytest.raises(InputError, match="line 1"):
        take(path)
    assert memory.stats().turns == 0


@pytest.mark.parametrize("format", FORMATS)
def test_a_wrong_format_is_a_clear_error(take: Take, tmp_path: Path, format: str) -> None:
    path = put_json(tmp_path / "numbers.json", [[1], [2]])
    if format == "memory":
        path = tmp_path / "empty-folder"
        path.mkdir()
    with pytest.raises(InputError):
        take(path, format)


def test_a_format_or_a_file_that_there_is_not(take: Take, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="carrier pigeon"):
        take(tmp_path, "carrier pigeon")
    with pytest.raises(NotFoundError):
        take(tmp_path / "nowhere.json")


def test_an_archive_that_is_a_trap_is_refused(take: Take, tmp_path: Path) -> None:
    path = put_zip(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * (80 << 20) + b"]"})
    with pytest.raises(InputError, match="unpacks to more"):
        take(path)


def test_archives_that_are_damaged_or_lead_elsewhere_are_refused(
    take: Take, tmp_path: Path
) -> None:
    put_zip(tmp_path / "names.zip", {"../conversations.json": [trip()], "/etc/x.json": []})
    data = bytearray(put_zip(tmp_path / "a.zip", {"conversations.json": [trip()]}).read_bytes())
    for mark, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flag] |= 1
    (tmp_path / "password.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "damage.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("conversations.json", json.dumps([trip() for _ in range(50)]))
    data = bytearray((tmp_path / "damage.zip").read_bytes())
    data[len(data) // 2] ^= 0x15
    (tmp_path / "damage.zip").write_bytes(data)
    names = {*os.listdir(tmp_path)}
    for name in ("names.zip", "password.zip", "damage.zip"):
        with pytest.raises(InputError):
            take(tmp_path / name)
    assert {*os.listdir(tmp_path)} == names


def test_links_that_leave_the_folder_are_not_followed(take: Take, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("- The safe opens with 4711\n", "utf-8")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "USER.md").write_text("- Prefer ...\n- Likes tea\n", "utf-8")  # one is a template's
    (folder / "MEMORY.md").symlink_to(outside)
    found = take(folder)
    assert found.memories == 1
    assert [one.file for one in found.problems] == ["MEMORY.md"]


def test_problems_name_their_place(take: Take, tmp_path: Path) -> None:
    texts = ["User likes tea", "", "a\0b", "\ud83d", "x" * 20_000]
    values: list[Any] = [{"id": f"m{n}", "memory": text} for n, text in enumerate(texts)]
    found = take(put_json(tmp_path / "list.json", [*values, 5]))
    assert found.memories == 1
    assert [one.what.split(":")[0] for one in found.problems[:2]] == ["[1]", "[5]"]
    assert [one.file for one in found.problems[2:]] == ["m2", "m3", "m4"]


def test_a_run_that_was_cut_short_goes_on(
    memory: Memory, take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loxodon.imports.take._MEMORIES", 20)
    path = put_list(tmp_path / "list.json", [f"Thing number {n} is blue" for n in range(45)])

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(path, progress=stop)
    begun = memory.stats().total
    assert 0 < begun < 45
    seen: list[tuple[int, int]] = []
    found = take(path, progress=lambda done, total: seen.append((done, total)))
    assert found.memories == 45 - begun
    assert seen[-1] == (45, 45)
    assert len(seen) > 1


def test_detection_goes_by_content(take: Take, tmp_path: Path) -> None:
    talk = chat("k", said("h", "human", "I like tea"))
    assert take(put_json(tmp_path / "mem0.json", [talk])).format == "claude"
