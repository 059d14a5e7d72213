"""Names that are spelled nearly right."""

from __future__ import annotations

from loxodon import Memory
from tests.recall.test_routes import DAY, memory, now, shown, talk  # noqa: F401  (fixtures)


def test_a_name_is_found_one_edit_away(memory: Memory) -> None:  # noqa: F811
    talk(
        memory,
        "s",
        DAY,
        "user: My colleague Priyanka works in Berlin now",
        "user: the soup was cold",
    )
    memory.consolidate()
    for asked in ("Where is Pryanka?", "Where is Priyankaa?", "Where is Priaynka?"):
        assert "Priyanka" in shown(memory.recall(asked))[0]
    assert memory.recall("Where is Pranka?").items == ()


def test_a_word_that_is_there_stands_for_itself(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: My friend Marian sings")
    talk(memory, "b", DAY, "user: Marina is a boat yard by the sea")
    memory.consolidate()
    assert all("Marian" not in one for one in shown(memory.recall("What is Marina?")))


def test_a_chinese_name_is_found_by_its_sound(memory: Memory) -> None:  # noqa: F811
    talk(
        memory, "s", DAY, "user: 我妹妹小美在大阪读书", "user: 我的同事张伟住在浦东", "user: 汤凉了"
    )
    memory.consolidate()
    assert "小美" in shown(memory.recall("晓美在哪里读大学？"))[0]
    assert "张伟" in shown(memory.recall("章伟家的地址？"))[0]
    assert not any("张伟" in one for one in shown(memory.recall("章磊家的地址？")))


def test_a_chinese_name_that_is_there_stands_for_itself(memory: Memory) -> None:  # noqa: F811
    talk(memory, "a", DAY, "user: 我妹妹小美在大阪读书")
    talk(memory, "b", DAY, "user: 晓美今天没来上课")
    memory.consolidate()
    found = shown(memory.recall("晓美怎么了？"))
    assert any("晓美" in one for one in found)
    assert not any("大阪" in one for one in found)
