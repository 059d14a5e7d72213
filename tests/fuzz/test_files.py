"""Files that other programs, an editor or a bad disk have made of what was once right."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loxodon import Memory
from loxodon.agents import json5
from loxodon.journal import FORMATS, read
from tests.cli.shell import Shell, typed
from tests.clock import NOW
from tests.fuzz.made import SEEDS, cases, mutated, opened, seeds, survived, talked, text, value
from tests.long import count, figure


def test_any_file_can_be_read_in_any_format() -> None:
    def make(random: Random) -> tuple[bytes, str, Any]:
        data = seeds(random, SEEDS["chats"]) if random.random() < 0.85 else _objects(random)
        name = random.choice(("a.jsonl", "b.md", "c.txt", "d.json", "2026-02-04.md", ""))
        return data, name, random.choice((None, *FORMATS))

    done = survived(
        cases("files", count(300, 52_000), make),
        lambda given: read(given[0], given[1], given[2], NOW.tzinfo),
    )
    figure("fuzz", part="readers", cases=done)


def _objects(random: Random) -> bytes:
    rows = []
    for _ in range(random.randint(1, 4)):
        keys = random.sample(("role", "content", "at", "id", "session", "speaker", "type"), 4)
        rows.append(json.dumps({"role": "user", **{key: value(random) for key in keys}}))
    return "\n".join(rows).encode("utf-8", "replace")


def test_any_settings_of_another_program_can_be_read() -> None:
    def call(data: bytes) -> None:
        given = data.decode("utf-8", "replace")
        json5.put(given, ("memory", "slot"), "loxodon")

    done = survived(cases("json5", count(100, 16_000), lambda r: seeds(r, SEEDS["json5"])), call)
    figure("fuzz", part="json5", cases=done)


@pytest.mark.parametrize("name", ["config.toml", "policy.toml"])
def test_any_settings_of_ours_are_read_or_refused(tmp_path: Path, name: str) -> None:
    def call(data: bytes) -> None:
        (tmp_path / name).write_bytes(data)
        with Memory.open(tmp_path) as memory:
            memory.recall("my badge is B-123456")

    with Memory.open(tmp_path) as memory:
        memory.capture("my badge is B-123456")
    done = survived(cases(name, count(40, 7_000), lambda r: seeds(r, SEEDS[name])), call)
    figure("fuzz", part=name.partition(".")[0], cases=done)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return talked(tmp_path_factory.mktemp("written") / "home")


def _views(home: Path) -> list[Path]:
    root = home / "spaces" / "main" / "workspace" / "memory"
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_mangled_views_are_restored_or_refused(written: Path, tmp_path: Path) -> None:
    shutil.copytree(written, tmp_path / "home")
    views = _views(tmp_path / "home")
    before = {path: path.read_bytes() for path in views}
    source, other = tmp_path / "home" / "spaces" / "main" / "workspace", tmp_path / "other"

    def call(given: tuple[Path, bytes]) -> None:
        path, data = given
        path.write_bytes(data)
        environment = {**Shell(other).environment, "LOXODON_DEBUG": "1"}  # which raises defects
        try:
            typed("restore", str(source), env=environment)
        finally:
            path.write_bytes(before[path])
            shutil.rmtree(other, ignore_errors=True)

    def make(random: Random) -> tuple[Path, bytes]:
        path = random.choice(views)
        return path, mutated(random, before[path])

    done = survived(cases("views", count(15, 1_500), make), call)
    figure("fuzz", part="views", cases=done)


def test_senseless_edits_of_views_change_nothing_else(written: Path, tmp_path: Path) -> None:
    shutil.copytree(written, tmp_path / "home")
    with opened(tmp_path / "home") as memory:
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


def test_exports_of_other_programs_are_imported_or_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as memory:

        def call(given: tuple[str, bytes]) -> None:
            path = tmp_path / given[0]
            path.write_bytes(given[1])
            memory.workspace.take_in(str(path), dry_run=True)

        def make(random: Random) -> tuple[str, bytes]:
            name = random.choice(list(SEEDS["exports"]))
            return name, mutated(random, SEEDS["exports"][name].encode())

        done = survived(cases("imports", count(40, 3_000), make), call)
        figure("fuzz", part="imports", cases=done)


def test_any_value_can_be_captured_or_is_refused(tmp_path: Path) -> None:
    """The library's own edge: fields of any type and any value."""
    names = [
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
    ]
    with opened(tmp_path / "home") as memory:

        def make(random: Random) -> dict[str, Any]:
            chosen = random.sample(names, random.randint(0, 3))
            return {"content": text(random), **{name: value(random) for name in chosen}}

        done = survived(cases("fields", count(30, 2_000), make), lambda one: memory.capture(**one))
        figure("fuzz", part="fields", cases=done)
        assert memory.validate() == []
