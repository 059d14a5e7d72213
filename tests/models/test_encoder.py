"""Our own encoder: near in meaning, also across languages; what is worth keeping."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tools import weights_file

from loxodon.config import Config, EmbedderConfig
from loxodon.memory import Memory
from loxodon.models.encoder import TOPICS, Encoder
from tests.long import count

DATA = Path(__file__).parents[2] / "data"
KEPT = [
    "I am allergic to peanuts",
    "我对花生过敏",
    "We moved to Lisbon in March",
    "我女儿三岁了",
    "My manager is called Priya",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder()


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("What must I not eat?", {0, 1}),
        ("我不能吃什么？", {0, 1}),
        ("which city is home now", {2}),
        ("孩子多大", {3}),
        ("who is my boss", {4}),
    ],
)
def test_finds_what_is_meant_in_both_languages(
    encoder: Encoder, asked: str, wanted: set[int]
) -> None:
    near = encoder.embed([asked]) @ encoder.embed(KEPT).T
    assert int(near[0].argmax()) in wanted


@pytest.mark.parametrize("reading", ["embed", "judge", "intents", "changes"])
def test_a_text_is_read_alike_alone_and_among_others(reading: str) -> None:
    longer = (f"{text} {KEPT[0]}" for text in KEPT * count(3, 9))
    texts = [*KEPT, "", "x" * 500, "長" * 300, *longer]
    given = list(zip(texts, texts[::-1], strict=True)) if reading == "changes" else texts
    together, each = (getattr(Encoder(), reading) for _ in range(2))  # which remember nothing
    for one, other in zip(together(given), (each([it])[0] for it in given), strict=True):
        assert tuple(one) == pytest.approx(tuple(other), abs=1e-5)


def test_traditional_characters_are_those_that_they_stand_for(encoder: Encoder) -> None:
    one, other = encoder.embed(["我對花生過敏", "我对花生过敏"])
    assert one @ other == pytest.approx(1, abs=1e-3)  # they are unit vectors


def test_tells_what_is_worth_keeping(encoder: Encoder) -> None:
    kept = encoder.judge(KEPT)
    idle = encoder.judge(["haha ok", "今天好累啊", "Sounds good, thanks!", "What time is it?"])
    assert min(one.keep for one in kept) > 0.5 > max(one.keep for one in idle)
    assert {one.topic for one in kept} <= set(TOPICS)
    assert encoder.judge(["I was diagnosed with diabetes last year"])[0].topic == "health"


def test_a_memory_finds_by_meaning_with_it(tmp_path: Path) -> None:
    config = Config()._replace(embedder=EmbedderConfig(kind="auto"))
    with Memory.open(tmp_path, config=config) as memory:
        said = (*KEPT, "I watched a film about bees", "我们周末去爬山了")
        memory.add([{"role": "user", "content": text} for text in said], session="talk")
        memory.embed()
        found = memory.recall("what food is dangerous for me?")
        assert "peanuts" in found.items[0].content or "花生" in found.items[0].content


@pytest.mark.parametrize("language", ["en", "zh"])
def test_requests_and_wishes_of_an_author_it_never_learned_from(
    encoder: Encoder, language: str
) -> None:
    lines = (DATA / "intents" / f"{language}_i.tsv").read_text("utf-8").splitlines()
    labels, texts = zip(*(line.split("\t") for line in lines[::2]), strict=True)
    found = encoder.intents(texts)
    for label in ("forget", "wish"):
        taken = [
            kind for kind, one in zip(labels, found, strict=True) if getattr(one, label) > 0.75
        ]
        assert taken.count(label) >= 0.75 * labels.count(label)
        assert taken.count(label) >= 0.85 * len(taken)


def test_a_new_value_replaces_the_old_one(encoder: Encoder) -> None:
    replaced, another, same = encoder.changes(
        [
            ("I live in Leeds", "we moved to York last month"),
            ("I have a cat called Mimi", "I got a dog too, Rex"),
            ("Tiago lives in Braga", "Tiago住在布拉加"),
        ]
    )
    assert replaced.replaces > 0.7
    assert another.replaces < 0.2
    assert same.same > 0.7


def test_the_weights_are_written_as_they_were_read(tmp_path: Path) -> None:
    parts = weights_file.read()
    weights_file.write(parts, tmp_path / "weights.bin")
    assert (tmp_path / "weights.bin").read_bytes() == weights_file.PATH.read_bytes()
    again = weights_file.quantised(weights_file.restored(parts), matrix=2_000)
    assert all(np.array_equal(again[name], parts[name]) for name in parts if ":reader." in name)
