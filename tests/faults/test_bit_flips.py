"""Damage to the files of a home, to backups and to text views.

Each case damages one file of a copy of a home. Then the whole content, read through the library, is
what it was, or `validate` (or opening, or reading) says that something is wrong. Only damage within
a value of a database that is not encrypted may go unnoticed, and the loss of the end of its log.
`repair` makes a sound store of what was noticed.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from loxodon import Memory
from loxodon.errors import LoxodonError
from tests.cli.shell import Shell, typed
from tests.clock import NOW, Clock
from tests.faults.work import truth
from tests.long import count, figure

SEED = 7
CASES = count(6, 2_000)
REPAIRS = count(5, 400)
BACKUPS = count(5, 200)
OUTCOMES = ("told", "same", "same_told", "silent")
QUESTIONS = ("花生过敏", "where does Tom live", "green tea", "quarterly report 报告")
CONFIG = {"timezone": "Asia/Shanghai", "workspace.views": "on"}
KEY = bytes(range(32))
PAGE, WAL_HEADER, FRAME_HEADER, SECTOR = 4096, 32, 24, 512
KINDS = ("bit", "byte", "bytes", "sector", "swapped", "doubled", "torn", "cut")


def damaged(data: bytes, rng: Random, kind: str, page: int = PAGE, start: int = 0) -> bytes:
    """`data` with one damage of a kind; pages are `page` bytes each and begin at `start`."""
    found = bytearray(data)
    count = (len(found) - start) // page
    if kind == "bit":
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        found[rng.randrange(len(found))] ^= rng.randrange(1, 256)
    elif kind == "bytes":
        at = rng.randrange(len(found) - 16)
        found[at : at + 16] = rng.randbytes(16)
    elif kind == "sector":
        at = rng.randrange(len(found) // SECTOR) * SECTOR
        found[at : at + SECTOR] = bytes(SECTOR)
    elif kind == "cut":
        del found[rng.randrange(len(found) // 2, len(found)) :]
    elif count > 1:
        one, other = (start + n * page for n in rng.sample(range(count), 2))
        size = page  # of a torn page the first sectors are those of another write
        if kind == "torn":
            size = rng.randrange(1, max(2, page // SECTOR)) * SECTOR
        kept = bytes(found[one : one + size])
        if kind == "swapped":
            found[one : one + size] = found[other : other + size]
        found[other : other + size] = kept
    return bytes(found)


class Hashing:
    """An embedder of the test's own: the same text has the same direction."""

    name = "hashing"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[byte / 255 - 0.5 for byte in sha256(text.encode()).digest()] for text in texts]


class Home(NamedTuple):
    """A home to be damaged, and what is in it."""

    folder: Path
    content: dict[str, Any]
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
    for n in range(count(21, 260)):
        said = {"role": "user" if n % 2 else "assistant", "content": f"{lines[n % 6]} ({n})"}
        memory.add([{**said, "id": f"m{n}"}], session=f"s{n % 7}")
    kept = [
        memory.capture(f"{line} 记 {n}", tags=["tea"]) for n, line in enumerate(lines * count(1, 3))
    ]
    for record in kept[::3]:
        memory.edit(record.id, content=f"{record.content} – corrected", token=f"t-{record.id}")
    memory.archive(kept[1].id)
    memory.documents.put(("app", "state"), "theme", {"dark": True, "名": "值"})
    long = "長い文章です。" * count(200, 900)
    memory.add([{"role": "user", "content": long, "id": "long"}], session="long")
    memory.consolidate()


def content_of(folder: Path, key: bytes | None = None) -> dict[str, Any]:
    """All that a memory has, read through the library."""
    with opened(folder, key) as memory:
        found: dict[str, Any] = dict(truth(memory))
        for question in QUESTIONS:
            items = memory.recall(question).items
            found[question] = [(item.id, item.content) for item in items]
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
    found = {}
    for name, key in (("closed", None), ("killed", None), ("secret", KEY)):
        shutil.copytree(folder / name, folder / f"{name} copy")  # reading takes the log in
        found[name] = Home(folder / name, content_of(folder / f"{name} copy", key), key)
    return found


class Case(NamedTuple):
    number: int
    kind: str
    home: str
    target: str


def cases(total: int) -> Iterator[Case]:
    """Every kind of damage to every kind of file, by turns."""
    rng = Random(SEED)
    for number in range(total):
        home, target = rng.choices(
            (("closed", "loxodon.db"), ("killed", "loxodon.db-wal"), ("secret", "loxodon.db")),
            (5, 2, 1),
        )[0]
        yield Case(number, KINDS[number % len(KINDS)], home, target)


def hit(case: Case, home: Home, folder: Path) -> None:
    """Make a copy of the home, and damage it."""
    shutil.copytree(home.folder, folder)
    path = folder / "spaces" / "main" / case.target
    page = (PAGE + FRAME_HEADER, WAL_HEADER) if path.suffix == ".db-wal" else (PAGE, 0)
    rng = Random(f"{SEED}/{case.number}")
    path.write_bytes(damaged(path.read_bytes(), rng, case.kind, *page))


def outcome(folder: Path, wanted: dict[str, Any], key: bytes | None) -> str:
    """`same`, `told` (something is wrong and it is said) or `silent`."""
    try:
        found = content_of(folder, key)
    except LoxodonError:
        return "told"
    except (AttributeError, LookupError, TypeError, ValueError):  # of a value that is none of ours
        return "told" if problems_of(folder, key) else "silent"
    if problems_of(folder, key):
        return "told" if found != wanted else "same_told"
    return "same" if found == wanted else "silent"


def test_damage_to_an_encrypted_home_is_told(homes: dict[str, Home], tmp_path: Path) -> None:
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
    assert [case for case in silent if case.home == "secret"] == []
    assert len([case for case in silent if case.home == "closed"]) < CASES / 4
    assert seen["told"] > CASES / 4  # the damage is real


def test_repair_gives_back_all_that_the_views_have(homes: dict[str, Home], tmp_path: Path) -> None:
    home, folder, repaired = homes["closed"], tmp_path / "hit", 0
    for case in cases(REPAIRS):
        if case.home != "closed":
            continue
        hit(case, home, folder)
        if problems_of(folder):
            Shell(folder)("repair")
            repaired += 1
            assert problems_of(folder) == [], case
            with opened(folder) as memory:  # vectors are made by the next run
                assert home.content.items() >= truth(memory).items(), case
        shutil.rmtree(folder)
    figure("bit_flip_repairs", repaired=repaired)
    assert repaired


def test_damage_to_a_backup_is_told(homes: dict[str, Home], tmp_path: Path) -> None:
    home, whole, folder = homes["closed"], tmp_path / "whole.loxodon", tmp_path / "restored"
    with opened(home.folder) as memory:
        memory.backup(whole)

    def restored(backup: Path) -> bool:
        """Whether it was taken; then all is there."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(home.folder / "keys", folder / "keys")  # it signs with the same key
        if typed("restore", str(backup), env=Shell(folder).environment).returncode:
            return False
        assert content_of(folder) == home.content
        return True

    assert restored(whole)
    taken = 0
    for number in range(BACKUPS):
        copy = tmp_path / "copy.loxodon"
        rng = Random(f"{SEED}/backup/{number}")
        copy.write_bytes(damaged(whole.read_bytes(), rng, KINDS[number % len(KINDS)]))
        taken += restored(copy)
    figure("backup_flips", cases=BACKUPS, refused=BACKUPS - taken, same=taken)
    assert taken < BACKUPS / 2
