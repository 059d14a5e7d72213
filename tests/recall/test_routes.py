"""The ways to a memory: what each finds that the words of a question alone do not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from tests.recall.talking import DAY, shown, talk

pytestmark = pytest.mark.usefixtures("in_march")

PROFILES = ("default", "phase1", "openclaw", "tiered")


# Meaning


class Meanings:
    """An embedder for which `zibble` and `quorn` mean the same, and other words what they are."""

    name = "meanings"
    axes = ("zibble", "boat", "soup", "bus", "lamp", "tree")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        found = [text.replace("quorn", "zibble") for text in texts]
        return [[float(axis in text) + 0.01 for axis in self.axes] for text in found]


LINES = (
    "the quorn is broken",
    "a boat for sale",
    "soup again",
    "the bus was late",
    "a lamp in the hall",
    "a tree fell",
    "boat and soup",
    "bus and lamp",
)


def test_embedder_finds_what_shares_no_word(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "other", embedder=Meanings()) as memory:
        for n, line in enumerate(LINES):
            talk(memory, f"s{n}", DAY + timedelta(days=n), f"user: {line}")
        assert memory.embed().embedded == len(LINES)
        found = memory.recall("what happened to the zibble?")
    assert found.items[0].content == "the quorn is broken"
    assert found.items[0].why["routes"]["meaning"] > 0


class Broken:
    """An embedder that fails in one way or another."""

    name = "broken"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer", [OSError("down"), [[float("nan")] * 4], [[1.0]] * 3, None, [["x"]], [[0.0] * 4]]
)
def test_failing_embedder_costs_only_its_own_route(tmp_path: Path, answer: object) -> None:
    with Memory.open(tmp_path / "other", embedder=Meanings()) as memory:
        talk(memory, "s", DAY, "user: the boat is painted blue")
        memory.embed()
    with Memory.open(tmp_path / "other", embedder=Broken(answer)) as memory:
        found = memory.recall("What colour is the boat?")
    assert shown(found) == ["the boat is painted blue"]
    assert "meaning" in " ".join(found.trace.trouble if found.trace else ())


@pytest.mark.parametrize("few", [2, 5])
def test_real_encoder_finds_the_closest_among_few_texts(tmp_path: Path, few: int) -> None:
    said = (
        "I am allergic to peanuts",
        "The tram to the harbour was late again",
        "My sister Mei studies in Osaka",
        "We deploy the shop on Tuesdays",
        "Grandpa taught me a card game",
    )
    with Memory.open(tmp_path, config={}, clock=lambda: DAY) as memory:
        for n, text in enumerate(said[:few]):
            talk(memory, str(n), DAY, f"user: {text}")
        for _ in ("turns", "memories"):
            memory.embed()
            assert "peanuts" in shown(memory.recall("What must I not eat?"))[0]
            memory.consolidate(force=True)


# The last conversation


@pytest.mark.parametrize("profile", PROFILES)
def test_question_for_the_last_talk_brings_it_newest_first(memory: Memory, profile: str) -> None:
    last = datetime(2026, 2, 28, 9, tzinfo=UTC)
    assert memory.recall("where were we?").items == ()
    talk(memory, "old", last - timedelta(days=40), "user: 我们讨论一下老方案，讨论了很久")
    assert len(memory.recall("what did we talk about last time?").items) == 1
    talk(memory, "before", last - timedelta(days=1), "user: the launch moves to the end of March")
    lines = ("user: 召回先做四条路", "assistant: 好的，下一步讨论排序权重", "user: ok")
    talk(memory, "last", last, *lines)
    for question in ("上次讨论到哪了", "继续讨论", "接着上次的话题", "where were we?"):
        found = memory.recall(question, profile=profile)
        assert shown(found) == [
            "好的，下一步讨论排序权重",
            "召回先做四条路",
            "the launch moves to the end of March",
        ]
        assert not found.unsure
        assert memory.gate(question).recall
    assert shown(memory.recall("上次讨论老方案到哪了"))[0].startswith("我们讨论一下老方案")


# Projects and topics


@pytest.mark.parametrize(
    ("query", "project"),
    [
        ("what is up with Blue Whale?", "Blue Whale"),
        ("any news on BLUE WHALE", "Blue Whale"),
        ("蓝鲸计划怎么样了？", "蓝鲸计划"),
        ("what did we settle for web_app v2?", "web_app"),
    ],
)
def test_named_project_brings_its_memories(memory: Memory, query: str, project: str) -> None:
    memory.capture("The launch is in May", project=project)
    memory.capture("Coffee at nine")
    found = memory.recall(query)
    assert found.trace
    assert found.trace.question.project == project
    assert shown(found) == ["The launch is in May"]
    assert found.items[0].why["routes"]["label"] > 0
    assert not found.unsure
    assert shown(memory.recall(query, project="Atlas")) == []
    group = memory.recall(query, chat="group")
    assert group.trace
    assert (group.trace.question.project, shown(group)) == ("", [])


ASKING = """
import sys
from datetime import UTC, datetime
from loxodon import Memory
now = datetime(2026, 3, 1, tzinfo=UTC)
with Memory.open(sys.argv[1], config={"timezone": "UTC"}, clock=lambda: now) as memory:
    for item in memory.recall("who is thirty six?").items:
        print(item.id, item.score, item.why["routes"])
"""


def test_every_process_finds_the_same(memory: Memory) -> None:
    """What leads on from a hit is chosen among its words: not in the order of a set."""
    names = ("Ann", "Bea", "Cleo", "Dora", "Eve", "Fay", "Gus", "Hal", "Ian", "Joe", "Kim", "Lou")
    things = ("kites", "bowls", "maps", "stamps", "drums", "clocks", "ferns", "chess", "rugby")
    for n, name in enumerate(names):
        age = "thirty six" if n % 4 == 0 else "forty"
        likes = [f"{things[(n * 5 + m) % 9]} with {names[(n + m) % 12]}" for m in range(5)]
        own = " ".join(f"{name}{m}" for m in range(12))  # more words than are looked for
        note = f"Zoe: {name} is {age}, likes {', '.join(likes)} and {own}"
        talk(memory, f"n{n}", DAY + timedelta(days=n), note)
    found = {
        subprocess.run(
            [sys.executable, "-c", ASKING, memory.home],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    (said,) = found
    assert "alike" in said
