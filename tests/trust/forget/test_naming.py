"""Whom a forgetting by name is about: other names of theirs, and names that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.trust.forget.naming import near, said_aliases
from tests.clock import Clock
from tests.each import each
from tests.trust.forget.test_forgetting import opened, say, texts
from tests.trust.looking import files_with


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@each(
    ("text", "name", "other"),
    [
        ("My sister Mei, also known as Lily, moved.", "Mei", "Lily"),
        ("Mei is my sister. Everyone calls her Lily.", "Mei", "Lily"),
        ("Robert, a.k.a. Bobcat, won.", "Robert", "Bobcat"),
        ("Robert (aka Bobcat) won.", "Robert", "Bobcat"),
        ("Robert's nickname is Bobcat.", "Robert", "Bobcat"),
        ("Robert goes by Bobcat at work.", "Robert", "Bobcat"),
        ("We all call him Bobcat, but he is Robert.", "Robert", "Bobcat"),
        ("我妹妹小美，小名是豆豆。", "小美", "豆豆"),
        ("小美又名林晓美。", "小美", "林晓美"),
        ("小美在大阪。大家都叫她豆豆。", "小美", "豆豆"),
        ("李雷的外号叫大熊，人很好。", "李雷", "大熊"),
        ("豆豆的大名是林晓美。", "豆豆", "林晓美"),
        ("Mei, also known as Lily, moved.", "Lily", "Mei"),
        ("My friend Mei bakes. Everyone calls her Lily.", "Lily", "Mei"),
    ],
)
def test_other_names_that_were_said(text: str, name: str, other: str) -> None:
    assert said_aliases([text], [name], []) == [other]


@each(
    ("text", "name"),
    [
        ("Mei is my sister. My cat is called Biscuit.", "Mei"),
        ("Everyone calls her Lily.", "Mei"),
        ("Mei calls me every day.", "Mei"),
        ("Mei said her real name does not matter.", "Mei"),
        ("小美说大家都叫她去吃饭。", "小美"),
        ("小美的名字很好听。", "小美"),
    ],
)
def test_what_is_no_other_name(text: str, name: str) -> None:
    assert said_aliases([text], [name], []) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Anna", "Annie met Hannes and Bernd.", ["Annie"]),
        ("小美", "美美和阿美来了，小明没来。", ["美美", "阿美"]),
        ("张三", "张三丰", ["张三丰"]),
        ("Anna", "Anna Bell", ["Anna Bell"]),
        ("a@b.com", "a@b.com.au and xa@b.com and c@d.org", ["a@b.com.au", "xa@b.com"]),
    ],
)
def test_names_that_look_alike(name: str, text: str, found: list[str]) -> None:
    known = [text] if text in found else []
    assert near([name], known, [text]) == found


def test_an_entity_goes_by_every_name_that_was_said(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My sister Zorinda works at Quilltech. Everyone calls her Quibby.",
            "OK.",
            "Quibby likes tea. I live in Leeds.",
        )
        memory.consolidate()
        planned = memory.forget(entity="Zorinda", dry_run=True)
        assert {"Zorinda", "Quibby"} <= {*planned.names}
        memory.forget(entity="Zorinda")
        assert not files_with(["Zorinda", "Quibby", "Quilltech"], home)
        assert "I live in Leeds." in texts(memory)


def test_near_names_stay_unless_they_are_chosen(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Anna likes chess.",
            "OK.",
            "My colleague Annie likes tea.",
            "OK.",
            "My boss Annie called.",
        )
        memory.consolidate()
        planned = memory.forget(entity="Anna", dry_run=True)
        assert ("Annie", 2) in planned.near
        memory.forget(entity="Anna")
        assert "My boss Annie called." in texts(memory)
        assert not files_with(["chess"], home)
        memory.forget(entity="Annie", also=["Anna"])
        assert not files_with(["Annie"], home)


def test_a_longer_name_is_somebody_elses(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "我朋友张三喜欢下棋。",
            "好。",
            "我在看张三丰的电影。",
            "好。",
            "张三来了。",
        )
        memory.consolidate()
        planned = memory.forget(entity="张三", dry_run=True)
        assert "张三丰" in [one.name for one in planned.near]
        memory.forget(entity="张三")
        assert "我在看张三丰的电影。" in texts(memory)
        assert not files_with(["下棋", "张三来了"], home)
        assert memory.validate() == []
    # And stays so when it is held against the marks again.
    with opened(home, clock) as memory, memory._store.writing():
        memory._store.erasure.set_value("forgotten_to", "")
    with opened(home, clock) as memory:
        assert "我在看张三丰的电影。" in texts(memory)


@pytest.mark.parametrize("gone", ["dana@startup.com", "dana@startup.com.au", "x.dana@startup.com"])
def test_an_address_is_only_itself(home: Path, clock: Clock, gone: str) -> None:
    all = ["dana@startup.com", "dana@startup.com.au", "x.dana@startup.com"]
    with opened(home, clock) as memory:
        for one in all:
            say(memory, clock, f"Write to {one}, please.", session=one.replace("@", " at "))
        planned = memory.forget(entity=gone, dry_run=True)
        memory.forget(entity=gone)
        assert sorted(texts(memory)) == sorted(
            f"Write to {one}, please." for one in all if one != gone
        )
        assert [one.name for one in planned.near] == sorted(
            one for one in all if one != gone and (one in gone or gone in one)
        )


def test_other_names_go_with_an_entity_only(memory: Memory) -> None:
    with pytest.raises(InputError):
        memory.forget(topic="x", also=["y"])


def test_what_somebody_else_is_called_too_takes_nobody_else_along(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My sister Zorinda works at Quilltech.",
            "OK.",
            "My sister Bostmara lives in Leeds.",
            "OK.",
            "我同事璟垚翀喜欢喝茶。",
            "好。",
            "我同事骞羿樾喜欢下棋。",
        )
        memory.consolidate()
        memory.forget(entity="Zorinda")
        memory.forget(entity="璟垚翀")
        assert not files_with(["Zorinda", "Quilltech", "璟垚翀"], home)
        assert "My sister Bostmara lives in Leeds." in texts(memory)
        assert "我同事骞羿樾喜欢下棋。" in texts(memory)


# -- what a memory was drawn from ------------------------------------------------------------------


def test_what_was_captured_goes_with_whom_it_is_about(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        memory.capture("Has been allergic to walnuts since 2019", entities=["Zorinda"])
        memory.capture("Plays the xylophone", tags=["Zorinda"])
        memory.capture("The user lives in Leeds")
        memory.consolidate()
        memory.forget(entity="Zorinda")
        assert texts(memory) == ["The user lives in Leeds"]
        assert not files_with(["Zorinda", "walnuts", "xylophone"], home)
        assert memory.validate() == []


def test_a_sentence_that_does_not_name_her_goes_with_what_is_known_from_it(
    home: Path, clock: Clock
) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, "My sister is Zorinda. She works at Quilltech. It rains.")
        memory.consolidate()
        known = [one.content for one in memory.list() if "Quilltech" in one.content]
        memory.forget(entity="Zorinda")
        if known and "Zorinda" in known[0]:
            assert not files_with(["Quilltech"], home)
        assert "It rains." in texts(memory)[0]
