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
