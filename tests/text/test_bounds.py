from __future__ import annotations

import json
import re
from pathlib import Path

from loxodon.text.bounds import CLOSELY, LONGEST, tame
from tests.cases import cases
from tests.consolidate.hostile import messages
from tests.each import each
from tests.long import count, some

CASES = Path(__file__).parents[1] / "consolidation" / "cases"


@each("text", cases(__file__, "what_people_write_stays_as_it_is"))
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert tame(text) == text


def test_no_message_of_the_labelled_conversations_is_changed() -> None:
    texts = [
        turn["content"]
        for path in CASES.glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
        for turn in json.loads(line)["turns"]
    ]
    assert len(texts) > 2_000
    assert [text for text in texts if tame(text) != text] == []


@each("most", [CLOSELY, LONGEST])
@each(("name", "text"), some([*messages(count(60_000, 120_000)).items()], 2))
def test_what_is_left_has_no_stretch_without_an_end(name: str, text: str, most: int) -> None:
    tamed = tame(text, most)
    assert len(tamed) <= most
    assert tame(tamed, most) == tamed
    assert not re.search(r"\d{49}|\s{65}|[^\s\u2e80-\U0003ffff]{257}", tamed)
    assert max(map(len, re.split(r"[\s,.!?;:，。、！？；：…]", tamed))) <= 1_000


def test_numbers_are_shortened_and_white_space_keeps_what_it_separates() -> None:
    assert tame("《" + "1" * 4_000) == "《" + "1" * 47 + "…"
    assert tame("a" + "1" * 4_000) == "a" + "1" * 47 + "…"
    assert tame("I like" + " " * 500 + "tea") == "I like tea"
    assert tame("I like tea" + "\n" * 500 + "I live here") == "I like tea\n\nI live here"


def test_of_a_long_message_its_beginning_and_its_end_are_left() -> None:
    text = tame("my name is Mei. " + "so it goes. " * 10_000 + "I live in Leeds.", CLOSELY)
    assert text.startswith("my name is Mei.")
    assert text.endswith("I live in Leeds.")
