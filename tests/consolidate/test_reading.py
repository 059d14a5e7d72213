"""What is learned from a sentence: each thing it says, in its own language, with its dates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from loxodon import Memory
from loxodon.types import Record
from tests.cases import cases
from tests.clock import NOW
from tests.consolidate.talks import CONFIG, said
from tests.each import each
from tests.long import some

_number = count(1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reading")


def learned(home: Path, *texts: str) -> list[Record]:
    """The facts that are known after these were said one after another, in a space of their own."""
    with Memory.open(home, f"s{next(_number)}", CONFIG, lambda: NOW) as memory:
        memory.add(said(*texts))
        memory.consolidate(force=True)
        return [one for one in memory.list(limit=100) if one.kind != "summary"]


def contents(records: Sequence[Record]) -> list[str]:
    return sorted(one.content for one in records)


@each(("text", "facts"), some(cases(__file__, "facts") + cases(__file__, "contents"), 2))
def test_every_thing_that_a_sentence_says_is_learned(
    home: Path, text: str, facts: list[str]
) -> None:
    assert contents(learned(home, text)) == sorted(facts)


@each(("text", "facts"), some(cases(__file__, "languages"), 2))
def test_each_sentence_is_read_in_its_own_language(home: Path, text: str, facts: list[str]) -> None:
    assert [one for one in contents(learned(home, text)) if "“" not in one] == sorted(facts)


@each(("text", "words"), some(cases(__file__, "own_words"), 2))
def test_what_no_frame_reads_stays_in_own_words(home: Path, text: str, words: list[str]) -> None:
    facts = contents(learned(home, text))
    assert all(any(word in one for one in facts) for word in words), facts


@each(("text", "never"), some(cases(__file__, "never"), 2))
def test_what_may_mean_something_else_is_not_read(home: Path, text: str, never: str) -> None:
    assert not any(never in one for one in contents(learned(home, text)))


@each(("text", "due"), cases(__file__, "due"))
def test_plan_is_due_when_it_says(home: Path, text: str, due: str | None) -> None:
    (found,) = learned(home, text)
    local = found.due_at and found.due_at.astimezone(NOW.tzinfo).isoformat()[:16]
    assert local == due


def test_dates_and_ends_of_what_is_learned(home: Path) -> None:
    (plan,) = learned(home, "我月底前要交论文")
    assert "2026年2月底前" in plan.content
    assert plan.due_at is not None
    assert plan.expires_at is not None
    assert (plan.expires_at - plan.due_at).days == 30
    assert learned(home, "I'm not allergic to cats")[0].value in ("cat", "cats")


def test_pasted_text_and_translations_are_not_the_users_words(home: Path) -> None:
    pasted = "帮我改一下语法：My name is Brent and I live in Denver. I love what you are building."
    assert learned(home, pasted) == []
    found = learned(home, "帮我翻译下面的句子", "我住在苏州。I live in Leeds with my cat.")
    assert "The user lives in Leeds" not in contents(found)


# Several people in one conversation


def content_origin(home: Path, *turns: tuple[str, str], **more: Any) -> list[str]:
    with Memory.open(home, f"s{next(_number)}", CONFIG, lambda: NOW) as memory:
        given = [{"role": "user", "speaker": who, "content": text, **more} for who, text in turns]
        memory.add(given, session="s")
        memory.consolidate(force=True)
        return [one.content for one in memory.list() if one.kind == "fact"]


def test_fact_is_about_the_speaker_who_said_it(home: Path) -> None:
    caro = "I live in York. I have been sober since March, after the accident."
    facts = content_origin(home, ("Mel", "I live in Leeds and I have two kids."), ("Caro", caro))
    assert any("Mel lives in Leeds" in fact for fact in facts), facts
    assert any("Caro lives in York" in fact for fact in facts), facts
    assert any(fact.startswith("Caro: “I have been sober") for fact in facts), facts
    assert not any("user" in fact.lower() for fact in facts), facts
    facts = content_origin(home, ("小王", "我住在成都。"), ("小李", "我住在重庆，我妹妹住在上海。"))
    assert any("小王住在成都" in fact for fact in facts), facts
    assert any("小李住在重庆" in fact for fact in facts), facts
    assert any("小李的妹妹" in fact for fact in facts), facts


def test_speakers_beside_the_user(home: Path) -> None:
    facts = content_origin(home, ("", "My name is Mel Brook."), ("mel", "I live in Leeds."))
    assert "The user lives in Leeds" in facts
    facts = content_origin(home, ("", "I live in Leeds."), ("Bob", "I moved to Ghent last week."))
    assert "The user lives in Leeds" in facts
    assert any("Bob" in fact and "Ghent" in fact for fact in facts), facts
    assert content_origin(home, ("Caro", "I live in York."), origin="group") == []


# A memory in other words


@pytest.mark.parametrize(
    ("text", "worded", "value", "tags"),
    [
        ("I live in Leeds", "The user lives in York", "York", ("York",)),
        ("我对花生过敏", "用户对虾过敏", "虾", ("虾过敏",)),
        ("I live in Leeds", "The user is between two flats at present", "", ()),
        ("I live in Leeds", "The user lives in Leeds, near the canal", "Leeds", ("Leeds",)),
    ],
)
def test_memory_in_other_words_has_another_value(
    memory: Memory, text: str, worded: str, value: str, tags: tuple[str, ...]
) -> None:
    memory.add(said(text))
    memory.consolidate()
    (record,) = memory.list()
    edited = memory.edit(record.id, content=worded)
    assert (edited.value, edited.tags, edited.attribute) == (value, tags, record.attribute)
    assert memory.edit(record.id, content=worded, value="given").value == "given"
