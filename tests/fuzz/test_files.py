"""Files that other programs, an editor or a bad disk have made of what was once right."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loxodon import Memory, config
from loxodon.layout import CONFIG
from loxodon.trust.guard import policy
from loxodon.workspace.openclaw import json5
from loxodon.workspace.readers import FORMATS, read
from loxodon.workspace.views.restore import rows_in
from tests.clock import NOW, Clock
from tests.faults.work import TALK, turns
from tests.fuzz.made import cases, mutated, seeds, survived, text, value
from tests.long import count, figure

CHATS = (
    b'{"role": "user", "content": "hi", "at": "2026-02-04T18:00:00+08:00", "id": "1"}\n'
    b'{"role": "assistant", "content": [{"type": "text", "text": "hello"}], "speaker": "A"}\n',
    b'{"messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": {"a": 1}}]}',
    b'{"type":"session","version":3,"id":"s","timestamp":"2026-02-04T10:00:00Z"}\n'
    b'{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}\n'
    b'{"type":"compaction","id":"2","parentId":"1","summary":"so far"}\n',
    "# 2026-02-04\n\n## 10:30 AM\n\n**User:** 你好\n\n> quoted\n\n- [x] done\n".encode(),
    "---\ntitle: a\n---\n\n## 下午3:20 会议\n\n用户：我住在杭州\n助手：好的\n".encode(),
    "[10:30] Alice: hi\n[10:31] Bob: 你好\n  and more\n2026/2/4 下午3:20 - 小明: 在吗\n".encode(),
    "2026-02-04 18:00:00 小红\n我到了\n\n2026-02-04 18:01:00 小明\n好\n".encode(),
)


def test_any_file_can_be_read_as_any_kind() -> None:
    def make(random: Random) -> tuple[bytes, str, Any]:
        data = seeds(random, CHATS) if random.random() < 0.85 else _objects(random)
        name = random.choice(("a.jsonl", "b.md", "c.txt", "d.json", "2026-02-04.md", ""))
        return data, name, random.choice((None, *FORMATS))

    done = survived(
        cases("files", count(700, 52_000), make),
        lambda given: read(given[0], given[1], given[2], NOW.tzinfo),
    )
    figure("fuzz", part="readers", cases=done)


def _objects(random: Random) -> bytes:
    rows = []
    for _ in range(random.randint(1, 4)):
        keys = random.sample(("role", "content", "at", "id", "session", "speaker", "type"), 4)
        rows.append(json.dumps({"role": "user", **{key: value(random) for key in keys}}))
    return "\n".join(rows).encode("utf-8", "replace")


JSON5 = (
    b"{ // what\n  agents: {defaults: {'workspace': \"~/x\", list: [1, +2, .5, 0x1F,],},},\n}",
    b'{"memory": {"slot": "a\\\nb", "n": -1e3, "t": [true, null, "\\u4f60"]}} /* end */',
)


def test_any_settings_of_another_program_can_be_read() -> None:
    def call(data: bytes) -> None:
        given = data.decode("utf-8", "replace")
        json5.parse(given)
        if json5.raw(given, ("memory", "slot")) is None:
            json5.put(given, ("memory", "slot"), "loxodon")

    done = survived(cases("json5", count(300, 16_000), lambda r: seeds(r, JSON5)), call)
    figure("fuzz", part="json5", cases=done)


SETTINGS = (
    b'timezone = "Asia/Shanghai"\n[recall]\ntop = 5\nbudget = 900\n[model]\nname = "x"\n'
    b'base_url = "http://127.0.0.1:1/v1"\ntimeout = 3.5\n[workspace]\nviews = "off"\n',
    b'enabled = true\n[schedule]\ndaily = "0 2 * * *"\n[decay]\nfact = 0.01\n',
)
RULES = (
    b'[kinds]\nmail = "allow"\nphone = "never"\n\n[[rules]]\nname = "badge"\nkeywords = ["B-"]\n'
    b"pattern = 'B-(?P<it>[0-9]{6})'\n"
    b'action = "mask"\nfamily = "identity"\n\n[[exceptions]]\npattern = "B-000000"\n',
)


@pytest.mark.parametrize("kind", ["settings", "policy"])
def test_any_file_of_ours_that_a_person_edited_is_read_or_refused(
    tmp_path: Path, kind: str
) -> None:
    name = CONFIG if kind == "settings" else policy.FILE

    def call(data: bytes) -> None:
        (tmp_path / name).write_bytes(data)
        if kind == "settings":
            config.load(str(tmp_path))
        else:
            policy.load(str(tmp_path))

    known = SETTINGS if kind == "settings" else RULES
    done = survived(cases(kind, count(80, 7_000), lambda r: seeds(r, known)), call)
    figure("fuzz", part=kind, cases=done)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with views."""
    home = tmp_path_factory.mktemp("written") / "home"
    with Memory.open(home, config={"timezone": "Asia/Shanghai"}, clock=Clock()) as memory:
        memory.add(turns(TALK), session="monday")
        memory.consolidate()
        memory.documents.put(("a",), "k", {"n": 1})
        memory.workspace.export()
    return home


