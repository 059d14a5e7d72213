"""Summaries in the store: made of three facts, renewed as they change, gone with them."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase

import pytest

from loxodon import Memory
from loxodon.types import Record
from loxodon.write import themes
from loxodon.write.extract import Candidate
from tests.clock import Clock
from tests.write.said import one_about, said, store_of, tell

CHINESE = [
    said("用户对花生过敏", "allergy", "花生", category="health", days=5),
    said("用户对芒果过敏", "allergy", "芒果", category="health", days=4),
    said("用户有哮喘", "condition", "哮喘", category="health", days=3),
]
ENGLISH = [
    said("The user is allergic to peanuts", "allergy", "peanuts", category="health", days=5),
    said("The user is allergic to mango", "allergy", "mango", category="health", days=4),
    said("The user has asthma", "condition", "asthma", category="health", days=3),
]


def summaries(memory: Memory, state: str = "active") -> list[Record]:
    return memory.list(kind="summary", state=state)  # type: ignore[arg-type]


def size(summary: Record) -> int:
    return len(summary.content.split() if summary.content.isascii() else summary.content)


def test_how_many_facts_make_a_summary_is_a_setting(tmp_path: Path) -> None:
    for least, made in ((2, 1), (4, 0)):
        config = {"timezone": "Asia/Shanghai", "summary": {"facts": least}}
        with Memory.open(tmp_path / str(least), config=config) as memory:
            tell(memory, *CHINESE[: least if least < 3 else 3])
            assert len(summaries(memory)) == made


@pytest.mark.parametrize("facts", [CHINESE, ENGLISH])
def test_three_facts_of_a_theme_give_a_summary(memory: Memory, facts: list[Candidate]) -> None:
    tell(memory, *facts[:2])
    assert summaries(memory) == []
    tell(memory, facts[2])
    (summary,) = summaries(memory)
    assert (summary.id[0], summary.value) == ("s", "user/health")
    told = memory.list(kind="fact")
    assert set(summary.derived_from) == {one.id for one in told}
    assert {one for fact in told for one in fact.sources} == set(memory.get(summary.id).sources)
    assert all(fact.value in summary.content for fact in told)
    assert size(summary) <= (30 if summary.content.isascii() else 50)
    assert memory.validate() == []


@pytest.mark.parametrize(("language", "most"), [("zh", 50), ("en", 30)])
def test_however_many_facts_the_limits_hold(memory: Memory, language: str, most: int) -> None:
    trees = [chr(code) * 2 for code in range(ord("松"), ord("松") + 15)]
    for n, tree in enumerate(trees if language == "zh" else ascii_lowercase[:15]):
        content = (
            f"用户喜欢{tree}林"
            if language == "zh"
            else f"The user likes the old {tree * 6} garden on the far side of the river"
        )
        tell(
            memory,
            said(
                content,
                "likes",
                tree * (1 if language == "zh" else 6),
                days=15 - n,
                category="preference",
            ),
        )
    (summary,) = summaries(memory)
    assert 0 < size(summary) <= most
    assert len(summary.derived_from) == 15


def test_it_is_renewed_when_its_facts_change(memory: Memory, clock: Clock) -> None:
    tell(memory, *CHINESE)
    (before,) = summaries(memory)
    clock.pass_days(1)
    tell(memory, said("用户对虾过敏", "allergy", "虾", category="health", at=clock.now))
    (after,) = summaries(memory)
    assert (after.id, after.version) == (before.id, before.version + 1)
    assert "虾" in after.content
    assert len(after.derived_from) == 4
    assert after.updated_at == clock.now
    assert [step.change for step in memory.history(after.id)] == ["learned", "renewed"]


def test_nothing_new_renews_nothing(memory: Memory, clock: Clock) -> None:
    tell(memory, *CHINESE)
    before = memory.get(summaries(memory)[0].id)
    tell(memory, said("用户会游泳", "skill", "游泳", category="identity"))
    assert memory.get(before.id) == before
    store = store_of(memory)
    clock.pass_days(1)
    with store.writing():
        assert themes.renew(store, memory.list(kind="fact"), memory.now()) == 0
    assert memory.get(before.id).version == before.version


def test_a_fact_that_was_superseded_is_told_no_more(memory: Memory, clock: Clock) -> None:
    facts = [
        said("Mei lives in Osaka", "home", "Osaka", subject="Mei", days=5),
        said("Mei likes tea", "likes", "tea", subject="Mei", days=5),
        said("Mei plays go", "plays", "go", subject="Mei", days=5),
    ]
    tell(memory, *facts)
    assert "Osaka" in summaries(memory)[0].content
    clock.pass_days(1)
    tell(memory, said("Mei lives in Kyoto", "home", "Kyoto", subject="Mei"))
    (summary,) = summaries(memory)
    assert "Kyoto" in summary.content
    assert "Osaka" not in summary.content


def test_it_goes_when_fewer_are_left_and_comes_back(memory: Memory, clock: Clock) -> None:
    tell(memory, *ENGLISH)
    (summary,) = summaries(memory)
    clock.pass_days(1)
    tell(
        memory,
        said(
            "The user no longer has asthma",
            "condition",
            "asthma",
            act="end",
            over=("asthma",),
            category="status",
            positive=False,
        ),
    )
    assert one_about(memory, "has asthma", state="archived", kind="fact")
    assert summaries(memory) == []
    gone = memory.get(summary.id)
    assert memory.history(gone.id)[-1].change == "outdated"
    clock.pass_days(1)
    tell(
        memory,
        said(
            "The user is allergic to shrimp", "allergy", "shrimp", category="health", at=clock.now
        ),
    )
    (new,) = summaries(memory)
    assert "asthma" not in new.content


def test_it_is_trusted_and_told_as_the_least_of_its_facts(memory: Memory, clock: Clock) -> None:
    tell(memory, *CHINESE, chat="group")
    (summary,) = summaries(memory)
    assert (summary.trust, summary.audience) == ("user", "group")
    clock.pass_days(1)
    tell(memory, said("用户对虾过敏", "allergy", "虾", category="health"), chat="direct")
    assert summaries(memory)[0].audience == "private"
    tell(
        memory,
        said("用户有鼻炎", "condition", "鼻炎", category="health"),
        origin="import",
        chat="group",
    )
    (summary,) = summaries(memory)
    assert (summary.trust, summary.audience) == ("import", "private")


def test_people_and_projects_have_their_own(memory: Memory) -> None:
    for n, content in enumerate(("uses Flutter", "ships on Fridays", "has three testers")):
        of_mei = ("likes tea", "plays go", "lives in Osaka")[n]
        tell(
            memory,
            said(f"Pennywise {content}", subject="Pennywise", project="Pennywise"),
            said(f"Mei {of_mei}", subject="Mei"),
        )
    assert {one.value for one in summaries(memory)} == {"subject:Pennywise", "subject:Mei"}


def test_a_day_has_one_only_where_much_happened(memory: Memory) -> None:
    store = store_of(memory)
    for content in ("用户去了医院", "用户和小美吃饭", "用户修好了水管"):
        tell(memory, said(content, "event", content, category="event"))
    day = f"{memory.now():%Y-%m-%d}"
    assert f"day:{day}" not in [one.value for one in summaries(memory)]
    with store.writing():
        assert themes.renew_theme(store, themes.DAY + day, memory.now())
        assert not themes.renew_theme(store, themes.DAY + day, memory.now())
        assert not themes.renew_theme(store, "day:1999-01-01", memory.now())
    kept = themes.summary_of(store, f"day:{day}")
    assert kept is not None
    assert len(kept.derived_from) == 3


def test_beliefs_and_summaries_make_no_summaries(memory: Memory) -> None:
    tell(
        memory, *(one._replace(statement=one.statement._replace(confidence=0.5)) for one in CHINESE)
    )
    assert summaries(memory) == []
