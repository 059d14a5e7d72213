"""Whom a forgetting by name is about: other names of theirs, and names that only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loxodon import Memory
from loxodon.errors import InputError
from loxodon.trust.forget.naming import near
from tests.clock import Clock
from tests.trust.forget.test_forgetting import opened, say, texts
from tests.trust.looking import files_with


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


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


@pytest.mark.parametrize(
    ("name", "said", "stays"),
    [
        ("Elisabeth Quennell", "My friend Elisabeth Quennell sails.", "Lizzy came by a friend."),
        ("Elisabeth", "Elisabeth sails, we call her Lizzy.", "I met Lizzy in York."),
        ("Anneliese", "Anneliese sails, but we say Anne.", "I saw Anne on Monday."),
        ("陈笑", "陈笑会开船。", "今天笑笑来了。"),
        ("小美", "我妹妹小美会开船，小名叫豆豆。", "豆豆来了。"),
    ],
)
def test_short_forms_stay_and_are_listed(
    home: Path, clock: Clock, name: str, said: str, stays: str
) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, said, "OK.", stays)
        memory.consolidate()
        receipt = memory.forget(entity=name)
        assert texts(memory) == ["OK.", stays]
        named = [one.name for one in receipt.near]
        assert any(one in stays for one in named) or name == "Elisabeth Quennell"


@pytest.mark.parametrize(
    ("name", "goes", "stays"),
    [
        ("Frank", "I saw Frank today.", "We had a frank discussion."),
        ("project_2024", "I shipped project_2024 today.", "I shipped project_2024_v2 today."),
        ("Anna", "Anna's car is red.", "Anna-Maria sings."),
        ("acme.com", "Write to acme.com today.", "Write to acme.com.uk today."),
        ("acme.com", "See www.acme.com for it.", "See acme.com.uk for it."),
        ("小美", "小美来了。", "我在用小美丽牌的面霜。"),
    ],
)
def test_a_name_is_whole_words(home: Path, clock: Clock, name: str, goes: str, stays: str) -> None:
    with opened(home, clock) as memory:
        say(memory, clock, goes, "OK.", stays)
        memory.consolidate()
        memory.forget(entity=name)
        assert texts(memory) == ["OK.", stays]
        assert memory.validate() == []


def test_a_role_is_no_name(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Elisabeth Quennell sails a yawl.",
            "OK.",
            "A friend in need is a friend indeed.",
            "My cat Miso sleeps.",
            "Every teacher has a favourite friend.",
        )
        memory.consolidate()
        memory.forget(entity="Elisabeth Quennell")
        assert texts(memory) == [
            "OK.",
            "A friend in need is a friend indeed.",
            "My cat Miso sleeps.",
            "Every teacher has a favourite friend.",
        ]
        memory.forget(entity="Miso")
        assert "Every teacher has a favourite friend." in texts(memory)
        assert not files_with(["Elisabeth", "Miso"], home)


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("My friend Zorinda likes tea.", "My friend called again."),
        ("我同事李雷喜欢下棋。", "我同事今天请假。"),
    ],
)
def test_the_only_friend_is_shown_for_a_yes(home: Path, clock: Clock, said: str, role: str) -> None:
    name = "Zorinda" if "Zorinda" in said else "李雷"
    with opened(home, clock) as memory:
        say(memory, clock, said, "OK.", role)
        memory.consolidate()
        assert memory.forget(entity=name, dry_run=True).doubtful == (role,)
        assert memory.forget(entity=name).doubtful == (role,)
        assert role in texts(memory)
    with opened(home.parent / "other", clock) as memory:
        say(memory, clock, said, "OK.", role)
        memory.consolidate()
        assert memory.forget(entity=name, doubtful=True).doubtful == ()
        assert texts(memory) == ["OK."]


def test_two_friends_have_the_role_of_neither(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "My friend Zorinda likes tea.",
            "OK.",
            "My friend Bostmara likes beer.",
            "OK.",
            "My friend called again.",
        )
        memory.consolidate()
        assert memory.forget(entity="Bostmara", dry_run=True).doubtful == ()


def test_the_beginning_of_a_sentence_does_not_tell_a_name_from_a_word(
    home: Path, clock: Clock
) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "I met Frank.",
            "OK.",
            "Frank words help. We had a frank talk.",
            "frank is coming at six",
        )
        receipt = memory.forget(entity="Frank")
        assert texts(memory) == [
            "OK.",
            "Frank words help. We had a frank talk.",
            "frank is coming at six",
        ]
        assert set(receipt.doubtful) == {
            "Frank words help.",
            "We had a frank talk.",
            "frank is coming at six",
        }


def test_forgetting_one_leaves_what_another_said_of_the_same(home: Path, clock: Clock) -> None:
    with opened(home, clock) as memory:
        say(
            memory,
            clock,
            "Dana lives in Berlin and works at Stripe.",
            "OK.",
            "Eve lives in Berlin and works at Stripe.",
        )
        memory.consolidate()
        memory.forget(entity="Dana")
        assert texts(memory) == ["OK.", "Eve lives in Berlin and works at Stripe."]


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
        memory._store.set_value("forgotten_to", "")
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