def _views(home: Path) -> list[Path]:
    root = home / "spaces" / "main" / "workspace" / "memory"
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_views_that_were_mangled_are_read_back_or_refused(written: Path, tmp_path: Path) -> None:
    """All that `restore` reads, without the database that it fills."""
    shutil.copytree(written, tmp_path / "home")
    views = _views(tmp_path / "home")
    before = {path: path.read_bytes() for path in views}
    source = str(tmp_path / "home" / "spaces" / "main" / "workspace")

    def call(given: tuple[Path, bytes]) -> None:
        path, data = given
        path.write_bytes(data)
        try:
            for _ in rows_in(source, "main"):
                pass
        finally:
            path.write_bytes(before[path])

    def make(random: Random) -> tuple[Path, bytes]:
        path = random.choice(views)
        return path, mutated(random, before[path])

    done = survived(cases("views", count(25, 1_500), make), call)
    figure("fuzz", part="views", cases=done)


def test_edits_of_views_that_make_no_sense_are_told_and_change_nothing_else(
    written: Path, tmp_path: Path
) -> None:
    shutil.copytree(written, tmp_path / "home")
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=Clock()
    ) as memory:
        views = [path for path in _views(tmp_path / "home") if path.suffix in (".md", ".jsonl")]

        def call(given: tuple[Path, Random]) -> None:
            path, random = given
            if not path.exists():
                return
            path.write_bytes(mutated(random, path.read_bytes()))
            memory.workspace.sync(dry_run=random.random() < 0.5)

        def make(random: Random) -> tuple[Path, Random]:
            return random.choice(views), Random(random.random())

        done = survived(cases("edits", count(6, 600), make), call)
        figure("fuzz", part="edits", cases=done)
        assert memory.validate() == []


EXPORTS: dict[str, object] = {
    "conversations.json": [
        {
            "title": "t",
            "create_time": 1_700_000_000.0,
            "current_node": "b",
            "mapping": {
                "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
                "b": {
                    "id": "b",
                    "parent": "a",
                    "children": [],
                    "message": {
                        "id": "b",
                        "author": {"role": "user"},
                        "create_time": 1_700_000_000.0,
                        "content": {"content_type": "text", "parts": ["hi"]},
                    },
                },
            },
        }
    ],
    "mem0.json": {
        "results": [
            {
                "id": "1",
                "memory": "likes tea",
                "user_id": "u",
                "metadata": {},
                "created_at": "2026-02-04T10:00:00Z",
            }
        ]
    },
    "claude.json": [
        {
            "uuid": "1",
            "name": "n",
            "created_at": "2026-02-04T10:00:00Z",
            "chat_messages": [
                {"uuid": "2", "sender": "human", "text": "hi", "created_at": "2026-02-04T10:00:00Z"}
            ],
        }
    ],
    "notes.md": "# Memory\n\n- likes tea\n- [ ] call mum\n",
    "memory.jsonl": '{"id": "f_1", "content": "likes tea", "importance": 0.5}\n',
}


def test_exports_of_other_programs_are_taken_in_or_refused(tmp_path: Path) -> None:
    made = {
        name: (given if isinstance(given, str) else json.dumps(given)).encode()
        for name, given in EXPORTS.items()
    }
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=Clock()
    ) as memory:

        def call(given: tuple[str, bytes]) -> None:
            path = tmp_path / given[0]
            path.write_bytes(given[1])
            memory.workspace.take_in(os.fspath(path), dry_run=True)

        def make(random: Random) -> tuple[str, bytes]:
            name = random.choice(list(made))
            return name, mutated(random, made[name])

        done = survived(cases("imports", count(40, 3_000), make), call)
        figure("fuzz", part="imports", cases=done)


def test_any_value_can_be_captured_or_is_refused(tmp_path: Path) -> None:
    """The library's own edge: fields of any type and any value."""
    names = (
        "kind",
        "importance",
        "confidence",
        "entities",
        "tags",
        "project",
        "topic",
        "category",
        "expires_at",
        "audience",
        "origin",
    )
    with Memory.open(
        tmp_path / "home", config={"timezone": "Asia/Shanghai"}, clock=Clock()
    ) as memory:

        def make(random: Random) -> dict[str, Any]:
            chosen = random.sample(names, random.randint(0, 3))
            return {"content": text(random), **{name: value(random) for name in chosen}}

        done = survived(cases("fields", count(30, 2_000), make), lambda one: memory.capture(**one))
        figure("fuzz", part="fields", cases=done)
        assert memory.validate() == []
