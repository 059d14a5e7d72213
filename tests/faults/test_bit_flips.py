"""Damage to the files is found, whatever it hits: nothing wrong is read in silence.

Each case damages one file of a copy of a home. Then the whole content, read through the library, is
what it was, or `validate` (or opening, or reading) says that something is wrong. And `repair` makes
a sound store of it again.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from loxodon import Memory
from loxodon.config import from_mapping
from loxodon.errors import LoxodonError
from loxodon.store.primary import PRIMARY_TABLES
from loxodon.trust.damage.repair import repair
from loxodon.trust.damage.restoring import restore
from loxodon.workspace.views.checking import damaged_views
from tests.clock import NOW, Clock
from tests.faults.damage import KINDS, damaged
from tests.long import count, figure

SEED = 7
CASES = count(16, 2_000)
REPAIRS = count(5, 400)
BACKUPS = count(8, 200)
OUTCOMES = ("told", "same", "same_told", "silent")
QUESTIONS = ("花生过敏", "where does Tom live", "green tea", "quarterly report 报告")
CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "on"}
KEY = bytes(range(32))
PAGE, WAL_HEADER, FRAME_HEADER = 4096, 32, 24
REPAIRED = [table for table in PRIMARY_TABLES if table not in ("counters", "meta", "unindexed")]
"""What is the same again after a repair; numbers are given out meanwhile, and work is done."""

Content = dict[str, Any]


def quiet(done: int, total: int) -> None:
    """No progress to report to."""


class Hashing:
    """An embedder of the test's own: the same text has the same direction."""

    name = "hashing"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[byte / 255 - 0.5 for byte in sha256(text.encode()).digest()] for text in texts]


class Home(NamedTuple):
    """A home to be damaged, and what is in it."""

    folder: Path
    content: Content
    key: bytes | None = None


def opened(folder: Path, key: bytes | None = None) -> Memory:
    return Memory.open(folder, config=CONFIG, clock=Clock(NOW), embedder=Hashing(), key=key)


def talk(memory: Memory) -> None:
    """Something of everything that a store keeps."""
    lines = (
        "我对花生过敏，别忘了。",
        "My brother Tom lives in Leeds.",
        "I like green tea in the morning.",
        "下周一要交季度报告。",
        "The quarterly report is due on Monday.",
        "我住在杭州，在一家医院工作。",
    )
    memory.add(
        [
            {
                "role": "user" if n % 2 else "assistant",
                "content": f"{lines[n % len(lines)]} ({n})",
                "id": f"m{n}",
                "session": f"s{n % 7}",
            }
            for n in range(count(21, 260))
        ]
    )
    kept = [
        memory.capture(f"{line} 记 {n}", tags=["tea"]) for n, line in enumerate(lines * count(1, 3))
    ]
    for record in kept[::3]:
        memory.edit(record.id, content=f"{record.content} – corrected", token=f"t-{record.id}")
    memory.archive(kept[1].id)
    memory.documents.put(("app", "state"), "theme", {"dark": True, "名": "值"})
    memory.add(
        [{"role": "user", "content": "長い文章です。" * count(200, 900), "id": "long"}],
        session="long",
    )
    memory.consolidate()


def content_of(folder: Path, key: bytes | None = None) -> Content:
    """All that a store has, read through the library."""
    with opened(folder, key) as memory:
        store = memory._store
        found: Content = {table: list(store.primary.dump(table)) for table in PRIMARY_TABLES}
        for question in QUESTIONS:
            items = memory.recall(question).items
            found[question] = [(item.id, item.content) for item in items]
        memory._used.clear()  # looking changes nothing: not even how often something was recalled
        return found


def problems_of(folder: Path, key: bytes | None = None) -> list[str]:
    """What `validate`, or opening, says is wrong."""
    try:
        with opened(folder, key) as memory:
            return [f"{one.where}: {one.what}" for one in memory.validate()]
    except LoxodonError as error:
        return [str(error)]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Home]:
    """One that was closed, one whose process was killed, and one that is encrypted."""
    folder = tmp_path_factory.mktemp("homes")
    for name, key in (("closed", None), ("secret", KEY)):
        with opened(folder / name, key) as memory:
            talk(memory)
    shutil.copytree(folder / "closed", folder / "live")
    with opened(folder / "live") as memory:
        for n in range(count(8, 30)):
            memory.add([{"role": "user", "content": f"new words, number {n}", "id": f"n{n}"}])
            memory.capture(f"Tom has {n} cats", token=f"cats-{n}")
        shutil.copytree(folder / "live", folder / "killed")  # the last writes are in the log
    shutil.copytree(folder / "killed", folder / "copy")  # reading it takes the log in
    return {
        "closed": Home(folder / "closed", content_of(folder / "closed")),
        "killed": Home(folder / "killed", content_of(folder / "copy")),
        "secret": Home(folder / "secret", content_of(folder / "secret", KEY), KEY),
    }


class Case(NamedTuple):
    number: int
    kind: str
    home: str
    target: str


