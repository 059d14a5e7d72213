"""A message of a megabyte costs no more than it must, and nothing where it is not asked for."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.text.words import index_words
from loxodon.trust.guard.guard import Guard
from tests.clock import Clock
from tests.growth import linear

_RNG = random.Random(27)
LONG = {
    "one word again and again": "tea, " * 200_000,
    "Chinese": "".join(
        _RNG.choices("我你他在是有的不了这人来到时说出就可会那要天家茶，。", k=330_000)
    ),
    "one long word": "t" * 1_000_000,
    "a file as base64": base64.b64encode(_RNG.randbytes(750_000)).decode(),
    "blanks": " " * 999_000 + "tea",
}
QUESTIONS = ("which tea do I like?", "where do I live?", "我喜欢喝什么茶？")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, clock=Clock()) as memory:
        said = ("I live in Leeds.", "I love jazz and green tea.", "我喜欢喝绿茶。")
        memory.add([{"role": "user", "content": one} for one in said], "before")
        yield memory


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many characters the guard is given to look at before they are shown; the time that it
    takes is its own matter."""
    found: list[int] = []

    def counted(self: Guard, text: str, private: bool, reveal: bool = False) -> str:
        found.append(len(text))
        return text

    monkeypatch.setattr(Guard, "shown", counted)
    monkeypatch.setattr(Guard, "drafts", lambda self, drafts, before: list(drafts))
    monkeypatch.setattr(Guard, "turn", lambda self, turn: turn)
    return found


@pytest.mark.parametrize("kind", LONG)
def test_a_recall_beside_it_reads_an_excerpt_of_it(
    memory: Memory, looked_at: list[int], kind: str
) -> None:
    memory.add([{"role": "user", "content": LONG[kind]}], "long")
    looked_at.clear()
    for question in QUESTIONS:
        memory.recall(question)
    memory.assemble(QUESTIONS[0])
    assert sum(looked_at) < 200_000
    assert memory.recall(QUESTIONS[1]).context.count("Leeds") == 1


@pytest.mark.parametrize("kind", LONG)
def test_its_words_are_found_in_time_that_grows_with_it(kind: str) -> None:
    text = LONG[kind]
    assert len(index_words(text)) <= len(text)
    linear(index_words, lambda size: text[:size], len(text))


def test_a_word_that_recurs_without_end_counts_up_to_a_bound() -> None:
    assert index_words("tea, milk " * 50_000).count("tea") == 100
    assert index_words("tea " * 90 + "milk").count("tea") == 90


def test_parts_of_names_are_found_but_not_those_of_a_file() -> None:
    assert {"user", "name"} <= {*index_words("see `userName` in src/userName.py")}
    assert not {"user", "name"} & {*index_words("userName/" + "xY0" * 200)}


def test_what_is_masked_in_a_short_text_is_masked_in_an_excerpt(memory: Memory) -> None:
    lines = [f"Line {n}: my card is 4111 1111 1111 1111, ok." for n in range(2_000)]
    lines[1_000] = "The walrus sang."
    memory.add([{"role": "user", "content": " ".join(lines)}], "long")
    for question in ("which walrus sang?", "card", "line 1999"):
        context = memory.recall(question).context
        assert "bank card" in context
        assert "4111 1111" not in context
        assert "1111 1111" not in context
