"""The last talk, asked for as such."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loxodon import Memory
from loxodon.config import PROFILES
from tests.recall.test_routes import memory, now, shown, talk  # noqa: F401  (fixtures)

LAST = datetime(2026, 2, 28, 9, tzinfo=UTC)


@pytest.fixture
def talked(memory: Memory) -> Memory:  # noqa: F811
    talk(memory, "old", LAST - timedelta(days=40), "user: 我们讨论一下老方案，讨论了很久")
    talk(memory, "before", LAST - timedelta(days=1), "user: the launch moves to the end of March")
    talk(
        memory,
        "last",
        LAST,
        "user: 召回先做四条路",
        "assistant: 好的，下一步讨论排序权重",
        "user: ok",
    )
    return memory


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "question",
    [
        "上次讨论到哪了",
        "继续讨论",
        "接着上次的话题",
        "what did we talk about last time?",
        "where were we?",
    ],
)
def test_the_last_session_and_days_come_newest_first(
    talked: Memory, question: str, profile: str
) -> None:
    found = talked.recall(question, profile=profile)
    assert shown(found) == [
        "好的，下一步讨论排序权重",
        "召回先做四条路",
        "the launch moves to the end of March",
    ]
    assert not found.unsure
    assert talked.gate(question).recall


def test_a_last_talk_about_something_is_looked_for_by_its_words(talked: Memory) -> None:
    assert shown(talked.recall("上次讨论老方案到哪了"))[0].startswith("我们讨论一下老方案")


def test_an_empty_journal_has_no_last_talk(memory: Memory) -> None:  # noqa: F811
    assert memory.recall("where were we?").items == ()


def test_the_last_session_comes_however_old_it_is(memory: Memory) -> None:  # noqa: F811
    talk(memory, "old", LAST - timedelta(days=40), "user: the boiler needs a new valve")
    assert shown(memory.recall("what did we talk about last time?")) == [
        "the boiler needs a new valve"
    ]