def cases(total: int) -> list[Case]:
    """Every kind of damage to every kind of file, by turns."""
    rng = Random(SEED)
    found = []
    for number in range(total):
        home, target = rng.choices(
            (("closed", "loxodon.db"), ("killed", "loxodon.db-wal"), ("secret", "loxodon.db")),
            (5, 2, 1),
        )[0]
        found.append(Case(number, KINDS[number % len(KINDS)], home, target))
    return found


def hit(case: Case, home: Home, folder: Path) -> Path:
    """A copy of the home, damaged."""
    shutil.copytree(home.folder, folder)
    path = folder / "spaces" / "main" / case.target
    start, size = (WAL_HEADER, PAGE + FRAME_HEADER) if path.suffix == ".db-wal" else (0, PAGE)
    rng = Random(f"{SEED}/{case.number}")
    path.write_bytes(damaged(path.read_bytes(), rng, case.kind, size, start))
    return path


def outcome(folder: Path, wanted: Content, key: bytes | None) -> str:
    """`same`, `told` (something is wrong and it is said) or `silent`."""
    try:
        found = content_of(folder, key)
    except LoxodonError:
        return "told"
    except (AttributeError, TypeError, ValueError):  # of a value that none of ours can be
        return "told" if problems_of(folder, key) else "silent"
    same = found == wanted
    if problems_of(folder, key):
        return "told" if not same else "same_told"
    return "same" if same else "silent"


def test_no_damage_is_silent(homes: dict[str, Home], tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    silent = []
    for case in cases(CASES):
        home = homes[case.home]
        hit(case, home, tmp_path / "hit")
        result = outcome(tmp_path / "hit", home.content, home.key)
        seen[result] += 1
        if result == "silent":
            silent.append(case)
        shutil.rmtree(tmp_path / "hit")
    figure("bit_flips", cases=CASES, **{name: seen[name] for name in OUTCOMES})
    assert silent == []
    assert seen["told"] > CASES / 4  # the damage is real


def test_repair_gives_back_all_that_the_views_have(homes: dict[str, Home], tmp_path: Path) -> None:
    home, config = homes["closed"], from_mapping(CONFIG)
    done: Counter[str] = Counter()
    for case in cases(REPAIRS):
        if case.home != "closed":
            continue
        folder = tmp_path / "hit"
        hit(case, home, folder)
        if problems_of(folder):
            found = repair(str(folder), config=config, clock=Clock(NOW), progress=quiet)
            done["in_place" if found.rebuilt else "anew"] += 1
            assert problems_of(folder) == [], case
            content = content_of(folder)
            assert all(content[table] == home.content[table] for table in REPAIRED), case
        shutil.rmtree(folder)
    figure("bit_flip_repairs", repaired=sum(done.values()), **done)
    assert done


def test_damage_to_a_backup_is_told(homes: dict[str, Home], tmp_path: Path) -> None:
    home = homes["closed"]
    whole = tmp_path / "whole.loxodon"
    with opened(home.folder) as memory:
        memory.backup(whole)
    kept = {table: home.content[table] for table in REPAIRED}

    def restored(backup: Path) -> bool:
        """Whether it was taken; then all is there."""
        folder = tmp_path / "restored"
        shutil.rmtree(folder, ignore_errors=True)
        # It signs with the same key.
        shutil.copytree(home.folder / "keys", folder / "keys")
        try:
            restore(
                str(backup),
                str(folder),
                "main",
                config=from_mapping(CONFIG),
                environ={},
                clock=Clock(NOW),
                progress=quiet,
            )
        except LoxodonError:
            return False
        content = content_of(folder)
        assert {table: content[table] for table in REPAIRED} == kept
        return True

    assert restored(whole)
    taken = 0
    for number in range(BACKUPS):
        copy = tmp_path / "copy.loxodon"
        rng = Random(f"{SEED}/backup/{number}")
        copy.write_bytes(damaged(whole.read_bytes(), rng, KINDS[number % len(KINDS)], PAGE))
        taken += restored(copy)
    figure("backup_flips", cases=BACKUPS, refused=BACKUPS - taken, same=taken)
    assert taken < BACKUPS / 2


def test_damage_to_a_view_is_told(homes: dict[str, Home], tmp_path: Path) -> None:
    """A view that nobody edited: its size and time are those that it was written with."""
    home = homes["closed"]
    shutil.copytree(home.folder, tmp_path / "hit")
    root = tmp_path / "hit" / "spaces" / "main" / "workspace" / "memory"
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.stat().st_size)
    files = [path for path in files if path.name not in ("views.json", "views.lock")]
    for number in range(BACKUPS):
        rng = Random(f"{SEED}/view/{number}")
        path = rng.choice(files)
        kept, about = path.read_bytes(), path.stat()
        path.write_bytes(damaged(kept, rng, "bit", PAGE))
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        found = list(damaged_views(str(root.parent)))
        assert [one.where for one in found] == [str(path)]
        path.write_bytes(kept)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert list(damaged_views(str(root.parent))) == []
    figure("view_flips", cases=BACKUPS, told=BACKUPS)
