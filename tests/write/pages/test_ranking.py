"""What matters most now comes first, and a summary stands for what it says."""

from __future__ import annotations

from datetime import timedelta

from loxodon.write.pages.ranking import TOP, moved, ranking
from tests.clock import NOW
from tests.write.made import fact


def test_strength_and_importance_both_count() -> None:
    allergy = fact("用户对花生过敏", importance=1.0, strength=0.6)
    trifle = fact("用户买了一支笔", importance=0.2, strength=0.9)
    faded = fact("用户有一个秘密", importance=1.0, strength=0.06)
    assert list(ranking([faded, trifle, allergy], NOW)) == [allergy.id, trifle.id, faded.id]


def test_what_is_due_soon_rises_and_what_others_said_falls() -> None:
    plain = fact("用户要修自行车")
    due = fact("用户要交税", due_at=NOW + timedelta(days=2))
    heard = fact("用户要开会", trust="assistant")
    assert list(ranking([heard, plain, due], NOW)) == [due.id, plain.id, heard.id]


def test_only_what_holds_and_twenty_of_that() -> None:
    records = [fact(f"用户有第{n}件事", importance=n / 100) for n in range(40)]
    over = [
        fact("a", importance=1.0, state="archived"),
        fact("b", importance=1.0, valid_until=NOW),
        fact("c", importance=1.0, expires_at=NOW),
        fact("d", importance=1.0, done=True),
    ]
    found = ranking([*over, *records], NOW)
    assert list(found) == [one.id for one in records[: -TOP - 1 : -1]]
    assert all(0 <= score <= 1 for score in found.values())


def test_a_summary_stands_for_the_facts_it_says() -> None:
    facts = [fact("用户喜欢爵士乐", strength=0.7), fact("用户喜欢乌龙茶", strength=0.6)]
    unsaid = fact("用户会游泳", strength=0.5)
    ids = tuple(one.id for one in (*facts, unsaid))
    summary = fact("用户喜欢爵士乐、乌龙茶", kind="summary", strength=0.1, derived_from=ids)
    again = fact("用户喜欢爵士乐", kind="summary", strength=0.09, derived_from=ids[:1])
    day = fact("用户喜欢乌龙茶", kind="summary", value="day:2026-02-04", derived_from=ids)
    found = ranking([*facts, unsaid, summary, again, day], NOW)
    assert list(found) == [summary.id, unsaid.id]
    assert found[summary.id] == ranking(facts, NOW)[facts[0].id]


def test_a_ranking_has_moved_when_a_score_has() -> None:
    assert not moved({}, {})
    assert not moved({"a": 0.5, "b": 0.4}, {"b": 0.45, "a": 0.41})
    assert moved({"a": 0.5}, {"a": 0.61})
    assert moved({"a": 0.5}, {})
    assert moved({}, {"a": 0.5})
    assert not moved({"a": 0.5}, {"a": 0.61}, threshold=0.2)
