"""Both backends give the same: on the same data, item for item and score for score."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.errors import LoxodonError
from tests.clock import NOW, Clock
from tests.long import count, some

LATIN = "tea milk river piano walks walking garden Mei Leeds don't naïve café C++"
WORDS = [*LATIN.split(), "猫", "我喜欢咖啡", "周末爬山", "🎹", "''", "%_\\"]
WHO: tuple[dict[str, Any], ...] = (
    {},
    {"agent": "x"},
    {"chat": "group"},
    {"agent": "y", "chat": "group"},
)


def text(chance: random.Random) -> str:
    weights = [1 + 9 * (n % 7 == 0) for n in range(len(WORDS))]
    return " ".join(chance.choices(WORDS, weights, k=chance.randint(1, 9)))


def tell(memory: Memory, clock: Clock, seed: int) -> list[object]:
    """Do something to a memory, the same for the same seed; what it answers."""
    chance, said = random.Random(seed), list[object]()
    for n in range(chance.randint(20, 40)):
        clock.now = NOW + timedelta(hours=chance.randint(-900, 900))
        one = memory.within(**chance.choice(WHO))
        try:
            said.append(do(one, chance, n))
        except LoxodonError as error:
            said.append(type(error).__name__)
    clock.now = NOW + timedelta(hours=901)
    said.append(memory.consolidate(force=True).counts)
    return said


def do(memory: Memory, chance: random.Random, n: int) -> object:
    how = chance.randrange(7)
    if how < 2:
        turns = [{"role": "user", "content": text(chance), "id": f"{n % 9}-{m}"} for m in range(6)]
        return memory.add(turns, chance.choice("ab"))
    if how < 4:
        return memory.capture(
            text(chance),
            chance.choice(("fact", "belief")),
            tags=chance.sample(WORDS, 2),
            project=chance.choice(("Home", "home", "_global")),
            audience=chance.choice(("private", "group", "all")),
            importance=chance.random(),
        )
    found = memory.list(state="all", limit=0)
    if not found:
        return None
    id = chance.choice(found).id
    if how == 4:
        audience: Any = chance.choice(("private", "group", "all"))
        return memory.edit(id, content=text(chance), tags=["x"], audience=audience)
    if how == 5:
        return memory.archive(id) if chance.random() < 0.7 else memory.unarchive(id)
    return memory.forget(id)._replace(id="")


def seen(memory: Memory, seed: int) -> dict[str, object]:
    """What is asked of a memory, by everybody, and what it says."""
    said: dict[str, object] = {}
    for who in some(WHO, 2):
        chance, one = random.Random(seed + 1), memory.within(**who)
        for query in (text(chance), "猫", "tea")[: count(2, 3)]:
            options: Any
            for options in ({}, {"since": NOW}, {"project": "HOME"}, {"profile": "phase1"}):
                items = one.recall(query, top=50, budget=20_000, **options).items
                said[f"{who}/{query}/{options}"] = [
                    (item.id, item.content, round(item.score, 4)) for item in items
                ]
        said[f"{who}"] = [
            one.list(state="all", limit=0),
            one.journal(),
            one.stats(),
            one.sessions(),
        ]
        said[f"{who}/more"] = [one.entities(), one.events()]
    said["history"] = [memory.history(one.id) for one in memory.list(state="all", limit=0)]
    return said


@pytest.mark.parametrize("sampled", some([True, False], 2))
@pytest.mark.parametrize("seed", range(count(1, 40)))
def test_both_backends_say_the_same_on_the_same_data(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, sampled: bool
) -> None:
    monkeypatch.setattr("loxodon.store.postgres.fulltext._ROWS", (1, 3, 7)[seed % 3])
    if sampled:  # some words are common, in a store as small as this
        for name, value in {
            "indexes.SAMPLE_FROM": 12,
            "indexes.COMMON": 4,
            "search.LEAST_BUDGET": 6,
            "indexes._SEEN": 2,
        }.items():
            monkeypatch.setattr(f"loxodon.store.{name}", value)
    config = {"timezone": "Asia/Shanghai", "workspace.views": "off"}
    found = []
    for name, more in (("file", {}), ("server", {"store.url": postgres_url})):
        clock = Clock()
        with Memory.open(tmp_path / name, config={**config, **more}, clock=clock) as memory:
            told = tell(memory, clock, seed)
            found.append((told, seen(memory, seed), memory.validate()))
    file, server = found
    assert server[0] == file[0]
    for name, said in file[1].items():
        assert server[1][name] == said, name
    assert server[2] == file[2] == []
