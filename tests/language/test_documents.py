"""The example sentences of the design documents, with the importance that they give them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from loxodon import Memory
from loxodon.text.language import language_of
from tests.cases import cases
from tests.clock import NOW
from tests.each import each
from tests.language.told import rules, told


@each(("text", "found"), cases(__file__, "an_example_is_kept_with_the_importance_it_has_there"))
def test_an_example_is_kept_with_the_importance_it_has_there(
    text: str, found: dict[str, float]
) -> None:
    kept = [one for one in told(language_of(text), text) if not one.tentative]
    assert {one.content: one.importance for one in kept} == found


@each(("text", "type"), cases(__file__, "a_fragment_has_the_type_it_has_there"))
def test_a_fragment_has_the_type_it_has_there(text: str, type: str) -> None:
    (piece,) = rules(language_of(text)).split(text)
    assert piece.type == type


@each("text", cases(__file__, "text_about_software_tells_nothing_of_the_user"))
def test_text_about_software_tells_nothing_of_the_user(text: str) -> None:
    assert told(language_of(text), text) == []


@pytest.mark.parametrize(
    ("plain", "rich"),
    [
        ("我养了一只猫", "我养了一只叫咪咪的橘猫"),
        ("I have a cat", "I have an orange cat called Mimi"),
    ],
)
def test_a_fact_that_grows_richer_is_updated_and_not_doubled(
    memory: Memory, plain: str, rich: str
) -> None:
    for n, text in enumerate((plain, rich)):
        at = NOW - timedelta(days=2 - n)
        memory.add([{"role": "user", "content": text, "id": str(n), "at": at.isoformat()}])
        memory.consolidate()
    (one,) = memory.list(kind="fact")
    assert one.value in rich
    assert next(iter(memory.history(one.id))).record.content != one.content


def test_what_people_use_is_not_text_about_software() -> None:
    assert rules("zh").grammar.speech.never("记笔记用 Obsidian 和 GoodNotes") == ""


def told_over_days(memory: Memory, *texts: str) -> list[str]:
    """What is known once each text was said on a day of its own."""
    for n, text in enumerate(texts):
        at = NOW - timedelta(days=len(texts) - n)
        memory.add([{"role": "user", "content": text, "id": f"d{n}", "at": at.isoformat()}])
        memory.consolidate()
    return [one.content for one in reversed(memory.list(kind="fact"))]


def test_a_wish_replaces_only_what_it_contradicts(memory: Memory) -> None:
    assert told_over_days(
        memory,
        "No emojis please",
        "Please answer me in French",
        "Keep your answers short",
        "I want detailed answers",
        "From now on, answer in English",
    ) == ["How to reply: no emojis", "How to reply: detailed", "The user wants replies in English"]


def test_what_is_appointed_replaces_only_its_own_day(memory: Memory) -> None:
    assert told_over_days(
        memory, "The exam is on June 3", "The launch is on May 1", "The launch slipped to May 20"
    ) == ["The exam is on 2026-06-03", "The launch moved to 2026-05-20"]


def test_a_fact_about_another_never_touches_the_users(memory: Memory) -> None:
    assert told_over_days(
        memory, "我住在北京", "我对花生过敏", "李伟是我同事", "李伟搬到了杭州", "李伟对花生不过敏"
    ) == [
        "用户住在北京",
        "用户对花生过敏",
        "李伟是用户的同事",
        "李伟搬到了杭州",
        "李伟对花生不过敏",
    ]
