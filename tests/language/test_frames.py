"""Every frame reads its examples, and not its counter-examples."""

from __future__ import annotations

import re

import pytest

from loxodon.language.attributes import ATTRIBUTES
from loxodon.language.frames import ClauseFrame
from loxodon.language.worth import judge_all
from tests.language.told import framed, rules
from tests.long import some

LANGUAGES = ("en", "zh")


def frames(language: str) -> list[ClauseFrame]:
    found: list[ClauseFrame] = rules(language).grammar.frames.frames
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_frame_reads_its_examples_as_it_says(language: str) -> None:
    wrong = []
    for frame in frames(language):
        assert frame.yes, frame.say
        for example in some(frame.yes, 3):
            text, _, sentence = example.partition(" => ")
            if sentence not in (found := framed(language, text)):
                wrong.append((text, sentence, found))
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_frame_reads_its_counter_examples(language: str) -> None:
    wrong = []
    judge_all(text for frame in frames(language) for text in some(frame.no, 3))  # faster so
    for frame in frames(language):
        assert frame.no, frame.say
        wrong += [(text, found) for text in some(frame.no, 3) if (found := framed(language, text))]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_fills_what_its_frame_tells(language: str) -> None:
    for frame in frames(language):
        assert frame.attribute in ATTRIBUTES
        told = f"{frame.say} {frame.value} {frame.over}"
        wanted = set(re.findall(r"\{(\w+)\}", told)) - {"S", "S的"}
        for pattern in frame.patterns:
            assert wanted <= pattern.slots.keys(), (frame.say, pattern.source)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_tells_of_health_does_so_wherever_it_stands(language: str) -> None:
    table = rules(language).grammar.frames
    assert [text for text in table.health["yes"] if not table.of_health(text)] == []
    assert [text for text in table.health["no"] if table.of_health(text)] == []
