"""A message of a megabyte is indexed in proportion to its length, and recalled by an excerpt."""

from __future__ import annotations

import base64
import random

import pytest

from loxodon import Memory
from tests.growth import linear
from tests.recall.talking import say

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


@pytest.mark.parametrize("kind", LONG)
def test_recall_beside_a_long_message(memory: Memory, kind: str) -> None:
    say(memory, "I live in Leeds.", "I love jazz and green tea.", "我喜欢喝绿茶。")
    say(memory, LONG[kind], session="long")
    for question in ("which tea do I like?", "我喜欢喝什么茶？"):
        found = memory.recall(question)
        assert "green tea" in found.context
        assert all(len(item.content) < 1_000 for item in found.items)
    assert memory.recall("where do I live?").context.count("Leeds") == 1


def test_long_message_is_added_in_time_that_grows_with_it(memory: Memory) -> None:
    text = LONG["Chinese"]
    linear(
        lambda part: memory.add([{"role": "user", "content": part}]), lambda n: text[:n], 160_000
    )


def test_numbers_in_an_excerpt_are_masked_as_in_a_short_text(memory: Memory) -> None:
    lines = [f"Line {n}: my card is 4111 1111 1111 1111, ok." for n in range(2_000)]
    lines[1_000] = "The walrus sang."
    say(memory, " ".join(lines), session="long")
    for question in ("which walrus sang?", "card", "line 1999"):
        context = memory.recall(question).context
        assert "bank card" in context
        assert "1111 1111" not in context
