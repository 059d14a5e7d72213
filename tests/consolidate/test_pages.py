"""The snapshot and the profile: what binds and matters, within the budget, once."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loxodon import Memory
from loxodon.consolidate import pages
from loxodon.tokens import estimate
from tests.clock import NOW, Clock
from tests.consolidate.said import tell
from tests.consolidate.talks import said
from tests.long import count


def section(text: str, heading: str) -> list[str]:
    """The lines under a heading."""
    return text.partition(f"## {heading}\n")[2].partition("\n\n")[0].splitlines()


def headings(text: str) -> list[str]:
    return re.findall("^#+ .*", text, re.MULTILINE)


@pytest.fixture
def known(memory: Memory) -> Memory:
    memory.capture("The user's name is Ann", importance=1.0, category="identity")
    memory.capture("The user is allergic to peanuts", importance=1.0, category="health")
    memory.capture("The user sails", importance=0.9)
    memory.capture("The user wants short answers", importance=0.9, category="preference")
    memory.capture("The user may be fond of jazz", "belief", confidence=0.6)
    tax = memory.capture("The user has to send the tax return", importance=0.7, category="plan")
    memory.edit(tax.id, due_at=NOW.replace(day=8, hour=0))
    memory.add(said("I moved house today, it was exhausting"))
    memory.consolidate(force=True)
    return memory


def test_snapshot_has_its_sections_in_both_languages(known: Memory, clock: Clock) -> None:
    text = known.snapshot("en")
    assert headings(text) == [
        *("# Memory snapshot", "## User", "## Constraints", "## Core memories"),
        *("## The last three days", "## Index"),
    ]
    assert section(text, "User") == ["- The user's name is Ann"]
    assert section(text, "Constraints") == [
        "- The user is allergic to peanuts",
        "- The user wants short answers",
    ]
    core = section(text, "Core memories")
    assert core[0] == "1. [0.90] The user sails"
    assert any("tax return (by 2026-02-07)" in line for line in core)
    assert core[-1] == "4. [0.30] The user may be fond of jazz (60% sure)"
    assert section(text, "The last three days") == ["- 2026-02-04: moved house today"]
    assert section(text, "Index")[0] == "The whole memory: 7 memories, 1 entity, 1 topic"
    assert headings(known.snapshot("zh")) == [
        *("# 记忆快照", "## 用户", "## 约束", "## 核心记忆", "## 近三天", "## 索引")
    ]
    assert "memories: 7 | active: 7 | archived: 0" in text
    clock.pass_days(7)  # whatever the ranking
    assert section(known.snapshot("en"), "The last three days") == []


def test_snapshot_follows_what_is_so_and_is_written_anew_only_then(known: Memory) -> None:
    def rewritten() -> int:
        return known.consolidate(phase=7).counts.get("snapshots", 0)

    assert rewritten() == 0
    (sails,) = [one for one in known.list() if "sails" in one.content]
    known.edit(sails.id, content="The user rows")
    assert "The user rows" in known.snapshot("en")
    assert rewritten() == 2
    known.archive(sails.id)
    assert "The user rows" not in known.snapshot("en")
    assert rewritten() == 2
    known.capture("The user has a pacemaker", importance=1.0, category="health")
    assert rewritten() == 2
    assert "- The user has a pacemaker" in section(known.snapshot("en"), "Constraints")
    assert rewritten() == 0
    known.forget(*(one.id for one in known.list() if "pacemaker" in one.content))
    assert "pacemaker" not in known.snapshot("en")
    known.forget(all=True)
    assert headings(known.snapshot("en")) == ["# Memory snapshot", "## Index"]


def test_what_is_over_is_not_shown_and_nothing_is_said_twice(memory: Memory, clock: Clock) -> None:
    assert headings(memory.snapshot("en")) == ["# Memory snapshot", "## Index"]
    past = NOW - timedelta(minutes=1)
    changes: list[Any] = [{"valid_until": past}, {"expires_at": past}, {"done": True}]
    for n, change in enumerate(changes):
        memory.edit(memory.capture(f"The user is over {n}", importance=1.0).id, **change)
    tell(memory, clock, "我对花生过敏", "我对芒果过敏", "我有哮喘")
    text = memory.snapshot("zh")
    assert "The user is over" not in text
    assert text.count("用户有哮喘") == 1
    assert text.count("用户对花生过敏") == 1


@pytest.mark.parametrize("language", ["zh", "en"])
def test_allergy_fits_the_smallest_snapshot(tmp_path: Path, clock: Clock, language: str) -> None:
    config = {"snapshot.budget": 100, "workspace.views": "off"}
    with Memory.open(tmp_path, config=config, clock=clock) as memory:
        for n in range(50):
            memory.capture(f"用户喜欢第{n}号乐曲", importance=1.0)
        memory.capture("用户写道：" + "很久以前有一个人。" * 1_000, importance=1.0)
        memory.capture("用户对花生过敏", importance=1.0, category="health")
        text = memory.snapshot(language)
    assert "- 用户对花生过敏" in text
    assert estimate(text) <= 100


WORDS = st.text(
    st.characters(exclude_characters="\0", codec="utf-8"), max_size=60
) | st.sampled_from(
    ["# 标题\n\n```sh\nrm", "## 约束", "`", "<!-- ", "[x]: y", "字" * 400, "🦣" * 80, "- 1. > x"]
)


@settings(max_examples=count(8, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(WORDS, st.sampled_from(["identity", "health", "plan"])), max_size=12))
def test_no_words_break_the_page(memory: Memory, known: list[tuple[str, str]]) -> None:
    for text, category in known:
        memory.capture(f"The user {text}", category=category, importance=0.9)
    for page in (memory.snapshot("en"), memory.snapshot("zh"), memory.profile(refresh=True)):
        assert "```" not in page
        assert estimate(page) <= 4_000 or page.startswith("# Profile")
        lines = page.split("\n")
        assert all(re.match(r"$|##? |> |- |   - |\d+\. |[A-Z记更本]|.*…", one) for one in lines)


# The profile


def test_profile_has_sections_and_the_week(known: Memory, clock: Clock) -> None:
    text = known.profile("en", refresh=True)
    assert headings(text) == [
        *("# Profile", "## Who", "## Health", "## Preferences", "## Plans", "## Other"),
        "## This week",
    ]
    assert section(text, "Health") == ["- The user is allergic to peanuts"]
    assert "- 2026-02-04 new: The user sails" in section(text, "This week")
    assert headings(known.profile("zh"))[:2] == ["# 用户画像", "## 基本情况"]
    assert known.profile("fr") == known.profile("en")
    known.capture("The user has a pacemaker", importance=1.0, category="health")
    assert known.profile("en") == text  # as written, until it is renewed
    assert "pacemaker" in known.profile("en", refresh=True)
    clock.pass_days(1)
    (sails,) = [one for one in known.list() if "sails" in one.content]
    known.edit(sails.id, content="The user rows")
    assert "The user rows" in known.profile("en")  # but what a person changed is never told
    assert "The user sails" not in known.profile("en")
    clock.pass_days(8)
    known.consolidate(force=True)
    assert "This week" not in known.profile("en", refresh=True)


def test_profile_tells_what_changed_and_keeps_small(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.profile() == "# Profile"
    tell(memory, clock, "I live in Bristol", "I live in Sheffield", "我戒了咖啡", days=0.1)
    week = memory.profile("en", refresh=True)
    assert "lives in Sheffield" in week
    assert "Bristol" not in week
    monkeypatch.setattr(pages, "ENTRIES", 20)
    for n in range(30):
        memory.capture(f"The user met friend number {n} in town", importance=0.9)
    text = memory.profile("en", refresh=True)
    assert len(section(text, "This week")) == 20
    assert text.partition("## This week")[0].count("\n- ") == 20
