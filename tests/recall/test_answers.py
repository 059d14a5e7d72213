"""What answers comes first: statements before questions, what holds before what held, the user's
own facts before others', and nothing beside them that answers nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from loxodon import Memory
from tests.cases import cases
from tests.clock import Clock
from tests.recall.talking import DAY, shown, talk

pytestmark = pytest.mark.usefixtures("in_march")


def told(of: str) -> pytest.MarkDecorator:
    """The cases of a list, in both languages."""
    rows = cases(__file__, of)
    names = [name for name in rows[0] if name != "id"]
    values = [tuple(row[name] for name in names) for row in rows]
    return pytest.mark.parametrize(names, values, ids=[row["id"] for row in rows])


@pytest.mark.parametrize("speaker", ["user", "assistant", "Bea"])
@told("statements")
def test_question_never_stands_above_the_statement_that_answers(
    memory: Memory, statement: str, questions: list[str], asked: str, speaker: str
) -> None:
    talk(memory, "told", DAY, f"user: {statement}")
    for n, question in enumerate(questions):
        talk(memory, f"q{n}", DAY + timedelta(days=2 + n), f"{speaker}: {question}")
    found = memory.recall(asked)
    assert shown(found)[0] == statement
    assert not found.items[0].why.get("again")
    assert not found.unsure


@pytest.mark.parametrize("known", [False, True], ids=["turns", "memories"])
@told("homes")
def test_own_home_comes_before_the_homes_of_others(
    memory: Memory, own: str, others: list[str], asks: list[str], home: str, known: bool
) -> None:
    talk(memory, "own", DAY, f"user: {own}")
    for n, other in enumerate(others):
        talk(memory, f"o{n}", DAY + timedelta(days=1 + n), f"user: {other}")
    if known:
        memory.consolidate(force=True)
    for asked in asks:
        found = memory.recall(asked)
        assert home in shown(found)[0], shown(found)
        assert not found.unsure


@told("over")
def test_what_is_over_is_left_out_unless_the_past_is_asked_for(
    memory: Memory, clock: Clock, was: str, now: str, asked: str, before: str, old: str, new: str
) -> None:
    clock.now = datetime(2026, 1, 6, tzinfo=UTC)
    talk(memory, "a", datetime(2026, 1, 5, tzinfo=UTC), f"user: {was}")
    memory.consolidate(force=True)
    clock.now = datetime(2026, 3, 21, tzinfo=UTC)
    talk(memory, "b", datetime(2026, 3, 20, tzinfo=UTC), f"user: {now}")
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert new in shown(found)[0]
    assert not any(old in text for text in shown(found))
    assert any(old in text for text in shown(memory.recall(before)))


@told("nothing")
def test_nothing_is_shown_that_answers_nothing(
    memory: Memory, lines: list[str], asked: str, answer: str, padding: list[str]
) -> None:
    talk(memory, "s", DAY, *lines)
    memory.consolidate(force=True)
    found = memory.recall(asked)
    assert answer in shown(found)[0]
    assert not [text for text in shown(found) if any(word in text for word in padding)]
