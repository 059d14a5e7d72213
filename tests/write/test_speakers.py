"""Several people in one conversation stay apart."""

from __future__ import annotations

from pathlib import Path

from loxodon import Memory


def told(tmp_path: Path, turns: list[tuple[str, str]]) -> list[str]:
    with Memory.open(tmp_path / "home") as memory:
        memory.add(
            [{"role": "user", "speaker": who, "content": text} for who, text in turns], session="s"
        )
        memory.consolidate(force=True)
        return [one.content for one in memory.list() if one.kind == "fact"]


def test_among_several_people_a_fact_is_about_the_one_who_said_it(tmp_path: Path) -> None:
    facts = told(
        tmp_path,
        [
            ("Mel", "I live in Leeds and I have two kids."),
            ("Caro", "I live in York. I have been sober since March, after the accident."),
        ],
    )
    assert any("Mel lives in Leeds" in fact for fact in facts), facts
    assert any("Caro lives in York" in fact for fact in facts), facts
    assert any(fact.startswith("Caro: “I have been sober") for fact in facts), facts
    assert not any("user" in fact.lower() for fact in facts), facts


def test_the_same_in_chinese(tmp_path: Path) -> None:
    facts = told(tmp_path, [("小王", "我住在成都。"), ("小李", "我住在重庆，我妹妹住在上海。")])
    assert any("小王住在成都" in fact for fact in facts), facts
    assert any("小李住在重庆" in fact for fact in facts), facts
    assert any("小李的妹妹" in fact for fact in facts), facts


def test_one_person_with_a_name_is_named_too(tmp_path: Path) -> None:
    facts = told(tmp_path, [("Mel", "I live in Leeds."), ("Mel", "I work as a nurse.")])
    assert any("Mel lives in Leeds" in fact for fact in facts), facts
    assert not any("user" in fact.lower() for fact in facts), facts


def test_who_has_the_name_of_the_user_is_the_user(tmp_path: Path) -> None:
    facts = told(tmp_path, [("", "My name is Mel Brook."), ("mel", "I live in Leeds.")])
    assert "The user lives in Leeds" in facts


def test_a_stranger_overturns_nothing_of_the_user(tmp_path: Path) -> None:
    facts = told(tmp_path, [("", "I live in Leeds."), ("Bob", "I moved to Ghent last week.")])
    assert "The user lives in Leeds" in facts
    assert any("Bob" in fact and "Ghent" in fact for fact in facts), facts


def test_beside_members_of_a_group_the_user_is_the_user(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.add(
            [
                {"role": "user", "content": "I live in Leeds."},
                {
                    "role": "user",
                    "speaker": "Caro",
                    "content": "I live in York.",
                    "origin": "group",
                },
            ],
            session="s",
        )
        memory.consolidate(force=True)
        assert [one.content for one in memory.list()] == ["The user lives in Leeds"]
